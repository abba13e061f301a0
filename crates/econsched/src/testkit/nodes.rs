//! Cases for window searches: nodes with their features, requests with their demands, and tariffs.

use super::check::{must, part};
use super::{Draw, Fault, Numbers, Stops, beside, limit_near, rounded_sum};
use sched_model::{
    Demands, Features, Money, Node, NodeId, ResourceRequest, Rounding, Slot, SlotList, Span, Tariff, Time,
};
use serde::{Deserialize, Serialize};

/// A case for a window search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchCase {
    /// The nodes.
    pub nodes: Vec<NodeCase>,
    /// The tariff.
    #[serde(default)]
    pub tariff: Tariff,
    /// The request, with its demands on nodes.
    pub request: ResourceRequest,
    /// The earliest start.
    pub from: Time,
    /// Where the search is stopped.
    #[serde(default)]
    pub stops: Stops,
}

/// A node with its free time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeCase {
    /// The node.
    pub node: Node,
    /// Its features.
    #[serde(default, skip_serializing_if = "Features::is_empty")]
    pub features: Features,
    /// The value that a criterion gives the node.
    #[serde(default)]
    pub value: f64,
    /// Free intervals.
    pub free: Vec<(Time, Time)>,
}

impl SearchCase {
    /// Draws a case: mostly up to seven nodes, so that every window can be tried, at times up to 120. Starts are
    /// equal or not, prices and speeds repeat, and some window meets budget or deadline to the last bit.
    pub fn draw(draw: &mut Draw) -> Self {
        let hostile = draw.chance(30);
        let most = draw.of([7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 30, 120]);
        let most = if most == 120 && draw.chance(25) { 400 } else { most };
        let mut nodes = NodeCase::draw(draw, most, hostile);
        let n = draw.between(1, 4).min(nodes.len());
        let mut request = request(draw, &nodes, n, hostile);
        let from = Time::must(draw.of([0.0, 0.0, 1.0, 2.5]));
        let tariff = if draw.chance(30) { tariff(draw) } else { Tariff::default() };
        if draw.chance(25) {
            nodes.iter_mut().for_each(|node| node.features = features(draw));
            request = request.with_demands(demands(draw, nodes.len(), 30, 0.5));
        }
        Self { nodes, tariff, request, from, stops: Stops::draw(draw) }
    }

    /// The slot list.
    ///
    /// # Errors
    /// Of kind `malformed` for slots that the model refuses.
    pub fn slots(&self) -> Result<SlotList, Fault> {
        Ok(NodeCase::slots(&self.nodes)?.with_tariff(self.tariff))
    }
}

impl NodeCase {
    /// Draws up to `most` nodes, numbered from 0, with up to three free intervals each and without features; times
    /// are exact in doubles unless they are hostile.
    pub fn draw(draw: &mut Draw, most: usize, hostile: bool) -> Vec<Self> {
        let (price, value) = (Numbers::any(draw), Numbers::any(draw));
        let (equal_starts, one_speed) = (draw.chance(30), draw.chance(30));
        let (alike, signed) = (draw.chance(15), draw.chance(15));
        let mut prices: Vec<f64> = Vec::new();
        let count = draw.between(1, most) as u32;
        let node = |id| {
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
                    free.push((Time::must(start), Time::must(start + length)));
                }
                at = start + length + 0.5;
            }
            let speed = match (one_speed, hostile) {
                (true, _) => 1.0,
                (false, true) => draw.of([1.0, 1.5, 3.0, 0.1, 0.7]),
                (false, false) => draw.of([1.0, 1.0, 2.0, 4.0, 0.5]),
            };
            let value = if signed && draw.chance(50) { -drawn } else { drawn };
            Self { node: Node::must(id, speed, price), features: Features::default(), value, free }
        };
        (0..count).map(node).collect()
    }

    /// The slot list of these nodes with their features.
    ///
    /// # Errors
    /// Of kind `malformed` for slots that the model refuses.
    pub fn slots(nodes: &[Self]) -> Result<SlotList, Fault> {
        let free =
            nodes.iter().flat_map(|of| of.free.iter().map(|&(start, end)| Slot::new(of.node, start, end)));
        let slots = part(SlotList::new(part(free.collect::<Result<Vec<_>, _>>())?))?;
        let featured = nodes.iter().filter(|of| !of.features.is_empty());
        part(slots.with_features(featured.map(|of| (of.node.id, of.features.clone())).collect::<Vec<_>>()))
    }
}

