//! A. Raeisi Gahrouei, M. Ghatee, "Auction-based approximate algorithm for Grid system scheduling under resource provider
//! strategies": the strategies of a provider on the grids and users of Tables 1 and 2.

mod auction;
mod claims;
mod figures;
mod sweeps;

use crate::Study;
use crate::StudyError;
use crate::record::record;
use crate::report::Report;
use crate::stats::Moments;
use crate::{Failure, Replicates};
use auction::JudgedAuction;
use econsched::grid_sim::Ending;
use econsched::grid_sim::multi_s_grid::{
    self, AuctionScheduler, Config, Schedulers, SliceRecord, SystemOutcome,
};
use econsched::sched_model::{Job, JobId, Machine, Site, Time, UserId};
use econsched::workload_gen::multi_s_grid::{GridName, GridUser, JobProperties, UserGroup};
use econsched::workload_gen::sample::stream;
use figures::{curves, describe};
use sweeps::{AT_PEAK, BALANCE_UNDER, DEARER, MEASURES, RISES, SWEEPS, Sweep, UNDER_PEAK};

/// Strategies of a provider on failing grids.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
pub struct MultiSGrid {
    /// Seed of all that is drawn; 1 by default.
    pub seed: u64,
    /// Draws of grid, users and jobs: the ten grids of Table 1 in turn, each with both groups of Table 2; 100 by
    /// default.
    pub seeds: u64,
    /// Time slices of a run, one second each; jobs arrive in the first two thirds; 150 by default.
    pub slices: u32,
}

impl Default for MultiSGrid {
    fn default() -> Self {
        Self { seed: 1, seeds: 100, slices: 150 }
    }
}

setters!(MultiSGrid {
    /// The same with this seed.
    with_seed: seed: u64,
    /// The same with so many draws.
    with_seeds: seeds: u64,
    /// The same with so many slices.
    with_slices: slices: u32,
});

/// Jobs done so far (per cent of all), mean cost so far, variance of loads.
type Slice = [f64; 3];

struct Run {
    measures: [f64; MEASURES.len()],
    curve: Vec<Slice>,
    /// Busy share of each site by slice; kept for the runs that figures 12 to 15 show.
    loads: Vec<Vec<Option<f64>>>,
}

record!(Run { measures, curve, loads });

struct Scenario {
    sites: Vec<Site>,
    users: Vec<GridUser>,
    jobs: Vec<Job>,
}

/// The grid of figures 12 to 15: the first draw on seven sites (G3).
const SHOWN_GRID: u64 = 2;

impl MultiSGrid {
    fn arrivals(&self) -> f64 {
        f64::from(self.slices) * 2.0 / 3.0
    }

    fn scenario(&self, replicate: u64, load: f64) -> Result<Scenario, Failure> {
        let mut rng = stream(self.seed, replicate);
        let grids = GridName::ALL;
        let sites = grids[(replicate % 10) as usize].properties().generate(&mut rng)?;
        let group = UserGroup::ALL[(replicate / 10 % 2) as usize];
        let users = group.properties().generate(&mut rng)?;
        let properties = JobProperties::default();
        let gap = 1.0 / (load * capacity(&sites, &users, &properties));
        let jobs = (self.arrivals() / gap).ceil().clamp(1.0, 1e6) as u32;
        let jobs = properties.with_jobs(jobs).with_mean_gap(gap).generate(&users, &mut rng)?;
        Ok(Scenario { sites, users, jobs })
    }

    /// Under peak until the middle of the run, at peak after it: on the grid and with the users of `under`.
    fn rising(&self, replicate: u64, under: &Scenario) -> Result<Scenario, Failure> {
        let Scenario { sites, users, jobs } = under;
        let middle = self.middle();
        // A stream of its own: the jobs of the other scenarios stay what they are.
        let mut rng = stream(self.seed ^ 0x5249_5345, replicate);
        let properties = JobProperties::default();
        let gap = 1.0 / (AT_PEAK * capacity(sites, users, &properties));
        let count = ((f64::from(self.slices) - middle) / gap).ceil().clamp(1.0, 1e6) as u32;
        let late = properties.with_jobs(count).with_mean_gap(gap).generate(users, &mut rng)?;
        let mut all: Vec<Job> = jobs.iter().filter(|job| job.submit.get() < middle).copied().collect();
        for job in late {
            let submit = Time::new(job.submit.get() + middle)?;
            all.push(Job { id: JobId(all.len() as u64), submit, ..job });
        }
        for (id, job) in (0..).zip(&mut all) {
            job.id = JobId(id);
        }
        Ok(Scenario { sites: sites.clone(), users: users.clone(), jobs: all })
    }

    /// The 75th of 150 slices, after which figure 17 is at peak.
    fn middle(&self) -> f64 {
        f64::from(self.slices / 2)
    }

