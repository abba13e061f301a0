//! The problem: alternatives, a goal, the jobs that may be left out, accounts, and an earlier choice.

use crate::alternatives::View;
use crate::goal;
use crate::{Alternatives, BatchError, Choice, Chosen, Goal};
use sched_model::internal::{affordable, exact_sum};
use sched_model::{End, JobId, Outcome};
use std::fmt;

/// The problem of choosing one alternative for each job, or for each job that is served, so that the choice is the best
/// for the whole batch by a [`Goal`].
///
/// ```
/// use batch_dp::{Alternatives, ChoiceProblem, Chooser, Coverage, ExpandingCore, Goal};
/// let jobs = Alternatives::new(&[
///     vec![(10.0, 1.0), (4.0, 5.0)], // (cost, time): fast or cheap
///     vec![(10.0, 1.0), (4.0, 5.0)],
///     vec![(9.0, 2.0), (6.0, 3.0)],
/// ])?;
/// let problem = ChoiceProblem::new(&jobs, Goal::MinTime { budget: Some(20.0) })
///     .with_coverage(Coverage::Penalties(vec![f64::INFINITY, f64::INFINITY, 4.0]))
///     .with_account(&[0, 1], 14.0) // both are of one user, who pays 14 at most
///     .with_start(&[Some(0), Some(1), None]);
/// let outcome = ExpandingCore.choose(&problem)?;
/// // Fast and cheap for 14, and the third job for 6.
/// assert_eq!(outcome.value, Some(9.0));
/// assert_eq!(outcome.best.map(|choice| choice.picks[2]), Some(Some(1)));
/// # Ok::<(), batch_dp::BatchError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[must_use]
#[non_exhaustive]
pub struct ChoiceProblem<'a> {
    /// The alternatives of each job.
    pub alternatives: &'a Alternatives,
    /// The optimised quantity, and the limited quantity with its limit.
    pub goal: Goal,
    /// Which jobs may be left out.
    pub coverage: Coverage,
    /// Budgets that some jobs share.
    pub accounts: Vec<Account>,
    /// An earlier choice: for each job the position of one of its alternatives, or `None`.
    pub start: Option<Vec<Option<usize>>>,
}

/// Jobs that pay from one shared budget.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Account {
    /// Positions of the jobs in the batch, from 0.
    pub jobs: Vec<usize>,
    /// The maximum total cost of the jobs, inclusive.
    pub budget: f64,
}

/// Which jobs may be left out, and what it costs to leave them out.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Coverage {
    /// No job may be left out.
    #[default]
    EveryJob,
    /// The number of jobs served is maximised first; among all choices that serve the maximum number, the best by the
    /// goal is chosen.
    MostJobs,
    /// The sum of the weights of the jobs served is maximised first; among all choices with the maximum sum, the best
    /// by the goal is chosen. One weight per job, at least 0. Sums of weights that are whole numbers, or multiples of
    /// one power of two, are compared exactly; sums of other weights that differ only by rounding may count as equal.
    MostWeight(Vec<f64>),
    /// Leaving a job out costs its penalty, in the unit of the optimised quantity: time for [`Goal::MinTime`] and
    /// [`Goal::MaxTime`], otherwise cost. One penalty per job; infinity forbids leaving the job out.
    Penalties(Vec<f64>),
}

/// The reason why there is no choice.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum ChoiceRefusal {
    /// Some jobs that must be served have no alternative.
    NoAlternative {
        /// Their positions in the batch, from 0.
        jobs: Vec<usize>,
    },
    /// The cheapest alternatives of the jobs of an account cost more than its budget.
    AccountTooSmall {
        /// Position of the account, from 0.
        account: usize,
        /// The minimum total cost of the jobs of the account.
        least: f64,
        /// The budget.
        limit: f64,
    },
    /// Every choice within the accounts uses more of the limited quantity than the limit.
    OutOfReach {
        /// The minimum amount of the limited quantity that a choice uses.
        least: f64,
        /// The limit.
        limit: f64,
    },
}

