//! `SlotList` through all its changes, against a plain table of prices by node and unit of time.

use proptest::prelude::*;
use sched_model::*;
use std::collections::BTreeMap;

const NODES: u32 = 4;
const LAST: u32 = 40;

/// The price of each unit of time that is free, by node.
type Table = Vec<Vec<Option<u32>>>;

fn node(id: u32, price: u32) -> Node {
    Node::new(NodeId(id), Speed::must(1.0 + f64::from(id)), Price::must(f64::from(price)))
}

fn time(at: u32) -> Time {
    Time::must(f64::from(at))
}

/// What the table says the list holds: the longest stretches of one price.
fn stretches(table: &Table) -> Vec<(u32, u32, u32, u32)> {
    let mut found = Vec::new();
    for (id, cells) in table.iter().enumerate() {
        let mut at = 0;
        while at < cells.len() {
            let end = at + cells[at..].iter().take_while(|&&cell| cell == cells[at]).count();
            if let Some(price) = cells[at] {
                found.push((at as u32, id as u32, end as u32, price));
            }
            at = end;
        }
    }
    found.sort_unstable();
    found
}

fn held(list: &SlotList) -> Vec<(u32, u32, u32, u32)> {
    let slots: Vec<_> = list
        .iter()
        .map(|slot| {
            assert_eq!(slot.speed(), node(slot.node().0, 0).speed);
            (slot.start().get() as u32, slot.node().0, slot.end().get() as u32, slot.price().get() as u32)
        })
        .collect();
    assert_eq!(slots.len(), list.len());
    assert!(list.runs().all(|run| !run.is_empty()));
    for at in (0..LAST).step_by(3).map(time) {
        let alive = |slot: &&Slot| slot.end() > at;
        assert!(list.runs_alive_at(at).flatten().filter(alive).eq(list.iter().filter(alive)));
        // No run is read for nothing.
        assert!(list.runs_alive_at(at).all(|run| run.iter().any(|slot| slot.end() > at)));
    }
    slots
}

#[derive(Debug, Clone)]
enum Change {
    Cut(u32, Vec<(u32, u32)>),
    GiveBackRest(usize, u32),
    Lengthen(usize, usize, u32),
    Take(u32, u32, u32),
    Free(u32, u32, u32, u32),
    Block(u32, u32, u32),
    Remove(u32),
    Reprice(u32, u32, u32),
    Advance(u32),
    Extend(Vec<u32>, u32, u32),
    /// Of these nodes, each in a span of time, only these are free: node, price, start, end.
    Relist(BTreeMap<u32, (u32, u32)>, Vec<(u32, u32, u32, u32)>),
    Index,
}

fn change() -> impl Strategy<Value = Change> {
    let id = || 0..NODES;
    let at = || 0..LAST;
    prop_oneof![
        4 => (at(), prop::collection::vec((id(), 1..12_u32), 1..4)).prop_map(|(start, parts)| Change::Cut(start, parts)),
        3 => (any::<usize>(), at()).prop_map(|(which, now)| Change::GiveBackRest(which, now)),
        2 => (any::<usize>(), any::<usize>(), at()).prop_map(|(which, part, until)| Change::Lengthen(which, part, until)),
        1 => (id(), at(), at()).prop_map(|(id, start, end)| Change::Take(id, start, end)),
        3 => (id(), 1..3_u32, at(), at()).prop_map(|(id, price, start, end)| Change::Free(id, price, start, end)),
        2 => (id(), at(), at()).prop_map(|(id, start, end)| Change::Block(id, start, end)),
        1 => id().prop_map(Change::Remove),
        2 => (id(), 1..3_u32, at()).prop_map(|(id, price, from)| Change::Reprice(id, price, from)),
        1 => (0..LAST / 4).prop_map(Change::Advance),
        2 => (prop::collection::vec(id(), 0..4), at(), at()).prop_map(|(ids, from, until)| Change::Extend(ids, from, until)),
        2 => (prop::collection::vec((id(), at(), at()), 0..4), prop::collection::vec((id(), 1..3_u32, at(), 1..12_u32), 0..6)).prop_map(
            |(spans, slots)| relist(spans, &slots)
        ),
        1 => Just(Change::Index),
    ]
}

