//! The fronts of users joined with the alternatives of the other jobs: one of each is chosen.

use super::Accounts;
use crate::ChoiceRefusal;
use crate::kernel::CoreScratch;
use crate::kernel::core::PASSES;
use crate::kernel::found::Found;
use crate::kernel::incumbent::Incumbent;
use crate::kernel::reduction::{Dominance, keep_all, reduce};
use crate::kernel::relaxation::{Relaxation, relax};
use crate::kernel::search::{Task, search};
use crate::kernel::share::Share;
use crate::list::{Chain, NONE, State, Step, undominated};
use crate::number::{Amount, Number, Ranked, RankedScale, Scale};
use crate::view::View;
use sched_model::{End, Meter, exact_sum};
use std::cell::RefCell;

/// The result of joining.
pub(super) enum Joined {
    Refused(ChoiceRefusal),
    Found {
        /// An entry of each job.
        picks: Vec<u32>,
        /// Those that were the first of their objective: equally good ones of less weight may be in `picks`.
        first: Vec<u32>,
        found: Found,
    },
}

/// Why there are no groups to choose from.
pub(super) enum Stop {
    Refused(ChoiceRefusal),
    Limit(End),
}

impl From<End> for Stop {
    fn from(end: End) -> Self {
        Self::Limit(end)
    }
}

/// The user's cost of an entry.
pub(super) enum Paid<P, N> {
    /// Its weight.
    Weight,
    /// A number from its objective, on this scale.
    Objective(fn(P) -> N, Scale),
    /// Its cost, which is neither objective nor weight, on this scale.
    Apart(Scale),
}

/// A problem with users: entries of jobs, one of which is chosen for each job.
pub(super) struct Join<'a, P: Number, N: Amount> {
    pub(super) accounts: &'a Accounts,
    /// Where the entries of each job begin, and those of the last end.
    pub(super) offsets: &'a [usize],
    /// Signed objective and weight of an entry.
    pub(super) number: &'a dyn Fn(usize) -> (P, N),
    /// The cost of each entry to its user.
    pub(super) cost: &'a [f64],
    pub(super) paid: Paid<P, N>,
    pub(super) scales: (P::Scale, Scale),
    pub(super) limit: f64,
    pub(super) sign: f64,
    /// Whether a choice for some of the jobs can be part of a wanted choice.
    pub(super) keeps: &'a dyn Fn(P) -> bool,
    /// See [`Task::offset`](crate::kernel::search::Task).
    pub(super) offset: f64,
    /// Whether what is found is no answer to the whole problem.
    pub(super) is_apart: bool,
    /// An entry of each job from which to start.
    pub(super) known: Option<&'a [u32]>,
}

/// The groups of the choice: a single job with its alternatives, or a user with the points of a front.
pub(super) struct Groups<P, N> {
    offsets: Vec<usize>,
    points: Vec<State<P, N>>,
    /// The jobs of each group.
    jobs: Vec<Vec<usize>>,
    chain: Chain<P, N>,
}

