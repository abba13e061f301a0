//! One history: a broker, the world around it, and what is checked after each input.

use super::draw;
use crate::common::{Books, Dice};
use live_broker::*;
use sched_model::*;
use slot_window::{SearchScratch, WindowQuery, WindowSearch as _};

pub(crate) struct History {
    pub(crate) dice: Dice,
    /// Numbers of their own for labels and demands, so that histories without them stay as they were.
    labels: Option<Dice>,
    pub(crate) broker: Broker,
    pub(crate) books: Books,
    pub(crate) journal: Vec<Entry>,
    next_job: u64,
    pub(crate) next_node: u32,
    now: Time,
    wakes_at_once: u32,
    thorough: bool,
}

impl History {
    pub(crate) fn new(seed: u64, thorough: bool, preempts: Option<bool>) -> Self {
        let mut dice = Dice(seed);
        let config = draw::config(&mut dice, preempts);
        let now = Time::must(dice.pick(&[0.0, 0.0, -50.0, 1e9, 1e15]).unwrap());
        let broker = Broker::new(config).unwrap();
        Self {
            dice,
            labels: (seed % 2 == 1).then_some(Dice(seed.rotate_left(32))),
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

    pub(crate) fn bytes(broker: &Broker) -> String {
        serde_json::to_string(&broker.snapshot()).unwrap()
    }

    /// Tells the broker, and checks everything.
    pub(crate) fn tell(&mut self, input: Input) -> bool {
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

    /// A window that was accepted is kept at the next wake of the same instant, or moved for the better.
    /// Where promises never move, only others that leave for the job at once give it another.
    pub(crate) fn is_kept(&mut self, job: JobId) {
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
    pub(crate) fn any(&mut self) -> Input {
        let input = self.any_plain();
        self.labelled(input)
    }

    /// The same input with labels and demands, in histories that have them.
    pub(crate) fn labelled(&mut self, input: Input) -> Input {
        let Some(dice) = &mut self.labels else { return input };
        match input {
            Input::NodeAdded(node) if dice.chance(90) => {
                Input::NodeAddedWithFeatures { node, features: draw::features(dice) }
            }
            Input::Submit(job) => {
                let (demands, speeds) = (draw::demands(dice, self.now), Vec::new());
                Input::SubmitWithDemands { job, demands, speeds }
            }
            Input::SubmitWithSpeeds { job, speeds } => {
                Input::SubmitWithDemands { job, demands: draw::demands(dice, self.now), speeds }
            }
            input => input,
        }
    }

    fn any_plain(&mut self) -> Input {
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
                let job = draw::job(dice, id, now);
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
                        let demands = self.labels.as_mut().map(|dice| draw::demands(dice, now));
                        let demands = demands.unwrap_or_default();
                        let quotes = broker.quote_with_demands(&job, &demands, 2, &Limit::default()).ok();
                        let version = broker.version() + u64::from(dice.chance(10));
                        let displacing = quotes.as_ref().and_then(|quotes| quotes.displacing.clone());
                        if let Some(Displacement { window, victims, .. }) = displacing
                            && version.is_multiple_of(2)
                        {
                            return Input::Accept { job, window, version, victims, demands };
                        }
                        match quotes.and_then(|quotes| quotes.windows.into_iter().last()) {
                            Some(window) => {
                                Input::Accept { job, window, version, victims: Vec::new(), demands }
                            }
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
                Input::NodeAdded(draw::node(dice, id))
            }
            11 => Input::NodeRemoved(node),
            12 => {
                let until =
                    dice.chance(60).then(|| self.now + Span::must(dice.pick(&[0.0, 3.0, 40.0]).unwrap()));
                Input::NodeDown { node, until }
            }
            13 if dice.chance(50) => self.blocked(node),
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

    fn blocked(&mut self, node: NodeId) -> Input {
        let dice = &mut self.dice;
        let from = self.now + Span::must(dice.pick(&[0.0, 2.0, 10.0]).unwrap());
        let until = from + Span::must(dice.pick(&[0.0, 1.0, 5.0, 40.0]).unwrap());
        if dice.chance(75) {
            Input::Blocked { node, from, until }
        } else {
            Input::Unblocked { node, from, until }
        }
    }

    pub(crate) fn pass_time(&mut self) {
        let next = self.broker.next_wakeup().filter(|next| *next >= self.now);
        self.now = match next {
            Some(next) if self.dice.chance(80) => next,
            _ => self.now + Span::must(self.dice.pick(&[0.0, 0.5, 1.0, 6.0, 50.0]).unwrap()),
        };
    }

    /// Everything works from now on: every job that can have a window is over in the end.
    pub(crate) fn drain(&mut self) {
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
            if idle > 100 {
                break;
            }
        }
        // A job that waits has no window.
        let search = self.broker.config().search.build();
        for job in self.books.open() {
            let view = self.broker.job(job).unwrap();
            assert_eq!(view.standing, Standing::Waiting, "{view:?}");
            let from = self.now.max(view.job.submit);
            let mut free = self.broker.free();
            for &node in view.avoids {
                free.remove_node(node);
            }
            let eligible = free.eligible(view.demands);
            let query = WindowQuery::new(&free, &view.job.request, from).with_eligible(&eligible);
            let limit = Limit::default();
            let found = search.find_within(&query, &mut limit.meter(), &mut SearchScratch::new());
            let found = found.map(|outcome| outcome.incumbent);
            // A search by value that the work of a cycle does not suffice for is not repeated.
            let by_value = self.broker.config().search.name().starts_with("max-value");
            let limited = self.books.own_speeds.contains(&job)
                || self.broker.config().goal.is_some()
                || (self.broker.config().work < 1_000_000 && by_value);
            assert!(limited || matches!(found, Ok(None)), "job {job} waits and fits: {found:?}");
        }
    }

    pub(crate) fn replay(&self) {
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
