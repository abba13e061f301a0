//! Single changes of the demands of a job.

use super::changes::{Kind, Trial, at_place, nearest_of_each};
use crate::{WindowError, WindowQuery, sweep::position};
use sched_model::{Demands, Meter, NodeId, Slot, SlotList, Time, order::sort};

/// One change of the demands of a job.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum DemandChange {
    /// Nodes need not have this label.
    LiftLabel(String),
    /// Nodes may have this label.
    LiftExcluded(String),
    /// A lesser amount suffices.
    AtLeast {
        /// The name of the amount.
        name: String,
        /// The greatest amount with which there is a window.
        amount: f64,
    },
    /// The nodes need not have the same value of the label to pack by.
    LiftPack,
    /// So many nodes may have the same value of the label to spread by: the least number with which there is
    /// a window.
    Spread(usize),
    /// Any number of nodes may have the same value of the label to spread by, and nodes may have none.
    LiftSpread,
    /// This earliest start: the latest one with which there is a window.
    NotBefore(Time),
    /// This fixed start: the first one after the demanded one with which there is a window.
    LaterStart(Time),
    /// This fixed start: the last one before the demanded one with which there is a window.
    EarlierStart(Time),
}

impl DemandChange {
    /// The demands with this change.
    pub fn apply(&self, demands: &Demands) -> Demands {
        let same = demands.clone();
        match self {
            Self::LiftLabel(label) => same.lift_label(label),
            Self::LiftExcluded(label) => same.lift_excluded(label),
            // An invalid amount changes nothing.
            Self::AtLeast { name, amount } => same.with_at_least(name, *amount).unwrap_or(demands.clone()),
            Self::LiftPack => same.lift_pack(),
            Self::Spread(most) => match demands.spread() {
                Some(spread) => same.with_spread(spread.label(), *most).unwrap_or(demands.clone()),
                None => same,
            },
            Self::LiftSpread => same.lift_spread(),
            Self::NotBefore(start) => same.with_not_before(*start),
            Self::LaterStart(start) | Self::EarlierStart(start) => same.with_start(*start),
        }
    }

    /// The same change, by one representable step less: towards the demand. `None` where that is the demand
    /// itself.
    pub fn one_step_less(&self) -> Option<Self> {
        Some(match self {
            Self::LiftLabel(_) | Self::LiftExcluded(_) | Self::LiftPack | Self::LiftSpread => return None,
            Self::AtLeast { name, amount } => Self::AtLeast { name: name.clone(), amount: amount.next_up() },
            Self::Spread(most) => Self::Spread(most.checked_sub(1).filter(|most| *most > 0)?),
            Self::NotBefore(start) => Self::NotBefore(Time::new(start.get().next_up()).ok()?),
            Self::LaterStart(start) => Self::LaterStart(Time::new(start.get().next_down()).ok()?),
            Self::EarlierStart(start) => Self::EarlierStart(Time::new(start.get().next_up()).ok()?),
        })
    }
}

impl std::fmt::Display for DemandChange {
    /// The change, such as `memory of at least 32`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::LiftLabel(label) => write!(f, "nodes without {label} too"),
            Self::LiftExcluded(label) => write!(f, "nodes with {label} too"),
            Self::AtLeast { name, amount } => write!(f, "{name} of at least {amount}"),
            Self::LiftPack => write!(f, "nodes in several places"),
            Self::Spread(most) => write!(f, "up to {most} nodes in one place"),
            Self::LiftSpread => write!(f, "any number of nodes in one place"),
            Self::NotBefore(start) => write!(f, "an earliest start of {start}"),
            Self::LaterStart(start) | Self::EarlierStart(start) => write!(f, "a start at {start}"),
        }
    }
}

