//! What is measured.

use super::Failure;
use batch_dp::Goal;
use live_broker::{Config, MovePolicy, Preemption, Stability};
use sched_model::Span;
use std::str::FromStr;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Case {
    Plain,
    Preempt,
    Demands,
    Moves,
    /// The goal, and the number of windows of each job.
    Goal(Goal, usize),
}

impl FromStr for Case {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        let (name, windows) = text.split_once('=').unwrap_or((text, "5"));
        let goal = match name {
            "plain" => return Ok(Self::Plain),
            "preempt" => return Ok(Self::Preempt),
            "demands" => return Ok(Self::Demands),
            "moves" => return Ok(Self::Moves),
            "min-time" => Goal::MinTime { budget: None },
            "max-time" => Goal::MaxTime { budget: None },
            "min-cost" => Goal::MinCost { time_limit: None },
            "max-income" => Goal::MaxIncome { time_limit: None },
            _ => return Err(format!("unknown case `{text}`").into()),
        };
        Ok(Self::Goal(goal, windows.parse()?))
    }
}

impl Case {
    pub(crate) fn config(self, jobs: u64) -> Result<Config, Failure> {
        let config = Config::new(Span::must(1000.0)).with_work(2_000_000_000);
        Ok(match self {
            Self::Plain | Self::Demands => config,
            Self::Preempt => config.with_preemption(Preemption::new(Span::ZERO)),
            Self::Moves => {
                let all = Stability::new(MovePolicy::NotLater).with_max_per_cycle(usize::try_from(jobs)?);
                config.with_stability(all)
            }
            Self::Goal(goal, windows) => config.with_goal(goal, windows),
        })
    }
}
