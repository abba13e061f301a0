//! Records of jobs (the CPUs that each held, what it paid, how it ended), and a report record by record.

use super::{Report, SiteInfo, SiteReport, Stats, UserReport, default_threshold};
use crate::{LocalJob, SimError};
use sched_model::internal::{ExactSum, MAX_QUANTITY};
use sched_model::{Job, JobId, Money, Refusal, SiteId, Span, Time, UserId};
use std::collections::BTreeMap;
use std::fmt;

/// Makes a [`Report`] from records, which may come one by one and need not be kept.
///
/// It holds three numbers for each job that ran, since medians and percentiles need all values, and some sums
/// for each site and user.
///
/// ```
/// use grid_sim::{LocalJob, PolicyKind, Replay, ReportBuilder, SiteInfo};
/// use sched_model::*;
/// let machine = Machine::new(MachineId(0), 2, Speed::ETALON, Price::must(0.0))?;
/// let five = Span::must(5.0);
/// let jobs: Vec<LocalJob> = (0..100u32)
///     .map(|id| LocalJob::new(JobId(id.into()), Time::must(f64::from(id) * 2.0), 1, five, five))
///     .collect::<Result<_, _>>()?;
/// let mut figures = ReportBuilder::default();
/// let (mut in_turn, mut meter) = (jobs.iter().copied(), Limit::none().meter());
/// let mut run = Replay::new(&machine, PolicyKind::Easy.build());
/// run.advance(u64::MAX, &mut in_turn, &mut meter, &mut |record, _| figures.add(&record))?;
/// let report = figures.build(&[SiteInfo { id: SiteId(0), name: "machine".into(), cpus: 2 }]);
/// let whole = grid_sim::easy(&machine, &jobs)?.report;
/// assert_eq!((report.jobs, report.wait, report.cpu_time), (100, whole.wait, whole.cpu_time));
/// # Ok::<(), grid_sim::SimError>(())
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct ReportBuilder {
    /// Bounds the slowdown from below: see [`JobRecord::bounded_slowdown`]; 10 seconds, as is customary, by default.
    pub threshold: Span,
    first: Option<Time>,
    last_end: Option<Time>,
    endings: BTreeMap<String, usize>,
    cost: ExactSum,
    cpu_time: ExactSum,
    sites: BTreeMap<SiteId, SiteSums>,
    users: BTreeMap<UserId, UserSums>,
}

#[derive(Debug, Clone, Default)]
struct SiteSums {
    jobs: usize,
    cpu_time: f64,
    earned: ExactSum,
}

#[derive(Debug, Clone, Default)]
struct UserSums {
    jobs: usize,
    done: usize,
    paid: ExactSum,
    cpu_time: ExactSum,
    waits: Vec<f64>,
    responses: Vec<f64>,
    slowdowns: Vec<f64>,
}

impl UserSums {
    fn report(self, user: UserId) -> UserReport {
        UserReport {
            user,
            jobs: self.jobs,
            done: self.done,
            paid: money(&self.paid),
            cpu_time: span(self.cpu_time.value()),
            wait: Stats::of(self.waits),
            response: Stats::of(self.responses),
            bounded_slowdown: Stats::of(self.slowdowns),
        }
    }
}

/// A sum of charges as money, at most the greatest amount that there is.
pub(crate) fn money(sum: &ExactSum) -> Money {
    Money::try_from(sum.value().min(MAX_QUANTITY)).unwrap_or(Money::ZERO)
}

fn span(sum: f64) -> Span {
    Span::try_from(sum.min(MAX_QUANTITY)).unwrap_or(Span::ZERO)
}

/// CPU time over the capacity of so many CPUs; 0 where that is 0.
fn utilisation(cpu_time: Span, makespan: Span, cpus: u64) -> f64 {
    let capacity = makespan.get() * cpus as f64;
    if capacity > 0.0 { cpu_time.get() / capacity } else { 0.0 }
}

impl Default for ReportBuilder {
    /// Of no job yet.
    fn default() -> Self {
        Self {
            threshold: default_threshold(),
            first: None,
            last_end: None,
            endings: BTreeMap::new(),
            cost: ExactSum::new(),
            cpu_time: ExactSum::new(),
            sites: BTreeMap::new(),
            users: BTreeMap::new(),
        }
    }
}

