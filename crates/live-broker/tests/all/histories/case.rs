//! The case of a history: the settings of the broker, and the steps.

use econsched::batch_dp::Goal;
use econsched::live_broker::{Config, Input, MovePolicy, MoveRate, Preemption, SpeedOn, Stability};
use econsched::sched_model::{
    Demands, Job, JobId, Money, Node, NodeId, Price, Priority, ResourceRequest, Span, Speed, Time, Work,
};
use econsched::slot_window::SearchKind;
use econsched::testkit::{self, Draw};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    pub(super) config: Config,
    pub(super) steps: Vec<Step>,
}

/// A step. Jobs and nodes are few, so that steps often name wrong ones; positions count modulo the number of
/// things, and the instants of inputs and jobs from now.
#[derive(Serialize, Deserialize)]
pub(super) enum Step {
    /// The time passes by this span; a negative span makes the next input late.
    After(f64),
    /// At the instant of the next wake, moved by this many representable numbers.
    AtWakeup(i32),
    Tell(Input),
    /// A wake whose cycle may be stopped by a signal, set where a bit is: a bit for each question, the last for
    /// all that follow.
    WakeUntil(u64),
    /// A quote is asked for and accepted, with its version or with a stale one.
    Accept {
        job: Job,
        pick: usize,
        stale: bool,
    },
    /// The starts that were decided are confirmed.
    StartAll,
    /// The jobs that are to be stopped are stopped, and have done this work of each task.
    StopAll(f64),
    /// The snapshot is written and read again.
    Restore,
    /// The snapshot is written, changed at this place, read again, and the broker plans: the snapshot must be
    /// refused, or the broker sound.
    Damage(u64),
    Explain(u64, u32),
}

fn number(draw: &mut Draw, kind: usize) -> f64 {
    match kind {
        0 => draw.between(1, 20) as f64,
        1 => draw.between(1, 100) as f64 / 10.0,
        2 => draw.of([1.0, 1e-9, 1e9, 1.0 / 3.0, 1e16, 1e30, 0.1]),
        _ => draw.unit() * 20.0,
    }
}

fn time(draw: &mut Draw, kind: usize) -> Time {
    Time::must(number(draw, kind))
}

fn span(draw: &mut Draw, kind: usize) -> Span {
    Span::must(number(draw, kind))
}

fn node(draw: &mut Draw, kind: usize, id: u32, labelled: bool) -> Input {
    let (speed, price) = (draw.of([1.0, 1.0, 2.0, 3.0]), number(draw, kind));
    let node = Node::must(id, speed, price);
    let features = Some(testkit::features(draw)).filter(|_| labelled).unwrap_or_default();
    Input::NodeAdded { node, features }
}

fn job(draw: &mut Draw, kind: usize, id: u64) -> Job {
    let work = Work::must(number(draw, kind).max(1e-9));
    let speed = Speed::must(draw.of([1.0, 1.0, 0.5, 2.0]));
    let mut request = ResourceRequest::must(draw.between(1, 3), work.get()).with_min_speed(speed);
    if draw.chance(40) {
        request = request.with_budget(Money::must(number(draw, kind) * 4.0));
    }
    if draw.chance(30) {
        request = request.with_deadline(Time::must(number(draw, kind) * 3.0));
    }
    if draw.chance(20) {
        request = request.with_price_limit(Price::must(number(draw, kind)));
    }
    let job = Job::new(JobId(id), request).with_priority(Priority::must(draw.of([1.0, 1.0, 2.0, 7.0])));
    if draw.chance(70) { job } else { job.with_submit(time(draw, kind)) }
}

pub(crate) fn demands(draw: &mut Draw, kind: usize) -> Demands {
    let demands = testkit::demands(draw, 5, 20, 1.5);
    match draw.below(8) {
        1 | 2 => demands.with_not_before(time(draw, kind)),
        3 => demands.with_start(time(draw, kind)),
        _ => demands,
    }
}

/// Set from some question on; now and then only there, or anywhere.
fn signal(draw: &mut Draw) -> u64 {
    let from = draw.below(64).min(draw.below(64));
    match draw.below(4) {
        0 => 1 << from,
        1 => draw.bytes(8),
        _ => u64::MAX << from,
    }
}

impl Case {
    pub(crate) fn drawn(draw: &mut Draw) -> Self {
        let (kind, count, labelled) = (draw.below(4), draw.between(1, 5) as u32, draw.chance(50));
        let mut steps: Vec<Step> = (1..=count).map(|id| Step::Tell(node(draw, kind, id, labelled))).collect();
        let mut next = 0;
        for _ in 0..draw.between(1, 60) {
            // Now and then an id that was given before.
            if draw.chance(4) {
                let id = draw.between(0, next as usize + 1) as u64;
                steps.push(Step::Tell(Input::from(job(draw, kind, id))));
            }
            steps.push(step(draw, kind, count, &mut next));
        }
        Self { config: config(draw, kind), steps }
    }

