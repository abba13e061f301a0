//! S. K. Garg, R. Buyya, H. J. Siegel, "Scheduling Parallel Applications on Utility Grids: Time and Cost Trade-off
//! Management", 2009: MinCTT, MaxCTT and Greedy on the EDG testbed.

use super::replicates::{Failure, Replicates};
use super::report::{Cell, Report, Table};
use super::{Common, Rerun};
use crate::charts::{Bars, Lines};
use crate::error::CliError;
use crate::stats::{Estimate, Moments, Ratio};
use grid_heuristics::{TradeOffKind, TradeOffMetric};
use grid_sim::{Grid, GridJob, Resource, TradeOffBroker};
use sched_model::{Span, TradeOff};
use workload_gen::meta_broker::{EDG_TESTBED, MetaBrokerCase, MetaBrokerConfiguration, MetaBrokerWorkload};
use workload_gen::sample::stream;

const HEURISTICS: [(TradeOffKind, &str); 3] =
    [(TradeOffKind::MinCtt, "MinCTT"), (TradeOffKind::MaxCtt, "MaxCTT"), (TradeOffKind::Greedy, "Greedy")];
const MIN: usize = 0;
const MAX: usize = 1;
const GREEDY: usize = 2;

const FACTORS: [f64; 6] = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0];
/// Case 1: low variation is figure 2, high variation figure 3. Both have inconsistent prices.
const CASE_1: [MetaBrokerConfiguration; 2] = [MetaBrokerConfiguration::Louc, MetaBrokerConfiguration::Hiuc];
const SITES: usize = EDG_TESTBED.len();

/// Options of the study.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Workloads, each run under all heuristics, trade-off factors and configurations
    #[arg(long, default_value_t = 30)]
    seeds: u64,
    /// Applications of a workload
    #[arg(long, default_value_t = 1_000)]
    jobs: usize,
    /// Schedule interval of the meta-broker, seconds
    #[arg(long, default_value_t = 50.0)]
    interval: f64,
    #[command(flatten)]
    common: Common,
}

/// One simulated run.
#[derive(Debug, Clone, Copy, Default)]
struct Run {
    cost: f64,
    makespan: f64,
    /// Share of the applications on each resource, in per cent.
    shares: [f64; SITES],
}

type ByHeuristic<T> = [T; 3];

/// All runs of one workload.
struct Replicate {
    /// By configuration of case 1, then by factor.
    case_1: [[ByHeuristic<Run>; FACTORS.len()]; 2],
    /// In the order of [`MetaBrokerConfiguration::ALL`].
    case_2: [ByHeuristic<Run>; 4],
}

impl Options {
    fn simulate(
        &self,
        case: &MetaBrokerCase,
        kind: TradeOffKind,
        metric: TradeOffMetric,
    ) -> Result<Run, Failure> {
        let mut resources = Vec::new();
        for site in &case.sites {
            resources.extend(site.machines().iter().map(|&m| Resource::new(site.id(), site.name(), m)));
        }
        let mut jobs = Vec::with_capacity(case.jobs.len());
        for (row, job) in case.jobs.iter().enumerate() {
            let times: Result<Vec<Span>, _> = case.etc.row(row).iter().map(|&time| Span::new(time)).collect();
            jobs.push(GridJob::new(job.clone()).with_times(times?)?);
        }
        let mut broker = TradeOffBroker::of_kind(kind, metric);
        let grid = Grid::new(resources).with_interval(Span::new(self.interval)?);
        let report = grid.run(&jobs, &mut broker)?.report;
        let mut shares = [0.0; SITES];
        for (share, site) in shares.iter_mut().zip(&report.sites) {
            *share = 100.0 * site.jobs as f64 / jobs.len() as f64;
        }
        Ok(Run { cost: report.cost.get(), makespan: report.makespan.get(), shares })
    }

    fn all(&self, case: &MetaBrokerCase, metric: TradeOffMetric) -> Result<ByHeuristic<Run>, Failure> {
        let mut runs = ByHeuristic::default();
        for (run, (kind, _)) in runs.iter_mut().zip(HEURISTICS) {
            *run = self.simulate(case, kind, metric)?;
        }
        Ok(runs)
    }

