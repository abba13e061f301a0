//! The slot list against plain intervals.

use crate::rng::Rng;
use crate::target::{Fault, Target, Verdict, ensure, part};
use econsched::sched_model::{Node, NodeId, Placement, Price, Slot, SlotList, Span, Speed, Time, Window};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub(crate) struct SlotLists;

#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
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

impl Target for SlotLists {
    type Case = Case;

    fn generate(rng: &mut Rng) -> Case {
        let wild = rng.percent(10);
        let count = if rng.percent(3) { 200 } else { rng.range(1, 6) };
        let nodes: Vec<Vec<(f64, f64)>> = (0..count)
            .map(|_| {
                let mut at = if wild { *rng.pick(&[-1e60, 0.0, 1e16]) } else { 0.0 };
                let mut free = Vec::new();
                for _ in 0..rng.range(0, 4) {
                    let start = at + rng.below(3) as f64 / 2.0;
                    let end = start + rng.range(1, 8) as f64 / 2.0;
                    if start < end {
                        free.push((start, end));
                    }
                    at = end;
                }
                free
            })
            .collect();
        let steps = (0..rng.range(1, 30))
            .map(|_| {
                let start = rng.below(20) as f64 / 2.0;
                let mut placements: Vec<(u32, f64)> = (0..rng.range(1, 3))
                    .map(|_| (rng.below(count + 1) as u32, start + rng.range(1, 6) as f64 / 2.0))
                    .collect();
                placements.dedup_by_key(|placement| placement.0);
                let before = if wild && rng.percent(20) { 1e60 } else { 0.0 };
                Step {
                    give_back: rng.percent(40),
                    of_nodes: rng.percent(40),
                    before,
                    start: if before > 0.0 { -1e60 } else { start },
                    placements,
                }
            })
            .collect();
        Case { nodes, steps }
    }

    fn judge(case: &Case) -> Verdict {
        let node = |id: u32| Ok::<_, Fault>(Node::new(NodeId(id), Speed::ETALON, Price::new(1.0)?));
        let mut slots = Vec::new();
        let mut plain = Plain::new();
        for (id, free) in (0..).zip(&case.nodes) {
            for &(start, end) in free {
                slots.push(part(Slot::new(node(id)?, part(Time::new(start))?, part(Time::new(end))?))?);
                plain.entry(id).or_default().slots.push((start + 0.0, end + 0.0));
            }
            let touching = free.windows(2).filter(|pair| pair[0].1 == pair[1].0).map(|pair| pair[1].0);
            plain.entry(id).or_default().seams.extend(touching);
        }
        let Ok(mut list) = SlotList::new(slots) else { return Ok(()) };
        for step in &case.steps {
            let start = part(Time::new(step.start))? - part(Span::new(step.before))?;
            let mut placements = Vec::new();
            for &(id, end) in &step.placements {
                let of = node(id)?;
                let end = part(Time::new(end))?;
                placements.push(Placement::on(&part(Slot::new(of, start, end))?, start, end - start));
            }
            let Ok(window) = Window::new(start, placements) else { continue };
            // Ends as the sum of start and span rounds.
            let ends: Vec<(u32, f64)> = window.placements().iter().map(|p| (p.node.0, p.end.get())).collect();
            let mut next = plain.clone();
            let before: Vec<Slot> = list.iter().copied().collect();
            if step.of_nodes {
                for &(id, end) in &ends {
                    let (own, until) = (next.entry(id).or_default(), part(Time::new(end))?);
                    if step.give_back {
                        let expected = own.give_back(start.get(), end);
                        let done = list.free(node(id)?, start, until).is_ok();
                        ensure!(done == expected, "free at {start}: {done}, should be {expected}");
                    } else {
                        let blocked = list.block(NodeId(id), start, until);
                        let blocked: Vec<(f64, f64)> =
                            blocked.iter().map(|slot| (slot.start().get(), slot.end().get())).collect();
                        let expected = own.block(start.get(), end);
                        ensure!(blocked == expected, "blocked {blocked:?}, should be {expected:?}");
                    }
                }
                plain = next;
                compare(&list, &plain)?;
                continue;
            }
            let expected = ends.iter().all(|&(id, end)| {
                let own = next.entry(id).or_default();
                if step.give_back { own.give_back(start.get(), end) } else { own.cut(start.get(), end) }
            });
            let done =
                if step.give_back { list.give_back(&window).is_ok() } else { list.cut(&window).is_ok() };
            ensure!(
                done == expected,
                "{} at {start}: {done}, should be {expected}",
                if step.give_back { "give back" } else { "cut" }
            );
            if done {
                plain = next;
            } else {
                ensure!(list.iter().copied().eq(before), "a refused change changed the list");
            }
            compare(&list, &plain)?;
        }
        Ok(())
    }
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
            if before {
                from = slot.0;
            }
            if after {
                to = slot.1;
            }
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

fn compare(list: &SlotList, plain: &Plain) -> Verdict {
    let mut expected: Vec<(f64, u32, f64)> = plain
        .iter()
        .flat_map(|(&id, free)| free.slots.iter().map(move |slot| (slot.0, id, slot.1)))
        .collect();
    expected.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let found: Vec<(f64, u32, f64)> =
        list.iter().map(|slot| (slot.start().get(), slot.node().0, slot.end().get())).collect();
    ensure!(found == expected, "the list holds {found:?}, should {expected:?}");
    ensure!(list.len() == found.len(), "{} slots, says {}", found.len(), list.len());
    Ok(())
}
