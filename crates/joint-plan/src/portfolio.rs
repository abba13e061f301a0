//! The paper's cycle by several searches and in several orders of the jobs.

use crate::JointError;
use crate::ascent::{Cell, Stopped};
use crate::incumbent::Incumbent;
use crate::pool::Pool;
use crate::terms::JointGoal;
use batch_dp::conflict::{Candidate, ConflictProblem};
use sched_model::check::Rules;
use sched_model::{Batch, Job, Meter, Window};
use slot_window::{Alp, AlternativesSearch, FirstFit, Objective, Optimal, WindowSearch};

/// Work of the choice among the windows of one cycle.
const CHOICE_WORK: u64 = 1_000_000;

/// Orders in which the jobs are served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// As the batch has them.
    Given,
    /// Greatest work times nodes first.
    LargestFirst,
    /// Least work times nodes first.
    SmallestFirst,
    /// Most nodes first.
    WidestFirst,
    /// Last job first.
    Reversed,
}

pub(crate) const ORDERS: [Order; 5] =
    [Order::Given, Order::LargestFirst, Order::SmallestFirst, Order::WidestFirst, Order::Reversed];

impl Order {
    /// The positions of the jobs in this order; ties by position.
    fn of(self, jobs: &[&Job]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..jobs.len()).collect();
        let size = |&at: &usize| jobs[at].request.work().get() * jobs[at].request.nodes() as f64;
        match self {
            Self::Given => {}
            Self::LargestFirst => order.sort_by(|a, b| size(b).total_cmp(&size(a)).then(a.cmp(b))),
            Self::SmallestFirst => order.sort_by(|a, b| size(a).total_cmp(&size(b)).then(a.cmp(b))),
            Self::WidestFirst => order.sort_by_key(|&at| (std::cmp::Reverse(jobs[at].request.nodes()), at)),
            Self::Reversed => order.reverse(),
        }
        order
    }
}

/// The searches whose windows keep to these rules, the one that fits the goal first.
pub(crate) fn searches(rules: Rules, goal: JointGoal) -> Result<Vec<Box<dyn WindowSearch>>, JointError> {
    if rules.slot_price {
        return Ok(vec![Box::new(Alp::new())]);
    }
    let optimal = |objective| -> Result<Box<dyn WindowSearch>, JointError> {
        let search = Optimal::new(objective).with_holding(rules.holding);
        Ok(match rules.budget_factor {
            Some(rho) => Box::new(search.with_rho(rho)?),
            None => Box::new(search),
        })
    };
    let first_fit: Box<dyn WindowSearch> = {
        let search = FirstFit::new().with_holding(rules.holding);
        match rules.budget_factor {
            Some(rho) => Box::new(search.with_rho(rho)?),
            None => Box::new(search),
        }
    };
    let objectives = match goal {
        JointGoal::MinCost { .. } => {
            [Objective::Cost, Objective::Start, Objective::Runtime, Objective::Finish]
        }
        JointGoal::MinFinish { .. } => {
            [Objective::Finish, Objective::Runtime, Objective::Start, Objective::Cost]
        }
        _ => [Objective::Runtime, Objective::Finish, Objective::Start, Objective::Cost],
    };
    let mut searches = objectives.into_iter().map(optimal).collect::<Result<Vec<_>, _>>()?;
    searches.push(first_fit);
    Ok(searches)
}

/// One cycle: alternatives of all jobs by this search in this order, and the best choice among them. The windows found
/// join the pool; the choice is offered to the incumbent.
///
/// # Errors
/// [`Stopped`] where the limit ends it or the input is malformed.
pub(crate) fn cycle(
    cell: &Cell<'_>,
    search: &dyn WindowSearch,
    order: Order,
    most_alternatives: usize,
    pool: &mut Pool,
    incumbent: &mut Incumbent,
    meter: &mut Meter<'_>,
) -> Result<(), Stopped> {
    let order = order.of(&cell.jobs);
    let batch = Batch::new(order.iter().map(|&at| *cell.jobs[at]).collect()).map_err(JointError::from)?;
    meter.spend(1 + (cell.slots.len() * cell.jobs.len()) as u64).map_err(Stopped::Limit)?;
    let alternatives = AlternativesSearch::new(search).with_max_per_job(most_alternatives);
    let found = alternatives.find(cell.slots, &batch, cell.from).map_err(JointError::from)?;
    let mut windows: Vec<&[Window]> = vec![&[]; cell.jobs.len()];
    for (&at, (_, of_job)) in order.iter().zip(found.jobs()) {
        windows[at] = of_job;
        for window in of_job {
            pool.add(at, window);
        }
    }
    let picks = choose(&windows, cell, meter)?;
    incumbent.offer(
        cell,
        picks.into_iter().zip(windows).map(|(pick, of_job)| pick.map(|pick| of_job[pick].clone())),
    );
    Ok(())
}

fn choose(
    windows: &[&[Window]],
    cell: &Cell<'_>,
    meter: &mut Meter<'_>,
) -> Result<Vec<Option<usize>>, JointError> {
    let candidates = windows.iter().map(|of_job| {
        let candidate = |window: &Window| Candidate {
            // The windows of one cycle do not overlap.
            claims: Vec::new(),
            objective: cell.terms.objective(window, cell.from),
            weight: cell.terms.weight(window),
        };
        of_job.iter().map(candidate).collect()
    });
    let problem = ConflictProblem::new(candidates.collect(), cell.limit)?;
    Ok(meter.within(CHOICE_WORK, |meter| problem.solve(meter)).picks)
}