impl ChoiceRefusal {
    /// Returns the amount by which the limit or budget is too small; 0 for [`NoAlternative`](Self::NoAlternative).
    #[must_use]
    pub fn short_by(&self) -> f64 {
        match self {
            Self::OutOfReach { least, limit } | Self::AccountTooSmall { least, limit, .. } => least - limit,
            Self::NoAlternative { .. } => 0.0,
        }
    }
}

impl fmt::Display for ChoiceRefusal {
    /// One line. Jobs and accounts are positions, from 0.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoAlternative { jobs } => write!(f, "no alternative for jobs {jobs:?}"),
            Self::AccountTooSmall { account, least, limit } => {
                write!(f, "the jobs of account {account} cost at least {least}, its budget is {limit}")
            }
            Self::OutOfReach { least, limit } => {
                write!(f, "every choice uses at least {least}, the limit is {limit}")
            }
        }
    }
}

/// Why there is no choice.
pub(crate) enum Stop {
    Refused(ChoiceRefusal),
    Limit(End),
}

impl From<End> for Stop {
    fn from(end: End) -> Self {
        Self::Limit(end)
    }
}

impl<'a> ChoiceProblem<'a> {
    /// Creates the problem of choosing one alternative for every job.
    pub fn new(alternatives: &'a Alternatives, goal: Goal) -> Self {
        Self { alternatives, goal, coverage: Coverage::EveryJob, accounts: Vec::new(), start: None }
    }

    /// Adds an account: the jobs at these positions cost at most `budget` together. A job may pay from one account
    /// only.
    pub fn with_account(mut self, jobs: &[usize], budget: f64) -> Self {
        self.accounts.push(Account { jobs: jobs.to_vec(), budget });
        self
    }

    /// Starts from an earlier choice: for each job the position of one of its alternatives, or `None`.
    ///
    /// If the earlier choice keeps all limits, the answer is never worse, even if the meter ends the search early; a
    /// better start leaves fewer alternatives to search. A choice that breaks a limit has no effect. If several choices
    /// have equal sums, the answer may differ from the answer without a start.
    pub fn with_start(self, picks: &[Option<usize>]) -> Self {
        Self { start: Some(picks.to_vec()), ..self }
    }

    /// Checks the problem, and returns its accounts.
    pub(crate) fn checked(&self) -> Result<Accounts, BatchError> {
        goal::check(self.goal)?;
        self.coverage.check((0..self.alternatives.jobs()).map(|at| JobId(at as u64)))?;
        let accounts = self.checked_accounts()?;
        let start = self.start.as_deref();
        start.map_or(Ok(()), |start| self.alternatives.check_start(start.iter().copied()))?;
        Ok(accounts)
    }

    /// The earlier choice of a checked problem, if it keeps all limits.
    pub(crate) fn valid_start(&self, accounts: &Accounts) -> Option<&[Option<usize>]> {
        self.start.as_deref().filter(|start| {
            self.coverage.allows(start)
                && self.keeps_limit(&self.choice(start.to_vec()))
                && accounts.allow(self.alternatives, start)
        })
    }

    /// Checks the accounts, and returns the account of each job, 0 for none, and the budgets.
    pub(crate) fn checked_accounts(&self) -> Result<Accounts, BatchError> {
        let (mut of_job, mut budgets) = (vec![0; self.alternatives.jobs()], vec![f64::INFINITY]);
        for (account, Account { jobs, budget }) in self.accounts.iter().enumerate() {
            if budget.is_nan() {
                return Err(BatchError::Limit { what: "budget of an account" });
            }
            budgets.push(*budget);
            for &job in jobs {
                match of_job.get_mut(job) {
                    Some(own) if *own == 0 => *own = account + 1,
                    _ => return Err(BatchError::Account { account, job }),
                }
            }
        }
        Ok(Accounts { of_job, budgets })
    }

    /// For a job that a choice leaves out, the amount by which the limit of the goal would have to rise for the job's
    /// lightest alternative to fit in addition to the choice. The amount is at most 0 if that alternative fits and was
    /// not worth taking. `None` for a job that is served or has no alternative.
    pub(crate) fn short_by(&self, choice: &Choice, job: usize) -> Option<f64> {
        if choice.picks.get(job)?.is_some() {
            return None;
        }
        let lightest = self.alternatives.of_job(job).map(|pair| self.limited(pair)).min_by(f64::total_cmp)?;
        Some(exact_sum([self.limited((choice.cost, choice.time)), lightest, -goal::limit(self.goal)]))
    }

