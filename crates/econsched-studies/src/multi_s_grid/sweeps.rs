//! What is measured of a run, and which parameter is raised while the rest stays.

use econsched::auction_assign::strategy::Mode::{self, Divided, Weighted};
use econsched::auction_assign::strategy::Strategy;

/// Work offered over what the grid can do while jobs arrive.
pub(super) const UNDER_PEAK: f64 = 0.6;
pub(super) const AT_PEAK: f64 = 1.5;

/// What is measured of a run.
pub(super) const MEASURES: [(&str, usize); 11] = [
    ("processed, %", 1),
    ("cost, s", 2),
    ("completion, s", 2),
    ("failed, %", 2),
    ("starved, %", 1),
    ("processed, best QoS, %", 1),
    ("processed, worst QoS, %", 1),
    ("wait, best QoS, s", 2),
    ("wait, worst QoS, s", 2),
    ("variance of loads", 4),
    ("longest wait, s", 1),
];
pub(super) const PROCESSED: usize = 0;
pub(super) const COST: usize = 1;
pub(super) const COMPLETION: usize = 2;
pub(super) const FAILED: usize = 3;
pub(super) const STARVED: usize = 4;
pub(super) const BEST: usize = 5;
pub(super) const WORST: usize = 6;
pub(super) const VARIANCE: usize = 9;
pub(super) const LONGEST: usize = 10;

/// A parameter of the strategy, and the measures that show its effect.
pub(super) struct Parameter {
    pub(super) name: &'static str,
    pub(super) values: &'static [f64],
    set: fn(Strategy, f64) -> Strategy,
    pub(super) shown: &'static [usize],
}

static STARVATION: Parameter = Parameter {
    name: "sp",
    values: &[0.0, 0.5, 1.0, 1.5, 2.0],
    set: Strategy::with_starvation_prevention,
    shown: &[PROCESSED, COST, COMPLETION, STARVED, LONGEST],
};
static FAILURE: Parameter = Parameter {
    name: "fp",
    values: &[0.0, 0.5, 1.0, 2.0, 4.0],
    set: Strategy::with_fail_prevention,
    shown: &[PROCESSED, FAILED, COST],
};
static QUALITY: Parameter = Parameter {
    name: "qp",
    values: &[0.0, 0.5, 1.0, 2.0, 3.0, 4.0],
    set: Strategy::with_quality_of_service,
    shown: &[PROCESSED, BEST, WORST, 7, 8],
};
static BALANCING: Parameter = Parameter {
    name: "balancing",
    values: &[0.0, 1.0],
    set: |strategy, on| strategy.with_balancing(on > 0.0),
    shown: &[VARIANCE, PROCESSED, COST, COMPLETION],
};

/// One parameter raised while the rest stays.
pub(super) struct Sweep {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) parameter: &'static Parameter,
    pub(super) load: f64,
    mode: Mode,
}

impl Sweep {
    pub(super) fn strategy(&self, value: f64) -> Strategy {
        (self.parameter.set)(Strategy::default().with_mode(self.mode), value)
    }
}

const fn sweep(
    name: &'static str,
    title: &'static str,
    parameter: &'static Parameter,
    load: f64,
    mode: Mode,
) -> Sweep {
    Sweep { name, title, parameter, load, mode }
}

#[rustfmt::skip]
pub(super) static SWEEPS: [Sweep; 8] = [
    sweep("sp", "Starvation prevention at peak", &STARVATION, AT_PEAK, Divided),
    sweep("sp_weighted", "Starvation prevention at peak, weighted mode (not in the paper)", &STARVATION, AT_PEAK, Weighted),
    sweep("fp_under", "Fail prevention under peak", &FAILURE, UNDER_PEAK, Divided),
    sweep("fp_peak", "Fail prevention at peak", &FAILURE, AT_PEAK, Divided),
    sweep("qp", "Quality of service at peak", &QUALITY, AT_PEAK, Divided),
    sweep("qp_weighted", "Quality of service at peak, weighted mode (not in the paper)", &QUALITY, AT_PEAK, Weighted),
    sweep("balance_under", "Load balancing under peak", &BALANCING, UNDER_PEAK, Divided),
    sweep("balance_peak", "Load balancing at peak", &BALANCING, AT_PEAK, Divided),
];

// Places in `SWEEPS`.
pub(super) const SP: usize = 0;
pub(super) const FP_UNDER: usize = 2;
pub(super) const FP_PEAK: usize = 3;
pub(super) const QP: usize = 4;
pub(super) const QP_WEIGHTED: usize = 5;
pub(super) const BALANCE_UNDER: usize = 6;
pub(super) const BALANCE_PEAK: usize = 7;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sweeps_stand_where_they_are_looked_for() {
        let names =
            [SP, FP_UNDER, FP_PEAK, QP, QP_WEIGHTED, BALANCE_UNDER, BALANCE_PEAK].map(|at| SWEEPS[at].name);
        assert_eq!(
            names,
            ["sp", "fp_under", "fp_peak", "qp", "qp_weighted", "balance_under", "balance_peak"]
        );
        assert!(SWEEPS.iter().all(|sweep| sweep.parameter.values[0] == 0.0));
    }
}
