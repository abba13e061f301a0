//! The configuration of a broker, with preferences that decide a choice before the criterion of its goal or in its
//! place. It is fixed when the broker is made, and it is part of a snapshot.

use crate::BrokerError;
use crate::instant::MOST;
use batch_dp::{BatchError, Goal, Planner, Preference};
use sched_model::{Limit, Span, Tariff};
use slot_window::{Objective, SearchKind};

/// Whether a promise may be moved for a better plan. A promise that cannot be kept (a node fails, another job
/// overruns) is replaced under every policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum MovePolicy {
    /// Never.
    #[default]
    Never,
    /// To a window that does not start later.
    NotLater,
    /// To a window that starts at most this much later than the start promised first. That is the first
    /// promise, or the one that replaced a promise that could not be kept: the delay does not add up over
    /// several moves.
    Within(Span),
    /// To any window.
    Anywhere,
}

/// At most so many moves in any span of this length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct MoveRate {
    /// The number of moves.
    pub moves: u32,
    /// The length. A move is counted for this long, and for the instant at which it is made in any case.
    pub span: Span,
}

sched_model::settings! {
    /// How stable promises are.
    ///
    /// The present window of a job is always an alternative in the choice, without tax. Every other window pays
    /// the tax, in the unit of what the goal optimises. So a job moves only where that gains more than the tax,
    /// and the choice is exact. The exception is a goal with a limit: there a move that gains less for the job
    /// itself may make room for others.
    ///
    /// The window that is searched for a promised job stands beside those of all others, so in that cycle it
    /// takes time from jobs that come after it in the order, whether it is chosen or not. So a tax that forbids
    /// every move is not [`Never`](MovePolicy::Never); a [frozen](Self::frozen) span that reaches over all
    /// promises is.
    #[derive(Copy)]
    pub struct Stability {
        /// This policy; no tax, nothing frozen, at most 3 moves a job, 100 offers a cycle.
        new(policy: MovePolicy);
        /// Which moves are allowed.
        _: policy: MovePolicy = policy,
        /// What every window but the present one pays in the choice, in the unit of what the goal optimises.
        with_tax: tax: f64 = 0.0,
        /// A window that gains the job itself less than this is not offered, whatever it makes room for. Same
        /// unit.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
        _: least_gain: Option<f64> = None,
        /// Promises that start within this span from now are not moved.
        with_frozen: frozen: Span = Span::ZERO,
        /// The maximum number of moves for the better of one job.
        with_max_moves: max_moves: u32 = 3,
        /// How many moves for the better of all jobs together there may be in a span of time. Where a cycle would
        /// make more, those that gain most are kept, and the choice is made again with these alone.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
        with_rate: rate: MoveRate => Some = None,
        /// The maximum number of jobs that are considered for a move in one cycle.
        _: max_per_cycle: usize = 100,
    }
}

impl Default for Stability {
    /// No promise moves.
    fn default() -> Self {
        Self::new(MovePolicy::Never)
    }
}

/// When a job may stop others of lower priority that run.
///
/// A job that could not start within `delay`, and could at once if some running jobs of lower priority were
/// stopped, gets the window, and these jobs are stopped and wait again with the work that remains: one
/// decision, [`Act::Preempt`](crate::Act::Preempt). No smaller set of such jobs would do. Of sets of one
/// size, the first in the order of priority, latest start and id is taken. Jobs of equal priority never stop
/// each other. A promise of a later start, even one that was accepted, does not prevent this, whatever the
/// policy of moves.
///
/// Sets are tried by rising size, exactly; if the limit of a cycle is reached before one is found, no job is
/// stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Preemption {
    /// A job is not stopped before it has run for this long since its last start.
    pub least_run: Span,
    /// A job that could start within this span stops no others.
    pub delay: Span,
}

