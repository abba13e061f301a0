//! Cases for mapping heuristics: times of tasks on resources.

use crate::testkit::check::must;
use crate::testkit::{Draw, Numbers};
use sched_model::{EtcMatrix, Time};

/// Draws the times of mostly a few tasks, rarely 300, on up to seven resources, and when these are ready. Cases
/// include consistent and inconsistent times, tasks that take no time, repeated rows, and resources that are ready
/// before or after 0.
pub fn etc(draw: &mut Draw) -> EtcMatrix {
    let (numbers, shape) = (Numbers::any(draw), draw.below(5));
    let most = draw.of([24, 24, 24, 24, 24, 24, 24, 24, 24, 300]);
    let (tasks, resources) = (draw.below(most + 1), draw.between(1, 7));
    let sizes: Vec<f64> = (0..tasks).map(|_| numbers.draw(draw)).collect();
    let speeds: Vec<f64> = (0..resources).map(|_| draw.of([0.5, 1.0, 2.0, 3.0])).collect();
    let etc = must(EtcMatrix::from_fn(tasks, resources, |task, at| match shape {
        0 => (sizes[task] * speeds[at]).min(1e60),
        1 => speeds[at],
        2 if draw.chance(30) => 0.0,
        _ => numbers.draw(draw),
    }));
    let spread = draw.chance(60);
    let ready = |_| Time::must(if spread { numbers.draw(draw) - 5.0 } else { 0.0 });
    etc.with_ready((0..resources).map(ready).collect::<Vec<_>>())
}
