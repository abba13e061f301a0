//! The configuration of a run.

use econsched::auction_assign::strategy::{LocalRule, Strategy};
use econsched::grid_sim::default_threshold;
use econsched::sched_model::Span;

/// The configuration of a run of Multi-S-Grid. By default costs are plain times: no strategy, no balancing.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
#[must_use]
pub struct Config {
    /// The provider's strategy; its slice is the time slice of the run.
    pub strategy: Strategy,
    /// The rule of local schedulers; by default the balanced one if the strategy balances, else the shortest
    /// job to the fastest machine.
    pub local: Option<LocalRule>,
    /// The run ends after this many slices at the latest; 100,000 by default.
    pub slices: u32,
    /// Whether machines and links fail; they do by default.
    pub failures: bool,
    /// How long a repair takes; `None` for never repaired. 10 by default.
    pub repair: Option<Span>,
    /// How often a job that was lost to a failure goes back to the pool; 0 by default.
    pub retries: u32,
    /// Mean of the exponential time that a user stays; `None`, the default, for ever.
    pub owner_lifetime: Option<Span>,
    /// Mean of the exponential time after its submission at which a job is withdrawn by its owner; `None`,
    /// the default, for never.
    pub job_lifetime: Option<Span>,
    /// The last epsilon of the auction by which slices are assigned, as in the paper; `None`, the default,
    /// for the exact method. See [`AuctionScheduler`](super::AuctionScheduler).
    pub auction: Option<f64>,
    /// A job that waits longer has starved; 10 by default.
    pub starving_after: Span,
    /// The bound of the bounded slowdown.
    pub threshold: Span,
    /// Whether to record each slice and each assignment.
    pub trace: bool,
    /// Whether to keep an event log.
    pub log: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            strategy: Strategy::default(),
            local: None,
            slices: 100_000,
            failures: true,
            repair: Some(Span::must(10.0)),
            retries: 0,
            owner_lifetime: None,
            job_lifetime: None,
            auction: None,
            starving_after: Span::must(10.0),
            threshold: default_threshold(),
            trace: false,
            log: false,
        }
    }
}

econsched::sched_model::setters!(Config {
    /// The same under this strategy.
    with_strategy: strategy: Strategy,
    /// The same with this local rule.
    with_local: local: Option<LocalRule>,
    /// The same with at most this many slices.
    with_slices: slices: u32,
    /// The same with failures or without.
    with_failures: failures: bool,
    /// The same with repairs of this length; `None` for none.
    with_repair: repair: Option<Span>,
    /// The same with this many retries.
    with_retries: retries: u32,
    /// The same with users that stay for this mean time.
    with_owner_lifetime: owner_lifetime: Option<Span>,
    /// The same with jobs that are withdrawn after this mean time.
    with_job_lifetime: job_lifetime: Option<Span>,
    /// The same, assigning by an auction that ends with this epsilon, or exactly.
    with_auction: auction: Option<f64>,
    /// The same, counting a job as starved after this wait.
    with_starving_after: starving_after: Span,
    /// The same with this bound of the bounded slowdown.
    with_threshold: threshold: Span,
    /// The same, recording slices and assignments or not.
    with_trace: trace: bool,
    /// The same, keeping an event log or not.
    with_log: log: bool,
});
