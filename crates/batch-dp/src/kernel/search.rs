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
use super::order::{Completion, CoreJob, Cut, CutTest, Rest, Rounding, Side, Thresholds};
use super::reduction::{Dominance, Reduced};
use crate::backward_run::recurrence;
use crate::list::{NONE, STATE, State, Step, StepScales, best_pair, lightest_pair, product, undominated};
use crate::number::{Amount, Number};
use sched_model::{End, Meter};

/// The width of the first pass. Most searches end within it.
const FIRST_WIDTH: usize = 1 << 12;
/// Each pass is this many times wider than the last, so the narrower passes take about an eighth of the whole.
const WIDER: usize = 8;

/// Improves `picks`, a choice within the limit, until it is proven optimal or the meter stops the search. `base` and
/// `reduced` come from the reduction.
pub(crate) fn search<P: Number, W: Amount>(
    task: &Task<'_, P, W>,
    base: &[Step],
    reduced: &Reduced,
    picks: &mut [u32],
    meter: &mut Meter,
) -> Proof {
    if !task.is_subproblem {
        // Resets the bound of the meter, which may be that of an earlier problem.
        meter.report(None, Some(task.sign * f64::NEG_INFINITY));
    }
    let reserved = meter.memory();
    if !W::IS_SEARCHED {
        return recur(task, base, reduced, picks, meter);
    }
    let mut lists: StateLists<P, W> = meter.take();
    let mut search = Search::new(task, base, reduced, picks, meter);
    let end = search.passes(&mut lists);
    let Search { meter, bound, .. } = search;
    meter.release(meter.memory() - reserved);
    meter.put(lists);
    Proof { end, bound }
}

