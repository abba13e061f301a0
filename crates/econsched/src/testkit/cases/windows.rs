//! Cases for window searches: nodes, requests and tariffs.

use crate::testkit::check::part;
use crate::testkit::{DemandsCase, Draw, Fault, FeaturesCase, Numbers, Stops, limit_near, rounded_sum};
use sched_model::{
    Money, Node, NodeId, Price, ResourceRequest, Rounding, Slot, SlotList, Span, Speed, Tariff, Time, Work,
};
use serde::{Deserialize, Serialize};

/// A case for a window search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchCase {
    /// The nodes; node `k` has the identifier `k`.
    pub nodes: Vec<NodeCase>,
    /// The tariff; price x span if `None`.
    #[serde(default)]
    pub tariff: Option<TariffCase>,
    /// The request.
    pub request: RequestCase,
    /// The earliest start.
    pub from: f64,
    /// The features of each node; empty if no node has any.
    #[serde(default)]
    pub having: Vec<FeaturesCase>,
    /// The demands on nodes.
    #[serde(default)]
    pub asked: DemandsCase,
    /// Where the search is stopped.
    #[serde(default)]
    pub stops: Stops,
}

/// A node with its free time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeCase {
    /// Work per unit of time.
    pub speed: f64,
    /// Money per unit of time.
    pub price: f64,
    /// The value that a criterion gives the node.
    #[serde(default)]
    pub value: f64,
    /// Free intervals.
    pub free: Vec<(f64, f64)>,
}

/// A request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RequestCase {
    /// Number of nodes.
    pub n: usize,
    /// Work on each node.
    pub work: f64,
    /// The least speed of a node.
    pub min_speed: Option<f64>,
    /// The greatest price of a slot, or the price from which a budget is derived.
    pub price_limit: Option<f64>,
    /// The greatest total cost of all nodes.
    pub budget: Option<f64>,
    /// The latest end.
    pub deadline: Option<f64>,
}

/// A tariff.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TariffCase {
    /// The number of digits of charges, and whether charges are rounded up.
    pub digits: Option<(u8, bool)>,
    /// The unit of billed time.
    pub increment: Option<f64>,
    /// Money added to each placement.
    pub fee: f64,
    /// The least charge.
    pub least: f64,
}

impl SearchCase {
    /// Draws a case: mostly up to seven nodes, so that every window can be tried, at times up to 120. Starts are
    /// equal or not, prices and speeds repeat, and some window meets budget or deadline to the last bit.
    pub fn draw(draw: &mut Draw) -> Self {
        let hostile = draw.chance(30);
        let most = draw.of([7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 30, 120]);
        let most = if most == 120 && draw.chance(25) { 400 } else { most };
        let nodes = NodeCase::draw(draw, most, hostile);
        let n = draw.between(1, 4).min(nodes.len());
        let request = RequestCase::draw(draw, &nodes, n, hostile);
        let from = draw.of([0.0, 0.0, 1.0, 2.5]);
        let tariff = draw.chance(30).then(|| TariffCase::draw(draw));
        let (mut having, mut asked) = (Vec::new(), DemandsCase::default());
        if draw.chance(25) {
            having = nodes.iter().map(|_| FeaturesCase::draw(draw)).collect();
            asked = DemandsCase::draw(draw, nodes.len(), 30);
        }
        Self { nodes, tariff, request, from, having, asked, stops: Stops::draw(draw) }
    }

    /// The slot list, the request and the earliest start.
    ///
    /// # Errors
    /// [`Fault::malformed`] for numbers that the model refuses.
    pub fn parts(&self) -> Result<(SlotList, ResourceRequest, Time), Fault> {
        let slots = Self::slots(&self.nodes)?;
        let tariff = self.tariff.as_ref().map_or(Ok(Tariff::default()), TariffCase::tariff)?;
        let slots = FeaturesCase::listed(&self.having, slots.with_tariff(tariff))?;
        let request = self.request.request()?.with_demands(self.asked.demands(0.5)?);
        Ok((slots, request, part(Time::new(self.from))?))
    }

    /// The slot list of these nodes; the first is node 0.
    ///
    /// # Errors
    /// [`Fault::malformed`] for numbers that the model refuses.
    pub fn slots(nodes: &[NodeCase]) -> Result<SlotList, Fault> {
        let mut slots = Vec::new();
        for (id, node) in (0..).zip(nodes) {
            let of = Node::new(NodeId(id), part(Speed::new(node.speed))?, part(Price::new(node.price))?);
            for &(start, end) in &node.free {
                slots.push(part(Slot::new(of, part(Time::new(start))?, part(Time::new(end))?))?);
            }
        }
        part(SlotList::new(slots))
    }
}

