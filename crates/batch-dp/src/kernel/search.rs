//! The search over the core: two lists of states that grow towards each other, within a width.

use super::completion::{Aim, Completion, Rounding};
use super::order::{CoreJob, Order};
use super::reduction::{Dominance, Reduced};
use crate::list::{History, NONE, Room, Runs, State, Step, best_pair, lightest_pair, product, undominated};
use crate::number::{Amount, Number, Scale};
use sched_model::{End, Meter};

/// The width of the first pass. Most searches end within it.
const FIRST_WIDTH: usize = 1 << 12;
/// Each pass is so much wider than the last: what narrower passes took is then an eighth of the whole.
const WIDER: usize = 8;
/// Up to this length the front list grows alone; from there on, the shorter of the two.
const FRONT_ALONE: usize = 1 << 11;
/// Units of work for a state formed, merged or judged.
const STATE: u64 = 4;
/// Links kept for each state of the width.
const LINKS: usize = 16;

/// What is searched: exact numbers for alternatives, and a limit on the weight of all.
pub(crate) struct Task<'a, P: Number, W: Amount> {
    /// Objective and weight of an alternative, by its index among those of all jobs.
    pub(crate) number: &'a dyn Fn(u32) -> (P, W),
    pub(crate) scales: (P::Scale, Scale),
    /// The greatest weight allowed.
    pub(crate) limit: W,
    /// At which the base is best; none where values differ too much in magnitude for one.
    pub(crate) multiplier: Option<f64>,
    /// Of the objective that the caller sees.
    pub(crate) sign: f64,
    /// By how much near numbers exceed that objective, for every choice as good as the incumbent in the first rank.
    pub(crate) offset: f64,
    /// Whether the reduction has left out what is dominated.
    pub(crate) dominance: Dominance,
}

/// What a search leaves beside the incumbent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Found {
    pub(crate) end: End,
    /// No choice has a lesser objective. Means nothing when the search is done: the incumbent is the optimum.
    pub(crate) bound: f64,
}

/// Storage of a search.
#[derive(Debug)]
pub(crate) struct Lists<P, W> {
    jobs: Vec<CoreJob>,
    steps: Vec<Step<P, W>>,
    turn_steps: Vec<Step<P, W>>,
    turn_states: Vec<State<P, W>>,
    front: Vec<State<P, W>>,
    back: Vec<State<P, W>>,
    runs: Runs<P, W>,
    history: History,
    order: Order,
}

impl<P, W> Default for Lists<P, W> {
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
        }
    }
}

impl<P, W> Lists<P, W> {
    /// Bytes that a pass of this width takes at most: both lists and three buffers of a block of two widths, each
    /// vector up to twice its length; scores; links.
    fn bytes(width: usize) -> u64 {
        let state = size_of::<State<P, W>>() as u64;
        let each = 2 * (2 * state + 8 * state + 8) + (2 * LINKS * History::BYTES) as u64;
        each * width as u64
    }
}

/// Improves `picks`, a choice within the limit, until it is proven best or the meter stops the search. `base` and what is
/// left of the alternatives come from the reduction.
pub(crate) fn search<P: Number, W: Amount>(
    task: &Task<'_, P, W>,
    base: &[Step],
    reduced: &Reduced,
    picks: &mut [u32],
    lists: &mut Lists<P, W>,
    meter: &mut Meter<'_>,
) -> Found {
    let mut search = Search::new(task, base, reduced, picks, meter);
    let end = search.passes(lists);
    Found { end, bound: search.bound }
}

struct Search<'a, 'm, P: Number, W: Amount> {
    task: &'a Task<'a, P, W>,
    base: &'a [Step],
    reduced: &'a Reduced,
    /// Exact sums of the base.
    base_p: P,
    base_w: W,
    /// What the limit leaves to the base; negative where the base passes it.
    slack: W,
    picks: &'a mut [u32],
    /// The incumbent and its thresholds, as differences from the base.
    better_p: P,
    tie_p: P,
    better_w: W,
    /// No choice has a lesser objective.
    bound: f64,
    /// How much less than the base all jobs of the core can take together at the multiplier: 0, but where `p + m w` of
    /// two alternatives was told apart by rounding alone.
    below_base: f64,
    /// The bounds of the states of a list that is too long.
    scores: Vec<f64>,
    meter: &'a mut Meter<'m>,
}

/// Which list a job enters.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Front,
    Back,
}

