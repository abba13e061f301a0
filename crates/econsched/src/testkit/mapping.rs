//! Mapping heuristics, checked by the checker of mappings.

use super::{Check, Draw, Family, Fault, Seen, ensure};
use grid_heuristics::{HeuristicError, MappingHeuristic};
use sched_model::{EtcMatrix, Limit, Time};

/// A mapping heuristic, with its promises: see [`mapping`].
#[derive(Debug, Clone, Copy)]
#[must_use]
pub struct Mappings<'a> {
    heuristic: &'a dyn MappingHeuristic,
    other: Option<&'a dyn MappingHeuristic>,
}

/// Checks a [`MappingHeuristic`]. Kinds of faults: `no name`; `error`; `mapping` (not complete, or its times are
/// not those of the matrix, with each task after the earlier ones on its resource); `unsteady`; `ready times` (it
/// accepts ready times of another number of resources); `ignores the limit` (it maps although no work is allowed,
/// or stops although enough is); `makespan` (greater than that of the heuristic it is compared with).
///
/// ```
/// use econsched::grid_heuristics::MappingKind;
/// use econsched::testkit;
/// // Duplex takes the better of Min-min and Max-min, and so is never behind Min-min.
/// testkit::mapping(&MappingKind::Duplex).with_makespan_of(&MappingKind::MinMin).run(100)?;
/// # Ok::<(), testkit::Fault>(())
/// ```
pub fn mapping(heuristic: &dyn MappingHeuristic) -> Check<Mappings<'_>> {
    Check::new(Mappings { heuristic, other: None })
}

impl<'a> Check<Mappings<'a>> {
    /// The makespan is never greater than that of `other`.
    pub fn with_makespan_of(mut self, other: &'a dyn MappingHeuristic) -> Self {
        self.family.other = Some(other);
        self
    }
}

impl Family for Mappings<'_> {
    type Case = EtcMatrix;

    fn draw(draw: &mut Draw) -> EtcMatrix {
        super::etc(draw)
    }

    fn judge(&self, etc: &EtcMatrix) -> Result<Seen, Fault> {
        ensure(!self.heuristic.name().is_empty(), "no name", || "the name is empty")?;
        let mapping = self.heuristic.map(etc)?;
        let flaws = mapping.check(etc);
        ensure(flaws.is_empty(), "mapping", || {
            flaws.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
        })?;
        let mut whole = Limit::none().meter();
        let again = self.heuristic.solve(etc, &mut whole)?;
        ensure(again == mapping, "unsteady", || "the same matrix gives two mappings")?;
        let longer = vec![Time::ZERO; etc.cols() + 1];
        let refused = self.heuristic.map(&etc.clone().with_ready(longer)).is_err();
        ensure(refused, "ready times", || format!("takes one more than the {} resources", etc.cols()))?;
        // A mapping is all or nothing: the work that it takes gives a mapping, and no work gives none.
        let within = |work| self.heuristic.solve(etc, &mut Limit::default().with_work(work).meter());
        let enough = within(whole.work());
        let stops = || format!("stops at {} of as many units: {enough:?}", whole.work());
        ensure(enough.as_ref() == Ok(&mapping), "ignores the limit", stops)?;
        let stopped = etc.rows() == 0 || matches!(within(0), Err(HeuristicError::Stopped(_)));
        ensure(stopped, "ignores the limit", || format!("maps {} tasks without work", etc.rows()))?;
        if let Some(other) = self.other {
            let least = other.map(etc)?.makespan();
            ensure(mapping.makespan() <= least, "makespan", || {
                format!("{:?}, and {} has {least:?}", mapping.makespan(), other.name())
            })?;
        }
        Ok(Seen::solved())
    }
}
