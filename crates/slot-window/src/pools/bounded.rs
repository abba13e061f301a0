//! The first window of a level, where levels are left out of which no window can be within the budget.
//!
//! A sweep of a level without a window reads the whole list. What the cheapest nodes of a pool cost proves for
//! most levels that there is none, or leaves few slots that can be in one: as for the least cost, of which
//! this has the bounds.

use super::{
    candidates::{Candidate, Level},
    classes::Classes,
    least::{Least, floors},
    most_of_a_group,
    search::Search,
};
use crate::error::Stop;
use crate::pools::candidates::levels_of_spans;
use sched_model::{End, Span, check::Holding};
use std::collections::BTreeSet;

/// Levels with lower bounds on the costs of their windows, and what sweeps of them read.
pub(super) struct Bounds<'a> {
    pub(super) classes: Classes<'a>,
    /// The number of pools.
    pub(super) pools: usize,
    /// In order of their spans, with the bound by prices alone.
    pub(super) levels: Vec<(f64, Level)>,
}

impl<'a> Search<'a, '_, '_> {
    /// The bounds of all levels of these candidates, which are in time order.
    pub(super) fn bounds(&self, all: Vec<Candidate<'a>>, holding: Holding) -> Result<Bounds<'a>, End> {
        let (tariff, meter) = (self.query.slots.tariff(), self.meter);
        let classes = Classes::of(all, (holding, self.limits.finish), tariff, meter)?;
        let pools = classes.classes.iter().map(|class| class.pack).collect::<BTreeSet<u32>>().len();
        let spans = classes.classes.iter().map(|class| Ok::<Span, End>(class.own));
        let levels = levels_of_spans(self.query, spans, holding)?;
        let floors = floors(&classes, &levels, self.query.request.nodes(), tariff, meter)?;
        Ok(Bounds { classes, pools, levels: floors.into_iter().zip(levels).collect() })
    }

    /// Sweeps the levels of longer spans than `swept`, the shortest first, over the slots that can be in a
    /// window within the budget, as long as a window may be better than the best.
    pub(super) fn first_of_levels(&mut self, all: Vec<Candidate<'a>>, swept: f64) -> Result<(), Stop> {
        let Some(first) = all.first().map(|candidate| candidate.start) else { return Ok(()) };
        let (n, most) = (self.query.request.nodes(), most_of_a_group(self.eligible));
        let (tariff, meter, budget) = (self.query.slots.tariff(), self.meter, self.limits.budget);
        let Bounds { classes, pools, levels } = self.bounds(all, Holding::SlowestSpan)?;
        let excluded = |cost: f64| cost > budget || cost == f64::INFINITY;
        for (floor, level) in levels.into_iter().filter(|(_, level)| level.longest > swept) {
            if self.is_decided_before(level, first) {
                break;
            }
            if excluded(floor) {
                continue;
            }
            let least = Least::of(&classes, (level, pools), (n, most), tariff, meter)?;
            if !excluded(least.whole()) {
                let candidates = classes.within((level, &least, budget), tariff, meter)?;
                self.level(candidates, level, Some((&least, &[])))?;
            }
        }
        Ok(())
    }
}
