//! The exact choice at one instant of a pass.

use super::pass::Ranked;
use crate::subset::{self, Floor, Found, Given, Items, MAX_STEPS, Prior, Relaxed, Start};
use sched_model::{End, Meter};

/// How far a bound may be from the best one, where computing the best one would take more work than it saves.
pub(crate) const SLACK: f64 = 1.0 / 64.0;

/// Memory of the exact choices.
#[derive(Debug, Default)]
pub(crate) struct Chooser {
    pub(crate) values: Vec<f64>,
    pub(crate) costs: Vec<f64>,
    /// Ranks from which one is forced into the choice.
    pub(crate) all: Vec<u32>,
    pub(crate) chosen: Vec<u32>,
    pub(crate) subset: subset::Search,
}

/// One instant of a pass.
pub(crate) struct Step<'a> {
    pub(crate) ranked: &'a [Ranked],
    pub(crate) n: usize,
    pub(crate) budget: f64,
}

impl Step<'_> {
    /// Whether the relaxation allows a choice above the floor. The members are in order of rank, which speeds
    /// it up.
    pub(crate) fn may_choose(
        &self,
        members: &[u32],
        floor: f64,
        lambda: f64,
        chooser: &mut Chooser,
        meter: &mut Meter,
    ) -> Result<bool, End> {
        let Chooser { values, costs, subset, .. } = chooser;
        self.fill(members, values, costs);
        let prior = Prior { lambda, floor, slack: SLACK };
        let items = self.items(values, costs, None);
        let (hope, near) = match subset::relax(&items, prior, &mut subset.order, meter)? {
            Relaxed::Infeasible(near) | Relaxed::Low(near) => (false, near),
            Relaxed::Solved => (true, lambda),
            Relaxed::Bound(multiplier) => (true, multiplier.lambda),
        };
        subset.lambda = near;
        Ok(hope)
    }

    fn items<'a>(&self, values: &'a [f64], costs: &'a [f64], first: Option<&Ranked>) -> Items<'a> {
        let given = first.map_or(Given::default(), |first| Given { value: first.value, cost: first.cost });
        Items { values, costs, n: self.n - usize::from(first.is_some()), budget: self.budget, given }
    }

    fn fill(&self, members: &[u32], values: &mut Vec<f64>, costs: &mut Vec<f64>) {
        values.clear();
        costs.clear();
        for &rank in members {
            values.push(self.ranked[rank as usize].value);
            costs.push(self.ranked[rank as usize].cost);
        }
    }

    /// The exact choice of n among the members, or of n - 1 together with `first`. The result is in `chosen`;
    /// its multiplier is a good start value.
    pub(crate) fn choose(
        &self,
        members: &[u32],
        first: Option<&Ranked>,
        floor: f64,
        chooser: &mut Chooser,
        meter: &mut Meter,
    ) -> Found {
        let Chooser { values, costs, chosen, subset, .. } = chooser;
        self.fill(members, values, costs);
        let start = Start { floor: Floor::Above(floor), lambda: subset.lambda, max_steps: MAX_STEPS };
        let found = subset::search(&self.items(values, costs, first), start, subset, meter);
        chosen.clear();
        if subset.best.found {
            chosen.extend(subset.best.indices.iter().map(|&index| members[index as usize]));
        }
        found
    }

    pub(crate) fn slowest(&self, chosen: &[u32]) -> f64 {
        chosen.iter().map(|&rank| self.ranked[rank as usize].speed).fold(f64::INFINITY, f64::min)
    }
}
