//! Events are there for whoever listens.

#![cfg(feature = "tracing")]
#![allow(clippy::unwrap_used)] // the batch here is well formed

use sched_model::*;
use slot_window::{AlternativesSearch, Amp};
use std::sync::atomic::{AtomicUsize, Ordering};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Counts events by whether somebody should look.
struct Counter;

static INFO: AtomicUsize = AtomicUsize::new(0);
static DEBUG: AtomicUsize = AtomicUsize::new(0);

impl Subscriber for Counter {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, event: &Event<'_>) {
        let level = *event.metadata().level();
        if level == tracing::Level::INFO { &INFO } else { &DEBUG }.fetch_add(1, Ordering::Relaxed);
    }
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[test]
fn the_alternatives_of_a_batch_tell_of_jobs_without_one() {
    let nodes = [Node::new(NodeId(1), Speed::ETALON, Price::must(1.0))];
    let slots = SlotList::from_nodes(&nodes, &[], Time::ZERO, Time::must(50.0)).unwrap();
    let job = |id, nodes| Job::new(JobId(id), ResourceRequest::new(nodes, Work::must(20.0)).unwrap());
    let batch = Batch::new(vec![job(1, 1), job(2, 2)]).unwrap();
    let search = AlternativesSearch::new(Amp::new());
    let found =
        tracing::subscriber::with_default(Counter, || search.find(&slots, &batch, Time::ZERO)).unwrap();
    assert_eq!(found.total(), 2);
    assert_eq!((INFO.load(Ordering::Relaxed), DEBUG.load(Ordering::Relaxed)), (1, 1));
}
