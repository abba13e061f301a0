//! Searches, choices, and plans of whole batches.

use super::{Family, mean};
use crate::Failure;
use econsched::batch_dp::{self, Alternatives, ChoiceProblem, Chooser, ChooserKind, ExpandingCore, Goal};
use econsched::joint_plan::{self, Effort, JointPlanner, PlanProblem, Planner as _};
use econsched::sched_model::{Batch, Job, JobId, ResourceRequest, SlotList, Time, Window};
use econsched::slot_window::{AlternativesSearch, Amp, SearchKind, WindowQuery, WindowSearch};
use econsched::workload_gen::cycle::{JobGenerator, SlotGenerator};
use econsched::workload_gen::environment::{EnvironmentGenerator, request};
use econsched::workload_gen::sample::{stream, unit};
use std::sync::Arc;

pub(super) fn families() -> Result<Vec<Family>, Failure> {
    Ok(vec![searches()?, alternatives()?, choosers()?, efforts()?])
}

/// One job on 50 nodes of a market, in ten environments.
fn searches() -> Result<Family, Failure> {
    let generator = EnvironmentGenerator::default().with_nodes(50).with_horizon(600.0);
    let lists = (0..10).map(|at| Ok(generator.generate(&mut stream(1, at))?.slots()?));
    let lists: Arc<Vec<SlotList>> = Arc::new(lists.collect::<Result<_, Failure>>()?);
    let request: ResourceRequest = request(5, 150.0, 2.0)?;
    let mut family = Family::new("window search", &["found", "start", "finish", "runtime", "cost"]);
    for &kind in SearchKind::ALL {
        let (lists, search) = (Arc::clone(&lists), kind.build());
        family.add(kind.name(), move || {
            let mut found: Vec<Window> = Vec::new();
            for list in lists.iter() {
                found.extend(search.find(&WindowQuery::new(list, &request))?.best);
            }
            let of = |figure: fn(&Window) -> f64| mean(&found.iter().map(figure).collect::<Vec<_>>());
            Ok(vec![
                found.len() as f64,
                of(|window| window.start().get()),
                of(|window| window.finish().get()),
                of(|window| window.runtime().get()),
                of(|window| window.cost().get()),
            ])
        });
    }
    Ok(family)
}

/// A cycle of the study of 2011: 150 slots, 7 jobs.
fn cycle() -> Result<(SlotList, Batch), Failure> {
    let slots = SlotGenerator::default().with_count(150..=150).generate(&mut stream(2, 0))?;
    let batch = JobGenerator::default().with_jobs(7..=7).generate(&mut stream(3, 0))?;
    let jobs = (0..).zip(batch.iter()).map(|(id, job)| Job::new(JobId(id), job.request)).collect();
    Ok((slots, Batch::new(jobs)?))
}

/// The two phases by every search: the number of alternatives, and the cheapest choice.
fn alternatives() -> Result<Family, Failure> {
    let shared = Arc::new(cycle()?);
    let mut family = Family::new("alternatives", &["alternatives", "placed", "least cost", "least time"]);
    for &kind in SearchKind::ALL {
        let (shared, search) = (Arc::clone(&shared), kind.build());
        family.add(kind.name(), move || {
            let (slots, batch) = &*shared;
            let found =
                AlternativesSearch::new(&search).with_max_per_job(12).find(slots, batch, Time::ZERO)?;
            let served: Vec<&[Window]> =
                found.jobs().map(|(_, windows)| windows).filter(|windows| !windows.is_empty()).collect();
            let batch = Alternatives::from_windows(&served)?;
            let best = |goal: Goal| -> Result<f64, Failure> {
                let found = ExpandingCore.choose(&ChoiceProblem::new(&batch, goal))?;
                Ok(found.value.unwrap_or(f64::NAN))
            };
            Ok(vec![
                found.total() as f64,
                served.len() as f64,
                best(Goal::MinCost { time_limit: None })?,
                best(Goal::MinTime { budget: None })?,
            ])
        });
    }
    Ok(family)
}

/// 60 jobs of 20 alternatives, under a budget half way.
fn choosers() -> Result<Family, Failure> {
    let mut rng = stream(4, 0);
    let alternative = |rng: &mut _| {
        let speed = 1.0 + 2.0 * unit(rng);
        let work = 50.0 + 100.0 * unit(rng);
        ((work * speed).round(), (work / speed).round())
    };
    let jobs: Vec<Vec<(f64, f64)>> =
        (0..60).map(|_| (0..20).map(|_| alternative(&mut rng)).collect()).collect();
    let batch = Arc::new(Alternatives::new(&jobs)?);
    let extremes = jobs.iter().map(|job| {
        let costs = || job.iter().map(|pair| pair.0);
        (costs().fold(f64::INFINITY, f64::min), costs().fold(0.0, f64::max))
    });
    let budget = extremes.map(|(least, most)| (least + most) / 4.0).sum();
    let mut family = Family::new("choice", &["time", "cost", "gap"]);
    for &kind in ChooserKind::ALL {
        let (batch, chooser) = (Arc::clone(&batch), kind.build());
        family.add(kind.name(), move || {
            let goal = Goal::MinTime { budget: Some(budget) };
            let outcome = chooser.choose(&ChoiceProblem::new(&batch, goal))?;
            let (choice, gap) = (&outcome.best, outcome.gap());
            let of = |figure: Option<f64>| figure.unwrap_or(f64::NAN);
            Ok(vec![
                of(choice.as_ref().map(|choice| choice.time)),
                of(choice.as_ref().map(|choice| choice.cost)),
                of(gap),
            ])
        });
    }
    Ok(family)
}

/// Plans of the whole batch of a cycle, by effort.
fn efforts() -> Result<Family, Failure> {
    let shared = Arc::new(cycle()?);
    let mut family = Family::new("joint plan", &["left out", "cost", "gap %"]);
    for (name, effort) in [("quick", Effort::Quick), ("normal", Effort::Normal), ("hard", Effort::Hard)] {
        let shared = Arc::clone(&shared);
        family.add(name, move || {
            let (slots, batch) = &*shared;
            let planner = JointPlanner::new().with_shuffled_orders(0, 0).with_effort(effort);
            let goal = joint_plan::Goal::MinCost { time_limit: None };
            let outcome = planner.plan(&PlanProblem::new(slots, batch, goal).with_from(Time::ZERO))?;
            let left_out = outcome.best.as_ref().map_or(f64::NAN, |plan| plan.left_out as f64);
            let (value, bound) = (outcome.value.unwrap_or(f64::NAN), outcome.bound.unwrap_or(f64::NAN));
            Ok(vec![left_out, value, 100.0 * (value - bound) / bound.abs()])
        });
    }
    let shared = Arc::clone(&shared);
    family.add("the cycle alone", move || {
        let (slots, batch) = &*shared;
        let found = AlternativesSearch::new(Amp::new()).find(slots, batch, Time::ZERO)?;
        let goal = Goal::MinCost { time_limit: None };
        let plan = batch_dp::plan(found.offers(), goal)?;
        let left = plan.schedule.refused().count();
        Ok(vec![left as f64, plan.schedule.cost().get(), f64::NAN])
    });
    Ok(family)
}
