//! Labels and amounts of nodes, and demands on them, from the bits of a number.

use econsched::sched_model::{Demands, Features, NodeId, Span, Spans, Time};

/// The features of a node.
pub(super) fn features(bits: u64) -> Option<Features> {
    let mut features = Features::new();
    if bits & 1 != 0 {
        features = features.with_label("gpu");
    }
    if bits & 2 != 0 {
        features = features.with_label(if bits & 4 != 0 { "rack=a" } else { "rack=b" });
    }
    features.with_amount("memory", [0.0, 16.0, 64.0, 0.1][(bits >> 3 & 3) as usize]).ok()
}

/// The demands of a job, whose starts are `later` ahead.
pub(super) fn demands(bits: u64, now: Time, later: f64) -> Option<Demands> {
    let mut demands = Demands::new();
    if bits & 1 != 0 {
        demands = demands.with_label("gpu");
    }
    if bits & 6 == 6 {
        demands = demands.without_label("rack=b");
    }
    if bits & 8 != 0 {
        demands = demands.with_at_least("memory", [0.0, 16.0, 64.0, 1e9][(bits >> 4 & 3) as usize]).ok()?;
    }
    match bits >> 6 & 3 {
        1 => demands = demands.with_pack("rack"),
        2 => demands = demands.with_spread("rack", 1 + (bits >> 8 & 1) as usize).ok()?,
        _ => {}
    }
    let at = now + Span::new(later).ok()?;
    match bits >> 9 & 7 {
        1 | 2 => demands = demands.with_not_before(at),
        3 => demands = demands.with_start(at),
        _ => {}
    }
    if bits >> 12 & 3 == 3 {
        demands = demands.with_spans(Spans::new([(NodeId(1), Span::new(later + 1.0).ok()?)]).ok()?);
    }
    Some(demands)
}
