//! Keeps a list of states within the width of a pass, and counts the work of the products that form it.

use super::completion::Completion;
use super::lists::{LINKS, StateLists};
use super::order::Side;
use super::share::Share;
use crate::list::State;
use crate::number::{Amount, Number};
use sched_model::End;

/// Units of work for a state formed, merged or judged.
pub(super) const STATE: u64 = 4;

/// Drops the states of the worst bounds where a list is longer than the width, and notes the least bound
/// dropped.
pub(super) struct Trimmer<'p, P: Number, W: Amount> {
    pub(super) width: usize,
    /// The least bound dropped so far.
    pub(super) dropped: f64,
    /// By how much rounding may raise a bound.
    pub(super) doubt: f64,
    pub(super) completion: Completion,
    pub(super) scales: (P::Scale, W::Scale),
    /// The bounds of the states of a list that is too long.
    pub(super) scores: &'p mut Vec<f64>,
}

impl<P: Number, W: Amount> Trimmer<'_, P, W> {
    /// Shortens a list to the width: half of it are the states of the best bounds, the rest are taken at
    /// equal distances from the others. Notes the least bound dropped.
    pub(super) fn shorten(
        &mut self,
        list: &mut Vec<State<P, W>>,
        width: usize,
        share: &mut Share<'_>,
    ) -> Result<(), End> {
        if list.len() <= width {
            return Ok(());
        }
        let score = |state: &State<P, W>| {
            self.completion.bound(state.p.near(&self.scales.0), state.w.near(&self.scales.1))
        };
        share.spend(STATE * list.len() as u64)?;
        self.scores.clear();
        self.scores.extend(list.iter().map(score));
        let half = width / 2;
        let (_, &mut good, others) = self.scores.select_nth_unstable_by(half, f64::total_cmp);
        // Of the others, those at equal distances along the list: where all bounds are nearly equal, the
        // spread of weights decides how closely a list can fill the limit.
        let (count, wanted) = (others.len() + 1, width - half);
        let (mut seen, mut kept, mut least) = (0, 0, f64::INFINITY);
        list.retain(|state| {
            let own = score(state);
            if own < good {
                return true;
            }
            // With equal bounds, more states than the others may be here; they count as well.
            seen += 1;
            let stays = kept < wanted && seen * wanted >= kept * count;
            if stays {
                kept += 1;
            } else {
                least = least.min(own);
            }
            stays
        });
        self.dropped = self.dropped.min(least - self.doubt);
        Ok(())
    }

    /// Keeps the histories within their share of memory: unused links are removed; if that is not enough,
    /// states are dropped.
    pub(super) fn limit_history(
        &mut self,
        lists: &mut StateLists<P, W>,
        side: Side,
        share: &mut Share<'_>,
    ) -> Result<(), End> {
        let most = LINKS * self.width;
        while lists.history.len() > most {
            // Each is read a few times, and counts once.
            share.spend(lists.history.len() as u64)?;
            let StateLists { front, back, history, .. } = lists;
            history.shrink([front, back]);
            if lists.history.len() <= most / 2 {
                break;
            }
            let list = lists.list(side);
            if list.len() <= 1 {
                break;
            }
            let half = list.len() / 2;
            self.shorten(list, half, share)?;
        }
        Ok(())
    }
}
