//! The two-phase cycle as a broker, beside the live one, by cases computed by hand.

use crate::common::{job, resource, span};
use batch_dp::{Goal, Preference, VectorCriterion, Weights};
use grid_heuristics::{TradeOffKind, TradeOffMetric};
use grid_sim::*;
use live_broker::{Config, Prefer};
use sched_model::*;
use slot_window::{Objective, SearchKind};

/// The minimum cost under the derived limit of run times.
fn config(horizon: u32, alternatives: usize) -> Config {
    let goal = Goal::MinCost { time_limit: None };
    Config::new(span(horizon)).with_goal(goal, alternatives).with_time(Objective::Runtime)
}

/// A job that knows its time on each machine runs for that time, whatever the machine's speed: 5 on the slow one, 8 on
/// the fast one.
#[test]
fn expected_times_by_machine_are_kept() {
    let jobs = [(1, [5.0, 30.0]), (2, [30.0, 8.0])]
        .map(|(id, times)| job(id, 1, 7.0, 0.0).with_times(times.map(Span::must).to_vec()));
    let resources = || [(0, 1), (1, 9)].map(|(id, speed)| resource(id, 1, speed, 1)).into();
    let meter = &mut Limit::none().meter();
    let mut broker = TwoPhaseBroker::new(config(100, 100).with_search(SearchKind::MinFinish));
    let two_phase = Grid::new(resources()).run(&jobs, &mut broker, meter).unwrap().records;
    let config = Config::new(span(400)).with_search(SearchKind::MinFinish);
    let live = Grid::new(resources()).run_live(&jobs, config, meter).unwrap().records;
    for records in [two_phase, live] {
        let runs = records
            .iter()
            .map(|record| ((record.end().unwrap() - record.start.unwrap()).get(), record.parts[0].site.0));
        assert_eq!(runs.collect::<Vec<_>>(), [(5.0, 0), (8.0, 1)]);
    }
}

/// Four slow cheap CPUs (60 s for 60) and a fast expensive one (20 s for 120), up to 60. The jobs have 4 and 3
/// alternatives, two of each slow: T* is 40 + 46, rounded down, which allows one of them.
#[test]
fn the_goals_choose_apart() {
    let run = |goal, prefer: Option<Prefer>| {
        let request = ResourceRequest::must(1, 60.0).with_budget(Money::must(500.0));
        let mut config = config(60, 100).with_search(SearchKind::MinStart).with_goal(goal, 100);
        config.prefer = prefer;
        let mut broker = TwoPhaseBroker::new(config);
        let jobs = [1, 2].map(|id| GridJob::from(Job::new(JobId(id), request.clone())));
        let resources = vec![resource(0, 4, 1, 1), resource(1, 1, 3, 6)];
        let outcome = Grid::new(resources).run(&jobs, &mut broker, &mut Limit::none().meter()).unwrap();
        let runtime: f64 =
            outcome.records.iter().map(|record| (record.end().unwrap() - record.start.unwrap()).get()).sum();
        (outcome.report.cost.get(), runtime)
    };
    let (cost, time) = (Goal::MinCost { time_limit: None }, Goal::MinTime { budget: None });
    assert_eq!((run(cost, None), run(time, None)), ((180.0, 80.0), (240.0, 40.0)));
    // <C, D, T, I>: first the time, although the goal is the cost; first the cost, within B* = 240; and both
    // with equal weights, where 120 + 120 is less than 180 + 80 and 240 + 40.
    let order = |order: &[VectorCriterion]| Some(Prefer::Vector(Preference::Lexicographic(order.to_vec())));
    assert_eq!(run(cost, order(&[VectorCriterion::Time, VectorCriterion::Cost])), (240.0, 40.0));
    assert_eq!(run(time, order(&[VectorCriterion::Cost])), (120.0, 120.0));
    assert_eq!(run(cost, order(&[VectorCriterion::BudgetLeft])), (180.0, 80.0));
    let equal = Weights { cost: 1.0, time: 1.0, ..Weights::default() };
    assert_eq!(run(time, Some(Prefer::Vector(Preference::Weighted(equal)))), (120.0, 120.0));
    // Both on the fast CPU end at 40 at the latest, and on average before any other two.
    assert_eq!(run(cost, Some(Prefer::Makespan)), (240.0, 40.0));
    assert_eq!(run(time, Some(Prefer::MeanFinish)), (240.0, 40.0));
}

