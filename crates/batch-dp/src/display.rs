//! Answers as text, in one line each. Jobs and alternatives are positions, from 0.

use crate::alternatives::Choice;
use crate::front::Point;
use crate::partial::Selection;
use std::fmt::{Display, Formatter, Result};

impl Display for Choice {
    /// `cost 15, time 9; alternatives 0, 1`.
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "cost {}, time {}", self.cost, self.time)?;
        alternatives(f, self.picks.iter().map(|&pick| Some(pick)))
    }
}

impl Display for Selection {
    /// `cost 10, time 4, left out 3; alternatives 0, -`: the second job is left out.
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "cost {}, time {}, left out {}", self.cost, self.time, self.left_out)?;
        alternatives(f, self.picks.iter().copied())
    }
}

impl Display for Point {
    /// `cost 15, time 9`.
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "cost {}, time {}", self.cost, self.time)
    }
}

fn alternatives(f: &mut Formatter<'_>, picks: impl Iterator<Item = Option<usize>>) -> Result {
    for (at, pick) in picks.enumerate() {
        write!(f, "{}", if at == 0 { "; alternatives " } else { ", " })?;
        match pick {
            Some(pick) => write!(f, "{pick}")?,
            None => write!(f, "-")?,
        }
    }
    Ok(())
}
