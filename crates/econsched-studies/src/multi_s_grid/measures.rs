//! What is measured of one run.

use super::MultiSGridStudy;
use super::scenarios::Scenario;
use super::sweeps::MEASURES;
use crate::stats::Moments;
use econsched::grid_sim::Ending;
use econsched::grid_sim::multi_s_grid::{SliceRecord, SystemOutcome};
use econsched::sched_model::{Machine, Site, UserId};

impl MultiSGridStudy {
    pub(super) fn measure(
        &self,
        outcome: &SystemOutcome,
        Scenario { sites, users, offered, .. }: &Scenario,
        machines: bool,
    ) -> [f64; MEASURES.len()] {
        let all = outcome.records.len();
        let done = |ending: &Ending| *ending == Ending::Done;
        let failed = |ending: &Ending| ending.is_failure();
        let by_qos = || users.iter().map(|user| (user.user.qos, user.user.id));
        let best = by_qos().max().map(|(_, id)| id);
        let worst = by_qos().min().map(|(_, id)| id);
        [
            percent_ended(outcome, None, done),
            outcome.mean_cost,
            mean_completion(outcome),
            percent_ended(outcome, None, failed),
            percent(outcome.starved, all),
            percent_ended(outcome, best, done),
            percent_ended(outcome, worst, done),
            mean_wait(outcome, best),
            mean_wait(outcome, worst),
            self.variance_while_jobs_arrive(outcome),
            longest_wait(outcome),
            self.lead(outcome, sites),
            self.variance_between(outcome, 5.0, self.middle()),
            // Some slices after the middle the queue has built up.
            self.variance_between(outcome, self.middle() + 10.0, f64::from(self.slices)),
            if machines { self.machine_variance(outcome, sites) } else { f64::NAN },
            f64::NAN,
            fewer_than_free(outcome, 5.0, self.arrivals()),
            fewer_than_free(outcome, self.middle() + 10.0, f64::from(self.slices)),
            *offered,
            f64::NAN,
            f64::NAN,
            f64::NAN,
            self.load_after_the_middle(outcome),
            mean_time_to_failure(outcome, sites),
        ]
    }

    /// Mean load of the sites that are up, some slices after the middle of the run, in per cent.
    fn load_after_the_middle(&self, outcome: &SystemOutcome) -> f64 {
        let from = self.middle() + 10.0;
        let late = outcome.slices.iter().filter(|slice| slice.at.get() >= from);
        100.0 * late.flat_map(|slice| slice.loads.iter().flatten().copied()).collect::<Moments>().mean()
    }

    /// Variance of the sites' loads while jobs arrive, without the first slices.
    fn variance_while_jobs_arrive(&self, outcome: &SystemOutcome) -> f64 {
        let within = |slice: &&SliceRecord| slice.at.get() < self.arrivals();
        let slices = outcome.slices.iter().filter(within).skip(5);
        slices.map(|slice| slice.load_variance).collect::<Moments>().mean()
    }

    fn variance_between(&self, outcome: &SystemOutcome, from: f64, to: f64) -> f64 {
        let within = |slice: &&SliceRecord| (from..to).contains(&slice.at.get());
        outcome.slices.iter().filter(within).map(|slice| slice.load_variance).collect::<Moments>().mean()
    }

    /// Mean load of the site with the fastest processors less that of the site with the slowest, in
    /// percentage points, while jobs arrive; slices in which one of them is down are left out.
    fn lead(&self, outcome: &SystemOutcome, sites: &[Site]) -> f64 {
        let order =
            |a: &usize, b: &usize| mean_speed(&sites[*a]).total_cmp(&mean_speed(&sites[*b])).then(b.cmp(a));
        let (Some(fast), Some(slow)) = ((0..sites.len()).max_by(order), (0..sites.len()).min_by(order))
        else {
            return f64::NAN;
        };
        let within = |slice: &&SliceRecord| slice.at.get() < self.arrivals();
        let leads = outcome.slices.iter().filter(within).skip(5).filter_map(|slice| {
            let load = |site: usize| slice.loads.get(site).copied().flatten();
            Some(100.0 * (load(fast)? - load(slow)?))
        });
        leads.collect::<Moments>().mean()
    }

