//! Mapping heuristics for grids and clusters: trade-off meta-brokering, the classical ETC heuristics, job grouping.
