//! Shortest augmenting paths.
use crate::*;
use crate::frame::*;
use crate::lists::*;
use crate::paths::*;

#[doc(hidden)]
pub fn solve_paths(problem: &Problem<'_>) -> Result<Answer, AssignError> {
    let trace = std::env::var("TRACE").is_ok();
    let t = std::time::Instant::now();
    let frame = match Frame::new(problem)? { Ok(f) => f, Err(s) => return Ok(Answer::Infeasible(s)) };
    let n = problem.jobs();
    if trace { eprintln!("  survey {:?}", t.elapsed()); }
    let tight = frame.is_tight();
    let mut prices: Vec<f64> = if tight { 
        let hi = frame.survey.column_least.iter().copied().filter(|v| v.is_finite()).fold(0.0f64, f64::max);
        let mut p: Vec<f64> = frame.survey.column_least.iter().map(|&c| -(if c.is_finite() { c } else { hi })).collect();
        if let Some(v) = frame.void { p.push(-v) }
        p
    } else { vec![0.0; frame.capacities.len()] };
    let width: usize = std::env::var("WIDTH").ok().and_then(|s| s.parse().ok()).unwrap_or(16);
    let mut lists = Lists::new(&frame.source, frame.void, width, &prices);
    if trace { eprintln!("  lists {:?}", t.elapsed()); }
    let mut state = State::new(n, frame.capacities.clone(), std::mem::take(&mut prices));
    let budget: usize = std::env::var("BUDGET").ok().and_then(|s| s.parse().ok()).unwrap_or(4);
    if let Some(e0) = std::env::var("EPS").ok().and_then(|s| s.parse::<f64>().ok()) {
        let f: f64 = std::env::var("FAC").ok().and_then(|s| s.parse().ok()).unwrap_or(5.0);
        let last: f64 = std::env::var("LAST").ok().and_then(|s| s.parse().ok()).unwrap_or(1.0);
        let mut eps = e0;
        loop {
            let bids = auction_phase(&mut state, &mut lists, eps, 100 * n);
            if trace { eprintln!("  eps {eps} bids {bids} refills {} {:?}", lists.refills, t.elapsed()); }
            if eps <= last { break }
            eps = (eps / f).max(last);
        }
        let w = tighten(&mut state, &mut lists);
        if trace { eprintln!("  tighten {} {:?}", w.len(), t.elapsed()); }
        let mut search = Search::new(n, state.capacities.len());
        for i in w {
            if let Err(s) = search.augment(i, &mut state, &mut lists) { return Ok(Answer::Infeasible(s)) }
        }
        if trace { eprintln!("  paths {:?} {:?}", t.elapsed(), search.effort); }
        let a = frame.finish(Found { resource_of: state.resource_of, cost_of: state.cost_of, prices: state.prices });
        return Ok(a);
    }
    let waiting = bid_without_increment(&mut state, &mut lists, budget * n);
    if trace { eprintln!("  bids {:?} waiting {} refills {}", t.elapsed(), waiting.len(), lists.refills); }
    let mut search = Search::new(n, state.capacities.len());
    for i in waiting {
        if let Err(s) = search.augment(i, &mut state, &mut lists) { return Ok(Answer::Infeasible(s)) }
    }
    if trace { eprintln!("  paths {:?} {:?}", t.elapsed(), search.effort); }
    let a = frame.finish(Found { resource_of: state.resource_of, cost_of: state.cost_of, prices: state.prices });
    if trace { eprintln!("  finish {:?}", t.elapsed()); }
    Ok(a)
}
