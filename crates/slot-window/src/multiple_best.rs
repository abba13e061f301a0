//! Multiple Best: the best of the windows that a repeated first fit finds.
//!
//! Source: the heuristic baseline of V. Toporkov and D. Yemelyanov, *Optimization of Resources Selection for
//! Jobs Scheduling in Heterogeneous Distributed Computing Environments*, 2018 (talk at the Russian
//! Supercomputing Days).

use crate::{Criterion, FirstFit, Objective, WindowError, WindowQuery, WindowSearch};
use sched_model::internal::exact_sum;
use sched_model::{
    End, Meter, Outcome, Placement, Sense, SlotList, Window,
    check::{Holding, Rules},
};
use std::sync::Arc;

/// See [`SearchKind::MultipleBest`](crate::SearchKind::MultipleBest).
#[derive(Debug)]
pub(crate) struct MultipleBest {
    pub(crate) first_fit: FirstFit,
    /// The objective by which windows are ranked; `None` if by the criterion.
    pub(crate) objective: Option<Objective>,
    pub(crate) criterion: Arc<dyn Criterion>,
    pub(crate) sense: Sense,
}

/// The maximum number of windows that are compared: short tasks have very many in a long slot.
const MAX_WINDOWS: usize = 1000;

impl MultipleBest {
    /// The value by which `window` is ranked.
    fn value(&self, window: &Window, slots: &SlotList) -> f64 {
        match self.objective {
            Some(Objective::Start) => window.start().get(),
            Some(Objective::Finish) => window.finish().get(),
            Some(Objective::Runtime) => window.runtime().get(),
            Some(Objective::Cost) => window.cost().get(),
            None => value_of(&*self.criterion, window, slots),
        }
    }
}

/// The value of a window by `criterion`: the exact sum, rounded once, over the slots of the list in which it was
/// found.
fn value_of(criterion: &dyn Criterion, window: &Window, slots: &SlotList) -> f64 {
    let (start, placements) = (window.start(), window.placements());
    let mut values: Vec<f64> = Vec::with_capacity(placements.len());
    for run in slots.runs_alive_at(start) {
        let begun = &run[..run.partition_point(|slot| slot.start <= start)];
        for slot in begun.iter().filter(|slot| start < slot.end) {
            let within = |of: &&Placement| of.node == slot.node && of.end <= slot.end;
            values.extend(placements.iter().find(within).map(|of| criterion.value(slot, of.end - start)));
        }
    }
    exact_sum(values)
}

impl WindowSearch for MultipleBest {
    fn name(&self) -> &str {
        match self.rules().holding {
            Holding::SlowestSpan => "multiple-best",
            Holding::OwnSpan => "multiple-best-rough",
        }
    }

    fn rules(&self) -> Rules {
        self.first_fit.rules()
    }

    fn solve(&self, query: &WindowQuery<'_>, meter: &mut Meter) -> Result<Outcome<Window>, WindowError> {
        let mut own = None;
        let query = query.compiled(&mut own);
        let sense = self.objective.map_or(self.sense, |_| Sense::Minimise);
        let (before, mut rest, mut begin) = (meter.work(), query.slots.clone(), query.from);
        let (mut found, mut best) = (0, None::<(Window, f64)>);
        let mut end = meter.spend(query.slots.len() as u64).err();
        while found < MAX_WINDOWS && end.is_none() {
            let next = self.first_fit.solve(&WindowQuery { slots: &rest, from: begin, ..query }, meter)?;
            // The window of a stopped search is not used: it may rank before the one that the search would have
            // found, so that more work would make the answer worse.
            end = Some(next.end).filter(|end| *end != End::Done);
            let Some(window) = next.best.filter(|_| end.is_none()) else { break };
            rest.cut(&window)?;
            begin = window.start();
            found += 1;
            let value = self.value(&window, query.slots);
            if best.as_ref().is_none_or(|best| sense.sign() * value > sense.sign() * best.1) {
                best = Some((window, value));
            }
        }
        Ok(Outcome::stopped(best, None, meter.work() - before, end.unwrap_or(End::Done)))
    }
}
