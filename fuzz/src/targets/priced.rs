//! Windows under prices of node-time, against all starts that matter and all sets of nodes.

use crate::exact::rounded_sum;
use crate::number::Family;
use crate::rng::Rng;
use crate::target::{Target, Verdict, ensure, part};
use crate::targets::demands::{Asked, Having, span_on};
use crate::targets::subset::subsets;
use crate::targets::window::{NodeCase, Numbers, RequestCase, draw_nodes, slot_list};
use econsched::sched_model::check::{Checker, Holding, Rules};
use econsched::sched_model::{Demands, Limit, NodeId, Placement, Slot, Span, Time, Window};
use econsched::slot_window::WindowQuery;
use econsched::slot_window::priced::{NodeTimePrices, PricedSearch};
use serde::{Deserialize, Serialize};

pub(crate) struct Priced;

#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    nodes: Vec<NodeCase>,
    request: RequestCase,
    from: f64,
    square: bool,
    /// Weights of cost, runtime and start.
    weights: [f64; 3],
    /// (node, instant, price).
    prices: Vec<(u32, f64, f64)>,
    #[serde(default)]
    having: Vec<Having>,
    #[serde(default)]
    asked: Asked,
}

/// The length of a unit of the spans in demands.
const UNIT: f64 = 0.5;

impl Target for Priced {
    type Case = Case;

    fn generate(rng: &mut Rng) -> Case {
        let kind = if rng.percent(70) { Numbers::Exact } else { Numbers::Hostile };
        let nodes = draw_nodes(rng, 5, kind);
        let n = rng.range(1, 3).min(nodes.len());
        let request = RequestCase::draw(rng, &nodes, n, kind);
        let price = Family::any(rng);
        let unit = if kind == Numbers::Exact { 0.5 } else { 0.1 };
        let prices = (0..rng.below(7))
            .map(|_| (rng.below(nodes.len()) as u32, rng.below(40) as f64 * unit, price.draw(rng).min(1e60)))
            .collect();
        let mut weight = || *rng.pick(&[0.0, 0.0, 1.0, 1.0, 0.5, 0.3]);
        let mut weights = [weight(), weight(), weight()];
        let square = rng.percent(50);
        if rng.percent(25) {
            weights[0] = -weights[0];
        }
        let demanding = rng.percent(50);
        let having = if demanding { Having::draw(rng, nodes.len()) } else { Vec::new() };
        let asked = if demanding { Asked::draw(rng, nodes.len(), 40) } else { Asked::default() };
        let from = *rng.pick(&[0.0, 0.0, 1.0, 2.5]);
        Case { from, nodes, request, square, weights, prices, having, asked }
    }

