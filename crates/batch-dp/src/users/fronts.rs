//! The front of all that the jobs of one user can do within the user's budget.

use super::join::Join;
use crate::list::{History, Room, Runs, State, Step, keep_undominated, product, rising};
use crate::number::Amount;
use sched_model::{End, Meter};

impl Join<'_> {
    /// The front of the jobs of one user, of what the user can pay.
    pub(super) fn front<N: Amount>(
        &self,
        jobs: &[usize],
        budget: f64,
        history: &mut History,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<State<N, N>>, End> {
        let income = self.view.sign < 0.0 && !self.cost_is_limited();
        let cost_scale = if self.cost_is_limited() { &self.scales.1 } else { &self.scales.0 };
        // What the jobs before all those still to come may cost together.
        let mut most = N::most(budget, cost_scale);
        let cheapest: Vec<N> = jobs
            .iter()
            .map(|&job| {
                let row = self.view.offsets[job]..self.view.offsets[job + 1];
                N::of(row.map(|at| self.cost(at)).fold(f64::MAX, f64::min), cost_scale)
            })
            .collect();
        for &cheapest in &cheapest {
            most = most.minus(cheapest);
        }
        let mut states: Vec<State<N, N>> = vec![State::ORIGIN];
        let (mut runs, mut paid) = (Runs::default(), 0);
        for (&job, cheapest) in jobs.iter().zip(cheapest) {
            most = most.plus(cheapest);
            if income {
                states = self.incomes(job, &states, most, meter, &mut paid)?;
            } else {
                let keep = |p: N, w: N| if self.cost_is_limited() { w <= most } else { p <= most };
                let steps = self.steps(job);
                let mut room = Paid { meter: &mut *meter, paid: &mut paid, history: history.len() };
                product(&states, &steps, &mut runs, keep, &mut room)?;
                std::mem::swap(&mut states, &mut runs.states);
            }
            history.commit(&mut states, job as u32);
        }
        if income {
            // By rising time, each dearer than all before.
            keep_undominated(&mut states, |state| (state.w, state.p));
        }
        Ok(states)
    }

    /// For each income that the user can pay, the least time: a greater income is no reason to drop a lesser one, which
    /// leaves more to the jobs to come. `p` is the income, negated.
    fn incomes<N: Amount>(
        &self,
        job: usize,
        states: &[State<N, N>],
        most: N,
        meter: &mut Meter<'_>,
        paid: &mut u64,
    ) -> Result<Vec<State<N, N>>, End> {
        let steps: Vec<Step<N, N>> = self.all_steps(job);
        let count = states.len().saturating_mul(steps.len());
        meter.spend(4 * count as u64)?;
        // The new states, once more while they are sorted, and their histories.
        pay::<N>(3 * count as u64, meter, paid)?;
        let mut next: Vec<State<N, N>> = Vec::with_capacity(count);
        for step in &steps {
            next.extend(states.iter().map(|state| State {
                p: state.p.plus(step.p),
                w: state.w.plus(step.w),
                link: state.link,
                alt: step.alt,
            }));
        }
        next.retain(|state| N::ZERO.minus(state.p) <= most);
        next.sort_by(|a, b| rising((a.p, a.w), (b.p, b.w)));
        next.dedup_by(|later, earlier| later.p == earlier.p);
        Ok(next)
    }
}

/// Asks for the memory of so many states, if more than was paid for.
fn pay<N>(states: u64, meter: &mut Meter<'_>, paid: &mut u64) -> Result<(), End> {
    let bytes = states.saturating_mul(size_of::<State<N, N>>() as u64);
    if bytes > *paid {
        meter.reserve(bytes - *paid)?;
        *paid = bytes;
    }
    Ok(())
}

/// Pays for the products of a front.
struct Paid<'p, 'm> {
    meter: &'p mut Meter<'m>,
    paid: &'p mut u64,
    /// Links so far, counted as states.
    history: usize,
}

/// Sums formed before the first merge.
const BLOCK: usize = 1 << 14;

impl<N: Amount> Room<N, N> for Paid<'_, '_> {
    type Stop = End;

    fn block(&self) -> usize {
        BLOCK
    }

    fn spend(&mut self, states: usize) -> Result<(), End> {
        self.meter.spend(4 * states as u64)
    }

    fn trim(&mut self, list: &mut Vec<State<N, N>>, _: Option<N>) -> Result<(), End> {
        pay::<N>((self.history + 4 * (list.len() + BLOCK)) as u64, self.meter, self.paid)
    }
}
