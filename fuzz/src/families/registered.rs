//! What a user implements: every registered algorithm, by the families of the testkit.

use crate::family::{Judged, ensure, of, part, sound};
use econsched::auction_assign::AssignerKind;
use econsched::batch_dp::{
    Alternatives, BatchError, ChoiceProblem, ChooserKind, FRONT_CAP, FRONT_WORK, Front, Goal,
};
use econsched::grid_heuristics::{Mapping, MappingKind, MinMin, TradeOffKind, TradeOffMetric};
use econsched::grid_sim::{PolicyKind, ReplayOptions, TradeOffBroker, TwoPhaseBroker, replay_within};
use econsched::sched_model::check::Holding;
use econsched::sched_model::{
    End, EtcMatrix, Limit, Machine, MachineId, NodeId, Price, Sense, SlotList, Span, Speed, Time, Window,
};
use econsched::slot_window::{
    FirstFit, MaxValue, MultipleBest, NodeValues, Objective, Ranking, SearchKind, SearchOptions, WindowSearch,
};
use econsched::testkit::{
    self, AssignCase, ChoiceCase, Draw, Family, Fault, MappingCase, PolicyCase, SchedulerCase, SearchCase,
    Seen, Stopped, Stops, oracle, rounded_sum,
};

#[derive(Default)]
pub(super) struct Searches;

/// What is minimised.
type Value<'a> = Box<dyn Fn(&Window, &SlotList) -> f64 + 'a>;

/// The value that a search minimises, where it promises one, and then the start.
fn value(kind: SearchKind, sense: Sense, case: &SearchCase) -> Option<Value<'_>> {
    let name = kind.name();
    let nodes = |window: &Window| window.nodes().map(|node| node.0 as usize).collect::<Vec<_>>();
    Some(match name.split("-rough").next().unwrap_or(name) {
        "alp" | "first-fit" | "min-start" | "amp" => Box::new(|window, _| Objective::Start.of(window)),
        "min-finish" => Box::new(|window, _| Objective::Finish.of(window)),
        "min-cost" => Box::new(|window, _| Objective::Cost.of(window)),
        // Finish less start is the runtime but for a rounding.
        "min-runtime" => Box::new(move |window, _| {
            let measured = |node: usize| case.asked.spans.get(node).copied().flatten();
            let own = |node: usize| case.request.work / case.nodes[node].speed;
            let span = |node: usize| measured(node).map_or_else(|| own(node), |span| f64::from(span) * 0.5);
            nodes(window).into_iter().map(span).fold(0.0, f64::max)
        }),
        "max-value" => Box::new(move |window, _| {
            let value = rounded_sum(nodes(window).into_iter().map(|node| case.nodes[node].value));
            if sense == Sense::Maximise { -value } else { value }
        }),
        _ => return None,
    })
}

impl Family for Searches {
    type Case = SearchCase;

    fn draw(draw: &mut Draw) -> SearchCase {
        SearchCase::draw(draw)
    }

    fn judge(&self, case: &SearchCase) -> Judged {
        let values = (0..).map(NodeId).zip(case.nodes.iter().map(|node| node.value));
        let values = part(NodeValues::new(values))?;
        let rho = if case.from == 1.0 { 0.8 } else { 1.0 };
        let mut seen = Seen::default();
        for &kind in SearchKind::ALL {
            let valued = kind.name().contains("max-value") || kind.name().contains("multiple");
            for sense in [Sense::Maximise, Sense::Minimise].into_iter().take(1 + usize::from(valued)) {
                let options = SearchOptions::new().with_rho(rho).with_objective(Objective::Cost);
                let search = part(kind.build_with(&options.with_criterion(values.clone(), sense)))?;
                seen += of(&kind, judge_search(search.as_ref(), value(kind, sense, case), case))?;
            }
        }
        // Each node held for its own span.
        let own = MaxValue::new(values).with_sense(Sense::Maximise).with_holding(Holding::OwnSpan);
        let ranking = Ranking::Objective(Objective::Cost);
        let first = FirstFit::new().with_holding(Holding::OwnSpan);
        seen += judge_search(&MultipleBest::new(first, ranking.clone()), None, case)?;
        seen += judge_search(&MultipleBest::new(own.clone(), ranking), None, case)?;
        seen += judge_search(&own, value(SearchKind::MaxValue, Sense::Maximise, case), case)?;
        Ok(seen)
    }
}

