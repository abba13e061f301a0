//! Multi-S-Grid.

mod properties;

pub use properties::{Bounds, GridFile, JobFile, UserFile};
