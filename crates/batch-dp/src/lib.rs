//! One alternative per job: the exact choice under a budget or a time limit, and the whole Pareto front.
