//! Random histories with faults of every kind: after each input the audit finds nothing, decisions never contradict each
//! other, inputs that are wrong change nothing, and snapshots and journals lead to the same bytes.
#![cfg(feature = "serde")]
#![allow(clippy::unwrap_used, clippy::expect_used)] // a test stops at the first surprise

mod common;

use batch_dp::Goal;
use common::{Books, Dice};
use live_broker::*;
use sched_model::*;
use slot_window::{Objective, SearchKind, SearchScratch, WindowSearch};

fn config(dice: &mut Dice, preempts: Option<bool>) -> Config {
    let searches = [
        SearchKind::Amp,
        SearchKind::Alp,
        SearchKind::FirstFit,
        SearchKind::MinFinish,
        SearchKind::MinCost,
        SearchKind::MinCostRough,
        SearchKind::MaxValue,
        SearchKind::MultipleBest,
    ];
    let mut config = Config::new(Span::must(dice.pick(&[40.0, 100.0, 1000.0]).unwrap()))
        .with_search(dice.pick(&searches).unwrap())
        .with_interval(Span::must(dice.pick(&[0.0, 0.0, 5.0, 30.0]).unwrap()))
        .with_tolerance(Span::must(dice.pick(&[0.0, 0.0, 1.0, 7.5]).unwrap()))
        .with_work(dice.pick(&[1, 10, 100, 10_000, 1_000_000]).unwrap())
        .with_backoff(Span::must(dice.pick(&[0.0, 3.0]).unwrap()), Span::must(20.0))
        .with_time(dice.pick(Objective::ALL).unwrap());
    let policies = [MovePolicy::Never, MovePolicy::NotLater, MovePolicy::Anywhere];
    let mut stability = Stability::new(dice.pick(&policies).unwrap())
        .with_tax(dice.pick(&[0.0, 0.0, 3.0]).unwrap())
        .with_frozen(Span::must(dice.pick(&[0.0, 5.0]).unwrap()));
    // Numbers of their own, so that what follows stays the same.
    let mut more = Dice(!dice.0);
    if more.chance(25) {
        stability.policy = MovePolicy::Within(Span::must(more.pick(&[0.0, 3.0, 30.0]).unwrap()));
    }
    if more.chance(30) {
        let span = Span::must(more.pick(&[0.0, 4.0, 25.0]).unwrap());
        stability = stability.with_rate(more.below(3) as u32, span);
    }
    if more.chance(20) {
        stability = stability.with_least_gain(more.pick(&[0.0, 1.0, 5.0]).unwrap());
    }
    config = config.with_stability(stability);
    if dice.chance(40) {
        config = config.with_patience(Span::must(60.0));
    }
    let goals = [
        Goal::MinTime { budget: None },
        Goal::MinCost { time_limit: None },
        Goal::MaxIncome { time_limit: None },
        Goal::MinCost { time_limit: Some(60.0) },
        Goal::MinTime { budget: Some(90.0) },
    ];
    if preempts.unwrap_or_else(|| dice.chance(40)) {
        let least = Span::must(dice.pick(&[0.0, 0.0, 1.0, 5.0]).unwrap());
        let delay = Span::must(dice.pick(&[0.0, 0.0, 3.0]).unwrap());
        config = config.with_preemption(Preemption::new(least).with_delay(delay));
    }
    if dice.chance(60) {
        config = config.with_goal(dice.pick(&goals).unwrap(), 1 + dice.below(4) as usize);
    }
    config
}

