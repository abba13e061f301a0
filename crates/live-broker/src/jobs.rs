//! The record of a job.

use crate::book::Claim;
use crate::config::Config;
use crate::decision::{Cause, Standing, StopCause};
use crate::input::{Input, SpeedOn};
use crate::instant::after;
use sched_model::{Demands, Job, JobId, NodeId, Placement, Span, Time, Window};
use std::collections::BTreeSet;

/// One task of a job that was started: when it is expected to release its node, and when it did.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Task {
    pub(crate) until: Time,
    pub(crate) released: Option<Time>,
}

/// Where a job stands.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub(crate) enum Phase {
    Waiting,
    Promised {
        window: Window,
        /// Its start has come, and it waits within the tolerance for a node.
        waits: bool,
    },
    Started {
        window: Window,
        /// In the order of the placements.
        tasks: Vec<Task>,
        /// When the job was reported as running; `None` before.
        since: Option<Time>,
    },
}

impl Phase {
    /// Where a job stands that is not being stopped.
    pub(crate) fn standing(&self) -> Standing {
        match self {
            Self::Waiting => Standing::Waiting,
            Self::Promised { .. } => Standing::Promised,
            Self::Started { since: None, .. } => Standing::Starting,
            Self::Started { .. } => Standing::Running,
        }
    }
}

/// A promise that could not be kept and is not yet replaced.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct LostPromise {
    pub(crate) window: Window,
    pub(crate) cause: Cause,
}

#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(crate) struct JobRecord {
    /// With the work that remains.
    pub(crate) job: Job,
    pub(crate) asked: Time,
    /// Since when it waits again, if it had a promise.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub(crate) waits_since: Option<Time>,
    pub(crate) phase: Phase,
    pub(crate) lost: Option<LostPromise>,
    pub(crate) stopping: Option<StopCause>,
    /// Running jobs that are being stopped for its promise.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "BTreeSet::is_empty"))]
    pub(crate) victims: BTreeSet<JobId>,
    /// When the last of them had released its nodes: its promise is due since then.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub(crate) clear_since: Option<Time>,
    /// Its speeds by ranges of nodes; empty if the nodes' own speeds hold.
    pub(crate) speeds: Vec<SpeedOn>,
    /// Nodes that have refused it.
    pub(crate) avoids: BTreeSet<NodeId>,
    /// The start promised first, or first since a promise could not be kept.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub(crate) first_start: Option<Time>,
    /// Moves for the better.
    pub(crate) moves: u32,
    /// Failures because of nodes.
    pub(crate) failures: u32,
    /// The [gains](crate::book::Book::gains) of the book when no window was found for it last: none at all, or
    /// none in time if its promise is late.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub(crate) searched_at: Option<u64>,
}

impl JobRecord {
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

    /// The record of the job that an input submits, if it does.
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

    /// The nodes of its window; none while it waits.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = NodeId> {
        self.window().into_iter().flat_map(Window::nodes)
    }

    /// What it claims of its window: from when on, the placement, and the claim. Nodes that it has released are not
    /// among them.
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

    /// Whether it runs there, or has a promise there: it has not released the node.
    pub(crate) fn holds(&self, node: NodeId) -> bool {
        self.claims().any(|(_, place, _)| place.node == node)
    }

    /// Whether its window has a place there.
    pub(crate) fn is_on(&self, node: NodeId) -> bool {
        self.nodes().any(|at| at == node)
    }

    /// Whether it may start now, as far as its submission and its demands tell.
    pub(crate) fn may_start(&self, now: Time) -> bool {
        self.job.submit <= now
            && self.demands().not_before.is_none_or(|from| from <= now)
            && self.demands().start.is_none_or(|start| start == now)
    }

    /// When its promise is due: at its start, or when the jobs stopped for it have left.
    pub(crate) fn due(&self, window: &Window) -> Time {
        self.clear_since.map_or(window.start(), |clear| clear.max(window.start()))
    }

    /// From now on it waits, whether it was promised a window before or not.
    pub(crate) fn wait(&mut self, since: Time) {
        self.phase = Phase::Waiting;
        self.searched_at = None;
        self.first_start = None;
        self.stopping = None;
        self.victims.clear();
        self.clear_since = None;
        self.waits_since = Some(since);
    }

    /// Whether its promise waits within the tolerance.
    pub(crate) fn set_waits(&mut self, waiting: bool) {
        if let Phase::Promised { waits, .. } = &mut self.phase {
            *waits = waiting;
        }
    }

    /// When it is refused if it still waits then.
    pub(crate) fn gives_up_at(&self, config: &Config) -> Option<Time> {
        let since = self.waits_since.unwrap_or(self.asked);
        let patience = config.patience.map(|patience| after(since, patience));
        // At the only instant at which it may start it can still be placed.
        let only = self.demands().start.map(|start| after(start, Span::ZERO));
        patience.into_iter().chain(self.job.request.deadline).chain(only).min()
    }

    /// The instants at which something is to be done about it.
    pub(crate) fn timers(&self, config: &Config) -> Vec<(Time, Timer)> {
        let job = self.job.id;
        match &self.phase {
            Phase::Waiting => {
                self.gives_up_at(config).map(|at| (at, Timer::GivesUp(job))).into_iter().collect()
            }
            // It starts when its victims have left, which an input reports.
            Phase::Promised { .. } if !self.victims.is_empty() => Vec::new(),
            Phase::Promised { window, waits: false } => vec![(self.due(window), Timer::Start(job))],
            Phase::Promised { window, waits: true } => {
                vec![(after(self.due(window), config.tolerance), Timer::Start(job))]
            }
            Phase::Started { tasks, .. } => {
                let open = tasks.iter().enumerate().filter(|(_, task)| task.released.is_none());
                open.map(|(at, task)| (task.until, Timer::Task(job, at))).collect()
            }
        }
    }
}

/// What is to be done at an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Timer {
    /// A node that rests may be used again.
    Rested(NodeId),
    /// A node that is down was expected back.
    Back(NodeId),
    /// A task was expected to end.
    Task(JobId, usize),
    /// A promise begins.
    Start(JobId),
    /// A job has waited long enough.
    GivesUp(JobId),
}
