//! A case: nodes with features, and rounds of changes, each with a search after it.

use crate::number::Family;
use crate::rng::Rng;
use crate::target::{Fault, part};
use crate::targets::window::TariffCase;
use econsched::sched_model::{Demands, Features, NodeId, Span, Spans, Time};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    pub(super) nodes: Vec<NodeCase>,
    pub(super) tariff: Option<TariffCase>,
    pub(super) rounds: Vec<Round>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct NodeCase {
    pub(super) id: u32,
    pub(super) speed: f64,
    pub(super) price: f64,
    pub(super) free: Vec<(f64, f64)>,
    pub(super) features: FeatureCase,
}

/// Labels `gpu`, `rack=..`, `zone=..` and an amount of memory.
#[derive(Serialize, Deserialize, Clone, Default)]
pub(super) struct FeatureCase {
    pub(super) gpu: bool,
    pub(super) rack: Option<u32>,
    pub(super) zone: Option<u32>,
    pub(super) memory: Option<f64>,
}

#[derive(Serialize, Deserialize)]
pub(super) enum Change {
    Cut { at: usize, from: f64, spans: Vec<f64> },
    GiveBackRest(usize, f64),
    Lengthen(usize, f64),
    Block(u32, f64, f64),
    Free(u32, f64, f64),
    Remove(u32),
    Reprice(u32, f64, f64),
    Advance(f64),
    Extend(Vec<u32>, f64, f64),
    Features(u32, FeatureCase),
}

fn instant(rng: &mut Rng, unit: f64) -> f64 {
    rng.below(60) as f64 * unit
}

