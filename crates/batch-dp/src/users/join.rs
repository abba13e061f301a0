//! The fronts of users joined with the alternatives of the other jobs: one of each is chosen.

use super::UserBudgets;
use crate::kernel::CoreScratch;
use crate::kernel::incumbent::Incumbent;
use crate::kernel::lists::StateLists;
use crate::kernel::reduction::{Dominance, keep_all, reduce};
use crate::kernel::relaxation::{Relaxation, relax};
use crate::kernel::search::{Task, search};
use crate::list::{History, NONE, State, Step, undominated};
use crate::number::{Amount, Scale};
use crate::view::View;
use crate::{Alternatives, BatchDecision, Problem};
use sched_model::{End, Meter, exact_sum};

/// What joining leads to.
pub(super) enum Joined {
    Refused(BatchDecision),
    Found { picks: Vec<usize>, bound: f64, end: End },
}

/// A problem with users.
pub(super) struct Join<'a> {
    pub(super) batch: &'a Alternatives,
    pub(super) problem: Problem,
    pub(super) users: &'a UserBudgets,
    pub(super) view: View<'a>,
    pub(super) scales: (Scale, Scale),
}

/// What is chosen from: a single job with its alternatives, or a user with the points of a front.
struct Groups<N> {
    offsets: Vec<usize>,
    points: Vec<State<N, N>>,
    /// The jobs whose alternatives a group holds, or `None` for a front.
    single: Vec<Option<usize>>,
    history: History,
}

