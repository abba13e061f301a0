//! The expanding core: the exact choice of one alternative per job, from few of the combinations.
//!
//! | word | meaning |
//! |---|---|
//! | multiplier | the price `m` of a unit of the limited sum at which the relaxation just keeps the limit |
//! | base | for each job an alternative of least `p + m w` |
//! | reduced cost | by how much another alternative's `p + m w` exceeds that of the base |
//! | incumbent | the best choice found so far |
//! | core | the jobs that still have an alternative whose reduced cost does not exclude it |
//! | up, upgrade | a step from the base to an alternative of less objective, more weight; down: the reverse |
//! | completion bound | the least objective of a state with the best choices of the remaining jobs |
//! | front and back list | the states of the first and the last jobs of the core; they grow until they meet |
//! | width | states that a list may hold before some are dropped; the least bound dropped is kept |
//!
//! [`relaxation`] finds the multiplier, [`reduction`] the core, [`order`] the order of its jobs and bounds of
//! states, [`search`] grows the lists.

pub(crate) mod grow;
pub(crate) mod order;
pub(crate) mod reduction;
pub(crate) mod relaxation;
pub(crate) mod search;
use self::grow::{First, Task};
use self::reduction::{Dominance, exchange, keep_all, reduce, reduce_again, round_up};
use self::relaxation::{Relaxation, relax};
use self::search::search;
use crate::alternatives::View;
use crate::list::Step;
use crate::number::{Amount, Grid, Scale, with_sums};
use sched_model::{End, Meter};

/// Buffers of a choice by the expanding core.
#[derive(Debug, Default)]
pub(crate) struct CoreScratch {
    pub(crate) hulls: relaxation::Hulls,
    pub(crate) reduced: reduction::Reduced,
    pub(crate) incumbent: reduction::Incumbent,
}

/// Leaves the best choice in `scratch.incumbent`; `None` if even the lightest choice exceeds the limit. If a known
/// choice keeps the limit, no worse one is considered.
///
/// # Errors
/// The reason why the search ended before it had a choice.
pub(crate) fn solve_from(
    view: &View<'_>,
    known: Option<&[u32]>,
    scratch: &mut CoreScratch,
    meter: &mut Meter,
) -> Result<Option<Found>, End> {
    Ok(match prepare(view, (known, None), scratch, meter)? {
        Prepared::OutOfReach => None,
        Prepared::Found(found) => Some(found),
        Prepared::Core(core) => Some(core.search(scratch, false, meter)),
    })
}

/// The result of the relaxation and the reduction.
pub(crate) enum Prepared<'a> {
    /// Even the lightest choice exceeds the limit.
    OutOfReach,
    /// Nothing is left to search: the incumbent is the best choice.
    Found(Found),
    /// A core, with an incumbent in the scratch.
    Core(Core<'a>),
}

/// Relaxation and reduction: [`solve_from`] without the search. Keeps the choice that is the first of its
/// objective, if it is wanted.
pub(crate) fn prepare<'a>(
    view: &'a View<'a>,
    (known, first): (Option<&[u32]>, First<'a>),
    scratch: &mut CoreScratch,
    meter: &mut Meter,
) -> Result<Prepared<'a>, End> {
    let CoreScratch { hulls, reduced, incumbent } = scratch;
    incumbent.reset();
    let alternatives = view.objective.len() as u64;
    meter.reserve(BYTES * alternatives)?;
    meter.spend(PASSES * alternatives)?;
    let multiplier = match relax(view, hulls) {
        Relaxation::OutOfReach => return Ok(Prepared::OutOfReach),
        // Each job has its best alternative. If sums are rounded, other choices may be as good, and lighter.
        Relaxation::Unlimited => Some(0.0),
        Relaxation::Unusable => None,
        Relaxation::Multiplier(multiplier) => Some(multiplier),
    };
    round_up(view, hulls, incumbent);
    if let Some(known) = known {
        incumbent.offer(view, known.iter().copied());
    }
    match multiplier {
        None => keep_all(view, Dominance::Known, &mut hulls.base, reduced),
        Some(multiplier) => {
            let before = incumbent.p;
            reduce(view, (multiplier, Dominance::Known), hulls, (incumbent.p, incumbent.w), reduced);
            exchange(view, hulls, reduced, incumbent);
            if incumbent.p < before {
                reduce_again(view, multiplier, hulls, (incumbent.p, incumbent.w), reduced);
            }
        }
    }
    let core = Core { view, multiplier, first };
    let found = core.decided(scratch);
    if let Some(first) = first {
        *first.borrow_mut() = scratch.incumbent.picks.clone();
    }
    Ok(match found {
        Some(found) => Prepared::Found(found),
        None => Prepared::Core(core),
    })
}

