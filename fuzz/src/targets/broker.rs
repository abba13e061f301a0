//! The live broker: any sequence of inputs, a book of its own about decisions, snapshots taken, damaged and read again.

use crate::rng::Rng;
use crate::target::{Target, Verdict, ensure, part};
use econsched::live_broker::{
    Act, Broker, Config, Decision, Displacement, Input, MovePolicy, Preemption, Snapshot, SpeedOn, Stability,
    Standing, Suggestion, Why,
};
use econsched::sched_model::{
    Job, JobId, Limit, Money, Node, NodeId, Price, Priority, ResourceRequest, Span, Speed, Time, Work,
};
use econsched::slot_window::SearchKind;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) struct Histories;

#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    search: usize,
    policy: usize,
    /// How much later a promise may be moved, by one policy.
    within: f64,
    horizon: f64,
    tax: f64,
    least_gain: Option<f64>,
    /// At most so many moves in so long a span.
    rate: Option<(u32, f64)>,
    /// Least run and delay of preemption.
    preemption: Option<(f64, f64)>,
    tolerance: f64,
    patience: Option<f64>,
    /// Work of a cycle.
    work: u64,
    steps: Vec<Step>,
}

/// What happens next. Jobs and nodes are few, so that wrong ones are met; positions count modulo what there is.
#[derive(Serialize, Deserialize, Clone)]
enum Step {
    /// So much later; negative is too late to be told.
    After(f64),
    /// At the instant at which the broker wants to be woken, so many doubles beside it.
    AtWakeup(i64),
    Wake,
    Submit(JobCase),
    /// With speeds of its own on some nodes.
    SubmitOn(JobCase, u32, f64),
    /// A quote is asked for and taken, by the version given or one that is stale.
    Accept(JobCase, usize, bool),
    NodeAdded(u32, f64, f64),
    NodeRemoved(u32),
    NodeDown(u32, Option<f64>),
    NodeUp(u32),
    /// A node serves others, or does not: from so long after now, or before it, for so long.
    Block(u32, f64, f64, bool),
    Price(u32, f64),
    Cancel(u64),
    /// The starts that were decided are confirmed.
    StartAll,
    /// Those that are to be stopped are, and have done this work of each task.
    StopAll(f64),
    Started(u64),
    StartFailed(u64, Option<u32>),
    Refused(u64, u32),
    Released(u64, u32),
    Ended(u64),
    Failed(u64, Option<u32>),
    Evicted(u64, f64),
    /// Written and read again.
    Restore,
    /// Written, changed at this place, read again, and asked for a plan: refused, or sound.
    Damage(u64),
    Explain(u64, u32),
}

