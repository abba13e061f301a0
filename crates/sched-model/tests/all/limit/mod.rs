//! Limits: a limit equal to the work of a stopped search gives the same answer again, and work and memory are counted
//! before they are taken.

use econsched::testkit::{Draw, Stopped, Stops, drawn};
use sched_model::{End, Limit, Meter, Outcome, Proof};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A search for the step of minimum value, among steps that each take some work.
#[test]
fn a_signal_is_a_limit_of_the_work_done_and_more_work_is_no_worse() {
    drawn(300, |draw| {
        let work = |draw: &mut Draw| {
            let most = draw.of([3, 2 * Meter::POLL as usize - 1, 0]);
            if most == 0 { Meter::POLL } else { draw.between(1, most) as u64 }
        };
        let steps: Vec<(u64, f64)> =
            (0..draw.below(60)).map(|_| (work(draw), draw.bytes(4) as f64)).collect();
        let run = |meter: &mut Meter| {
            let (mut best, mut spent) = (None, 0);
            for &(work, value) in &steps {
                if meter.spend(work).is_err() {
                    break;
                }
                spent += work;
                if best.is_none_or(|best| value < best) {
                    best = Some(value);
                    meter.report(best, None);
                }
            }
            assert_eq!(meter.work(), spent);
            let end = meter.ended().unwrap_or(End::Done);
            let bound = best.filter(|_| end == End::Done);
            Ok(Stopped { rank: 0.0, value: best, bound, work: spent, end, answer: format!("{best:?}") })
        };
        Stops::draw(draw).check(u64::MAX, |limit| Stopped::within(limit, run)).unwrap();
    });
}

#[test]
fn extremes_do_not_overflow() {
    let limit = Limit::none();
    let mut meter = limit.meter();
    assert_eq!(meter.spend(u64::MAX), Ok(()));
    assert_eq!((meter.work_left(), meter.spend(1)), (0, Err(End::Work)));
    assert_eq!(meter.reserve_items::<[u64; 4]>(usize::MAX), Ok(()));
    assert_eq!(meter.reserve_items::<[u64; 4]>(usize::MAX), Err(End::Memory));
    let limit = Limit::default();
    assert_eq!(limit.meter().reserve_items::<[u64; 4]>(usize::MAX), Err(End::Memory));
    assert_eq!(limit.meter().spend(0), Ok(()));
}

#[test]
fn a_part_has_its_share_and_no_more() {
    let limit = Limit::default().with_work(100);
    let mut meter = limit.meter();
    assert_eq!(
        meter.within(40, |part| (part.work_left(), part.spend(30), part.spend(11))),
        (40, Ok(()), Err(End::Work))
    );
    assert_eq!((meter.work(), meter.ended(), meter.work_left()), (30, None, 70));
    // A part whose share exceeds the rest of the work ends the whole search.
    assert_eq!(meter.within(u64::MAX, |part| part.spend(71)), Err(End::Work));
    assert_eq!(meter.spend(1), Err(End::Work));
    // A search that has ended stays so, also in parts.
    assert_eq!(meter.within(5, |part| part.spend(1)), Err(End::Work));
    assert_eq!(meter.spend(1), Err(End::Work));

    let signal = Limit::default().with_signal(|| true);
    let mut meter = signal.meter();
    assert_eq!(meter.within(5, |part| part.spend(1)), Err(End::Signal));
    assert_eq!(meter.spend(1), Err(End::Signal));

    // Work that exceeds both the share and the rest ends only the part, as it would without a limit.
    let mut meter = limit.meter();
    assert_eq!(meter.within(120, |part| (part.spend(80), part.spend(41))), (Ok(()), Err(End::Work)));
    assert_eq!((meter.ended(), meter.spend(20), meter.spend(1)), (None, Ok(()), Err(End::Work)));

    // In nested parts the tightest share counts.
    let mut meter = limit.meter();
    let ends = meter.within(10, |part| (part.within(90, |inner| inner.spend(11)), part.spend(10)));
    assert_eq!(ends, (Err(End::Work), Err(End::Work)));
    assert_eq!(meter.spend(100), Ok(()));
}

