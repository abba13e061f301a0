//! Searches for windows under prices of node-time, complete and stopped, compared with all starts that matter and all
//! sets of nodes.

use crate::judge::{Verdict, ensure, family, part};
use econsched::sched_model::check::{Checker, Holding, Rules};
use econsched::sched_model::{End, Limit, NodeId, Placement, SlotList, Span, Tariff, Time};
use econsched::slot_window::WindowQuery;
use econsched::slot_window::priced::{NodeTimePrices, PricedQuery};
use econsched::testkit::{Draw, Numbers, SearchCase, Stopped, oracle, rounded_sum};
use serde::{Deserialize, Serialize};

family!(PricedSearches: Case, Case::draw, judge);

#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    search: SearchCase,
    square: bool,
    /// Weights of cost, runtime and start.
    weights: [f64; 3],
    /// (node, instant, price).
    prices: Vec<(NodeId, Time, f64)>,
}

/// The maximum number of nodes with which every window is tried.
const FEW: usize = 5;

impl Case {
    fn draw(draw: &mut Draw) -> Self {
        let mut search = SearchCase::draw(draw);
        if draw.chance(90) {
            search.nodes.truncate(FEW);
        }
        search.tariff = Tariff::default();
        let most = search.nodes.len().min(3);
        search.request =
            search.request.clone().with_nodes(search.request.nodes().min(most)).unwrap_or(search.request);
        let (price, unit) = (Numbers::any(draw), draw.of([0.5, 0.1]));
        let mut of = |_| {
            let node = NodeId(draw.below(search.nodes.len()) as u32);
            (node, Time::must(draw.below(40) as f64 * unit), price.draw(draw).min(1e60))
        };
        let prices = (0..7).map(&mut of).collect::<Vec<_>>();
        let prices = prices[draw.below(8)..].to_vec();
        let weights = [0; 3].map(|_| draw.of([0.0, 0.0, 1.0, 1.0, 0.5, 0.3]));
        let sign = if draw.chance(25) { -1.0 } else { 1.0 };
        Self { search, square: draw.chance(50), weights: [sign * weights[0], weights[1], weights[2]], prices }
    }
}

fn judge(case: &Case) -> Verdict {
    let (slots, request, from) = (case.search.slots()?, &case.search.request, case.search.from);
    let prices = part(NodeTimePrices::new(case.prices.iter().copied()))?;
    let holding = if case.square { Holding::SlowestSpan } else { Holding::OwnSpan };
    let rules = Rules::per_window(1.0).with_holding(holding);
    let weights = case.weights;
    let query = PricedQuery::new(rules, &WindowQuery::new(&slots, request).with_from(from))?;
    part(query.best(weights, &prices, f64::INFINITY, &mut Limit::none().with_work(1).meter()))?;
    let checker = Checker::new(&slots, rules);
    let few = case.search.nodes.len() <= FEW;
    let best = if few { best(case, &slots, rules, &prices) } else { None };
    case.search.stops.check(400_000, |limit| {
        let mut meter = limit.meter();
        let answer = query.best(weights, &prices, f64::INFINITY, &mut meter)?;
        let value = answer.best.as_ref().map(|best| best.value);
        // The search does not say whether it ended within the gap.
        let has_gap = limit.gap_closed(1.0, 1.1);
        let end = meter.ended().unwrap_or(if has_gap { End::Gap } else { End::Done });
        let least = best.map(|best| best.0);
        ensure!(
            !few || answer.bound <= least.unwrap_or(f64::INFINITY),
            "the bound {:?} passes {best:?}",
            answer.bound
        );
        ensure!(
            !few || end != End::Done || answer.best.is_some() == best.is_some(),
            "{answer:?}, and {best:?}"
        );
        if let Some(found) = &answer.best {
            let wrong = checker.window(&found.window, request);
            ensure!(wrong.is_empty() && found.window.start() >= from, "{answer:?}: {wrong:?}");
            let own = query.value(weights, &found.window, &prices)?;
            // The runtime of a window is the difference of two instants.
            let doubt =
                if weights[1] > 0.0 { 1e-13 * best.map_or(f64::INFINITY, |best| best.1) } else { 0.0 };
            ensure!((found.value - own).abs() <= doubt, "the value {:?} is {own:?}", found.value);
            let right =
                least.is_none_or(|least| found.value >= least && (end != End::Done || found.value == least));
            ensure!(right, "the value {:?}, and {best:?} is the best", found.value);
        }
        let bound = Some(answer.bound);
        Ok(Stopped { rank: 0.0, value, bound, work: answer.work, end, answer: format!("{:?}", answer.best) })
    })?;
    // For several values that the window must be below.
    let (whole, least) = (Limit::default().with_work(400_000), best.map(|best| best.0));
    for below in [f64::INFINITY, 7.5].into_iter().chain(least).chain(least.map(f64::next_up)) {
        let mut meter = whole.meter();
        let answer = query.best(weights, &prices, below, &mut meter)?;
        let (found, right) = (answer.best.map(|best| best.value), least.filter(|&least| least < below));
        let done = few && meter.ended().is_none();
        ensure!(!done || found == right, "below {below:?} {found:?}, and {right:?} is the best");
        let bound = least.map_or(below, |least| least.min(below));
        ensure!(
            !few || answer.bound <= bound,
            "below {below:?} the bound {:?} passes {bound:?}",
            answer.bound
        );
    }
    Ok(())
}

/// The minimum value of a window, and the largest number that was added for any window.
fn best(case: &Case, slots: &SlotList, rules: Rules, prices: &NodeTimePrices) -> Option<(f64, f64)> {
    let (request, from) = (&case.search.request, case.search.from);
    let own = |node, speed| request.demands().span_on(node).unwrap_or_else(|| request.work() / speed);
    let spans: Vec<Span> = slots.iter().map(|slot| own(slot.node, slot.speed)).collect();
    // Where a window's value can change: at a slot's start, at a price, and where an end reaches a price.
    let mut starts = vec![from.get()];
    starts.extend(slots.iter().map(|slot| slot.start.get()));
    for &(_, instant, _) in &case.prices {
        starts.push(instant.get());
        for span in &spans {
            // The first start whose computed end is at the price, and its neighbours.
            let near = instant.get() - span.get();
            starts.extend([near, near.next_up(), near.next_down(), near.next_up().next_up()]);
        }
    }
    starts.retain(|&start| start >= from.get());
    starts.sort_by(f64::total_cmp);
    starts.dedup();
    let total: f64 = case.prices.iter().map(|price| price.2).sum();
    let [of_cost, of_runtime, of_start] = case.weights;
    let mut best: Option<(f64, f64)> = None;
    for start in starts.into_iter().filter_map(|start| Time::try_from(start).ok()) {
        let free = slots.filtered(|slot| slot.start <= start);
        for window in oracle::windows(&free, request, start, rules) {
            let held = window.placements();
            let longest = held.iter().map(|p| own(p.node, p.speed)).fold(Span::ZERO, Span::max);
            let sum = |of: &dyn Fn(&Placement) -> f64| rounded_sum(held.iter().map(of));
            let wait = (start - from).get();
            let value = sum(&|p| of_cost * p.cost.get() + prices.between(p.node, start, p.end))
                + (of_runtime * longest.get() + of_start * wait);
            let size =
                total + of_cost.abs() * sum(&|p| p.cost.get().abs()) + window.runtime().get() + wait.abs();
            best = Some(best.map_or((value, size), |(least, most)| (least.min(value), most.max(size))));
        }
    }
    best
}
