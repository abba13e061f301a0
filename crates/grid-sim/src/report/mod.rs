//! The results of a simulation: a record for each job, and the report that sums them up per site, per user and in
//! total.

mod builder;
mod record;

pub use builder::ReportBuilder;
pub use record::{Ending, JobRecord, Part};
use sched_model::{Money, SiteId, Span, Time, UserId, internal::counted};
use std::collections::BTreeMap;
use std::fmt;

/// Returns the customary lower bound on the run time in the bounded slowdown: 10 seconds, where the unit of time is
/// the second.
pub fn default_threshold() -> Span {
    Span::must(10.0)
}

/// What a report needs to know about a site.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct SiteInfo {
    /// The identifier that [`Part`]s refer to.
    pub id: SiteId,
    /// Its name, as shown in tables.
    pub name: String,
    /// Number of its CPUs.
    pub cpus: u64,
}

/// The results of one site.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct SiteReport {
    /// The site.
    pub site: SiteInfo,
    /// Number of jobs of which at least one part ran there.
    pub jobs: usize,
    /// CPU time held there.
    pub cpu_time: Span,
    /// The money paid for that CPU time.
    pub earned: Money,
    /// CPU time over the site's CPUs times the makespan of the report; 0 where this product is 0.
    pub utilisation: f64,
}

/// The results of one user.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct UserReport {
    /// The user.
    pub user: UserId,
    /// Number of jobs submitted.
    pub jobs: usize,
    /// Number of jobs that ran to their end.
    pub done: usize,
    /// The money that the user paid.
    pub paid: Money,
    /// CPU time held by the user's jobs.
    pub cpu_time: Span,
    /// Times from submission to start, of the jobs that started.
    pub wait: Stats,
    /// Times from submission to end, of the jobs that ended.
    pub response: Stats,
    /// Bounded slowdowns of the jobs that ended: see [`JobRecord::bounded_slowdown`].
    pub bounded_slowdown: Stats,
}

/// Statistics of a simulation. Times are in the unit of the input.
///
/// ```
/// use grid_sim::{Ending, JobRecord, Part, ReportBuilder, SiteInfo};
/// use sched_model::*;
/// let record = JobRecord {
///     id: JobId(1),
///     user: UserId(7),
///     submit: Time::must(10.0),
///     cpus: 2,
///     requested: Span::must(60.0),
///     start: Some(Time::must(30.0)),
///     ending: Ending::Done,
///     parts: vec![Part { site: SiteId(0), cpus: 2, end: Time::must(50.0), cost: Money::must(40.0) }],
/// };
/// let sites = [SiteInfo { id: SiteId(0), name: "one".into(), cpus: 4 }];
/// let mut figures = ReportBuilder::default();
/// figures.add(&record);
/// let report = figures.build(&sites);
/// assert_eq!(report.makespan, Span::must(40.0)); // 50 - 10
/// assert_eq!((report.wait.mean, report.response.mean, report.bounded_slowdown.mean), (20.0, 40.0, 2.0));
/// assert_eq!((report.cpu_time, report.utilisation), (Span::must(40.0), 0.25)); // of 4 * 40
/// assert_eq!(
///     (report.cost, report.sites[0].earned, report.users[0].paid.get()),
///     (Money::must(40.0), Money::must(40.0), 40.0)
/// );
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[must_use]
pub struct Report {
    /// Number of jobs submitted.
    pub jobs: usize,
    /// Number of jobs by [`Ending`] as it is displayed; all refusals together count as `refused`.
    pub endings: BTreeMap<String, usize>,
    /// Last end of a job; `None` if no job ended.
    pub last_end: Option<Time>,
    /// Time from the first submission to the last end; 0 if no job ended.
    pub makespan: Span,
    /// The money that all users paid.
    pub cost: Money,
    /// Cost per job that ran; 0 if none did.
    pub mean_cost: f64,
    /// CPU time held by all jobs.
    pub cpu_time: Span,
    /// CPU time over the CPUs of all sites times the makespan; 0 where this product is 0.
    pub utilisation: f64,
    /// Times from submission to start, of the jobs that started.
    pub wait: Stats,
    /// Times from submission to end, of the jobs that ended.
    pub response: Stats,
    /// Bounded slowdowns of the jobs that ended: see [`JobRecord::bounded_slowdown`].
    pub bounded_slowdown: Stats,
    /// The results of each site, in the order given.
    pub sites: Vec<SiteReport>,
    /// The results of each user who submitted jobs, in order of user identifiers.
    pub users: Vec<UserReport>,
}

impl Report {
    /// Returns the report on these jobs and sites.
    pub(crate) fn of(records: &[JobRecord], sites: &[SiteInfo]) -> Self {
        let mut figures = ReportBuilder::default();
        records.iter().for_each(|record| figures.add(record));
        figures.build(sites)
    }
}

impl fmt::Display for Report {
    /// Writes a few lines: the number of jobs by ending; makespan, cost and utilisation; statistics of wait, response
    /// and bounded slowdown.
    ///
    /// ```
    /// use grid_sim::ReportBuilder;
    /// let report = ReportBuilder::default().build(&[]);
    /// assert_eq!(report.to_string().lines().next(), Some("0 jobs"));
    /// ```
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", counted(self.jobs, "job"))?;
        for (at, (ending, count)) in self.endings.iter().enumerate() {
            write!(f, "{} {count} {ending}", if at == 0 { ":" } else { "," })?;
        }
        writeln!(f)?;
        writeln!(f, "makespan {}, cost {}, utilisation {:.3}", self.makespan, self.cost, self.utilisation)?;
        writeln!(f, "wait: {}", self.wait)?;
        writeln!(f, "response: {}", self.response)?;
        write!(f, "bounded slowdown: {}", self.bounded_slowdown)
    }
}

