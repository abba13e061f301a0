//! Forms the front of each account within its budget, and chooses one point of each front and one alternative of each
//! other job.

use super::Entries;
use crate::ChoiceRefusal;
use crate::alternatives::View;
use crate::kernel::reduction::Dominance;
use crate::kernel::relaxation::{Relaxation, relax};
use crate::kernel::{CoreScratch, PASSES, Proof, grow::Task, search::search};
use crate::list::{
    Chain, NONE, STATE, State, Step, StepScales, compare_pairs, keep_undominated, reserve_to, undominated,
};
use crate::number::{Amount, Number, Scale};
use crate::problem::{Accounts, Stop};
use sched_model::internal::{exact_sum, order};
use sched_model::{End, Meter};

/// An entry of each job, and its proof.
pub(crate) type Best = (Vec<u32>, Proof);

/// A problem with accounts: one entry is chosen for each job.
pub(crate) struct Join<'a, P: Number, N: Amount> {
    pub(crate) entries: &'a Entries<'a>,
    /// Signed objective and weight of an entry.
    pub(crate) number: &'a dyn Fn(usize) -> (P, N),
    pub(crate) scales: StepScales<P::Scale>,
    /// The scale of the costs to accounts.
    pub(crate) cost_scale: Scale,
    /// The cost of an entry to its account, as computed from its objective and weight; `None` if it is neither, so that
    /// states also need it as a third number.
    pub(crate) cost_of: Option<fn(P, N) -> N>,
    /// Whether a choice for some of the jobs can be part of a wanted choice.
    pub(crate) keeps: &'a dyn Fn(P) -> bool,
    /// See [`Task::offset`](crate::kernel::grow::Task).
    pub(crate) offset: f64,
    /// Whether the result does not answer the whole problem.
    pub(crate) is_subproblem: bool,
    /// An entry of each job to start from.
    pub(crate) start: Option<&'a [u32]>,
    /// Units of work for each state of a front of two numbers.
    pub(crate) units: u64,
}

/// The groups of the choice: a single job with its alternatives, or an account with the points of its front.
pub(crate) struct Groups<P, N> {
    pub(crate) offsets: Vec<usize>,
    /// The point of a single job has an alternative, the point of an account a history.
    pub(crate) points: Vec<State<P, N>>,
    /// The jobs of each group.
    pub(crate) jobs: Vec<Vec<usize>>,
    pub(crate) chain: Chain<P, N>,
}

