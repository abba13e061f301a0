//! Alternatives and plan of a batch, by the checker.

use crate::family::{Judged, Verdict, ensure, part, seen};
use econsched::batch_dp::{Goal, Planner};
use econsched::sched_model::check::Checker;
use econsched::sched_model::{Batch, Job, JobId, SlotList, Time, Window};
use econsched::slot_window::{AlternativesSearch, SearchKind};
use econsched::testkit::{Draw, Family, NodeCase, RequestCase, SearchCase, rounded_sum};
use serde::{Deserialize, Serialize};

#[derive(Default)]
pub(super) struct Batches;

#[derive(Serialize, Deserialize)]
pub(super) struct Case {
    nodes: Vec<NodeCase>,
    jobs: Vec<RequestCase>,
    submit: Vec<f64>,
    search: usize,
    goal: usize,
    limit: Option<f64>,
}

impl Family for Batches {
    type Case = Case;

    fn draw(draw: &mut Draw) -> Case {
        let hostile = draw.chance(40);
        let nodes = NodeCase::draw(draw, 10, hostile);
        let count = draw.between(1, 5);
        let job = |_| {
            let n = draw.between(1, 4).min(nodes.len());
            RequestCase::draw(draw, &nodes, n, hostile)
        };
        let jobs = (0..count).map(job).collect();
        let submit = (0..count).map(|_| if draw.chance(30) { draw.below(8) as f64 } else { 0.0 }).collect();
        let limit = draw.chance(50).then(|| draw.below(200) as f64 / 10.0);
        Case { nodes, jobs, submit, search: draw.below(100), goal: draw.below(3), limit }
    }

    fn judge(&self, case: &Case) -> Judged {
        seen(judge(case))
    }
}

fn judge(case: &Case) -> Verdict {
    let slots = SearchCase::slots(&case.nodes)?;
    let mut jobs = Vec::new();
    for (at, request) in case.jobs.iter().enumerate() {
        let (id, submit) = (JobId(at as u64), case.submit.get(at).copied().unwrap_or_default());
        jobs.push(Job::new(id, request.request()?).with_submit(part(Time::new(submit))?));
    }
    let batch = part(Batch::new(jobs))?;
    let kind = SearchKind::ALL[case.search % SearchKind::ALL.len()];
    let search = kind.build();
    let checker = Checker::new(&slots, search.rules());
    let found = match AlternativesSearch::new(search).find(&slots, &batch, Time::ZERO) {
        // The table needs units of money, and says so where there are too many.
        Err(_) if kind == SearchKind::MaxValueTable => return Ok(()),
        found => found?,
    };
    let mut all: Vec<&Window> = Vec::new();
    for (at, job) in batch.iter().enumerate() {
        for window in found.of(at) {
            let wrong = checker.job(window, job);
            ensure!(wrong.is_empty(), "{kind}: an alternative of job {at}: {wrong:?}");
            ensure!(
                all.iter().all(|other| !other.overlaps(window)),
                "{kind}: alternatives overlap: {window}"
            );
            all.push(window);
        }
    }
    // Free time and windows together are the original free time.
    let mut whole = found.rest().clone();
    for window in &all {
        whole.give_back(window)?;
    }
    let length = |list: &SlotList| rounded_sum(list.iter().map(|slot| f64::from(slot.end() - slot.start())));
    let (before, after) = (length(&slots), length(&whole));
    ensure!((before - after).abs() <= before.abs() * 1e-12, "{before} of free time became {after}");
    let goal = match case.goal {
        0 => Goal::MinTime { budget: case.limit },
        1 => Goal::MinCost { time_limit: case.limit },
        _ => Goal::MaxIncome { time_limit: case.limit },
    };
    let plan = Planner::new(goal).with_derived_limit().plan(found.offers())?;
    let wrong = checker.schedule(&plan.schedule, &batch);
    ensure!(wrong.is_empty(), "{kind}: the plan: {wrong:?}");
    let cost = plan.schedule.cost().get();
    let sum = rounded_sum(plan.schedule.placed().map(|(_, window)| window.cost().get()));
    ensure!(cost == sum, "the schedule says {cost:?}, its windows cost {sum:?}");
    Ok(())
}
