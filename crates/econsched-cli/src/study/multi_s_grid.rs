//! A. Raeisi Gahrouei, M. Ghatee, "Auction-based approximate algorithm for Grid system scheduling under resource provider
//! strategies": the strategies of a provider on the grids and users of Tables 1 and 2.

use super::replicates::{Failure, Replicates};
use super::report::{Cell, Report, Table};
use super::{Common, Rerun};
use crate::charts::{Bar, Lines};
use crate::error::CliError;
use crate::stats::{Estimate, Moments};
use econsched::auction_assign::strategy::{Mode, Strategy};
use econsched::grid_sim::Ending;
use econsched::grid_sim::multi_s_grid::{Config, SystemOutcome, run};
use econsched::sched_model::{Job, Site, UserId};
use econsched::workload_gen::multi_s_grid::{GridName, GridUser, JobProperties, UserGroup};
use econsched::workload_gen::sample::stream;

/// Work offered over what the grid can do while jobs arrive.
const UNDER_PEAK: f64 = 0.6;
const AT_PEAK: f64 = 1.5;

/// Options of the study.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Draws of grid, users and jobs: the ten grids of Table 1 in turn, each with both groups of Table 2
    #[arg(long, default_value_t = 100)]
    seeds: u64,
    /// Time slices of a run, one second each; jobs arrive in the first two thirds
    #[arg(long, default_value_t = 150)]
    slices: u32,
    #[command(flatten)]
    common: Common,
}

/// What is measured of a run.
const MEASURES: [(&str, usize); 11] = [
    ("processed, %", 1),
    ("cost, s", 2),
    ("completion, s", 2),
    ("failed, %", 2),
    ("starved, %", 1),
    ("processed, best QoS, %", 1),
    ("processed, worst QoS, %", 1),
    ("wait, best QoS, s", 2),
    ("wait, worst QoS, s", 2),
    ("variance of loads", 4),
    ("longest wait, s", 1),
];
const PROCESSED: usize = 0;
const COST: usize = 1;
const COMPLETION: usize = 2;
const FAILED: usize = 3;
const STARVED: usize = 4;
const BEST: usize = 5;
const WORST: usize = 6;
const VARIANCE: usize = 9;
const LONGEST: usize = 10;

/// One parameter raised while the rest stays.
struct Sweep {
    name: &'static str,
    title: &'static str,
    parameter: &'static str,
    load: f64,
    values: &'static [f64],
    strategy: fn(f64) -> Strategy,
    shown: &'static [usize],
}

fn plain() -> Strategy {
    Strategy::default()
}

const SP: usize = 0;
const FP_UNDER: usize = 2;
const FP_PEAK: usize = 3;
const QP: usize = 4;
const QP_WEIGHTED: usize = 5;
const BALANCE_UNDER: usize = 6;
const BALANCE_PEAK: usize = 7;

const STARVATION: &[usize] = &[PROCESSED, COST, COMPLETION, STARVED, LONGEST];
const QUALITY: &[usize] = &[PROCESSED, BEST, WORST, 7, 8];

