//! The linear program over the windows of a pool: its dual values are the prices of node-time.

use crate::pool::Pool;
use crate::terms::Terms;
use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettingsBuilder, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus, SupportedConeT,
    ZeroConeT,
};
use sched_model::{NodeId, Time, Window};
use slot_window::priced::NodeTimePrices;
use std::collections::{BTreeMap, BTreeSet};

/// How often rows that the solution breaks are added before the dual values are taken.
const ROW_ROUNDS: usize = 6;
/// A row is broken above this sum of shares.
const BROKEN: f64 = 1.0 + 1e-5;
/// What leaving a job out costs, in multiples of the greatest objective of a window.
const LEAVING_OUT: f64 = 20.0;

/// A row: at most one window holds this node just before this instant.
type Row = (NodeId, Time);

/// Windows of a job that take part: those of least value under the last dual values.
pub(crate) const COLUMNS_OF_A_JOB: usize = 24;

/// The master problem. Its rows are found as they are needed; those without a price are left out of the next program,
/// and so are the windows whose value under the last dual values is far from the best, because an interior point
/// method takes the more time the more there is of both. What is left out comes back when it counts again.
#[derive(Debug, Default)]
pub(crate) struct Master {
    rows: BTreeSet<Row>,
    last: Duals,
}

/// Dual values.
#[derive(Debug, Clone, Default)]
pub(crate) struct Duals {
    /// Price of the limited quantity.
    pub(crate) multiplier: f64,
    /// Prices of node-time, positive ones only.
    pub(crate) prices: Vec<(NodeId, Time, f64)>,
}

impl Duals {
    pub(crate) fn sum_of_prices(&self) -> f64 {
        sched_model::exact_sum(self.prices.iter().map(|price| price.2))
    }
}

/// A column: a window of a job.
struct Column<'a> {
    job: usize,
    window: &'a Window,
    objective: f64,
    weight: f64,
}

/// Shares of the columns and dual values of a solved program.
struct Solved {
    shares: Vec<f64>,
    duals: Duals,
}

impl Master {
    /// Dual values for the windows of the pool; `None` where the solver fails, which says nothing about the plan.
    pub(crate) fn solve(&mut self, pool: &Pool, terms: &Terms, from: Time, limit: f64) -> Option<Duals> {
        let columns = self.columns(pool, terms, from)?;
        self.rows = self.last.prices.iter().map(|price| (price.0, price.1)).collect();
        let mut solved = self.program(pool.jobs(), &columns, limit)?;
        for _ in 0..ROW_ROUNDS {
            if !self.add_broken(&columns, &solved.shares) {
                break;
            }
            solved = self.program(pool.jobs(), &columns, limit)?;
        }
        self.last = solved.duals.clone();
        Some(solved.duals)
    }

