//! Matrices of expected times to compute (ETC): tasks by machines.
//!
//! Sources: S. Ali, H. J. Siegel, M. Maheswaran, D. Hensgen, S. Ali, "Representing task and machine
//! heterogeneities for heterogeneous computing systems", 2000 (range-based and by coefficient of variation);
//! T. D. Braun et al., "A comparison of eleven static heuristics for mapping a class of independent tasks
//! onto heterogeneous distributed computing systems", 2001 (ranges and consistency of the classical
//! benchmark).
//!
//! # Which to use when
//! - A generated benchmark: [`EtcGenerator`], with a method by name from [`EtcKind`] and a [`Consistency`].
//! - The mean time of each task is known: [`Variation`] draws its times on the machines.
//! - A given matrix is to be made consistent: [`Consistency::arrange`].

mod consistency;
mod method;
mod variation;

pub use consistency::Consistency;
pub use method::{EtcGenerator, EtcKind, EtcMethod};
pub use variation::Variation;
