//! The task of a search, the two lists of states of a pass, and how lists and histories are kept within the width.

use super::order::{Completion, CoreJob, Cut, Order, Side};
use super::reduction::{Dominance, Reduced};
use crate::list::{History, ProductBuffers, STATE, State, Step, StepScales};
use crate::number::{Amount, Number};
use sched_model::{End, Meter};

/// The task of a search: the exact numbers of the alternatives, and a limit on the sum of their weights.
pub(crate) struct Task<'a, P: Number, W: Amount> {
    /// Objective and weight of an alternative, by its index among those of all jobs.
    pub(crate) number: &'a dyn Fn(u32) -> (P, W),
    pub(crate) scales: StepScales<P::Scale>,
    /// The maximum weight allowed.
    pub(crate) limit: W,
    /// The multiplier at which the base is optimal; `None` if values differ too much in magnitude.
    pub(crate) multiplier: Option<f64>,
    pub(crate) base: &'a [Step],
    /// The alternatives that the reduction has left.
    pub(crate) reduced: &'a Reduced,
    /// The sign of the caller's objective.
    pub(crate) sign: f64,
    /// The amount by which the doubles of the search exceed the signed objective, for every choice that equals the
    /// incumbent in the first rank.
    pub(crate) offset: f64,
    /// A lower bound of the choices that this search leaves out; infinite if it covers all.
    pub(crate) elsewhere: f64,
    /// Whether the reduction has removed dominated alternatives.
    pub(crate) dominance: Dominance,
    /// The prices of weight at which cuts bound the first rank, one per cut; empty if there is one rank.
    pub(crate) prices: &'a [f64],
    /// Whether this is a subproblem, whose result does not answer the whole problem. The result is then not reported to
    /// the meter, and a lighter choice does not replace an equally good one, which may be better by a criterion outside
    /// the subproblem.
    pub(crate) is_subproblem: bool,
}

impl<P: Number, W: Amount> Task<'_, P, W> {
    /// The sums of objective and weight of some alternatives.
    pub(super) fn sums(&self, alternatives: impl Iterator<Item = u32>) -> (P, W) {
        let own = alternatives.map(self.number);
        own.fold((P::ZERO, W::ZERO), |(p, w), (own_p, own_w)| (p.plus(own_p), w.plus(own_w)))
    }
}

/// The maximum number of links kept per state of the width.
pub(super) const LINKS: usize = 16;

/// The front list grows alone up to this length; then the shorter list grows.
const FRONT_ALONE: usize = 1 << 11;

/// The jobs of the core with their steps, the two lists, and the buffers of a product.
#[derive(Debug, Default)]
pub(crate) struct StateLists<P, W> {
    pub(super) jobs: Vec<CoreJob>,
    pub(super) steps: Vec<Step<P, W>>,
    /// The steps of the job that enters a list at this turn, and the same steps as states.
    pub(super) turn_steps: Vec<Step<P, W>>,
    pub(super) turn_states: Vec<State<P, W>>,
    /// The list of each [`Side`].
    pub(super) states: [Vec<State<P, W>>; 2],
    pub(super) buffers: ProductBuffers<P, W>,
    pub(super) history: History,
    pub(super) order: Order,
    /// The cuts of the present pass; empty if there is one rank.
    pub(super) cuts: Vec<Cut>,
}

impl<P: Number, W: Number> StateLists<P, W> {
    /// The maximum number of bytes of a pass of this width: both lists, and three buffers of a block of two widths,
    /// each in a vector whose capacity may be twice its length; bounds; links.
    pub(super) fn bytes(width: usize) -> u64 {
        let state = size_of::<State<P, W>>() as u64;
        let each = 2 * (2 * state + 8 * state + 8) + (2 * LINKS * History::BYTES) as u64;
        each * width as u64
    }

    /// Resets both lists to the base alone, without a history.
    pub(super) fn restart(&mut self) {
        self.history.clear();
        for list in &mut self.states {
            list.clear();
            list.push(State::ORIGIN);
        }
    }

    /// The list that grows next: the front as long as it is short, then the shorter list.
    pub(super) fn next_to_grow(&self) -> Side {
        let [front, back] = &self.states;
        if front.len() <= back.len().max(FRONT_ALONE) { Side::Front } else { Side::Back }
    }
}

/// Drops states from a list that is longer than the width, and records the minimum bound dropped.
pub(super) struct Trimmer<'p, P: Number> {
    /// The width of the pass, which limits the histories.
    pub(super) width: usize,
    /// The minimum bound dropped so far.
    pub(super) dropped: f64,
    /// The maximum amount by which rounding raises a bound.
    pub(super) margin: f64,
    pub(super) completion: Completion,
    pub(super) scales: StepScales<P::Scale>,
    /// The bounds of the states of a list that is too long.
    pub(super) bounds: &'p mut Vec<f64>,
}

impl<P: Number> Trimmer<'_, P> {
    /// Shortens a list to at most `max_states` states. Those of the best bounds, half of them, stay. Of the others
    /// those at equal distances along the list stay: if all bounds are nearly equal, the spread of weights decides how
    /// closely a list can fill the limit. Records the minimum bound dropped.
    pub(super) fn shorten<W: Amount>(
        &mut self,
        list: &mut Vec<State<P, W>>,
        max_states: usize,
        meter: &mut Meter,
    ) -> Result<(), End> {
        if list.len() <= max_states {
            return Ok(());
        }
        let StepScales { p: of_p, w: of_w } = &self.scales;
        let bound_of = |state: &State<P, W>| self.completion.bound(state.p.near(of_p), state.w.near(of_w));
        meter.spend(STATE * list.len() as u64)?;
        self.bounds.clear();
        self.bounds.extend(list.iter().map(bound_of));
        let best = max_states / 2;
        let (_, &mut first_other, _) = self.bounds.select_nth_unstable_by(best, f64::total_cmp);
        // Equal bounds may make fewer states the best, and more states others, than are counted here.
        let (others, wanted) = (list.len() - best, max_states - best);
        let mut marks = (0..wanted).map(|number| (number * others).div_ceil(wanted)).peekable();
        let (mut passed, mut dropped) = (0, f64::INFINITY);
        list.retain(|state| {
            let bound = bound_of(state);
            if bound < first_other {
                return true;
            }
            passed += 1;
            let stays = marks.next_if(|mark| *mark <= passed).is_some();
            if !stays {
                dropped = dropped.min(bound);
            }
            stays
        });
        self.dropped = self.dropped.min(dropped - self.margin);
        Ok(())
    }

    /// Keeps the histories within their share of memory: removes unused links and, if that is not enough, drops states
    /// of the list of `side`.
    pub(super) fn limit_history<W: Amount>(
        &mut self,
        lists: &mut StateLists<P, W>,
        side: Side,
        meter: &mut Meter,
    ) -> Result<(), End> {
        let most = LINKS * self.width;
        while lists.history.len() > most {
            // A link is read a few times, but counted once.
            meter.spend(lists.history.len() as u64)?;
            lists.history.shrink(&mut lists.states);
            if lists.history.len() <= most / 2 {
                break;
            }
            let list = &mut lists.states[side as usize];
            if list.len() <= 1 {
                break;
            }
            let half = list.len() / 2;
            self.shorten(list, half, meter)?;
        }
        Ok(())
    }
}
