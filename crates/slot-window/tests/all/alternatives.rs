//! The alternatives of a batch: for jobs with all kinds of requests, and for searches that a limit or a signal ends
//! anywhere.

use crate::slot;
use econsched::testkit::{Anew, Draw, Fault, NodeCase, Stopped, Stops, demands, drawn, features, request};
use sched_model::check::{Checker, Rules, overlaps};
use sched_model::*;
use slot_window::{
    AlternativesSearch, Amp, BatchAlternatives, SearchKind, WindowError, WindowQuery, WindowSearch,
};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// A list of up to so many nodes, and jobs of any requests, demands and submissions.
fn batch(draw: &mut Draw, most: usize) -> (SlotList, Batch) {
    let mut nodes = NodeCase::draw(draw, most, false);
    nodes.iter_mut().for_each(|node| node.features = features(draw));
    let slots = NodeCase::slots(&nodes).unwrap();
    let mut jobs = Vec::new();
    for id in 0..draw.between(1, 5) as u64 {
        let n = draw.between(1, 4).min(nodes.len());
        let request = request(draw, &nodes, n, false);
        let mut half = |most: usize| Time::must(draw.below(most) as f64 / 2.0);
        let (submit, at) = (half(20), half(20));
        let asked = demands(draw, nodes.len(), 30, 0.5);
        let asked = match draw.below(10) {
            0 => asked.with_start(at),
            1 => asked.with_not_before(at),
            2..6 => asked,
            _ => Demands::default(),
        };
        jobs.push(Job::new(JobId(id), request.with_demands(asked)).with_submit(submit));
    }
    (slots, Batch::new(jobs).unwrap())
}

#[test]
fn windows_never_overlap_and_nothing_more_is_to_be_had() {
    drawn(400, |draw| {
        let (slots, batch) = batch(draw, 8);
        // The table counts money in units, of which there may be too many.
        for &kind in SearchKind::ALL.iter().filter(|kind| **kind != SearchKind::MaxValueTable) {
            let search = kind.build();
            let checker = Checker::new(&slots, search.rules());
            let found = AlternativesSearch::new(&search).find(&slots, &batch, Time::ZERO).unwrap();
            let all = found.jobs.iter().flat_map(|of| of.windows.iter().map(|window| (of.job, window)));
            assert_eq!(overlaps(all), [], "{kind}");
            for (job, of) in batch.iter().zip(&found.jobs) {
                for window in &of.windows {
                    assert_eq!(checker.window(window, &job.request), [], "{kind}");
                    assert!(window.start() >= job.submit, "{kind}");
                }
                assert_eq!(of.windows.is_empty(), of.refusal.is_some(), "{kind}");
                assert!(!search.starts_are_monotone() || of.windows.is_sorted_by_key(Window::start));
                let query = WindowQuery::new(&found.rest, &job.request).with_from(job.submit);
                assert_eq!(search.solve(&query, &mut Limit::none().meter()).unwrap().best, None, "{kind}");
            }
            // The windows cut out and the rest together are the list.
            let mut whole = found.rest.clone();
            found
                .jobs
                .iter()
                .flat_map(|of| &of.windows)
                .for_each(|window| whole.give_back(window, window.start()).unwrap());
            assert_eq!(whole, slots, "{kind}");
            // Resuming a search gives the same windows as starting over.
            let anew = AlternativesSearch::new(Anew(&search));
            let anew = anew.find(&slots, &batch, Time::ZERO).unwrap();
            assert!(anew.jobs == found.jobs && anew.rest == found.rest, "{kind}");
        }
    });
}

#[test]
fn caps_cut_the_search_short() {
    drawn(400, |draw| {
        let ((slots, batch), max) = (batch(draw, 8), draw.below(3));
        let of = |search: AlternativesSearch<Amp>| search.find(&slots, &batch, Time::ZERO).unwrap();
        let all = of(AlternativesSearch::new(Amp::new()));
        let capped = of(AlternativesSearch::new(Amp::new()).with_max_per_job(max));
        // Rounds are the same for all jobs, so that a cap on them is a prefix of the whole.
        let rounds = of(AlternativesSearch::new(Amp::new()).with_max_rounds(max));
        assert!(rounds.rounds <= max);
        for position in 0..batch.len() {
            let whole = &all.jobs[position].windows;
            assert!(capped.jobs[position].windows.len() <= max);
            assert_eq!(rounds.jobs[position].windows, &whole[..whole.len().min(max)]);
        }
    });
}

/// What a search has found: everything except why it ended.
fn answer(found: &BatchAlternatives) -> String {
    let each = found.jobs.iter().map(|of| format!("{:?} {:?}\n", of.windows, of.refusal));
    format!("{} rounds\n{}", found.rounds, each.collect::<String>())
}

