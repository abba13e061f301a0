//! Mapping heuristics, checked by the checker of mappings.

use super::check::must;
use super::zoo::costs;
use super::{Check, Draw, Family, Fault, Numbers, Seen, Stopped, Stops, ensure};
use grid_heuristics::{HeuristicError, Mapping, MappingHeuristic};
use sched_model::{End, EtcMatrix, Meter, Time};

/// A mapping heuristic: see [`mapping`].
#[derive(Debug, Clone, Copy)]
#[must_use]
pub struct Mappings<'a>(&'a dyn MappingHeuristic);

/// Checks a [`MappingHeuristic`]. Kinds of faults: `no name`; `error`; `mapping` (not complete, or its times are
/// not those of the matrix, with each task after the earlier ones on its resource); `ready times` (it accepts ready
/// times of another number of resources); `ignores the limit` (it maps although no work is allowed); `unsteady`; and
/// those of [limits](super::Stops).
///
/// ```
/// use econsched::grid_heuristics::MappingKind;
/// use econsched::testkit;
/// testkit::mapping(&MappingKind::Duplex).run(100)?;
/// # Ok::<(), testkit::Fault>(())
/// ```
pub fn mapping(heuristic: &dyn MappingHeuristic) -> Check<Mappings<'_>> {
    Check::new(Mappings(heuristic))
}

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

impl Family for Mappings<'_> {
    type Case = EtcMatrix;

    fn draw(draw: &mut Draw) -> EtcMatrix {
        etc(draw)
    }

    fn judge(&self, etc: &EtcMatrix) -> Result<Seen, Fault> {
        ensure(!self.0.name().is_empty(), "no name", || "the name is empty")?;
        let stops = Stops { parts: vec![10_000, 330_000, 700_000], questions: 1, ..Stops::default() };
        let run = |meter: &mut Meter| self.run(etc, meter);
        let whole = stops.check(u64::MAX, |limit| Stopped::within(limit, run))?;
        let again = Some(self.0.map(etc)?);
        ensure(again == whole.answer, "unsteady", || format!("{:?}, then {again:?}", whole.answer))?;
        let longer = vec![Time::ZERO; etc.cols() + 1];
        let refused = self.0.map(&etc.clone().with_ready(longer)).is_err();
        ensure(refused, "ready times", || format!("takes one more than the {} resources", etc.cols()))?;
        Ok(Seen::solved())
    }
}

impl Mappings<'_> {
    /// Maps once, and judges the mapping on its own.
    fn run(&self, etc: &EtcMatrix, meter: &mut Meter) -> Result<Stopped<Option<Mapping>>, Fault> {
        let mapping = match self.0.solve(etc, meter) {
            Err(HeuristicError::Stopped(_)) => None,
            mapping => Some(mapping?),
        };
        let flaws = mapping.iter().flat_map(|mapping| mapping.check(etc));
        let flaws: Vec<String> = flaws.map(|flaw| flaw.to_string()).collect();
        ensure(flaws.is_empty(), "mapping", || flaws.join("; "))?;
        let (work, tasks) = (meter.work(), etc.rows());
        let stops = mapping.is_none() || work > 0 || tasks == 0;
        ensure(stops, "ignores the limit", || format!("maps {tasks} tasks without work"))?;
        let value = mapping.as_ref().and_then(|mapping| Some(mapping.makespan()?.get()));
        let end = meter.ended().unwrap_or(End::Done);
        Ok(Stopped { rank: 0.0, value, bound: None, work, end, answer: mapping })
    }
}
