//! Cases of many structures, of plain numbers.

#[cfg(feature = "workload-gen")]
pub mod assignments;
mod choices;
mod costs;
mod queues;
mod windows;

pub use choices::ChoiceCase;
pub use costs::{AssignCase, CoverageCase, MappingCase};
pub use queues::{GridJobCase, LocalJobCase, MachineCase, PolicyCase, SchedulerCase};
pub use windows::{NodeCase, RequestCase, SearchCase, TariffCase};
