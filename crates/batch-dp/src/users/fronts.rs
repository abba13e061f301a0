//! The front of the choices for the jobs of one user within the user's budget.

use super::join::{Join, Paid};
use crate::list::{History, Room, Runs, State, Step, keep_undominated, product, rising};
use crate::number::{Amount, Number, Scale};
use sched_model::{End, Meter};

/// A state with the user's cost of it.
type Bill<P, N> = (State<P, N>, N);

impl<P: Number, N: Amount> Join<'_, P, N> {
    /// The front of the jobs of one user, among the choices that the user can pay.
    pub(super) fn front(
        &self,
        jobs: &[usize],
        budget: f64,
        history: &mut History,
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
        let mut states: Vec<State<P, N>> = vec![State::ORIGIN];
        let mut paid_for: Vec<N> = vec![N::ZERO];
        let (mut runs, mut paid) = (Runs::default(), 0);
        for (&job, cheapest) in jobs.iter().zip(cheapest) {
            most = most.plus(cheapest);
            let sums = states.len().saturating_mul(self.costs(job).count());
            let block = BLOCK.min(sums);
            let mut room = Paying { meter: &mut *meter, paid: &mut paid, history: history.len(), block };
            match &self.paid {
                Paid::Weight => {
                    let keep = |p: P, w: N| w <= most && (self.keeps)(p);
                    product(&states, &self.steps(job), &mut runs, keep, &mut room)?;
                    std::mem::swap(&mut states, &mut runs.states);
                }
                Paid::Objective(of, _) => {
                    let keep = |p: P, _: N| of(p) <= most && (self.keeps)(p);
                    product(&states, &self.steps(job), &mut runs, keep, &mut room)?;
                    std::mem::swap(&mut states, &mut runs.states);
                }
                Paid::Apart(scale) => {
                    let bills: Vec<Bill<P, N>> = states.drain(..).zip(paid_for.drain(..)).collect();
                    let bills = self.bills(job, &bills, (most, scale), &mut room)?;
                    (states, paid_for) = bills.into_iter().unzip();
                }
            }
            history.commit(&mut states, job as u32);
        }
        if let Paid::Apart(_) = self.paid {
            // By rising weight, each of a better objective than all before.
            keep_undominated(&mut states, |state| (state.w, state.p));
        }
        Ok(states)
    }

    /// The scale of the users' costs.
    fn paid_scale(&self) -> &Scale {
        match &self.paid {
            Paid::Weight => &self.scales.1,
            Paid::Objective(_, scale) | Paid::Apart(scale) => scale,
        }
    }

    /// The states with one more job, without those that are dominated in all three numbers: objective, weight
    /// and the user's cost. The cost counts because it reduces what is left for the remaining jobs: a state
    /// must not be dropped for one that is better and lighter, but more expensive.
    fn bills(
        &self,
        job: usize,
        bills: &[Bill<P, N>],
        (most, scale): (N, &Scale),
        room: &mut Paying<'_>,
    ) -> Result<Vec<Bill<P, N>>, End> {
        let steps: Vec<Step<P, N>> = self.all_steps(job);
        let count = bills.len().saturating_mul(steps.len());
        // The new states, a copy of them for sorting, and their histories.
        room.pay::<Bill<P, N>>(3 * count as u64)?;
        let mut next: Vec<Bill<P, N>> = Vec::with_capacity(count);
        let mut ends = Vec::with_capacity(steps.len());
        for step in &steps {
            let cost = N::of(self.cost[step.alt as usize], scale);
            let begin = next.len();
            for part in bills.chunks(PART) {
                room.meter.spend(part.len() as u64)?;
                let new = part.iter().map(|(state, paid)| {
                    let (p, w) = (state.p.plus(step.p), state.w.plus(step.w));
                    (State { p, w, link: state.link, alt: step.alt }, paid.plus(cost))
                });
                next.extend(new.filter(|(state, paid)| *paid <= most && (self.keeps)(state.p)));
            }
            // In order already, but for rounding.
            next[begin..].sort_by(in_order);
            ends.push(next.len());
        }
        merge_all(&mut next, ends, 3 * count as u64, room.meter)?;
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

/// So many bills are formed or merged between two questions, and more only where merging them counts little.
const PART: usize = 1 << 12;

/// By rising objective, then cost, then weight.
fn in_order<P: Number, N: Amount>(
    (one, paid): &Bill<P, N>,
    (other, others): &Bill<P, N>,
) -> std::cmp::Ordering {
    rising((one.p, *paid), (other.p, *others)).then_with(|| rising((one.w, ()), (other.w, ())))
}

/// Merges lists in order, one after the other in `bills`, into one, for so many units of work in all; of equal
/// bills those of earlier lists come first.
fn merge_all<P: Number, N: Amount>(
    bills: &mut Vec<Bill<P, N>>,
    mut ends: Vec<usize>,
    mut units: u64,
    meter: &mut Meter,
) -> Result<(), End> {
    let rounds = u64::from(ends.len().next_power_of_two().ilog2());
    let mut merged = Vec::with_capacity(bills.len());
    while ends.len() > 1 {
        let (mut start, mut merged_ends) = (0, Vec::with_capacity(ends.len().div_ceil(2)));
        for pair in ends.chunks(2) {
            let (middle, end) = (pair[0], pair[pair.len() - 1]);
            let (mut i, mut j) = (start, middle);
            while i < middle || j < end {
                // Of the units, each round has its share.
                let part = PART.min(middle - i + end - j);
                let share = units.min(3 * part as u64 / rounds);
                meter.spend(share)?;
                units -= share;
                for _ in 0..part {
                    let is_first = j == end || i < middle && in_order(&bills[i], &bills[j]).is_le();
                    let next = if is_first { &mut i } else { &mut j };
                    merged.push(bills[*next]);
                    *next += 1;
                }
            }
            merged_ends.push(merged.len());
            start = end;
        }
        std::mem::swap(bills, &mut merged);
        merged.clear();
        ends = merged_ends;
    }
    while units > 0 {
        let share = units.min(PART as u64);
        meter.spend(share)?;
        units -= share;
    }
    Ok(())
}

/// Counts the work and memory of the products of a front.
struct Paying<'p> {
    meter: &'p mut Meter,
    paid: &'p mut u64,
    /// Links so far, counted as states.
    history: usize,
    /// Sums formed before the first merge.
    block: usize,
}

/// Sums formed before the first merge, at most.
const BLOCK: usize = 1 << 14;

impl Paying<'_> {
    /// Reserves memory for so many states, if it exceeds the memory reserved so far.
    fn pay<T>(&mut self, count: u64) -> Result<(), End> {
        let bytes = count.saturating_mul(size_of::<T>() as u64);
        if bytes > *self.paid {
            self.meter.reserve(bytes - *self.paid)?;
            *self.paid = bytes;
        }
        Ok(())
    }
}

impl<P: Number, N: Amount> Room<P, N> for Paying<'_> {
    type Stop = End;

    fn block(&self) -> usize {
        self.block
    }

    fn spend(&mut self, states: usize) -> Result<(), End> {
        self.meter.spend(4 * states as u64)
    }

    fn trim(&mut self, list: &mut Vec<State<P, N>>, _: Option<N>) -> Result<(), End> {
        self.pay::<State<P, N>>((self.history + 4 * (list.len() + self.block)) as u64)
    }
}