impl<P: Number, N: Amount> Join<'_, P, N> {
    pub(super) fn choose(&self, scratch: &mut CoreScratch, meter: &mut Meter) -> Result<Joined, End> {
        match self.groups(meter) {
            Ok(groups) => self.among(&groups, scratch, meter),
            Err(Stop::Refused(refused)) => Ok(Joined::Refused(refused)),
            Err(Stop::Limit(end)) => Err(end),
        }
    }

    /// The fronts of users whose budgets can bind, and each other job alone; or the budget that is too small.
    pub(super) fn groups(&self, meter: &mut Meter) -> Result<Groups<P, N>, Stop> {
        let mut groups =
            Groups { offsets: vec![0], points: Vec::new(), jobs: Vec::new(), chain: Chain::default() };
        let mut jobs_of = vec![Vec::new(); self.accounts.budgets.len()];
        for (job, &user) in self.accounts.of_job.iter().enumerate() {
            jobs_of[user].push(job);
        }
        for (user, jobs) in jobs_of.iter().enumerate().filter(|(_, jobs)| !jobs.is_empty()) {
            let budget = self.accounts.budgets[user];
            if self.most_of(jobs) <= budget {
                for &job in jobs {
                    let steps: Vec<Step<P, N>> = self.steps(job);
                    meter.spend(steps.len() as u64)?;
                    groups.points.extend(steps.iter().map(|&Step { p, w, alt }| State {
                        p,
                        w,
                        link: NONE,
                        alt,
                    }));
                    groups.close(&[job]);
                }
                continue;
            }
            let least = self.least_of(jobs);
            if least > budget {
                let account = user - 1;
                return Err(Stop::Refused(ChoiceRefusal::AccountTooSmall { account, least, limit: budget }));
            }
            let front = self.front(jobs, budget, &mut groups.chain, meter)?;
            groups.points.extend(front);
            groups.close(jobs);
        }
        Ok(groups)
    }

    /// The costs of the entries of a job.
    pub(super) fn costs(&self, job: usize) -> impl Iterator<Item = f64> {
        self.cost[self.offsets[job]..self.offsets[job + 1]].iter().copied()
    }

    fn most_of(&self, jobs: &[usize]) -> f64 {
        exact_sum(jobs.iter().map(|&job| self.costs(job).fold(f64::MIN, f64::max)))
    }

    fn least_of(&self, jobs: &[usize]) -> f64 {
        exact_sum(jobs.iter().map(|&job| self.costs(job).fold(f64::MAX, f64::min)))
    }

    /// The entries of a job that no other dominates.
    pub(super) fn steps(&self, job: usize) -> Vec<Step<P, N>> {
        let mut steps = self.all_steps(job);
        undominated(&mut steps, 0);
        steps
    }

    pub(super) fn all_steps(&self, job: usize) -> Vec<Step<P, N>> {
        (self.offsets[job]..self.offsets[job + 1])
            .map(|at| {
                let (p, w) = (self.number)(at);
                Step { p, w, alt: at as u32 }
            })
            .collect()
    }

    /// One point of each group.
    pub(super) fn among(
        &self,
        groups: &Groups<P, N>,
        scratch: &mut CoreScratch,
        meter: &mut Meter,
    ) -> Result<Joined, End> {
        let limit = N::most(self.limit, &self.scales.1);
        let lightest: Vec<u32> =
            groups.offsets[..groups.offsets.len() - 1].iter().map(|&at| at as u32).collect();
        let least = groups.sums(&lightest).1;
        if !(least <= limit) {
            let least = least.value(&self.scales.1);
            return Ok(Joined::Refused(ChoiceRefusal::OutOfReach { least, limit: self.limit }));
        }
        meter.reserve(128 * groups.points.len() as u64)?;
        meter.spend(PASSES * groups.points.len() as u64)?;
        let (objective, weight) = (groups.objective(&self.scales.0), groups.weight(&self.scales.1));
        let view = groups.view((&objective, &weight), self.limit);
        let CoreScratch { hulls, reduced, .. } = scratch;
        let multiplier = match relax(&view, hulls) {
            Relaxation::Multiplier(multiplier) => Some(multiplier),
            Relaxation::Unlimited => Some(0.0),
            // The points are rounded: a limit that can be kept may appear out of reach.
            Relaxation::Unusable | Relaxation::OutOfReach => None,
        };
        let mut picks = lightest;
        let base: Vec<u32> = hulls.base.iter().map(|step| step.alt).collect();
        let known = self.known.map(|known| groups.no_worse_than(known, self.number));
        for other in [Some(base), known].into_iter().flatten() {
            let (p, w) = groups.sums(&other);
            if w <= limit && p < groups.sums(&picks).0 {
                picks = other;
            }
        }
        match multiplier {
            None => keep_all(&view, Dominance::Unknown, &mut hulls.base, reduced),
            Some(multiplier) => {
                let (p, w) = groups.sums(&picks);
                let p = p.mixed(&self.scales.0) + groups.doubt(&self.scales.0);
                let mut incumbent = Incumbent::of_sums(p, w.value(&self.scales.1));
                let bound = (multiplier, Dominance::Unknown);
                reduce(&view, bound, hulls, &mut incumbent, reduced);
            }
        }
        let number = |at: u32| {
            let point = &groups.points[at as usize];
            (point.p, point.w)
        };
        let first = RefCell::new(picks.clone());
        let task = Task {
            number: &number,
            scales: self.scales,
            limit,
            multiplier,
            sign: self.sign,
            offset: self.offset,
            elsewhere: f64::INFINITY,
            dominance: Dominance::Unknown,
            prices: &[],
            first: Some(&first),
        };
        let share = Share::whole(meter);
        let share = if self.is_apart { share.apart() } else { share };
        let found = search(&task, &hulls.base, reduced, &mut picks, share);
        let (picks, first) = (self.picks(groups, &picks), self.picks(groups, &first.take()));
        Ok(Joined::Found { picks, first, found })
    }

    /// The entry of each job behind the points picked.
    fn picks(&self, groups: &Groups<P, N>, picks: &[u32]) -> Vec<u32> {
        let mut entries = vec![0; self.offsets.len() - 1];
        for (&pick, jobs) in picks.iter().zip(&groups.jobs) {
            let point = &groups.points[pick as usize];
            match jobs[..] {
                [job] if point.link == NONE => entries[job] = point.alt,
                _ => {
                    for (job, alt) in groups.chain.history.steps(point.link) {
                        entries[job] = alt;
                    }
                }
            }
        }
        entries
    }
}

