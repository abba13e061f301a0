//! Values written as JSON: read again they are the same; after a change of the text they are refused, or sound.

use crate::judge::{Verdict, ensure, family, part};
use econsched::auction_assign::{Assigner, AssignerKind, assign};
use econsched::batch_dp::{Alternatives, ChoiceProblem, Chooser, Coverage, ExpandingCore, Goal};
use econsched::grid_sim::{FaultLoad, GridJob, LocalLoad, Overrun, PolicyKind, Replay, ReplayState};
use econsched::joint_plan::{PlanProblem, plan};
use econsched::sched_model::{
    Batch, Job, JobId, Limit, Refusal, Schedule, SlotList, Span, Speed, Tariff, UserId,
};
use econsched::slot_window::{FirstFit, WindowQuery, WindowSearch};
use econsched::testkit::{AssignCase, ChoiceCase, Draw, PolicyCase, SearchCase, StoredCosts, tariff};
use econsched::workload_gen::sample::stream;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
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

/// Changes the value at this place; false if there is none.
fn change(value: &mut Value, at: &mut usize, how: usize) -> bool {
    if *at == 0 {
        match value {
            Value::Array(items) if how.is_multiple_of(3) => items.clear(),
            Value::Array(items) if how % 3 == 1 => drop(items.pop()),
            Value::Array(items) => items.extend(items.first().cloned()),
            Value::Object(fields) => drop(match fields.keys().next().cloned() {
                Some(first) if how.is_multiple_of(2) => fields.remove(&first),
                _ => fields.insert("never heard of".to_owned(), json!(1)),
            }),
            other => {
                let great = 9_007_199_254_740_993_u64;
                let others = json!([-0.0, -1, 1e308, 5e-324, great, -1e60, 0.1, null, "1", u64::MAX]);
                *other = others[how % 10].clone();
            }
        }
        return true;
    }
    *at -= 1;
    match value {
        Value::Array(items) => items.iter_mut().any(|item| change(item, at, how)),
        Value::Object(fields) => fields.values_mut().any(|field| change(field, at, how)),
        _ => false,
    }
}

fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(fields) => fields.values().map(count).sum(),
        _ => 0,
    }
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
    fn comes_back<T>(&self, what: &str, value: &T) -> Verdict
    where
        T: Serialize + DeserializeOwned + PartialEq + Debug,
    {
        let text = serde_json::to_string(value)?;
        let back: T = match serde_json::from_str(&text) {
            // Products of quantities beyond their range are written, and not read.
            Err(error) if error.to_string().contains("at most 1e60") => return Ok(()),
            back => back?,
        };
        ensure!(back == *value, "{what}: {text} is read as {back:?}");
        ensure!(serde_json::to_string(&back)? == text, "{what}: {text} is written otherwise");
        let tree: Value = serde_json::from_str(&text)?;
        for &(at, how) in &self.changes {
            let mut other = tree.clone();
            change(&mut other, &mut (at % count(&tree)), how);
            let changed = other.to_string();
            let Ok(read) = serde_json::from_str::<T>(&changed) else { continue };
            let again = serde_json::from_str::<T>(&serde_json::to_string(&read)?);
            ensure!(
                again.is_ok_and(|again| again == read),
                "{what}: {changed} is read, and written otherwise"
            );
        }
        Ok(())
    }

    /// And a field that is not known is an error.
    fn strict<T>(&self, what: &str, value: &T) -> Verdict
    where
        T: Serialize + DeserializeOwned + PartialEq + Debug,
    {
        let mut other: Value = serde_json::from_str(&serde_json::to_string(value)?)?;
        if other.is_object() {
            change(&mut other, &mut 0, 1);
            let read = serde_json::from_str::<T>(&other.to_string());
            ensure!(read.is_err(), "{what}: an unknown field passes");
        }
        self.comes_back(what, value)
    }

    fn model(&self) -> Verdict {
        let (slots, request) = (self.search.slots()?.with_tariff(self.tariff), &self.search.request);
        self.comes_back("list", &SlotList::new(slots.iter().copied().collect())?)?;
        self.strict("list with features", &slots)?;
        self.strict("tariff", slots.tariff())?;
        self.strict("demands", request.demands())?;
        let job = Job::new(JobId(1), request.clone()).with_user(UserId(4));
        let batch = part(Batch::new(vec![job, Job::new(JobId(2), request.clone())]))?;
        self.strict("batch", &batch)?;
        let window = FirstFit::new().find(&WindowQuery::new(&slots, request))?.best;
        let Some(window) = window else { return Ok(()) };
        self.strict("window", &window)?;
        let mut schedule = Schedule::default();
        schedule.decide(JobId(1), Ok(window))?;
        schedule.decide(JobId(2), Err(Refusal::NoCapacity))?;
        self.comes_back("schedule", &schedule)?;
        let problem = PlanProblem::new(&slots, &batch, Goal::MinTime { budget: None });
        self.comes_back("joint plan", &plan(&problem)?)
    }

    fn choices(&self) -> Verdict {
        let batch = part(Alternatives::new(&self.choice.jobs))?;
        let weights = (0..batch.jobs()).map(|job| (job % 3) as f64).collect();
        let coverage = Coverage::MostWeight(weights);
        let problem = ChoiceProblem::new(&batch, Goal::MinTime { budget: self.choice.budget });
        let chosen = ExpandingCore.choose(&problem.with_coverage(coverage.clone()))?;
        self.comes_back("choice", &chosen)?;
        self.comes_back("coverage", &coverage)?;
        self.comes_back("goal", &Goal::MinCost { time_limit: self.choice.time_limit })
    }

    fn assignment(&self) -> Verdict {
        let stored = StoredCosts::of(&self.assignment);
        let problem = stored.problem(&self.assignment)?;
        self.comes_back("assignment", &assign(&problem)?)?;
        let limit = Limit::default().with_work(300);
        self.comes_back("stopped assignment", &AssignerKind::Automatic.solve(&problem, &mut limit.meter())?)
    }

    fn simulation(&self) -> Verdict {
        let spans =
            self.spans.iter().map(|&span| part(Span::try_from(span))).collect::<Result<Vec<_>, _>>()?;
        let [early, overrun, cancelled] = self.shares;
        let load = FaultLoad::default().with_early(early).with_overrun(overrun);
        let load = load.with_cancelled(cancelled, spans[2]).with_outages(spans[0], spans[1]);
        self.strict("faults", &load)?;
        let mut local =
            LocalLoad::default().with_jobs(self.queue.jobs.len()).with_arrival_divisor(1.0 + overrun);
        local.overestimate = 1.0 + early;
        self.comes_back("local load", &local)?;
        let PolicyCase { machine, jobs } = &self.queue;
        let grid = jobs.iter().filter_map(|job| GridJob::of_local(job, Speed::ETALON).ok());
        let mut grid: Vec<GridJob> = grid.collect();
        grid.iter().try_for_each(|job| self.strict("grid job", job))?;
        // Up to 20 million outages may be expected; what millions are written as shows nothing that few do not.
        if let Ok(drawn) = load.draw(&[*machine], &mut grid, &mut stream(self.events, 0))
            && drawn.outages.len() <= 1000
        {
            self.comes_back("drawn faults", &drawn)?;
        }
        // A state in the midst of a simulation: read again it goes on alike.
        let kind = PolicyKind::ALL[self.policy % PolicyKind::ALL.len()];
        let overrun = if overrun < 0.2 { Overrun::Kill } else { Overrun::Extend(spans[0]) };
        let mut run = Replay::new(machine, kind.build()).with_overrun(overrun);
        let (limit, mut stream) = (Limit::default().with_work(100_000), jobs.iter().copied());
        if run.advance(self.events, &mut stream, &mut limit.meter(), &mut |_, _| ()).is_err() {
            return Ok(());
        }
        let Some(state) = run.state() else { return Ok(()) };
        self.strict("state", &state)?;
        let read: ReplayState = serde_json::from_str(&serde_json::to_string(&state)?)?;
        let mut ends = [Vec::new(), Vec::new()];
        for (state, ends) in [&state, &read].into_iter().zip(&mut ends) {
            let mut run = Replay::resume(state, kind.build())?;
            let mut rest = jobs.iter().copied().skip(state.taken as usize);
            let end =
                run.advance(u64::MAX, &mut rest, &mut limit.meter(), &mut |record, _| ends.push(record));
            if end.is_err() {
                return Ok(());
            }
        }
        self.comes_back("records", &ends[0])?;
        ensure!(ends[0] == ends[1], "{kind}: goes on otherwise from {read:?}");
        Ok(())
    }
}