    fn keeps_limit(&self, choice: &Choice) -> bool {
        self.limited((choice.cost, choice.time)) <= goal::limit(self.goal)
    }

    /// Returns the cost or the time, whichever the goal limits.
    fn limited(&self, (cost, time): (f64, f64)) -> f64 {
        if self.goal.limits_cost() { cost } else { time }
    }

    /// Creates the [`Choice`] of these alternatives.
    pub(crate) fn choice(&self, picks: Vec<Option<usize>>) -> Choice {
        let left = picks.iter().enumerate().filter(|(_, pick)| pick.is_none());
        let left_out = exact_sum(left.map(|(job, _)| self.coverage.left_out(job)));
        let (cost, time) = self.alternatives.sums(&picks);
        Choice { picks, cost, time, left_out }
    }

    /// The optimised quantity of a choice, plus the penalties of the jobs left out if the coverage has penalties.
    pub(crate) fn value(&self, choice: &Choice) -> f64 {
        let Coverage::Penalties(_) = self.coverage else { return choice.value(self.goal) };
        let View { offsets, objective, sign, .. } = self.numbers();
        exact_sum(choice.picks.iter().enumerate().map(|(job, pick)| match pick {
            Some(pick) => objective[offsets[job] + pick],
            None => sign * self.coverage.left_out(job),
        }))
    }

    /// Creates the outcome of a search that ended with `picks` as its best choice, if there is one. `bound` is a lower
    /// bound of the signed value of every better choice.
    pub(crate) fn outcome(&self, picks: Option<Vec<Option<usize>>>, end: End, bound: f64) -> Chosen {
        let choice = picks.map(|picks| self.choice(picks));
        let value = choice.as_ref().map(|choice| self.value(choice));
        let sign = goal::sign(self.goal);
        let better = if end == End::Done { f64::INFINITY } else { bound };
        // The lower of the bound and the choice's own value holds for all choices.
        let bound = value.map(|value| sign * better.min(sign * value)).filter(|bound| bound.is_finite());
        Outcome::stopped(choice.zip(value), bound, 0, end).with_refusal(None)
    }

    /// Returns the reason why there is no choice, provided that no account is the reason.
    pub(crate) fn why_not(&self) -> ChoiceRefusal {
        let batch = self.alternatives;
        let is_missing = |job: &usize| self.coverage.forbids(*job) && batch.of_job(*job).len() == 0;
        let jobs: Vec<usize> = (0..batch.jobs()).filter(is_missing).collect();
        if !jobs.is_empty() {
            return ChoiceRefusal::NoAlternative { jobs };
        }
        // A job that need not be served is served if that lowers the sum.
        let least = |job| {
            let left_out = (!self.coverage.forbids(job)).then_some(0.0);
            batch.of_job(job).map(|pair| self.limited(pair)).chain(left_out).min_by(f64::total_cmp)
        };
        let least = exact_sum((0..batch.jobs()).filter_map(least));
        ChoiceRefusal::OutOfReach { least, limit: goal::limit(self.goal) }
    }

    /// The view of the problem of serving every job; `None` if some job has no alternative.
    pub(crate) fn view(&self) -> Option<View<'a>> {
        self.alternatives.can_serve_all().then(|| self.numbers())
    }

    /// The view of all alternatives; some jobs may have none.
    pub(crate) fn numbers(&self) -> View<'a> {
        let (limit, sign) = (goal::limit(self.goal), goal::sign(self.goal));
        let batch = self.alternatives;
        let (objective, weight) =
            if self.goal.limits_cost() { (&batch.time, &batch.cost) } else { (&batch.cost, &batch.time) };
        View { offsets: &batch.offsets, objective, sign, weight, limit, is_subproblem: false }
    }
}

sched_model::setters!(impl<'a> ChoiceProblem<'a> {
    /// Sets which jobs may be left out.
    with_coverage: coverage: Coverage,
});