fn judge_search(search: &dyn WindowSearch, value: Option<Value<'_>>, case: &SearchCase) -> Judged {
    let mut check = testkit::search(search);
    if let Some(value) = value {
        check = check.with_completeness().with_value(value).with_earliest_start();
    }
    match check.judge(case) {
        // The published table needs units of money, and says so where there are too many.
        Err(fault) if fault.kind == "error" && search.name().contains("table") => Ok(Seen::skipped()),
        judged => judged,
    }
}

#[derive(Default)]
pub(super) struct Choosers;

impl Family for Choosers {
    type Case = ChoiceCase;

    fn draw(draw: &mut Draw) -> ChoiceCase {
        ChoiceCase::draw(draw)
    }

    fn judge(&self, case: &ChoiceCase) -> Judged {
        let mut seen = Seen::default();
        for &kind in ChooserKind::ALL {
            seen += of(&kind, testkit::chooser(kind.build().as_ref()).with_exactness().judge(case))?;
        }
        let batch = part(Alternatives::new(&case.jobs))?;
        let count = case.jobs.iter().try_fold(1_usize, |count, job| count.checked_mul(job.len()));
        if count.is_some_and(|count| (1..=4096).contains(&count)) {
            front(case, &batch)?;
        } else {
            agree(case, &batch)?;
        }
        Ok(seen)
    }
}

/// The front has every undominated pair of sums and no other.
fn front(case: &ChoiceCase, batch: &Alternatives) -> Result<(), Fault> {
    let problem = ChoiceProblem::new(batch, Goal::MinTime { budget: None });
    case.stops.check(400_000, &mut |limit| {
        let mut meter = limit.meter();
        let front = Front::of(&problem, FRONT_CAP, &mut meter);
        let end = match &front {
            Err(BatchError::Stopped { end, .. }) => *end,
            front => sound(front.as_ref().map(|_| End::Done))?,
        };
        let answer = format!("{:?}", front.ok().flatten().map(|front| front.points().to_vec()));
        Ok(Stopped { rank: 0.0, value: None, bound: None, work: meter.work(), end, answer })
    })?;
    let limit = Limit::default().with_work(FRONT_WORK);
    let Some(front) = sound(Front::of(&problem, FRONT_CAP, &mut limit.meter()))? else { return Ok(()) };
    let mut all = oracle::choices(&case.jobs);
    all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut least = f64::INFINITY;
    all.retain(|&(_, time)| {
        let better = time < least;
        least = least.min(time);
        better
    });
    let points: Vec<(f64, f64)> = front.points().iter().map(|point| (point.cost, point.time)).collect();
    ensure!(points == all, "the front {points:?} is {all:?}");
    for (at, &point) in points.iter().enumerate() {
        let picks = front.picks(at);
        let picked = || case.jobs.iter().zip(&picks).filter_map(|(job, &pick)| job.get(pick));
        let sums = (rounded_sum(picked().map(|pair| pair.0)), rounded_sum(picked().map(|pair| pair.1)));
        ensure!(sums == point, "the picks of {point:?} sum to {sums:?}");
    }
    Ok(())
}

/// Choosers that prove their choices agree, where there are too many to try all.
fn agree(case: &ChoiceCase, batch: &Alternatives) -> Result<(), Fault> {
    let problem = ChoiceProblem::new(batch, Goal::MinTime { budget: case.budget });
    let mut known: Option<f64> = None;
    for &kind in ChooserKind::ALL {
        // A refusal because of size is an answer.
        let limit = Limit::default().with_work(2_000_000);
        let Ok(outcome) = kind.build().solve(&problem, &mut limit.meter()) else { continue };
        let (true, Some(value)) = (outcome.end == End::Done, outcome.value) else {
            continue;
        };
        ensure!(*known.get_or_insert(value) == value, "{kind}: exact at {value}, others at {known:?}");
    }
    Ok(())
}

#[derive(Default)]
pub(super) struct Assigners;

impl Family for Assigners {
    type Case = AssignCase;

