//! One alternative for each job of a batch.

use crate::exact::Exact;
use crate::number::{Family, limit_near};
use crate::rng::Rng;
use crate::target::{Target, Verdict, ensure, part};
use econsched::batch_dp::{Alternatives, BatchDecision, ChooserKind, FRONT_CAP, Front, Problem, Scratch};
use econsched::sched_model::{Limit, Proof};
use serde::{Deserialize, Serialize};

pub(crate) struct Choices;

#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    /// (cost, time) of each alternative of each job.
    pub(crate) jobs: Vec<Vec<(f64, f64)>>,
    pub(crate) budget: Option<f64>,
    pub(crate) time_limit: Option<f64>,
}

impl Case {
    /// Exact sums of every choice, each rounded once.
    fn all(&self) -> Vec<(f64, f64)> {
        let mut sums = vec![(Exact::ZERO, Exact::ZERO)];
        for job in &self.jobs {
            let mut next = Vec::with_capacity(sums.len() * job.len());
            for (cost, time) in &sums {
                next.extend(job.iter().map(|&(dc, dt)| (cost.plus(dc), time.plus(dt))));
            }
            sums = next;
        }
        sums.iter().map(|(cost, time)| (cost.rounded(), time.rounded())).collect()
    }

    fn sums_of(&self, picks: &[usize]) -> Option<(f64, f64)> {
        let mut picked = Vec::new();
        for (job, &pick) in self.jobs.iter().zip(picks) {
            picked.push(*job.get(pick)?);
        }
        let cost = Exact::of(picked.iter().map(|pair| pair.0)).rounded();
        Some((cost, Exact::of(picked.iter().map(|pair| pair.1)).rounded()))
    }
}

pub(crate) fn draw(rng: &mut Rng, jobs: usize, most: usize) -> Case {
    let (cost, time) = (Family::any(rng), Family::any(rng));
    let shape = rng.below(5);
    let signed = rng.percent(8);
    let draw_job = |rng: &mut Rng| -> Vec<(f64, f64)> {
        let count = if rng.percent(2) { 0 } else { rng.size(most) };
        (0..count)
            .map(|_| {
                let (c, t) = (cost.draw(rng), time.draw(rng));
                let sign = if signed && rng.percent(30) { -1.0 } else { 1.0 };
                match shape {
                    // Faster alternatives cost more at one rate, so that every choice is undominated.
                    0 => (20.0 - t.min(20.0), t.min(20.0)),
                    1 => (c, c),
                    _ => (sign * c, t),
                }
            })
            .collect()
    };
    let first = draw_job(rng);
    let repeated = rng.percent(20);
    let mut batch: Vec<Vec<(f64, f64)>> =
        (0..jobs).map(|_| if repeated { first.clone() } else { draw_job(rng) }).collect();
    if let Some(&only) = first.first()
        && rng.percent(4)
    {
        batch.iter_mut().flatten().for_each(|pair| *pair = only);
    }
    let picked: Vec<(f64, f64)> =
        batch.iter().filter(|job| !job.is_empty()).map(|job| *rng.pick(job)).collect();
    let cost = Exact::of(picked.iter().map(|pair| pair.0)).rounded();
    let time = Exact::of(picked.iter().map(|pair| pair.1)).rounded();
    Case {
        jobs: batch,
        budget: rng.percent(90).then(|| limit_near(rng, cost)),
        time_limit: rng.percent(90).then(|| limit_near(rng, time)),
    }
}

pub(crate) fn problems(case: &Case) -> [Problem; 3] {
    let budget = case.budget.unwrap_or(f64::INFINITY);
    let time_limit = case.time_limit.unwrap_or(f64::INFINITY);
    [Problem::MinTime { budget }, Problem::MinCost { time_limit }, Problem::MaxIncome { time_limit }]
}

impl Target for Choices {
    type Case = Case;

    fn generate(rng: &mut Rng) -> Case {
        let jobs = rng.size(5);
        draw(rng, jobs, if jobs > 3 { 4 } else { 6 })
    }

