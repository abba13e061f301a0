//! One cycle: which windows for which jobs. A function of values; nothing is changed here.

mod choice;
mod find;
mod preempt;

use crate::book::Book;
use crate::config::{Config, MovePolicy};
use crate::decision::Reason;
use crate::error::BrokerError;
use crate::fit::Fit;
use crate::input::SpeedOn;
use crate::jobs::{JobRecord, Phase};
use crate::state::State;
use sched_model::{End, JobId, Limit, NodeId, ResourceRequest, Slot, SlotList, Time, Window};
use slot_window::WindowSearch;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// The window that a cycle has chosen for a job: its first, or another one than that promised before.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Answer {
    /// The job.
    pub job: JobId,
    /// Its window.
    pub window: Window,
}

/// A job that gets a window at once, and the running jobs that are stopped for it.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Displacement {
    /// The job.
    pub job: JobId,
    /// Its window.
    pub window: Window,
    /// The jobs that are stopped, in the order of their ids.
    pub victims: Vec<JobId>,
}

/// The result of a cycle: enough to carry it out without planning.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct CycleNote {
    /// Jobs that get a window, or another one.
    pub placed: Vec<Answer>,
    /// Jobs for which others are stopped.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub preempted: Vec<Displacement>,
    /// Jobs that got no window. They are not looked at again until time becomes free or cheaper.
    pub looked: Vec<JobId>,
    /// Jobs whose request the search rejects.
    pub refused: Vec<(JobId, Reason)>,
    /// Units of work: see [`Limit`].
    pub work: u64,
    /// Why it ended: [`End::Done`] if every job was looked at and the choice was finished.
    pub end: End,
}

impl CycleNote {
    /// Whether this is the cycle noted, repeated. One that a signal stopped is repeated within its work, and must be stopped
    /// by that.
    pub(crate) fn agrees(&self, noted: &Self) -> bool {
        (&self.placed, &self.looked, &self.refused) == (&noted.placed, &noted.looked, &noted.refused)
            && self.preempted == noted.preempted
            && self.work == noted.work
            && (self.end == noted.end || (noted.end == End::Signal && self.end == End::Work))
    }
}

/// A job for which a window is sought.
#[derive(Debug)]
struct Ask<'a> {
    id: JobId,
    request: &'a ResourceRequest,
    from: Time,
    /// A promise that could not be kept is to be replaced.
    urgent: bool,
    avoids: &'a BTreeSet<NodeId>,
    /// Its own speeds by ranges of nodes, if it has any.
    speeds: &'a [SpeedOn],
    /// The window promised, if there is one.
    present: Option<&'a Window>,
    /// What would be free if the promise were given up.
    in_its_place: Vec<Slot>,
}

/// What a cycle is about.
#[derive(Debug)]
pub(crate) struct Query<'a> {
    now: Time,
    /// The gains of the book.
    pub(crate) gains: u64,
    config: &'a Config,
    search: &'a dyn WindowSearch,
    book: &'a Book,
    state: &'a State,
    asks: Vec<Ask<'a>>,
}

impl<'a> Query<'a> {
    pub(crate) fn of(state: &'a State, config: &'a Config, search: &'a dyn WindowSearch) -> Self {
        let gains = state.book.gains;
        let waiting = state.waiting.iter().filter_map(|job| state.jobs.get(job));
        let may_preempt = state.preemption_due(config).is_some_and(|due| due <= state.now);
        let asks = |record: &&JobRecord| may_preempt || record.looked != Some(gains);
        let mut records: Vec<&JobRecord> = waiting.filter(asks).collect();
        records.extend(movable(state, config));
        records.sort_by_key(|record| {
            let looked =
                if state.stopped { record.looked.map_or(0, |gains| gains.saturating_add(1)) } else { 0 };
            let job = &record.job;
            (record.lost.is_none(), looked, Reverse(job.priority), record.asked, job.id)
        });
        let overdue = state.overdue(state.now, config);
        let asks = records.into_iter().map(|record| Self::ask(state, record, &overdue)).collect();
        Self { now: state.now, gains, config, search, book: &state.book, state, asks }
    }

