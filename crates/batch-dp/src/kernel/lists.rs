//! Storage of a search: the core, its two lists of states, and the histories behind them.

use super::cuts::Cut;
use super::order::{CoreJob, Order, Side};
use crate::list::{History, Runs, State, Step};
use crate::number::Number;

/// Links kept for each state of the width.
pub(super) const LINKS: usize = 16;

/// Up to this length the front list grows alone; from there on, the shorter of the two.
const FRONT_ALONE: usize = 1 << 11;

/// The jobs of the core with their steps, the two lists, and what a product needs.
#[derive(Debug)]
pub(crate) struct StateLists<P, W> {
    pub(super) jobs: Vec<CoreJob>,
    pub(super) steps: Vec<Step<P, W>>,
    /// The steps of the job that enters a list next, and the same as states.
    pub(super) turn_steps: Vec<Step<P, W>>,
    pub(super) turn_states: Vec<State<P, W>>,
    pub(super) front: Vec<State<P, W>>,
    pub(super) back: Vec<State<P, W>>,
    pub(super) runs: Runs<P, W>,
    pub(super) history: History,
    pub(super) order: Order,
    /// Of the present pass; none where there is one rank.
    pub(super) cuts: Vec<Cut>,
}

impl<P, W> Default for StateLists<P, W> {
    fn default() -> Self {
        Self {
            jobs: Vec::new(),
            steps: Vec::new(),
            turn_steps: Vec::new(),
            turn_states: Vec::new(),
            front: Vec::new(),
            back: Vec::new(),
            runs: Runs::default(),
            history: History::default(),
            order: Order::default(),
            cuts: Vec::new(),
        }
    }
}

impl<P, W> StateLists<P, W> {
    /// The most bytes of a pass of this width: both lists and three buffers of a block of two widths, each
    /// vector with a capacity up to twice its length; scores; links.
    pub(super) fn bytes(width: usize) -> u64 {
        let state = size_of::<State<P, W>>() as u64;
        let each = 2 * (2 * state + 8 * state + 8) + (2 * LINKS * History::BYTES) as u64;
        each * width as u64
    }
}

impl<P, W> StateLists<P, W> {
    /// Both lists hold the base alone, without a history.
    pub(super) fn restart(&mut self)
    where
        P: Number,
        W: Number,
    {
        self.history.clear();
        for list in [&mut self.front, &mut self.back] {
            list.clear();
            list.push(State::ORIGIN);
        }
    }

    /// The list that grows next.
    pub(super) fn shorter(&self) -> Side {
        if self.front.len() <= self.back.len().max(FRONT_ALONE) { Side::Front } else { Side::Back }
    }

    /// The list of a side.
    pub(super) fn list(&mut self, side: Side) -> &mut Vec<State<P, W>> {
        match side {
            Side::Front => &mut self.front,
            Side::Back => &mut self.back,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A state of two doubles and two numbers takes 24 bytes, a link and its new position 16.
    #[test]
    fn a_pass_needs_so_many_bytes_for_each_state_of_its_width() {
        let each = 2 * (10 * 24 + 8) + 2 * 16 * 16;
        assert_eq!(StateLists::<f64, f64>::bytes(1), each);
        assert_eq!(StateLists::<f64, f64>::bytes(1000), 1000 * each);
    }
}
