//! The property of all limits: if a search is stopped at any work, by a signal, by memory or by a gap, with or without
//! a start, its incumbent is feasible and its bound holds, and more work never makes either worse.

use crate::cases::{all, dense, problem, structured};
use crate::stopped::{Assignments, Case};
use auction_assign::{
    Assigner, AssignerKind, Assignment, AssignmentProblem, Auction, Costs, Coverage, assign, verify,
};
use econsched::testkit::{AssignCase, Check, Stops};
use sched_model::{End, Limit};
use std::sync::mpsc;

/// Problems of all shapes.
fn cases() -> impl Iterator<Item = AssignCase> {
    all(100).step_by(3)
}

/// The family, which draws small cases, on larger ones; among them some with places that no job can take, which add
/// nothing to a bound.
#[test]
fn any_limit_gives_a_valid_answer_and_more_work_is_never_worse() {
    let endless = (0..12).map(|round| AssignCase {
        capacities: Some((0..24).map(|r| if r % 12 == 5 { u32::MAX } else { 1 }).collect()),
        ..dense(24, &structured(2 * round, 240, 24))
    });
    for (round, case) in cases().chain(endless).enumerate() {
        let parts = (1..24).map(|part| part * 40_000 + round as u32 % 6 * 5000).collect();
        let stops = Stops { parts, works: vec![2_000, 30_000], questions: 3 + 5 * round as u64 % 30 };
        let made_up = (vec![0.0; case.rows[0].len()], vec![None; case.rows.len()]);
        let changes = (0..4).map(|at| (7 * at, 5 * at % made_up.0.len(), (at > 0).then_some(0.1))).collect();
        let case = Case {
            assignment: AssignCase { stops, ..case },
            method: round % 4,
            plain: ([0.25, 4.0, 64.0, 1e-300][round / 4 % 4], [2.0, 5.0, 1e9][round % 3]),
            memory: 1 << (8 + round % 6),
            threads: 2,
            changes,
            made_up,
        };
        let judged = Check::new(Assignments).judge(&case);
        judged.unwrap_or_else(|fault| panic!("{round}: {}", fault.message));
    }
}

/// Copies that only save time are omitted if they exceed the limit of memory; the answer is that of the whole
/// search.
#[test]
fn copies_that_do_not_fit_are_left_away() {
    let entry = |k: usize| ((k * 7919 + k / 400 * 31) % 10_007) as f64;
    let columns = |k: usize| entry(k / 800 * 800 + k % 800 / 8);
    let all = |cost: &dyn Fn(usize) -> f64| (0..640_000).map(cost).collect::<Vec<f64>>();
    // The lists of candidates take 650,000 and 310,000 bytes; each copy takes more.
    for (what, jobs, values, coverage) in [
        ("turned round", 1_600, all(&|k| entry(k) / 10.0), Coverage::MostJobs),
        ("of few bits", 800, all(&entry), Coverage::EveryJob),
        ("columns merged", 800, all(&columns), Coverage::EveryJob),
        ("rows merged", 800, all(&|k| columns(k % 800 * 800 + k / 800)), Coverage::EveryJob),
        ("many ties", 800, all(&|k| (entry(k) as u64 % 5) as f64), Coverage::EveryJob),
    ] {
        let costs = Costs::dense(jobs, 640_000 / jobs, &values).unwrap();
        let problem = AssignmentProblem::new(costs).with_coverage(coverage);
        let whole = assign(&problem).unwrap().value;
        let least = if jobs > 800 { 1_000_000 } else { 420_000 };
        for bytes in [least, 2 * least, 3 * least, 10_000_000] {
            let limit = Limit::none().with_memory(bytes);
            let found = AssignerKind::Automatic.solve(&problem, &mut limit.meter()).unwrap();
            assert_eq!((found.end, found.value), (End::Done, whole), "{what}, {bytes} bytes");
        }
    }
}

/// If a search from a start is stopped after two passes, its answer is no worse than the start.
#[test]
fn a_stopped_search_keeps_its_start() {
    let mut values = structured(0, 60, 60);
    let solved =
        |values: &[f64]| -> Assignment { assign(&problem(&dense(60, values))).unwrap().best.unwrap() };
    let start = solved(&values);
    values[3 * 60 + start.resources[3].unwrap() as usize] += 1.0;
    let (problem, least) = (problem(&dense(60, &values)).with_start(&start), solved(&values).total);
    for work in 0..200 {
        let found = AssignerKind::Automatic
            .solve(&problem, &mut Limit::none().with_work(work * 200).meter())
            .unwrap();
        if let Some(assignment) = &found.best {
            assert_eq!(Some(verify(&problem, assignment).unwrap().total), found.value);
        }
        // Two passes check the costs and complete the start.
        let value = found.value.unwrap_or(f64::INFINITY);
        assert!(work * 200 < 8000 || value <= start.total + 1.0, "{work}: {value} {}", start.total);
        assert!(found.bound.is_none_or(|bound| bound <= least * (1.0 + 1e-9)), "{work}: {found}");
    }
}

/// In long enough searches, an observer is told of an answer before the end.
#[test]
fn an_observer_is_told_on_the_way() {
    let methods: [&dyn Assigner; 3] =
        [&AssignerKind::Automatic, &Auction::default(), &AssignerKind::ShortestPaths];
    for method in methods {
        let is_told = |case: &AssignCase| {
            let (tell, told) = mpsc::channel();
            let mut meter = Limit::none().meter().with_observer(move |progress| tell.send(progress).unwrap());
            let work = method.solve(&problem(case), &mut meter).unwrap().work;
            told.try_iter().any(|told| told.work < work && told.best.is_some())
        };
        assert!(cases().filter(is_told).count() > 5, "{method:?}");
    }
}
