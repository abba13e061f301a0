//! Workloads for scheduling studies: slot and job generators, published workload models, Standard Workload Format.