    fn replicate(&self, index: u64) -> Result<Replicate, Failure> {
        let workload = MetaBrokerWorkload::default().jobs(self.jobs);
        // The same stream for each configuration: the same applications.
        let case = |configuration| workload.generate(configuration, &mut stream(self.common.seed, index));
        let mut case_1 = [[ByHeuristic::default(); FACTORS.len()]; 2];
        for (runs, configuration) in case_1.iter_mut().zip(CASE_1) {
            let case = case(configuration)?;
            for (runs, factor) in runs.iter_mut().zip(FACTORS) {
                *runs = self.all(&case, TradeOffMetric::default().with_factor(TradeOff::new(factor)?))?;
            }
        }
        let mut case_2 = [ByHeuristic::default(); 4];
        for (runs, &configuration) in case_2.iter_mut().zip(MetaBrokerConfiguration::ALL) {
            *runs = self.all(&case(configuration)?, TradeOffMetric::default())?;
        }
        Ok(Replicate { case_1, case_2 })
    }
}

/// Over the replicates, of one setting.
#[derive(Default)]
struct Setting {
    cost: ByHeuristic<Moments>,
    makespan: ByHeuristic<Moments>,
    shares: [[Moments; SITES]; 3],
    /// Row over column, paired.
    cost_ratio: [[Ratio; 3]; 3],
    makespan_ratio: [[Ratio; 3]; 3],
}

impl Setting {
    fn push(&mut self, runs: &ByHeuristic<Run>) {
        for (at, run) in runs.iter().enumerate() {
            self.cost[at].push(run.cost);
            self.makespan[at].push(run.makespan);
            for (moments, share) in self.shares[at].iter_mut().zip(run.shares) {
                moments.push(share);
            }
            for (other, base) in runs.iter().enumerate() {
                self.cost_ratio[at][other].push(run.cost, base.cost);
                self.makespan_ratio[at][other].push(run.makespan, base.makespan);
            }
        }
    }

    fn cost_excess(&self, of: usize, over: usize) -> Estimate {
        self.cost_ratio[of][over].excess_percent()
    }

    fn makespan_excess(&self, of: usize, over: usize) -> Estimate {
        self.makespan_ratio[of][over].excess_percent()
    }
}

#[derive(Default)]
struct Tally {
    case_1: [[Setting; FACTORS.len()]; 2],
    case_2: [Setting; 4],
    /// Cost at factor 1 over cost at factor 0, by configuration of case 1 and heuristic.
    fall: [ByHeuristic<Ratio>; 2],
    /// Makespan likewise.
    rise: [ByHeuristic<Ratio>; 2],
}

impl Tally {
    fn push(&mut self, replicate: &Replicate) {
        for (settings, runs) in self.case_1.iter_mut().zip(&replicate.case_1) {
            settings.iter_mut().zip(runs).for_each(|(setting, runs)| setting.push(runs));
        }
        self.case_2.iter_mut().zip(&replicate.case_2).for_each(|(setting, runs)| setting.push(runs));
        for (at, runs) in replicate.case_1.iter().enumerate() {
            for heuristic in 0..3 {
                let (first, last) = (runs[0][heuristic], runs[FACTORS.len() - 1][heuristic]);
                self.fall[at][heuristic].push(last.cost, first.cost);
                self.rise[at][heuristic].push(last.makespan, first.makespan);
            }
        }
    }
}

impl Rerun for Options {
    fn common(&self) -> &Common {
        &self.common
    }

    fn report(&self, replicates: &Replicates) -> Result<Report, CliError> {
        if self.seeds < 2 || self.jobs == 0 {
            return Err(CliError::usage("--seeds must be at least 2, and --jobs at least 1"));
        }
        let mut tally = Tally::default();
        let run = |index| self.replicate(index);
        replicates.run("workloads", self.seeds, run, |replicate| tally.push(&replicate))?;
        let mut report = Report::titled("report.md", "The meta-broker on the EDG testbed (Garg et al. 2009)");
        report.paragraph(format!(
            "{} workloads of {} applications, seed {}; schedule interval {} s. Money in G$, time in seconds; ± is the \
             95% confidence interval. Every heuristic runs on the same workloads, so differences are paired.",
            self.seeds, self.jobs, self.common.seed, self.interval,
        ));
        let figures = [
            ("fig2", ["fig2a", "fig2b"], "low variation of times"),
            ("fig3", ["fig3a", "fig3b"], "high variation of times"),
        ];
        for ((name, charts, what), settings) in figures.into_iter().zip(&tally.case_1) {
            case_1(settings, name, charts, what, &mut report);
        }
        case_2(&tally.case_2, self.jobs, &mut report);
        distribution(&tally.case_2, &mut report);
        claims(&tally, &mut report);
        Ok(report)
    }
}

