//! The two-phase cycle as a scheduler of the grid: all alternatives of the batch, then the best choice of one per job.

use super::{BatchScheduler, GridJob, GridPlace, NodeSlots, Offer};
use crate::SimError;
use batch_dp::Goal;
use sched_model::{Batch, Job, Refusal, Schedule, Span, Time};
use slot_window::WindowSearch;

/// The two-phase cycle: a window search finds all alternatives of the jobs collected, in order of priority, on the free
/// CPUs up to a horizon; then one alternative for each job is chosen exactly, under a limit that is given or follows
/// from the alternatives themselves.
///
/// Source: V. Toporkov, A. Toporkova, A. Bobchenkov, D. Yemelyanov, "Resource Selection Algorithms for Economic
/// Scheduling in Distributed Systems", 2011. Where the derived T* is out of reach, the least total time stands in; where
/// a given limit is, all jobs wait.
///
/// A window may take CPUs of several resources, of different speed. A job without an alternative waits for the next
/// interval; one that asks for more fast CPUs than there are is refused. Expected times by resource are not for this
/// scheduler: it goes by work and speed, and refuses to guess.
///
/// ```
/// use batch_dp::Goal;
/// use grid_sim::{Grid, GridJob, Resource, TwoPhaseBroker};
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
/// let mut broker = TwoPhaseBroker::new(Box::new(Amp::new()), Span::must(1000.0)).with_goal(Goal::MinTime { budget: None });
/// let outcome = Grid::new(resources).run(&[job], &mut broker)?;
/// assert_eq!(outcome.report.cost, Money::must(150.0));
/// assert_eq!(outcome.records[0].parts.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct TwoPhaseBroker {
    search: Box<dyn WindowSearch>,
    goal: Goal,
    horizon: Span,
    max_alternatives: usize,
}

impl TwoPhaseBroker {
    /// With this search up to this span from the present on; the least cost, at most 100 alternatives a job.
    #[must_use]
    pub fn new(search: Box<dyn WindowSearch>, horizon: Span) -> Self {
        Self { search, goal: Goal::MinCost { time_limit: None }, horizon, max_alternatives: 100 }
    }

    /// The same with this goal.
    #[must_use]
    pub fn with_goal(self, goal: Goal) -> Self {
        Self { goal, ..self }
    }

    /// The same with at most so many alternatives a job; at least 1.
    #[must_use]
    pub fn with_max_alternatives(self, max_alternatives: usize) -> Self {
        Self { max_alternatives: max_alternatives.max(1), ..self }
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
        let found = slot_window::AlternativesSearch::new(&self.search)
            .with_max_per_job(self.max_alternatives)
            .find(&nodes.slots, &batch, now)
            .map_err(|error| who(error.to_string()))?;
        // Without a window in this plan a job waits for the next.
        let plan = batch_dp::plan(found.offers(), self.goal).map_err(|error| who(error.to_string()))?;
        for (job, window) in plan.schedule.placed() {
            schedule.place(job, nodes.place(window))?;
        }
        Ok(schedule)
    }
}
