//! Lists, their changes, and queries after the changes.

use crate::judge::{Verdict, part};
use econsched::sched_model::{Demands, Node, NodeId, Price, Speed, Time};
use econsched::testkit::{DemandsCase, Draw, FeaturesCase, NodeCase, RequestCase, TariffCase};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    pub(crate) nodes: Vec<NodeCase>,
    pub(crate) having: Vec<FeaturesCase>,
    /// Whether identifiers are large numbers.
    pub(crate) great: bool,
    pub(crate) tariff: Option<TariffCase>,
    pub(crate) rounds: Vec<Round>,
}

#[derive(Serialize, Deserialize)]
pub(crate) enum Change {
    /// Cuts a free window, made from a slot and those after it.
    Cut {
        at: usize,
        from: f64,
        spans: Vec<f64>,
    },
    /// Any window, to be cut or given back. `before` is subtracted from the start; no constructor checks the
    /// result. `places` has the node and the end of each placement.
    Window {
        back: bool,
        before: f64,
        start: f64,
        places: Vec<(usize, f64)>,
    },
    GiveBackRest(usize, f64),
    Lengthen(usize, f64),
    Block(usize, f64, f64),
    Free(usize, f64, f64),
    Remove(usize),
    Reprice(usize, f64, f64),
    Advance(f64),
    Extend(Vec<usize>, f64, f64),
    Features(usize, FeaturesCase),
    Take(usize, f64, f64),
    Index,
}

pub(crate) type Having<'a> = BTreeMap<NodeId, &'a FeaturesCase>;

/// Changes, and the queries after them.
#[derive(Serialize, Deserialize)]
pub(crate) struct Round {
    pub(crate) changes: Vec<Change>,
    pub(crate) request: RequestCase,
    pub(crate) from: f64,
    pub(crate) asked: DemandsCase,
    /// The earliest demanded start, and the only allowed one.
    pub(crate) starts: (Option<f64>, Option<f64>),
    /// (node, instant, price).
    pub(crate) prices: Vec<(usize, f64, f64)>,
}

impl Round {
    /// The demands of a case together with these starts.
    pub(crate) fn demands(&self, of_nodes: &DemandsCase) -> Verdict<Demands> {
        let mut demands = of_nodes.demands(0.5)?;
        if let Some(at) = self.starts.0 {
            demands = demands.with_not_before(part(Time::new(at))?);
        }
        if let Some(at) = self.starts.1 {
            demands = demands.with_start(part(Time::new(at))?);
        }
        Ok(demands)
    }
}

fn change(draw: &mut Draw, nodes: &[NodeCase], unit: f64) -> Change {
    let mut instant = || draw.below(60) as f64 * unit;
    let (from, to) = (instant(), instant());
    let at = draw.below(nodes.len());
    match draw.below(17) {
        0..=3 => {
            let spans = (0..draw.between(1, 4)).map(|_| draw.between(1, 9) as f64 * unit).collect();
            Change::Cut { at: draw.below(1000), from, spans }
        }
        4 => Change::GiveBackRest(draw.below(50), from),
        5 => Change::Lengthen(draw.below(50), unit * draw.between(1, 6) as f64),
        6 => Change::Block(at, from, to),
        7 => Change::Free(at, from, to),
        8 => Change::Remove(at),
        9 => Change::Reprice(at, nodes[draw.below(nodes.len())].price + f64::from(draw.chance(50)), from),
        10 => Change::Advance(draw.below(12) as f64 * unit),
        11 => {
            let ids = (0..draw.between(1, 3)).map(|_| draw.below(nodes.len())).collect();
            Change::Extend(ids, from, to + 10.0)
        }
        12 => Change::Features(at, FeaturesCase::draw(draw)),
        13 => Change::Take(at, from, to),
        14 => Change::Index,
        _ => {
            let (start, before) = if draw.chance(5) { (-1e60, 1e60) } else { (from, 0.0) };
            let place = |_| (draw.below(nodes.len()), from + draw.between(1, 6) as f64 * unit);
            let places = [0; 3].map(place)[..draw.between(1, 3)].to_vec();
            Change::Window { back: draw.chance(40), before, start, places }
        }
    }
}

impl Case {
    pub(crate) fn draw(draw: &mut Draw) -> Self {
        let (hostile, many) = (draw.chance(40), draw.chance(8));
        let unit = if hostile { 0.1 } else { 0.5 };
        let mut nodes = NodeCase::draw(draw, if many { 160 } else { 7 }, hostile);
        // Slots of one node that touch each other.
        for node in nodes.iter_mut().filter(|_| draw.chance(30)) {
            if let Some(&(start, end)) = node.free.first() {
                let middle = start + ((end - start) / unit / 2.0).floor() * unit;
                let parts = [(start, middle), (middle, end)];
                node.free.splice(..1, parts.into_iter().filter(|part| part.0 < part.1));
            }
        }
        let count = draw.between(1, 4);
        let round = |_| {
            let n = draw.between(1, if many { 12 } else { 4 }).min(nodes.len());
            let mut instant = |chance: usize| draw.chance(chance).then(|| draw.below(60) as f64 * unit);
            let (from, starts) = (instant(40).unwrap_or(0.0), (instant(10), instant(10)));
            let demanding = draw.chance(60);
            let none = DemandsCase::default();
            let price = |draw: &mut Draw| (draw.below(60) as f64 * unit, draw.below(99) as f64 / 10.0);
            Round {
                changes: (0..draw.below(if many { 40 } else { 8 }))
                    .map(|_| change(draw, &nodes, unit))
                    .collect(),
                request: RequestCase::draw(draw, &nodes, n, hostile),
                from,
                asked: if demanding { DemandsCase::draw(draw, nodes.len(), 30) } else { none },
                starts: if demanding { starts } else { (None, None) },
                prices: (0..draw.below(5))
                    .map(|_| (draw.below(nodes.len()), price(draw)))
                    .map(|(node, (at, price))| (node, at, price))
                    .collect(),
            }
        };
        let rounds = (0..count).map(round).collect();
        let having = nodes.iter().map(|_| FeaturesCase::draw(draw)).collect();
        let tariff = draw.chance(40).then(|| TariffCase::draw(draw));
        Self { having, great: draw.chance(10), tariff, rounds, nodes }
    }

    pub(crate) fn id(&self, at: usize) -> NodeId {
        NodeId(if self.great { u32::MAX - 7 * at as u32 } else { at as u32 })
    }

    /// The features of each node after these rounds.
    pub(crate) fn having_after<'a>(&'a self, rounds: &'a [Round]) -> Having<'a> {
        let mut having: Having<'a> =
            self.having.iter().enumerate().map(|(at, of)| (self.id(at), of)).collect();
        for change in rounds.iter().flat_map(|round| &round.changes) {
            if let Change::Features(at, of) = change {
                having.insert(self.id(*at), of);
            }
        }
        having
    }

    pub(crate) fn node(&self, at: usize) -> Verdict<Node> {
        let node = &self.nodes[at % self.nodes.len()];
        Ok(Node::new(self.id(at), part(Speed::new(node.speed))?, part(Price::new(node.price))?))
    }
}
