//! From windows to a schedule: the second phase of the cycle in one call.

use crate::{
    Alternatives, BatchError, Choice, Chooser, Decision, ExpandingCore, Floor, Problem, Scratch, Selection,
    Service, select, select_from, time_limit,
};
use sched_model::{JobId, Limit, Meter, NodeId, Outcome, Proof, Refusal, Schedule, Time, Window, exact_sum};

/// The goal of a schedule, under a limit that is given or derived.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Goal {
    /// The least total time within a budget; derived: the greatest income within the derived time limit (equation 3).
    MinTime {
        /// B*.
        budget: Option<f64>,
    },
    /// The least total cost within a time; derived: T* of equation 2, with the floor on the sum.
    MinCost {
        /// T*.
        time_limit: Option<f64>,
    },
    /// The greatest time, which is the use of the nodes, within a budget; derived as for [`MinTime`](Self::MinTime).
    MaxTime {
        /// B*.
        budget: Option<f64>,
    },
    /// The greatest income within a time; derived as for [`MinCost`](Self::MinCost).
    MaxIncome {
        /// T*.
        time_limit: Option<f64>,
    },
}

impl Goal {
    /// The problem with its limit on a batch in which every job has an alternative.
    ///
    /// To derive a budget, another choice is made first; if the meter stops it, the best income found is the budget.
    /// Where a unit of time is so coarse that no choice keeps to the derived T*, the least total time takes its place.
    ///
    /// # Errors
    /// [`BatchError::Limit`] if a limit is NaN.
    pub fn problem(
        self,
        batch: &Alternatives,
        chooser: &dyn Chooser,
        scratch: &mut Scratch,
        meter: &mut Meter<'_>,
    ) -> Result<Problem, BatchError> {
        let derived = || {
            let floored = time_limit(batch, Floor::Sum);
            let quickest = |job: usize| batch.of_job(job).map(|(_, time)| time).fold(f64::INFINITY, f64::min);
            let least = exact_sum((0..batch.jobs()).map(quickest));
            least.max(floored)
        };
        Ok(match self {
            Self::MinTime { budget: Some(budget) } => Problem::MinTime { budget },
            Self::MaxTime { budget: Some(budget) } => Problem::MaxTime { budget },
            Self::MinTime { budget: None } | Self::MaxTime { budget: None } => {
                let most = Problem::MaxIncome { time_limit: derived() };
                let decision = chooser.choose(batch, most, scratch, meter)?;
                let budget = decision.choice().map_or(f64::INFINITY, |choice| choice.cost);
                if let Self::MinTime { .. } = self {
                    Problem::MinTime { budget }
                } else {
                    Problem::MaxTime { budget }
                }
            }
            Self::MinCost { time_limit } => {
                Problem::MinCost { time_limit: time_limit.unwrap_or_else(derived) }
            }
            Self::MaxIncome { time_limit } => {
                Problem::MaxIncome { time_limit: time_limit.unwrap_or_else(derived) }
            }
        })
    }
}

/// A schedule of a batch, with the problem that was solved for it.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Plan {
    /// One window for each job that had any and could be served; a refusal for each other.
    pub schedule: Schedule,
    /// The problem with the limit that held.
    pub problem: Problem,
    /// How it was solved, over the jobs that had any window; where a service lets jobs wait, over those that were served.
    pub decision: Decision,
    /// Units of work that the plan took, for a derived budget too.
    pub work: u64,
}

impl std::fmt::Display for Plan {
    /// The decision on the first line, then the schedule: one line for each job.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}\n{}", self.decision, self.schedule)
    }
}

impl Plan {
    /// What is proven of the choice. That there is none is always proven.
    pub fn proof(&self) -> Proof {
        match &self.decision {
            Decision::Chosen(outcome) => outcome.proof(),
            Decision::NoAlternative { .. }
            | Decision::OutOfReach { .. }
            | Decision::UserBudgetTooSmall { .. } => Proof::Exact,
        }
    }
}

/// Chooses one window for each job that has any, best for the batch as a whole, and makes a schedule of them. The same
/// as a [`Planner`] with only a goal.
///
/// # Errors
/// As for [`Planner::plan`].
///
/// ```
/// use batch_dp::{Goal, Problem, plan};
/// use sched_model::*;
/// let node = |id, price| Node::new(NodeId(id), Speed::ETALON, Price::must(price));
/// let window = |node, start: f64, span| {
///     let slot = Slot::new(node, Time::ZERO, Time::must(99.0))?;
///     let start = Time::must(start);
///     Window::new(start, vec![Placement::on(&slot, start, Span::must(span))])
/// };
/// // Job 1: cost 10 and time 5, or cost 20 and time 4. Job 2 has found nothing.
/// let windows = [window(node(1, 2.0), 0.0, 5.0)?, window(node(2, 5.0), 0.0, 4.0)?];
/// let none = Refusal::TooFewNodes { needed: 3, fast_enough: 2 };
/// let offers = [(JobId(1), &windows[..], None), (JobId(2), &[][..], Some(&none))];
///
/// let plan = plan(offers, Goal::MinTime { budget: Some(15.0) })?;
/// assert_eq!(plan.schedule.place_of(JobId(1)), Some(&windows[0]));
/// assert_eq!(plan.schedule.refused().next(), Some((JobId(2), &none)));
/// assert_eq!(plan.problem, Problem::MinTime { budget: 15.0 });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn plan<'a>(
    offers: impl IntoIterator<Item = (JobId, &'a [Window], Option<&'a Refusal>)>,
    goal: Goal,
) -> Result<Plan, BatchError> {
    Planner::new(goal).plan(offers)
}