/// Windows and reasons of a stopped search are those of the whole, as far as it went; a limit of the work of one that
/// a signal has stopped, also between a search and the cut of its window, gives the same.
#[test]
fn a_stopped_search_has_the_first_windows_and_reasons() {
    let told = RefCell::new(BTreeSet::new());
    drawn(150, |draw| {
        let most = draw.of([8, 60, 2_000]);
        let ((slots, batch), stops) = (batch(draw, most), Stops::draw(draw));
        for kind in [SearchKind::Alp, SearchKind::Amp, SearchKind::MinCost] {
            let find = |limit: Limit| {
                let search = AlternativesSearch::new(kind.build()).with_max_per_job(2).with_limit(limit);
                search.find(&slots, &batch, Time::ZERO).unwrap()
            };
            let whole = find(Limit::none());
            assert_eq!(whole.end, End::Done);
            told.borrow_mut().extend(whole.jobs.iter().filter_map(|of| Some(of.refusal.as_ref()?.code())));
            let run = |limit: &Limit| {
                let found = find(limit.clone());
                for (of, whole) in found.jobs.iter().zip(&whole.jobs) {
                    // The last window of a search for the cheapest may be the best one so far only.
                    let is_prefix = whole.windows.starts_with(&of.windows);
                    assert!(is_prefix || kind == SearchKind::MinCost, "{kind}");
                    let is_told = of.refusal.is_none() || of.refusal == whole.refusal;
                    assert!(is_told || of.refusal == Some(Refusal::Stopped), "{kind}");
                }
                let (work, end, answer) = (found.work, found.end, answer(&found));
                Ok::<_, Fault>(Stopped { rank: 0.0, value: None, bound: None, work, end, answer })
            };
            stops.check(1 << 40, run).unwrap();
        }
    });
    let expected = ["budget", "deadline", "horizon", "missing", "price-limit", "too-few-nodes"];
    assert!(expected.iter().all(|code| told.borrow().contains(code)), "{told:?}");
}

#[test]
fn ten_million_alternatives_are_not_collected() {
    let slots = SlotList::new(vec![slot(0, (1.0, 1.0), (0.0, 1e7))]).unwrap();
    let batch = Batch::new(vec![Job::new(JobId(1), ResourceRequest::must(1, 1.0))]).unwrap();
    let limit = Limit::default().with_memory(1 << 24);
    let found =
        AlternativesSearch::new(Amp::new()).with_limit(limit).find(&slots, &batch, Time::ZERO).unwrap();
    assert_eq!(found.end, End::Memory);
    let bytes = size_of::<Window>() + size_of::<Placement>();
    assert!(found.total() > 10_000 && found.total() * bytes <= 1 << 24, "{}", found.total());
    let few = AlternativesSearch::new(Amp::new()).with_limit(Limit::default().with_work(1000));
    let few = few.find(&slots, &batch, Time::ZERO).unwrap();
    assert_eq!((few.end, &few.jobs[0].refusal), (End::Work, &None));
    assert_eq!(found.jobs[0].windows[..few.total()], *few.jobs[0].windows);
}

/// A task of span 1 at 5e16, where doubles are 8 apart, has its start as its computed end; and no list has that many
/// nodes.
#[test]
fn a_job_that_cannot_be_timed_or_counted_spoils_no_other() {
    let slots = SlotList::new((0..2).map(|id| slot(id, (1.0, 1.0), (0.0, 6e16))).collect()).unwrap();
    let late = Job::new(JobId(1), ResourceRequest::must(1, 1.0)).with_submit(Time::must(5e16));
    let wide = Job::new(JobId(2), ResourceRequest::must(usize::MAX, 1.0));
    let batch = Batch::new(vec![late, wide, Job::new(JobId(3), ResourceRequest::must(1, 1.0))]).unwrap();
    let search = AlternativesSearch::new(Amp::new()).with_max_per_job(2);
    let found = search.find(&slots, &batch, Time::ZERO).unwrap();
    assert_eq!(found.jobs[0].refusal, Some(Refusal::Horizon { needed: 1, most: 0 }));
    assert!(found.jobs[1].refusal.is_some());
    let counts: Vec<usize> = found.jobs.iter().map(|of| of.windows.len()).collect();
    assert_eq!((counts, found.end), (vec![0, 0, 2], End::Done));
}

/// A search that ignores demands.
#[derive(Debug)]
struct Blind;

impl WindowSearch for Blind {
    fn name(&self) -> &str {
        "blind"
    }
    fn rules(&self) -> Rules {
        Rules::per_window(1.0)
    }
    fn solve(&self, query: &WindowQuery<'_>, meter: &mut Meter) -> Result<Outcome<Window>, WindowError> {
        let request = query.request.clone().with_demands(Demands::default());
        Amp::new().solve(&WindowQuery::new(query.slots, &request).with_from(query.from), meter)
    }
}

#[test]
fn a_search_that_does_not_keep_to_the_demands_is_found_out() {
    let slots = SlotList::new([1, 2].map(|id| slot(id, (1.0, f64::from(id)), (0.0, 20.0))).to_vec()).unwrap();
    let slots = slots.with_features([(NodeId(2), Features::default().with_label("gpu"))]).unwrap();
    let request = ResourceRequest::must(1, 10.0).with_demands(Demands::default().with_label("gpu"));
    let batch = Batch::new(vec![Job::new(JobId(1), request)]).unwrap();
    let error = AlternativesSearch::new(Blind).find(&slots, &batch, Time::ZERO).unwrap_err();
    assert!(error.to_string().contains("node 1 is not one with gpu"), "{error}");
}
