//! Budgets of users beside the limit of the batch, against all choices.

// Outside of #[test] functions clippy does not know that this is a test.

use crate::oracle;
use crate::oracle::{Exact, values};
use batch_dp::*;
use proptest::prelude::*;
use sched_model::{End, Limit};

/// Every choice: its picks, its cost and time, and the cost of each of three users.
fn all(jobs: &[Vec<(f64, f64)>], user_of: &[usize]) -> Vec<(Vec<usize>, Exact, Exact, [Exact; 3])> {
    let zero = Exact::of(0.0);
    let mut all = vec![(Vec::new(), zero, zero, [zero; 3])];
    for (job, &user) in jobs.iter().zip(user_of) {
        all = all
            .into_iter()
            .flat_map(|(picks, cost, time, spent)| {
                job.iter().enumerate().map(move |(pick, &(c, t))| {
                    let (mut picks, mut spent): (Vec<usize>, _) = (picks.clone(), spent);
                    picks.push(pick);
                    spent[user] = spent[user].plus(c);
                    (picks, cost.plus(c), time.plus(t), spent)
                })
            })
            .collect();
    }
    all
}

proptest! {
    #![proptest_config(oracle::cases(1_500))]

    #[test]
    fn every_budget_is_kept_and_nothing_is_better(
        jobs in prop::collection::vec((prop::collection::vec((values(), values()), 1..5), 0..3_usize), 1..6),
        places in [0.0..1.1_f64, 0.0..1.1_f64, 0.0..1.1_f64],
        place in 0.0..1.0_f64,
        which in 0..4_usize,
    ) {
        let (rows, user_of): (Vec<_>, Vec<usize>) = jobs.into_iter().unzip();
        let batch = Alternatives::new(&rows).unwrap();
        let all = all(&rows, &user_of);
        let pick = |place: f64| &all[((all.len() - 1) as f64 * place.min(1.0)) as usize];
        let budgets: Vec<f64> = (0..3)
            .map(|user| if places[user] > 1.0 { f64::INFINITY } else { pick(places[user]).3[user].rounded() })
            .collect();
        let problem = match which {
            0 => Problem::MinTime { budget: pick(place).1.rounded() },
            1 => Problem::MinCost { time_limit: pick(place).2.rounded() },
            2 => Problem::MaxTime { budget: pick(place).1.rounded() },
            _ => Problem::MaxIncome { time_limit: pick(place).2.rounded() },
        };
        let within = |spent: &[Exact; 3]| spent.iter().zip(&budgets).all(|(spent, &budget)| spent.rounded() <= budget);
        let best = all
            .iter()
            .filter(|(.., spent)| within(spent))
            .map(|(_, cost, time, _)| oracle::sums(&problem, (cost.rounded(), time.rounded())))
            .filter(|sums| sums.1 <= oracle::limit(&problem))
            .min_by(|a, b| a.partial_cmp(b).unwrap());
        let user_budgets = UserBudgets::new(user_of, budgets.clone());
        let decision =
            choose_with_user_budgets(&batch, problem, &user_budgets, &mut Scratch::default(), &mut Limit::default().meter())
                .unwrap();
        match (&decision, best) {
            (BatchDecision::Chosen(outcome), Some(best)) => {
                prop_assert_eq!(outcome.end, End::Done);
                let choice = outcome.incumbent.as_ref().unwrap();
                let (_, cost, time, spent) = all.iter().find(|one| one.0 == choice.picks).unwrap();
                prop_assert!(within(spent));
                prop_assert_eq!((choice.cost, choice.time), (cost.rounded(), time.rounded()));
                prop_assert_eq!(oracle::sums(&problem, (choice.cost, choice.time)), best, "{:?}", problem);
            }
            (BatchDecision::OutOfReach { .. }, None) => {}
            (BatchDecision::UserBudgetTooSmall { user, least, limit }, None) => {
                prop_assert_eq!(*limit, budgets[*user]);
                let true_least = all.iter().map(|one| one.3[*user]).min().unwrap();
                prop_assert_eq!(*least, true_least.rounded());
            }
            _ => prop_assert!(false, "{decision:?}, best {best:?}"),
        }
        // The whole front of what the users can pay.
        let front = Front::within_user_budgets(&batch, &user_budgets, FRONT_CAP, &mut Limit::default().meter()).unwrap();
        let mut all_within: Vec<(f64, f64)> =
            all.iter().filter(|one| within(&one.3)).map(|one| (one.1.rounded(), one.2.rounded())).collect();
        all_within.sort_by(|a, b| a.partial_cmp(b).unwrap());
        let mut expected: Vec<(f64, f64)> = Vec::new();
        for point in all_within {
            if expected.last().is_none_or(|last| point.1 < last.1) {
                expected.push(point);
            }
        }
        prop_assert_eq!(front.is_some(), !expected.is_empty());
        if let Some(front) = front {
            let points: Vec<_> = front.points().iter().map(|point| (point.cost, point.time)).collect();
            prop_assert_eq!(points, expected);
            for point in 0..front.points().len() {
                let choice = front.choice(point);
                let (_, cost, time, spent) = all.iter().find(|one| one.0 == choice.picks).unwrap();
                prop_assert!(within(spent));
                prop_assert_eq!((choice.cost, choice.time), (cost.rounded(), time.rounded()));
            }
        }
    }
}

#[test]
fn what_is_wrong_is_named() {
    let batch = Alternatives::new(&[vec![(1.0, 1.0)], vec![(2.0, 1.0)]]).unwrap();
    let ask = |user_budgets: UserBudgets| {
        let problem = Problem::MinTime { budget: 9.0 };
        choose_with_user_budgets(
            &batch,
            problem,
            &user_budgets,
            &mut Scratch::default(),
            &mut Limit::default().meter(),
        )
    };
    assert_eq!(ask(UserBudgets::new(vec![0], vec![1.0])), Err(BatchError::Count { jobs: 2, given: 1 }));
    assert_eq!(
        ask(UserBudgets::new(vec![0, 1], vec![1.0])),
        Err(BatchError::UnknownUser { job: 1, user: 1 })
    );
    assert!(ask(UserBudgets::new(vec![0, 0], vec![f64::NAN])).is_err());
    let decision = ask(UserBudgets::new(vec![0, 0], vec![2.5])).unwrap();
    assert_eq!(decision, BatchDecision::UserBudgetTooSmall { user: 0, least: 3.0, limit: 2.5 });
    assert_eq!(decision.short_by(), 0.5);
}

#[cfg(feature = "serde")]
#[test]
fn users_without_a_budget_come_back_from_json() {
    let users = UserBudgets::new(vec![0, 1, 2], vec![2.5, f64::INFINITY, -1.0]);
    let text = serde_json::to_string(&users).unwrap();
    assert_eq!(text, r#"{"user_of":[0,1,2],"budgets":[2.5,null,-1.0]}"#);
    assert_eq!(serde_json::from_str::<UserBudgets>(&text).unwrap(), users);
    // What would come back as no limit at all is not written.
    for budget in [f64::NEG_INFINITY, f64::NAN] {
        assert!(serde_json::to_string(&UserBudgets::new(vec![0], vec![budget])).is_err());
    }
}
