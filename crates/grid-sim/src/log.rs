//! The event log: what happened, in order.

use sched_model::{JobId, SiteId, Time};
use std::fmt;

/// What happened to a job, a machine or a link.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum LogEvent {
    /// A job entered the system.
    Submitted(JobId),
    /// A job will never run.
    Refused(JobId),
    /// CPUs were reserved in advance for a job.
    Reserved {
        /// The job.
        job: JobId,
        /// CPUs on this site.
        cpus: u32,
        /// When it will start.
        start: Time,
    },
    /// A job began to run.
    Started {
        /// The job.
        job: JobId,
        /// CPUs on this site.
        cpus: u32,
    },
    /// A job that exceeds its requested time may continue until then.
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
    /// A job was lost to a failure.
    Lost(JobId),
    /// A job was withdrawn by its owner.
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

/// One line of the log of a simulation.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct LogEntry {
    /// The instant.
    pub at: Time,
    /// The site; `None` where no site is concerned.
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
                write!(f, " job {job} reserved {cpus} CPUs from {start}")
            }
            LogEvent::Started { job, cpus } => write!(f, " job {job} started on {cpus} CPUs"),
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

/// What happened, in order; empty unless it was asked for.
#[derive(Debug, Default)]
pub struct EventLog {
    entries: Vec<LogEntry>,
    kept: bool,
}

impl EventLog {
    /// A log that keeps its entries, or drops them all.
    pub fn new(kept: bool) -> Self {
        Self { entries: Vec::new(), kept }
    }

    /// Keeps an entry; those of one log are to come in order of time.
    #[inline]
    pub fn note(&mut self, at: Time, site: Option<SiteId>, what: LogEvent) {
        if self.kept {
            self.entries.push(LogEntry { at, site, what });
        }
    }

    /// The entries, in order of time.
    pub fn into_entries(self) -> Vec<LogEntry> {
        self.entries
    }
}