impl ReportBuilder {
    /// Counts a job. The order of jobs does not matter, but for the last bits of the CPU time of a site.
    pub fn add(&mut self, record: &JobRecord) {
        self.first = Some(self.first.map_or(record.submit, |first| first.min(record.submit)));
        self.last_end = self.last_end.max(record.end());
        let ending = match &record.ending {
            Ending::Refused(_) => "refused".to_owned(),
            other => other.to_string(),
        };
        *self.endings.entry(ending).or_default() += 1;
        let (cost, cpu_time) = (record.cost().get(), record.cpu_time().get());
        self.cost.add(cost);
        self.cpu_time.add(cpu_time);
        for (at, part) in record.parts.iter().enumerate() {
            let sums = self.sites.entry(part.site).or_default();
            sums.jobs += usize::from(record.parts[..at].iter().all(|before| before.site != part.site));
            sums.cpu_time += record.held(part).get();
            sums.earned.add(part.cost.get());
        }
        let user = self.users.entry(record.user).or_default();
        user.jobs += 1;
        user.done += usize::from(record.ending == Ending::Done);
        user.paid.add(cost);
        user.cpu_time.add(cpu_time);
        user.waits.extend(record.wait().map(Span::get));
        user.responses.extend(record.response().map(Span::get));
        user.slowdowns.extend(record.bounded_slowdown(self.threshold));
    }

    /// The figures of the jobs that came, on these sites. With n jobs: O(n log n).
    ///
    /// Parts on sites that are not given count for the totals and for their users, so that the utilisation
    /// may be above one. A site that is given twice has its results at its first place.
    pub fn build(mut self, sites: &[SiteInfo]) -> Report {
        let makespan = self.last_end.zip(self.first).map_or(Span::ZERO, |(end, first)| end - first);
        let (cost, cpu_time) = (money(&self.cost), span(self.cpu_time.value()));
        let of_all = |values: fn(&UserSums) -> &[f64]| {
            let mut all = Vec::with_capacity(self.users.values().map(|user| values(user).len()).sum());
            self.users.values().for_each(|user| all.extend_from_slice(values(user)));
            Stats::of(all)
        };
        let (wait, response) = (of_all(|user| &user.waits), of_all(|user| &user.responses));
        let bounded_slowdown = of_all(|user| &user.slowdowns);
        let all_cpus = sites.iter().map(|site| site.cpus).fold(0, u64::saturating_add);
        let of_site = |site: &SiteInfo| {
            let SiteSums { jobs, cpu_time, earned } = self.sites.remove(&site.id).unwrap_or_default();
            let (cpu_time, earned) = (span(cpu_time), money(&earned));
            let utilisation = utilisation(cpu_time, makespan, site.cpus);
            SiteReport { site: site.clone(), jobs, cpu_time, earned, utilisation }
        };
        Report {
            jobs: self.endings.values().sum(),
            endings: self.endings,
            last_end: self.last_end,
            makespan,
            cost,
            mean_cost: if response.count > 0 { cost.get() / response.count as f64 } else { 0.0 },
            cpu_time,
            utilisation: utilisation(cpu_time, makespan, all_cpus),
            wait,
            response,
            bounded_slowdown,
            sites: sites.iter().map(of_site).collect(),
            users: self.users.into_iter().map(|(user, sums)| sums.report(user)).collect(),
        }
    }
}

/// The most jobs of one simulation: 20 million. Each has a record of some 200 bytes; more jobs are refused
/// before memory is allocated for them.
pub const MOST_JOBS: usize = 20_000_000;

/// Checks that there are at most [`MOST_JOBS`].
///
/// # Errors
/// [`SimError::TooMany`].
pub fn check_count(what: &'static str, given: usize) -> Result<(), SimError> {
    if given > MOST_JOBS { Err(SimError::TooMany { what, most: MOST_JOBS, given }) } else { Ok(()) }
}

/// Checks that at most [`MOST_JOBS`] events are expected. NaN is accepted: the settings that give it are
/// checked elsewhere.
///
/// # Errors
/// [`SimError::TooManyExpected`].
pub fn check_expected(what: &'static str, expected: f64) -> Result<(), SimError> {
    let most = MOST_JOBS;
    if expected > most as f64 { Err(SimError::TooManyExpected { what, most, expected }) } else { Ok(()) }
}

