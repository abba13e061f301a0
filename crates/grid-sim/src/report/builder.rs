//! A report record by record.

use super::{JobRecord, Report, SiteInfo, SiteReport, Stats, UserReport};
use crate::report::Ending;
use sched_model::{ExactSum, MAX_QUANTITY, Money, SiteId, Span, Time, UserId};
use std::collections::BTreeMap;

/// Makes a [`Report`] from records that come one by one and need not be kept.
///
/// It holds three numbers for each job that ran, since medians and percentiles need all values, and some sums
/// for each site and user.
///
/// ```
/// use grid_sim::{Easy, LocalJob, Overrun, ReportBuilder, SiteInfo, replay_stream};
/// use sched_model::*;
/// let machine = Machine::new(MachineId(0), 2, Speed::ETALON, Price::ZERO)?;
/// let five = Span::must(5.0);
/// let jobs: Vec<LocalJob> = (0..100u32)
///     .map(|id| LocalJob::new(JobId(id.into()), Time::must(f64::from(id) * 2.0), 1, five, five))
///     .collect::<Result<_, _>>()?;
/// let mut figures = ReportBuilder::new(Span::must(10.0));
/// let (in_turn, limit) = (jobs.iter().copied(), Limit::none());
/// replay_stream(&machine, Box::new(Easy), Overrun::Kill, in_turn, &mut limit.meter(), |record, _| {
///     figures.add(&record);
/// })?;
/// let report = figures.build(&[SiteInfo { id: SiteId(0), name: "machine".into(), cpus: 2 }]);
/// let whole = grid_sim::easy(&machine, &jobs)?.report;
/// assert_eq!((report.jobs, report.wait, report.cpu_time), (100, whole.wait, whole.cpu_time));
/// # Ok::<(), grid_sim::SimError>(())
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct ReportBuilder {
    threshold: Span,
    jobs: usize,
    ran: usize,
    first: Option<Time>,
    last_end: Option<Time>,
    endings: BTreeMap<String, usize>,
    cost: ExactSum,
    cpu_time: ExactSum,
    sites: BTreeMap<SiteId, SiteSums>,
    users: BTreeMap<UserId, UserSums>,
}

#[derive(Debug, Clone)]
struct SiteSums {
    jobs: usize,
    cpu_time: Span,
    earned: ExactSum,
}

impl SiteSums {
    fn new() -> Self {
        Self { jobs: 0, cpu_time: Span::ZERO, earned: ExactSum::new() }
    }
}

#[derive(Debug, Clone)]
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
    fn new() -> Self {
        let (paid, cpu_time) = (ExactSum::new(), ExactSum::new());
        let (waits, responses, slowdowns) = (Vec::new(), Vec::new(), Vec::new());
        Self { jobs: 0, done: 0, paid, cpu_time, waits, responses, slowdowns }
    }

    fn report(self, user: UserId) -> UserReport {
        UserReport {
            user,
            jobs: self.jobs,
            done: self.done,
            paid: money(&self.paid),
            cpu_time: span(&self.cpu_time),
            wait: Stats::of(self.waits),
            response: Stats::of(self.responses),
            bounded_slowdown: Stats::of(self.slowdowns),
        }
    }
}

/// A sum of charges as money, at most the greatest amount that there is.
pub(crate) fn money(sum: &ExactSum) -> Money {
    Money::new(sum.value().min(MAX_QUANTITY)).unwrap_or(Money::ZERO)
}

fn span(sum: &ExactSum) -> Span {
    Span::new(sum.value().min(MAX_QUANTITY)).unwrap_or(Span::ZERO)
}

/// CPU time over the capacity of so many CPUs; 0 where that is 0.
fn utilisation(cpu_time: Span, makespan: Span, cpus: u64) -> f64 {
    let capacity = makespan.get() * cpus as f64;
    if capacity > 0.0 { cpu_time.get() / capacity } else { 0.0 }
}

impl ReportBuilder {
    /// Of no job yet; `threshold` bounds the slowdown (10 seconds is customary).
    pub fn new(threshold: Span) -> Self {
        Self {
            threshold,
            jobs: 0,
            ran: 0,
            first: None,
            last_end: None,
            endings: BTreeMap::new(),
            cost: ExactSum::new(),
            cpu_time: ExactSum::new(),
            sites: BTreeMap::new(),
            users: BTreeMap::new(),
        }
    }

    /// Counts a job. The order of jobs does not matter, but for the last bits of the CPU time of a site.
    pub fn add(&mut self, record: &JobRecord) {
        self.jobs += 1;
        self.ran += usize::from(!record.parts.is_empty());
        self.first = Some(self.first.map_or(record.submit, |first| first.min(record.submit)));
        self.last_end = self.last_end.max(record.end());
        self.count_ending(&record.ending);
        let (cost, cpu_time) = (record.cost().get(), record.cpu_time().get());
        self.cost.add(cost);
        self.cpu_time.add(cpu_time);
        for (at, part) in record.parts.iter().enumerate() {
            let sums = self.sites.entry(part.site).or_insert_with(SiteSums::new);
            sums.jobs += usize::from(record.parts[..at].iter().all(|before| before.site != part.site));
            sums.cpu_time += record.held(part);
            sums.earned.add(part.cost.get());
        }
        let user = self.users.entry(record.user).or_insert_with(UserSums::new);
        user.jobs += 1;
        user.done += usize::from(record.ending == Ending::Done);
        user.paid.add(cost);
        user.cpu_time.add(cpu_time);
        user.waits.extend(record.wait().map(Span::get));
        user.responses.extend(record.response().map(Span::get));
        user.slowdowns.extend(record.bounded_slowdown(self.threshold));
    }

    fn count_ending(&mut self, ending: &Ending) {
        let name = match ending {
            Ending::Refused(_) => "refused".to_owned(),
            other => other.to_string(),
        };
        *self.endings.entry(name).or_default() += 1;
    }

    /// The figures of the jobs that came, on these sites: see [`Report::new`]. With n jobs: O(n log n).
    pub fn build(mut self, sites: &[SiteInfo]) -> Report {
        let makespan = self.last_end.zip(self.first).map_or(Span::ZERO, |(end, first)| end - first);
        let (cost, cpu_time) = (money(&self.cost), span(&self.cpu_time));
        let of_all = |values: fn(&UserSums) -> &[f64]| {
            let mut all = Vec::with_capacity(self.users.values().map(|user| values(user).len()).sum());
            self.users.values().for_each(|user| all.extend_from_slice(values(user)));
            Stats::of(all)
        };
        let (wait, response) = (of_all(|user| &user.waits), of_all(|user| &user.responses));
        let bounded_slowdown = of_all(|user| &user.slowdowns);
        let all_cpus = sites.iter().map(|site| site.cpus).fold(0, u64::saturating_add);
        let of_site = |site: &SiteInfo| {
            let sums = self.sites.remove(&site.id).unwrap_or_else(SiteSums::new);
            SiteReport {
                site: site.clone(),
                jobs: sums.jobs,
                cpu_time: sums.cpu_time,
                earned: money(&sums.earned),
                utilisation: utilisation(sums.cpu_time, makespan, site.cpus),
            }
        };
        Report {
            jobs: self.jobs,
            endings: self.endings,
            last_end: self.last_end,
            makespan,
            cost,
            mean_cost: if self.ran > 0 { cost.get() / self.ran as f64 } else { 0.0 },
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
