//! Mapping heuristics for grids and clusters: trade-off meta-brokering, the classical ETC heuristics, job grouping.

#![forbid(unsafe_code)]

mod error;
mod etc;
mod grouping;
mod kind;
pub mod reference;
mod trade_off;

pub use error::HeuristicError;
pub use etc::{
    Duplex, Fpltf, ImmediateHeuristic, Kpb, Mapping, MappingHeuristic, MaxMin, Mct, Met, MinMin, Olb,
    Sufferage, SufferagePasses, Switching,
};
pub use grouping::{
    Group, GroupResource, Grouping, JobGrouping, JobOrder, ResourceOrder, ServiceRule, SmallJob, Totals,
    granularity_for,
};
pub use kind::{MappingKind, TradeOffKind};
pub use trade_off::{
    Averages, Cluster, Greedy, MaxCtt, MinCtt, ParallelJob, Reservation, TradeOffHeuristic, TradeOffMetric,
};
