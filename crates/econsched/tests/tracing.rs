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

/// One node; one job that has it twice, and one that asks for two.
#[test]
fn a_plan_has_one_event_and_a_job_that_is_asked_about_another() {
    let node = Node::must(1, 1.0, 1.0);
    let slots = SlotList::from_nodes(&[node], &[], Time::ZERO, Time::must(50.0)).unwrap();
    let job = |id, nodes| Job::new(JobId(id), ResourceRequest::must(nodes, 20.0));
    let batch = Batch::new(vec![job(1, 1), job(2, 2)]).unwrap();

    let search = AlternativesSearch::new(Amp::new());
    let (found, events) = counted("slot_window", || search.find(&slots, &batch, Time::ZERO).unwrap());
    assert_eq!((found.total(), events), (2, (1, 1)));

    let planner = batch_dp::Planner::new(Goal::MinTime { budget: None });
    let (plan, events) = counted("batch_dp", || planner.plan(&found.jobs).unwrap());
    assert_eq!((plan.schedule.placed().count(), events), (1, (1, 1)));

    let problem = PlanProblem::new(&slots, &batch, Goal::MinCost { time_limit: None });
    let (plan, events) = counted("joint_plan", || joint_plan::plan(&problem).unwrap());
    assert_eq!((plan.solution().unwrap().schedule.placed().count(), events), (1, (1, 0)));

    let machine = Machine::new(MachineId(0), 1, Speed::ETALON, Price::must(1.0)).unwrap();
    let grid = Grid::new(vec![Resource::new(SiteId(0), "one", machine)]);
    let jobs: Vec<GridJob> = batch.iter().cloned().map(GridJob::from).collect();
    let mut broker = TradeOffKind::MinCtt.build(TradeOffMetric::default());
    let meter = &mut Limit::none().meter();
    let (run, events) = counted("grid_sim", || grid.run(&jobs, &mut broker, meter).unwrap());
    assert_eq!((run.cycles, events), (1, (1, 1)));

    let mut broker = Broker::new(Config::new(Span::must(100.0))).unwrap();
    let (decisions, events) = counted("live_broker", || {
        for input in [Input::from(node), Input::from(job(1, 1)), Input::Wake] {
            broker.handle(Time::ZERO, input).unwrap();
        }
        std::iter::from_fn(|| broker.poll()).count()
    });
    // The job is promised its window and started.
    assert_eq!((decisions, events), (2, (1, 2)));
}
