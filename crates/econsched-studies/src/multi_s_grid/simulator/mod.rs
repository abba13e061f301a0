//! Multi-S-Grid: a grid whose provider schedules by strategies, in time slices, while machines and links
//! fail.
//!
//! Source: A. Raeisi Gahrouei, M. Ghatee, "Auction-based approximate algorithm for Grid system scheduling
//! under resource provider strategies": the model of section 2 and the simulator of section 4.
//!
//! At the beginning of each time slice the global scheduler ([`GlobalScheduler`]; the paper's is
//! [`Strategy`](econsched::auction_assign::strategy::Strategy)) sends waiting jobs to sites, and the local scheduler of
//! each site ([`LocalScheduler`]; [`LocalRule`](econsched::auction_assign::strategy::LocalRule)) puts them on machines.
//! A job holds one processor from then on: its input is transferred over the slower of two links, then it
//! runs. It is never moved.
//!
//! | fails | lost | until |
//! |---|---|---|
//! | a machine | the jobs on it | it is repaired |
//! | the link of a site | all jobs on the site | it is repaired |
//! | the link of a user | the user's jobs whose input is being transferred | it is repaired; the others wait in the pool |
//! | a user leaves | all the user's jobs | for ever |
//! | a job is withdrawn | the job | for ever |
//!
//! # Readings and deviations
//! - Failures come at exponential intervals, drawn for each component from its own stream, so that a strategy
//!   does not change when a component fails.
//! - The paper does not say how long a repair takes: [`Config::repair`], 10 seconds by default.
//! - Failed jobs leave the system. [`Config::retries`] sends them back to the pool.
//! - By default users do not leave, and jobs are not withdrawn (the paper's `S_j = 0`): see
//!   [`Config::owner_lifetime`] and [`Config::job_lifetime`].
//! - Slices are assigned exactly; [`Config::auction`] gives the paper's auction with a last epsilon.
//! - The paper calls the system preemptive, but the behaviour that it describes is non-preemptive; so is this
//!   one.
//!
//! Grids, users and jobs are drawn from [properties](super::inputs), those of the paper's tables or of files as in its
//! figures 4 to 6.

mod config;
mod failures;
mod gis;
mod ledger;
mod outcome;
mod pool;
mod run;
mod schedulers;
mod slice;
mod system;

pub use config::Config;
pub use gis::AssignedJob;
pub use outcome::{SliceRecord, SystemOutcome};
pub use run::MultiSGrid;
pub use schedulers::{AuctionScheduler, GlobalScheduler, LocalScheduler, Schedulers};
