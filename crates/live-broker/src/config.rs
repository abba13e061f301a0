//! The configuration of a broker. It is fixed when the broker is created, and it is part of a snapshot.

use crate::BrokerError;
use crate::instant::MAX_MAGNITUDE;
use batch_dp::{BatchError, Goal, Planner, Preference};
use sched_model::{Limit, Span, Tariff};
use slot_window::{Objective, SearchKind};

/// The moves of promises that are allowed for the sake of a better plan. A promise that cannot be kept (a node fails,
/// another job overruns) is replaced under every policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum MovePolicy {
    /// No moves.
    #[default]
    Never,
    /// Moves to a window that does not start later.
    NotLater,
    /// Moves to a window that starts at most this much later than the first promise, so that delays do not add up over
    /// several moves. After a promise could not be kept, the one that replaced it counts as the first.
    Within(Span),
    /// Moves to any window.
    Anywhere,
}

/// A maximum number of moves in any span of a given length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct MoveRate {
    /// The number of moves.
    pub moves: u32,
    /// The length of the span. A move counts from its instant for this long, and always for the instant itself.
    pub span: Span,
}

sched_model::settings! {
    /// Settings of the stability of promises.
    ///
    /// The present window of a job is always an alternative in the choice, without tax. The tax is added to every other
    /// window, in the unit of the quantity that the goal optimises. So a job moves only if that gains more than the
    /// tax, and the choice is exact. Goals with a limit are an exception: a move that gains less for the job itself may
    /// make room for other jobs.
    ///
    /// The window found for a promised job is cut out of the free time, whether it is chosen or not, so that later jobs
    /// of the same cycle cannot use that time. So a tax that prevents every move is not equivalent to
    /// [`Never`](MovePolicy::Never), but a [frozen](Self::frozen) span that covers all promises is.
    #[derive(Copy)]
    pub struct Stability {
        /// Creates settings with this policy: no tax, no frozen span, at most 3 moves per job and 100 jobs per cycle.
        new(policy: MovePolicy);
        /// The moves that are allowed.
        _: policy: MovePolicy = policy,
        /// The tax on every window except the present one, in the unit of the quantity that the goal optimises.
        with_tax: tax: f64 = 0.0,
        /// The minimum gain of the job itself: a window that gains less is not offered, even if the move would make
        /// room for others. In the same unit.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
        _: least_gain: Option<f64> = None,
        /// Promises that start within this span from now are not moved.
        with_frozen: frozen: Span = Span::ZERO,
        /// The maximum number of moves of one job for the sake of a better plan.
        with_max_moves: max_moves: u32 = 3,
        /// The maximum rate of such moves of all jobs together. If a cycle would make more, those that gain most are
        /// kept, and the choice is made again with only these.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
        with_rate: rate: MoveRate => Some = None,
        /// The maximum number of promised jobs that one cycle considers for a move.
        _: max_per_cycle: usize = 100,
    }
}

impl Default for Stability {
    /// Settings under which no promise moves for the sake of a better plan.
    fn default() -> Self {
        Self::new(MovePolicy::Never)
    }
}

