//! The slots of a sweep, and the starts at which the prices that they pay change.

use super::super::prepared::{Below, Piece, Place};
use super::{Sweep, Usable};
use crate::sweep::last_that_ends_by;
use sched_model::Span;
use sched_model::order::sort_keys;

/// Number of recent spans with which a new one is compared before it is added to the list to be sorted.
const FEW_LEVELS: usize = 8;

impl Sweep<'_> {
    /// The slots that can be part of a window below the best, and their spans.
    pub(super) fn collect_usable(&mut self, place: &Place, held: Option<Span>) {
        let search = self.search;
        let mut fresh = std::mem::take(&mut self.fresh);
        let pieces = match &place.pieces {
            Some(pieces) => pieces,
            None => {
                fresh.collect(self.query, &place.suited, held);
                &fresh
            }
        };
        let (longest, last, from) = (pieces.longest, pieces.last, self.origin);
        let greatest = search.cost_weight.abs() * pieces.greatest_charge;
        let added = self.nodes.min(self.query.suited.len()) as f64 * (greatest + self.prices.most_of_a_node())
            // A runtime is the difference of two instants.
            + search.runtime_weight * (longest + last.abs().max(from.abs()))
            + search.start_weight * (last - from);
        self.magnitude = self.magnitude.max(added);
        let below = Below { search, value: self.below, nodes: self.nodes, origin: self.origin };
        let mut kept = std::mem::take(&mut self.positions);
        pieces.keep(&below, &mut kept);
        let usable = |&at: &u32| {
            let Piece { node, number, group, from, latest, span, charge } = pieces.list[at as usize];
            let (points, base) = (self.prices.points(node), search.cost_weight * charge);
            Usable { node, number, points, from, span, charge, base, latest, group, present: f64::NAN }
        };
        self.usable.clear();
        self.usable.extend(kept.iter().map(usable));
        (self.positions, self.fresh) = (kept, fresh);
        self.levels.clear();
        for usable in &self.usable {
            // Neighbours often have the same speed; where there are few speeds, each is added once.
            let known = &self.levels[self.levels.len().saturating_sub(FEW_LEVELS)..];
            if !known.contains(&usable.span) {
                self.levels.push(usable.span);
            }
        }
        self.levels.sort_unstable();
        self.levels.dedup();
    }

    pub(super) fn collect_events(&mut self) {
        let mut events = std::mem::take(&mut self.events);
        events.clear();
        events.reserve(2 * self.usable.len());
        for (number, usable) in self.usable.iter().enumerate() {
            let number = number as u32;
            events.push((usable.from, number));
            // A slot does not pay prices before its start or after its end.
            let first = usable.points.partition_point(|point| point.at <= usable.from);
            let end = usable.latest + usable.span.get();
            for point in usable.points[first..].iter().take_while(|point| point.at <= end) {
                for start in [point.at, first_start_that_reaches(point.at, usable.span.get())] {
                    if start > usable.from && start <= usable.latest {
                        events.push((start, number));
                    }
                }
            }
        }
        sort_keys(&mut events);
        events.dedup();
        self.events = events;
    }
}

/// The least start from which a task of this span ends at `instant` or later, in computed numbers.
fn first_start_that_reaches(instant: f64, span: f64) -> f64 {
    last_that_ends_by(instant.next_down(), span).next_up()
}
