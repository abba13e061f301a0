//! Events are there for whoever listens.

#![cfg(feature = "tracing")]
#![allow(clippy::unwrap_used)] // the grid here is well formed

use grid_heuristics::{TradeOffKind, TradeOffMetric};
use grid_sim::{Grid, GridJob, Resource, TradeOffBroker};
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
fn a_broker_tells_of_cycles_and_refusals() {
    let machine = Machine::new(MachineId(0), 2, Speed::ETALON, Price::must(1.0)).unwrap();
    let job =
        |id, cpus| GridJob::new(Job::new(JobId(id), ResourceRequest::new(cpus, Work::must(10.0)).unwrap()));
    let mut broker = TradeOffBroker::of_kind(TradeOffKind::MinCtt, TradeOffMetric::default());
    let grid = Grid::new(vec![Resource::new(SiteId(0), "one", machine)]);
    tracing::subscriber::with_default(Counter, || grid.run(&[job(1, 2), job(2, 3)], &mut broker)).unwrap();
    assert_eq!((INFO.load(Ordering::Relaxed), DEBUG.load(Ordering::Relaxed)), (1, 1));
}
