//! The choice of slots that a search has made.

use crate::{WindowError, WindowQuery};
use sched_model::{Slot, Span, Time, Window, check::Holding, order::sort};

/// The best choice so far.
#[derive(Debug, Default)]
pub(crate) struct Choice {
    /// Its start, and how its nodes are held.
    found: Option<(f64, Holding)>,
    /// Positions of its slots in the list.
    at: Vec<u32>,
}

impl Choice {
    pub(crate) fn reset(&mut self) {
        self.found = None;
    }

    pub(crate) fn is_found(&self) -> bool {
        self.found.is_some()
    }

    pub(crate) fn set(&mut self, start: f64, holding: Holding, at: impl Iterator<Item = u32>) {
        self.found = Some((start, holding));
        self.at.clear();
        self.at.extend(at);
    }

    /// The window of this choice, its placements in node order.
    pub(crate) fn window(&mut self, query: WindowQuery<'_>) -> Result<Option<Window>, WindowError> {
        let Some((start, holding)) = self.found else { return Ok(None) };
        let start = Time::new(start)?;
        self.at.sort_unstable();
        let mut chosen = Vec::with_capacity(self.at.len());
        let mut wanted = self.at.iter().copied().peekable();
        let mut first = 0_usize;
        for run in query.slots.runs_alive_at(query.from) {
            while let Some(slot) = wanted.peek().and_then(|&at| run.get(at as usize - first)) {
                chosen.push(*slot);
                wanted.next();
            }
            if wanted.peek().is_none() {
                break;
            }
            first += run.len();
        }
        // All are held for the span of the slowest of them. A search that was stopped may have found them when
        // it looked for windows of a longer one.
        let longest = chosen.iter().map(|slot| query.span_on(slot)).fold(Span::ZERO, Span::max);
        let slowest = holding == Holding::SlowestSpan;
        let span = |slot: &Slot| if slowest { longest } else { query.span_on(slot) };
        let mut placements: Vec<_> =
            chosen.iter().map(|slot| query.slots.placement(slot, start, span(slot))).collect();
        sort(&mut placements, &|a, b| a.node.cmp(&b.node));
        Ok(Some(Window::new(start, placements)?))
    }
}