impl Trial<'_> {
    /// Single changes of these demands with which there is a window: at most one for each demand, in the order of
    /// [`DemandChange`].
    ///
    /// For k nodes asked for and v different amounts on the nodes: one search for each label and for pack, O(log v)
    /// for each amount, O(log k) for spread, some 64 for an earliest start and 130 for a fixed start.
    pub(super) fn demand_changes(
        &self,
        demands: &Demands,
        meter: &mut Meter,
    ) -> Result<Vec<DemandChange>, WindowError> {
        let mut start = |demands: &Demands| {
            let eligible = self.query.slots.eligible(demands);
            self.start(&self.query.with_eligible(&eligible), meter)
        };
        let mut kinds = self.kinds(demands);
        if let Some(asked) = demands.start() {
            kinds.extend(other_starts(demands, asked, &mut start)?);
        }
        nearest_of_each(kinds, |change| Ok(start(&change.apply(demands))?.is_some()))
    }

    /// The changes of all demands but the start.
    fn kinds<'k>(&self, demands: &'k Demands) -> Vec<Kind<'k, DemandChange>> {
        let WindowQuery { slots, request, from, .. } = self.query;
        let labels = demands.labels().map(|label| DemandChange::LiftLabel(label.to_owned()));
        let excluded = demands.excluded().map(|label| DemandChange::LiftExcluded(label.to_owned()));
        let mut kinds: Vec<Kind<'_, DemandChange>> = labels.chain(excluded).map(once).collect();
        kinds.extend(demands.amounts().map(|(name, asked)| less_of(slots, name, asked)));
        kinds.extend(demands.pack().map(|_| once(DemandChange::LiftPack)));
        if let Some(spread) = demands.spread() {
            // As many as the nodes of a window, and one more for any number.
            let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX - 1);
            let (asked, nodes) = (number(spread.most()), number(request.nodes()));
            let any = nodes.max(asked) + 1;
            let change = move |at: i64| match usize::try_from(at) {
                Ok(most) if at < any => Some(DemandChange::Spread(most)),
                _ => Some(DemandChange::LiftSpread),
            };
            let others = [nodes, any].into_iter().filter(|other| *other > asked).collect();
            kinds.push((asked, others, Box::new(change)));
        }
        let early = demands.not_before().filter(|asked| *asked > from);
        kinds.extend(early.map(|asked| starts(asked, from, DemandChange::NotBefore)));
        kinds
    }
}

/// From the demanded amount, at 0, to the least that a node has.
fn less_of<'k>(slots: &SlotList, name: &'k str, asked: f64) -> Kind<'k, DemandChange> {
    let had = nodes_of(slots).into_iter().filter_map(|node| Some(slots.features(node)?.amount(name)));
    let mut less: Vec<f64> = had.chain([0.0]).filter(|had| *had < asked).collect();
    sort(&mut less, &|a, b| b.total_cmp(a));
    less.dedup();
    let least = less.len() as i64;
    let change = move |at: i64| {
        let amount = *less.get(usize::try_from(at).ok()?.checked_sub(1)?)?;
        Some(DemandChange::AtLeast { name: name.to_owned(), amount })
    };
    (0, vec![least], Box::new(change))
}

/// Another start: the nearest later one, and the first earlier one.
fn other_starts(
    demands: &Demands,
    asked: Time,
    mut start: impl FnMut(&Demands) -> Result<Option<Time>, WindowError>,
) -> Result<Vec<Kind<'static, DemandChange>>, WindowError> {
    let free = demands.clone().lift_start();
    let after = Time::new(asked.get().next_up()).unwrap_or(asked);
    let after = demands.not_before().map_or(after, |bound| bound.max(after));
    let later = start(&free.clone().with_not_before(after))?.filter(|later| *later >= asked);
    let earlier = start(&free)?.filter(|earlier| *earlier < asked);
    let later = later.map(|later| starts(asked, later, DemandChange::LaterStart));
    let earlier = earlier.map(|earlier| starts(asked, earlier, DemandChange::EarlierStart));
    Ok(later.into_iter().chain(earlier).collect())
}

/// A change that there is only one of.
fn once<'a>(change: DemandChange) -> Kind<'a, DemandChange> {
    (0, vec![1], Box::new(move |_| Some(change.clone())))
}

/// Starts between the one asked for and another.
fn starts<'a>(asked: Time, other: Time, change: fn(Time) -> DemandChange) -> Kind<'a, DemandChange> {
    let at = move |at: i64| Time::new(at_place(at)).ok().map(change);
    (position(asked.get()), vec![position(other.get())], Box::new(at))
}

/// The nodes of these slots, ascending.
pub(super) fn nodes_of(slots: &SlotList) -> Vec<NodeId> {
    let mut nodes: Vec<NodeId> = slots.iter().map(Slot::node).collect();
    sort(&mut nodes, &Ord::cmp);
    nodes.dedup();
    nodes
}
