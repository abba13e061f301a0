//! The registry of methods.

use crate::{Assigner, Auction, Automatic, Greedy, ShortestPaths, Sorted, Transport};

sched_model::registry! {
    /// All methods of the crate, each built with its defaults.
    pub enum AssignerKind: "assignment method" => dyn Assigner {
        /// [`Automatic`](crate::Automatic): chooses the method that fits the problem.
        Automatic = "automatic" => Automatic,
        /// [`Auction`](crate::Auction).
        Auction = "auction" => Auction::default(),
        /// [`ShortestPaths`](crate::ShortestPaths).
        ShortestPaths = "shortest-paths" => ShortestPaths,
        /// [`Transport`](crate::Transport).
        Transport = "transport" => Transport,
        /// [`Sorted`](crate::Sorted).
        Sorted = "sorted" => Sorted,
        /// [`Greedy`](crate::Greedy).
        Greedy = "greedy" => Greedy,
    }
}
