//! Values written as JSON: read again they are the same; after a change of the text they are refused, or
//! sound.

use super::selection::ServiceCase;
use crate::rng::Rng;
use crate::target::{Fault, Target, Verdict, ensure, part};
use crate::targets::demands::{Asked, Having};
use crate::targets::window::{NodeCase, Numbers, RequestCase, TariffCase, draw_nodes, slot_list};
use crate::targets::{assign, choice};
use econsched::auction_assign::{solve, solve_within};
use econsched::batch_dp::{Alternatives, Goal, Scratch, UserBudgets, select};
use econsched::joint_plan::{Effort, JointGoal, JointPlanner};
use econsched::sched_model::check::Rules;
use econsched::sched_model::{Batch, Job, JobId, Limit, Refusal, Schedule, Time, UserId};
use econsched::slot_window::{FirstFit, SearchScratch, WindowSearch};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use std::fmt::Debug;

pub(crate) struct Written;

#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    nodes: Vec<NodeCase>,
    having: Vec<Having>,
    asked: Asked,
    tariff: TariffCase,
    request: RequestCase,
    batch: choice::Case,
    service: ServiceCase,
    assignment: assign::Case,
    /// The places of the text that are changed, and how.
    changes: Vec<(usize, usize)>,
}

/// Whether a field that is not known is an error.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Fields {
    Known,
    Any,
}

/// The values that replace a number.
fn others() -> [Value; 10] {
    [
        json!(-0.0),
        json!(-1),
        json!(1e308),
        json!(5e-324),
        json!(9_007_199_254_740_993_u64),
        json!(-1e60),
        json!(0.1),
        json!(null),
        json!("1"),
        json!(u64::MAX),
    ]
}

/// Changes the value at this place; false if there is none.
fn change(value: &mut Value, at: &mut usize, how: usize) -> bool {
    if *at == 0 {
        match value {
            Value::Array(items) if how.is_multiple_of(3) => items.clear(),
            Value::Array(items) if how % 3 == 1 => {
                items.pop();
            }
            Value::Array(items) => items.extend(items.first().cloned()),
            Value::Object(fields) => {
                let first = fields.keys().next().cloned();
                match first {
                    Some(first) if how.is_multiple_of(2) => fields.remove(&first),
                    _ => fields.insert("never heard of".to_owned(), json!(1)),
                };
            }
            other => *other = others()[how % others().len()].clone(),
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
pub(crate) fn comes_back<T>(changes: &[(usize, usize)], what: &str, fields: Fields, value: &T) -> Verdict
where
    T: Serialize + DeserializeOwned + PartialEq + Debug,
{
    let text = serde_json::to_string(value)?;
    let back: T = match serde_json::from_str(&text) {
        Ok(back) => back,
        Err(error) => return Err(Fault::Wrong(format!("{what}: not read: {error}: {text}"))),
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
        match serde_json::from_str::<T>(&written) {
            Ok(again) => ensure!(again == read, "{what}: {changed} is read, and {written} otherwise"),
            Err(error) => ensure!(false, "{what}: {changed} is read, and not {written}: {error}"),
        }
    }
    Ok(())
}

impl Case {
    fn comes_back<T>(&self, what: &str, fields: Fields, value: &T) -> Verdict
    where
        T: Serialize + DeserializeOwned + PartialEq + Debug,
    {
        comes_back(&self.changes, what, fields, value)
    }

    fn judge_model(&self) -> Verdict {
        let request = self.request.request()?;
        let demands = self.asked.demands(0.1)?;
        let tariff = self.tariff.tariff()?;
        let plain = slot_list(&self.nodes)?;
        let slots = Having::listed(&self.having, plain.clone())?.with_tariff(tariff);
        self.comes_back("list", Fields::Any, &plain)?;
        self.comes_back("list with features", Fields::Known, &slots)?;
        self.comes_back("tariff", Fields::Known, &tariff)?;
        self.comes_back("request", Fields::Known, &request)?;
        self.comes_back("demands", Fields::Known, &demands)?;
        let job = Job::new(JobId(1), request).with_user(UserId(4));
        let batch = part(Batch::new(vec![job, Job::new(JobId(2), request)]))?;
        self.comes_back("batch", Fields::Known, &batch)?;
        let window = FirstFit::new().find(&slots, &request, Time::ZERO, &mut SearchScratch::new())?;
        if let Some(window) = window
            && window.placements().iter().all(|placement| placement.cost.get() <= 1e60)
        {
            let mut schedule = Schedule::default();
            schedule.place(JobId(1), window.clone())?;
            schedule.refuse(JobId(2), Refusal::NoCapacity)?;
            self.comes_back("window", Fields::Known, &window)?;
            self.comes_back("schedule", Fields::Any, &schedule)?;
            let planner = JointPlanner::new(Rules::per_window(1.0)).with_effort(Effort::Quick);
            let goal = JointGoal::MinTime { budget: f64::INFINITY };
            let plan = planner.plan(&slots, &batch, Time::ZERO, goal)?;
            if plan.schedule.placed().all(|(_, window)| window.cost().get() <= 1e60) {
                self.comes_back("joint plan", Fields::Any, &plan)?;
            }
        }
        Ok(())
    }

    fn judge_choices(&self) -> Verdict {
        let batch = part(Alternatives::new(&self.batch.jobs))?;
        let (jobs, budget) = (batch.jobs(), self.batch.budget.unwrap_or(f64::INFINITY));
        if self.service.numbers.len() == jobs {
            let service = self.service.service();
            let problem = econsched::batch_dp::Problem::MinTime { budget };
            let (mut scratch, limit) = (Scratch::default(), Limit::default());
            let found = select(&batch, problem, &service, &mut scratch, &mut limit.meter())?;
            self.comes_back("selection", Fields::Any, &found)?;
            self.comes_back("service", Fields::Any, &service)?;
        }
        self.comes_back("budgets", Fields::Any, &UserBudgets::new(vec![0; jobs], vec![budget]))?;
        self.comes_back("goal", Fields::Any, &Goal::MinCost { time_limit: self.batch.time_limit })
    }

    fn judge_assignment(&self) -> Verdict {
        let case = &self.assignment;
        let stored = case.store();
        let Ok(problem) = case.problem(&stored) else { return Ok(()) };
        self.comes_back("answer", Fields::Any, &solve(&problem)?)?;
        let limit = Limit::default().with_work(300);
        self.comes_back("bounded", Fields::Any, &solve_within(&problem, &mut limit.meter())?)
    }
}

impl Target for Written {
    type Case = Case;

    fn generate(rng: &mut Rng) -> Case {
        let numbers = if rng.percent(50) { Numbers::Exact } else { Numbers::Hostile };
        let nodes = draw_nodes(rng, 5, numbers);
        let n = rng.range(1, nodes.len());
        let jobs = rng.size(4);
        let (rows, cols) = (rng.size(4), rng.size(4));
        let batch = choice::draw(rng, jobs, 3);
        Case {
            having: Having::draw(rng, nodes.len()),
            asked: Asked::draw(rng, nodes.len(), 50),
            tariff: TariffCase::draw(rng),
            request: RequestCase::draw(rng, &nodes, n, numbers),
            service: ServiceCase::draw(rng, batch.jobs.len()),
            batch,
            assignment: assign::draw(rng, rows, cols),
            changes: (0..8).map(|_| (rng.next() as usize >> 1, rng.below(60))).collect(),
            nodes,
        }
    }

    fn judge(case: &Case) -> Verdict {
        case.judge_model()?;
        case.judge_choices()?;
        case.judge_assignment()
    }
}
