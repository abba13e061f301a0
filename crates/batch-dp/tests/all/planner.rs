//! The settings of a planner, in cases by hand from `tests/data/planner.txt`. [`plans`](crate::plans) compares plans
//! with all choices.
//!
//! A case has settings (`$`), and the windows of each job (`<`), each with node, start, span and price, if they are not
//! those of the case before; then the jobs placed and the value (`>`), each refused job or the error (`!`), and the
//! points of the front (`=`). `ECONSCHED_FREEZE=write cargo test -p batch-dp --all-features --test all planner` writes
//! the answers again.
#![cfg(feature = "serde")]

use crate::session::played;
use batch_dp::*;
use sched_model::*;
use serde::Deserialize;
use std::fmt::Write as _;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    goal: Goal,
    #[serde(default)]
    coverage: Coverage,
    #[serde(default)]
    users: Vec<(UserId, f64)>,
    #[serde(default)]
    user_of: Vec<(JobId, UserId)>,
    #[serde(default)]
    makespan: bool,
    prefer: Option<Preference>,
    /// The reason why a job has no window.
    given: Option<(usize, Refusal)>,
}

fn window(&(node, start, span, price): &(u32, f64, f64, f64)) -> Window {
    let slot = Slot::new(Node::must(node, 1.0, price), Time::ZERO, Time::must(1e6)).unwrap();
    let start = Time::must(start);
    Window::new(start, vec![Placement::on(&slot, start, Span::must(span), &Tariff::default())]).unwrap()
}

#[test]
fn plans_are_as_they_were_computed() {
    let place = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/planner.txt");
    let mut jobs: Vec<Vec<(u32, f64, f64, f64)>> = Vec::new();
    played(place, &['>', '!', '='], |line, input| {
        if !input.is_empty() {
            jobs = serde_json::from_str(input).unwrap();
        }
        let Settings { goal, coverage, users, user_of, makespan, prefer, given } =
            serde_json::from_str(&line[1..]).unwrap();
        let of = |(job, own): (JobId, &Vec<_>)| JobWindows {
            job,
            windows: own.iter().map(window).collect(),
            refusal: None,
        };
        let mut offers: Vec<JobWindows> = (0..).map(JobId).zip(&jobs).map(of).collect();
        if let Some((job, refusal)) = given {
            offers[job].refusal = Some(refusal);
        }
        let planner = Planner::new(goal).with_coverage(coverage).with_user_budgets(users, user_of);
        let planner = if makespan { planner.with_makespan_first() } else { planner };
        let planner = prefer.into_iter().fold(planner, Planner::with_preference);
        let plan = match planner.plan(&offers) {
            Ok(plan) => plan,
            Err(error) => return format!("! {error}\n"),
        };
        let placed: Vec<u64> = plan.schedule.placed().map(|(job, _)| job.0).collect();
        let mut told = format!("> {placed:?}, value {:?}\n", plan.outcome.value);
        for (job, refusal) in plan.schedule.refused() {
            let _ = writeln!(told, "! job {job}: {refusal:?}");
        }
        let front = planner.front(&offers, &mut Limit::default().meter()).unwrap();
        for point in front.iter().flat_map(Front::points) {
            let _ = writeln!(told, "= cost {}, time {}", point.cost, point.time);
        }
        told
    });
}
