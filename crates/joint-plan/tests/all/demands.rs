//! Plans of jobs that demand more than their requests say, against the best of all plans, by enumeration over
//! whole starts and all sets of nodes.

use joint_plan::{Effort, JointGoal, JointPlanner};
use sched_model::check::{Checker, Holding, Rules};
use sched_model::*;

/// A linear congruential generator (Knuth's MMIX constants): instances for tests alone.
struct Draw(u64);

impl Draw {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    fn whole(&mut self, least: u64, most: u64) -> f64 {
        (least + self.below(most - least + 1)) as f64
    }
}

struct Instance {
    slots: SlotList,
    batch: Batch,
    demands: Vec<(JobId, Demands)>,
    goal: JointGoal,
    rules: Rules,
}

/// Five nodes in three racks, some with a GPU, up to three jobs; all spans are whole, so that some best plan
/// has whole starts.
fn instance(seed: u64) -> Instance {
    let mut draw = Draw(seed.wrapping_mul(7919) ^ 0xdead);
    let (mut slots, mut features) = (Vec::new(), Vec::new());
    for id in 0..5 {
        let (speed, price) = (draw.whole(1, 2), draw.whole(1, 9) / 8.0);
        let node = Node::new(NodeId(id), Speed::must(speed), Price::must(price));
        let start = draw.whole(0, 3);
        let end = start + draw.whole(3, 9);
        slots.push(Slot::new(node, Time::must(start), Time::must(end)).unwrap());
        let mut of = Features::new().with_amount("memory", draw.whole(1, 3)).unwrap();
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
        let work = Work::must(2.0 * draw.whole(1, 3));
        let nodes = 1 + draw.below(3) as usize;
        let mut request = ResourceRequest::new(nodes, work).unwrap();
        if draw.below(3) == 0 {
            request = request.with_budget(Money::must(draw.whole(2, 12) / 2.0));
        }
        jobs.push(Job::new(JobId(id), request).with_submit(Time::must(draw.whole(0, 2))));
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
            let span = |draw: &mut Draw| Span::must(draw.whole(1, 5));
            let spans = [(NodeId(1), span(&mut draw)), (NodeId(3), span(&mut draw))];
            asked = asked.with_spans(Spans::new(spans).unwrap());
        }
        match draw.below(6) {
            0 => asked = asked.with_not_before(Time::must(draw.whole(1, 4))),
            1 => asked = asked.with_start(Time::must(draw.whole(2, 4))),
            _ => {}
        }
        if draw.below(5) > 0 {
            demands.push((JobId(id), asked));
        }
    }
    let limit = if draw.below(2) == 0 { f64::INFINITY } else { draw.whole(4, 30) / 2.0 };
    let goal = match draw.below(4) {
        0 => JointGoal::MinTime { budget: limit },
        1 => JointGoal::MinFinish { budget: limit },
        2 => JointGoal::MinCost { time_limit: limit },
        _ => JointGoal::MaxIncome { time_limit: limit },
    };
    let holding = if draw.below(2) == 0 { Holding::OwnSpan } else { Holding::SlowestSpan };
    let slots = SlotList::new(slots).unwrap().with_features(features).unwrap();
    let rules = Rules::per_window(1.0).with_holding(holding);
    Instance { slots, batch: Batch::new(jobs).unwrap(), demands, goal, rules }
}

impl Instance {
    /// Objective and use of the limit of a window.
    fn terms(&self, window: &Window) -> (f64, f64) {
        let (cost, runtime, finish) = (window.cost().get(), window.runtime().get(), window.finish().get());
        match self.goal {
            JointGoal::MinTime { .. } => (runtime, cost),
            JointGoal::MinFinish { .. } => (finish, cost),
            JointGoal::MinCost { .. } => (cost, runtime),
            _ => (-cost, runtime),
        }
    }

    fn limit(&self) -> f64 {
        match self.goal {
            JointGoal::MinTime { budget } | JointGoal::MinFinish { budget } => budget,
            JointGoal::MinCost { time_limit } | JointGoal::MaxIncome { time_limit } => time_limit,
            _ => f64::INFINITY,
        }
    }

    fn checker(&self) -> Checker {
        Checker::new(&self.slots, self.rules).with_demands(self.demands.iter().cloned())
    }