impl<P: Number, N: Amount> Join<'_, P, N> {
    /// Forms the groups and chooses one point of each.
    pub(crate) fn choose(&self, scratch: &mut CoreScratch, meter: &mut Meter) -> Result<Best, Stop> {
        let groups = self.groups(meter)?;
        self.among(&groups, scratch, meter)
    }

    /// Forms the groups: the front of each account whose budget can bind, and each other job alone.
    pub(crate) fn groups(&self, meter: &mut Meter) -> Result<Groups<P, N>, Stop> {
        let mut groups =
            Groups { offsets: vec![0], points: Vec::new(), jobs: Vec::new(), chain: Chain::default() };
        let Accounts { of_job, budgets } = self.entries.accounts;
        let mut jobs_of = vec![Vec::new(); budgets.len()];
        for (job, &account) in of_job.iter().enumerate() {
            jobs_of[account].push(job);
        }
        for (account, jobs) in jobs_of.iter().enumerate().filter(|(_, jobs)| !jobs.is_empty()) {
            let budget = budgets[account];
            let most = exact_sum(jobs.iter().map(|&job| self.costs(job).fold(f64::MIN, f64::max)));
            if most <= budget {
                for &job in jobs {
                    let state = |Step { p, w, alt }| State { p, w, link: NONE, alt };
                    groups.points.extend(self.steps(job).into_iter().map(state));
                    groups.close(&[job]);
                }
                continue;
            }
            let least = exact_sum(jobs.iter().map(|&job| self.cheapest(job)));
            if least > budget {
                let account = account - 1;
                return Err(Stop::Refused(ChoiceRefusal::AccountTooSmall { account, least, limit: budget }));
            }
            let front = self.front(jobs, budget, &mut groups.chain, meter)?;
            groups.points.extend(front);
            groups.close(jobs);
        }
        Ok(groups)
    }

    /// The costs of the entries of a job.
    pub(crate) fn costs(&self, job: usize) -> impl Iterator<Item = f64> {
        let offsets = self.entries.view.offsets;
        self.entries.costs[offsets[job]..offsets[job + 1]].iter().copied()
    }

    /// The minimum cost of a job.
    fn cheapest(&self, job: usize) -> f64 {
        self.costs(job).fold(f64::MAX, f64::min)
    }

    /// The entries of a job that no other dominates.
    pub(crate) fn steps(&self, job: usize) -> Vec<Step<P, N>> {
        let mut steps = self.all_steps(job);
        undominated(&mut steps, 0);
        steps
    }

    /// All entries of a job as steps.
    pub(crate) fn all_steps(&self, job: usize) -> Vec<Step<P, N>> {
        let offsets = self.entries.view.offsets;
        (offsets[job]..offsets[job + 1])
            .map(|at| {
                let (p, w) = (self.number)(at);
                Step { p, w, alt: at as u32 }
            })
            .collect()
    }

    /// Chooses one point of each group.
    pub(crate) fn among(
        &self,
        groups: &Groups<P, N>,
        scratch: &mut CoreScratch,
        meter: &mut Meter,
    ) -> Result<Best, Stop> {
        let View { offsets, limit: most, .. } = self.entries.view;
        let limit = N::most(most, &self.scales.w);
        let lightest: Vec<u32> =
            groups.offsets[..groups.offsets.len() - 1].iter().map(|&at| at as u32).collect();
        let least = groups.sums(&lightest).1;
        if !(least <= limit) {
            let least = least.value(&self.scales.w);
            return Err(Stop::Refused(ChoiceRefusal::OutOfReach { least, limit: most }));
        }
        meter.reserve(128 * groups.points.len() as u64)?;
        let alone = groups.points.iter().filter(|point| point.link == NONE).count();
        meter.spend(PASSES * groups.points.len() as u64 + alone as u64)?;
        let (objective, weight) = (groups.objective(&self.scales.p), groups.weight(&self.scales.w));
        let view = groups.view(&objective, &weight, most);
        let multiplier = match relax(&view, &mut scratch.relaxed) {
            Relaxation::Multiplier(multiplier) => Some(multiplier),
            // The points are rounded, so a limit that can be kept may appear out of reach.
            Relaxation::Unusable | Relaxation::OutOfReach => None,
        };
        let mut picks = lightest;
        let base: Vec<u32> = scratch.relaxed.base.iter().map(|step| step.alt).collect();
        let start = self.start.map(|start| groups.no_worse_than(start, self.number));
        for other in [Some(base), start].into_iter().flatten() {
            let (p, w) = groups.sums(&other);
            if w <= limit && p < groups.sums(&picks).0 {
                picks = other;
            }
        }
        let (p, w) = groups.sums(&picks);
        let known = (p.near(&self.scales.p) + groups.margin(&self.scales.p), w.value(&self.scales.w));
        scratch.reduce(&view, multiplier, Dominance::Unknown, known);
        let number = |at: u32| {
            let point = &groups.points[at as usize];
            (point.p, point.w)
        };
        let task = Task {
            number: &number,
            scales: self.scales,
            limit,
            multiplier,
            sign: self.entries.view.sign,
            base: &scratch.relaxed.base,
            reduced: &scratch.reduced,
            offset: self.offset,
            elsewhere: f64::INFINITY,
            dominance: Dominance::Unknown,
            prices: &[],
            is_subproblem: self.is_subproblem,
        };
        let proof = search(&task, &mut picks, meter);
        Ok((groups.entries(&picks, offsets.len() - 1), proof))
    }
}

