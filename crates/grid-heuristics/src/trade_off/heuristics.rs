//! The trade-off heuristics: MinCTT and MaxCTT (min-min and max-min cost time trade-off), Greedy and Blind Greedy.

use super::market::Market;
use super::{Reservation, TradeOffProblem};
use crate::HeuristicError;
use sched_model::{End, Job, Meter, Schedule};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// See [`Greedy`](crate::TradeOffKind::Greedy).
pub(crate) fn greedy(
    market: Market<'_>,
    problem: &TradeOffProblem<'_>,
    meter: &mut Meter,
) -> Result<Schedule<Reservation>, HeuristicError> {
    by_arrival(market, problem.jobs, |market, job| Ok(market.best(job, meter)?.map(|(_, place)| place)))
}

/// Places the jobs in order of arrival, each where `place` says; jobs for which it has no place are refused.
fn by_arrival<'a>(
    mut market: Market<'a>,
    jobs: &[Job],
    mut place: impl FnMut(&mut Market<'a>, usize) -> Result<Option<Reservation>, End>,
) -> Result<Schedule<Reservation>, HeuristicError> {
    let mut order: Vec<usize> = (0..jobs.len()).collect();
    order.sort_by_key(|&job| jobs[job].submit);
    for job in order {
        if let Some(place) = place(&mut market, job)? {
            market.take(job, place)?;
        }
    }
    market.schedule()
}

/// See [`BlindGreedy`](crate::TradeOffKind::BlindGreedy).
pub(crate) fn blind_greedy(
    market: Market<'_>,
    problem: &TradeOffProblem<'_>,
) -> Result<Schedule<Reservation>, HeuristicError> {
    by_arrival(market, problem.jobs, |market, job| Ok(market.blind(job)))
}

/// See [`MaxCtt`](crate::TradeOffKind::MaxCtt).
pub(crate) fn max_ctt(
    mut market: Market<'_>,
    problem: &TradeOffProblem<'_>,
    meter: &mut Meter,
) -> Result<Schedule<Reservation>, HeuristicError> {
    // The present metric of each waiting job, as bits (metrics are not negative, so bits are ordered like values), and
    // for each cluster the jobs whose best place was there when last examined.
    let mut current: Vec<Option<u64>> = vec![None; problem.jobs.len()];
    let mut best_on: Vec<Vec<usize>> = vec![vec![]; problem.clusters.len()];
    let mut queue = BinaryHeap::new();
    let mut to_examine: Vec<usize> = (0..problem.jobs.len()).collect();
    loop {
        for job in to_examine.drain(..) {
            let best = market.best(job, meter)?;
            let before = std::mem::replace(&mut current[job], best.map(|(phi, _)| phi.to_bits()));
            let Some((phi, place)) = best else { continue };
            best_on[place.resource].push(job);
            // A job whose metric has not changed is still in the queue.
            if before != Some(phi.to_bits()) {
                queue.push((phi.to_bits(), Reverse(job)));
            }
        }
        let Some((phi, Reverse(job))) = queue.pop() else { break };
        // Otherwise the entry is stale.
        if current[job] == Some(phi) {
            let Some((_, place)) = market.best(job, meter)? else { continue };
            market.take(job, place)?;
            current[job] = None;
            to_examine.append(&mut best_on[place.resource]);
            to_examine.retain(|&job| current[job].is_some());
        }
    }
    market.schedule()
}

/// See [`MinCtt`](crate::TradeOffKind::MinCtt).
pub(crate) fn min_ctt(
    mut market: Market<'_>,
    problem: &TradeOffProblem<'_>,
    meter: &mut Meter,
) -> Result<Schedule<Reservation>, HeuristicError> {
    let mut first = Vec::with_capacity(problem.jobs.len());
    for job in 0..problem.jobs.len() {
        first.extend(market.best(job, meter)?.map(|(phi, _)| Reverse((phi.to_bits(), job))));
    }
    let mut queue = BinaryHeap::from(first);
    while let Some(Reverse((bound, job))) = queue.pop() {
        // A job without a place now cannot get one later.
        let Some((phi, place)) = market.best(job, meter)? else { continue };
        if phi.to_bits() == bound {
            market.take(job, place)?;
        } else {
            queue.push(Reverse((phi.to_bits(), job)));
        }
    }
    market.schedule()
}
