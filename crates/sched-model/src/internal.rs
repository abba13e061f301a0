//! Parts that the crates of `econsched` share: exact sums and their filters, elementary functions, sorting, counts
//! as text, and what the macros expand to. They are not part of the public interface, and may change without notice.

pub use crate::counted::counted;
pub use crate::elementary::{atan, exp, ln, pow};
pub use crate::exact::{ExactSum, SumFilter, affordable, exact_sum, plain_sum_error, span_bound, two_sum};
pub use crate::features::Spans;
pub use crate::ids::IdSet;
pub use crate::order::{map_of, of_node, order, sort, sort_keys};
pub use crate::quantity::{MAX_QUANTITY, MIN_SPEED};
pub use crate::registry::Registry;
#[cfg(feature = "serde")]
pub use crate::registry::read_name;
#[cfg(feature = "serde")]
pub use serde;
