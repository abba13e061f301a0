//! The whole exact Pareto front of (cost, time), and preferences that select a point of it.

use crate::accounts::Entries;
use crate::accounts::join::{Groups, Join};
use crate::alternatives::View;
use crate::list::{Chain, History, NONE, State, Step, StepScales};
use crate::number::{Amount, Grid, with_sums};
use crate::problem::{Accounts, Stop};
use crate::{Alternatives, BatchError, Choice, ChoiceProblem};
use sched_model::{End, Meter};

/// All undominated (cost, time) pairs of a batch, each with a choice that has these sums.
///
/// D = B* - C and I = T* - T are constants minus C and T, so the front of the four criteria <C, D, T, I> is this
/// front, cut off at B* and T*.
///
/// The computation cannot start from an earlier result: neither an earlier choice nor the front of other numbers
/// excludes any point.
#[derive(Debug, Clone)]
pub struct Front {
    points: Vec<Point>,
    links: Vec<u32>,
    history: History,
    /// The index of the first alternative of each job, then the number of all alternatives.
    offsets: Vec<usize>,
}

/// The job number of a link that stands for all jobs of an account.
const ACCOUNT: u32 = u32::MAX;

impl Front {
    /// Computes the front of all choices of one alternative per job that keep the accounts of a problem. The goal and
    /// the coverage of the problem have no effect. `None` if some job has no alternative, or an account does not
    /// suffice for the cheapest alternatives of its jobs.
    ///
    /// With n jobs of k alternatives and fronts of at most s points: O(n k s log k) time, O(n s) space; one sum
    /// formed or merged is one unit of work. Exact: sums are formed without rounding, and rounded once at the end.
    /// Ties: among choices with equal cost and time one is kept, the same at every call.
    ///
    /// # Errors
    /// [`BatchError::Stopped`] if the meter ends the search: the limit bounds work and memory, and the front is
    /// never cut off silently. [`BatchError::Account`] for a malformed account, [`BatchError::Limit`] if the
    /// budget of an account is NaN.
    ///
    /// ```
    /// use batch_dp::{Alternatives, ChoiceProblem, Front, Goal};
    /// use sched_model::Limit;
    /// let (goal, limit) = (Goal::MinTime { budget: None }, Limit::default());
    /// let points = |problem: &ChoiceProblem<'_>| -> Result<Vec<(f64, f64)>, batch_dp::BatchError> {
    ///     let front = Front::of(problem, &mut limit.meter())?.unwrap();
    ///     Ok(front.points().iter().map(|point| (point.cost, point.time)).collect())
    /// };
    /// let batch = Alternatives::new(&[vec![(10.0, 4.0), (6.0, 7.0)], vec![(5.0, 2.0), (3.0, 3.0)]])?;
    /// let all = points(&ChoiceProblem::new(&batch, goal))?;
    /// assert_eq!(all, [(9.0, 10.0), (11.0, 9.0), (13.0, 7.0), (15.0, 6.0)]);
    /// // (cost, time): fast or cheap, three times. The first two jobs pay 14 at most together.
    /// let batch = Alternatives::new(&vec![vec![(10.0, 1.0), (4.0, 5.0)]; 3])?;
    /// let within = points(&ChoiceProblem::new(&batch, goal).with_account(&[0, 1], 14.0))?;
    /// assert_eq!(within, [(12.0, 15.0), (18.0, 11.0), (24.0, 7.0)]);
    /// # Ok::<(), batch_dp::BatchError>(())
    /// ```
    pub fn of(problem: &ChoiceProblem<'_>, meter: &mut Meter) -> Result<Option<Self>, BatchError> {
        let (batch, accounts) = (problem.alternatives, problem.checked_accounts()?);
        if !batch.can_serve_all() {
            return Ok(None);
        }
        let (cost, time) = (Grid::of(&batch.cost), Grid::of(&batch.time));
        let scales = StepScales { p: time.scale(), w: cost.scale() };
        let kind = time.kind().max(cost.kind());
        let exact =
            |meter: &mut Meter| with_sums!(kind, N => Self::exact::<N>(batch, &accounts, scales, meter));
        Ok(meter.scratch(exact)?)
    }

    /// Computes the front with sums of type `N`.
    fn exact<N: Amount>(
        batch: &Alternatives,
        accounts: &Accounts,
        scales: StepScales,
        meter: &mut Meter,
    ) -> Result<Option<Self>, End> {
        let number = |at: usize| (N::of(batch.time[at], &scales.p), N::of(batch.cost[at], &scales.w));
        let (objective, weight) = (&batch.time, &batch.cost);
        let view = View {
            offsets: &batch.offsets,
            objective,
            sign: 1.0,
            weight,
            limit: f64::INFINITY,
            is_subproblem: false,
        };
        let entries =
            Entries { accounts, view, lost: &[], costs: &batch.cost, cost_is_limited: true, start: None };
        let join = Join { units: 1, ..entries.join(&number, scales, scales.w) };
        let Groups { offsets, points, jobs, mut chain } = match join.groups(meter) {
            Ok(groups) => groups,
            Err(Stop::Refused(_)) => return Ok(None),
            Err(Stop::Limit(end)) => return Err(end),
        };
        for (group, jobs) in offsets.windows(2).zip(&jobs) {
            let points = &points[group[0]..group[1]];
            let is_account = points.iter().any(|point| point.link != NONE);
            // The link of a point leads to its history within the account.
            let step = |point: &State<N, N>| {
                let alt = if is_account { point.link } else { point.alt };
                Step { p: point.p, w: point.w, alt }
            };
            let steps: Vec<Step<N, N>> = points.iter().map(step).collect();
            let job = if is_account { ACCOUNT } else { jobs[0] as u32 };
            chain.add(&steps, |_, _| true, job, 1, meter)?;
        }
        let Chain { states, history, .. } = chain;
        // Rounding can make different sums equal. Among equal costs the later state is faster, among equal times
        // the earlier state is cheaper.
        let mut points: Vec<(Point, u32)> = Vec::with_capacity(states.len());
        for state in &states {
            let point = Point { cost: state.w.value(&scales.w), time: state.p.value(&scales.p) };
            match points.last_mut() {
                Some((last, _)) if last.time <= point.time => {}
                Some((last, link)) if last.cost == point.cost => (*last, *link) = (point, state.link),
                _ => points.push((point, state.link)),
            }
        }
        let (points, links) = points.into_iter().unzip();
        Ok(Some(Self { points, links, history, offsets: batch.offsets.clone() }))
    }
}