/// The jobs of one history: numbers with few digits, so that instants and costs often meet exactly.
fn job(dice: &mut Dice, id: u64, now: Time) -> Job {
    let work = dice.pick(&[1.0, 2.0, 5.0, 10.0, 0.1, 30.0, 1e-9]).unwrap();
    let mut request = ResourceRequest::new(1 + dice.below(4) as usize, Work::must(work)).unwrap();
    if dice.chance(30) {
        request = request.with_budget(Money::must(dice.pick(&[-0.0, 0.3, 10.0, 50.0]).unwrap()));
    }
    if dice.chance(20) {
        request = request.with_deadline(now + Span::must(dice.pick(&[0.0, 5.0, 20.0, 60.0]).unwrap()));
    }
    if dice.chance(20) {
        request = request.with_min_speed(Speed::must(2.0));
    }
    if dice.chance(20) {
        request = request.with_price_limit(Price::must(dice.pick(&[0.0, 1.0, 2.5]).unwrap()));
    }
    let mut job =
        Job::new(JobId(id), request).with_priority(Priority::must(dice.pick(&[1.0, 1.0, 2.0]).unwrap()));
    if dice.chance(20) {
        job = job.with_submit(now + Span::must(dice.pick(&[0.0, 4.0, 25.0]).unwrap()));
    }
    job
}

fn node(dice: &mut Dice, id: u32) -> Node {
    let speed = dice.pick(&[1.0, 1.0, 2.0, 0.5]).unwrap();
    let price = dice.pick(&[0.0, 1.0, 1.0, 0.1, 3.0]).unwrap();
    Node::new(NodeId(id), Speed::must(speed), Price::must(price))
}

struct History {
    dice: Dice,
    broker: Broker,
    books: Books,
    journal: Vec<Entry>,
    next_job: u64,
    next_node: u32,
    now: Time,
    wakes_at_once: u32,
    thorough: bool,
}

impl History {
    fn new(seed: u64, thorough: bool, preempts: Option<bool>) -> Self {
        let mut dice = Dice(seed);
        let config = config(&mut dice, preempts);
        let now = Time::must(dice.pick(&[0.0, 0.0, -50.0, 1e9, 1e15]).unwrap());
        let broker = Broker::new(config).unwrap();
        Self {
            dice,
            broker,
            books: Books::default(),
            journal: Vec::new(),
            next_job: 1,
            next_node: 1,
            now,
            wakes_at_once: 0,
            thorough,
        }
    }

    fn bytes(broker: &Broker) -> String {
        serde_json::to_string(&broker.snapshot()).unwrap()
    }

    /// Tells the broker, and checks everything.
    fn tell(&mut self, input: Input) -> bool {
        let before = self.thorough.then(|| self.broker.snapshot());
        let repeated = self.broker.next_wakeup() == Some(self.now) && self.broker.now() == self.now;
        match self.broker.handle_noted(self.now, input.clone(), None) {
            Ok(entry) => {
                self.journal.push(entry);
                self.books.told(&input);
                if input == Input::Wake {
                    self.wakes_at_once = if repeated { self.wakes_at_once + 1 } else { 0 };
                    assert!(self.wakes_at_once < 500, "it wakes and wakes");
                }
            }
            Err(_) => {
                if let Some(before) = before {
                    assert_eq!(before, self.broker.snapshot(), "an error changes nothing: {input:?}");
                }
                return false;
            }
        }
        let faults = self.broker.audit();
        assert!(faults.is_empty(), "after {input:?}: {faults:#?}");
        if self.thorough && self.dice.chance(10) {
            let text = Self::bytes(&self.broker);
            let twin = Broker::restore(serde_json::from_str(&text).unwrap()).unwrap();
            assert_eq!(text, Self::bytes(&twin));
            assert_eq!(self.broker.next_wakeup(), twin.next_wakeup());
            self.broker = twin;
        }
        while let Some(decision) = self.broker.poll() {
            self.books.enter(&decision);
        }
        true
    }

    /// A window that was accepted is kept at the next wake of the same instant, or moved for the better. Where promises
    /// never move, only others that leave for the job at once give it another.
    fn is_kept(&mut self, job: JobId) {
        let accepted = self.books.jobs[&job].promised.clone();
        self.tell(Input::Wake);
        let known = &self.books.jobs[&job];
        assert!(known.promised.is_some() && !known.over, "job {job} has lost what it accepted: {accepted:?}");
        if self.broker.config().stability.policy == MovePolicy::Never && known.promised != accepted {
            assert!(self.broker.config().preemption.is_some(), "job {job} is moved from {accepted:?}");
            let starts = [&accepted, &known.promised].map(|window| window.as_ref().unwrap().start());
            assert!(starts[1] == self.now && starts[0] > self.now, "job {job} is moved to {starts:?}");
        }
    }

