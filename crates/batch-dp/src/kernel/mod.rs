//! The expanding core: the exact choice of one alternative per job, by a search that forms only a few of the
//! combinations.
//!
//! | word | meaning |
//! |---|---|
//! | multiplier | the price `m` of a unit of the limited sum at which the relaxation just keeps the limit |
//! | base | for each job an alternative of minimum `p + m w` |
//! | reduced cost | the amount by which `p + m w` of an alternative exceeds that of the base |
//! | incumbent | the best choice found so far |
//! | core | the jobs that still have an alternative whose reduced cost does not exclude it |
//! | up, upgrade | a step from the base to an alternative of lower objective and higher weight; down: the reverse |
//! | completion bound | a lower bound of the objective of a state with the best choices of the remaining jobs |
//! | front and back list | the states of the first and the last jobs of the core; they grow until they meet |
//! | width | the number of states that a list may hold; of those dropped beyond it, the minimum bound is kept |
//!
//! [`relaxation`] finds the multiplier, [`reduction`] the core, [`order`] the order of its jobs and bounds of
//! states; [`grow`] holds the lists and shortens them, [`search`] runs the passes.

pub(crate) mod grow;
pub(crate) mod order;
pub(crate) mod reduction;
pub(crate) mod relaxation;
pub(crate) mod search;
use self::grow::Task;
pub(crate) use self::reduction::CoreScratch;
use self::reduction::{Dominance, Incumbent};
use self::relaxation::{Relaxation, relax};
use self::search::search;
use crate::alternatives::View;
use crate::list::{Step, StepScales};
use crate::number::{Amount, with_sums};
use sched_model::{End, Meter};

/// Computes the best choice into `scratch.incumbent`; `None` if even the lightest choice exceeds the limit. If `start`
/// keeps the limit, worse choices are not considered.
///
/// # Errors
/// The end of the meter, if it stops the call before there is a choice.
pub(crate) fn solve_from(
    view: &View<'_>,
    start: Option<&[u32]>,
    scratch: &mut CoreScratch,
    meter: &mut Meter,
) -> Result<Option<Proof>, End> {
    let core = prepare(view, start, scratch, meter)?;
    Ok(core.map(|core| core.search(scratch, meter)))
}

/// Runs relaxation and reduction: [`solve_from`] without the search.
pub(crate) fn prepare<'a>(
    view: &'a View<'a>,
    start: Option<&[u32]>,
    scratch: &mut CoreScratch,
    meter: &mut Meter,
) -> Result<Option<Core<'a>>, End> {
    scratch.incumbent.reset();
    let alternatives = view.objective.len() as u64;
    meter.reserve(BYTES * alternatives)?;
    meter.spend(PASSES * alternatives)?;
    let multiplier = match relax(view, &mut scratch.relaxed) {
        Relaxation::OutOfReach => return Ok(None),
        Relaxation::Unusable => None,
        Relaxation::Multiplier(multiplier) => Some(multiplier),
    };
    scratch.first_incumbent(view);
    if let Some(start) = start {
        scratch.incumbent.offer(view, start.iter().copied());
    }
    let Incumbent { p, w, .. } = scratch.incumbent;
    scratch.reduce(view, multiplier, Dominance::Known, (p, w));
    if let Some(multiplier) = multiplier {
        scratch.exchange(view);
        if scratch.incumbent.p < p {
            scratch.reduce_again(view, multiplier);
        }
    }
    Ok(Some(Core { view, multiplier }))
}

/// Units of work per alternative before the core is searched: one for each pass over all alternatives, of which the
/// relaxation takes a few and the reduction one. Later reads of the alternatives left are not counted.
pub(crate) const PASSES: u64 = 4;
/// Bytes per alternative before that search: a candidate of the relaxation and a step of the reduction, in vectors
/// whose capacity may be twice their length.
const BYTES: u64 = 2 * 2 * size_of::<Step>() as u64;

/// A problem whose remaining alternatives, left in the scratch by the reduction, are still to be searched.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Core<'a> {
    view: &'a View<'a>,
    multiplier: Option<f64>,
}

impl Core<'_> {
    /// Improves the incumbent until it is proven or the meter stops the search.
    pub(crate) fn search(&self, scratch: &mut CoreScratch, meter: &mut Meter) -> Proof {
        let &Self { view, multiplier } = self;
        if scratch.reduced.is_empty() {
            // The reduction keeps the alternatives of the incumbent, or others that dominate them.
            scratch.incumbent.picks.clear();
            scratch.incumbent.picks.extend(scratch.relaxed.base.iter().map(|step| step.alt));
            return Proof { end: End::Done, bound: scratch.incumbent.p };
        }
        let [p, w] = scratch.grids(&scratch.incumbent.picks, |at| view.at(at).into());
        let CoreScratch { relaxed, reduced, incumbent } = scratch;
        let scales = StepScales { p: p.scale(), w: w.scale() };
        with_sums!(p.kind().max(w.kind()), N => {
            let number = |alt: u32| {
                let (p, w) = view.at(alt as usize);
                (N::of(p, &scales.p), N::of(w, &scales.w))
            };
            let task = Task {
                number: &number,
                scales,
                limit: N::most(view.limit, &scales.w),
                multiplier,
                base: &relaxed.base,
                reduced,
                sign: view.sign,
                offset: 0.0,
                elsewhere: f64::INFINITY,
                dominance: Dominance::Known,
                prices: &[],
                is_subproblem: view.is_subproblem,
            };
            search(&task, &mut incumbent.picks, meter)
        })
    }

    /// The bytes that relaxation and reduction reserve.
    pub(crate) fn bytes(&self) -> u64 {
        BYTES * self.view.objective.len() as u64
    }
}

/// How a search ended, and the bound that it has proven.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Proof {
    pub(crate) end: End,
    /// A lower bound of the signed objective (in a search for the maximum service, of the service lost) of every choice
    /// that is better than the incumbent; negative infinity if nothing is proven. Meaningless if the search is done,
    /// because the incumbent is then optimal.
    pub(crate) bound: f64,
}

impl Proof {
    pub(crate) fn without_bound(end: End) -> Self {
        Self { end, bound: f64::NEG_INFINITY }
    }

    /// Raises the bound to one that was known before, if that is better.
    pub(crate) fn with_known_bound(self, bound: f64) -> Self {
        Self { bound: self.bound.max(bound), ..self }
    }
}
