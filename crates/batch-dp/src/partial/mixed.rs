//! A worth of the service in place of its rank: bounds by the relaxation of both together.

use super::rows::Rows;
use crate::expanding_core::PASSES;
use crate::kernel::relaxation::{Hulls, Relaxation, relax};
use crate::view::View;
use sched_model::{End, Meter};

/// The objective with a worth for each unit of service lost: a Lagrangian of "no more than `lost`". Whatever the worth,
/// it bounds the choices of that service from below.
pub(super) struct Mixed<'a> {
    rows: &'a Rows,
    lost: f64,
    objective: Vec<f64>,
    /// Of the relaxation asked last.
    multiplier: f64,
}

/// Bounds asked for within a range of the worth.
const CUTS: u32 = 12;

/// The bound at a worth, and by how much more is lost in the relaxed choice there than allowed: its slope.
#[derive(Clone, Copy)]
pub(super) struct Cut {
    worth: f64,
    bound: f64,
    slope: f64,
}

impl<'a> Mixed<'a> {
    pub(super) fn new(rows: &'a Rows, lost: f64) -> Self {
        Self { rows, lost, objective: vec![0.0; rows.objective.len()], multiplier: 0.0 }
    }

    pub(super) fn mix(&mut self, worth: f64) {
        let rows = self.rows;
        for ((mixed, &objective), &lost) in self.objective.iter_mut().zip(&rows.objective).zip(&rows.lost) {
            *mixed = rows.sign * objective + worth * lost;
        }
    }

    pub(super) fn view(&self) -> View<'_> {
        View { objective: &self.objective, sign: 1.0, ..self.rows.view() }
    }

    /// The bound at a worth, by the relaxation, which stays in `hulls`.
    pub(super) fn bound(&mut self, worth: f64, hulls: &mut Hulls, meter: &mut Meter<'_>) -> Result<Cut, End> {
        meter.spend(PASSES * self.objective.len() as u64)?;
        self.mix(worth);
        let multiplier = match relax(&self.view(), hulls) {
            Relaxation::Multiplier(multiplier) => multiplier,
            _ => 0.0,
        };
        self.multiplier = multiplier;
        let (mut p, mut w, mut lost) = (0.0, 0.0, 0.0);
        for step in &hulls.base {
            p += step.p;
            w += step.w;
            lost += self.rows.lost[step.alt as usize];
        }
        // The relaxed choice fills the limit with a share of the upgrades that are left.
        let (mut more, mut regained) = (0.0, 0.0);
        for bracket in &hulls.brackets {
            more += bracket.heavy.w - bracket.light.w;
            regained +=
                self.rows.lost[bracket.light.alt as usize] - self.rows.lost[bracket.heavy.alt as usize];
        }
        let slack = if multiplier > 0.0 { self.rows.limit - w } else { 0.0 };
        let share = if more > 0.0 { (slack / more).clamp(0.0, 1.0) } else { 0.0 };
        let bound = p - multiplier * slack - worth * self.lost;
        Ok(Cut { worth, bound, slope: lost - share * regained - self.lost })
    }

    /// The worth of the best bound, nearly: the bound is concave in it, and rises as long as too much is lost. Where the
    /// tangents of two worths meet, one on each side, is the next worth to ask for.
    pub(super) fn best_worth(&mut self, hulls: &mut Hulls, meter: &mut Meter<'_>) -> Result<f64, End> {
        let largest = self.rows.objective.iter().fold(0.0_f64, |most, value| value.abs().max(most));
        let unit = self.rows.lost.iter().fold(0.0_f64, |most, value| value.max(most));
        let mut low = self.bound(0.0, hulls, meter)?;
        if low.slope <= 0.0 || unit == 0.0 {
            return Ok(0.0);
        }
        let mut best = low;
        let mut high = Cut { worth: largest / unit, ..low };
        for _ in 0..40 {
            high = self.bound(high.worth, hulls, meter)?;
            if high.bound > best.bound {
                best = high;
            }
            if high.slope <= 0.0 || !(high.worth < 1e100) {
                break;
            }
            low = high;
            high.worth *= 4.0;
        }
        for _ in 0..CUTS {
            let rise = low.bound + low.slope * (high.worth - low.worth);
            let across = (rise - high.bound) / (low.slope - high.slope);
            let met = high.worth - across;
            // Tangents that rounding has bent meet elsewhere.
            let inside = low.worth < met && met < high.worth;
            let worth = if inside { met } else { 0.5 * (low.worth + high.worth) };
            let promised = low.bound + low.slope * (worth - low.worth);
            if inside && promised - best.bound <= 1e-12 * best.bound.abs() {
                break;
            }
            let cut = self.bound(worth, hulls, meter)?;
            if cut.bound > best.bound {
                best = cut;
            }
            if cut.slope > 0.0 {
                low = cut;
            } else {
                high = cut;
            }
        }
        Ok(best.worth)
    }

    /// As many jobs as the service asks for, where each counts as 1: those that cost least at the multiplier asked last.
    pub(super) fn cheapest_jobs(&self) -> Vec<bool> {
        let rows = self.rows;
        let mut costs: Vec<(f64, usize)> = Vec::new();
        for (job, row) in rows.offsets.windows(2).enumerate() {
            let cost = |at: usize| rows.sign * rows.objective[at] + self.multiplier * rows.weight[at];
            let least = (row[0]..row[1] - 1).map(cost).min_by(f64::total_cmp);
            costs.extend(least.map(|least| (least - cost(row[1] - 1), job)));
        }
        costs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut chosen = vec![false; rows.offsets.len() - 1];
        let count = (chosen.len() as f64 - self.lost).max(0.0) as usize;
        for &(_, job) in costs.iter().take(count) {
            chosen[job] = true;
        }
        chosen
    }
}
