//! The measures of one run.

use super::MultiSGridStudy;
use super::scenarios::Scenario;
use super::simulator::{AssignedJob, SliceRecord, SystemOutcome, is_failure};
use super::site::Site;
use crate::stats::Moments;
use econsched::grid_sim::{Ending, JobRecord};
use econsched::sched_model::{Machine, UserId};

/// Seconds from the middle of a run to the beginning of its measured second half: by then the queue has built up.
const UNTIL_THE_QUEUE_IS_LONG: f64 = 10.0;

/// The instant from which a run is measured.
const BEGUN: f64 = 5.0;

/// How a measure is shown and taken: the number of decimals, and its value for a run.
pub(super) struct MeasureSpec(pub(super) usize, pub(super) fn(&Run<'_>) -> f64);

econsched::sched_model::registry! {
    /// A measure of a run, whose name is the heading of its column. It is NaN if there is nothing to measure.
    pub(super) enum Measure: "measure" => MeasureSpec {
        Processed = "processed, %" => MeasureSpec(1, |run| run.percent_ended(None, is_done)),
        Cost = "cost, s" => MeasureSpec(2, |run| run.outcome.mean_cost),
        /// Time from arrival to end, over the jobs that were done.
        Completion = "completion, s" => MeasureSpec(2, |run| run.mean_completion()),
        Failed = "failed, %" => MeasureSpec(2, |run| run.percent_ended(None, is_failure)),
        Starved = "starved, %" => MeasureSpec(1, |run| percent(run.outcome.starved, run.outcome.records.len())),
        ProcessedBest = "processed, best QoS, %" => MeasureSpec(1, |run| run.percent_ended(run.best(), is_done)),
        ProcessedWorst = "processed, worst QoS, %" => MeasureSpec(1, |run| run.percent_ended(run.worst(), is_done)),
        WaitBest = "wait, best QoS, s" => MeasureSpec(2, |run| run.mean_wait(run.best())),
        WaitWorst = "wait, worst QoS, s" => MeasureSpec(2, |run| run.mean_wait(run.worst())),
        Variance = "variance of loads" => MeasureSpec(4, |run| run.variance(BEGUN, run.study.arrivals())),
        LongestWait = "longest wait, s" => MeasureSpec(1, |run| run.longest_wait()),
        /// Load of the site with the highest speed minus that of the site with the lowest, in percentage points.
        Lead = "lead of the fastest site, points" => MeasureSpec(1, |run| run.lead()),
        VarianceEarly = "variance of loads before the middle"
            => MeasureSpec(4, |run| run.variance(BEGUN, run.study.middle())),
        VarianceLate = "variance of loads after the middle" => MeasureSpec(4, |run| run.variance(run.late(), run.end())),
        VarianceOfMachines = "variance of loads of a site's machines" => MeasureSpec(4, |run| run.machine_variance()),
        /// Excess of the auction's costs over the minimum costs of the same slices.
        AboveOptimum = "cost of plans above the optimum, %" => MeasureSpec(4, |run| run.judged.above_optimum),
        /// Slices in which fewer jobs wait than processors are free, while jobs arrive: the paper's definition of
        /// "under peak".
        FewerThanFree = "slices with fewer jobs than free processors, %"
            => MeasureSpec(1, |run| run.fewer_than_free(BEGUN, run.study.arrivals())),
        FewerThanFreeLate = "the same after the middle, %"
            => MeasureSpec(1, |run| run.fewer_than_free(run.late(), run.end())),
        /// Work offered over the capacity of all processors, as if nothing failed.
        Offered = "work offered over what the whole grid could do without failures"
            => MeasureSpec(2, |run| run.scenario.offered),
        /// Slices in which the auction's plan is within n epsilon of the minimum cost, where n is the number of jobs
        /// or of processors, whichever is larger.
        NearOptimum = "slices within n epsilon of the optimum, %" => MeasureSpec(1, |run| run.judged.near_optimum),
        /// Slices of one job in which the auction gives it its cheapest place.
        CheapestPlace = "slices of one job in which it gets the cheapest place, %"
            => MeasureSpec(1, |run| run.judged.cheapest_place),
        /// Excess of the cost of the auction's plans over that of greedy plans, which give each job in turn its
        /// cheapest place.
        AboveGreedy = "cost of plans above those of greedy, %" => MeasureSpec(2, |run| run.judged.above_greedy),
        /// Mean load of the sites that are up.
        LoadLate = "load of the sites after the middle, %" => MeasureSpec(1, |run| run.mean_load_late()),
        /// Mean over the assignments.
        MeanTimeToFailure = "mean time to failure of the machines used, s"
            => MeasureSpec(2, |run| run.mean_time_to_failure()),
    }
}

impl Measure {
    /// Whether it is a share in per cent, from 0 to 100, and not an excess, which may be larger.
    pub(super) fn is_share(self) -> bool {
        self.name().ends_with('%') && !matches!(self, Self::AboveOptimum | Self::AboveGreedy)
    }
}

/// What is measured of the plans of a run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Judgement {
    pub(super) above_optimum: f64,
    pub(super) near_optimum: f64,
    pub(super) cheapest_place: f64,
    pub(super) above_greedy: f64,
}

/// A curve that figures show slice by slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Curve {
    /// Share of the jobs done so far, in per cent.
    Done,
    /// Mean cost of the jobs assigned so far.
    Cost,
    /// Variance of the loads of the sites.
    Variance,
}

