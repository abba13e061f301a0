//! A cycle, which decides the windows of jobs. It reads the state and changes nothing. Its phases:
//!
//! 0. `find::rescue`: finds a window in time for each late promise, if there is one.
//! 1. `find::find`: finds alternatives for each [request](WindowRequest): of a waiting job, or of a promised job that
//!    may be moved.
//! 2. `choice::choose`: chooses one alternative for each job, by the goal.
//! 3. `preempt::displace`: stops running jobs for jobs of higher priority that could not start otherwise.

mod choice;
mod find;
mod meter;
mod preempt;

use crate::config::MovePolicy;
use crate::decision::Reason;
use crate::fit::DemandCache;
use crate::jobs::{JobRecord, Phase, sort_by_rank};
use crate::state::State;
use batch_dp::Goal;
pub(crate) use find::{Found, find};
pub(crate) use meter::CycleMeter;
use meter::check_continues;
pub(crate) use preempt::{cannot_stop, displacement};
use sched_model::internal::exact_sum;
use sched_model::{Eligible, End, JobId, JobWindows, NodeId, Slot, SlotList, Time, Window};
use slot_window::{Objective, WindowSearch};
use std::rc::Rc;

/// A window that a cycle has chosen for a job without a window, or in place of its promised one.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(crate) struct Placed {
    pub(crate) job: JobId,
    pub(crate) window: Window,
    /// For a late promise, the node that is not released in time. The window starts no later than the promised start
    /// plus the tolerance.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub(crate) late: Option<NodeId>,
    /// The running jobs that are stopped for it, in the order of their ids.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub(crate) victims: Vec<JobId>,
}

/// The result of a cycle. The broker reports it as decisions; the note serves to compare a cycle that is
/// [repeated](crate::Broker::replay).
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct CycleNote {
    /// The windows that jobs get: in place of late promises, by choice, and by stopping other jobs.
    pub(crate) placed: Vec<Placed>,
    /// Jobs whose promise stays late, because there is no window in time. They are not searched for again until time
    /// becomes free or cheaper.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub(crate) late: Vec<JobId>,
    /// Waiting jobs for which there is no window. They are not searched for again until time becomes free or cheaper.
    pub(crate) without_window: Vec<JobId>,
    /// Jobs whose request the search rejects.
    pub(crate) refused: Vec<(JobId, Reason)>,
    /// Units of work, at least one for each step: see [`Limit`](sched_model::Limit).
    pub work: u64,
    /// The reason why the cycle ended: [`End::Done`] if every job was searched for and the choice was finished,
    /// [`End::Memory`] if some step needed more memory than the limit, which ends only that step.
    pub end: End,
}

impl CycleNote {
    /// Whether the cycle has no result for any job.
    pub(crate) fn decides_nothing(&self) -> bool {
        let Self { work, end, .. } = *self;
        *self == Self { work, end, ..Self::default() }
    }

    /// Whether the cycle ended before it had searched for every job.
    pub(crate) fn was_stopped(&self) -> bool {
        check_continues(Some(self.end)).is_err()
    }
}

/// The request for a window of a job.
#[derive(Debug)]
struct WindowRequest<'a> {
    record: &'a JobRecord,
    /// The demands of the job, compiled for the free list.
    eligible: Option<Rc<Eligible>>,
    from: Time,
    /// The promised window, if there is one.
    present: Option<&'a Window>,
    /// The latest start of another window.
    latest: Option<Time>,
    /// The minimum gain of another window.
    least_gain: Option<f64>,
    /// The slots that would be free if the job gave up its promise.
    freed: Vec<Slot>,
}

/// The input of a cycle: the state, the search, and the requests that follow from the state.
#[derive(Debug)]
pub(crate) struct Query<'a> {
    state: &'a State,
    search: &'a dyn WindowSearch,
    demand_cache: DemandCache,
    /// The requests of jobs whose promises are late, each with the node that is released too late.
    late: Vec<(NodeId, WindowRequest<'a>)>,
    requests: Vec<WindowRequest<'a>>,
}

