//! Cases for choosers: alternatives of jobs.

use crate::testkit::{Draw, Numbers, Stops, limit_near, rounded_sum};
use serde::{Deserialize, Serialize};

/// A case for a chooser: one alternative of each job is chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChoiceCase {
    /// (cost, time) of each alternative of each job.
    pub jobs: Vec<Vec<(f64, f64)>>,
    /// The limit of the cost; `None` is no limit.
    pub budget: Option<f64>,
    /// The limit of the time; `None` is no limit.
    pub time_limit: Option<f64>,
    /// Where the chooser is stopped.
    #[serde(default)]
    pub stops: Stops,
}

impl ChoiceCase {
    /// Draws a case: mostly up to five jobs, so that every choice can be tried, at times 40. Cases include limits
    /// that some choice meets to the last bit or just misses, fronts of one rate on which every choice is
    /// undominated, repeated jobs, and now and then a job without an alternative.
    pub fn draw(draw: &mut Draw) -> Self {
        let (jobs, most) = match draw.below(40) {
            0..38 => {
                let jobs = draw.below(6);
                (jobs, if jobs > 3 { 4 } else { 6 })
            }
            38 => draw.of([(12, 12), (6, 60)]),
            _ => draw.of([(25, 8), (40, 5)]),
        };
        let (cost, time, shape) = (Numbers::any(draw), Numbers::any(draw), draw.below(5));
        let (signed, repeated, one) = (draw.chance(8), draw.chance(20), draw.chance(4));
        let mut drawn: Vec<Vec<(f64, f64)>> = Vec::new();
        for _ in 0..jobs {
            let count = if draw.chance(2) { 0 } else { draw.between(1, most) };
            let alternative = |_| {
                let (c, t) = (cost.draw(draw), time.draw(draw));
                match shape {
                    0 => (20.0 - t.min(20.0), t.min(20.0)),
                    1 => (c, c),
                    _ => (if signed && draw.chance(30) { -c } else { c }, t),
                }
            };
            let job = (0..count).map(alternative).collect();
            drawn.push(drawn.first().filter(|_| repeated).cloned().unwrap_or(job));
        }
        if let Some(&only) = drawn.first().and_then(|job| job.first()).filter(|_| one) {
            drawn.iter_mut().flatten().for_each(|pair| *pair = only);
        }
        let picked: Vec<(f64, f64)> = drawn.iter().filter_map(|job| draw.pick(job).copied()).collect();
        let mut near = |of: fn(&(f64, f64)) -> f64| {
            let sum = rounded_sum(picked.iter().map(of));
            draw.chance(90).then(|| limit_near(draw, sum))
        };
        let (budget, time_limit) = (near(|pair| pair.0), near(|pair| pair.1));
        Self { jobs: drawn, budget, time_limit, stops: Stops::draw(draw) }
    }
}
