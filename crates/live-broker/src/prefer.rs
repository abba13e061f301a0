//! Preferences, which decide a choice before the criterion of its goal, or in its place.

use batch_dp::{Goal, Planner, Preference};

/// A preference decides the choice among alternatives before the criterion of its [`Goal`], or in its place.
/// The limit of the goal stays, and is derived in the same way. Here the time of a window is its run time,
/// whatever [`Config::time`](crate::Config::time) is, and no promise moves for the better.
///
/// Where a given limit is too small for all jobs, as many as possible are served; with a
/// [vector](Self::Vector) all are served, or the goal alone decides.
///
/// ```
/// use batch_dp::{Goal, Preference, VectorCriterion};
/// use live_broker::{Broker, Config, Prefer};
/// use sched_model::Span;
/// let config = Config::new(Span::must(1000.0)).with_goal(Goal::MinCost { time_limit: None }, 10);
/// // Of <C, D, T, I> first the time, then the cost.
/// let order = Preference::Lexicographic(vec![VectorCriterion::Time, VectorCriterion::Cost]);
/// assert!(Broker::new(config.clone().with_preference(Prefer::Vector(order))).is_ok());
/// // The mean finish keeps to a budget, so it needs the goal of minimum time.
/// assert!(Broker::new(config.with_preference(Prefer::MeanFinish)).is_err());
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Prefer {
    /// The minimum last finish; of these choices the best by the goal.
    Makespan,
    /// The minimum mean finish, within the budget of [`Goal::MinTime`].
    MeanFinish,
    /// Of all undominated choices within the limit of the goal, the best by this: the vector <C, D, T, I> of
    /// Toporkov et al. 2011.
    Vector(Preference),
}

impl Prefer {
    /// The planner that makes the choice in a cycle.
    pub(crate) fn planner(&self, goal: Goal) -> Planner<'static> {
        let planner = Planner::new(goal);
        match self {
            Self::Makespan => planner.with_makespan_first(),
            Self::MeanFinish => planner.with_mean_finish(),
            Self::Vector(preference) => planner.with_preference(preference.clone()),
        }
    }

    /// Whether all jobs are served, or none.
    pub(crate) fn serves_all(&self) -> bool {
        matches!(self, Self::Vector(_))
    }
}