impl<'a, 'm, P: Number, W: Amount> Search<'a, 'm, P, W> {
    fn new(
        task: &'a Task<'a, P, W>,
        base: &'a [Step],
        reduced: &'a Reduced,
        picks: &'a mut [u32],
        meter: &'a mut Meter<'m>,
    ) -> Self {
        let (mut base_p, mut base_w) = (P::ZERO, W::ZERO);
        let (mut p, mut w) = (P::ZERO, W::ZERO);
        for (step, &pick) in base.iter().zip(&*picks) {
            let (own_p, own_w) = (task.number)(step.alt);
            (base_p, base_w) = (base_p.plus(own_p), base_w.plus(own_w));
            if pick != step.alt {
                let (other_p, other_w) = (task.number)(pick);
                (p, w) = (p.plus(other_p.minus(own_p)), w.plus(other_w.minus(own_w)));
            }
        }
        let mut search = Self {
            task,
            base,
            reduced,
            base_p,
            base_w,
            slack: task.limit.minus(base_w),
            picks,
            better_p: P::ZERO,
            tie_p: P::ZERO,
            better_w: W::ZERO,
            bound: f64::NEG_INFINITY,
            below_base: 0.0,
            scores: Vec::new(),
            meter,
        };
        search.aim_at(p, w);
        // Nothing is known yet; what an earlier search told the meter was of another problem.
        search.meter.tighten(task.sign * f64::NEG_INFINITY);
        search
    }

    /// Sets the thresholds for an incumbent of these differences from the base.
    fn aim_at(&mut self, p: P, w: W) {
        let total = self.base_p.plus(p);
        self.better_p = total.better(&self.task.scales.0).minus(self.base_p);
        self.tie_p = total.tie(&self.task.scales.0).minus(self.base_p);
        self.better_w = self.base_w.plus(w).better(&self.task.scales.1).minus(self.base_w);
        self.meter.improve(self.task.sign * total.value(&self.task.scales.0));
    }

    fn aim(&self) -> Aim {
        Aim {
            slack: self.slack.near(&self.task.scales.1),
            better_p: self.better_p.near(&self.task.scales.0),
            tie_p: self.tie_p.near(&self.task.scales.0),
            better_w: self.better_w.near(&self.task.scales.1),
        }
    }

    /// Pass after pass, each wider than the last, until one drops nothing.
    fn passes(&mut self, lists: &mut Lists<P, W>) -> End {
        let mut reserved = 0;
        let mut width = FIRST_WIDTH;
        loop {
            let bytes = Lists::<P, W>::bytes(width);
            if let Err(end) = self.meter.reserve(bytes - reserved) {
                if reserved > 0 || width == 1 {
                    return end;
                }
                // Not even a first pass: a narrower one.
                width /= WIDER;
                width = width.max(1);
                continue;
            }
            reserved = bytes;
            match self.pass(width, lists) {
                Err(end) => return end,
                Ok(f64::INFINITY) => return End::Done,
                Ok(dropped) => self.raise(dropped),
            }
            if self.is_enough() {
                return End::Gap;
            }
            width *= WIDER;
        }
    }

    /// Takes a bound on the difference from the base, if it is better than what was known.
    fn raise(&mut self, difference: f64) {
        let (base, scale) = (self.base_p.near(&self.task.scales.0), &self.task.scales.0);
        let rounding = 4.0 * f64::EPSILON * (self.base_p.size(scale) + difference.abs()) + P::fuzz(scale);
        let offset = self.task.offset;
        let bound = base + difference - rounding - offset - 4.0 * f64::EPSILON * offset.abs();
        if bound > self.bound {
            self.bound = bound;
            self.meter.tighten(self.task.sign * bound);
        }
    }

    fn is_enough(&self) -> bool {
        self.meter.gap_closed()
    }

