//! Budgets of users beside the limit of the batch.

use crate::kernel::CoreScratch;
use crate::kernel::incumbent::Incumbent;
use crate::kernel::reduction::{Dominance, keep_all, reduce};
use crate::kernel::relaxation::{Relaxation, relax};
use crate::kernel::search::{Lists, Task, search};
use crate::list::{History, NONE, Room, Runs, State, Step, product, undominated};
use crate::number::{Amount, Grid, Kind, Scale, Wide};
use crate::view::View;
use crate::{Alternatives, BatchError, Decision, Problem, Scratch};
use sched_model::{End, Meter, Outcome, exact_sum};

/// Who pays for what: the user of each job, and what each user spends at most.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
#[must_use]
pub struct Purses {
    /// Position in `budgets` of the user of each job.
    pub user_of: Vec<usize>,
    /// The greatest cost of all jobs of each user together; `f64::INFINITY` means none.
    pub budgets: Vec<f64>,
}

impl Purses {
    /// The user of each job of a batch, and the budget of each user.
    pub fn new(user_of: Vec<usize>, budgets: Vec<f64>) -> Self {
        Self { user_of, budgets }
    }

    fn check(&self, batch: &Alternatives) -> Result<(), BatchError> {
        if self.user_of.len() != batch.jobs() {
            return Err(BatchError::Count { jobs: batch.jobs(), given: self.user_of.len() });
        }
        if let Some(job) = self.user_of.iter().position(|&user| user >= self.budgets.len()) {
            return Err(BatchError::UnknownUser { job, user: self.user_of[job] });
        }
        if self.budgets.iter().any(|budget| budget.is_nan()) {
            return Err(BatchError::Limit { what: "budget of a user" });
        }
        Ok(())
    }
}

/// One alternative per job, best for the batch within its limit, where the cost of each user's jobs also keeps to the
/// user's budget.
///
/// The jobs of a user whose budget can bind are combined into the front of all that the user can pay; then one point
/// of each front and one alternative of each other job are chosen. Exact when it is done: all sums are exact, rounded
/// once. Ties: as for [`ExpandingCore`](crate::ExpandingCore), among points. O(front) space for each such user; fronts
/// may be exponential in a user's jobs. For the greatest income under budgets that bind, a front holds each attainable
/// income of its user with the least time. A search that is stopped while fronts are formed has no incumbent.
///
/// # Errors
/// [`BatchError::Limit`] if a limit or budget is NaN; [`BatchError::Count`] if there is not one user for each job;
/// [`BatchError::UnknownUser`] if a job's user has no budget.
///
/// ```
/// use batch_dp::{Alternatives, Problem, Purses, Scratch, choose_with_purses};
/// use sched_model::Limit;
/// // (cost, time): fast or cheap, three times. The first two jobs are of user 0, who pays at most 14.
/// let batch = Alternatives::new(&vec![vec![(10.0, 1.0), (4.0, 5.0)]; 3])?;
/// let purses = Purses::new(vec![0, 0, 1], vec![14.0, f64::INFINITY]);
/// let (problem, limit) = (Problem::MinTime { budget: 30.0 }, Limit::default());
/// let decision = choose_with_purses(&batch, problem, &purses, &mut Scratch::default(), &mut limit.meter())?;
/// let choice = decision.choice().unwrap();
/// assert_eq!((choice.cost, choice.time, choice.picks[2]), (24.0, 7.0, 0));
/// # Ok::<(), batch_dp::BatchError>(())
/// ```
pub fn choose_with_purses(
    batch: &Alternatives,
    problem: Problem,
    purses: &Purses,
    scratch: &mut Scratch,
    meter: &mut Meter<'_>,
) -> Result<Decision, BatchError> {
    purses.check(batch)?;
    let view = match problem.view(batch)? {
        Ok(view) => view,
        Err(decision) => return Ok(decision),
    };
    let (mut p, mut w) = (Grid::default(), Grid::default());
    for at in 0..batch.len() {
        let (objective, weight) = view.at(at);
        p.hold(objective);
        w.hold(weight);
    }
    let (kind, scales) = (p.kind().max(w.kind()), (p.scale(), w.scale()));
    let join = Join { batch, problem, purses, view, scales };
    let (work, memory) = (meter.work(), meter.memory());
    let joined = match kind {
        Kind::Double => join.choose::<f64>(&mut scratch.core, meter),
        Kind::Short => join.choose::<i64>(&mut scratch.core, meter),
        Kind::Long => join.choose::<i128>(&mut scratch.core, meter),
        Kind::Wide => join.choose::<Wide>(&mut scratch.core, meter),
    };
    meter.release(meter.memory() - memory);
    let work = meter.work() - work;
    Ok(match joined {
        Err(end) => Decision::Chosen(Outcome::stopped(None, None, work, end)),
        Ok(Joined::Refused(decision)) => decision,
        Ok(Joined::Found { picks, bound, end }) => {
            let choice = batch.choice(picks);
            let value = problem.value(&choice);
            Decision::Chosen(if end == End::Done {
                Outcome::solved(choice, value, work)
            } else {
                let bound = view.sign * bound.min(view.sign * value);
                Outcome::stopped(Some((choice, value)), bound.is_finite().then_some(bound), work, end)
            })
        }
    })
}

