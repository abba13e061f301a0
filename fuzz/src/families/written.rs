//! Values written as JSON: read again they are the same; after a change of the text they are refused, or sound.

use crate::family::{Judged, Verdict, ensure, part, seen};
use econsched::auction_assign::{solve, solve_within};
use econsched::batch_dp::{Account, Alternatives, ChoiceProblem, Chooser, Coverage, ExpandingCore, Goal};
use econsched::joint_plan::{Effort, JointGoal, JointPlanner};
use econsched::sched_model::check::Rules;
use econsched::sched_model::{Batch, Job, JobId, Limit, Refusal, Schedule, Time, UserId};
use econsched::slot_window::{FirstFit, SearchScratch, WindowSearch};
use econsched::testkit::{AssignCase, ChoiceCase, Draw, Family, SearchCase, StoredCosts, TariffCase};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use std::fmt::Debug;

#[derive(Default)]
pub(super) struct Written;

#[derive(Serialize, Deserialize)]
pub(super) struct Case {
    search: SearchCase,
    tariff: TariffCase,
    choice: ChoiceCase,
    assignment: AssignCase,
    /// The places of the text that are changed, and how.
    changes: Changes,
}

pub(super) type Changes = Vec<(usize, usize)>;

pub(super) fn changes(draw: &mut Draw, count: usize) -> Changes {
    (0..count).map(|_| (draw.bytes(3) as usize, draw.below(60))).collect()
}

/// Whether a field that is not known is an error.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Fields {
    Known,
    Any,
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
                let others = json!([
                    -0.0,
                    -1,
                    1e308,
                    5e-324,
                    9_007_199_254_740_993_u64,
                    -1e60,
                    0.1,
                    null,
                    "1",
                    u64::MAX
                ]);
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

/// Judges a value that is written: read again it is the same; what is read after each change, too, or refused.
pub(super) fn comes_back<T>(changes: &Changes, what: &str, fields: Fields, value: &T) -> Verdict
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
    if let (Fields::Known, Value::Object(_)) = (fields, &tree) {
        let mut other = tree.clone();
        change(&mut other, &mut 0, 1);
        ensure!(serde_json::from_value::<T>(other).is_err(), "{what}: an unknown field passes");
    }
    for &(at, how) in changes {
        let mut other = tree.clone();
        change(&mut other, &mut (at % count(&tree)), how);
        let changed = other.to_string();
        let Ok(read) = serde_json::from_value::<T>(other) else { continue };
        let written = serde_json::to_string(&read)?;
        let again = serde_json::from_str::<T>(&written);
        ensure!(again.is_ok_and(|again| again == read), "{what}: {changed} is read, and {written} otherwise");
    }
    Ok(())
}

impl Family for Written {
    type Case = Case;

    fn draw(draw: &mut Draw) -> Case {
        let mut search = SearchCase::draw(draw);
        search.nodes.truncate(5);
        search.request.n = search.request.n.min(search.nodes.len());
        let mut choice = ChoiceCase::draw(draw);
        choice.jobs.truncate(4);
        choice.jobs.iter_mut().for_each(|job| job.truncate(3));
        let (tariff, assignment) = (TariffCase::draw(draw), AssignCase::draw(draw));
        Case { search, tariff, choice, assignment, changes: changes(draw, 8) }
    }

    fn judge(&self, case: &Case) -> Judged {
        seen(case.model().and_then(|()| case.choices()).and_then(|()| case.assignment()))
    }
}

impl Case {
    fn model(&self) -> Verdict {
        let back = &self.changes;
        let (slots, request, _) = self.search.parts()?;
        let slots = slots.with_tariff(self.tariff.tariff()?);
        comes_back(back, "list", Fields::Any, &SearchCase::slots(&self.search.nodes)?)?;
        comes_back(back, "list with features", Fields::Known, &slots)?;
        comes_back(back, "tariff", Fields::Known, slots.tariff())?;
        comes_back(back, "request", Fields::Known, &request)?;
        comes_back(back, "demands", Fields::Known, &self.search.demands()?)?;
        let job = Job::new(JobId(1), request).with_user(UserId(4));
        let batch = part(Batch::new(vec![job, Job::new(JobId(2), request)]))?;
        comes_back(back, "batch", Fields::Known, &batch)?;
        let window = FirstFit::new().find(&slots, &request, Time::ZERO, &mut SearchScratch::new())?;
        let Some(window) = window else { return Ok(()) };
        let mut schedule = Schedule::default();
        schedule.place(JobId(1), window.clone())?;
        schedule.refuse(JobId(2), Refusal::NoCapacity)?;
        comes_back(back, "window", Fields::Known, &window)?;
        comes_back(back, "schedule", Fields::Any, &schedule)?;
        let planner = JointPlanner::new(Rules::per_window(1.0)).with_effort(Effort::Quick);
        let goal = JointGoal::MinTime { budget: f64::INFINITY };
        comes_back(back, "joint plan", Fields::Any, &planner.plan(&slots, &batch, Time::ZERO, goal)?)
    }

    fn choices(&self) -> Verdict {
        let back = &self.changes;
        let batch = part(Alternatives::new(&self.choice.jobs))?;
        let (jobs, goal) = (batch.jobs(), Goal::MinTime { budget: self.choice.budget });
        let numbers =
            (0..jobs).map(|job| self.changes.get(job).map_or(1.0, |change| change.1 as f64)).collect();
        for coverage in [Coverage::MostJobs, Coverage::MostWeight(numbers)] {
            let problem = ChoiceProblem::new(&batch, goal).with_coverage(coverage.clone());
            comes_back(back, "choice", Fields::Any, &ExpandingCore.choose(&problem)?)?;
            comes_back(back, "coverage", Fields::Any, &coverage)?;
        }
        comes_back(back, "account", Fields::Any, &Account { jobs: vec![0; jobs], budget: 1.5 })?;
        comes_back(back, "goal", Fields::Any, &Goal::MinCost { time_limit: self.choice.time_limit })
    }

    fn assignment(&self) -> Verdict {
        let stored = StoredCosts::of(&self.assignment);
        let problem = stored.problem(&self.assignment)?;
        comes_back(&self.changes, "answer", Fields::Any, &solve(&problem)?)?;
        let limit = Limit::default().with_work(300);
        comes_back(&self.changes, "bounded", Fields::Any, &solve_within(&problem, &mut limit.meter())?)
    }
}
