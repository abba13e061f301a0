//! Budgets of users where jobs may be left out, against all selections.

// Outside of #[test] functions clippy does not know that this is a test.

use crate::oracle;
use crate::oracle::Exact;
use batch_dp::*;
use proptest::prelude::*;
use sched_model::{End, Limit};

fn values() -> impl Strategy<Value = f64> {
    prop_oneof![
        (0..9_u32).prop_map(f64::from),
        (0..40_u32).prop_map(|tenths| f64::from(tenths) / 10.0),
        (0..4_000_u32).prop_map(|n| f64::from(n) / 7.0),
    ]
}

/// A selection: what it picks, its cost and time, what it leaves out, and the cost of each of three users.
#[derive(Clone)]
struct One {
    picks: Vec<Option<usize>>,
    cost: Exact,
    time: Exact,
    left: Exact,
    spent: [Exact; 3],
}

fn all(jobs: &[Vec<(f64, f64)>], user_of: &[usize], lost: &[f64]) -> Vec<One> {
    let zero = Exact::of(0.0);
    let mut all = vec![One { picks: Vec::new(), cost: zero, time: zero, left: zero, spent: [zero; 3] }];
    for ((job, &user), &lost) in jobs.iter().zip(user_of).zip(lost) {
        let with = |one: One| {
            let alternatives = job.iter().enumerate().map(|(at, pair)| (Some(at), *pair, 0.0));
            let choices: Vec<_> = alternatives.chain([(None, (0.0, 0.0), lost)]).collect();
            choices.into_iter().map(move |(pick, (cost, time), lost)| {
                let mut next = one.clone();
                next.picks.push(pick);
                next.cost = next.cost.plus(cost);
                next.time = next.time.plus(time);
                next.left = next.left.plus(lost);
                next.spent[user] = next.spent[user].plus(cost);
                next
            })
        };
        all = all.into_iter().flat_map(with).collect();
    }
    all
}

/// Service, then what is minimised, then what is limited, as rounded.
fn rank(problem: Problem, is_penalty: bool, one: &One) -> (Exact, f64, f64) {
    let (p, w) = match problem {
        Problem::MinTime { .. } => (one.time, one.cost),
        Problem::MinCost { .. } => (one.cost, one.time),
        Problem::MaxTime { .. } => (one.time.negated(), one.cost),
        _ => (one.cost.negated(), one.time),
    };
    if is_penalty {
        (Exact::of(0.0), p.added(one.left).rounded(), w.rounded())
    } else {
        (one.left, p.rounded(), w.rounded())
    }
}