impl<'a> Query<'a> {
    /// Creates the query of a cycle.
    pub(crate) fn of(state: &'a State, search: &'a dyn WindowSearch) -> Self {
        let mut query = Self::without_requests(state, search);
        let gains = Some(state.book.gains);
        let waiting = state.job_sets.waiting.iter().filter_map(|job| state.jobs.get(job));
        let may_preempt = state.preemption_due().is_some_and(|due| due <= state.now);
        let mut records: Vec<&JobRecord> =
            waiting.filter(|record| may_preempt || record.searched_at != gains).collect();
        records.extend(movable(state));
        records.sort_by_key(|record| {
            // After a stopped cycle, the waiting jobs that it had not reached come first, promised jobs last.
            let looked = state.stopped.then_some(match record.phase {
                Phase::Waiting => (false, record.searched_at),
                _ => (true, None),
            });
            (record.lost.is_none(), looked, record.rank())
        });
        let mut late: Vec<&JobRecord> = state.late_jobs().collect();
        sort_by_rank(&mut late);
        let overdue = state.overdue(state.now);
        query.requests = records.into_iter().map(|record| query.request(record, &overdue)).collect();
        let late = late.into_iter().filter_map(|record| {
            let node = state.late(record)?;
            let latest = record.window().map(|window| window.start() + state.config.tolerance);
            Some((node, WindowRequest { latest, least_gain: None, ..query.request(record, &overdue) }))
        });
        query.late = late.collect();
        query
    }

    /// Creates a query without requests.
    fn without_requests(state: &'a State, search: &'a dyn WindowSearch) -> Self {
        Self { state, search, demand_cache: DemandCache::default(), late: Vec::new(), requests: Vec::new() }
    }

    /// Creates the query for one job that has not been submitted.
    pub(crate) fn about(record: &'a JobRecord, state: &'a State, search: &'a dyn WindowSearch) -> Self {
        let mut query = Self::without_requests(state, search);
        query.requests.push(query.request(record, &[]));
        query
    }

