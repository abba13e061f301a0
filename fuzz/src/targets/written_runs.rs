//! Values of simulations and of the live broker as JSON: read again they are the same, and what is read after a
//! change is sound, too, or refused.

use super::written::{Fields, comes_back};
use super::{broker, queue};
use crate::rng::Rng;
use crate::target::{Fault, Target, Verdict, ensure, part};
use econsched::grid_sim::{
    FaultLoad, GridJob, LocalArrivals, LocalLoad, Overrun, PolicyKind, ReplayOptions, ReplayRun, ReplayState,
    TimeUp, replay,
};
use econsched::sched_model::{Demands, Limit, Span, Speed, Time};
use econsched::workload_gen::sample::stream;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::fmt::Debug;

pub(crate) struct WrittenRuns;

#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    history: broker::Case,
    queue: queue::Case,
    /// Shares of faults; an overestimate.
    shares: [f64; 4],
    spans: [f64; 4],
    policy: usize,
    overrun: Option<f64>,
    /// Events of a simulation before it is written.
    events: u64,
    seed: u64,
    changes: Vec<(usize, usize)>,
}

impl Case {
    fn comes_back<T>(&self, what: &str, fields: Fields, value: &T) -> Verdict
    where
        T: Serialize + DeserializeOwned + PartialEq + Debug,
    {
        match comes_back(&self.changes, what, fields, value) {
            // Products of quantities beyond their range are written, and not read.
            Err(Fault::Wrong(message)) if message.contains("at most 1e60") => Ok(()),
            verdict => verdict,
        }
    }

    fn judge_history(&self) -> Verdict {
        let (config, inputs, decisions) = broker::words(&self.history)?;
        self.comes_back("config", Fields::Any, &config)?;
        for input in &inputs {
            self.comes_back("input", Fields::Any, input)?;
        }
        for decision in &decisions {
            self.comes_back("decision", Fields::Any, decision)?;
        }
        Ok(())
    }

    fn judge_settings(&self) -> Verdict {
        let spans = self.spans.map(|span| part(Span::new(span)));
        let [up, down, within, repair] = spans;
        let (up, down, within, repair) = (up?, down?, within?, repair?);
        let [early, overrun, cancelled, more] = self.shares;
        let load =
            FaultLoad::default().with_early(early).with_overrun(overrun).with_cancelled(cancelled, within);
        self.comes_back("faults", Fields::Known, &load)?;
        let load = load.with_outages(up, down);
        self.comes_back("faults with outages", Fields::Known, &load)?;
        let over = LocalArrivals::Over { from: Time::ZERO, to: Time::ZERO + repair };
        for arrivals in [LocalArrivals::Divided(1.0 + more), over] {
            let load = LocalLoad::new(self.queue.size(), arrivals).with_overestimate(1.0 + more);
            self.comes_back("local load", Fields::Any, &load)?;
        }
        self.comes_back("time up", Fields::Any, &TimeUp::default())?;
        let (machine, jobs) = self.queue.parts()?;
        let mut grid: Vec<GridJob> = Vec::new();
        for job in &jobs {
            let Ok(job) = GridJob::of_local(job, Speed::ETALON) else { continue };
            let demands = part(Demands::new().with_label("gpu").with_at_least("memory", 1.0 + more))?;
            grid.push(job.with_demands(demands));
        }
        // Up to 20 million outages may be expected; what millions are written as shows nothing that few do not.
        if let Ok(drawn) = load.draw(&[machine], &mut grid, &mut stream(self.seed, 0))
            && drawn.outages.len() <= 10_000
        {
            self.comes_back("drawn faults", Fields::Any, &drawn)?;
        }
        for job in &grid {
            self.comes_back("grid job", Fields::Known, job)?;
        }
        Ok(())
    }

    fn judge_replay(&self) -> Verdict {
        let (machine, jobs) = self.queue.parts()?;
        let kind = PolicyKind::ALL[self.policy % PolicyKind::ALL.len()];
        let mut options = ReplayOptions::default();
        options.overrun = match self.overrun {
            None => Overrun::Kill,
            Some(by) => Overrun::Extend(part(Span::new(by))?),
        };
        self.comes_back("overrun", Fields::Any, &options.overrun)?;
        self.comes_back("local jobs", Fields::Any, &jobs)?;
        if let Ok(run) = replay(&machine, kind.build(), &jobs, &options) {
            self.comes_back("records", Fields::Any, &run.records)?;
        }
        // A state in the midst of it; what is read of a changed one is refused, or comes to an end.
        let start = jobs.iter().map(|job| job.submit()).min().unwrap_or(Time::ZERO);
        let mut run = ReplayRun::new(&machine, kind.build(), options.overrun, start);
        let limit = Limit::default().with_work(100_000);
        let mut stream = jobs.iter().copied();
        if run.advance(self.events, &mut stream, &mut limit.meter(), &mut |_, _| ()).is_err() {
            return Ok(());
        }
        let Some(state) = run.state() else { return Ok(()) };
        self.comes_back("state", Fields::Known, &state)?;
        let text = serde_json::to_string(&state)?;
        let read: ReplayState = serde_json::from_str(&text)?;
        let mut ends = [Vec::new(), Vec::new()];
        for (state, ends) in [&state, &read].into_iter().zip(&mut ends) {
            let Ok(mut run) = ReplayRun::resume(state, kind.build()) else {
                ensure!(false, "{kind}: its own state is refused: {text}");
                continue;
            };
            let mut rest = jobs.iter().copied().skip(state.taken() as usize);
            let done =
                run.advance(u64::MAX, &mut rest, &mut limit.meter(), &mut |record, _| ends.push(record));
            if done.is_err() {
                return Ok(());
            }
        }
        ensure!(ends[0] == ends[1], "{kind}: goes on otherwise from {text}");
        Ok(())
    }
}

impl Target for WrittenRuns {
    type Case = Case;

    fn generate(rng: &mut Rng) -> Case {
        let share = |rng: &mut Rng| *rng.pick(&[0.0, 0.1, 0.3, 1.0 / 3.0, 0.5, 5e-324, 1.0]);
        let span = |rng: &mut Rng| *rng.pick(&[0.1, 1.0, 60.0, 1e9, 1.0 / 3.0]);
        Case {
            history: broker::Histories::generate(rng),
            queue: queue::Queues::generate(rng),
            shares: [share(rng), share(rng), share(rng), share(rng)],
            spans: [span(rng), span(rng), span(rng), span(rng)],
            policy: rng.below(3),
            overrun: rng.percent(40).then(|| span(rng)),
            events: rng.below(60) as u64,
            seed: rng.next() >> 32,
            changes: (0..4).map(|_| (rng.next() as usize >> 1, rng.below(60))).collect(),
        }
    }

    fn judge(case: &Case) -> Verdict {
        case.judge_history()?;
        case.judge_settings()?;
        case.judge_replay()
    }
}
