//! One property of all limits: stopped at any work, by a signal, by memory or by a gap, with or without a start,
//! the answer is valid and its bound holds; more work never gives a worse answer.

use crate::cases::{Case, structured};
use auction_assign::{
    AssignError, Assigner, Assignment, AssignmentProblem, Auction, Automatic, Coverage, Sense, Shortage,
    ShortestPaths, assign, verify,
};
use econsched::testkit::{Fault, Stopped, Stops};
use sched_model::{End, Limit, Meter, Outcome, Progress};
use std::sync::mpsc;

type Found = Outcome<Assignment, Shortage>;
type Method = fn(&AssignmentProblem<'_>, &mut Meter) -> Result<Found, AssignError>;

const METHODS: [Method; 4] = [
    |problem, meter| Automatic.solve(problem, meter),
    |problem, meter| Auction::default().solve(problem, meter),
    |problem, meter| ShortestPaths.solve(problem, meter),
    |problem, meter| Auction::default().with_last_epsilon(0.25).without_closing().solve(problem, meter),
];

/// Checks every statement of an answer; `best` is the least sum, in the sense of the problem.
fn judged(problem: &AssignmentProblem<'_>, outcome: &Found, best: Option<f64>) -> Stopped {
    let sign = if problem.sense == Sense::Maximise { -1.0 } else { 1.0 };
    let slack = 1e-9 * best.map_or(1.0, f64::abs);
    if let Some(shortage) = &outcome.refusal {
        shortage.verify(problem).unwrap();
        assert!(best.is_none() && outcome.is_infeasible());
    }
    let (bound, value) = (outcome.bound.map(|bound| sign * bound), outcome.value.map(|value| sign * value));
    if let (Some(bound), Some(best)) = (bound, best) {
        assert!(bound <= sign * best + slack, "{bound} {best}");
    }
    if let Some(assignment) = &outcome.best {
        let certificate = verify(problem, assignment).unwrap();
        assert_eq!(Some(certificate.total), outcome.value);
        assert!(sign * certificate.bound <= sign * best.unwrap() + slack);
        // The duals prove the stated bound; after the plain auction, up to the greatest excess of a pair.
        let proves = sign * certificate.bound >= bound.unwrap() - slack;
        assert!(proves || outcome.end == End::Gap, "{certificate} {bound:?}");
        assert!(value.unwrap() >= sign * best.unwrap() - slack);
        assert!(outcome.end != End::Done || certificate.gap == 0.0);
    }
    // At the end the bound is the total, up to the rounding of sums.
    let bound = bound.map(|bound| bound.min(best.map_or(f64::INFINITY, |best| sign * best - slack)));
    let answer = format!("{:?} {:?}", outcome.best, outcome.refusal);
    Stopped { rank: 0.0, value, bound, work: outcome.work, end: outcome.end, answer }
}

/// Problems of all shapes, each with a number up to 5.
fn cases() -> impl Iterator<Item = (usize, Case)> {
    Case::all(100).step_by(3).enumerate().map(|(number, case)| (number % 6, case))
}

fn best(problem: &AssignmentProblem<'_>) -> Option<f64> {
    Some(assign(problem).unwrap().best.as_ref()?.total)
}

#[test]
fn any_limit_gives_a_valid_answer_and_more_work_is_never_worse() {
    let (mut open, mut stopped) = (0, 0);
    for (round, case) in cases() {
        let problem = case.problem();
        let best = best(&problem);
        let parts = (1..7).map(|part| part * 150_000 + round as u32 * 5000).collect();
        let stops = Stops { parts, works: vec![100, 2_000, 30_000], questions: 3 + 5 * round as u64 };
        for method in METHODS {
            let run = &mut |limit: &Limit| {
                let found = method(&problem, &mut limit.meter()).map_err(Fault::error)?;
                open += usize::from(found.gap().is_some_and(|gap| gap > 0.0));
                stopped += usize::from(found.end == End::Signal);
                Ok(judged(&problem, &found, best))
            };
            stops.check(1 << 40, run).unwrap_or_else(|fault| panic!("{round}: {fault}"));
        }
    }
    assert!(open > 200 && stopped > 60, "{open} {stopped}");
}

#[test]
fn little_memory_and_a_gap_give_a_valid_answer_and_observers_see_it_close() {
    let (mut near, mut short) = (0, 0);
    for (round, case) in cases() {
        let problem = case.problem();
        let best = best(&problem);
        // The last method, the plain auction, ends with a gap of its own.
        for method in &METHODS[..3] {
            let found = method(&problem, &mut Limit::none().with_memory(1 << (8 + round)).meter()).unwrap();
            judged(&problem, &found, best);
            short += usize::from(found.end == End::Memory);
            let (tell, told) = mpsc::channel();
            let limit = Limit::none().with_relative_gap(0.2);
            let mut meter = limit.meter().with_observer(move |progress| tell.send(progress).unwrap());
            let found = method(&problem, &mut meter).unwrap();
            let seen: Vec<Progress> = told.try_iter().collect();
            let value = judged(&problem, &found, best).value;
            near += usize::from(found.end == End::Gap);
            if let (Some(value), Some(gap)) = (value, found.gap()) {
                assert!(gap <= 0.2 * value.abs() + 1e-9 * value.abs(), "{gap} of {value}");
            }
            let sign = if problem.sense == Sense::Maximise { -1.0 } else { 1.0 };
            for pair in seen.windows(2) {
                assert!(pair[0].work <= pair[1].work);
                assert!(pair[0].bound.is_none_or(|bound| sign * bound <= sign * pair[1].bound.unwrap()));
                let value = |progress: &Progress| progress.best.map(|value| sign * value);
                assert!(value(&pair[0]).is_none_or(|before| before >= value(&pair[1]).unwrap()));
            }
        }
    }
    assert!(near > 20 && short > 40, "{near} {short}");
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
        let case = Case { coverage, ..Case::dense(jobs, 640_000 / jobs, values) };
        let problem = case.problem();
        let whole = best(&problem);
        let least = if jobs > 800 { 1_000_000 } else { 420_000 };
        for bytes in [least, 2 * least, 3 * least, 10_000_000] {
            let limit = Limit::none().with_memory(bytes);
            let found = Automatic.solve(&problem, &mut limit.meter()).unwrap();
            assert_eq!((found.end, found.value), (End::Done, whole), "{what}, {bytes} bytes");
        }
    }
}