    /// Some input, right or wrong.
    fn any(&mut self) -> Input {
        let dice = &mut self.dice;
        let jobs = self.books.open();
        let nodes: Vec<NodeId> = self.broker.nodes().collect();
        let job = if dice.chance(5) { JobId(dice.below(30)) } else { dice.pick(&jobs).unwrap_or(JobId(9)) };
        let node = if dice.chance(5) { NodeId(99) } else { dice.pick(&nodes).unwrap_or(NodeId(9)) };
        match dice.below(40) {
            0..=7 => {
                let id = if dice.chance(5) { 1 } else { self.next_job };
                self.next_job += 1;
                let now = self.now;
                let job = self::job(dice, id, now);
                match dice.below(8) {
                    0 => {
                        let range = |first: u32, last: u32, speed: f64| SpeedOn {
                            first: NodeId(first),
                            last: NodeId(last),
                            speed: Speed::must(speed),
                        };
                        let speeds = vec![range(1, 3, 2.0), range(2, 5, 0.25)];
                        Input::SubmitWithSpeeds { job, speeds }
                    }
                    1 | 2 => {
                        let broker = &self.broker;
                        let quotes = broker.quote(&job, 2, &Limit::default()).ok();
                        let version = broker.version() + u64::from(dice.chance(10));
                        let displacing = quotes.as_ref().and_then(|quotes| quotes.displacing.clone());
                        if let Some(Displacement { window, victims, .. }) = displacing
                            && version.is_multiple_of(2)
                        {
                            return Input::Accept { job, window, version, victims };
                        }
                        match quotes.and_then(|quotes| quotes.windows.into_iter().last()) {
                            Some(window) => Input::Accept { job, window, version, victims: Vec::new() },
                            None => Input::Submit(job),
                        }
                    }
                    _ => Input::Submit(job),
                }
            }
            8 => Input::Cancel(job),
            9 | 10 if nodes.len() < 7 => {
                self.next_node += 1;
                let id = if dice.chance(20) { node.0 } else { self.next_node };
                Input::NodeAdded(self::node(dice, id))
            }
            11 => Input::NodeRemoved(node),
            12 => {
                let until =
                    dice.chance(60).then(|| self.now + Span::must(dice.pick(&[0.0, 3.0, 40.0]).unwrap()));
                Input::NodeDown { node, until }
            }
            13 if dice.chance(50) => {
                let from = self.now + Span::must(dice.pick(&[0.0, 2.0, 10.0]).unwrap());
                let until = from + Span::must(dice.pick(&[0.0, 1.0, 5.0, 40.0]).unwrap());
                if dice.chance(75) {
                    Input::Blocked { node, from, until }
                } else {
                    Input::Unblocked { node, from, until }
                }
            }
            13 | 14 => Input::NodeUp(node),
            15 => Input::PriceChanged { node, price: Price::must(dice.pick(&[0.0, 1.0, 2.0]).unwrap()) },
            16..=21 => Input::Started(dice.pick(&self.books.starting()).unwrap_or(job)),
            22 => Input::StartFailed {
                job: dice.pick(&self.books.starting()).unwrap_or(job),
                node: dice.chance(70).then_some(node),
            },
            23 => Input::Refused { job, node },
            24 | 25 => Input::Released { job: dice.pick(&self.books.running()).unwrap_or(job), node },
            26..=33 => Input::Ended(dice.pick(&self.books.running()).unwrap_or(job)),
            34 => Input::Failed {
                job: dice.pick(&self.books.running()).unwrap_or(job),
                node: dice.chance(70).then_some(node),
            },
            35 => Input::Evicted {
                job: dice.pick(&self.books.running()).unwrap_or(job),
                done: Work::must(dice.pick(&[0.0, 0.05, 1.0, 5.0]).unwrap()),
            },
            _ => Input::Wake,
        }
    }