impl<P: Number, N: Amount> Groups<P, N> {
    /// Converts picked points to an entry for each job.
    fn entries(&self, picks: &[u32], jobs: usize) -> Vec<u32> {
        let mut entries = vec![0; jobs];
        for (&pick, jobs) in picks.iter().zip(&self.jobs) {
            let point = &self.points[pick as usize];
            match jobs[..] {
                [job] if point.link == NONE => entries[job] = point.alt,
                _ => {
                    for (job, alt) in self.chain.history.steps(point.link) {
                        entries[job] = alt;
                    }
                }
            }
        }
        entries
    }

    /// Ends a group of these jobs.
    fn close(&mut self, jobs: &[usize]) {
        self.offsets.push(self.points.len());
        self.jobs.push(jobs.to_vec());
    }

    /// The objective and the weight of picked points.
    fn sums(&self, picks: &[u32]) -> (P, N) {
        picks.iter().fold((P::ZERO, N::ZERO), |(p, w), &pick| {
            let point = &self.points[pick as usize];
            (p.plus(point.p), w.plus(point.w))
        })
    }

    /// Doubles near the objectives of all points.
    pub(crate) fn objective(&self, scale: &P::Scale) -> Vec<f64> {
        self.points.iter().map(|point| point.p.near(scale)).collect()
    }

    /// The weights of all points, each rounded to a double.
    pub(crate) fn weight(&self, scale: &Scale) -> Vec<f64> {
        self.points.iter().map(|point| point.w.value(scale)).collect()
    }

    /// The view of the choice of one point of each group.
    pub(crate) fn view<'a>(&'a self, objective: &'a [f64], weight: &'a [f64], limit: f64) -> View<'a> {
        View { offsets: &self.offsets, objective, sign: 1.0, weight, limit, is_subproblem: false }
    }

    /// The maximum rounding error of the difference of the objectives of two choices, computed with doubles. The low
    /// bits that doubles omit need no allowance: they are rounded down, so the terms of a better choice do not exceed
    /// the known sum.
    fn margin(&self, scale: &P::Scale) -> f64 {
        let sizes = self.offsets.windows(2).map(|group| {
            let points = &self.points[group[0]..group[1]];
            points.iter().map(|point| point.p.size(scale) + P::absolute_error(scale)).fold(0.0, f64::max)
        });
        16.0 * f64::EPSILON * (self.offsets.len() as f64 + 8.0) * sizes.sum::<f64>()
    }

    /// For each group, the heaviest point that is not heavier than the `start` entries of its jobs, or the first point:
    /// it is as good as these entries if the front contains a point that dominates them.
    fn no_worse_than(&self, start: &[u32], number: &dyn Fn(usize) -> (P, N)) -> Vec<u32> {
        let groups = self.offsets.windows(2).zip(&self.jobs);
        let point = |(group, jobs): (&[usize], &Vec<usize>)| {
            let weights = jobs.iter().map(|&job| number(start[job] as usize).1);
            let weight = weights.fold(N::ZERO, N::plus);
            let points = &self.points[group[0]..group[1]];
            let lighter = points.partition_point(|point| point.w <= weight);
            (group[0] + lighter.saturating_sub(1)) as u32
        };
        groups.map(point).collect()
    }
}

/// A state with the amount that its choices cost the account.
type Bill<P, N> = (State<P, N>, N);

