//! Cases of many structures, made of plain numbers.

#[cfg(feature = "workload-gen")]
pub mod assignments;
mod choices;
mod costs;
mod demands;
mod queues;
mod windows;

pub use choices::ChoiceCase;
pub use costs::{AssignCase, CoverageCase, FormCase, MappingCase};
pub use demands::{DemandsCase, FeaturesCase};
pub use queues::{GridJobCase, LocalJobCase, MachineCase, PolicyCase, SchedulerCase};
pub use windows::{NodeCase, RequestCase, SearchCase, TariffCase};
