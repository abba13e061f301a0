//! The search over the core: two lists of states that grow towards each other, within a width.
//!
//! The terms of the kernel are in its [parent module](super). In addition:
//!
//! | word | meaning |
//! |---|---|
//! | pass | one search of the whole core within a width; the next pass is wider |
//! | turn | the position of a job in the order of the core |
//! | better, tie | the largest exact sums that round to less than the incumbent's, and to the same double |
//! | dropped | a state that was removed because its list was too long; its bound limits the proof |

use super::Proof;
use super::grow::{StateLists, Task, Trimmer};
use super::order::{Completion, CoreJob, Cut, CutTest, Rounding, Side, Thresholds};
use super::reduction::Dominance;
use crate::backward_run::recurrence;
use crate::list::{NONE, STATE, State, Step, StepScales, best_pair, lightest_pair, product, undominated};
use crate::number::{Amount, Number};
use sched_model::{End, Meter};

/// The width of the first pass. Most searches end within it.
const FIRST_WIDTH: usize = 1 << 12;
/// Each pass is this many times wider than the last, so the narrower passes take about an eighth of the whole.
const WIDER: usize = 8;

/// Improves `picks`, a choice within the limit, until it is proven optimal or the meter stops the search.
pub(crate) fn search<P: Number, W: Amount>(
    task: &Task<'_, P, W>,
    picks: &mut [u32],
    meter: &mut Meter,
) -> Proof {
    if !task.is_subproblem {
        // Resets the bound of the meter, which may be that of an earlier problem.
        meter.report(None, Some(task.sign * f64::NEG_INFINITY));
    }
    if !W::IS_SEARCHED {
        return recur(task, picks, meter);
    }
    let reserved = meter.memory();
    let mut lists: StateLists<P, W> = meter.take();
    let mut search = Search::new(task, picks, meter);
    let end = search.passes(&mut lists).err().unwrap_or(End::Done);
    let Search { meter, bound, .. } = search;
    meter.release(meter.memory() - reserved);
    meter.put(lists);
    Proof { end, bound }
}

/// As [`search`], for numbers too wide for its lists: runs the recurrence over the alternatives that the reduction has
/// left. If the meter stops it, there is no bound.
fn recur<P: Number, W: Amount>(task: &Task<'_, P, W>, picks: &mut [u32], meter: &mut Meter) -> Proof {
    let step = |step: &Step| {
        let (p, w) = (task.number)(step.alt);
        Step { p, w, alt: step.alt }
    };
    let steps_of = |job: usize| task.reduced.of_job(job, task.base).iter().map(step).collect();
    let (limit, scale) = (task.limit, &task.scales.p);
    let best = meter.scratch(|meter| recurrence(task.base.len(), steps_of, limit, scale, meter));
    let end = match best {
        Ok(best) => {
            let total = |picks: &[u32]| task.sums(picks.iter().copied()).0;
            let (p, before) = (&task.scales.p, total(picks));
            // As in the search of a subproblem, an equally good choice does not replace the first one.
            if let Some(best) = best.filter(|best| !task.is_subproblem || total(best) <= before.better(p)) {
                picks.copy_from_slice(&best);
            }
            if !task.is_subproblem {
                meter.report(Some(task.sign * total(picks).value(p)), None);
            }
            End::Done
        }
        Err(end) => end,
    };
    Proof::without_bound(end)
}

/// The state of a search: the incumbent with its thresholds, the bound, and the pass.
struct Search<'a, P: Number, W: Amount> {
    task: &'a Task<'a, P, W>,
    /// Exact sums of the base.
    base_p: P,
    base_w: W,
    /// The limit minus the weight of the base; negative if the base exceeds the limit.
    slack: W,
    picks: &'a mut [u32],
    /// The thresholds of the incumbent, as differences from the base, and the doubles near them.
    better_p: P,
    tie_p: P,
    better_w: W,
    thresholds: Thresholds,
    /// A lower bound of the objective of every choice better than the incumbent: the optimum is at least the lower of
    /// this bound and the incumbent.
    bound: f64,
    /// The width of the present pass.
    width: usize,
    /// The rounding errors of its core.
    rounding: Rounding,
    /// The minimum sum of `p + m w` over its core, relative to that of the base: 0, or slightly below 0 if alternatives
    /// differ only by rounding.
    below_base: f64,
    /// The bounds of the states of a list that is too long.
    state_bounds: Vec<f64>,
    meter: &'a mut Meter,
}

