//! The paper's cycle by several searches and in several orders of the jobs.

use crate::JointError;
use crate::conflict::{Candidate, ConflictProblem};
use crate::incumbent::Incumbent;
use crate::instance::{Instance, Stopped};
use crate::order::{Offers, Order};
use crate::pool::Pool;
use crate::terms::Goal;
use batch_dp::{Alternatives, ChoiceProblem, Chooser, Coverage, ExpandingCore};
use sched_model::check::Rules;
use sched_model::{End, Limit, Meter, Window};
use slot_window::{Alp, AlternativesSearch, FirstFit, Objective, Optimal, WindowSearch};

/// Work of the choice among the windows of one cycle.
const CHOICE_WORK: u64 = 1_000_000;

/// The objective of the search that fits a goal best.
pub(crate) fn fit(goal: Goal) -> Objective {
    match goal {
        Goal::MinCost { .. } => Objective::Cost,
        Goal::MinFinish { .. } => Objective::Finish,
        _ => Objective::Runtime,
    }
}

/// The searches whose windows keep these rules, the one for this objective first.
pub(crate) fn searches(rules: Rules, fit: Objective) -> Result<Vec<Box<dyn WindowSearch>>, JointError> {
    if rules == Rules::per_slot() {
        return Ok(vec![Box::new(Alp::new())]);
    }
    let optimal = |objective| -> Result<Box<dyn WindowSearch>, JointError> {
        let search = Optimal::new(objective);
        let search = rules.budget_factor.map_or(Ok(search), |rho| search.with_rho(rho))?;
        Ok(Box::new(search.with_rules(rules)))
    };
    let objectives = match fit {
        Objective::Cost => [Objective::Cost, Objective::Start, Objective::Runtime, Objective::Finish],
        Objective::Finish => [Objective::Finish, Objective::Runtime, Objective::Start, Objective::Cost],
        _ => [Objective::Runtime, Objective::Finish, Objective::Start, Objective::Cost],
    };
    let mut searches = objectives.into_iter().map(optimal).collect::<Result<Vec<_>, _>>()?;
    // It knows no price limit of a slot.
    if !rules.slot_price {
        let search = FirstFit::new().with_holding(rules.holding);
        let search = rules.budget_factor.map_or(Ok(search), |rho| search.with_rho(rho))?;
        searches.push(Box::new(search));
    }
    Ok(searches)
}

/// The result of a cycle: for each job its windows, and the chosen one.
pub(crate) struct Found {
    windows: Vec<Vec<Window>>,
    picks: Vec<Option<usize>>,
    /// The work that it took.
    pub(crate) work: u64,
}

impl Found {
    /// Adds the windows to the pool, and offers the choice to the incumbent.
    pub(crate) fn take(self, instance: &Instance<'_>, pool: &mut Pool, incumbent: &mut Incumbent) {
        for (job, of_job) in self.windows.iter().enumerate() {
            for window in of_job {
                pool.add(job, window);
            }
        }
        let chosen = self.picks.iter().zip(&self.windows);
        incumbent
            .offer(instance, chosen.map(|(pick, of_job)| pick.and_then(|pick| of_job.get(pick)).cloned()));
    }
}

/// One cycle: alternatives of all jobs by this search in this order, and the best choice among them. Its work
/// has a limit of its own, so that cycles can run in parallel.
///
/// # Errors
/// [`JointError`] for malformed input.
pub(crate) fn cycle(
    instance: &Instance<'_>,
    search: &dyn WindowSearch,
    order: Order,
    most_alternatives: usize,
    outer: &Limit,
) -> Result<Found, Stopped> {
    let limit = Limit::default().with_work(CHOICE_WORK).with_signal_of(outer);
    let mut meter = limit.meter();
    let search = AlternativesSearch::new(search)
        .with_max_per_job(most_alternatives)
        .with_demands(instance.demanding())
        .without_reasons()
        .with_limit(Limit::default().with_signal_of(outer));
    let found = Offers::find(&search, order, (instance.slots, &instance.jobs, instance.from))?;
    if found.found.end() == End::Signal {
        return Err(Stopped::Limit(End::Signal));
    }
    let windows: Vec<Vec<Window>> = found.offers().map(|(_, windows, _)| windows.to_vec()).collect();
    let picks = choose(&windows, instance, &mut meter)?;
    if meter.ended() == Some(End::Signal) {
        return Err(Stopped::Limit(End::Signal));
    }
    let work = 1 + (instance.slots.len() * instance.jobs.len()) as u64 + meter.work();
    Ok(Found { windows, picks, work })
}

/// These cycles, each by a search in an order; in parallel with the feature `rayon`, with the same result.
///
/// # Errors
/// [`JointError`] for malformed input.
pub(crate) fn cycles(
    instance: &Instance<'_>,
    pairs: &[(Order, &dyn WindowSearch)],
    most_alternatives: usize,
    outer: &Limit,
) -> Vec<Result<Found, Stopped>> {
    let run = |&(order, search): &(Order, &dyn WindowSearch)| {
        cycle(instance, search, order, most_alternatives, outer)
    };
    #[cfg(feature = "rayon")]
    {
        use rayon::prelude::*;
        pairs.par_iter().map(run).collect()
    }
    #[cfg(not(feature = "rayon"))]
    {
        pairs.iter().map(run).collect()
    }
}

/// The most jobs, then the best choice among windows that do not overlap.
fn choose(
    windows: &[Vec<Window>],
    instance: &Instance<'_>,
    meter: &mut Meter,
) -> Result<Vec<Option<usize>>, JointError> {
    let measures =
        |window: &Window| (instance.terms.weight(window), instance.terms.objective(window, instance.from));
    if instance.accounts.budgets.is_empty() {
        // The limited quantity takes the place of costs, and the objective that of times.
        let pairs: Vec<Vec<(f64, f64)>> =
            windows.iter().map(|of_job| of_job.iter().map(measures).collect()).collect();
        let batch = Alternatives::new(&pairs)?;
        let goal = batch_dp::Goal::MinTime { budget: Some(instance.limit) };
        let problem = ChoiceProblem::new(&batch, goal).with_coverage(Coverage::MostJobs);
        let outcome = ExpandingCore.solve(&problem, meter)?;
        return Ok(outcome.best.map_or(vec![None; windows.len()], |selection| selection.picks));
    }
    let candidates = windows.iter().map(|of_job| {
        let candidate = |window: &Window| {
            let (weight, objective) = measures(window);
            Candidate { uses: Vec::new(), objective, weight }
        };
        of_job.iter().map(candidate).collect()
    });
    let of_job: Vec<Vec<&Window>> = windows.iter().map(|of_job| of_job.iter().collect()).collect();
    let problem = ConflictProblem::new(candidates.collect(), instance.limit)?;
    let problem = problem.with_accounts(&instance.accounts.of_choice(&of_job))?;
    Ok(problem.solve(meter).picks)
}