fn case_1(
    settings: &[Setting],
    name: &'static str,
    charts: [&'static str; 2],
    what: &str,
    report: &mut Report,
) {
    let title = format!("Case 1, {what}: total cost and makespan by trade-off factor");
    let mut columns = vec!["factor".to_owned()];
    for measure in ["cost", "makespan"] {
        columns.extend(HEURISTICS.map(|(_, heuristic)| format!("{measure} {heuristic}")));
    }
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut table = Table::new(name, title, &columns);
    for (factor, setting) in FACTORS.into_iter().zip(settings) {
        let mut cells = vec![Cell::Number(factor, 1)];
        let moments = setting.cost.iter().chain(&setting.makespan);
        cells.extend(moments.map(|moments| Cell::Estimate(moments.estimate(), 0)));
        table.push(cells);
    }
    report.table(table);
    let chart = |title: String, y: &str, of: fn(&Setting) -> &ByHeuristic<Moments>| {
        let mut lines = Lines::new(title, "trade-off factor", y);
        for (at, (_, heuristic)) in HEURISTICS.into_iter().enumerate() {
            let points = settings.iter().zip(FACTORS).map(|(setting, x)| (x, of(setting)[at].estimate()));
            lines = lines.series(heuristic, points);
        }
        lines
    };
    report.chart(charts[0], chart(format!("Total cost, {what}"), "G$", |setting| &setting.cost));
    report.chart(charts[1], chart(format!("Makespan, {what}"), "seconds", |setting| &setting.makespan));
}

fn configurations() -> [&'static str; 4] {
    let mut names = [""; 4];
    for (name, configuration) in names.iter_mut().zip(MetaBrokerConfiguration::ALL) {
        *name = configuration.name();
    }
    names
}

fn case_2(settings: &[Setting], jobs: usize, report: &mut Report) {
    let title = "Case 2, each user's own trade-off factor: total cost and makespan";
    let columns = ["configuration", "heuristic", "cost", "cost of one", "makespan"];
    let mut table = Table::new("fig4", title, &columns);
    for (name, setting) in configurations().into_iter().zip(settings) {
        for (at, (_, heuristic)) in HEURISTICS.into_iter().enumerate() {
            let cost = setting.cost[at].estimate();
            table.push(vec![
                name.into(),
                heuristic.into(),
                Cell::Estimate(cost, 0),
                Cell::Estimate(cost.times(1.0 / jobs as f64), 1),
                Cell::Estimate(setting.makespan[at].estimate(), 0),
            ]);
        }
    }
    report.table(table);
    let chart = |title, y, of: fn(&Setting) -> &ByHeuristic<Moments>| {
        let mut bars = Bars::new(title, y, configurations());
        for (at, (_, heuristic)) in HEURISTICS.into_iter().enumerate() {
            bars = bars.series(heuristic, settings.iter().map(|setting| of(setting)[at].estimate()));
        }
        bars
    };
    report.chart("fig4a", chart("Total cost by configuration", "G$", |setting| &setting.cost));
    report.chart("fig4b", chart("Makespan by configuration", "seconds", |setting| &setting.makespan));
}

fn distribution(settings: &[Setting], report: &mut Report) {
    let mut columns = vec!["heuristic", "configuration"];
    columns.extend(EDG_TESTBED.map(|resource| resource.name));
    let mut table = Table::new("fig5", "Case 2: share of the applications on each resource, %", &columns);
    let names = ["fig5a", "fig5b", "fig5c"];
    for (at, (_, heuristic)) in HEURISTICS.into_iter().enumerate() {
        let groups = EDG_TESTBED.map(|resource| resource.name.split(" (").next().unwrap_or_default());
        let mut bars = Bars::new(format!("Applications by resource, {heuristic}"), "per cent", groups);
        for (name, setting) in configurations().into_iter().zip(settings) {
            let shares = setting.shares[at].map(|moments| moments.estimate());
            let mut cells: Vec<Cell> = vec![heuristic.into(), name.into()];
            cells.extend(shares.map(|share| Cell::Estimate(share, 1)));
            table.push(cells);
            bars = bars.series(name, shares);
        }
        report.chart(names[at], bars);
    }
    report.table(table);
}

/// What the paper says, the figure behind it, and whether its interval agrees. A claim is given as a difference that
/// should be negative.
fn claims(tally: &Tally, report: &mut Report) {
    let mut table = Table::new(
        "claims",
        "The paper's claims: differences in per cent, which a claim says are below 0",
        &["claim", "where", "difference, %", "holds"],
    );
    let mut claim = |claim: &str, place: &str, difference: Estimate| {
        let holds = match () {
            () if difference.mean + difference.half < 0.0 => "yes",
            () if difference.mean - difference.half > 0.0 => "no",
            () => "undecided",
        };
        table.push(vec![claim.into(), place.into(), Cell::Estimate(difference, 1), holds.into()]);
    };
    for (settings, variation) in tally.case_1.iter().zip(["low", "high"]) {
        for (factor, setting) in FACTORS.into_iter().zip(settings) {
            let place = format!("case 1, {variation}, factor {factor}");
            for of in [MIN, MAX] {
                let name = HEURISTICS[of].1;
                claim(&format!("{name} is cheaper than Greedy"), &place, setting.cost_excess(of, GREEDY));
                let makespan = setting.makespan_excess(of, GREEDY);
                claim(&format!("{name} has a shorter makespan than Greedy"), &place, makespan);
            }
            let makespan = setting.makespan_excess(MIN, MAX);
            claim("MinCTT has a shorter makespan than MaxCTT", &place, makespan);
            if factor < 1.0 {
                claim("MaxCTT is cheaper than MinCTT", &place, setting.cost_excess(MAX, MIN));
            }
        }
    }
    for (at, variation) in ["low", "high"].into_iter().enumerate() {
        for (heuristic, (_, name)) in HEURISTICS.into_iter().enumerate() {
            let place = format!("case 1, {variation}, factor 1 against 0");
            claim(&format!("{name}: cost falls"), &place, tally.fall[at][heuristic].excess_percent());
            if name != "MaxCTT" {
                let rise = tally.rise[at][heuristic].excess_percent().times(-1.0);
                claim(&format!("{name}: makespan grows (sign turned)"), &place, rise);
            }
        }
    }
    for (name, setting) in configurations().into_iter().zip(&tally.case_2) {
        for of in [MIN, MAX] {
            let heuristic = HEURISTICS[of].1;
            let place = format!("case 2, {name}");
            claim(&format!("{heuristic} is cheaper than Greedy"), &place, setting.cost_excess(of, GREEDY));
            let makespan = setting.makespan_excess(of, GREEDY);
            claim(&format!("{heuristic} has a shorter makespan than Greedy"), &place, makespan);
        }
        claim(
            "MinCTT has a shorter makespan than MaxCTT",
            &format!("case 2, {name}"),
            setting.makespan_excess(MIN, MAX),
        );
    }
    report.table(table);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_number_of_threads_gives_the_same_files() {
        crate::study::assert_same_for_any_threads(|threads| Options {
            seeds: 3,
            jobs: 40,
            interval: 50.0,
            common: Common::test(threads),
        });
    }

    #[test]
    fn every_application_runs_somewhere() {
        let options = Options { seeds: 2, jobs: 60, interval: 50.0, common: Common::test(1) };
        let replicate = options.replicate(0).unwrap();
        for runs in replicate.case_1.iter().flatten().chain(&replicate.case_2) {
            for run in runs {
                assert!((run.shares.iter().sum::<f64>() - 100.0).abs() < 1e-9);
                assert!(run.cost > 0.0 && run.makespan > 0.0);
            }
        }
    }
}
