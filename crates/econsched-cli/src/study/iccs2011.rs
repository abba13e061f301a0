//! V. Toporkov, A. Toporkova, A. Bobchenkov, D. Yemelyanov, "Resource Selection Algorithms for Economic Scheduling in
//! Distributed Systems", 2011, section 5: ALP against AMP on the same slots, over 25,000 scheduling cycles.

use super::replicates::{Failure, Replicates};
use super::report::{Cell, Report, Table};
use super::{Common, Rerun};
use crate::charts::{Bars, Lines};
use crate::error::CliError;
use crate::stats::{Estimate, Moments, Ratio};
use econsched::batch_dp::{Floor, Problem};
use econsched::sched_model::{Batch, Job, Price, SlotList, Time};
use econsched::slot_window::{Alp, Alternatives, Amp, WindowSearch};
use econsched::workload_gen::cycle::{JobGenerator, SlotGenerator};
use econsched::workload_gen::sample::stream;

const SIDES: [&str; 2] = ["ALP", "AMP"];

/// What figure 5 shows.
const SHOWN: usize = 300;

/// A figure of the paper: what it is, and its value under ALP and AMP.
struct Figure {
    name: &'static str,
    paper: [f64; 2],
    decimals: usize,
}

const fn figure(name: &'static str, paper: [f64; 2], decimals: usize) -> Figure {
    Figure { name, paper, decimals }
}

/// Of one job, in the order of [`Side::figures`].
const FIGURES: [Figure; 4] = [
    figure("min time: time", [59.85, 39.01], 2),
    figure("min time: cost", [313.56, 369.69], 1),
    figure("min cost: cost", [313.09, 343.3], 1),
    figure("min cost: time", [61.04, 51.62], 2),
];
const ALTERNATIVES: Figure = figure("alternatives", [7.39, 34.28], 2);
/// 8,571 of 25,000 cycles (the minimisation of cost).
const COVERAGE: f64 = 100.0 * 8_571.0 / 25_000.0;
const JOBS_COUNTED: f64 = 4.18;
const SLOTS: f64 = 135.11;

/// Options of the study.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Scheduling cycles to simulate
    #[arg(long, default_value_t = 25_000)]
    cycles: u64,
    /// Run every reading of what the paper leaves open, and say which comes nearest to all its figures
    #[arg(long)]
    explore: bool,
    #[command(flatten)]
    common: Common,
}

/// Where a request's price limit C comes from.
#[derive(Debug, Clone, Copy)]
enum PriceLimit {
    /// A factor times 1.7 to the power of the request's minimum performance.
    Power(f64),
    /// A factor times the mean price of the cycle's slots.
    MeanPrice(f64),
}

/// One way to fill in what the paper leaves open.
#[derive(Debug, Clone)]
struct Reading {
    name: String,
    limit: PriceLimit,
    /// How T* of eq. (2) is rounded.
    floor: Floor,
    slots: SlotGenerator,
    jobs: JobGenerator,
}

impl Reading {
    /// C = 1.7^P_min, ranges with both ends, real values, one floor over the sum of eq. (2).
    fn standard() -> Self {
        Self {
            name: "C = 1.7^P".to_owned(),
            limit: PriceLimit::Power(1.0),
            floor: Floor::Sum,
            slots: SlotGenerator::default(),
            jobs: JobGenerator::default(),
        }
    }

