//! Lists, their changes, and queries after the changes.

use econsched::sched_model::{Features, Node, NodeId, Price, ResourceRequest, Span, Tariff, Time};
use econsched::testkit::{Draw, NodeCase, demands, features, request, tariff};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    pub(crate) nodes: Vec<NodeCase>,
    pub(crate) tariff: Tariff,
    pub(crate) rounds: Vec<Round>,
}

/// A change of a list. Nodes are given by their positions.
#[derive(Serialize, Deserialize)]
pub(crate) enum Change {
    /// Cuts a free window, made from a slot and those after it.
    Cut {
        at: usize,
        from: Time,
        spans: Vec<Span>,
    },
    /// Any window, to be cut or given back. `before` is subtracted from the start; no constructor checks the
    /// result. `places` has the node and the end of each placement.
    Window {
        back: bool,
        before: Span,
        start: Time,
        places: Vec<(usize, Time)>,
    },
    GiveBackRest(usize, Time),
    Lengthen(usize, Span),
    Block(usize, Time, Time),
    Remove(usize),
    Reprice(usize, Price, Time),
    Advance(Time),
    Extend(Vec<usize>, Time, Time),
    Features(usize, Features),
    Index,
}

pub(crate) type Having<'a> = BTreeMap<NodeId, &'a Features>;

/// Changes, and the queries after them.
#[derive(Serialize, Deserialize)]
pub(crate) struct Round {
    pub(crate) changes: Vec<Change>,
    pub(crate) request: ResourceRequest,
    pub(crate) from: Time,
    /// (node, instant, price).
    pub(crate) prices: Vec<(NodeId, Time, f64)>,
}

fn change(draw: &mut Draw, nodes: &[NodeCase], unit: f64) -> Change {
    let times = |times: usize| times as f64 * unit;
    let mut instant = || Time::must(times(draw.below(60)));
    let (from, to) = (instant(), instant());
    let at = draw.below(nodes.len());
    match draw.below(16) {
        0..=3 => {
            let spans = (0..draw.between(1, 4)).map(|_| Span::must(times(draw.between(1, 9)))).collect();
            Change::Cut { at: draw.below(1000), from, spans }
        }
        4 => Change::GiveBackRest(draw.below(50), from),
        5 => Change::Lengthen(draw.below(50), Span::must(times(draw.between(1, 6)))),
        6 => Change::Block(at, from, to),
        7 => Change::Extend(vec![at], from, to),
        8 => Change::Remove(at),
        9 => {
            let price = nodes[draw.below(nodes.len())].node.price.get() + f64::from(draw.chance(50));
            Change::Reprice(at, Price::must(price.min(1e60)), from)
        }
        10 => Change::Advance(Time::must(times(draw.below(12)))),
        11 => {
            let ids = (0..draw.between(1, 3)).map(|_| draw.below(nodes.len())).collect();
            Change::Extend(ids, from, to + Span::must(10.0))
        }
        12 => Change::Features(at, features(draw)),
        13 => Change::Index,
        _ => {
            let (start, before) = if draw.chance(5) { (Time::must(-1e60), 1e60) } else { (from, 0.0) };
            let place = |_| (draw.below(nodes.len()), from + Span::must(times(draw.between(1, 6))));
            let places = [0; 3].map(place)[..draw.between(1, 3)].to_vec();
            Change::Window { back: draw.chance(40), before: Span::must(before), start, places }
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
                let half = ((end - start).get() / unit / 2.0).floor() * unit;
                let middle = start + Span::must(half);
                let parts = [(start, middle), (middle, end)];
                node.free.splice(..1, parts.into_iter().filter(|part| part.0 < part.1));
            }
        }
        // Now and then identifiers are large numbers.
        let great = draw.chance(10);
        for (at, node) in (0..).zip(&mut nodes).filter(|_| great) {
            node.node.id = NodeId(u32::MAX - 7 * at);
        }
        let count = draw.between(1, 4);
        let round = |_| {
            let n = draw.between(1, if many { 12 } else { 4 }).min(nodes.len());
            let mut instant =
                |chance: usize| draw.chance(chance).then(|| Time::must(draw.below(60) as f64 * unit));
            let (from, not_before, start) = (instant(40).unwrap_or(Time::ZERO), instant(10), instant(10));
            let demanding = draw.chance(60);
            let changes = (0..draw.below(if many { 40 } else { 8 })).map(|_| change(draw, &nodes, unit));
            let changes = changes.collect();
            let mut request = request(draw, &nodes, n, hostile);
            if demanding {
                let mut asked = demands(draw, nodes.len(), 30, 0.5);
                (asked.not_before, asked.start) = (not_before, start);
                request = request.with_demands(asked);
            }
            let count = draw.below(5);
            let price = |_| {
                let node = nodes[draw.below(nodes.len())].node.id;
                (node, Time::must(draw.below(60) as f64 * unit), draw.below(99) as f64 / 10.0)
            };
            let prices = (0..count).map(price).collect();
            Round { changes, request, from, prices }
        };
        let rounds = (0..count).map(round).collect();
        nodes.iter_mut().for_each(|node| node.features = features(draw));
        let tariff = if draw.chance(40) { tariff(draw) } else { Tariff::default() };
        Self { tariff, rounds, nodes }
    }

    pub(crate) fn node(&self, at: usize) -> Node {
        self.nodes[at % self.nodes.len()].node
    }

    /// The features of each node after these rounds.
    pub(crate) fn having_after<'a>(&'a self, rounds: &'a [Round]) -> Having<'a> {
        let mut having: Having<'a> = self.nodes.iter().map(|of| (of.node.id, &of.features)).collect();
        for change in rounds.iter().flat_map(|round| &round.changes) {
            if let Change::Features(at, of) = change {
                having.insert(self.node(*at).id, of);
            }
        }
        having
    }
}