impl<'a, P: Number, W: Amount> Search<'a, P, W> {
    fn new(task: &'a Task<'a, P, W>, picks: &'a mut [u32], meter: &'a mut Meter) -> Self {
        let (base_p, base_w) = task.sums(task.base.iter().map(|step| step.alt));
        let changed = || task.base.iter().zip(&*picks).filter(|(step, pick)| step.alt != **pick);
        let (less_p, less_w) = task.sums(changed().map(|(step, _)| step.alt));
        let (more_p, more_w) = task.sums(changed().map(|(_, &pick)| pick));
        let (p, w) = (base_p.plus(more_p).minus(less_p), base_w.plus(more_w).minus(less_w));
        let mut search = Self {
            task,
            base_p,
            base_w,
            slack: task.limit.minus(base_w),
            picks,
            better_p: P::ZERO,
            tie_p: P::ZERO,
            better_w: W::ZERO,
            thresholds: Thresholds::default(),
            bound: f64::NEG_INFINITY,
            width: FIRST_WIDTH,
            rounding: Rounding::default(),
            below_base: 0.0,
            state_bounds: Vec::new(),
            meter,
        };
        search.set_thresholds(p, w);
        search
    }

    /// Sets the thresholds for an incumbent with these sums.
    fn set_thresholds(&mut self, p: P, w: W) {
        let StepScales { p: of_p, w: of_w } = &self.task.scales;
        self.better_p = p.better(of_p).minus(self.base_p);
        self.tie_p = p.tie(of_p).minus(self.base_p);
        self.better_w = w.better(of_w).minus(self.base_w);
        if self.task.is_subproblem {
            self.tie_p = self.better_p;
        } else {
            self.meter.report(Some(self.task.sign * p.value(of_p)), None);
        }
        self.thresholds = Thresholds {
            slack: self.slack.near(of_w),
            better_p: self.better_p.near_threshold(of_p),
            tie_p: self.tie_p.near_threshold(of_p),
            better_w: self.better_w.near(of_w),
        };
    }

    /// Runs pass after pass, each wider than the last, until one drops nothing.
    fn passes(&mut self, lists: &mut StateLists<P, W>) -> Result<(), End> {
        let bytes = StateLists::<P, W>::bytes;
        // If the memory does not suffice for the first pass, it is narrower.
        while let Err(end) = self.meter.reserve(bytes(self.width)) {
            if self.width == 1 {
                return Err(end);
            }
            self.width = (self.width / WIDER).max(1);
        }
        loop {
            let dropped = self.pass(lists)?;
            if dropped == f64::INFINITY {
                return Ok(());
            }
            self.raise(dropped)?;
            self.meter.reserve(bytes(WIDER * self.width) - bytes(self.width))?;
            self.width *= WIDER;
        }
    }

    /// Raises the bound to one that is given as a difference from the base, if that is better.
    fn raise(&mut self, difference: f64) -> Result<(), End> {
        let (base, scale) = (self.base_p.near(&self.task.scales.p), &self.task.scales.p);
        let rounding =
            4.0 * f64::EPSILON * (self.base_p.size(scale) + difference.abs()) + P::absolute_error(scale);
        let offset = self.task.offset;
        let bound = base + difference - rounding - offset - 4.0 * f64::EPSILON * offset.abs();
        let bound = bound.min(self.task.elsewhere);
        if bound > self.bound {
            self.bound = bound;
            if !self.task.is_subproblem {
                self.meter.report(None, Some(self.task.sign * bound));
            }
        }
        self.check_gap()
    }

