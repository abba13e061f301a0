//! What assignments count and prove on fixed costs, pinned.
//!
//! Counted work is part of an answer: a limit of it decides where a search stops. The tests against all
//! assignments see a wrong answer; these see a method that reads more than before, gives way to another one
//! elsewhere, or proves less when it is stopped. After a change that is meant to,
//! `GOLDEN=write cargo test -p auction-assign --all-features --test all counted` writes the numbers anew.

#[path = "../../../sched-model/tests/pinned/mod.rs"]
mod pinned;

use auction_assign::{
    AssignError, Assignment, Auction, Bounded, Costs, Coverage, Problem, Sense, ShortestPaths, solve_within,
};
use pinned::{Counted, Random, pinned};
use sched_model::{Limit, Meter, Progress};

/// Structures of costs.
#[derive(Debug, Clone, Copy)]
enum Family {
    /// Whole numbers below a million.
    Whole,
    /// Four whole numbers.
    Ties,
    /// Whole numbers a third of which are costs.
    Thirds,
    /// A cost of the job and one of the resource, and a little of both.
    LowRank,
    /// The cost of a job grows with the resource, the more so for later jobs.
    Products,
    /// Over twelve decades.
    Wide,
    /// Most pairs are forbidden.
    Forbidden,
}

const FAMILIES: [Family; 7] = [
    Family::Whole,
    Family::Ties,
    Family::Thirds,
    Family::LowRank,
    Family::Products,
    Family::Wide,
    Family::Forbidden,
];

impl Family {
    fn costs(self, rows: usize, cols: usize, random: &mut Random) -> Vec<f64> {
        let offsets: Vec<f64> = (0..rows + cols).map(|_| f64::from(random.below(10_000))).collect();
        let cost = |at: usize| {
            let (i, r) = (at / cols, at % cols);
            let whole = f64::from(random.below(1_000_000));
            match self {
                Self::Whole => whole,
                Self::Ties => f64::from(random.below(4)),
                Self::Thirds => whole / 3.0,
                Self::LowRank => offsets[i] + offsets[rows + r] + f64::from(random.below(10)),
                Self::Products => (i + 1) as f64 * (r + 1) as f64 + f64::from(random.below(3)),
                Self::Wide => {
                    (1.0 + random.share()) * [1e-6, 1e-3, 1.0, 10.0, 1e3, 1e6][random.below(6) as usize]
                }
                Self::Forbidden if random.below(5) > 0 && i % cols != r => f64::INFINITY,
                Self::Forbidden => whole / 10.0,
            }
        };
        (0..rows * cols).map(cost).collect()
    }
}

/// Jobs, resources, and the capacity of each.
const SHAPES: [(usize, usize, u32); 5] = [(40, 40, 1), (24, 90, 1), (90, 9, 11), (60, 30, 2), (130, 130, 1)];

