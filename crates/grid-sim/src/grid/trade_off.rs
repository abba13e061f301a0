//! The trade-off heuristics of the meta-broker as schedulers of a grid.

use super::terms::scheduler_error;
use super::{BatchScheduler, GridJob, GridPlace, Offer, PlacePart};
use crate::SimError;
use crate::quantity::span_within;
use grid_heuristics::{ClusterView, HeuristicError, TradeOffHeuristic, TradeOffProblem};
use sched_model::internal::MIN_SPEED;
use sched_model::{EtcMatrix, Job, Schedule, Speed, Time};

/// MinCTT, MaxCTT, Greedy, or any other [`TradeOffHeuristic`], called at the end of each schedule interval.
///
/// Each job runs on one resource. A job for which the heuristic finds no place is refused for ever; a job whose best
/// place is on CPUs that are down until an unknown time waits for the next call. A job does not run on resources
/// below its minimum speed, unless it has expected times of its own.
///
/// ```
/// use grid_heuristics::{TradeOffKind, TradeOffMetric};
/// use grid_sim::{Grid, GridJob, Resource};
/// use sched_model::*;
/// let machine = |id, price| Machine::new(MachineId(id), 2, Speed::ETALON, Price::must(price));
/// let resources = vec![
///     Resource::new(SiteId(0), "cheap", machine(0, 1.0)?),
///     Resource::new(SiteId(1), "expensive", machine(1, 3.0)?),
/// ];
/// let job = |id| Ok::<_, ModelError>(GridJob::from(Job::new(
///     JobId(id), ResourceRequest::new(2, Work::must(10.0))?)));
/// // All cost: both jobs go to the cheap resource, one after the other.
/// let metric = TradeOffMetric::default().with_factor(TradeOff::must(1.0));
/// let mut broker = TradeOffKind::MinCtt.build(metric);
/// let outcome = Grid::new(resources).run(&[job(1)?, job(2)?], &mut broker, &mut Limit::none().meter())?;
/// assert_eq!((outcome.report.cost, outcome.report.makespan), (Money::must(40.0), Span::must(20.0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl BatchScheduler for Box<dyn TradeOffHeuristic> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn schedule(
        &mut self,
        _now: Time,
        jobs: &[&GridJob],
        offers: &[Offer<'_>],
    ) -> Result<Schedule<GridPlace>, SimError> {
        let cluster = |offer: &Offer<'_>| {
            let machine = offer.machine;
            ClusterView { speed: machine.speed, price: machine.price, free: offer.free.clone() }
        };
        let clusters: Vec<ClusterView> = offers.iter().map(cluster).collect();
        // A job with expected times of its own runs at any speed.
        let placed = |&GridJob { job, times, .. }: &&GridJob| match times {
            Some(_) => {
                Job { request: job.request.clone().with_min_speed(Speed::must(MIN_SPEED)), ..job.clone() }
            }
            None => job.clone(),
        };
        let placed: Vec<Job> = jobs.iter().map(placed).collect();
        let each = jobs.iter().flat_map(|job| offers.iter().enumerate().map(move |offer| (job, offer)));
        let times = each.map(|(job, (on, offer))| job.time_on(on, offer.machine).get()).collect();
        let times = EtcMatrix::new(jobs.len(), offers.len(), times)?;
        let problem = TradeOffProblem::new(&placed, &clusters).with_times(&times);
        let wrong = |error: HeuristicError| scheduler_error((**self).name(), error);
        let answer = (**self).schedule(&problem).map_err(wrong)?;
        let mut schedule = Schedule::default();
        for job in jobs {
            match answer.get(&job.job.id) {
                Some(Ok(place)) => {
                    let resource = place.resource;
                    let span = offers.get(resource).map_or(span_within(place.start, place.end), |offer| {
                        job.time_on(resource, offer.machine)
                    });
                    // An outage whose end is unknown ends at an instant so late that no time can be added to it.
                    if place.start < place.start + span {
                        let parts = vec![PlacePart { resource, cpus: place.cpus, span }];
                        schedule.decide(job.job.id, Ok(GridPlace { start: place.start, parts }))?;
                    }
                }
                Some(Err(reason)) => schedule.decide(job.job.id, Err(reason.clone()))?,
                None => {}
            }
        }
        Ok(schedule)
    }
}
