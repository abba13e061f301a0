//! Nodes, requests and tariffs to search among.

use crate::exact::rounded_sum;
use crate::number::{Family, limit_near};
use crate::rng::Rng;
use crate::target::{Fault, part};
use econsched::sched_model::{
    Money, Node, NodeId, Price, ResourceRequest, Rounding, Slot, SlotList, Span, Speed, Tariff, Time, Work,
};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
pub(crate) struct NodeCase {
    pub(crate) speed: f64,
    pub(crate) price: f64,
    pub(crate) value: f64,
    /// Free intervals.
    pub(crate) free: Vec<(f64, f64)>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct RequestCase {
    pub(crate) n: usize,
    pub(crate) work: f64,
    pub(crate) min_speed: Option<f64>,
    pub(crate) price_limit: Option<f64>,
    pub(crate) budget: Option<f64>,
    pub(crate) deadline: Option<f64>,
}

impl RequestCase {
    pub(crate) fn request(&self) -> Result<ResourceRequest, Fault> {
        let mut request = part(ResourceRequest::new(self.n, part(Work::new(self.work))?))?;
        if let Some(speed) = self.min_speed {
            request = request.with_min_speed(part(Speed::new(speed))?);
        }
        if let Some(limit) = self.price_limit {
            request = request.with_price_limit(part(Price::new(limit))?);
        }
        if let Some(budget) = self.budget {
            request = request.with_budget(part(Money::new(budget))?);
        }
        if let Some(deadline) = self.deadline {
            request = request.with_deadline(part(Time::new(deadline))?);
        }
        Ok(request)
    }

    pub(crate) fn draw(rng: &mut Rng, nodes: &[NodeCase], n: usize, kind: Numbers) -> Self {
        let work = kind.work(rng);
        // The cost of some n nodes, each for its own span or all for the longest.
        let some: Vec<&NodeCase> = (0..n).map(|_| rng.pick(nodes)).collect();
        let longest = some.iter().map(|node| work / node.speed).fold(0.0, f64::max);
        let square = rng.percent(50);
        let cost = |node: &&NodeCase| node.price * if square { longest } else { work / node.speed };
        let sum = rounded_sum(some.iter().map(cost));
        let some_slot = nodes.iter().flat_map(|node| &node.free).nth(rng.below(4));
        Self {
            n,
            work,
            min_speed: rng.percent(20).then(|| rng.pick(nodes).speed),
            price_limit: rng.percent(30).then(|| rng.pick(nodes).price),
            budget: rng.percent(75).then(|| limit_near(rng, sum).min(1e60)),
            deadline: match some_slot {
                Some(slot) if rng.percent(25) => Some(slot.1 - f64::from(rng.percent(30))),
                _ => None,
            },
        }
    }
}

/// Whether times are exact in doubles; prices and values need not be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Numbers {
    Exact,
    Hostile,
}

impl Numbers {
    fn work(self, rng: &mut Rng) -> f64 {
        match self {
            Self::Exact => *rng.pick(&[1.0, 2.0, 4.0, 6.0, 8.0]),
            Self::Hostile => *rng.pick(&[0.1, 0.3, 1.0, 1.7, 3.0, 0.9, 7.0 / 3.0]),
        }
    }
}

pub(crate) fn draw_nodes(rng: &mut Rng, most: usize, kind: Numbers) -> Vec<NodeCase> {
    let (price, value) = (Family::any(rng), Family::any(rng));
    let mut prices: Vec<f64> = Vec::new();
    let equal_starts = rng.percent(30);
    let signed = rng.percent(15);
    let speeds: &[f64] = match kind {
        Numbers::Exact => &[1.0, 1.0, 2.0, 4.0, 0.5],
        Numbers::Hostile => &[1.0, 1.5, 3.0, 0.1, 0.7],
    };
    let one_speed = rng.percent(30);
    let alike = rng.percent(15);
    let count = rng.range(1, most);
    (0..count)
        .map(|_| {
            // Repeated prices make ties.
            let price =
                if rng.percent(25) && !prices.is_empty() { *rng.pick(&prices) } else { price.draw(rng) };
            prices.push(price);
            let drawn = if alike { price } else { value.draw(rng) };
            let mut free = Vec::new();
            let mut at = if rng.percent(3) { -1e60 } else { 0.0 };
            for _ in 0..rng.range(1, 3) {
                let (gap, length) = match kind {
                    Numbers::Exact => (rng.below(5) as f64 / 2.0, rng.range(1, 12) as f64),
                    Numbers::Hostile => (rng.below(7) as f64 / 10.0, rng.range(1, 60) as f64 / 10.0),
                };
                let start = if equal_starts { at } else { at + gap };
                let end = start + length;
                if start < end {
                    free.push((start, end));
                }
                at = end + 0.5;
            }
            NodeCase {
                speed: if one_speed { 1.0 } else { *rng.pick(speeds) },
                price,
                value: if signed && rng.percent(50) { -drawn } else { drawn },
                free,
            }
        })
        .collect()
}

pub(crate) fn slot_list(nodes: &[NodeCase]) -> Result<SlotList, Fault> {
    let mut slots = Vec::new();
    for (id, node) in (0..).zip(nodes) {
        let of = Node::new(NodeId(id), part(Speed::new(node.speed))?, part(Price::new(node.price))?);
        for &(start, end) in &node.free {
            slots.push(Slot::new(of, part(Time::new(start))?, part(Time::new(end))?)?);
        }
    }
    part(SlotList::new(slots))
}

/// The tariff of a case.
#[derive(Serialize, Deserialize)]
pub(crate) struct TariffCase {
    /// Digits, and whether charges are rounded up.
    digits: Option<(u8, bool)>,
    increment: Option<f64>,
    fee: f64,
    least: f64,
}

impl TariffCase {
    pub(crate) fn draw(rng: &mut Rng) -> Self {
        Self {
            digits: rng.percent(60).then(|| (rng.below(3) as u8, rng.percent(50))),
            increment: rng.percent(60).then(|| *rng.pick(&[1.0, 0.1, 2.0, 0.25, 3.0])),
            fee: if rng.percent(50) { 0.0 } else { rng.below(30) as f64 / 10.0 },
            least: if rng.percent(50) { 0.0 } else { rng.below(50) as f64 / 10.0 },
        }
    }

    pub(crate) fn tariff(&self) -> Result<Tariff, Fault> {
        let mut tariff = Tariff::default();
        if let Some((digits, up)) = self.digits {
            tariff = tariff.with_digits(digits, if up { Rounding::Up } else { Rounding::Nearest });
        }
        if let Some(increment) = self.increment {
            tariff = part(tariff.with_increment(part(Span::new(increment))?))?;
        }
        tariff = part(tariff.with_entry_fee(part(Money::new(self.fee))?))?;
        part(tariff.with_least_charge(part(Money::new(self.least))?))
    }
}
