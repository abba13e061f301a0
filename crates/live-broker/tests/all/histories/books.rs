//! Books that follow from decisions and accepted inputs only; each decision is checked against them.

use crate::judge::{Verdict, ensure};
use econsched::live_broker::{Act, Decision, Input};
use econsched::sched_model::{Features, Job, JobId, Money, NodeId, Spread, Window};
use std::collections::{BTreeMap, BTreeSet};

/// The state as it follows from decisions and accepted inputs alone.
#[derive(Default)]
pub(super) struct Books {
    decisions: u64,
    over: BTreeSet<JobId>,
    holds: BTreeMap<JobId, BTreeSet<NodeId>>,
    pub(super) unconfirmed: BTreeSet<JobId>,
    promised: BTreeMap<JobId, Money>,
    asked: BTreeMap<JobId, Job>,
    features: BTreeMap<NodeId, Features>,
    /// Jobs that are to be stopped.
    pub(super) stopping: BTreeSet<JobId>,
}

impl Books {
    /// Enters a decision, and checks that it may follow those before it.
    pub(super) fn enter(&mut self, decision: &Decision) -> Verdict {
        ensure!(decision.id == self.decisions, "decision {} after {}", decision.id, self.decisions);
        self.decisions += 1;
        let job = decision.act.job();
        ensure!(!self.over.contains(&job), "job {job} has a decision after its last");
        match &decision.act {
            Act::Reserve { window, .. } | Act::Move { to: window, .. } => {
                ensure!(window.start() >= decision.at, "job {job} is promised the past");
                self.promise(job, window)?;
            }
            Act::Withdraw { .. } => {
                self.promised.remove(&job);
            }
            Act::Preempt { window, victims, .. } => {
                ensure!(window.start() == decision.at, "job {job} stops others for another instant than now");
                ensure!(!victims.is_empty(), "job {job} stops nobody");
                self.promise(job, window)?;
                for victim in victims {
                    let holds = self.holds.get(victim);
                    let needed = holds.is_some_and(|holds| window.nodes().any(|node| holds.contains(&node)));
                    ensure!(needed, "job {victim} is stopped for job {job} and holds none of its nodes");
                    ensure!(!self.unconfirmed.contains(victim), "job {victim} is stopped and does not run");
                    ensure!(self.stopping.insert(*victim), "job {victim} is stopped twice");
                    let [less, more] = [victim, &job].map(|job| self.asked.get(job).map(|job| job.priority));
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

    /// A window is promised, which must be what the job asks for: counted here, not by the checker of the model.
    fn promise(&mut self, id: JobId, window: &Window) -> Verdict {
        self.promised.insert(id, window.cost());
        let job = &self.asked[&id];
        let demands = job.request.demands();
        let request = &job.request;
        let enough = window.placements().len() == request.nodes();
        ensure!(enough, "job {id} is promised other nodes than it needs");
        ensure!(window.start() >= job.submit, "job {id} is promised a start before it comes");
        ensure!(request.budget.is_none_or(|budget| window.cost() <= budget), "job {id} is above its budget");
        let late = request.deadline.is_some_and(|deadline| window.finish() > deadline);
        ensure!(!late, "job {id} is promised an end after its deadline");
        for node in window.nodes() {
            let met = demands.are_met(&self.features[&node]);
            ensure!(met, "job {id} is promised node {node}, which lacks what it demands");
        }
        // The number of nodes at each place, by the labels `name=place`.
        let counts = |name: &str| {
            let place = |node| {
                let mut labels = self.features[&node].labels.iter();
                labels.find_map(|label| label.strip_prefix(name)?.strip_prefix('=')).unwrap_or_default()
            };
            let mut places: Vec<&str> = window.nodes().map(place).collect();
            places.sort_unstable();
            places.chunk_by(PartialEq::eq).map(<[_]>::len).collect::<Vec<usize>>()
        };
        let packed = demands.pack.as_deref().is_none_or(|label| counts(label).len() == 1);
        ensure!(packed, "job {id} is not packed");
        let few = |spread: &Spread| counts(&spread.label).iter().all(|&count| count <= spread.most.get());
        ensure!(demands.spread.as_ref().is_none_or(few), "job {id} is not spread");
        ensure!(demands.start.is_none_or(|start| window.start() == start), "job {id} has another start");
        Ok(())
    }

    /// Enters an input that was accepted.
    pub(super) fn told(&mut self, input: &Input) {
        match *input {
            Input::Submit { ref job, .. } | Input::Accept { ref job, .. } => {
                self.asked.insert(job.id, job.clone());
            }
            Input::NodeAdded { node, ref features } => {
                drop(self.features.insert(node.id, features.clone()));
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