enum Joined {
    Refused(Decision),
    Found { picks: Vec<usize>, bound: f64, end: End },
}

/// A problem with purses.
struct Join<'a> {
    batch: &'a Alternatives,
    problem: Problem,
    purses: &'a Purses,
    view: View<'a>,
    scales: (Scale, Scale),
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
    fn choose<N: Amount>(&self, scratch: &mut CoreScratch, meter: &mut Meter<'_>) -> Result<Joined, End> {
        let mut groups =
            Groups { offsets: vec![0], points: Vec::new(), single: Vec::new(), history: History::default() };
        let mut jobs_of = vec![Vec::new(); self.purses.budgets.len()];
        for (job, &user) in self.purses.user_of.iter().enumerate() {
            jobs_of[user].push(job);
        }
        for (user, jobs) in jobs_of.iter().enumerate().filter(|(_, jobs)| !jobs.is_empty()) {
            let budget = self.purses.budgets[user];
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
                return Ok(Joined::Refused(Decision::PurseTooSmall { user, least, limit: budget }));
            }
            let front = self.front::<N>(jobs, budget, &mut groups.history, meter)?;
            groups.points.extend(front);
            groups.close(None);
        }
        self.among(&groups, scratch, meter)
    }

    /// The cost of an alternative.
    fn cost(&self, at: usize) -> f64 {
        self.batch.cost[at]
    }

    fn most_of(&self, jobs: &[usize]) -> f64 {
        exact_sum(jobs.iter().map(|&job| self.batch.of_job(job).map(|pair| pair.0).fold(f64::MIN, f64::max)))
    }

    fn least_of(&self, jobs: &[usize]) -> f64 {
        exact_sum(jobs.iter().map(|&job| self.batch.of_job(job).map(|pair| pair.0).fold(f64::MAX, f64::min)))
    }

    /// The alternatives of a job that no other dominates.
    fn steps<N: Amount>(&self, job: usize) -> Vec<Step<N, N>> {
        let mut steps = self.all_steps(job);
        undominated(&mut steps, 0);
        steps
    }

    fn all_steps<N: Amount>(&self, job: usize) -> Vec<Step<N, N>> {
        (self.view.offsets[job]..self.view.offsets[job + 1])
            .map(|at| {
                let (p, w) = self.view.at(at);
                Step { p: N::of(p, &self.scales.0), w: N::of(w, &self.scales.1), alt: at as u32 }
            })
            .collect()
    }

    /// The front of the jobs of one user, of what the user can pay.
    fn front<N: Amount>(
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
            states.sort_by(|a, b| rising(a.w, b.w).then(rising(a.p, b.p)));
            let mut least = N::TOP;
            states.retain(|state| {
                let better = state.p < least;
                if better {
                    least = state.p;
                }
                better
            });
        }
        Ok(states)
    }

    fn cost_is_limited(&self) -> bool {
        matches!(self.problem, Problem::MinTime { .. } | Problem::MaxTime { .. })
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
        next.sort_by(|a, b| rising(a.p, b.p).then(rising(a.w, b.w)));
        next.dedup_by(|later, earlier| later.p == earlier.p);
        Ok(next)
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
            return Ok(Joined::Refused(Decision::OutOfReach { least, limit: self.view.limit }));
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
                reduce(&view, (multiplier, Dominance::Unknown), hulls, &Incumbent::of_sums(p, w), reduced);
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
        let found = search(&task, &hulls.base, reduced, &mut picks, &mut Lists::default(), meter);
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

fn rising<N: Amount>(a: N, b: N) -> std::cmp::Ordering {
    a.partial_cmp(&b).unwrap_or(std::cmp::Ordering::Equal)
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