const SWEEPS: [Sweep; 8] = [
    Sweep {
        name: "sp",
        title: "Starvation prevention at peak",
        parameter: "sp",
        load: AT_PEAK,
        values: &[0.0, 0.5, 1.0, 1.5, 2.0],
        strategy: |sp| plain().with_starvation_prevention(sp),
        shown: STARVATION,
    },
    Sweep {
        name: "sp_weighted",
        title: "Starvation prevention at peak, weighted mode (not in the paper)",
        parameter: "sp",
        load: AT_PEAK,
        values: &[0.0, 0.5, 1.0, 1.5, 2.0],
        strategy: |sp| plain().with_mode(Mode::Weighted).with_starvation_prevention(sp),
        shown: STARVATION,
    },
    Sweep {
        name: "fp_under",
        title: "Fail prevention under peak",
        parameter: "fp",
        load: UNDER_PEAK,
        values: &[0.0, 0.5, 1.0, 2.0, 4.0],
        strategy: |fp| plain().with_fail_prevention(fp),
        shown: &[PROCESSED, FAILED, COST],
    },
    Sweep {
        name: "fp_peak",
        title: "Fail prevention at peak",
        parameter: "fp",
        load: AT_PEAK,
        values: &[0.0, 0.5, 1.0, 2.0, 4.0],
        strategy: |fp| plain().with_fail_prevention(fp),
        shown: &[PROCESSED, FAILED, COST],
    },
    Sweep {
        name: "qp",
        title: "Quality of service at peak",
        parameter: "qp",
        load: AT_PEAK,
        values: &[0.0, 0.5, 1.0, 2.0, 3.0, 4.0],
        strategy: |qp| plain().with_quality_of_service(qp),
        shown: QUALITY,
    },
    Sweep {
        name: "qp_weighted",
        title: "Quality of service at peak, weighted mode (not in the paper)",
        parameter: "qp",
        load: AT_PEAK,
        values: &[0.0, 0.5, 1.0, 2.0, 3.0, 4.0],
        strategy: |qp| plain().with_mode(Mode::Weighted).with_quality_of_service(qp),
        shown: QUALITY,
    },
    Sweep {
        name: "balance_under",
        title: "Load balancing under peak",
        parameter: "balancing",
        load: UNDER_PEAK,
        values: &[0.0, 1.0],
        strategy: |on| plain().with_balancing(on > 0.0),
        shown: &[VARIANCE, PROCESSED, COST, COMPLETION],
    },
    Sweep {
        name: "balance_peak",
        title: "Load balancing at peak",
        parameter: "balancing",
        load: AT_PEAK,
        values: &[0.0, 1.0],
        strategy: |on| plain().with_balancing(on > 0.0),
        shown: &[VARIANCE, PROCESSED, COST, COMPLETION],
    },
];

/// Jobs done so far (per cent of all), mean cost so far, variance of loads.
type Slice = [f64; 3];

struct Run {
    measures: [f64; MEASURES.len()],
    curve: Vec<Slice>,
    /// Busy share of each site by slice; kept for the runs that figures 12 to 15 show.
    loads: Vec<Vec<Option<f64>>>,
}

struct Scenario {
    sites: Vec<Site>,
    users: Vec<GridUser>,
    jobs: Vec<Job>,
}

/// The grid of figures 12 to 15: the first draw on seven sites (G3).
const SHOWN_GRID: u64 = 2;

impl Options {
    fn arrivals(&self) -> f64 {
        f64::from(self.slices) * 2.0 / 3.0
    }

    fn scenario(&self, replicate: u64, load: f64) -> Result<Scenario, Failure> {
        let mut rng = stream(self.common.seed, replicate);
        let grids = GridName::ALL;
        let sites = grids[(replicate % 10) as usize].properties().generate(&mut rng)?;
        let group = UserGroup::ALL[(replicate / 10 % 2) as usize];
        let users = group.properties().generate(&mut rng)?;
        let properties = JobProperties::default();
        let gap = 1.0 / (load * capacity(&sites, &users, &properties));
        let jobs = (self.arrivals() / gap).ceil().clamp(1.0, 1e6) as u32;
        let jobs = properties.jobs(jobs).mean_gap(gap).generate(&users, &mut rng)?;
        Ok(Scenario { sites, users, jobs })
    }

    fn simulate(&self, replicate: u64, scenario: &Scenario, strategy: Strategy) -> Result<Run, Failure> {
        let config = Config::default().strategy(strategy).slices(self.slices).trace(true);
        let Scenario { sites, users, jobs } = scenario;
        let outcome = run(sites, users, jobs, &config, self.common.seed, replicate)?;
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
        Ok(Run { measures: self.measure(&outcome, users), curve, loads })
    }

