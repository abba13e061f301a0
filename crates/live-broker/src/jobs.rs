//! The record of a job that is not over, and its timers.

use crate::book::Claim;
use crate::config::Config;
use crate::decision::{Cause, Standing, StopCause};
use crate::input::{Input, SpeedOn};
use crate::instant::after;
use sched_model::{Demands, Job, JobId, NodeId, Placement, Priority, Span, Time, Window};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// A task of a started job: the instants at which it is expected to release its node, and at which it did.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Task {
    pub(crate) until: Time,
    pub(crate) released: Option<Time>,
}

/// The phase of a job.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub(crate) enum Phase {
    Waiting,
    Promised {
        window: Window,
        /// Whether its start has come and it waits, within the tolerance, for a node.
        waits: bool,
    },
    Started {
        window: Window,
        /// The tasks, in the order of the placements.
        tasks: Vec<Task>,
        /// The instant at which the job was reported as running; `None` before the report.
        since: Option<Time>,
    },
}

impl Phase {
    /// The standing of a job in this phase, without regard to whether it is being stopped.
    pub(crate) fn standing(&self) -> Standing {
        match self {
            Self::Waiting => Standing::Waiting,
            Self::Promised { .. } => Standing::Promised,
            Self::Started { since: None, .. } => Standing::Starting,
            Self::Started { .. } => Standing::Running,
        }
    }
}

/// A promise that cannot be kept and has not yet been replaced.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct LostPromise {
    pub(crate) window: Window,
    pub(crate) cause: Cause,
}

/// Everything that the broker knows about a job that is not over.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(crate) struct JobRecord {
    /// The job, with the work that remains.
    pub(crate) job: Job,
    pub(crate) asked: Time,
    /// The instant since which it waits again, if it had a promise.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub(crate) waits_since: Option<Time>,
    pub(crate) phase: Phase,
    pub(crate) lost: Option<LostPromise>,
    pub(crate) stopping: Option<StopCause>,
    /// Running jobs that are being stopped for its promise.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "BTreeSet::is_empty"))]
    pub(crate) victims: BTreeSet<JobId>,
    /// The instant at which the last of its victims released its nodes: its promise has been due since then.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub(crate) clear_since: Option<Time>,
    /// Its speeds by ranges of nodes; empty if the speeds of the nodes apply.
    pub(crate) speeds: Vec<SpeedOn>,
    /// Nodes that have refused it.
    pub(crate) avoids: BTreeSet<NodeId>,
    /// The first start that was promised, or the first since a promise could not be kept.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub(crate) first_start: Option<Time>,
    /// Number of moves for the sake of a better plan.
    pub(crate) moves: u32,
    /// Number of failures, to start or because of nodes.
    pub(crate) failures: u32,
    /// The [gains](crate::book::Book::gains) of the book at the last search that found no window for it; if its promise
    /// is late, no window in time.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub(crate) searched_at: Option<u64>,
}

/// Sorts jobs in the order in which they are served: by priority, then as they were submitted.
pub(crate) fn sort_by_rank(records: &mut [&JobRecord]) {
    records.sort_by_key(|record| record.rank());
}

impl JobRecord {
    /// The key of the order in which jobs are served.
    pub(crate) fn rank(&self) -> (Reverse<Priority>, Time, JobId) {
        (Reverse(self.job.priority), self.asked, self.job.id)
    }

    pub(crate) fn new(job: Job, asked: Time) -> Self {
        Self {
            job,
            asked,
            waits_since: None,
            phase: Phase::Waiting,
            lost: None,
            stopping: None,
            victims: BTreeSet::new(),
            clear_since: None,
            speeds: Vec::new(),
            avoids: BTreeSet::new(),
            first_start: None,
            moves: 0,
            failures: 0,
            searched_at: None,
        }
    }

    /// The record of the job that an input submits, if it submits one.
    pub(crate) fn submitted(input: &Input, now: Time) -> Option<Self> {
        let (job, speeds) = match input {
            Input::Submit { job, speeds } => (job, speeds.clone()),
            Input::Accept { job, .. } => (job, Vec::new()),
            _ => return None,
        };
        Some(Self { speeds, ..Self::new(job.clone(), now) })
    }

    pub(crate) fn demands(&self) -> &Demands {
        self.job.request.demands()
    }

