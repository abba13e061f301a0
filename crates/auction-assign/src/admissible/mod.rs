//! Matchings on admissible pairs, many jobs at once: for costs of which many are equal.
//!
//! Words:
//! - *value* of a pair: cost + price. The *level* of a job is the least of its row.
//! - *admissible*: a pair whose value is the level of its job. A matching on admissible pairs that places
//!   every job is an optimum.
//! - *waiting*: not placed. *Reached*: a job or resource to which a chain of admissible pairs, placed and
//!   not, leads from a waiting job.
//!
//! J. Hopcroft, R. Karp, An n^(5/2) algorithm for maximum matchings in bipartite graphs (1973), and A.
//! Pothen, C.-J. Fan (1990), within the primal-dual method of H. Kuhn (1955): match as many as possible,
//! raise levels and prices of what the waiting jobs reach until a free resource becomes admissible, match
//! again. Each round places many jobs where many values are equal. Where it does not, the caller continues
//! with a path per job from the prices and placements reached.

mod distinct;
mod pairs;
mod rounds;

pub(crate) use distinct::match_distinct;
pub(crate) use rounds::{match_by_rounds, match_ties, pays};