/// Only slots within the spans of their nodes.
fn relist(spans: Vec<(u32, u32, u32)>, slots: &[(u32, u32, u32, u32)]) -> Change {
    let spans: BTreeMap<_, _> =
        spans.into_iter().map(|(id, one, other)| (id, (one.min(other), one.max(other)))).collect();
    let within = |&(id, price, start, length): &(u32, u32, u32, u32)| {
        let &(from, until) = spans.get(&id)?;
        let (start, end) = (start.max(from), (start + length).min(until));
        (start < end).then_some((id, price, start, end))
    };
    let slots = slots.iter().filter_map(within).collect();
    Change::Relist(spans, slots)
}

fn all_free(table: &Table, id: u32, start: u32, end: u32) -> bool {
    let cells = &table[id as usize][start as usize..end.min(LAST) as usize];
    end <= LAST && start < end && cells.iter().all(|cell| cell.is_some() && *cell == cells[0])
}

fn every_free(table: &Table, id: u32, start: u32, end: u32) -> bool {
    table[id as usize][start as usize..end as usize].iter().all(Option::is_some)
}

fn none_free(table: &Table, id: u32, start: u32, end: u32) -> bool {
    start < end && table[id as usize][start as usize..end as usize].iter().all(Option::is_none)
}

fn fill(table: &mut Table, id: u32, start: u32, end: u32, cell: Option<u32>) {
    table[id as usize][start as usize..end as usize].fill(cell);
}

/// Node, start, end, and the price from then on.
type Piece = (u32, u32, u32, Option<u32>);

/// Makes the same change in the table; whether it is possible.
fn naive(table: &mut Table, windows: &[Window], change: &Change) -> bool {
    let window = |which: &usize| &windows[which % windows.len()];
    let end_of = |part: &Placement| part.end.get() as u32;
    let (possible, pieces): (bool, Vec<Piece>) = match change {
        Change::Cut(start, parts) => {
            let possible = parts.iter().all(|&(id, length)| all_free(table, id, *start, start + length));
            (possible, parts.iter().map(|&(id, length)| (id, *start, start + length, None)).collect())
        }
        Change::GiveBackRest(which, now) => {
            let start = (window(which).start().get() as u32).max(*now);
            let parts = window(which).placements().iter().filter(|part| start < end_of(part));
            let back = |part: &Placement| (part.node.0, start, end_of(part), Some(part.price.get() as u32));
            let pieces: Vec<_> = parts.map(back).collect();
            (pieces.iter().all(|piece| none_free(table, piece.0, piece.1, piece.2)), pieces)
        }
        Change::Lengthen(which, part, until) => {
            let parts = window(which).placements();
            let (id, end) = (parts[part % parts.len()].node.0, end_of(&parts[part % parts.len()]));
            // A task that overruns stays where it is, also where the price of the time changes.
            (end < *until && every_free(table, id, end, *until), vec![(id, end, *until, None)])
        }
        Change::Take(id, start, end) => {
            (start < end && all_free(table, *id, *start, *end), vec![(*id, *start, *end, None)])
        }
        Change::Free(id, price, start, end) => {
            (none_free(table, *id, *start, *end), vec![(*id, *start, *end, Some(*price))])
        }
        Change::Block(id, start, end) => (true, vec![(*id, *start, *end.max(start), None)]),
        Change::Remove(id) => (true, vec![(*id, 0, LAST, None)]),
        Change::Advance(now) => (true, (0..NODES).map(|id| (id, 0, *now, None)).collect()),
        Change::Extend(ids, from, until) => {
            let mut sorted = ids.clone();
            sorted.sort_unstable();
            sorted.dedup();
            let possible = ids.iter().all(|&id| none_free(table, id, *from, *until));
            (
                sorted.len() == ids.len() && possible,
                ids.iter().map(|&id| (id, *from, *until, Some(1))).collect(),
            )
        }
        Change::Reprice(id, price, from) => {
            table[*id as usize][*from as usize..].iter_mut().flatten().for_each(|cell| *cell = *price);
            (true, Vec::new())
        }
        Change::Relist(spans, slots) => (relisted(table, spans, slots), Vec::new()),
        Change::Index => (true, Vec::new()),
    };
    for (id, start, end, price) in pieces.into_iter().filter(|_| possible) {
        fill(table, id, start, end, price);
    }
    possible
}

