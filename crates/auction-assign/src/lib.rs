//! Assignment of jobs to resources with a proof: auction, shortest augmenting paths, capacities, provider strategies.
