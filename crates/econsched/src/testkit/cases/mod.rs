//! Cases of many structures, of plain numbers.

mod choices;
mod windows;

pub use choices::ChoiceCase;
pub use windows::{NodeCase, RequestCase, SearchCase, TariffCase};
