//! The results of a simulation: job by job, then in figures, per site and per user.

use crate::SimError;
use sched_model::{ExactSum, JobId, MAX_QUANTITY, Money, Refusal, SiteId, Span, Time, UserId};
use std::collections::BTreeMap;
use std::fmt;

/// The customary bound of the bounded slowdown: 10 seconds, where the unit of time is the second.
#[must_use]
pub fn default_threshold() -> Span {
    Span::must(10.0)
}

/// The most jobs of one simulation: 20 million. Each has a record of some 200 bytes, and more are refused before memory is
/// taken for them.
pub const MOST_JOBS: usize = 20_000_000;

/// An error for more jobs than [`MOST_JOBS`].
pub(crate) fn check_count(what: &'static str, given: usize) -> Result<(), SimError> {
    if given > MOST_JOBS { Err(SimError::TooMany { what, most: MOST_JOBS, given }) } else { Ok(()) }
}

/// How a job left the simulation. Each job has exactly one.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
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
    /// The link of its owner failed while its input was on its way.
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

impl Ending {
    /// Whether a component of the grid failed under it.
    #[must_use]
    pub const fn is_failure(&self) -> bool {
        matches!(self, Self::MachineFailed | Self::LinkFailed | Self::UserLinkFailed)
    }
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
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Part {
    /// The site.
    pub site: SiteId,
    /// CPUs held at once.
    pub cpus: u32,
    /// First instant at which they were free again.
    pub end: Time,
    /// What the owner paid for them.
    pub cost: Money,
}

/// One job of a simulation.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
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
    /// What it held; empty if it never started or runs still.
    pub parts: Vec<Part>,
    /// How it left.
    pub ending: Ending,
}

impl JobRecord {
    /// A job that has not run yet; the time it asks for is not known.
    pub(crate) fn waiting(id: JobId, user: UserId, submit: Time, cpus: u32) -> Self {
        let requested = Span::ZERO;
        Self { id, user, submit, cpus, requested, start: None, parts: Vec::new(), ending: Ending::Waiting }
    }

    /// When its last CPU was free again; `None` if it never was.
    #[must_use]
    pub fn end(&self) -> Option<Time> {
        self.parts.iter().map(|part| part.end).max()
    }

    /// From submission to start.
    #[must_use]
    pub fn wait(&self) -> Option<Span> {
        Some(self.start? - self.submit)
    }

    /// From start to end.
    #[must_use]
    pub fn runtime(&self) -> Option<Span> {
        Some(self.end()? - self.start?)
    }

    /// From submission to end.
    #[must_use]
    pub fn response(&self) -> Option<Span> {
        Some(self.end()? - self.submit)
    }

    /// What its owner paid.
    #[must_use]
    pub fn cost(&self) -> Money {
        self.parts.iter().map(|part| part.cost).sum()
    }

    /// CPU time held, over all sites.
    #[must_use]
    pub fn cpu_time(&self) -> Span {
        self.parts.iter().map(|part| self.held(part)).sum()
    }

    /// Response over runtime, both at least `threshold`, and never below 1 (D. Feitelson, L. Rudolph, U.
    /// Schwiegelshohn, K. Sevcik, P. Wong: Theory and Practice in Parallel Job Scheduling, 1997): short jobs do not
    /// drown the mean.
    #[must_use]
    pub fn bounded_slowdown(&self, threshold: Span) -> Option<f64> {
        let floor = self.runtime()?.max(threshold).get();
        // With a threshold of zero a job may take no time at all.
        Some(if floor > 0.0 { (self.response()?.get() / floor).max(1.0) } else { 1.0 })
    }

    fn held(&self, part: &Part) -> Span {
        self.start.map_or(Span::ZERO, |start| times(part.end - start, f64::from(part.cpus)))
    }
}

/// A span taken so many times, at most the greatest span that there is.
pub(crate) fn times(span: Span, count: f64) -> Span {
    Span::new((span.get() * count).min(MAX_QUANTITY)).unwrap_or(Span::ZERO)
}