impl Join<'_> {
    pub(super) fn choose<N: Amount>(
        &self,
        scratch: &mut CoreScratch,
        meter: &mut Meter<'_>,
    ) -> Result<Joined, End> {
        let mut groups =
            Groups { offsets: vec![0], points: Vec::new(), single: Vec::new(), history: History::default() };
        let mut jobs_of = vec![Vec::new(); self.users.budgets.len()];
        for (job, &user) in self.users.user_of.iter().enumerate() {
            jobs_of[user].push(job);
        }
        for (user, jobs) in jobs_of.iter().enumerate().filter(|(_, jobs)| !jobs.is_empty()) {
            let budget = self.users.budgets[user];
            if self.most_of(jobs) <= budget {
                for &job in jobs {
                    let steps: Vec<Step<N, N>> = self.steps(job);
                    meter.spend(steps.len() as u64)?;
                    groups.points.extend(steps.iter().map(|&Step { p, w, alt }| State {
                        p,
                        w,
                        link: NONE,
                        alt,
                    }));
                    groups.close(Some(job));
                }
                continue;
            }
            let least = self.least_of(jobs);
            if least > budget {
                return Ok(Joined::Refused(BatchDecision::UserBudgetTooSmall { user, least, limit: budget }));
            }
            let front = self.front::<N>(jobs, budget, &mut groups.history, meter)?;
            groups.points.extend(front);
            groups.close(None);
        }
        self.among(&groups, scratch, meter)
    }

    /// The cost of an alternative.
    pub(super) fn cost(&self, at: usize) -> f64 {
        self.batch.cost[at]
    }

    fn most_of(&self, jobs: &[usize]) -> f64 {
        exact_sum(jobs.iter().map(|&job| self.batch.of_job(job).map(|pair| pair.0).fold(f64::MIN, f64::max)))
    }

    fn least_of(&self, jobs: &[usize]) -> f64 {
        exact_sum(jobs.iter().map(|&job| self.batch.of_job(job).map(|pair| pair.0).fold(f64::MAX, f64::min)))
    }

    /// The alternatives of a job that no other dominates.
    pub(super) fn steps<N: Amount>(&self, job: usize) -> Vec<Step<N, N>> {
        let mut steps = self.all_steps(job);
        undominated(&mut steps, 0);
        steps
    }

    pub(super) fn all_steps<N: Amount>(&self, job: usize) -> Vec<Step<N, N>> {
        (self.view.offsets[job]..self.view.offsets[job + 1])
            .map(|at| {
                let (p, w) = self.view.at(at);
                Step { p: N::of(p, &self.scales.0), w: N::of(w, &self.scales.1), alt: at as u32 }
            })
            .collect()
    }

    pub(super) fn cost_is_limited(&self) -> bool {
        matches!(self.problem, Problem::MinTime { .. } | Problem::MaxTime { .. })
    }

    /// One point of each group.
    fn among<N: Amount>(
        &self,
        groups: &Groups<N>,
        scratch: &mut CoreScratch,
        meter: &mut Meter<'_>,
    ) -> Result<Joined, End> {
        let limit = N::most(self.view.limit, &self.scales.1);
        let lightest: Vec<u32> =
            groups.offsets[..groups.offsets.len() - 1].iter().map(|&at| at as u32).collect();
        let sums = |picks: &[u32]| {
            picks.iter().fold((N::ZERO, N::ZERO), |(p, w), &pick| {
                let point = &groups.points[pick as usize];
                (p.plus(point.p), w.plus(point.w))
            })
        };
        let least = sums(&lightest).1;
        if !(least <= limit) {
            let least = least.value(&self.scales.1);
            return Ok(Joined::Refused(BatchDecision::OutOfReach { least, limit: self.view.limit }));
        }
        let objective: Vec<f64> = groups.points.iter().map(|point| point.p.value(&self.scales.0)).collect();
        let weight: Vec<f64> = groups.points.iter().map(|point| point.w.value(&self.scales.1)).collect();
        let view = View {
            offsets: &groups.offsets,
            objective: &objective,
            sign: 1.0,
            weight: &weight,
            limit: self.view.limit,
        };
        meter.spend(4 * objective.len() as u64)?;
        meter.reserve(128 * objective.len() as u64)?;
        let CoreScratch { hulls, reduced, .. } = scratch;
        let multiplier = match relax(&view, hulls) {
            Relaxation::Multiplier(multiplier) => Some(multiplier),
            Relaxation::Unlimited => Some(0.0),
            // The points are rounded: what is within reach may look as if it were not.
            Relaxation::Unusable | Relaxation::OutOfReach => None,
        };
        let mut picks = lightest;
        let base: Vec<u32> = hulls.base.iter().map(|step| step.alt).collect();
        let (base_p, base_w) = sums(&base);
        if base_w <= limit && base_p < sums(&picks).0 {
            picks = base;
        }
        match multiplier {
            None => keep_all(&view, Dominance::Unknown, &mut hulls.base, reduced),
            Some(multiplier) => {
                let (p, w) = sums(&picks);
                let (p, w) = (p.value(&self.scales.0), w.value(&self.scales.1));
                let mut incumbent = Incumbent::of_sums(p, w);
                reduce(&view, (multiplier, Dominance::Unknown), hulls, &mut incumbent, reduced);
            }
        }
        let number = |at: u32| {
            let point = &groups.points[at as usize];
            (point.p, point.w)
        };
        let task = Task {
            number: &number,
            scales: self.scales,
            limit,
            multiplier,
            sign: self.view.sign,
            offset: 0.0,
            dominance: Dominance::Unknown,
        };
        let found = search(&task, &hulls.base, reduced, &mut picks, &mut StateLists::default(), meter);
        Ok(Joined::Found { picks: self.picks(groups, &picks), bound: found.bound, end: found.end })
    }

    /// The alternative of each job behind the points picked.
    fn picks<N>(&self, groups: &Groups<N>, picks: &[u32]) -> Vec<usize> {
        let mut alternatives = vec![0; self.batch.jobs()];
        for (&pick, &single) in picks.iter().zip(&groups.single) {
            let point = &groups.points[pick as usize];
            match single {
                Some(job) => alternatives[job] = point.alt as usize - self.view.offsets[job],
                None => {
                    for (job, alt) in groups.history.steps(point.link) {
                        alternatives[job] = alt as usize - self.view.offsets[job];
                    }
                }
            }
        }
        alternatives
    }
}

impl<N> Groups<N> {
    /// Ends a group.
    fn close(&mut self, single: Option<usize>) {
        self.offsets.push(self.points.len());
        self.single.push(single);
    }
}
