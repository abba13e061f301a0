//! Window searches to be made, and every window that exists.

use crate::testkit::former::{Draw, Numbers};
use sched_model::check::{Holding, Rules};
use sched_model::{
    Money, Node, NodeId, Price, ResourceRequest, Slot, SlotList, Span, Speed, Tariff, Time, Window, Work,
};

/// A query: for this request, among these slots, from this time on.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchCase {
    /// Free time of at most six nodes, so that every window can be tried.
    pub slots: SlotList,
    /// The request.
    pub request: ResourceRequest,
    /// The earliest start.
    pub from: Time,
}

impl SearchCase {
    /// A random case: few nodes with up to three free intervals each; numbers of any [`Numbers`]; sometimes a
    /// tariff, a price limit, and budgets and deadlines that a window just meets, or misses by the last bit.
    pub(in crate::testkit) fn draw(draw: &mut Draw) -> Self {
        let numbers = draw.numbers();
        let mut slots = Vec::new();
        for id in 0..draw.between(1, 6) {
            let speed = [0.5, 1.0, 2.0, 4.0][draw.below(4) as usize];
            let speed = if numbers == Numbers::Tenths { speed * 1.1 } else { speed };
            let price = draw.amount(numbers, 7).min(1e3);
            let node =
                Node::new(NodeId(id as u32), Speed::new(speed).unwrap_or(Speed::ETALON), price_of(price));
            let mut at = draw.below(5) as f64;
            for _ in 0..draw.between(1, 3) {
                let start = at;
                at += draw.amount(numbers, 12).min(1e4);
                if let Ok(slot) = Slot::new(node, time(start), time(at)) {
                    slots.push(slot);
                }
                at += draw.below(5) as f64;
            }
        }
        let slots = SlotList::new(slots).unwrap_or_default();
        let slots = if draw.chance(20) { slots.with_tariff(tariff(draw)) } else { slots };
        let work = Work::new(draw.amount(numbers, 12).min(1e4)).unwrap_or(Work::ZERO);
        let from = time(draw.below(6) as f64);
        // At least one node and some work: a request is never refused.
        let mut request = loop {
            if let Ok(request) = ResourceRequest::new(draw.between(1, 3) as usize, work) {
                break request;
            }
        };
        if draw.chance(40) {
            request =
                request.with_min_speed(Speed::new(draw.amount(Numbers::Ties, 2)).unwrap_or(Speed::ETALON));
        }
        if draw.chance(50) {
            request = request.with_price_limit(price_of(draw.amount(numbers, 7)));
        }
        // Cost and end of a window of the present request, for limits that are just met, or just not.
        let windows = all_windows(&Self { slots: slots.clone(), request, from }, Rules::default());
        let below = |value: f64, draw: &mut Draw| if draw.chance(30) { value.next_down() } else { value };
        if draw.chance(50) {
            let cost = draw.pick(&windows).map_or(10.0, |window| window.cost().get());
            request = request.with_budget(Money::new(below(cost, draw)).unwrap_or(Money::ZERO));
        }
        if draw.chance(35) {
            let finish = draw.pick(&windows).map_or(20.0, |window| window.finish().get());
            request = request.with_deadline(time(below(finish, draw)));
        }
        Self { slots, request, from }
    }
}

fn time(value: f64) -> Time {
    Time::new(value).unwrap_or(Time::ZERO)
}

fn price_of(value: f64) -> Price {
    Price::new(value).unwrap_or(Price::ZERO)
}

fn tariff(draw: &mut Draw) -> Tariff {
    let plain = Tariff::default();
    let dear = match draw.below(3) {
        0 => plain.with_increment(Span::new(4.0).unwrap_or(Span::ZERO)),
        1 => plain.with_entry_fee(Money::new(1.5).unwrap_or(Money::ZERO)),
        _ => plain.with_least_charge(Money::new(6.0).unwrap_or(Money::ZERO)),
    };
    dear.unwrap_or_default()
}

/// Every window of a case that keeps to these rules and starts where a slot does, or at `from`: any other
/// window can be moved to one of these starts without ending later or costing more. The time is exponential
/// in the number of nodes: for few nodes only.
#[must_use]
pub fn all_windows(case: &SearchCase, rules: Rules) -> Vec<Window> {
    let SearchCase { slots, request, from } = case;
    let mut starts: Vec<Time> = slots.iter().map(Slot::start).filter(|start| start > from).collect();
    starts.push(*from);
    starts.sort_unstable();
    starts.dedup();
    let mut windows = Vec::new();
    for start in starts {
        let dear =
            |slot: &Slot| rules.slot_price && request.price_limit().is_some_and(|most| slot.price() > most);
        let free: Vec<&Slot> = slots
            .iter()
            .filter(|slot| slot.start() <= start && start < slot.end())
            .filter(|slot| slot.speed() >= request.min_speed() && !dear(slot))
            .collect();
        let mut chosen = Vec::new();
        subsets(free.len(), request.nodes(), 0, &mut chosen, &mut |chosen| {
            let Some(slowest) = chosen.iter().map(|&at| free[at].speed()).min() else { return };
            let placements = chosen.iter().map(|&at| {
                let speed = if rules.holding == Holding::SlowestSpan { slowest } else { free[at].speed() };
                slots.placement(free[at], start, request.work() / speed)
            });
            let Ok(window) = Window::new(start, placements.collect()) else { return };
            let inside = chosen.iter().zip(window.placements()).all(|(&at, held)| held.end <= free[at].end());
            let in_time = request.deadline().is_none_or(|deadline| window.finish() <= deadline);
            if inside && in_time && rules.budget(request).is_none_or(|budget| window.cost() <= budget) {
                windows.push(window);
            }
        });
    }
    windows
}

/// The recursion is as deep as a window has nodes.
fn subsets(of: usize, size: usize, first: usize, chosen: &mut Vec<usize>, visit: &mut impl FnMut(&[usize])) {
    if chosen.len() == size {
        visit(chosen);
        return;
    }
    for next in first..of {
        chosen.push(next);
        subsets(of, size, next + 1, chosen, visit);
        chosen.pop();
    }
}
