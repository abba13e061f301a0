//! Values written as JSON: read again they are the same; after a change of the text they are refused, or sound.

use crate::json::{damaged, read_again};
use crate::judge::{Verdict, ensure, family, part};
use econsched::auction_assign::{Assigner, AssignerKind, assign};
use econsched::batch_dp::{Alternatives, ChoiceProblem, Chooser, Coverage, ExpandingCore, Goal};
use econsched::grid_sim::{FaultLoad, GridJob, LocalLoad, Overrun, PolicyKind, Replay};
use econsched::joint_plan::{PlanProblem, plan};
use econsched::sched_model::{
    Batch, Job, JobId, Limit, Refusal, Schedule, SlotList, Span, Speed, Tariff, UserId,
};
use econsched::slot_window::{FirstFit, WindowQuery, WindowSearch};
use econsched::testkit::{AssignCase, ChoiceCase, Draw, PolicyCase, SearchCase, StoredCosts, tariff};
use econsched::workload_gen::sample::stream;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::fmt::Debug;

family!(Written: Case, Case::draw, Case::judge);

#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    search: SearchCase,
    tariff: Tariff,
    choice: ChoiceCase,
    assignment: AssignCase,
    queue: PolicyCase,
    /// Shares of faults, and spans.
    shares: [f64; 3],
    spans: [f64; 3],
    policy: usize,
    /// Events of a simulation before it is written.
    events: u64,
    /// The places of the text that are changed, and how.
    changes: Vec<(usize, usize)>,
}

impl Case {
    fn draw(draw: &mut Draw) -> Self {
        let (mut search, mut choice) = (SearchCase::draw(draw), ChoiceCase::draw(draw));
        search.nodes.truncate(5);
        let most = search.request.nodes().min(search.nodes.len());
        search.request = search.request.clone().with_nodes(most).unwrap_or(search.request);
        choice.jobs.truncate(4);
        choice.jobs.iter_mut().for_each(|job| job.truncate(3));
        Self {
            search,
            tariff: tariff(draw),
            choice,
            assignment: AssignCase::draw(draw),
            queue: PolicyCase::draw(draw),
            shares: [0; 3].map(|_| draw.of([0.0, 0.1, 1.0 / 3.0, 0.5, 5e-324, 1.0])),
            spans: [0; 3].map(|_| draw.of([0.1, 1.0, 60.0, 1e9, 1.0 / 3.0])),
            policy: draw.below(PolicyKind::ALL.len()),
            events: draw.below(60) as u64,
            changes: (0..6).map(|_| (draw.bytes(3) as usize, draw.below(60))).collect(),
        }
    }

    fn judge(&self) -> Verdict {
        self.model()?;
        self.choices()?;
        self.assignment()?;
        self.simulation()
    }

    /// Read again a value is the same; what is read after each change, too, or refused.
    fn comes_back<T>(&self, value: &T) -> Verdict
    where
        T: Serialize + DeserializeOwned + PartialEq + Debug,
    {
        if read_again(value)?.is_none() {
            return Ok(());
        }
        let tree = serde_json::to_value(value)?;
        for &(at, how) in &self.changes {
            if let Ok(read) = serde_json::from_str::<T>(&damaged(&tree, at, how).to_string()) {
                read_again(&read)?;
            }
        }
        Ok(())
    }

    /// And a field that is not known is an error.
    fn strict<T>(&self, value: &T) -> Verdict
    where
        T: Serialize + DeserializeOwned + PartialEq + Debug,
    {
        let other = damaged(&serde_json::to_value(value)?, 0, 1);
        let read = serde_json::from_str::<T>(&other.to_string());
        ensure!(read.is_err() || !other.is_object(), "an unknown field passes: {other}");
        self.comes_back(value)
    }

