//! Readings, each of which is a choice for every point that the paper leaves open; one scheduling cycle under a
//! reading; and the smaller budgets of section 6, S = rho C t N with rho below 1.

use super::example::{first_windows, offers, prices};
use super::{FIGURES, SIDES};
use crate::Failure;
use crate::chart::Chart;
use crate::data::Data;
use crate::report::{Cell, StudyReport, Table};
use crate::stats::Estimate;
use econsched::batch_dp::{
    Alternatives, ChoiceProblem, Chooser, ExpandingCore, Floor, Goal, derived_time_limit,
};
use econsched::sched_model::{Batch, Job, Price, SlotList, Time};
use econsched::slot_window::{Alp, AlternativesSearch, Amp, WindowSearch};
use econsched::workload_gen::cycle::{JobGenerator, SlotGenerator};
use econsched::workload_gen::sample::stream;

/// A choice for each point that the paper leaves open.
#[derive(Debug, Clone)]
pub(super) struct Reading {
    pub(super) name: String,
    /// The price limit C of a request as a multiple of the mean price of the cycle's slots; if `None`, C is drawn
    /// with the jobs: a factor times 1.7 to the power of the request's minimum performance.
    of_mean_price: Option<f64>,
    /// Where T* of eq. (2) is rounded.
    floor: Floor,
    slots: SlotGenerator,
    jobs: JobGenerator,
}

impl Reading {
    /// Returns the standard reading: C = 1.7^P_min, ranges that include both ends, real values, one floor over the
    /// sum of eq. (2).
    pub(super) fn standard() -> Self {
        Self {
            name: "C = 1.7^P".to_owned(),
            of_mean_price: None,
            floor: Floor::Sum,
            slots: SlotGenerator::default(),
            jobs: JobGenerator::default(),
        }
    }

