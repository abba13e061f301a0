//! The experiments that are compared.

econsched::sched_model::registry! {
    /// An experiment that is compared.
    pub enum Experiment: "experiment" {
        /// Experiment 1: each gridlet alone, on a resource drawn at random.
        Ungrouped = "ungrouped",
        /// Experiment 2: groups, first come, first served, resources as given.
        Grouped = "grouped",
        /// Experiment 3: greatest cost first, resources of least rate per second first.
        Prioritised = "prioritised",
        /// As experiment 3, resources of least cost per MI first. Not in the paper.
        PrioritisedByWork = "prioritised-by-work",
    }
}
