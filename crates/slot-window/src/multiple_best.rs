//! Multiple Best: the best of the windows that a repeated search finds.
//!
//! Source: the heuristic baseline of V. Toporkov and D. Yemelyanov, *Optimization of Resources Selection for
//! Jobs Scheduling in Heterogeneous Distributed Computing Environments*, 2018 (talk at the Russian
//! Supercomputing Days).

use crate::{
    Criterion, Objective, WindowError, WindowQuery, WindowSearch, criterion::value_of, search::solve_paid,
};
use sched_model::{
    End, Meter, Outcome, Sense, SlotList, Window,
    check::{Holding, Rules},
};
use std::sync::Arc;

/// The order by which several windows are ranked.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Ranking {
    /// The window of least value of this objective is best.
    Objective(Objective),
    /// The window of greatest, or least, total value by a criterion is best.
    Value(Arc<dyn Criterion>, Sense),
}

impl Ranking {
    /// The value by which a window is ranked. `slots` is the list in which the window was found.
    fn value(&self, window: &Window, slots: &SlotList) -> f64 {
        match self {
            Self::Objective(objective) => objective.of(window),
            Self::Value(criterion, _) => {
                value_of(criterion.as_ref(), window, slots).unwrap_or(f64::NEG_INFINITY)
            }
        }
    }

    fn sense(&self) -> Sense {
        match self {
            Self::Objective(_) => Sense::Minimise,
            Self::Value(_, sense) => *sense,
        }
    }

    /// The best window, of equal ones the first; `None` if there are no windows. `slots` is the list in which
    /// the windows were found.
    fn best<'a>(&self, windows: &'a [Window], slots: &SlotList) -> Option<&'a Window> {
        let mut best: Option<(f64, &Window)> = None;
        for window in windows {
            let value = self.value(window, slots);
            if best.is_none_or(|(best, _)| self.sense().is_better(value, best)) {
                best = Some((value, window));
            }
        }
        best.map(|(_, window)| window)
    }
}

/// A search that is repeated: each window found is cut out of the list, until there is none; the best of
/// these windows is the answer.
///
/// [`AlternativesSearch`](crate::AlternativesSearch) gives all of them.
///
/// * **Source**: V. Toporkov, D. Yemelyanov, *Optimization of Resources Selection for Jobs Scheduling in
///   Heterogeneous Distributed Computing Environments*, 2018: the heuristic baseline.
/// * **Guarantee**: heuristic. The windows do not overlap, which excludes most others.
///   [`Optimal`](crate::Optimal) and [`MaxValue`](crate::MaxValue) find the best of all, faster.
/// * **Complexity**: that of the search for each window, and of its cut. The work is that of the searches; in
///   lists of 65,536 slots or more, that of the cuts, too. Those of this crate are stopped within a pass when
///   the limit is reached; another search that does not use the meter may exceed the limit by the work of its
///   last call, which is not counted. A window of a search that a limit or a signal stopped, or that exceeds
///   the limit, is not taken.
/// * **Ties**: the window found first.
/// * **Errors**: those of the search, and [`WindowError::Model`] if it returns time that is not free.
///
/// ```
/// use sched_model::*;
/// use slot_window::{FirstFit, MultipleBest, Objective, Ranking, WindowQuery, WindowSearch};
///
/// let slot = |id, price| {
///     Slot::new(Node::new(NodeId(id), Speed::ETALON, Price::must(price)), Time::ZERO, Time::must(15.0))
/// };
/// let slots = SlotList::new(vec![slot(1, 4.0)?, slot(2, 6.0)?, slot(3, 1.0)?, slot(4, 2.0)?])?;
/// let request = ResourceRequest::new(2, Work::must(10.0))?;
/// let search = MultipleBest::new(FirstFit::new(), Ranking::Objective(Objective::Cost));
/// // First fit takes nodes 1 and 2 for 100, then 3 and 4 for 30.
/// let window = search.find(&WindowQuery::new(&slots, &request))?.solution()?;
/// assert_eq!(window.cost(), Money::must(30.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
#[must_use]
pub struct MultipleBest<S> {
    search: S,
    ranking: Ranking,
}

/// Windows that are compared at most.
const MOST_WINDOWS: usize = 1000;

impl<S: WindowSearch> MultipleBest<S> {
    /// The best by this ranking of the first 1,000 windows that the search finds: short tasks have very many windows
    /// in a long slot.
    pub fn new(search: S, ranking: Ranking) -> Self {
        Self { search, ranking }
    }

    /// All windows, in the order in which they are found; if the limit stops the search, those found until then.
    fn windows(
        &self,
        query: &WindowQuery<'_>,
        meter: &mut Meter,
    ) -> Result<Outcome<Vec<Window>>, WindowError> {
        let mut own = None;
        let query = &query.compiled(&mut own);
        let WindowQuery { slots, from, .. } = *query;
        let before = meter.work();
        let mut rest = slots.clone();
        let mut windows = Vec::new();
        let mut begin = from;
        let mut end = meter.spend(slots.len() as u64).err();
        while windows.len() < MOST_WINDOWS && end.is_none() {
            let ask = WindowQuery { slots: &rest, from: begin, ..*query };
            let (found, unpaid) = solve_paid(&self.search, &ask, meter)?;
            let stopped = Some(found.end).filter(|end| !matches!(end, End::Done | End::Gap));
            // The window of a search that was stopped may rank before the one that it would have found: with
            // more work the answer would be worse.
            end = unpaid.or(stopped);
            let Some(window) = found.best.filter(|_| end.is_none()) else { break };
            rest.cut(&window)?;
            if self.search.starts_are_monotone() {
                begin = window.start();
            }
            windows.push(window);
        }
        let windows = Some(windows).filter(|windows| end.is_none() || !windows.is_empty());
        let mut outcome = Outcome::plain(windows, meter.work() - before);
        outcome.end = end.unwrap_or(End::Done);
        Ok(outcome)
    }
}

impl<S: WindowSearch> WindowSearch for MultipleBest<S> {
    fn name(&self) -> &str {
        match self.rules().holding {
            Holding::SlowestSpan => "multiple-best",
            Holding::OwnSpan => "multiple-best-rough",
        }
    }

    fn rules(&self) -> Rules {
        self.search.rules()
    }

    fn solve(&self, query: &WindowQuery<'_>, meter: &mut Meter) -> Result<Outcome<Window>, WindowError> {
        let found = self.windows(query, meter)?;
        let best = found.best.as_ref().and_then(|windows| self.ranking.best(windows, query.slots));
        let best = best.map(|window| (window.clone(), self.ranking.value(window, query.slots)));
        Ok(Outcome::stopped(best, None, found.work, found.end))
    }
}