/// How a batch is planned: goal, algorithm, limit and service.
///
/// ```
/// use batch_dp::{ChooserKind, Goal, Planner};
/// use sched_model::Limit;
/// let chooser = ChooserKind::ExpandingCore.build();
/// let planner = Planner::new(Goal::MinTime { budget: Some(15.0) })
///     .with_chooser(&*chooser)
///     .with_limit(Limit::default().with_work(1_000_000).with_relative_gap(1e-6));
/// assert!(planner.plan([])?.schedule.is_empty());
/// # Ok::<(), batch_dp::BatchError>(())
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct Planner<'a> {
    goal: Goal,
    chooser: &'a dyn Chooser,
    limit: Limit,
    service: Option<Service>,
    known: Option<Schedule>,
}

impl<'a> Planner<'a> {
    /// By [`ExpandingCore`], within the default [`Limit`].
    pub fn new(goal: Goal) -> Self {
        Self { goal, chooser: &ExpandingCore, limit: Limit::default(), service: None, known: None }
    }

    /// With another algorithm.
    pub fn with_chooser(self, chooser: &'a dyn Chooser) -> Self {
        Self { chooser, ..self }
    }

    /// Within another limit.
    pub fn with_limit(self, limit: Limit) -> Self {
        Self { limit, ..self }
    }

    /// With a service: not every job needs to be served. The numbers of the service are those of all jobs offered, in
    /// order. The chooser then only derives the limit.
    pub fn with_service(self, service: Service) -> Self {
        Self { service: Some(service), ..self }
    }

    /// With an earlier schedule of these jobs to start from. Where its windows are among those offered and together keep the
    /// limit, the plan is never worse, and found with less work the better they are; a schedule that does not fit changes
    /// nothing. Of plans equal in all sums it may be another one.
    pub fn with_known(self, schedule: Schedule) -> Self {
        Self { known: Some(schedule), ..self }
    }

    /// Where each job with windows stood before.
    fn known_picks(&self, open: &[(JobId, &[Window])]) -> Option<Vec<Option<usize>>> {
        let known = self.known.as_ref()?;
        let position = |(job, windows): &(JobId, &[Window])| {
            known.place_of(*job).and_then(|place| windows.iter().position(|window| window == place))
        };
        Some(open.iter().map(position).collect())
    }

