//! The sweeps, each of which raises one parameter while the others stay, with the measures that show its effect.

use super::measures::Curve;
use super::measures::Measure::{self, *};
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
    /// The curves that figures show slice by slice.
    pub(super) curves: &'static [Curve],
}

fn balance(config: &mut Config, on: f64) {
    config.strategy = config.strategy.with_balancing(on > 0.0);
}

static STARVATION: Parameter = Parameter {
    name: "sp",
    values: &[0.0, 0.5, 1.0, 1.5, 2.0],
    set: |config, sp| config.strategy = config.strategy.with_starvation_prevention(sp),
    shown: &[Processed, Cost, Completion, Starved, LongestWait],
    curves: &[Curve::Done, Curve::Cost],
};
static FAILURE: Parameter = Parameter {
    name: "fp",
    values: &[0.0, 0.5, 1.0, 2.0, 4.0],
    set: |config, fp| config.strategy = config.strategy.with_fail_prevention(fp),
    shown: &[Processed, Failed, Cost, MeanTimeToFailure],
    curves: &[],
};
static QUALITY: Parameter = Parameter {
    name: "qp",
    values: &[0.0, 0.5, 1.0, 2.0, 3.0, 4.0],
    set: |config, qp| config.strategy = config.strategy.with_quality_of_service(qp),
    shown: &[Processed, ProcessedBest, ProcessedWorst, WaitBest, WaitWorst],
    curves: &[],
};
static BALANCING: Parameter = Parameter {
    name: "balancing",
    values: &[0.0, 1.0],
    set: balance,
    shown: &[Variance, Lead, FewerThanFree, Offered, Processed, Cost, Completion],
    curves: &[Curve::Variance],
};
/// Figure 17: under peak until the middle of the run, at peak after it.
static RISING: Parameter = Parameter {
    name: "balancing",
    values: &[0.0, 1.0],
    set: balance,
    shown: &[VarianceEarly, VarianceLate, LoadLate, FewerThanFreeLate, Processed, Cost],
    curves: &[Curve::Variance],
};
static MACHINE_BALANCING: Parameter = Parameter {
    name: "machines balanced",
    values: &[0.0, 1.0],
    set: |config, on| {
        config.local = Some(if on > 0.0 { LocalRule::Balanced } else { LocalRule::ShortestFirst });
    },
    shown: &[VarianceOfMachines, Processed, Cost, Completion],
    curves: &[],
};

/// The paper's auction by its last epsilon in seconds of cost, beside the exact method (0).
static AUCTION: Parameter = Parameter {
    name: "epsilon",
    // Claims are judged at 1: one second, the length of a time slice.
    values: &[0.0, 0.01, 0.1, 1.0, 10.0],
    set: |config, epsilon| config.auction = (epsilon > 0.0).then_some(epsilon),
    shown: &[AboveOptimum, NearOptimum, CheapestPlace, AboveGreedy, Processed, Cost, Completion],
    curves: &[],
};

/// A sweep: one parameter is raised while the others stay.
pub(super) struct Plan {
    pub(super) title: &'static str,
    pub(super) parameter: &'static Parameter,
    pub(super) load: Load,
    mode: Mode,
}

impl Plan {
    const fn new(title: &'static str, parameter: &'static Parameter, load: Load, mode: Mode) -> Self {
        Self { title, parameter, load, mode }
    }

    /// Returns the configuration with the value of this index.
    pub(super) fn config(&self, value: usize) -> Config {
        let mut config = Config::default().with_strategy(Strategy::default().with_mode(self.mode));
        (self.parameter.set)(&mut config, self.parameter.values[value]);
        config
    }
}

econsched::sched_model::registry! {
    /// The sweeps, by the names of their tables.
    pub(super) enum Sweep: "sweep" => Plan {
        Sp = "sp" => Plan::new("Starvation prevention at peak", &STARVATION, Peak, Divided),
        SpWeighted = "sp_weighted" => Plan::new(
            "Starvation prevention at peak, weighted mode (not in the paper)", &STARVATION, Peak, Weighted
        ),
        FpUnder = "fp_under" => Plan::new("Fail prevention under peak", &FAILURE, UnderPeak, Divided),
        FpPeak = "fp_peak" => Plan::new("Fail prevention at peak", &FAILURE, Peak, Divided),
        Qp = "qp" => Plan::new("Quality of service at peak", &QUALITY, Peak, Divided),
        QpWeighted = "qp_weighted"
            => Plan::new("Quality of service at peak, weighted mode (not in the paper)", &QUALITY, Peak, Weighted),
        BalanceUnder = "balance_under" => Plan::new("Load balancing under peak", &BALANCING, UnderPeak, Divided),
        BalancePeak = "balance_peak" => Plan::new("Load balancing at peak", &BALANCING, Peak, Divided),
        BalanceRising = "balance_rising" => Plan::new(
            "Load balancing, under peak until the middle of the run and at peak after it", &RISING, Rising, Divided
        ),
        BalanceMachines = "balance_machines"
            => Plan::new("Balancing the machines of each site, under peak", &MACHINE_BALANCING, UnderPeak, Divided),
        AuctionUnder = "auction_under" => Plan::new(
            "The auction by its last epsilon (0: the exact method), under peak", &AUCTION, UnderPeak, Divided
        ),
        AuctionPeak = "auction_peak"
            => Plan::new("The auction by its last epsilon (0: the exact method), at peak", &AUCTION, Peak, Divided),
    }
}

/// Returns the runs of a draw, each as a sweep and the index of a value.
pub(super) fn runs() -> Vec<(Sweep, usize)> {
    let values = |&sweep: &Sweep| sweep.values().map(move |(value, _)| (sweep, value));
    Sweep::ALL.iter().flat_map(values).collect()
}

impl Sweep {
    /// Returns the values of the parameter with their indices.
    pub(super) fn values(self) -> impl Iterator<Item = (usize, f64)> {
        self.build().parameter.values.iter().copied().enumerate()
    }

    /// Returns the index of the run with this value among all runs of a draw.
    pub(super) fn run(self, value: usize) -> usize {
        let before = Sweep::ALL.iter().take_while(|&&sweep| sweep != self);
        before.map(|sweep| sweep.values().count()).sum::<usize>() + value
    }
}

/// Returns the curves that figures show, each with its run.
pub(super) fn curves_of() -> Vec<(Sweep, usize, Curve)> {
    let curves = |(sweep, value): (Sweep, usize)| {
        sweep.build().parameter.curves.iter().map(move |&curve| (sweep, value, curve))
    };
    runs().into_iter().flat_map(curves).collect()
}