/// Job 1 runs on the slow CPU and on the fast one, which is done with its part at 6; the slow one fails at 8.
/// What was paid is returned, and both parts run again when the CPU is back. Job 2 is given up at 10.
#[test]
fn a_job_that_loses_a_cpu_is_tried_again() {
    let job = |id, nodes| job(id, nodes, 12.0, 0.0);
    for announced in [true, false] {
        let (from, until) = (Time::must(8.0), Time::must(30.0));
        let grid = Grid::new(vec![resource(0, 1, 1, 1), resource(1, 1, 2, 1)])
            .with_interval(span(5))
            .with_faults(Faults {
                outages: vec![Outage { machine: 0, cpu: 0, from, until, announced }],
                cancellations: vec![(Time::must(10.0), JobId(2))],
            });
        let mut broker = TwoPhaseBroker::new(config(500, 100));
        let outcome = grid.run(&[job(1, 2), job(2, 1)], &mut broker, &mut Limit::none().meter()).unwrap();
        let [one, two] = outcome.records.as_slice() else { panic!("two jobs") };
        assert_eq!((one.start, &one.ending), (Some(until), &Ending::Done));
        assert_eq!((one.cost(), two.cost()), (Money::must(18.0), Money::ZERO));
        assert_eq!(two.ending, Ending::Cancelled);
        assert_eq!(outcome.report.sites.iter().map(|site| site.earned.get()).sum::<f64>(), 18.0);
    }
}

/// The only CPU is down when the job comes, and nobody knows until when: each heuristic lets the job wait for it.
#[test]
fn a_job_waits_for_a_cpu_whose_return_is_not_known() {
    for kind in TradeOffKind::ALL {
        let (from, until) = (Time::must(8.0), Time::must(31.0));
        let grid = Grid::new(vec![resource(0, 1, 1, 1)]).with_interval(span(5)).with_faults(Faults {
            outages: vec![Outage { machine: 0, cpu: 0, from, until, announced: false }],
            cancellations: Vec::new(),
        });
        let mut broker = kind.build(TradeOffMetric::default());
        let outcome = grid.run(&[job(1, 1, 12.0, 9.0)], &mut broker, &mut Limit::none().meter()).unwrap();
        assert_eq!(outcome.records[0].start, Some(Time::must(35.0)), "{kind}");
    }
}

/// A reservation of the grid is of some CPUs of a machine, and each cycle lays what is free of them out anew,
/// in pieces as long as they can be. A broker with nodes for life keeps each promise on its node, and what is
/// free lies around it: hence one cycle of a broker for each interval here.
#[test]
fn what_is_free_is_laid_out_anew_in_each_cycle() {
    let job = |id, submit, work| job(id, 1, work, submit);
    // Jobs 1 and 2 run from 0 to 100, jobs 3 and 4 follow them; 1 and 4 are given up. On nodes with names the
    // first is free up to 100, the second from 100 on; one of two CPUs is free all the time.
    let jobs =
        [job(1, 0.0, 100.0), job(2, 0.0, 100.0), job(3, 0.0, 100.0), job(4, 0.0, 100.0), job(5, 2.0, 150.0)];
    let cancellations = vec![(Time::must(1.0), JobId(1)), (Time::must(1.0), JobId(4))];
    let faults = Faults { cancellations, ..Faults::default() };
    let mut broker = TwoPhaseBroker::new(config(1000, 1));
    let grid = Grid::new(vec![resource(0, 2, 1, 1)]);
    let grid = grid.with_interval(span(5)).with_faults(faults.clone());
    let anew = grid.run(&jobs, &mut broker, &mut Limit::none().meter()).unwrap();
    let for_life = Grid::new(vec![resource(0, 2, 1, 1)]).with_faults(faults);
    let config = Config::new(span(1000)).with_interval(span(5));
    let for_life = for_life.run_live(&jobs, config, &mut Limit::none().meter()).unwrap();
    let starts = |records: &[JobRecord]| records.iter().map(|record| record.start).collect::<Vec<_>>();
    let at = |time: f64| Some(Time::must(time));
    assert_eq!(starts(&anew.records)[1..3], [at(0.0), at(100.0)]);
    assert_eq!(starts(&for_life.records)[1..3], [at(0.0), at(100.0)]);
    assert_eq!((anew.records[4].start, for_life.records[4].start), (at(5.0), at(100.0)));
}
