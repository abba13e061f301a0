//! The best of many cycles: under all settings no worse than any of them, and within the demands of each job.

use batch_dp::{BatchError, Coverage, Goal, Planner, Preference, VectorCriterion};
use econsched::testkit::{Draw, Stopped, Stops};
use joint_plan::internal::{BestOfCycles, Portfolio};
use joint_plan::{Goal as Asked, JointError, JointPlanner, PlanProblem};
use sched_model::check::{Checker, Rules};
use sched_model::*;
use slot_window::{AlternativesSearch, Objective, Optimal};

const RULES: fn() -> Rules = || Rules::per_window(1.0);

fn instance(seed: u64) -> (SlotList, Batch) {
    let mut draw = Draw::new(seed, 0);
    let node = |id| Node::must(id, draw.between(1, 3) as f64, draw.between(1, 6) as f64);
    let nodes: Vec<Node> = (0..5).map(node).collect();
    let slots = SlotList::from_nodes(&nodes, &[], Time::ZERO, Time::must(120.0)).unwrap();
    let job = |id| {
        let request = ResourceRequest::must(draw.between(1, 3), draw.between(20, 79) as f64);
        Job::new(JobId(id), request).with_user(UserId(id as u32 % 2))
    };
    (slots, Batch::new((0..8).map(job).collect()).unwrap())
}

/// The problem; the goal is that of the choice.
fn problem<'a>(slots: &'a SlotList, batch: &'a Batch) -> PlanProblem<'a> {
    PlanProblem::new(slots, batch, Asked::MinTime { budget: None })
}

fn run(of: &Portfolio, problem: &PlanProblem<'_>, limit: &Limit) -> Result<BestOfCycles, JointError> {
    of.run(problem, &mut limit.meter())
}

fn ids(batch: &Batch) -> Vec<JobId> {
    batch.iter().map(|job| job.id).collect()
}

/// Planners of all settings for this batch.
fn asked(batch: &Batch) -> Vec<Planner> {
    let goal = || Planner::new(Goal::MinTime { budget: Some(1200.0) });
    let users = || batch.iter().map(|job| (job.id, job.user));
    vec![
        goal(),
        goal().with_coverage(Coverage::MostJobs),
        goal().with_coverage(Coverage::MostWeight((0..batch.len()).map(|at| (1 + at * at) as f64).collect())),
        goal().with_coverage(Coverage::Penalties((0..batch.len()).map(|at| 10.0 * at as f64).collect())),
        goal().with_makespan_first(),
        goal().with_user_budgets([(UserId(0), 500.0)], users()),
        goal().with_preference(Preference::Lexicographic(vec![VectorCriterion::Cost, VectorCriterion::Time])),
        Planner::new(Goal::MinCost { time_limit: None }).with_derived_limit(),
    ]
}

#[test]
fn no_cycle_of_it_is_better_and_all_is_kept() {
    for seed in 0..12 {
        let (slots, batch) = instance(seed);
        for (number, planner) in asked(&batch).into_iter().enumerate() {
            let best = Portfolio::new(RULES(), planner.clone());
            let best = run(&best, &problem(&slots, &batch), &Limit::default()).unwrap();
            assert_eq!((best.cycles, best.end), (25, End::Done));
            assert!(Checker::new(&slots, RULES()).schedule(&best.schedule, &batch).is_empty());
            assert!(planner.allows(&best.schedule), "{seed} {number}");
            // Two of the cycles, rebuilt with the same limit: the widest jobs first, by runtime; and as given, by
            // cost.
            if planner.goal() == (Goal::MinCost { time_limit: None }) {
                continue;
            }
            let mut jobs: Vec<Job> = batch.iter().cloned().collect();
            jobs.sort_by_key(|job| std::cmp::Reverse(job.request.nodes()));
            let widest = Batch::new(jobs).unwrap();
            for (batch_of, objective) in [(&widest, Objective::Runtime), (&batch, Objective::Cost)] {
                let search =
                    AlternativesSearch::new(Optimal::new(objective).with_rules(RULES())).with_max_per_job(50);
                let found = search.find(&slots, batch_of, Time::ZERO).unwrap();
                // In the order of the batch, which the weights of a service follow.
                let mut jobs = found.jobs;
                jobs.sort_by_key(|of| of.job);
                let plan = planner.plan(&jobs).unwrap().schedule;
                let is_better = planner.prefers(&ids(&batch), &plan, &best.schedule);
                assert!(!is_better, "{seed} {number} {objective:?}");
            }
        }
    }
}