    /// Both lists from nothing until they meet. The least bound of the states dropped, infinite if there were none.
    fn pass(&mut self, width: usize, lists: &mut Lists<P, W>) -> Result<f64, End> {
        let rounding = self.prepare(lists);
        let aim = self.aim();
        if self.bound == f64::NEG_INFINITY {
            // Without a multiplier no more is known than what all jobs gain together.
            let least = match self.task.multiplier {
                Some(multiplier) => {
                    self.below_base
                        - multiplier * aim.slack
                        - rounding.margin(multiplier, self.below_base, aim.slack)
                }
                None => -lists.order.after[0].gain - rounding.margin(0.0, 0.0, 0.0),
            };
            self.raise(least);
            if self.is_enough() {
                return Err(End::Gap);
            }
        }
        lists.history.clear();
        for list in [&mut lists.front, &mut lists.back] {
            list.clear();
            list.push(State::ORIGIN);
        }
        // The base itself.
        self.try_lists(lists)?;
        let mut dropped = f64::INFINITY;
        let (mut first, mut last) = (0, lists.jobs.len());
        while first < last {
            let side =
                if lists.front.len() <= lists.back.len().max(FRONT_ALONE) { Side::Front } else { Side::Back };
            let (turn, rest) = match side {
                Side::Front => (first, lists.order.after[first + 1]),
                Side::Back => (last - 1, lists.order.before[last - 1]),
            };
            match side {
                Side::Front => first += 1,
                Side::Back => last -= 1,
            }
            let job = lists.jobs[lists.order.turns[turn] as usize];
            self.choices_of(&job, &rounding, lists);
            self.try_turn(side, job.job, lists)?;
            if first == last && lists.back.len() == 1 && side == Side::Front {
                break;
            }
            let aim = self.aim();
            let keep = Completion::new(&aim, &rest, &rounding);
            let mut room = Payer {
                meter: &mut *self.meter,
                width,
                dropped: &mut dropped,
                doubt: keep.doubt(&aim, &rounding),
                keep,
                scales: self.task.scales,
                scores: &mut self.scores,
            };
            let list = if side == Side::Front { &mut lists.front } else { &mut lists.back };
            let (p, w) = (self.task.scales.0, self.task.scales.1);
            product(
                list,
                &lists.turn_steps,
                &mut lists.runs,
                |a, b| keep.holds(a.near(&p), b.near(&w)),
                &mut room,
            )?;
            std::mem::swap(list, &mut lists.runs.states);
            lists.history.commit(list, job.job as u32);
            room.limit_history(lists, side)?;
            if lists.front.is_empty() || lists.back.is_empty() {
                break;
            }
            if lists.back.len() > 1 || first == last {
                self.try_lists(lists)?;
            }
        }
        Ok(dropped)
    }

    /// Fills the core with the alternatives that the incumbent leaves, and orders it.
    fn prepare(&mut self, lists: &mut Lists<P, W>) -> Rounding {
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
            if let Some(multiplier) = self.task.multiplier {
                let value = |step: &Step<P, W>| step.p.near(scales.0) + multiplier * step.w.near(scales.1);
                self.below_base += lists.steps[own..].iter().map(value).fold(0.0, f64::min);
            }
            let job = CoreJob::new(job as usize, own, &lists.steps[own..], scales);
            core_p += job.largest_p;
            core_w += job.largest_w;
            lists.jobs.push(job);
        }
        lists.order.arrange(&lists.jobs);
        Rounding::new(lists.jobs.len(), (core_p, core_w), (P::fuzz(scales.0), W::fuzz(scales.1)))
    }

    /// The alternatives of a job that the incumbent, which may have improved, still does not exclude.
    fn choices_of(&self, job: &CoreJob, rounding: &Rounding, lists: &mut Lists<P, W>) {
        let aim = self.aim();
        let scales = &self.task.scales;
        let Lists { steps, turn_steps, turn_states, .. } = lists;
        turn_steps.clear();
        let own = steps[job.range()].iter();
        match self.task.multiplier {
            None => turn_steps.extend(own),
            Some(multiplier) => {
                let gap = aim.tie_p - self.below_base;
                let most = gap + multiplier * aim.slack + rounding.margin(multiplier, gap, aim.slack);
                let value = |step: &Step<P, W>| step.p.near(&scales.0) + multiplier * step.w.near(&scales.1);
                turn_steps.extend(own.filter(|step| value(step) <= most));
            }
        }
        turn_states.clear();
        turn_states.extend(turn_steps.iter().map(|&Step { p, w, alt }| State { p, w, link: NONE, alt }));
    }

    /// Tries each alternative of a job with each state of a list, all other jobs at their base.
    fn try_turn(&mut self, side: Side, job: usize, lists: &Lists<P, W>) -> Result<(), End> {
        let list = if side == Side::Front { &lists.front } else { &lists.back };
        self.try_pairs(list, &lists.turn_states, job, lists)
    }

    /// Tries each state of one list with each of the other, the jobs between at their base.
    fn try_lists(&mut self, lists: &Lists<P, W>) -> Result<(), End> {
        self.try_pairs(&lists.front, &lists.back, usize::MAX, lists)
    }

    /// Takes the best sum of two states for the incumbent, if it is better. A state of the second list may hold a step
    /// of `job` that is no history yet.
    fn try_pairs(
        &mut self,
        one: &[State<P, W>],
        other: &[State<P, W>],
        job: usize,
        lists: &Lists<P, W>,
    ) -> Result<(), End> {
        self.meter.spend(STATE * one.len().min(other.len()) as u64)?;
        let Some((a, b)) = best_pair(one, other, self.slack) else { return Ok(()) };
        let p = a.p.plus(b.p);
        if !(p <= self.tie_p) {
            return Ok(());
        }
        if p <= self.better_p {
            self.take([a, b], job, lists);
        }
        if let Some((a, b)) = lightest_pair(one, other, self.tie_p)
            && a.w.plus(b.w) <= self.better_w
        {
            self.take([a, b], job, lists);
        }
        if self.is_enough() { Err(End::Gap) } else { Ok(()) }
    }

    fn take(&mut self, states: [State<P, W>; 2], job: usize, lists: &Lists<P, W>) {
        for (pick, step) in self.picks.iter_mut().zip(self.base) {
            *pick = step.alt;
        }
        let (mut p, mut w) = (P::ZERO, W::ZERO);
        for state in states {
            (p, w) = (p.plus(state.p), w.plus(state.w));
            for (job, alt) in lists.history.steps(state.link) {
                self.picks[job] = alt;
            }
            if state.alt != NONE {
                self.picks[job] = state.alt;
            }
        }
        self.aim_at(p, w);
    }
}

