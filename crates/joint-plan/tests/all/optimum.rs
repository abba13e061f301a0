//! Plans of small batches against the best of all plans.

use crate::drawn::{Draw, Instance, instance, near, planned, planner};
use crate::oracle::{Asked, best, best_as, bests_as, limit_of, terms};
use joint_plan::{Effort, Goal, JointProgress, Stage};
use sched_model::check::{Checker, Holding, Rules};
use sched_model::*;

#[test]
fn plans_are_feasible_bounds_hold_and_most_plans_are_best() {
    let of = |effort| hits_of(effort, 250, |_, _| Asked::plainly());
    let [(_, quick), (_, normal), (plans, hard)] = [Effort::Quick, Effort::Normal, Effort::Hard].map(of);
    println!("of {plans} plans within 0.1% of the best: quick {quick}, normal {normal}, hard {hard}");
    // Seeds are fixed: this says what was measured, not that it is so for all instances.
    assert!(quick <= normal && normal <= hard && hard == plans);
}

/// Where prices leave a gap, branches on starts raise the bound, and no branch loses the best plan.
#[test]
fn branches_on_starts_prove_more_than_prices_and_never_too_much() {
    let (mut gaps, mut closed) = (0, 0);
    for seed in 0..400 {
        let mut instance = instance(seed);
        instance.goal = Goal::MinFinish { budget: Some(limit_of(instance.goal)) };
        let mut told: Vec<JointProgress> = Vec::new();
        let mut observer = |report| told.push(report);
        let plan = planner().run(&instance.problem(), &Limit::default(), &mut observer).unwrap();
        let (most, least) = best(&instance);
        if plan.schedule.placed().count() < most {
            continue;
        }
        let bounds =
            || told.iter().filter(|report| report.stage == Stage::Branch).filter_map(|told| told.bound);
        let Some((first, last)) = bounds().next().zip(bounds().next_back()) else { continue };
        assert!(bounds().is_sorted() && bounds().all(|bound| bound <= least + 1e-9), "seed {seed}");
        gaps += usize::from(first < least - 1e-6);
        closed += usize::from(first < least - 1e-6 && last > least - 1e-6);
    }
    // Seeds are fixed: this says what was measured.
    assert_eq!((gaps, closed), (47, 37));
}

/// Plans with what is asked: valid and below nothing that enumeration finds; how many of them are the best.
fn hits(count: u64, asked_of: impl Fn(u64, &mut Instance) -> Asked) -> (usize, usize) {
    hits_of(Effort::default(), count, asked_of)
}

fn hits_of(effort: Effort, count: u64, asked_of: impl Fn(u64, &mut Instance) -> Asked) -> (usize, usize) {
    let (mut plans, mut hits) = (0, 0);
    for seed in 0..count {
        let mut instance = instance(seed);
        let asked = asked_of(seed, &mut instance);
        let (most, earliest, least) = best_as(&instance, &asked);
        let budgets = (0..2).map(|user| (UserId(user), asked.budgets[user as usize]));
        let mut problem = instance.problem().with_rules(asked.rules).with_user_budgets(budgets);
        if asked.makespan_first {
            problem = problem.with_makespan_first();
        }
        let plan = planned(&problem, effort, &near());
        let violations = Checker::new(&instance.slots, asked.rules).schedule(&plan.schedule, &instance.batch);
        assert!(violations.is_empty(), "seed {seed}: {violations:?}");
        for (user, &budget) in asked.budgets.iter().enumerate() {
            let own = instance.batch.iter().filter(|job| job.user == UserId(user as u32));
            let spent =
                own.filter_map(|job| plan.schedule.place_of(job.id)).map(|window| window.cost().get());
            assert!(spent.sum::<f64>() <= budget + 1e-9, "seed {seed}: user {user}");
        }
        let sum = |of: fn((f64, f64)) -> f64| -> f64 {
            plan.schedule.placed().map(|(_, window)| of(terms(instance.goal, window))).sum()
        };
        assert!((sum(|terms| terms.0) - plan.objective).abs() < 1e-9, "seed {seed}: {}", plan.objective);
        assert!(sum(|terms| terms.1) <= limit_of(instance.goal) + 1e-9, "seed {seed}");
        let placed = plan.schedule.placed().count();
        assert!(placed <= most, "seed {seed}");
        assert_eq!(placed + plan.left_out + plan.unplaceable, instance.batch.len(), "seed {seed}");
        assert!(!plan.most_jobs() || placed == most, "seed {seed}");
        plans += 1;
        if placed < most {
            println!("seed {seed}: {placed} of {most} placed");
            continue;
        }
        let makespan = plan.schedule.makespan().map_or(0.0, Time::get);
        let on_time = !asked.makespan_first || makespan <= earliest;
        if asked.makespan_first && placed > 0 {
            assert!(makespan >= earliest, "seed {seed}");
            assert!(plan.makespan_bound.unwrap().get() <= earliest, "seed {seed}");
        }
        if on_time {
            assert!(plan.bound.unwrap() <= least + 1e-9, "seed {seed}: {:?} above {least}", plan.bound);
            assert!(plan.objective >= least - 1e-9, "seed {seed}: {} below {least}", plan.objective);
            let hit = plan.objective - least <= 1e-3 * least.abs() + 1e-9;
            if !hit {
                println!("seed {seed}: {} where {least} is the best", plan.objective);
            }
            hits += usize::from(hit);
        }
    }
    (plans, hits)
}

