//! The table of jobs, as it is printed, written and shown on the page.

use super::planned::Plan;
use crate::draw::page::{Kind, Value};
use crate::input::scenario::Scenario;
use crate::output::terminal::number;
use econsched::sched_model::{Fate, Job, Window};

/// A column of the table of jobs: its name, its kind, and the value of a job.
pub(super) type JobColumn<'a> = (&'static str, Kind, Box<dyn Fn(&Job) -> Value + 'a>);

/// What is told of jobs, without the columns of these names.
pub(super) fn job_columns<'a>(
    scenario: &'a Scenario,
    plan: &'a Plan,
    without: &[&str],
) -> impl Iterator<Item = JobColumn<'a>> {
    let place = |of: fn(&Window) -> f64| {
        Box::new(move |job: &Job| Value::from(plan.schedule.place_of(job.id).map(of)))
    };
    let cost = |job: &Job| Some(scenario.money(plan.schedule.place_of(job.id)?.cost().get()));
    let state = |job: &Job| match plan.schedule.fate(job.id) {
        Some(Fate::Refused(_)) => Value::Text("refused".to_owned()),
        Some(Fate::Placed(_)) => Value::Text("placed".to_owned()),
        None => Value::Nothing,
    };
    let reason = |job: &Job| match plan.schedule.fate(job.id) {
        Some(Fate::Refused(why)) => scenario.in_decimals(why, plan.choice.limits_money()).to_string(),
        _ => String::new(),
    };
    let columns: [JobColumn<'a>; 12] = [
        ("job", Kind::Number, Box::new(|job| Value::Count(job.id.0))),
        ("user", Kind::Number, Box::new(|job| Value::Count(job.user.0.into()))),
        ("nodes", Kind::Number, Box::new(|job| Value::Count(job.request.nodes() as u64))),
        ("work", Kind::Span, Box::new(|job| Some(job.request.work()).into())),
        ("limit", Kind::Text, Box::new(|job| Value::Text(limits(scenario, job)))),
        (
            "alternatives",
            Kind::Number,
            Box::new(|job| {
                plan.alternatives_of(job.id).map_or(Value::Nothing, |count| Value::Count(count as u64))
            }),
        ),
        ("start", Kind::Time, place(|window| window.start().get())),
        ("finish", Kind::Time, place(|window| window.finish().get())),
        ("runtime", Kind::Span, place(|window| window.runtime().get())),
        ("cost", Kind::Number, Box::new(move |job| cost(job).into())),
        ("state", Kind::Text, Box::new(state)),
        ("refused because", Kind::Text, Box::new(move |job| Value::Text(reason(job)))),
    ];
    let without: Vec<String> = without.iter().map(|name| (*name).to_owned()).collect();
    columns.into_iter().filter(move |(name, ..)| without.iter().all(|other| other != name))
}

fn limits(scenario: &Scenario, job: &Job) -> String {
    let price =
        job.request.price_limit().map(|price| format!("price {}", number(scenario.money(price.get()))));
    let budget =
        job.request.budget().map(|budget| format!("budget {}", number(scenario.money(budget.get()))));
    let deadline = job.request.deadline().map(|deadline| format!("by {}", number(deadline.get())));
    let set: Vec<String> = [price, budget, deadline].into_iter().flatten().collect();
    set.join(", ")
}
