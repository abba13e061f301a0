//! Solving again after a little has changed.

use crate::automatic::Automatic;
use crate::candidates::drive::{self, width};
use crate::candidates::lists::{CandidateLists, KeptLists};
use crate::candidates::paths::Search;
use crate::candidates::state::State;
use crate::kernel::NONE;
use crate::kernel::number::Unit;
use crate::kernel::occupied::Occupied;
use crate::kernel::prepared::{Found, Prepared};
use crate::kernel::source::Source;
use crate::kernel::stop::Stop;
use crate::kernel::survey::Survey;
use crate::kernel::watch::Watch;
use crate::within::{Bounded, watched};
use crate::{Answer, AssignError, Assignment, Coverage, Problem, Sense};
use sched_model::{End, Meter};

/// The changes since a problem was last solved. Changed capacities need not be listed: they are compared.
///
/// Changed costs are named by job or by resource, whichever list is shorter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
#[must_use]
pub struct Changes<'c> {
    /// Jobs of which some cost changed.
    pub jobs: &'c [u32],
    /// Resources of which some cost changed.
    pub resources: &'c [u32],
}

impl<'c> Changes<'c> {
    /// Some costs of these jobs changed.
    pub fn of_jobs(jobs: &'c [u32]) -> Self {
        Self { jobs, resources: &[] }
    }

    /// Some costs of these resources changed.
    pub fn of_resources(resources: &'c [u32]) -> Self {
        Self { jobs: &[], resources }
    }

    /// Some costs of these resources changed too.
    pub fn with_resources(self, resources: &'c [u32]) -> Self {
        Self { resources, ..self }
    }
}

/// A problem that is solved again and again while costs of some jobs or resources, and capacities, change:
/// each answer starts from the prices and placements of the one before.
///
/// A call solves from scratch if it is the first, if the call before was stopped or found no assignment, or
/// if shape, sense or coverage differ; it then lists the cheapest resources of every job (one more pass). All
/// other calls read only the costs that changed, and the costs that are needed to place these jobs again:
/// jobs that changed, jobs whose place was taken away, and jobs for which a changed resource now costs less
/// than they pay. Every answer is exact, as that of [`solve`](crate::solve); costs whose sums doubles cannot
/// hold take one further pass.
///
/// If a changed cost is not listed, the answer can be wrong: [`verify`](crate::verify) finds that. Space
/// O(jobs + resources).
///
/// ```
/// use auction_assign::{Changes, Costs, Problem, Warm};
/// use sched_model::Limit;
/// let mut hours = vec![4.0, 1.0, 3.0, 2.0, 0.0, 5.0, 3.0, 2.0, 2.0];
/// let limit = Limit::default();
/// let mut warm = Warm::default();
/// let first =
///     warm.solve(&Problem::new(Costs::dense(3, 3, &hours)?), Changes::default(), &mut limit.meter())?;
/// assert_eq!(first.outcome.value, Some(5.0));
/// // Job 1 now wants resource 2.
/// hours[5] = 0.0;
/// let problem = Problem::new(Costs::dense(3, 3, &hours)?);
/// let second = warm.solve(&problem, Changes::of_jobs(&[1]), &mut limit.meter())?;
/// assert_eq!(second.outcome.value, Some(4.0));
/// assert_eq!(second.outcome.incumbent.unwrap().resources, [Some(1), Some(2), Some(0)]);
/// # Ok::<(), auction_assign::AssignError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Warm {
    kept: Option<Kept>,
}

/// The data kept from an answer.
#[derive(Debug, Clone)]
struct Kept {
    shape: (usize, usize),
    sense: Sense,
    coverage: Coverage,
    survey: Survey,
    lists: KeptLists,
    /// One per resource; the dummy's, if there is one, is the last.
    prices: Vec<f64>,
    resource_of: Vec<u32>,
    least_raise: f64,
}

