//! The experiments, and the tables that the paper prints.

econsched::sched_model::registry! {
    /// An experiment of the comparison.
    pub enum Experiment: "experiment" {
        /// Experiment 1: each gridlet alone, on a resource drawn at random.
        Ungrouped = "ungrouped",
        /// Experiment 2: groups, first come, first served, resources in the order given.
        Grouped = "grouped",
        /// Experiment 3: jobs of largest cost first, resources of smallest rate per second first.
        Prioritised = "prioritised",
        /// As experiment 3, but resources of smallest cost per MI first. Not in the paper.
        PrioritisedByWork = "prioritised-by-work",
    }
}

/// The resources R1 to R7 of table 1: MIPS of a CPU, and rate per second.
pub const TABLE_1: [(f64, f64); 7] = [
    (150.0, 100.0),
    (110.0, 200.0),
    (240.0, 300.0),
    (320.0, 350.0),
    (210.0, 400.0),
    (300.0, 450.0),
    (410.0, 500.0),
];

impl Experiment {
    /// Returns groups, processing cost and processing time in seconds of each row of its table as printed, for 25,
    /// 50, ... gridlets. Groups that are not stated are NaN; the experiment that is not in the paper has no rows.
    #[must_use]
    pub fn published(self) -> &'static [[f64; 3]] {
        match self {
            Self::Ungrouped => &[
                [f64::NAN, 11740.0, 51.0],
                [f64::NAN, 23620.0, 104.0],
                [f64::NAN, 36040.0, 158.0],
                [f64::NAN, 45780.0, 210.0],
                [f64::NAN, 60040.0, 262.0],
                [f64::NAN, 69400.0, 310.0],
            ],
            Self::Grouped => &[
                [1.0, 400.0, 4.0],
                [1.0, 1100.0, 9.0],
                [2.0, 1900.0, 13.0],
                [2.0, 2700.0, 16.0],
                [3.0, 3300.0, 18.0],
                [3.0, 4200.0, 21.0],
            ],
            Self::Prioritised => &[
                [1.0, 400.0, 4.0],
                [1.0, 800.0, 8.0],
                [1.0, 1200.0, 10.0],
                [2.0, 1500.0, 14.0],
                [2.0, 1900.0, 18.0],
                [3.0, 2800.0, 20.0],
            ],
            Self::PrioritisedByWork => &[],
        }
    }
}
