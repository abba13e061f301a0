//! The state of a broker, and the methods that change it. Each method keeps nodes, jobs, claims and timers consistent.
//!
//! * *promise*: a window that is reserved for a job that has not started.
//! * *claim*: the time of one node that a job is promised, or that a started job holds.
//! * *lost*: said of a promise that cannot be kept; the next cycle replaces it or withdraws it.
//! * *late*: said of a promise on a node whose present job is expected to hold it beyond the start of the promise plus
//!   the tolerance.
//! * *gains*: a counter of the events that made time free or cheaper. A job without a window is not searched for again
//!   before the counter changes, although windows that others were offered in the last cycle and did not take are free,
//!   too. The counter changes at the latest when the horizon is lengthened.

mod late;
mod stop;

use crate::book::{Book, Claim, NodeFacts};
use crate::config::Config;
use crate::decision::{Act, Cause, CloseReason, Decision, Reason, StopCause};
use crate::error::BrokerError;
use crate::instant::{after, earliest_instant, overrun_until};
use crate::jobs::{JobRecord, LostPromise, Phase, Task, Timer};
#[cfg(feature = "serde")]
use crate::saved;
use sched_model::internal::IdSet;
use sched_model::{JobId, Money, NodeId, Priority, Span, Time, Window};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The state of a broker. Only facts are serialized; the skipped fields follow from them and are [computed
/// again](Self::rebuilt).
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(crate) struct State {
    pub(crate) config: Config,
    pub(crate) now: Time,
    /// Number of inputs accepted.
    pub(crate) inputs: u64,
    pub(crate) book: Book,
    #[cfg_attr(feature = "serde", serde(serialize_with = "saved::list", deserialize_with = "read_jobs"))]
    pub(crate) jobs: BTreeMap<JobId, JobRecord>,
    /// The jobs that are over.
    pub(crate) over: IdSet,
    pub(crate) next_decision: u64,
    pub(crate) out: VecDeque<Decision>,
    pub(crate) last_cycle: Option<Time>,
    /// Whether a promise was lost and must be replaced immediately.
    pub(crate) hurt: bool,
    /// Whether the last cycle was stopped before it had looked at every job.
    pub(crate) stopped: bool,
    /// How many times the limit of work is doubled, because it has stopped cycles that decided nothing.
    pub(crate) doublings: u32,
    /// The gains of the book when moves were last considered; `None` if they must be considered again.
    pub(crate) offered: Option<u64>,
    /// The instants of moves for the sake of a better plan, in order, as far as [`MoveRate`](crate::MoveRate) still
    /// counts them.
    pub(crate) moved: VecDeque<Time>,
    /// The timers, which follow from jobs and nodes.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) timers: BTreeSet<(Time, Timer)>,
    /// The sets of jobs, by phase.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) job_sets: JobSets,
}

#[cfg(feature = "serde")]
fn read_jobs<'de, D: serde::Deserializer<'de>>(from: D) -> Result<BTreeMap<JobId, JobRecord>, D::Error> {
    saved::by_id(from, |record: &JobRecord| record.job.id, BrokerError::RepeatedJob)
}

impl State {
    pub(crate) fn new(config: Config) -> Self {
        let start = earliest_instant();
        let book = Book::new(config.tariff, start);
        Self {
            config,
            now: start,
            inputs: 0,
            book,
            jobs: BTreeMap::new(),
            over: IdSet::default(),
            next_decision: 0,
            out: VecDeque::new(),
            last_cycle: None,
            hurt: false,
            stopped: false,
            doublings: 0,
            offered: None,
            moved: VecDeque::new(),
            timers: BTreeSet::new(),
            job_sets: JobSets::default(),
        }
    }

    /// Computes everything that follows from the facts again: claims, free time, timers, sets of jobs.
    ///
    /// # Errors
    /// [`BrokerError::UnknownNode`] for a window on an unknown node.
    pub(crate) fn rebuilt(mut self) -> Result<Self, BrokerError> {
        self.timers.clear();
        self.job_sets = JobSets::default();
        for entry in self.book.nodes.values_mut() {
            entry.claims.clear();
            self.timers.extend(Self::node_timers(&entry.facts));
        }
        for record in std::mem::take(&mut self.jobs).into_values() {
            for (start, place, claim) in record.claims() {
                let entry = self.book.nodes.get_mut(&place.node);
                let claims = &mut entry.ok_or(BrokerError::UnknownNode(place.node))?.claims;
                claims.insert((start, record.job.id), claim);
            }
            self.insert_job(record);
        }
        // Starts from all promises; `forget_risks` keeps those that are late.
        self.book.at_risk = self.job_sets.promised.clone();
        self.forget_risks();
        self.book.rebuild_list(self.config.tariff, self.now);
        Ok(self)
    }

    /// Adds a decision to the queue.
    pub(crate) fn decide(&mut self, act: Act) {
        let id = self.next_decision;
        self.next_decision += 1;
        #[cfg(feature = "tracing")]
        tracing::debug!(now = self.now.get(), job = act.job().0, %act, "decided");
        self.out.push_back(Decision { id, at: self.now, act });
    }

    /// Adds a job.
    pub(crate) fn insert_job(&mut self, record: JobRecord) {
        self.index(&record, true);
        self.jobs.insert(record.job.id, record);
    }

    /// Adds a record to timers and sets of jobs, or removes it if not `is_member`.
    fn index(&mut self, record: &JobRecord, is_member: bool) {
        for timer in record.timers(&self.config) {
            put(&mut self.timers, timer, is_member);
        }
        self.job_sets.put(record, is_member);
    }

    /// Changes the record of a job, and everything that follows from it.
    pub(crate) fn change_job(&mut self, job: JobId, change: impl FnOnce(&mut JobRecord)) {
        if let Some(mut record) = self.jobs.remove(&job) {
            self.index(&record, false);
            change(&mut record);
            self.insert_job(record);
        }
    }

    /// Moves a job to those that are over. Its claims remain.
    fn remove_job(&mut self, job: JobId) -> Option<JobRecord> {
        let record = self.jobs.remove(&job)?;
        self.index(&record, false);
        self.over.insert(job);
        Some(record)
    }

    /// The timers that are due by an instant.
    pub(crate) fn due_by(&self, at: Time) -> impl Iterator<Item = Timer> {
        self.timers.iter().take_while(move |(due, _)| *due <= at).map(|(_, timer)| *timer)
    }

    /// The timers that follow from the facts about a node.
    pub(crate) fn node_timers(facts: &NodeFacts) -> impl Iterator<Item = (Time, Timer)> {
        let id = facts.node.id;
        let rested = facts.rests_until.map(|until| (until, Timer::NodeRested(id)));
        let back = facts.down.and_then(|down| down.until).map(|until| (until, Timer::NodeBack(id)));
        let known = if facts.leaving { [None, None] } else { [rested, back] };
        known.into_iter().flatten()
    }

    /// Changes the facts about a node, and everything that follows from them.
    pub(crate) fn change_node(&mut self, node: NodeId, change: impl FnOnce(&mut NodeFacts)) {
        self.index_node(node, false);
        self.book.change(node, self.now, change);
        self.index_node(node, true);
    }

    /// Adds the timers of a node, or removes them if not `is_member`.
    fn index_node(&mut self, node: NodeId, is_member: bool) {
        for timer in self.book.get(node).into_iter().flat_map(|entry| Self::node_timers(&entry.facts)) {
            put(&mut self.timers, timer, is_member);
        }
    }

    /// Releases all claims of a job.
    fn release_all(&mut self, record: &JobRecord) {
        for (start, place, _) in record.claims() {
            self.book.release(place.node, record.job.id, start, self.now);
        }
    }

    /// Lets the promises that wait for these nodes, which were released, try to start.
    pub(crate) fn retry_waiting_on(&mut self, nodes: impl Iterator<Item = NodeId>) {
        let now = self.now;
        let mut due = BTreeSet::new();
        for entry in nodes.filter_map(|node| self.book.get(node)) {
            due.extend(entry.claims.keys().take_while(|(start, _)| *start <= now).map(|(_, job)| *job));
        }
        for job in due {
            self.change_job(job, |record| record.set_waits(false));
        }
    }

    /// Whether a waiting job has not been searched for since time became free or cheaper.
    pub(crate) fn has_fresh(&self) -> bool {
        let gains = Some(self.book.gains);
        let fresh = |job| self.jobs.get(job).is_some_and(|record| record.searched_at != gains);
        self.job_sets.waiting.iter().any(fresh)
    }

    /// Promises a window to a job, and stops the running jobs `victims` for it. `cause` is the cause of the move if the
    /// job has a promise.
    pub(crate) fn promise(&mut self, job: JobId, window: Window, cause: Cause, victims: &[JobId]) {
        let Some(record) = self.jobs.get(&job).cloned() else { return };
        let lost = record.lost.as_ref().map(|lost| (&lost.window, lost.cause));
        let act = match lost.or(record.window().map(|from| (from, cause))) {
            from if !victims.is_empty() => {
                let (from, victims) = (from.map(|(from, _)| from.clone()), victims.to_vec());
                Some(Act::Preempt { job, from, window: window.clone(), victims })
            }
            // The promise was lost, and is replaced by the same window before any decision has reported the loss.
            Some((from, _)) if *from == window => None,
            Some((from, cause)) => Some(Act::Move { job, from: from.clone(), to: window.clone(), cause }),
            None => Some(Act::Reserve { job, window: window.clone() }),
        };
        let gained = matches!(&act, Some(Act::Move { cause: Cause::Gain, .. }));
        if gained {
            self.count_move();
        }
        self.release_all(&record);
        for placement in window.placements() {
            let claim = Claim { end: placement.end, held: false };
            self.book.claim(placement.node, job, window.start(), claim);
        }
        for &victim in victims {
            self.change_job(victim, |record| record.stopping = Some(StopCause::Preempted(job)));
        }
        self.change_job(job, |record| {
            if record.window().is_none() || !victims.is_empty() {
                record.first_start = Some(window.start());
            }
            record.phase = Phase::Promised { window, waits: false };
            record.lost = None;
            record.searched_at = None;
            record.clear_since = None;
            record.victims = victims.iter().copied().collect();
            record.moves += u32::from(gained);
        });
        if let Some(act) = act {
            self.decide(act);
        }
    }

    /// Records a move for the sake of a better plan, made now.
    fn count_move(&mut self) {
        if let Some(rate) = self.config.stability.rate {
            let now = self.now;
            self.moved.retain(|moved| after(*moved, rate.span) > now);
            self.moved.push_back(now);
        }
    }

    /// The number of moves for the sake of a better plan that are allowed now, and the instant at which more are:
    /// `None` if no move is counted at present.
    pub(crate) fn moves_left(&self) -> (usize, Option<Time>) {
        let Some(rate) = self.config.stability.rate else { return (usize::MAX, None) };
        let counted = self.moved.iter().map(|moved| after(*moved, rate.span)).filter(|end| *end > self.now);
        let left = (rate.moves as usize).saturating_sub(counted.clone().count());
        (left, counted.min())
    }

    /// Marks the promise of a job as lost, so that the next wake replaces or withdraws it.
    pub(crate) fn lose(&mut self, job: JobId, cause: Cause) {
        let Some(record) = self.jobs.get(&job).cloned() else { return };
        let Some(window) = record.window().cloned() else { return };
        self.release_all(&record);
        self.hurt = true;
        let now = self.now;
        self.change_job(job, |record| {
            record.wait(now);
            record.lost = Some(LostPromise { window, cause });
        });
    }

    /// Loses the promises on a node that start before `until`, or all if that is `None`.
    pub(crate) fn lose_on(&mut self, node: NodeId, until: Option<Time>, cause: Cause) {
        self.lose_where(node, cause, |start, _| until.is_none_or(|until| start < until));
    }

    /// Loses the promises on a node for whose start and end `hit` holds.
    pub(crate) fn lose_where(&mut self, node: NodeId, cause: Cause, hit: impl Fn(Time, Time) -> bool) {
        let claims = self.book.get(node).into_iter().flat_map(|entry| &entry.claims);
        let lost = claims.filter(|((start, _), claim)| !claim.held && hit(*start, claim.end));
        for job in lost.map(|((_, job), _)| *job).collect::<Vec<_>>() {
            self.lose(job, cause);
        }
    }

    /// Starts a promised job.
    pub(crate) fn start(&mut self, job: JobId) {
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
            // A start within the tolerance may be after the planned end.
            if until <= now {
                until = overrun_until(start, placement.end, now);
                self.book.lengthen(placement.node, job, start, until);
            }
            self.book.put_at_risk(placement.node, until);
            tasks.push(Task { until, released: None });
        }
        let started = window.clone();
        self.change_job(job, |record| {
            record.phase = Phase::Started { window: started, tasks, since: None };
        });
        self.decide(Act::Start { job, window });
    }

    /// Returns a started job, of which no task runs any more, to waiting; `change` updates its record.
    pub(crate) fn return_job(&mut self, job: JobId, change: impl FnOnce(&mut JobRecord)) {
        let Some(record) = self.jobs.get(&job).cloned() else { return };
        self.release_all(&record);
        let now = self.now;
        self.change_job(job, |record| {
            record.wait(now);
            change(record);
        });
        self.victim_left(job);
        self.retry_waiting_on(record.nodes());
    }

    /// Closes a job, which pays if it is done.
    pub(crate) fn close(&mut self, job: JobId, ending: CloseReason) {
        let Some(record) = self.remove_job(job) else { return };
        self.release_all(&record);
        self.victim_left(job);
        self.retry_waiting_on(record.nodes());
        let cost = if ending == CloseReason::Done { self.bill(&record) } else { Money::ZERO };
        self.decide(Act::Close { job, ending, cost });
    }

    /// The amount that a job pays that ends now: for the time that it ran on each node, and not more than was promised.
    fn bill(&self, record: &JobRecord) -> Money {
        let Phase::Started { window, tasks, since: Some(since) } = &record.phase else { return Money::ZERO };
        let charges = window.placements().iter().zip(tasks).map(|(placement, task)| {
            let ran: Span = task.released.unwrap_or(self.now) - *since;
            self.book.tariff().charge(placement.price, ran).min(placement.cost)
        });
        charges.sum()
    }

    /// Refuses a job.
    pub(crate) fn refuse(&mut self, job: JobId, reason: Reason) {
        if let Some(record) = self.remove_job(job) {
            self.release_all(&record);
            self.decide(Act::Refuse { job, reason });
        }
    }

    /// Lets a node rest after a failure: it is not used for a while, and promises on it in that time are lost.
    pub(crate) fn rest(&mut self, node: NodeId) {
        let (now, first, most) = (self.now, self.config.backoff, self.config.most_backoff);
        let mut rests = None;
        self.change_node(node, |facts| {
            let span = (0..facts.failures.min(200)).fold(first.get(), |span, _| span * 2.0).min(most.get());
            facts.failures = facts.failures.saturating_add(1);
            if span > 0.0 && !facts.leaving {
                let until = after(now, Span::try_from(span).unwrap_or(most));
                facts.rests_until = Some(facts.rests_until.map_or(until, |before| before.max(until)));
                rests = facts.rests_until;
            }
        });
        if rests.is_some() {
            self.lose_on(node, rests, Cause::NodeRests(node));
        }
    }
}