proptest! {
    #![proptest_config(oracle::cases(2_000))]

    #[test]
    fn the_best_of_all_selections_within_every_budget(
        jobs in prop::collection::vec(
            (prop::collection::vec((values(), values()), 0..4), 0..3_usize, values()),
            0..6,
        ),
        places in [0.0..1.1_f64, 0.0..1.1_f64, 0.0..1.1_f64],
        (place, known) in (0.0..1.0_f64, 0.0..1.0_f64),
        (which, kind) in (0..4_usize, 0..3_usize),
        work in 0_u64..400,
    ) {
        let rows: Vec<Vec<(f64, f64)>> = jobs.iter().map(|job| job.0.clone()).collect();
        let user_of: Vec<usize> = jobs.iter().map(|job| job.1).collect();
        let lost: Vec<f64> = match kind {
            0 => jobs.iter().map(|job| job.2).collect(),
            1 => vec![1.0; rows.len()],
            _ => jobs.iter().map(|job| job.2.floor()).collect(),
        };
        let service = match kind {
            0 => Service::Penalties(lost.clone()),
            1 => Service::MostJobs,
            _ => Service::GreatestWeight(lost.clone()),
        };
        let batch = Alternatives::new(&rows).unwrap();
        let all = all(&rows, &user_of, &lost);
        let at = |place: f64| &all[((all.len() - 1) as f64 * place.min(1.0)) as usize];
        let budget =
            |user: usize| if places[user] > 1.0 { f64::INFINITY } else { at(places[user]).spent[user].rounded() };
        let budgets: Vec<f64> = (0..3).map(budget).collect();
        let problem = match which {
            0 => Problem::MinTime { budget: at(place).cost.rounded() },
            1 => Problem::MinCost { time_limit: at(place).time.rounded() },
            2 => Problem::MaxTime { budget: at(place).cost.rounded() },
            _ => Problem::MaxIncome { time_limit: at(place).time.rounded() },
        };
        let allowed = |one: &&One| {
            one.spent.iter().zip(&budgets).all(|(spent, &budget)| spent.rounded() <= budget)
                && rank(problem, false, one).2 <= oracle::limit(&problem)
        };
        let best = all.iter().filter(allowed).map(|one| rank(problem, kind == 0, one));
        let best = best.min_by(|a, b| a.partial_cmp(b).unwrap()).unwrap();
        let users = UserBudgets::new(user_of, budgets.clone());
        let of = |picks: &[Option<usize>]| all.iter().find(|one| one.picks == picks).unwrap();
        let limit = Limit::default();
        let mut scratch = Scratch::default();
        let outcome =
            select_with_user_budgets(&batch, problem, &service, &users, &mut scratch, &mut limit.meter()).unwrap();
        prop_assert_eq!(outcome.end, End::Done);
        let found = outcome.incumbent.as_ref().unwrap();
        let one = of(&found.picks);
        prop_assert!(allowed(&one));
        prop_assert_eq!(rank(problem, kind == 0, one), best, "{:?} {:?} {:?}", problem, service, users);
        prop_assert_eq!((found.cost, found.time), (one.cost.rounded(), one.time.rounded()));
        prop_assert_eq!(found.left_out, one.left.rounded());
        // From a selection that is known, within any limit.
        let known = at(known);
        for limit in [Limit::default(), Limit::default().with_work(work)] {
            let from = select_with_user_budgets_from(
                &batch, problem, &service, &users, &known.picks, &mut scratch, &mut limit.meter(),
            );
            let from = from.unwrap();
            prop_assert!(from.work <= limit.work);
            let rank_of = |picks: &[Option<usize>]| rank(problem, kind == 0, of(picks));
            if let Some(found) = &from.incumbent {
                prop_assert!(allowed(&of(&found.picks)));
            }
            if from.end == End::Done {
                prop_assert_eq!(rank_of(&from.incumbent.as_ref().unwrap().picks), best);
            }
            if allowed(&known) {
                let (found, before) = (rank_of(&from.incumbent.unwrap().picks), rank(problem, kind == 0, known));
                prop_assert!((found.0, found.1) <= (before.0, before.1), "{:?} {:?}", found, before);
            }
            if let (Some(bound), true) = (from.bound, kind == 0) {
                let sign = if problem.sense() == sched_model::Sense::Maximise { -1.0 } else { 1.0 };
                prop_assert!(sign * bound <= best.1);
            }
        }
    }

    #[test]
    fn a_choice_from_a_known_one_is_never_worse(
        jobs in prop::collection::vec((prop::collection::vec((values(), values()), 1..5), 0..2_usize), 1..6),
        places in [0.0..1.1_f64, 0.0..1.1_f64],
        place in 0.0..1.0_f64,
        picks in prop::collection::vec(0..5_usize, 6),
        which in 0..4_usize,
        work in 0_u64..400,
    ) {
        let (rows, user_of): (Vec<_>, Vec<usize>) = jobs.into_iter().unzip();
        let batch = Alternatives::new(&rows).unwrap();
        let known: Vec<usize> = rows.iter().zip(picks).map(|(row, pick)| pick % row.len()).collect();
        let all = all(&rows, &user_of, &vec![1.0; rows.len()]);
        let at = |place: f64| &all[((all.len() - 1) as f64 * place.min(1.0)) as usize];
        let budgets: Vec<f64> = (0..2).map(|user| at(places[user]).spent[user].rounded()).collect();
        let problem = match which {
            0 => Problem::MinTime { budget: at(place).cost.rounded() },
            1 => Problem::MinCost { time_limit: at(place).time.rounded() },
            2 => Problem::MaxTime { budget: at(place).cost.rounded() },
            _ => Problem::MaxIncome { time_limit: at(place).time.rounded() },
        };
        let users = UserBudgets::new(user_of, budgets.clone());
        let (mut scratch, limit) = (Scratch::default(), Limit::default());
        let whole = choose_with_user_budgets(&batch, problem, &users, &mut scratch, &mut limit.meter()).unwrap();
        let sums = |choice: &Choice| oracle::sums(&problem, (choice.cost, choice.time));
        let picks: Vec<Option<usize>> = known.iter().copied().map(Some).collect();
        let one = all.iter().find(|one| one.picks == picks).unwrap();
        let is_allowed = one.spent.iter().zip(&budgets).all(|(spent, &budget)| spent.rounded() <= budget)
            && oracle::sums(&problem, (one.cost.rounded(), one.time.rounded())).1 <= oracle::limit(&problem);
        for limit in [Limit::default(), Limit::default().with_work(work)] {
            let mut meter = limit.meter();
            let from =
                choose_with_user_budgets_from(&batch, problem, &users, &known, &mut scratch, &mut meter).unwrap();
            if limit.work == work {
                if let (true, BatchDecision::Chosen(outcome)) = (is_allowed, &from) {
                    let found = outcome.incumbent.as_ref().unwrap();
                    prop_assert!(sums(found).0 <= oracle::sums(&problem, (one.cost.rounded(), one.time.rounded())).0);
                }
            } else {
                prop_assert_eq!(from.choice().map(sums), whole.choice().map(sums));
            }
        }
    }
}