    fn windows(&self, job: &Job) -> Vec<Window> {
        let demands =
            self.demands.iter().find(|of| of.0 == job.id).map(|of| of.1.clone()).unwrap_or_default();
        let (all, checker) = (self.slots.iter().collect::<Vec<_>>(), self.checker());
        let own = |slot: &Slot| {
            demands.spans().on(slot.node()).unwrap_or_else(|| job.request.span_on(slot.speed()))
        };
        let mut windows = Vec::new();
        for start in (0..14).map(|start| Time::must(f64::from(start))) {
            for set in 0_u32..1 << all.len() {
                let chosen = || all.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1).map(|of| *of.1);
                let longest = chosen().map(own).max().unwrap_or(Span::ZERO);
                let square = self.rules.holding == Holding::SlowestSpan;
                let place = |slot| Placement::on(slot, start, if square { longest } else { own(slot) });
                if let Ok(window) = Window::new(start, chosen().map(place).collect())
                    && checker.job(&window, job).is_empty()
                {
                    windows.push(window);
                }
            }
        }
        windows
    }

    /// For each number of jobs placed, the least objective of a plan.
    fn bests(&self) -> Vec<Option<f64>> {
        let windows: Vec<Vec<Window>> = self.batch.iter().map(|job| self.windows(job)).collect();
        let mut bests = vec![None; windows.len() + 1];
        let mut chosen: Vec<&Window> = Vec::new();
        self.extend(&windows, &mut chosen, &mut bests);
        bests
    }

    // As deep as there are jobs: three.
    fn extend<'a>(&self, rest: &'a [Vec<Window>], chosen: &mut Vec<&'a Window>, bests: &mut [Option<f64>]) {
        let Some((first, rest)) = rest.split_first() else {
            if chosen.iter().map(|window| self.terms(window).1).sum::<f64>() <= self.limit() {
                let sum = chosen.iter().map(|window| self.terms(window).0).sum::<f64>();
                let best = &mut bests[chosen.len()];
                *best = Some(best.map_or(sum, |best: f64| best.min(sum)));
            }
            return;
        };
        self.extend(rest, chosen, bests);
        for window in first {
            let apart = |other: &&Window| {
                let overlap = |a: &Placement, b: &Placement| {
                    a.node == b.node && window.start() < b.end && other.start() < a.end
                };
                !window.placements().iter().any(|a| other.placements().iter().any(|b| overlap(a, b)))
            };
            if chosen.iter().all(apart) {
                chosen.push(window);
                self.extend(rest, chosen, bests);
                chosen.pop();
            }
        }
    }
}

#[test]
fn plans_meet_the_demands_and_their_bounds_hold() {
    let (mut best_plans, mut all) = (0, 0);
    for seed in 0..250 {
        let instance = instance(seed);
        let bests = instance.bests();
        let most = bests.iter().rposition(Option::is_some).unwrap_or(0);
        for effort in [Effort::Quick, Effort::Normal, Effort::Hard] {
            let planner = JointPlanner::new(instance.rules)
                .with_effort(effort)
                .with_demands(instance.demands.iter().cloned());
            let plan = planner.plan(&instance.slots, &instance.batch, Time::ZERO, instance.goal).unwrap();
            let wrong = instance.checker().schedule(&plan.schedule, &instance.batch);
            assert_eq!(wrong, vec![], "seed {seed}, {effort:?}");
            let placed = plan.schedule.placed().count();
            assert!(placed <= most, "seed {seed}");
            let best = bests[placed].unwrap();
            assert!(plan.objective >= best - 1e-9, "seed {seed}: {} below {best}", plan.objective);
            if let Some(bound) = plan.bound {
                assert!(bound <= best + 1e-9, "seed {seed}, {effort:?}: bound {bound}, best {best}");
            }
            let unplaceable = instance.batch.iter().filter(|job| instance.windows(job).is_empty()).count();
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
    let goal = JointGoal::MinCost { time_limit: f64::INFINITY };
    let planner = JointPlanner::new(Rules::per_window(1.0));
    let known = planner.plan(&slots, &batch, Time::ZERO, goal).unwrap().schedule;
    let planner = planner.with_demands([(JobId(1), Demands::new().with_label("gpu"))]);
    let plan = planner.with_known_plan(known).plan(&slots, &batch, Time::ZERO, goal).unwrap();
    assert_eq!(plan.schedule.place_of(JobId(1)).unwrap().nodes().collect::<Vec<_>>(), [NodeId(2)]);
}