/// The longest span that, started at `start`, is over by `end` as `f64` rounds the sum.
pub(crate) fn span_within(start: Time, end: Time) -> Span {
    let span = end - start;
    if start + span <= end { span } else { Span::new(span.get().next_down()).unwrap_or(span) }
}

/// Mean, median, 95th percentile and maximum of a sample; all zero where it is empty.
///
/// Percentiles are order statistics: the value at rank ceil(p * n).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Stats {
    /// Size of the sample.
    pub count: usize,
    /// Arithmetic mean.
    pub mean: f64,
    /// At most half of the sample is smaller, at most half larger.
    pub median: f64,
    /// At most one in twenty is larger.
    pub p95: f64,
    /// The largest.
    pub max: f64,
}

impl Stats {
    /// Of these values.
    #[must_use]
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_unstable_by(f64::total_cmp);
        let Some(&max) = values.last() else { return Self::default() };
        let count = values.len();
        // Ranks from 1; `count` is at least 1.
        let rank = |percent: usize| values[(count * percent).div_ceil(100).max(1) - 1];
        Self { count, mean: values.iter().sum::<f64>() / count as f64, median: rank(50), p95: rank(95), max }
    }
}

/// A site as a report needs to know it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct SiteInfo {
    /// The identifier that [`Part`]s refer to.
    pub id: SiteId,
    /// For tables.
    pub name: String,
    /// Its CPUs.
    pub cpus: u64,
}

/// The results of one site.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct SiteReport {
    /// The site.
    pub site: SiteInfo,
    /// Jobs of which at least a part ran there.
    pub jobs: usize,
    /// CPU time held there.
    pub cpu_time: Span,
    /// What was paid for it.
    pub earned: Money,
    /// CPU time over the site's CPUs times the makespan of the report; 0 where that is 0.
    pub utilisation: f64,
}

/// The results of one user.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct UserReport {
    /// The user.
    pub user: UserId,
    /// Jobs submitted.
    pub jobs: usize,
    /// Jobs that ran to their end.
    pub done: usize,
    /// What the user paid.
    pub paid: Money,
    /// CPU time held.
    pub cpu_time: Span,
    /// From submission to start.
    pub wait: Stats,
    /// From submission to end.
    pub response: Stats,
    /// See [`JobRecord::bounded_slowdown`].
    pub bounded_slowdown: Stats,
}

/// The figures of a simulation. Times are in the unit of the input.
///
/// ```
/// use grid_sim::{Ending, JobRecord, Part, Report, SiteInfo};
/// use sched_model::*;
/// let record = JobRecord {
///     id: JobId(1), user: UserId(7), submit: Time::must(10.0), cpus: 2, requested: Span::must(60.0),
///     start: Some(Time::must(30.0)), ending: Ending::Done,
///     parts: vec![Part { site: SiteId(0), cpus: 2, end: Time::must(50.0), cost: Money::must(40.0) }],
/// };
/// let sites = [SiteInfo { id: SiteId(0), name: "one".into(), cpus: 4 }];
/// let report = Report::new(&[record], &sites, Span::must(10.0));
/// assert_eq!(report.makespan, Span::must(40.0)); // 50 - 10
/// assert_eq!((report.wait.mean, report.response.mean, report.bounded_slowdown.mean), (20.0, 40.0, 2.0));
/// assert_eq!((report.cpu_time, report.utilisation), (Span::must(40.0), 0.25)); // of 4 * 40
/// assert_eq!((report.cost, report.sites[0].earned, report.users[0].paid.get()), (Money::must(40.0), Money::must(40.0), 40.0));
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Report {
    /// Jobs submitted.
    pub jobs: usize,
    /// How many left in which way, by the ending's words; refusals are counted as one.
    pub endings: BTreeMap<String, usize>,
    /// Last end, if a job ended.
    pub last_end: Option<Time>,
    /// From the first submission to the last end.
    pub makespan: Span,
    /// What all users paid.
    pub cost: Money,
    /// Cost per job that ran.
    pub mean_cost: f64,
    /// CPU time held.
    pub cpu_time: Span,
    /// CPU time over all CPUs times the makespan; 0 where that is 0.
    pub utilisation: f64,
    /// From submission to start, of the jobs that started.
    pub wait: Stats,
    /// From submission to end, of the jobs that ended.
    pub response: Stats,
    /// See [`JobRecord::bounded_slowdown`].
    pub bounded_slowdown: Stats,
    /// By site, in the order given.
    pub sites: Vec<SiteReport>,
    /// By user id; those who submitted.
    pub users: Vec<UserReport>,
}

