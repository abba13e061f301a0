//! Lists after all kinds of changes, compared with a plain table of the free intervals of each node.

mod case;
mod plain;
mod suits;

use crate::judge::{Verdict, ensure};
use case::Change;
pub(crate) use case::{Case, Having, Round};
use econsched::sched_model::{Node, NodeId, Placement, Slot, SlotList, Span, Tariff, Time, Window, Work};
use econsched::testkit::{NodeCase, beside};
use plain::{Piece, Plain, ever};
use suits::suits;

/// Whether a change is possible, and whether the list has made it.
type Made = [bool; 2];

impl Case {
    /// The window of a change; `None` if it cannot be made.
    fn window(&self, list: &SlotList, change: &Change) -> Option<Window> {
        let mut placements = Vec::new();
        let start = match change {
            Change::Cut { at, from, spans } => {
                let start = list.iter().nth(at % list.len().max(1))?.start.max(*from);
                let free = list.iter().filter(|slot| slot.start <= start && start < slot.end);
                for (slot, &span) in free.zip(spans) {
                    placements.push(Placement::on(slot, start, span.min(slot.end - start), list.tariff()));
                }
                start
            }
            Change::Window { before, start, places, .. } => {
                let start = *start - *before;
                for &(at, end) in places {
                    let slot = Slot::new(self.node(at), start, end).ok()?;
                    placements.push(Placement::on(&slot, start, end - start, &Tariff::default()));
                }
                start
            }
            _ => return None,
        };
        Window::new(start, placements).ok()
    }

    /// Makes a change in the list and in the plain table.
    fn apply(
        &self,
        list: &mut SlotList,
        plain: &mut Plain,
        taken: &mut Vec<Window>,
        change: &Change,
    ) -> Verdict<Made> {
        let (first, last) = ever();
        let id = |at: usize| self.node(at).id;
        Ok(match *change {
            Change::Cut { .. } | Change::Window { .. } => {
                let Some(window) = self.window(list, change) else { return Ok([true; 2]) };
                if matches!(change, Change::Window { back: true, .. }) {
                    let right = plain.put_back(&window, window.start());
                    return Ok([right, list.give_back(&window, window.start()).is_ok()]);
                }
                let cut = |held: &Placement| plain.cut(held.node, window.start(), held.end);
                let right = window.placements().iter().all(cut);
                let done = list.cut(&window).is_ok();
                if done && matches!(change, Change::Cut { .. }) {
                    taken.push(window);
                }
                [right, done]
            }
            Change::GiveBackRest(..) | Change::Lengthen(..) if taken.is_empty() => [true; 2],
            Change::GiveBackRest(which, now) => {
                let window = taken.swap_remove(which % taken.len());
                [plain.put_back(&window, now), list.give_back(&window, now).is_ok()]
            }
            Change::Lengthen(which, more) => {
                let which = which % taken.len();
                lengthen(list, plain, &mut taken[which], more)?
            }
            Change::Block(at, from, to) => {
                [pieces(list.block(id(at), from..to)) == plain.take(id(at), from, to), true]
            }
            Change::Remove(at) => [pieces(list.block(id(at), ..)) == plain.take(id(at), first, last), true],
            Change::Reprice(at, price, from) => {
                list.reprice(id(at), price, from);
                let mut later = plain.take(id(at), from, last).into_iter();
                [later.all(|piece| plain.put(id(at), piece.0, piece.1, price)), true]
            }
            Change::Advance(now) => {
                list.advance(now);
                for id in plain.free.keys().copied().collect::<Vec<_>>() {
                    plain.take(id, first, now);
                }
                [true; 2]
            }
            Change::Extend(ref ids, from, to) => {
                let nodes: Vec<Node> = ids.iter().map(|&at| self.node(at)).collect();
                // If a node is named twice, its time is already free the second time.
                let right = nodes.iter().all(|node| plain.put(node.id, from, to, node.price));
                [right, list.extend(&nodes, from, to).is_ok()]
            }
            Change::Features(at, ref features) => {
                list.set_features(id(at), features.clone());
                [true; 2]
            }
            // The search for a node that is not there makes the index by node.
            Change::Index => [list.block(NodeId(u32::MAX - 1), ..).is_empty(), true],
        })
    }

