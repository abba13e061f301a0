//! The registry of methods.

use crate::{Assigner, Auction, Automatic, Greedy, ShortestPaths, Sorted, Transport};

sched_model::registry! {
    /// All methods of the crate, each built with its defaults.
    pub enum AssignerKind: "assignment method" => dyn Assigner {
        /// [`Automatic`](crate::Automatic): chooses the method that fits the problem.
        Automatic = "automatic" => Automatic::default(),
        /// [`Auction`](crate::Auction).
        Auction = "auction" => Auction::default(),
        /// [`ShortestPaths`](crate::ShortestPaths).
        ShortestPaths = "shortest-paths" => ShortestPaths::default(),
        /// [`Transport`](crate::Transport).
        Transport = "transport" => Transport::default(),
        /// [`Sorted`](crate::Sorted).
        Sorted = "sorted" => Sorted::default(),
        /// [`Greedy`](crate::Greedy).
        Greedy = "greedy" => Greedy::default(),
    }
}
