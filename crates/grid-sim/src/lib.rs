//! A deterministic discrete-event simulation of economic grids: local load, backfilling, brokers, failures, reports.