    /// The windows of least value of each job.
    fn columns<'a>(&self, pool: &'a Pool, terms: &Terms, from: Time) -> Option<Vec<Column<'a>>> {
        let prices = NodeTimePrices::new(self.last.prices.iter().copied()).ok()?;
        let mut columns = Vec::new();
        for job in 0..pool.jobs() {
            let valued = pool.of(job).iter().enumerate().map(|(number, window)| {
                let (objective, weight) = (terms.objective(window, from), terms.weight(window));
                let places = window.placements().iter();
                let paid: f64 = places.map(|p| prices.between(p.node, window.start(), p.end)).sum();
                let value = objective + self.last.multiplier * weight + paid;
                (value, number, Column { job, window, objective, weight })
            });
            let mut valued: Vec<_> = valued.collect();
            valued.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            columns.extend(valued.into_iter().take(COLUMNS_OF_A_JOB).map(|valued| valued.2));
        }
        Some(columns)
    }

    /// Adds a row for each instant before which the shares of a node's windows exceed 1; false if there is none.
    fn add_broken(&mut self, columns: &[Column<'_>], shares: &[f64]) -> bool {
        let mut by_node: BTreeMap<NodeId, Vec<(Time, Time, f64)>> = BTreeMap::new();
        for (column, &share) in columns.iter().zip(shares) {
            if share > 1e-7 {
                for placement in column.window.placements() {
                    let held = (column.window.start(), placement.end, share);
                    by_node.entry(placement.node).or_default().push(held);
                }
            }
        }
        let mut added = false;
        for (node, held) in by_node {
            let ends: BTreeSet<Time> = held.iter().map(|held| held.1).collect();
            for instant in ends {
                let shares = held.iter().filter(|held| held.0 < instant && instant <= held.1);
                if shares.map(|held| held.2).sum::<f64>() > BROKEN {
                    added |= self.rows.insert((node, instant));
                }
            }
        }
        added
    }

    /// Solves the program with the present rows.
    fn program(&self, jobs: usize, columns: &[Column<'_>], limit: f64) -> Option<Solved> {
        let objectives = columns.iter().map(|column| column.objective.abs());
        let scale = objectives.fold(0.0, f64::max).max(1e-300);
        let weights = columns.iter().map(|column| column.weight.abs());
        let weight_scale = weights.fold(0.0, f64::max).max(1e-300);
        let limited = usize::from(limit.is_finite());
        let variables = columns.len() + jobs;
        let mut by_node: BTreeMap<NodeId, Vec<(Time, usize)>> = BTreeMap::new();
        for (number, (node, instant)) in self.rows.iter().enumerate() {
            by_node.entry(*node).or_default().push((*instant, jobs + number));
        }
        let limit_row = jobs + self.rows.len();
        let sign_row = limit_row + limited;
        let mut starts = vec![0];
        let (mut rows, mut values) = (Vec::new(), Vec::new());
        let mut objective = Vec::with_capacity(variables);
        for (number, column) in columns.iter().enumerate() {
            let mut entries = vec![(column.job, 1.0)];
            for placement in column.window.placements() {
                for &(instant, row) in by_node.get(&placement.node).map_or(&[][..], Vec::as_slice) {
                    if column.window.start() < instant && instant <= placement.end {
                        entries.push((row, 1.0));
                    }
                }
            }
            if limited == 1 {
                entries.push((limit_row, column.weight / weight_scale));
            }
            entries.push((sign_row + number, -1.0));
            entries.sort_unstable_by_key(|entry| entry.0);
            rows.extend(entries.iter().map(|entry| entry.0));
            values.extend(entries.iter().map(|entry| entry.1));
            starts.push(rows.len());
            objective.push(column.objective / scale);
        }
        for job in 0..jobs {
            rows.extend([job, sign_row + columns.len() + job]);
            values.extend([1.0, -1.0]);
            starts.push(rows.len());
            objective.push(LEAVING_OUT);
        }
        let height = sign_row + variables;
        let mut right = vec![1.0; limit_row];
        if limited == 1 {
            right.push(limit / weight_scale);
        }
        right.resize(height, 0.0);
        let matrix = CscMatrix::new(height, variables, starts, rows, values);
        let cones: [SupportedConeT<f64>; 2] = [ZeroConeT(jobs), NonnegativeConeT(height - jobs)];
        let settings = DefaultSettingsBuilder::default().verbose(false).max_iter(60).build().ok()?;
        let none = CscMatrix::zeros((variables, variables));
        let mut solver = DefaultSolver::new(&none, &objective, &matrix, &right, &cones, settings).ok()?;
        solver.solve();
        let solution = &solver.solution;
        if !matches!(solution.status, SolverStatus::Solved | SolverStatus::AlmostSolved) {
            return None;
        }
        let dual = |row: usize| if solution.z[row].is_finite() { solution.z[row].max(0.0) } else { 0.0 };
        let prices = (self.rows.iter().enumerate())
            .map(|(number, &(node, instant))| (node, instant, dual(jobs + number) * scale))
            .filter(|price| price.2 > scale * 1e-9);
        let multiplier = if limited == 1 { dual(limit_row) * scale / weight_scale } else { 0.0 };
        Some(Solved {
            shares: solution.x[..columns.len()].to_vec(),
            duals: Duals { multiplier, prices: prices.collect() },
        })
    }
}
