//! Any problem against all choices, from an earlier choice or from none, within any limit.

use crate::oracle;
use crate::oracle::{Chosen, Exact, Users, values};
use batch_dp::*;
use proptest::prelude::*;
use sched_model::{End, Limit, Sense};

/// What is picked, its cost and time, what it leaves out, and the cost of each of three users.
#[derive(Clone)]
struct One {
    picks: Vec<Option<usize>>,
    cost: Exact,
    time: Exact,
    left: Exact,
    spent: [Exact; 3],
}

/// Every choice, also of some of the jobs only.
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

/// What is known of a problem and all its choices.
struct Truth<'a> {
    goal: Goal,
    coverage: &'a Coverage,
    /// None: without accounts.
    users: Option<&'a Users>,
    all: &'a [One],
}

/// Service, then what is minimised, then what is limited, as rounded: less is better.
type Rank = (Exact, f64, f64);

impl Truth<'_> {
    fn rank(&self, one: &One) -> Rank {
        let sign = if self.goal.sense() == Sense::Maximise { Exact::negated } else { |sum| sum };
        let (p, w) = if self.goal.limits_cost() { (one.time, one.cost) } else { (one.cost, one.time) };
        let p = sign(p);
        match self.coverage {
            Coverage::EveryJob => (Exact::of(0.0), p.rounded(), w.rounded()),
            Coverage::Penalties(_) => (Exact::of(0.0), p.added(one.left).rounded(), w.rounded()),
            _ => (one.left, p.rounded(), w.rounded()),
        }
    }

    fn serves(&self, one: &One) -> bool {
        one.picks.iter().enumerate().all(|(job, pick)| {
            pick.is_some()
                || match self.coverage {
                    Coverage::EveryJob => false,
                    Coverage::Penalties(penalties) => penalties[job] < f64::INFINITY,
                    _ => true,
                }
        })
    }

    fn pays(&self, one: &One) -> bool {
        self.users.is_none_or(|users| {
            one.spent.iter().zip(&users.budgets).all(|(spent, &budget)| spent.rounded() <= budget)
        })
    }

    fn allows(&self, one: &One) -> bool {
        self.serves(one) && self.pays(one) && self.rank(one).2 <= oracle::limit(&self.goal)
    }

    fn best(&self) -> Option<Rank> {
        let allowed = self.all.iter().filter(|one| self.allows(one)).map(|one| self.rank(one));
        allowed.min_by(|a, b| a.partial_cmp(b).unwrap())
    }

    fn of(&self, picks: &[Option<usize>]) -> &One {
        self.all.iter().find(|one| one.picks == picks).unwrap()
    }

    /// The rank of what was found, which is a choice that keeps all limits, stated as it is.
    fn judge(&self, found: &Chosen) -> Option<Rank> {
        let choice = found.best.as_ref()?;
        let one = self.of(&choice.picks);
        assert!(self.allows(one), "{choice}");
        let left = if let Coverage::EveryJob = self.coverage { 0.0 } else { one.left.rounded() };
        let stated = (choice.cost, choice.time, choice.left_out);
        assert_eq!(stated, (one.cost.rounded(), one.time.rounded(), left));
        let rank = self.rank(one);
        let sign = if self.goal.sense() == Sense::Maximise { -1.0 } else { 1.0 };
        assert_eq!(found.value, Some(sign * rank.1 + 0.0));
        if let (Some(bound), Some(best)) = (found.bound, self.best()) {
            assert!(sign * bound <= best.1, "{bound} {best:?}");
        }
        Some(rank)
    }

    /// That there is no choice is said with the right reason.
    fn judge_refusal(&self, refusal: &ChoiceRefusal, without: &[usize]) {
        let least = |of: &dyn Fn(&One) -> f64| {
            let served = self.all.iter().filter(|one| self.serves(one));
            served.map(of).fold(f64::INFINITY, f64::min)
        };
        match refusal {
            ChoiceRefusal::NoAlternative { jobs } => {
                let forbids = |job: &usize| match self.coverage {
                    Coverage::Penalties(penalties) => penalties[*job] == f64::INFINITY,
                    _ => true,
                };
                assert!(!jobs.is_empty() && jobs.iter().eq(without.iter().filter(|job| forbids(job))));
            }
            ChoiceRefusal::LimitAndAccounts => {
                assert!(self.users.is_some());
                return;
            }
            ChoiceRefusal::OutOfReach { least: stated, limit } => {
                assert_eq!(*limit, oracle::limit(&self.goal));
                if without.is_empty() && (self.users.is_none() || *self.coverage != Coverage::EveryJob) {
                    assert_eq!(*stated, least(&|one| self.rank(one).2));
                }
            }
            ChoiceRefusal::AccountTooSmall { account, least: stated, limit } => {
                assert_eq!(*limit, self.users.unwrap().budgets[*account]);
                assert_eq!(*stated, least(&|one| one.spent[*account].rounded()));
                assert!(stated > limit);
            }
            _ => unreachable!(),
        }
        assert!(matches!(refusal, ChoiceRefusal::NoAlternative { .. }) || refusal.short_by() > 0.0);
    }

    /// The undominated (cost, time) of the choices of all jobs that users can pay, by rising cost.
    fn front(&self) -> Vec<(f64, f64)> {
        let whole = |one: &&One| one.picks.iter().all(Option::is_some) && self.pays(one);
        let pairs = self.all.iter().filter(whole).map(|one| (one.cost.rounded(), one.time.rounded()));
        oracle::undominated(pairs.collect())
    }
}

