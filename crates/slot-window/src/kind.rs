//! The registry of searches.

use crate::{
    Alp, Amp, Criterion, FirstFit, MaxValue, MaxValueTable, MultipleBest, Objective, Optimal, Ranking,
    TotalSpeed, WindowError, WindowSearch,
};
use sched_model::{
    Sense,
    check::Holding::{self, OwnSpan, SlowestSpan},
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
    /// let options = SearchOptions::new().with_rho(0.8);
    /// assert_eq!(kind.build_with(&options)?.name(), kind.name());
    /// assert!("cheapest".parse::<SearchKind>().unwrap_err().to_string().contains("min-cost"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub enum SearchKind: "search" => dyn WindowSearch {
        /// [`Alp`].
        Alp = "alp" => Alp::new(),
        /// [`Amp`].
        Amp = "amp" => Amp::new(),
        /// [`FirstFit`], slowest span.
        FirstFit = "first-fit" => first_fit(SlowestSpan),
        /// [`FirstFit`], own span.
        FirstFitRough = "first-fit-rough" => first_fit(OwnSpan),
        /// [`Optimal`] start, slowest span.
        MinStart = "min-start" => optimal(Objective::Start, SlowestSpan),
        /// [`Optimal`] start, own span.
        MinStartRough = "min-start-rough" => optimal(Objective::Start, OwnSpan),
        /// [`Optimal`] finish, slowest span.
        MinFinish = "min-finish" => optimal(Objective::Finish, SlowestSpan),
        /// [`Optimal`] finish, own span.
        MinFinishRough = "min-finish-rough" => optimal(Objective::Finish, OwnSpan),
        /// [`Optimal`] runtime, slowest span.
        MinRuntime = "min-runtime" => optimal(Objective::Runtime, SlowestSpan),
        /// [`Optimal`] runtime, own span.
        MinRuntimeRough = "min-runtime-rough" => optimal(Objective::Runtime, OwnSpan),
        /// [`Optimal`] cost, slowest span.
        MinCost = "min-cost" => optimal(Objective::Cost, SlowestSpan),
        /// [`Optimal`] cost, own span.
        MinCostRough = "min-cost-rough" => optimal(Objective::Cost, OwnSpan),
        /// [`MaxValue`] by the options' criterion and sense, slowest span.
        MaxValue = "max-value" => max_value(&SearchOptions::new(), SlowestSpan),
        /// [`MaxValue`] by the options' criterion and sense, own span.
        MaxValueRough = "max-value-rough" => max_value(&SearchOptions::new(), OwnSpan),
        /// [`MaxValueTable`] by the options' criterion and sense.
        MaxValueTable = "max-value-table" => max_value_table(&SearchOptions::new()),
        /// [`MultipleBest`] by the options' ranking over windows of [`FirstFit`], slowest span.
        MultipleBest = "multiple-best" => multiple_best(&SearchOptions::new(), first_fit(SlowestSpan)),
        /// [`MultipleBest`] by the options' ranking over windows of [`FirstFit`], own span.
        MultipleBestRough = "multiple-best-rough" =>
            multiple_best(&SearchOptions::new(), first_fit(OwnSpan)),
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

impl Default for SearchOptions {
    fn default() -> Self {
        Self { rho: 1.0, criterion: Arc::new(TotalSpeed), sense: Sense::Maximise, objective: None }
    }
}

impl SearchOptions {
    /// rho = 1, and the greatest total speed as criterion, also for `multiple-best`.
    pub fn new() -> Self {
        Self::default()
    }

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
    /// The search, with these options.
    ///
    /// # Errors
    /// [`WindowError::Factor`] for a rho that is not positive and finite.
    pub fn build_with(self, options: &SearchOptions) -> Result<Box<dyn WindowSearch>, WindowError> {
        let rho = options.rho;
        let optimal = |objective, holding| optimal(objective, holding).with_rho(rho);
        let max_value = |holding| max_value(options, holding).with_rho(rho);
        let multiple_best =
            |holding| Ok::<_, WindowError>(multiple_best(options, first_fit(holding).with_rho(rho)?));
        Ok(match self {
            Self::Alp => Box::new(Alp::new()),
            Self::Amp => Box::new(Amp::new().with_rho(rho)?),
            Self::FirstFit => Box::new(first_fit(SlowestSpan).with_rho(rho)?),
            Self::FirstFitRough => Box::new(first_fit(OwnSpan).with_rho(rho)?),
            Self::MinStart => Box::new(optimal(Objective::Start, SlowestSpan)?),
            Self::MinStartRough => Box::new(optimal(Objective::Start, OwnSpan)?),
            Self::MinFinish => Box::new(optimal(Objective::Finish, SlowestSpan)?),
            Self::MinFinishRough => Box::new(optimal(Objective::Finish, OwnSpan)?),
            Self::MinRuntime => Box::new(optimal(Objective::Runtime, SlowestSpan)?),
            Self::MinRuntimeRough => Box::new(optimal(Objective::Runtime, OwnSpan)?),
            Self::MinCost => Box::new(optimal(Objective::Cost, SlowestSpan)?),
            Self::MinCostRough => Box::new(optimal(Objective::Cost, OwnSpan)?),
            Self::MaxValue => Box::new(max_value(SlowestSpan)?),
            Self::MaxValueRough => Box::new(max_value(OwnSpan)?),
            Self::MaxValueTable => Box::new(max_value_table(options).with_rho(rho)?),
            Self::MultipleBest => Box::new(multiple_best(SlowestSpan)?),
            Self::MultipleBestRough => Box::new(multiple_best(OwnSpan)?),
        })
    }
}

fn first_fit(holding: Holding) -> FirstFit {
    FirstFit::new().with_holding(holding)
}

fn optimal(objective: Objective, holding: Holding) -> Optimal {
    Optimal::new(objective).with_holding(holding)
}

fn max_value(options: &SearchOptions, holding: Holding) -> MaxValue {
    let search = MaxValue::shared(Arc::clone(&options.criterion));
    // The name does not depend on the sense.
    let name = search.clone().with_holding(holding).name().to_owned();
    search.with_sense(options.sense).with_holding(holding).with_name(name)
}

fn max_value_table(options: &SearchOptions) -> MaxValueTable {
    MaxValueTable::shared(Arc::clone(&options.criterion)).with_sense(options.sense)
}

fn multiple_best(options: &SearchOptions, search: FirstFit) -> MultipleBest<FirstFit> {
    let ranking = match options.objective {
        Some(objective) => Ranking::Objective(objective),
        None => Ranking::Value(Arc::clone(&options.criterion), options.sense),
    };
    MultipleBest::new(search, ranking)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_is_built_with_the_usual_options() {
        for kind in SearchKind::ALL {
            let built = kind.build_with(&SearchOptions::new()).map(|search| format!("{search:?}"));
            assert_eq!(built.as_deref(), Ok(format!("{:?}", kind.build()).as_str()), "{kind}");
        }
    }
}
