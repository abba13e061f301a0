//! Plans of jobs that demand more than their requests say, against the best of all plans, by enumeration over
//! whole starts and all sets of nodes.

use crate::drawn::{Draw, Instance, goal, near, planned};
use crate::oracle::{Asked, bests_as};
use joint_plan::{Effort, Goal, PlanProblem};
use sched_model::check::{Holding, Rules};
use sched_model::*;

/// Five nodes in three racks, some with a GPU, up to three jobs; all spans are whole, so that some best plan
/// has whole starts.
fn instance(seed: u64) -> (Instance, Asked) {
    let mut draw = Draw(seed.wrapping_mul(7919) ^ 0xdead);
    let (mut slots, mut features) = (Vec::new(), Vec::new());
    for id in 0..5 {
        let (speed, price) = (draw.real(1, 2), draw.real(1, 9) / 8.0);
        let node = Node::new(NodeId(id), Speed::must(speed), Price::must(price));
        let start = draw.real(0, 3);
        let end = start + draw.real(3, 9);
        slots.push(Slot::new(node, Time::must(start), Time::must(end)).unwrap());
        let mut of = Features::new().with_amount("memory", draw.real(1, 3)).unwrap();
        if draw.below(10) > 0 {
            of = of.with_label(format!("rack={}", draw.below(3)));
        }
        if draw.below(2) == 0 {
            of = of.with_label("gpu");
        }
        features.push((NodeId(id), of));
    }
    let (mut jobs, mut demands) = (Vec::new(), Vec::new());
    for id in 0..=draw.below(3) {
        let work = Work::must(2.0 * draw.real(1, 3));
        let nodes = 1 + draw.below(3) as usize;
        let mut request = ResourceRequest::new(nodes, work).unwrap();
        if draw.below(3) == 0 {
            request = request.with_budget(Money::must(draw.real(2, 12) / 2.0));
        }
        jobs.push(Job::new(JobId(id), request).with_submit(Time::must(draw.real(0, 2))));
        let mut asked = Demands::new();
        if draw.below(4) == 0 {
            asked = asked.with_label("gpu");
        }
        if draw.below(4) == 0 {
            asked = asked.with_at_least("memory", 2.0).unwrap();
        }
        if draw.below(3) == 0 {
            asked = asked.with_pack("rack");
        } else if draw.below(2) == 0 {
            asked = asked.with_spread("rack", 1 + draw.below(2) as usize).unwrap();
        }
        if draw.below(3) == 0 {
            let span = |draw: &mut Draw| Span::must(draw.real(1, 5));
            let spans = [(NodeId(1), span(&mut draw)), (NodeId(3), span(&mut draw))];
            asked = asked.with_spans(Spans::new(spans).unwrap());
        }
        match draw.below(6) {
            0 => asked = asked.with_not_before(Time::must(draw.real(1, 4))),
            1 => asked = asked.with_start(Time::must(draw.real(2, 4))),
            _ => {}
        }
        if draw.below(5) > 0 {
            demands.push((JobId(id), asked));
        }
    }
    let limit = if draw.below(2) == 0 { f64::INFINITY } else { draw.real(4, 30) / 2.0 };
    let goal = goal(&mut draw, limit);
    let holding = if draw.below(2) == 0 { Holding::OwnSpan } else { Holding::SlowestSpan };
    let slots = SlotList::new(slots).unwrap().with_features(features).unwrap();
    let rules = Rules::per_window(1.0).with_holding(holding);
    (Instance { slots, batch: Batch::new(jobs).unwrap(), goal }, Asked { rules, demands, ..Asked::plainly() })
}

#[test]
fn plans_meet_the_demands_and_their_bounds_hold() {
    let (mut best_plans, mut all) = (0, 0);
    for seed in 0..250 {
        let (instance, asked) = instance(seed);
        let bests = bests_as(&instance, &asked);
        let most = bests.iter().rposition(Option::is_some).unwrap_or(0);
        for effort in [Effort::Quick, Effort::Normal, Effort::Hard] {
            let problem = instance.problem().with_rules(asked.rules);
            let problem = problem.with_demands(asked.demands.iter().cloned());
            let plan = planned(&problem, effort, &near());
            let wrong = asked.checker(&instance.slots).schedule(&plan.schedule, &instance.batch);
            assert_eq!(wrong, vec![], "seed {seed}, {effort:?}");
            let placed = plan.schedule.placed().count();
            assert!(placed <= most, "seed {seed}");
            let best = bests[placed].unwrap().1;
            assert!(plan.objective >= best - 1e-9, "seed {seed}: {} below {best}", plan.objective);
            if let Some(bound) = plan.bound {
                assert!(bound <= best + 1e-9, "seed {seed}, {effort:?}: bound {bound}, best {best}");
            }
            let none = |job: &&Job| asked.windows(&instance.slots, job).is_empty();
            let unplaceable = instance.batch.iter().filter(none).count();
            assert_eq!(plan.unplaceable, unplaceable, "seed {seed}");
            if effort == Effort::Hard {
                all += 1;
                best_plans +=
                    usize::from(placed == most && plan.objective <= best * (1.0 + 1e-3 * best.signum()));
            }
        }
    }
    assert!(best_plans * 100 >= all * 97, "{best_plans} of {all} are the best");
}

/// A plan that starts from one that does not meet the demands does not take it.
#[test]
fn a_known_plan_that_does_not_meet_the_demands_is_ignored() {
    let node = |id, price| Node::new(NodeId(id), Speed::ETALON, Price::must(price));
    let slots =
        SlotList::from_nodes(&[node(1, 1.0), node(2, 3.0)], &[], Time::ZERO, Time::must(40.0)).unwrap();
    let slots = slots.with_features([(NodeId(2), Features::new().with_label("gpu"))]).unwrap();
    let request = ResourceRequest::new(1, Work::must(10.0)).unwrap();
    let batch = Batch::new(vec![Job::new(JobId(1), request)]).unwrap();
    let problem = PlanProblem::new(&slots, &batch, Goal::MinCost { time_limit: None });
    let known = planned(&problem, Effort::Hard, &near()).schedule;
    let problem = problem.with_demands([(JobId(1), Demands::new().with_label("gpu"))]);
    let plan = planned(&problem.with_start(known), Effort::Hard, &near());
    assert_eq!(plan.schedule.place_of(JobId(1)).unwrap().nodes().collect::<Vec<_>>(), [NodeId(2)]);
}
