//! The slots of a sweep, and the starts at which the prices that they pay change.

use super::{Sweep, Usable};
use crate::scan::{LeastByNode, last_that_ends_by, latest_start, usable};
use sched_model::Span;

/// Number of recent spans with which a new one is compared before it is added to the list to be sorted.
const FEW_LEVELS: usize = 8;

impl Sweep<'_> {
    /// The slots that can be part of a window below the best, and their spans.
    pub(super) fn collect_usable(&mut self, held: Option<Span>) {
        self.usable.clear();
        self.numbers.clear();
        self.usable.reserve(self.place.len());
        self.numbers.reserve(self.place.len());
        let cost_weight = self.search.cost_weight;
        let tariff = self.slots.tariff();
        let mut greatest = 0.0_f64;
        for (number, suited) in (self.place.start..).zip(&self.suited[self.place.clone()]) {
            let span = held.unwrap_or(suited.own_span);
            if suited.own_span > span {
                continue;
            }
            let from = usable(suited.slot, self.from);
            let latest = latest_start(suited.slot.end().get().min(self.deadline), span.get());
            let charge = tariff.charge(suited.slot.price(), span).get();
            if latest < from || charge > self.budget {
                continue;
            }
            let base = cost_weight * charge;
            greatest = greatest.max(base.abs());
            self.numbers.push(number as u32);
            self.usable.push(Usable {
                slot: suited.slot,
                points: &[],
                from,
                span,
                charge,
                base,
                latest,
                group: suited.group,
                present: f64::NAN,
            });
        }
        let last = self.usable.iter().map(|usable| usable.latest).fold(self.from, f64::max);
        let longest = self.usable.iter().map(|usable| usable.span.get()).fold(0.0, f64::max);
        let added = self.nodes.min(self.suited.len()) as f64 * (greatest + self.prices.most_of_a_node())
            // A runtime is the difference of two instants.
            + self.search.runtime_weight * (longest + last.abs().max(self.origin.abs()))
            + self.search.start_weight * (last - self.origin);
        self.magnitude = self.magnitude.max(added);
        if self.below < f64::INFINITY && self.usable.len() >= self.nodes {
            let least_rest = self.least_bases(self.nodes - 1);
            let (below, search, origin) = (self.below, self.search, self.origin);
            let keeps = |usable: &Usable<'_>| {
                let begun = search.start_weight * (usable.from - origin);
                usable.base + least_rest + search.runtime_weight * usable.span.get() + begun < below
            };
            let mut kept = 0;
            for at in 0..self.usable.len() {
                if keeps(&self.usable[at]) {
                    self.usable.swap(kept, at);
                    self.numbers.swap(kept, at);
                    kept += 1;
                }
            }
            self.usable.truncate(kept);
            self.numbers.truncate(kept);
        }
        for usable in &mut self.usable {
            usable.points = self.prices.points(usable.slot.node());
        }
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

    /// The least sum of values of so many slots of different nodes: a lower bound for as many nodes of a
    /// window.
    pub(super) fn least_bases(&mut self, count: usize) -> f64 {
        if count == 0 {
            return 0.0;
        }
        let mut least = LeastByNode::new(count);
        self.usable.iter().for_each(|usable| least.add(usable.base, usable.slot.node().0));
        least.values().sum()
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
        events.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        events.dedup();
        self.events = events;
    }
}

/// The least start from which a task of this span ends at `instant` or later, in computed numbers.
fn first_start_that_reaches(instant: f64, span: f64) -> f64 {
    last_that_ends_by(instant.next_down(), span).next_up()
}
