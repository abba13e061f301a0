//! Multi-S-Grid.

mod properties;

pub use properties::{read_grid, read_jobs, read_users, write_grid, write_jobs, write_users};
