//! Accounts, whose budgets stand beside the limit of the goal.

mod join;
mod service;

pub(crate) use service::select;

use crate::kernel::CoreScratch;
use crate::number::{Amount, Grid, Kind, Scale, Wide};
use crate::view::View;
use crate::{ChoiceProblem, Chosen, Goal};
use join::{Join, Joined, Paid};
use sched_model::{End, Meter};

/// The account of each job, and the budget of each account; the first has no limit.
#[derive(Debug)]
pub(crate) struct Accounts {
    /// Position in `budgets`.
    pub(crate) of_job: Vec<usize>,
    pub(crate) budgets: Vec<f64>,
}

/// The best choice of one alternative of each job, from a choice that keeps all limits.
pub(crate) fn choose(
    problem: &ChoiceProblem<'_>,
    start: Option<&[Option<usize>]>,
    accounts: &Accounts,
    scratch: &mut CoreScratch,
    meter: &mut Meter,
) -> Chosen {
    let view = match problem.view() {
        Ok(view) => view,
        Err(refusal) => return problem.refused(refusal, 0),
    };
    let (mut p, mut w) = (Grid::default(), Grid::default());
    for at in 0..problem.alternatives.len() {
        let (objective, weight) = view.at(at);
        p.hold(objective);
        w.hold(weight);
    }
    let entries = start.and_then(|start| problem.alternatives.entries(start));
    let plain = Plain { problem, accounts, view, scales: (p.scale(), w.scale()), known: entries.as_deref() };
    let joined = match p.kind().max(w.kind()) {
        Kind::Double => plain.choose::<f64>(scratch, meter),
        Kind::Long => plain.choose::<i128>(scratch, meter),
        Kind::Wide => plain.choose::<Wide>(scratch, meter),
    };
    match joined {
        // Stopped before it had another choice than the earlier one.
        Err(end) => problem.stopped(start.map(<[_]>::to_vec), None, (0, end)),
        Ok(Joined::Refused(refusal)) => problem.refused(refusal, 0),
        Ok(Joined::Found { picks, found, .. }) => {
            problem.found(problem.alternatives.positions(&picks), found)
        }
    }
}

/// One alternative for each job.
struct Plain<'a> {
    problem: &'a ChoiceProblem<'a>,
    accounts: &'a Accounts,
    view: View<'a>,
    scales: (Scale, Scale),
    known: Option<&'a [u32]>,
}

impl Plain<'_> {
    fn choose<N: Amount>(&self, scratch: &mut CoreScratch, meter: &mut Meter) -> Result<Joined, End> {
        let paid = match self.problem.goal {
            Goal::MinTime { .. } | Goal::MaxTime { .. } => Paid::Weight,
            Goal::MinCost { .. } => Paid::Objective(|p| p, self.scales.0),
            // A state of greater income must not replace one of less, which leaves more of the budget to the
            // remaining jobs.
            Goal::MaxIncome { .. } => Paid::Apart(self.scales.0),
        };
        let number = |at: usize| {
            let (p, w) = self.view.at(at);
            (N::of(p, &self.scales.0), N::of(w, &self.scales.1))
        };
        let join = Join {
            accounts: self.accounts,
            offsets: self.view.offsets,
            number: &number,
            cost: &self.problem.alternatives.cost,
            paid,
            scales: self.scales,
            limit: self.view.limit,
            sign: self.view.sign,
            keeps: &|_| true,
            offset: 0.0,
            is_apart: false,
            known: self.known,
        };
        join.choose(scratch, meter)
    }
}
