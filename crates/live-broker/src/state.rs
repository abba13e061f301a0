//! The state of a broker, and the steps that change it. Each step keeps nodes, jobs, claims and timers consistent.
//!
//! * *promise*: a window reserved for a job that has not started.
//! * *claim*: the time of one node that a job has promised (a promise) or uses (held).
//! * *lost*: a promise that cannot be kept; the next cycle replaces it or withdraws it.
//! * *gains*: a counter of the events that made time free or cheaper. A job that found no window need not be looked at
//!   again before it changes.

use crate::book::{Book, Claim, NodeFacts};
use crate::config::Config;
use crate::decision::{Act, Cause, Decision, DecisionId, Ending, Reason, StopCause};
use crate::id_set::IdSet;
use crate::instant::{after, before_all, overrun_until};
use crate::jobs::{JobRecord, Lost, Phase, Task, Timer};
use sched_model::{JobId, Money, NodeId, Placement, SlotList, Span, Time, Window};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

#[derive(Debug, Clone)]
pub(crate) struct State {
    pub(crate) now: Time,
    /// Inputs taken.
    pub(crate) inputs: u64,
    pub(crate) book: Book,
    pub(crate) jobs: BTreeMap<JobId, JobRecord>,
    /// Jobs that are over.
    pub(crate) over: IdSet,
    pub(crate) next_decision: u64,
    pub(crate) out: VecDeque<Decision>,
    pub(crate) last_cycle: Option<Time>,
    /// A promise was lost and is to be replaced at once.
    pub(crate) hurt: bool,
    /// Whether the last cycle was stopped before it had looked at every job.
    pub(crate) stopped: bool,
    /// The gains of the book when promises were last offered a move.
    pub(crate) offered: Option<u64>,
    /// What is to be done when: follows from jobs and nodes.
    pub(crate) timers: BTreeSet<(Time, Timer)>,
    /// Jobs without a promise: follows from the jobs.
    pub(crate) waiting: BTreeSet<JobId>,
    /// Jobs with a promise that have not started: follows from the jobs.
    pub(crate) promised: BTreeSet<JobId>,
}

impl State {
    pub(crate) fn new(config: &Config) -> Self {
        let start = before_all();
        Self {
            now: start,
            inputs: 0,
            book: Book::new(config.tariff, start, start),
            jobs: BTreeMap::new(),
            over: IdSet::default(),
            next_decision: 0,
            out: VecDeque::new(),
            last_cycle: None,
            hurt: false,
            stopped: false,
            offered: None,
            timers: BTreeSet::new(),
            waiting: BTreeSet::new(),
            promised: BTreeSet::new(),
        }
    }

    pub(crate) fn decide(&mut self, act: Act) {
        let id = DecisionId(self.next_decision);
        self.next_decision += 1;
        self.out.push_back(Decision { id, at: self.now, act });
    }

    /// Adds a job, or a record that was written down.
    pub(crate) fn insert_job(&mut self, record: JobRecord, config: &Config) {
        self.index(&record, config);
        self.jobs.insert(record.job.id, record);
    }

    fn index(&mut self, record: &JobRecord, config: &Config) {
        self.timers.extend(record.timers(config));
        match record.phase {
            Phase::Waiting => self.waiting.insert(record.job.id),
            Phase::Promised { .. } => self.promised.insert(record.job.id),
            Phase::Started { .. } => false,
        };
    }

    fn unindex(&mut self, record: &JobRecord, config: &Config) {
        for timer in record.timers(config) {
            self.timers.remove(&timer);
        }
        self.waiting.remove(&record.job.id);
        self.promised.remove(&record.job.id);
    }

    /// Changes a job, and what follows from it.
    pub(crate) fn change_job(&mut self, job: JobId, config: &Config, change: impl FnOnce(&mut JobRecord)) {
        if let Some(mut record) = self.jobs.remove(&job) {
            self.unindex(&record, config);
            change(&mut record);
            self.insert_job(record, config);
        }
    }

    fn remove_job(&mut self, job: JobId, config: &Config) -> Option<JobRecord> {
        let record = self.jobs.remove(&job)?;
        self.unindex(&record, config);
        self.over.insert(job);
        Some(record)
    }

    pub(crate) fn node_timers(facts: &NodeFacts) -> impl Iterator<Item = (Time, Timer)> {
        let id = facts.node.id;
        let rested = facts.rests_until.map(|until| (until, Timer::Rested(id)));
        let back = facts.down.and_then(|down| down.until).map(|until| (until, Timer::Back(id)));
        let known = if facts.leaving { [None, None] } else { [rested, back] };
        known.into_iter().flatten()
    }