    fn pass_time(&mut self) {
        let next = self.broker.next_wakeup().filter(|next| *next >= self.now);
        self.now = match next {
            Some(next) if self.dice.chance(80) => next,
            _ => self.now + Span::must(self.dice.pick(&[0.0, 0.5, 1.0, 6.0, 50.0]).unwrap()),
        };
    }

    /// Everything works from now on: every job that can have a window is over in the end.
    fn drain(&mut self) {
        for node in self.broker.nodes().collect::<Vec<_>>() {
            self.tell(Input::NodeUp(node));
        }
        let mut idle = 0;
        for _ in 0..3000 {
            for job in self.books.starting() {
                self.tell(Input::Started(job));
            }
            for job in self.books.running() {
                if self.books.jobs[&job].stopping {
                    self.tell(Input::Evicted { job, done: Work::ZERO });
                    continue;
                }
                // In time, at the end of the window.
                if self.books.jobs[&job].promised.as_ref().unwrap().finish() <= self.now {
                    self.tell(Input::Ended(job));
                }
            }
            self.tell(Input::Wake);
            if !self.books.starting().is_empty() {
                continue;
            }
            let open = self.books.open();
            if open.is_empty() {
                return;
            }
            let wakeup = self.broker.next_wakeup();
            let ends = self.books.running();
            let ends = ends.iter().map(|job| self.books.jobs[job].promised.as_ref().unwrap().finish());
            match ends.chain(wakeup).min() {
                Some(next) if next > Time::must(1e17) => return,
                Some(next) => self.now = next.max(self.now),
                None => break,
            }
            let waiting = open.iter().all(|&job| self.broker.standing(job) == Some(Standing::Waiting));
            idle = if waiting { idle + 1 } else { 0 };
            if idle > 30 {
                break;
            }
        }
        // Whoever waits does not fit.
        let search = self.broker.config().search.build(&slot_window::SearchOptions::new()).unwrap();
        for job in self.books.open() {
            let view = self.broker.job(job).unwrap();
            assert_eq!(view.standing, Standing::Waiting, "{view:?}");
            let from = self.now.max(view.job.submit);
            let mut free = self.broker.free();
            for &node in view.avoids {
                free.remove_node(node);
            }
            let found = search.find(&free, &view.job.request, from, &mut SearchScratch::new());
            let limited = self.books.own_speeds.contains(&job)
                || self.broker.config().goal.is_some()
                || self.broker.config().work < 1_000_000;
            assert!(limited || matches!(found, Ok(None)), "job {job} waits and fits: {found:?}");
        }
    }

    fn replay(&self) {
        let bytes = Self::bytes(&self.broker);
        let mut repeated = Broker::new(self.broker.config().clone()).unwrap();
        let mut adopted = repeated.clone();
        let text = serde_json::to_string(&self.journal).unwrap();
        let journal: Vec<Entry> = serde_json::from_str(&text).unwrap();
        for entry in &journal {
            repeated.replay(entry).unwrap();
            adopted.adopt(entry).unwrap();
            // Decisions were carried out.
            while repeated.poll().is_some() {}
            while adopted.poll().is_some() {}
        }
        assert_eq!(bytes, Self::bytes(&repeated));
        assert_eq!(bytes, Self::bytes(&adopted));
    }
}

fn history(seed: u64, steps: u64, thorough: bool) -> Books {
    play(seed, steps, thorough, None).books
}

