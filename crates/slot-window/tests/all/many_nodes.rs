//! Searches on dozens or hundreds of nodes, compared with a plain search of every start on every speed: bounds leave
//! out much more there than in lists small enough to try all windows.

use crate::{slot, three_for_each_node};
use econsched::testkit::{Draw, drawn, rounded_sum};
use sched_model::check::{Holding, Rules};
use sched_model::*;
use slot_window::{Amp, MaxValue, Objective, Optimal, SearchKind, WindowQuery, WindowSearch};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone)]
struct Instance {
    slots: SlotList,
    request: ResourceRequest,
    from: Time,
    holding: Holding,
}

const SPEEDS: [f64; 4] = [1.0, 2.0, 4.0, 8.0];

impl Instance {
    fn new(draw: &mut Draw, slots: Vec<Slot>, from: f64, request: ResourceRequest, budget: f64) -> Self {
        Self {
            slots: SlotList::new(slots).unwrap(),
            request: request.with_budget(Money::must(budget)),
            from: Time::must(from),
            holding: draw.of([Holding::OwnSpan, Holding::SlowestSpan]),
        }
    }

    /// All numbers are multiples of few powers of two, so that every sum is exact.
    fn dozens(draw: &mut Draw) -> Self {
        let scattered = draw.chance(50);
        let (mut slots, mut prices) = (Vec::new(), Vec::new());
        for number in 0..draw.between(8, 59) as u32 {
            // Ids that are far apart are numbered in another way.
            let id = if scattered { number * 40_000_003 % 2_000_000_011 } else { number };
            let (speed, price) = (draw.of(SPEEDS), draw.between(1, 31) as f64 / 4.0);
            prices.push(price);
            let mut end = 0.0;
            for _ in 0..draw.between(1, 3) {
                let start = end + draw.below(12) as f64;
                end = start + draw.between(1, 39) as f64;
                slots.push(slot(id, (speed, price), (start, end)));
            }
        }
        prices.sort_unstable_by(f64::total_cmp);
        let (few, work) = (draw.chance(50), 4.0 * draw.between(2, 9) as f64);
        let n = if few { draw.between(1, 3) } else { draw.between(4, 9) };
        let least: f64 = prices.iter().take(n).sum::<f64>() * work / 4.0;
        let budget = (least * draw.below(400) as f64 / 100.0 * 4.0).floor() / 4.0;
        let from = draw.below(20) as f64;
        Self::new(draw, slots, from, ResourceRequest::must(n, work), budget)
    }

    /// Hundreds of nodes that become free at few instants, most of them too expensive or for too short a time.
    fn hundreds(draw: &mut Draw) -> Self {
        let mut of = |id| {
            let (speed, price) = (draw.of(SPEEDS), draw.between(1, 39) as f64);
            let start = draw.below(2) as f64;
            slot(id, (speed, price), (start, start + draw.between(1, 11) as f64))
        };
        let slots = (0..600).map(&mut of).collect();
        let budget = draw.between(4, 399) as f64;
        let request = ResourceRequest::must(draw.between(1, 7), 8.0);
        Self::new(draw, slots, 0.0, request, budget)
    }

    /// Nodes that become free one after the other, each cheaper than most before it; or expensive nodes that stay
    /// free, and cheap ones that soon expire, most of them in one rack of three; or arbitrary ones.
    fn crowd(draw: &mut Draw) -> Self {
        let (length, kind, mut now) = (draw.between(60, 240), draw.below(4), 0.0);
        let n = if kind == 2 { 2 } else { draw.between(2, 6) };
        // Cheap nodes alone cost this together; with an expensive one, they cost more.
        let cheap = (n * draw.between(50, 80)) as u32;
        let mut of = |id| {
            now += draw.below(2) as f64;
            let is_dear = id % 3 > 0 && (id < 450 || draw.chance(90));
            let (price, speed, length) = match kind {
                0 | 1 => (1300 - 2 * id + draw.below(9) as u32, 1.0, 8 + draw.below(length)),
                2 if is_dear => (cheap - 10, 1.0, 400),
                2 => (20 + draw.below(60) as u32, 1.0, 8 + draw.below(8)),
                _ => (700 + draw.below(200) as u32, draw.of(SPEEDS), 8 + draw.below(length)),
            };
            slot(id, (speed, f64::from(price)), (now, now + length as f64))
        };
        let slots = (0..600).map(&mut of).collect();
        let budget = if kind == 2 { 8.0 * f64::from(cheap) } else { (n * draw.between(300, 12_000)) as f64 };
        Self::new(draw, slots, 0.0, ResourceRequest::must(n, 8.0), budget)
    }