/// A search without a limit, then stopped at eighths of its work, by a gap and by little memory; what an
/// observer is told of the first.
fn stopped_everywhere(search: &dyn Fn(&mut Meter<'_>) -> Result<Bounded, AssignError>, all: &mut Counted) {
    let mut within = |limit: Limit| {
        let found = search(&mut limit.meter()).unwrap();
        note(&found, all);
        found.outcome.work
    };
    let whole = within(Limit::without_limit());
    for eighths in 1..8 {
        within(Limit::without_limit().with_work(whole * eighths / 8));
    }
    within(Limit::without_limit().with_relative_gap(0.01));
    within(Limit::without_limit().with_memory(1 << 13));
    let mut told = Vec::new();
    let mut note = |progress: Progress| told.push((progress.incumbent, progress.bound));
    let limit = Limit::without_limit();
    search(&mut limit.meter().with_observer(&mut note)).unwrap();
    for (incumbent, bound) in told {
        all.note_number(incumbent);
        all.note_number(bound);
    }
}

fn note(found: &Bounded, all: &mut Counted) {
    all.outcome(&found.outcome);
    if let Some(Assignment { resources, duals, .. }) = &found.outcome.incumbent {
        resources.iter().for_each(|at| all.note(at.map_or(u64::MAX, u64::from)));
        let numbers = duals.iter().flat_map(|duals| duals.profits.iter().chain(&duals.prices));
        numbers.for_each(|&number| all.note_number(Some(number)));
    }
    if let Some(shortage) = &found.shortage {
        shortage.jobs.iter().chain(&shortage.resources).for_each(|&at| all.note(u64::from(at)));
    }
}

type Method = dyn Fn(&Problem<'_>, &mut Meter<'_>) -> Result<Bounded, AssignError>;

/// The method on every family and shape, dense and, where pairs are forbidden, sparse.
fn by_method(name: &str, method: &Method) {
    let mut random = Random(1);
    let mut all = Vec::new();
    for family in FAMILIES {
        let mut counted = Counted::NOTHING;
        for (at, (rows, cols, places)) in SHAPES.into_iter().enumerate() {
            let values = family.costs(rows, cols, &mut random);
            // Where resources have several places, the last one has none.
            let mut capacities = vec![places; cols];
            if places > 1 {
                capacities[cols - 1] = 0;
            }
            let entries: Vec<usize> = (0..rows * cols).filter(|&at| values[at].is_finite()).collect();
            let offsets: Vec<usize> =
                (0..=rows).map(|row| entries.partition_point(|at| at / cols < row)).collect();
            let columns: Vec<u32> = entries.iter().map(|at| (at % cols) as u32).collect();
            let listed: Vec<f64> = entries.iter().map(|&at| values[at]).collect();
            let dense = Costs::dense(rows, cols, &values).unwrap();
            let sparse = Costs::sparse(rows, cols, &offsets, &columns, &listed).unwrap();
            for costs in [dense, sparse].into_iter().take(if listed.len() < values.len() { 2 } else { 1 }) {
                let problem = Problem::new(costs).with_capacities(&capacities).unwrap();
                let coverages =
                    [Coverage::EveryJob, Coverage::MostJobs, Coverage::Optional { unplaced: 900.0 }];
                for (turn, coverage) in coverages.into_iter().enumerate() {
                    let problem = problem.with_coverage(coverage);
                    let problem = problem.with_sense([Sense::Minimise, Sense::Maximise][(at + turn) % 2]);
                    stopped_everywhere(&|meter| method(&problem, meter), &mut counted);
                }
            }
        }
        all.push((format!("{family:?}"), counted));
    }
    pinned(name, &all);
}

#[test]
fn automatic() {
    by_method("automatic", &solve_within);
}

#[test]
fn shortest_paths() {
    by_method("shortest_paths", &|problem, meter| ShortestPaths.assign_within(problem, meter));
}

#[test]
fn auction() {
    by_method("auction", &|problem, meter| Auction::default().assign_within(problem, meter));
}

#[test]
fn auction_without_closing() {
    let auction = Auction::default().with_last_epsilon(0.25).without_closing();
    by_method("auction_without_closing", &move |problem, meter| auction.assign_within(problem, meter));
}

/// From the answer before, after changes of two rows, one column and one capacity.
#[test]
fn warm() {
    let mut random = Random(2);
    let mut all = Vec::new();
    for family in FAMILIES {
        let mut counted = Counted::NOTHING;
        for (rows, cols, places) in SHAPES {
            let mut values = family.costs(rows, cols, &mut random);
            let mut capacities = vec![places + 1; cols];
            let mut start: Option<Assignment> = None;
            for turn in 0..6 {
                let (jobs, column) = ([turn, 2 * turn + 1], turn % cols);
                let fresh = family.costs(rows, cols, &mut random);
                for (at, value) in values.iter_mut().enumerate() {
                    if jobs.contains(&(at / cols)) || at % cols == column {
                        *value = fresh[at];
                    }
                }
                capacities[column] = places + 1 - turn as u32 % 2;
                let problem = Problem::new(Costs::dense(rows, cols, &values).unwrap());
                let problem = problem.with_capacities(&capacities).unwrap();
                let problem = start.as_ref().map_or(problem, |start| problem.with_start(start));
                let found = solve_within(&problem, &mut Limit::without_limit().meter()).unwrap();
                note(&found, &mut counted);
                start = found.outcome.incumbent;
            }
        }
        all.push((format!("{family:?}"), counted));
    }
    pinned("warm", &all);
}
