//! The registry of planners, and the cycle planner.

use crate::drawn::{instance, objective};
use econsched::testkit::Draw;
use joint_plan::internal::found_again;
use joint_plan::{CyclePlan, CyclePlanner, Goal, PlanProblem, PlannerKind};
use sched_model::*;
use slot_window::Amp;

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
            assert!(outcome.proof() != Proof::Exact || outcome.gap() == Some(0.0), "{kind} {seed} {work}");
        }
    }
}

fn run(planner: &CyclePlanner, problem: &PlanProblem<'_>, work: u64) -> CyclePlan {
    planner.run(problem, &mut Limit::default().with_work(work).meter()).unwrap()
}

/// The alternatives are the same, and the choice among them takes less work from the plan that it would find.
#[test]
fn the_choice_of_a_cycle_starts_from_the_windows_of_a_known_plan() {
    let (planner, mut saved) = (CyclePlanner::new(Box::new(Amp::new())), 0);
    for seed in 0..6 {
        let draw = &mut Draw::new(seed, 0);
        let node = |id| {
            let speed = 1.0 + 2.0 * draw.unit();
            Node::must(id, speed, speed * (0.75 + 0.5 * draw.unit()))
        };
        let nodes: Vec<Node> = (0..12).map(node).collect();
        let slots = SlotList::from_nodes(&nodes, &[], Time::ZERO, Time::must(900.0)).unwrap();
        let request = |draw: &mut Draw| ResourceRequest::must(draw.between(1, 2), 20.0 + 50.0 * draw.unit());
        let batch = Batch::new((0..20).map(|id| Job::new(JobId(id), request(draw))).collect()).unwrap();
        let problem = PlanProblem::new(&slots, &batch, Goal::MinTime { budget: Some(900.0) });
        let from = |start: &Schedule| run(&planner, &problem.clone().with_start(start.clone()), 1_000_000);
        let whole = run(&planner, &problem, 1_000_000);
        let again = from(&whole.choice.schedule);
        assert_eq!((&again.found, &again.choice.schedule), (&whole.found, &whole.choice.schedule));
        assert!(again.choice.work <= whole.choice.work, "seed {seed}");
        saved += usize::from(again.choice.work < whole.choice.work);
        assert_eq!(from(&Schedule::default()), whole, "seed {seed}");
    }
    assert!(saved > 2, "{saved}");
}

#[test]
fn a_window_is_found_again_by_its_start_nodes_and_ends() {
    let window = |node, start, span| {
        let slot = Slot::new(Node::must(node, 1.0, 1.0), Time::ZERO, Time::must(99.0)).unwrap();
        let start = Time::must(start);
        Window::new(start, vec![Placement::on(&slot, start, Span::must(span), &Tariff::default())]).unwrap()
    };
    let windows = [window(1, 0.0, 10.0), window(2, 0.0, 10.0), window(2, 0.0, 9.0), window(2, 5.0, 5.0)];
    let jobs = [JobWindows { job: JobId(7), windows: windows.to_vec(), refusal: None }];
    let again = |window: &Window| {
        // The cost depends on the unit of money.
        let more_expensive = |place: &Placement| Placement { cost: Money::must(1e6), ..*place };
        let tasks = window.placements().iter().map(more_expensive).collect();
        let mut earlier = Schedule::default();
        earlier.decide(JobId(7), Ok(Window::new(window.start(), tasks).unwrap())).unwrap();
        found_again(&earlier, &jobs).place_of(JobId(7)).cloned()
    };
    for window in windows {
        assert_eq!(again(&window), Some(window));
    }
    assert_eq!(again(&window(1, 0.0, 9.0)), None);
}