impl Coverage {
    /// Whether a job must not be left out.
    pub(crate) fn forbids(&self, job: usize) -> bool {
        match self {
            Self::EveryJob => true,
            Self::Penalties(penalties) => penalties.get(job) == Some(&f64::INFINITY),
            Self::MostJobs | Self::MostWeight(_) => false,
        }
    }

    /// Whether every job that must be served is served.
    pub(crate) fn allows(&self, picks: &[Option<usize>]) -> bool {
        picks.iter().enumerate().all(|(job, pick)| pick.is_some() || !self.forbids(job))
    }

    /// The amount that leaving a job out adds to [`Choice::left_out`]: its penalty, its weight, or 1; infinite if every
    /// job must be served.
    pub(crate) fn left_out(&self, job: usize) -> f64 {
        match self {
            Self::Penalties(values) | Self::MostWeight(values) => values[job] + 0.0,
            Self::MostJobs => 1.0,
            Self::EveryJob => f64::INFINITY,
        }
    }

    /// Checks that there is one penalty or weight for each job, and that each is in range.
    pub(crate) fn check(&self, jobs: impl ExactSizeIterator<Item = JobId>) -> Result<(), BatchError> {
        let values = match self {
            Self::Penalties(values) | Self::MostWeight(values) => values.as_slice(),
            Self::MostJobs | Self::EveryJob => return Ok(()),
        };
        if values.len() != jobs.len() {
            return Err(BatchError::Count { jobs: jobs.len(), given: values.len() });
        }
        let least = if matches!(self, Self::Penalties(_)) { -1e120 } else { 0.0 };
        let fits = |at: usize, value: &f64| (least..=1e120).contains(value) || self.forbids(at);
        match jobs.zip(values).enumerate().find(|(at, (_, value))| !fits(*at, value)) {
            Some((_, (job, &value))) => Err(BatchError::Service { job, value }),
            None => Ok(()),
        }
    }

    /// The coverage of the jobs at these positions.
    pub(crate) fn of_jobs(&self, positions: impl Iterator<Item = usize>) -> Self {
        match self {
            Self::Penalties(penalties) => Self::Penalties(positions.map(|at| penalties[at]).collect()),
            Self::MostWeight(weights) => Self::MostWeight(positions.map(|at| weights[at]).collect()),
            Self::EveryJob | Self::MostJobs => self.clone(),
        }
    }
}

/// The account of each job, and the budget of each account. Account 0 stands for no account and has an infinite budget.
#[derive(Debug)]
pub(crate) struct Accounts {
    /// Position in `budgets`.
    pub(crate) of_job: Vec<usize>,
    pub(crate) budgets: Vec<f64>,
}

impl Accounts {
    /// Whether a choice keeps all budgets.
    pub(crate) fn allow(&self, batch: &Alternatives, picks: &[Option<usize>]) -> bool {
        self.budgets.iter().enumerate().all(|(account, &budget)| {
            !self.of_job.contains(&account) || affordable(self.costs(batch, picks, account), budget)
        })
    }

    /// The costs that a choice charges to an account.
    fn costs<'a>(
        &'a self,
        batch: &'a Alternatives,
        picks: &'a [Option<usize>],
        account: usize,
    ) -> impl Iterator<Item = f64> + Clone + 'a {
        let own = self.of_job.iter().enumerate().filter(move |(_, of)| **of == account);
        own.filter_map(|(job, _)| Some(batch.cost[batch.offsets[job] + picks[job]?]))
    }

    /// For a job that is left out: the amount that its account lacks for its cheapest alternative, in addition to
    /// the alternatives chosen for the other jobs of the account; `None` if the account suffices.
    pub(crate) fn short_by(&self, batch: &Alternatives, picks: &[Option<usize>], job: usize) -> Option<f64> {
        let account = *self.of_job.get(job)?;
        let budget = *self.budgets.get(account).filter(|budget| budget.is_finite())?;
        let spent = self.costs(batch, picks, account);
        let cheapest = batch.of_job(job).map(|(cost, _)| cost).min_by(f64::total_cmp)?;
        let short_by = exact_sum(spent.chain([cheapest, -budget]));
        (short_by > 0.0).then_some(short_by)
    }
}