    /// Creates the request of a job; `overdue` has the nodes that are not free until an instant.
    fn request(&self, record: &'a JobRecord, overdue: &[(NodeId, Time)]) -> WindowRequest<'a> {
        let state = self.state;
        let present = match &record.phase {
            Phase::Promised { window, .. } => Some(window),
            _ => None,
        };
        let in_place = |window: &Window| {
            let of = |placement: &sched_model::Placement| {
                let taken =
                    overdue.iter().filter(|(node, _)| *node == placement.node).map(|(_, until)| *until);
                let from = taken.fold(window.start(), Time::max);
                state.book.slots_of(placement.node, from, placement.end, &[record.job.id])
            };
            window.placements().iter().flat_map(of).collect()
        };
        let latest = present.and_then(|present| match self.state.config.stability.policy {
            MovePolicy::NotLater => Some(present.start()),
            MovePolicy::Within(late) => Some(record.first_start.unwrap_or(present.start()) + late),
            _ => None,
        });
        WindowRequest {
            record,
            eligible: self.demand_cache.of(record.demands(), &state.book),
            from: state.now.max(record.job.submit),
            present,
            latest,
            least_gain: state.config.stability.least_gain,
            freed: present.map(in_place).unwrap_or_default(),
        }
    }

    /// The quantity of a window that the goal optimises; without a goal, its time.
    fn objective(&self, window: &Window) -> f64 {
        let by_time = self.state.config.goal.is_none_or(Goal::limits_cost);
        if by_time { self.time_of(window) } else { window.cost().get() }
    }

    /// Whether the goal is a maximum.
    fn maximises(&self) -> bool {
        matches!(self.state.config.goal, Some(Goal::MaxTime { .. } | Goal::MaxIncome { .. }))
    }

    /// The time of a window, as the configuration measures it.
    fn time_of(&self, window: &Window) -> f64 {
        match self.state.config.counted_time() {
            Objective::Start => window.start().get() - self.state.now.get(),
            Objective::Finish => window.finish().get() - self.state.now.get(),
            Objective::Runtime => window.runtime().get(),
            _ => window.cost().get(),
        }
    }

    /// The gain by the goal if a job gets `other` in place of `present`, minus `least`. The values are those that the
    /// choice compares: start and finish are measured from the present instant and rounded once. The difference is
    /// summed exactly, so its sign is exact.
    fn gain_above(&self, present: &Window, other: &Window, least: f64) -> f64 {
        let (present, other) = (self.objective(present), self.objective(other));
        if self.maximises() {
            exact_sum([other, -present, -least])
        } else {
            exact_sum([present, -other, -least])
        }
    }
}

/// The promised jobs that may be moved for the sake of a better plan.
fn movable(state: &State) -> Vec<&JobRecord> {
    let stability = &state.config.stability;
    if stability.policy == MovePolicy::Never
        || state.config.preference().is_some()
        || state.offered == Some(state.book.gains)
        || state.moves_left().0 == 0
    {
        return Vec::new();
    }
    let records = state.job_sets.promised.iter().filter_map(|job| state.jobs.get(job));
    let mut records: Vec<&JobRecord> = records
        .filter(|record| {
            let far = |window: &Window| {
                window.start() > state.now && window.start() >= state.now + stability.frozen
            };
            // A late promise is moved only by the rescue, or when it is lost.
            record.moves < stability.max_moves
                && record.window().is_some_and(far)
                && !(state.book.at_risk.contains(&record.job.id) && state.late(record).is_some())
        })
        .collect();
    sort_by_rank(&mut records);
    records.truncate(stability.max_per_cycle);
    records
}

/// Runs the phases of a cycle within the limit of a meter.
pub(crate) fn plan(query: &Query<'_>, mut meter: CycleMeter<'_>) -> CycleNote {
    let mut list = query.state.free();
    let mut note = CycleNote::default();
    match find::rescue(query, &mut list, &mut note, &mut meter) {
        Ok(()) => place(query, list, &mut note, &mut meter),
        Err(end) => note.end = end,
    }
    if !note.was_stopped() {
        preempt::displace(query, &mut note, &mut meter);
    }
    note.work = meter.spent;
    note
}

/// Runs phases 1 and 2: finds alternatives for all requests, and chooses one for each.
fn place(query: &Query<'_>, list: SlotList, note: &mut CycleNote, meter: &mut CycleMeter<'_>) {
    let mut found = find::find(query, list, query.state.config.max_alternatives, meter);
    let mut chosen = choice::choose(query, &found, meter);
    if let Err(end) = check_continues(chosen.ended) {
        // A stopped choice is not repeated.
        found.end = end;
    }
    let (allowed, _) = query.state.moves_left();
    if choice::keep_best_moves(query, &mut found, &chosen.picks, allowed) {
        chosen = choice::choose(query, &found, meter);
    }
    let refused = found.refused.into_iter();
    note.refused = refused.map(|(job, error)| (job, Reason::Request(error.to_string()))).collect();
    note.end = chosen.ended.unwrap_or(found.end);
    let progress = chosen.picks.iter().any(Option::is_some);
    let found = chosen.picks.into_iter().zip(found.windows).zip(found.without_window);
    for (request, ((pick, JobWindows { job, mut windows, .. }), without)) in query.requests.iter().zip(found)
    {
        match pick.filter(|&pick| pick < windows.len()) {
            Some(pick) => {
                let window = windows.swap_remove(pick);
                note.placed.push(Placed { job, window, late: None, victims: Vec::new() });
            }
            // A job that the limit of the goal leaves out is searched for again, unless the cycle placed no job at all.
            None if request.present.is_none() && (without || !progress && !windows.is_empty()) => {
                note.without_window.push(job);
            }
            None => {}
        }
    }
}
