//! The world around a live broker: it tells the broker what happens, carries out the broker's decisions, and includes
//! the local jobs of the machines.

use super::super::terms::{node, nodes_of, refusal, scheduler_error, speed_on, speeds, too_few};
use super::super::{Grid, GridJob, machines, sites};
use super::LiveOutcome;
use crate::SimError;
use crate::engine::EventQueue;
use crate::fault_load::Fault;
use crate::report::{Ending, JobRecord, Report};
use crate::station::class;
use live_broker::{Act, Broker, BrokerError, CycleNote, Input, Standing};
use sched_model::{End, JobId, Meter, ModelError, NodeId, Time, Window};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

pub(super) fn broker_error(error: BrokerError) -> SimError {
    scheduler_error("live broker", error)
}

/// Number of rounds without a decision after which none is expected any more. A broker doubles the work of a cycle
/// that is stopped within its first search, so by then it has tried a billion times as much.
const IDLE_ROUNDS: u32 = 30;

/// An event. Those of one instant are served in this order: ends, faults, arrivals, waking.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Event {
    /// The task of run number `run` of a job on this node is done.
    End {
        job: usize,
        run: u32,
        node: NodeId,
    },
    Fault(Fault),
    Submit(usize),
    Wake,
}

impl Event {
    fn class(self) -> u8 {
        match self {
            Self::End { .. } => class::END,
            Self::Fault(fault) => fault.class(),
            Self::Submit(_) => class::ARRIVAL,
            Self::Wake => class::CYCLE,
        }
    }
}

/// A running job.
#[derive(Debug, Clone)]
pub(super) struct Run {
    pub(super) window: Window,
    pub(super) start: Time,
    /// When each task is done, in the order of the window's placements.
    pub(super) ends: Vec<Time>,
    pub(super) killed: bool,
}

/// The state of a simulation under a live broker.
pub(super) struct World<'a> {
    pub(super) grid: &'a Grid,
    pub(super) jobs: &'a [GridJob],
    pub(super) all: &'a AllJobs<'a>,
    pub(super) index: BTreeMap<JobId, usize>,
    /// The range of nodes of each machine.
    pub(super) nodes: Vec<Range<u32>>,
    pub(super) broker: Broker,
    queue: EventQueue<Event>,
    pub(super) runs: BTreeMap<usize, Run>,
    /// Number of runs of each job that have ended, which is the number of its next run.
    pub(super) ended_runs: Vec<u32>,
    /// The outage because of which each node is down, by its index.
    down: BTreeMap<NodeId, usize>,
    /// The instants for which a wake is in the queue.
    wakes: BTreeSet<Time>,
    /// Number of rounds without a decision, since anything else happened.
    idle: u32,
    pub(super) outcome: LiveOutcome,
}

impl<'a> World<'a> {
    pub(super) fn new(grid: &'a Grid, all: &'a AllJobs<'a>, broker: Broker) -> Result<Self, SimError> {
        let jobs = &*all.jobs;
        let outcome = LiveOutcome {
            report: Report::of(&[], &[]),
            records: jobs.iter().map(|job| JobRecord::from(&job.job)).collect(),
            local: Vec::new(),
            promises: vec![None; jobs.len()],
            cycles: 0,
            work: 0,
            moved: [0, 0],
            withdrawn: 0,
            preempted: 0,
            inputs: 0,
            stopped: None,
        };
        Self {
            grid,
            jobs,
            all,
            index: GridJob::places(jobs, grid.resources.len())?,
            nodes: Vec::new(),
            broker,
            queue: EventQueue::default(),
            runs: BTreeMap::new(),
            ended_runs: vec![0; jobs.len()],
            down: BTreeMap::new(),
            wakes: BTreeSet::new(),
            idle: 0,
            outcome,
        }
        .prepared()
    }

    /// Schedules arrivals and faults, and tells the broker its nodes, before anything else happens.
    fn prepared(mut self) -> Result<Self, SimError> {
        for (at, job) in self.jobs.iter().enumerate() {
            self.schedule(job.job.submit, Event::Submit(at))?;
        }
        for (at, fault) in self.grid.faults.events(&machines(&self.grid.resources), &self.index)? {
            self.schedule(at, Event::Fault(fault))?;
        }
        let first = self.queue.peek().map_or(Time::ZERO, |(first, _)| first);
        self.nodes = nodes_of(self.grid.resources.iter().map(|resource| &resource.machine))?;
        for (resource, nodes) in self.grid.resources.iter().zip(self.nodes.clone()) {
            for id in nodes {
                let (node, features) = (node(id, &resource.machine), resource.features.clone());
                self.tell(first, Input::NodeAdded { node, features })?;
            }
        }
        Ok(self)
    }

