//! The two-phase cycle as a scheduler of the grid: all alternatives of the batch, then the best choice of one per job.

use super::{BatchScheduler, GridJob, GridPlace, NodeSlots, Offer};
use crate::SimError;
use batch_dp::limits::{TimeRule, time_limit};
use batch_dp::{Alternatives, BatchChoice, BatchChoiceKind, BatchError, Choice, Decision, Problem, Scratch};
use sched_model::{Batch, Job, Refusal, Schedule, Span, Time, Window};
use slot_window::WindowSearch;

/// What the second phase looks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum CycleGoal {
    /// The least total cost within the time limit T*.
    #[default]
    MinCost,
    /// The least total time within the budget B*, what the owners would earn at most within T*.
    MinTime,
}

/// The two-phase cycle: a window search finds all alternatives of the jobs collected, in order of priority, on the free
/// CPUs up to a horizon; then one alternative for each job is chosen exactly, under the limit that follows from the
/// alternatives themselves.
///
/// Source: V. Toporkov, A. Toporkova, A. Bobchenkov, D. Yemelyanov, "Resource Selection Algorithms for Economic
/// Scheduling in Distributed Systems", 2011. Where the derived T* is out of reach, the least total time stands in.
///
/// A window may take CPUs of several resources, of different speed. A job without an alternative waits for the next
/// interval; one that asks for more fast CPUs than there are is refused. Expected times by resource are not for this
/// scheduler: it goes by work and speed, and refuses to guess.
///
/// ```
/// use grid_sim::{CycleGoal, Grid, GridJob, Resource, TwoPhaseBroker};
/// use sched_model::*;
/// use slot_window::Amp;
/// let machine = |id, speed, price| Machine::new(MachineId(id), 1, Speed::must(speed), Price::must(price));
/// let resources = vec![
///     Resource::new(SiteId(0), "slow", machine(0, 1.0, 1.0)?),
///     Resource::new(SiteId(1), "fast", machine(1, 2.0, 3.0)?),
/// ];
/// // Two CPUs at once: one of each resource. 60 on the slow one, 30 on the fast one: 60 * 1 + 30 * 3.
/// let request = ResourceRequest::new(2, Work::must(60.0))?.with_budget(Money::must(200.0));
/// let job = GridJob::new(Job::new(JobId(1), request));
/// let mut broker = TwoPhaseBroker::new(Box::new(Amp::new()), Span::must(1000.0)).with_goal(CycleGoal::MinTime);
/// let outcome = Grid::new(resources).run(&[job], &mut broker)?;
/// assert_eq!(outcome.report.cost, Money::must(150.0));
/// assert_eq!(outcome.records[0].parts.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct TwoPhaseBroker {
    search: Box<dyn WindowSearch>,
    choice: Box<dyn BatchChoice>,
    goal: CycleGoal,
    horizon: Span,
    max_alternatives: usize,
    scratch: Scratch,
}

impl TwoPhaseBroker {
    /// With this search up to this span from the present on; the least cost, at most 100 alternatives a job.
    #[must_use]
    pub fn new(search: Box<dyn WindowSearch>, horizon: Span) -> Self {
        Self {
            search,
            choice: BatchChoiceKind::default().build(),
            goal: CycleGoal::default(),
            horizon,
            max_alternatives: 100,
            scratch: Scratch::new(),
        }
    }

    /// The same with this goal.
    #[must_use]
    pub fn with_goal(self, goal: CycleGoal) -> Self {
        Self { goal, ..self }
    }

    /// The same with this solver of the second phase.
    #[must_use]
    pub fn with_choice(self, choice: Box<dyn BatchChoice>) -> Self {
        Self { choice, ..self }
    }

    /// The same with at most so many alternatives a job; at least 1.
    #[must_use]
    pub fn with_max_alternatives(self, max_alternatives: usize) -> Self {
        Self { max_alternatives: max_alternatives.max(1), ..self }
    }

    /// The choice under a limit, or under the least attainable one if that is greater.
    fn within(
        &mut self,
        batch: &Alternatives,
        problem: fn(f64) -> Problem,
        limit: f64,
    ) -> Result<Choice, SimError> {
        let failed = |error: BatchError| who(error.to_string());
        let first = self.choice.choose(batch, &problem(limit), &mut self.scratch).map_err(failed)?;
        let decision = match first.solution {
            Decision::OutOfReach { least, .. } => {
                self.choice.choose(batch, &problem(least), &mut self.scratch).map_err(failed)?.solution
            }
            decision => decision,
        };
        match decision {
            Decision::Chosen(choice) => Ok(choice),
            other => Err(who(other.to_string())),
        }
    }

    fn choose(&mut self, batch: &Alternatives) -> Result<Choice, SimError> {
        let limit = time_limit(batch, TimeRule::FloorOfSum);
        match self.goal {
            CycleGoal::MinCost => self.within(batch, |time_limit| Problem::MinCost { time_limit }, limit),
            CycleGoal::MinTime => {
                let income = self.within(batch, |time_limit| Problem::MaxIncome { time_limit }, limit)?;
                self.within(batch, |budget| Problem::MinTime { budget }, income.cost)
            }
        }
    }
}

fn who(why: String) -> SimError {
    SimError::Scheduler { who: "two-phase cycle".into(), why }
}

impl BatchScheduler for TwoPhaseBroker {
    fn name(&self) -> &str {
        "two-phase cycle"
    }

    fn schedule(
        &mut self,
        now: Time,
        jobs: &[&GridJob],
        offers: &[Offer<'_>],
    ) -> Result<Schedule<GridPlace>, SimError> {
        if let Some(job) = jobs.iter().find(|job| job.times().is_some()) {
            return Err(who(format!("job {} has expected times by resource", job.job.id)));
        }
        let mut schedule = Schedule::default();
        let mut able: Vec<Job> = Vec::new();
        for job in jobs {
            let request = &job.job.request;
            let fast = offers.iter().filter(|offer| offer.machine.speed() >= request.min_speed());
            let fast_enough: usize = fast.map(|offer| offer.machine.cpus() as usize).sum();
            if fast_enough < request.nodes() {
                schedule.refuse(job.job.id, Refusal::TooFewNodes { needed: request.nodes(), fast_enough })?;
            } else {
                able.push(job.job);
            }
        }
        let nodes = NodeSlots::of(offers, now, now + self.horizon)?;
        let batch = Batch::new(able)?.by_priority();
        let found = slot_window::Alternatives::new(&self.search)
            .with_max_per_job(self.max_alternatives)
            .find(&nodes.slots, &batch, now)
            .map_err(|error| who(error.to_string()))?;
        let with: Vec<(Job, &[Window])> = batch
            .iter()
            .enumerate()
            .map(|(at, job)| (*job, found.of(at)))
            .filter(|(_, windows)| !windows.is_empty())
            .collect();
        if with.is_empty() {
            return Ok(schedule);
        }
        let windows: Vec<&[Window]> = with.iter().map(|(_, windows)| *windows).collect();
        let alternatives = Alternatives::from_windows(&windows).map_err(|error| who(error.to_string()))?;
        let choice = self.choose(&alternatives)?;
        for ((job, windows), pick) in with.iter().zip(choice.picks) {
            schedule.place(job.id, nodes.place(&windows[pick]))?;
        }
        Ok(schedule)
    }
}