    /// Ends the search if the requested gap is closed.
    fn check_gap(&mut self) -> Result<(), End> {
        let is_closed = !self.task.is_subproblem && self.meter.report(None, None);
        if is_closed { Err(End::Gap) } else { Ok(()) }
    }

    /// Runs one pass: grows both lists from the base until they meet. Returns the minimum bound of the dropped states;
    /// infinite if none was dropped.
    fn pass(&mut self, lists: &mut StateLists<P, W>) -> Result<f64, End> {
        self.fill_core(lists);
        self.raise_to_relaxation(lists)?;
        lists.restart();
        // The base itself.
        self.try_lists(lists)?;
        let mut dropped = f64::INFINITY;
        // The turns of the jobs that have entered no list.
        let mut left = 0..lists.jobs.len();
        while !left.is_empty() {
            let side = lists.next_to_grow();
            let (turn, next) = match side {
                Side::Front => (left.start, left.start + 1),
                Side::Back => (left.end - 1, left.end - 1),
            };
            left = if side == Side::Front { next..left.end } else { left.start..next };
            let job = lists.jobs[lists.order.turns[turn] as usize].clone();
            self.choices_of(&job, lists);
            // Tries each alternative of the job with each state, all other jobs at their base.
            self.try_pairs(&lists.states[side as usize], &lists.turn_states, job.job, lists)?;
            let is_single = lists.states[Side::Back as usize].len() == 1;
            if left.is_empty() && is_single && side == Side::Front {
                break;
            }
            dropped = dropped.min(self.grow(side, next, job.job, lists)?);
            if lists.states.iter().any(Vec::is_empty) {
                break;
            }
            if lists.states[Side::Back as usize].len() > 1 || left.is_empty() {
                self.try_lists(lists)?;
            }
        }
        Ok(dropped)
    }

    /// In the first pass, raises the bound to that of the relaxation.
    fn raise_to_relaxation(&mut self, lists: &StateLists<P, W>) -> Result<(), End> {
        if self.bound > f64::NEG_INFINITY {
            return Ok(());
        }
        let (slack, rounding) = (self.thresholds.slack, &self.rounding);
        let least = match self.task.multiplier {
            Some(multiplier) => {
                self.below_base - multiplier * slack - rounding.margin(multiplier, self.below_base, slack)
            }
            // If there is no multiplier, only the sum of the gains of all jobs gives a bound.
            None => -lists.order.rests[Side::Front as usize][0].gain - rounding.margin(0.0, 0.0, 0.0),
        };
        self.raise(least)
    }

    /// Adds the alternatives of a job, which are those of the turn, to each state of a list, and keeps the states that
    /// could beat the incumbent. The next job of that side has the turn `next`. Returns the minimum bound of the states
    /// dropped because of the width; infinite if none was dropped.
    fn grow(
        &mut self,
        side: Side,
        next: usize,
        job: usize,
        lists: &mut StateLists<P, W>,
    ) -> Result<f64, End> {
        let Self { thresholds, rounding, width, .. } = *self;
        let scales = self.task.scales;
        let StepScales { p, w } = &scales;
        let completion = Completion::new(&thresholds, &lists.order.rests[side as usize][next], &rounding);
        let test = |cut: &Cut| cut.test(side, next, self.tie_p.loss(p), thresholds.slack, &rounding);
        let cut_tests: Vec<CutTest> = lists.cuts.iter().map(test).collect();
        let mut trimmer = Trimmer {
            width,
            dropped: f64::INFINITY,
            margin: completion.margin(&thresholds, &rounding),
            completion,
            scales,
            bounds: &mut self.state_bounds,
        };
        let StateLists { states, turn_steps, buffers, history, .. } = lists;
        let list = &mut states[side as usize];
        let holds = |a: P, b: W| {
            let near = b.near(w);
            completion.holds(a.near(p), near) && cut_tests.iter().all(|test| test.holds(a.loss(p), near))
        };
        let trim = |list: &mut Vec<_>, meter: &mut Meter| trimmer.shorten(list, width, meter);
        product(list, turn_steps, buffers, holds, (2 * width, STATE), self.meter, trim)?;
        std::mem::swap(list, &mut buffers.states);
        history.commit(list.iter_mut(), job as u32);
        trimmer.limit_history(lists, side, self.meter)?;
        Ok(trimmer.dropped)
    }

