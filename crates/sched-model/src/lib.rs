//! The vocabulary of economic scheduling: quantities, slots, jobs, windows, schedules, and an independent checker.
