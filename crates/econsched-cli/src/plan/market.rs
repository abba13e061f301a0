//! Speeds and prices of nodes, drawn by a model.

use crate::error::CliError;
use sched_model::{Node, NodeId, Price, Speed};

/// `count` nodes with speeds uniform in 1..3 and prices 1.7^speed, give or take a quarter.
pub(crate) fn draw(count: u32, seed: u64) -> Result<Vec<Node>, CliError> {
    let mut state = seed;
    let mut unit = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    };
    (0..count)
        .map(|id| {
            let speed = 1.0 + 2.0 * unit();
            let price = 1.7f64.powf(speed) * (0.75 + 0.5 * unit());
            let (speed, price) = (Speed::new(speed), Price::new(price));
            Ok(Node::new(NodeId(id), speed.map_err(CliError::usage)?, price.map_err(CliError::usage)?))
        })
        .collect()
}