/// Passes over all alternatives before the core is searched, with one unit of work per alternative, counted
/// together: a few of the relaxation, one of the reduction. Later reads of the alternatives left are not counted.
pub(crate) const PASSES: u64 = 4;
/// Bytes per alternative before that search: a candidate of the relaxation and a step of the reduction, in vectors
/// whose capacity may be twice their length.
const BYTES: u64 = 2 * 2 * size_of::<Step>() as u64;

/// The grids of objective and weight: of the base, of the alternatives left, and of the incumbent.
fn grids(view: &View<'_>, scratch: &CoreScratch) -> (Grid, Grid) {
    let CoreScratch { hulls, reduced, incumbent } = scratch;
    let (mut p, mut w) = (Grid::default(), Grid::default());
    for (step, &pick) in hulls.base.iter().zip(&incumbent.picks) {
        let (pick_p, pick_w) = view.at(pick as usize);
        p.hold(step.p);
        w.hold(step.w);
        if pick != step.alt {
            p.hold(pick_p);
            w.hold(pick_w);
        }
    }
    for &(_, start, end) in &reduced.jobs {
        let (mut largest_p, mut largest_w) = (0.0_f64, 0.0_f64);
        for step in &reduced.steps[start as usize..end as usize] {
            p.see(step.p);
            w.see(step.w);
            largest_p = largest_p.max(step.p.abs());
            largest_w = largest_w.max(step.w.abs());
        }
        p.reach(largest_p);
        w.reach(largest_w);
    }
    (p, w)
}

/// The alternatives that the reduction has left in the scratch, still to be searched.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Core<'a> {
    view: &'a View<'a>,
    multiplier: Option<f64>,
    first: First<'a>,
}

impl Core<'_> {
    /// The incumbent, if the reduction leaves nothing else.
    fn decided(&self, scratch: &mut CoreScratch) -> Option<Found> {
        let CoreScratch { hulls, reduced, incumbent } = scratch;
        if !reduced.jobs.is_empty() {
            return None;
        }
        // The reduction keeps the alternatives of the incumbent, or others that dominate them.
        incumbent.picks.clear();
        incumbent.picks.extend(hulls.base.iter().map(|step| step.alt));
        Some(Found { end: End::Done, bound: incumbent.p })
    }

    /// Improves the incumbent until it is proven or the meter stops the search. `is_apart` is that of
    /// [`Task`](grow::Task::is_apart).
    pub(crate) fn search(&self, scratch: &mut CoreScratch, is_apart: bool, meter: &mut Meter) -> Found {
        let grids = grids(self.view, scratch);
        let scales = (grids.0.scale(), grids.1.scale());
        let kind = grids.0.kind().max(grids.1.kind());
        with_sums!(kind, N => self.search_as::<N>(scales, scratch, is_apart, meter))
    }

    /// The bytes that relaxation and reduction take.
    pub(crate) fn bytes(&self) -> u64 {
        BYTES * self.view.objective.len() as u64
    }

    /// The search with numbers of one type.
    fn search_as<N: Amount>(
        &self,
        scales: (Scale, Scale),
        scratch: &mut CoreScratch,
        is_apart: bool,
        meter: &mut Meter,
    ) -> Found {
        let (p, w) = &scales;
        let number = |alt: u32| {
            let (own_p, own_w) = self.view.at(alt as usize);
            (N::of(own_p, p), N::of(own_w, w))
        };
        let task = Task {
            number: &number,
            scales,
            limit: N::most(self.view.limit, w),
            multiplier: self.multiplier,
            sign: self.view.sign,
            offset: 0.0,
            elsewhere: f64::INFINITY,
            dominance: Dominance::Known,
            prices: &[],
            first: self.first,
            is_apart,
        };
        let CoreScratch { hulls, reduced, incumbent } = scratch;
        search(&task, &hulls.base, reduced, &mut incumbent.picks, meter)
    }
}

/// The result of a search, apart from the incumbent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Found {
    pub(crate) end: End,
    /// No choice has a lesser signed objective or, of a search for the greatest service, loses less of it. Unset if
    /// the search is done, because the incumbent then is the optimum.
    pub(crate) bound: f64,
}

impl Found {
    /// Takes over a bound that was known before, if it is better.
    pub(crate) fn and_known(self, bound: f64) -> Self {
        Self { bound: self.bound.max(bound), ..self }
    }
}
