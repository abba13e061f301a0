//! Events are there for whoever listens.

#![cfg(feature = "tracing")]
#![allow(clippy::unwrap_used)] // the batch here is well formed

use batch_dp::{Goal, plan};
use sched_model::*;
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
fn a_plan_tells_of_itself_and_of_each_refusal() {
    let slot = Slot::new(Node::new(NodeId(1), Speed::ETALON, Price::must(1.0)), Time::ZERO, Time::must(9.0))
        .unwrap();
    let window = Window::new(Time::ZERO, vec![Placement::on(&slot, Time::ZERO, Span::must(5.0))]).unwrap();
    let windows = [window];
    let offers = [(JobId(1), &windows[..], None), (JobId(2), &[][..], None)];
    tracing::subscriber::with_default(Counter, || plan(offers, Goal::MinTime { budget: None })).unwrap();
    assert_eq!((INFO.load(Ordering::Relaxed), DEBUG.load(Ordering::Relaxed)), (1, 1));
}
