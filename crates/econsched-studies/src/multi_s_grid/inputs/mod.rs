//! Grids, users and jobs of the Multi-S-Grid study.
//!
//! Source: A. Raeisi Gahrouei, M. Ghatee, "Auction-based approximate algorithm for Grid system scheduling
//! under resource provider strategies": Tables 1 and 2, and the property files of Figures 4, 5 and 6.
//!
//! # Readings and deviations
//! - Every property is a range, and values are real and uniform in it.
//! - What the paper calls a fail rate is used as a mean time to failure, in seconds: larger is better.
//! - In Table 2 the columns for bandwidth and failures are exchanged, compared with Figure 5; the figure is
//!   followed (user bandwidth 16 to 512 KB/s).
//! - The paper does not say how many jobs there are, when they arrive, nor their priorities: here they arrive
//!   with exponential gaps ([`JobProperties::mean_gap`]), each owned by a user drawn at random, all of
//!   priority 1.
//! - Machines cost nothing: the paper has no prices.
//!
//! The property files themselves are read by [`read_grid`], [`read_users`] and [`read_jobs`].
//!
//! ```
//! use econsched_studies::multi_s_grid::{GridName, JobProperties, UserGroup};
//! use econsched::workload_gen::sample::stream;
//!
//! let mut rng = stream(1, 0);
//! let sites = GridName::G3.properties().generate(&mut rng)?;
//! let users = UserGroup::Users1.properties().generate(&mut rng)?;
//! let jobs = JobProperties::default().with_jobs(50).generate(&users, &mut rng)?;
//! assert_eq!((sites.len(), users.len(), jobs.len()), (7, 10, 50));
//! # Ok::<(), econsched::workload_gen::WorkloadError>(())
//! ```

mod grid;
mod jobs;
mod properties;
mod users;

pub use grid::{GridName, GridProperties};
pub use jobs::JobProperties;
pub use properties::{read_grid, read_jobs, read_users, write_grid, write_jobs, write_users};
pub use users::{GridUser, UserGroup, UserProperties};