    /// Changes what is known of a node, and what follows from it.
    pub(crate) fn change_node(&mut self, node: NodeId, change: impl FnOnce(&mut NodeFacts)) {
        let Some(entry) = self.book.get(node) else { return };
        for timer in Self::node_timers(&entry.facts) {
            self.timers.remove(&timer);
        }
        self.book.change(node, self.now, change);
        if let Some(entry) = self.book.get(node) {
            self.timers.extend(Self::node_timers(&entry.facts));
        }
    }

    /// Gives up all that a job claims.
    fn release_all(&mut self, record: &JobRecord) {
        let now = self.now;
        let (window, tasks) = match &record.phase {
            Phase::Waiting => return,
            Phase::Promised { window, .. } => (window, None),
            Phase::Started { window, tasks, .. } => (window, Some(tasks)),
        };
        for (at, placement) in window.placements().iter().enumerate() {
            if tasks.is_none_or(|tasks| tasks[at].released.is_none()) {
                self.book.release(placement.node, record.job.id, window.start(), now);
            }
        }
    }

    /// Nodes that are thought to be taken until an instant although no claim says so, because an instant has passed since
    /// the last `Wake`, or a promise is late: what runs past its planned end, nodes that are not back, and promises that
    /// may still start after their planned end. They are not free, and nothing is offered on them. O(d) for d timers due.
    pub(crate) fn overdue(&self, now: Time, config: &Config) -> Vec<(NodeId, Time)> {
        let mut overdue = Vec::new();
        for (_, timer) in self.timers.iter().take_while(|(at, _)| *at <= now) {
            match *timer {
                Timer::Task(job, at) => {
                    let window = self.jobs.get(&job).and_then(JobRecord::window);
                    if let Some((window, placement)) =
                        window.and_then(|window| Some((window, window.placements().get(at)?)))
                    {
                        let until = overrun_until(window.start(), placement.end, now);
                        overdue.push((placement.node, until));
                    }
                }
                Timer::Back(node) => {
                    let down = self.book.get(node).and_then(|entry| entry.facts.down);
                    overdue.extend(down.map(|down| (node, after(now, now - down.since))));
                }
                Timer::Start(_) | Timer::Rested(_) | Timer::GivesUp(_) => {}
            }
        }
        for record in self.promised.iter().filter_map(|job| self.jobs.get(job)) {
            let Some(window) = record.window() else { continue };
            let late = record.due(window) + config.tolerance < now && record.victims.is_empty();
            if window.start() > now || late {
                continue;
            }
            // It starts when all its nodes are released, at once where jobs are stopped for it, and takes as long as planned.
            let entries = window.nodes().filter_map(|node| self.book.get(node));
            let claims = entries.flat_map(|entry| &entry.claims);
            let held = claims.filter(|((_, job), claim)| claim.held && !record.victims.contains(job));
            let held = held.map(|(_, claim)| claim);
            let starts = held.map(|claim| claim.end).fold(now, Time::max);
            let until = |place: &Placement| (place.node, after(starts, place.end - window.start()));
            let late = window.placements().iter().map(|place| (until(place), place.end));
            overdue.extend(late.filter(|((_, until), end)| until > end).map(|(late, _)| late));
        }
        overdue
    }

    /// What is free from now on, and is thought to be so when the broker wakes. O(m) for m slots.
    pub(crate) fn free(&self, config: &Config) -> SlotList {
        let mut list = self.book.list(self.now);
        for (node, until) in self.overdue(self.now, config) {
            list.block(node, self.now, until);
        }
        list
    }

    /// Nodes were released: promises that wait for them may start.
    pub(crate) fn wake_waiting_on(&mut self, nodes: &[NodeId], config: &Config) {
        let now = self.now;
        let mut due = BTreeSet::new();
        for entry in nodes.iter().filter_map(|&node| self.book.get(node)) {
            due.extend(entry.claims.keys().take_while(|(start, _)| *start <= now).map(|(_, job)| *job));
        }
        for job in due {
            self.change_job(job, config, |record| {
                if let Phase::Promised { waits, .. } = &mut record.phase {
                    *waits = false;
                }
            });
        }
    }

