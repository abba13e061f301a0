//! Lists through all their changes, compared with the free pieces of each node.

mod case;
mod plain;
mod suits;

use crate::judge::{Verdict, ensure, part};
use case::Change;
pub(crate) use case::{Case, Having, Round};
use econsched::sched_model::{Demands, NodeId, Placement, Price, Slot, SlotList, Span, Time, Window, Work};
use econsched::testkit::TariffCase;
use plain::{Piece, Plain, ever};
use suits::suits;

/// Whether a change is possible, and whether the list has made it.
struct Made {
    right: bool,
    done: bool,
}

impl Case {
    /// The window of a change; `None` if it cannot be made.
    fn window(&self, list: &SlotList, change: &Change) -> Verdict<Option<Window>> {
        let time = |at: f64| part(Time::new(at));
        let (mut placements, start);
        match change {
            Change::Cut { at, from, spans } => {
                let Some(first) = list.iter().nth(at % list.len().max(1)) else { return Ok(None) };
                start = first.start().max(time(*from)?);
                placements = Vec::new();
                let free = list.iter().filter(|slot| slot.start() <= start && start < slot.end());
                for (slot, &span) in free.zip(spans) {
                    let span = part(Span::new(span))?.min(slot.end() - start);
                    placements.push(list.placement(slot, start, span));
                }
            }
            Change::Window { before, start: from, places, .. } => {
                start = time(*from)? - part(Span::new(*before))?;
                placements = Vec::new();
                for &(at, end) in places {
                    let end = time(end)?;
                    let Ok(slot) = Slot::new(self.node(at)?, start, end) else { return Ok(None) };
                    placements.push(Placement::on(&slot, start, end - start));
                }
            }
            _ => return Ok(None),
        }
        Ok(Window::new(start, placements).ok())
    }

    /// Makes a change in the list and in the plain table.
    fn apply(
        &self,
        list: &mut SlotList,
        plain: &mut Plain,
        taken: &mut Vec<Window>,
        change: &Change,
    ) -> Verdict<Made> {
        match change {
            Change::Cut { .. } | Change::Window { .. } => self.of_window(list, plain, taken, change),
            Change::GiveBackRest(..) | Change::Lengthen(..) => self.of_window(list, plain, taken, change),
            _ => self.of_node(list, plain, change),
        }
    }

    fn of_window(
        &self,
        list: &mut SlotList,
        plain: &mut Plain,
        taken: &mut Vec<Window>,
        change: &Change,
    ) -> Verdict<Made> {
        let time = |at: f64| part(Time::new(at));
        let always = |right: bool| Ok(Made { right, done: true });
        match change {
            Change::Cut { .. } | Change::Window { back: false, .. } => {
                let Some(window) = self.window(list, change)? else { return always(true) };
                let cut = |held: &Placement| plain.cut(held.node, window.start(), held.end);
                let right = window.placements().iter().all(cut);
                let done = list.cut(&window).is_ok();
                if done && matches!(change, Change::Cut { .. }) {
                    taken.push(window);
                }
                Ok(Made { right, done })
            }
            Change::Window { .. } => {
                let Some(window) = self.window(list, change)? else { return always(true) };
                let right = put_back(plain, &window, window.start());
                Ok(Made { right, done: list.give_back(&window).is_ok() })
            }
            Change::GiveBackRest(which, now) if !taken.is_empty() => {
                let window = taken.swap_remove(which % taken.len());
                let right = put_back(plain, &window, time(*now)?);
                Ok(Made { right, done: list.give_back_rest(&window, time(*now)?).is_ok() })
            }
            Change::Lengthen(which, more) if !taken.is_empty() => {
                let which = which % taken.len();
                let window = &mut taken[which];
                let held = window.placements()[0];
                let until = held.end + part(Span::new(*more))?;
                let ahead = plain.within(held.node, held.end, until);
                let mut at = held.end;
                // Prices of the pieces and seams between them are irrelevant.
                let right = ahead.iter().all(|piece| std::mem::replace(&mut at, piece.1) == piece.0);
                plain.take(held.node, held.end, until);
                let longer = list.lengthen(window, held.node, until);
                let done = longer.is_ok();
                if let Ok(longer) = longer {
                    ensure!(longer.takes(held.node, held.end, until), "{longer} is not longer");
                    ensure!(!window.takes(held.node, held.end, until), "{window} was as long");
                    let cost = list.tariff().charge(held.price, until - window.start());
                    let charged = longer.placements().iter().any(|p| p.node == held.node && p.cost == cost);
                    ensure!(charged, "{longer} does not cost {cost} on node {}", held.node);
                    *window = longer;
                }
                Ok(Made { right: right && at == until, done })
            }
            _ => always(true),
        }
    }