/// Lists anew in the table what is free of nodes in their spans.
fn relisted(table: &mut Table, spans: &BTreeMap<u32, (u32, u32)>, slots: &[(u32, u32, u32, u32)]) -> bool {
    let mut after = table.clone();
    spans.iter().for_each(|(&id, &(from, until))| fill(&mut after, id, from, until, None));
    for &(id, price, start, end) in slots {
        if !none_free(&after, id, start, end) {
            return false;
        }
        fill(&mut after, id, start, end, Some(price));
    }
    *table = after;
    true
}

/// What is free of a node in a wider span: these slots, and what was free outside of the narrower one. Pieces
/// that touch at one price are one slot.
fn widened(
    before: &[(u32, u32, u32, u32)],
    id: u32,
    (from, until): (u32, u32),
    slots: &[(u32, u32, u32, u32)],
) -> Vec<Slot> {
    let of_node = before.iter().filter(|slot| slot.1 == id);
    let outside = of_node
        .flat_map(|&(start, _, end, price)| [(start, end.min(from), price), (start.max(until), end, price)]);
    let given = slots.iter().filter(|slot| slot.0 == id).map(|&(_, price, start, end)| (start, end, price));
    let mut pieces: Vec<(u32, u32, u32)> = outside.filter(|piece| piece.0 < piece.1).chain(given).collect();
    pieces.sort_unstable();
    pieces.dedup_by(|next, last| {
        let one = last.1 == next.0 && last.2 == next.2;
        last.1 = if one { next.1 } else { last.1 };
        one
    });
    pieces.into_iter().map(|(start, end, price)| slot(id, price, start, end)).collect()
}

fn slot(id: u32, price: u32, start: u32, end: u32) -> Slot {
    Slot::new(node(id, price), time(start), time(end)).unwrap()
}

/// Makes the change in the list; whether it was possible.
fn apply(list: &mut SlotList, windows: &mut Vec<Window>, change: &Change) -> bool {
    match change {
        Change::Cut(start, parts) => {
            let price = |id: u32| {
                let mut slots = list.iter();
                slots
                    .find(|s| s.node().0 == id && s.start() <= time(*start) && time(*start) < s.end())
                    .map_or(Price::must(1.0), |s| s.price())
            };
            let placements = parts
                .iter()
                .map(|&(id, length)| {
                    let slot =
                        Slot::new(Node { price: price(id), ..node(id, 1) }, time(*start), time(start + 20))
                            .unwrap();
                    list.placement(&slot, time(*start), Span::must(f64::from(length)))
                })
                .collect();
            let window = Window::new(time(*start), placements).unwrap();
            let cut = list.cut(&window).is_ok();
            if cut {
                windows.push(window);
            }
            cut
        }
        Change::GiveBackRest(which, now) => {
            let which = which % windows.len();
            let back = list.give_back_rest(&windows[which], time(*now)).is_ok();
            if back && windows.len() > 1 {
                drop(windows.swap_remove(which));
            }
            back
        }
        Change::Lengthen(which, part, until) => {
            let which = which % windows.len();
            let longer = lengthened(list, &windows[which], *part, time(*until));
            longer.map(|longer| windows[which] = longer).is_some()
        }
        Change::Take(id, start, end) => list.take(NodeId(*id), time(*start), time(*end)).is_ok(),
        Change::Free(id, price, start, end) => list.free(node(*id, *price), time(*start), time(*end)).is_ok(),
        Change::Block(id, start, end) => {
            let before = held(list);
            let blocked = list.block(NodeId(*id), time(*start), time(*end));
            // What was blocked and what is left make up what was there.
            let length = |slots: &[(u32, u32, u32, u32)]| slots.iter().map(|s| s.2 - s.0).sum::<u32>();
            let gone: f64 = blocked.iter().map(|slot| slot.length().get()).sum();
            assert_eq!(length(&before), length(&held(list)) + gone as u32);
            assert!(blocked.is_sorted_by_key(Slot::key));
            true
        }
        Change::Remove(id) => {
            list.remove_node(NodeId(*id));
            true
        }
        Change::Reprice(id, price, from) => {
            list.reprice(NodeId(*id), Price::must(f64::from(*price)), time(*from));
            true
        }
        Change::Advance(now) => {
            list.advance(time(*now));
            true
        }
        Change::Extend(ids, from, until) => {
            let nodes: Vec<Node> = ids.iter().map(|&id| node(id, 1)).collect();
            list.extend(&nodes, time(*from), time(*until)).is_ok()
        }
        Change::Relist(spans, slots) => list_anew(list, spans, slots),
        Change::Index => {
            list.index_nodes();
            true
        }
    }
}