    fn simulate(
        &self,
        replicate: u64,
        scenario: &Scenario,
        (sweep, value): (&Sweep, f64),
    ) -> Result<Run, Failure> {
        let (strategy, rule) = (sweep.strategy(value), sweep.rule(value));
        let config = Config::default()
            .with_strategy(strategy)
            .with_local(rule)
            .with_slices(self.slices)
            .with_trace(true);
        let Scenario { sites, users, jobs } = scenario;
        let grid = multi_s_grid::MultiSGrid::new(sites).with_users(users).with_config(config);
        let grid = grid.with_seed(self.seed).with_replicate(replicate);
        let (outcome, dearer) = match sweep.epsilon(value) {
            Some(epsilon) => {
                let mut judged = JudgedAuction::new(AuctionScheduler { strategy, epsilon });
                let mut local = rule.unwrap_or_default();
                let schedulers = Schedulers { global: &mut judged, local: &mut local };
                (grid.run_under(jobs, schedulers)?, judged.dearer_percent())
            }
            None => (grid.run(jobs)?, 0.0),
        };
        let mut curve = vec![[f64::NAN; 3]; self.slices as usize];
        let mut loads = Vec::new();
        for slice in &outcome.slices {
            let done = 100.0 * slice.done as f64 / jobs.len() as f64;
            if let Some(point) = curve.get_mut(slice.at.get() as usize) {
                *point = [done, slice.mean_cost, slice.load_variance];
            }
            if replicate == SHOWN_GRID {
                loads.push(slice.loads.clone());
            }
        }
        let mut measures = self.measure(&outcome, scenario, rule.is_some());
        measures[DEARER] = dearer;
        Ok(Run { measures, curve, loads })
    }

    fn measure(
        &self,
        outcome: &SystemOutcome,
        Scenario { sites, users, .. }: &Scenario,
        machines: bool,
    ) -> [f64; MEASURES.len()] {
        let share = |part: usize, whole: usize| 100.0 * part as f64 / whole as f64;
        let all = outcome.records.len();
        let ended = |user: Option<UserId>, test: fn(&Ending) -> bool| {
            let of = outcome.records.iter().filter(|record| user.is_none_or(|user| record.user == user));
            let (mut whole, mut part) = (0, 0);
            for record in of {
                whole += 1;
                part += usize::from(test(&record.ending));
            }
            share(part, whole)
        };
        let done = |ending: &Ending| *ending == Ending::Done;
        let failed = |ending: &Ending| ending.is_failure();
        let by_qos = || users.iter().map(|user| (user.user.qos, user.user.id));
        let best = by_qos().max().map(|(_, id)| id);
        let worst = by_qos().min().map(|(_, id)| id);
        let wait = |user: Option<UserId>| {
            let of = outcome.records.iter().filter(|record| Some(record.user) == user);
            of.filter_map(|record| Some(record.wait()?.get())).collect::<Moments>().mean()
        };
        let within = |slice: &&SliceRecord| slice.at.get() < self.arrivals();
        let variance: Moments =
            outcome.slices.iter().filter(within).skip(5).map(|slice| slice.load_variance).collect();
        // Jobs that still wait count too.
        let end = outcome.end;
        let longest = outcome.records.iter().map(|record| record.wait().unwrap_or(end - record.submit).get());
        let completion: Moments = outcome
            .records
            .iter()
            .filter(|record| record.ending == Ending::Done)
            .filter_map(|record| Some(record.response()?.get()))
            .collect();
        [
            ended(None, done),
            outcome.mean_cost,
            completion.mean(),
            ended(None, failed),
            share(outcome.starved, all),
            ended(best, done),
            ended(worst, done),
            wait(best),
            wait(worst),
            variance.mean(),
            longest.fold(0.0, f64::max),
            self.lead(outcome, sites),
            self.variance_between(outcome, 5.0, self.middle()),
            // Some slices after the middle the queue has built up.
            self.variance_between(outcome, self.middle() + 10.0, f64::from(self.slices)),
            if machines { self.machine_variance(outcome, sites) } else { f64::NAN },
            f64::NAN,
        ]
    }

    fn variance_between(&self, outcome: &SystemOutcome, from: f64, to: f64) -> f64 {
        let within = |slice: &&SliceRecord| (from..to).contains(&slice.at.get());
        outcome.slices.iter().filter(within).map(|slice| slice.load_variance).collect::<Moments>().mean()
    }