    fn draw(draw: &mut Draw) -> AssignCase {
        AssignCase::draw(draw)
    }

    fn judge(&self, case: &AssignCase) -> Judged {
        let mut seen = Seen::default();
        for &kind in AssignerKind::ALL {
            seen += of(&kind, testkit::assigner(kind.build().as_ref()).with_duals().judge(case))?;
        }
        Ok(seen)
    }
}

#[derive(Default)]
pub(super) struct Mappings;

impl Family for Mappings {
    type Case = MappingCase;

    fn draw(draw: &mut Draw) -> MappingCase {
        MappingCase::draw(draw)
    }

    fn judge(&self, case: &MappingCase) -> Judged {
        let mut seen = Seen::default();
        let etc = part(EtcMatrix::new(case.times.len(), case.ready.len(), case.times.concat()))?;
        let ready = part(case.ready.iter().map(|&at| Time::new(at)).collect::<Result<Vec<_>, _>>())?;
        let numbers = || case.times.iter().flatten().chain(&case.ready).map(|number| number.abs());
        let least = numbers().filter(|&number| number > 0.0).fold(f64::INFINITY, f64::min);
        let spread = numbers().fold(0.0, f64::max) / least;
        for &kind in MappingKind::ALL {
            let heuristic = kind.build();
            let check = testkit::mapping(heuristic.as_ref());
            let check = if kind == MappingKind::Duplex { check.with_makespan_of(&MinMin) } else { check };
            seen += of(&kind, check.judge(case))?;
            // Beyond this spread Sufferage and its definition round sums differently.
            let Some(steps) = oracle::mapping(kind, &etc, &ready) else { continue };
            if kind == MappingKind::Sufferage && spread > 1e12 {
                continue;
            }
            let (found, literal) =
                (sound(heuristic.map_from(&etc, &ready))?, sound(Mapping::from_order(&etc, &ready, steps))?);
            // Within a pass the definition states no order.
            let same = found == literal
                || kind == MappingKind::SufferagePasses && found.resources() == literal.resources();
            ensure!(same, "{kind}: not by its definition: {found:?}, but {literal:?}");
        }
        Ok(seen)
    }
}

#[derive(Default)]
pub(super) struct Policies;

impl Family for Policies {
    type Case = PolicyCase;

    fn draw(draw: &mut Draw) -> PolicyCase {
        PolicyCase::draw(draw)
    }

    fn judge(&self, case: &PolicyCase) -> Judged {
        let mut seen = Seen::default();
        for &kind in PolicyKind::ALL {
            let check = testkit::policy(move || kind.build()).with_promises_kept();
            let check = if kind == PolicyKind::Fcfs { check.with_arrival_order() } else { check };
            seen += of(&kind, check.judge(case))?;
            replays(kind, case)?;
        }
        Ok(seen)
    }
}

/// A replay that is stopped.
fn replays(kind: PolicyKind, case: &PolicyCase) -> Result<(), Fault> {
    let machine = part(Machine::new(MachineId(0), case.cpus, Speed::ETALON, part(Price::new(0.1))?))?;
    let jobs = (0..).zip(&case.jobs).map(|(id, job)| job.job(id)).collect::<Result<Vec<_>, _>>()?;
    let count = case.jobs.len() as u64;
    let stops = Stops { parts: vec![200_000, 700_000], works: vec![count, 3 * count], questions: count % 7 };
    stops.check(400_000, &mut |limit| {
        let mut meter = limit.meter();
        let run = sound(replay_within(&machine, kind.build(), &jobs, &ReplayOptions::default(), &mut meter))?;
        let (end, work) = (run.stopped.unwrap_or(End::Done), meter.work());
        let answer = format!("{:?} {:?} {}", run.report, run.records, run.events);
        Ok(Stopped { rank: 0.0, value: None, bound: None, work, end, answer })
    })?;
    Ok(())
}

#[derive(Default)]
pub(super) struct Schedulers;

impl Family for Schedulers {
    type Case = SchedulerCase;

    fn draw(draw: &mut Draw) -> SchedulerCase {
        SchedulerCase::draw(draw)
    }

    fn judge(&self, case: &SchedulerCase) -> Judged {
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
}