    fn judge(case: &Case) -> Verdict {
        let slots = Having::listed(&case.having, slot_list(&case.nodes)?)?;
        let demands = case.asked.demands(UNIT)?;
        let eligible = slots.eligible(&demands);
        let request = case.request.request()?;
        let from = part(Time::new(case.from))?;
        let mut prices = Vec::new();
        for &(node, instant, price) in &case.prices {
            prices.push((NodeId(node), part(Time::new(instant))?, price));
        }
        let prices = part(NodeTimePrices::new(prices))?;
        let holding = if case.square { Holding::SlowestSpan } else { Holding::OwnSpan };
        let rules = Rules::per_window(1.0).with_holding(holding);
        let [cost, runtime, start] = case.weights;
        let search = part(PricedSearch::new(rules).with_cost_weight(cost))?;
        let search = part(search.with_runtime_weight(runtime))?;
        let search = part(search.with_start_weight(start))?;
        let query = WindowQuery::new(&slots, &request, from).with_eligible(&eligible);
        let whole = Limit::default();
        let answer = search.bounded_within(&query, &prices, f64::INFINITY, &mut whole.meter())?;
        let found = answer.best;
        let checker = Checker::new(&slots, rules);
        let all: Vec<Slot> = slots.iter().copied().collect();
        let best = best(case, (&all, &demands), &checker, &prices)?;
        let Some(found) = found else {
            ensure!(best.is_none(), "no window, though one has the value {best:?}");
            return Ok(());
        };
        let wrong = checker.demanded(&found.window, &request, &demands);
        ensure!(wrong.is_empty(), "the checker says {}", wrong[0]);
        ensure!(found.window.start() >= from, "starts at {}", found.window.start());
        let Some((best, size)) = best else {
            ensure!(false, "a window of value {:?} where there is none", found.value);
            return Ok(());
        };
        let of_window = search.value(&found.window, from, &prices);
        // The runtime of a window is the difference of two instants.
        let doubt = if runtime > 0.0 { 1e-13 * size } else { 0.0 };
        ensure!(
            (found.value - of_window).abs() <= doubt,
            "the value is not the window's own: {:?}, {of_window:?}",
            found.value
        );
        ensure!(found.value == best, "not the best: {:?}, best {best:?}", found.value);
        // The bound holds wherever the choice of nodes is stopped.
        for (work, gap) in [(0, 0.0), (25, 0.0), (200, 0.0), (100_000, 0.01)] {
            let limit = Limit::default().with_work(work).with_relative_gap(gap);
            let answer = search.bounded_within(&query, &prices, f64::INFINITY, &mut limit.meter());
            let answer = part(answer)?;
            ensure!(answer.bound <= best, "the bound {:?} after {work} is above {best:?}", answer.bound);
            ensure!(answer.work <= work, "{} units of work, allowed {work}", answer.work);
            let Some(stopped) = answer.best else { continue };
            let wrong = checker.demanded(&stopped.window, &request, &demands);
            ensure!(wrong.is_empty(), "after {work} the checker says {}", wrong[0]);
            ensure!(stopped.value >= best, "after {work}: {:?} below {best:?}", stopped.value);
        }
        Ok(())
    }
}

/// The least value of a window, and the greatest number that was added for it or any other.
fn best(
    case: &Case,
    (slots, demands): (&[Slot], &Demands),
    checker: &Checker,
    prices: &NodeTimePrices,
) -> Result<Option<(f64, f64)>, crate::target::Fault> {
    let request = case.request.request()?;
    let from = part(Time::new(case.from))?;
    let spans: Vec<f64> = slots.iter().map(|slot| span_on(demands, &request, slot).get()).collect();
    // Where a window's value can change: at a slot's start, at a price, and where an end reaches a price.
    let mut starts = vec![case.from];
    starts.extend(slots.iter().map(|slot| slot.start().get()));
    for &(_, instant, _) in &case.prices {
        starts.push(instant);
        for span in &spans {
            // The first start whose computed end is at the price, and its neighbours.
            let near = instant - span;
            starts.extend([near, near.next_up(), near.next_down(), near.next_up().next_up()]);
        }
    }
    starts.retain(|&start| start >= case.from);
    starts.sort_by(f64::total_cmp);
    starts.dedup();
    let total: f64 = case.prices.iter().map(|price| price.2).sum();
    let mut best: Option<(f64, f64)> = None;
    for start in starts {
        let Ok(start) = Time::new(start) else { continue };
        subsets(slots.len(), request.nodes(), &mut |chosen| {
            let longest = chosen.iter().map(|&at| spans[at]).fold(0.0, f64::max);
            let placements = chosen.iter().map(|&at| {
                let span = if case.square { longest } else { spans[at] };
                Placement::on(&slots[at], start, Span::new(span).unwrap_or(Span::ZERO))
            });
            let Ok(window) = Window::new(start, placements.collect()) else { return };
            if !checker.demanded(&window, &request, demands).is_empty() {
                return;
            }
            let of_node = |p: &Placement| {
                case.weights[0] * p.cost.get() + prices.between(p.node, window.start(), p.end)
            };
            let value = rounded_sum(window.placements().iter().map(of_node))
                + (case.weights[1] * longest + case.weights[2] * (window.start() - from).get());
            let size = total
                + case.weights[0].abs() * rounded_sum(window.placements().iter().map(|p| p.cost.get().abs()))
                + window.runtime().get()
                + (window.start() - from).get().abs();
            best = Some(best.map_or((value, size), |(least, most)| (least.min(value), most.max(size))));
        });
    }
    Ok(best)
}
