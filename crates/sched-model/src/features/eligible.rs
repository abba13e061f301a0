//! Demands compiled for one list.

use super::{Demands, FeatureTable, Features};
use crate::{ResourceRequest, Slot, Span, order};
use std::sync::Arc;

/// [`Demands`] compiled for one list: which slots are on nodes that meet them, and which nodes may be
/// combined. It stores an answer and two numbers for each kind of node (nodes with equal features).
///
/// Made by [`SlotList::eligible`](crate::SlotList::eligible), and valid for that list, its clones, and the
/// lists that remain after cuts.
#[derive(Debug, Clone)]
#[must_use]
pub struct Eligible {
    demands: Demands,
    table: Option<Arc<FeatureTable>>,
    /// Whether nodes of each kind meet the demands.
    meets: Vec<bool>,
    all: bool,
    /// For each kind the number of its value of the label to pack by, in order of values; empty where nodes
    /// are not packed.
    pack: Vec<u32>,
    /// The same of the label to spread by.
    spread: Vec<u32>,
}

/// The number of each kind's value of a label, in order of values; 0 for those without one.
fn numbered(kinds: &[Features], label: Option<&str>) -> Vec<u32> {
    let Some(label) = label else { return Vec::new() };
    let values: Vec<Option<&str>> = kinds.iter().map(|features| features.value(label)).collect();
    let mut distinct: Vec<&str> = values.iter().flatten().copied().collect();
    order::sort(&mut distinct, &|a, b| a.cmp(b));
    distinct.dedup();
    let number = |value| distinct.binary_search(&value).map_or(0, |at| at as u32);
    values.into_iter().map(|value| value.map_or(0, number)).collect()
}

impl Eligible {
    pub(crate) fn new(table: Option<Arc<FeatureTable>>, demands: &Demands) -> Self {
        let none = [Features::default()];
        let kinds = table.as_ref().map_or(&none[..], |table| table.kinds());
        let meets: Vec<bool> = kinds.iter().map(|features| demands.are_met(features)).collect();
        Self {
            all: meets.iter().all(|&met| met),
            meets,
            pack: numbered(kinds, demands.pack()),
            spread: numbered(kinds, demands.spread().map(super::Spread::label)),
            demands: demands.clone(),
            table,
        }
    }

    /// The demands that were compiled.
    pub fn demands(&self) -> &Demands {
        &self.demands
    }

    pub(crate) fn is_of(&self, table: Option<&Arc<FeatureTable>>) -> bool {
        self.table.as_ref().map(Arc::as_ptr) == table.map(Arc::as_ptr)
    }

    /// Whether every slot is allowed, so that [`allows`](Self::allows) need not be called.
    #[inline]
    pub fn allows_all(&self) -> bool {
        self.all
    }

    /// Whether the slot's node meets the demands.
    #[inline]
    pub fn allows(&self, slot: &Slot) -> bool {
        self.meets.get(slot.kind() as usize).copied().unwrap_or(false)
    }

    /// A number that two slots share if their nodes have the same value of the label to pack by; the numbers
    /// are in the order of the values. 0 where nodes are not packed.
    #[inline]
    pub fn pack_of(&self, slot: &Slot) -> u32 {
        self.pack.get(slot.kind() as usize).copied().unwrap_or(0)
    }

    /// As [`pack_of`](Self::pack_of), by the label to spread by.
    #[inline]
    pub fn spread_of(&self, slot: &Slot) -> u32 {
        self.spread.get(slot.kind() as usize).copied().unwrap_or(0)
    }

    /// The span of a task of the request on the slot's node: that of the demands, else work / speed.
    #[inline]
    pub fn span_on(&self, slot: &Slot, request: &ResourceRequest) -> Span {
        self.demands.spans().on(slot.node()).unwrap_or_else(|| request.span_on(slot.speed()))
    }
}
