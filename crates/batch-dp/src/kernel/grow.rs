//! The core of a pass, its two lists of states, and what they keep: the alternatives that the incumbent does not
//! exclude, the states within the width, the histories behind them.

use super::completion::{Completion, Rounding};
use super::order::{CoreJob, Cut, Kept, Order, Side};
use super::reduction::Dominance;
use super::search::Search;
use super::share::Share;
use crate::list::{History, NONE, Runs, State, Step, undominated};
use crate::number::{Amount, Number};
use sched_model::End;

/// Links kept for each state of the width.
pub(super) const LINKS: usize = 16;

/// Up to this length the front list grows alone; from there on, the shorter of the two.
const FRONT_ALONE: usize = 1 << 11;

/// The jobs of the core with their steps, the two lists, and what a product needs.
#[derive(Debug)]
pub(crate) struct StateLists<P, W> {
    pub(super) jobs: Vec<CoreJob>,
    pub(super) steps: Vec<Step<P, W>>,
    /// The steps of the job that enters a list next, and the same as states.
    pub(super) turn_steps: Vec<Step<P, W>>,
    pub(super) turn_states: Vec<State<P, W>>,
    pub(super) front: Vec<State<P, W>>,
    pub(super) back: Vec<State<P, W>>,
    pub(super) runs: Runs<P, W>,
    pub(super) history: History,
    pub(super) order: Order,
    /// Of the present pass; none where there is one rank.
    pub(super) cuts: Vec<Cut>,
}

impl<P, W> Default for StateLists<P, W> {
    fn default() -> Self {
        Self {
            jobs: Vec::new(),
            steps: Vec::new(),
            turn_steps: Vec::new(),
            turn_states: Vec::new(),
            front: Vec::new(),
            back: Vec::new(),
            runs: Runs::default(),
            history: History::default(),
            order: Order::default(),
            cuts: Vec::new(),
        }
    }
}

impl<P, W> StateLists<P, W> {
    /// The most bytes of a pass of this width: both lists and three buffers of a block of two widths, each
    /// vector with a capacity up to twice its length; scores; links.
    pub(super) fn bytes(width: usize) -> u64 {
        let state = size_of::<State<P, W>>() as u64;
        let each = 2 * (2 * state + 8 * state + 8) + (2 * LINKS * History::BYTES) as u64;
        each * width as u64
    }
}

impl<P, W> StateLists<P, W> {
    /// Both lists hold the base alone, without a history.
    pub(super) fn restart(&mut self)
    where
        P: Number,
        W: Number,
    {
        self.history.clear();
        for list in [&mut self.front, &mut self.back] {
            list.clear();
            list.push(State::ORIGIN);
        }
    }

    /// The list that grows next.
    pub(super) fn shorter(&self) -> Side {
        if self.front.len() <= self.back.len().max(FRONT_ALONE) { Side::Front } else { Side::Back }
    }

    /// The list of a side.
    pub(super) fn list(&mut self, side: Side) -> &mut Vec<State<P, W>> {
        match side {
            Side::Front => &mut self.front,
            Side::Back => &mut self.back,
        }
    }
}

impl<P: Number, W: Amount> Search<'_, P, W> {
    /// Fills the core with the alternatives that the incumbent does not exclude, and orders it.
    pub(super) fn prepare(&mut self, lists: &mut StateLists<P, W>) -> Rounding {
        let scales = (&self.task.scales.0, &self.task.scales.1);
        lists.jobs.clear();
        lists.steps.clear();
        self.below_base = 0.0;
        let (mut core_p, mut core_w) = (0.0, 0.0);
        for &(job, start, end) in &self.reduced.jobs {
            let base = self.base[job as usize].alt;
            let (base_p, base_w) = (self.task.number)(base);
            let own = lists.steps.len();
            for step in &self.reduced.steps[start as usize..end as usize] {
                let (p, w) = (self.task.number)(step.alt);
                let alt = if step.alt == base { NONE } else { step.alt };
                lists.steps.push(Step { p: p.minus(base_p), w: w.minus(base_w), alt });
            }
            if self.task.dominance == Dominance::Unknown {
                undominated(&mut lists.steps, own);
            }
            let all = own..lists.steps.len();
            let (mut job, mut below) = (CoreJob::new(job as usize, all.clone()), 0.0);
            let own = &lists.steps[all];
            if let Some(multiplier) = self.task.multiplier {
                let value = |step: &Step<P, W>| step.p.near(scales.0) + multiplier * step.w.near(scales.1);
                below = own.iter().map(value).fold(below, f64::min);
            }
            job.see(own, scales);
            self.below_base += below;
            core_p += job.largest_p;
            core_w += job.largest_w;
            lists.jobs.push(job);
        }
        lists.order.arrange(&lists.jobs);
        lists.cuts.resize_with(self.task.prices.len(), Cut::default);
        for (cut, &price) in lists.cuts.iter_mut().zip(self.task.prices) {
            cut.fill(price, (&lists.jobs, &lists.order, &lists.steps), scales);
        }
        Rounding::new(lists.jobs.len(), (core_p, core_w), (P::fuzz(scales.0), W::fuzz(scales.1)))
    }

    /// The tests of the cuts for the states of a side at a turn.
    pub(super) fn kept(&self, at: (Side, usize), rounding: &Rounding, cuts: &[Cut]) -> Vec<Kept> {
        let (p, w) = (&self.task.scales.0, &self.task.scales.1);
        let above = (self.tie_p.loss(p), self.slack.near(w));
        cuts.iter().map(|cut| cut.kept(at, above, P::loss_fuzz(p), rounding)).collect()
    }

    /// Finds the alternatives of a job that the incumbent, which may have improved, does not exclude.
    pub(super) fn choices_of(&mut self, job: &CoreJob, rounding: &Rounding, lists: &mut StateLists<P, W>) {
        let aim = self.aim();
        let scales = &self.task.scales;
        let StateLists { steps, turn_steps, turn_states, .. } = lists;
        turn_steps.clear();
        turn_states.clear();
        let most = self.task.multiplier.map(|multiplier| {
            let gap = aim.tie_p - self.below_base;
            (multiplier, gap + multiplier * aim.slack + rounding.margin(multiplier, gap, aim.slack))
        });
        let is_left = |step: &&Step<P, W>| {
            most.is_none_or(|(multiplier, most)| {
                step.p.near(&scales.0) + multiplier * step.w.near(&scales.1) <= most
            })
        };
        turn_steps.extend(steps[job.range()].iter().filter(is_left));
        turn_states.extend(turn_steps.iter().map(|&Step { p, w, alt }| State { p, w, link: NONE, alt }));
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    /// A state of two doubles and two numbers takes 24 bytes, a link and its new position 16.
    #[test]
    fn a_pass_needs_so_many_bytes_for_each_state_of_its_width() {
        let each = 2 * (10 * 24 + 8) + 2 * 16 * 16;
        assert_eq!(StateLists::<f64, f64>::bytes(1), each);
        assert_eq!(StateLists::<f64, f64>::bytes(1000), 1000 * each);
    }
}
