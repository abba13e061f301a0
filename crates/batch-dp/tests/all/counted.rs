//! What choices count and prove on fixed batches, pinned.
//!
//! Counted work is part of an answer: a limit of it decides where a search stops, and a journal that is
//! replayed compares it. The tests against all choices see a search that misses something; these see one that
//! takes more steps than before, stops elsewhere, or proves less. After a change that is meant to,
//! `GOLDEN=write cargo test -p batch-dp --test all counted` writes the numbers anew.

#[path = "../../../sched-model/tests/pinned/mod.rs"]
mod pinned;

use batch_dp::*;
use pinned::{Counted, Random, pinned};
use sched_model::{Limit, Meter, Outcome, Progress};

/// How the cost of an alternative follows from its time.
#[derive(Debug, Clone, Copy)]
enum Family {
    /// Not at all, in tenths.
    Free,
    /// 200 less the time: all choices on one line.
    Complement,
    /// The same, with noise of one unit.
    Noisy,
    /// The time itself.
    SubsetSum,
    /// 200 less the time, both in tenths.
    Tenths,
    /// Over twelve decades.
    Wide,
}

const FAMILIES: [Family; 6] =
    [Family::Free, Family::Complement, Family::Noisy, Family::SubsetSum, Family::Tenths, Family::Wide];

impl Family {
    fn pair(self, random: &mut Random) -> (f64, f64) {
        let time = 50.0 + 100.0 * random.share();
        let mut wide =
            || (1.0 + random.share()) * [1e-6, 1e-3, 1.0, 10.0, 1e3, 1e6][random.below(6) as usize];
        match self {
            Self::Free => ((random.share() * 1000.0).floor() / 10.0, (time * 10.0).floor() / 10.0),
            Self::Complement => (200.0 - time, time),
            Self::Noisy => (200.0 - time + 2.0 * random.share(), time),
            Self::SubsetSum => (time, time),
            Self::Tenths => ((2000.0 - (time * 10.0).floor()) / 10.0, (time * 10.0).floor() / 10.0),
            Self::Wide => (wide(), wide()),
        }
    }

    fn batch(self, jobs: usize, alternatives: usize, random: &mut Random) -> Alternatives {
        let rows: Vec<Vec<(f64, f64)>> =
            (0..jobs).map(|_| (0..alternatives).map(|_| self.pair(random)).collect()).collect();
        Alternatives::new(&rows).unwrap()
    }
}

/// The sums of the least, and of the greatest, cost and time of every job.
fn range(batch: &Alternatives) -> [(f64, f64); 2] {
    let sum = |number: fn((f64, f64)) -> f64| {
        let of_job = |job| {
            let numbers = || batch.of_job(job).map(number);
            (numbers().fold(f64::INFINITY, f64::min), numbers().fold(0.0, f64::max))
        };
        (0..batch.jobs()).map(of_job).fold((0.0, 0.0), |sum, of| (sum.0 + of.0, sum.1 + of.1))
    };
    [sum(|pair| pair.0), sum(|pair| pair.1)]
}

/// Limits at this share of the way from the least to the greatest.
fn problems(batch: &Alternatives, share: f64) -> [Problem; 4] {
    let [budget, time_limit] = range(batch).map(|(least, most)| least + share * (most - least));
    [
        Problem::MinTime { budget },
        Problem::MaxTime { budget },
        Problem::MinCost { time_limit },
        Problem::MaxIncome { time_limit },
    ]
}

