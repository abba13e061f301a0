//! Assignment problems of many structures, for testing and timing methods.
//!
//! Methods that are quick on costs drawn independently can be slow on costs with a structure: distances, products,
//! sums of a job part and a resource part, many equal costs, resources that every job prefers, or free places.
//! [`zoo`] is a collection of such problems, each for any number of jobs; [`AssignmentGenerator`] generates
//! problems of one structure.
//!
//! ```
//! use econsched::testkit::zoo::{AssignmentGenerator, CostStructure, Places};
//! use econsched::workload_gen::sample::stream;
//!
//! let generator = AssignmentGenerator::new(6, 3, CostStructure::GridTime).with_places(Places::Tight);
//! let instance = generator.generate(&mut stream(1, 0));
//! assert_eq!(instance.values.len(), 18);
//! assert_eq!(instance.capacities, [2, 2, 2]);
//! ```

mod generator;
mod structure;
mod zoo;

pub use generator::{AssignmentGenerator, AssignmentInstance, Places};
pub use structure::CostStructure;
pub use zoo::zoo;
