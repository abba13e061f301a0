//! The records of the jobs, and the figures of the run.

use super::super::site::Site;
use super::gis::{AssignedJob, Running};
use super::{Config, SliceRecord, SystemOutcome};
use econsched::grid_sim::internal::EventLog;
use econsched::grid_sim::{Ending, JobRecord, LogEvent, Part, ReportBuilder, SiteInfo};
use econsched::sched_model::{End, Job, Money, Span, Time};

/// The ledger of a run. Jobs are given by their indices in the list.
pub(super) struct Ledger<'a> {
    config: &'a Config,
    records: Vec<JobRecord>,
    /// Number of assignments of each job.
    attempts: Vec<u32>,
    /// Whether each job has waited too long.
    starved: Vec<bool>,
    /// Number of jobs that have left the system.
    pub(super) left: usize,
    pub(super) done: usize,
    pub(super) lost: usize,
    lost_time: Span,
    /// Number of assignments so far, which is the number of the next one.
    pub(super) assigned: usize,
    cost_sum: f64,
    /// The slices so far; empty unless asked for.
    pub(super) slices: Vec<SliceRecord>,
    assignments: Vec<AssignedJob>,
    pub(super) log: EventLog,
}

impl<'a> Ledger<'a> {
    pub(super) fn new(jobs: &[Job], config: &'a Config) -> Self {
        Self {
            records: jobs.iter().map(JobRecord::from).collect(),
            attempts: vec![0; jobs.len()],
            starved: vec![false; jobs.len()],
            config,
            left: 0,
            done: 0,
            lost: 0,
            lost_time: Span::ZERO,
            assigned: 0,
            cost_sum: 0.0,
            slices: Vec::new(),
            assignments: Vec::new(),
            log: EventLog::new(config.log),
        }
    }

    /// Returns the mean cost of the assignments so far.
    pub(super) fn mean_cost(&self) -> f64 {
        if self.assigned > 0 { self.cost_sum / self.assigned as f64 } else { 0.0 }
    }

    /// Records that a job has waited until now.
    pub(super) fn waited(&mut self, now: Time, job: usize) {
        self.starved[job] |= now - self.records[job].submit > self.config.starving_after;
    }

    /// Records that a job got a processor.
    pub(super) fn assign(&mut self, now: Time, job: usize, assignment: AssignedJob) {
        if self.attempts[job] == 0 {
            self.waited(now, job);
        }
        if self.config.trace {
            self.assignments.push(assignment);
        }
        self.assigned += 1;
        self.attempts[job] += 1;
        let cost = assignment.transfer + assignment.processing;
        self.cost_sum += cost.get();
        self.records[job].requested = cost;
        self.log.note(now, Some(assignment.site), LogEvent::Started { job: assignment.job, cpus: 1 });
    }

    /// Records that a job gave back its processor, for whose use it pays `cost`.
    pub(super) fn release(&mut self, now: Time, job: usize, running: Running, cost: Money, ending: &Ending) {
        let assignment = AssignedJob { left: Some(now), ..running.assignment };
        if let Some(kept) = self.assignments.get_mut(running.number) {
            *kept = assignment;
        }
        if *ending != Ending::Done {
            self.lost_time += now - assignment.assigned;
        }
        let record = &mut self.records[job];
        record.start = Some(assignment.assigned);
        record.parts = vec![Part { site: assignment.site, cpus: 1, end: now, cost }];
    }

    /// Ends a job that holds no processor. Returns whether it is tried again instead: it was lost to a failure, and
    /// its retries are not used up.
    pub(super) fn end(&mut self, now: Time, job: usize, ending: Ending) -> bool {
        let id = self.records[job].id;
        let lost = is_failure(&ending);
        self.lost += usize::from(lost);
        self.done += usize::from(ending == Ending::Done);
        let what = match ending {
            Ending::Done => LogEvent::Ended(id),
            Ending::Refused(_) => LogEvent::Refused(id),
            Ending::Cancelled => LogEvent::Cancelled(id),
            _ => LogEvent::Lost(id),
        };
        self.log.note(now, None, what);
        let again = lost && self.attempts[job] <= self.config.retries;
        let record = &mut self.records[job];
        if again {
            (record.start, record.ending) = (None, Ending::Waiting);
            record.parts.clear();
        } else {
            record.ending = ending;
            self.left += 1;
        }
        again
    }

    /// Returns the outcome, which includes the jobs that are still running.
    pub(super) fn close<'r>(
        mut self,
        sites: &[Site],
        running: impl Iterator<Item = (usize, &'r Running)>,
        (events, end, stopped): (u64, Time, Option<End>),
    ) -> SystemOutcome {
        for (job, running) in running {
            self.records[job].start = Some(running.assignment.assigned);
        }
        let info = |site: &Site| SiteInfo { id: site.id, name: site.name.to_owned(), cpus: site.cpus() };
        let sites: Vec<SiteInfo> = sites.iter().map(info).collect();
        let mut figures = ReportBuilder::default();
        figures.threshold = self.config.threshold;
        self.records.iter().for_each(|record| figures.add(record));
        SystemOutcome {
            report: figures.build(&sites),
            starved: self.starved.iter().filter(|&&starved| starved).count(),
            mean_cost: self.mean_cost(),
            records: self.records,
            lost_time: self.lost_time,
            slices: self.slices,
            assignments: self.assignments,
            log: self.log.into_entries(),
            events,
            end,
            stopped,
        }
    }
}

/// Whether the job was lost because a component of the grid failed.
pub(in crate::multi_s_grid) fn is_failure(ending: &Ending) -> bool {
    matches!(ending, Ending::MachineFailed | Ending::LinkFailed | Ending::UserLinkFailed)
}