sched_model::settings! {
    /// The settings of a broker.
    ///
    /// ```
    /// use live_broker::{Broker, Config, MovePolicy, Stability};
    /// use sched_model::Span;
    /// let config = Config::new(Span::must(86_400.0))
    ///     .with_interval(Span::must(30.0))
    ///     .with_stability(Stability::new(MovePolicy::NotLater).with_tax(60.0));
    /// assert!(Broker::new(config).is_ok());
    /// assert!(Broker::new(Config::new(Span::ZERO)).is_err());
    /// ```
    pub struct Config {
        /// Plans reach `horizon` ahead. The defaults: search `amp`, each job gets its earliest finish, a cycle
        /// whenever something has changed, no tolerance, promises never move, 3 attempts, backoff from 60 to
        /// 3600, no patience.
        new(horizon: Span);
        /// The search that finds windows.
        with_search: search: SearchKind = SearchKind::Amp,
        /// The budget of a request that gives none, as a share of C * t * N (price limit, time, nodes): see
        /// [`SearchOptions`](slot_window::SearchOptions).
        _: rho: f64 = 1.0,
        /// How a charge follows from a price and a span.
        with_tariff: tariff: Tariff = Tariff::default(),
        /// Plans reach at least this far ahead, and at most a quarter further.
        _: horizon: Span = horizon,
        /// The minimum time between two cycles, except where a promise must be replaced.
        with_interval: interval: Span = Span::ZERO,
        /// A job that starts late by no more than this keeps its window. One that would be later, because a task
        /// before it takes longer, is moved as soon as that is known to a window that starts in time, where there
        /// is one.
        with_tolerance: tolerance: Span = Span::ZERO,
        /// The goal of the choice among alternatives, and its limit. `None`: each job gets the alternative of
        /// minimum [`time`](Self::time).
        _: goal: Option<Goal> = None,
        /// A preference that decides before the criterion of the goal, or in its place.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
        with_preference: prefer: Prefer => Some = None,
        /// The measure that the goal takes as the time of a window. Start and finish are counted from the
        /// present.
        with_time: time: Objective = Objective::Finish,
        /// The maximum number of alternatives of each job.
        _: max_alternatives: usize = 1,
        /// How stable promises are.
        with_stability: stability: Stability = Stability::default(),
        /// The maximum work of one cycle: see [`Limit`]. Where it does not suffice for a single search, each cycle
        /// that decides nothing is followed by one with twice the work, until one is not stopped.
        with_work: work: u64 = Limit::default().work,
        /// The maximum memory of one cycle in bytes, beside the state. A job whose search needs more counts as one
        /// without a window.
        _: memory: u64 = Limit::default().memory,
        /// A job is refused after this many failures, to start or because of a node.
        _: attempts: u32 = 3,
        /// For how long a node is not used after its first failure. Twice as long after each further failure in a
        /// row.
        _: backoff: Span = Span::must(60.0),
        /// The longest time for which a node is not used after a failure.
        _: most_backoff: Span = Span::must(3600.0),
        /// A job that has waited this long without a promise is refused. `None`: never. The count starts again
        /// when a job loses a promise or is evicted.
        with_patience: patience: Span => Some = None,
        /// Whether jobs may stop others of lower priority; `None`: never.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
        with_preemption: preemption: Preemption => Some = None,
    }
}

impl Config {
    /// With this goal, and at most this many alternatives of each job.
    pub fn with_goal(self, goal: Goal, max_alternatives: usize) -> Self {
        Self { goal: Some(goal), max_alternatives, ..self }
    }

    /// The limit of a cycle, when that of work was doubled so often.
    pub(crate) fn limit(&self, doublings: u32) -> Limit {
        let times = 1_u64.checked_shl(doublings).unwrap_or(u64::MAX);
        Limit::default().with_work(self.work.saturating_mul(times)).with_memory(self.memory)
    }

    /// What is taken as the time of a window.
    pub(crate) fn counted_time(&self) -> Objective {
        match self.preference() {
            None => self.time,
            Some(Prefer::MeanFinish) => Objective::Finish,
            Some(_) => Objective::Runtime,
        }
    }

    /// What decides the choice among alternatives before the criterion of the goal.
    pub(crate) fn preference(&self) -> Option<&Prefer> {
        let by_finish = matches!(self.goal, Some(Goal::MinFinish { .. })).then_some(&Prefer::MeanFinish);
        self.prefer.as_ref().or(by_finish)
    }