    fn named(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    fn limited(self, limit: PriceLimit) -> Self {
        Self { limit, ..self }
    }

    /// At most 5 nodes: a whole number drawn from [1, 6) as many a library draws it.
    fn five_nodes(self) -> Self {
        Self { jobs: self.jobs.nodes(1..=5), ..self }
    }

    /// The readings that `--explore` compares.
    fn all() -> Vec<Self> {
        let standard = Self::standard;
        let mut all = vec![standard()];
        for factor in [0.9, 0.95, 1.02, 1.05, 1.1, 1.2] {
            let name = format!("C = {factor:.2} * 1.7^P");
            all.push(standard().limited(PriceLimit::Power(factor)).named(name));
        }
        for factor in [0.7, 0.8, 1.0] {
            let name = format!("C = {factor:.1} * mean price of the slots");
            all.push(standard().limited(PriceLimit::MeanPrice(factor)).named(name));
        }
        let whole = |reading: Self| Self {
            slots: reading.slots.whole_times(true),
            jobs: reading.jobs.whole_work(true),
            ..reading
        };
        all.push(whole(standard()).named("whole times"));
        let mut speeds = whole(standard()).named("whole times and performances");
        speeds.slots = speeds.slots.whole_speeds(true);
        speeds.jobs = speeds.jobs.whole_speeds(true);
        all.push(speeds);
        all.push(Self { floor: Floor::Term, ..standard() }.named("T*: a floor on every term"));
        all.push(standard().five_nodes().named("at most 5 nodes"));
        all.push(
            standard()
                .five_nodes()
                .limited(PriceLimit::Power(0.98))
                .named("at most 5 nodes, C = 0.98 * 1.7^P"),
        );
        all.push(
            standard()
                .five_nodes()
                .limited(PriceLimit::Power(1.02))
                .named("at most 5 nodes, C = 1.02 * 1.7^P"),
        );
        let mut fewer = standard().five_nodes().named("at most 5 nodes and 6 jobs");
        fewer.jobs = fewer.jobs.jobs(3..=6);
        all.push(fewer);
        all
    }

    /// The slots and the jobs of one cycle.
    fn draw(&self, seed: u64, cycle: u64) -> Result<(SlotList, Batch), Failure> {
        let mut rng = stream(seed, cycle);
        let slots = self.slots.generate(&mut rng)?;
        let factor = match self.limit {
            PriceLimit::Power(factor) => Some(factor),
            PriceLimit::MeanPrice(_) => None,
        };
        let batch = self.jobs.clone().price_limit_factor(factor).generate(&mut rng)?;
        let PriceLimit::MeanPrice(factor) = self.limit else { return Ok((slots, batch)) };
        let total: f64 = slots.iter().map(|slot| slot.price().get()).sum();
        let limit = Price::new(factor * total / slots.len() as f64)?;
        let jobs = batch.iter().map(|job| Job { request: job.request.with_price_limit(limit), ..*job });
        Ok((slots, Batch::new(jobs.collect())?))
    }

    fn run(&self, seed: u64, cycle: u64) -> Result<Cycle, Failure> {
        let (slots, batch) = self.draw(seed, cycle)?;
        let alp = self.side(&Alp::new(), &slots, &batch)?;
        // ALP covers fewer: where it fails, AMP need not be asked.
        let sides = match alp {
            Some(alp) => self.side(&Amp::new(), &slots, &batch)?.map(|amp| [alp, amp]),
            None => None,
        };
        Ok(Cycle { slots: slots.len() as f64, jobs: batch.len() as f64, sides })
    }

    /// What one search gives; `None` unless it covers all jobs and the limits can be kept.
    fn side<S: WindowSearch>(
        &self,
        search: &S,
        slots: &SlotList,
        batch: &Batch,
    ) -> Result<Option<Side>, Failure> {
        let found = Alternatives::new(search).find(slots, batch, Time::ZERO)?;
        if !found.covers_every_job() {
            return Ok(None);
        }
        let count = found.total() as f64;
        let alternatives = econsched::batch_dp::Alternatives::from_windows(&found.into_windows())?;
        let time_limit = econsched::batch_dp::time_limit(&alternatives, self.floor);
        let choose = |problem| -> Result<Option<(f64, f64)>, Failure> {
            let decision = econsched::batch_dp::choose(&alternatives, problem)?;
            Ok(decision.choice().map(|choice| (choice.time, choice.cost)))
        };
        let Some((_, budget)) = choose(Problem::MaxIncome { time_limit })? else { return Ok(None) };
        let fastest = choose(Problem::MinTime { budget })?;
        let cheapest = choose(Problem::MinCost { time_limit })?;
        let (Some(fastest), Some(cheapest)) = (fastest, cheapest) else { return Ok(None) };
        Ok(Some(Side {
            alternatives: count,
            figures: [fastest.0, fastest.1, cheapest.1, cheapest.0].map(|total| total / batch.len() as f64),
        }))
    }
}

/// One search on one cycle.
#[derive(Debug, Clone, Copy)]
struct Side {
    alternatives: f64,
    /// Mean over the jobs of the batch, in the order of [`FIGURES`].
    figures: [f64; 4],
}

/// One cycle; `sides` only if it counts: both searches cover all jobs and their limits can be kept.
#[derive(Debug, Clone, Copy)]
struct Cycle {
    slots: f64,
    jobs: f64,
    sides: Option<[Side; 2]>,
}

/// What is known of a reading after its cycles.
#[derive(Debug, Default)]
struct Tally {
    slots: Moments,
    jobs: Moments,
    slots_counted: Moments,
    jobs_counted: Moments,
    figures: [[Moments; 2]; 4],
    /// The same as a mean over all jobs of all batches, and as sums over a batch.
    pooled: [[Ratio; 2]; 4],
    sums: [[Moments; 2]; 4],
    alternatives: [Ratio; 2],
    found: [f64; 2],
    /// AMP over ALP.
    ratios: [Ratio; 4],
    amp_faster: u64,
    amp_dearer: u64,
    shown: Vec<[f64; 2]>,
}

impl Tally {
    fn push(&mut self, cycle: Cycle) {
        self.slots.push(cycle.slots);
        self.jobs.push(cycle.jobs);
        let Some(sides) = cycle.sides else { return };
        self.slots_counted.push(cycle.slots);
        self.jobs_counted.push(cycle.jobs);
        for (at, side) in sides.iter().enumerate() {
            for (figure, value) in side.figures.into_iter().enumerate() {
                self.figures[figure][at].push(value);
                self.sums[figure][at].push(value * cycle.jobs);
                self.pooled[figure][at].push(value * cycle.jobs, cycle.jobs);
            }
            self.alternatives[at].push(side.alternatives, cycle.jobs);
            self.found[at] += side.alternatives;
        }
        let [alp, amp] = sides.map(|side| side.figures);
        for (ratio, (amp, alp)) in self.ratios.iter_mut().zip(amp.into_iter().zip(alp)) {
            ratio.push(amp, alp);
        }
        self.amp_faster += u64::from(amp[0] < alp[0]);
        self.amp_dearer += u64::from(amp[2] > alp[2]);
        if self.shown.len() < SHOWN {
            self.shown.push([alp[0], amp[0]]);
        }
    }

