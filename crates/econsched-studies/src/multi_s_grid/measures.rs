//! The measures of one run.

use super::MultiSGridStudy;
use super::scenarios::Scenario;
use super::simulator::{AssignedJob, SliceRecord, SystemOutcome};
use crate::stats::Moments;
use econsched::grid_sim::Ending;
use econsched::sched_model::{Machine, Site, UserId};

/// Seconds after the middle of a run from which its second half is measured: by then the queue has built up.
const UNTIL_THE_QUEUE_IS_LONG: f64 = 10.0;

econsched::sched_model::registry! {
    /// A measure of a run; its name is the heading of its column.
    pub enum Measure: "measure" {
        Processed = "processed, %",
        Cost = "cost, s",
        Completion = "completion, s",
        Failed = "failed, %",
        Starved = "starved, %",
        ProcessedBest = "processed, best QoS, %",
        ProcessedWorst = "processed, worst QoS, %",
        WaitBest = "wait, best QoS, s",
        WaitWorst = "wait, worst QoS, s",
        Variance = "variance of loads",
        LongestWait = "longest wait, s",
        /// Load of the site of the highest speed less that of the lowest, in percentage points.
        Lead = "lead of the fastest site, points",
        VarianceEarly = "variance of loads before the middle",
        VarianceLate = "variance of loads after the middle",
        VarianceOfMachines = "variance of loads of a site's machines",
        /// Costs of the auction's plans over the least costs of the same slices, less 100%.
        AboveOptimum = "cost of plans above the optimum, %",
        /// Slices in which fewer jobs wait than processors are free, while jobs arrive: the paper's definition of
        /// "under peak".
        FewerThanFree = "slices with fewer jobs than free processors, %",
        FewerThanFreeLate = "the same after the middle, %",
        /// Work offered over the capacity of all processors, as if nothing failed.
        Offered = "work offered over what the whole grid could do without failures",
        /// Slices in which the auction's plan is within n epsilon of the least cost, n the greater of jobs and
        /// processors.
        NearOptimum = "slices within n epsilon of the optimum, %",
        /// Slices of one job in which the auction takes its cheapest place.
        CheapestPlace = "slices of one job in which it gets the cheapest place, %",
        /// The auction's plans against those that give each job in turn its cheapest place.
        AboveGreedy = "cost of plans above those of greedy, %",
        /// Mean load of the sites that are up.
        LoadLate = "load of the sites after the middle, %",
        /// Mean over the assignments.
        MeanTimeToFailure = "mean time to failure of the machines used, s",
    }
}

impl Measure {
    /// The decimals that are shown.
    pub(super) const fn decimals(self) -> usize {
        match self {
            Self::Variance
            | Self::VarianceEarly
            | Self::VarianceLate
            | Self::VarianceOfMachines
            | Self::AboveOptimum => 4,
            Self::Cost
            | Self::Completion
            | Self::Failed
            | Self::WaitBest
            | Self::WaitWorst
            | Self::Offered
            | Self::AboveGreedy
            | Self::MeanTimeToFailure => 2,
            _ => 1,
        }
    }

    /// Whether it is a share, in per cent: what is so much above something else may be more than all.
    pub(super) fn is_share(self) -> bool {
        self.name().ends_with('%') && !matches!(self, Self::AboveOptimum | Self::AboveGreedy)
    }
}

/// What is measured of the plans of a run.
pub(super) type Judgement = [(Measure, f64); 4];

/// What is shown slice by slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Curve {
    /// Jobs done so far, per cent of all.
    Done,
    /// Mean cost so far.
    Cost,
    /// Variance of the loads of the sites.
    Variance,
}

impl Curve {
    /// The values of a run by slice; NaN where there is none.
    pub(super) fn of(self, outcome: &SystemOutcome, slices: u32) -> Vec<f64> {
        let mut curve = vec![f64::NAN; slices as usize];
        for slice in &outcome.slices {
            if let Some(point) = curve.get_mut(slice.at.get() as usize) {
                *point = match self {
                    Self::Done => percent(slice.done, outcome.records.len()),
                    // Before anything is assigned there is no mean.
                    Self::Cost if slice.mean_cost > 0.0 => slice.mean_cost,
                    Self::Cost => f64::NAN,
                    Self::Variance => slice.load_variance,
                };
            }
        }
        if let Some(last) = outcome.slices.last() {
            self.carry_on(&mut curve, last.at.get() as usize);
        }
        curve
    }

    /// Extends a curve after the last slice of its run: the jobs done and their mean cost stay, and all loads are
    /// 0. Without this the curves would end as means over the longest runs only.
    fn carry_on(self, curve: &mut [f64], last: usize) {
        let Some(&end) = curve.get(last) else { return };
        curve[last + 1..].fill(if self == Self::Variance { 0.0 } else { end });
    }
}

