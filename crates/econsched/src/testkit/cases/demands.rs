//! Features of nodes, and demands of jobs on them.

use crate::testkit::Draw;
use crate::testkit::check::must;
use sched_model::{Demands, Features, NodeId, Span};

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
