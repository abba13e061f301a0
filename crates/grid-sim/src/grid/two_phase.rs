//! The two-phase cycle as a scheduler of a grid: it finds alternatives for all jobs, then makes the best choice of
//! one for each job.

use super::terms::{node, nodes_of, place_of, refusal, scheduler_error, speeds, taken_stretches, too_few};
use super::{BatchScheduler, GridJob, GridPlace, Offer};
use crate::SimError;
use live_broker::{Act, Broker, Config, Input};
use sched_model::{NodeId, Refusal, Schedule, Time};
use slot_window::WindowSearch;
use std::ops::Range;
use std::sync::Arc;

/// The two-phase cycle: a window search finds all alternatives of the waiting jobs, in order of priority, on the CPUs
/// that are free up to a horizon; then one alternative for each job is chosen exactly, under a limit that is given or
/// derived from the alternatives. Each call is one cycle of a new [live broker](live_broker::Broker), for which each
/// CPU is a node, and the time taken by local jobs and reservations is blocked.
///
/// Source: V. Toporkov, A. Toporkova, A. Bobchenkov, D. Yemelyanov, "Resource Selection Algorithms for Economic
/// Scheduling in Distributed Systems", 2011. If the derived limit T* cannot be met, the minimum total time is used
/// instead; if a given limit cannot be met, as many jobs are placed as it allows.
///
/// A window may take CPUs of several resources of different speeds. A job without an alternative waits for the next
/// interval; a job that needs more fast CPUs than exist is refused. A job with expected times by resource runs for
/// these times, whatever the speeds of the resources.
///
/// ```
/// use batch_dp::Goal;
/// use grid_sim::{Grid, GridJob, Resource, TwoPhaseBroker};
/// use live_broker::Config;
/// use sched_model::*;
/// use slot_window::Objective;
/// let machine = |id, speed, price| Machine::new(MachineId(id), 1, Speed::must(speed), Price::must(price));
/// let resources = vec![
///     Resource::new(SiteId(0), "slow", machine(0, 1.0, 1.0)?),
///     Resource::new(SiteId(1), "fast", machine(1, 2.0, 3.0)?),
/// ];
/// // Two CPUs at once: one of each resource. 60 on the slow one, 30 on the fast one: 60 * 1 + 30 * 3.
/// let request = ResourceRequest::new(2, Work::must(60.0))?.with_budget(Money::must(200.0));
/// let job = GridJob::from(Job::new(JobId(1), request));
/// let config = Config::new(Span::must(1000.0)).with_goal(Goal::MinTime { budget: None }, 100);
/// // The papers count run times.
/// let mut broker = TwoPhaseBroker::new(config.with_time(Objective::Runtime));
/// let outcome = Grid::new(resources).run(&[job], &mut broker, &mut Limit::none().meter())?;
/// assert_eq!(outcome.report.cost, Money::must(150.0));
/// assert_eq!(outcome.records[0].parts.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use]
pub struct TwoPhaseBroker {
    config: Config,
    search: Option<Arc<dyn WindowSearch>>,
}

impl TwoPhaseBroker {
    /// Creates a broker with these settings for each cycle: search, horizon, goal, preference, number of
    /// alternatives. Without a goal each job gets the alternative of minimum [time](Config::time).
    pub fn new(config: Config) -> Self {
        Self { config, search: None }
    }

    /// Uses your own search instead of the configured one.
    pub fn with_search(self, search: Arc<dyn WindowSearch>) -> Self {
        Self { search: Some(search), ..self }
    }

    /// Creates a live broker for which each CPU is a node, and the time taken by local jobs and reservations is
    /// blocked.
    fn broker(&self, now: Time, offers: &[Offer<'_>], nodes: &[Range<u32>]) -> Result<Broker, SimError> {
        let mut broker = Broker::new(self.config.clone()).map_err(cycle_error)?;
        if let Some(search) = &self.search {
            broker = broker.with_search(Arc::clone(search));
        }
        // A live broker plans up to a quarter beyond its horizon.
        let horizon = now + self.config.horizon;
        let far = (horizon + self.config.horizon).min(Time::must(1e59));
        for (offer, nodes) in offers.iter().zip(nodes) {
            for id in nodes.clone() {
                broker.handle(now, node(id, offer.machine).into()).map_err(cycle_error)?;
            }
            for (cpu, from, until) in taken_stretches(offer.free, horizon, far) {
                let node = NodeId(nodes.start + cpu);
                broker.handle(now, Input::Blocked { node, from, until }).map_err(cycle_error)?;
            }
        }
        Ok(broker)
    }
}

fn cycle_error(why: impl ToString) -> SimError {
    scheduler_error("two-phase cycle", why)
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
        let nodes = nodes_of(offers.iter().map(|offer| offer.machine))?;
        let mut broker = self.broker(now, offers, &nodes)?;
        let mut schedule = Schedule::default();
        for job in jobs {
            let min_speed = job.job.request.min_speed;
            let able = |offer: &&Offer<'_>| job.times.is_some() || offer.machine.speed >= min_speed;
            if let Some(few) = too_few(job, offers.iter().filter(able).map(|offer| offer.machine.cpus())) {
                schedule.decide(job.job.id, Err(few))?;
                continue;
            }
            let input = Input::Submit { job: job.job.clone(), speeds: speeds(job, &nodes)? };
            broker.handle(now, input).map_err(cycle_error)?;
        }
        broker.handle(now, Input::Wake).map_err(cycle_error)?;
        // A job without a window in this plan waits for the next.
        while let Some(decision) = broker.poll() {
            match decision.act {
                Act::Reserve { job, window } => schedule.decide(job, Ok(place_of(&nodes, &window)))?,
                Act::Refuse { job, reason } => {
                    let known = jobs.iter().find(|known| known.job.id == job);
                    let why = known.map_or(Refusal::NoCapacity, |known| refusal(known, &reason, now));
                    schedule.decide(job, Err(why))?;
                }
                _ => {}
            }
        }
        Ok(schedule)
    }
}
