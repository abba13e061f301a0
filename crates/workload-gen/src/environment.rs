//! Heterogeneous nodes with prices and local load.
//!
//! Source: the environment of V. Toporkov, D. Yemelyanov, "Optimal Slot Subset Allocation" (slides, Russian
//! Supercomputing Days 2018). The slides state the nodes, the horizon and the job; all other parameters are those of
//! the simulator published with them. All are the defaults of [`EnvironmentGenerator`]. Here speeds are whole numbers,
//! and all times are real numbers.

use crate::WorkloadError;
pub use crate::draw::TruncatedNormal;
use crate::draw::range::{self, Least};
use crate::draw::{Distribution, unit};
use crate::error::require;
use rand::Rng;
use sched_model::internal::exp;
use sched_model::{Money, Node, NodeId, Occupied, Price, ResourceRequest, SlotList, Speed, Time, Work};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

sched_model::settings! {
    /// Generates nodes, their local load, and a value of each node for use as a criterion.
    ///
    /// - Speed p: a whole number, uniform.
    /// - Price per unit of time: p * e^(growth * (p - 1)) * price_per_speed * (1 + g), where g is truncated
    ///   normal.
    /// - Value q: uniform.
    /// - Local load: tasks are added until they fill a share of the span [0, `load_span` * `horizon`); this share is
    ///   the product of a level (truncated normal) and `load_share`. Tasks have truncated normal lengths and uniform
    ///   starts in the span. A task that would overlap another is drawn again; after 1000 such draws in a row the
    ///   node gets no more tasks. Tasks may end beyond the span.
    ///
    /// All values of a node are drawn before those of the next, so the first nodes of a larger environment are
    /// those of a smaller one.
    ///
    /// With n nodes of k tasks each: O(n k log k) time while the load stays below one half; O(n k) space.
    ///
    /// ```
    /// use workload_gen::environment::EnvironmentGenerator;
    /// use workload_gen::sample::stream;
    ///
    /// let environment = EnvironmentGenerator::default().with_nodes(5).generate(&mut stream(1, 0))?;
    /// assert_eq!((environment.nodes.len(), environment.values.len()), (5, 5));
    /// assert!(environment.slots.iter().all(|slot| slot.end.get() <= 1200.0));
    /// # Ok::<(), workload_gen::WorkloadError>(())
    /// ```
    pub struct EnvironmentGenerator {
        /// Number of nodes. Study: 100 and 40.
        with_nodes: nodes: u32 = 100,
        /// The scheduling horizon L, in units of time. Study: 1200.
        with_horizon: horizon: f64 = 1200.0,
        /// Speeds, whole numbers. Study: 2 to 10.
        _: speed: RangeInclusive<u32> = 2..=10,
        /// Price of a unit of speed for a unit of time. Study: 0.1.
        _: price_per_speed: f64 = 0.1,
        /// The rate at which the price of a unit of speed grows exponentially with speed. Study: 0.02.
        _: price_growth: f64 = 0.02,
        /// The relative deviation g of the price. Study: N(0, 0.2) within 0.6 of 0.
        _: price_deviation: TruncatedNormal = TruncatedNormal::new(0.0, 0.2, -0.6, 0.6),
        /// The value q of a node. Study: 0 to 10.
        with_value: value: RangeInclusive<f64> = 0.0..=10.0,
        /// The load level of a node. Study: N(1.5, 0.2) in 0.9 to 2.
        _: load_level: TruncatedNormal = TruncatedNormal::new(1.5, 0.2, 0.9, 2.0),
        /// The share of time that local tasks take at load level 1. Study: 0.1.
        _: load_share: f64 = 0.1,
        /// Length of a local task. Study: N(25.5, 8.2) in 1 to 50.
        _: task_length: TruncatedNormal = TruncatedNormal::new(25.5, 8.2, 1.0, 50.0),
        /// The length of the span in which local tasks start, in horizons. Study: 4.
        _: load_span: f64 = 4.0,
    }
}

/// The maximum share of time that local tasks may fill: near three quarters, tasks at random starts find no room.
const MAX_LOAD: f64 = 0.7;
/// The maximum number of local tasks of a node, computed as if all had the minimum length.
const MAX_TASKS: f64 = 1e6;

