//! The registry of searches.

use crate::{
    Alp, Amp, Criterion, FirstFit, MaxValue, Objective, Optimal, WindowError, WindowSearch,
    criterion::TotalSpeed, error::factor, max_value_table::MaxValueTable, multiple_best::MultipleBest,
};
use sched_model::{
    Sense,
    check::{Holding, Rules},
};
use std::sync::Arc;

sched_model::registry! {
    /// Every search of this crate, by name. If a search supports both window models, its name with `-rough` is for
    /// own-span windows, and the name alone for slowest-span windows.
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
        /// The slowest-span window of maximum (or minimum) total value by the options' criterion, found by the
        /// published scheme: a scan for every speed, and at each of its steps a knapsack table over all live slots.
        ///
        /// For comparison only: [`MaxValue`](crate::MaxValue) is exact on real costs and faster by orders of
        /// magnitude.
        ///
        /// If the job demands that nodes are packed or spread, or gives the spans of its tasks,
        /// [`MaxValue`](crate::MaxValue) runs instead, because the table does not support this.
        ///
        /// * **Source**: V. Toporkov, D. Yemelyanov, *Optimization of Resources Selection for Jobs Scheduling in
        ///   Heterogeneous Distributed Computing Environments*, 2018: MaxQ as published.
        /// * **Guarantee**: heuristic; optimal if all charges are whole numbers of units, sums of values are exact,
        ///   and values do not depend on the span.
        /// * **Complexity**: O(m k n B) for each speed, with k slots live at once and a budget of B units. A unit of
        ///   work is a slot, or a cell of a table: the default limit is soon reached.
        /// * **Ties**: the earliest start, then the higher speed.
        /// * **Errors**: [`WindowError::Value`] if the criterion gives a value that is NaN or above 10^200 in
        ///   magnitude.
        ///
        /// ```
        /// use sched_model::*;
        /// use slot_window::{NodeValues, SearchKind, SearchOptions, WindowQuery};
        ///
        /// let slot = |id, price| {
        ///     Slot::new(Node::must(id, 1.0, price), Time::ZERO, Time::must(100.0))
        /// };
        /// let slots = SlotList::new(vec![slot(1, 1.0)?, slot(2, 2.0)?, slot(3, 4.0)?])?;
        /// let liked = NodeValues::new([(NodeId(1), 2.0), (NodeId(2), 5.0), (NodeId(3), 6.0)])?;
        /// let request = ResourceRequest::new(2, Work::must(10.0))?.with_budget(Money::must(55.0));
        /// let options = SearchOptions::default().with_criterion(liked, Sense::Maximise);
        /// let search = SearchKind::MaxValueTable.build_with(&options)?;
        /// let (query, limit) = (WindowQuery::new(&slots, &request), Limit::default());
        /// let best = search.solve(&query, &mut limit.meter())?;
        /// assert_eq!((best.value, best.proof()), (Some(8.0), Proof::Heuristic)); // nodes 1 and 3, for 50
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        MaxValueTable = "max-value-table",
        /// [`FirstFit`], repeated: each window found is cut out of the list, until no other is found or there are
        /// 1,000. The answer is the best of them by the options' objective or, if they have none, by their criterion
        /// and sense. [`AlternativesSearch`](crate::AlternativesSearch) gives all windows of any search.
        ///
        /// * **Source**: V. Toporkov, D. Yemelyanov, *Optimization of Resources Selection for Jobs Scheduling in
        ///   Heterogeneous Distributed Computing Environments*, 2018: the heuristic baseline.
        /// * **Guarantee**: heuristic. The windows do not overlap, which excludes most others.
        ///   [`Optimal`] and [`MaxValue`] find the best of all, faster.
        /// * **Complexity**: that of a first fit for each window, and of its cut.
        /// * **Ties**: the window found first.
        ///
        /// ```
        /// use sched_model::*;
        /// use slot_window::{Objective, SearchKind, SearchOptions, WindowQuery};
        ///
        /// let slot = |id, price| Slot::new(Node::must(id, 1.0, price), Time::ZERO, Time::must(15.0));
        /// let slots = SlotList::new(vec![slot(1, 4.0)?, slot(2, 6.0)?, slot(3, 1.0)?, slot(4, 2.0)?])?;
        /// let request = ResourceRequest::new(2, Work::must(10.0))?;
        /// let options = SearchOptions::default().with_objective(Objective::Cost);
        /// let search = SearchKind::MultipleBest.build_with(&options)?;
        /// // First fit takes nodes 1 and 2 for 100, then 3 and 4 for 30.
        /// assert_eq!(search.find(&WindowQuery::new(&slots, &request))?.value, Some(30.0));
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        MultipleBest = "multiple-best",
        /// [`MultipleBest`](Self::MultipleBest), own span.
        MultipleBestRough = "multiple-best-rough",
    }
}