    fn named(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    fn limited(mut self, factor: f64) -> Self {
        self.jobs.price_limit_factor = Some(factor);
        self
    }

    /// Draws at most 5 nodes: a whole number from [1, 6), the half-open range of many libraries.
    fn five_nodes(self) -> Self {
        Self { jobs: self.jobs.with_nodes(1..=5), ..self }
    }

    /// Returns the readings that `explore` compares.
    pub(super) fn all() -> Vec<Self> {
        let standard = Self::standard;
        let mut all = vec![standard()];
        for factor in [0.9, 0.95, 1.02, 1.05, 1.1, 1.2] {
            let name = format!("C = {factor:.2} * 1.7^P");
            all.push(standard().limited(factor).named(name));
        }
        for factor in [0.7, 0.8, 1.0] {
            let name = format!("C = {factor:.1} * mean price of the slots");
            all.push(Self { of_mean_price: Some(factor), ..standard().named(name) });
        }
        let mut whole = standard().named("whole times");
        (whole.slots.whole_times, whole.jobs.whole_work) = (true, true);
        let mut speeds = whole.clone().named("whole times and performances");
        (speeds.slots.whole_speeds, speeds.jobs.whole_speeds) = (true, true);
        all.extend([whole, speeds]);
        all.push(Self { floor: Floor::Term, ..standard() }.named("T*: a floor on every term"));
        all.push(standard().five_nodes().named("at most 5 nodes"));
        for factor in [0.98, 1.02] {
            let name = format!("at most 5 nodes, C = {factor:.2} * 1.7^P");
            all.push(standard().five_nodes().limited(factor).named(name));
        }
        let mut fewer = standard().five_nodes().named("at most 5 nodes and 6 jobs");
        fewer.jobs = fewer.jobs.with_jobs(3..=6);
        all.push(fewer);
        all
    }

    /// Draws the slots and the jobs of one cycle.
    fn draw(&self, seed: u64, cycle: u64) -> Result<(SlotList, Batch), Failure> {
        let mut rng = stream(seed, cycle);
        let slots = self.slots.generate(&mut rng)?;
        let batch = self.jobs.generate(&mut rng)?;
        let Some(factor) = self.of_mean_price else { return Ok((slots, batch)) };
        let total: f64 = slots.iter().map(|slot| slot.price.get()).sum();
        let limit = Price::try_from(factor * total / slots.len() as f64)?;
        let jobs =
            batch.iter().map(|job| Job { request: job.request.clone().with_price_limit(limit), ..*job });
        Ok((slots, Batch::new(jobs.collect())?))
    }

    /// Computes the row of a cycle.
    pub(super) fn run(&self, seed: u64, cycle: u64) -> Result<Vec<f64>, Failure> {
        let (slots, batch) = self.draw(seed, cycle)?;
        let alp = self.side(&Alp, &slots, &batch)?;
        // ALP covers fewer cycles: if it fails, AMP is not needed.
        let sides = match alp {
            Some(alp) => self.side(&Amp::new(), &slots, &batch)?.map(|amp| [alp, amp]),
            None => None,
        };
        let mut row = vec![slots.len() as f64, batch.len() as f64, f64::from(alp.is_some())];
        row.extend(first_windows(&slots, &batch)?);
        row.extend(prices(&slots));
        row.extend(sides.unwrap_or([[f64::NAN; SIDE]; 2]).concat());
        Ok(row)
    }

    /// Runs AMP on one cycle with the budget S = rho C t N, for each rho; NaN if it does not cover all jobs.
    pub(super) fn run_budgets(&self, rhos: &[f64], seed: u64, cycle: u64) -> Result<Vec<f64>, Failure> {
        let (slots, batch) = self.draw(seed, cycle)?;
        let mut row = Vec::new();
        for &rho in rhos {
            let side = self.side(&Amp::new().with_rho(rho), &slots, &batch)?;
            row.extend(side.unwrap_or([f64::NAN; SIDE]));
        }
        Ok(row)
    }

    /// Computes the result of one search; `None` unless it covers all jobs and the limits can be kept.
    fn side<S: WindowSearch>(
        &self,
        search: &S,
        slots: &SlotList,
        batch: &Batch,
    ) -> Result<Option<[f64; SIDE]>, Failure> {
        let found = AlternativesSearch::new(search).find(slots, batch, Time::ZERO)?;
        if found.jobs.iter().any(|of| of.windows.is_empty()) {
            return Ok(None);
        }
        let count = found.total() as f64;
        let offers = offers(&found, batch);
        let alternatives = Alternatives::from_windows(&found.jobs)?;
        let time_limit = derived_time_limit(&alternatives, self.floor);
        let choose = |goal| -> Result<Option<(f64, f64)>, Failure> {
            let found = ExpandingCore.choose(&ChoiceProblem::new(&alternatives, goal))?;
            Ok(found.best.map(|choice| (choice.time, choice.cost)))
        };
        let Some((_, budget)) = choose(Goal::MaxIncome { time_limit: Some(time_limit) })? else {
            return Ok(None);
        };
        let fastest = choose(Goal::MinTime { budget: Some(budget) })?;
        let cheapest = choose(Goal::MinCost { time_limit: Some(time_limit) })?;
        let (Some(fastest), Some(cheapest)) = (fastest, cheapest) else { return Ok(None) };
        let figures = [fastest.0, fastest.1, cheapest.1, cheapest.0].map(|total| total / batch.len() as f64);
        let mut side = [count; SIDE];
        side[..ALTERNATIVES].copy_from_slice(&figures);
        side[ALTERNATIVES + 1..].copy_from_slice(&offers);
        Ok(Some(side))
    }
}

/// The columns of the row of a cycle: its slots and jobs; whether ALP covers all jobs and its limits can be kept, 1
/// or 0, like all answers of yes or no; see [`first_windows`] and [`prices`] for the others. Then come the columns of
/// ALP and of AMP, which are known only if the cycle counts: both cover all jobs and their limits can be kept.
const ROW: &str =
    "slots jobs ALP-plans no-later read/ALP read/AMP correlation price-per-work/slow price-per-work/fast";
pub(super) const SLOTS: usize = 0;
pub(super) const JOBS: usize = 1;
/// Index of the first column of ALP, after those of [`ROW`].
const FIRST: usize = 9;
pub(super) const LENGTH: usize = FIRST + 2 * SIDE;

/// The columns of one search on one cycle. The first are means over the jobs of the batch, in the order of
/// [`super::FIGURES`]; see [`offers`] for those after the alternatives.
const OF_SIDE: &str = "min-time/time min-time/cost min-cost/cost min-cost/time alternatives \
    runtime cost performance price spread/runtime spread/cost above-limit apart";
pub(super) const ALTERNATIVES: usize = 4;
pub(super) const SIDE: usize = 13;

/// Returns the index of the column with this name.
pub(super) fn side_index_by_name(name: &str) -> Option<usize> {
    OF_SIDE.split(' ').position(|column| column == name)
}

/// Returns the index of the column with this name in the row of a cycle; the columns of a search have the prefix
/// `ALP/` or `AMP/`.
pub(super) fn index_by_name(name: &str) -> Option<usize> {
    let of_side = || {
        let (side, column) = name.split_once('/')?;
        Some(index_of(SIDES.iter().position(|known| *known == side)?, side_index_by_name(column)?))
    };
    ROW.split(' ').position(|column| column == name).or_else(of_side)
}

/// Returns the index of a column of ALP (0) or AMP (1) in the row of a cycle.
pub(super) const fn index_of(side: usize, column: usize) -> usize {
    FIRST + side * SIDE + column
}

/// Values of rho. The last one is the budget of section 5, with which the others are compared.
pub(super) const RHOS: [f64; 5] = [0.6, 0.7, 0.8, 0.9, 1.0];
/// The index of the rho in the paper's example.
pub(super) const EXAMPLE: usize = 2;

/// Returns the change of a figure, in per cent: AMP with a smaller budget against AMP with the full one, in the
/// cycles that both cover.
pub(super) fn change(budgets: &Data, rho: usize, column: usize) -> Estimate {
    let full = RHOS.len() - 1;
    budgets.excess(rho * SIDE + column, full * SIDE + column).estimate
}

/// Adds the table and the chart of the smaller budgets.
pub(super) fn describe_budgets(budgets: &Data, report: &mut StudyReport) {
    let mut columns = vec!["rho", "cycles covered, %"];
    columns.extend(FIGURES.map(|figure| figure.name));
    let title = "Smaller budgets S = rho C t N (section 6): AMP against AMP with rho = 1 in the cycles that both cover, \
                 change in per cent";
    let mut table = Table::new("rho", title, &columns);
    for (at, rho) in RHOS.into_iter().enumerate() {
        let covered = budgets.share_where(|row| Some(row[at * SIDE].is_finite()));
        let changes = (0..=ALTERNATIVES).map(|column| Cell::Estimate(change(budgets, at, column), 1));
        table.row([Cell::Number(rho, 1), Cell::Estimate(covered.estimate, 1)], changes);
    }
    report.table(table);
    let lines = Chart::new("AMP under smaller budgets", "rho", "change against rho = 1, per cent");
    let points =
        |figure: usize| RHOS.into_iter().enumerate().map(move |(at, rho)| (rho, change(budgets, at, figure)));
    report.chart("rho", lines.with_each(FIGURES[..ALTERNATIVES].iter().map(|figure| figure.name), points));
}
