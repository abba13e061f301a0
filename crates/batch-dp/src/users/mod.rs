//! Budgets of users beside the limit of the batch.

mod fronts;
mod join;
mod service;

pub use service::{select_with_user_budgets, select_with_user_budgets_from};

use crate::kernel::CoreScratch;
use crate::number::{Amount, Grid, Kind, Scale, Wide};
use crate::view::View;
use crate::{Alternatives, BatchDecision, BatchError, Choice, Problem, Scratch};
use join::{Join, Joined, Paid};
use sched_model::{End, Meter, Outcome, affordable, exact_sum};

/// The user of each job, and the budget of each user.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
#[must_use]
pub struct UserBudgets {
    /// Position in `budgets` of the user of each job.
    pub user_of: Vec<usize>,
    /// The greatest cost of all jobs of each user together; `f64::INFINITY` means no limit. With the feature
    /// `serde`, infinity is written as an empty option (`null` in JSON), and a budget of -infinity or NaN is
    /// an error.
    #[cfg_attr(feature = "serde", serde(with = "unlimited"))]
    pub budgets: Vec<f64>,
}

/// Budgets as options: JSON has no infinity.
#[cfg(feature = "serde")]
mod unlimited {
    use serde::{Deserialize, Deserializer, Serialize, Serializer, ser};

    pub(super) fn serialize<S: Serializer>(budgets: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
        if let Some(budget) = budgets.iter().find(|&&budget| !(budget > f64::NEG_INFINITY)) {
            return Err(ser::Error::custom(format_args!("a budget of {budget} cannot be written")));
        }
        let limits = budgets.iter().map(|&budget| (budget < f64::INFINITY).then_some(budget));
        limits.collect::<Vec<Option<f64>>>().serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f64>, D::Error> {
        let limits: Vec<Option<f64>> = Deserialize::deserialize(deserializer)?;
        Ok(limits.into_iter().map(|limit| limit.unwrap_or(f64::INFINITY)).collect())
    }
}

impl UserBudgets {
    /// The user of each job of a batch, and the budget of each user.
    pub fn new(user_of: Vec<usize>, budgets: Vec<f64>) -> Self {
        Self { user_of, budgets }
    }

    /// For a job that is left out: by how much the budget of its user falls short of its cheapest
    /// alternative, beside the alternatives chosen for the user's other jobs; `None` if it does not.
    pub(crate) fn short_by(&self, batch: &Alternatives, picks: &[Option<usize>], job: usize) -> Option<f64> {
        let user = *self.user_of.get(job)?;
        let budget = *self.budgets.get(user).filter(|budget| budget.is_finite())?;
        let own = self.user_of.iter().enumerate().filter(|(_, of)| **of == user);
        let spent = own.filter_map(|(own, _)| Some(batch.cost[batch.offsets[own] + picks[own]?]));
        let cheapest = batch.of_job(job).map(|(cost, _)| cost).min_by(f64::total_cmp)?;
        let short_by = exact_sum(spent.chain([cheapest, -budget]));
        (short_by > 0.0).then_some(short_by)
    }

    /// Whether a choice keeps all budgets.
    fn allow(&self, batch: &Alternatives, pick: impl Fn(usize) -> Option<usize>) -> bool {
        let mut costs: Vec<Option<Vec<f64>>> = vec![None; self.budgets.len()];
        for (job, &user) in self.user_of.iter().enumerate() {
            let cost = pick(job).map(|pick| batch.cost[batch.offsets[job] + pick]);
            costs[user].get_or_insert_default().extend(cost);
        }
        costs
            .into_iter()
            .zip(&self.budgets)
            .all(|(costs, &budget)| costs.is_none_or(|costs| affordable(costs, budget)))
    }

