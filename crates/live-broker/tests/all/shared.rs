//! The searches of a cycle use the results of earlier ones: this saves work and changes no decision.

use crate::common::{self, Driver};
use crate::histories::{Case, lived};
use econsched::testkit::{Anew, Draw};
use live_broker::*;
use sched_model::*;
use slot_window::*;
use std::sync::Arc;

#[test]
fn searches_that_share_what_they_know_decide_as_each_alone() {
    let searches: [Arc<dyn WindowSearch>; 6] = [
        Arc::new(Amp::new()),
        Arc::new(Alp),
        Arc::new(FirstFit::new()),
        Arc::new(Optimal::new(Objective::Start)),
        Arc::new(Optimal::new(Objective::Cost)),
        Arc::new(Optimal::new(Objective::Finish)),
    ];
    let mut shared = [0, 0];
    for search in searches {
        let mut work = [0, 0];
        for seed in 0..300 {
            let case = Case::of_queues(&mut Draw::new(seed, 0));
            let [own, alone] = [Arc::clone(&search), Arc::new(Anew(Arc::clone(&search)))]
                .map(|search| lived(&case, Some(search)).unwrap());
            let (Some(own), Some(alone)) = (own, alone) else { continue };
            assert_eq!(own.decisions, alone.decisions, "{} {seed}", search.name());
            for (entry, of_alone) in own.journal.iter().zip(&alone.journal) {
                let (Some(note), Some(of_alone)) = (&entry.cycle, &of_alone.cycle) else { continue };
                let told = |note| serde_json::to_value(note).unwrap()["without_window"].take();
                assert_eq!(told(note), told(of_alone), "{} {seed}", search.name());
                work = [work[0] + note.work, work[1] + of_alone.work];
            }
        }
        println!("{}: {work:?}", search.name());
        if search.starts_are_monotone() {
            shared = [shared[0] + work[0], shared[1] + work[1]];
        } else {
            // No other search for the same job may begin at the start of its last window.
            assert_eq!(work[0], work[1], "{}", search.name());
        }
    }
    assert!(shared[0] < shared[1], "{shared:?}");
}

/// Equal jobs for which there is no window: one search tells of all, beside those without demands also of those that
/// demand more.
#[test]
fn a_queue_of_jobs_that_fail_alike_costs_one_search() {
    let work = |count: u64| {
        let mut driver = Driver::new(Config::new(Span::must(100.0)), &[1.0; 5]);
        driver.submit(0.0, 0, common::request(6, 10.0));
        for id in 1..count {
            let demands = if id % 2 == 0 { Demands::default() } else { Demands::default().with_label("gpu") };
            let request = common::request(6 + id as usize % 3, 10.0).with_demands(demands);
            driver.tell(0.0, Input::from(Job::new(JobId(id), request)));
        }
        let entry = driver.tell(0.0, Input::Wake);
        assert_eq!(driver.0.poll(), None);
        entry.cycle.unwrap().work
    };
    assert_eq!(work(100), work(1) + 99);
}