#[test]
fn short_parts_do_not_put_off_the_signal() {
    let flag = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&flag);
    let limit = Limit::none().with_signal(move || told.load(Ordering::Relaxed));
    let mut meter = limit.meter();
    meter.spend(1).unwrap();
    flag.store(true, Ordering::Relaxed);
    let parts = (0..10 * Meter::POLL).take_while(|_| meter.within(5, |part| part.spend(1)).is_ok()).count();
    assert_eq!(parts as u64, Meter::POLL);
    // A poll within a part does not raise the part's share.
    let limit = Limit::default().with_signal(|| false);
    let mut meter = limit.meter();
    assert_eq!(meter.within(2, |part| (part.spend(1), part.spend(2))), (Ok(()), Err(End::Work)));
}

#[test]
fn gaps_are_absolute_or_relative() {
    let none = Limit::default();
    assert!(none.gap_closed(3.0, 3.0) && !none.gap_closed(3.0, 3.0_f64.next_up()));
    assert!(none.gap_closed(f64::INFINITY, f64::INFINITY) && !none.gap_closed(f64::NAN, f64::NAN));
    let limit = Limit::default().with_absolute_gap(0.5).with_relative_gap(0.1);
    assert!(limit.gap_closed(1.0, 1.5) && limit.gap_closed(-100.0, -110.0));
    assert!(!limit.gap_closed(1.0, 1.75) && !limit.gap_closed(100.0, 111.0));
    let mut meter = limit.meter();
    assert!(!meter.report(None, None) && !meter.report(Some(1.0), None));
    assert!(meter.report(None, Some(1.25)) && meter.report(None, None));
}

#[test]
fn outcomes_say_what_is_proven() {
    assert_eq!(Outcome::heuristic(1, 2.0, 3).proof(), Proof::Heuristic);
    assert_eq!(Outcome::<i32>::infeasible(3).proof(), Proof::Exact);
    assert_eq!(Outcome::stopped(Some((1, 2.0)), Some(2.5), 3, End::Gap).proof(), Proof::WithinEpsilon(0.5));
    assert_eq!(Outcome::stopped(Some((1, 2.0)), Some(2.0), 3, End::Gap).proof(), Proof::Exact);
    for end in [End::Work, End::Memory, End::Signal] {
        assert_eq!(Outcome::stopped(Some((1, 2.0)), Some(2.5), 3, end).proof(), Proof::LimitReached);
        assert!(!Outcome::<i32>::stopped(None, None, 3, end).is_infeasible());
    }
}

#[test]
fn what_may_be_done_next_is_not_counted_until_it_is_done() {
    let limit = Limit::default().with_work(100);
    let mut meter = limit.meter();
    // Within a part, the allowance is the part's share.
    assert_eq!(meter.within(10, |meter| meter.allowance(80)), 10);
    assert_eq!((meter.allowance(0), meter.allowance(80), meter.work()), (0, 80, 0));
    // The signal is checked as it is for spent work.
    let mut meter = limit.with_signal(|| true).meter();
    assert_eq!((meter.allowance(80), meter.ended(), meter.work()), (0, Some(End::Signal), 0));
}

#[test]
fn memory_that_is_given_back_can_be_taken_again() {
    let limit = Limit::default().with_memory(1000);
    let mut meter = limit.meter();
    meter.reserve_items::<u64>(100).unwrap();
    assert_eq!(meter.memory(), 800);
    assert_eq!(meter.reserve_items::<u64>(100), Err(End::Memory));
    meter.release_items::<u64>(75);
    assert_eq!(meter.memory(), 200);
    meter.reserve_items::<u64>(100).unwrap();
    meter.release(1000);
    assert_eq!(meter.memory(), 0);
}
