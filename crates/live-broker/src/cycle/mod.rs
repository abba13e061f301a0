//! One cycle: which windows for which jobs. A function of values; nothing is changed here. Its phases:
//!
//! 0. `find::rescue`: a window in time for each promise that would be late, where there is one.
//! 1. `find::find`: alternatives for each job that [asks](Ask), without a promise or for a better one.
//! 2. `choice::choose`: one of them for each job, by the goal.
//! 3. `preempt::displace`: running jobs are stopped for those of higher priority that could not start otherwise.

mod choice;
mod find;
mod meter;
mod preempt;

use crate::config::MovePolicy;
use crate::decision::Reason;
use crate::fit::Compiled;
use crate::jobs::{JobRecord, Phase};
use crate::state::State;
use batch_dp::Goal;
pub(crate) use find::{Found, find};
pub(crate) use meter::CycleMeter;
use meter::goes_on;
pub(crate) use preempt::{cannot_stop, displacement};
use sched_model::internal::exact_sum;
use sched_model::{Eligible, End, JobId, JobWindows, NodeId, Slot, SlotList, Time, Window};
use slot_window::{Objective, WindowSearch};
use std::cmp::Reverse;
use std::rc::Rc;

/// A window that a cycle has chosen for a job: its first, or another one than that promised before.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(crate) struct Placed {
    pub(crate) job: JobId,
    pub(crate) window: Window,
    /// Of a promise that would be late: the node that is not released in time. The window starts no later than was
    /// promised and is tolerated.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub(crate) late: Option<NodeId>,
    /// The running jobs that are stopped for it, in the order of their ids.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub(crate) victims: Vec<JobId>,
}

/// The result of a cycle. What it has decided follows as decisions; here it serves to compare a cycle that is
/// [repeated](crate::Broker::replay).
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct CycleNote {
    /// Jobs that get a window, or another one: those whose promise would be late, those by choice, those for which
    /// others are stopped.
    pub(crate) placed: Vec<Placed>,
    /// Jobs whose promise will be late: there is no window in time, until more time becomes free.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub(crate) late: Vec<JobId>,
    /// Jobs that got no window. They are not searched for again until time becomes free or cheaper.
    pub(crate) without_window: Vec<JobId>,
    /// Jobs whose request the search rejects.
    pub(crate) refused: Vec<(JobId, Reason)>,
    /// Units of work, one at least for each step: see [`Limit`](sched_model::Limit).
    pub work: u64,
    /// Why it ended: [`End::Done`] if every job was looked at and the choice was finished, [`End::Memory`] if some step
    /// needed more than the limit, which ends that step alone.
    pub end: End,
}

impl CycleNote {
    /// Whether it has found nothing out about any job.
    pub(crate) fn decides_nothing(&self) -> bool {
        let Self { work, end, .. } = *self;
        *self == Self { work, end, ..Self::default() }
    }

    /// Whether it ended before it had looked at every job.
    pub(crate) fn was_stopped(&self) -> bool {
        goes_on(Some(self.end)).is_err()
    }
}

/// A job for which a window is searched.
#[derive(Debug)]
struct Ask<'a> {
    record: &'a JobRecord,
    /// Its demands, compiled for the free list.
    eligible: Option<Rc<Eligible>>,
    from: Time,
    /// The window promised, if there is one.
    present: Option<&'a Window>,
    /// No other window may start later than this.
    latest: Option<Time>,
    /// What another window must gain at least.
    least_gain: Option<f64>,
    /// What would be free if the promise were given up.
    in_its_place: Vec<Slot>,
}

/// What a cycle is about.
#[derive(Debug)]
pub(crate) struct Query<'a> {
    state: &'a State,
    search: &'a dyn WindowSearch,
    compiled: Compiled,
    /// Jobs whose promise would be late, each with the node that is released too late.
    late: Vec<(NodeId, Ask<'a>)>,
    asks: Vec<Ask<'a>>,
}

impl<'a> Query<'a> {
    pub(crate) fn of(state: &'a State, search: &'a dyn WindowSearch) -> Self {
        let mut query = Self::without_asks(state, search);
        let gains = Some(state.book.gains);
        let waiting = state.of_jobs.waiting.iter().filter_map(|job| state.jobs.get(job));
        let may_preempt = state.preemption_due().is_some_and(|due| due <= state.now);
        let mut records: Vec<&JobRecord> =
            waiting.filter(|record| may_preempt || record.searched_at != gains).collect();
        records.extend(movable(state));
        records.sort_by_key(|record| {
            // After a cycle that was stopped, those that wait come first at which it had not looked, promises last.
            let looked = state.stopped.then_some(match record.phase {
                Phase::Waiting => (false, record.searched_at),
                _ => (true, None),
            });
            let job = &record.job;
            (record.lost.is_none(), looked, Reverse(job.priority), record.asked, job.id)
        });
        let mut late: Vec<&JobRecord> = state.late_jobs().collect();
        late.sort_by_key(|record| (Reverse(record.job.priority), record.asked, record.job.id));
        let overdue = state.overdue(state.now);
        query.asks = records.into_iter().map(|record| query.ask(record, &overdue)).collect();
        let late = late.into_iter().filter_map(|record| {
            let node = state.late(record)?;
            let latest = record.window().map(|window| window.start() + state.config.tolerance);
            Some((node, Ask { latest, least_gain: None, ..query.ask(record, &overdue) }))
        });
        query.late = late.collect();
        query
    }

