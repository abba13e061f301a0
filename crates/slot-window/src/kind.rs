//! The registry of searches.

use crate::{
    Alp, Amp, Criterion, FirstFit, MaxValue, MultipleBest, Objective, Optimal, Ranking, Sense, TotalSpeed,
    WindowError, WindowSearch,
};
use sched_model::check::Holding;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// Every search of this crate, by name. Names without `-rough` that know both window models mean square windows.
///
/// ```
/// use slot_window::{SearchKind, SearchOptions};
/// let kind: SearchKind = "min-cost-rough".parse()?;
/// assert_eq!(kind, SearchKind::MinCostRough);
/// assert_eq!(kind.build(&SearchOptions::new())?.name(), kind.name());
/// assert!("cheapest".parse::<SearchKind>().unwrap_err().to_string().contains("min-cost"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum SearchKind {
    /// [`Alp`].
    Alp,
    /// [`Amp`].
    Amp,
    /// [`FirstFit`], square.
    FirstFit,
    /// [`FirstFit`], rough.
    FirstFitRough,
    /// [`Optimal`] start, square.
    MinStart,
    /// [`Optimal`] start, rough.
    MinStartRough,
    /// [`Optimal`] finish, square.
    MinFinish,
    /// [`Optimal`] finish, rough.
    MinFinishRough,
    /// [`Optimal`] runtime, square.
    MinRuntime,
    /// [`Optimal`] runtime, rough.
    MinRuntimeRough,
    /// [`Optimal`] cost, square.
    MinCost,
    /// [`Optimal`] cost, rough.
    MinCostRough,
    /// [`MaxValue`] by the options' criterion and sense, square.
    MaxValue,
    /// [`MaxValue`] by the options' criterion and sense, rough.
    MaxValueRough,
    /// [`MultipleBest`] by the options' ranking over windows of [`FirstFit`], square.
    MultipleBest,
    /// [`MultipleBest`] by the options' ranking over windows of [`FirstFit`], rough.
    MultipleBestRough,
}

/// What [`SearchKind::build`] hands to the searches that know it.
#[derive(Clone)]
#[non_exhaustive]
pub struct SearchOptions {
    /// Share of C * t * N that is the budget of a request which gives none.
    pub rho: f64,
    /// What `max-value` sums up.
    pub criterion: Arc<dyn Criterion>,
    /// Whether it maximises or minimises that.
    pub sense: Sense,
    /// By what `multiple-best` picks; by the criterion if `None`.
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
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// With this rho.
    #[must_use]
    pub fn with_rho(self, rho: f64) -> Self {
        Self { rho, ..self }
    }

    /// With this criterion for `max-value` and `multiple-best`.
    #[must_use]
    pub fn with_criterion(self, criterion: impl Criterion + 'static, sense: Sense) -> Self {
        Self { criterion: Arc::new(criterion), sense, ..self }
    }

    /// With this objective for `multiple-best`.
    #[must_use]
    pub fn with_objective(self, objective: Objective) -> Self {
        Self { objective: Some(objective), ..self }
    }
}

impl SearchKind {
    /// All of them, in the order of this documentation.
    pub const ALL: &'static [Self] = &[
        Self::Alp,
        Self::Amp,
        Self::FirstFit,
        Self::FirstFitRough,
        Self::MinStart,
        Self::MinStartRough,
        Self::MinFinish,
        Self::MinFinishRough,
        Self::MinRuntime,
        Self::MinRuntimeRough,
        Self::MinCost,
        Self::MinCostRough,
        Self::MaxValue,
        Self::MaxValueRough,
        Self::MultipleBest,
        Self::MultipleBestRough,
    ];

    /// Its name, as in reports and on command lines.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Alp => "alp",
            Self::Amp => "amp",
            Self::FirstFit => "first-fit",
            Self::FirstFitRough => "first-fit-rough",
            Self::MinStart => "min-start",
            Self::MinStartRough => "min-start-rough",
            Self::MinFinish => "min-finish",
            Self::MinFinishRough => "min-finish-rough",
            Self::MinRuntime => "min-runtime",
            Self::MinRuntimeRough => "min-runtime-rough",
            Self::MinCost => "min-cost",
            Self::MinCostRough => "min-cost-rough",
            Self::MaxValue => "max-value",
            Self::MaxValueRough => "max-value-rough",
            Self::MultipleBest => "multiple-best",
            Self::MultipleBestRough => "multiple-best-rough",
        }
    }

    /// The search.
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
            Self::FirstFit => Box::new(first_fit(Holding::Square)?),
            Self::FirstFitRough => Box::new(first_fit(Holding::Rough)?),
            Self::MinStart => Box::new(optimal(Objective::Start, Holding::Square)?),
            Self::MinStartRough => Box::new(optimal(Objective::Start, Holding::Rough)?),
            Self::MinFinish => Box::new(optimal(Objective::Finish, Holding::Square)?),
            Self::MinFinishRough => Box::new(optimal(Objective::Finish, Holding::Rough)?),
            Self::MinRuntime => Box::new(optimal(Objective::Runtime, Holding::Square)?),
            Self::MinRuntimeRough => Box::new(optimal(Objective::Runtime, Holding::Rough)?),
            Self::MinCost => Box::new(optimal(Objective::Cost, Holding::Square)?),
            Self::MinCostRough => Box::new(optimal(Objective::Cost, Holding::Rough)?),
            Self::MaxValue => Box::new(max_value(Holding::Square)?),
            Self::MaxValueRough => Box::new(max_value(Holding::Rough)?),
            Self::MultipleBest => Box::new(multiple_best(Holding::Square)?),
            Self::MultipleBestRough => Box::new(multiple_best(Holding::Rough)?),
        })
    }
}

impl fmt::Display for SearchKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for SearchKind {
    type Err = WindowError;
    fn from_str(name: &str) -> Result<Self, WindowError> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name).ok_or_else(|| WindowError::UnknownName {
            what: "search",
            name: name.to_owned(),
            known: Self::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", "),
        })
    }
}
