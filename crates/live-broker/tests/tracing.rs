//! Events are there for whoever listens.

#![cfg(feature = "tracing")]
#![allow(clippy::unwrap_used)] // the inputs here are well formed

use live_broker::{Broker, Config, Input};
use sched_model::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Counts events by level.
struct Counter;

static INFO: AtomicUsize = AtomicUsize::new(0);
static DEBUG: AtomicUsize = AtomicUsize::new(0);

impl Subscriber for Counter {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("live_broker")
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
fn a_cycle_and_each_decision_are_told() {
    let decisions = tracing::subscriber::with_default(Counter, || {
        let mut broker = Broker::new(Config::new(Span::must(100.0))).unwrap();
        let node = Node::new(NodeId(1), Speed::ETALON, Price::must(1.0));
        broker.handle(Time::ZERO, Input::NodeAdded(node)).unwrap();
        let request = ResourceRequest::new(1, Work::must(10.0)).unwrap();
        broker.handle(Time::ZERO, Input::Submit(Job::new(JobId(1), request))).unwrap();
        broker.handle(Time::ZERO, Input::Wake).unwrap();
        std::iter::from_fn(|| broker.poll()).count()
    });
    // The job is promised its window and started.
    assert_eq!(decisions, 2);
    assert_eq!((INFO.load(Ordering::Relaxed), DEBUG.load(Ordering::Relaxed)), (1, decisions));
}