    /// Jobs come before the first cycle, and no limit or signal stops one.
    #[allow(dead_code)] // by other tests
    pub(crate) fn of_queues(draw: &mut Draw) -> Self {
        let mut case = Self::drawn(draw);
        case.config.work = u64::MAX;
        let stops = |step: &Step| matches!(step, Step::WakeUntil(_) | Step::Restore | Step::Damage(_));
        case.steps.retain(|step| !stops(step));
        case.steps.sort_by_key(|step| match step {
            Step::Tell(Input::NodeAdded { .. }) => 0,
            Step::Tell(Input::Submit { .. } | Input::Blocked { .. }) => 1,
            _ => 2,
        });
        case
    }
}

fn step(draw: &mut Draw, kind: usize, count: u32, next: &mut u64) -> Step {
    // A job that was submitted, mostly one of the last.
    let known = JobId(*next - draw.below(4).min(*next as usize) as u64);
    let node_id = NodeId(draw.between(1, count as usize + 1) as u32);
    let fault = draw.chance(50).then_some(node_id);
    let mut new = |draw: &mut Draw| {
        *next += 1;
        job(draw, kind, *next)
    };
    let done = |draw: &mut Draw| number(draw, kind) / 4.0;
    Step::Tell(match draw.below(40) {
        0..=6 => Input::from(new(draw)),
        7 => {
            let speed = Speed::must(number(draw, kind).max(1e-9));
            let speeds = vec![SpeedOn { first: NodeId(1), last: node_id, speed }];
            Input::Submit { job: new(draw), speeds }
        }
        8..=10 => {
            let (pick, stale) = (draw.below(3), draw.chance(15));
            let demands = if draw.chance(15) { demands(draw, kind) } else { Demands::default() };
            return Step::Accept { job: demanding(new(draw), demands), pick, stale };
        }
        11..=14 => Input::Wake,
        15 | 16 => return Step::WakeUntil(signal(draw)),
        17 if draw.chance(33) => return Step::StopAll(done(draw)),
        17 => {
            let from = number(draw, kind) - 2.0;
            let (from, until) = (Time::must(from), Time::must(from + number(draw, kind)));
            match draw.chance(70) {
                true => Input::Blocked { node: node_id, from, until },
                false => Input::Unblocked { node: node_id, from, until },
            }
        }
        18..=20 => return Step::StartAll,
        21..=23 => return Step::After(if draw.chance(3) { -1.0 } else { number(draw, kind) }),
        24 | 25 => return Step::AtWakeup(if draw.chance(80) { 0 } else { draw.below(3) as i32 - 1 }),
        26 | 27 => Input::Ended(known),
        28 => Input::Failed { job: known, node: fault },
        29 => Input::Evicted { job: known, done: Work::must(done(draw)) },
        30 => Input::Released { job: known, node: node_id },
        31 => Input::StartFailed { job: known, node: fault },
        32 => match draw.below(3) {
            0 => Input::Refused { job: known, node: node_id },
            1 => Input::Cancel(known),
            _ => Input::Started(known),
        },
        33 => Input::NodeDown { node: node_id, until: draw.chance(60).then(|| time(draw, kind)) },
        34 => Input::NodeUp(node_id),
        35 => match draw.below(3) {
            0 => Input::NodeRemoved(node_id),
            1 => node(draw, kind, node_id.0, false),
            _ => Input::PriceChanged { node: node_id, price: Price::must(number(draw, kind)) },
        },
        36 => return Step::Restore,
        37 => return Step::Damage(draw.bytes(4)),
        38 if draw.chance(25) => node(draw, kind, node_id.0, true),
        38 => Input::from(demanding(new(draw), demands(draw, kind))),
        _ => return Step::Explain(known.0, node_id.0),
    })
}

fn demanding(mut job: Job, demands: Demands) -> Job {
    job.request = job.request.with_demands(demands);
    job
}

fn config(draw: &mut Draw, kind: usize) -> Config {
    let within = MovePolicy::Within(span(draw, kind));
    let mut stability =
        Stability::new(draw.of([MovePolicy::Never, MovePolicy::NotLater, MovePolicy::Anywhere, within]));
    stability.least_gain = draw.chance(15).then(|| number(draw, kind));
    if draw.chance(20) {
        stability = stability.with_rate(MoveRate { moves: draw.below(3) as u32, span: span(draw, kind) });
    }
    if draw.chance(30) {
        stability = stability.with_tax(number(draw, kind));
    }
    let mut config = Config::new(Span::must(number(draw, kind) * 20.0))
        .with_search(SearchKind::ALL[draw.below(SearchKind::ALL.len())])
        .with_stability(stability)
        .with_work(if draw.chance(70) { 1_000_000 } else { draw.between(1, 3000) as u64 });
    if draw.chance(30) {
        config = config.with_tolerance(Span::must(number(draw, kind) / 10.0));
    }
    if draw.chance(50) {
        let limit = draw.chance(50).then(|| number(draw, kind) * 10.0);
        let goals = [
            Goal::MinTime { budget: limit },
            Goal::MinCost { time_limit: limit },
            Goal::MaxTime { budget: limit },
            Goal::MaxIncome { time_limit: limit },
        ];
        config = config.with_goal(draw.of(goals), draw.between(1, 4));
    }
    if draw.chance(20) {
        config = config.with_patience(Span::must(number(draw, kind) * 3.0));
    }
    if draw.chance(50) {
        let least = if draw.chance(50) { Span::ZERO } else { span(draw, kind) };
        config = config.with_preemption(Preemption { least_run: least, delay: Span::ZERO });
    }
    config
}