    pub(crate) fn check(&self, batch: &Alternatives) -> Result<(), BatchError> {
        if self.user_of.len() != batch.jobs() {
            return Err(BatchError::Count { jobs: batch.jobs(), given: self.user_of.len() });
        }
        if let Some(job) = self.user_of.iter().position(|&user| user >= self.budgets.len()) {
            return Err(BatchError::UnknownUser { job, user: self.user_of[job] });
        }
        if self.budgets.iter().any(|budget| budget.is_nan()) {
            return Err(BatchError::Limit { what: "budget of a user" });
        }
        Ok(())
    }
}

/// One alternative per job, best for the batch within its limit, such that the jobs of each user also keep to
/// the user's budget.
///
/// The jobs of a user whose budget can bind are combined into the front of the choices that the user can pay;
/// then one point of each front and one alternative of each other job are chosen. Guarantee: exact when the
/// search is done; all sums are exact, rounded once. Complexity: O(front) space for each such user; fronts
/// may be exponential in a user's jobs. For the greatest income under budgets that bind, a front contains
/// each attainable income of its user with the minimum time. Ties: as for
/// [`ExpandingCore`](crate::ExpandingCore), among points. A search that is stopped while fronts are formed
/// has no incumbent.
///
/// # Errors
/// [`BatchError::Limit`] if a limit or budget is NaN; [`BatchError::Count`] if there is not one user for each
/// job; [`BatchError::UnknownUser`] if a job's user has no budget.
///
/// ```
/// use batch_dp::{Alternatives, Problem, Scratch, UserBudgets, choose_with_user_budgets};
/// use sched_model::Limit;
/// // (cost, time): fast or cheap, three times. The first two jobs are of user 0, who pays at most 14.
/// let batch = Alternatives::new(&vec![vec![(10.0, 1.0), (4.0, 5.0)]; 3])?;
/// let users = UserBudgets::new(vec![0, 0, 1], vec![14.0, f64::INFINITY]);
/// let (problem, limit) = (Problem::MinTime { budget: 30.0 }, Limit::default());
/// let decision =
///     choose_with_user_budgets(&batch, problem, &users, &mut Scratch::default(), &mut limit.meter())?;
/// let choice = decision.choice().unwrap();
/// assert_eq!((choice.cost, choice.time, choice.picks[2]), (24.0, 7.0, 0));
/// # Ok::<(), batch_dp::BatchError>(())
/// ```
pub fn choose_with_user_budgets(
    batch: &Alternatives,
    problem: Problem,
    users: &UserBudgets,
    scratch: &mut Scratch,
    meter: &mut Meter<'_>,
) -> Result<BatchDecision, BatchError> {
    choose_known(batch, problem, (users, None), scratch, meter)
}

/// As [`choose_with_user_budgets`], from a known choice: that of an earlier call, after costs, times, the
/// limit, budgets or some jobs have changed. `known` has for each job the position of one of its
/// alternatives.
///
/// If the known choice keeps the limit and the budgets, the answer is never worse, wherever the meter ends
/// the search. If it does not, it has no effect. Of different choices equal in all sums the answer may be
/// another one. The fronts of users are formed anew.
///
/// # Errors
/// As for [`choose_with_user_budgets`]; [`BatchError::Count`] if there is not one entry for each job,
/// [`BatchError::NoSuchAlternative`] for a position that a job does not have.
///
/// ```
/// use batch_dp::{Alternatives, Problem, Scratch, UserBudgets, choose_with_user_budgets_from};
/// use sched_model::Limit;
/// // (cost, time): fast or cheap, three times. The first two jobs are of user 0, who pays at most 14.
/// let batch = Alternatives::new(&vec![vec![(10.0, 1.0), (4.0, 5.0)]; 3])?;
/// let users = UserBudgets::new(vec![0, 0, 1], vec![14.0, f64::INFINITY]);
/// let (problem, nothing) = (Problem::MinTime { budget: 30.0 }, Limit::default().with_work(0));
/// // A search that may not take one step still has the earlier choice, if that is within all limits.
/// let mut from = |known: &[usize]| {
///     choose_with_user_budgets_from(
///         &batch,
///         problem,
///         &users,
///         known,
///         &mut Scratch::default(),
///         &mut nothing.meter(),
///     )
/// };
/// assert_eq!(from(&[1, 0, 1])?.choice().map(|choice| choice.time), Some(11.0));
/// assert_eq!(from(&[0, 0, 1])?.choice(), None);
/// # Ok::<(), batch_dp::BatchError>(())
/// ```
pub fn choose_with_user_budgets_from(
    batch: &Alternatives,
    problem: Problem,
    users: &UserBudgets,
    known: &[usize],
    scratch: &mut Scratch,
    meter: &mut Meter<'_>,
) -> Result<BatchDecision, BatchError> {
    batch.check_known(known.iter().copied().map(Some))?;
    choose_known(batch, problem, (users, Some(known)), scratch, meter)
}

fn choose_known(
    batch: &Alternatives,
    problem: Problem,
    (users, known): (&UserBudgets, Option<&[usize]>),
    scratch: &mut Scratch,
    meter: &mut Meter<'_>,
) -> Result<BatchDecision, BatchError> {
    users.check(batch)?;
    let view = match problem.view(batch) {
        Ok(view) => view,
        Err(none) => return none.answer(),
    };
    let (mut p, mut w) = (Grid::default(), Grid::default());
    for at in 0..batch.len() {
        let (objective, weight) = view.at(at);
        p.hold(objective);
        w.hold(weight);
    }
    let (work, memory) = (meter.work(), meter.memory());
    // What breaks a limit says nothing about the choices that keep all.
    let known = known.filter(|known| allows(batch, problem, users, &batch.choice(known.to_vec())));
    let entries: Option<Vec<u32>> = known
        .map(|known| known.iter().zip(&batch.offsets).map(|(&at, &first)| (first + at) as u32).collect());
    let plain =
        Plain { batch, problem, users, view, scales: (p.scale(), w.scale()), known: entries.as_deref() };
    let joined = match p.kind().max(w.kind()) {
        Kind::Double => plain.choose::<f64>(&mut scratch.core, meter),
        Kind::Long => plain.choose::<i128>(&mut scratch.core, meter),
        Kind::Wide => plain.choose::<Wide>(&mut scratch.core, meter),
    };
    meter.release(meter.memory() - memory);
    let work = meter.work() - work;
    Ok(match joined {
        // Stopped before it had another choice than the known one.
        Err(end) => {
            let known = known.map(|known| {
                let choice = batch.choice(known.to_vec());
                let value = problem.value(&choice);
                (choice, value)
            });
            BatchDecision::Chosen(Outcome::stopped(known, None, work, end))
        }
        Ok(Joined::Refused(decision)) => decision,
        Ok(Joined::Found { picks, bound, end, .. }) => {
            let picks = picks.iter().zip(&batch.offsets).map(|(&at, &first)| at as usize - first);
            let choice = batch.choice(picks.collect());
            let value = problem.value(&choice);
            BatchDecision::Chosen(if end == End::Done {
                Outcome::solved(choice, value, work)
            } else {
                let bound = view.sign * bound.min(view.sign * value);
                Outcome::stopped(Some((choice, value)), bound.is_finite().then_some(bound), work, end)
            })
        }
    })
}

/// One alternative for each job.
struct Plain<'a> {
    batch: &'a Alternatives,
    problem: Problem,
    users: &'a UserBudgets,
    view: View<'a>,
    scales: (Scale, Scale),
    known: Option<&'a [u32]>,
}

