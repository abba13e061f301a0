//! Searches, choices, and plans of whole batches.

use super::{Variant, family, mean, named};
use crate::Failure;
use econsched::batch_dp::{self, Alternatives, ChoiceProblem, Chooser, ChooserKind, ExpandingCore, Goal};
use econsched::joint_plan::{JointPlanner, PlanProblem, Planner as _};
use econsched::sched_model::{Batch, Job, JobId, JobWindows, Limit, SlotList, Time, Window};
use econsched::slot_window::{AlternativesSearch, Amp, SearchKind, WindowQuery, WindowSearch};
use econsched::workload_gen::cycle::{JobGenerator, SlotGenerator};
use econsched::workload_gen::environment::{EnvironmentGenerator, request};
use econsched::workload_gen::internal::unit;
use econsched::workload_gen::sample::{Stream, stream};

pub(super) fn families() -> Result<Vec<Vec<Variant>>, Failure> {
    Ok(vec![searches()?, alternatives()?, choosers()?, plans()?])
}

/// One job on 50 nodes of a market, in ten environments.
fn searches() -> Result<Vec<Variant>, Failure> {
    let generator = EnvironmentGenerator::default().with_nodes(50).with_horizon(600.0);
    let lists = (0..10).map(|at| Ok(generator.generate(&mut stream(1, at))?.slots()?));
    let lists = lists.collect::<Result<Vec<SlotList>, Failure>>()?;
    let figures = &["found", "start", "finish", "runtime", "cost"];
    let input = (lists, request(5, 150.0, 2.0)?);
    Ok(family("window search", figures, input, |(lists, request), kind: &SearchKind| {
        let search = kind.build();
        let mut found: Vec<Window> = Vec::new();
        for list in lists {
            found.extend(search.find(&WindowQuery::new(list, request))?.best);
        }
        let of = |figure: fn(&Window) -> f64| mean(&found.iter().map(figure).collect::<Vec<_>>());
        Ok(vec![
            found.len() as f64,
            of(|window| window.start().get()),
            of(|window| window.finish().get()),
            of(|window| window.runtime().get()),
            of(|window| window.cost().get()),
        ])
    }))
}

/// A cycle of the study of 2011: 150 slots, 7 jobs.
fn cycle() -> Result<(SlotList, Batch), Failure> {
    let slots = SlotGenerator::default().with_count(150..=150).generate(&mut stream(2, 0))?;
    let batch = JobGenerator::default().with_jobs(7..=7).generate(&mut stream(3, 0))?;
    let jobs = (0..).zip(batch.iter()).map(|(id, job)| Job::new(JobId(id), job.request.clone())).collect();
    Ok((slots, Batch::new(jobs)?))
}

/// The two phases by every search: the number of alternatives, and the cheapest choice.
fn alternatives() -> Result<Vec<Variant>, Failure> {
    let figures = &["alternatives", "placed", "least cost", "least time"];
    Ok(family("alternatives", figures, cycle()?, |(slots, batch), kind: &SearchKind| {
        let search = AlternativesSearch::new(kind.build()).with_max_per_job(12);
        let found = search.find(slots, batch, Time::ZERO)?;
        let served: Vec<&JobWindows> = found.jobs.iter().filter(|of| !of.windows.is_empty()).collect();
        let batch = Alternatives::from_windows(&served)?;
        let best = |goal: Goal| -> Result<f64, Failure> {
            Ok(ExpandingCore.choose(&ChoiceProblem::new(&batch, goal))?.value.unwrap_or(f64::NAN))
        };
        Ok(vec![
            found.total() as f64,
            served.len() as f64,
            best(Goal::MinCost { time_limit: None })?,
            best(Goal::MinTime { budget: None })?,
        ])
    }))
}

/// 60 jobs of 20 alternatives, under a budget half way.
fn choosers() -> Result<Vec<Variant>, Failure> {
    let mut rng = stream(4, 0);
    let alternative = |rng: &mut Stream| {
        let speed = 1.0 + 2.0 * unit(rng);
        let work = 50.0 + 100.0 * unit(rng);
        ((work * speed).round(), (work / speed).round())
    };
    let jobs: Vec<Vec<(f64, f64)>> =
        (0..60).map(|_| (0..20).map(|_| alternative(&mut rng)).collect()).collect();
    let batch = Alternatives::new(&jobs)?;
    let extremes = jobs.iter().map(|job| {
        let costs = || job.iter().map(|pair| pair.0);
        (costs().fold(f64::INFINITY, f64::min), costs().fold(0.0, f64::max))
    });
    let budget: f64 = extremes.map(|(least, most)| (least + most) / 4.0).sum();
    Ok(family("choice", &["time", "cost", "gap"], (batch, budget), choose))
}

fn choose((batch, budget): &(Alternatives, f64), kind: &ChooserKind) -> Result<Vec<f64>, Failure> {
    let goal = Goal::MinTime { budget: Some(*budget) };
    let outcome = kind.build().choose(&ChoiceProblem::new(batch, goal))?;
    let (choice, gap) = (&outcome.best, outcome.gap());
    let of = |figure: Option<f64>| figure.unwrap_or(f64::NAN);
    Ok(vec![
        of(choice.as_ref().map(|choice| choice.time)),
        of(choice.as_ref().map(|choice| choice.cost)),
        of(gap),
    ])
}

/// Plans of the whole batch of a cycle, by the limit of work; and that of the cycle alone.
fn plans() -> Result<Vec<Variant>, Failure> {
    let works = [
        ("20,000 units", Some(20_000)),
        ("200,000 units", Some(200_000)),
        ("the default limit", Some(Limit::default().work)),
        ("the cycle alone", None),
    ];
    Ok(named("joint plan", &["left out", "cost", "gap %"], cycle()?, works, |(slots, batch), work| {
        let Some(work) = *work else {
            let found = AlternativesSearch::new(Amp::new()).find(slots, batch, Time::ZERO)?;
            let schedule =
                batch_dp::Planner::new(Goal::MinCost { time_limit: None }).plan(&found.jobs)?.schedule;
            return Ok(vec![schedule.refused().count() as f64, schedule.cost().get(), f64::NAN]);
        };
        let mut planner = JointPlanner::new();
        planner.shuffled = 0;
        let goal = Goal::MinCost { time_limit: None };
        let problem = PlanProblem::new(slots, batch, goal).with_from(Time::ZERO);
        let limit = Limit::default().with_relative_gap(1e-3).with_work(work);
        let outcome = planner.solve(&problem, &mut limit.meter())?;
        let left_out = outcome.best.as_ref().map_or(f64::NAN, |plan| plan.left_out as f64);
        let (value, bound) = (outcome.value.unwrap_or(f64::NAN), outcome.bound.unwrap_or(f64::NAN));
        Ok(vec![left_out, value, 100.0 * (value - bound) / bound.abs()])
    }))
}
