//! Large neighbourhoods: some jobs planned anew, the others where they are.

use crate::JointError;
use crate::columns::{Cell, Columns, Stopped};
use crate::incumbent::Incumbent;
use crate::master::Duals;
use crate::pool::Pool;
use batch_dp::conflict::{Candidate, ConflictProblem, StartPrices};
use sched_model::{Job, Meter, Window, exact_sum};
use std::collections::BTreeSet;

/// Numbers of jobs that are freed together, one after the other.
const SIZES: [usize; 4] = [3, 4, 6, 9];
/// Work of a choice among the windows of a neighbourhood.
const CHOICE_WORK: u64 = 200_000;

/// Frees neighbourhoods until none of any size makes the plan better, `enough` says so of its objective, or the limit
/// ends it. A neighbourhood is a job with those nearest to it, so that the order is the same in every run.
///
/// # Errors
/// [`Stopped`] where the limit ends it or the input is malformed. The incumbent is whole in any case.
pub(crate) fn improve(
    cell: &Cell<'_>,
    pool: &mut Pool,
    incumbent: &mut Incumbent,
    duals: &Duals,
    meter: &mut Meter<'_>,
    enough: impl Fn(&Incumbent) -> bool,
) -> Result<(), Stopped> {
    let jobs = cell.jobs.len();
    // Neighbourhoods that were looked at in vain, with all windows around them: they need no second look.
    let mut known: BTreeSet<(Vec<usize>, Vec<u64>)> = BTreeSet::new();
    for size in SIZES.into_iter().filter(|&size| size < jobs.max(4)) {
        // A pass without a better plan leads to the next size.
        loop {
            let mut better = false;
            for centre in 0..jobs {
                if enough(incumbent) {
                    return Ok(());
                }
                let free = nearest(incumbent.windows(), centre, size);
                if !known.insert((free.clone(), surroundings(incumbent.windows(), &free))) {
                    continue;
                }
                better |= replan(cell, &free, pool, incumbent, duals, meter)?;
            }
            if !better {
                break;
            }
        }
    }
    Ok(())
}

/// The starts of all windows and the nodes of those that stay, as numbers to compare.
fn surroundings(windows: &[Option<Window>], free: &[usize]) -> Vec<u64> {
    let of_window = |(job, window): (usize, &Option<Window>)| {
        let window = window.as_ref()?;
        let nodes = window.placements().iter().map(|placement| u64::from(placement.node.0));
        let nodes: Vec<u64> = if free.contains(&job) { Vec::new() } else { nodes.collect() };
        Some([job as u64, window.start().get().to_bits()].into_iter().chain(nodes))
    };
    windows.iter().enumerate().filter_map(of_window).flatten().collect()
}

/// The job with those that are nearest to its window: sharing a node first, then by distance of their starts. Jobs
/// without a window are near to every job.
fn nearest(windows: &[Option<Window>], centre: usize, size: usize) -> Vec<usize> {
    let distance = |job: usize| match (&windows[centre], &windows[job]) {
        (Some(ours), Some(theirs)) => {
            let shared = ours
                .placements()
                .iter()
                .any(|place| theirs.placements().iter().any(|other| other.node == place.node));
            let apart = if ours.start() < theirs.start() {
                theirs.start() - ours.start()
            } else {
                ours.start() - theirs.start()
            };
            (1 + u8::from(!shared), apart)
        }
        _ => (0, sched_model::Span::ZERO),
    };
    let mut others: Vec<usize> = (0..windows.len()).filter(|&job| job != centre).collect();
    others.sort_by_key(|&job| (distance(job), job));
    others.truncate(size - 1);
    others.push(centre);
    others.sort_unstable();
    others
}

