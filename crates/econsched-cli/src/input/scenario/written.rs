//! The written form of nodes and jobs, as it is read: nodes with features, jobs with demands; and scenarios as they are
//! written.

use super::NodeValue;
use econsched::sched_model::{
    Batch, Demands, Features, Job, JobId, ModelError, Node, NodeId, Occupied, Price, Priority,
    ResourceRequest, SlotList, Speed, Time, TradeOff, UserId,
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Nodes, and the features of those that have some.
#[derive(Debug, Deserialize)]
#[serde(try_from = "Vec<RawNode>")]
pub(super) struct Nodes {
    pub(super) nodes: Vec<Node>,
    pub(super) features: BTreeMap<NodeId, Features>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawNode {
    id: NodeId,
    speed: Speed,
    price: Price,
    #[serde(default)]
    labels: BTreeSet<String>,
    #[serde(default)]
    amounts: BTreeMap<String, f64>,
}

impl TryFrom<Vec<RawNode>> for Nodes {
    type Error = ModelError;
    fn try_from(raw: Vec<RawNode>) -> Result<Self, ModelError> {
        let (mut nodes, mut features) = (Vec::with_capacity(raw.len()), BTreeMap::new());
        for RawNode { id, speed, price, labels, amounts } in raw {
            nodes.push(Node::new(id, speed, price));
            let mut own = labels.into_iter().fold(Features::new(), Features::with_label);
            for (name, amount) in amounts {
                own = own.with_amount(name, amount)?;
            }
            if own != Features::new() {
                features.insert(id, own);
            }
        }
        Ok(Self { nodes, features })
    }
}

/// The batch, and the demands of those jobs that have some.
#[derive(Debug, Default, Deserialize)]
#[serde(try_from = "Vec<RawJob>")]
pub(super) struct Jobs {
    pub(super) batch: Batch,
    pub(super) demands: BTreeMap<JobId, Demands>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawJob {
    id: JobId,
    request: ResourceRequest,
    #[serde(default)]
    user: UserId,
    submit: Option<Time>,
    priority: Option<Priority>,
    trade_off: Option<TradeOff>,
    demands: Option<Demands>,
}

impl TryFrom<Vec<RawJob>> for Jobs {
    type Error = ModelError;
    fn try_from(raw: Vec<RawJob>) -> Result<Self, ModelError> {
        let (mut jobs, mut demands) = (Vec::with_capacity(raw.len()), BTreeMap::new());
        for raw in raw {
            let mut job = Job::new(raw.id, raw.request).with_user(raw.user);
            job.submit = raw.submit.unwrap_or(job.submit);
            job.priority = raw.priority.unwrap_or(job.priority);
            job.trade_off = raw.trade_off.unwrap_or(job.trade_off);
            demands.extend(raw.demands.map(|demands| (raw.id, demands)));
            jobs.push(job);
        }
        Ok(Self { batch: Batch::new(jobs)?, demands })
    }
}

/// A scenario as it is written; what it does not have is left out.
#[derive(Debug, Default, Serialize)]
pub(crate) struct ScenarioFile {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) nodes: Option<Vec<Node>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) values: Option<Vec<NodeValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) occupied: Option<Vec<Occupied>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) horizon: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) slots: Option<SlotList>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) jobs: Option<Batch>,
}