    /// Serves events until none is left or the meter ends.
    pub(super) fn run(mut self, meter: &mut Meter) -> Result<LiveOutcome, SimError> {
        let mut stopped = None;
        let limit = meter.limit().clone();
        self.broker = self.broker.with_signal(move || limit.is_signalled());
        while stopped.is_none()
            && let Some((now, _)) = self.queue.peek()
        {
            while let Some((_, event)) = self.queue.pop_until(now) {
                self.serve(now, event)?;
            }
            stopped = self.decide(now, meter)?;
        }
        let Self { mut outcome, all, grid, .. } = self;
        outcome.local = all.by_machine(outcome.records.split_off(all.own), grid.resources.len());
        outcome.promises.truncate(all.own);
        outcome.report = Report::of(&outcome.records, &sites(&grid.resources));
        Ok(LiveOutcome { stopped, ..outcome })
    }

    pub(super) fn schedule(&mut self, at: Time, event: Event) -> Result<(), SimError> {
        self.queue.schedule(at, event.class(), event)
    }

    /// Gives the broker an input.
    pub(super) fn tell(&mut self, now: Time, input: Input) -> Result<(), SimError> {
        self.cycle_of(now, input).map(drop)
    }

    /// Gives the broker an input. Returns the cycle that it caused, if any.
    fn cycle_of(&mut self, now: Time, input: Input) -> Result<Option<CycleNote>, SimError> {
        self.outcome.inputs += 1;
        let entry = self.broker.handle(now, input).map_err(broker_error)?;
        Ok(entry.cycle)
    }

    fn serve(&mut self, now: Time, event: Event) -> Result<(), SimError> {
        if event != Event::Wake {
            self.idle = 0;
        }
        match event {
            Event::Wake => {
                self.wakes.remove(&now);
                Ok(())
            }
            Event::Submit(at) => self.submit(now, at),
            Event::Fault(fault) => self.serve_fault(now, fault),
            Event::End { job, run, node } if self.ended_runs[job] == run => self.ended(now, job, node),
            Event::End { .. } => Ok(()),
        }
    }

    fn serve_fault(&mut self, now: Time, fault: Fault) -> Result<(), SimError> {
        let (outages, nodes) = (&self.grid.faults.outages, &self.nodes);
        let node = |outage: usize| NodeId(nodes[outages[outage].machine].start + outages[outage].cpu);
        match fault {
            Fault::Cancel(at) => {
                let id = self.jobs[at].job.id;
                match self.broker.standing(id) {
                    None | Some(Standing::Over | Standing::Stopping) => Ok(()),
                    _ => self.tell(now, Input::Cancel(id)),
                }
            }
            Fault::Back(outage) => {
                let node = node(outage);
                if self.down.get(&node) != Some(&outage) {
                    return Ok(());
                }
                self.down.remove(&node);
                self.tell(now, Input::NodeUp(node))
            }
            Fault::Fails(outage) => {
                let (node, until) =
                    (node(outage), outages[outage].announced.then_some(outages[outage].until));
                if self.down.contains_key(&node) {
                    return Ok(());
                }
                self.down.insert(node, outage);
                // Tasks that end at this instant have ended before the failure.
                let is_there =
                    |run: &Run| run.window.nodes().zip(&run.ends).any(|(at, &end)| at == node && end > now);
                if let Some(job) = self.runs.iter().find(|(_, run)| is_there(run)).map(|(&job, _)| job) {
                    self.leave(job, now, Ending::Waiting);
                    self.tell(now, Input::Failed { job: self.jobs[job].job.id, node: Some(node) })?;
                }
                self.tell(now, Input::NodeDown { node, until })
            }
        }
    }

    /// Submits a job to the broker, or refuses it if there are too few fast CPUs for it.
    fn submit(&mut self, now: Time, at: usize) -> Result<(), SimError> {
        let job = &self.jobs[at];
        let home = self.all.home(at);
        let fast = self.grid.resources.iter().enumerate().filter(|(at, resource)| {
            home.is_none_or(|home| home == *at)
                && (job.times.is_some() || resource.machine.speed >= job.job.request.min_speed)
                && job.job.request.demands().are_met(&resource.features)
        });
        if let Some(few) = too_few(job, fast.map(|(_, resource)| resource.machine.cpus())) {
            self.outcome.records[at].ending = Ending::Refused(few);
            return Ok(());
        }
        // A local job runs only on its own machine.
        let speeds = match home.filter(|_| job.times.is_none()) {
            Some(home) => vec![speed_on(&self.nodes[home], self.grid.resources[home].machine.speed)],
            None => speeds(job, &self.nodes)?,
        };
        self.tell(now, Input::Submit { job: job.job.clone(), speeds })
    }