/// Plans the free jobs anew around the others. Says whether the plan is better.
fn replan(
    cell: &Cell<'_>,
    free: &[usize],
    pool: &mut Pool,
    incumbent: &mut Incumbent,
    duals: &Duals,
    meter: &mut Meter<'_>,
) -> Result<bool, Stopped> {
    let fixed: Vec<&Window> = (incumbent.windows().iter().enumerate())
        .filter(|(job, _)| !free.contains(job))
        .filter_map(|(_, window)| window.as_ref())
        .collect();
    let mut slots = cell.slots.clone();
    for window in &fixed {
        slots.cut(window).map_err(JointError::from)?;
    }
    let used = exact_sum(fixed.iter().map(|window| cell.terms.weight(window)));
    let jobs: Vec<&Job> = free.iter().map(|&job| cell.jobs[job]).collect();
    let part = Cell { slots: &slots, jobs, limit: cell.limit - used, ..cell.clone() };
    let mut part_pool = Pool::new(free.len());
    for (number, &job) in free.iter().enumerate() {
        if let Some(window) = &incumbent.windows()[job] {
            part_pool.add(number, window);
        }
        for window in pool.of(job) {
            if !fixed.iter().any(|fixed| fixed.overlaps(window)) {
                part_pool.add(number, window);
            }
        }
    }
    let present = || free.iter().map(|&job| incumbent.windows()[job].as_ref());
    let left_out = present().filter(Option::is_none).count();
    let objective = exact_sum(present().flatten().map(|window| cell.terms.objective(window, cell.from)));
    let mut columns = Columns::default();
    // The best windows of each job alone, and under the prices of the whole; a bound at the present objective says that
    // nothing better is to be had here.
    columns.price(&part, &mut part_pool, Duals::default(), meter)?;
    columns.price(&part, &mut part_pool, duals.clone(), meter)?;
    if left_out == 0 && columns.bound(0).is_some_and(|bound| bound >= objective) {
        return Ok(false);
    }
    let present: Vec<Option<Window>> = present().map(|window| window.cloned()).collect();
    let picked = choose(&part, &part_pool, &present, &columns, CHOICE_WORK, meter)?;
    for (number, &job) in free.iter().enumerate() {
        for window in part_pool.of(number) {
            pool.add(job, window);
        }
    }
    let mut windows = incumbent.windows().to_vec();
    for (window, &job) in picked.into_iter().zip(free) {
        windows[job] = window;
    }
    Ok(incumbent.offer(cell, windows))
}

/// The best choice among the windows of a pool, no two of which overlap.
///
/// # Errors
/// [`Stopped`] where the input is malformed or the limit is reached.
pub(crate) fn choose(
    cell: &Cell<'_>,
    pool: &Pool,
    present: &[Option<Window>],
    columns: &Columns,
    work: u64,
    meter: &mut Meter<'_>,
) -> Result<Vec<Option<Window>>, Stopped> {
    let candidate = |window: &Window| {
        Candidate::of_window(window, cell.terms.objective(window, cell.from), cell.terms.weight(window))
    };
    let candidates = (0..pool.jobs()).map(|job| pool.of(job).iter().map(candidate).collect()).collect();
    let prices = columns.duals.prices.iter().map(|&(node, instant, price)| (node.0, instant.get(), price));
    let start = StartPrices { multiplier: columns.duals.multiplier, prices: prices.collect() };
    let problem = ConflictProblem::new(candidates, cell.limit).map_err(JointError::from)?;
    let known = present.iter().enumerate();
    let known = known.map(|(job, window)| {
        let window = window.as_ref()?;
        pool.of(job).iter().position(|other| other == window)
    });
    let problem = problem.with_start_prices(start).with_incumbent(known.collect());
    let choice = meter.within(work, |meter| problem.solve(meter));
    if let Some(end) = meter.ended() {
        return Err(Stopped::Limit(end));
    }
    let windows = choice.picks.iter().enumerate();
    let windows = windows.map(|(job, pick)| pick.map(|pick| pool.of(job)[pick].clone())).collect();
    Ok(windows)
}