    fn of_node(&self, list: &mut SlotList, plain: &mut Plain, change: &Change) -> Verdict<Made> {
        let time = |at: f64| part(Time::new(at));
        let always = |right: bool| Ok(Made { right, done: true });
        let whole = ever();
        match change {
            Change::Block(..) | Change::Remove(_) => {
                let (at, from, to) = match *change {
                    Change::Block(at, from, to) => (at, time(from)?, time(to)?),
                    Change::Remove(at) => (at, whole.0, whole.1),
                    _ => return always(true),
                };
                let id = self.id(at);
                let gone = if let Change::Remove(_) = change {
                    list.remove_node(id)
                } else {
                    list.block(id, from, to)
                };
                let gone: Vec<Piece> =
                    gone.iter().map(|slot| (slot.start(), slot.end(), slot.price())).collect();
                let right = gone == plain.within(id, from, to);
                plain.take(id, from, to);
                always(right)
            }
            Change::Free(at, from, to) => {
                let (node, from, to) = (self.node(*at)?, time(*from)?, time(*to)?);
                Ok(Made {
                    right: plain.put(node.id, from, to, node.price),
                    done: list.free(node, from, to).is_ok(),
                })
            }
            Change::Take(at, from, to) => {
                let (id, from, to) = (self.id(*at), time(*from)?, time(*to)?);
                Ok(Made { right: plain.cut(id, from, to), done: list.take(id, from, to).is_ok() })
            }
            Change::Reprice(at, price, from) => {
                let (id, price, from) = (self.id(*at), part(Price::new(*price))?, time(*from)?);
                list.reprice(id, price, from);
                let later = plain.within(id, from, whole.1);
                plain.take(id, from, whole.1);
                always(later.iter().all(|piece| plain.put(id, piece.0, piece.1, price)))
            }
            Change::Advance(now) => {
                let now = time(*now)?;
                list.advance(now);
                plain
                    .free
                    .keys()
                    .copied()
                    .collect::<Vec<_>>()
                    .into_iter()
                    .for_each(|id| plain.take(id, whole.0, now));
                always(true)
            }
            Change::Extend(ids, from, to) => {
                let nodes = ids.iter().map(|&at| self.node(at)).collect::<Verdict<Vec<_>>>()?;
                let (from, to) = (time(*from)?, time(*to)?);
                // If a node is named twice, its time is already free the second time.
                let right = nodes.iter().all(|node| plain.put(node.id, from, to, node.price));
                Ok(Made { right, done: list.extend(&nodes, from, to).is_ok() })
            }
            Change::Features(at, features) => {
                list.set_features(self.id(*at), features.features()?);
                always(true)
            }
            _ => {
                // The search for time that is not free makes the index by node.
                let nowhere = (NodeId(u32::MAX), Time::must(-1e60), Time::must(1e60));
                Ok(Made { right: false, done: list.take(nowhere.0, nowhere.1, nowhere.2).is_ok() })
            }
        }
    }