proptest! {
    #![proptest_config(oracle::cases(8_000))]

    #[test]
    fn the_best_of_all_choices_and_never_worse_with_more_work(
        jobs in prop::collection::vec(
            (prop::collection::vec((values(), values()), 0..4), 0..3_usize, values()),
            0..6,
        ),
        places in [0.0..1.1_f64, 0.0..1.1_f64, 0.0..1.1_f64],
        (place, start, forbidden) in (0.0..1.1_f64, 0.0..1.0_f64, 0..8_usize),
        (which, kind, with_users) in (0..4_usize, 0..4_usize, any::<bool>()),
    ) {
        let rows: Vec<Vec<(f64, f64)>> = jobs.iter().map(|job| job.0.clone()).collect();
        // Where all must be served, mostly each has an alternative.
        let rows: Vec<Vec<(f64, f64)>> = if kind == 0 && forbidden > 0 {
            rows.into_iter().map(|row| if row.is_empty() { vec![(1.0, 2.0)] } else { row }).collect()
        } else {
            rows
        };
        let lost: Vec<f64> = match kind {
            0 | 1 => vec![1.0; rows.len()],
            2 => jobs.iter().map(|job| job.2.abs().floor()).collect(),
            _ => jobs.iter().map(|job| job.2).collect(),
        };
        let coverage = match kind {
            0 => Coverage::EveryJob,
            1 => Coverage::MostJobs,
            2 => Coverage::MostWeight(lost.clone()),
            _ => {
                let penalty = |(job, &lost): (usize, &f64)| if job == forbidden { f64::INFINITY } else { lost };
                Coverage::Penalties(lost.iter().enumerate().map(penalty).collect())
            }
        };
        let user_of: Vec<usize> = jobs.iter().map(|job| job.1).collect();
        let all = all(&rows, &user_of, &lost);
        // Limits are often the very sum of some choice.
        let at = |place: f64| &all[((all.len() - 1) as f64 * place.min(1.0)) as usize];
        let limit = |sum: f64| (place <= 1.0).then_some(sum);
        let goal = match which {
            0 => Goal::MinTime { budget: limit(at(place).cost.rounded()) },
            1 => Goal::MinCost { time_limit: limit(at(place).time.rounded()) },
            2 => Goal::MaxTime { budget: limit(at(place).cost.rounded()) },
            _ => Goal::MaxIncome { time_limit: limit(at(place).time.rounded()) },
        };
        let budget =
            |user: usize| if places[user] > 1.0 { f64::INFINITY } else { at(places[user]).spent[user].rounded() };
        let users = Users::new(user_of, (0..3).map(budget).collect());
        let users = with_users.then_some(&users);
        let truth = Truth { goal, coverage: &coverage, users, all: &all };
        let batch = Alternatives::new(&rows).unwrap();
        let cold = ChoiceProblem::new(&batch, goal).with_coverage(coverage.clone());
        let cold = users.map_or(cold.clone(), |users| users.pay(cold));
        let best = truth.best();
        let whole = ExpandingCore.choose(&cold).unwrap();
        prop_assert_eq!(whole.end, End::Done);
        prop_assert_eq!(truth.judge(&whole), best, "{:?} {:?}", goal, coverage);
        let without: Vec<usize> = (0..rows.len()).filter(|&job| rows[job].is_empty()).collect();
        prop_assert_eq!(whole.refusal.is_some(), best.is_none());
        whole.refusal.iter().for_each(|refusal| truth.judge_refusal(refusal, &without));
        if users.is_none() && coverage == Coverage::EveryJob {
            let reference = BackwardRun.choose(&cold).unwrap();
            prop_assert_eq!((truth.judge(&reference), &reference.refusal), (best, &whole.refusal));
        }
        // From an earlier choice, within limits or not, and from none.
        let known = at(start);
        let warm = cold.clone().with_start(&known.picks);
        let start = truth.allows(known).then(|| truth.rank(known));
        let works = [0, 1, 2, 4, 6, 7].map(|eighths| whole.work * eighths / 8);
        for (problem, start) in [(&cold, None), (&warm, start)] {
            let mut last = start;
            for work in works.into_iter().chain([Limit::DEFAULT_WORK]) {
                let limit = Limit::default().with_work(work);
                let mut meter = limit.meter();
                let found = ExpandingCore.solve(problem, &mut meter).unwrap();
                prop_assert!(found.work <= work && found.work == meter.work() && meter.memory() == 0);
                let rank = truth.judge(&found);
                prop_assert!(last.is_none_or(|last| rank.is_some_and(|rank| (rank.0, rank.1) <= (last.0, last.1))),
                    "{rank:?} at {work}, {last:?} before: {goal:?} {coverage:?}");
                last = rank;
                prop_assert!(found.end != End::Done || rank == best || rank.map(|rank| (rank.0, rank.1)) == best.map(|best| (best.0, best.1)));
                // With a used meter the same.
                meter.restart();
                prop_assert_eq!(&ExpandingCore.solve(problem, &mut meter).unwrap(), &found);
                if start.is_none() {
                    prop_assert_eq!(&ExpandingCore.solve(&cold, &mut limit.meter()).unwrap(), &found);
                }
            }
        }
        let front = Front::of(&cold, &mut Limit::default().meter()).unwrap();
        let expected = truth.front();
        prop_assert_eq!(front.is_some(), !expected.is_empty());
        if let Some(front) = front {
            let points: Vec<_> = front.points().iter().map(|point| (point.cost, point.time)).collect();
            prop_assert_eq!(&points, &expected);
            for (at, &point) in points.iter().enumerate() {
                let one = truth.of(&front.choice(at).picks);
                prop_assert!(truth.pays(one) && (one.cost.rounded(), one.time.rounded()) == point);
            }
            let any = f64::INFINITY;
            let weights = Weights { cost: 1.0, time: 0.5, time_left: 1.5, ..Weights::default() };
            let score = |(cost, time): (f64, f64)| cost + 2.0 * time;
            let best = front.best(any, any, &Preference::Weighted(weights)).unwrap().unwrap();
            let least = expected.iter().copied().map(score).min_by(f64::total_cmp).unwrap();
            prop_assert!((score((best.cost, best.time)) - least).abs() <= 1e-9 * least.abs());
        }
    }
}