/// The conditions under which a job may stop running jobs of lower priority.
///
/// A job preempts others if it could not start within `delay`, but could start now if some running jobs of lower
/// priority were stopped. It gets that window, and these jobs are stopped and wait again with the work that remains:
/// one decision, [`Act::Preempt`](crate::Act::Preempt). The set of stopped jobs is of minimum size, given the nodes
/// that are free before the cycle moves promises; of these sets, the first in the order of lowest priority, latest
/// start and lowest id. Jobs of equal priority never stop each other. A promise of a later start, even an accepted one,
/// does not prevent a preemption, under any policy of moves.
///
/// All sets are tried by rising size; if the limit of a cycle is reached before a suitable set is found, no job is
/// stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Preemption {
    /// The minimum time for which a job must have run since its last start before it may be stopped.
    pub least_run: Span,
    /// The longest acceptable delay: a job that could start within this span stops no others.
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
        /// Creates a configuration whose plans reach `horizon` ahead. The defaults: search `amp`, the earliest finish
        /// for each job, a cycle whenever something has changed, no tolerance, promises never move, 3 attempts, backoff
        /// from 60 to 3600, unlimited patience.
        new(horizon: Span);
        /// The search that finds windows.
        with_search: search: SearchKind = SearchKind::Amp,
        /// The budget of a request without one, as a fraction of C * t * N (price limit, time, nodes): see
        /// [`SearchOptions`](slot_window::SearchOptions).
        _: rho: f64 = 1.0,
        /// The rule by which a charge follows from a price and a span.
        with_tariff: tariff: Tariff = Tariff::default(),
        /// Plans reach at least this far ahead, and at most a quarter further.
        _: horizon: Span = horizon,
        /// The minimum time between two cycles. A promise that must be replaced is an exception.
        with_interval: interval: Span = Span::ZERO,
        /// The maximum delay of a start at which a job keeps its window. A job that would start later, because a task
        /// before it takes longer, is moved as soon as that is known to a window that starts in time, if there is one.
        with_tolerance: tolerance: Span = Span::ZERO,
        /// The goal of the choice among alternatives, with its limit. `None`: each job gets the alternative of minimum
        /// [`time`](Self::time).
        _: goal: Option<Goal> = None,
        /// A preference that decides before the criterion of the goal, or in its place.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
        with_preference: prefer: Prefer => Some = None,
        /// The measure that the goal takes as the time of a window. Start and finish are measured from the present.
        with_time: time: Objective = Objective::Finish,
        /// The maximum number of alternatives of each job.
        _: max_alternatives: usize = 1,
        /// The stability of promises.
        with_stability: stability: Stability = Stability::default(),
        /// The maximum work of one cycle: see [`Limit`]. If it does not suffice for a single search, each cycle that
        /// decides nothing is followed by one with twice the work, until a cycle is not stopped.
        with_work: work: u64 = Limit::default().work,
        /// The maximum memory of one cycle in bytes, in addition to the state. A job whose search needs more counts as
        /// a job without a window.
        _: memory: u64 = Limit::default().memory,
        /// A job is refused after this many failures, to start or because of a node.
        _: attempts: u32 = 3,
        /// The time for which a node is not used after its first failure. It doubles with each further failure in a
        /// row.
        _: backoff: Span = Span::must(60.0),
        /// The maximum time for which a node is not used after a failure.
        _: most_backoff: Span = Span::must(3600.0),
        /// The maximum time for which a job waits without a promise before it is refused. `None`: unlimited. The time
        /// starts again when a job loses a promise or is evicted.
        with_patience: patience: Span => Some = None,
        /// The conditions under which jobs stop others of lower priority; `None`: never.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
        with_preemption: preemption: Preemption => Some = None,
    }
}

impl Config {
    /// Sets the goal, and the maximum number of alternatives of each job.
    pub fn with_goal(self, goal: Goal, max_alternatives: usize) -> Self {
        Self { goal: Some(goal), max_alternatives, ..self }
    }

    /// The limit of a cycle after its work was doubled `doublings` times.
    pub(crate) fn limit(&self, doublings: u32) -> Limit {
        let times = 1_u64.checked_shl(doublings).unwrap_or(u64::MAX);
        Limit::default().with_work(self.work.saturating_mul(times)).with_memory(self.memory)
    }

    /// The measure that is taken as the time of a window.
    pub(crate) fn counted_time(&self) -> Objective {
        match self.preference() {
            None => self.time,
            Some(Prefer::MeanFinish) => Objective::Finish,
            Some(_) => Objective::Runtime,
        }
    }

    /// The preference that decides the choice; [`Goal::MinFinish`] without a preference counts as one for the mean
    /// finish.
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
        if !(horizon > 0.0 && horizon <= MAX_MAGNITUDE) {
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
        if let Some((what, span)) = spans.into_iter().find(|(_, span)| span.get() > MAX_MAGNITUDE) {
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

/// A preference that decides the choice among alternatives before the criterion of the [`Goal`], or in its place. The
/// limit of the goal stays; a goal without a limit gets a derived one. The time of a window is its runtime (its finish
/// for the mean finish), whatever [`Config::time`](crate::Config::time) is, and no promise moves for the sake of a
/// better plan.
///
/// If a given limit is too small for all jobs, as many as possible are served. A [vector](Self::Vector) requires all
/// jobs; if these cannot all be served, the goal alone decides.
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
    /// The minimum makespan; among the choices of that makespan, the best by the goal.
    Makespan,
    /// The minimum mean finish, within the budget of [`Goal::MinTime`]: as [`Goal::MinFinish`] without a preference.
    MeanFinish,
    /// The best undominated choice within the limit of the goal by a preference among the vector <C, D, T, I> of
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