    /// Variance of the loads of a site's machines, mean over the sites of two machines and more and over the
    /// slices in which jobs arrive. A machine that is down has load 0.
    fn machine_variance(&self, outcome: &SystemOutcome, sites: &[Site]) -> f64 {
        let mut moments = Moments::default();
        for site in sites.iter().filter(|site| site.machines().len() > 1) {
            // One more job from `assigned` on, one fewer from `left` on.
            let mut changes: Vec<Vec<(f64, f64)>> = vec![Vec::new(); site.machines().len()];
            for assignment in outcome.assignments.iter().filter(|assignment| assignment.site == site.id()) {
                let place = site.machines().iter().position(|machine| machine.id() == assignment.machine);
                let Some(changes) = place.and_then(|place| changes.get_mut(place)) else { continue };
                changes.push((assignment.assigned.get(), 1.0));
                changes.extend(assignment.left.map(|left| (left.get(), -1.0)));
            }
            changes.iter_mut().for_each(|changes| changes.sort_by(|a, b| a.0.total_cmp(&b.0)));
            // Jobs on each machine now, and its next change.
            let mut busy = vec![(0.0, 0); changes.len()];
            for slice in (5..self.slices).map(f64::from).take_while(|&at| at < self.arrivals()) {
                for ((busy, next), changes) in busy.iter_mut().zip(&changes) {
                    while let Some(&(_, change)) = changes.get(*next).filter(|change| change.0 <= slice) {
                        *busy += change;
                        *next += 1;
                    }
                }
                let load =
                    |(&(busy, _), machine): (&(f64, usize), &Machine)| busy / f64::from(machine.cpus());
                let loads: Moments = busy.iter().zip(site.machines()).map(load).collect();
                let count = loads.count() as f64;
                moments.push(loads.variance() * (count - 1.0) / count);
            }
        }
        moments.mean()
    }
}

/// Mean time to failure of the machine, over the assignments.
fn mean_time_to_failure(outcome: &SystemOutcome, sites: &[Site]) -> f64 {
    let used = outcome.assignments.iter().filter_map(|assignment| {
        let site = sites.iter().find(|site| site.id() == assignment.site)?;
        let machine = site.machines().iter().find(|machine| machine.id() == assignment.machine)?;
        Some(machine.mean_time_to_failure()?.get())
    });
    used.collect::<Moments>().mean()
}

/// Mean speed of the processors of a site.
pub(super) fn mean_speed(site: &Site) -> f64 {
    let all: f64 = site.machines().iter().map(|m| m.speed().get() * f64::from(m.cpus())).sum();
    all / site.cpus() as f64
}

fn percent(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole as f64
}

/// Share of the slices from one instant to another in which fewer jobs wait than processors are free.
fn fewer_than_free(outcome: &SystemOutcome, from: f64, to: f64) -> f64 {
    let within = || outcome.slices.iter().filter(|slice| (from..to).contains(&slice.at.get()));
    percent(within().filter(|slice| (slice.waiting as u64) < slice.free).count(), within().count())
}

/// Share of the jobs, of one user or of all, that ended so.
fn percent_ended(outcome: &SystemOutcome, user: Option<UserId>, test: fn(&Ending) -> bool) -> f64 {
    let of = || outcome.records.iter().filter(|record| user.is_none_or(|user| record.user == user));
    percent(of().filter(|record| test(&record.ending)).count(), of().count())
}

fn mean_wait(outcome: &SystemOutcome, user: Option<UserId>) -> f64 {
    let of = outcome.records.iter().filter(|record| Some(record.user) == user);
    of.filter_map(|record| Some(record.wait()?.get())).collect::<Moments>().mean()
}

/// Mean time from arrival to end of the jobs that were done.
fn mean_completion(outcome: &SystemOutcome) -> f64 {
    let done = outcome.records.iter().filter(|record| record.ending == Ending::Done);
    done.filter_map(|record| Some(record.response()?.get())).collect::<Moments>().mean()
}

/// The longest wait; jobs that still wait count too.
fn longest_wait(outcome: &SystemOutcome) -> f64 {
    let end = outcome.end;
    let waits = outcome.records.iter().map(|record| record.wait().unwrap_or(end - record.submit).get());
    waits.fold(0.0, f64::max)
}
