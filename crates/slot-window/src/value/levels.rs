//! The levels of a search, their bounds, and the classes that can be on them.

use super::{
    best::Notes,
    pass::Candidate,
    search::{Chooser, Level, Search, ValueScratch},
};
use crate::{
    Scope, WindowError,
    criterion::checked,
    subset::{self, Items, Relaxed, rounding},
    sweep::Held,
};
use sched_model::{Span, check::Holding};

impl Search<'_> {
    /// Whether values depend on the span for which all nodes of a window are held.
    pub(super) fn is_by_level(&self) -> bool {
        self.holding == Holding::SlowestSpan && self.criterion.scope() == Scope::SlotAndSpan
    }

    /// Lists the levels that may have windows.
    pub(super) fn levels(&self, memory: &mut ValueScratch, notes: &mut Notes<'_>) -> Result<(), WindowError> {
        if self.is_by_level() {
            memory.catalogue.list(self.query, &self.limits, None, true, notes.meter, |_, _| Ok(0.0))?;
            let spans: Vec<Span> = memory.catalogue.levels().map(|(span, _)| span).collect();
            for span in spans {
                self.list(Some(span), memory, notes)?;
                self.bound(Some(span), memory.catalogue.classes.len(), memory, notes)?;
            }
            return Ok(());
        }
        // A value that does not depend on the span of the window is computed once for all levels.
        self.list(None, memory, notes)?;
        if self.holding == Holding::OwnSpan {
            return self.bound(None, memory.catalogue.classes.len(), memory, notes);
        }
        let levels: Vec<(Span, usize)> = memory.catalogue.levels().collect();
        levels.into_iter().try_for_each(|(span, upto)| self.bound(Some(span), upto, memory, notes))
    }

    /// Lists the slots for windows that are held so long; values are computed for this span.
    fn list(&self, held: Held, memory: &mut ValueScratch, notes: &mut Notes<'_>) -> Result<(), WindowError> {
        if memory.listed == Some(held) {
            return Ok(());
        }
        let by_node = self.criterion.scope() == Scope::Node;
        memory.catalogue.list(self.query, &self.limits, held, by_node, notes.meter, |slot, span| {
            Ok(self.sign * checked(slot.node(), self.criterion.value(slot, span))?)
        })?;
        memory.listed = Some(held);
        Ok(())
    }

    /// Adds a level with its bound, unless it has no affordable window at any instant.
    fn bound(
        &self,
        held: Held,
        upto: usize,
        memory: &mut ValueScratch,
        notes: &mut Notes<'_>,
    ) -> Result<(), WindowError> {
        let ValueScratch { catalogue, levels, chooser: Chooser { values, costs, subset, .. }, .. } = memory;
        values.clear();
        costs.clear();
        for &(_, number) in &catalogue.by_span[..upto] {
            let class = &catalogue.classes[number as usize];
            if let Some((_, cost)) = class.held(held, self.query.slots.tariff(), self.limits.budget) {
                values.push(class.value);
                costs.push(cost);
            }
        }
        let n = self.query.request.nodes();
        let items = Items::new(values, costs, n, self.limits.budget);
        let multiplier = match subset::relax(&items, f64::NEG_INFINITY, &mut subset.order, notes.meter)? {
            Relaxed::Nothing(_) => return Ok(()),
            Relaxed::Solved(multiplier) | Relaxed::Bound(multiplier) => multiplier,
        };
        let least = values.iter().copied().fold(f64::INFINITY, f64::min) * n as f64;
        let greatest = values.iter().fold(0.0_f64, |greatest, value| greatest.max(value.abs()));
        let least = (least - rounding::of_sum(greatest, n, 0.0)).next_down();
        levels.push(Level { held, classes: upto, multiplier, least });
        Ok(())
    }

    /// The budget's part of a bound by reduced values, with the rounding error.
    pub(super) fn base(&self, lambda: f64, margin: f64) -> f64 {
        rounding::share(lambda, self.limits.budget) + 6.0 * margin
    }

    /// Lists the classes that can be on a level, by the multiplier of its bound; and the slots before, if the last
    /// list of them does not serve the level.
    pub(super) fn candidates(
        &self,
        level: &Level,
        memory: &mut ValueScratch,
        notes: &mut Notes<'_>,
    ) -> Result<(), WindowError> {
        if self.is_by_level() {
            self.list(level.held, memory, notes)?;
        }
        let ValueScratch { catalogue, pass, .. } = memory;
        let within = (self.query.slots.tariff(), self.limits.budget);
        let of_level = (level.classes, level.held);
        Ok(pass.list(catalogue, of_level, within, level.multiplier.lambda, notes.meter)?)
    }

    /// A value that only windows without a class beyond the `width` of greatest reduced value can exceed;
    /// none if there are no other classes.
    pub(super) fn target(
        &self,
        level: &Level,
        width: usize,
        memory: &mut ValueScratch,
        notes: &mut Notes<'_>,
    ) -> Result<Option<f64>, WindowError> {
        self.candidates(level, memory, notes)?;
        let candidates = &mut memory.pass.candidates;
        let n = self.query.request.nodes();
        if width >= candidates.len() {
            return Ok(None);
        }
        let least = candidates.select_nth_unstable_by(width, Candidate::order).1.reduced;
        let nth = candidates[..width].select_nth_unstable_by(n - 1, Candidate::order).1.reduced;
        Ok(Some(level.multiplier.bound - (nth - least)))
    }
}
