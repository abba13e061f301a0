//! Working storage that a caller keeps between calls.

use crate::core_order::{CoreJob, Rest};
use crate::forward::Suffix;
use crate::incumbent::Incumbent;
use crate::multiplier::Hulls;
use crate::states::{History, Runs, State, Step};

/// Working storage of every search in this crate. Keep one per thread and hand it to each call: the second call
/// allocates (nearly) nothing. What it holds never changes an answer.
///
/// ```
/// use batch_dp::{Alternatives, BatchChoice, ExpandingCore, Problem, Scratch};
///
/// let mut scratch = Scratch::new();
/// for budget in [3.0, 5.0] {
///     let batch = Alternatives::from_pairs([[(3.0, 9.0), (5.0, 4.0)]])?;
///     let outcome = ExpandingCore::new().choose(&batch, &Problem::MinTime { budget }, &mut scratch)?;
///     assert_eq!(outcome.solution.choice().unwrap().cost, budget);
/// }
/// # Ok::<(), batch_dp::BatchError>(())
/// ```
#[derive(Debug, Default, Clone)]
pub struct Scratch {
    pub(crate) hulls: Hulls,
    pub(crate) incumbent: Incumbent,
    /// Jobs with a choice left, and their steps away from the base.
    pub(crate) core: Vec<CoreJob>,
    pub(crate) steps: Vec<Step>,
    /// The order in which the core grows, and what comes after each turn.
    pub(crate) order: Vec<u32>,
    pub(crate) by_up: Vec<u32>,
    pub(crate) by_down: Vec<u32>,
    pub(crate) taken: Vec<bool>,
    pub(crate) rests: Vec<Rest>,
    /// The recurrences: the current list, the steps of the current job, merges, histories.
    pub(crate) states: Vec<State>,
    pub(crate) turn_steps: Vec<Step>,
    pub(crate) runs: Runs,
    pub(crate) history: History,
    pub(crate) suffixes: Vec<Suffix>,
    /// The objective of a weighted criterion, by alternative.
    pub(crate) weighted: Vec<f64>,
}

impl Scratch {
    /// Empty storage; it grows on use.
    pub fn new() -> Self {
        Self::default()
    }
}
