//! Every registered search, and others of the crate: against all windows, stopped at any limit and by any signal.

use crate::judge::{Verdict, family, of, part};
use econsched::sched_model::check::Rules;
use econsched::sched_model::{End, Limit, NodeId, Proof, Sense, SlotList, Span, Time, Window};
use econsched::slot_window::{
    MaxValue, NodeValues, Objective, SearchKind, SearchOptions, WindowQuery, WindowSearch,
};
use econsched::testkit::{self, SearchCase, Seen, rounded_sum};

family!(Searches: SearchCase, SearchCase::draw, judge);

/// What is minimised.
type Value<'a> = Box<dyn Fn(&Window, &SlotList) -> f64 + 'a>;

/// The value that a search minimises, where it promises one, and then the start.
fn value(kind: SearchKind, sense: Sense, case: &SearchCase) -> Option<Value<'_>> {
    let name = kind.name();
    let sum = |window: &Window, number: &dyn Fn(usize) -> f64| {
        rounded_sum(window.nodes().map(|node| number(node.0 as usize)))
    };
    Some(match name.split("-rough").next().unwrap_or(name) {
        "alp" | "first-fit" | "min-start" | "amp" => Box::new(|window, _| window.start().get()),
        "min-finish" => Box::new(|window, _| window.finish().get()),
        "min-cost" => Box::new(|window, _| window.cost().get()),
        // Finish less start is the runtime but for a rounding.
        "min-runtime" => Box::new(move |window, _| {
            let demands = case.request.demands();
            let own = |of: NodeId| case.request.work().get() / case.nodes[of.0 as usize].node.speed.get();
            let span = |of: NodeId| demands.span_on(of).map_or_else(|| own(of), Span::get);
            window.nodes().map(span).fold(0.0, f64::max)
        }),
        "max-value" => Box::new(move |window, _| {
            let value = sum(window, &|node| case.nodes[node].value);
            if sense == Sense::Maximise { -value } else { value }
        }),
        _ => return None,
    })
}

fn judge(case: &SearchCase) -> Verdict<Seen> {
    let values = part(NodeValues::new((0..).map(NodeId).zip(case.nodes.iter().map(|node| node.value))))?;
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
    // Each node held for its own span.
    let own = MaxValue::new(values).with_sense(Sense::Maximise).with_rules(Rules::per_window(1.0));
    seen += search_judged(&own, value(SearchKind::MaxValue, Sense::Maximise, case), case)?;
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
        // The published table needs units of money, and says so where there are too many.
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
    if search.name().contains("table") || (states && found.proof() == Proof::Exact) {
        return Ok(());
    }
    Err(testkit::Fault::new("proof", format!("{found}, and the best value is {promised}")))
}
