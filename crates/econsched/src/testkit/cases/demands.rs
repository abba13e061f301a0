//! Features of nodes, and demands of jobs on them.

use crate::testkit::check::part;
use crate::testkit::{Draw, Fault};
use sched_model::{Demands, Features, NodeId, SlotList, Span};
use serde::{Deserialize, Serialize};

/// The features of a node: labels `rack=..`, `zone=..` and `gpu`, and an amount of memory.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeaturesCase {
    /// The value of the label `rack`.
    pub rack: Option<u8>,
    /// The value of the label `zone`.
    pub zone: Option<u8>,
    /// Whether the node has the label `gpu`.
    pub gpu: bool,
    /// The amount of memory.
    pub memory: u8,
}

/// The demands of a job.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DemandsCase {
    /// Nodes with a GPU, or without; `None` for either.
    pub gpu: Option<bool>,
    /// The least amount of memory.
    pub memory: Option<u8>,
    /// All nodes in one rack if true, in one zone if false.
    pub pack: Option<bool>,
    /// At most this many nodes of one rack if true, of one zone if false.
    pub spread: Option<(bool, u8)>,
    /// How long a task takes on each node, in a unit that the user of the case chooses; empty if spans follow from
    /// speeds.
    pub spans: Vec<Option<u8>>,
}

fn label(is_rack: bool) -> &'static str {
    if is_rack { "rack" } else { "zone" }
}

impl FeaturesCase {
    /// Draws the features of a node; few nodes lack a label.
    pub fn draw(draw: &mut Draw) -> Self {
        let value = |draw: &mut Draw| draw.chance(90).then(|| draw.below(3) as u8);
        let (rack, zone) = (value(draw), value(draw));
        Self { rack, zone, gpu: draw.chance(60), memory: draw.below(4) as u8 }
    }

    /// The features as a value of the model.
    ///
    /// # Errors
    /// [`Fault::malformed`] for numbers that the model refuses.
    pub fn features(&self) -> Result<Features, Fault> {
        let mut features = part(Features::new().with_amount("memory", f64::from(self.memory)))?;
        for (label, value) in [("rack", self.rack), ("zone", self.zone)] {
            if let Some(value) = value {
                features = features.with_label(format!("{label}={value}"));
            }
        }
        Ok(if self.gpu { features.with_label("gpu") } else { features })
    }

    /// The slot list with these features of the nodes 0, 1, ...
    ///
    /// # Errors
    /// [`Fault::malformed`] for numbers that the model refuses.
    pub fn listed(nodes: &[Self], slots: SlotList) -> Result<SlotList, Fault> {
        let all = (0..).zip(nodes).map(|(id, node)| Ok((NodeId(id), node.features()?)));
        part(slots.with_features(all.collect::<Result<Vec<_>, Fault>>()?))
    }
}

impl DemandsCase {
    /// Draws demands on this number of nodes; `spans` percent of draws have measured times.
    pub fn draw(draw: &mut Draw, nodes: usize, spans: usize) -> Self {
        let table = if draw.chance(spans) { nodes } else { 0 };
        Self {
            gpu: draw.chance(20).then(|| draw.chance(70)),
            memory: draw.chance(20).then(|| draw.below(3) as u8),
            pack: draw.chance(30).then(|| draw.chance(50)),
            spread: draw.chance(30).then(|| (draw.chance(50), draw.between(1, 2) as u8)),
            spans: (0..table).map(|_| draw.chance(70).then(|| draw.between(1, 8) as u8)).collect(),
        }
    }

    /// The demands as a value of the model, with spans in units of this length.
    ///
    /// # Errors
    /// [`Fault::malformed`] for numbers that the model refuses.
    pub fn demands(&self, unit: f64) -> Result<Demands, Fault> {
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
        let measured = (0..).zip(&self.spans).filter_map(|(node, span)| Some((node, (*span)?)));
        let spans = measured.map(|(node, span)| Ok((NodeId(node), part(Span::new(f64::from(span) * unit))?)));
        part(demands.with_spans(spans.collect::<Result<Vec<_>, Fault>>()?))
    }
}