    fn ask(state: &'a State, record: &'a JobRecord, overdue: &[(NodeId, Time)]) -> Ask<'a> {
        let present = match &record.phase {
            Phase::Promised { window, .. } => Some(window),
            _ => None,
        };
        let id = record.job.id;
        let in_place = |window: &Window| {
            let of = |placement: &sched_model::Placement| {
                let taken =
                    overdue.iter().filter(|(node, _)| *node == placement.node).map(|(_, until)| *until);
                let from = taken.fold(window.start(), Time::max);
                state.book.in_place_of(placement.node, id, from, placement.end)
            };
            window.placements().iter().flat_map(of).collect()
        };
        Ask {
            id,
            request: &record.job.request,
            from: state.now.max(record.job.submit),
            urgent: record.lost.is_some(),
            avoids: &record.avoids,
            speeds: &record.speeds,
            present,
            in_its_place: present.map(in_place).unwrap_or_default(),
        }
    }

    fn list(&self) -> SlotList {
        self.state.free(self.config)
    }

    /// Whether an answer noted elsewhere can be carried out.
    ///
    /// # Errors
    /// [`BrokerError::Damaged`] if it cannot.
    pub(crate) fn verify(&self, note: &CycleNote) -> Result<(), BrokerError> {
        let wrong =
            |job: JobId, why: &str| Err(BrokerError::Damaged(format!("a noted cycle: job {job} {why}")));
        // Another version may guess otherwise about what is overdue.
        let fit = Fit { book: self.book, rules: self.search.rules(), now: self.now, overdue: &[] };
        let mut taken: Vec<(NodeId, Time, Time)> = Vec::new();
        let mut seen = BTreeSet::new();
        let placed = note.placed.iter().map(|answer| (&answer.job, &answer.window, &[][..]));
        let preempted = note.preempted.iter().map(|one| (&one.job, &one.window, &one.victims[..]));
        let mut stopped = BTreeSet::new();
        for (job, window, victims) in placed.chain(preempted) {
            let open =
                self.state.jobs.get(job).filter(|record| !matches!(record.phase, Phase::Started { .. }));
            let Some(record) = open.filter(|_| seen.insert(*job)) else {
                return wrong(*job, "cannot be placed");
            };
            if let Some(why) = fit.fault(&record.job, &record.speeds, window, victims) {
                return wrong(*job, &why);
            }
            if window.nodes().any(|node| record.avoids.contains(&node)) {
                return wrong(*job, "is placed on a node that refuses it");
            }
            if !victims.is_empty() && window.start() != self.now {
                return wrong(*job, "stops others and does not begin at once");
            }
            let stoppable = |victim: &JobId| {
                self.state.jobs.get(victim).is_some_and(|other| {
                    other.stopping.is_none()
                        && matches!(other.phase, Phase::Started { since: Some(_), .. })
                        && other.job.priority < record.job.priority
                })
            };
            if let Some(victim) =
                victims.iter().find(|&victim| !stoppable(victim) || !stopped.insert(*victim))
            {
                return wrong(*job, &format!("cannot stop job {victim}"));
            }
            taken.extend(window.placements().iter().map(|place| (place.node, window.start(), place.end)));
        }
        taken.sort_unstable();
        if let Some(pair) = taken.windows(2).find(|pair| pair[0].0 == pair[1].0 && pair[1].1 < pair[0].2) {
            return Err(BrokerError::Damaged(format!("a noted cycle uses node {} twice", pair[0].0)));
        }
        let named = note.looked.iter().chain(note.refused.iter().map(|(job, _)| job));
        match named.copied().find(|job| !self.state.waiting.contains(job) || seen.contains(job)) {
            Some(job) => wrong(job, "does not wait"),
            None => Ok(()),
        }
    }
}

/// Promised jobs that may be moved for the better.
fn movable<'a>(state: &'a State, config: &Config) -> Vec<&'a JobRecord> {
    let stability = &config.stability;
    if stability.policy == MovePolicy::Never || state.offered == Some(state.book.gains) {
        return Vec::new();
    }
    let records = state.promised.iter().filter_map(|job| state.jobs.get(job));
    let mut records: Vec<&JobRecord> = records
        .filter(|record| {
            record.moves < stability.max_moves
                && record
                    .window()
                    .is_some_and(|w| w.start() > state.now && w.start() >= state.now + stability.frozen)
        })
        .collect();
    records.sort_by_key(|record| (Reverse(record.job.priority), record.asked, record.job.id));
    records.truncate(stability.max_per_cycle);
    records
}

/// Finds alternatives and chooses among them, within a limit: that of a whole cycle, or the work after which a signal
/// stopped the cycle that is repeated.
pub(crate) fn plan(query: &Query<'_>, limit: &Limit, repeats: bool) -> CycleNote {
    let mut budget = find::Budget { limit, spent: 0, repeats };
    let found = find::find(query, &mut budget);
    let (picks, work, ended) = choice::choose(query, &found, &budget.left());
    let mut note = CycleNote {
        placed: Vec::new(),
        preempted: Vec::new(),
        looked: Vec::new(),
        refused: found.refused,
        work: budget.spent.saturating_add(work),
        end: ended.unwrap_or(found.end),
    };
    let progress = picks.iter().any(Option::is_some);
    for (((ask, pick), windows), looked) in query.asks.iter().zip(picks).zip(found.windows).zip(found.looked)
    {
        match pick.and_then(|pick| windows.into_iter().nth(pick)) {
            Some(window) => note.placed.push(Answer { job: ask.id, window }),
            None => {
                // Left out for the limit of the goal, it is looked at again as long as that serves anybody.
                let again = looked == find::Looked::Found && progress;
                let known = looked != find::Looked::Not && looked != find::Looked::Refused;
                if ask.present.is_none() && known && !again {
                    note.looked.push(ask.id);
                }
            }
        }
    }
    if matches!(note.end, End::Done | End::Gap) {
        budget.spent = note.work;
        preempt::displace(query, &mut note, &mut budget);
    }
    note
}