    fn measure(&self, outcome: &SystemOutcome, users: &[GridUser]) -> [f64; MEASURES.len()] {
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
        let failed = |ending: &Ending| matches!(ending, Ending::MachineFailed | Ending::LinkFailed);
        let by_qos = || users.iter().map(|user| (user.user.qos, user.user.id));
        let best = by_qos().max().map(|(_, id)| id);
        let worst = by_qos().min().map(|(_, id)| id);
        let wait = |user: Option<UserId>| {
            let of = outcome.records.iter().filter(|record| Some(record.user) == user);
            of.filter_map(|record| Some(record.wait()?.get())).collect::<Moments>().mean()
        };
        let within =
            |slice: &&econsched::grid_sim::multi_s_grid::SliceRecord| slice.at.get() < self.arrivals();
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
        ]
    }

    fn replicate(&self, index: u64) -> Result<Vec<Vec<Run>>, Failure> {
        let under = self.scenario(index, UNDER_PEAK)?;
        let peak = self.scenario(index, AT_PEAK)?;
        let sweep = |sweep: &Sweep| {
            let scenario = if sweep.load == AT_PEAK { &peak } else { &under };
            sweep.values.iter().map(|&x| self.simulate(index, scenario, (sweep.strategy)(x))).collect()
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
    /// Against the first value of the sweep, paired.
    differences: [Moments; MEASURES.len()],
    /// Against the value before.
    steps: [Moments; MEASURES.len()],
    curve: Vec<[Moments; 3]>,
}

fn push(moments: &mut Moments, value: f64) {
    if value.is_finite() {
        moments.push(value);
    }
}

impl Point {
    fn push(&mut self, run: &Run, first: &Run, before: &Run) {
        for at in 0..MEASURES.len() {
            push(&mut self.measures[at], run.measures[at]);
            push(&mut self.differences[at], run.measures[at] - first.measures[at]);
            push(&mut self.steps[at], run.measures[at] - before.measures[at]);
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
    /// Loads of the sites of one grid, without balancing and with it.
    loads: [Vec<Vec<Option<f64>>>; 2],
}

impl Tally {
    fn push(&mut self, mut replicate: Vec<Vec<Run>>) {
        self.sweeps.resize(SWEEPS.len(), Vec::new());
        for (points, runs) in self.sweeps.iter_mut().zip(&replicate) {
            points.resize(runs.len(), Point::default());
            for (at, (point, run)) in points.iter_mut().zip(runs).enumerate() {
                point.push(run, &runs[0], &runs[at.saturating_sub(1)]);
            }
        }
        for (ours, run) in self.loads.iter_mut().zip(&mut replicate[BALANCE_UNDER]) {
            if !run.loads.is_empty() {
                *ours = std::mem::take(&mut run.loads);
            }
        }
    }
}

impl Rerun for Options {
    fn common(&self) -> &Common {
        &self.common
    }

    fn report(&self, replicates: &Replicates) -> Result<Report, CliError> {
        if self.seeds < 2 || self.slices < 15 {
            return Err(CliError::usage("--seeds must be at least 2, and --slices at least 15"));
        }
        let mut tally = Tally::default();
        let one = |index| self.replicate(index);
        replicates.run("grids", self.seeds, one, |replicate| tally.push(replicate))?;
        let mut report = Report::titled("report.md", "Strategies of a provider (Raeisi Gahrouei, Ghatee)");
        report.paragraph(format!(
            "{} draws over the ten grids of Table 1 and both groups of Table 2, seed {}; {} slices of 1 s, jobs arrive in \
             the first {:.0} s. Work offered is {UNDER_PEAK} of what the grid can do under peak and {AT_PEAK} at peak. \
             Machines and links fail and are repaired after 10 s; failed jobs leave. ± is the 95% confidence interval. \
             Cost is transfer and processing time of assigned jobs; completion runs from arrival to end, for jobs done; \
             a job has starved after 10 s of waiting.",
            self.seeds,
            self.common.seed,
            self.slices,
            self.arrivals(),
        ));
        for (sweep, points) in SWEEPS.iter().zip(&tally.sweeps) {
            describe(sweep, points, &mut report);
        }
        claims(&tally, &mut report);
        curves(&tally, &mut report);
        Ok(report)
    }
}

fn describe(sweep: &Sweep, points: &[Point], report: &mut Report) {
    let mut columns = vec![sweep.parameter];
    columns.extend(sweep.shown.iter().map(|&at| MEASURES[at].0));
    let mut table = Table::new(sweep.name, sweep.title, &columns);
    for (&x, point) in sweep.values.iter().zip(points) {
        let mut cells = vec![match (sweep.parameter, x > 0.0) {
            ("balancing", true) => "on".into(),
            ("balancing", false) => "off".into(),
            _ => Cell::Number(x, 1),
        }];
        cells.extend(
            sweep.shown.iter().map(|&at| Cell::Estimate(point.measures[at].estimate(), MEASURES[at].1)),
        );
        table.push(cells);
    }
    report.table(table);
}

fn claims(tally: &Tally, report: &mut Report) {
    let mut table = Table::new(
        "claims",
        "The paper's claims: change from the first value to the second, paired",
        &["claim", "sweep", "from", "to", "change", "holds"],
    );
    let mut claim = |text: &str, at: usize, measure: usize, from: usize, to: usize, sign: f64| {
        let point = &tally.sweeps[at][to];
        let moments = if from == 0 { &point.differences[measure] } else { &point.steps[measure] };
        let change: Estimate = moments.estimate();
        let (low, high) = (change.mean - change.half, change.mean + change.half);
        let holds = match () {
            () if sign == 0.0 => {
                if low <= 0.0 && high >= 0.0 {
                    "yes"
                } else {
                    "no"
                }
            }
            () if sign * low > 0.0 && sign * high > 0.0 => "yes",
            () if sign * low < 0.0 && sign * high < 0.0 => "no",
            () => "open",
        };
        let values = SWEEPS[at].values;
        let cells = [text, SWEEPS[at].name].map(Cell::from).into_iter();
        let cells = cells.chain([values[from], values[to]].map(|x| Cell::Number(x, 1)));
        let change = Cell::Estimate(change, MEASURES[measure].1 + 1);
        table.push(cells.chain([change, holds.into()]).collect());
    };
    claim("sp: fewer jobs are processed, %", SP, PROCESSED, 0, 4, -1.0);
    claim("sp: assigned jobs cost more, s", SP, COST, 0, 4, 1.0);
    claim("sp: completion takes longer, s", SP, COMPLETION, 0, 4, 1.0);
    claim("sp: the longest wait is shorter, s", SP, LONGEST, 0, 3, -1.0);
    claim("sp: no use beyond 1.5 (longest wait, s)", SP, LONGEST, 3, 4, 0.0);
    claim("sp: fewer jobs wait above 10 s, %", SP, STARVED, 0, 3, -1.0);
    claim("fp: fewer jobs fail, %", FP_UNDER, FAILED, 0, 4, -1.0);
    claim("fp: fewer jobs fail, %", FP_PEAK, FAILED, 0, 4, -1.0);
    for sweep in [QP, QP_WEIGHTED] {
        claim("qp: more jobs of the best user, %", sweep, BEST, 0, 3, 1.0);
        claim("qp: fewer jobs of the worst user, %", sweep, WORST, 0, 3, -1.0);
        claim("qp: constant from 2 on (best user, %)", sweep, BEST, 3, 4, 0.0);
    }
    claim("balancing: less variance of loads", BALANCE_UNDER, VARIANCE, 0, 1, -1.0);
    claim("balancing: no effect at peak", BALANCE_PEAK, VARIANCE, 0, 1, 0.0);
    report.table(table);
}

fn curves(tally: &Tally, report: &mut Report) {
    let by_slice = |title: &str, y: &str, sweeps: &[(usize, usize, String)], column: usize| {
        let mut lines = Lines::new(title, "time slice", y).without_markers();
        for (sweep, value, label) in sweeps {
            let curve = &tally.sweeps[*sweep][*value].curve;
            let points = curve.iter().enumerate().filter(|(_, slice)| slice[column].count() > 0);
            lines = lines.series(label, points.map(|(at, slice)| (at as f64, slice[column].mean())));
        }
        lines
    };
    let values = |sweep: usize| {
        let name = SWEEPS[sweep].parameter;
        SWEEPS[sweep].values.iter().enumerate().map(move |(at, x)| (sweep, at, format!("{name} = {x}")))
    };
    let sp: Vec<_> = values(SP).collect();
    report.chart("fig7", by_slice("Processed jobs", "per cent of all", &sp, 0));
    report.chart("fig8", by_slice("Mean cost of the jobs assigned so far", "seconds", &sp, 1));
    let of = |sweep: usize, measure: usize| {
        let points = SWEEPS[sweep].values.iter().zip(&tally.sweeps[sweep]);
        points.map(move |(&x, point)| (x, Bar::from(point.measures[measure].estimate())))
    };
    let completion =
        Lines::new("Completion time of jobs done", "sp", "seconds").series("completion", of(SP, COMPLETION));
    report.chart("fig9", completion);
    let failed = Lines::new("Failed jobs", "fp", "per cent of all")
        .series("under peak", of(FP_UNDER, FAILED))
        .series("at peak", of(FP_PEAK, FAILED));
    report.chart("fig10", failed);
    let quality = Lines::new("Processed jobs by quality of service", "qp", "per cent of the user's jobs")
        .series("best", of(QP, BEST))
        .series("worst", of(QP, WORST))
        .series("best, weighted mode", of(QP_WEIGHTED, BEST))
        .series("worst, weighted mode", of(QP_WEIGHTED, WORST));
    report.chart("fig11", quality);
    let figures = [("fig14", "fig15", "without balancing"), ("fig12", "fig13", "with balancing")];
    for (loads, (all, two, how)) in tally.loads.iter().zip(figures) {
        let sites = loads.first().map_or(0, Vec::len);
        let chart = |which: &[usize]| {
            let mut lines =
                Lines::new(format!("Load of the sites of G3 under peak, {how}"), "time slice", "busy share")
                    .without_markers();
            for &site in which {
                let points =
                    loads.iter().enumerate().filter_map(|(at, loads)| Some((at as f64, loads[site]?)));
                lines = lines.series(format!("site {}", site + 1), points);
            }
            lines
        };
        report.chart(all, chart(&(0..sites).collect::<Vec<_>>()));
        report.chart(two, chart(&(0..sites).skip(3).take(2).collect::<Vec<_>>()));
    }
    for (name, sweep, title) in [
        ("fig16", BALANCE_UNDER, "Variance of the loads of the sites, under peak"),
        ("fig17", BALANCE_PEAK, "Variance of the loads of the sites, at peak"),
    ] {
        let both = [(sweep, 0, "without balancing".to_owned()), (sweep, 1, "with balancing".to_owned())];
        report.chart(name, by_slice(title, "variance", &both, 2));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_number_of_threads_gives_the_same_files() {
        crate::study::assert_same_for_any_threads(|threads| Options {
            seeds: 4,
            slices: 15,
            common: Common::test(threads),
        });
    }

    #[test]
    fn sweeps_stand_where_they_are_looked_for() {
        let names =
            [SP, FP_UNDER, FP_PEAK, QP, QP_WEIGHTED, BALANCE_UNDER, BALANCE_PEAK].map(|at| SWEEPS[at].name);
        assert_eq!(
            names,
            ["sp", "fp_under", "fp_peak", "qp", "qp_weighted", "balance_under", "balance_peak"]
        );
        assert!(SWEEPS.iter().all(|sweep| sweep.values[0] == 0.0));
    }
}