/// Three jobs of one user who can pay for two: one is refused with what the user lacks, or with what the
/// batch does.
#[test]
fn a_plan_serves_what_users_can_pay_for() {
    use sched_model::*;
    let window = |node: u32, price: f64| {
        let node = Node::new(NodeId(node), Speed::ETALON, Price::must(price));
        let slot = Slot::new(node, Time::ZERO, Time::must(99.0)).unwrap();
        vec![Window::new(Time::ZERO, vec![Placement::on(&slot, Time::ZERO, Span::must(2.0))]).unwrap()]
    };
    let windows = [window(1, 5.0), window(2, 2.0), window(3, 3.0), window(4, 6.0)];
    let offers = || (0..).map(JobId).zip(&windows).map(|(job, windows)| (job, windows.as_slice(), None));
    let users = (0..3).map(|job| (JobId(job), UserId(7)));
    let planner = Planner::new(Goal::MinCost { time_limit: Some(6.0) });
    let planner = planner.with_user_budgets([(UserId(7), 11.0), (UserId(8), -1.0)], users);
    // All jobs of a user or none.
    let whole = planner.plan(offers()).unwrap().schedule;
    assert_eq!(whole.placed().map(|(job, _)| job).collect::<Vec<_>>(), [JobId(3)]);
    let served = |service: Service| {
        let schedule = planner.clone().with_service(service).plan(offers()).unwrap().schedule;
        assert!(planner.allows(&schedule));
        let placed: Vec<u64> = schedule.placed().map(|(job, _)| job.0).collect();
        (placed, schedule)
    };
    let (placed, schedule) = served(Service::MostJobs);
    assert_eq!(placed, [1, 2, 3]);
    assert_eq!(schedule.refused().next(), Some((JobId(0), &Refusal::Budget { short_by: Money::must(9.0) })));
    assert_eq!(served(Service::GreatestWeight(vec![9.0, 1.0, 1.0, 1.0])).0, [0, 3]);
    assert_eq!(served(Service::Penalties(vec![99.0, 1.0, 1.0, 1.0])).0, [0]);
    // The user of the last job owes money: it is refused, and the others are served.
    let users = (0..4).map(|job| (JobId(job), UserId(if job < 3 { 7 } else { 8 })));
    let planner = planner.with_user_budgets([(UserId(7), 11.0), (UserId(8), -1.0)], users);
    let schedule = planner.with_service(Service::MostJobs).plan(offers()).unwrap().schedule;
    assert_eq!(schedule.placed().map(|(job, _)| job.0).collect::<Vec<_>>(), [1, 2]);
}

/// Numbers of 60 decades are held in many limbs: the memory of a few of them is that of a few.
#[test]
fn few_jobs_with_numbers_of_sixty_decades_need_little_memory() {
    let batch = Alternatives::new(&[vec![(0.0, 1.0)], vec![(2.0, 5e59)], vec![(1.0, 1e-60)]]).unwrap();
    let users = UserBudgets::new(vec![0, 0, 1], vec![0.0, 0.5]);
    let (mut scratch, limit) = (Scratch::default(), Limit::default().with_memory(1_000_000));
    for problem in [Problem::MaxTime { budget: 9.0 }, Problem::MaxIncome { time_limit: 1e60 }] {
        for service in [
            Service::MostJobs,
            Service::GreatestWeight(vec![1.0, 1e-30, 1e30]),
            Service::Penalties(vec![1.0; 3]),
        ] {
            let found =
                select_with_user_budgets(&batch, problem, &service, &users, &mut scratch, &mut limit.meter());
            let found = found.unwrap();
            assert_eq!((found.end, found.incumbent.unwrap().picks), (End::Done, vec![Some(0), None, None]));
        }
        let rich = UserBudgets::new(vec![0, 0, 1], vec![2.0, 1.5]);
        let decision =
            choose_with_user_budgets(&batch, problem, &rich, &mut scratch, &mut limit.meter()).unwrap();
        assert_eq!(decision.choice().map(|choice| choice.cost), Some(3.0));
    }
}