/// Mean, median, 95th percentile and maximum of a sample; all 0 for an empty one.
///
/// Percentiles are order statistics: the value at rank ceil(p * n).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[must_use]
pub struct Stats {
    /// Size of the sample.
    pub count: usize,
    /// Arithmetic mean.
    pub mean: f64,
    /// The median: at most half of the sample is smaller, at most half larger.
    pub median: f64,
    /// The 95th percentile: at most one value in twenty is larger.
    pub p95: f64,
    /// The maximum.
    pub max: f64,
}

impl Stats {
    /// Computes the statistics of these values.
    pub(super) fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_unstable_by(f64::total_cmp);
        let Some(&max) = values.last() else { return Self::default() };
        let count = values.len();
        // Ranks from 1; `count` is at least 1.
        let rank = |percent: usize| values[(count * percent).div_ceil(100).max(1) - 1];
        Self { count, mean: values.iter().sum::<f64>() / count as f64, median: rank(50), p95: rank(95), max }
    }
}

impl fmt::Display for Stats {
    /// Writes mean, median, 95th percentile and maximum with three decimals, and the size of the sample.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { count, mean, median, p95, max } = self;
        write!(f, "mean {mean:.3}, median {median:.3}, p95 {p95:.3}, max {max:.3} of {count}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sched_model::{JobId, Refusal};

    fn figures_of(records: &[JobRecord], sites: &[SiteInfo], threshold: Span) -> Report {
        let mut figures = ReportBuilder::default();
        figures.threshold = threshold;
        records.iter().for_each(|record| figures.add(record));
        figures.build(sites)
    }

    /// A job that asks for four CPUs and starts at 2, with these parts.
    fn killed(parts: Vec<Part>) -> JobRecord {
        let (id, user, submit, cpus) = (JobId(1), UserId(1), Time::ZERO, 4);
        let (requested, start) = (Span::must(9.0), Some(Time::must(2.0)));
        JobRecord { id, user, submit, cpus, requested, start, parts, ending: Ending::Killed }
    }

    fn part(site: u32, cpus: u32, end: f64, cost: f64) -> Part {
        Part { site: SiteId(site), cpus, end: Time::must(end), cost: Money::must(cost) }
    }

    fn site(id: u32, cpus: u64) -> SiteInfo {
        SiteInfo { id: SiteId(id), name: String::new(), cpus }
    }

    #[test]
    fn a_report_of_nothing_is_all_zero() {
        assert_eq!(ReportBuilder::default().threshold, Span::must(10.0));
        let report = figures_of(&[], &[], Span::ZERO);
        assert_eq!((report.jobs, report.last_end, report.makespan), (0, None, Span::ZERO));
        assert_eq!((report.utilisation, report.mean_cost), (0.0, 0.0));
    }

    #[test]
    fn parts_on_two_sites_are_earned_where_they_ran_and_the_job_counts_once_each() {
        let ran = killed(vec![part(0, 1, 4.0, 3.0), part(0, 1, 6.0, 5.0), part(1, 2, 12.0, 7.0)]);
        let ending = Ending::Refused(Refusal::NoCapacity);
        let refused = JobRecord { id: JobId(2), start: None, ending, ..killed(Vec::new()) };
        let report = figures_of(&[ran, refused], &[site(0, 2), site(1, 2)], Span::must(20.0));
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

    #[test]
    fn parts_on_a_site_that_is_not_given_count_for_totals_and_users() {
        let ran = JobRecord { start: Some(Time::ZERO), ..killed(vec![part(7, 3, 4.0, 6.0)]) };
        let report = figures_of(std::slice::from_ref(&ran), &[site(0, 2)], Span::ZERO);
        assert_eq!((report.cost.get(), report.cpu_time.get(), report.utilisation), (6.0, 12.0, 1.5));
        assert_eq!(
            (report.sites[0].jobs, report.sites[0].earned, report.sites[0].utilisation),
            (0, Money::ZERO, 0.0)
        );
        assert_eq!((report.users[0].paid.get(), report.users[0].cpu_time.get()), (6.0, 12.0));
        // A site given twice has its results once; capacities beyond 64 bits do not overflow.
        let report = figures_of(&[ran], &[site(7, u64::MAX), site(7, u64::MAX)], Span::ZERO);
        assert_eq!((report.sites[0].jobs, report.sites[1].jobs), (1, 0));
        assert!(report.utilisation > 0.0);
    }

    #[test]
    fn stats_are_order_statistics() {
        let stats = Stats::of([4.0, 1.0, 3.0, 2.0]);
        assert_eq!((stats.count, stats.mean, stats.median, stats.p95, stats.max), (4, 2.5, 2.0, 4.0, 4.0));
        assert_eq!(Stats::of([]), Stats::default());
        assert_eq!(Stats::of((1..=100).map(f64::from)).p95, 95.0);
    }
}
