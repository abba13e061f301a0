//! The generator of a list of free slots.

use crate::WorkloadError;
use crate::draw::range::{self, Draw, Least};
use crate::draw::{Distribution, chance};
use crate::error::require;
use rand::Rng;
use sched_model::internal::pow;
use sched_model::{Node, NodeId, Price, Slot, SlotList, Speed, Time};
use std::ops::RangeInclusive;

sched_model::settings! {
    /// Generates a slot list directly, without an environment: each slot is on a node of its own.
    ///
    /// For slots of nodes with local load, see [`Environment`](crate::environment::Environment).
    ///
    /// With m slots: O(m log m) time, O(m) space. The draws for each slot are, in this order: whether it starts with
    /// the slot before it, otherwise the gap (neither for the first slot), length, speed, price.
    ///
    /// ```
    /// use workload_gen::cycle::SlotGenerator;
    /// use workload_gen::sample::stream;
    ///
    /// let slots = SlotGenerator::default().generate(&mut stream(1, 0))?;
    /// assert!((120..=150).contains(&slots.len()));
    /// for slot in slots.iter() {
    ///     let mean = 1.7_f64.powf(slot.speed.get());
    ///     assert!((0.75..=1.25).contains(&(slot.price.get() / mean)));
    /// }
    /// let mut two = SlotGenerator::default().with_count(2..=2);
    /// two.same_start = 1.0;
    /// assert!(two.generate(&mut stream(1, 0))?.iter().all(|slot| slot.start.get() == 0.0));
    /// # Ok::<(), workload_gen::WorkloadError>(())
    /// ```
    pub struct SlotGenerator {
        /// Number of slots. Paper: 120 to 150.
        with_count: count: RangeInclusive<u32> = 120..=150,
        /// Length of a slot, in units of time. Paper: 50 to 300.
        _: length: RangeInclusive<f64> = 50.0..=300.0,
        /// Speed of the slot's node, relative to the etalon. Paper: 1 to 3.
        _: speed: RangeInclusive<f64> = 1.0..=3.0,
        /// Probability that a slot starts at the same time as the one before it. Paper: 0.4.
        _: same_start: f64 = 0.4,
        /// Time from the start of a slot to the next, if they do not start at the same time. Paper: 0 to 10.
        _: gap: RangeInclusive<f64> = 0.0..=10.0,
        /// The base b of the mean price b^speed of a node. Paper: 1.7.
        _: price_base: f64 = 1.7,
        /// Ratio of the price to the mean price. Paper: 0.75 to 1.25.
        _: price_factor: RangeInclusive<f64> = 0.75..=1.25,
        /// The start of the first slot. Not stated in the paper; 0 here.
        _: first_start: f64 = 0.0,
        /// Whether lengths and gaps are whole numbers.
        _: whole_times: bool = false,
        /// Whether speeds are whole numbers.
        _: whole_speeds: bool = false,
    }
}

impl SlotGenerator {
    /// Draws a list. Node ids count from 0 in order of the starts.
    ///
    /// # Errors
    /// [`WorkloadError::Parameter`] for the first field that is out of its range, [`WorkloadError::Model`] if a price
    /// or an end of a slot is too large to be a quantity.
    pub fn generate(&self, rng: &mut dyn Rng) -> Result<SlotList, WorkloadError> {
        range::probability("same_start", self.same_start)?;
        range::number("price_base", self.price_base, Least::Positive)?;
        require(self.first_start.is_finite(), "first_start", self.first_start, "finite")?;
        let counts = range::count("count", &self.count, 0)?;
        let lengths = Draw::new("length", &self.length, Least::Positive, self.whole_times)?;
        let speeds = Draw::new("speed", &self.speed, Least::Positive, self.whole_speeds)?;
        let gaps = Draw::new("gap", &self.gap, Least::Zero, self.whole_times)?;
        let price_factors = range::real("price_factor", &self.price_factor, Least::Zero)?;
        let count = counts.sample(rng);
        let mut slots = Vec::new();
        let mut start = self.first_start;
        for id in 0..count {
            if id > 0 && !chance(rng, self.same_start) {
                start += gaps.sample(rng);
            }
            let length = lengths.sample(rng);
            let speed = speeds.sample(rng);
            let price = pow(self.price_base, speed) * price_factors.sample(rng);
            let node =
                Node { id: NodeId(id), speed: Speed::try_from(speed)?, price: Price::try_from(price)? };
            slots.push(Slot::new(node, Time::try_from(start)?, Time::try_from(start + length)?)?);
        }
        Ok(SlotList::new(slots)?)
    }
}
