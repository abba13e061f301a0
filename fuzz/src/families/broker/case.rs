//! A case: settings of the broker, and the steps of a history.

use crate::family::{Verdict, part};
use econsched::batch_dp::Goal;
use econsched::live_broker::{Config, MovePolicy, Preemption, Stability};
use econsched::sched_model::{Job, JobId, Money, Priority, ResourceRequest, Span, Speed, Time, Work};
use econsched::slot_window::SearchKind;
use econsched::testkit::Draw;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    search: usize,
    policy: usize,
    /// How much later a promise may be moved, by one policy.
    within: f64,
    horizon: f64,
    tax: f64,
    least_gain: Option<f64>,
    /// At most this many moves in a span of this length.
    rate: Option<(u32, f64)>,
    /// Least run and delay of preemption.
    preemption: Option<(f64, f64)>,
    tolerance: f64,
    patience: Option<f64>,
    /// Work of a cycle.
    work: u64,
    /// Kind and limit of the goal, and the alternatives of a job.
    #[serde(default)]
    goal: Option<(usize, Option<f64>, usize)>,
    pub(super) steps: Vec<Step>,
}

/// The first nodes.
fn nodes(draw: &mut Draw, kind: usize, count: u32, labelled: bool) -> Vec<Step> {
    (1..=count)
        .map(|id| {
            let (speed, price) = (draw.of([1.0, 1.0, 2.0, 3.0]), number(draw, kind));
            match labelled {
                true => Step::Labelled(id, speed, price, draw.bytes(4)),
                false => Step::NodeAdded(id, speed, price),
            }
        })
        .collect()
}

impl Case {
    pub(crate) fn drawn(draw: &mut Draw) -> Self {
        let kind = draw.below(4);
        let count = draw.between(1, 5) as u32;
        let labelled = draw.chance(50);
        let mut steps = nodes(draw, kind, count, labelled);
        let mut next = 0;
        for _ in 0..draw.between(1, 60) {
            // Now and then an id that was given before.
            if draw.chance(4) {
                let id = draw.between(0, next as usize + 1) as u64;
                steps.push(Step::Submit(job(draw, kind, id)));
            }
            // A job that was submitted, mostly one of the last.
            let known = next - draw.below(4).min(next as usize) as u64;
            let node = draw.between(1, count as usize + 1) as u32;
            let fault = draw.chance(50).then_some(node);
            steps.push(match draw.below(40) {
                0..=6 => {
                    next += 1;
                    Step::Submit(job(draw, kind, next))
                }
                7 => {
                    next += 1;
                    Step::SubmitOn(job(draw, kind, next), node, number(draw, kind))
                }
                8..=10 => {
                    next += 1;
                    Step::Accept(job(draw, kind, next), draw.below(3), draw.chance(15))
                }
                11..=14 => Step::Wake,
                15 | 16 => Step::WakeUntil(signal(draw)),
                17 => match draw.below(3) {
                    0 => Step::StopAll(number(draw, kind) / 4.0),
                    _ => Step::Block(node, number(draw, kind) - 2.0, number(draw, kind), draw.chance(70)),
                },
                18..=20 => Step::StartAll,
                21..=23 => Step::After(if draw.chance(3) { -1.0 } else { number(draw, kind) }),
                24 | 25 => Step::AtWakeup(if draw.chance(80) { 0 } else { draw.below(3) as i64 - 1 }),
                26 | 27 => Step::Ended(known),
                28 => Step::Failed(known, fault),
                29 => Step::Evicted(known, number(draw, kind) / 4.0),
                30 => Step::Released(known, node),
                31 => Step::StartFailed(known, fault),
                32 => match draw.below(3) {
                    0 => Step::Refused(known, node),
                    1 => Step::Cancel(known),
                    _ => Step::Started(known),
                },
                33 => Step::NodeDown(node, draw.chance(60).then(|| number(draw, kind))),
                34 => Step::NodeUp(node),
                35 => match draw.below(3) {
                    0 => Step::NodeRemoved(node),
                    1 => Step::NodeAdded(node, 1.0, number(draw, kind)),
                    _ => Step::Price(node, number(draw, kind)),
                },
                36 => Step::Restore,
                37 => Step::Damage(draw.bytes(4)),
                38 => match draw.below(4) {
                    0 => Step::Labelled(node, 1.0, number(draw, kind), draw.bytes(4)),
                    _ => {
                        next += 1;
                        let bits = draw.bytes(4);
                        Step::Demand(job(draw, kind, next), bits, number(draw, kind), draw.chance(30))
                    }
                },
                _ => Step::Explain(known, node),
            });
        }
        Self::settled(draw, kind, steps)
    }

    /// Settings for these steps.
    fn settled(draw: &mut Draw, kind: usize, steps: Vec<Step>) -> Self {
        Self {
            search: draw.below(SearchKind::ALL.len()),
            policy: draw.below(4),
            within: number(draw, kind),
            least_gain: draw.chance(15).then(|| number(draw, kind)),
            rate: draw.chance(20).then(|| (draw.below(3) as u32, number(draw, kind))),
            preemption: draw
                .chance(50)
                .then(|| (if draw.chance(50) { 0.0 } else { number(draw, kind) }, 0.0)),
            horizon: number(draw, kind) * 20.0,
            tax: if draw.chance(70) { 0.0 } else { number(draw, kind) },
            tolerance: if draw.chance(70) { 0.0 } else { number(draw, kind) / 10.0 },
            patience: draw.chance(20).then(|| number(draw, kind) * 3.0),
            work: if draw.chance(70) { 1_000_000 } else { draw.between(1, 3000) as u64 },
            goal: draw.chance(50).then(|| {
                (draw.below(4), draw.chance(50).then(|| number(draw, kind) * 10.0), draw.between(1, 4))
            }),
            steps,
        }
    }

