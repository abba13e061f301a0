//! The whole Pareto front of (cost, time).

use crate::problem::check_limit;
use crate::states::{History, State, Step, product, undominated};
use crate::{
    Alternatives, BatchChoice, BatchError, Choice, Decision, ExpandingCore, Problem, Scratch, Total,
};

/// A point of a front: what a choice costs and how long it takes in all.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FrontPoint {
    /// The total cost, added up from the first job to the last.
    pub cost: f64,
    /// The total time, added up from the first job to the last.
    pub time: f64,
}

/// All pairs of total cost and total time that no choice betters in one without losing in the other.
///
/// Points stand by rising cost and strictly falling time. Of choices equal in both sums one stands for all.
#[derive(Debug, Clone)]
pub struct ParetoFront {
    points: Vec<FrontPoint>,
    links: Vec<u32>,
    history: History,
    jobs: usize,
}

impl ParetoFront {
    /// The points, by rising cost.
    pub fn points(&self) -> &[FrontPoint] {
        &self.points
    }

    /// The choice behind a point, in O(jobs); `None` beyond the last point.
    pub fn choice(&self, point: usize) -> Option<Choice> {
        let (FrontPoint { cost, time }, &link) = (*self.points.get(point)?, self.links.get(point)?);
        let mut picks = vec![0; self.jobs];
        for (job, alt) in self.history.steps(link) {
            picks[job] = alt as usize;
        }
        Some(Choice { picks, cost, time })
    }
}

/// The search for the [`ParetoFront`] of a batch, exact on real values.
///
/// The vector criterion of V. Toporkov et al., *Resource Selection Algorithms for Economic Scheduling in Distributed
/// Systems* (2011), section 2, has four parts, but D = B* - C and I = T* - T are constants less C and T: its front is
/// the front of (C, T), and limits cut it. It is built job by job: the list of undominated sums of the jobs so far,
/// times the undominated alternatives of the next.
///
/// # Complexity
/// O(S K log K) for each job with `K` undominated alternatives and a front of `S` points before it. 7 jobs of 35
/// random alternatives have about 100 points, 100 of 50 some 20,000. In the worst case the points multiply from job to
/// job; hence the [cap](Self::with_cap).
///
/// # Guarantee
/// Exact to the bit, with sums added from the first job to the last (adding in that order never turns a dominated sum
/// into a better one).
///
/// # Ties
/// Of equal alternatives of one job, the first. Of different choices equal in both sums, which one stands for them is
/// not specified, but it is always the same.
///
/// # Example
/// Of four choices, (11, 13) and (10, 13) have the same time and the cheaper stays.
///
/// ```
/// use batch_dp::{Alternatives, FrontSearch, Scratch};
///
/// let batch = Alternatives::from_pairs([[(4.0, 10.0), (9.0, 5.0)], [(2.0, 8.0), (6.0, 3.0)]])?;
/// let front = FrontSearch::new().find(&batch, &mut Scratch::new())?.into_choice().unwrap();
/// let points: Vec<_> = front.points().iter().map(|point| (point.cost, point.time)).collect();
/// assert_eq!(points, [(6.0, 18.0), (10.0, 13.0), (15.0, 8.0)]);
/// assert_eq!(front.choice(1).unwrap().picks, [0, 1]);
/// # Ok::<(), batch_dp::BatchError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct FrontSearch {
    /// The most points the front of the jobs so far may have.
    pub cap: usize,
    /// Points that cost more are left out.
    pub budget: f64,
    /// Points that take longer are left out.
    pub time_limit: f64,
}

impl Default for FrontSearch {
    fn default() -> Self {
        Self { cap: 1_000_000, budget: f64::INFINITY, time_limit: f64::INFINITY }
    }
}

impl FrontSearch {
    /// The whole front, of at most a million points.
    pub fn new() -> Self {
        Self::default()
    }

    /// Fails when the front of the jobs so far has more points than this. The front is never cut silently.
    pub fn with_cap(mut self, cap: usize) -> Self {
        self.cap = cap;
        self
    }

    /// Leaves out what costs more. Sums that cannot keep the limit are dropped on the way, which also saves time.
    pub fn with_budget(mut self, budget: f64) -> Self {
        self.budget = budget;
        self
    }

    /// Leaves out what takes longer, as [`with_budget`](Self::with_budget).
    pub fn with_time_limit(mut self, time_limit: f64) -> Self {
        self.time_limit = time_limit;
        self
    }