    /// Wakes the broker and carries out its decisions, until it has nothing more to decide now. Returns why the run
    /// stops, if it does.
    fn decide(&mut self, now: Time, meter: &mut Meter) -> Result<Option<End>, SimError> {
        // One unit for the instant itself.
        let mut units = 1;
        loop {
            let cycle = self.cycle_of(now, Input::Wake)?.map(|note| (note.work, note.end));
            // A cycle stopped by the signal, or one that the meter does not cover, has no effect: with a limit of the
            // work until then, the run ends at the same point.
            if let Some((_, end @ End::Signal)) = cycle {
                meter.end(end);
                return Ok(Some(end));
            }
            units += cycle.map_or(0, |(work, _)| work);
            if let Err(end) = meter.spend(std::mem::take(&mut units)) {
                return Ok(Some(end));
            }
            if let Some((work, _)) = cycle {
                self.outcome.cycles += 1;
                self.outcome.work += work;
            }
            let mut acted = false;
            while let Some(decision) = self.broker.poll() {
                acted = true;
                self.carry_out(now, decision.act)?;
            }
            self.idle = if acted { 0 } else { self.idle + 1 };
            let Some(next) = self.broker.next_wakeup() else { return Ok(None) };
            // Jobs that do not fit into an idle grid to which nothing more can happen would wait for ever.
            let only_wakes = self.queue.len() == self.wakes.len();
            let hopeless = only_wakes && self.runs.is_empty() && self.idle > IDLE_ROUNDS;
            if next > now && !hopeless && self.wakes.first().is_none_or(|first| next < *first) {
                self.wakes.insert(next);
                self.schedule(next, Event::Wake)?;
            }
            if next > now || hopeless {
                return Ok(None);
            }
        }
    }

    /// Carries out one decision of the broker.
    fn carry_out(&mut self, now: Time, act: Act) -> Result<(), SimError> {
        let Some(&job) = self.index.get(&act.job()) else { return Ok(()) };
        match &act {
            Act::Reserve { window, .. } => {
                self.outcome.promises[job].get_or_insert(window.start());
            }
            Act::Move { from, to, .. } => self.outcome.moved[usize::from(to.start() <= from.start())] += 1,
            Act::Preempt { window, victims, .. } => {
                self.outcome.promises[job].get_or_insert(window.start());
                self.outcome.preempted += victims.len() as u64;
                for &victim in victims {
                    self.evict(now, victim)?;
                }
            }
            Act::Withdraw { .. } => self.outcome.withdrawn += 1,
            Act::Start { window, .. } => return self.start(now, job, window.clone()),
            Act::Stop { job: id, .. } => {
                self.leave(job, now, Ending::Cancelled);
                return self.tell(now, Input::Failed { job: *id, node: None });
            }
            Act::Refuse { reason, .. } => {
                let refusal = refusal(&self.jobs[job], reason, now);
                self.outcome.records[job].ending = Ending::Refused(refusal);
            }
            Act::Close { ending: live_broker::CloseReason::Cancelled, .. } => {
                self.outcome.records[job].ending = Ending::Cancelled;
            }
            _ => {}
        }
        Ok(())
    }
}

/// The jobs of a grid, followed by the local jobs of each machine.
pub(super) struct AllJobs<'a> {
    pub(super) jobs: Cow<'a, [GridJob]>,
    /// Number of jobs that are not local.
    pub(super) own: usize,
    /// For each local job its machine and the identifier that the caller gave it.
    homes: Vec<(usize, JobId)>,
}

impl Grid {
    /// Returns all jobs. Local jobs get new identifiers, above those of all others.
    pub(super) fn all_jobs<'a>(&self, jobs: &'a [GridJob]) -> Result<AllJobs<'a>, SimError> {
        let own = jobs.len();
        let mut all = AllJobs { jobs: Cow::Borrowed(jobs), own, homes: Vec::new() };
        let mut last = jobs.iter().map(|job| job.job.id.0).max();
        for (at, resource) in self.resources.iter().enumerate() {
            for job in &resource.local {
                let mut made = GridJob::of_local(job, resource.machine.speed)?;
                let id = last.map_or(Some(0), |last| last.checked_add(1));
                let none = ModelError::UnknownId { what: "free identifier of a job", id: u64::MAX };
                made.job.id = JobId(id.ok_or(none)?);
                made.actual_share = job.actual.get() / job.requested.get();
                last = id;
                all.homes.push((at, job.id));
                all.jobs.to_mut().push(made);
            }
        }
        Ok(all)
    }
}

impl AllJobs<'_> {
    /// Returns the machine of a local job; `None` for any other job.
    pub(super) fn home(&self, job: usize) -> Option<usize> {
        Some(self.homes.get(job.checked_sub(self.own)?)?.0)
    }

    /// Groups the records of local jobs by machine, under their original identifiers.
    pub(super) fn by_machine(&self, records: Vec<JobRecord>, machines: usize) -> Vec<Vec<JobRecord>> {
        let mut local = vec![Vec::new(); machines];
        for (record, &(machine, id)) in records.into_iter().zip(&self.homes) {
            local[machine].push(JobRecord { id, ..record });
        }
        local
    }
}