impl EnvironmentGenerator {
    /// Draws an environment. Node ids count from 0.
    ///
    /// # Errors
    /// [`WorkloadError::Parameter`] for the first field that is out of its range. The highest load level times
    /// `load_share` may be at most 0.7, because tasks at random places cannot fill much more; a node may have at
    /// most a million tasks. [`WorkloadError::Model`] if a price or an instant is too large to be a quantity.
    pub fn generate(&self, rng: &mut dyn Rng) -> Result<Environment, WorkloadError> {
        range::number("horizon", self.horizon, Least::Positive)?;
        range::number("price_per_speed", self.price_per_speed, Least::Zero)?;
        range::number("load_share", self.load_share, Least::Zero)?;
        require(self.price_growth.is_finite(), "price_growth", self.price_growth, "finite")?;
        let spans = self.load_span.is_finite() && self.load_span >= 1.0;
        require(spans, "load_span", self.load_span, "finite, at least 1")?;
        self.price_deviation.check("price_deviation")?;
        self.task_length.check("task_length")?;
        self.load_level.check("load_level")?;
        let low = self.price_deviation.low;
        let expected = "at least -1: no price is negative";
        require(low >= -1.0, "price_deviation", format_args!("from {low}"), expected)?;
        let low = self.task_length.low;
        require(low > 0.0, "task_length", format_args!("from {low}"), "positive")?;
        let low = self.load_level.low;
        require(low >= 0.0, "load_level", format_args!("from {low}"), "not negative")?;
        let load = self.load_level.high * self.load_share;
        require(load <= MAX_LOAD, "load_level * load_share", format_args!("up to {load}"), "at most 0.7")?;
        let tasks = load * self.load_span * self.horizon / self.task_length.low;
        let expected = "at most a million: load_level * load_share * load_span * horizon / task_length";
        require(tasks <= MAX_TASKS, "tasks of a node", format_args!("up to {tasks}"), expected)?;
        let speeds = range::count("speed", &self.speed, 1)?;
        let values = range::real("value", &self.value, Least::Zero)?;
        let horizon = Time::try_from(self.horizon)?;
        let (mut nodes, mut node_values, mut occupied) = (Vec::new(), Vec::new(), Vec::new());
        for id in (0..self.nodes).map(NodeId) {
            let speed = f64::from(speeds.sample(rng));
            let growth = exp(self.price_growth * (speed - 1.0));
            let price =
                speed * growth * self.price_per_speed * (1.0 + self.price_deviation.sample(rng)).max(0.0);
            nodes.push(Node { id, speed: Speed::try_from(speed)?, price: Price::try_from(price)? });
            node_values.push(values.sample(rng));
            for (start, end) in self.tasks(rng) {
                if start < self.horizon {
                    let (start, end) = (Time::try_from(start)?, Time::try_from(end)?);
                    occupied.push(Occupied { node: id, start, end });
                }
            }
        }
        let slots = SlotList::from_nodes(&nodes, &occupied, Time::ZERO, horizon)?;
        Ok(Environment { nodes, values: node_values, occupied, horizon, slots })
    }

    /// Draws the local tasks of one node as (start, end): disjoint, in order of their starts.
    fn tasks(&self, rng: &mut dyn Rng) -> Vec<(f64, f64)> {
        let span = self.load_span * self.horizon;
        let wanted = self.load_level.sample(rng) * self.load_share * span;
        // Keyed by the bits of the start, which are ordered like the starts because these are not negative.
        let mut tasks: BTreeMap<u64, (f64, f64)> = BTreeMap::new();
        let mut taken = 0.0;
        let mut misses = 0;
        while taken < wanted && misses < 1000 {
            let length = self.task_length.sample(rng);
            let start = span * unit(rng);
            let end = start + length;
            let before = tasks.range(..=start.to_bits()).next_back().map(|(_, task)| *task);
            let after = tasks.range(start.to_bits()..).next().map(|(_, task)| *task);
            let free =
                before.is_none_or(|(_, until)| until <= start) && after.is_none_or(|(from, _)| end <= from);
            // If the length is lost in the rounding of start + length, the interval would be empty.
            if free && start < end {
                tasks.insert(start.to_bits(), (start, end));
                taken += length;
                misses = 0;
            } else {
                misses += 1;
            }
        }
        tasks.into_values().collect()
    }
}

/// A generated environment: nodes, their values, their local load, and their free slots.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Environment {
    /// The nodes, with ids 0, 1, ...
    pub nodes: Vec<Node>,
    /// The value q of each node, in the order of the nodes.
    pub values: Vec<f64>,
    /// The local load, ordered by node, then by start. Starts lie before the horizon; ends may lie beyond it.
    pub occupied: Vec<Occupied>,
    /// The scheduling horizon.
    pub horizon: Time,
    /// The free time in [0, horizon) that the local load leaves.
    pub slots: SlotList,
}

/// Creates a request like that of the study: `nodes` nodes with `work` on each, and a budget of `price_per_work` per
/// unit of work.
///
/// The study's request is `request(7, 800.0, 0.115)`: a budget of 7 * 800 * 0.115 = 644.
///
/// ```
/// let request = workload_gen::environment::request(7, 800.0, 0.115)?;
/// assert!((request.budget.unwrap().get() - 644.0).abs() < 1e-9);
/// # Ok::<(), workload_gen::WorkloadError>(())
/// ```
///
/// # Errors
/// [`WorkloadError::Model`] if `nodes` or `work` is 0, or if the work or the budget is not a quantity.
#[doc(hidden)]
pub fn request(nodes: usize, work: f64, price_per_work: f64) -> Result<ResourceRequest, WorkloadError> {
    let budget = Money::try_from(nodes as f64 * work * price_per_work)?;
    Ok(ResourceRequest::new(nodes, Work::try_from(work)?)?.with_budget(budget))
}
