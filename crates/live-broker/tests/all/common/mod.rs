//! A world for a broker: it carries decisions out, honestly or not, and keeps books of its own about them.
#![allow(dead_code)]

pub mod driver;

use live_broker::*;
use sched_model::*;
use std::collections::{BTreeMap, BTreeSet};

/// Random numbers that are the same everywhere (splitmix64).
#[derive(Debug, Clone)]
pub struct Dice(pub u64);

impl Dice {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
    /// Less than `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n.max(1)
    }
    /// A whole number less than `n`.
    pub fn real(&mut self, n: u64) -> f64 {
        self.below(n) as f64
    }
    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
    pub fn pick<T: Copy>(&mut self, of: &[T]) -> Option<T> {
        (!of.is_empty()).then(|| of[self.below(of.len() as u64) as usize])
    }
}

/// What the world knows of a job, from decisions alone.
#[derive(Debug, Clone, Default)]
pub struct Known {
    pub job: Option<Job>,
    pub demands: Demands,
    pub promised: Option<Window>,
    pub started: bool,
    pub confirmed: bool,
    /// Nodes that it occupies.
    pub holds: BTreeSet<NodeId>,
    pub stopping: bool,
    /// Refused or closed.
    pub over: bool,
}

/// The books of the world, and what is wrong with the decisions.
#[derive(Debug, Clone, Default)]
pub struct Books {
    pub jobs: BTreeMap<JobId, Known>,
    pub occupied: BTreeMap<NodeId, JobId>,
    /// Jobs with speeds of their own.
    pub own_speeds: BTreeSet<JobId>,
    /// Labels and amounts of nodes, as they joined last.
    pub features: BTreeMap<NodeId, Features>,
    /// Windows promised to jobs with demands.
    pub demanded: u64,
    pub decisions: u64,
    pub starts: u64,
    pub moves: u64,
    pub withdrawn: u64,
    pub closed: u64,
    pub refused: u64,
    pub preempted: u64,
}

impl Books {
    pub fn submitted(&mut self, job: Job, demands: Demands) {
        self.jobs.insert(job.id, Known { job: Some(job), demands, ..Known::default() });
    }

    /// Enters a decision. Panics at the first that contradicts one before.
    pub fn enter(&mut self, decision: &Decision) {
        assert_eq!(decision.id.0, self.decisions, "decisions count up");
        self.decisions += 1;
        let id = decision.act.job();
        let known = self.jobs.get_mut(&id).expect("a decision about a job that was handed in");
        assert!(!known.over, "job {id} is decided on after its last decision: {decision:?}");
        match &decision.act {
            Act::Reserve { window, .. } => {
                assert!(known.promised.is_none() && !known.started, "{decision:?}");
                fits(known, &self.features, window);
                self.demanded += u64::from(!known.demands.is_empty());
                assert!(window.start() >= decision.at);
                let free = window.start() > decision.at
                    || window.nodes().all(|node| self.occupied.get(&node).is_none_or(|at| *at == id));
                assert!(free, "promised at once, where another job runs: {decision:?}");
                known.promised = Some(window.clone());
            }
            Act::Move { from, to, .. } => {
                assert_eq!(known.promised.as_ref(), Some(from), "a move from what was promised");
                assert!(!known.started && to.start() >= decision.at);
                assert_ne!(from, to);
                fits(known, &self.features, to);
                known.promised = Some(to.clone());
                self.moves += 1;
            }
            Act::Withdraw { window, .. } => {
                assert_eq!(known.promised.as_ref(), Some(window));
                known.promised = None;
                self.withdrawn += 1;
            }
            Act::Preempt { from, window, victims, .. } => {
                assert_eq!(&known.promised, from);
                assert!(!known.started && window.start() == decision.at && !victims.is_empty());
                let job = *known.job.as_ref().unwrap();
                fits(known, &self.features, window);
                self.demanded += u64::from(!known.demands.is_empty());
                known.promised = Some(window.clone());
                for node in window.nodes() {
                    let holder = self.occupied.get(&node);
                    assert!(holder.is_none_or(|holder| victims.contains(holder)), "{decision:?}");
                }
                for victim in victims {
                    let known = self.jobs.get_mut(victim).unwrap();
                    assert!(known.confirmed && !known.stopping && !known.over, "{decision:?}");
                    assert!(known.job.as_ref().unwrap().priority < job.priority);
                    assert!(window.nodes().any(|node| known.holds.contains(&node)), "a needless victim");
                    known.stopping = true;
                }
                self.preempted += victims.len() as u64;
            }
            Act::Start { window, .. } => {
                assert_eq!(known.promised.as_ref(), Some(window), "it starts as promised");
                assert!(!known.started && decision.at >= window.start());
                known.started = true;
                self.occupy(id, window);
            }
            Act::Stop { .. } => {
                assert!(known.started && !known.stopping);
                known.stopping = true;
            }
            Act::Refuse { .. } => {
                assert!(!known.started);
                known.over = true;
                self.refused += 1;
            }
            Act::Close { cost, .. } => {
                let promised = known.promised.as_ref().map_or(Money::ZERO, Window::cost);
                assert!(*cost <= promised.max(Money::ZERO), "pays {cost}, promised {promised}");
                if let Some(budget) = known.job.as_ref().and_then(|job| job.request.budget()) {
                    assert!(*cost <= budget.max(Money::ZERO));
                }
                assert!(known.holds.is_empty(), "closed while it runs");
                known.over = true;
                self.closed += 1;
            }
            other => panic!("{other:?}"),
        }
    }