/// Settings that [`SearchKind::build_with`] passes to the searches that have them.
#[derive(Debug, Clone)]
#[non_exhaustive]
#[must_use]
pub struct SearchOptions {
    /// The factor rho in the budget rho * C * t * N of a request without one.
    pub rho: f64,
    /// The criterion of `max-value`, `max-value-table` and `multiple-best`.
    pub criterion: Arc<dyn Criterion>,
    /// Whether these searches maximise or minimise the criterion.
    pub sense: Sense,
    /// The objective that `multiple-best` minimises; `None` if it uses the criterion.
    pub objective: Option<Objective>,
    /// The unit of money in which `max-value-table` counts charges.
    pub unit: f64,
}

/// The default is rho = 1, the maximum total speed as the criterion (also of `multiple-best`), and 1 as the unit of
/// money.
impl Default for SearchOptions {
    fn default() -> Self {
        Self { rho: 1.0, criterion: Arc::new(TotalSpeed), sense: Sense::Maximise, objective: None, unit: 1.0 }
    }
}

impl SearchOptions {
    /// Sets the criterion, and whether it is maximised or minimised.
    pub fn with_criterion(self, criterion: impl Criterion + 'static, sense: Sense) -> Self {
        Self { criterion: Arc::new(criterion), sense, ..self }
    }
}

sched_model::setters!(SearchOptions {
    /// Sets the factor rho.
    with_rho: rho: f64,
    /// Sets the objective of `multiple-best`.
    with_objective: objective: Objective => Some,
    /// Sets the unit of money of `max-value-table`.
    with_unit: unit: f64,
});

impl SearchKind {
    /// Builds the search with its default configuration.
    pub fn build(self) -> Box<dyn WindowSearch> {
        self.built(&SearchOptions::default())
    }

    /// Builds the search with `options`.
    ///
    /// # Errors
    /// [`WindowError::Factor`] for a rho or a unit that is not positive and finite.
    pub fn build_with(self, options: &SearchOptions) -> Result<Box<dyn WindowSearch>, WindowError> {
        factor("rho", options.rho)?;
        factor("the unit of the table", options.unit)?;
        Ok(self.built(options))
    }

    /// Whether a number of passes over the slots bounds the work of this search; otherwise it solves subset problems.
    pub fn is_bounded_by_passes(self) -> bool {
        !matches!(self, Self::MaxValue | Self::MaxValueRough | Self::MaxValueTable)
    }

    /// Builds the search with options that were checked.
    fn built(self, options: &SearchOptions) -> Box<dyn WindowSearch> {
        let SearchOptions { rho, sense, objective, unit, .. } = *options;
        let criterion = Arc::clone(&options.criterion);
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
            Self::MaxValue | Self::MaxValueRough => Box::new(MaxValue { criterion, sense, rules }),
            Self::MaxValueTable => Box::new(MaxValueTable { criterion, sense, rules, unit }),
            Self::MultipleBest | Self::MultipleBestRough => {
                Box::new(MultipleBest { first_fit, objective, criterion, sense })
            }
        }
    }
}
