//! Windows of simultaneous slots on heterogeneous nodes: ALP, AMP, optimal window search, and all alternatives of a batch.