impl Warm {
    /// Solves a problem that differs from that of the call before by no more than the changes named, within a
    /// limit.
    ///
    /// # Errors
    /// As [`solve`](crate::solve), for the costs that are read. [`AssignError::Changed`] if a change names a
    /// job or resource that is not there.
    pub fn solve(
        &mut self,
        problem: &Problem<'_>,
        changes: Changes<'_>,
        meter: &mut Meter<'_>,
    ) -> Result<Bounded, AssignError> {
        let lies_outside =
            |names: &[u32], count: usize| names.iter().copied().find(|&at| at as usize >= count);
        if let Some(job) = lies_outside(changes.jobs, problem.jobs()) {
            return Err(AssignError::Changed { what: "job", index: job, count: problem.jobs() });
        }
        if let Some(resource) = lies_outside(changes.resources, problem.resources()) {
            return Err(AssignError::Changed {
                what: "resource",
                index: resource,
                count: problem.resources(),
            });
        }
        let kept = self.kept.take().filter(|kept| kept.fits(problem));
        let mut found = watched(problem, meter, |watch| match kept {
            Some(kept) => kept.again(problem, changes, watch, &mut self.kept),
            None => from_nothing(problem, watch, &mut self.kept),
        })?;
        if self.kept.is_none()
            && found.outcome.end == End::Done
            && let Some(assignment) = &found.outcome.incumbent
        {
            // A check during the search has proven the answer before the search ended.
            let before = meter.work();
            if meter.spend(PASSES_TO_KEEP * Source::new(problem).all_entries()).is_ok() {
                keep(problem, assignment, Watch::NONE, &mut self.kept).or_else(|stop| match stop {
                    Stop::Malformed(error) => Err(error),
                    _ => Ok(()),
                })?;
            }
            found.outcome.work += meter.work() - before;
        }
        Ok(found)
    }
}

/// Solves from scratch, and keeps the data from which the next call starts.
fn from_nothing(problem: &Problem<'_>, watch: Watch<'_>, kept: &mut Option<Kept>) -> Result<Answer, Stop> {
    let answer = Automatic.solve(problem, watch)?;
    if let Some(assignment) = answer.assignment() {
        keep(problem, assignment, watch, kept)?;
    }
    Ok(answer)
}

/// The work of checking and listing all costs, in passes over them.
const PASSES_TO_KEEP: u64 = 4;

/// Keeps the data of an answer from which the next call starts.
fn keep(
    problem: &Problem<'_>,
    assignment: &Assignment,
    watch: Watch<'_>,
    kept: &mut Option<Kept>,
) -> Result<(), Stop> {
    let Some(duals) = &assignment.duals else { return Ok(()) };
    let prepared = Prepared::without_columns(problem, watch)?;
    if prepared.jobs() == 0 {
        return Ok(());
    }
    let mut prices = duals.prices.clone();
    if let Some(cost) = prepared.dummy {
        prices.push((0.0 - duals.waiting.unwrap_or_default()) - cost);
    }
    let out = prepared.source.cols() as u32;
    let resource_of = assignment.resources.iter().map(|r| r.unwrap_or(out)).collect();
    let least_raise = if prepared.on_grid(&prices) { f64::INFINITY } else { raise_of(&prices) };
    let lists = CandidateLists::new(&prepared, width(&prepared), &prices)?.keep();
    *kept = Some(Kept::of(&prepared, lists, prices, resource_of, least_raise));
    Ok(())
}

/// The greatest power of two of which all prices are multiples.
fn raise_of(prices: &[f64]) -> f64 {
    let lowest = |price: &f64| {
        let bits = price.to_bits();
        let exponent = ((bits >> 52) & 0x7ff) as i32;
        exponent - 1075 + (bits & ((1 << 52) - 1) | 1 << 52).trailing_zeros() as i32
    };
    let lowest = prices.iter().filter(|price| price.is_normal()).map(lowest).min();
    lowest.map_or(f64::INFINITY, |exponent| 2f64.powi(exponent.max(-1022)))
}