impl Plain<'_> {
    fn choose<N: Amount>(&self, scratch: &mut CoreScratch, meter: &mut Meter<'_>) -> Result<Joined, End> {
        let paid = match self.problem {
            Problem::MinTime { .. } | Problem::MaxTime { .. } => Paid::Weight,
            Problem::MinCost { .. } => Paid::Objective(|p| p, self.scales.0),
            // A state of greater income must not replace one of less, which leaves more of the budget to the
            // remaining jobs.
            Problem::MaxIncome { .. } => Paid::Apart(self.scales.0),
        };
        let number = |at: usize| {
            let (p, w) = self.view.at(at);
            (N::of(p, &self.scales.0), N::of(w, &self.scales.1))
        };
        let join = Join {
            users: self.users,
            offsets: self.view.offsets,
            number: &number,
            cost: &self.batch.cost,
            paid,
            scales: self.scales,
            limit: self.view.limit,
            sign: self.view.sign,
            keeps: &|_| true,
            offset: 0.0,
            known: self.known,
        };
        join.choose(scratch, meter)
    }
}

/// Whether a choice keeps the limit and the budgets.
fn allows(batch: &Alternatives, problem: Problem, users: &UserBudgets, choice: &Choice) -> bool {
    let (_, limit, _, time_is_objective) = problem.parts();
    let used = if time_is_objective { choice.cost } else { choice.time };
    used <= limit && users.allow(batch, |job| Some(choice.picks[job]))
}