    /// Tries each state of one list with each of the other, with the jobs between at their base.
    fn try_lists(&mut self, lists: &StateLists<P, W>) -> Result<(), End> {
        let [front, back] = &lists.states;
        self.try_pairs(front, back, usize::MAX, lists)
    }

    /// Makes the best sum of a state of each list the incumbent, if it is better. A state of the second list may hold a
    /// step of `job` that is not yet in the history.
    fn try_pairs(
        &mut self,
        one: &[State<P, W>],
        other: &[State<P, W>],
        job: usize,
        lists: &StateLists<P, W>,
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
        self.check_gap()
    }

    /// Makes the choice of a pair of states the incumbent.
    fn take(&mut self, states: [State<P, W>; 2], job: usize, lists: &StateLists<P, W>) {
        for (pick, step) in self.picks.iter_mut().zip(self.task.base) {
            *pick = step.alt;
        }
        let (mut p, mut w) = (self.base_p, self.base_w);
        for state in states {
            (p, w) = (p.plus(state.p), w.plus(state.w));
            for (earlier, alt) in lists.history.steps(state.link) {
                self.picks[earlier] = alt;
            }
            if state.alt != NONE {
                self.picks[job] = state.alt;
            }
        }
        self.set_thresholds(p, w);
    }

    /// Fills the core with the alternatives that the incumbent does not exclude, and orders it.
    fn fill_core(&mut self, lists: &mut StateLists<P, W>) {
        let Task { base, reduced, scales, multiplier, prices, dominance, .. } = self.task;
        lists.jobs.clear();
        lists.steps.clear();
        self.below_base = 0.0;
        for (job, row) in reduced.core() {
            let base = base[job].alt;
            let (base_p, base_w) = (self.task.number)(base);
            let own = lists.steps.len();
            for step in row {
                let (p, w) = (self.task.number)(step.alt);
                let alt = if step.alt == base { NONE } else { step.alt };
                lists.steps.push(Step { p: p.minus(base_p), w: w.minus(base_w), alt });
            }
            if *dominance == Dominance::Unknown {
                undominated(&mut lists.steps, own);
            }
            if let Some(multiplier) = multiplier {
                let values = lists.steps[own..].iter().map(|step| step.near(scales).value(*multiplier));
                self.below_base += values.fold(0.0, f64::min);
            }
            let job = CoreJob::new(job, own..lists.steps.len(), &lists.steps, scales);
            lists.jobs.push(job);
        }
        lists.order.arrange(&lists.jobs);
        lists.cuts.resize_with(prices.len(), Cut::default);
        for (cut, &price) in lists.cuts.iter_mut().zip(*prices) {
            cut.fill(price, &lists.jobs, &lists.order, &lists.steps, scales);
        }
        self.rounding = Rounding::of::<P, W>(&lists.jobs, scales);
    }

    /// Fills `turn_steps` and `turn_states` with the alternatives of a job that the incumbent, which may have improved,
    /// does not exclude.
    fn choices_of(&self, job: &CoreJob, lists: &mut StateLists<P, W>) {
        let Self { task, thresholds: Thresholds { tie_p, slack, .. }, .. } = self;
        let StateLists { steps, turn_steps, turn_states, .. } = lists;
        turn_steps.clear();
        turn_states.clear();
        let most = task.multiplier.map_or(f64::INFINITY, |multiplier| {
            let gap = tie_p - self.below_base;
            gap + multiplier * slack + self.rounding.margin(multiplier, gap, *slack)
        });
        let multiplier = task.multiplier.unwrap_or(0.0);
        let is_left = |step: &&Step<P, W>| step.near(&task.scales).value(multiplier) <= most;
        turn_steps.extend(steps[job.steps.clone()].iter().filter(is_left));
        turn_states.extend(turn_steps.iter().map(|&Step { p, w, alt }| State { p, w, link: NONE, alt }));
    }
}
