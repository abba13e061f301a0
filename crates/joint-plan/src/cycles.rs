//! Cycles by several searches and in several orders of the jobs, with the alternatives that each finds.

use crate::choice::GAP;
use crate::conflict::{Candidate, ConflictProblem};
use crate::instance::{Instance, Stopped};
use crate::pool::{Incumbent, Pool};
use crate::{Goal, JointError};
use batch_dp::{Alternatives, ChoiceProblem, Chooser, Coverage, ExpandingCore};
use sched_model::check::Rules;
use sched_model::internal::sort;
use sched_model::{Batch, End, Job, Limit, Meter, Window};
use slot_window::{Alp, AlternativesSearch, FirstFit, Objective, Optimal, WindowSearch};

/// Work of the choice among the windows of one cycle.
const CHOICE_WORK: u64 = 1_000_000;

/// The searches whose windows keep `rules`; the one that fits the goal best comes first.
pub(crate) fn searches(rules: Rules, goal: Goal) -> Vec<Box<dyn WindowSearch>> {
    if rules == Rules::per_slot() {
        return vec![Box::new(Alp)];
    }
    let optimal =
        |objective| -> Box<dyn WindowSearch> { Box::new(Optimal::new(objective).with_rules(rules)) };
    let objectives = match goal {
        Goal::MinCost { .. } => [Objective::Cost, Objective::Start, Objective::Runtime, Objective::Finish],
        Goal::MinFinish { .. } => [Objective::Finish, Objective::Runtime, Objective::Start, Objective::Cost],
        _ => [Objective::Runtime, Objective::Finish, Objective::Start, Objective::Cost],
    };
    let mut searches: Vec<_> = objectives.into_iter().map(optimal).collect();
    searches.push(Box::new(FirstFit::new().with_rules(rules)));
    searches
}

/// The result of a cycle: the windows of each job, and the position of the chosen one.
pub(crate) struct CycleResult {
    windows: Vec<Vec<Window>>,
    picks: Vec<Option<usize>>,
    /// The work that the cycle took.
    pub(crate) work: u64,
}

impl CycleResult {
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

/// Runs one cycle: finds alternatives of all jobs by `search` in `order`, and chooses among them. Each cycle has a
/// limit of its own, so cycles can run in parallel.
///
/// # Errors
/// [`JointError`] for malformed input.
fn cycle(
    instance: &Instance<'_>,
    search: &dyn WindowSearch,
    order: Order,
    most_alternatives: usize,
    outer: &Limit,
) -> Result<CycleResult, Stopped> {
    // Without budgets of users, the choice needs no search among ties for its proof.
    let gap = if instance.accounts.budgets.is_empty() { 0.0 } else { GAP };
    let limit = Limit::default().with_work(CHOICE_WORK).with_relative_gap(gap).with_signal_of(outer);
    let mut meter = limit.meter();
    let search = AlternativesSearch::new(search)
        .with_max_per_job(most_alternatives)
        .with_reasons(false)
        .with_limit(Limit::default().with_signal_of(outer));
    let order = order.of(&instance.jobs);
    let batch =
        Batch::new(order.iter().map(|&at| instance.jobs[at].clone()).collect()).map_err(JointError::from)?;
    let found = search.find(instance.slots, &batch, instance.from).map_err(JointError::from)?;
    if found.end == End::Signal {
        return Err(Stopped::Limit(End::Signal));
    }
    let mut windows = vec![Vec::new(); instance.jobs.len()];
    for (at, of) in order.into_iter().zip(found.jobs) {
        windows[at] = of.windows;
    }
    let picks = choose(&windows, instance, &mut meter)?;
    if meter.ended() == Some(End::Signal) {
        return Err(Stopped::Limit(End::Signal));
    }
    let work = 1 + (instance.slots.len() * instance.jobs.len()) as u64 + meter.work();
    Ok(CycleResult { windows, picks, work })
}

/// Runs the given cycles, each a search in an order; in parallel with the feature `rayon`, with the same result.
///
/// # Errors
/// [`JointError`] for malformed input.
pub(crate) fn cycles(
    instance: &Instance<'_>,
    pairs: &[(Order, &dyn WindowSearch)],
    most_alternatives: usize,
    outer: &Limit,
) -> Vec<Result<CycleResult, Stopped>> {
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

/// Chooses among windows that do not overlap: the most jobs first, then the minimum objective.
fn choose(
    windows: &[Vec<Window>],
    instance: &Instance<'_>,
    meter: &mut Meter,
) -> Result<Vec<Option<usize>>, JointError> {
    let measures =
        |window: &Window| (instance.terms.weight(window), instance.terms.objective(window, instance.from));
    if instance.accounts.budgets.is_empty() {
        // The limited quantity takes the place of cost, and the objective takes that of time.
        let pairs: Vec<Vec<(f64, f64)>> =
            windows.iter().map(|of_job| of_job.iter().map(measures).collect()).collect();
        let batch = Alternatives::new(&pairs)?;
        let goal = Goal::MinTime { budget: Some(instance.limit) };
        let problem = ChoiceProblem::new(&batch, goal).with_coverage(Coverage::MostJobs);
        let outcome = ExpandingCore.solve(&problem, meter)?;
        return Ok(outcome.best.map_or(vec![None; windows.len()], |selection| selection.picks));
    }
    let candidates = windows.iter().map(|of_job| {
        let candidate = |window: &Window| {
            let (weight, objective) = measures(window);
            Candidate { uses: Vec::new(), objective, weight, cost: window.cost().get() }
        };
        of_job.iter().map(candidate).collect()
    });
    let problem = ConflictProblem::new(candidates.collect(), instance.limit)?;
    let problem = problem.with_accounts(&instance.accounts.of_job, &instance.accounts.budgets);
    Ok(problem.solve(meter).picks)
}

/// Orders in which jobs are served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// The order of the batch.
    Given,
    /// Largest work times nodes first.
    LargestFirst,
    /// Smallest work times nodes first.
    SmallestFirst,
    /// Most nodes first.
    WidestFirst,
    /// Last job first.
    Reversed,
    /// Shuffled by this seed.
    Shuffled(u64),
}

/// The orders that are not random.
pub(crate) const ORDERS: [Order; 5] =
    [Order::Given, Order::LargestFirst, Order::SmallestFirst, Order::WidestFirst, Order::Reversed];

impl Order {
    /// Returns the positions of the jobs in this order; ties by position.
    fn of(self, jobs: &[&Job]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..jobs.len()).collect();
        let size = |&at: &usize| jobs[at].request.work().get() * jobs[at].request.nodes() as f64;
        match self {
            Self::Given => {}
            Self::LargestFirst => sort(&mut order, &|a, b| size(b).total_cmp(&size(a))),
            Self::SmallestFirst => sort(&mut order, &|a, b| size(a).total_cmp(&size(b))),
            Self::WidestFirst => {
                sort(&mut order, &|&a, &b| jobs[b].request.nodes().cmp(&jobs[a].request.nodes()))
            }
            Self::Reversed => order.reverse(),
            Self::Shuffled(seed) => {
                let mut sequence = Sequence(seed);
                for last in (1..order.len()).rev() {
                    order.swap(last, sequence.below(last + 1));
                }
            }
        }
        order
    }
}

/// A fixed sequence of pseudorandom numbers (G. Steele, D. Lea, C. Flood: *Fast splittable pseudorandom
/// number generators*, 2014).
pub(crate) struct Sequence(pub(crate) u64);

impl Sequence {
    /// Returns a number below `count`.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % count.max(1) as u64) as usize
    }
}