impl NodeCase {
    /// Draws up to `most` nodes with up to three free intervals each; times are exact in doubles unless they are
    /// hostile.
    pub fn draw(draw: &mut Draw, most: usize, hostile: bool) -> Vec<Self> {
        let (price, value) = (Numbers::any(draw), Numbers::any(draw));
        let (equal_starts, one_speed) = (draw.chance(30), draw.chance(30));
        let (alike, signed) = (draw.chance(15), draw.chance(15));
        let mut prices: Vec<f64> = Vec::new();
        let count = draw.between(1, most);
        let node = |_| {
            let price = match draw.chance(25).then(|| draw.pick(&prices).copied()) {
                Some(Some(repeated)) => repeated,
                _ => price.draw(draw),
            };
            prices.push(price);
            let drawn = if alike { price } else { value.draw(draw) };
            let mut free = Vec::new();
            let mut at = if draw.chance(3) { -1e60 } else { 0.0 };
            for _ in 0..draw.between(1, 3) {
                let (gap, length) = if hostile {
                    (draw.below(7) as f64 / 10.0, draw.between(1, 60) as f64 / 10.0)
                } else {
                    (draw.below(5) as f64 / 2.0, draw.between(1, 12) as f64)
                };
                let start = if equal_starts { at } else { at + gap };
                if start < start + length {
                    free.push((start, start + length));
                }
                at = start + length + 0.5;
            }
            let speed = match (one_speed, hostile) {
                (true, _) => 1.0,
                (false, true) => draw.of([1.0, 1.5, 3.0, 0.1, 0.7]),
                (false, false) => draw.of([1.0, 1.0, 2.0, 4.0, 0.5]),
            };
            Self { speed, price, value: if signed && draw.chance(50) { -drawn } else { drawn }, free }
        };
        (0..count).map(node).collect()
    }
}

impl RequestCase {
    /// Draws a request for `n` of these nodes.
    pub fn draw(draw: &mut Draw, nodes: &[NodeCase], n: usize, hostile: bool) -> Self {
        let work = match hostile {
            false => draw.of([1.0, 2.0, 4.0, 6.0, 8.0]),
            true => draw.of([0.1, 0.3, 1.0, 1.7, 3.0, 0.9, 7.0 / 3.0]),
        };
        // The cost of some n nodes, each for its own span or all for the longest.
        let some: Vec<&NodeCase> = (0..n).filter_map(|_| draw.pick(nodes)).collect();
        let longest = some.iter().map(|node| work / node.speed).fold(0.0, f64::max);
        let square = draw.chance(50);
        let cost = |node: &&NodeCase| node.price * if square { longest } else { work / node.speed };
        let sum = rounded_sum(some.iter().map(cost));
        let slot = nodes.iter().flat_map(|node| &node.free).nth(draw.below(4));
        let in_time = draw.chance(25).then(|| f64::from(draw.chance(30)));
        Self {
            n,
            work,
            min_speed: if draw.chance(20) { draw.pick(nodes).map(|node| node.speed) } else { None },
            price_limit: if draw.chance(30) { draw.pick(nodes).map(|node| node.price) } else { None },
            budget: draw.chance(75).then(|| limit_near(draw, sum).min(1e60)),
            deadline: in_time.and_then(|less| Some(slot?.1 - less)),
        }
    }

    /// The request as a value of the model.
    ///
    /// # Errors
    /// [`Fault::malformed`] for numbers that the model refuses.
    pub fn request(&self) -> Result<ResourceRequest, Fault> {
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
}

impl TariffCase {
    /// Draws a tariff.
    pub fn draw(draw: &mut Draw) -> Self {
        Self {
            digits: draw.chance(60).then(|| (draw.below(3) as u8, draw.chance(50))),
            increment: draw.chance(60).then(|| draw.of([1.0, 0.1, 2.0, 0.25, 3.0])),
            fee: if draw.chance(50) { draw.below(30) as f64 / 10.0 } else { 0.0 },
            least: if draw.chance(50) { draw.below(50) as f64 / 10.0 } else { 0.0 },
        }
    }

    /// The tariff as a value of the model.
    ///
    /// # Errors
    /// [`Fault::malformed`] for numbers that the model refuses.
    pub fn tariff(&self) -> Result<Tariff, Fault> {
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