impl Kept {
    fn of(
        prepared: &Prepared<'_>,
        lists: KeptLists,
        prices: Vec<f64>,
        resource_of: Vec<u32>,
        least_raise: f64,
    ) -> Self {
        Self {
            shape: (prepared.jobs(), prepared.source.cols()),
            sense: prepared.problem.sense(),
            coverage: prepared.problem.coverage(),
            survey: prepared.survey.clone(),
            lists,
            prices,
            resource_of,
            least_raise,
        }
    }

    fn fits(&self, problem: &Problem<'_>) -> bool {
        self.shape == (problem.jobs(), problem.resources())
            && self.sense == problem.sense()
            && self.coverage == problem.coverage()
    }

    /// Solves from the data that were kept.
    fn again(
        mut self,
        problem: &Problem<'_>,
        changes: Changes<'_>,
        watch: Watch<'_>,
        kept: &mut Option<Self>,
    ) -> Result<Answer, Stop> {
        self.survey.amend(&Source::new(problem), changes.jobs, changes.resources, watch)?;
        let prepared = Prepared::of(problem, self.survey, watch)?;
        if prepared.capacities.len() != self.prices.len() {
            // Some jobs must stay unplaced now and did not have to before, or the reverse.
            return from_nothing(problem, watch, kept);
        }
        watch.spend((prepared.jobs() + prepared.capacities.len()) as u64)?;
        // A resource without places had no price.
        let closed = |(price, &capacity): (&f64, &u32)| capacity == 0 || *price == f64::INFINITY;
        if self.prices.iter().zip(&prepared.capacities).any(closed) {
            return from_nothing(problem, watch, kept);
        }
        let mut lists = self.lists.attach(&prepared);
        let mut state = State::new(prepared.jobs(), prepared.capacities.clone(), self.prices, Unit::NONE);
        for &job in changes.jobs {
            self.resource_of[job as usize] = NONE;
            lists.refill(job as usize, &state.prices);
        }
        let mut seen = 0;
        for (i, r) in self.resource_of.iter_mut().enumerate().filter(|(_, r)| **r != NONE) {
            let cost = prepared.cost(i, *r);
            let paid = cost + state.prices[*r as usize];
            let mut stays = cost < f64::INFINITY && state.has_room(*r);
            for &changed in changes.resources {
                let cost = prepared.cost(i, changed);
                lists.set_offer(i, changed, cost, state.prices[changed as usize]);
                stays &= cost + state.prices[changed as usize] >= paid;
            }
            // On a resource whose costs have risen the job may no longer pay the least value.
            stays &= !changes.resources.contains(r)
                || lists.best(i, &state.prices).is_some_and(|best| best.value >= paid);
            if stays {
                state.place(i as u32, *r, cost);
            } else {
                *r = NONE;
            }
        }
        watch.spend_since(&mut seen, lists.work)?;
        watch.spend((prepared.jobs() * changes.resources.len()) as u64)?;
        let mut search = Search::new(&state);
        for job in (0..prepared.jobs() as u32).filter(|&job| self.resource_of[job as usize] == NONE) {
            prepared.look(&state.resource_of, &state.prices)?;
            search.augment(job, &mut state, &mut lists, watch)?;
        }
        if !prepared.is_tight() {
            search.settle(&mut state, &mut lists, u64::MAX, watch)?;
        }
        let State { resource_of, cost_of, prices, .. } = state;
        let (standing, standing_prices) = (resource_of.clone(), prices.clone());
        let found = Found { resource_of, cost_of, prices, least_raise: self.least_raise };
        let epoch = lists.epoch;
        let answer = drive::finish_listed(&prepared, found, &mut lists)?;
        // The closing search in exact numbers may have listed jobs at prices above those that are kept.
        lists.renew_since(epoch, &standing_prices, watch)?;
        *kept = Some(Self::of(&prepared, lists.keep(), standing_prices, standing, self.least_raise));
        Ok(answer)
    }
}