/// Places that no job can take add nothing to a bound: the stated bound is the one that the verifier derives from
/// the duals.
#[test]
fn a_bound_holds_beside_capacities_beyond_the_number_of_jobs() {
    let mut stopped = 0;
    for round in 0..12 {
        let capacities = (0..24).map(|r| if r % 12 == 5 { u32::MAX } else { 1 }).collect();
        let values = structured(2 * round, 240, 24);
        let problem = Case { capacities: Some(capacities), ..Case::dense(240, 24, values) }.problem();
        let whole = Automatic.solve(&problem, &mut Limit::none().meter()).unwrap();
        for step in 1..24 {
            let limit = Limit::none().with_work(whole.work * step / 24);
            let found = Automatic.solve(&problem, &mut limit.meter()).unwrap();
            stopped += usize::from(found.best.is_some());
            judged(&problem, &found, whole.value);
        }
    }
    assert!(stopped > 60, "{stopped}");
}

/// If a search from a start is stopped after two passes, its answer is no worse than the start.
#[test]
fn a_stopped_search_keeps_its_start() {
    let mut values = structured(0, 60, 60);
    let solved = |values: &[f64]| -> Assignment {
        assign(&Case::dense(60, 60, values.to_vec()).problem()).unwrap().best.unwrap()
    };
    let start = solved(&values);
    values[3 * 60 + start.resources[3].unwrap() as usize] += 1.0;
    let problem = Case::dense(60, 60, values.clone()).problem().with_start(&start);
    for work in 0..200 {
        let found = Automatic.solve(&problem, &mut Limit::none().with_work(work * 200).meter()).unwrap();
        judged(&problem, &found, Some(solved(&values).total));
        // Two passes check the costs and complete the start.
        let value = found.value.unwrap_or(f64::INFINITY);
        assert!(work * 200 < 8000 || value <= start.total + 1.0, "{work}: {value} {}", start.total);
    }
}

/// Of a search that is long enough it is told before the end.
#[test]
fn an_observer_sees_the_search_and_the_answer_is_that_without_one() {
    let mut on_the_way = [0; 3];
    for (round, case) in cases() {
        let problem = case.problem();
        // The last method, the plain auction, returns the best of what looks have found.
        for (method, on_the_way) in METHODS[..3].iter().zip(&mut on_the_way) {
            let (tell, told) = mpsc::channel();
            let mut meter = Limit::none().meter().with_observer(move |progress| tell.send(progress).unwrap());
            let seen = method(&problem, &mut meter).unwrap();
            let early = |told: Progress| told.work < seen.work && told.best.is_some();
            *on_the_way += usize::from(told.try_iter().any(early));
            let plain = method(&problem, &mut Limit::none().meter()).unwrap();
            let of = |found: Found| (found.best, found.refusal, found.end);
            assert_eq!(of(seen), of(plain), "{round}");
        }
    }
    assert!(on_the_way.iter().all(|&count| count > 5), "{on_the_way:?}");
}