/// Numbers of a few of the least doubles, of which products with others are lost.
#[test]
fn the_greatest_income_of_the_least_doubles_is_found() {
    let least = |units: u64| f64::from_bits(units);
    let of = |pairs: &[(u64, u64)]| pairs.iter().map(|&(c, t)| (least(c), least(t))).collect::<Vec<_>>();
    let batch = Alternatives::new(&[of(&[(8, 8), (0, 3)]), of(&[(6, 6), (0, 2)]), of(&[(0, 5)])]).unwrap();
    let problem = Problem::MaxIncome { time_limit: least(14) };
    let users = UserBudgets::new(vec![1, 0, 1], vec![f64::INFINITY; 2]);
    let (mut scratch, limit) = (Scratch::default(), Limit::default());
    let found = select_with_user_budgets(
        &batch,
        problem,
        &Service::MostJobs,
        &users,
        &mut scratch,
        &mut limit.meter(),
    );
    let found = found.unwrap();
    assert_eq!((found.end, found.incumbent.unwrap().cost), (End::Done, least(6)));
}

/// The known selection costs 29.75, and the budget is 16.25.
#[test]
fn a_known_selection_that_breaks_the_limit_has_no_effect() {
    let batch = Alternatives::new(&[
        vec![(6.25, 9.75)],
        vec![(18.5, 11.75)],
        vec![(10.0, 16.25), (3.75, 17.0), (13.75, 6.75), (17.75, 15.25)],
        vec![(19.75, 12.5), (6.5, 12.25)],
    ])
    .unwrap();
    let (problem, service) =
        (Problem::MaxTime { budget: 16.25 }, Service::GreatestWeight(vec![1.0, 3.0, 3.0, 1.0]));
    let users = UserBudgets::new(vec![0, 0, 0, 1], vec![f64::INFINITY, 29.0]);
    let known = [None, None, Some(0), Some(0)];
    let mut last = 0.0;
    for work in 0..600 {
        let limit = Limit::default().with_work(work);
        let (scratch, meter) = (&mut Scratch::default(), &mut limit.meter());
        let cold = select_with_user_budgets(&batch, problem, &service, &users, scratch, meter).unwrap();
        let (scratch, meter) = (&mut Scratch::default(), &mut limit.meter());
        let warm = select_with_user_budgets_from(&batch, problem, &service, &users, &known, scratch, meter);
        assert_eq!(warm.unwrap(), cold, "{work}");
        let time = cold.incumbent.map_or(0.0, |found| found.time);
        assert!(time >= last, "{time} at {work}, {last} before");
        last = time;
    }
    assert_eq!(last, 29.25);
}

/// One job of one user and two of another, who can pay for one: two selections serve as many jobs, and the
/// lighter one takes longer.
#[test]
fn a_selection_of_as_great_a_service_is_never_replaced_by_a_worse_one() {
    let least = |units: u64| f64::from_bits(units);
    let batch =
        Alternatives::new(&[vec![(least(3), 0.0)], vec![(least(7), 1.0)], vec![(least(3), 0.0)]]).unwrap();
    for (budget, own) in
        [6, 7, 10, 12, 13].into_iter().flat_map(|budget| [2, 3, 7].map(|own| (least(budget), least(own))))
    {
        let users = UserBudgets::new(vec![1, 0, 0], vec![own, f64::INFINITY]);
        for problem in [
            Problem::MinTime { budget },
            Problem::MaxTime { budget },
            Problem::MinCost { time_limit: 1.0 },
            Problem::MaxIncome { time_limit: 1.0 },
        ] {
            for service in [Service::MostJobs, Service::GreatestWeight(vec![1.0, 2.0, 1.0])] {
                let sign = if problem.sense() == sched_model::Sense::Maximise { -1.0 } else { 1.0 };
                let mut last = None;
                for work in 0..300 {
                    let limit = Limit::default().with_work(work);
                    let (scratch, meter) = (&mut Scratch::default(), &mut limit.meter());
                    let found =
                        select_with_user_budgets(&batch, problem, &service, &users, scratch, meter).unwrap();
                    let now =
                        found.incumbent.map(|found| (found.left_out, sign * found_value(problem, &found)));
                    assert!(
                        last.is_none_or(|last| now.is_some_and(|now| now <= last)),
                        "{problem:?} {users:?} {service:?}: {now:?} at {work}, {last:?} before"
                    );
                    last = now;
                }
            }
        }
    }
}

fn found_value(problem: Problem, found: &Selection) -> f64 {
    match problem {
        Problem::MinTime { .. } | Problem::MaxTime { .. } => found.time,
        _ => found.cost,
    }
}