    /// One node after the other, each cheaper than the one before, and last the cheapest, which together meet the
    /// budget to the last bit: many sums, each rounded, come before the sum of their costs. Or prices that fall over
    /// sixty decades.
    fn falling(draw: &mut Draw) -> Self {
        let (n, count) = (draw.between(2, 12), draw.between(50, 400));
        let cheap: Vec<f64> = (0..n).map(|_| 0.1 + draw.below(3) as f64 / 100.0).collect();
        let (decades, sum) = (draw.chance(20), rounded_sum(cheap.iter().copied()));
        let price = |at: usize| match decades {
            true => 1e60 * 0.7_f64.powi(at as i32),
            false => (sum * (0.95 - 0.8 * at as f64 / count as f64)).max(0.13),
        };
        let prices = (0..count).map(price).chain(cheap);
        let slots = (0..).zip(prices).map(|(id, price)| slot(id, (1.0, price), (f64::from(id), 1e4)));
        let budget = if decades { 1e60 } else { sum };
        Self::new(draw, slots.collect(), 0.0, ResourceRequest::must(n, 1.0), budget)
    }

    fn query(&self) -> WindowQuery<'_> {
        WindowQuery::new(&self.slots, &self.request).with_from(self.from)
    }

    /// The cheapest window at each start on each level, if it keeps the budget, with at most so many nodes of each
    /// rack of three; ties go to the lower node.
    fn cheapest(&self, most: usize) -> Vec<Cheapest> {
        let Self { slots, request, from, holding } = self;
        let starts: BTreeSet<Time> = slots.iter().map(|slot| slot.start.max(*from)).collect();
        let levels: BTreeSet<(Speed, Option<Span>)> = match holding {
            Holding::OwnSpan => [(request.min_speed, None)].into(),
            Holding::SlowestSpan => {
                slots.iter().map(|slot| (slot.speed, Some(request.work() / slot.speed))).collect()
            }
        };
        let mut windows = Vec::new();
        for (&start, &(speed, span)) in starts.iter().flat_map(|at| levels.iter().map(move |of| (at, of))) {
            let span_on = |slot: &Slot| span.unwrap_or(request.work() / slot.speed);
            let fits = |slot: &&Slot| {
                slot.speed >= speed && slot.start <= start && start + span_on(slot) <= slot.end
            };
            let charge = |slot: &Slot| (slot.price * span_on(slot), slot.node);
            let mut costs: Vec<(Money, NodeId)> = slots.iter().filter(fits).map(charge).collect();
            costs.sort_unstable();
            let mut of_rack = [0; 3];
            costs.retain(|(_, node)| {
                let placed = &mut of_rack[node.0 as usize % 3];
                *placed += 1;
                *placed <= most
            });
            costs.truncate(request.nodes());
            let cost = costs.iter().map(|cost| cost.0).sum();
            if costs.len() == request.nodes() && Some(cost) <= request.budget {
                windows.push(Cheapest {
                    start,
                    span,
                    cost,
                    nodes: costs.iter().map(|cost| cost.1).collect(),
                });
            }
        }
        windows
    }
}

struct Cheapest {
    start: Time,
    /// That of the level; none where each node is held for its own.
    span: Option<Span>,
    cost: Money,
    nodes: BTreeSet<NodeId>,
}

/// Compares the cheapest and the first window with the plain search. `repriced` is the percentage of nodes that
/// change their price, `spread` that of cases whose nodes are spread over racks. Runs of the list without cheap slots
/// are passed over; if slots are kept in order of groups, each that expires makes room for the next of its group.
fn cheapest_and_first(of: fn(&mut Draw) -> Instance, [repriced, spread]: [usize; 2], cases: usize) {
    drawn(cases, |draw| {
        let mut instance = of(draw);
        let racks = (instance.slots.iter())
            .map(|slot| (slot.node, Features::default().with_label(format!("rack={}", slot.node.0 % 3))));
        let racks: BTreeMap<NodeId, Features> = racks.collect();
        let changed: Vec<NodeId> = racks.keys().copied().filter(|_| draw.chance(repriced)).collect();
        instance.slots = instance.slots.with_features(racks).unwrap();
        for node in changed {
            let price = Price::must(draw.between(1, 31) as f64 / 4.0);
            instance.slots.reprice(node, price, Time::must(draw.below(40) as f64));
        }
        let most = if draw.chance(spread) { draw.of([1, 1, 2, 3]) } else { usize::MAX };
        let windows = instance.cheapest(most);
        let least = windows.iter().map(|window| (window.cost, window.start)).min();
        // Of equal starts that of the shortest span.
        let first = windows.iter().min_by_key(|window| (window.start, window.span));
        let first = first.map(|window| (window.start, window.nodes.clone()));
        let apart = instance.slots.eligible(&Demands::default().with_spread("rack", most).unwrap());
        let query = instance.query();
        let query = if most < usize::MAX { query.with_eligible(&apart) } else { query };
        let find = |objective| {
            let search =
                Optimal::new(objective).with_rules(Rules::per_window(1.0).with_holding(instance.holding));
            search.find(&query).unwrap().best
        };
        let found = find(Objective::Cost).map(|window| (window.cost(), window.start()));
        assert_eq!(found, least, "{instance:?}");
        let found = find(Objective::Start).map(|window| window.start());
        assert_eq!(found, first.as_ref().map(|first| first.0), "{instance:?}");
        if most == usize::MAX {
            let found = match instance.holding {
                Holding::OwnSpan => Amp::new().find(&query).unwrap().best,
                Holding::SlowestSpan => find(Objective::Start),
            };
            assert_eq!(found.map(|window| (window.start(), window.nodes().collect())), first, "{instance:?}");
        }
    });
}