    /// Promises a window.
    pub(crate) fn promise(&mut self, job: JobId, window: Window, config: &Config) {
        let Some(record) = self.jobs.get(&job) else { return };
        let act = match (&record.lost, &record.phase) {
            // Lost and found again: nobody was told.
            (Some(lost), _) if lost.window == window => None,
            (Some(lost), _) => {
                Some(Act::Move { job, from: lost.window.clone(), to: window.clone(), cause: lost.cause })
            }
            (None, Phase::Promised { window: from, .. }) => {
                Some(Act::Move { job, from: from.clone(), to: window.clone(), cause: Cause::Gain })
            }
            _ => Some(Act::Reserve { job, window: window.clone() }),
        };
        let (gained, record) = (matches!(&act, Some(Act::Move { cause: Cause::Gain, .. })), record.clone());
        self.release_all(&record);
        for placement in window.placements() {
            let claim = Claim { end: placement.end, held: false };
            self.book.claim(placement.node, job, window.start(), claim);
        }
        self.change_job(job, config, |record| {
            record.phase = Phase::Promised { window, waits: false };
            record.lost = None;
            record.clear_since = None;
            record.moves += u32::from(gained);
        });
        if let Some(act) = act {
            self.decide(act);
        }
    }

    /// Takes a promise back that cannot be kept; it is replaced at the next wake.
    pub(crate) fn lose(&mut self, job: JobId, cause: Cause, config: &Config) {
        let Some(record) = self.jobs.get(&job).cloned() else { return };
        let Some(window) = record.window().cloned() else { return };
        self.release_all(&record);
        self.hurt = true;
        let now = self.now;
        self.change_job(job, config, |record| {
            record.wait(now, config);
            record.lost = Some(Lost { window, cause });
        });
    }

    /// Takes back the promises of a node that begin before `until` (all, if there is none).
    pub(crate) fn lose_on(&mut self, node: NodeId, until: Option<Time>, cause: Cause, config: &Config) {
        let Some(entry) = self.book.get(node) else { return };
        let hit: Vec<JobId> = entry
            .claims
            .iter()
            .filter(|((start, _), claim)| !claim.held && until.is_none_or(|until| *start < until))
            .map(|((_, job), _)| *job)
            .collect();
        for job in hit {
            self.lose(job, cause, config);
        }
    }

    /// Takes back the promises of a node that overlap time in which it serves others.
    pub(crate) fn lose_blocked(&mut self, node: NodeId, config: &Config) {
        let Some(entry) = self.book.get(node) else { return };
        let blocked = &entry.facts.blocked;
        let overlaps =
            |start: Time, end: Time| blocked.iter().any(|&(from, until)| from < end && start < until);
        let claims = entry.claims.iter();
        let hit = claims.filter(|((start, _), claim)| !claim.held && overlaps(*start, claim.end));
        for job in hit.map(|((_, job), _)| *job).collect::<Vec<_>>() {
            self.lose(job, Cause::Blocked(node), config);
        }
    }

    /// Starts a promised job.
    pub(crate) fn start(&mut self, job: JobId, config: &Config) {
        let Some(Phase::Promised { window, .. }) = self.jobs.get(&job).map(|record| record.phase.clone())
        else {
            return;
        };
        for node in window.nodes() {
            self.book.hold(node, job, window.start());
        }
        let (now, start) = (self.now, window.start());
        let mut tasks = Vec::new();
        for placement in window.placements() {
            let mut until = placement.end;
            // A start within the tolerance may come after the planned end.
            if until <= now {
                until = overrun_until(start, placement.end, now);
                self.book.lengthen(placement.node, job, start, until);
            }
            tasks.push(Task { until, released: None });
        }
        let started = window.clone();
        self.change_job(job, config, |record| {
            record.phase = Phase::Started { window: started, tasks, since: None };
        });
        self.decide(Act::Start { job, window });
    }

    /// A job that was started, and of which nothing runs any more, waits again with the work that remains.
    pub(crate) fn return_job(&mut self, job: JobId, config: &Config, change: impl FnOnce(&mut JobRecord)) {
        let Some(record) = self.jobs.get(&job).cloned() else { return };
        self.release_all(&record);
        let now = self.now;
        self.change_job(job, config, |record| {
            record.wait(now, config);
            change(record);
        });
        let nodes: Vec<NodeId> = record.window().into_iter().flat_map(Window::nodes).collect();
        self.victim_left(job, config);
        self.wake_waiting_on(&nodes, config);
    }

    /// A job is over.
    pub(crate) fn close(&mut self, job: JobId, ending: Ending, config: &Config) {
        let Some(record) = self.remove_job(job, config) else { return };
        self.release_all(&record);
        let nodes: Vec<NodeId> = record.window().into_iter().flat_map(Window::nodes).collect();
        self.victim_left(job, config);
        self.wake_waiting_on(&nodes, config);
        let cost = if ending == Ending::Done { self.bill(&record) } else { Money::ZERO };
        self.decide(Act::Close { job, ending, cost });
    }

