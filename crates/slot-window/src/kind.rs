//! The registry of searches.

use crate::{
    Alp, Amp, Criterion, FirstFit, MaxValue, MaxValueTable, MultipleBest, Objective, Optimal, Ranking,
    TotalSpeed, WindowError, WindowSearch,
    names::{FIRST_FIT, MAX_VALUE, MIN_COST, MIN_FINISH, MIN_RUNTIME, MIN_START, MULTIPLE_BEST},
};
use sched_model::{
    Sense,
    check::Holding::{OwnSpan, SlowestSpan},
};
use std::fmt;
use std::sync::Arc;

sched_model::registry! {
    /// Every search of this crate, by name. Of a search that knows both window models the name
    /// with `-rough` means own-span windows, the name alone slowest-span ones.
    ///
    /// ```
    /// use slot_window::{SearchKind, SearchOptions};
    /// let kind: SearchKind = "min-cost-rough".parse()?;
    /// assert_eq!(kind, SearchKind::MinCostRough);
    /// assert_eq!(kind.build(&SearchOptions::new())?.name(), kind.name());
    /// assert!("cheapest".parse::<SearchKind>().unwrap_err().to_string().contains("min-cost"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub enum SearchKind: "search" {
        /// [`Alp`].
        Alp = "alp",
        /// [`Amp`].
        Amp = "amp",
        /// [`FirstFit`], slowest span.
        FirstFit = FIRST_FIT.of(SlowestSpan),
        /// [`FirstFit`], own span.
        FirstFitRough = FIRST_FIT.of(OwnSpan),
        /// [`Optimal`] start, slowest span.
        MinStart = MIN_START.of(SlowestSpan),
        /// [`Optimal`] start, own span.
        MinStartRough = MIN_START.of(OwnSpan),
        /// [`Optimal`] finish, slowest span.
        MinFinish = MIN_FINISH.of(SlowestSpan),
        /// [`Optimal`] finish, own span.
        MinFinishRough = MIN_FINISH.of(OwnSpan),
        /// [`Optimal`] runtime, slowest span.
        MinRuntime = MIN_RUNTIME.of(SlowestSpan),
        /// [`Optimal`] runtime, own span.
        MinRuntimeRough = MIN_RUNTIME.of(OwnSpan),
        /// [`Optimal`] cost, slowest span.
        MinCost = MIN_COST.of(SlowestSpan),
        /// [`Optimal`] cost, own span.
        MinCostRough = MIN_COST.of(OwnSpan),
        /// [`MaxValue`] by the options' criterion and sense, slowest span.
        MaxValue = MAX_VALUE.of(SlowestSpan),
        /// [`MaxValue`] by the options' criterion and sense, own span.
        MaxValueRough = MAX_VALUE.of(OwnSpan),
        /// [`MaxValueTable`] by the options' criterion and sense.
        MaxValueTable = "max-value-table",
        /// [`MultipleBest`] by the options' ranking over windows of [`FirstFit`], slowest span.
        MultipleBest = MULTIPLE_BEST.of(SlowestSpan),
        /// [`MultipleBest`] by the options' ranking over windows of [`FirstFit`], own span.
        MultipleBestRough = MULTIPLE_BEST.of(OwnSpan),
    }
}

/// Settings that [`SearchKind::build`] passes to the searches that have them.
#[derive(Clone)]
#[non_exhaustive]
#[must_use]
pub struct SearchOptions {
    /// Share of C * t * N that is the budget of a request which gives none.
    pub rho: f64,
    /// The criterion of `max-value`.
    pub criterion: Arc<dyn Criterion>,
    /// Whether `max-value` maximises or minimises its criterion.
    pub sense: Sense,
    /// What `multiple-best` minimises; `None` for the criterion.
    pub objective: Option<Objective>,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self { rho: 1.0, criterion: Arc::new(TotalSpeed), sense: Sense::Maximise, objective: None }
    }
}

impl fmt::Debug for SearchOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SearchOptions")
            .field("rho", &self.rho)
            .field("scope", &self.criterion.scope())
            .field("sense", &self.sense)
            .field("objective", &self.objective)
            .finish()
    }
}

impl SearchOptions {
    /// rho = 1, the greatest total speed as criterion, also of `multiple-best`.
    pub fn new() -> Self {
        Self::default()
    }

    /// With this rho.
    pub fn with_rho(self, rho: f64) -> Self {
        Self { rho, ..self }
    }

    /// With this criterion for `max-value` and `multiple-best`.
    pub fn with_criterion(self, criterion: impl Criterion + 'static, sense: Sense) -> Self {
        Self { criterion: Arc::new(criterion), sense, ..self }
    }

    /// With this objective for `multiple-best`.
    pub fn with_objective(self, objective: Objective) -> Self {
        Self { objective: Some(objective), ..self }
    }
}

impl SearchKind {
    /// The search, with these options.
    ///
    /// # Errors
    /// [`WindowError::Factor`] for a rho that is not positive and finite.
    pub fn build(self, options: &SearchOptions) -> Result<Box<dyn WindowSearch>, WindowError> {
        let rho = options.rho;
        let first_fit = |holding| FirstFit::new().with_holding(holding).with_rho(rho);
        let optimal = |objective, holding| Optimal::new(objective).with_holding(holding).with_rho(rho);
        let max_value = |holding| {
            let search = MaxValue::shared(Arc::clone(&options.criterion)).with_name(self.name());
            search.with_sense(options.sense).with_holding(holding).with_rho(rho)
        };
        let multiple_best = |holding| {
            let ranking = match options.objective {
                Some(objective) => Ranking::Objective(objective),
                None => Ranking::Value(Arc::clone(&options.criterion), options.sense),
            };
            Ok::<_, WindowError>(MultipleBest::new(first_fit(holding)?, ranking).with_name(self.name()))
        };
        Ok(match self {
            Self::Alp => Box::new(Alp::new()),
            Self::Amp => Box::new(Amp::new().with_rho(rho)?),
            Self::FirstFit => Box::new(first_fit(SlowestSpan)?),
            Self::FirstFitRough => Box::new(first_fit(OwnSpan)?),
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
            Self::MaxValueTable => {
                let search = MaxValueTable::shared(Arc::clone(&options.criterion));
                Box::new(search.with_sense(options.sense).with_rho(rho)?)
            }
            Self::MultipleBest => Box::new(multiple_best(SlowestSpan)?),
            Self::MultipleBestRough => Box::new(multiple_best(OwnSpan)?),
        })
    }
}