/// How a job ended. Each job has exactly one ending.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Ending {
    /// It ran to its end.
    Done,
    /// It was stopped because its time was up.
    Killed,
    /// A machine on which it ran failed.
    MachineFailed,
    /// The link of its site failed.
    LinkFailed,
    /// The link of its owner failed while its input was transferred.
    UserLinkFailed,
    /// Its owner left the grid.
    OwnerGone,
    /// Its owner withdrew it.
    Cancelled,
    /// It never ran, for this reason.
    Refused(Refusal),
    /// It still waited, or still ran, when the simulation ended.
    Waiting,
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done => write!(f, "done"),
            Self::Killed => write!(f, "killed"),
            Self::MachineFailed => write!(f, "machine failed"),
            Self::LinkFailed => write!(f, "link failed"),
            Self::UserLinkFailed => write!(f, "user link failed"),
            Self::OwnerGone => write!(f, "owner gone"),
            Self::Cancelled => write!(f, "cancelled"),
            Self::Refused(reason) => write!(f, "refused: {reason}"),
            Self::Waiting => write!(f, "waiting"),
        }
    }
}

/// CPUs that a job held on one site, from the job's start to `end`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Part {
    /// The site.
    pub site: SiteId,
    /// CPUs held at once.
    pub cpus: u32,
    /// First instant at which they were free again.
    pub end: Time,
    /// The money that the owner paid for them.
    pub cost: Money,
}

/// One job of a simulation.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct JobRecord {
    /// Its identifier.
    pub id: JobId,
    /// Its owner.
    pub user: UserId,
    /// When it was submitted.
    pub submit: Time,
    /// CPUs it asked for.
    pub cpus: u32,
    /// Time it asked for; on the site where it ran, if that depends on the site.
    pub requested: Span,
    /// When it started; `None` if it never did.
    pub start: Option<Time>,
    /// The CPUs it held; empty if it never started or still runs.
    pub parts: Vec<Part>,
    /// How it ended.
    pub ending: Ending,
}

impl From<&Job> for JobRecord {
    /// A job that has not run yet; the time it asks for is not known.
    fn from(&Job { id, user, submit, ref request, .. }: &Job) -> Self {
        let cpus = u32::try_from(request.nodes()).unwrap_or(u32::MAX);
        let (requested, ending) = (Span::ZERO, Ending::Waiting);
        Self { id, user, submit, cpus, requested, start: None, parts: Vec::new(), ending }
    }
}

impl From<&LocalJob> for JobRecord {
    /// A job that has not run yet.
    fn from(&LocalJob { id, user, submit, cpus, requested, .. }: &LocalJob) -> Self {
        Self { id, user, submit, cpus, requested, start: None, parts: Vec::new(), ending: Ending::Waiting }
    }
}

impl JobRecord {
    /// When its last CPU was free again; `None` if it never was.
    pub fn end(&self) -> Option<Time> {
        self.parts.iter().map(|part| part.end).max()
    }

    /// From submission to start.
    pub fn wait(&self) -> Option<Span> {
        Some(self.start? - self.submit)
    }

    /// From start to end.
    pub(crate) fn runtime(&self) -> Option<Span> {
        Some(self.end()? - self.start?)
    }

    /// From submission to end.
    pub fn response(&self) -> Option<Span> {
        Some(self.end()? - self.submit)
    }

    /// The money that its owner paid.
    pub fn cost(&self) -> Money {
        self.parts.iter().map(|part| part.cost).sum()
    }

    /// CPU time held, over all sites.
    pub(crate) fn cpu_time(&self) -> Span {
        self.parts.iter().map(|part| self.held(part)).sum()
    }

    /// Response over runtime, both at least `threshold`, and never below 1 (D. Feitelson, L. Rudolph, U.
    /// Schwiegelshohn, K. Sevcik, P. Wong: Theory and Practice in Parallel Job Scheduling, 1997): so that
    /// very short jobs do not dominate the mean.
    pub fn bounded_slowdown(&self, threshold: Span) -> Option<f64> {
        let floor = self.runtime()?.max(threshold).get();
        // With a threshold of zero a job may take no time at all.
        Some(if floor > 0.0 { (self.response()?.get() / floor).max(1.0) } else { 1.0 })
    }

    /// The CPU time of a part.
    pub(super) fn held(&self, part: &Part) -> Span {
        self.start.map_or(Span::ZERO, |start| times(part.end - start, f64::from(part.cpus)))
    }
}

/// A span times `count`, at most the greatest span.
pub(crate) fn times(time: Span, count: f64) -> Span {
    span(time.get() * count)
}

/// The longest span for which `start` plus the span, rounded to `f64`, is at most `end`.
pub(crate) fn span_within(start: Time, end: Time) -> Span {
    let span = end - start;
    if start + span <= end { span } else { Span::try_from(span.get().next_down()).unwrap_or(span) }
}