    /// Mean load of the site with the fastest processors less that of the site with the slowest, in percentage points,
    /// while jobs arrive; slices in which one of them is down are left out.
    fn lead(&self, outcome: &SystemOutcome, sites: &[Site]) -> f64 {
        let speed = |site: &Site| {
            let all: f64 = site.machines().iter().map(|m| m.speed().get() * f64::from(m.cpus())).sum();
            all / site.cpus() as f64
        };
        let order = |a: &usize, b: &usize| speed(&sites[*a]).total_cmp(&speed(&sites[*b])).then(b.cmp(a));
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

    /// Variance of the loads of a site's machines, mean over the sites of two machines and more and over the slices in
    /// which jobs arrive. A machine that is down has load 0.
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

    fn replicate(&self, index: u64) -> Result<Vec<Vec<Run>>, Failure> {
        let under = self.scenario(index, UNDER_PEAK)?;
        let peak = self.scenario(index, AT_PEAK)?;
        let rising = self.rising(index, &under)?;
        let sweep = |sweep: &Sweep| {
            let scenario = match sweep.load {
                RISES => &rising,
                AT_PEAK => &peak,
                _ => &under,
            };
            sweep.parameter.values.iter().map(|&x| self.simulate(index, scenario, (sweep, x))).collect()
        };
        SWEEPS.iter().map(sweep).collect()
    }
}

/// Jobs per second that all processors together can serve: each job holds one for its transfer over the slower of two
/// links and its processing. Mean values; failures are left out.
fn capacity(sites: &[Site], users: &[GridUser], jobs: &JobProperties) -> f64 {
    let middle = |range: &std::ops::RangeInclusive<f64>| 0.5 * (range.start() + range.end());
    let (length, input) = (middle(&jobs.length), middle(&jobs.input));
    let mut rate = 0.0;
    for site in sites {
        let link = site.bandwidth().map_or(f64::INFINITY, |bandwidth| bandwidth.get());
        let transfer: Moments = users.iter().map(|user| input / link.min(user.bandwidth.get())).collect();
        for machine in site.machines() {
            rate += f64::from(machine.cpus()) / (transfer.mean() + length / machine.speed().get());
        }
    }
    rate
}

/// One value of a sweep over the replicates.
#[derive(Default, Clone)]
struct Point {
    measures: [Moments; MEASURES.len()],
    curve: Vec<[Moments; 3]>,
}

fn push(moments: &mut Moments, value: f64) {
    if value.is_finite() {
        moments.push(value);
    }
}

impl Point {
    fn push(&mut self, run: &Run) {
        for at in 0..MEASURES.len() {
            push(&mut self.measures[at], run.measures[at]);
        }
        self.curve.resize(run.curve.len(), Default::default());
        for (moments, slice) in self.curve.iter_mut().zip(&run.curve) {
            moments.iter_mut().zip(slice).for_each(|(moments, &value)| push(moments, value));
        }
    }
}

#[derive(Default)]
struct Tally {
    sweeps: Vec<Vec<Point>>,
    /// By replicate, sweep and value.
    measures: Vec<Vec<Vec<[f64; MEASURES.len()]>>>,
    /// Loads of the sites of one grid, without balancing and with it.
    loads: [Vec<Vec<Option<f64>>>; 2],
}

impl Tally {
    fn push(&mut self, mut replicate: Vec<Vec<Run>>) {
        let measures = |runs: &Vec<Run>| runs.iter().map(|run| run.measures).collect();
        self.measures.push(replicate.iter().map(measures).collect());
        self.sweeps.resize(SWEEPS.len(), Vec::new());
        for (points, runs) in self.sweeps.iter_mut().zip(&replicate) {
            points.resize(runs.len(), Point::default());
            for (point, run) in points.iter_mut().zip(runs) {
                point.push(run);
            }
        }
        for (ours, run) in self.loads.iter_mut().zip(&mut replicate[BALANCE_UNDER]) {
            if !run.loads.is_empty() {
                *ours = std::mem::take(&mut run.loads);
            }
        }
    }
}

impl Study for MultiSGrid {
    fn name(&self) -> &'static str {
        "multi-s-grid"
    }

    fn command(&self) -> String {
        format!(
            "econsched study multi-s-grid --seeds {} --slices {} --seed {}",
            self.seeds, self.slices, self.seed
        )
    }

    fn run(&self, replicates: &Replicates) -> Result<Report, StudyError> {
        if self.seeds < 2 || self.slices < 15 {
            return Err(StudyError::config("--seeds must be at least 2, and --slices at least 15"));
        }
        let mut tally = Tally::default();
        let one = |index| self.replicate(index);
        replicates.run("grids", self.seeds, one, |replicate| tally.push(replicate))?;
        replicates.complete()?;
        let mut report = Report::titled("report.md", "Strategies of a provider (Raeisi Gahrouei, Ghatee)");
        report.paragraph(format!(
            "{} draws over the ten grids of Table 1 and both groups of Table 2, seed {}; {} slices of 1 s, jobs arrive in \
             the first {:.0} s. Work offered is {UNDER_PEAK} of what the grid can do under peak and {AT_PEAK} at peak. \
             Machines and links fail and are repaired after 10 s; failed jobs leave. ± is the 95% confidence interval. \
             Cost is transfer and processing time of assigned jobs; completion runs from arrival to end, for jobs done; \
             a job has starved after 10 s of waiting.",
            self.seeds,
            self.seed,
            self.slices,
            self.arrivals(),
        ));
        for (sweep, points) in SWEEPS.iter().zip(&tally.sweeps) {
            describe(sweep, points, &mut report);
        }
        report.judge("verdicts", claims::claims(&tally));
        curves(&tally, &mut report);
        Ok(report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_number_of_threads_gives_the_same_files() {
        crate::assert_same_for_any_threads(&MultiSGrid::default().with_seeds(4).with_slices(15));
    }
}