#[derive(Serialize, Deserialize, Clone, Copy)]
struct JobCase {
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
    fn job(&self, now: Time) -> Option<Job> {
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

/// What is known from decisions and accepted inputs alone.
#[derive(Default)]
struct Books {
    decisions: u64,
    over: BTreeSet<JobId>,
    holds: BTreeMap<JobId, BTreeSet<NodeId>>,
    unconfirmed: BTreeSet<JobId>,
    promised: BTreeMap<JobId, Money>,
    priorities: BTreeMap<JobId, Priority>,
    /// Those that are to be stopped.
    stopping: BTreeSet<JobId>,
}

impl Books {
    fn enter(&mut self, decision: &Decision) -> Verdict {
        ensure!(decision.id.0 == self.decisions, "decision {} after {}", decision.id.0, self.decisions);
        self.decisions += 1;
        let job = decision.act.job();
        ensure!(!self.over.contains(&job), "job {job} has a decision after its last");
        match &decision.act {
            Act::Reserve { window, .. } | Act::Move { to: window, .. } => {
                ensure!(window.start() >= decision.at, "job {job} is promised the past");
                self.promised.insert(job, window.cost());
            }
            Act::Withdraw { .. } => {
                self.promised.remove(&job);
            }
            Act::Preempt { window, victims, .. } => {
                ensure!(window.start() == decision.at, "job {job} stops others for another instant than now");
                ensure!(!victims.is_empty(), "job {job} stops nobody");
                self.promised.insert(job, window.cost());
                for victim in victims {
                    let holds = self.holds.get(victim);
                    let needed = holds.is_some_and(|holds| window.nodes().any(|node| holds.contains(&node)));
                    ensure!(needed, "job {victim} is stopped for job {job} and holds none of its nodes");
                    ensure!(!self.unconfirmed.contains(victim), "job {victim} is stopped and does not run");
                    ensure!(self.stopping.insert(*victim), "job {victim} is stopped twice");
                    let (less, more) = (self.priorities.get(victim), self.priorities.get(&job));
                    ensure!(less < more, "job {victim} is stopped for job {job} of no higher priority");
                }
            }
            Act::Stop { .. } => {
                ensure!(self.holds.contains_key(&job), "job {job} is stopped and holds nothing");
                ensure!(self.stopping.insert(job), "job {job} is stopped twice");
            }
            Act::Start { window, .. } => {
                ensure!(self.promised.contains_key(&job), "job {job} starts without a promise");
                for node in window.nodes() {
                    let taken = self.holds.values().any(|holds| holds.contains(&node));
                    ensure!(!taken, "node {node} is used before it is released");
                }
                self.holds.insert(job, window.nodes().collect());
                self.unconfirmed.insert(job);
            }
            Act::Refuse { .. } => {
                ensure!(!self.holds.contains_key(&job), "job {job} is refused while it holds nodes");
                self.over.insert(job);
            }
            Act::Close { cost, .. } => {
                let promised = self.promised.get(&job).copied().unwrap_or(Money::ZERO);
                ensure!(*cost <= promised, "job {job} pays {cost}, was promised {promised}");
                ensure!(!self.holds.contains_key(&job), "job {job} is closed while it holds nodes");
                self.over.insert(job);
            }
            _ => {}
        }
        Ok(())
    }

    /// An input that was accepted.
    fn told(&mut self, input: &Input) {
        match *input {
            Input::Submit(job) | Input::SubmitWithSpeeds { job, .. } | Input::Accept { job, .. } => {
                self.priorities.insert(job.id, job.priority);
            }
            Input::Started(job) => {
                self.unconfirmed.remove(&job);
            }
            Input::Released { job, node } => {
                if let Some(holds) = self.holds.get_mut(&job) {
                    holds.remove(&node);
                }
            }
            Input::StartFailed { job, .. }
            | Input::Refused { job, .. }
            | Input::Ended(job)
            | Input::Failed { job, .. }
            | Input::Evicted { job, .. } => {
                self.holds.remove(&job);
                self.unconfirmed.remove(&job);
                self.stopping.remove(&job);
            }
            _ => {}
        }
    }
}

/// A history under way.
struct Run {
    broker: Broker,
    books: Books,
    now: Time,
}

impl Run {
    /// Tells the broker; whatever it says, it must be sound afterwards, and unchanged after an error.
    fn tell(&mut self, input: Input) -> Result<bool, crate::target::Fault> {
        let before = self.broker.snapshot();
        let taken = match self.broker.handle(self.now, input.clone()) {
            Ok(()) => {
                self.books.told(&input);
                true
            }
            Err(error) => {
                ensure!(self.broker.snapshot() == before, "changed by an input that is an error: {error}");
                false
            }
        };
        self.look()?;
        Ok(taken)
    }

    fn look(&mut self) -> Verdict {
        let wrong = self.broker.audit();
        ensure!(wrong.is_empty(), "audit: {}", wrong[0]);
        while let Some(decision) = self.broker.poll() {
            self.books.enter(&decision)?;
        }
        Ok(())
    }

    fn accept(&mut self, job: &JobCase, pick: usize, stale: bool) -> Verdict {
        let Some(job) = job.job(self.now) else { return Ok(()) };
        let known = self.broker.standing(job.id).is_some();
        let Ok(quotes) = self.broker.quote(&job, 3, &Limit::default()) else {
            return Ok(());
        };
        if let Some(Displacement { window, victims, .. }) = &quotes.displacing
            && pick == 0
            && !stale
        {
            let (window, victims, version) = (window.clone(), victims.clone(), quotes.version);
            let fresh = self.broker.now() == self.now && !known;
            let taken = self.tell(Input::Accept { job, window, version, victims })?;
            ensure!(taken || !fresh, "a quote of this instant that displaces others is refused");
            return Ok(());
        }
        let Some(window) = quotes.windows.get(pick % quotes.windows.len().max(1)) else { return Ok(()) };
        let version = if stale { quotes.version.wrapping_sub(1) } else { quotes.version };
        let fresh = self.broker.now() == self.now;
        let taken = self.tell(Input::Accept { job, window: window.clone(), version, victims: Vec::new() })?;
        ensure!(!(stale && taken), "a stale quote is accepted");
        if !stale && !known && fresh {
            ensure!(taken, "a quote of this instant for job {} is refused", job.id);
            ensure!(
                self.broker.standing(job.id) == Some(Standing::Promised),
                "job {} took a quote and has no promise",
                job.id
            );
        }
        Ok(())
    }

    fn restore(&mut self) -> Verdict {
        let text = serde_json::to_string(&self.broker.snapshot())?;
        let read: Snapshot = match serde_json::from_str(&text) {
            // Charges are products of quantities, and what is beyond their range is not read.
            Err(error) if error.to_string().contains("at most 1e60") => return Ok(()),
            read => read?,
        };
        let broker = Broker::restore(read)?;
        ensure!(serde_json::to_string(&broker.snapshot())? == text, "read again, a snapshot differs");
        self.broker = broker;
        Ok(())
    }

    /// A snapshot of which one value was changed: an error, or a broker that is sound and plans.
    fn damage(&self, place: u64) -> Verdict {
        let text = damaged(&serde_json::to_string(&self.broker.snapshot())?, place);
        let Ok(read) = serde_json::from_str::<Snapshot>(&text) else { return Ok(()) };
        let Ok(mut broker) = Broker::restore(read) else { return Ok(()) };
        let wrong = broker.audit();
        ensure!(wrong.is_empty(), "a damaged state is taken: {}", wrong[0]);
        let now = broker.now().max(self.now);
        let _ = broker.handle(now, Input::Wake);
        let wrong = broker.audit();
        ensure!(wrong.is_empty(), "a damaged state is planned on: {}", wrong[0]);
        Ok(())
    }

    fn explain(&self, job: JobId, node: NodeId) -> Verdict {
        let before = self.broker.snapshot();
        let _ = self.broker.why_not(job, node);
        let Ok(told) = self.broker.explain(job) else { return Ok(()) };
        ensure!(self.broker.snapshot() == before, "an explanation changes the state");
        let Some(view) = self.broker.job(job) else { return Ok(()) };
        if let Why::None(_) = told.why {
            ensure!(view.standing == Standing::Waiting, "no window for a job that does not wait");
        }
        for suggestion in &told.suggestions {
            let changed = suggestion.apply(&view.job.request);
            ensure!(changed != view.job.request, "{suggestion:?} changes nothing");
            if let (Suggestion::Budget(least), Some(budget)) = (suggestion, view.job.request.budget()) {
                ensure!(*least > budget, "a budget of {least} is suggested where there is {budget}");
            }
        }
        Ok(())
    }

    fn step(&mut self, step: &Step) -> Verdict {
        let job = |id: u64| JobId(id);
        let input = match step {
            Step::After(span) => {
                if let Ok(later) = Time::new(self.now.get() + span) {
                    self.now = later;
                }
                return Ok(());
            }
            Step::AtWakeup(beside) => {
                if let Some(wakeup) = self.broker.next_wakeup() {
                    let at = crate::number::beside(wakeup.get(), *beside);
                    self.now = part(Time::new(at))?.max(self.now);
                }
                return Ok(());
            }
            Step::Restore => return self.restore(),
            Step::Damage(place) => return self.damage(*place),
            Step::Explain(id, node) => return self.explain(job(*id), NodeId(*node)),
            Step::Accept(case, pick, stale) => return self.accept(case, *pick, *stale),
            Step::StartAll => {
                for job in std::mem::take(&mut self.books.unconfirmed) {
                    self.tell(Input::Started(job))?;
                }
                return Ok(());
            }
            Step::StopAll(done) => {
                for job in self.books.stopping.clone() {
                    let left = self.broker.job(job).map_or(0.0, |view| view.job.request.work().get());
                    let done = if *done < left { *done } else { 0.0 };
                    if !self.books.unconfirmed.contains(&job) {
                        self.tell(Input::Evicted { job, done: part(Work::new(done))? })?;
                    }
                }
                return Ok(());
            }
            Step::Block(id, from, span, blocks) => {
                let at = |time: f64| Time::new(time);
                let (Ok(from), Ok(until)) = (at(self.now.get() + from), at(self.now.get() + from + span))
                else {
                    return Ok(());
                };
                let node = NodeId(*id);
                if *blocks {
                    Input::Blocked { node, from, until }
                } else {
                    Input::Unblocked { node, from, until }
                }
            }
            Step::Wake => Input::Wake,
            Step::Submit(case) => match case.job(self.now) {
                Some(job) => Input::Submit(job),
                None => return Ok(()),
            },
            Step::SubmitOn(case, last, speed) => match (case.job(self.now), Speed::new(*speed)) {
                (Some(job), Ok(speed)) => Input::SubmitWithSpeeds {
                    job,
                    speeds: vec![SpeedOn { first: NodeId(1), last: NodeId(*last), speed }],
                },
                _ => return Ok(()),
            },
            Step::NodeAdded(id, speed, price) => {
                Input::NodeAdded(Node::new(NodeId(*id), part(Speed::new(*speed))?, part(Price::new(*price))?))
            }
            Step::NodeRemoved(id) => Input::NodeRemoved(NodeId(*id)),
            Step::NodeDown(id, until) => {
                let until = until.and_then(|span| Some(self.now + Span::new(span).ok()?));
                Input::NodeDown { node: NodeId(*id), until }
            }
            Step::NodeUp(id) => Input::NodeUp(NodeId(*id)),
            Step::Price(id, price) => {
                Input::PriceChanged { node: NodeId(*id), price: part(Price::new(*price))? }
            }
            Step::Cancel(id) => Input::Cancel(job(*id)),
            Step::Started(id) => Input::Started(job(*id)),
            Step::StartFailed(id, node) => Input::StartFailed { job: job(*id), node: node.map(NodeId) },
            Step::Refused(id, node) => Input::Refused { job: job(*id), node: NodeId(*node) },
            Step::Released(id, node) => Input::Released { job: job(*id), node: NodeId(*node) },
            Step::Ended(id) => Input::Ended(job(*id)),
            Step::Failed(id, node) => Input::Failed { job: job(*id), node: node.map(NodeId) },
            Step::Evicted(id, done) => Input::Evicted { job: job(*id), done: part(Work::new(*done))? },
        };
        self.tell(input)?;
        Ok(())
    }
}

/// One number, name or bracket of a text changed.
fn damaged(text: &str, place: u64) -> String {
    const PIECES: [&str; 9] = ["0", "-0.0", "1", "-1", "1e60", "5e-324", "null", "4294967295", "0.1"];
    let numbers: Vec<usize> = text
        .char_indices()
        .zip(text.chars().skip(1))
        .filter(|((_, before), letter)| !before.is_ascii_digit() && letter.is_ascii_digit())
        .map(|((at, before), _)| at + before.len_utf8())
        .collect();
    let Some(&start) = numbers.get(place as usize % numbers.len().max(1)) else { return text.to_owned() };
    let part = |letter: char| letter.is_ascii_digit() || matches!(letter, '.' | 'e' | 'E' | '+' | '-');
    let end = text[start..].find(|letter| !part(letter)).map_or(text.len(), |length| start + length);
    let piece = PIECES[(place / 97) as usize % PIECES.len()];
    format!("{}{piece}{}", &text[..start], &text[end..])
}

fn number(rng: &mut Rng, kind: usize) -> f64 {
    match kind {
        0 => rng.range(1, 20) as f64,
        1 => rng.range(1, 100) as f64 / 10.0,
        2 => *rng.pick(&[1.0, 1e-9, 1e9, 1.0 / 3.0, 1e16, 1e30, 0.1]),
        _ => rng.unit() * 20.0,
    }
}

fn job(rng: &mut Rng, kind: usize, id: u64) -> JobCase {
    let mut some = |chance, scale: f64| rng.percent(chance).then(|| number(rng, kind) * scale);
    let (budget, deadline) = (some(40, 4.0), some(30, 3.0));
    JobCase {
        id,
        nodes: rng.range(1, 3),
        work: number(rng, kind),
        speed: *rng.pick(&[1.0, 1.0, 0.5, 2.0]),
        priority: *rng.pick(&[1.0, 1.0, 2.0, 7.0]),
        budget,
        deadline,
        submit: if rng.percent(70) { 0.0 } else { number(rng, kind) },
    }
}

impl Target for Histories {
    type Case = Case;

    fn generate(rng: &mut Rng) -> Case {
        let kind = rng.below(4);
        let count = rng.range(1, 5) as u32;
        let mut steps: Vec<Step> = (1..=count)
            .map(|id| Step::NodeAdded(id, *rng.pick(&[1.0, 1.0, 2.0, 3.0]), number(rng, kind)))
            .collect();
        let mut next = 0;
        for _ in 0..rng.size(60) {
            // A job that was handed in, mostly one of the last.
            let known = next - rng.below(4).min(next as usize) as u64;
            let node = rng.range(1, count as usize + 1) as u32;
            let fault = rng.percent(50).then_some(node);
            steps.push(match rng.below(40) {
                0..=6 => {
                    next += 1;
                    Step::Submit(job(rng, kind, next))
                }
                7 => {
                    next += 1;
                    Step::SubmitOn(job(rng, kind, next), node, number(rng, kind))
                }
                8..=10 => {
                    next += 1;
                    Step::Accept(job(rng, kind, next), rng.below(3), rng.percent(15))
                }
                11..=16 => Step::Wake,
                17 => match rng.below(3) {
                    0 => Step::StopAll(number(rng, kind) / 4.0),
                    _ => Step::Block(node, number(rng, kind) - 2.0, number(rng, kind), rng.percent(70)),
                },
                18..=20 => Step::StartAll,
                21..=23 => Step::After(if rng.percent(3) { -1.0 } else { number(rng, kind) }),
                24 | 25 => Step::AtWakeup(if rng.percent(80) { 0 } else { rng.below(3) as i64 - 1 }),
                26 | 27 => Step::Ended(known),
                28 => Step::Failed(known, fault),
                29 => Step::Evicted(known, number(rng, kind) / 4.0),
                30 => Step::Released(known, node),
                31 => Step::StartFailed(known, fault),
                32 => match rng.below(3) {
                    0 => Step::Refused(known, node),
                    1 => Step::Cancel(known),
                    _ => Step::Started(known),
                },
                33 => Step::NodeDown(node, rng.percent(60).then(|| number(rng, kind))),
                34 => Step::NodeUp(node),
                35 => match rng.below(3) {
                    0 => Step::NodeRemoved(node),
                    1 => Step::NodeAdded(node, 1.0, number(rng, kind)),
                    _ => Step::Price(node, number(rng, kind)),
                },
                36 => Step::Restore,
                37 => Step::Damage(rng.next() >> 32),
                _ => Step::Explain(known, node),
            });
        }
        Case {
            search: rng.below(SearchKind::ALL.len()),
            policy: rng.below(4),
            within: number(rng, kind),
            least_gain: rng.percent(15).then(|| number(rng, kind)),
            rate: rng.percent(20).then(|| (rng.below(3) as u32, number(rng, kind))),
            preemption: rng.percent(50).then(|| (if rng.percent(50) { 0.0 } else { number(rng, kind) }, 0.0)),
            horizon: number(rng, kind) * 20.0,
            tax: if rng.percent(70) { 0.0 } else { number(rng, kind) },
            tolerance: if rng.percent(70) { 0.0 } else { number(rng, kind) / 10.0 },
            patience: rng.percent(20).then(|| number(rng, kind) * 3.0),
            work: if rng.percent(70) { 1_000_000 } else { rng.range(1, 3000) as u64 },
            steps,
        }
    }

    fn judge(case: &Case) -> Verdict {
        let span = |value: f64| part(Span::new(value));
        let mut stability = Stability::default();
        let within = MovePolicy::Within(span(case.within)?);
        let policies = [MovePolicy::Never, MovePolicy::NotLater, MovePolicy::Anywhere, within];
        stability.policy = policies[case.policy % 4];
        stability.tax = case.tax;
        stability.least_gain = case.least_gain;
        if let Some((moves, of)) = case.rate {
            stability = stability.with_rate(moves, span(of)?);
        }
        let mut config = Config::new(span(case.horizon)?)
            .with_search(SearchKind::ALL[case.search % SearchKind::ALL.len()])
            .with_stability(stability)
            .with_tolerance(span(case.tolerance)?)
            .with_work(case.work.max(1));
        if let Some(patience) = case.patience {
            config = config.with_patience(span(patience)?);
        }
        if let Some((least_run, delay)) = case.preemption {
            config = config.with_preemption(Preemption::new(span(least_run)?).with_delay(span(delay)?));
        }
        let Ok(broker) = Broker::new(config) else { return Ok(()) };
        let mut run = Run { broker, books: Books::default(), now: Time::ZERO };
        for step in &case.steps {
            run.step(step)?;
        }
        run.tell(Input::Wake)?;
        run.restore()
    }
}
