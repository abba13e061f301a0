//! The checks of the testkit on every local policy, run to the end and stopped, and on the brokers of grids.

use crate::judge::{Verdict, family, of};
use econsched::batch_dp::Goal;
use econsched::grid_heuristics::{TradeOffKind, TradeOffMetric};
use econsched::grid_sim::{PolicyKind, Replay, TwoPhaseBroker};
use econsched::live_broker::Config;
use econsched::sched_model::{End, Span};
use econsched::slot_window::{Objective, SearchKind};
use econsched::testkit::{self, PolicyCase, SchedulerCase, Seen, Stopped, Stops};

family!(Policies: PolicyCase, PolicyCase::draw, policies);
family!(Schedulers: SchedulerCase, SchedulerCase::draw, schedulers);

fn policies(case: &PolicyCase) -> Verdict<Seen> {
    let mut seen = Seen::default();
    let PolicyCase { machine, jobs } = case;
    let count = jobs.len() as u64;
    let stops = Stops { parts: vec![200_000, 700_000], works: vec![count, 3 * count], questions: count % 7 };
    for &kind in PolicyKind::ALL {
        let check = testkit::policy(move || kind.build()).with_promises_kept();
        let check = if kind == PolicyKind::Fcfs { check.with_arrival_order() } else { check };
        seen += of(&kind, check.judge(case))?;
        stops.check(400_000, |limit| {
            let mut meter = limit.meter();
            let run = Replay::new(machine, kind.build()).run(jobs, &mut meter)?;
            let (end, work) = (run.stopped.unwrap_or(End::Done), meter.work());
            let answer = format!("{:?} {:?} {}", run.report, run.records, run.events);
            Ok(Stopped { rank: 0.0, value: None, bound: None, work, end, answer })
        })?;
    }
    Ok(seen)
}

fn schedulers(case: &SchedulerCase) -> Verdict<Seen> {
    let mut seen = Seen::default();
    for &kind in TradeOffKind::ALL {
        let make = move || Box::new(kind.build(TradeOffMetric::default())) as _;
        seen += of(&kind, testkit::scheduler(make).with_limits_kept().judge(case))?;
    }
    for kind in [SearchKind::Amp, SearchKind::MinCostRough, SearchKind::MinFinish] {
        for goal in [Goal::MinCost { time_limit: None }, Goal::MinTime { budget: None }] {
            let config = Config::new(Span::must(1e4)).with_search(kind).with_goal(goal, 100);
            let config = config.with_time(Objective::Runtime);
            let broker = move || Box::new(TwoPhaseBroker::new(config.clone())) as _;
            seen += of(&kind, testkit::scheduler(broker).judge(case))?;
        }
    }
    Ok(seen)
}