fn play(seed: u64, steps: u64, thorough: bool, preempts: Option<bool>) -> History {
    let mut history = History::new(seed, thorough, preempts);
    for _ in 0..1 + history.dice.below(6) {
        let id = history.next_node;
        history.next_node += 1;
        let node = node(&mut history.dice, id);
        history.tell(Input::NodeAdded(node));
    }
    for _ in 0..steps {
        let input = history.any();
        let accepted = match &input {
            // Others leave for it first.
            Input::Accept { job, victims, .. } if victims.is_empty() => Some(job.id),
            _ => None,
        };
        if history.tell(input)
            && let Some(job) = accepted.filter(|_| history.dice.chance(50))
        {
            history.is_kept(job);
        }
        if history.dice.chance(40) {
            history.pass_time();
            history.tell(Input::Wake);
        }
    }
    history.drain();
    if thorough {
        history.replay();
    }
    history
}

fn histories(seeds: std::ops::Range<u64>, steps: u64, thorough: bool, preempts: Option<bool>) {
    let mut sum = [0u64; 7];
    for seed in seeds {
        let outcome = std::panic::catch_unwind(|| play(seed, steps, thorough, preempts).books);
        let books = outcome.unwrap_or_else(|panic| {
            eprintln!("history {seed} fails");
            std::panic::resume_unwind(panic)
        });
        let add = [books.decisions, books.starts, books.moves, books.withdrawn, books.closed];
        let add = add.into_iter().chain([books.refused, books.preempted]);
        for (sum, add) in sum.iter_mut().zip(add) {
            *sum += add;
        }
    }
    println!("decisions, starts, moves, withdrawn, closed, refused, preempted: {sum:?}");
    assert!(sum.iter().all(|&count| count > 0), "{sum:?}");
}

/// Journal and state of some histories: what the next test compares.
#[test]
#[ignore = "prints what another test compares"]
fn print_a_trace() {
    println!();
    for seed in 500..520 {
        let history = play(seed, 50, true, None);
        println!("{}", serde_json::to_string(&history.journal).unwrap());
        println!("{}", History::bytes(&history.broker));
    }
}

/// Two processes, whose memory lies elsewhere and whose hash seeds differ, give the same bytes.
#[test]
fn two_processes_give_the_same_trace() {
    let run = |language: &str| {
        let mut process = std::process::Command::new(std::env::current_exe().unwrap());
        process.args(["--ignored", "--exact", "print_a_trace", "--nocapture", "--test-threads", "1"]);
        let output = process.env("LANG", language).output().unwrap();
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().filter(|line| line.starts_with(['[', '{'])).map(str::to_owned).collect::<Vec<_>>()
    };
    let (one, other) = (run("C"), run("de_DE.UTF-8"));
    assert_eq!(one.len(), 40);
    assert!(one == other, "two processes give different traces");
}

#[test]
fn no_history_breaks_an_invariant() {
    histories(0..300, 60, true, None);
}

/// A job promised a later start could begin now on nodes that are free: others are not stopped for it.
#[test]
fn nobody_is_stopped_where_nodes_are_free() {
    history(770_000_046, 40, true);
}

/// A promise for which another job is to be stopped has its planned end behind it, and a third job starts on its other node.
#[test]
fn a_promise_whose_node_another_job_takes_is_known_to_be_late() {
    play(2_012_414, 25, true, Some(true));
}

#[test]
fn many_short_histories() {
    histories(10_000..11_000, 25, false, None);
}

/// By hand: `HISTORIES=100000 cargo test --release -p live-broker --all-features --test histories -- --ignored --nocapture`.
#[test]
#[ignore = "takes minutes"]
fn very_many_histories() {
    let count = std::env::var("HISTORIES").ok().and_then(|count| count.parse().ok()).unwrap_or(100_000);
    histories(1_000_000..1_000_000 + count, 40, true, None);
}

/// By hand, as the test before: short ones, all with preemption.
#[test]
#[ignore = "takes minutes"]
fn very_many_short_histories_with_preemption() {
    let count = std::env::var("HISTORIES").ok().and_then(|count| count.parse().ok()).unwrap_or(100_000);
    histories(2_000_000..2_000_000 + count, 25, true, Some(true));
}
