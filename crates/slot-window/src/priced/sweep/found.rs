//! What a search has found, and what it has left out.
//!
//! Where the meter ends the exact choices, a second sweep relaxes the budget instead, over all starts: what it finds
//! and leaves out does not depend on the work before, so that more work makes neither the value nor the bound worse. No
//! window that is offered is worse than the best one so far by the value that is reported.

use super::Sweep;
use crate::priced::{NodeTimePrices, PreparedQuery, PricedSearch, PricedWindow};
use crate::{WindowError, error::ended};
use sched_model::check::Holding;
use sched_model::{Meter, Span, Time, Window, order::sort};

/// The window of least value, if it is below this, and a bound of the values of all windows.
pub(in crate::priced) fn search(
    search: &PricedSearch,
    query: &PreparedQuery<'_>,
    prices: &NodeTimePrices,
    below: f64,
    meter: &mut Meter,
) -> Result<(Option<PricedWindow>, f64), WindowError> {
    let mut sweep = Sweep::new(search, query, prices, below);
    if ended(sweep.run(Some(meter)))?.is_some() {
        let mut relaxed = Sweep::new(search, query, prices, below);
        relaxed.run(None)?;
        sweep.unproven = relaxed.unproven;
        sweep.magnitude = sweep.magnitude.max(relaxed.magnitude);
        if relaxed.below < sweep.below {
            sweep.best = relaxed.best;
        }
    }
    let least = sweep.best.as_ref().map_or(below, |best| best.value).min(sweep.unproven);
    let bound = least - sweep.error();
    Ok((sweep.best, bound))
}

impl Sweep<'_> {
    /// Takes the window of `members`, of which the values have this sum, if it is below the best.
    pub(super) fn offer(&mut self, sum: f64) -> Result<(), WindowError> {
        if sum + self.rest(self.span_of_members()) >= self.below {
            return Ok(());
        }
        let start = Time::new(self.start)?;
        // Where all are held for the span of the slowest chosen node, that node decides the span, not the
        // level.
        let of = |&at: &u32| self.usable[self.live[at as usize].slot as usize].suited;
        let chosen = self.members.iter().map(of);
        let longest = chosen.clone().map(|suited| suited.own_span).fold(Span::ZERO, Span::max);
        let own = self.query.rules.holding == Holding::OwnSpan;
        let placement = |span: Span, slot| self.query.slots.placement(slot, start, span);
        let placements =
            chosen.map(|suited| placement(if own { suited.own_span } else { longest }, suited.slot));
        let mut placements: Vec<_> = placements.collect();
        sort(&mut placements, &|a, b| a.node.cmp(&b.node));
        let window = Window::new(start, placements)?;
        let value = self.search.value_with(&window, longest, self.query.origin, self.prices);
        if value < self.below {
            self.below = value;
            self.best = Some(PricedWindow { window, value });
        }
        Ok(())
    }
}
