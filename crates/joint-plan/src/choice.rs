//! The choice among the windows of a pool, which may overlap, with the prices of an ascent.

use crate::JointError;
use crate::ascent::Ascent;
use crate::conflict::{Candidate, ConflictProblem, StartPrices};
use crate::instance::{Instance, Stopped};
use crate::pool::Pool;
use sched_model::internal::exact_sum;
use sched_model::{End, Meter, Window};

/// The relative gap at which a choice ends. Many costs differ only by rounding, and a search among these improves no
/// plan.
pub(crate) const GAP: f64 = 1e-6;

/// Finds the best choice of windows of a pool such that no two overlap, starting from `present`. If `present` places
/// all jobs, windows that no better plan can contain are excluded first.
///
/// # Errors
/// [`Stopped`] if the input is malformed or the limit is reached.
pub(crate) fn choose(
    instance: &Instance<'_>,
    pool: &Pool,
    present: &[Option<Window>],
    ascent: &Ascent,
    work: u64,
    meter: &mut Meter,
) -> Result<Vec<Option<Window>>, Stopped> {
    let kept = kept(instance, pool, present, ascent)?;
    let candidate = |window: &&Window| {
        Candidate::of_window(
            window,
            instance.terms.objective(window, instance.from),
            instance.terms.weight(window),
        )
    };
    let candidates = kept.iter().map(|windows| windows.iter().map(candidate).collect()).collect();
    let duals = &ascent.duals;
    let prices = duals.prices.iter().map(|(row, &price)| (row.0.0, row.1.get(), price));
    let start = StartPrices {
        multiplier: duals.multiplier,
        accounts: duals.accounts.clone(),
        prices: prices.collect(),
    };
    let problem = ConflictProblem::new(candidates, instance.limit).map_err(JointError::from)?;
    let problem = problem.with_accounts(&instance.accounts.of_job, &instance.accounts.budgets);
    let known = present.iter().zip(&kept).map(|(window, kept)| {
        let window = window.as_ref()?;
        kept.iter().position(|other| *other == window)
    });
    let problem = problem.with_start_prices(start).with_incumbent(known.collect());
    let memory = meter.limit().memory - meter.memory();
    let limit = meter.limit().clone().with_work(work.min(meter.work_left())).with_memory(memory);
    let limit = limit.with_absolute_gap(0.0).with_relative_gap(GAP);
    let choice = problem.solve(&mut limit.meter());
    meter.spend(choice.work)?;
    if choice.end == End::Signal {
        // A limit equal to the work spent so far gives the same choice.
        meter.end(End::Signal);
    }
    let windows = choice.picks.iter().zip(&kept);
    Ok(windows
        .map(|(pick, kept)| pick.and_then(|pick| kept.get(pick)).map(|window| (*window).clone()))
        .collect())
}

/// For each job, the windows that a better plan than `present` can contain, and its present window.
fn kept<'a>(
    instance: &Instance<'_>,
    pool: &'a Pool,
    present: &[Option<Window>],
    ascent: &Ascent,
) -> Result<Vec<Vec<&'a Window>>, JointError> {
    let all = || (0..pool.jobs()).map(|job| pool.of(job).iter().collect()).collect();
    let without = ascent.without_window();
    let Some(point) = ascent.best_point(0) else { return Ok(all()) };
    if present
        .iter()
        .enumerate()
        .any(|(job, window)| window.is_none() && without.binary_search(&job).is_err())
    {
        return Ok(all());
    }
    let objective =
        exact_sum(present.iter().flatten().map(|window| instance.terms.objective(window, instance.from)));
    let room = objective - point.leaving_out(0);
    let values = ascent.reduced(instance, pool)?;
    Ok((values.iter().enumerate())
        .map(|(job, values)| {
            let windows = pool.of(job).iter().zip(values);
            let keeps = |(window, value): &(&Window, &f64)| {
                **value - point.of_job(job) <= room || present[job].as_ref() == Some(*window)
            };
            windows.filter(keeps).map(|(window, _)| window).collect()
        })
        .collect())
}