    fn counted(&self) -> u64 {
        self.jobs_counted.count()
    }

    /// Share of the cycles that count, in per cent, with the normal interval of a share.
    fn coverage(&self) -> Estimate {
        let share = self.counted() as f64 / self.jobs.count() as f64;
        let half = 1.96 * (share * (1.0 - share) / self.jobs.count() as f64).sqrt();
        Estimate { mean: share, half, count: self.jobs.count() }.times(100.0)
    }

    /// The root mean square of the relative deviations from the paper: four figures and the alternatives of both
    /// searches, the coverage, the jobs in a cycle that counts.
    fn distance(&self) -> f64 {
        let of = |ours: f64, paper: f64| (ours / paper - 1.0).powi(2);
        let mut sum = of(self.coverage().mean, COVERAGE) + of(self.jobs_counted.mean(), JOBS_COUNTED);
        for side in 0..2 {
            sum += of(self.alternatives[side].estimate().mean, ALTERNATIVES.paper[side]);
            for (figure, moments) in FIGURES.iter().zip(&self.figures) {
                sum += of(moments[side].mean(), figure.paper[side]);
            }
        }
        100.0 * (sum / 12.0).sqrt()
    }
}

impl Rerun for Options {
    fn common(&self) -> &Common {
        &self.common
    }

