//! The registries: every variant by name.

use crate::{
    BlindGreedy, Duplex, Fpltf, ImmediateHeuristic, Kpb, MappingHeuristic, MaxCtt, MaxMin, Mct, Met, MinCtt,
    MinMin, Olb, Sufferage, SufferagePasses, Switching, TradeOffGreedy, TradeOffHeuristic, TradeOffMetric,
};
use sched_model::registry;

registry! {
    /// The heuristics on matrices of times, each with its usual settings.
    ///
    /// ```
    /// use grid_heuristics::{MappingKind, MappingHeuristic};
    /// use sched_model::EtcMatrix;
    /// let etc = EtcMatrix::from_rows(&[[9.0, 8.0], [2.0, 3.0], [2.0, 1.0]])?;
    /// let kind: MappingKind = "max-min".parse()?;
    /// assert_eq!(kind.build().map(&etc)?.resources(), [1, 0, 0]);
    /// assert!("best".parse::<MappingKind>().is_err());
    /// # Ok::<(), grid_heuristics::HeuristicError>(())
    /// ```
    pub enum MappingKind: "mapping heuristic" => dyn MappingHeuristic {
        /// [`Olb`].
        Olb = "olb" => Olb,
        /// [`Met`].
        Met = "met" => Met,
        /// [`Mct`].
        Mct = "mct" => Mct,
        /// [`Kpb`].
        Kpb = "kpb" => Kpb::default(),
        /// [`Switching`].
        Switching = "switching" => Switching::default(),
        /// [`Fpltf`].
        Fpltf = "fpltf" => Fpltf,
        /// [`MinMin`].
        MinMin = "min-min" => MinMin,
        /// [`MaxMin`].
        MaxMin = "max-min" => MaxMin,
        /// [`Duplex`].
        Duplex = "duplex" => Duplex,
        /// [`Sufferage`].
        Sufferage = "sufferage" => Sufferage,
        /// [`SufferagePasses`].
        SufferagePasses = "sufferage-passes" => SufferagePasses,
    }
}

impl MappingKind {
    /// The heuristic for tasks that arrive one by one (immediate mode); `None` for heuristics that need all
    /// tasks at once.
    pub fn build_immediate(self) -> Option<Box<dyn ImmediateHeuristic>> {
        match self {
            Self::Olb => Some(Box::new(Olb)),
            Self::Met => Some(Box::new(Met)),
            Self::Mct => Some(Box::new(Mct)),
            Self::Kpb => Some(Box::new(Kpb::default())),
            Self::Switching => Some(Box::new(Switching::default())),
            _ => None,
        }
    }
}

registry! {
    /// The trade-off heuristics of the meta-broker, each with its usual settings.
    pub enum TradeOffKind: "trade-off heuristic" => dyn TradeOffHeuristic {
        /// [`MinCtt`].
        MinCtt = "min-ctt" => MinCtt::default(),
        /// [`MaxCtt`].
        MaxCtt = "max-ctt" => MaxCtt::default(),
        /// [`TradeOffGreedy`].
        Greedy = "greedy" => TradeOffGreedy::default(),
        /// [`BlindGreedy`].
        BlindGreedy = "blind-greedy" => BlindGreedy::default(),
    }
}

impl TradeOffKind {
    /// The heuristic with the metric given.
    pub fn build_with(self, metric: TradeOffMetric) -> Box<dyn TradeOffHeuristic> {
        match self {
            Self::MinCtt => Box::new(MinCtt { metric }),
            Self::MaxCtt => Box::new(MaxCtt { metric }),
            Self::Greedy => Box::new(TradeOffGreedy { metric }),
            Self::BlindGreedy => Box::new(BlindGreedy { metric }),
        }
    }
}
