//! The sweeps: one parameter is raised while the others stay; with the measures that show its effect.

use super::measures::{Curve, Measure};
use super::scenarios::Load::{self, Peak, Rising, UnderPeak};
use super::simulator::Config;
use econsched::auction_assign::strategy::Mode::{self, Divided, Weighted};
use econsched::auction_assign::strategy::{LocalRule, Strategy};

/// A parameter of the schedulers, and the measures that show its effect.
pub(super) struct Parameter {
    pub(super) name: &'static str,
    pub(super) values: &'static [f64],
    set: fn(&mut Config, f64),
    pub(super) shown: &'static [Measure],
    /// The curves by slice that figures show.
    pub(super) curves: &'static [Curve],
}

fn balance(config: &mut Config, on: f64) {
    config.strategy = config.strategy.with_balancing(on > 0.0);
}

static STARVATION: Parameter = Parameter {
    name: "sp",
    values: &[0.0, 0.5, 1.0, 1.5, 2.0],
    set: |config, sp| config.strategy = config.strategy.with_starvation_prevention(sp),
    shown: &[Measure::Processed, Measure::Cost, Measure::Completion, Measure::Starved, Measure::LongestWait],
    curves: &[Curve::Done, Curve::Cost],
};
static FAILURE: Parameter = Parameter {
    name: "fp",
    values: &[0.0, 0.5, 1.0, 2.0, 4.0],
    set: |config, fp| config.strategy = config.strategy.with_fail_prevention(fp),
    shown: &[Measure::Processed, Measure::Failed, Measure::Cost, Measure::MeanTimeToFailure],
    curves: &[],
};
static QUALITY: Parameter = Parameter {
    name: "qp",
    values: &[0.0, 0.5, 1.0, 2.0, 3.0, 4.0],
    set: |config, qp| config.strategy = config.strategy.with_quality_of_service(qp),
    shown: &[
        Measure::Processed,
        Measure::ProcessedBest,
        Measure::ProcessedWorst,
        Measure::WaitBest,
        Measure::WaitWorst,
    ],
    curves: &[],
};
static BALANCING: Parameter = Parameter {
    name: "balancing",
    values: &[0.0, 1.0],
    set: balance,
    shown: &[
        Measure::Variance,
        Measure::Lead,
        Measure::FewerThanFree,
        Measure::Offered,
        Measure::Processed,
        Measure::Cost,
        Measure::Completion,
    ],
    curves: &[Curve::Variance],
};
/// Figure 17: under peak until the middle of the run, at peak after it.
static RISING: Parameter = Parameter {
    name: "balancing",
    values: &[0.0, 1.0],
    set: balance,
    shown: &[
        Measure::VarianceEarly,
        Measure::VarianceLate,
        Measure::LoadLate,
        Measure::FewerThanFreeLate,
        Measure::Processed,
        Measure::Cost,
    ],
    curves: &[Curve::Variance],
};
static MACHINE_BALANCING: Parameter = Parameter {
    name: "machines balanced",
    values: &[0.0, 1.0],
    set: |config, on| {
        config.local = Some(if on > 0.0 { LocalRule::Balanced } else { LocalRule::ShortestFirst });
    },
    shown: &[Measure::VarianceOfMachines, Measure::Processed, Measure::Cost, Measure::Completion],
    curves: &[],
};

/// The paper's auction beside the exact method (0), by its last epsilon in seconds of cost.
static AUCTION: Parameter = Parameter {
    name: "epsilon",
    values: &[0.0, 0.01, 0.1, EPSILON, 10.0],
    set: |config, epsilon| config.auction = (epsilon > 0.0).then_some(epsilon),
    shown: &[
        Measure::AboveOptimum,
        Measure::NearOptimum,
        Measure::CheapestPlace,
        Measure::AboveGreedy,
        Measure::Processed,
        Measure::Cost,
        Measure::Completion,
    ],
    curves: &[],
};
/// The epsilon for which the auction is judged: one second, a time slice. The paper states none.
pub(super) const EPSILON: f64 = 1.0;
/// Its place among the values.
pub(super) const JUDGED: usize = 3;

/// One parameter is raised while the others stay.
pub(super) struct Sweep {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) parameter: &'static Parameter,
    pub(super) load: Load,
    mode: Mode,
}