/// Jobs, CPU time and earnings of an idle site.
fn nothing() -> (usize, Span, ExactSum) {
    (0, Span::ZERO, ExactSum::new())
}

/// A sum of charges as money, at most the greatest amount that there is.
pub(crate) fn money(sum: &ExactSum) -> Money {
    Money::new(sum.value().min(MAX_QUANTITY)).unwrap_or(Money::ZERO)
}

impl Report {
    /// The figures of these jobs on these sites; `threshold` bounds the slowdown (10 seconds is customary).
    ///
    /// Parts on sites that are not given count for the whole, and for no site. With n jobs: O(n log n).
    #[must_use]
    pub fn new(records: &[JobRecord], sites: &[SiteInfo], threshold: Span) -> Self {
        let mut endings: BTreeMap<String, usize> = BTreeMap::new();
        // Places take less memory than references: there may be 10^7 jobs of one user.
        let mut by_user: BTreeMap<UserId, Vec<u32>> = BTreeMap::new();
        let mut by_site: BTreeMap<SiteId, (usize, Span, ExactSum)> = BTreeMap::new();
        for (at, record) in (0..).zip(records) {
            let ending = match &record.ending {
                Ending::Refused(_) => "refused".to_owned(),
                other => other.to_string(),
            };
            *endings.entry(ending).or_default() += 1;
            by_user.entry(record.user).or_default().push(at);
            let mut seen: Vec<SiteId> = Vec::new();
            for part in &record.parts {
                let (jobs, cpu_time, earned) = by_site.entry(part.site).or_insert_with(nothing);
                if !seen.contains(&part.site) {
                    seen.push(part.site);
                    *jobs += 1;
                }
                *cpu_time += record.held(part);
                earned.add(part.cost.get());
            }
        }
        let last_end = records.iter().filter_map(JobRecord::end).max();
        let first = records.iter().map(|record| record.submit).min();
        let makespan = last_end.zip(first).map_or(Span::ZERO, |(end, first)| end - first);
        let share = |cpu_time: Span, cpus: u64| {
            let capacity = makespan.get() * cpus as f64;
            if capacity > 0.0 { cpu_time.get() / capacity } else { 0.0 }
        };
        let sites: Vec<SiteReport> = sites
            .iter()
            .map(|site| {
                let (jobs, cpu_time, earned) = by_site.remove(&site.id).unwrap_or_else(nothing);
                let earned = money(&earned);
                let utilisation = share(cpu_time, site.cpus);
                SiteReport { site: site.clone(), jobs, cpu_time, earned, utilisation }
            })
            .collect();
        let users = by_user
            .into_iter()
            .map(|(user, places)| {
                let of_user = || places.iter().map(|&at| &records[at as usize]);
                UserReport {
                    user,
                    jobs: places.len(),
                    done: of_user().filter(|record| record.ending == Ending::Done).count(),
                    paid: of_user().map(JobRecord::cost).sum(),
                    cpu_time: of_user().map(JobRecord::cpu_time).sum(),
                    wait: spans(of_user(), JobRecord::wait),
                    response: spans(of_user(), JobRecord::response),
                    bounded_slowdown: slowdowns(of_user(), threshold),
                }
            })
            .collect();
        let cost: Money = records.iter().map(JobRecord::cost).sum();
        let cpu_time: Span = records.iter().map(JobRecord::cpu_time).sum();
        let ran = records.iter().filter(|record| !record.parts.is_empty()).count();
        Self {
            jobs: records.len(),
            endings,
            last_end,
            makespan,
            cost,
            mean_cost: if ran > 0 { cost.get() / ran as f64 } else { 0.0 },
            cpu_time,
            utilisation: share(cpu_time, sites.iter().map(|site| site.site.cpus).sum()),
            wait: spans(records, JobRecord::wait),
            response: spans(records, JobRecord::response),
            bounded_slowdown: slowdowns(records, threshold),
            sites,
            users,
        }
    }
}