/// A search without a limit worth speaking of, then stopped at eighths of its work, by a gap and by little
/// memory; what an observer is told of the first.
fn stopped_everywhere<T>(
    search: &dyn Fn(&mut Meter<'_>) -> Option<Outcome<T>>,
    note_solution: &dyn Fn(&T, &mut Counted),
    all: &mut Counted,
) {
    let most = || Limit::default().with_work(300_000);
    let mut within = |limit: Limit| {
        let mut meter = limit.meter();
        let found = search(&mut meter);
        if let Some(found) = &found {
            all.outcome(found);
            found.incumbent.iter().for_each(|solution| note_solution(solution, all));
        }
        meter.work()
    };
    let whole = within(most());
    for eighths in 1..8 {
        within(most().with_work(whole * eighths / 8));
    }
    within(most().with_relative_gap(0.001));
    within(most().with_memory(1 << 18));
    let mut told = Vec::new();
    let mut note = |progress: Progress| told.push((progress.incumbent, progress.bound));
    let limit = most();
    search(&mut limit.meter().with_observer(&mut note));
    for (incumbent, bound) in told {
        all.note_number(incumbent);
        all.note_number(bound);
    }
}

fn decided(decision: Result<BatchDecision, BatchError>) -> Option<Outcome<Choice>> {
    match decision {
        Ok(BatchDecision::Chosen(outcome)) => Some(outcome),
        _ => None,
    }
}

fn note_choice(choice: &Choice, all: &mut Counted) {
    choice.picks.iter().for_each(|&pick| all.note(pick as u64));
}

fn note_selection(selection: &Selection, all: &mut Counted) {
    selection.picks.iter().for_each(|pick| all.note(pick.map_or(u64::MAX, |pick| pick as u64)));
}

const SIZES: [(usize, usize); 3] = [(7, 9), (12, 12), (40, 20)];

#[test]
fn choices() {
    let mut random = Random(1);
    let mut all = Vec::new();
    for family in FAMILIES {
        let mut counted = Counted::NOTHING;
        for (jobs, alternatives) in SIZES {
            let batch = family.batch(jobs, alternatives, &mut random);
            for problem in [0.1, 0.5].into_iter().flat_map(|share| problems(&batch, share)) {
                let search = |meter: &mut Meter<'_>| {
                    decided(ExpandingCore.choose(&batch, problem, &mut Scratch::default(), meter))
                };
                stopped_everywhere(&search, &note_choice, &mut counted);
            }
        }
        all.push((format!("{family:?}"), counted));
    }
    pinned("choices", &all);
}

/// Jobs may be left out; scarce limits, and ample ones.
#[test]
fn services() {
    let mut random = Random(2);
    let mut all = Vec::new();
    for family in FAMILIES {
        let mut counted = [Counted::NOTHING; 3];
        for (jobs, alternatives) in SIZES {
            let batch = family.batch(jobs, alternatives, &mut random);
            let weights: Vec<f64> = (0..jobs).map(|_| f64::from(random.below(50))).collect();
            let penalties = weights.iter().map(|weight| 6.0 * weight + 0.1).collect();
            let services =
                [Service::MostJobs, Service::GreatestWeight(weights), Service::Penalties(penalties)];
            for share in [0.3, 0.7, 1.02] {
                let [budget, time_limit] = range(&batch).map(|(least, _)| share * least);
                for problem in [Problem::MinTime { budget }, Problem::MaxIncome { time_limit }] {
                    for (service, counted) in services.iter().zip(&mut counted) {
                        let search = |meter: &mut Meter<'_>| {
                            select(&batch, problem, service, &mut Scratch::default(), meter).ok()
                        };
                        stopped_everywhere(&search, &note_selection, counted);
                    }
                }
            }
        }
        for (name, counted) in ["jobs", "weight", "penalties"].into_iter().zip(counted) {
            all.push((format!("{name} {family:?}"), counted));
        }
    }
    pinned("services", &all);
}

#[test]
fn budgets_of_users() {
    let mut random = Random(3);
    let mut all = Vec::new();
    for family in FAMILIES {
        let mut counted = [Counted::NOTHING; 2];
        for (jobs, alternatives) in [(6, 5), (10, 8)] {
            let batch = family.batch(jobs, alternatives, &mut random);
            let [(least, most), _] = range(&batch);
            let budget = (least + 0.4 * (most - least)) / 2.0;
            let users =
                UserBudgets::new((0..jobs).map(|job| job % 3).collect(), vec![budget, budget, f64::INFINITY]);
            for problem in problems(&batch, 0.5) {
                let search = |meter: &mut Meter<'_>| {
                    decided(choose_with_user_budgets(&batch, problem, &users, &mut Scratch::default(), meter))
                };
                stopped_everywhere(&search, &note_choice, &mut counted[0]);
                let search = |meter: &mut Meter<'_>| {
                    let scratch = &mut Scratch::default();
                    select_with_user_budgets(&batch, problem, &Service::MostJobs, &users, scratch, meter).ok()
                };
                stopped_everywhere(&search, &note_selection, &mut counted[1]);
            }
        }
        for (name, counted) in ["all jobs", "most jobs"].into_iter().zip(counted) {
            all.push((format!("{name} {family:?}"), counted));
        }
    }
    pinned("users", &all);
}