/// Sets of jobs, for queries that would otherwise read all jobs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct JobSets {
    /// Jobs without a window.
    pub(crate) waiting: BTreeSet<JobId>,
    /// Jobs with a promise that have not started.
    pub(crate) promised: BTreeSet<JobId>,
    /// The jobs of both sets, by priority.
    pub(crate) open: BTreeSet<(Priority, JobId)>,
    /// Jobs with a promise for which others are being stopped.
    pub(crate) beneficiaries: BTreeSet<JobId>,
    /// Jobs that are running and are not being stopped, by priority and by the instant since which they run.
    pub(crate) running: BTreeMap<Priority, BTreeSet<(Time, JobId)>>,
}

impl JobSets {
    /// Adds a job, or removes it if not `is_member`.
    pub(crate) fn put(&mut self, record: &JobRecord, is_member: bool) {
        let (job, priority) = (record.job.id, record.job.priority);
        match record.phase {
            Phase::Waiting => put(&mut self.waiting, job, is_member),
            Phase::Promised { .. } => {
                put(&mut self.promised, job, is_member);
                put(&mut self.beneficiaries, job, is_member && !record.victims.is_empty());
            }
            Phase::Started { since: Some(since), .. } if record.stopping.is_none() => {
                let running = self.running.entry(priority).or_default();
                put(running, (since, job), is_member);
                if running.is_empty() {
                    self.running.remove(&priority);
                }
                return;
            }
            Phase::Started { .. } => return,
        }
        put(&mut self.open, (priority, job), is_member);
    }
}

/// Adds an item to a set, or removes it if not `is_member`.
fn put<T: Ord>(set: &mut BTreeSet<T>, item: T, is_member: bool) {
    if is_member {
        set.insert(item);
    } else {
        set.remove(&item);
    }
}