/// Draws a request for `n` of these nodes.
pub fn request(draw: &mut Draw, nodes: &[NodeCase], n: usize, hostile: bool) -> ResourceRequest {
    let work = match hostile {
        false => draw.of([1.0, 2.0, 4.0, 6.0, 8.0]),
        true => draw.of([0.1, 0.3, 1.0, 1.7, 3.0, 0.9, 7.0 / 3.0]),
    };
    // The cost of some n nodes, each for its own span or all for the longest.
    let some: Vec<(f64, f64)> = (0..n)
        .filter_map(|_| draw.pick(nodes))
        .map(|of| (of.node.price.get(), work / of.node.speed.get()))
        .collect();
    let longest = some.iter().map(|node| node.1).fold(0.0, f64::max);
    let square = draw.chance(50);
    let sum = rounded_sum(some.iter().map(|&(price, own)| price * if square { longest } else { own }));
    let slot = nodes.iter().flat_map(|node| &node.free).nth(draw.below(4));
    // The end of a slot, mostly; otherwise earlier by 1, or by a unit in the last place.
    let earlier = draw.chance(25).then(|| draw.below(100));
    let mut request = ResourceRequest::must(n, work);
    if let Some(of) = draw.chance(20).then(|| draw.pick(nodes)).flatten() {
        request = request.with_min_speed(of.node.speed);
    }
    request.price_limit = draw.chance(30).then(|| draw.pick(nodes)).flatten().map(|of| of.node.price);
    request.budget = draw.chance(75).then(|| Money::must(limit_near(draw, sum).min(1e60)));
    request.deadline = earlier.zip(slot).map(|(by, slot)| match by {
        70.. => Time::must(slot.1.get() - 1.0),
        50.. => Time::must(beside(slot.1.get(), -1)),
        _ => slot.1,
    });
    request
}

/// Draws a tariff.
pub fn tariff(draw: &mut Draw) -> Tariff {
    let mut tariff = Tariff::default();
    if draw.chance(60) {
        let digits = draw.below(3) as u8;
        tariff = tariff.with_digits(digits, if draw.chance(50) { Rounding::Up } else { Rounding::Nearest });
    }
    if draw.chance(60) {
        tariff = must(tariff.with_increment(Span::must(draw.of([1.0, 0.1, 2.0, 0.25, 3.0]))));
    }
    let mut tenths = |most| Money::must(if draw.chance(50) { draw.below(most) as f64 / 10.0 } else { 0.0 });
    tariff = must(tariff.with_entry_fee(tenths(30)));
    must(tariff.with_least_charge(tenths(50)))
}

/// Draws the features of a node: labels `rack=..`, `zone=..` and `gpu`, and an amount of memory. Few nodes lack a
/// label.
pub fn features(draw: &mut Draw) -> Features {
    let named = |name, draw: &mut Draw| draw.chance(90).then(|| format!("{name}={}", draw.below(3)));
    let (rack, zone) = (named("rack", draw), named("zone", draw));
    let gpu = draw.chance(60).then(|| "gpu".to_owned());
    let memory = draw.below(4) as f64;
    let unlabelled = must(Features::default().with_amount("memory", memory));
    [rack, zone, gpu].into_iter().flatten().fold(unlabelled, Features::with_label)
}

/// Draws demands on such features. In `spans` percent of draws, most of the first `nodes` nodes have measured spans,
/// in multiples of `unit`.
pub fn demands(draw: &mut Draw, nodes: usize, spans: usize, unit: f64) -> Demands {
    let label = |draw: &mut Draw| if draw.chance(50) { "rack" } else { "zone" };
    let measured = if draw.chance(spans) { nodes as u32 } else { 0 };
    let mut demands = Demands::default();
    if draw.chance(20) {
        demands = if draw.chance(70) { demands.with_label("gpu") } else { demands.without_label("gpu") };
    }
    if draw.chance(20) {
        demands = must(demands.with_at_least("memory", draw.below(3) as f64));
    }
    if draw.chance(30) {
        demands = demands.with_pack(label(draw));
    }
    if draw.chance(30) {
        demands = must(demands.with_spread(label(draw), draw.between(1, 2)));
    }
    let span = |node| draw.chance(70).then(|| (NodeId(node), Span::must(draw.between(1, 8) as f64 * unit)));
    must(demands.with_spans((0..measured).filter_map(span).collect::<Vec<_>>()))
}
