//! Methods over candidate lists: bids in a market, shortest augmenting paths, and their start and end.
//!
//! Words:
//! - *candidates*: per job, the few resources that were cheapest for it at some earlier prices, and a
//!   *bound*: no other resource costs it less, its price included. Prices only rise, so both stay lower
//!   bounds.
//! - *value* of a pair: cost + price. The *best* of a job is the pair of least value.
//! - *bid*: a job takes its best and raises its price up to its second best, and by *epsilon*.
//! - *path*: a job takes a place, the job that held it takes another, and so on up to a free place; the
//!   *distance* of a resource is how much the values paid rise along the way to it.

pub(crate) mod lists;
pub(crate) mod paths;
pub(crate) mod selection;
mod settle;
pub(crate) mod state;

pub(crate) use paths::Reached;
