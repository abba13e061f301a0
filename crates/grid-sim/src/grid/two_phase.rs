//! The two-phase cycle as a scheduler of the grid: all alternatives of the batch, then the best choice of one
//! per job.

use super::{BatchScheduler, GridJob, GridPlace, NodeSlots, Offer};
use crate::SimError;
use crate::asked::{failed, refusal, speeds, too_few};
use batch_dp::Goal;
use live_broker::{Act, Broker, Config, Input, Prefer};
use sched_model::{Node, NodeId, Refusal, Schedule, Span, Time};
use slot_window::{Objective, WindowSearch};
use std::sync::Arc;

sched_model::builder! {
    /// The two-phase cycle: a window search finds all alternatives of the jobs collected, in order of priority,
    /// on the free CPUs up to a horizon; then one alternative for each job is chosen exactly, under a limit that
    /// is given or follows from the alternatives themselves. Each interval is one cycle of a [live
    /// broker](live_broker::Broker), to which each CPU is a node, and the time taken by local jobs and
    /// reservations is blocked.
    ///
    /// Source: V. Toporkov, A. Toporkova, A. Bobchenkov, D. Yemelyanov, "Resource Selection Algorithms for
    /// Economic Scheduling in Distributed Systems", 2011. Where the derived T* is out of reach, the least total
    /// time is used instead; where a given limit is out of reach, as many jobs are placed as it allows.
    ///
    /// A window may take CPUs of several resources, of different speed. A job without an alternative waits for
    /// the next interval; one that asks for more fast CPUs than there are is refused. A job with expected times
    /// by resource runs on each for that time, whatever its speed.
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
    /// let mut broker = TwoPhaseBroker::new(Box::new(Amp::new()), Span::must(1000.0))
    ///     .with_goal(Goal::MinTime { budget: None });
    /// let outcome = Grid::new(resources).run(&[job], &mut broker, &mut Limit::none().meter())?;
    /// assert_eq!(outcome.report.cost, Money::must(150.0));
    /// assert_eq!(outcome.records[0].parts.len(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[derive(Debug)]
    #[must_use]
    pub struct TwoPhaseBroker {
        /// With this search up to this span from the present on; the least cost, at most 100 alternatives a job.
        new(search: Box<dyn WindowSearch>, horizon: Span);
        _: search: Arc<dyn WindowSearch> = Arc::from(search),
        _: horizon: Span = horizon,
        /// The same with this goal.
        with_goal: goal: Goal = Goal::MinCost { time_limit: None },
        /// The same with a preference that decides before the criterion of the goal, or in its place: the least
        /// makespan, the least mean finish, or the vector <C, D, T, I> by weights or in lexicographic order.
        with_preference: prefer: Prefer => Some = None,
        _: max_alternatives: usize = 100,
    }
}

impl TwoPhaseBroker {
    /// The same with at most this many alternatives of each job; at least 1.
    pub fn with_max_alternatives(self, max_alternatives: usize) -> Self {
        Self { max_alternatives: max_alternatives.max(1), ..self }
    }

    /// A live broker to which each CPU is a node, with the time taken by local jobs and reservations blocked.
    fn broker(&self, now: Time, offers: &[Offer<'_>], nodes: &NodeSlots) -> Result<Broker, SimError> {
        let mut config = Config::new(self.horizon)
            .with_goal(self.goal, self.max_alternatives)
            .with_time(Objective::Runtime);
        config.prefer.clone_from(&self.prefer);
        let mut broker = Broker::new(config).map_err(who)?.with_search(Arc::clone(&self.search));
        // By node: the instant up to which it is known whether its time is free.
        let mut taken_from = Vec::new();
        for (offer, first) in offers.iter().zip(nodes.firsts()) {
            for cpu in 0..offer.machine.cpus() {
                let node = Node::new(NodeId(first + cpu), offer.machine.speed, offer.machine.price);
                broker.handle(now, node.into()).map_err(who)?;
                taken_from.push(now);
            }
        }
        let mut block = |node: u32, from: Time, until: Time| {
            if from < until {
                broker.handle(now, Input::Blocked { node: NodeId(node), from, until }).map_err(who)?;
            }
            Ok::<_, SimError>(())
        };
        // Slots of one node come in the order of their starts.
        for slot in nodes.slots.iter() {
            let known = &mut taken_from[slot.node().0 as usize];
            block(slot.node().0, *known, slot.start())?;
            *known = slot.end();
        }
        // The horizon of a live broker reaches a quarter further.
        let far = (now + self.horizon + self.horizon).min(Time::must(1e59));
        for (node, from) in (0..).zip(taken_from) {
            block(node, from, far)?;
        }
        Ok(broker)
    }
}

fn who(why: impl ToString) -> SimError {
    failed("two-phase cycle", why)
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
        let nodes = NodeSlots::of(offers, now, now + self.horizon)?;
        let mut broker = self.broker(now, offers, &nodes)?;
        let mut schedule = Schedule::default();
        for job in jobs {
            let min_speed = job.job.request.min_speed;
            let able = |offer: &&Offer<'_>| job.times.is_some() || offer.machine.speed >= min_speed;
            if let Some(few) = too_few(job, offers.iter().filter(able).map(|offer| offer.machine.cpus())) {
                schedule.decide(job.job.id, Err(few))?;
                continue;
            }
            let machines = offers.iter().zip(nodes.firsts());
            let machines = machines.map(|(offer, first)| first..first + offer.machine.cpus());
            let input = Input::Submit { job: job.job.clone(), speeds: speeds(job, machines)? };
            broker.handle(now, input).map_err(who)?;
        }
        broker.handle(now, Input::Wake).map_err(who)?;
        // Without a window in this plan a job waits for the next.
        while let Some(decision) = broker.poll() {
            match decision.act {
                Act::Reserve { job, window } => schedule.decide(job, Ok(nodes.place(&window)))?,
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
