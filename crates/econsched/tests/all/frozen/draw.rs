//! Numbers of many structures, the same on every machine.

use econsched::sched_model::{
    Batch, Job, JobId, Money, Node, Price, ResourceRequest, Slot, SlotList, Speed, Time,
};

/// A SplitMix64 generator.
pub(crate) struct Draw(pub(crate) u64);

/// The structure of drawn numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Numbers {
    Real,
    Tenths,
    Whole,
    Ties,
}

pub(crate) const NUMBERS: [Numbers; 4] = [Numbers::Real, Numbers::Tenths, Numbers::Whole, Numbers::Ties];

impl Draw {
    pub(crate) fn between(&mut self, least: f64, greatest: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let share = ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64;
        least + (greatest - least) * share
    }

    /// A whole number from `least` to `most`.
    pub(crate) fn whole(&mut self, least: u64, most: u64) -> u64 {
        (self.between(least as f64, most as f64 + 1.0) as u64).min(most)
    }

    pub(crate) fn number(&mut self, numbers: Numbers, least: f64, most: f64) -> f64 {
        let value = self.between(least, most);
        match numbers {
            Numbers::Real => value,
            Numbers::Tenths => (value * 10.0).floor() / 10.0,
            Numbers::Whole => value.ceil(),
            // One of three values.
            Numbers::Ties => least.max(1.0) * [1.0, 2.0, 4.0][self.whole(0, 2) as usize],
        }
    }
}

/// Free time of some nodes, and a batch that requests some of it.
pub(crate) struct Case {
    pub(crate) slots: SlotList,
    pub(crate) batch: Batch,
}

/// Up to three slots per node, prices that depend on speed, jobs with all kinds of limits.
pub(crate) fn case(seed: u64, numbers: Numbers, nodes: u64, jobs: u64) -> Case {
    let mut draw = Draw(seed);
    let mut slots = Vec::new();
    let mut prices = 0.0;
    for id in 0..nodes {
        let speed = draw.number(numbers, 1.0, 3.0);
        let price = draw.number(numbers, 0.8, 1.2) * speed * speed * 0.5 + 0.5;
        prices += price / nodes as f64;
        let node = Node::must(id as u32, speed, price);
        let mut at = if draw.whole(0, 2) == 0 { 0.0 } else { draw.number(numbers, 0.0, 60.0) };
        for _ in 0..draw.whole(1, 3) {
            let end = at + draw.number(numbers, 20.0, 200.0);
            slots.push(Slot::new(node, Time::must(at), Time::must(end)).unwrap());
            at = end + draw.number(numbers, 5.0, 50.0);
        }
    }
    slots.sort_by_key(|slot| (slot.start, slot.node));
    let jobs = (0..jobs).map(|id| {
        let work = draw.number(numbers, 20.0, 120.0);
        let wide = draw.whole(1, nodes.min(6));
        let mut request = ResourceRequest::must(wide as usize, work);
        if draw.whole(0, 2) == 0 {
            request = request.with_min_speed(Speed::must(draw.number(numbers, 1.0, 2.0)));
        }
        match draw.whole(0, 3) {
            0 => request = request.with_price_limit(Price::must(prices * draw.number(numbers, 0.5, 1.5))),
            1 | 2 => {
                let budget = prices * work * wide as f64 * draw.number(numbers, 0.4, 1.0);
                request = request.with_budget(Money::must(budget));
            }
            _ => {}
        }
        if draw.whole(0, 3) == 0 {
            request = request.with_deadline(Time::must(draw.number(numbers, 80.0, 400.0)));
        }
        Job::new(JobId(id), request).with_submit(Time::must(if draw.whole(0, 1) == 0 {
            0.0
        } else {
            draw.number(numbers, 0.0, 40.0)
        }))
    });
    let batch = Batch::new(jobs.collect()).unwrap();
    Case { slots: SlotList::new(slots).unwrap(), batch }
}