#[test]
fn a_known_plan_is_never_made_worse_and_one_that_breaks_the_rules_is_ignored() {
    let (slots, batch) = instance(3);
    let planner = Planner::new(Goal::MinTime { budget: Some(1200.0) }).with_coverage(Coverage::MostJobs);
    let portfolio = || Portfolio::new(RULES(), planner.clone());
    let problem = problem(&slots, &batch);
    let asked = PlanProblem::new(&slots, &batch, Asked::MinTime { budget: Some(1200.0) });
    let best = JointPlanner::new().run(&asked, &mut Limit::default().meter()).unwrap();
    // Without work, the known plan is returned.
    let nothing = Limit::default().with_work(0);
    let started = problem.clone().with_start(best.schedule.clone());
    let known = run(&portfolio(), &started, &nothing).unwrap();
    assert_eq!((known.schedule, known.cycles, known.end), (best.schedule.clone(), 0, End::Work));
    let with = run(&portfolio(), &started, &Limit::default()).unwrap();
    assert!(!planner.prefers(&ids(&batch), &best.schedule, &with.schedule));
    // A plan on other slots, and an empty plan.
    let (others, of_others) = instance(4);
    let other = PlanProblem::new(&others, &of_others, Asked::MinTime { budget: None });
    let other = run(&portfolio(), &other, &Limit::default()).unwrap();
    for problem in [problem.clone().with_start(other.schedule), problem] {
        let stopped = run(&portfolio(), &problem, &nothing);
        assert!(matches!(stopped, Err(JointError::Batch(BatchError::Stopped(End::Work)))));
    }
}

/// At any limit, the counted work is all that the answer took: a limit equal to that work gives the same answer,
/// and so does a signal that stops the search there. More work never gives a worse plan.
#[test]
fn a_limit_of_the_work_done_gives_the_same_plan() {
    for seed in 0..6 {
        let (slots, batch) = instance(seed);
        let planner =
            Planner::new(Goal::MinCost { time_limit: Some(300.0) }).with_coverage(Coverage::MostJobs);
        let portfolio = Portfolio::new(RULES(), planner.clone());
        let run = |limit: &Limit| {
            let mut meter = limit.meter();
            let best = match portfolio.run(&problem(&slots, &batch), &mut meter) {
                Err(JointError::Batch(BatchError::Stopped(end))) => Err(end),
                best => Ok(best.unwrap()),
            };
            let answer = format!("{:?}", best.as_ref().ok().map(|best| (&best.schedule, best.cycles)));
            let refused = best.as_ref().map_or(f64::INFINITY, |best| best.schedule.refused().count() as f64);
            let value = best.as_ref().ok().map(|best| best.schedule.cost().get());
            let end = best.map_or_else(|end| end, |best| best.end);
            Ok(Stopped { rank: refused, value, bound: None, work: meter.work(), end, answer })
        };
        for questions in (0..200).step_by(20) {
            let parts = (0..40).filter(|part| questions / 20 == part % 10).map(|part| 25_000 * part as u32);
            let stops = Stops { parts: parts.collect(), works: Vec::new(), questions };
            stops.check(u64::MAX, run).unwrap_or_else(|fault| panic!("seed {seed}, {questions}: {fault}"));
        }
    }
}

#[test]
fn demands_of_jobs_are_kept() {
    let (slots, batch) = instance(6);
    let late = Demands::default().with_not_before(Time::must(40.0));
    let planner = Planner::new(Goal::MinTime { budget: Some(5000.0) });
    let portfolio = Portfolio::new(RULES(), planner);
    let mut jobs = batch.to_vec();
    jobs[0].request = jobs[0].request.clone().with_demands(late);
    let batch = Batch::new(jobs).unwrap();
    let best = run(&portfolio, &problem(&slots, &batch), &Limit::default()).unwrap();
    assert!(best.schedule.place_of(JobId(0)).unwrap().start() >= Time::must(40.0));
}