#[test]
fn the_cheapest_and_the_first_of_dozens() {
    cheapest_and_first(Instance::dozens, [20, 30], 800);
}

#[test]
fn the_cheapest_and_the_first_of_many() {
    cheapest_and_first(Instance::hundreds, [20, 20], 150);
    cheapest_and_first(Instance::crowd, [20, 60], 80);
    cheapest_and_first(Instance::falling, [0, 30], 200);
}

/// Bounds, limits and the reuse of candidates save most of the work: without one of them, a search takes more.
#[test]
fn searches_are_short() {
    let of = |draw: fn(&mut Draw) -> Instance, kind: SearchKind| -> u64 {
        let instances = (0..12).map(|round| draw(&mut Draw::new(9, round)));
        let search = |instance: Instance| kind.build().solve(&instance.query(), &mut Limit::none().meter());
        instances.map(|instance| search(instance).unwrap().work).sum()
    };
    for (kind, most) in [
        (SearchKind::MinStart, [1150, 9252, 8793]),
        (SearchKind::MinFinish, [1096, 9217, 8789]),
        (SearchKind::MinFinishRough, [603, 5558, 3188]),
        (SearchKind::MinRuntime, [2136, 3927, 1993]),
        (SearchKind::MinRuntimeRough, [822, 9205, 8241]),
        (SearchKind::MinCost, [1417, 19757, 34282]),
        (SearchKind::MinCostRough, [745, 7279, 12701]),
        (SearchKind::MaxValue, [3770, 98643, 1834844]),
    ] {
        let works = [Instance::dozens, Instance::hundreds, Instance::crowd].map(|draw| of(draw, kind));
        assert!(works.iter().zip(&most).all(|(work, most)| work <= most), "{kind} {works:?}");
        // All that start at one instant are read together.
        assert!(works[1] == most[1], "{kind} {works:?}");
    }
}

/// The search for the maximum value has a window as soon as the one for the earliest start has.
#[test]
fn the_maximum_value_begins_with_the_earliest_window() {
    let mut found = 0;
    for draw in [Instance::dozens, Instance::hundreds, Instance::crowd] {
        for instance in (0..12).map(|round| draw(&mut Draw::new(10, round))) {
            let rules = Rules::per_window(1.0).with_holding(instance.holding);
            let earliest = Optimal::new(Objective::Start).with_rules(rules);
            let earliest = earliest.solve(&instance.query(), &mut Limit::none().meter()).unwrap();
            let value = MaxValue::new(|slot: &Slot, _: Span| -slot.speed.get()).with_rules(rules);
            let limit = Limit::none().with_work(earliest.work);
            let stopped = value.solve(&instance.query(), &mut limit.meter()).unwrap();
            assert_eq!((stopped.best, stopped.work), (earliest.best, earliest.work));
            found += usize::from(stopped.value.is_some());
        }
    }
    assert!((12..36).contains(&found), "{found}");
}

/// If windows of two spans have the same computed end, the shorter one is the answer, even if it costs more.
#[test]
fn of_equal_finishes_the_shorter_span() {
    let start = 2f64.powi(53);
    let of = |id, speed, price| slot(id, (speed, price), (start, start + 8.0));
    let slots = SlotList::new(vec![of(1, 1.0, 9.0), of(2, 0.8, 1.0)]).unwrap();
    let request = ResourceRequest::must(1, 2.0);
    let query = WindowQuery::new(&slots, &request).with_from(Time::must(start));
    let found = Optimal::new(Objective::Finish).find(&query).unwrap().best.unwrap();
    assert_eq!((found.runtime(), found.cost()), (Span::must(2.0), Money::must(18.0)));
}

/// If one of the slots must have the span of the window, most instants have no slot that could improve the best
/// window.
#[test]
fn starts_without_a_slot_of_use_are_not_searched() {
    let slots = three_for_each_node(100, 100);
    let request = ResourceRequest::must(8, 15.0).with_budget(Money::must(520.0));
    let request = request.with_demands(Demands::default().with_spread("rack", 2).unwrap());
    let value = |slot: &Slot, span: Span| f64::from(slot.node.0 % 7) + span.get() * slot.price.get();
    let search = MaxValue::new(value).with_rules(Rules::per_window(1.0).with_holding(Holding::SlowestSpan));
    let found = search.solve(&WindowQuery::new(&slots, &request), &mut Limit::default().meter()).unwrap();
    assert_eq!(found.end, End::Done, "{}", found.work);
}
