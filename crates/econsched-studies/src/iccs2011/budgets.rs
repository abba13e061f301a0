//! Section 6: smaller budgets, S = rho C t N with rho below 1.

use super::FIGURES;
use super::reading::Side;
use crate::chart::Lines;
use crate::report::{Cell, StudyReport, Table};
use crate::stats::{Ratio, share};

/// Values of rho. The last one is the budget of section 5, with which the others are compared.
pub(super) const RHOS: [f64; 5] = [0.6, 0.7, 0.8, 0.9, 1.0];
/// The paper's example.
pub(super) const EXAMPLE: usize = 2;

/// AMP under each budget, beside AMP under the full one in the same cycles.
#[derive(Default)]
pub(crate) struct Budgets {
    cycles: u64,
    covered: [u64; RHOS.len()],
    /// In the order of [`FIGURES`], in the cycles that both budgets cover.
    pub(super) ratios: [[Ratio; 4]; RHOS.len()],
    alternatives: [Ratio; RHOS.len()],
}

impl Budgets {
    pub(super) fn push(&mut self, sides: &[Option<Side>; RHOS.len()]) {
        self.cycles += 1;
        let full = &sides[RHOS.len() - 1];
        for (at, side) in sides.iter().enumerate() {
            self.covered[at] += u64::from(side.is_some());
            let (Some(side), Some(full)) = (side, full) else { continue };
            self.alternatives[at].push(side.alternatives, full.alternatives);
            for (ratio, (ours, theirs)) in
                self.ratios[at].iter_mut().zip(side.figures.into_iter().zip(full.figures))
            {
                ratio.push(ours, theirs);
            }
        }
    }

    pub(super) fn describe(&self, report: &mut StudyReport) {
        let mut columns = vec!["rho", "cycles covered, %"];
        columns.extend(FIGURES.map(|figure| figure.name));
        columns.push("alternatives");
        let title = "Smaller budgets S = rho C t N (section 6): AMP against AMP with rho = 1 in the cycles that both cover, \
                     change in per cent";
        let mut table = Table::new("rho", title, &columns);
        for (at, rho) in RHOS.into_iter().enumerate() {
            let covered = Cell::Estimate(share(self.covered[at], self.cycles), 1);
            let mut cells = vec![Cell::Number(rho, 1), covered];
            let changes = self.ratios[at].iter().chain([&self.alternatives[at]]);
            cells.extend(changes.map(|ratio| Cell::Estimate(ratio.excess_percent(), 1)));
            table.push(cells);
        }
        report.table(table);
        let mut lines = Lines::new("AMP under smaller budgets", "rho", "change against rho = 1, per cent");
        for (at, figure) in FIGURES.iter().enumerate() {
            let points =
                RHOS.iter().zip(&self.ratios).map(|(&rho, ratios)| (rho, ratios[at].excess_percent()));
            lines = lines.with_series(figure.name, points);
        }
        report.chart("rho", lines);
    }
}
