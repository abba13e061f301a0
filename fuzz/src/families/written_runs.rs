//! Values of simulations and of the live broker as JSON: read again they are the same, and what is read after a
//! change is sound, too, or refused.

use super::broker;
use super::written::{Changes, Fields, changes, comes_back};
use crate::family::{Judged, Verdict, Wrong, ensure, part, seen};
use econsched::grid_sim::{
    FaultLoad, GridJob, LocalArrivals, LocalJob, LocalLoad, Overrun, PolicyKind, ReplayOptions, ReplayRun,
    ReplayState, TimeUp, replay,
};
use econsched::sched_model::{Demands, Limit, Machine, MachineId, Price, Span, Speed, Time};
use econsched::testkit::{Draw, Family, PolicyCase};
use econsched::workload_gen::sample::stream;
use serde::{Deserialize, Serialize};

#[derive(Default)]
pub(super) struct WrittenRuns;

#[derive(Serialize, Deserialize)]
pub(super) struct Case {
    history: broker::Case,
    queue: PolicyCase,
    /// Shares of faults; an overestimate.
    shares: [f64; 4],
    spans: [f64; 4],
    policy: usize,
    overrun: Option<f64>,
    /// Events of a simulation before it is written.
    events: u64,
    seed: u64,
    changes: Changes,
}

impl Family for WrittenRuns {
    type Case = Case;

    fn draw(draw: &mut Draw) -> Case {
        let span = |draw: &mut Draw| draw.of([0.1, 1.0, 60.0, 1e9, 1.0 / 3.0]);
        Case {
            history: broker::Case::drawn(draw),
            queue: PolicyCase::draw(draw),
            shares: [0; 4].map(|_| draw.of([0.0, 0.1, 0.3, 1.0 / 3.0, 0.5, 5e-324, 1.0])),
            spans: [0; 4].map(|_| span(draw)),
            policy: draw.below(3),
            overrun: draw.chance(40).then(|| span(draw)),
            events: draw.below(60) as u64,
            seed: draw.bytes(4),
            changes: changes(draw, 4),
        }
    }

    fn judge(&self, case: &Case) -> Judged {
        seen(case.histories().and_then(|()| case.settings()).and_then(|()| case.replays()))
    }
}

impl Case {
    fn histories(&self) -> Verdict {
        let (config, inputs, decisions) = broker::words(&self.history)?;
        comes_back(&self.changes, "config", Fields::Any, &config)?;
        for input in &inputs {
            comes_back(&self.changes, "input", Fields::Any, input)?;
        }
        for decision in &decisions {
            comes_back(&self.changes, "decision", Fields::Any, decision)?;
        }
        Ok(())
    }

    fn jobs(&self) -> Result<(Machine, Vec<LocalJob>), Wrong> {
        let machine = Machine::new(MachineId(0), self.queue.cpus, Speed::ETALON, part(Price::new(0.1))?);
        let jobs = (0..).zip(&self.queue.jobs).map(|(id, job)| job.job(id));
        Ok((part(machine)?, jobs.collect::<Result<_, _>>()?))
    }

    fn settings(&self) -> Verdict {
        let back = &self.changes;
        let spans = self.spans.iter().map(|&span| part(Span::new(span))).collect::<Result<Vec<_>, _>>()?;
        let ([up, down, within, repair], [early, overrun, cancelled, more]) =
            ([spans[0], spans[1], spans[2], spans[3]], self.shares);
        let load =
            FaultLoad::default().with_early(early).with_overrun(overrun).with_cancelled(cancelled, within);
        comes_back(back, "faults", Fields::Known, &load)?;
        let load = load.with_outages(up, down);
        comes_back(back, "faults with outages", Fields::Known, &load)?;
        let over = LocalArrivals::Over { from: Time::ZERO, to: Time::ZERO + repair };
        for arrivals in [LocalArrivals::Divided(1.0 + more), over] {
            let load = LocalLoad::new(self.queue.jobs.len(), arrivals).with_overestimate(1.0 + more);
            comes_back(back, "local load", Fields::Any, &load)?;
        }
        comes_back(back, "time up", Fields::Any, &TimeUp::default())?;
        let (machine, jobs) = self.jobs()?;
        let demands = part(Demands::new().with_label("gpu").with_at_least("memory", 1.0 + more))?;
        let grid = jobs.iter().filter_map(|job| GridJob::of_local(job, Speed::ETALON).ok());
        let mut grid: Vec<GridJob> = grid.map(|job| job.with_demands(demands.clone())).collect();
        // Up to 20 million outages may be expected; what millions are written as shows nothing that few do not.
        if let Ok(drawn) = load.draw(&[machine], &mut grid, &mut stream(self.seed, 0))
            && drawn.outages.len() <= 10_000
        {
            comes_back(back, "drawn faults", Fields::Any, &drawn)?;
        }
        grid.iter().try_for_each(|job| comes_back(back, "grid job", Fields::Known, job))
    }

    fn replays(&self) -> Verdict {
        let back = &self.changes;
        let (machine, jobs) = self.jobs()?;
        let kind = PolicyKind::ALL[self.policy % PolicyKind::ALL.len()];
        let mut options = ReplayOptions::default();
        options.overrun = match self.overrun {
            None => Overrun::Kill,
            Some(by) => Overrun::Extend(part(Span::new(by))?),
        };
        comes_back(back, "overrun", Fields::Any, &options.overrun)?;
        comes_back(back, "local jobs", Fields::Any, &jobs)?;
        if let Ok(run) = replay(&machine, kind.build(), &jobs, &options) {
            comes_back(back, "records", Fields::Any, &run.records)?;
        }
        // A state in the midst of it: read again it goes on alike.
        let start = jobs.iter().map(|job| job.submit()).min().unwrap_or(Time::ZERO);
        let mut run = ReplayRun::new(&machine, kind.build(), options.overrun, start);
        let limit = Limit::default().with_work(100_000);
        let mut stream = jobs.iter().copied();
        if run.advance(self.events, &mut stream, &mut limit.meter(), &mut |_, _| ()).is_err() {
            return Ok(());
        }
        let Some(state) = run.state() else { return Ok(()) };
        comes_back(back, "state", Fields::Known, &state)?;
        let read: ReplayState = serde_json::from_str(&serde_json::to_string(&state)?)?;
        let mut ends = [Vec::new(), Vec::new()];
        for (state, ends) in [&state, &read].into_iter().zip(&mut ends) {
            let mut run = ReplayRun::resume(state, kind.build())?;
            let mut rest = jobs.iter().copied().skip(state.taken() as usize);
            if run
                .advance(u64::MAX, &mut rest, &mut limit.meter(), &mut |record, _| ends.push(record))
                .is_err()
            {
                return Ok(());
            }
        }
        ensure!(ends[0] == ends[1], "{kind}: goes on otherwise from {read:?}");
        Ok(())
    }
}