impl Curve {
    /// Returns the values of a run by slice; NaN if there is none.
    pub(super) fn of(self, outcome: &SystemOutcome, slices: u32) -> Vec<f64> {
        let mut curve = vec![f64::NAN; slices as usize];
        for slice in &outcome.slices {
            if let Some(point) = curve.get_mut(slice.at.get() as usize) {
                *point = match self {
                    Self::Done => percent(slice.done, outcome.records.len()),
                    // Before anything is assigned, there is no mean.
                    Self::Cost if slice.mean_cost > 0.0 => slice.mean_cost,
                    Self::Cost => f64::NAN,
                    Self::Variance => slice.load_variance,
                };
            }
        }
        // After the last slice of a run, the jobs done and their mean cost stay, and all loads are 0. Otherwise the
        // ends of the curves would be means over the longest runs only.
        let last = outcome.slices.last().map_or(curve.len(), |last| last.at.get() as usize);
        if let Some((&mut end, rest)) = curve.get_mut(last..).and_then(<[f64]>::split_first_mut) {
            rest.fill(if self == Self::Variance { 0.0 } else { end });
        }
        curve
    }
}

/// A run to be measured.
pub(super) struct Run<'a> {
    pub(super) study: &'a MultiSGridStudy,
    pub(super) scenario: &'a Scenario,
    pub(super) outcome: &'a SystemOutcome,
    /// Whether the loads of the machines of a site are measured.
    pub(super) machines: bool,
    pub(super) judged: Judgement,
}