/// A point of a front: the cost and the time of a choice.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Point {
    /// Total cost.
    pub cost: f64,
    /// Total time.
    pub time: f64,
}

impl std::fmt::Display for Point {
    /// `cost 15, time 9`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "cost {}, time {}", self.cost, self.time)
    }
}

impl Front {
    /// The points, in ascending order of cost and descending order of time.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// Returns the choice at a point.
    ///
    /// # Panics
    /// If `point >= points().len()`, as indexing a slice does.
    pub fn choice(&self, point: usize) -> Choice {
        let Point { cost, time } = self.points[point];
        let mut picks = vec![None; self.offsets.len() - 1];
        for (job, pick) in self.history.steps(self.links[point]) {
            let mut picked = |job: usize, pick: u32| picks[job] = Some(pick as usize - self.offsets[job]);
            if job == ACCOUNT as usize {
                self.history.steps(pick).for_each(|(job, pick)| picked(job, pick));
            } else {
                picked(job, pick);
            }
        }
        Choice { picks, cost, time, left_out: 0.0 }
    }

    /// Returns the best choice by a [`Preference`] among those with cost at most `budget` and time at most
    /// `time_limit`; `None` if there is none.
    pub(crate) fn best(
        &self,
        budget: f64,
        time_limit: f64,
        preference: &Preference,
    ) -> Result<Option<Choice>, BatchError> {
        preference.check()?;
        let mut allowed = (0..self.points.len())
            .filter(|&at| self.points[at].cost <= budget && self.points[at].time <= time_limit);
        // Cost ascends and time descends along a front, so the first of several criteria in order decides: the
        // best point is one of the ends.
        let best = match preference {
            Preference::Lexicographic(order) => match order.first() {
                Some(VectorCriterion::Time | VectorCriterion::TimeLeft) => allowed.next_back(),
                _ => allowed.next(),
            },
            Preference::Weighted(weights) => {
                let (by_cost, by_time) = weights.of_cost_and_time();
                let score = |at: usize| by_cost * self.points[at].cost + by_time * self.points[at].time;
                allowed.min_by(|&a, &b| score(a).total_cmp(&score(b)))
            }
        };
        Ok(best.map(|at| self.choice(at)))
    }
}

/// Two fronts are equal if they have the same points with the same choices.
impl PartialEq for Front {
    fn eq(&self, other: &Self) -> bool {
        self.points.len() == other.points.len()
            && (0..self.points.len()).all(|point| self.choice(point) == other.choice(point))
    }
}

/// A front is serialized as the choices at its points, in order.
#[cfg(feature = "serde")]
impl serde::Serialize for Front {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((0..self.points.len()).map(|point| self.choice(point)))
    }
}

/// A criterion of the vector <C, D, T, I> (Toporkov et al. 2011, end of section 2). Cost and time are minimised; the
/// rests of the budget and of the time limit are maximised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum VectorCriterion {
    /// C: total cost.
    Cost,
    /// D = B* - C: the rest of the budget.
    BudgetLeft,
    /// T: total time.
    Time,
    /// I = T* - T: the rest of the time limit.
    TimeLeft,
}

/// The weights of the criteria <C, D, T, I>, each finite and at least 0.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Weights {
    /// Weight of C.
    pub cost: f64,
    /// Weight of D.
    pub budget_left: f64,
    /// Weight of T.
    pub time: f64,
    /// Weight of I.
    pub time_left: f64,
}

impl Weights {
    /// The weights of cost and time, multiplied by a common power of two that prevents overflow without losing a bit.
    pub(crate) fn of_cost_and_time(&self) -> (f64, f64) {
        /// 2^-600.
        const SMALLER: f64 = f64::from_bits((1023 - 600) << 52);
        let all = [self.cost, self.budget_left, self.time, self.time_left];
        let factor = if all.iter().any(|&weight| weight > 1e100) { SMALLER } else { 1.0 };
        let [cost, budget_left, time, time_left] = all.map(|weight| weight * factor);
        (cost + budget_left, time + time_left)
    }
}

/// The rule that selects one of several undominated choices.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Preference {
    /// The choice with the smallest `cost * C - budget_left * D + time * T - time_left * I`; among equal ones the
    /// cheaper.
    Weighted(Weights),
    /// The best by the first criterion; among equals the best by the second, and so on.
    Lexicographic(Vec<VectorCriterion>),
}

impl Preference {
    pub(crate) fn check(&self) -> Result<(), BatchError> {
        match self {
            Self::Lexicographic(order) if order.is_empty() => Err(BatchError::NoCriterion),
            Self::Lexicographic(_) => Ok(()),
            Self::Weighted(weights) => [
                ("cost", weights.cost),
                ("budget left", weights.budget_left),
                ("time", weights.time),
                ("time left", weights.time_left),
            ]
            .into_iter()
            .find(|(_, value)| !(value.is_finite() && *value >= 0.0))
            .map_or(Ok(()), |(criterion, value)| Err(BatchError::Weight { criterion, value })),
        }
    }
}