/// Lists anew what is free of nodes in their spans; whether it was possible.
fn list_anew(list: &mut SlotList, spans: &BTreeMap<u32, (u32, u32)>, slots: &[(u32, u32, u32, u32)]) -> bool {
    let before = held(list);
    let of = |id: u32| before.iter().filter(move |slot| slot.1 == id);
    let changed = spans.iter().map(|(&id, &(from, until))| (NodeId(id), (time(from), time(until))));
    let listed = list.relist(&changed.collect(), |id, (from, until)| {
        let narrow = spans[&id.0];
        let (from, until) = (from.get() as u32, until.get() as u32);
        // The span reaches to the ends of slots, and no further than it must.
        assert!(from == narrow.0 || of(id.0).any(|slot| slot.0 == from && slot.2 >= narrow.0));
        assert!(until == narrow.1 || of(id.0).any(|slot| slot.2 == until && slot.0 <= narrow.1));
        let slots = widened(&before, id.0, narrow, slots).into_iter();
        slots.filter(move |slot| slot.start() < time(until) && slot.end() > time(from))
    });
    listed.is_ok()
}

/// The window with one of its parts until later, where that is possible.
fn lengthened(list: &mut SlotList, window: &Window, part: usize, until: Time) -> Option<Window> {
    let part = window.placements()[part % window.placements().len()];
    let longer = list.lengthen(window, part.node, until).ok()?;
    assert!(longer.takes(part.node, until - Span::must(1.0), until));
    assert!(!window.takes(part.node, part.end, until));
    let cost = part.price * (until - window.start());
    assert!(longer.placements().iter().any(|p| p.node == part.node && p.cost == cost));
    Some(longer)
}

fn possible_input(windows: &[Window], change: &Change) -> bool {
    match change {
        Change::Cut(_, parts) => {
            let mut ids: Vec<u32> = parts.iter().map(|part| part.0).collect();
            ids.sort_unstable();
            ids.windows(2).all(|pair| pair[0] != pair[1])
        }
        Change::GiveBackRest(..) | Change::Lengthen(..) => !windows.is_empty(),
        // An empty horizon for no node is no error.
        Change::Extend(ids, ..) => !ids.is_empty(),
        _ => true,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn every_change_agrees_with_the_table(
        busy in prop::collection::vec((0..NODES, 0..LAST, 1..20_u32), 0..6),
        changes in prop::collection::vec(change(), 0..300),
    ) {
        let nodes: Vec<Node> = (0..NODES).map(|id| node(id, 1)).collect();
        let occupied = |&(id, start, length)| Occupied::new(NodeId(id), time(start), time(start + length)).unwrap();
        let occupied: Vec<Occupied> = busy.iter().map(occupied).collect();
        let mut list = SlotList::from_nodes(&nodes, &occupied, Time::ZERO, time(LAST)).unwrap();
        let mut table: Table = vec![vec![Some(1); LAST as usize]; NODES as usize];
        for (id, start, length) in busy {
            fill(&mut table, id, start, LAST.min(start + length), None);
        }
        prop_assert_eq!(held(&list), stretches(&table));
        let mut windows = Vec::new();
        for change in &changes {
            if !possible_input(&windows, change) {
                continue;
            }
            let possible = naive(&mut table, &windows, change);
            prop_assert_eq!(apply(&mut list, &mut windows, change), possible, "{:?}", change);
            prop_assert_eq!(held(&list), stretches(&table), "{:?}", change);
            let free = stretches(&table);
            for at in [0, 7, LAST / 2, LAST] {
                let before = free.iter().rfind(|slot| slot.1 == 1 && slot.0 < at);
                let before = before.map(|slot| (time(slot.0), time(slot.2)));
                prop_assert_eq!(list.clone().interval_before(NodeId(1), time(at)), before);
            }
        }
    }
}
