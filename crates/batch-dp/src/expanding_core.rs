//! The default exact solver: linear relaxation, reduction, and a recurrence over an expanding core.
//! [`kernel`](crate::kernel) defines the terms.

use crate::partial::{self, Answer, Scratch, serve_all};
use crate::problem::{Accounts, Stop};
use crate::{BatchError, ChoiceProblem, Chooser, Chosen, Coverage, accounts};
use sched_model::{Meter, Outcome};

/// The name in the registry.
pub(crate) const NAME: &str = "expanding-core";

/// The exact choice of one alternative per job. The search covers a core of some of the jobs, which expands only
/// as far as the proof needs.
///
/// After David Pisinger, *A minimal algorithm for the multiple-choice knapsack problem* (1995), with these
/// deviations: real values in place of integers, summed without rounding; the multiplier of the linear relaxation
/// found by secants instead of partitioning; every alternative tested by its reduced cost before the core is
/// ordered; completion bounds applied while states are generated; histories stored, so that no part is solved
/// again to find the picks; two lists that meet in the middle (E. Horowitz, S. Sahni, *Computing partitions with
/// applications to the knapsack problem*, 1974) if one would grow long; and passes of rising width, so that memory
/// is bounded and there is an answer at any time.
///
/// 1. The linear relaxation gives a multiplier `m`, a bound, and a *base*: for each job an alternative of
///    smallest `p + m w`. Here `p` is the objective and `w` the limited quantity.
/// 2. The first incumbent is the base, with each unsettled job upgraded where the upgrade fits.
/// 3. The reduced cost of an alternative is its loss of `p + m w` against the base. An alternative whose reduced
///    cost lifts the bound above the incumbent cannot be in a better choice, and is removed. The best exchange of
///    one or two of the remaining alternatives improves the incumbent.
/// 4. The jobs that still have a choice form the core. They enter the lists alternately: the job with the best upgrade,
///    then the job with the best downgrade. The list of undominated sums grows job by job. Once it is long, a second
///    list grows from the last job; where the lists meet, one walk over both finds the best pair. A state stays only
///    while its best completion by the remaining jobs could beat the incumbent; when no state is left, the incumbent is
///    proven optimal.
/// 5. A list that is longer than the width of the pass is shortened to the width: half of the states kept are those of
///    the best bounds, the rest are spread evenly. If any state was dropped, the optimum is at least the smallest bound
///    dropped or the incumbent, and the next pass is eight times as wide.
///
/// # When to prefer another algorithm
/// Never for the sake of the answer. [`BackwardRun`](crate::ChooserKind::BackwardRun) is the textbook recurrence: short
/// to read, but slower by orders of magnitude if jobs or alternatives are many.
///
/// # Complexity
/// With `N` alternatives of `n` jobs: O(N) time for each pass of the relaxation and for the reduction; the core
/// costs O(S K log K) for each of its jobs, with `K` alternatives left and `S` states. Typically a few dozen
/// alternatives are left in any batch; in the worst case `S` is exponential in half the number of jobs, as the
/// problem is NP-hard. The passes over an alternative before the search count four units of work, each state formed or
/// merged four more.
///
/// # Guarantee
/// A completed search ([`End::Done`](sched_model::End::Done)) is exact: the sum of the limited quantity, rounded once
/// to a double, is at most the limit, and no choice that keeps the limit has a better objective, summed and rounded in
/// the same way. The answer does not depend on the order of the jobs, except for ties. A search that is stopped earlier
/// returns the best choice found, which keeps the limit, and the bound proven so far; the [table of the crate](crate)
/// lists the cases in which either is missing.
///
/// # Jobs that may be left out
/// A finite penalty is treated as one more alternative of its job. With
/// [`Coverage::MostJobs`](crate::Coverage::MostJobs) and [`Coverage::MostWeight`](crate::Coverage::MostWeight) the
/// largest service is found first, then the best choice of that service: two exact sums are compared lexicographically,
/// and the service has a multiplier of its own instead of a large factor. A long search treats two cases separately:
/// choices that serve at most as many jobs as the relaxation does, and choices that serve more.
///
/// # Accounts
/// The jobs of an account whose budget can bind are combined into the front of the choices that the account can pay;
/// then one point of each front and one alternative of each other job are chosen. If service comes first, fronts are
/// formed twice: to find the maximum service, and to find the best choice of that service. Each such account takes
/// O(front) space; the size of a front may be exponential in the number of jobs. For the maximum income under budgets
/// that bind, a front contains each attainable income with the minimum time. A search that is stopped while fronts are
/// formed returns the earlier choice, if there is one, or the choice of maximum service that it has found before.
///
/// # Ties
/// Among choices of equal objective, one of minimum weight, both as rounded. Among equal alternatives of a job, the
/// first. Which of several choices equal in both sums is returned is not specified, but it is always the same one.
///
/// # Example
/// Two jobs; the pairs are (cost, time). Within a budget of 13 the minimum total time is 13, reached by two
/// choices: 8 + 5, which costs 12, and 5 + 8, which costs 11. The tie goes to the cheaper one.
///
/// ```
/// use batch_dp::{Alternatives, ChoiceProblem, Chooser, ExpandingCore, Goal};
/// let batch = Alternatives::new(&[
///     vec![(4.0, 10.0), (6.0, 8.0), (9.0, 5.0)],
///     vec![(2.0, 8.0), (6.0, 5.0), (10.0, 1.0)],
/// ])?;
/// let problem = ChoiceProblem::new(&batch, Goal::MinTime { budget: Some(13.0) });
/// let choice = ExpandingCore.choose(&problem)?.solution()?;
/// assert_eq!((choice.cost, choice.time), (11.0, 13.0));
/// assert_eq!(choice.picks, [Some(2), Some(0)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct ExpandingCore;

impl Chooser for ExpandingCore {
    fn name(&self) -> &'static str {
        NAME
    }

    fn solve(&self, problem: &ChoiceProblem<'_>, meter: &mut Meter) -> Result<Chosen, BatchError> {
        let accounts = problem.checked()?;
        let start = problem.valid_start(&accounts);
        let mut scratch: Scratch = meter.take();
        let before = meter.work();
        let mut outcome =
            meter.scratch(|meter| match answer(problem, start, &accounts, &mut scratch, meter) {
                Ok(Answer { picks, proof }) => problem.outcome(Some(picks), proof.end, proof.bound),
                Err(Stop::Refused(refusal)) => Outcome::infeasible(0).with_refusal(Some(refusal)),
                // Stopped before it had another choice than the start.
                Err(Stop::Limit(end)) => problem.outcome(start.map(<[_]>::to_vec), end, f64::NEG_INFINITY),
            });
        meter.put(scratch);
        outcome.work = meter.work() - before;
        Ok(outcome)
    }
}

/// Chooses by the method for the problem's accounts and coverage.
fn answer(
    problem: &ChoiceProblem<'_>,
    start: Option<&[Option<usize>]>,
    accounts: &Accounts,
    scratch: &mut Scratch,
    meter: &mut Meter,
) -> Result<Answer, Stop> {
    let answer = match &problem.coverage {
        _ if !problem.accounts.is_empty() => accounts::choose(problem, start, accounts, scratch, meter)?,
        Coverage::EveryJob if !problem.alternatives.can_serve_all() => None,
        Coverage::EveryJob => serve_all(problem, start, &mut scratch.core, meter)?,
        _ => partial::select(problem, start, scratch, meter)?,
    };
    answer.ok_or_else(|| Stop::Refused(problem.why_not()))
}