impl MultiSGridStudy {
    /// The values of a run by [`Measure`]; NaN where there is nothing to measure. `machines` says whether the
    /// loads of the machines of a site are compared.
    pub(super) fn measure(
        &self,
        outcome: &SystemOutcome,
        Scenario { sites, users, offered, .. }: &Scenario,
        machines: bool,
        judged: Judgement,
    ) -> [f64; Measure::ALL.len()] {
        let all = outcome.records.len();
        let done = |ending: &Ending| *ending == Ending::Done;
        let by_qos = || users.iter().map(|user| (user.qos, user.id));
        let best = by_qos().max().map(|(_, id)| id);
        let worst = by_qos().min().map(|(_, id)| id);
        let (middle, end) = (self.middle(), f64::from(self.slices));
        let late = middle + UNTIL_THE_QUEUE_IS_LONG;
        let mut values = [f64::NAN; Measure::ALL.len()];
        for &measure in Measure::ALL {
            values[measure as usize] = match measure {
                Measure::Processed => percent_ended(outcome, None, done),
                Measure::Cost => outcome.mean_cost,
                Measure::Completion => mean_completion(outcome),
                Measure::Failed => percent_ended(outcome, None, Ending::is_failure),
                Measure::Starved => percent(outcome.starved, all),
                Measure::ProcessedBest => percent_ended(outcome, best, done),
                Measure::ProcessedWorst => percent_ended(outcome, worst, done),
                Measure::WaitBest => mean_wait(outcome, best),
                Measure::WaitWorst => mean_wait(outcome, worst),
                Measure::Variance => variance_between(outcome, 5.0, self.arrivals()),
                Measure::LongestWait => longest_wait(outcome),
                Measure::Lead => self.lead(outcome, sites),
                Measure::VarianceEarly => variance_between(outcome, 5.0, middle),
                Measure::VarianceLate => variance_between(outcome, late, end),
                Measure::VarianceOfMachines if machines => self.machine_variance(outcome, sites),
                Measure::VarianceOfMachines => f64::NAN,
                Measure::FewerThanFree => fewer_than_free(outcome, 5.0, self.arrivals()),
                Measure::FewerThanFreeLate => fewer_than_free(outcome, late, end),
                Measure::Offered => *offered,
                Measure::LoadLate => mean_load_from(outcome, late),
                Measure::MeanTimeToFailure => mean_time_to_failure(outcome, sites),
                Measure::AboveOptimum
                | Measure::NearOptimum
                | Measure::CheapestPlace
                | Measure::AboveGreedy => continue,
            };
        }
        judged.into_iter().for_each(|(measure, value)| values[measure as usize] = value);
        values
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
        let leads = slices(outcome, 5.0, self.arrivals()).filter_map(|slice| {
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
            let jobs_of = |machine: &Machine| -> (f64, Vec<&AssignedJob>) {
                let on = |job: &&AssignedJob| (job.site, job.machine) == (site.id, machine.id);
                (f64::from(machine.cpus()), outcome.assignments.iter().filter(on).collect())
            };
            let machines: Vec<(f64, Vec<&AssignedJob>)> = site.machines().iter().map(jobs_of).collect();
            for slice in (5..self.slices).map(f64::from).take_while(|&at| at < self.arrivals()) {
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
}

/// The slices from one instant to another; there is one a second.
fn slices(outcome: &SystemOutcome, from: f64, to: f64) -> impl Iterator<Item = &SliceRecord> {
    outcome.slices.iter().filter(move |slice| (from..to).contains(&slice.at.get()))
}

/// Mean load of the sites that are up, from this instant on, in per cent.
fn mean_load_from(outcome: &SystemOutcome, from: f64) -> f64 {
    let late = slices(outcome, from, f64::INFINITY);
    100.0 * late.flat_map(|slice| slice.loads.iter().flatten().copied()).collect::<Moments>().mean()
}

/// Mean variance of the sites' loads in the slices from one instant to another.
fn variance_between(outcome: &SystemOutcome, from: f64, to: f64) -> f64 {
    slices(outcome, from, to).map(|slice| slice.load_variance).collect::<Moments>().mean()
}

/// Mean time to failure of the machine, over the assignments.
fn mean_time_to_failure(outcome: &SystemOutcome, sites: &[Site]) -> f64 {
    let used = outcome.assignments.iter().filter_map(|assignment| {
        let site = sites.iter().find(|site| site.id == assignment.site)?;
        let machine = site.machines().iter().find(|machine| machine.id == assignment.machine)?;
        Some(machine.mean_time_to_failure?.get())
    });
    used.collect::<Moments>().mean()
}

/// Mean speed of the processors of a site.
pub(super) fn mean_speed(site: &Site) -> f64 {
    let all: f64 = site.machines().iter().map(|m| m.speed.get() * f64::from(m.cpus())).sum();
    all / site.cpus() as f64
}

fn percent(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole as f64
}

/// Share of the slices from one instant to another in which fewer jobs wait than processors are free.
fn fewer_than_free(outcome: &SystemOutcome, from: f64, to: f64) -> f64 {
    let few = slices(outcome, from, to).filter(|slice| (slice.waiting as u64) < slice.free);
    percent(few.count(), slices(outcome, from, to).count())
}

/// Share of the jobs, of one user or of all, with such an ending.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_go_on_as_they_ended() {
        let none = f64::NAN;
        for (curve, ended, end) in [
            (Curve::Done, [1.0, none, 40.0, none, none], 40.0),
            (Curve::Variance, [0.5, none, 0.1, none, none], 0.0),
        ] {
            let mut points = ended;
            curve.carry_on(&mut points, 2);
            assert_eq!(points[2..], [ended[2], end, end]);
            assert!(points[1].is_nan());
        }
        Curve::Cost.carry_on(&mut [], 0);
    }
}