/// As [`search`], for numbers too wide for its lists: runs the recurrence over the alternatives that the reduction has
/// left. If the meter stops it, there is no bound.
fn recur<P: Number, W: Amount>(
    task: &Task<'_, P, W>,
    base: &[Step],
    reduced: &Reduced,
    picks: &mut [u32],
    meter: &mut Meter,
) -> Proof {
    let step = |step: &Step| {
        let (p, w) = (task.number)(step.alt);
        Step { p, w, alt: step.alt }
    };
    let steps_of = |job: usize| reduced.of_job(job, base).iter().map(step).collect();
    let limit = (task.limit, &task.scales.p);
    let best = meter.scratch(|meter| recurrence(base.len(), steps_of, limit, meter));
    let end = match best {
        Ok(best) => {
            let total =
                |picks: &[u32]| picks.iter().fold(P::ZERO, |sum, &pick| sum.plus((task.number)(pick).0));
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

/// The state of a search: the incumbent with its thresholds, and the bound.
struct Search<'a, P: Number, W: Amount> {
    task: &'a Task<'a, P, W>,
    base: &'a [Step],
    reduced: &'a Reduced,
    /// Exact sums of the base.
    base_p: P,
    base_w: W,
    /// The limit minus the weight of the base; negative if the base exceeds the limit.
    slack: W,
    picks: &'a mut [u32],
    /// The thresholds of the incumbent, as differences from the base.
    better_p: P,
    tie_p: P,
    better_w: W,
    /// A lower bound of the objective of every choice better than the incumbent: the optimum is at least the lower of
    /// this bound and the incumbent.
    bound: f64,
    /// The minimum sum of `p + m w` over the core, relative to that of the base: 0, or slightly below 0 if alternatives
    /// differ only by rounding.
    below_base: f64,
    /// The bounds of the states of a list that is too long.
    state_bounds: Vec<f64>,
    meter: &'a mut Meter,
}

impl<'a, P: Number, W: Amount> Search<'a, P, W> {
    fn new(
        task: &'a Task<'a, P, W>,
        base: &'a [Step],
        reduced: &'a Reduced,
        picks: &'a mut [u32],
        meter: &'a mut Meter,
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
            state_bounds: Vec::new(),
            meter,
        };
        search.set_thresholds(p, w);
        search
    }

    /// Sets the thresholds for an incumbent with these differences from the base.
    fn set_thresholds(&mut self, p: P, w: W) {
        let total = self.base_p.plus(p);
        self.better_p = total.better(&self.task.scales.p).minus(self.base_p);
        self.tie_p = total.tie(&self.task.scales.p).minus(self.base_p);
        self.better_w = self.base_w.plus(w).better(&self.task.scales.w).minus(self.base_w);
        if self.task.is_subproblem {
            self.tie_p = self.better_p;
        } else {
            self.meter.report(Some(self.task.sign * total.value(&self.task.scales.p)), None);
        }
    }

    /// The thresholds as doubles.
    fn thresholds(&self) -> Thresholds {
        Thresholds {
            slack: self.slack.near(&self.task.scales.w),
            better_p: self.better_p.near_threshold(&self.task.scales.p),
            tie_p: self.tie_p.near_threshold(&self.task.scales.p),
            better_w: self.better_w.near(&self.task.scales.w),
        }
    }

    /// Runs pass after pass, each wider than the last, until one drops nothing.
    fn passes(&mut self, lists: &mut StateLists<P, W>) -> End {
        let mut reserved = 0;
        let mut width = FIRST_WIDTH;
        loop {
            let bytes = StateLists::<P, W>::bytes(width);
            if let Err(end) = self.meter.reserve(bytes - reserved) {
                if reserved > 0 || width == 1 {
                    return end;
                }
                // The memory does not suffice for the first pass: try a narrower one.
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

    /// Raises the bound to one that is given as a difference from the base, if that is better.
    fn raise(&mut self, difference: f64) {
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
    }

    /// Whether the meter reports that the requested gap is closed.
    fn is_enough(&mut self) -> bool {
        !self.task.is_subproblem && self.meter.report(None, None)
    }

    /// Runs one pass: grows both lists from the base until they meet. Returns the minimum bound of the dropped states;
    /// infinite if none was dropped.
    fn pass(&mut self, width: usize, lists: &mut StateLists<P, W>) -> Result<f64, End> {
        let rounding = self.fill_core(lists);
        self.raise_to_relaxation(&rounding, lists)?;
        lists.restart();
        // The base itself.
        self.try_lists(lists)?;
        let mut dropped = f64::INFINITY;
        let (mut first, mut last) = (0, lists.jobs.len());
        while first < last {
            let side = lists.next_to_grow();
            let (turn, rest) = match side {
                Side::Front => {
                    first += 1;
                    (first - 1, lists.order.after[first])
                }
                Side::Back => {
                    last -= 1;
                    (last, lists.order.before[last])
                }
            };
            let next = if side == Side::Front { first } else { last };
            let job = lists.jobs[lists.order.turns[turn] as usize].clone();
            self.choices_of(&job, &rounding, lists);
            // Tries each alternative of the job with each state, all other jobs at their base.
            let list = if side == Side::Front { &lists.front } else { &lists.back };
            self.try_pairs(list, &lists.turn_states, job.job, lists)?;
            if first == last && lists.back.len() == 1 && side == Side::Front {
                break;
            }
            let cut_tests = self.cut_tests((side, next), &rounding, &lists.cuts);
            let least = self.grow((side, &job), (&rest, &cut_tests), &rounding, width, lists)?;
            dropped = dropped.min(least);
            if lists.front.is_empty() || lists.back.is_empty() {
                break;
            }
            if lists.back.len() > 1 || first == last {
                self.try_lists(lists)?;
            }
        }
        Ok(dropped)
    }

    /// In the first pass, raises the bound to that of the relaxation.
    fn raise_to_relaxation(&mut self, rounding: &Rounding, lists: &StateLists<P, W>) -> Result<(), End> {
        if self.bound > f64::NEG_INFINITY {
            return Ok(());
        }
        let slack = self.thresholds().slack;
        let least = match self.task.multiplier {
            Some(multiplier) => {
                self.below_base - multiplier * slack - rounding.margin(multiplier, self.below_base, slack)
            }
            // If there is no multiplier, only the sum of the gains of all jobs gives a bound.
            None => -lists.order.after[0].gain - rounding.margin(0.0, 0.0, 0.0),
        };
        self.raise(least);
        if self.is_enough() { Err(End::Gap) } else { Ok(()) }
    }

    /// Adds the alternatives of a job to each state of a list, and keeps the states that could beat the incumbent.
    /// Returns the minimum bound of the states dropped because of the width; infinite if none was dropped.
    fn grow(
        &mut self,
        (side, job): (Side, &CoreJob),
        (rest, cut_tests): (&Rest, &[CutTest]),
        rounding: &Rounding,
        width: usize,
        lists: &mut StateLists<P, W>,
    ) -> Result<f64, End> {
        let thresholds = self.thresholds();
        let completion = Completion::new(&thresholds, rest, rounding);
        let mut trimmer = Trimmer {
            width,
            dropped: f64::INFINITY,
            margin: completion.margin(&thresholds, rounding),
            completion,
            scales: self.task.scales,
            bounds: &mut self.state_bounds,
        };
        let (p, w) = (self.task.scales.p, self.task.scales.w);
        let StateLists { front, back, turn_steps, buffers, history, .. } = lists;
        let list = if side == Side::Front { front } else { back };
        let holds = |a: P, b: W| {
            let near = b.near(&w);
            completion.holds(a.near(&p), near) && cut_tests.iter().all(|test| test.holds(a.loss(&p), near))
        };
        let trim = |list: &mut Vec<_>, meter: &mut Meter| trimmer.shorten(list, width, meter);
        product(list, turn_steps, buffers, holds, (2 * width, STATE), self.meter, trim)?;
        std::mem::swap(list, &mut buffers.states);
        history.commit(list, job.job as u32);
        trimmer.limit_history(lists, side, self.meter)?;
        Ok(trimmer.dropped)
    }

    /// Tries each state of one list with each of the other, with the jobs between at their base.
    fn try_lists(&mut self, lists: &StateLists<P, W>) -> Result<(), End> {
        self.try_pairs(&lists.front, &lists.back, usize::MAX, lists)
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
        if self.is_enough() { Err(End::Gap) } else { Ok(()) }
    }

    /// Makes the choice of a pair of states the incumbent.
    fn take(&mut self, states: [State<P, W>; 2], job: usize, lists: &StateLists<P, W>) {
        for (pick, step) in self.picks.iter_mut().zip(self.base) {
            *pick = step.alt;
        }
        let (mut p, mut w) = (P::ZERO, W::ZERO);
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
    fn fill_core(&mut self, lists: &mut StateLists<P, W>) -> Rounding {
        let StepScales { p, w } = &self.task.scales;
        let scales = StepScales { p, w };
        lists.jobs.clear();
        lists.steps.clear();
        self.below_base = 0.0;
        let (mut core_p, mut core_w) = (0.0, 0.0);
        for (job, row) in self.reduced.core() {
            let base = self.base[job].alt;
            let (base_p, base_w) = (self.task.number)(base);
            let own = lists.steps.len();
            for step in row {
                let (p, w) = (self.task.number)(step.alt);
                let alt = if step.alt == base { NONE } else { step.alt };
                lists.steps.push(Step { p: p.minus(base_p), w: w.minus(base_w), alt });
            }
            if self.task.dominance == Dominance::Unknown {
                undominated(&mut lists.steps, own);
            }
            if let Some(multiplier) = self.task.multiplier {
                let value = |step: &Step<P, W>| step.p.near(scales.p) + multiplier * step.w.near(scales.w);
                self.below_base += lists.steps[own..].iter().map(value).fold(0.0, f64::min);
            }
            let job = CoreJob::new(job, own..lists.steps.len(), &lists.steps, scales);
            core_p += job.largest_p;
            core_w += job.largest_w;
            lists.jobs.push(job);
        }
        lists.order.arrange(&lists.jobs);
        lists.cuts.resize_with(self.task.prices.len(), Cut::default);
        for (cut, &price) in lists.cuts.iter_mut().zip(self.task.prices) {
            cut.fill(price, (&lists.jobs, &lists.order, &lists.steps), scales);
        }
        let (error_p, error_w) = (P::absolute_error(scales.p), W::absolute_error(scales.w));
        Rounding::new(lists.jobs.len(), core_p, core_w, error_p, error_w)
    }

    /// The tests of the cuts for the states of a side at a turn.
    fn cut_tests(&self, at: (Side, usize), rounding: &Rounding, cuts: &[Cut]) -> Vec<CutTest> {
        let (p, w) = (&self.task.scales.p, &self.task.scales.w);
        let above = (self.tie_p.loss(p), self.slack.near(w));
        cuts.iter().map(|cut| cut.test(at, above, P::loss_absolute_error(p), rounding)).collect()
    }

    /// Fills `turn_steps` and `turn_states` with the alternatives of a job that the incumbent, which may have improved,
    /// does not exclude.
    fn choices_of(&mut self, job: &CoreJob, rounding: &Rounding, lists: &mut StateLists<P, W>) {
        let thresholds = self.thresholds();
        let scales = &self.task.scales;
        let StateLists { steps, turn_steps, turn_states, .. } = lists;
        turn_steps.clear();
        turn_states.clear();
        let most = self.task.multiplier.map(|multiplier| {
            let gap = thresholds.tie_p - self.below_base;
            (
                multiplier,
                gap + multiplier * thresholds.slack + rounding.margin(multiplier, gap, thresholds.slack),
            )
        });
        let is_left = |step: &&Step<P, W>| {
            most.is_none_or(|(multiplier, most)| {
                step.p.near(&scales.p) + multiplier * step.w.near(&scales.w) <= most
            })
        };
        turn_steps.extend(steps[job.steps.clone()].iter().filter(is_left));
        turn_states.extend(turn_steps.iter().map(|&Step { p, w, alt }| State { p, w, link: NONE, alt }));
    }
}
