//! The time that occupied intervals leave free.

use crate::{ModelError, Node, Occupied, Slot, Time, order};

/// Free time of one node, without the node's data: this saves memory where there are many gaps.
struct Gap {
    start: Time,
    end: Time,
    /// The position of its node in order of id.
    node: u32,
}

/// The free time of nodes in `[from, horizon)`, in (start, node) order. One sort of the gaps, and one of the
/// nodes and of the intervals each unless they are in order.
pub(super) fn slots(
    nodes: &[Node],
    occupied: &[Occupied],
    from: Time,
    horizon: Time,
) -> Result<impl ExactSizeIterator<Item = Slot>, ModelError> {
    let order = order::order(nodes.len(), &|a, b| nodes[a].id.cmp(&nodes[b].id)); // in one pass where they are in order
    let by_id: Vec<Node> = order.iter().map(|&at| nodes[at as usize]).collect();
    let is_again = |at: &usize| by_id[*at].id == by_id[*at - 1].id;
    if let Some(first) = (1..by_id.len()).filter(is_again).map(|at| order[at]).min() {
        return Err(ModelError::RepeatedId { what: "node", id: u64::from(nodes[first as usize].id.0) });
    }
    let mut sorted: Vec<&Occupied> = occupied.iter().collect();
    let key = |interval: &Occupied| (interval.node(), interval.start());
    if !occupied.is_sorted_by_key(key) {
        order::sort(&mut sorted, &|a, b| key(a).cmp(&key(b)));
    }
    let mut sorted = sorted.into_iter().peekable();
    let mut gaps = Vec::with_capacity(nodes.len() + occupied.len());
    // Identifiers are of 32 bits, so that the number of nodes fits.
    for (number, node) in (0_u32..).zip(&by_id) {
        let mut free_from = from;
        let mut push = |start: Time, end: Time| {
            if start < end {
                gaps.push(Gap { start, end, node: number });
            }
        };
        while let Some(interval) = sorted.next_if(|interval| interval.node() == node.id) {
            push(free_from, interval.start().min(horizon));
            free_from = interval.end().max(free_from);
        }
        push(free_from, horizon);
    }
    // One of a node that is not there holds up all that follow.
    if sorted.next().is_some() {
        let is_unknown =
            |interval: &&Occupied| by_id.binary_search_by_key(&interval.node(), |node| node.id).is_err();
        let first = occupied.iter().filter(is_unknown).min_by_key(|interval| interval.start());
        let id = first.map_or(0, |interval| interval.node().0);
        return Err(ModelError::UnknownId { what: "node", id: u64::from(id) });
    }
    gaps.sort_unstable_by_key(|gap| (gap.start, gap.node));
    Ok(gaps.into_iter().map(move |gap| Slot::of(by_id[gap.node as usize], gap.start, gap.end)))
}