    /// Makes all changes and judges them. After each round, `asked` judges the queries on the list and on a list
    /// rebuilt from its slots.
    pub(crate) fn judge(&self, asked: &mut dyn FnMut(&Round, [&SlotList; 2]) -> Verdict) -> Verdict {
        let mut list = NodeCase::slots(&self.nodes)?.with_tariff(self.tariff);
        let (mut taken, mut plain) = (Vec::new(), Plain::of(&list));
        for (at, round) in self.rounds.iter().enumerate() {
            for change in &round.changes {
                let mut after = plain.clone();
                let [right, done] = self.apply(&mut list, &mut after, &mut taken, change)?;
                ensure!(done == right, "a change is made: {}, should be: {}", done, right);
                if done {
                    plain = after;
                }
                let found = list.iter().map(|slot| (slot.start, slot.node, slot.end, slot.price));
                let (found, right) = (found.collect::<Vec<_>>(), plain.slots());
                let all = found == right && found.len() == list.len();
                ensure!(all, "free are {found:?}, should be {right:?}");
            }
            reads(&list)?;
            let having = self.having_after(&self.rounds[..=at]);
            let fresh = SlotList::new(list.iter().copied().collect())?.with_tariff(self.tariff);
            let fresh = fresh.with_features(having.iter().map(|(&node, &of)| (node, of.clone())))?;
            ensure!(list == fresh && list.len() == fresh.len(), "the list is not what its slots are");
            suits(round, &having, &list)?;
            asked(round, [&list, &fresh])?;
            // What is read from its text is the list, with the seams that its slots do not show. A window may have
            // left an instant that no text may have.
            if list.iter().all(|slot| slot.start >= Time::must(-1e60)) {
                let text = serde_json::to_string(&list)?;
                let read: SlotList = serde_json::from_str(&text)?;
                ensure!(read == list, "another list is read from {text}");
                list = if at % 2 == 1 { read } else { list };
            }
        }
        Ok(())
    }
}

fn pieces(slots: Vec<Slot>) -> Vec<Piece> {
    slots.iter().map(|slot| (slot.start, slot.end, slot.price)).collect()
}

/// Holds the first node of a window for longer.
fn lengthen(list: &mut SlotList, plain: &mut Plain, window: &mut Window, more: Span) -> Verdict<Made> {
    let held = window.placements()[0];
    let until = held.end + more;
    let mut at = held.end;
    // Prices of the pieces and seams between them are irrelevant.
    let mut ahead = plain.take(held.node, held.end, until).into_iter();
    let right = ahead.all(|piece| std::mem::replace(&mut at, piece.1) == piece.0) && at == until;
    let Ok(longer) = list.lengthen(window, held.node, until) else { return Ok([right, false]) };
    ensure!(longer.takes(held.node, held.end, until), "{longer} is not longer");
    ensure!(!window.takes(held.node, held.end, until), "{window} was as long");
    let cost = list.tariff().charge(held.price, until - window.start());
    let charged = longer.placements().iter().any(|p| p.node == held.node && p.cost == cost);
    ensure!(charged, "{longer} does not cost {cost} on node {}", held.node);
    *window = longer;
    Ok([right, true])
}

/// Checks all queries that do not change the list.
fn reads(list: &SlotList) -> Verdict {
    let before_all = ever().0;
    ensure!(list.runs_alive_at(before_all).all(|run| !run.is_empty()), "a run without slots");
    for at in [0.0, 3.0, 8.0, 21.0].map(Time::must) {
        let alive = |slot: &&Slot| slot.end > at;
        let found = list.runs_alive_at(at).flatten().filter(alive);
        ensure!(found.eq(list.iter().filter(alive)), "other slots are alive at {at}");
        // `since` equals a list built from the slots after the instant, in the same runs.
        let later =
            list.iter().filter_map(|slot| Slot::new((*slot).into(), slot.start.max(at), slot.end).ok());
        let (since, anew) = (list.since(at), list.with_slots(later.collect())?);
        let alike =
            since == anew && since.len() == anew.len() && since.runs_alive_at(at).eq(anew.runs_alive_at(at));
        ensure!(alike, "from {at} on another list than of its slots");
        let needed = list.runs_alive_at(at).all(|run| run.iter().any(|slot| slot.end > at));
        ensure!(needed, "a run is read for nothing at {at}");
    }
    // A run has room if the work fits into one of its slots, in spite of rounding as a search tests it, and the
    // stated charge is at most the lowest charge in the run.
    let fits = |slot: &Slot, work: Work| slot.start + work / slot.speed <= slot.end;
    let most_in = |slot: &Slot| {
        let most = (slot.end - slot.start).get() * slot.speed.get();
        let near = (0..4).rev().filter_map(|steps| Work::try_from(beside(most, steps)).ok());
        near.into_iter().find(|&work| fits(slot, work))
    };
    for work in list.iter().take(20).filter_map(most_in).chain([0.5, 2.0, 7.0, 30.0].map(Work::must)) {
        for (run, room) in list.runs_with_room(before_all, work) {
            let most =
                run.iter().map(|slot| (slot.end - slot.start).get() * slot.speed.get()).fold(0.0, f64::max);
            let right = room.is_some() == (most >= work.get()) || (most - work.get()).abs() < 1e-9 * most;
            let hides = room.is_none() && run.iter().any(|slot| fits(slot, work));
            ensure!(right && !hides, "{room:?} for {work}, and {most} is free");
            let charge = |slot: &Slot| list.tariff().charge(slot.price, work / slot.speed).get();
            let least = run.iter().map(charge).fold(f64::INFINITY, f64::min);
            let told = room.unwrap_or(least);
            let tight = told >= least * (1.0 - 1e-14) - 1e-300 || !list.tariff().is_plain();
            ensure!(told <= least && tight, "{work} is said to cost {told:?}, and costs {least:?}");
        }
    }
    Ok(())
}
