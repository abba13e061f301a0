//! What a user implements: every registered algorithm, by the families of the testkit.

use super::selections;
use crate::judge::{Verdict, ensure, family, of, part, stopped};
use econsched::auction_assign::AssignerKind;
use econsched::batch_dp::{Alternatives, ChoiceProblem, ChooserKind, Goal};
use econsched::grid_heuristics::{TradeOffKind, TradeOffMetric};
use econsched::grid_sim::{PolicyKind, Replay, TradeOffBroker, TwoPhaseBroker};
use econsched::sched_model::{End, Limit, Machine, MachineId, Price, Span, Speed};
use econsched::slot_window::SearchKind;
use econsched::testkit::{self, AssignCase, ChoiceCase, PolicyCase, SchedulerCase, Seen, Stopped, Stops};

family!(Choosers: ChoiceCase, ChoiceCase::draw, choosers);
family!(Assigners: AssignCase, AssignCase::draw, assigners);
family!(Policies: PolicyCase, PolicyCase::draw, policies);
family!(Schedulers: SchedulerCase, SchedulerCase::draw, schedulers);

fn choosers(case: &ChoiceCase) -> Verdict<Seen> {
    let mut seen = Seen::default();
    for &kind in ChooserKind::ALL {
        seen += of(&kind, testkit::chooser(kind.build().as_ref()).with_exactness().judge(case))?;
    }
    let batch = part(Alternatives::new(&case.jobs))?;
    let whole = selections::Case {
        batch: case.clone(),
        kind: 3,
        numbers: Vec::new(),
        user_of: Vec::new(),
        budgets: Vec::new(),
        known: None,
        starts: Vec::new(),
        finish: (false, false),
    };
    whole.front(&batch, whole.all().as_deref())?;
    // Where there are too many to try all, those that prove their choices agree.
    let problem = ChoiceProblem::new(&batch, Goal::MinTime { budget: case.budget });
    let mut known: Option<f64> = None;
    for &kind in ChooserKind::ALL {
        // A refusal because of size is an answer.
        let limit = Limit::default().with_work(2_000_000);
        let Ok(outcome) = kind.build().solve(&problem, &mut limit.meter()) else { continue };
        if let (End::Done, Some(value)) = (outcome.end, outcome.value) {
            ensure!(*known.get_or_insert(value) == value, "{kind}: exact at {value}, others at {known:?}");
        }
    }
    Ok(seen)
}

fn assigners(case: &AssignCase) -> Verdict<Seen> {
    let mut seen = Seen::default();
    for &kind in AssignerKind::ALL {
        seen += of(&kind, testkit::assigner(kind.build().as_ref()).with_duals().judge(case))?;
    }
    Ok(seen)
}

fn policies(case: &PolicyCase) -> Verdict<Seen> {
    let mut seen = Seen::default();
    let machine = part(Machine::new(MachineId(0), case.cpus, Speed::ETALON, part(Price::new(0.1))?))?;
    let jobs = (0..).zip(&case.jobs).map(|(id, job)| job.job(id)).collect::<Result<Vec<_>, _>>()?;
    let count = jobs.len() as u64;
    let stops = Stops { parts: vec![200_000, 700_000], works: vec![count, 3 * count], questions: count % 7 };
    for &kind in PolicyKind::ALL {
        let check = testkit::policy(move || kind.build()).with_promises_kept();
        let check = if kind == PolicyKind::Fcfs { check.with_arrival_order() } else { check };
        seen += of(&kind, check.judge(case))?;
        stopped(&stops, 400_000, |limit| {
            let mut meter = limit.meter();
            let run = Replay::new(&machine, kind.build()).run(&jobs, &mut meter)?;
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
        let make = move || Box::new(TradeOffBroker::of_kind(kind, TradeOffMetric::default())) as _;
        seen += of(&kind, testkit::scheduler(make).with_limits_kept().judge(case))?;
    }
    for kind in [SearchKind::Amp, SearchKind::MinCostRough, SearchKind::MinFinish] {
        let make = move || Box::new(TwoPhaseBroker::new(kind.build(), Span::must(1e4))) as _;
        seen += of(&kind, testkit::scheduler(make).judge(case))?;
    }
    Ok(seen)
}