    /// The settings of the broker.
    ///
    /// # Errors
    /// A number that is not a span.
    pub(super) fn config(&self) -> Verdict<Config> {
        let span = |value: f64| part(Span::new(value));
        let mut stability = Stability::default();
        let within = MovePolicy::Within(span(self.within)?);
        let policies = [MovePolicy::Never, MovePolicy::NotLater, MovePolicy::Anywhere, within];
        stability.policy = policies[self.policy % 4];
        stability.tax = self.tax;
        stability.least_gain = self.least_gain;
        if let Some((moves, of)) = self.rate {
            stability = stability.with_rate(moves, span(of)?);
        }
        let mut config = Config::new(span(self.horizon)?)
            .with_search(SearchKind::ALL[self.search % SearchKind::ALL.len()])
            .with_stability(stability)
            .with_tolerance(span(self.tolerance)?)
            .with_work(self.work.max(1));
        if let Some((goal, limit, alternatives)) = self.goal {
            let goals = [
                Goal::MinTime { budget: limit },
                Goal::MinCost { time_limit: limit },
                Goal::MaxTime { budget: limit },
                Goal::MaxIncome { time_limit: limit },
            ];
            config = config.with_goal(goals[goal % 4], alternatives);
        }
        if let Some(patience) = self.patience {
            config = config.with_patience(span(patience)?);
        }
        if let Some((least_run, delay)) = self.preemption {
            config = config.with_preemption(Preemption::new(span(least_run)?).with_delay(span(delay)?));
        }
        Ok(config)
    }
}

/// A step. Jobs and nodes are few, so that steps often name wrong ones; positions count modulo the number of
/// things.
#[derive(Serialize, Deserialize, Clone)]
pub(super) enum Step {
    /// The time passes by this span; a negative span makes the next input late.
    After(f64),
    /// At the instant of the next wake, moved by this many representable numbers.
    AtWakeup(i64),
    Wake,
    /// A wake whose cycle may be stopped by a signal, set where a bit is: a bit for each question, the last for
    /// all that follow.
    WakeUntil(u64),
    Submit(JobCase),
    /// With speeds of its own on some nodes.
    SubmitOn(JobCase, u32, f64),
    /// A quote is asked for and accepted, with its version or with a stale one.
    Accept(JobCase, usize, bool),
    NodeAdded(u32, f64, f64),
    /// With labels and amounts from these bits.
    Labelled(u32, f64, f64, u64),
    /// A job with demands from these bits, whose starts are this far ahead: submitted, or by a quote.
    Demand(JobCase, u64, f64, bool),
    NodeRemoved(u32),
    NodeDown(u32, Option<f64>),
    NodeUp(u32),
    /// A node is blocked for other uses, or unblocked: from this span after (or before) now, for this length.
    Block(u32, f64, f64, bool),
    Price(u32, f64),
    Cancel(u64),
    /// The starts that were decided are confirmed.
    StartAll,
    /// The jobs that are to be stopped are stopped, and have done this work of each task.
    StopAll(f64),
    Started(u64),
    StartFailed(u64, Option<u32>),
    Refused(u64, u32),
    Released(u64, u32),
    Ended(u64),
    Failed(u64, Option<u32>),
    Evicted(u64, f64),
    /// The snapshot is written and read again.
    Restore,
    /// The snapshot is written, changed at this place, read again, and the broker plans: the snapshot must be
    /// refused, or the broker sound.
    Damage(u64),
    Explain(u64, u32),
}

#[derive(Serialize, Deserialize, Clone, Copy)]
pub(super) struct JobCase {
    id: u64,
    nodes: usize,
    work: f64,
    speed: f64,
    priority: f64,
    budget: Option<f64>,
    deadline: Option<f64>,
    submit: f64,
}

impl JobCase {
    pub(super) fn job(&self, now: Time) -> Option<Job> {
        let mut request = ResourceRequest::new(self.nodes, Work::new(self.work).ok()?).ok()?;
        request = request.with_min_speed(Speed::new(self.speed).ok()?);
        if let Some(budget) = self.budget {
            request = request.with_budget(Money::new(budget).ok()?);
        }
        let later = |span: f64| Some(now + Span::new(span).ok()?);
        if let Some(deadline) = self.deadline {
            request = request.with_deadline(later(deadline)?);
        }
        let job = Job::new(JobId(self.id), request).with_submit(later(self.submit)?);
        Some(job.with_priority(Priority::new(self.priority).ok()?))
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

fn number(draw: &mut Draw, kind: usize) -> f64 {
    match kind {
        0 => draw.between(1, 20) as f64,
        1 => draw.between(1, 100) as f64 / 10.0,
        2 => draw.of([1.0, 1e-9, 1e9, 1.0 / 3.0, 1e16, 1e30, 0.1]),
        _ => draw.unit() * 20.0,
    }
}

fn job(draw: &mut Draw, kind: usize, id: u64) -> JobCase {
    let mut some = |chance, scale: f64| draw.chance(chance).then(|| number(draw, kind) * scale);
    let (budget, deadline) = (some(40, 4.0), some(30, 3.0));
    JobCase {
        id,
        nodes: draw.between(1, 3),
        work: number(draw, kind),
        speed: draw.of([1.0, 1.0, 0.5, 2.0]),
        priority: draw.of([1.0, 1.0, 2.0, 7.0]),
        budget,
        deadline,
        submit: if draw.chance(70) { 0.0 } else { number(draw, kind) },
    }
}