    /// What a job pays that ends now: for the time that it ran on each node, and no more than was promised.
    fn bill(&self, record: &JobRecord) -> Money {
        let Phase::Started { window, tasks, since: Some(since) } = &record.phase else { return Money::ZERO };
        Money::total(window.placements().iter().zip(tasks).map(|(placement, task)| {
            let ran: Span = task.released.unwrap_or(self.now) - *since;
            self.book.tariff().charge(placement.price, ran).min(placement.cost)
        }))
    }

    pub(crate) fn refuse(&mut self, job: JobId, reason: Reason, config: &Config) {
        if let Some(record) = self.remove_job(job, config) {
            self.release_all(&record);
            self.decide(Act::Refuse { job, reason });
        }
    }

    /// Stops a job that was started and is cancelled: it keeps its nodes until that is confirmed.
    pub(crate) fn cancel(&mut self, job: JobId, config: &Config) {
        let mut known = None;
        self.change_job(job, config, |record| known = record.stopping.replace(StopCause::Cancelled));
        // One that is preempted is being stopped already.
        if known.is_none() {
            self.decide(Act::Stop { job, cause: StopCause::Cancelled });
        }
    }

    /// Promises a job a window that begins now, and stops running jobs for it.
    pub(crate) fn preempt(&mut self, job: JobId, window: Window, victims: &[JobId], config: &Config) {
        let Some(record) = self.jobs.get(&job).cloned() else { return };
        let from = record.lost.as_ref().map(|lost| &lost.window).or(record.window()).cloned();
        self.release_all(&record);
        for placement in window.placements() {
            let claim = Claim { end: placement.end, held: false };
            self.book.claim(placement.node, job, window.start(), claim);
        }
        for &victim in victims {
            let by = Some(StopCause::Preempted(job));
            self.change_job(victim, config, |record| record.stopping = by);
        }
        let promised = window.clone();
        self.change_job(job, config, |record| {
            record.phase = Phase::Promised { window: promised, waits: false };
            record.lost = None;
            record.victims = victims.iter().copied().collect();
        });
        self.decide(Act::Preempt { job, from, window, victims: victims.to_vec() });
    }

    /// A job has released its nodes: who waits for that waits no longer.
    fn victim_left(&mut self, victim: JobId, config: &Config) {
        if config.preemption.is_none() {
            return;
        }
        let waits = |job: &JobId| self.jobs.get(job).is_some_and(|record| record.victims.contains(&victim));
        let (now, waiting) = (self.now, self.promised.iter().copied().filter(waits).collect::<Vec<_>>());
        for job in waiting {
            self.change_job(job, config, |record| {
                record.victims.remove(&victim);
                if record.victims.is_empty() {
                    record.clear_since = Some(now);
                }
            });
        }
    }

    /// The next instant at which a running job may be stopped for one of higher priority that waits or would start late.
    pub(crate) fn preemption_due(&self, config: &Config) -> Option<Time> {
        let rule = config.preemption?;
        let late = |job: &&JobId| {
            let window = self.jobs.get(job).and_then(JobRecord::window);
            window.is_some_and(|window| window.start() > self.now + rule.delay)
        };
        let asking = self.waiting.iter().chain(self.promised.iter().filter(late));
        let highest = asking.filter_map(|job| Some(self.jobs.get(job)?.job.priority)).max()?;
        let running = self.jobs.values().filter(|record| record.job.priority < highest);
        let from = running.filter_map(|record| match record.phase {
            Phase::Started { since: Some(since), .. } if record.stopping.is_none() => {
                Some(since + rule.least_run)
            }
            _ => None,
        });
        from.filter(|from| self.last_cycle.is_none_or(|last| *from > last)).min()
    }

    /// A node has failed: it is left alone for a while, and what was promised there meanwhile is lost.
    pub(crate) fn rest(&mut self, node: NodeId, config: &Config) {
        let now = self.now;
        let mut rests = None;
        self.change_node(node, |facts| {
            let doublings = f64::from(facts.failures.min(200));
            facts.failures = facts.failures.saturating_add(1);
            let span = (config.backoff.get() * doublings.exp2_whole()).min(config.most_backoff.get());
            if span > 0.0 && !facts.leaving {
                let until = after(now, Span::new(span).unwrap_or(config.most_backoff));
                facts.rests_until = Some(facts.rests_until.map_or(until, |before| before.max(until)));
                rests = facts.rests_until;
            }
        });
        if rests.is_some() {
            self.lose_on(node, rests, Cause::NodeRests(node), config);
        }
    }
}

/// Powers of two without the platform's mathematics.
trait Doubled {
    fn exp2_whole(self) -> f64;
}

impl Doubled for f64 {
    fn exp2_whole(self) -> f64 {
        (0..self as u32).fold(1.0, |power, _| power * 2.0)
    }
}
