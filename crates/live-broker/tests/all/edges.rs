//! Cycles with little work.

use crate::common::{Driver, at, plain, request, state};
use batch_dp::Goal;
use live_broker::*;
use sched_model::*;
use slot_window::SearchKind::{self, MaxValue, MaxValueTable};

/// Four jobs take 20 and cost 60 each, and the goal allows 100: one of them is placed, wherever the work ends.
#[test]
fn a_choice_that_is_stopped_keeps_to_the_limit_of_the_goal() {
    let budget = Some(100.0);
    let mut stopped = 0;
    let goals = [Goal::MinTime { budget }, Goal::MinFinish { budget }];
    for (work, goal) in (1..80).flat_map(|work| goals.map(|goal| (work, goal))) {
        let config = plain().with_goal(goal, 1).with_work(work);
        let mut driver = Driver::new(config, &[3.0; 4]);
        for id in 1..5 {
            driver.submit(0.0, id, request(1, 20.0));
        }
        let note = driver.tell(0.0, Input::Wake).cycle.unwrap();
        let placed = driver.0.jobs().filter(|view| view.window.is_some()).count();
        assert!(placed <= 1, "{placed} with {work} units");
        stopped += usize::from(note.end == End::Work && note.work > 8);
    }
    // The work ended after more than one job had a window.
    assert!(stopped > 2, "{stopped}");
}

/// Every search but those by value ends at some doubling of the work: six jobs are promised windows, the
/// seventh has none.
#[test]
fn no_limit_of_work_keeps_a_job_waiting_that_fits() {
    let plain_searches = SearchKind::ALL.iter().copied().filter(|kind| !kind.name().starts_with("max-value"));
    for (kind, work) in plain_searches.flat_map(|kind| [1, 3, 40].map(|work| (kind, work))) {
        let nodes = [1.0, 2.0, 3.0].repeat(7).into_iter().map(|speed| (speed, 1.0)).collect::<Vec<_>>();
        let mut driver = Driver::with_nodes(plain().with_search(kind).with_work(work), &nodes[..20]);
        for id in 1..8 {
            driver.submit(0.0, id, request(if id == 7 { 21 } else { 1 + id as usize % 3 }, 10.0));
        }
        let mut wakes = 0;
        while wakes == 0 || driver.0.next_wakeup() == Some(at(0.0)) {
            driver.tell(0.0, Input::Wake);
            wakes += 1;
            assert!(wakes < 60, "{kind} with {work} units wakes and wakes");
        }
        assert!(wakes > 1 || work == 40, "{kind} with {work} units");
        let waits: Vec<u64> =
            (1..8).filter(|id| driver.0.job(JobId(*id)).unwrap().window.is_none()).collect();
        assert_eq!(waits, [7], "{kind} with {work} units");
    }
}

/// A search by value may take any time, and one by a table more memory than there is: where a whole cycle does not
/// suffice for one job, the job counts as one without a window, and the work is not doubled.
#[test]
fn a_search_without_end_is_not_repeated_with_more_work() {
    let mut narrow = plain().with_search(MaxValueTable);
    narrow.memory = 100;
    for (config, end) in [(plain().with_search(MaxValue).with_work(1), End::Work), (narrow, End::Memory)] {
        let mut driver = Driver::new(config, &[1.0, 2.0]);
        let job = |id| Job::new(JobId(id), request(1, 10.0));
        driver.tell(0.0, job(1).into());
        assert_eq!(driver.tell(0.0, Input::Wake).cycle.map(|cycle| cycle.end), Some(end));
        assert_eq!(driver.0.job(JobId(1)).unwrap().window, None);
        assert!(driver.0.next_wakeup() > Some(at(0.0)) || driver.0.next_wakeup().is_none());
        assert_eq!(state(&driver.0)["doublings"], 0);
        // A quote says so, too.
        let limit = Limit::default().with_work(driver.0.config().work).with_memory(driver.0.config().memory);
        assert_eq!(driver.0.quote(&job(2), 1, &limit).unwrap().end, end);
        // Neither a job that is over has a view, nor one that was never submitted.
        driver.tell(1.0, Input::Cancel(JobId(1)));
        assert_eq!([1, 2].map(|id| driver.0.job(JobId(id)).is_some()), [false; 2]);
    }
}