impl<P: Number, N: Amount> Groups<P, N> {
    /// Ends a group of these jobs.
    fn close(&mut self, jobs: &[usize]) {
        self.offsets.push(self.points.len());
        self.jobs.push(jobs.to_vec());
    }

    fn sums(&self, picks: &[u32]) -> (P, N) {
        picks.iter().fold((P::ZERO, N::ZERO), |(p, w), &pick| {
            let point = &self.points[pick as usize];
            (p.plus(point.p), w.plus(point.w))
        })
    }

    pub(super) fn objective(&self, scale: &P::Scale) -> Vec<f64> {
        self.points.iter().map(|point| point.p.mixed(scale)).collect()
    }

    pub(super) fn weight(&self, scale: &Scale) -> Vec<f64> {
        self.points.iter().map(|point| point.w.value(scale)).collect()
    }

    pub(super) fn view<'a>(&'a self, (objective, weight): (&'a [f64], &'a [f64]), limit: f64) -> View<'a> {
        View { offsets: &self.offsets, objective, sign: 1.0, weight, limit }
    }

    /// The rounding error of the difference of two mixed objectives; 0 where there is one rank, since
    /// objectives are then rounded once.
    fn doubt(&self, scale: &P::Scale) -> f64 {
        let sizes = self.offsets.windows(2).map(|group| {
            let points = &self.points[group[0]..group[1]];
            points.iter().map(|point| point.p.mixing_size(scale)).fold(0.0, f64::max)
        });
        16.0 * f64::EPSILON * (self.offsets.len() as f64 + 8.0) * sizes.sum::<f64>()
    }

    /// For each group a point that is no heavier than these entries of its jobs, and also no worse where
    /// there is such a point.
    fn no_worse_than(&self, known: &[u32], number: &dyn Fn(usize) -> (P, N)) -> Vec<u32> {
        let groups = self.offsets.windows(2).zip(&self.jobs);
        let point = |(group, jobs): (&[usize], &Vec<usize>)| {
            let weights = jobs.iter().map(|&job| number(known[job] as usize).1);
            let weight = weights.fold(N::ZERO, N::plus);
            let points = &self.points[group[0]..group[1]];
            let lighter = points.partition_point(|point| point.w <= weight);
            (group[0] + lighter.saturating_sub(1)) as u32
        };
        groups.map(point).collect()
    }
}

impl<N: Amount> Groups<Ranked<N>, N> {
    /// The first rank of each point.
    pub(super) fn first(&self, scale: &RankedScale) -> Vec<f64> {
        self.points.iter().map(|point| point.p.first.near(&scale.first)).collect()
    }
}