    /// A job starts on nodes that no other holds.
    fn occupy(&mut self, job: JobId, window: &Window) {
        for node in window.nodes() {
            assert_eq!(self.occupied.insert(node, job), None, "node {node} is used before it is released");
        }
        self.jobs.get_mut(&job).unwrap().holds.extend(window.nodes());
        self.starts += 1;
    }

    /// What was told of the world: enter it where the broker has taken it.
    pub fn told(&mut self, input: &Input) {
        if let Input::SubmitWithSpeeds { job, speeds } | Input::SubmitWithDemands { job, speeds, .. } = input
            && !speeds.is_empty()
        {
            self.own_speeds.insert(job.id);
        }
        match *input {
            Input::Submit(job) | Input::SubmitWithSpeeds { job, .. } => self.submitted(job, Demands::new()),
            Input::SubmitWithDemands { job, ref demands, .. } | Input::Accept { job, ref demands, .. } => {
                self.submitted(job, demands.clone());
            }
            Input::NodeAdded(node) => drop(self.features.insert(node.id, Features::new())),
            Input::NodeAddedWithFeatures { node, ref features } => {
                drop(self.features.insert(node.id, features.clone()));
            }
            Input::Started(job) => self.jobs.get_mut(&job).unwrap().confirmed = true,
            Input::StartFailed { job, .. } => self.vacate(job),
            Input::Refused { job, .. } if self.jobs[&job].started => self.vacate(job),
            Input::Released { job, node } => {
                self.jobs.get_mut(&job).unwrap().holds.remove(&node);
                self.occupied.remove(&node);
            }
            Input::Ended(job) => self.vacate(job),
            Input::Failed { job, .. } => {
                self.vacate(job);
                self.jobs.get_mut(&job).unwrap().promised = None;
            }
            Input::Evicted { job, done } => {
                self.vacate(job);
                let known = self.jobs.get_mut(&job).unwrap();
                known.promised = None;
                let job = known.job.as_mut().unwrap();
                let before = job.request.work().get();
                let rest = Work::must(before - done.get());
                job.request = job.request.with_work(rest).unwrap();
                // Measured times are shorter by the same share.
                let shorter = |span: Span| Span::must((span.get() * (rest.get() / before)).max(1e-300));
                let spans = known.demands.spans().iter().map(|(node, span)| (node, shorter(span)));
                known.demands = known.demands.clone().with_spans(Spans::new(spans).unwrap());
            }
            _ => {}
        }
    }

    fn vacate(&mut self, job: JobId) {
        let known = self.jobs.get_mut(&job).unwrap();
        for node in std::mem::take(&mut known.holds) {
            self.occupied.remove(&node);
        }
        known.started = false;
        known.confirmed = false;
        known.stopping = false;
    }

    pub fn open(&self) -> Vec<JobId> {
        self.jobs.iter().filter(|(_, known)| !known.over).map(|(id, _)| *id).collect()
    }

    pub fn starting(&self) -> Vec<JobId> {
        self.of(|known| known.started && !known.confirmed)
    }

    pub fn running(&self) -> Vec<JobId> {
        self.of(|known| known.confirmed)
    }

    fn of(&self, test: impl Fn(&Known) -> bool) -> Vec<JobId> {
        self.jobs.iter().filter(|(_, known)| !known.over && test(known)).map(|(id, _)| *id).collect()
    }
}

fn fits(known: &Known, features: &BTreeMap<NodeId, Features>, window: &Window) {
    let job = known.job.as_ref().unwrap();
    let request = &job.request;
    assert_eq!(window.placements().len(), request.nodes());
    assert!(window.start() >= job.submit);
    assert!(request.budget().is_none_or(|budget| window.cost() <= budget), "above the budget");
    assert!(request.deadline().is_none_or(|deadline| window.finish() <= deadline), "past the deadline");
    for placement in window.placements() {
        assert!(placement.speed >= request.min_speed());
        let measured = known.demands.spans().on(placement.node);
        let span = measured.unwrap_or(request.span_on(placement.speed)).get();
        assert!(
            (placement.end - window.start()).get()
                >= span - 4.0 * f64::EPSILON * placement.end.get().abs().max(span)
        );
    }
    meets(&known.demands, features, window);
}

/// Labels, amounts, places and the start are as demanded: counted here, not by the checker of the model.
fn meets(demands: &Demands, features: &BTreeMap<NodeId, Features>, window: &Window) {
    for node in window.nodes() {
        assert!(demands.are_met(&features[&node]), "node {node} with {:?} for {demands:?}", features[&node]);
    }
    let places = |label: &str| {
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        for node in window.nodes() {
            *places.entry(features[&node].value(label).unwrap().to_owned()).or_default() += 1;
        }
        places
    };
    if let Some(label) = demands.pack() {
        assert_eq!(places(label).len(), 1, "packed by {label}: {window}");
    }
    if let Some(spread) = demands.spread() {
        assert!(places(spread.label()).values().all(|count| *count <= spread.most()), "{spread:?}: {window}");
    }
    assert!(demands.not_before().is_none_or(|from| window.start() >= from), "{demands:?}: {window}");
    assert!(demands.start().is_none_or(|start| window.start() == start), "{demands:?}: {window}");
}
