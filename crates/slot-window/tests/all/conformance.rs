//! What every registered search keeps to.

use crate::common::{instance, request, slot_list};
use econsched::testkit::Anew;
use proptest::prelude::*;
use sched_model::check::{Checker, overlaps};
use sched_model::*;
use slot_window::{
    Alp, AlternativesSearch, Amp, SearchKind, SearchOptions, WindowError, WindowQuery, WindowSearch,
};

fn batch() -> impl Strategy<Value = Batch> {
    prop::collection::vec((request(), 0u32..10), 1..6).prop_map(|requests| {
        let job = |(id, (request, submit)): (usize, (ResourceRequest, u32))| {
            Job::new(JobId(id as u64), request).with_submit(Time::must(f64::from(submit)))
        };
        Batch::new(requests.into_iter().enumerate().map(job).collect()).unwrap()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn alternatives_never_overlap(slots in slot_list(8), batch in batch()) {
        for &kind in SearchKind::ALL {
            let search = kind.build();
            let checker = Checker::new(&slots, search.rules());
            let resumes = search.starts_are_monotone();
            let found = AlternativesSearch::new(&search).find(&slots, &batch, Time::ZERO).unwrap();
            let all = found.jobs().flat_map(|(job, windows)| windows.iter().map(move |window| (job, window)));
            prop_assert_eq!(overlaps(all), vec![], "{}", kind);
            for (position, job) in batch.iter().enumerate() {
                for window in found.of(position) {
                    prop_assert_eq!(checker.job(window, job), vec![], "{}", kind);
                }
                prop_assert_eq!(found.of(position).is_empty(), found.refusal(position).is_some());
                if resumes {
                    prop_assert!(found.of(position).is_sorted_by_key(Window::start), "{kind}");
                }
                // Nothing more is to be had.
                let rest = found.rest();
                let more = search.find(&WindowQuery::new(rest, &job.request).with_from(job.submit)).unwrap().best;
                prop_assert_eq!(more, None, "{}", kind);
            }
            // What was cut out and what is left are the list.
            let mut whole = found.rest().clone();
            for (_, windows) in found.jobs() {
                for window in windows {
                    whole.give_back(window).unwrap();
                }
            }
            prop_assert_eq!(cells(&whole), cells(&slots), "{}", kind);
            // To resume is to start over.
            let anew = AlternativesSearch::new(Anew(&search)).find(&slots, &batch, Time::ZERO).unwrap();
            prop_assert_eq!(anew.offers().collect::<Vec<_>>(), found.offers().collect::<Vec<_>>(), "{}", kind);
            prop_assert_eq!(anew.rest(), found.rest());
        }
    }

    #[test]
    fn caps_cut_the_search_short(slots in slot_list(8), batch in batch(), max in 0usize..3) {
        let all = AlternativesSearch::new(Amp::new()).find(&slots, &batch, Time::ZERO).unwrap();
        let capped = AlternativesSearch::new(Amp::new()).with_max_per_job(max).find(&slots, &batch, Time::ZERO).unwrap();
        prop_assert!((0..batch.len()).all(|position| capped.of(position).len() <= max));
        // Rounds are the same for all jobs, so that a cap on them is a prefix of the whole.
        let rounds = AlternativesSearch::new(Amp::new()).with_max_rounds(max).find(&slots, &batch, Time::ZERO).unwrap();
        prop_assert!(rounds.rounds() <= max);
        for position in 0..batch.len() {
            let whole = all.of(position);
            prop_assert_eq!(rounds.of(position), &whole[..whole.len().min(max)]);
        }
    }

    #[test]
    fn amp_finds_every_window_of_alp(instance in instance()) {
        // Speeds of at least 1, no budget apart from that of the price limit.
        let mut request = ResourceRequest::new(instance.request.nodes(), instance.request.work()).unwrap()
            .with_min_speed(Speed::must(instance.request.min_speed().get().max(1.0)))
            .with_price_limit(instance.request.price_limit().unwrap_or(Price::must(1.5)));
        if let Some(deadline) = instance.request.deadline() {
            request = request.with_deadline(deadline);
        }
        let alp = Alp::new().find(&WindowQuery::new(&instance.slots, &request).with_from(instance.from)).unwrap().best;
        if let Some(alp) = alp {
            let checker = Checker::new(&instance.slots, Amp::new().rules());
            prop_assert_eq!(checker.window(&alp, &request), vec![]);
            let amp = Amp::new().find(&WindowQuery::new(&instance.slots, &request).with_from(instance.from)).unwrap().best.unwrap();
            prop_assert!(amp.start() <= alp.start());
        }
    }
}

/// Free time with neighbouring slots of a node merged.
fn cells(slots: &SlotList) -> Vec<(NodeId, Time, Time)> {
    let mut free: Vec<(NodeId, Time, Time)> =
        slots.iter().map(|slot| (slot.node(), slot.start(), slot.end())).collect();
    free.sort_unstable();
    free.dedup_by(|next, last| {
        let touch = last.0 == next.0 && last.2 == next.1;
        if touch {
            last.2 = next.2;
        }
        touch
    });
    free
}

#[test]
fn jobs_get_the_nodes_that_they_demand() {
    let nodes = [1, 2, 3].map(|id| Node::new(NodeId(id), Speed::ETALON, Price::must(f64::from(id))));
    let slots = SlotList::from_nodes(&nodes, &[], Time::ZERO, Time::must(20.0)).unwrap();
    let slots = slots.with_features([(NodeId(3), Features::new().with_label("gpu"))]).unwrap();
    let one = ResourceRequest::new(1, Work::must(10.0)).unwrap();
    let two = ResourceRequest::new(2, Work::must(10.0)).unwrap();
    let batch =
        Batch::new(vec![Job::new(JobId(1), one), Job::new(JobId(2), two), Job::new(JobId(3), one)]).unwrap();
    let gpu = Demands::new().with_label("gpu");
    let later = Demands::new().with_start(Time::must(5.0));
    let search = AlternativesSearch::new(Amp::new()).with_max_per_job(1);
    let search = search.with_demands([(JobId(1), gpu.clone()), (JobId(2), gpu), (JobId(3), later)]);
    let found = search.find(&slots, &batch, Time::ZERO).unwrap();
    let place = |job: usize| {
        found.of(job).first().map(|window| (window.start().get(), window.placements()[0].node.0))
    };
    assert_eq!((place(0), place(2)), (Some((0.0, 3)), Some((5.0, 1))));
    assert!(
        matches!(found.refusal(1), Some(Refusal::Missing { needed: 2, having: 1, .. })),
        "{:?}",
        found.refusal(1)
    );
}

#[test]
fn names_are_distinct_and_parse() {
    for &kind in SearchKind::ALL {
        assert_eq!(kind.name().parse::<SearchKind>().unwrap(), kind);
    }
    let mut names: Vec<&str> = SearchKind::ALL.iter().map(|kind| kind.name()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), SearchKind::ALL.len());
    assert!("alps".parse::<SearchKind>().is_err());
}

#[test]
fn bad_factors_are_refused() {
    for rho in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(Amp::new().with_rho(rho), Err(WindowError::Factor { what: "rho", .. })));
        assert!(SearchKind::MinCost.build_with(&SearchOptions::new().with_rho(rho)).is_err());
    }
}

#[test]
fn extremes_give_an_answer_or_an_error() {
    let numbers = [1e-60, 1e-9, 1.0, 1e9, 1e60];
    for &speed in &numbers {
        for &work in &numbers {
            for &end in &numbers {
                let node = |id| Node::new(NodeId(id), Speed::must(speed), Price::must(end));
                let slots = (0..3).map(|id| Slot::new(node(id), Time::must(-end), Time::must(end)).unwrap());
                let slots = SlotList::new(slots.collect()).unwrap();
                let request =
                    ResourceRequest::new(2, Work::must(work)).unwrap().with_budget(Money::must(end));
                for &kind in SearchKind::ALL {
                    let search = kind.build();
                    let query = WindowQuery::new(&slots, &request).with_from(Time::must(-1e60));
                    if let Ok(Some(window)) = search.find(&query).map(|found| found.best) {
                        assert_eq!(Checker::new(&slots, search.rules()).window(&window, &request), []);
                    }
                }
            }
        }
    }
}
