//! The event log of a simulation, in order of time.

use sched_model::{JobId, SiteId, Time, internal::counted};
use std::fmt;

/// An event that concerns a job, a machine or a link.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum LogEvent {
    /// A job entered the system.
    Submitted(JobId),
    /// A job was refused; it will never run.
    Refused(JobId),
    /// CPUs of a site were reserved in advance for a job.
    Reserved {
        /// The job.
        job: JobId,
        /// The CPUs reserved.
        cpus: u32,
        /// The planned start.
        start: Time,
    },
    /// A job began to run on a site.
    Started {
        /// The job.
        job: JobId,
        /// The CPUs that it holds there.
        cpus: u32,
    },
    /// A job reached the end of its requested time and may continue until `until`.
    Extended {
        /// The job.
        job: JobId,
        /// The new limit.
        until: Time,
    },
    /// A job ran to its end.
    Ended(JobId),
    /// A job was stopped at its limit.
    Killed(JobId),
    /// A job was lost because a CPU failed.
    Lost(JobId),
    /// A job was cancelled by its owner.
    Cancelled(JobId),
    /// A machine of the site failed.
    MachineFailed(sched_model::MachineId),
    /// A machine of the site came back.
    MachineRepaired(sched_model::MachineId),
    /// The link of the site failed.
    LinkFailed,
    /// The link of the site came back.
    LinkRepaired,
    /// The link of a user failed.
    UserLinkFailed(sched_model::UserId),
    /// The link of a user came back.
    UserLinkRepaired(sched_model::UserId),
    /// A user left the grid.
    UserLeft(sched_model::UserId),
}

/// One entry of the event log.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct LogEntry {
    /// When it happened.
    pub at: Time,
    /// The site; `None` for an event that concerns no site.
    pub site: Option<SiteId>,
    /// What happened.
    pub what: LogEvent,
}

impl fmt::Display for LogEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.at)?;
        if let Some(site) = self.site {
            write!(f, " site {site}")?;
        }
        match self.what {
            LogEvent::Submitted(job) => write!(f, " job {job} submitted"),
            LogEvent::Refused(job) => write!(f, " job {job} refused"),
            LogEvent::Reserved { job, cpus, start } => {
                write!(f, " job {job} reserved {} from {start}", counted(cpus, "CPU"))
            }
            LogEvent::Started { job, cpus } => write!(f, " job {job} started on {}", counted(cpus, "CPU")),
            LogEvent::Extended { job, until } => write!(f, " job {job} extended until {until}"),
            LogEvent::Ended(job) => write!(f, " job {job} ended"),
            LogEvent::Killed(job) => write!(f, " job {job} killed"),
            LogEvent::Lost(job) => write!(f, " job {job} lost"),
            LogEvent::Cancelled(job) => write!(f, " job {job} cancelled"),
            LogEvent::MachineFailed(machine) => write!(f, " machine {machine} failed"),
            LogEvent::MachineRepaired(machine) => write!(f, " machine {machine} repaired"),
            LogEvent::LinkFailed => write!(f, " link failed"),
            LogEvent::LinkRepaired => write!(f, " link repaired"),
            LogEvent::UserLinkFailed(user) => write!(f, " link of user {user} failed"),
            LogEvent::UserLinkRepaired(user) => write!(f, " link of user {user} repaired"),
            LogEvent::UserLeft(user) => write!(f, " user {user} left"),
        }
    }
}

/// An event log that keeps its entries only if asked to.
#[derive(Debug, Default)]
pub struct EventLog {
    entries: Vec<LogEntry>,
    kept: bool,
}

impl EventLog {
    /// Creates a log that keeps its entries, or one that drops them all.
    pub fn new(kept: bool) -> Self {
        Self { entries: Vec::new(), kept }
    }

    /// Adds an entry; the entries of a log must come in order of time.
    #[inline]
    pub fn note(&mut self, at: Time, site: Option<SiteId>, what: LogEvent) {
        if self.kept {
            self.entries.push(LogEntry { at, site, what });
        }
    }

    /// Returns the entries, in order of time.
    pub fn into_entries(self) -> Vec<LogEntry> {
        self.entries
    }
}