impl<P: Number, N: Amount> Join<'_, P, N> {
    /// Computes the front of the jobs of one account among the choices within `budget`. The histories are added to
    /// those of the chain.
    pub(crate) fn front(
        &self,
        jobs: &[usize],
        budget: f64,
        chain: &mut Chain<P, N>,
        meter: &mut Meter,
    ) -> Result<Vec<State<P, N>>, End> {
        // The maximum cost of the jobs so far at which the budget still suffices for the cheapest entries of the
        // others.
        let mut most = N::most(budget, &self.cost_scale);
        let cheapest: Vec<N> = jobs.iter().map(|&job| N::of(self.cheapest(job), &self.cost_scale)).collect();
        for &cheapest in &cheapest {
            most = most.minus(cheapest);
        }
        let (mut bills, mut reserved) = (vec![(State::ORIGIN, N::ZERO)], 0);
        for (&job, cheapest) in jobs.iter().zip(cheapest) {
            most = most.plus(cheapest);
            if let Some(cost_of) = self.cost_of {
                let keep = |p: P, w: N| cost_of(p, w) <= most && (self.keeps)(p);
                chain.add(&self.steps(job), keep, job as u32, self.units, meter)?;
            } else {
                bills = self.bills(job, &bills, most, &mut reserved, meter)?;
                chain.history.commit(bills.iter_mut().map(|bill| &mut bill.0), job as u32);
            }
        }
        let mut states = chain.restart();
        if self.cost_of.is_none() {
            // Drops the states that are dominated if their costs no longer count.
            states = bills.into_iter().map(|bill| bill.0).collect();
            keep_undominated(&mut states, |state| (state.w, state.p));
        }
        Ok(states)
    }

    /// Adds a job to the states, without states that are dominated in objective, weight and cost. The cost counts
    /// because it reduces the budget left for the remaining jobs: a state that is better and lighter but more expensive
    /// must not dominate.
    fn bills(
        &self,
        job: usize,
        bills: &[Bill<P, N>],
        most: N,
        reserved: &mut u64,
        meter: &mut Meter,
    ) -> Result<Vec<Bill<P, N>>, End> {
        let steps: Vec<Step<P, N>> = self.all_steps(job);
        let count = bills.len().saturating_mul(steps.len());
        // The new states, a copy of them for sorting, and their histories.
        reserve_to(reserved, count.saturating_mul(3 * size_of::<Bill<P, N>>()), meter)?;
        meter.spend(STATE.saturating_mul(count as u64))?;
        let mut next: Vec<Bill<P, N>> = Vec::with_capacity(count);
        for step in &steps {
            let cost = N::of(self.entries.costs[step.alt as usize], &self.cost_scale);
            let new = bills.iter().map(|(state, paid)| {
                let (p, w) = (state.p.plus(step.p), state.w.plus(step.w));
                (State { p, w, link: state.link, alt: step.alt }, paid.plus(cost))
            });
            next.extend(new.filter(|(state, paid)| *paid <= most && (self.keeps)(state.p)));
        }
        // By rising objective, then cost, then weight.
        let order = order(next.len(), &|a, b| {
            let ((one, paid), (other, others)) = (&next[a], &next[b]);
            compare_pairs((one.p, *paid), (other.p, *others))
                .then_with(|| compare_pairs((one.w, ()), (other.w, ())))
        });
        let mut next: Vec<Bill<P, N>> = order.into_iter().map(|at| next[at as usize]).collect();
        // The undominated (cost, weight) pairs of the states before, whose objectives are no worse; the most expensive
        // first.
        let mut lightest: Vec<(N, N)> = Vec::new();
        next.retain(|(state, paid)| {
            let at = lightest.partition_point(|known| known.0 > *paid);
            if lightest.get(at).is_some_and(|known| known.1 <= state.w) {
                return false;
            }
            // Pairs that are no cheaper and no lighter are redundant now.
            let first = lightest[..at].iter().rposition(|known| known.1 < state.w).map_or(0, |at| at + 1);
            let same = lightest.get(at).is_some_and(|known| known.0 == *paid);
            lightest.splice(first..at + usize::from(same), [(*paid, state.w)]);
            true
        });
        Ok(next)
    }
}