impl Run<'_> {
    fn end(&self) -> f64 {
        f64::from(self.study.slices)
    }

    fn late(&self) -> f64 {
        self.study.middle() + UNTIL_THE_QUEUE_IS_LONG
    }

    /// Returns the user with the best quality of service.
    fn best(&self) -> Option<UserId> {
        self.scenario.users.iter().map(|user| (user.qos, user.id)).max().map(|(_, id)| id)
    }

    fn worst(&self) -> Option<UserId> {
        self.scenario.users.iter().map(|user| (user.qos, user.id)).min().map(|(_, id)| id)
    }

    /// Returns the jobs of one user or of all.
    fn jobs(&self, user: Option<UserId>) -> impl Iterator<Item = &JobRecord> {
        self.outcome.records.iter().filter(move |record| user.is_none_or(|user| record.user == user))
    }

    /// Returns the share of the jobs, of one user or of all, whose ending satisfies `test`, in per cent.
    fn percent_ended(&self, user: Option<UserId>, test: fn(&Ending) -> bool) -> f64 {
        percent(self.jobs(user).filter(|record| test(&record.ending)).count(), self.jobs(user).count())
    }

    fn mean_wait(&self, user: Option<UserId>) -> f64 {
        self.jobs(user).filter_map(|record| Some(record.wait()?.get())).collect::<Moments>().mean()
    }

    fn mean_completion(&self) -> f64 {
        let done = self.jobs(None).filter(|record| is_done(&record.ending));
        done.filter_map(|record| Some(record.response()?.get())).collect::<Moments>().mean()
    }

    /// Returns the longest wait, including jobs that still wait.
    fn longest_wait(&self) -> f64 {
        let end = self.outcome.end;
        let waits = self.jobs(None).map(|record| record.wait().unwrap_or(end - record.submit).get());
        waits.fold(0.0, f64::max)
    }

    /// Returns the slices from `from` until before `to`; there is one slice a second.
    fn slices(&self, from: f64, to: f64) -> impl Iterator<Item = &SliceRecord> {
        self.outcome.slices.iter().filter(move |slice| (from..to).contains(&slice.at.get()))
    }

    fn mean_load_late(&self) -> f64 {
        let late = self.slices(self.late(), f64::INFINITY);
        100.0 * late.flat_map(|slice| slice.loads.iter().flatten().copied()).collect::<Moments>().mean()
    }

    /// Returns the mean, over these slices, of the variance of the sites' loads.
    fn variance(&self, from: f64, to: f64) -> f64 {
        self.slices(from, to).map(|slice| slice.load_variance).collect::<Moments>().mean()
    }

    /// Returns the share of these slices in which fewer jobs wait than processors are free, in per cent.
    fn fewer_than_free(&self, from: f64, to: f64) -> f64 {
        let few = self.slices(from, to).filter(|slice| (slice.waiting as u64) < slice.free);
        percent(few.count(), self.slices(from, to).count())
    }

    /// Returns the mean load of the site with the fastest processors minus that of the site with the slowest, in
    /// percentage points, while jobs arrive; slices in which one of them is down are left out.
    fn lead(&self) -> f64 {
        let sites = &self.scenario.sites;
        let order =
            |a: &usize, b: &usize| mean_speed(&sites[*a]).total_cmp(&mean_speed(&sites[*b])).then(b.cmp(a));
        let (Some(fast), Some(slow)) = ((0..sites.len()).max_by(order), (0..sites.len()).min_by(order))
        else {
            return f64::NAN;
        };
        let leads = self.slices(BEGUN, self.study.arrivals()).filter_map(|slice| {
            let load = |site: usize| slice.loads.get(site).copied().flatten();
            Some(100.0 * (load(fast)? - load(slow)?))
        });
        leads.collect::<Moments>().mean()
    }

    /// Returns the variance of the loads of a site's machines, as a mean over the sites with several machines and
    /// over the slices in which jobs arrive. A machine that is down has load 0.
    fn machine_variance(&self) -> f64 {
        let mut moments = Moments::default();
        for site in self.scenario.sites.iter().filter(|site| self.machines && site.machines.len() > 1) {
            let jobs_of = |machine: &Machine| -> (f64, Vec<&AssignedJob>) {
                let on = |job: &&AssignedJob| (job.site, job.machine) == (site.id, machine.id);
                (f64::from(machine.cpus()), self.outcome.assignments.iter().filter(on).collect())
            };
            let machines: Vec<(f64, Vec<&AssignedJob>)> = site.machines.iter().map(jobs_of).collect();
            let slices = (BEGUN as u32..self.study.slices).map(f64::from);
            for slice in slices.take_while(|&at| at < self.study.arrivals()) {
                let holds = |job: &&&AssignedJob| {
                    job.assigned.get() <= slice && job.left.is_none_or(|left| left.get() > slice)
                };
                let load =
                    |(cpus, jobs): &(f64, Vec<&AssignedJob>)| jobs.iter().filter(holds).count() as f64 / cpus;
                let loads: Moments = machines.iter().map(load).collect();
                let count = loads.count() as f64;
                moments.push(loads.variance() * (count - 1.0) / count);
            }
        }
        moments.mean()
    }

    /// Returns the mean time to failure of the machines used, as a mean over the assignments.
    fn mean_time_to_failure(&self) -> f64 {
        let used = self.outcome.assignments.iter().filter_map(|assignment| {
            let site = self.scenario.sites.iter().find(|site| site.id == assignment.site)?;
            let machine = site.machines.iter().find(|machine| machine.id == assignment.machine)?;
            Some(machine.mean_time_to_failure?.get())
        });
        used.collect::<Moments>().mean()
    }
}

/// Returns the mean speed of the processors of a site.
pub(super) fn mean_speed(site: &Site) -> f64 {
    let all: f64 = site.machines.iter().map(|m| m.speed.get() * f64::from(m.cpus())).sum();
    all / site.cpus() as f64
}

pub(super) fn percent(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole as f64
}

fn is_done(ending: &Ending) -> bool {
    *ending == Ending::Done
}
