//! Long searches, which branch on the number of jobs served. They must give the same answer as a search in which
//! leaving a job out is one more alternative, and more work must never give a worse answer.

use crate::asked::select;
use crate::bounded::{HARD, LINE, NOISY, batch, problems, rows};
use crate::families::{FAMILIES, Family};
use batch_dp::*;
use econsched::testkit::{Draw, Stopped, Stops};
use sched_model::internal::exact_sum;
use sched_model::{End, Limit};
use std::iter::successors;

/// Ranked by the loss of service; the answer is the picks and their use of the limit.
type Found = Stopped<(Vec<Option<usize>>, f64)>;

/// More work than any of these searches needs.
const MOST: u64 = 3_000_000;

struct Case {
    rows: Vec<Vec<(f64, f64)>>,
    /// The weight of each job, a whole number.
    weights: Vec<f64>,
    goal: Goal,
    by_weight: bool,
}

impl Case {
    fn draw(family: Family, (jobs, alternatives): (usize, usize), seed: u64) -> Self {
        let draw = &mut Draw::new(seed, 1);
        let rows = rows(family, (jobs, alternatives), draw);
        let weights = (0..jobs).map(|_| 2.0 * draw.between(1, 99) as f64).collect();
        let limit = Some((0.2 + 0.7 * draw.unit()) * 51.0 * jobs as f64);
        let goal = [Goal::MinTime { budget: limit }, Goal::MaxIncome { time_limit: limit }]
            [usize::from(draw.chance(20))];
        Self { rows, weights, goal, by_weight: draw.chance(50) }
    }

    fn found(&self, limit: &Limit) -> Found {
        let batch = Alternatives::new(&self.rows).unwrap();
        let weights = self.weights.clone();
        let coverage =
            if self.by_weight { Coverage::MostWeight(weights) } else { Coverage::Penalties(weights) };
        let found = select(&batch, self.goal, &coverage, &mut limit.meter()).unwrap();
        let by_time = self.goal.limits_cost();
        let signed = |value: Option<f64>| value.map(|value| if by_time { value } else { -value });
        let used = |choice: &Choice| if by_time { choice.cost } else { choice.time };
        Stopped {
            rank: found.best.as_ref().filter(|_| self.by_weight).map_or(0.0, |choice| choice.left_out),
            value: signed(found.value),
            bound: signed(found.bound),
            work: found.work,
            end: found.end,
            answer: found.best.map_or((Vec::new(), 0.0), |choice| (choice.picks.clone(), used(&choice))),
        }
    }

    /// Solves the case with leaving out as one more alternative of each job; by weight, its price exceeds all
    /// other sums. The loss of service, the objective and the use of the limit; `None` if the search reached its limit.
    fn every_job(&self) -> Option<(f64, f64, f64)> {
        let (limits_cost, dear) = (self.goal.limits_cost(), if self.by_weight { 2f64.powi(20) } else { 1.0 });
        let mut rows = self.rows.clone();
        for (row, weight) in rows.iter_mut().zip(&self.weights) {
            row.push(if limits_cost { (0.0, dear * weight) } else { (-dear * weight, 0.0) });
        }
        let (batch, limit) = (Alternatives::new(&rows).unwrap(), Limit::default().with_work(MOST));
        let found = select(&batch, self.goal, &Coverage::EveryJob, &mut limit.meter()).unwrap();
        let (mut lost, mut own, mut used) = (Vec::new(), Vec::new(), Vec::new());
        for ((row, pick), &weight) in rows.iter().zip(&found.best.unwrap().picks).zip(&self.weights) {
            let (cost, time) = row[pick.unwrap()];
            if *pick == Some(row.len() - 1) && self.by_weight {
                lost.push(weight);
                continue;
            }
            own.push(if limits_cost { time } else { -cost });
            used.push(if limits_cost { cost } else { time });
        }
        (found.end == End::Done).then(|| (exact_sum(lost), exact_sum(own), exact_sum(used)))
    }
}

/// Twelve cases of each of these sizes and each family.
fn cases(sizes: &[(usize, usize)]) -> impl Iterator<Item = Case> + '_ {
    let families = sizes.iter().flat_map(|&size| HARD.map(|family| (size, family)));
    families.flat_map(|(size, family)| (0..12).map(move |seed| Case::draw(family, size, seed)))
}

/// Cases whose search is long enough, or nearly long enough, for branches, and their expected answers.
fn long_cases() -> impl Iterator<Item = (Case, Found)> {
    cases(&[(30, 10), (50, 10), (80, 12), (120, 12)]).filter_map(|case| {
        let found = case.found(&Limit::default().with_work(MOST));
        (found.work > 20_000).then_some((case, found))
    })
}

