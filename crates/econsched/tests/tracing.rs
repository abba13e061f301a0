//! The events of every crate that has the feature `tracing`, counted by a subscriber: one of level INFO per plan,
//! search or cycle, and one of level DEBUG per job that an operator would ask about.

#![allow(clippy::unwrap_used, clippy::expect_used)] // the inputs here are well formed

use econsched::batch_dp;
use econsched::grid_heuristics::{TradeOffKind, TradeOffMetric};
use econsched::grid_sim::{Grid, GridJob, Resource};
use econsched::joint_plan::{self, PlanProblem};
use econsched::live_broker::{Broker, Config, Input};
use econsched::sched_model::*;
use econsched::slot_window::{AlternativesSearch, Amp};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// Counts the events of one crate on level INFO and on level DEBUG.
#[derive(Clone)]
struct Counter {
    target: &'static str,
    counts: Arc<[AtomicUsize; 2]>,
}

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
        let metadata = event.metadata();
        if metadata.target().split("::").next() != Some(self.target) {
            return;
        }
        let levels = [Level::INFO, Level::DEBUG];
        let at = levels.iter().position(|level| level == metadata.level()).expect("one of two levels");
        self.counts[at].fetch_add(1, Ordering::Relaxed);
    }
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// The result of `work`, and the numbers of events of `target` that it emitted on level INFO and on level DEBUG.
fn counted<T>(target: &'static str, work: impl FnOnce() -> T) -> (T, (usize, usize)) {
    let counter = Counter { target, counts: Arc::default() };
    let result = tracing::subscriber::with_default(counter.clone(), work);
    let [info, debug] = [0, 1].map(|at| counter.counts[at].load(Ordering::Relaxed));
    (result, (info, debug))
}

fn one_node() -> SlotList {
    let node = Node::must(1, 1.0, 1.0);
    SlotList::from_nodes(&[node], &[], Time::ZERO, Time::must(50.0)).unwrap()
}

fn job(id: u64, nodes: usize) -> Job {
    Job::new(JobId(id), ResourceRequest::must(nodes, 20.0))
}

#[test]
fn a_search_for_alternatives_has_an_event_and_one_for_each_job_without() {
    let batch = Batch::new(vec![job(1, 1), job(2, 2)]).unwrap();
    let search = AlternativesSearch::new(Amp::new());
    let (found, events) = counted("slot_window", || search.find(&one_node(), &batch, Time::ZERO).unwrap());
    assert_eq!(found.total(), 2);
    assert_eq!(events, (1, 1));
}

#[test]
fn a_plan_has_an_event_and_one_for_each_refusal() {
    let slot = *one_node().iter().next().unwrap();
    let windows = [Window::new(
        Time::ZERO,
        vec![Placement::on(&slot, Time::ZERO, Span::must(5.0), &Tariff::default())],
    )
    .unwrap()];
    let of = |id, windows| JobWindows { job: JobId(id), windows, refusal: None };
    let jobs = [of(1, windows.to_vec()), of(2, Vec::new())];
    let (_, events) =
        counted("batch_dp", || batch_dp::Planner::new(Goal::MinTime { budget: None }).plan(&jobs).unwrap());
    assert_eq!(events, (1, 1));
}

#[test]
fn a_joint_plan_has_one_event() {
    let batch = Batch::new(vec![job(1, 1), job(2, 2)]).unwrap();
    let (slots, goal) = (one_node(), Goal::MinCost { time_limit: None });
    let (plan, events) =
        counted("joint_plan", || joint_plan::plan(&PlanProblem::new(&slots, &batch, goal)).unwrap());
    assert_eq!(plan.solution().unwrap().schedule.placed().count(), 1);
    assert_eq!(events, (1, 0));
}

#[test]
fn a_cycle_of_a_simulated_broker_has_an_event_and_one_for_each_refusal() {
    let machine = Machine::new(MachineId(0), 2, Speed::ETALON, Price::must(1.0)).unwrap();
    let jobs = [GridJob::from(job(1, 2)), GridJob::from(job(2, 3))];
    let mut broker = TradeOffKind::MinCtt.build(TradeOffMetric::default());
    let grid = Grid::new(vec![Resource::new(SiteId(0), "one", machine)]);
    let (_, events) =
        counted("grid_sim", || grid.run(&jobs, &mut broker, &mut Limit::none().meter()).unwrap());
    assert_eq!(events, (1, 1));
}

#[test]
fn a_cycle_of_the_live_broker_has_an_event_and_one_for_each_decision() {
    let (decisions, events) = counted("live_broker", || {
        let mut broker = Broker::new(Config::new(Span::must(100.0))).unwrap();
        let node = Node::must(1, 1.0, 1.0);
        broker.handle(Time::ZERO, Input::from(node)).unwrap();
        broker.handle(Time::ZERO, Input::from(job(1, 1))).unwrap();
        broker.handle(Time::ZERO, Input::Wake).unwrap();
        std::iter::from_fn(|| broker.poll()).count()
    });
    // The job is promised its window and started.
    assert_eq!(decisions, 2);
    assert_eq!(events, (1, decisions));
}
