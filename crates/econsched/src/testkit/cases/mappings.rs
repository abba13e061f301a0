//! Cases for mapping heuristics: times of tasks on resources.

use super::assignments::costs;
use crate::testkit::check::must;
use crate::testkit::{Draw, Numbers};
use sched_model::{EtcMatrix, Time};

/// Draws the times of mostly up to 24 tasks, rarely 300, on mostly up to 7 resources, rarely 40, and when these are
/// ready. Cases include the structures of the [zoo](crate::testkit::zoo), tasks that take no time, repeated rows, and
/// resources that are ready before or after 0.
pub fn etc(draw: &mut Draw) -> EtcMatrix {
    let numbers = Numbers::any(draw);
    let most = draw.of([24, 24, 24, 24, 24, 24, 24, 24, 24, 300]);
    let most_resources = draw.of([7, 7, 7, 40]);
    let (tasks, resources) = (draw.below(most + 1), draw.between(1, most_resources));
    let nothing = if draw.chance(20) { 30 } else { 0 };
    let times = costs(draw, numbers, tasks, resources);
    let times = times.into_iter().map(|time| if draw.chance(nothing) { 0.0 } else { time.abs() });
    let etc = must(EtcMatrix::new(tasks, resources, times.collect()));
    let spread = draw.chance(60);
    let ready = |_| Time::must(if spread { numbers.draw(draw) - 5.0 } else { 0.0 });
    etc.with_ready((0..resources).map(ready).collect::<Vec<_>>())
}
