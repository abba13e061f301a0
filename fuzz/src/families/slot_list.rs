//! The slot list against plain intervals.

use crate::family::{Judged, Verdict, Wrong, ensure, part, seen};
use econsched::sched_model::{Node, NodeId, Placement, Price, Slot, SlotList, Span, Speed, Time, Window};
use econsched::testkit::{Draw, Family};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Default)]
pub(super) struct SlotLists;

#[derive(Serialize, Deserialize)]
pub(super) struct Case {
    /// Free intervals of each node.
    nodes: Vec<Vec<(f64, f64)>>,
    steps: Vec<Step>,
}

#[derive(Serialize, Deserialize)]
struct Step {
    give_back: bool,
    /// Node by node, by `block` and `free` instead of `cut` and `give_back`.
    #[serde(default)]
    of_nodes: bool,
    /// Subtracted from the start, which no constructor checks.
    before: f64,
    start: f64,
    /// Node and end of each placement.
    placements: Vec<(u32, f64)>,
}

type Plain = BTreeMap<u32, Free>;

/// The free time of a node.
#[derive(Clone, Default)]
struct Free {
    slots: Vec<(f64, f64)>,
    /// Where two that touch stay apart.
    seams: Vec<f64>,
}

impl Family for SlotLists {
    type Case = Case;

    fn draw(draw: &mut Draw) -> Case {
        let wild = draw.chance(10);
        let count = if draw.chance(3) { 200 } else { draw.between(1, 6) };
        let node = |_| {
            let mut at = if wild { draw.of([-1e60, 0.0, 1e16]) } else { 0.0 };
            let mut free = Vec::new();
            for _ in 0..draw.below(5) {
                let start = at + draw.below(3) as f64 / 2.0;
                at = start + draw.between(1, 8) as f64 / 2.0;
                free.extend((start < at).then_some((start, at)));
            }
            free
        };
        let nodes = (0..count).map(node).collect();
        let steps = draw.between(1, 30);
        let step = |_| {
            let start = draw.below(20) as f64 / 2.0;
            let mut placement = |_| (draw.below(count + 1) as u32, start + draw.between(1, 6) as f64 / 2.0);
            let mut placements: Vec<(u32, f64)> = (0..3).map(&mut placement).collect();
            placements.truncate(draw.between(1, 3));
            placements.dedup_by_key(|placement| placement.0);
            let before = if wild && draw.chance(20) { 1e60 } else { 0.0 };
            let start = if before > 0.0 { -1e60 } else { start };
            Step { give_back: draw.chance(40), of_nodes: draw.chance(40), before, start, placements }
        };
        let steps = (0..steps).map(step).collect();
        Case { nodes, steps }
    }

    fn judge(&self, case: &Case) -> Judged {
        seen(judge(case))
    }
}

fn judge(case: &Case) -> Verdict {
    let node = |id: u32| Ok::<_, Wrong>(Node::new(NodeId(id), Speed::ETALON, Price::new(1.0)?));
    let (mut slots, mut plain) = (Vec::new(), Plain::new());
    for (id, free) in (0..).zip(&case.nodes) {
        let own = plain.entry(id).or_default();
        for &(start, end) in free {
            slots.push(part(Slot::new(node(id)?, part(Time::new(start))?, part(Time::new(end))?))?);
            own.slots.push((start + 0.0, end + 0.0));
        }
        own.seams.extend(free.windows(2).filter(|pair| pair[0].1 == pair[1].0).map(|pair| pair[1].0));
    }
    let mut list = part(SlotList::new(slots))?;
    for step in &case.steps {
        let start = part(Time::new(step.start))? - part(Span::new(step.before))?;
        let mut placements = Vec::new();
        for &(id, end) in &step.placements {
            let end = part(Time::new(end))?;
            placements.push(Placement::on(&part(Slot::new(node(id)?, start, end))?, start, end - start));
        }
        let Ok(window) = Window::new(start, placements) else { continue };
        // Ends as the sum of start and span rounds.
        let ends: Vec<(u32, Time)> = window.placements().iter().map(|p| (p.node.0, p.end)).collect();
        let (mut next, before, from) = (plain.clone(), list.clone(), start.get());
        if step.of_nodes {
            for &(id, until) in &ends {
                let own = next.entry(id).or_default();
                if step.give_back {
                    let right = own.give_back(from, until.get());
                    let done = list.free(node(id)?, start, until).is_ok();
                    ensure!(done == right, "free at {start}: {done}, should be {right}");
                } else {
                    let blocked = list.block(NodeId(id), start, until);
                    let blocked: Vec<(f64, f64)> =
                        blocked.iter().map(|slot| (slot.start().get(), slot.end().get())).collect();
                    let right = own.block(from, until.get());
                    ensure!(blocked == right, "blocked {blocked:?}, should be {right:?}");
                }
            }
            plain = next;
        } else {
            let right = ends.iter().all(|&(id, end)| {
                let own = next.entry(id).or_default();
                if step.give_back { own.give_back(from, end.get()) } else { own.cut(from, end.get()) }
            });
            let done = if step.give_back { list.give_back(&window) } else { list.cut(&window) }.is_ok();
            ensure!(done == right, "back {}, at {start}: {done}, should be {right}", step.give_back);
            ensure!(done || list == before, "a refused change changed the list");
            if done {
                plain = next;
            }
        }
        let mut right: Vec<(f64, u32, f64)> = plain
            .iter()
            .flat_map(|(&id, free)| free.slots.iter().map(move |slot| (slot.0, id, slot.1)))
            .collect();
        right.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let found: Vec<(f64, u32, f64)> =
            list.iter().map(|slot| (slot.start().get(), slot.node().0, slot.end().get())).collect();
        ensure!(found == right, "the list holds {found:?}, should {right:?}");
        ensure!(list.len() == found.len(), "{} slots, says {}", found.len(), list.len());
    }
    Ok(())
}

impl Free {
    fn cut(&mut self, start: f64, end: f64) -> bool {
        let covers = |slot: &(f64, f64)| slot.0 <= start && end <= slot.1 && start < slot.1;
        let Some(at) = self.slots.iter().position(covers) else { return false };
        let slot = self.slots.remove(at);
        self.slots.extend([(slot.0, start), (end, slot.1)].into_iter().filter(|slot| slot.0 < slot.1));
        true
    }

    /// Slots that touch as they were given stay apart, unless one piece that comes back covers the place.
    fn give_back(&mut self, start: f64, end: f64) -> bool {
        if self.slots.iter().any(|slot| slot.0 < end && start < slot.1) {
            return false;
        }
        self.seams.retain(|&at| !(start < at && at < end));
        let (mut from, mut to) = (start, end);
        let seams = &self.seams;
        self.slots.retain(|slot| {
            let before = slot.1 == start && !seams.contains(&start);
            let after = slot.0 == end && !seams.contains(&end);
            from = if before { slot.0 } else { from };
            to = if after { slot.1 } else { to };
            !before && !after
        });
        self.slots.push((from, to));
        true
    }

    /// What was free there, in order.
    fn block(&mut self, start: f64, end: f64) -> Vec<(f64, f64)> {
        let parts = |slot: &(f64, f64)| (slot.0.max(start), slot.1.min(end));
        let mut blocked: Vec<(f64, f64)> =
            self.slots.iter().map(parts).filter(|part| part.0 < part.1).collect();
        blocked.sort_by(|a, b| a.0.total_cmp(&b.0));
        for &(from, to) in &blocked {
            self.cut(from, to);
        }
        blocked
    }
}
