//! In a long search, branches on the number of jobs served take over. They must give the same answer as a search
//! in which leaving a job out is one more alternative, and more work must never give a worse answer.

use crate::asked::select;
use crate::bounded::{HARD, LINE, NOISY, batch, problems, rows};
use crate::families::{FAMILIES, Family};
use batch_dp::*;
use econsched::testkit::Draw;
use sched_model::internal::exact_sum;
use sched_model::{End, Limit};

/// The loss of service, the objective (less is better), and the use of the limit.
type Sums = (f64, f64, f64);

struct Found {
    picks: Vec<Option<usize>>,
    sums: Option<Sums>,
    bound: Option<f64>,
    end: End,
    work: u64,
}

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
        let sums = found.best.as_ref().map(|choice| self.sums(choice, found.value.unwrap()));
        let (bound, end, work) = (found.bound.map(|bound| self.sign() * bound), found.end, found.work);
        Found { picks: found.best.map_or(Vec::new(), |choice| choice.picks), sums, bound, end, work }
    }

    fn sign(&self) -> f64 {
        if self.goal.limits_cost() { 1.0 } else { -1.0 }
    }

    fn sums(&self, choice: &Choice, value: f64) -> Sums {
        let used = if self.goal.limits_cost() { choice.cost } else { choice.time };
        (if self.by_weight { choice.left_out } else { 0.0 }, self.sign() * value, used)
    }

    /// Solves the case with leaving out as one more alternative of each job; by weight, its price exceeds all
    /// other sums. `None` if the search reached its limit.
    fn every_job(&self) -> Option<Sums> {
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
        let (sums, bound) = (found.sums.unwrap(), found.bound.unwrap());
        let Some(whole) = case.every_job().filter(|_| found.end == End::Done) else { continue };
        // Added to the price of leaving out, nearly equal sums may round to the same double.
        let slack = if case.by_weight { 1e-6 } else { 0.0 };
        assert!(sums.0 == whole.0 && (sums.1 - whole.1).abs() <= slack, "{sums:?} {whole:?}");
        assert!(bound <= sums.1 && (case.by_weight || sums.2 == whole.2), "{bound} {sums:?} {whole:?}");
        compared += 1;
        if found.work > 100_000 {
            branched += 1;
            // The best choice stays the best if some of the jobs that it serves must be served.
            for (weight, _) in
                case.weights.iter_mut().zip(&found.picks).step_by(3).filter(|job| job.1.is_some())
            {
                *weight = if case.by_weight { *weight } else { f64::INFINITY };
            }
            let again = case.found(&Limit::default().with_work(MOST));
            assert!(10 * again.work < 11 * found.work, "{} {}", again.work, found.work);
            assert!(again.sums == found.sums && again.bound.unwrap() <= sums.1, "{:?} {sums:?}", again.sums);
        }
    }
    assert!(compared > 50 && branched > 15, "{compared} {branched}");
}

#[test]
fn more_work_is_never_worse_and_bounds_hold_with_little_memory() {
    let mut narrow = 0;
    for (case, whole) in long_cases() {
        let best = whole.sums.unwrap();
        let (mut before, mut bound, mut work) = ((f64::INFINITY, f64::INFINITY), f64::NEG_INFINITY, 3_000);
        while work < whole.work {
            let found = case.found(&Limit::default().with_work(work));
            let now = found.sums.map_or((f64::INFINITY, f64::INFINITY), |sums| (sums.0, sums.1));
            assert!(now <= before && (best.0, best.1) <= now, "{now:?} after {work}, before {before:?}");
            let proven = found.bound.unwrap_or(f64::NEG_INFINITY);
            assert!(bound <= proven && proven <= best.1, "{proven} after {work}, {bound} {best:?}");
            // From the first trials of branches on, in small steps: two branches follow each other.
            (before, bound, work) = (now, proven, work + work / if work > 90_000 { 16 } else { 2 });
        }
        for memory in [1 << 16, 1 << 17, 1 << 18] {
            let found = case.found(&Limit::default().with_work(MOST / 10).with_memory(memory));
            narrow += usize::from(found.end == End::Memory);
            let is_as_said =
                found.sums.is_none_or(|sums| (best.0, best.1) <= (sums.0, sums.1) || whole.end != End::Done);
            assert!(is_as_said && found.bound.is_none_or(|bound| bound <= best.1), "{memory}");
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
