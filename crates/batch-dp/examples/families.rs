//! Measures choices at the default limit on families of batches, including hard ones: the minimum time of several runs,
//! the work, and the proof. Under tight limits, also the time of choices that may leave jobs out, compared with the
//! median time of choices for the whole batch whose limits bind.
//!
//! `cargo run --release -p batch-dp --example families [jobs alternatives [runs]]`

#![allow(clippy::disallowed_types)] // it reports how long it takes

#[allow(dead_code, clippy::unwrap_used)] // its numbers alone are taken
#[path = "../../econsched/tests/all/frozen/draw.rs"]
mod draw;
#[path = "../../econsched/tests/all/frozen/families.rs"]
mod families;

use batch_dp::{Alternatives, Choice, ChoiceProblem, ChoiceRefusal, Chooser, Coverage, ExpandingCore, Goal};
use draw::Draw;
use families::{Drawn, FAMILIES};
use sched_model::Outcome;
use std::error::Error;
use std::time::{Duration, Instant};

type Fallible<T> = Result<T, Box<dyn Error>>;

type Found = Outcome<Choice, ChoiceRefusal>;

/// The minimum time of several runs, and the result, which is that of each.
fn least_of(runs: u32, problem: &ChoiceProblem<'_>) -> Fallible<(Duration, Found)> {
    let run = || -> Fallible<(Duration, Found)> {
        let begun = Instant::now();
        let found = ExpandingCore.choose(problem)?;
        Ok((begun.elapsed(), found))
    };
    let (mut least, found) = run()?;
    for _ in 1..runs {
        least = least.min(run()?.0);
    }
    Ok((least, found))
}

fn show(name: &str, time: Duration, found: &Found, beside: &str) {
    let Outcome { work, end, .. } = found;
    let gap = found.gap().zip(found.value).map_or(f64::NAN, |(gap, value)| gap / value.abs().max(1e-300));
    println!("  {name:24} {time:>10.1?} work {work:>9} {end:?} gap {gap:.1e} {beside}");
}

fn main() -> Fallible<()> {
    let mut arguments = std::env::args().skip(1);
    let jobs: usize = arguments.next().map_or(Ok(10), |jobs| jobs.parse())?;
    let alternatives: usize = arguments.next().map_or(Ok(10), |count| count.parse())?;
    let runs: u32 = arguments.next().map_or(Ok(1), |runs| runs.parse())?;
    // The last family consists of ties and takes little time.
    for family in FAMILIES.into_iter().take(8) {
        let mut draw = Draw(7);
        let drawn = Drawn::new(family, jobs, alternatives, &mut |least, most| draw.between(least, most));
        let batch = Alternatives::new(&drawn.rows)?;
        println!("{}, {jobs} x {alternatives}", family.0);
        let mut binding = Vec::new();
        for share in [0.25, 0.5, 0.75] {
            let [budget, time_limit] = drawn.limits(share);
            for (name, goal) in [
                ("least time", Goal::MinTime { budget: Some(budget) }),
                ("least cost", Goal::MinCost { time_limit: Some(time_limit) }),
                ("greatest income", Goal::MaxIncome { time_limit: Some(time_limit) }),
            ] {
                let (time, found) = least_of(runs, &ChoiceProblem::new(&batch, goal))?;
                let unlimited = ExpandingCore.choose(&ChoiceProblem::new(&batch, goal.with_limit(None)))?;
                let binds = unlimited.value != found.value;
                show(&format!("{name} {share}"), time, &found, if binds { "the limit binds" } else { "" });
                if binds {
                    binding.push(time);
                }
            }
        }
        binding.sort_unstable();
        let plain = binding.get(binding.len() / 2).map(Duration::as_secs_f64);
        let weights = drawn.weights;
        for share in [0.3, 0.6, 0.9] {
            let goal = Goal::MinTime { budget: Some(share * drawn.costs.0) };
            let penalties = Coverage::Penalties(weights.iter().map(|weight| 2.0 * weight).collect());
            for (covered, coverage) in [
                ("most jobs", &Coverage::MostJobs),
                ("greatest weight", &Coverage::MostWeight(weights.clone())),
                ("penalties", &penalties),
            ] {
                let problem = ChoiceProblem::new(&batch, goal).with_coverage(coverage.clone());
                let (time, found) = least_of(runs, &problem)?;
                let times = plain.map(|plain| time.as_secs_f64() / plain);
                let times = times.map(|times| format!("{times:6.2} times the whole batch"));
                show(&format!("{covered} {share}"), time, &found, &times.unwrap_or_default());
            }
        }
    }
    Ok(())
}