/// Pays for products and keeps lists within the width.
struct Payer<'p, 'm, P: Number, W: Amount> {
    meter: &'p mut Meter<'m>,
    width: usize,
    dropped: &'p mut f64,
    doubt: f64,
    keep: Completion,
    scales: (P::Scale, W::Scale),
    scores: &'p mut Vec<f64>,
}

impl<P: Number, W: Amount> Payer<'_, '_, P, W> {
    /// Shortens a list to the width: half of it for the states of the best bounds, the rest evenly from the others. Notes
    /// the least bound dropped.
    fn shorten(&mut self, list: &mut Vec<State<P, W>>, width: usize) -> Result<(), End> {
        if list.len() <= width {
            return Ok(());
        }
        self.meter.spend(STATE * list.len() as u64)?;
        let score =
            |state: &State<P, W>| self.keep.bound(state.p.near(&self.scales.0), state.w.near(&self.scales.1));
        self.scores.clear();
        self.scores.extend(list.iter().map(score));
        let half = width / 2;
        let (_, &mut good, others) = self.scores.select_nth_unstable_by(half, f64::total_cmp);
        // Of the others, those at equal distances along the list: where all bounds are nearly equal, it is the spread of
        // weights that lets a list meet the limit.
        let (count, wanted) = (others.len() + 1, width - half);
        let (mut seen, mut kept, mut least) = (0, 0, f64::INFINITY);
        list.retain(|state| {
            let own = score(state);
            if own < good {
                return true;
            }
            // Of equal bounds more than the others may be here; they count all the same.
            seen += 1;
            let stays = kept < wanted && seen * wanted >= kept * count;
            if stays {
                kept += 1;
            } else {
                least = least.min(own);
            }
            stays
        });
        *self.dropped = self.dropped.min(least - self.doubt);
        Ok(())
    }

    /// Keeps the histories within their share of memory: those of no state go; if that is not enough, states go.
    fn limit_history(&mut self, lists: &mut Lists<P, W>, side: Side) -> Result<(), End> {
        let most = LINKS * self.width;
        while lists.history.len() > most {
            self.meter.spend(lists.history.len() as u64)?;
            lists.history.shrink([&mut lists.front, &mut lists.back]);
            if lists.history.len() <= most / 2 {
                break;
            }
            let list = if side == Side::Front { &mut lists.front } else { &mut lists.back };
            if list.len() <= 1 {
                break;
            }
            let half = list.len() / 2;
            self.shorten(list, half)?;
        }
        Ok(())
    }
}

impl<P: Number, W: Amount> Room<P, W> for Payer<'_, '_, P, W> {
    type Stop = End;

    fn block(&self) -> usize {
        2 * self.width
    }

    fn spend(&mut self, states: usize) -> Result<(), End> {
        self.meter.spend(STATE * states as u64)
    }

    fn trim(&mut self, list: &mut Vec<State<P, W>>, _: Option<W>) -> Result<(), End> {
        self.shorten(list, self.width)
    }
}
