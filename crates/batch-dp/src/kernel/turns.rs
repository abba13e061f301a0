//! The alternatives in the core before a pass, and those that the incumbent does not exclude at a turn.

use super::completion::Rounding;
use super::cuts::{Cut, Kept};
use super::lists::StateLists;
use super::order::{CoreJob, Side};
use super::reduction::Dominance;
use super::search::Search;
use crate::list::{NONE, State, Step, undominated};
use crate::number::{Amount, Number};

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