    /// The front within the limits. It has a point, or the answer says why it has none: where each limit can be kept
    /// but not both, that is the time limit, against the least time within the budget.
    ///
    /// # Errors
    /// [`BatchError::FrontTooLarge`] when the cap is passed, with the job at which it was;
    /// [`BatchError::Limit`] when a limit is NaN.
    pub fn find(
        &self,
        batch: &Alternatives,
        scratch: &mut Scratch,
    ) -> Result<Decision<ParetoFront>, BatchError> {
        check_limit(Total::Cost, self.budget)?;
        check_limit(Total::Time, self.time_limit)?;
        if !batch.is_complete() {
            return Ok(Decision::NoAlternative { jobs: batch.jobs_without() });
        }
        // What the jobs to come use at least of both limits, and what rounding does to such sums.
        let least_cost = Rooms::of(batch, batch.costs(), self.budget);
        let least_time = Rooms::of(batch, batch.times(), self.time_limit);
        for (total, rooms) in [(Total::Cost, &least_cost), (Total::Time, &least_time)] {
            if rooms.least > rooms.limit {
                return Ok(Decision::out_of_reach(total, rooms.limit, rooms.least));
            }
        }
        let Scratch { states, runs, turn_steps, history, .. } = scratch;
        history.clear();
        states.clear();
        states.push(State::ORIGIN);
        for (job, row) in batch.offsets().windows(2).enumerate() {
            turn_steps.clear();
            // The objective is time, the constraint cost.
            turn_steps.extend((row[0]..row[1]).map(|alt| Step {
                p: batch.times()[alt],
                w: batch.costs()[alt],
                alt: (alt - row[0]) as u32,
            }));
            undominated(turn_steps, 0);
            let (most_cost, most_time) = (least_cost.behind(job), least_time.behind(job));
            product(states, turn_steps, runs, |time, cost| (cost <= most_cost) & (time <= most_time));
            std::mem::swap(states, &mut runs.states);
            if states.len() > self.cap {
                return Err(BatchError::FrontTooLarge { cap: self.cap, job, jobs: batch.jobs() });
            }
            history.commit(states, job as u32);
        }
        if states.is_empty() {
            // Each limit can be kept, but not both.
            let problem = Problem::MinTime { budget: self.budget };
            let fastest = ExpandingCore::new().choose(batch, &problem, scratch)?.solution;
            return Ok(
                fastest.and_then(|choice| Decision::out_of_reach(Total::Time, self.time_limit, choice.time))
            );
        }
        // Rounding can make two costs equal that were not; the later state is the faster.
        states.dedup_by(|later, earlier| {
            let equal = later.w == earlier.w;
            if equal {
                *earlier = *later;
            }
            equal
        });
        Ok(Decision::Chosen(ParetoFront {
            points: states.iter().map(|state| FrontPoint { cost: state.w, time: state.p }).collect(),
            links: states.iter().map(|state| state.link).collect(),
            history: history.clone(),
            jobs: batch.jobs(),
        }))
    }
}

/// What a limit leaves to the first jobs when the others take as little as they can.
struct Rooms {
    limit: f64,
    /// The least sum over all jobs, in the defined order.
    least: f64,
    /// The least sums of the jobs behind each; empty without a limit.
    behind: Vec<f64>,
    /// More than rounding can do to such sums.
    doubt: f64,
}

impl Rooms {
    fn of(batch: &Alternatives, column: &[f64], limit: f64) -> Self {
        if limit == f64::INFINITY {
            return Self { limit, least: f64::NEG_INFINITY, behind: Vec::new(), doubt: 0.0 };
        }
        let mut behind: Vec<f64> = batch
            .offsets()
            .windows(2)
            .map(|row| column[row[0]..row[1]].iter().copied().fold(f64::INFINITY, f64::min))
            .collect();
        let least = behind.iter().sum();
        let (mut sum, mut magnitude) = (0.0, limit.abs());
        for value in behind.iter_mut().rev() {
            magnitude += value.abs();
            sum += std::mem::replace(value, sum);
        }
        // States within the limit may be of any magnitude below it and above minus all that follows.
        let doubt = 8.0 * f64::EPSILON * (batch.jobs() as f64 + 4.0) * magnitude;
        Self { limit, least, behind, doubt }
    }

    /// The most that the jobs up to this one may use. After the last it is the limit itself.
    fn behind(&self, job: usize) -> f64 {
        match self.behind.get(job) {
            Some(_) if job + 1 == self.behind.len() => self.limit,
            Some(sum) => self.limit - sum + self.doubt,
            None => f64::INFINITY,
        }
    }
}
