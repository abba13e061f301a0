//! Builds a report record by record.

use super::{Ending, JobRecord, Report, SiteInfo, SiteReport, Stats, UserReport, default_threshold};
use crate::quantity::{money, span};
use sched_model::internal::ExactSum;
use sched_model::{SiteId, Span, Time, UserId};
use std::collections::BTreeMap;

/// Builds a [`Report`] from records, which may come one by one and need not be kept.
///
/// It holds three numbers for each job that ran, since medians and percentiles need all values, and a few sums for
/// each site and user.
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
    /// Lower bound on the run time in the [bounded slowdown](JobRecord::bounded_slowdown); by default the customary
    /// 10 seconds.
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

/// Returns CPU time over the capacity of `cpus` CPUs during `makespan`; 0 where the capacity is 0.
fn utilisation(cpu_time: Span, makespan: Span, cpus: u64) -> f64 {
    let capacity = makespan.get() * cpus as f64;
    if capacity > 0.0 { cpu_time.get() / capacity } else { 0.0 }
}

impl Default for ReportBuilder {
    /// Creates a builder that has no job yet.
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
    /// Adds a job. The order of the jobs does not matter, except for the last bits of the CPU time of a site.
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

    /// Returns the report on the jobs added, for these sites. With n jobs: O(n log n).
    ///
    /// Parts on sites that are not given count in the totals and for their users, so the utilisation may exceed 1
    /// then. A site that is given twice has its results at its first place, and none at the second.
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
        let of_user = |(user, sums): (UserId, UserSums)| UserReport {
            user,
            jobs: sums.jobs,
            done: sums.done,
            paid: money(&sums.paid),
            cpu_time: span(sums.cpu_time.value()),
            wait: Stats::of(sums.waits),
            response: Stats::of(sums.responses),
            bounded_slowdown: Stats::of(sums.slowdowns),
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
            users: self.users.into_iter().map(of_user).collect(),
        }
    }
}
