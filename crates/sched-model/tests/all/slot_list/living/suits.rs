//! The slots that meet the demands of a round, compared with a plain filter.

use super::{Having, Round};
use crate::judge::{Verdict, ensure};
use econsched::sched_model::{NodeId, Refusal, SlotList, Time};
use std::collections::BTreeSet;

pub(crate) fn suits(round: &Round, having: &Having<'_>, list: &SlotList) -> Verdict {
    // What is demanded of each node alone.
    let mut demands = round.request.demands().clone();
    (demands.pack, demands.spread, demands.spans) = (None, None, Default::default());
    let asks_nothing =
        demands.all_of.is_empty() && demands.none_of.is_empty() && demands.amounts().count() == 0;
    // A label without a value means any value.
    let (in_rack, not_in_zone_1) = (round.from > Time::ZERO, round.prices.len() == 1);
    if in_rack {
        demands = demands.with_label("rack");
    }
    if not_in_zone_1 {
        demands = demands.without_label("zone=1");
    }
    let (gpu, no_gpu) = (demands.all_of.contains("gpu"), demands.none_of.contains("gpu"));
    let suits = |node: NodeId| {
        having.get(&node).is_some_and(|of| {
            (if of.labels.contains("gpu") { !no_gpu } else { !gpu })
                && demands
                    .amounts()
                    .all(|(name, least)| of.amounts().get(name).is_some_and(|has| *has >= least))
                && (!in_rack || of.labels.iter().any(|label| label.starts_with("rack=")))
                && (!not_in_zone_1 || !of.labels.contains("zone=1"))
        })
    };
    let suiting = || list.iter().filter(|slot| suits(slot.node));
    let eligible = list.eligible(&demands);
    let allowed = list.iter().all(|slot| eligible.allows(slot) == suits(slot.node));
    let all = !eligible.allows_all() || suiting().count() == list.len();
    ensure!(allowed && all, "others are allowed than suit {demands:?}");
    // A refusal states the number of nodes, and the demand that fails.
    let nodes: BTreeSet<NodeId> = list.iter().map(|slot| slot.node).collect();
    let needed = round.request.nodes();
    let count = nodes.into_iter().filter(|&node| suits(node)).count();
    let missing = list.missing(&demands, needed);
    let right = match &missing {
        None => count >= needed || asks_nothing && !in_rack && !not_in_zone_1,
        Some(Refusal::Missing { needed: of, having, what }) => {
            *of == needed && count <= *having && *having < needed && !what.is_empty()
        }
        Some(_) => false,
    };
    ensure!(right, "{missing:?} of {needed}, and {count} suit");
    Ok(())
}
