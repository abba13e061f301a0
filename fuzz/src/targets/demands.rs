//! Features of nodes and demands of jobs, as cases state them.

use crate::rng::Rng;
use crate::target::{Fault, part};
use econsched::sched_model::{Demands, Features, NodeId, ResourceRequest, Slot, SlotList, Span, Spans};
use serde::{Deserialize, Serialize};

/// The features of a node: a rack, a zone, a GPU, memory.
#[derive(Serialize, Deserialize, Default)]
pub(crate) struct Having {
    rack: Option<u8>,
    zone: Option<u8>,
    gpu: bool,
    memory: u8,
}

/// The demands of a job.
#[derive(Serialize, Deserialize, Default)]
pub(crate) struct Asked {
    /// With a GPU, or without.
    gpu: Option<bool>,
    memory: Option<u8>,
    /// Whether nodes must share one rack or zone, or have different ones.
    pack: Option<bool>,
    spread: Option<(bool, u8)>,
    /// How long a task takes on each node, in the unit of the target.
    spans: Vec<Option<u8>>,
}

fn label(is_rack: bool) -> &'static str {
    if is_rack { "rack" } else { "zone" }
}

impl Having {
    pub(crate) fn draw(rng: &mut Rng, nodes: usize) -> Vec<Self> {
        let value = |rng: &mut Rng| rng.percent(90).then(|| rng.below(3) as u8);
        (0..nodes)
            .map(|_| Self {
                rack: value(rng),
                zone: value(rng),
                gpu: rng.percent(60),
                memory: rng.below(4) as u8,
            })
            .collect()
    }

    /// The list with the features of its nodes.
    pub(crate) fn listed(nodes: &[Self], slots: SlotList) -> Result<SlotList, Fault> {
        let mut all = Vec::new();
        for (id, node) in (0..).zip(nodes) {
            let mut features = part(Features::new().with_amount("memory", f64::from(node.memory)))?;
            for (label, value) in [("rack", node.rack), ("zone", node.zone)] {
                if let Some(value) = value {
                    features = features.with_label(format!("{label}={value}"));
                }
            }
            all.push((NodeId(id), if node.gpu { features.with_label("gpu") } else { features }));
        }
        part(slots.with_features(all))
    }
}

impl Asked {
    /// `spans` is the frequency of measured times.
    pub(crate) fn draw(rng: &mut Rng, nodes: usize, spans: usize) -> Self {
        let table = rng.percent(spans);
        Self {
            gpu: rng.percent(20).then(|| rng.percent(70)),
            memory: rng.percent(20).then(|| rng.below(3) as u8),
            pack: rng.percent(30).then(|| rng.percent(50)),
            spread: rng.percent(30).then(|| (rng.percent(50), rng.range(1, 2) as u8)),
            spans: (0..if table { nodes } else { 0 })
                .map(|_| rng.percent(70).then(|| rng.range(1, 8) as u8))
                .collect(),
        }
    }

    /// The demands, with spans in units of this length.
    pub(crate) fn demands(&self, unit: f64) -> Result<Demands, Fault> {
        let mut demands = match self.gpu {
            Some(true) => Demands::new().with_label("gpu"),
            Some(false) => Demands::new().without_label("gpu"),
            None => Demands::new(),
        };
        if let Some(memory) = self.memory {
            demands = part(demands.with_at_least("memory", f64::from(memory)))?;
        }
        if let Some(is_rack) = self.pack {
            demands = demands.with_pack(label(is_rack));
        }
        if let Some((is_rack, most)) = self.spread {
            demands = part(demands.with_spread(label(is_rack), usize::from(most)))?;
        }
        let mut spans = Vec::new();
        for (node, span) in (0..).zip(&self.spans) {
            if let Some(span) = span {
                spans.push((NodeId(node), part(Span::new(f64::from(*span) * unit))?));
            }
        }
        Ok(demands.with_spans(part(Spans::new(spans))?))
    }
}

/// How long a task takes on the node of a slot.
pub(crate) fn span_on(demands: &Demands, request: &ResourceRequest, slot: &Slot) -> Span {
    demands.spans().on(slot.node()).unwrap_or_else(|| request.span_on(slot.speed()))
}
