//! Running jobs under a live broker: they start on the nodes of their windows, end, fail or are stopped.

use super::world::{Event, Run, World};
use crate::SimError;
use crate::cluster::Overrun;
use crate::report::{Ending, Part};
use live_broker::Input;
use sched_model::{JobId, Money, NodeId, SiteId, Span, Time, Window, Work};
use std::collections::BTreeMap;

impl World<'_> {
    /// Starts a job on the nodes of its window, and tells the broker.
    pub(super) fn start(&mut self, now: Time, job: usize, window: Window) -> Result<(), SimError> {
        let share = self.jobs[job].actual_share;
        let killed = share > 1.0 && self.grid.overrun == Overrun::Kill;
        let (run, mut ends) = (self.ended_runs[job], Vec::new());
        for placement in window.placements() {
            let asked = placement.end - window.start();
            let takes = if killed { asked.get() } else { asked.get() * share };
            let as_planned = share == 1.0 && now == window.start();
            let end = if as_planned { placement.end } else { now + Span::try_from(takes)? };
            self.schedule(end, Event::End { job, run, node: placement.node })?;
            ends.push(end);
        }
        let record = &mut self.outcome.records[job];
        record.start = Some(now);
        record.parts.clear();
        self.runs.insert(job, Run { window, start: now, ends, killed });
        self.tell(now, Input::Started(self.jobs[job].job.id))
    }

    /// Serves the end of a task of a run. The job ends with the last of its tasks.
    pub(super) fn ended(&mut self, now: Time, job: usize, node: NodeId) -> Result<(), SimError> {
        let id = self.jobs[job].job.id;
        let Some(run) = self.runs.get(&job) else { return Ok(()) };
        if run.ends.iter().any(|&end| end > now) {
            return self.tell(now, Input::Released { job: id, node });
        }
        let killed = run.killed;
        self.leave(job, now, if killed { Ending::Killed } else { Ending::Done });
        self.tell(now, if killed { Input::Failed { job: id, node: None } } else { Input::Ended(id) })
    }

    /// Records what a run has used until now, and removes the run.
    pub(super) fn leave(&mut self, job: usize, now: Time, ending: Ending) {
        let Some(run) = self.runs.remove(&job) else { return };
        self.ended_runs[job] += 1;
        let tariff = self.broker.config().tariff;
        let mut parts: BTreeMap<(SiteId, Time), (u32, Vec<Money>)> = BTreeMap::new();
        for (placement, &end) in run.window.placements().iter().zip(&run.ends) {
            let end = end.min(now);
            let paid = tariff.charge(placement.price, end - run.start).min(placement.cost);
            let pays = ending == Ending::Done && self.all.home(job).is_none();
            let paid = if pays { paid } else { Money::ZERO };
            let resource = self.nodes.partition_point(|nodes| nodes.end <= placement.node.0);
            let (cpus, costs) = parts.entry((self.grid.resources[resource].site, end)).or_default();
            *cpus += 1;
            costs.push(paid);
        }
        let record = &mut self.outcome.records[job];
        record.requested = run.window.runtime();
        record.ending = ending;
        let part = |((site, end), (cpus, costs)): (_, (_, Vec<Money>))| {
            let cost = costs.into_iter().sum();
            Part { site, cpus, end, cost }
        };
        record.parts = parts.into_iter().map(part).collect();
    }

    /// Stops a running job for another, and tells the broker how much work its slowest task has done.
    pub(super) fn evict(&mut self, now: Time, id: JobId) -> Result<(), SimError> {
        let Some(&job) = self.index.get(&id) else { return Ok(()) };
        let Some(run) = self.runs.get(&job) else { return Ok(()) };
        let slowest =
            run.window.placements().iter().map(|placement| placement.speed.get()).fold(f64::MAX, f64::min);
        let ran = (now - run.start).get();
        let left = self.broker.job(id).map_or(0.0, |view| view.job.request.work().get());
        // A job that has run past its planned end is assumed to have almost no work left.
        let done = Work::try_from((ran * slowest).min(left * 0.999))?;
        self.leave(job, now, Ending::Waiting);
        self.tell(now, Input::Evicted { job: id, done })
    }
}
