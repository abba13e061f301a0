//! Section 6: smaller budgets, S = rho C t N with rho below 1.

use super::FIGURES;
use super::reading::{ALTERNATIVES, SIDE};
use crate::chart::Lines;
use crate::data::Data;
use crate::report::{Cell, StudyReport, Table};
use crate::stats::Estimate;

/// Values of rho. The last one is the budget of section 5, with which the others are compared.
pub(super) const RHOS: [f64; 5] = [0.6, 0.7, 0.8, 0.9, 1.0];
/// The paper's example.
pub(super) const EXAMPLE: usize = 2;

/// AMP under each budget, beside AMP under the full one in the cycles that both cover.
pub(crate) struct Budgets(pub(super) Data);

impl Budgets {
    /// The change of a figure, in per cent.
    pub(super) fn change(&self, rho: usize, column: usize) -> Estimate {
        let full = RHOS.len() - 1;
        self.0.ratio(rho * SIDE + column, full * SIDE + column).excess_percent()
    }

    pub(super) fn describe(&self, report: &mut StudyReport) {
        let mut columns = vec!["rho", "cycles covered, %"];
        columns.extend(FIGURES.map(|figure| figure.name));
        columns.push("alternatives");
        let title = "Smaller budgets S = rho C t N (section 6): AMP against AMP with rho = 1 in the cycles that both cover, \
                     change in per cent";
        let mut table = Table::new("rho", title, &columns);
        for (at, rho) in RHOS.into_iter().enumerate() {
            let covered = self.0.often(|row| Some(row[at * SIDE].is_finite()));
            let mut cells = vec![Cell::Number(rho, 1), Cell::Estimate(covered, 1)];
            cells.extend((0..=ALTERNATIVES).map(|column| Cell::Estimate(self.change(at, column), 1)));
            table.push(cells);
        }
        report.table(table);
        let lines = Lines::new("AMP under smaller budgets", "rho", "change against rho = 1, per cent");
        let points =
            |figure: usize| RHOS.into_iter().enumerate().map(move |(at, rho)| (rho, self.change(at, figure)));
        report.chart("rho", lines.with_each(FIGURES.map(|figure| figure.name), points));
    }
}