    fn model(&self) -> Verdict {
        let (slots, request) = (self.search.slots()?.with_tariff(self.tariff), &self.search.request);
        self.comes_back(&SlotList::new(slots.iter().copied().collect())?)?;
        self.strict(&slots)?;
        self.strict(slots.tariff())?;
        self.strict(request.demands())?;
        let job = Job::new(JobId(1), request.clone()).with_user(UserId(4));
        let batch = part(Batch::new(vec![job, Job::new(JobId(2), request.clone())]))?;
        self.strict(&batch)?;
        let window = FirstFit::new().find(&WindowQuery::new(&slots, request))?.best;
        let Some(window) = window else { return Ok(()) };
        self.strict(&window)?;
        let mut schedule = Schedule::default();
        schedule.decide(JobId(1), Ok(window))?;
        schedule.decide(JobId(2), Err(Refusal::NoCapacity))?;
        self.comes_back(&schedule)?;
        let problem = PlanProblem::new(&slots, &batch, Goal::MinTime { budget: None });
        self.comes_back(&plan(&problem)?)
    }

    fn choices(&self) -> Verdict {
        let batch = part(Alternatives::new(&self.choice.jobs))?;
        let weights = (0..batch.jobs()).map(|job| (job % 3) as f64).collect();
        let coverage = Coverage::MostWeight(weights);
        let problem = ChoiceProblem::new(&batch, Goal::MinTime { budget: self.choice.budget });
        let chosen = ExpandingCore.choose(&problem.with_coverage(coverage.clone()))?;
        self.comes_back(&chosen)?;
        self.comes_back(&coverage)?;
        self.comes_back(&Goal::MinCost { time_limit: self.choice.time_limit })
    }

    fn assignment(&self) -> Verdict {
        let stored = StoredCosts::of(&self.assignment);
        let problem = stored.problem(&self.assignment)?;
        self.comes_back(&assign(&problem)?)?;
        let limit = Limit::default().with_work(300);
        self.comes_back(&AssignerKind::Automatic.solve(&problem, &mut limit.meter())?)
    }

    fn simulation(&self) -> Verdict {
        let spans =
            self.spans.iter().map(|&span| part(Span::try_from(span))).collect::<Result<Vec<_>, _>>()?;
        let [early, overrun, cancelled] = self.shares;
        let load = FaultLoad::default().with_early(early).with_overrun(overrun);
        let load = load.with_cancelled(cancelled, spans[2]).with_outages(spans[0], spans[1]);
        self.strict(&load)?;
        let mut local =
            LocalLoad::default().with_jobs(self.queue.jobs.len()).with_arrival_divisor(1.0 + overrun);
        local.overestimate = 1.0 + early;
        self.comes_back(&local)?;
        let PolicyCase { machine, jobs } = &self.queue;
        let grid = jobs.iter().filter_map(|job| GridJob::of_local(job, Speed::ETALON).ok());
        let mut grid: Vec<GridJob> = grid.collect();
        grid.iter().try_for_each(|job| self.strict(job))?;
        // Up to 20 million outages may be expected; what millions are written as shows nothing that few do not.
        if let Ok(drawn) = load.draw(&[*machine], &mut grid, &mut stream(self.events, 0))
            && drawn.outages.len() <= 1000
        {
            self.comes_back(&drawn)?;
        }
        // A state in the midst of a simulation, with which another goes on as this one does.
        let kind = PolicyKind::ALL[self.policy % PolicyKind::ALL.len()];
        let overrun = if overrun < 0.2 { Overrun::Kill } else { Overrun::Extend(spans[0]) };
        let mut run = Replay::new(machine, kind.build()).with_overrun(overrun);
        let (limit, mut stream) = (Limit::default().with_work(100_000), jobs.iter().copied());
        if run.advance(self.events, &mut stream, &mut limit.meter(), &mut |_, _| ()).is_err() {
            return Ok(());
        }
        let Some(state) = run.state() else { return Ok(()) };
        self.strict(&state)?;
        let [own, other] = [run, Replay::resume(&state, kind.build())?].map(|mut run| {
            let (mut rest, mut left) = (jobs.iter().copied().skip(state.taken as usize), Vec::new());
            let end =
                run.advance(u64::MAX, &mut rest, &mut limit.meter(), &mut |record, _| left.push(record));
            (end, left)
        });
        ensure!(own == other, "{kind}: {own:?}, and resumed {other:?}");
        self.comes_back(&own.1)
    }
}
