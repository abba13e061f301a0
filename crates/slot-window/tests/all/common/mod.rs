//! Random small instances whose numbers are sums of few powers of two (so that every sum is exact), and brute
//! force.

#![allow(dead_code)]

use proptest::prelude::*;
use sched_model::check::{Holding, Rules};
use sched_model::*;
use slot_window::{Objective, SearchKind};

#[derive(Debug, Clone)]
pub(crate) struct Instance {
    pub(crate) slots: SlotList,
    pub(crate) request: ResourceRequest,
    pub(crate) from: Time,
}

/// Nodes with up to three free intervals each.
pub(crate) fn slot_list(max_nodes: usize) -> impl Strategy<Value = SlotList> {
    let intervals = prop::collection::vec((0u32..6, 1u32..14), 0..4);
    prop::collection::vec((0usize..3, 1u32..8, intervals), 1..=max_nodes).prop_map(|nodes| {
        let mut slots = Vec::new();
        for (id, (speed, price, intervals)) in nodes.into_iter().enumerate() {
            let node = Node::new(
                NodeId(id as u32),
                Speed::must([1.0, 2.0, 4.0][speed]),
                Price::must(f64::from(price) / 2.0),
            );
            let mut free_from = 0;
            for (gap, length) in intervals {
                let start = free_from + gap;
                free_from = start + length;
                let (start, end) = (Time::must(f64::from(start)), Time::must(f64::from(free_from)));
                slots.push(Slot::new(node, start, end).unwrap());
            }
        }
        SlotList::new(slots).unwrap()
    })
}

pub(crate) fn request() -> impl Strategy<Value = ResourceRequest> {
    (
        1usize..4,
        1u32..5,
        0usize..3,
        prop::option::weighted(0.5, 1u32..8),
        prop::option::weighted(0.4, 2u32..80),
        prop::option::weighted(0.4, 4u32..40),
    )
        .prop_map(|(nodes, work, speed, price, budget, deadline)| {
            let mut request = ResourceRequest::new(nodes, Work::must(f64::from(4 * work)))
                .unwrap()
                .with_min_speed(Speed::must([0.5, 1.0, 2.0][speed]));
            if let Some(price) = price {
                request = request.with_price_limit(Price::must(f64::from(price) / 2.0));
            }
            if let Some(budget) = budget {
                request = request.with_budget(Money::must(f64::from(budget)));
            }
            if let Some(deadline) = deadline {
                request = request.with_deadline(Time::must(f64::from(deadline)));
            }
            request
        })
}

pub(crate) fn instance() -> impl Strategy<Value = Instance> {
    (slot_list(6), request(), 0u32..8).prop_map(|(slots, request, from)| Instance {
        slots,
        request,
        from: Time::must(f64::from(from)),
    })
}

/// Every window that keeps to the request by these rules, at every start that a slot has, or `from`.
pub(crate) fn all_windows(instance: &Instance, rules: Rules) -> Vec<Window> {
    all_windows_by(instance, rules, &|slot| instance.request.work() / slot.speed())
}

/// As [`all_windows`], where a task takes so long on the node of a slot.
pub(crate) fn all_windows_by(
    instance: &Instance,
    rules: Rules,
    span_on: &dyn Fn(&Slot) -> Span,
) -> Vec<Window> {
    let Instance { slots, request, from } = instance;
    let slots: Vec<Slot> = slots.iter().copied().collect();
    let mut starts: Vec<Time> = slots.iter().map(|slot| slot.start()).filter(|start| start > from).collect();
    starts.push(*from);
    starts.sort_unstable();
    starts.dedup();
    let mut windows = Vec::new();
    for start in starts {
        let free: Vec<Slot> = slots
            .iter()
            .copied()
            .filter(|slot| {
                slot.start() <= start
                    && start < slot.end()
                    && slot.speed() >= request.min_speed()
                    && (!rules.slot_price || request.price_limit().is_none_or(|limit| slot.price() <= limit))
            })
            .collect();
        for_each_subset(free.len(), request.nodes(), &mut |chosen| {
            let longest = chosen.iter().map(|&i| span_on(&free[i])).max().unwrap();
            let placements: Vec<Placement> = chosen
                .iter()
                .map(|&i| {
                    let held = match rules.holding {
                        Holding::OwnSpan => span_on(&free[i]),
                        Holding::SlowestSpan => longest,
                    };
                    Placement::on(&free[i], start, held)
                })
                .collect();
            let in_time =
                chosen.iter().zip(&placements).all(|(&i, placement)| placement.end <= free[i].end());
            let window = Window::new(start, placements).unwrap();
            if in_time
                && request.deadline().is_none_or(|deadline| window.finish() <= deadline)
                && rules.budget(request).is_none_or(|budget| window.cost() <= budget)
            {
                windows.push(window);
            }
        });
    }
    windows
}

/// Every subset of `0..k` with `n` members, in lexicographic order.
pub(crate) fn for_each_subset(k: usize, n: usize, visit: &mut impl FnMut(&[usize])) {
    fn extend(chosen: &mut Vec<usize>, k: usize, n: usize, visit: &mut impl FnMut(&[usize])) {
        if chosen.len() == n {
            visit(chosen);
            return;
        }
        let first = chosen.last().map_or(0, |last| last + 1);
        for next in first..k {
            chosen.push(next);
            extend(chosen, k, n, visit);
            chosen.pop();
        }
    }
    extend(&mut Vec::new(), k, n, visit);
}

/// The objective that searches of a kind minimise; `None` for kinds with a criterion of their own.
pub(crate) fn objective(kind: SearchKind) -> Option<Objective> {
    match kind {
        SearchKind::MinFinish | SearchKind::MinFinishRough => Some(Objective::Finish),
        SearchKind::MinRuntime | SearchKind::MinRuntimeRough => Some(Objective::Runtime),
        SearchKind::MinCost | SearchKind::MinCostRough => Some(Objective::Cost),
        SearchKind::Alp
        | SearchKind::Amp
        | SearchKind::FirstFit
        | SearchKind::FirstFitRough
        | SearchKind::MinStart
        | SearchKind::MinStartRough => Some(Objective::Start),
        _ => None,
    }
}
