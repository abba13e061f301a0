//! The jobs of the core, the order in which they enter it, and what the jobs still to come can offer.

use std::ops::Range;

use crate::growing_core::CoreScratch;
use crate::states::Step;

/// A job with a choice left: steps away from its base alternative.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CoreJob {
    pub(crate) job: usize,
    start: usize,
    end: usize,
    /// Objective gained per unit of weight by its best upgrade; 0 without one.
    up: f64,
    /// Objective lost per unit of weight by its best downgrade; infinite without one.
    down: f64,
    /// The most objective it can gain.
    gain: f64,
    /// The most weight it can shed.
    shed: f64,
    /// The largest magnitudes of its steps.
    pub(crate) largest_p: f64,
    pub(crate) largest_w: f64,
}

impl CoreJob {
    /// Of a job whose steps stand at `start`.
    pub(crate) fn new(job: usize, start: usize, steps: &[Step]) -> Self {
        let mut core = Self {
            job,
            start,
            end: start + steps.len(),
            up: 0.0,
            down: f64::INFINITY,
            gain: 0.0,
            shed: 0.0,
            largest_p: 0.0,
            largest_w: 0.0,
        };
        for step in steps {
            if step.w > 0.0 {
                core.up = core.up.max(-step.p / step.w);
                core.gain = core.gain.max(-step.p);
            } else {
                core.down = core.down.min(step.p / -step.w);
                core.shed = core.shed.max(-step.w);
            }
            core.largest_p = core.largest_p.max(step.p.abs());
            core.largest_w = core.largest_w.max(step.w.abs());
        }
        core
    }

    /// Where its steps stand.
    pub(crate) fn range(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// What the jobs still to come can offer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rest {
    /// Their best upgrade rate; 0 without upgrades.
    pub(crate) up: f64,
    /// Their best downgrade rate; infinite without downgrades.
    pub(crate) down: f64,
    /// The most objective they gain together.
    pub(crate) gain: f64,
    /// The most weight they shed together.
    pub(crate) shed: f64,
}

/// Fills `order`: by turns the job with the best upgrade and the one with the best downgrade among those left. And
/// `rests`: for each turn, and after the last, what is still to come.
pub(crate) fn arrange(scratch: &mut CoreScratch) {
    let CoreScratch { core, order, by_down, rests, taken, .. } = scratch;
    let all = 0..core.len() as u32;
    let at = |index: u32| &core[index as usize];
    by_down.clear();
    by_down.extend(all.clone());
    by_down.sort_unstable_by(|&a, &b| at(a).down.total_cmp(&at(b).down).then(a.cmp(&b)));
    let by_up = &mut scratch.by_up;
    by_up.clear();
    by_up.extend(all);
    by_up.sort_unstable_by(|&a, &b| at(b).up.total_cmp(&at(a).up).then(a.cmp(&b)));

    taken.clear();
    taken.resize(core.len(), false);
    order.clear();
    let (mut ups, mut downs) = (by_up.iter(), by_down.iter());
    while order.len() < core.len() {
        for side in [&mut ups, &mut downs] {
            if let Some(&next) = side.find(|&&index| !taken[index as usize]) {
                taken[next as usize] = true;
                order.push(next);
            }
        }
    }

    rests.clear();
    rests.resize(core.len() + 1, Rest { up: 0.0, down: f64::INFINITY, gain: 0.0, shed: 0.0 });
    for turn in (0..core.len()).rev() {
        let (job, rest) = (at(order[turn]), rests[turn + 1]);
        rests[turn] = Rest {
            up: rest.up.max(job.up),
            down: rest.down.min(job.down),
            gain: rest.gain + job.gain,
            shed: rest.shed + job.shed,
        };
    }
}