#[test]
fn leaving_out_is_one_more_alternative() {
    let (mut compared, mut branched) = (0, 0);
    for (mut case, found) in long_cases() {
        let sums = |of: &Found| (of.rank, of.value.unwrap(), of.answer.1);
        let ((lost, value, used), bound) = (sums(&found), found.bound.unwrap());
        let Some(whole) = case.every_job().filter(|_| found.end == End::Done) else { continue };
        // Added to the price of leaving out, nearly equal sums may round to the same double.
        let slack = if case.by_weight { 1e-6 } else { 0.0 };
        assert!(lost == whole.0 && (value - whole.1).abs() <= slack, "{found:?} {whole:?}");
        assert!(bound <= value && (case.by_weight || used == whole.2), "{found:?} {whole:?}");
        compared += 1;
        if found.work > 100_000 {
            branched += 1;
            // The best choice stays the best if some of the jobs that it serves must be served.
            for (weight, _) in
                case.weights.iter_mut().zip(&found.answer.0).step_by(3).filter(|job| job.1.is_some())
            {
                *weight = if case.by_weight { *weight } else { f64::INFINITY };
            }
            let again = case.found(&Limit::default().with_work(MOST));
            assert!(10 * again.work < 11 * found.work, "{} {}", again.work, found.work);
            assert!(sums(&again) == sums(&found) && again.bound.unwrap() <= value, "{again:?} {found:?}");
        }
    }
    assert!(compared > 50 && branched > 15, "{compared} {branched}");
}

#[test]
fn more_work_is_never_worse_and_bounds_hold_with_little_memory() {
    let mut narrow = 0;
    for (case, whole) in long_cases() {
        // From the first trials of branches on, in small steps: two branches follow each other.
        let steps = |work: &u64| Some(work + work / if *work > 90_000 { 16 } else { 2 });
        let works = successors(Some(3_000), steps).take_while(|work| *work < whole.work).collect();
        let stops = Stops { parts: Vec::new(), works, questions: whole.work % 40 };
        stops.check(MOST, |limit| Ok(case.found(limit))).unwrap();
        assert!(whole.bound <= whole.value, "{whole:?}");
        for memory in [1 << 16, 1 << 17, 1 << 18] {
            let found = case.found(&Limit::default().with_work(MOST / 10).with_memory(memory));
            narrow += usize::from(found.end == End::Memory);
            let of = |of: &Found| Some((of.rank, of.value?));
            let is_as_said = found.value.is_none() || of(&whole) <= of(&found) || whole.end != End::Done;
            assert!(is_as_said && found.bound.is_none_or(|bound| Some(bound) <= whole.value), "{memory}");
        }
    }
    assert!(narrow > 20, "{narrow}");
}

/// Bounds, the order of the core, the reduction and the first choices have not become worse. They change no
/// answer, but if any of them is missing, searches take longer.
#[test]
fn searches_are_short() {
    let limit = Limit::default().with_work(MOST);
    let part = |by_weight: bool| -> u64 {
        cases(&[(20, 8), (30, 10), (50, 10)])
            .filter(|case| case.by_weight == by_weight)
            .map(|case| case.found(&limit).work)
            .sum()
    };
    let of_all = |(jobs, family): (usize, Family)| -> u64 {
        let batch = batch(family, jobs, jobs, 7);
        let of = |goal| select(&batch, goal, &Coverage::EveryJob, &mut limit.meter()).unwrap().work;
        problems(jobs).into_iter().map(of).sum()
    };
    let sizes = [(10, NOISY), (12, NOISY), (30, NOISY), (30, FAMILIES[6])];
    let whole = sizes.into_iter().map(of_all).sum();
    let long = long_cases().map(|(_, found)| found.work).sum();
    let works = [whole, part(false), part(true), long];
    let most = [490_000, 1_365_000, 1_515_000, 20_400_000];
    assert!(works.iter().zip(&most).all(|(work, most)| work <= most), "{works:?}");
    // The second branch adds only a thousandth of the work, so this lower limit shows that it is searched.
    assert!(works[3] > 20_350_000, "{works:?}");
}

/// Each pass is wider than the one before, as far as memory allows.
#[test]
fn memory_decides_the_width() {
    let found = |(jobs, alternatives, seed), memory| {
        let (batch, goal) = (batch(LINE, jobs, alternatives, seed), problems(jobs)[0]);
        let limit = Limit::default().with_memory(memory);
        let found = select(&batch, goal, &Coverage::EveryJob, &mut limit.meter()).unwrap();
        assert_eq!(found.end, End::Memory);
        (found.work, found.value.unwrap())
    };
    let narrow = (35_180, 1994.3068399560916);
    let found_by = [1 << 16, 1 << 17, 1 << 18].map(|memory| found((20, 20, 5), memory));
    assert_eq!(found_by, [narrow, narrow, (296_516, 1994.0261487308076)]);
    // Histories of many jobs outgrow their share, and states are dropped for it.
    assert_eq!(found((240, 3, 7), 1 << 17), (48_569, 23928.084658978423));
}
