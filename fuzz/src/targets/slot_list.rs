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
    /// Taken off the start by subtraction, which no constructor checks.
    before: f64,
    start: f64,
    /// Node and end of each placement.
    placements: Vec<(u32, f64)>,
}

type Plain = BTreeMap<u32, Vec<(f64, f64)>>;

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
                plain.entry(id).or_default().push((start + 0.0, end + 0.0));
            }
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
            // Ends as they came out of start + span.
            let ends: Vec<(u32, f64)> = window.placements().iter().map(|p| (p.node.0, p.end.get())).collect();
            let mut next = plain.clone();
            let expected = ends.iter().all(|&(id, end)| {
                let free = next.entry(id).or_default();
                let given = case.nodes.get(id as usize).map_or(&[][..], Vec::as_slice);
                if step.give_back {
                    give_back(free, start.get(), end, given)
                } else {
                    cut(free, start.get(), end)
                }
            });
            let before: Vec<Slot> = list.iter().copied().collect();
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

fn cut(free: &mut Vec<(f64, f64)>, start: f64, end: f64) -> bool {
    let Some(at) = free.iter().position(|slot| slot.0 <= start && end <= slot.1 && start < slot.1) else {
        return false;
    };
    let slot = free.remove(at);
    free.extend([(slot.0, start), (end, slot.1)].into_iter().filter(|slot| slot.0 < slot.1));
    true
}

/// Slots that touch as they were `given` stay apart.
fn give_back(free: &mut Vec<(f64, f64)>, start: f64, end: f64, given: &[(f64, f64)]) -> bool {
    let is_seam = |at: f64| given.windows(2).any(|pair| pair[0].1 == at && pair[1].0 == at);
    if free.iter().any(|slot| slot.0 < end && start < slot.1) {
        return false;
    }
    let (mut from, mut to) = (start, end);
    free.retain(|slot| {
        let before = slot.1 == start && !is_seam(start);
        let after = slot.0 == end && !is_seam(end);
        if before {
            from = slot.0;
        }
        if after {
            to = slot.1;
        }
        !before && !after
    });
    free.push((from, to));
    true
}

fn compare(list: &SlotList, plain: &Plain) -> Verdict {
    let mut expected: Vec<(f64, u32, f64)> =
        plain.iter().flat_map(|(&id, free)| free.iter().map(move |slot| (slot.0, id, slot.1))).collect();
    expected.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let found: Vec<(f64, u32, f64)> =
        list.iter().map(|slot| (slot.start().get(), slot.node().0, slot.end().get())).collect();
    ensure!(found == expected, "the list holds {found:?}, should {expected:?}");
    ensure!(list.len() == found.len(), "{} slots, says {}", found.len(), list.len());
    Ok(())
}