    /// Makes all changes and judges them. After each round, `asked` judges the queries on the list and on a list
    /// rebuilt from its slots.
    pub(crate) fn judge(&self, asked: &mut dyn FnMut(&Self, &Round, [&SlotList; 2]) -> Verdict) -> Verdict {
        let mut slots = Vec::new();
        for (at, node) in self.nodes.iter().enumerate() {
            for &(start, end) in &node.free {
                slots.push(part(Slot::new(self.node(at)?, part(Time::new(start))?, part(Time::new(end))?))?);
            }
        }
        let tariff = self.tariff.as_ref().map(TariffCase::tariff).transpose()?.unwrap_or_default();
        let listed = |slots: Vec<Slot>, having: &Having<'_>| -> Verdict<SlotList> {
            let features = having.iter().map(|(&node, of)| Ok((node, of.features()?)));
            let features = features.collect::<Verdict<Vec<_>>>()?;
            Ok(SlotList::new(slots)?.with_tariff(tariff).with_features(features)?)
        };
        let mut list = listed(slots, &self.having_after(&[]))?;
        let (mut taken, mut plain) = (Vec::new(), Plain::of(&list));
        for (at, round) in self.rounds.iter().enumerate() {
            for change in &round.changes {
                let mut after = plain.clone();
                let made = self.apply(&mut list, &mut after, &mut taken, change)?;
                ensure!(
                    made.done == made.right,
                    "a change is made: {}, should be: {}",
                    made.done,
                    made.right
                );
                if made.done {
                    plain = after;
                }
                let found = list.iter().map(|slot| (slot.start(), slot.node(), slot.end(), slot.price()));
                let (found, right) = (found.collect::<Vec<_>>(), plain.slots());
                ensure!(
                    found == right && found.len() == list.len(),
                    "free are {found:?}, should be {right:?}"
                );
            }
            reads(&list, &plain)?;
            let having = self.having_after(&self.rounds[..=at]);
            let fresh = listed(list.iter().copied().collect(), &having)?;
            ensure!(list == fresh && list.len() == fresh.len(), "the list is not what its slots are");
            suits(round, &having, &list)?;
            asked(self, round, [&list, &fresh])?;
        }
        Ok(())
    }
}

/// Gives back the rest of a window from an instant on.
fn put_back(plain: &mut Plain, window: &Window, now: Time) -> bool {
    let start = window.start().max(now);
    let mut rest = window.placements().iter().filter(|held| start < held.end);
    rest.all(|held| plain.put(held.node, start, held.end, held.price))
}

/// Checks all queries that do not change the list.
fn reads(list: &SlotList, plain: &Plain) -> Verdict {
    ensure!(list.runs_alive_at(ever().0).all(|run| !run.is_empty()), "a run without slots");
    for at in [0.0, 3.0, 8.0, 21.0].map(Time::must) {
        let alive = |slot: &&Slot| slot.end() > at;
        let found = list.runs_alive_at(at).flatten().filter(alive);
        ensure!(found.eq(list.iter().filter(alive)), "other slots are alive at {at}");
        // `since` equals a list built from the slots after the instant, in the same runs.
        let (since, anew) = (list.since(at), list.only(&Demands::new().with_not_before(at)));
        let alike =
            since == anew && since.len() == anew.len() && since.runs_alive_at(at).eq(anew.runs_alive_at(at));
        ensure!(alike, "from {at} on another list than of its slots");
        let needed = list.runs_alive_at(at).all(|run| run.iter().any(|slot| slot.end() > at));
        ensure!(needed, "a run is read for nothing at {at}");
        let mut list = list.clone();
        for (&node, own) in plain.free.iter().take(9) {
            let before = own.iter().rfind(|piece| piece.0 < at).map(|piece| piece.0);
            let found = list.block(node, ever().0, at).last().map(Slot::start);
            ensure!(found == before, "before {at} on node {node}: {found:?}, is {before:?}");
        }
    }
    // A run has room if the work fits into one of its slots, and the stated charge is at most the least charge in
    // the run.
    let before_all = ever().0;
    for work in [0.5, 2.0, 7.0, 30.0].map(Work::must) {
        for (run, room) in list.runs_with_room(before_all, work) {
            let most = run.iter().map(|slot| slot.length().get() * slot.speed().get()).fold(0.0, f64::max);
            let near = (most - work.get()).abs() < 1e-9 * most;
            ensure!(
                room.is_some() == (most >= work.get()) || near,
                "{room:?} for {work}, and {most} is free"
            );
            let charge = |slot: &Slot| list.tariff().charge(slot.price(), work / slot.speed()).get();
            let least = run.iter().map(charge).fold(f64::INFINITY, f64::min);
            let told = room.unwrap_or(least);
            let tight = told >= least * (1.0 - 1e-14) - 1e-300 || !list.tariff().is_plain();
            let right = told <= least && tight;
            ensure!(right, "{work} is said to cost {told:?}, and costs {least:?}");
        }
    }
    Ok(())
}