    /// Chooses one window for each job that has any, best for the batch as a whole, and makes a schedule of them.
    ///
    /// Each offer is a job with its windows and, where it has none, the reason. Jobs without a window are refused for
    /// that reason ([`Refusal::NoCapacity`] where none is given) and do not hinder the others. Where the limit of the
    /// goal is out of reach, all others are refused with [`Refusal::BatchLimit`] and by how much it falls short; where a
    /// [`Service`] says so, only as many as must be, each with what its lightest window lacks beside the others, at least
    /// 0. The windows of one batch must not overlap, as those of the alternatives search do not.
    ///
    /// # Errors
    /// [`BatchError::RepeatedJob`] if a job is offered twice, [`BatchError::Limit`] if the limit of the goal is NaN,
    /// [`BatchError::Conflict`] if windows of two jobs overlap, [`BatchError::Stopped`] if the search was stopped before it
    /// had any choice; with a [`Service`], what [`select`] refuses.
    pub fn plan<'o>(
        &self,
        offers: impl IntoIterator<Item = (JobId, &'o [Window], Option<&'o Refusal>)>,
    ) -> Result<Plan, BatchError> {
        self.plan_within(offers, &mut self.limit.meter())
    }

    /// As [`plan`](Self::plan), within the limit of a meter, which may have an observer.
    ///
    /// # Errors
    /// As for [`plan`](Self::plan).
    pub fn plan_within<'o>(
        &self,
        offers: impl IntoIterator<Item = (JobId, &'o [Window], Option<&'o Refusal>)>,
        meter: &mut Meter<'_>,
    ) -> Result<Plan, BatchError> {
        let before = meter.work();
        let mut schedule = Schedule::default();
        let repeated = |job: JobId| move |_| BatchError::RepeatedJob { job };
        let mut open: Vec<(JobId, &[Window])> = Vec::new();
        let mut positions = Vec::new();
        for (position, (job, windows, reason)) in offers.into_iter().enumerate() {
            if windows.is_empty() {
                let reason = reason.cloned().unwrap_or(Refusal::NoCapacity);
                schedule.refuse(job, reason).map_err(repeated(job))?;
            } else {
                open.push((job, windows));
                positions.push(position);
            }
        }
        refuse_conflicts(&open)?;
        let windows: Vec<&[Window]> = open.iter().map(|(_, windows)| *windows).collect();
        let batch = Alternatives::from_windows(&windows)?;
        let mut scratch = Scratch::default();
        let problem = self.goal.problem(&batch, self.chooser, &mut scratch, meter)?;
        let Solved { decision, picks } = match &self.service {
            None => {
                let known = self.known_picks(&open).and_then(|picks| picks.into_iter().collect());
                let known: Option<Vec<usize>> = known;
                let decision = match known {
                    Some(known) => self.chooser.choose_from(&batch, problem, &known, &mut scratch, meter)?,
                    None => self.chooser.choose(&batch, problem, &mut scratch, meter)?,
                };
                let picks = match decision.choice() {
                    Some(choice) => choice.picks.iter().copied().map(Ok).collect(),
                    None => vec![Err(decision.short_by()); open.len()],
                };
                Solved { decision, picks }
            }
            Some(service) => {
                let service = service.of_jobs(&positions)?;
                let outcome = match self.known_picks(&open) {
                    Some(known) => select_from(&batch, problem, &service, &known, &mut scratch, meter)?,
                    None => select(&batch, problem, &service, &mut scratch, meter)?,
                };
                Solved::of_selection(&batch, problem, outcome)
            }
        };
        if let Decision::Chosen(outcome) = &decision
            && outcome.incumbent.is_none()
        {
            return Err(BatchError::Stopped { end: outcome.end, work: meter.work() - before });
        }
        for ((job, windows), pick) in open.into_iter().zip(picks) {
            match pick {
                Ok(pick) => schedule.place(job, windows[pick].clone()),
                Err(short_by) => schedule.refuse(job, Refusal::BatchLimit { short_by }),
            }
            .map_err(repeated(job))?;
        }
        let work = meter.work() - before;
        #[cfg(feature = "tracing")]
        for (job, refusal) in schedule.refused() {
            tracing::debug!(job = job.0, %refusal, "refused");
        }
        #[cfg(feature = "tracing")]
        tracing::info!(
            placed = schedule.placed().count(),
            refused = schedule.refused().count(),
            ?problem,
            work,
            "{} has decided: {decision}",
            self.chooser.name()
        );
        Ok(Plan { schedule, problem, decision, work })
    }
}

/// Until when a job holds a node.
type Held = Option<(Time, JobId)>;

/// Refuses windows of different jobs that need one node at the same time, for a choice of both would be no schedule.
/// O(p log p) for p placements.
fn refuse_conflicts(open: &[(JobId, &[Window])]) -> Result<(), BatchError> {
    let mut taken: Vec<(NodeId, Time, Time, JobId)> = Vec::new();
    for &(job, windows) in open {
        for window in windows {
            taken
                .extend(window.placements().iter().map(|place| (place.node, window.start(), place.end, job)));
        }
    }
    taken.sort_unstable();
    // Of the placements before, on the same node: the one that ends last, and the one of another job that ends last.
    let mut latest: Option<(NodeId, [Held; 2])> = None;
    for (node, start, end, job) in taken {
        let mut held = match latest {
            Some((other, held)) if other == node => held,
            _ => [None; 2],
        };
        if let Some((_, other)) = held.iter().flatten().find(|(until, other)| *other != job && *until > start)
        {
            return Err(BatchError::Conflict { first: *other, second: job, node });
        }
        let own = Some((end, job));
        match held[0] {
            Some((until, other)) if other != job => {
                if end > until {
                    held = [own, held[0]];
                } else if held[1].is_none_or(|(second, _)| end > second) {
                    held[1] = own;
                }
            }
            Some((until, _)) if until >= end => {}
            _ => held[0] = own,
        }
        latest = Some((node, held));
    }
    Ok(())
}

/// What became of each job with windows: the position of its window, or what its lightest one lacks.
struct Solved {
    decision: Decision,
    picks: Vec<Result<usize, f64>>,
}

impl Solved {
    fn of_selection(batch: &Alternatives, problem: Problem, outcome: Outcome<Selection>) -> Self {
        if outcome.is_infeasible() {
            // Even serving nobody passes a limit below 0.
            let decision = Decision::OutOfReach { least: 0.0, limit: problem.parts().1 };
            let picks = vec![Err(decision.short_by()); batch.jobs()];
            return Self { decision, picks };
        }
        let picks = outcome.incumbent.iter().flat_map(|selection| {
            let lacks = |job| selection.short_by(batch, problem, job).unwrap_or(0.0).max(0.0);
            selection.picks.iter().enumerate().map(move |(job, pick)| pick.ok_or_else(|| lacks(job)))
        });
        let picks = picks.collect();
        let decision = Decision::Chosen(outcome.map(|Selection { picks, cost, time, .. }| Choice {
            picks: picks.into_iter().flatten().collect(),
            cost,
            time,
        }));
        Self { decision, picks }
    }
}