    fn without_asks(state: &'a State, search: &'a dyn WindowSearch) -> Self {
        Self { state, search, compiled: Compiled::default(), late: Vec::new(), asks: Vec::new() }
    }

    /// About one job that is not known yet.
    pub(crate) fn about(record: &'a JobRecord, state: &'a State, search: &'a dyn WindowSearch) -> Self {
        let mut query = Self::without_asks(state, search);
        query.asks.push(query.ask(record, &[]));
        query
    }

    fn ask(&self, record: &'a JobRecord, overdue: &[(NodeId, Time)]) -> Ask<'a> {
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
        Ask {
            record,
            eligible: self.compiled.of(record.demands(), &state.book),
            from: state.now.max(record.job.submit),
            present,
            latest,
            least_gain: state.config.stability.least_gain,
            in_its_place: present.map(in_place).unwrap_or_default(),
        }
    }

    /// The value of one window that the goal optimises; without a goal its time.
    fn objective(&self, window: &Window) -> f64 {
        let by_time = self.state.config.goal.is_none_or(Goal::limits_cost);
        if by_time { self.time_of(window) } else { window.cost().get() }
    }

    fn maximises(&self) -> bool {
        matches!(self.state.config.goal, Some(Goal::MaxTime { .. } | Goal::MaxIncome { .. }))
    }

    fn time_of(&self, window: &Window) -> f64 {
        match self.state.config.counted_time() {
            Objective::Start => window.start().get() - self.state.now.get(),
            Objective::Finish => window.finish().get() - self.state.now.get(),
            Objective::Runtime => window.runtime().get(),
            _ => window.cost().get(),
        }
    }

    /// The gain of the goal if a job gets the other window in place of the present one, minus `least`. The
    /// values are those that the choice compares: start and finish are counted from the present and rounded
    /// once. Their difference is summed exactly, so its sign is exact.
    fn gain_above(&self, present: &Window, other: &Window, least: f64) -> f64 {
        let (present, other) = (self.objective(present), self.objective(other));
        if self.maximises() {
            exact_sum([other, -present, -least])
        } else {
            exact_sum([present, -other, -least])
        }
    }
}

/// Promised jobs that may be moved for the better.
fn movable(state: &State) -> Vec<&JobRecord> {
    let stability = &state.config.stability;
    if stability.policy == MovePolicy::Never
        || state.config.preference().is_some()
        || state.offered == Some(state.book.gains)
        || state.moves_left().0 == 0
    {
        return Vec::new();
    }
    let records = state.of_jobs.promised.iter().filter_map(|job| state.jobs.get(job));
    let mut records: Vec<&JobRecord> = records
        .filter(|record| {
            let far = |window: &Window| {
                window.start() > state.now && window.start() >= state.now + stability.frozen
            };
            // A late promise is moved by the rescue alone, or when it is lost.
            record.moves < stability.max_moves
                && record.window().is_some_and(far)
                && !(state.book.at_risk.contains(&record.job.id) && state.late(record).is_some())
        })
        .collect();
    records.sort_by_key(|record| (Reverse(record.job.priority), record.asked, record.job.id));
    records.truncate(stability.max_per_cycle);
    records
}

/// Finds alternatives and chooses among them, as far as the meter reaches.
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

/// Phases 1 and 2: alternatives for all that ask, and the choice of one for each.
fn place(query: &Query<'_>, list: SlotList, note: &mut CycleNote, meter: &mut CycleMeter<'_>) {
    let mut found = find::find(query, list, query.state.config.max_alternatives, meter);
    let mut chosen = choice::choose(query, &found, meter);
    if let Err(end) = goes_on(chosen.ended) {
        // Then the choice is not begun again.
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
    let found = chosen.picks.into_iter().zip(found.windows).zip(found.without);
    for (ask, ((pick, JobWindows { job, mut windows, .. }), without)) in query.asks.iter().zip(found) {
        match pick.filter(|&pick| pick < windows.len()) {
            Some(pick) => {
                let window = windows.swap_remove(pick);
                note.placed.push(Placed { job, window, late: None, victims: Vec::new() });
            }
            // A job left out because of the limit of the goal is looked at again, as long as the cycle placed any
            // job.
            None if ask.present.is_none() && (without || !progress && !windows.is_empty()) => {
                note.without_window.push(job);
            }
            None => {}
        }
    }
}