    /// # Errors
    /// [`BrokerError::Config`] for the first setting out of its range, [`BrokerError::Preference`] for a
    /// preference without a goal, or with a goal that it does not fit.
    pub(crate) fn check(&self) -> Result<(), BrokerError> {
        let wrong = |what, expected, value| Err(BrokerError::Config { what, expected, value });
        let horizon = self.horizon.get();
        if !(horizon > 0.0 && horizon <= MOST) {
            return wrong("horizon", "positive and at most 1e59", horizon);
        }
        let spans = [
            ("interval", self.interval),
            ("tolerance", self.tolerance),
            ("frozen horizon", self.stability.frozen),
            ("span in which moves are counted", self.stability.rate.map_or(Span::ZERO, |rate| rate.span)),
            (
                "span within which promises move",
                if let MovePolicy::Within(late) = self.stability.policy { late } else { Span::ZERO },
            ),
            ("backoff", self.backoff),
            ("greatest backoff", self.most_backoff),
            ("patience", self.patience.unwrap_or(Span::ZERO)),
            ("least run before preemption", self.preemption.map_or(Span::ZERO, |rule| rule.least_run)),
            ("delay without preemption", self.preemption.map_or(Span::ZERO, |rule| rule.delay)),
        ];
        if let Some((what, span)) = spans.into_iter().find(|(_, span)| span.get() > MOST) {
            return wrong(what, "at most 1e59", span.get());
        }
        let gains = [("tax", self.stability.tax), ("least gain", self.stability.least_gain.unwrap_or(0.0))];
        if let Some((what, gain)) = gains.into_iter().find(|(_, gain)| !(0.0..=1e100).contains(gain)) {
            return wrong(what, "in [0, 1e100]", gain);
        }
        if let Some(limit) = self.goal.and_then(Goal::limit)
            && !(0.0..=1e120).contains(&limit)
        {
            return wrong("limit of the goal", "in [0, 1e120]", limit);
        }
        if let Some(prefer) = self.preference() {
            let together = BatchError::Together { first: "a preference", second: "no goal" };
            let plan = self.goal.ok_or(together).and_then(|goal| prefer.planner(goal)?.plan(&[]));
            plan.map_err(BrokerError::Preference)?;
        }
        let counts = [
            ("greatest number of alternatives", self.max_alternatives as u64),
            ("work", self.work),
            ("attempts", u64::from(self.attempts)),
        ];
        if let Some((what, _)) = counts.into_iter().find(|(_, count)| *count == 0) {
            return wrong(what, "at least 1", 0.0);
        }
        Ok(())
    }
}

/// A preference decides the choice among alternatives before the criterion of its [`Goal`], or in its place.
/// The limit of the goal stays, and is derived in the same way. Here the time of a window is its run time,
/// whatever [`Config::time`](crate::Config::time) is, and no promise moves for the better.
///
/// Where a given limit is too small for all jobs, as many as possible are served; with a
/// [vector](Self::Vector) all are served, or the goal alone decides, by run times; in place of the mean finish, by
/// finishes.
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
    /// The minimum mean finish, within the budget of [`Goal::MinTime`]: as [`Goal::MinFinish`] without a preference.
    MeanFinish,
    /// Of all undominated choices within the limit of the goal, the best by this: the vector <C, D, T, I> of
    /// Toporkov et al. 2011.
    Vector(Preference),
}

impl Prefer {
    /// The planner that makes the choice in a cycle.
    pub(crate) fn planner(&self, goal: Goal) -> Result<Planner, BatchError> {
        Ok(match (self, goal) {
            (Self::Makespan, _) => Planner::new(goal).with_makespan_first(),
            (Self::MeanFinish, Goal::MinFinish { budget } | Goal::MinTime { budget }) => {
                Planner::new(Goal::MinFinish { budget })
            }
            (Self::MeanFinish, _) => {
                let (first, second) = ("the mean finish", "a goal other than the least time");
                return Err(BatchError::Together { first, second });
            }
            (Self::Vector(preference), _) => Planner::new(goal).with_preference(preference.clone()),
        })
    }
}
