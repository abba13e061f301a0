//! Cases of many structures, of plain numbers.

mod choices;
mod costs;
mod windows;

pub use choices::ChoiceCase;
pub use costs::{AssignCase, CoverageCase, MappingCase};
pub use windows::{NodeCase, RequestCase, SearchCase, TariffCase};