#[test]
fn income_of_slowest_spans_is_the_best() {
    let (plans, hits) = hits(150, |_, instance| {
        instance.goal = Goal::MaxIncome { time_limit: Some(limit_of(instance.goal)) };
        Asked { rules: Rules::per_window(1.0).with_holding(Holding::SlowestSpan), ..Asked::plainly() }
    });
    assert_eq!(hits, plans);
}

#[test]
fn budgets_of_users_are_kept_and_most_plans_are_best() {
    let (plans, hits) = hits(250, |seed, instance| {
        let mut draw = Draw(seed ^ 0xb0d);
        let users = instance.batch.iter().map(|job| job.with_user(UserId((job.id.0 % 3) as u32)));
        instance.batch = Batch::new(users.collect()).unwrap();
        let mut budget =
            || if draw.whole(0, 3) == 0 { f64::INFINITY } else { draw.whole(0, 16) as f64 / 2.0 };
        Asked { budgets: [budget(), budget()], ..Asked::plainly() }
    });
    println!("{hits} of {plans} plans within users' budgets are within 0.1% of the best");
    assert_eq!(hits, plans);
}

#[test]
fn bounds_of_jobs_alone_hold_for_every_number_of_jobs_left_out() {
    for seed in 0..120 {
        let instance = instance(seed);
        let holding = if seed % 2 == 0 { Holding::OwnSpan } else { Holding::SlowestSpan };
        let asked = Asked { rules: Rules::per_window(1.0).with_holding(holding), ..Asked::plainly() };
        let bests = bests_as(&instance, &asked);
        let alone = instance.problem().with_rules(asked.rules).bound_of_jobs_alone().unwrap();
        let placeable = instance.batch.len() - alone.unplaceable();
        assert!(bests[placeable + 1..].iter().all(Option::is_none), "seed {seed}");
        for (placed, best) in bests[..=placeable].iter().enumerate() {
            let bound = alone.leaving_out(placeable - placed);
            assert!(best.is_none_or(|best| bound <= best.1), "seed {seed}: {bound} above {best:?}");
        }
        // More than there are: no plan, no claim, and no panic.
        assert!(alone.leaving_out(placeable + 1) <= 0.0 && alone.leaving_out(usize::MAX) <= 0.0);
    }
}

#[test]
fn the_least_makespan_comes_first() {
    let (plans, hits) = hits(120, |_, _| Asked { makespan_first: true, ..Asked::plainly() });
    println!("{hits} of {plans} plans of least makespan are within 0.1% of the best");
    assert_eq!(hits, plans);
}

/// Also for nodes held for the slowest span, and where the price limit gives the budget as well: no window of
/// ALP keeps to these rules.
#[test]
fn price_limits_of_slots_are_kept_under_every_holding() {
    let derived = {
        let mut rules = Rules::per_slot();
        rules.budget_factor = Some(0.75);
        rules
    };
    let square = Rules::per_slot().with_holding(Holding::SlowestSpan);
    for rules in [Rules::per_slot(), square, derived, derived.with_holding(Holding::SlowestSpan)] {
        let (plans, hits) = hits(150, |seed, instance| {
            let mut draw = Draw(seed ^ 0xa1b);
            let mut limited = |job: &Job| {
                let limit = Price::must(draw.whole(3, 10) as f64 / 10.0);
                Job { request: job.request.with_price_limit(limit), ..*job }
            };
            instance.batch = Batch::new(instance.batch.iter().map(&mut limited).collect()).unwrap();
            Asked { rules, makespan_first: seed % 3 == 0, ..Asked::plainly() }
        });
        println!("{rules:?}: {hits} of {plans} plans are within 0.1% of the best");
        // Seeds are fixed. Where ALP keeps to the rules it is the only search of the cycles, and misses one.
        assert_eq!(plans - hits, usize::from(rules == Rules::per_slot()), "{rules:?}");
    }
}