impl Change {
    fn draw(rng: &mut Rng, id: u32, ids: &[u32], (unit, price, many): (f64, Family, bool)) -> Self {
        match rng.below(13) {
            0..=3 => Self::Cut {
                at: rng.below(1000),
                from: instant(rng, unit),
                spans: (0..rng.range(1, 4)).map(|_| rng.range(1, 9) as f64 * unit).collect(),
            },
            4 => Self::GiveBackRest(rng.below(50), instant(rng, unit)),
            5 => Self::Lengthen(rng.below(50), unit * rng.range(1, 6) as f64),
            6 => Self::Block(id, instant(rng, unit), instant(rng, unit)),
            7 => Self::Free(id, instant(rng, unit), instant(rng, unit)),
            8 => Self::Remove(id),
            9 => Self::Reprice(id, price.draw(rng).min(1e60), instant(rng, unit)),
            10 => Self::Advance(rng.below(12) as f64 * unit),
            11 => Self::Extend(
                (0..rng.range(1, 3)).map(|_| *rng.pick(ids)).collect(),
                instant(rng, unit),
                instant(rng, unit) + 10.0,
            ),
            _ => Self::Features(id, FeatureCase::draw(rng, many)),
        }
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct Round {
    pub(super) changes: Vec<Change>,
    pub(super) n: usize,
    pub(super) work: f64,
    pub(super) budget: Option<f64>,
    pub(super) price_limit: Option<f64>,
    pub(super) min_speed: Option<f64>,
    pub(super) deadline: Option<f64>,
    pub(super) from: f64,
    pub(super) demands: Option<DemandCase>,
    /// (node, instant, price).
    pub(super) prices: Vec<(u32, f64, f64)>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct DemandCase {
    pub(super) gpu: Option<bool>,
    pub(super) memory: Option<f64>,
    pub(super) pack: Option<bool>,
    pub(super) spread: Option<(bool, usize)>,
    pub(super) not_before: Option<f64>,
    pub(super) start: Option<f64>,
    pub(super) spans: Vec<(u32, f64)>,
}

fn label(is_rack: bool) -> &'static str {
    if is_rack { "rack" } else { "zone" }
}

impl FeatureCase {
    pub(super) fn features(&self) -> Result<Features, Fault> {
        let mut features = Features::new();
        if self.gpu {
            features = features.with_label("gpu");
        }
        if let Some(rack) = self.rack {
            features = features.with_label(format!("rack={rack}"));
        }
        if let Some(zone) = self.zone {
            features = features.with_label(format!("zone={zone}"));
        }
        match self.memory {
            Some(memory) => part(features.with_amount("memory", memory)),
            None => Ok(features),
        }
    }

    fn draw(rng: &mut Rng, many: bool) -> Self {
        Self {
            gpu: rng.percent(50),
            rack: rng.percent(80).then(|| rng.below(if many { 70 } else { 3 }) as u32),
            zone: rng.percent(80).then(|| rng.below(3) as u32),
            memory: rng.percent(60).then(|| Family::Tenths.draw(rng)),
        }
    }
}

impl DemandCase {
    fn draw(rng: &mut Rng, ids: &[u32], unit: f64) -> Self {
        Self {
            gpu: rng.percent(25).then(|| rng.percent(50)),
            memory: rng.percent(25).then(|| Family::Tenths.draw(rng)),
            pack: rng.percent(40).then(|| rng.percent(50)),
            spread: rng.percent(40).then(|| (rng.percent(50), rng.range(1, 2))),
            not_before: rng.percent(15).then(|| instant(rng, unit)),
            start: rng.percent(15).then(|| instant(rng, unit)),
            spans: if rng.percent(30) {
                let mut known: Vec<u32> = ids.iter().copied().filter(|_| rng.percent(50)).collect();
                known.sort_unstable();
                known.iter().map(|&id| (id, rng.range(1, 9) as f64 * unit)).collect()
            } else {
                Vec::new()
            },
        }
    }

    pub(super) fn demands(&self) -> Result<Demands, Fault> {
        let mut demands = match self.gpu {
            Some(true) => Demands::new().with_label("gpu"),
            Some(false) => Demands::new().without_label("gpu"),
            None => Demands::new(),
        };
        if let Some(memory) = self.memory {
            demands = part(demands.with_at_least("memory", memory))?;
        }
        if let Some(is_rack) = self.pack {
            demands = demands.with_pack(label(is_rack));
        }
        if let Some((is_rack, most)) = self.spread {
            demands = part(demands.with_spread(label(is_rack), most))?;
        }
        if let Some(not_before) = self.not_before {
            demands = demands.with_not_before(part(Time::new(not_before))?);
        }
        if let Some(start) = self.start {
            demands = demands.with_start(part(Time::new(start))?);
        }
        let mut spans = Vec::new();
        for &(node, span) in &self.spans {
            spans.push((NodeId(node), part(Span::new(span))?));
        }
        Ok(demands.with_spans(part(Spans::new(spans))?))
    }
}

impl Case {
    /// A random case.
    pub(super) fn draw(rng: &mut Rng) -> Self {
        let many = rng.percent(8);
        let count = if many { rng.range(60, 160) } else { rng.range(1, 7) };
        let price = Family::any(rng);
        let tenths = rng.percent(40);
        let unit = if tenths { 0.1 } else { 0.5 };
        let great = rng.percent(10);
        let equal_starts = rng.percent(40);
        let ids: Vec<u32> =
            (0..count).map(|at| if great { u32::MAX - 7 * at as u32 } else { at as u32 * 2 + 1 }).collect();
        let nodes: Vec<NodeCase> = ids
            .iter()
            .map(|&id| {
                let mut at = if equal_starts { 0 } else { rng.below(6) };
                let free = (0..rng.range(0, if many { 9 } else { 4 }))
                    .map(|_| {
                        let start = at;
                        let end = start + rng.range(1, 16);
                        at = end + rng.below(3);
                        (start as f64 * unit, end as f64 * unit)
                    })
                    .collect();
                NodeCase {
                    id,
                    speed: *rng.pick(&[1.0, 1.0, 2.0, 0.5, 3.0]),
                    price: price.draw(rng).min(1e60),
                    free,
                    features: FeatureCase::draw(rng, many),
                }
            })
            .collect();
        let at = |rng: &mut Rng| instant(rng, unit);
        let rounds = (0..rng.range(1, 4))
            .map(|_| {
                let changes = (0..rng.below(if many { 40 } else { 8 }))
                    .map(|_| {
                        let id = *rng.pick(&ids);
                        Change::draw(rng, id, &ids, (unit, price, many))
                    })
                    .collect();
                let n = rng.range(1, if many { 12 } else { 4 });
                let work = rng.range(1, 12) as f64 * unit;
                let chosen: Vec<f64> =
                    (0..n).map(|_| rng.pick(&nodes)).map(|node| node.price * work / node.speed).collect();
                let cost = crate::exact::rounded_sum(chosen.iter().copied());
                Round {
                    changes,
                    n,
                    work,
                    budget: rng.percent(60).then(|| crate::number::limit_near(rng, cost).min(1e60)),
                    price_limit: rng.percent(25).then(|| rng.pick(&nodes).price),
                    min_speed: rng.percent(20).then(|| *rng.pick(&[1.0, 2.0])),
                    deadline: rng.percent(25).then(|| at(rng)),
                    from: if rng.percent(60) { 0.0 } else { at(rng) },
                    demands: rng.percent(60).then(|| DemandCase::draw(rng, &ids, unit)),
                    prices: (0..rng.below(5))
                        .map(|_| (*rng.pick(&ids), at(rng), price.draw(rng).min(1e60)))
                        .collect(),
                }
            })
            .collect();
        Self { tariff: rng.percent(40).then(|| TariffCase::draw(rng)), nodes, rounds }
    }
}