    fn judge(case: &Case) -> Verdict {
        let batch = part(Alternatives::new(&case.jobs))?;
        let without: Vec<usize> = (0..case.jobs.len()).filter(|&job| case.jobs[job].is_empty()).collect();
        let all = case.all();
        let mut scratch = Scratch::default();
        for problem in problems(case) {
            // The minimised quantity, the limited quantity, and the limit.
            let view = |(cost, time): (f64, f64)| match problem {
                Problem::MinTime { budget } => (time, cost, budget),
                Problem::MinCost { time_limit } => (cost, time, time_limit),
                Problem::MaxIncome { time_limit } => (-cost, time, time_limit),
                _ => (0.0, 0.0, 0.0),
            };
            let within = all.iter().map(|&sums| view(sums)).filter(|sums| sums.1 <= sums.2);
            let best = within
                .map(|sums| (sums.0, sums.1))
                .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
            for &kind in ChooserKind::ALL {
                let decision =
                    kind.build().choose(&batch, problem, &mut scratch, &mut Limit::default().meter());
                match decision? {
                    BatchDecision::NoAlternative { jobs } => ensure!(jobs == without, "{kind}: {jobs:?}"),
                    BatchDecision::OutOfReach { least, limit } => {
                        ensure!(
                            best.is_none(),
                            "{kind} {}: out of reach by {least:?} against {limit:?}, best {best:?}",
                            name(problem)
                        );
                        let true_least = all.iter().map(|&sums| view(sums).1).fold(f64::INFINITY, f64::min);
                        ensure!(
                            least == true_least,
                            "{kind} {}: the least {least:?}, is {true_least:?}",
                            name(problem)
                        );
                    }
                    BatchDecision::Chosen(outcome) => {
                        let Some(choice) = &outcome.incumbent else {
                            ensure!(false, "{kind}: few choices, and none found");
                            continue;
                        };
                        ensure!(without.is_empty(), "{kind}: a choice for jobs without alternative");
                        let Some(sums) = case.sums_of(&choice.picks) else {
                            ensure!(false, "{kind}: picks {:?}", choice.picks);
                            continue;
                        };
                        ensure!(
                            (choice.cost, choice.time) == sums,
                            "{kind}: sums are not exact: {:?}, are {sums:?}",
                            (choice.cost, choice.time)
                        );
                        let (objective, weight, limit) = view(sums);
                        ensure!(
                            weight <= limit,
                            "{kind} {}: above the limit: {weight:?} > {limit:?}",
                            name(problem)
                        );
                        ensure!(
                            outcome.proof() == Proof::Exact,
                            "{kind} {}: few choices, and {}",
                            name(problem),
                            outcome.proof()
                        );
                        ensure!(
                            best == Some((objective, weight)),
                            "{kind} {}: not the best: {objective:?} with {weight:?}, best {best:?}",
                            name(problem)
                        );
                    }
                    _ => {}
                }
            }
        }
        judge_front(case, &batch, all)
    }
}

fn name(problem: Problem) -> &'static str {
    match problem {
        Problem::MinTime { .. } => "min-time",
        Problem::MinCost { .. } => "min-cost",
        _ => "max-income",
    }
}

/// The front must have every undominated pair of sums and no other.
fn judge_front(case: &Case, batch: &Alternatives, mut all: Vec<(f64, f64)>) -> Verdict {
    let Some(front) = Front::of(batch, FRONT_CAP)? else { return Ok(()) };
    all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut least = f64::INFINITY;
    all.retain(|&(_, time)| {
        let better = time < least;
        least = least.min(time);
        better
    });
    let points: Vec<(f64, f64)> = front.points().iter().map(|point| (point.cost, point.time)).collect();
    ensure!(points == all, "front: {points:?}, is {all:?}");
    for (at, &point) in points.iter().enumerate() {
        let sums = case.sums_of(&front.picks(at));
        ensure!(sums == Some(point), "front: the picks of {point:?} sum to {sums:?}");
    }
    Ok(())
}
