//! The registry of searches.

use crate::criterion::TotalSpeed;
use crate::{
    Alp, Amp, Criterion, FirstFit, MaxValue, MaxValueTable, MultipleBest, Objective, Optimal, Ranking,
    WindowError, WindowSearch, error::factor,
};
use sched_model::{
    Sense,
    check::{Holding, Rules},
};
use std::sync::Arc;

sched_model::registry! {
    /// Every search of this crate, by name. Where a search has both window models, the name with `-rough` is
    /// for own-span windows, and the name alone for slowest-span windows.
    ///
    /// ```
    /// use slot_window::{SearchKind, SearchOptions};
    /// let kind: SearchKind = "min-cost-rough".parse()?;
    /// assert_eq!(kind, SearchKind::MinCostRough);
    /// assert_eq!(kind.build().name(), kind.name());
    /// let options = SearchOptions::default().with_rho(0.8);
    /// assert_eq!(kind.build_with(&options)?.name(), kind.name());
    /// assert!("cheapest".parse::<SearchKind>().unwrap_err().to_string().contains("min-cost"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub enum SearchKind: "search" {
        /// [`Alp`].
        Alp = "alp",
        /// [`Amp`].
        Amp = "amp",
        /// [`FirstFit`], slowest span.
        FirstFit = "first-fit",
        /// [`FirstFit`], own span.
        FirstFitRough = "first-fit-rough",
        /// [`Optimal`] start, slowest span.
        MinStart = "min-start",
        /// [`Optimal`] start, own span.
        MinStartRough = "min-start-rough",
        /// [`Optimal`] finish, slowest span.
        MinFinish = "min-finish",
        /// [`Optimal`] finish, own span.
        MinFinishRough = "min-finish-rough",
        /// [`Optimal`] runtime, slowest span.
        MinRuntime = "min-runtime",
        /// [`Optimal`] runtime, own span.
        MinRuntimeRough = "min-runtime-rough",
        /// [`Optimal`] cost, slowest span.
        MinCost = "min-cost",
        /// [`Optimal`] cost, own span.
        MinCostRough = "min-cost-rough",
        /// [`MaxValue`] by the options' criterion and sense, slowest span.
        MaxValue = "max-value",
        /// [`MaxValue`] by the options' criterion and sense, own span.
        MaxValueRough = "max-value-rough",
        /// [`MaxValueTable`] by the options' criterion and sense.
        MaxValueTable = "max-value-table",
        /// [`MultipleBest`] by the options' ranking over windows of [`FirstFit`], slowest span.
        MultipleBest = "multiple-best",
        /// [`MultipleBest`] by the options' ranking over windows of [`FirstFit`], own span.
        MultipleBestRough = "multiple-best-rough",
    }
}

/// Settings that [`SearchKind::build_with`] passes to the searches that have them.
#[derive(Debug, Clone)]
#[non_exhaustive]
#[must_use]
pub struct SearchOptions {
    /// The factor of C * t * N that gives the budget of a request without one.
    pub rho: f64,
    /// The criterion of `max-value`.
    pub criterion: Arc<dyn Criterion>,
    /// Whether `max-value` maximises or minimises its criterion.
    pub sense: Sense,
    /// The objective that `multiple-best` minimises; `None` for the criterion.
    pub objective: Option<Objective>,
}

/// rho = 1, and the greatest total speed as criterion, also for `multiple-best`.
impl Default for SearchOptions {
    fn default() -> Self {
        Self { rho: 1.0, criterion: Arc::new(TotalSpeed), sense: Sense::Maximise, objective: None }
    }
}

impl SearchOptions {
    /// With this criterion for `max-value` and `multiple-best`.
    pub fn with_criterion(self, criterion: impl Criterion + 'static, sense: Sense) -> Self {
        Self { criterion: Arc::new(criterion), sense, ..self }
    }
}

sched_model::setters!(SearchOptions {
    /// With this rho.
    with_rho: rho: f64,
    /// With this objective for `multiple-best`.
    with_objective: objective: Objective => Some,
});

impl SearchKind {
    /// The search, with its default configuration.
    pub fn build(self) -> Box<dyn WindowSearch> {
        self.built(&SearchOptions::default())
    }

    /// The search, with these options.
    ///
    /// # Errors
    /// [`WindowError::Factor`] for a rho that is not positive and finite.
    pub fn build_with(self, options: &SearchOptions) -> Result<Box<dyn WindowSearch>, WindowError> {
        factor("rho", options.rho)?;
        Ok(self.built(options))
    }

    /// The search, with options that are valid.
    fn built(self, options: &SearchOptions) -> Box<dyn WindowSearch> {
        let SearchOptions { rho, sense, ref criterion, objective } = *options;
        let holding = if self.name().ends_with("-rough") { Holding::OwnSpan } else { Holding::SlowestSpan };
        let rules = Rules::per_window(rho).with_holding(holding);
        let optimal = |objective| Box::new(Optimal::new(objective).with_rules(rules));
        let first_fit = FirstFit::new().with_rules(rules);
        match self {
            Self::Alp => Box::new(Alp),
            Self::Amp => Box::new(Amp { rho }),
            Self::FirstFit | Self::FirstFitRough => Box::new(first_fit),
            Self::MinStart | Self::MinStartRough => optimal(Objective::Start),
            Self::MinFinish | Self::MinFinishRough => optimal(Objective::Finish),
            Self::MinRuntime | Self::MinRuntimeRough => optimal(Objective::Runtime),
            Self::MinCost | Self::MinCostRough => optimal(Objective::Cost),
            Self::MaxValue | Self::MaxValueRough => {
                Box::new(MaxValue { criterion: Arc::clone(criterion), sense, rules })
            }
            Self::MaxValueTable => {
                Box::new(MaxValueTable { criterion: Arc::clone(criterion), sense, rules, unit: 1.0 })
            }
            Self::MultipleBest | Self::MultipleBestRough => {
                let by_value = || Ranking::Value(Arc::clone(criterion), sense);
                let ranking = objective.map_or_else(by_value, Ranking::Objective);
                Box::new(MultipleBest::new(first_fit, ranking))
            }
        }
    }
}
