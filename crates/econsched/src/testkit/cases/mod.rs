//! Cases of many structures, made of values of the model.

pub mod assignments;
mod choices;
#[cfg(feature = "auction-assign")]
mod costs;
mod demands;
mod mappings;
#[cfg(feature = "grid-sim")]
mod queues;
mod windows;

pub use choices::ChoiceCase;
#[cfg(feature = "auction-assign")]
pub use costs::{AssignCase, FormCase};
pub use demands::{demands, features};
pub use mappings::etc;
#[cfg(feature = "grid-sim")]
pub use queues::{PolicyCase, SchedulerCase};
pub use windows::{NodeCase, SearchCase, request, tariff};