fn spans<'a>(
    records: impl IntoIterator<Item = &'a JobRecord>,
    of: impl Fn(&JobRecord) -> Option<Span>,
) -> Stats {
    Stats::of(records.into_iter().filter_map(of).map(Span::get))
}

fn slowdowns<'a>(records: impl IntoIterator<Item = &'a JobRecord>, threshold: Span) -> Stats {
    Stats::of(records.into_iter().filter_map(|record| record.bounded_slowdown(threshold)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stats_are_order_statistics() {
        let stats = Stats::of([4.0, 1.0, 3.0, 2.0]);
        assert_eq!((stats.count, stats.mean, stats.median, stats.p95, stats.max), (4, 2.5, 2.0, 4.0, 4.0));
        assert_eq!(Stats::of([]), Stats::default());
        assert_eq!(Stats::of((1..=100).map(f64::from)).p95, 95.0);
    }

    #[test]
    fn a_report_of_nothing_is_all_zero() {
        let report = Report::new(&[], &[], Span::ZERO);
        assert_eq!((report.jobs, report.last_end, report.makespan), (0, None, Span::ZERO));
        assert_eq!((report.utilisation, report.mean_cost), (0.0, 0.0));
    }

    #[test]
    fn parts_on_two_sites_are_earned_where_they_ran_and_the_job_counts_once_each() {
        let part = |site, cpus, end: f64, cost: f64| Part {
            site: SiteId(site),
            cpus,
            end: Time::must(end),
            cost: Money::must(cost),
        };
        let ran = JobRecord {
            id: JobId(1),
            user: UserId(1),
            submit: Time::ZERO,
            cpus: 4,
            requested: Span::must(9.0),
            start: Some(Time::must(2.0)),
            parts: vec![part(0, 1, 4.0, 3.0), part(0, 1, 6.0, 5.0), part(1, 2, 12.0, 7.0)],
            ending: Ending::Killed,
        };
        let refused = JobRecord {
            id: JobId(2),
            start: None,
            parts: Vec::new(),
            ending: Ending::Refused(Refusal::NoCapacity),
            ..ran.clone()
        };
        let site = |id| SiteInfo { id: SiteId(id), name: String::new(), cpus: 2 };
        let report = Report::new(&[ran, refused], &[site(0), site(1)], Span::must(20.0));
        assert_eq!(report.endings, [("killed".to_owned(), 1), ("refused".to_owned(), 1)].into());
        assert_eq!(
            (report.sites[0].jobs, report.sites[0].cpu_time.get(), report.sites[0].earned.get()),
            (1, 6.0, 8.0)
        );
        assert_eq!(
            (report.sites[1].jobs, report.sites[1].cpu_time.get(), report.sites[1].earned.get()),
            (1, 20.0, 7.0)
        );
        assert_eq!((report.cost.get(), report.mean_cost, report.cpu_time.get()), (15.0, 15.0, 26.0));
        assert_eq!(report.utilisation, 26.0 / 48.0);
        assert_eq!((report.users[0].jobs, report.users[0].done, report.users[0].paid.get()), (2, 0, 15.0));
        assert_eq!((report.wait.count, report.bounded_slowdown.mean), (1, 1.0));
    }
}