impl Sweep {
    /// The schedulers at a value of the parameter.
    pub(super) fn config(&self, value: f64) -> Config {
        let mut config = Config::default().with_strategy(Strategy::default().with_mode(self.mode));
        (self.parameter.set)(&mut config, value);
        config
    }
}

const fn sweep(
    name: &'static str,
    title: &'static str,
    parameter: &'static Parameter,
    load: Load,
    mode: Mode,
) -> Sweep {
    Sweep { name, title, parameter, load, mode }
}

#[rustfmt::skip]
pub(super) static SWEEPS: [Sweep; 12] = [
    sweep("sp", "Starvation prevention at peak", &STARVATION, Peak, Divided),
    sweep("sp_weighted", "Starvation prevention at peak, weighted mode (not in the paper)", &STARVATION, Peak, Weighted),
    sweep("fp_under", "Fail prevention under peak", &FAILURE, UnderPeak, Divided),
    sweep("fp_peak", "Fail prevention at peak", &FAILURE, Peak, Divided),
    sweep("qp", "Quality of service at peak", &QUALITY, Peak, Divided),
    sweep("qp_weighted", "Quality of service at peak, weighted mode (not in the paper)", &QUALITY, Peak, Weighted),
    sweep("balance_under", "Load balancing under peak", &BALANCING, UnderPeak, Divided),
    sweep("balance_peak", "Load balancing at peak", &BALANCING, Peak, Divided),
    sweep("balance_rising", "Load balancing, under peak until the middle of the run and at peak after it", &RISING, Rising, Divided),
    sweep("balance_machines", "Balancing the machines of each site, under peak", &MACHINE_BALANCING, UnderPeak, Divided),
    sweep("auction_under", "The auction by its last epsilon (0: the exact method), under peak", &AUCTION, UnderPeak, Divided),
    sweep("auction_peak", "The auction by its last epsilon (0: the exact method), at peak", &AUCTION, Peak, Divided),
];

// Places in `SWEEPS`.
pub(super) const SP: usize = 0;
pub(super) const FP_UNDER: usize = 2;
pub(super) const FP_PEAK: usize = 3;
pub(super) const QP: usize = 4;
pub(super) const QP_WEIGHTED: usize = 5;
pub(super) const BALANCE_UNDER: usize = 6;
pub(super) const BALANCE_PEAK: usize = 7;
pub(super) const BALANCE_RISING: usize = 8;
pub(super) const BALANCE_MACHINES: usize = 9;
pub(super) const AUCTION_UNDER: usize = 10;
pub(super) const AUCTION_PEAK: usize = 11;

/// The sweep and the value of each run of a draw.
pub(super) fn runs() -> Vec<(usize, usize)> {
    let values = |at: usize| (0..SWEEPS[at].parameter.values.len()).map(move |value| (at, value));
    (0..SWEEPS.len()).flat_map(values).collect()
}

/// The place of a run among all.
pub(super) fn run(sweep: usize, value: usize) -> usize {
    SWEEPS[..sweep].iter().map(|sweep| sweep.parameter.values.len()).sum::<usize>() + value
}

/// The runs whose curves are shown, each with its curve.
pub(super) fn curves_of() -> Vec<(usize, usize, Curve)> {
    let curves = |(at, value): (usize, usize)| {
        SWEEPS[at].parameter.curves.iter().map(move |&curve| (at, value, curve))
    };
    runs().into_iter().flat_map(curves).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sweeps_stand_where_they_are_looked_for() {
        let names = [
            SP,
            FP_UNDER,
            FP_PEAK,
            QP,
            QP_WEIGHTED,
            BALANCE_UNDER,
            BALANCE_PEAK,
            BALANCE_RISING,
            BALANCE_MACHINES,
            AUCTION_UNDER,
            AUCTION_PEAK,
        ]
        .map(|at| SWEEPS[at].name);
        assert_eq!(
            names,
            [
                "sp",
                "fp_under",
                "fp_peak",
                "qp",
                "qp_weighted",
                "balance_under",
                "balance_peak",
                "balance_rising",
                "balance_machines",
                "auction_under",
                "auction_peak"
            ]
        );
        assert!(SWEEPS.iter().all(|sweep| sweep.parameter.values[0] == 0.0));
        assert_eq!(AUCTION.values[JUDGED], EPSILON);
    }
}