    pub(crate) fn window(&self) -> Option<&Window> {
        match &self.phase {
            Phase::Waiting => None,
            Phase::Promised { window, .. } | Phase::Started { window, .. } => Some(window),
        }
    }

    /// The nodes of its window; empty while it waits.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = NodeId> {
        self.window().into_iter().flat_map(Window::nodes)
    }

    /// Its claims: the start, the placement and the claim on each node of its window that it has not released.
    pub(crate) fn claims<'a>(&'a self) -> impl Iterator<Item = (Time, &'a Placement, Claim)> {
        let tasks = match &self.phase {
            Phase::Started { tasks, .. } => Some(tasks),
            _ => None,
        };
        let placed = |window: &'a Window| window.placements().iter().map(|place| (window.start(), place));
        let places = self.window().into_iter().flat_map(placed);
        places.enumerate().filter_map(move |(at, (start, place))| {
            let claim = match tasks {
                None => Claim { end: place.end, held: false },
                Some(tasks) => {
                    Claim { end: tasks.get(at).filter(|task| task.released.is_none())?.until, held: true }
                }
            };
            Some((start, place, claim))
        })
    }

    /// Whether it has a claim on a node: a promise, or a task that has not released the node.
    pub(crate) fn holds(&self, node: NodeId) -> bool {
        self.claims().any(|(_, place, _)| place.node == node)
    }

    /// Whether its window includes a node.
    pub(crate) fn is_on(&self, node: NodeId) -> bool {
        self.nodes().any(|at| at == node)
    }

    /// Whether its submit time and its demands allow a start now.
    pub(crate) fn may_start(&self, now: Time) -> bool {
        self.job.submit <= now
            && self.demands().not_before.is_none_or(|from| from <= now)
            && self.demands().start.is_none_or(|start| start == now)
    }

    /// The instant at which its promise is due: its start, or the instant at which the jobs stopped for it have left,
    /// if that is later.
    pub(crate) fn due(&self, window: &Window) -> Time {
        self.clear_since.map_or(window.start(), |clear| clear.max(window.start()))
    }

    /// Returns the job to the waiting phase, and forgets its promise.
    pub(crate) fn wait(&mut self, since: Time) {
        self.phase = Phase::Waiting;
        self.searched_at = None;
        self.first_start = None;
        self.stopping = None;
        self.victims.clear();
        self.clear_since = None;
        self.waits_since = Some(since);
    }

    /// Sets whether its promise waits within the tolerance.
    pub(crate) fn set_waits(&mut self, waiting: bool) {
        if let Phase::Promised { waits, .. } = &mut self.phase {
            *waits = waiting;
        }
    }

    /// The instant at which it is refused if it still waits.
    pub(crate) fn refused_at(&self, config: &Config) -> Option<Time> {
        let since = self.waits_since.unwrap_or(self.asked);
        let patience = config.patience.map(|patience| after(since, patience));
        // It can still be placed at the only instant at which it may start, so it is refused just after it.
        let only = self.demands().start.map(|start| after(start, Span::ZERO));
        patience.into_iter().chain(self.job.request.deadline).chain(only).min()
    }

    /// The timers that follow from the record.
    pub(crate) fn timers(&self, config: &Config) -> Vec<(Time, Timer)> {
        let job = self.job.id;
        match &self.phase {
            Phase::Waiting => {
                self.refused_at(config).map(|at| (at, Timer::Refuse(job))).into_iter().collect()
            }
            // It starts when its victims have left, which inputs report.
            Phase::Promised { .. } if !self.victims.is_empty() => Vec::new(),
            Phase::Promised { window, waits: false } => vec![(self.due(window), Timer::Start(job))],
            Phase::Promised { window, waits: true } => {
                vec![(after(self.due(window), config.tolerance), Timer::Start(job))]
            }
            Phase::Started { tasks, .. } => {
                let open = tasks.iter().enumerate().filter(|(_, task)| task.released.is_none());
                open.map(|(at, task)| (task.until, Timer::TaskEnd(job, at))).collect()
            }
        }
    }
}

/// An event that is due at an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Timer {
    /// A node that is not used after failures may be used again.
    NodeRested(NodeId),
    /// A node that is down is expected back.
    NodeBack(NodeId),
    /// A task, by its position among the tasks of its job, is expected to end.
    TaskEnd(JobId, usize),
    /// A promise is due.
    Start(JobId),
    /// A waiting job is refused.
    Refuse(JobId),
}
