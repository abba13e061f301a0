//! The planners by name, and the published cycle with its extensions.

use crate::drawn::{instance, objective};
use batch_dp::Coverage;
use joint_plan::{
    CyclePlanner, Effort, Goal, JointError, JointPlanner, PlanProblem, Planner as _, PlannerKind,
};
use sched_model::*;
use slot_window::{Objective, Optimal};

#[test]
fn every_planner_gives_valid_plans_of_the_value_stated_within_the_limit() {
    for (seed, kind) in (0..40).flat_map(|seed| PlannerKind::ALL.iter().map(move |kind| (seed, kind))) {
        let (instance, planner) = (instance(seed), kind.build());
        assert_eq!(planner.name(), kind.name());
        let problem = instance.problem();
        for work in [0, 30, 300, u64::MAX] {
            let limit = Limit::default().with_work(work);
            let outcome = planner.solve(&problem, &mut limit.meter()).unwrap();
            assert_eq!(outcome, planner.solve(&problem, &mut limit.meter()).unwrap(), "{kind} {seed} {work}");
            let Some(plan) = &outcome.best else {
                assert!(work < 300 && outcome.end == End::Work, "{kind} {seed} {work}");
                continue;
            };
            assert!(plan.violations(&problem).is_empty(), "{kind} {seed} {work}");
            let windows = plan.schedule.placed().map(|(_, window)| window);
            let value: f64 = windows.map(|window| objective(instance.goal, window)).sum();
            assert!((value - outcome.value.unwrap()).abs() < 1e-9, "{kind} {seed} {work}");
            assert!(outcome.bound.is_none_or(|bound| bound <= value + 1e-9), "{kind} {seed} {work}");
            assert!(plan.schedule.refused().count() >= plan.left_out, "{kind} {seed} {work}");
        }
    }
}

/// A job of 20 takes 20 on one node, 10 on the other, each once: the longer window is the greater use of the nodes.
#[test]
fn the_greatest_time_is_for_the_choice_among_alternatives() {
    let nodes = [Node::must(1, 1.0, 1.0), Node::must(2, 2.0, 1.0)];
    let slots = SlotList::from_nodes(&nodes, &[], Time::ZERO, Time::must(20.0)).unwrap();
    let batch = Batch::new(vec![Job::new(JobId(1), ResourceRequest::must(1, 20.0))]).unwrap();
    let problem = PlanProblem::new(&slots, &batch, Goal::MaxTime { budget: None });
    for effort in [Effort::Quick, Effort::Hard] {
        let cycle = CyclePlanner::new(Box::new(Optimal::new(Objective::Runtime))).with_effort(effort);
        let outcome = cycle.plan(&problem).unwrap();
        assert_eq!((outcome.value, outcome.bound), (Some(-20.0), None));
    }
    assert_eq!(JointPlanner::new().plan(&problem), Err(JointError::MaxTime));
}

/// In the given order job 1 takes the only node until 10, the deadline of job 2; in the reverse order both jobs
/// fit.
#[test]
fn what_the_cycle_loses_is_won_back() {
    let slots = SlotList::from_nodes(&[Node::must(1, 1.0, 1.0)], &[], Time::ZERO, Time::must(40.0)).unwrap();
    let request = ResourceRequest::must(1, 10.0);
    let hurried = Job::new(JobId(2), request.clone().with_deadline(Time::must(10.0)));
    let batch = Batch::new(vec![Job::new(JobId(1), request), hurried]).unwrap();
    let problem = PlanProblem::new(&slots, &batch, Goal::MinTime { budget: Some(50.0) });
    let planner = || {
        let search = Box::new(Optimal::new(Objective::Runtime));
        CyclePlanner::new(search).with_coverage(Coverage::EveryJob)
    };
    let run = |planner: CyclePlanner| planner.run(&problem, &mut Limit::default().meter()).unwrap();
    let plain = run(planner());
    assert_eq!((plain.schedule.placed().count(), plain.beyond), (1, None));
    let late = Refusal::Deadline { late_by: Span::must(10.0) };
    assert_eq!(plain.schedule.refused().next(), Some((JobId(2), &late)));
    let unsearched = planner().run(&problem, &mut Limit::default().with_work(1).meter()).unwrap();
    assert!(unsearched.schedule.refused().all(|(_, refusal)| *refusal == Refusal::Stopped));
    let near = plain.near.unwrap();
    assert_eq!((near.left_out, near.unplaceable, near.objective), (1, 0, 10.0));
    let mut rescuing = planner();
    rescuing.rescues = true;
    let rescued = run(rescuing);
    assert_eq!((rescued.schedule.placed().count(), rescued.beyond), (2, Some(Effort::Quick)));
    // With a greater effort both jobs are placed, too, and the alternatives are still those of the cycle.
    let hard = run(planner().with_effort(Effort::Hard));
    assert_eq!((hard.schedule.placed().count(), hard.beyond), (2, Some(Effort::Hard)));
    assert_eq!(hard.alternatives, plain.alternatives);
}

/// The choice starts from an earlier window if the window is found again, and the plan of the reference cycle is
/// never lost.
#[test]
fn earlier_plans_and_other_searches_are_started_from() {
    for seed in 0..30 {
        let instance = instance(seed);
        let problem = instance.problem();
        let by = |objective| Box::new(Optimal::new(objective));
        let run = |planner: CyclePlanner| planner.run(&problem, &mut Limit::default().meter()).unwrap();
        let first = run(CyclePlanner::new(by(Objective::Start)));
        let places = first.schedule.placed().map(|(job, window)| {
            let tasks = window.placements().iter().map(|place| (place.node, place.end));
            (job, (window.start(), tasks.collect()))
        });
        let mut again = CyclePlanner::new(by(Objective::Start));
        again.earlier = Some(places.collect());
        let again = run(again);
        assert_eq!(again.choice.outcome.value, first.choice.outcome.value, "{seed}");
        assert!(again.choice.work <= first.choice.work, "{seed}");
        let mut other = CyclePlanner::new(by(Objective::Cost));
        other.reference = Some(by(Objective::Start));
        let other = run(other);
        assert!(other.schedule.placed().count() >= first.schedule.placed().count(), "{seed}");
    }
}
