//! Every registered search, and others of the crate, compared with all windows; stopped at any limit and by any
//! signal.

use crate::judge::{Verdict, ensure, family, of, part};
use econsched::sched_model::check::{Holding, Rules};
use econsched::sched_model::{End, Limit, NodeId, Proof, Sense, Slot, SlotList, Span, Time, Window};
use econsched::slot_window::{
    Criterion, FirstFit, MaxValue, NodeValues, Objective, SearchKind, SearchOptions, WindowError,
    WindowQuery, WindowSearch,
};
use econsched::testkit::{self, SearchCase, Seen, rounded_sum};
use std::sync::Arc;

family!(Searches: SearchCase, SearchCase::draw, judge);

/// The objective that is minimised.
type Value<'a> = Box<dyn Fn(&Window, &SlotList) -> f64 + 'a>;

/// The value that a search minimises, if it promises one, and then the start.
fn value(kind: SearchKind, sense: Sense, case: &SearchCase) -> Option<Value<'_>> {
    let name = kind.name();
    Some(match name.split("-rough").next().unwrap_or(name) {
        "alp" | "first-fit" | "min-start" | "amp" => Box::new(|window, _| window.start().get()),
        "min-finish" => Box::new(|window, _| window.finish().get()),
        "min-cost" => Box::new(|window, _| window.cost().get()),
        // The finish minus the start is the runtime, except for rounding.
        "min-runtime" => Box::new(move |window, _| {
            let demands = case.request.demands();
            let own = |of: NodeId| case.request.work().get() / case.nodes[of.0 as usize].node.speed.get();
            let span = |of: NodeId| demands.span_on(of).map_or_else(|| own(of), Span::get);
            window.nodes().map(span).fold(0.0, f64::max)
        }),
        "max-value" => Box::new(move |window, _| {
            -sense.sign() * rounded_sum(window.nodes().map(|node| case.nodes[node.0 as usize].value))
        }),
        _ => return None,
    })
}

/// The values of the nodes of a case.
pub(crate) fn node_values(case: &SearchCase) -> Result<NodeValues, WindowError> {
    NodeValues::new((0..).map(NodeId).zip(case.nodes.iter().map(|node| node.value)))
}

/// The value of a window, from the slots that contain its placements.
fn value_by<'a>(criterion: &'a dyn Criterion, sense: Sense) -> Value<'a> {
    Box::new(move |window, slots| {
        let of_held = window.placements().iter().filter_map(|held| {
            let around =
                |slot: &&Slot| slot.node == held.node && slot.start <= window.start() && held.end <= slot.end;
            Some(criterion.value(slots.iter().find(around)?, held.end - window.start()))
        });
        -sense.sign() * rounded_sum(of_held)
    })
}

/// Whether every span is the difference of its two instants, without rounding.
pub(crate) fn has_exact_spans(case: &SearchCase) -> bool {
    let is_short = |number: f64| number.abs() < 1e6 && (number * 64.0).fract() == 0.0;
    case.nodes.iter().all(|node| {
        is_short((case.request.work() / node.node.speed).get())
            && node.free.iter().all(|&(start, end)| is_short(start.get()) && is_short(end.get()))
    })
}

fn judge(case: &SearchCase) -> Verdict<Seen> {
    let values = part(node_values(case))?;
    let rho = if case.from == Time::must(1.0) { 0.8 } else { 1.0 };
    let mut seen = Seen::default();
    for &kind in SearchKind::ALL {
        let valued = kind.name().contains("max-value") || kind.name().contains("multiple");
        for sense in [Sense::Maximise, Sense::Minimise].into_iter().take(1 + usize::from(valued)) {
            let options = SearchOptions::default().with_rho(rho).with_objective(Objective::Cost);
            let search = part(kind.build_with(&options.with_criterion(values.clone(), sense)))?;
            seen += of(&kind, search_judged(search.as_ref(), value(kind, sense, case), case))?;
        }
    }
    let by_slot = FirstFit::new().with_rules(Rules::per_slot());
    seen += search_judged(&by_slot, value(SearchKind::FirstFit, Sense::Minimise, case), case)?;
    // Values that differ between the slots of a node, and values that grow or fall with the span: a maximum would
    // prefer idle time, and one level of speeds is worth less than another.
    let criteria: [Arc<dyn Criterion>; 3] = [
        Arc::new(|slot: &Slot, _: Span| slot.end.get()),
        Arc::new(|slot: &Slot, span: Span| slot.speed.get() * span.get()),
        Arc::new(|slot: &Slot, span: Span| slot.end.get() - 2.0 * span.get() - slot.price.get()),
    ];
    for criterion in criteria.iter().filter(|_| has_exact_spans(case)) {
        for (sense, holding) in [
            (Sense::Maximise, Holding::OwnSpan),
            (Sense::Minimise, Holding::OwnSpan),
            (Sense::Maximise, Holding::SlowestSpan),
            (Sense::Minimise, Holding::SlowestSpan),
        ] {
            let search = MaxValue::new(Arc::clone(criterion)).with_sense(sense);
            let search = search.with_rules(Rules::per_window(1.0).with_holding(holding));
            seen += search_judged(&search, Some(value_by(criterion, sense)), case)?;
        }
    }
    Ok(seen)
}

fn search_judged(
    search: &dyn WindowSearch,
    value: Option<Value<'_>>,
    case: &SearchCase,
) -> Result<Seen, testkit::Fault> {
    let mut check = testkit::search(search);
    if let Some(value) = value {
        says_that_it_is_exact(search, &value, case)?;
        check = check.with_completeness().with_value(value).with_earliest_start();
    }
    match check.judge(case) {
        // The published table counts money in units, and returns an error if there are too many.
        Err(fault) if fault.kind == "error" && search.name().contains("table") => Ok(Seen::skipped()),
        judged => judged,
    }
}

/// A whole search that promises the best value says so, and states this value.
fn says_that_it_is_exact(
    search: &dyn WindowSearch,
    value: &Value<'_>,
    case: &SearchCase,
) -> Result<(), testkit::Fault> {
    let slots = case.slots()?;
    let query = WindowQuery::new(&slots, &case.request).with_from(case.from);
    let Ok(found) = search.solve(&query, &mut Limit::default().meter()) else { return Ok(()) };
    let (Some(window), End::Done) = (&found.best, found.end) else { return Ok(()) };
    let promised = value(window, &slots);
    let states = found.value.is_some_and(|stated| stated.abs() == promised.abs());
    let is_exact = search.name().contains("table") || (states && found.proof() == Proof::Exact);
    ensure!(is_exact, "{}, and the best value is {:?}", found, promised);
    Ok(())
}
