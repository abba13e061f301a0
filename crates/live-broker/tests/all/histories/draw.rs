//! What is drawn for a history: the configuration, its jobs and its nodes.

use crate::common::Dice;
use batch_dp::{Goal, Preference, VectorCriterion, Weights};
use live_broker::*;
use sched_model::*;
use slot_window::{Objective, SearchKind};

pub(crate) fn config(dice: &mut Dice, preempts: Option<bool>) -> Config {
    let searches = [
        SearchKind::Amp,
        SearchKind::Alp,
        SearchKind::FirstFit,
        SearchKind::MinFinish,
        SearchKind::MinCost,
        SearchKind::MinCostRough,
        SearchKind::MaxValue,
        SearchKind::MultipleBest,
    ];
    let mut config = Config::new(Span::must(dice.pick(&[40.0, 100.0, 1000.0]).unwrap()))
        .with_search(dice.pick(&searches).unwrap())
        .with_interval(Span::must(dice.pick(&[0.0, 0.0, 5.0, 30.0]).unwrap()))
        .with_tolerance(Span::must(dice.pick(&[0.0, 0.0, 1.0, 7.5]).unwrap()))
        .with_work(dice.pick(&[1, 10, 100, 10_000, 1_000_000]).unwrap())
        .with_backoff(Span::must(dice.pick(&[0.0, 3.0]).unwrap()), Span::must(20.0))
        .with_time(dice.pick(Objective::ALL).unwrap());
    let policies = [MovePolicy::Never, MovePolicy::NotLater, MovePolicy::Anywhere];
    let mut stability = Stability::new(dice.pick(&policies).unwrap())
        .with_tax(dice.pick(&[0.0, 0.0, 3.0]).unwrap())
        .with_frozen(Span::must(dice.pick(&[0.0, 5.0]).unwrap()));
    // Numbers of their own, so that what follows stays the same.
    let mut more = Dice(!dice.0);
    if more.chance(25) {
        stability.policy = MovePolicy::Within(Span::must(more.pick(&[0.0, 3.0, 30.0]).unwrap()));
    }
    if more.chance(30) {
        let span = Span::must(more.pick(&[0.0, 4.0, 25.0]).unwrap());
        stability = stability.with_rate(more.below(3) as u32, span);
    }
    if more.chance(20) {
        stability = stability.with_least_gain(more.pick(&[0.0, 1.0, 5.0]).unwrap());
    }
    config = config.with_stability(stability);
    if dice.chance(40) {
        config = config.with_patience(Span::must(60.0));
    }
    let goals = [
        Goal::MinTime { budget: None },
        Goal::MinCost { time_limit: None },
        Goal::MaxIncome { time_limit: None },
        Goal::MinCost { time_limit: Some(60.0) },
        Goal::MinTime { budget: Some(90.0) },
    ];
    if preempts.unwrap_or_else(|| dice.chance(40)) {
        let least = Span::must(dice.pick(&[0.0, 0.0, 1.0, 5.0]).unwrap());
        let delay = Span::must(dice.pick(&[0.0, 0.0, 3.0]).unwrap());
        config = config.with_preemption(Preemption::new(least).with_delay(delay));
    }
    if dice.chance(60) {
        config = config.with_goal(dice.pick(&goals).unwrap(), 1 + dice.below(4) as usize);
    }
    if more.chance(40)
        && let Some(goal) = config.goal
    {
        let weights = Weights { cost: 1.0, time: 0.5, ..Weights::default() };
        let order = vec![VectorCriterion::TimeLeft, VectorCriterion::Cost];
        let finish = if matches!(goal, Goal::MinTime { .. }) { Prefer::MeanFinish } else { Prefer::Makespan };
        let preferences = [
            Prefer::Makespan,
            finish,
            Prefer::Vector(Preference::Weighted(weights)),
            Prefer::Vector(Preference::Lexicographic(order)),
        ];
        config = config.with_preference(preferences[more.below(4) as usize].clone());
    }
    config
}

/// The jobs of one history: numbers with few digits, so that instants and costs often meet exactly.
pub(crate) fn job(dice: &mut Dice, id: u64, now: Time) -> Job {
    let work = dice.pick(&[1.0, 2.0, 5.0, 10.0, 0.1, 30.0, 1e-9]).unwrap();
    let mut request = ResourceRequest::new(1 + dice.below(4) as usize, Work::must(work)).unwrap();
    if dice.chance(30) {
        request = request.with_budget(Money::must(dice.pick(&[-0.0, 0.3, 10.0, 50.0]).unwrap()));
    }
    if dice.chance(20) {
        request = request.with_deadline(now + Span::must(dice.pick(&[0.0, 5.0, 20.0, 60.0]).unwrap()));
    }
    if dice.chance(20) {
        request = request.with_min_speed(Speed::must(2.0));
    }
    if dice.chance(20) {
        request = request.with_price_limit(Price::must(dice.pick(&[0.0, 1.0, 2.5]).unwrap()));
    }
    let mut job =
        Job::new(JobId(id), request).with_priority(Priority::must(dice.pick(&[1.0, 1.0, 2.0]).unwrap()));
    if dice.chance(20) {
        job = job.with_submit(now + Span::must(dice.pick(&[0.0, 4.0, 25.0]).unwrap()));
    }
    job
}

pub(crate) fn node(dice: &mut Dice, id: u32) -> Node {
    let speed = dice.pick(&[1.0, 1.0, 2.0, 0.5]).unwrap();
    let price = dice.pick(&[0.0, 1.0, 1.0, 0.1, 3.0]).unwrap();
    Node::new(NodeId(id), Speed::must(speed), Price::must(price))
}

/// Labels and amounts of a node.
pub(crate) fn features(dice: &mut Dice) -> Features {
    let mut features = Features::new().with_label(dice.pick(&["rack=a", "rack=a", "rack=b"]).unwrap());
    if dice.chance(15) {
        features = Features::new();
    }
    if dice.chance(50) {
        features = features.with_label("gpu");
    }
    features.with_amount("memory", dice.pick(&[0.0, 16.0, 64.0]).unwrap()).unwrap()
}

/// What a job demands; often nothing.
pub(crate) fn demands(dice: &mut Dice, now: Time) -> Demands {
    let mut demands = Demands::new();
    if dice.chance(25) {
        demands = demands.with_label("gpu");
    }
    if dice.chance(10) {
        demands = demands.without_label("gpu");
    }
    if dice.chance(20) {
        demands = demands.with_at_least("memory", dice.pick(&[1.0, 16.0, 32.0, 100.0]).unwrap()).unwrap();
    }
    match dice.below(10) {
        0 | 1 => demands = demands.with_pack("rack"),
        2 | 3 => demands = demands.with_spread("rack", 1 + dice.below(2) as usize).unwrap(),
        _ => {}
    }
    let soon = now + Span::must(dice.pick(&[0.0, 2.0, 9.0, 30.0]).unwrap());
    match dice.below(10) {
        0 | 1 => demands = demands.with_not_before(soon),
        2 => demands = demands.with_start(soon),
        _ => {}
    }
    if dice.chance(15) {
        let span = |id: u32, span: f64| (NodeId(id), Span::must(span));
        let measured = [span(1, 3.5), span(2, 0.5), span(4, 20.0)];
        demands = demands.with_spans(Spans::new(measured).unwrap());
    }
    demands
}
