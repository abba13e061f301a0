//! The choices for the jobs of one account within its budget.

use super::join::{Join, Paid};
use crate::kernel::share::Share;
use crate::list::{Chain, State, Step, hold, keep_undominated, order, rising};
use crate::number::{Amount, Number, Scale};
use sched_model::{End, Meter};

/// A state with what its choices cost the account.
type Bill<P, N> = (State<P, N>, N);

/// Units of work for each state formed or merged.
const UNITS: u64 = 4;

impl<P: Number, N: Amount> Join<'_, P, N> {
    /// The front of the jobs of one account, among the choices that it can pay; the histories join those of
    /// the chain.
    pub(super) fn front(
        &self,
        jobs: &[usize],
        budget: f64,
        chain: &mut Chain<P, N>,
        meter: &mut Meter,
    ) -> Result<Vec<State<P, N>>, End> {
        let scale = self.paid_scale();
        // The most that the jobs so far may cost, so that the budget still suffices for the cheapest entries
        // of the others.
        let mut most = N::most(budget, scale);
        let cheapest: Vec<N> =
            jobs.iter().map(|&job| N::of(self.costs(job).fold(f64::MAX, f64::min), scale)).collect();
        for &cheapest in &cheapest {
            most = most.minus(cheapest);
        }
        let (mut share, mut paid_for, mut held) = (Share::whole(meter), vec![N::ZERO], 0);
        for (&job, cheapest) in jobs.iter().zip(cheapest) {
            most = most.plus(cheapest);
            if let Paid::Apart(scale) = &self.paid {
                let bills: Vec<Bill<P, N>> = chain.states.drain(..).zip(paid_for.drain(..)).collect();
                let bills = self.bills(job, &bills, (most, scale), &mut held, &mut share)?;
                (chain.states, paid_for) = bills.into_iter().unzip();
                chain.history.commit(&mut chain.states, job as u32);
                continue;
            }
            let keep = |p: P, w: N| {
                let paid = if let Paid::Objective(of, _) = self.paid { of(p) } else { w };
                paid <= most && (self.keeps)(p)
            };
            chain.add(&self.steps(job), keep, (job as u32, UNITS), &mut share)?;
        }
        let mut states = chain.restart();
        if let Paid::Apart(_) = self.paid {
            // By rising weight, each of a better objective than all before.
            keep_undominated(&mut states, |state| (state.w, state.p));
        }
        Ok(states)
    }

    /// The scale of what the accounts pay.
    fn paid_scale(&self) -> &Scale {
        match &self.paid {
            Paid::Weight => &self.scales.1,
            Paid::Objective(_, scale) | Paid::Apart(scale) => scale,
        }
    }

    /// The states with one more job, without those that are dominated in all three numbers: objective, weight
    /// and cost. The cost counts because it reduces what is left for the remaining jobs: a state must not be
    /// dropped for one that is better and lighter, but more expensive.
    fn bills(
        &self,
        job: usize,
        bills: &[Bill<P, N>],
        (most, scale): (N, &Scale),
        held: &mut u64,
        share: &mut Share<'_>,
    ) -> Result<Vec<Bill<P, N>>, End> {
        let steps: Vec<Step<P, N>> = self.all_steps(job);
        let count = bills.len().saturating_mul(steps.len());
        // The new states, a copy of them for sorting, and their histories.
        hold(held, count.saturating_mul(3 * size_of::<Bill<P, N>>()), share)?;
        share.spend(UNITS.saturating_mul(count as u64))?;
        let mut next: Vec<Bill<P, N>> = Vec::with_capacity(count);
        for step in &steps {
            let cost = N::of(self.cost[step.alt as usize], scale);
            let new = bills.iter().map(|(state, paid)| {
                let (p, w) = (state.p.plus(step.p), state.w.plus(step.w));
                (State { p, w, link: state.link, alt: step.alt }, paid.plus(cost))
            });
            next.extend(new.filter(|(state, paid)| *paid <= most && (self.keeps)(state.p)));
        }
        // By rising objective, then cost, then weight.
        let order = order(next.len(), &|a, b| {
            let ((one, paid), (other, others)) = (&next[a], &next[b]);
            rising((one.p, *paid), (other.p, *others)).then_with(|| rising((one.w, ()), (other.w, ())))
        });
        let mut next: Vec<Bill<P, N>> = order.into_iter().map(|at| next[at as usize]).collect();
        // The undominated (cost, weight) pairs of all states before, which are no worse; the most expensive
        // first.
        let mut lightest: Vec<(N, N)> = Vec::new();
        next.retain(|(state, paid)| {
            let at = lightest.partition_point(|known| known.0 > *paid);
            if lightest.get(at).is_some_and(|known| known.1 <= state.w) {
                return false;
            }
            // Pairs that are no cheaper and no lighter are now redundant.
            let first = lightest[..at].iter().rposition(|known| known.1 < state.w).map_or(0, |at| at + 1);
            let same = lightest.get(at).is_some_and(|known| known.0 == *paid);
            lightest.splice(first..at + usize::from(same), [(*paid, state.w)]);
            true
        });
        Ok(next)
    }
}