    fn report(&self, replicates: &Replicates) -> Result<Report, CliError> {
        if self.cycles == 0 {
            return Err(CliError::usage("--cycles must be at least 1"));
        }
        let readings = if self.explore { Reading::all() } else { vec![Reading::standard()] };
        let mut tallies = Vec::new();
        for reading in &readings {
            let mut tally = Tally::default();
            let run = |cycle| reading.run(self.common.seed, cycle);
            replicates.run(&reading.name, self.cycles, run, |cycle| tally.push(cycle))?;
            tallies.push(tally);
        }
        let mut report =
            Report::titled("report.md", "ALP and AMP over scheduling cycles (Toporkov et al. 2011)");
        report.paragraph(format!(
            "{} cycles, seed {}; {} of them count, as both searches cover every job of the batch. Price limit C = \
             1.7^P_min, budget S = C t N. Times and costs are means over the jobs of a batch, then over batches; ± is \
             the 95% confidence interval. Ratio is ours over the paper's.",
            self.cycles,
            self.common.seed,
            tallies[0].counted(),
        ));
        describe(&tallies[0], &mut report);
        if self.explore {
            compare(&readings, &tallies, &mut report);
        }
        Ok(report)
    }
}

fn describe(tally: &Tally, report: &mut Report) {
    let mut table = Table::new(
        "figures",
        "Of one job",
        &["figure", "ALP", "ALP paper", "ALP ratio", "AMP", "AMP paper", "AMP ratio"],
    );
    let mut row = |figure: &Figure, estimates: [Estimate; 2]| {
        let mut cells: Vec<Cell> = vec![figure.name.into()];
        for (estimate, paper) in estimates.into_iter().zip(figure.paper) {
            cells.extend([
                Cell::Estimate(estimate, figure.decimals),
                Cell::Number(paper, figure.decimals),
                Cell::Number(estimate.mean / paper, 3),
            ]);
        }
        table.push(cells);
    };
    for (figure, moments) in FIGURES.iter().zip(&tally.figures) {
        row(figure, [moments[0].estimate(), moments[1].estimate()]);
    }
    row(&ALTERNATIVES, [tally.alternatives[0].estimate(), tally.alternatives[1].estimate()]);
    report.table(table);

    let mut table =
        Table::new("gains", "AMP against ALP, in per cent of ALP (paired)", &["figure", "ours", "paper"]);
    for (figure, ratio) in FIGURES.iter().zip(&tally.ratios) {
        let paper = 100.0 * (figure.paper[1] / figure.paper[0] - 1.0);
        table.push(vec![
            figure.name.into(),
            Cell::Estimate(ratio.excess_percent(), 1),
            Cell::Number(paper, 1),
        ]);
    }
    report.table(table);

    let mut table = Table::new("cycles", "Cycles", &["what", "ours", "paper"]);
    let shares = |count: u64| Cell::Number(100.0 * count as f64 / tally.counted() as f64, 1);
    let estimate = |moments: &Moments, decimals| Cell::Estimate(moments.estimate(), decimals);
    table.push(vec!["counted".into(), tally.counted().into(), 8_571.into()]);
    table.push(vec!["counted, %".into(), Cell::Estimate(tally.coverage(), 1), Cell::Number(COVERAGE, 1)]);
    table.push(vec!["slots, all cycles".into(), estimate(&tally.slots, 2), Cell::Number(SLOTS, 2)]);
    table.push(vec!["slots, counted".into(), estimate(&tally.slots_counted, 2), Cell::Number(SLOTS, 2)]);
    table.push(vec!["jobs, all cycles".into(), estimate(&tally.jobs, 2), Cell::Empty]);
    table.push(vec!["jobs, counted".into(), estimate(&tally.jobs_counted, 2), Cell::Number(JOBS_COUNTED, 2)]);
    table.push(vec!["ALP alternatives".into(), Cell::Number(tally.found[0], 0), Cell::Number(258_079.0, 0)]);
    table.push(vec![
        "AMP alternatives".into(),
        Cell::Number(tally.found[1], 0),
        Cell::Number(1_160_029.0, 0),
    ]);
    table.push(vec!["min time: AMP faster, %".into(), shares(tally.amp_faster), Cell::Number(100.0, 1)]);
    table.push(vec!["min cost: AMP dearer, %".into(), shares(tally.amp_dearer), Cell::Empty]);
    report.table(table);

    for (name, at, title) in [
        ("fig4a", 0, "Minimising time: time of a job"),
        ("fig4b", 1, "Minimising time: cost of a job"),
        ("fig6a", 2, "Minimising cost: cost of a job"),
        ("fig6b", 3, "Minimising cost: time of a job"),
    ] {
        let unit = if at == 0 || at == 3 { "time" } else { "cost" };
        let ours = tally.figures[at].iter().map(Moments::estimate);
        report.chart(
            name,
            Bars::new(title, unit, SIDES).series("ours", ours).series("paper", FIGURES[at].paper),
        );
    }
    let mut table = Table::new("fig5", "First counted cycles", &["cycle", "ALP", "AMP"]).saved_only();
    for (at, times) in tally.shown.iter().enumerate() {
        let number = |time| Cell::Number(time, 2);
        table.push(vec![(at as u64 + 1).into(), number(times[0]), number(times[1])]);
    }
    report.table(table);
    let title = format!("Minimising time: time of a job in the first {} counted cycles", tally.shown.len());
    let mut lines = Lines::new(title, "counted cycle", "time").without_markers();
    for (at, side) in SIDES.into_iter().enumerate() {
        let points = tally.shown.iter().enumerate().map(|(cycle, times)| (cycle as f64 + 1.0, times[at]));
        lines = lines.series(side, points);
    }
    report.chart("fig5", lines);
}

/// Every reading beside the paper, the nearest first.
fn compare(readings: &[Reading], tallies: &[Tally], report: &mut Report) {
    let mut table = Table::new(
        "aggregates",
        "How the means are taken (standard reading): the times 59.85 and 39.01 are of one job",
        &[
            "figure",
            "batch means ALP",
            "batch means AMP",
            "all jobs ALP",
            "all jobs AMP",
            "batch sums ALP",
            "batch sums AMP",
        ],
    );
    let tally = &tallies[0];
    for (at, figure) in FIGURES.iter().enumerate() {
        let mut cells: Vec<Cell> = vec![figure.name.into()];
        let means = [tally.figures[at].map(|m| m.mean()), tally.pooled[at].map(|r| r.estimate().mean)];
        let sums = tally.sums[at].map(|m| m.mean());
        cells.extend(means.into_iter().chain([sums]).flatten().map(|v| Cell::Number(v, figure.decimals)));
        table.push(cells);
    }
    report.table(table);

    let mut table = Table::new(
        "readings",
        "Readings of what the paper leaves open; off is the root mean square of the relative deviations of 12 figures",
        &[
            "reading",
            "off, %",
            "counted, %",
            "jobs",
            "min time: time",
            "min time: cost",
            "min cost: cost",
            "min cost: time",
            "alternatives",
        ],
    );
    let pair = |values: [f64; 2], decimals: usize| {
        Cell::Text(format!("{:.decimals$} / {:.decimals$}", values[0], values[1]))
    };
    let row = |name: &str, distance: f64, coverage: f64, jobs: f64, values: [[f64; 2]; 5]| {
        let mut cells: Vec<Cell> = vec![name.into()];
        cells.extend([Cell::Number(distance, 1), Cell::Number(coverage, 1), Cell::Number(jobs, 2)]);
        cells.extend(
            values.into_iter().zip([2, 1, 1, 2, 2]).map(|(pair_of, decimals)| pair(pair_of, decimals)),
        );
        cells
    };
    let [a, b, c, d] = FIGURES.map(|figure| figure.paper);
    table.push(row("the paper", 0.0, COVERAGE, JOBS_COUNTED, [a, b, c, d, ALTERNATIVES.paper]));
    let mut order: Vec<usize> = (0..readings.len()).collect();
    order.sort_by(|&a, &b| tallies[a].distance().total_cmp(&tallies[b].distance()));
    for at in order {
        let tally = &tallies[at];
        let [a, b, c, d] = tally.figures.map(|moments| moments.map(|side| side.mean()));
        let alternatives = tally.alternatives.map(|ratio| ratio.estimate().mean);
        let (coverage, jobs) = (tally.coverage().mean, tally.jobs_counted.mean());
        table.push(row(&readings[at].name, tally.distance(), coverage, jobs, [a, b, c, d, alternatives]));
    }
    report.table(table);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_number_of_threads_gives_the_same_files() {
        crate::study::assert_same_for_any_threads(|threads| Options {
            cycles: 60,
            explore: false,
            common: Common::test(threads),
        });
    }

    #[test]
    fn a_few_hundred_cycles_come_near_the_paper() {
        let mut tally = Tally::default();
        let reading = Reading::standard();
        Replicates::new(None)
            .unwrap()
            .run("test", 400, |cycle| reading.run(1, cycle), |cycle| tally.push(cycle))
            .unwrap();
        assert!((40..=160).contains(&tally.counted()), "{}", tally.counted());
        for (at, tolerance) in [(0, 0.08), (3, 0.08), (1, 0.3), (2, 0.2)] {
            for (side, name) in SIDES.into_iter().enumerate() {
                let ratio = tally.figures[at][side].mean() / FIGURES[at].paper[side];
                assert!((ratio - 1.0).abs() < tolerance, "{} {name}: {ratio}", FIGURES[at].name);
            }
        }
        assert!(tally.ratios[0].excess_percent().mean < -30.0);
    }
}
