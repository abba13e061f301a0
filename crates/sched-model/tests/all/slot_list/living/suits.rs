//! The slots that meet the demands of a round, compared with a plain filter.

use super::{Having, Round};
use crate::judge::{Verdict, ensure};
use econsched::sched_model::{Features, NodeId, Refusal, SlotList, Time};
use std::collections::BTreeSet;

pub(crate) fn suits(round: &Round, having: &Having<'_>, list: &SlotList) -> Verdict {
    // What is demanded of each node alone.
    let mut demands = round.request.demands().clone();
    (demands.pack, demands.spread, demands.spans) = (None, None, Default::default());
    // A label without a value means any value.
    if round.from > Time::ZERO {
        demands = demands.with_label("rack");
    }
    if round.prices.len() == 1 {
        demands = demands.without_label("zone=1");
    }
    let asks_nothing =
        demands.all_of.is_empty() && demands.none_of.is_empty() && demands.amounts().count() == 0;
    let has = |of: &Features, label: &String| {
        of.labels.iter().any(|own| own == label || own.starts_with(&format!("{label}=")))
    };
    let suits = |node: NodeId| {
        let of = having[&node];
        let mut amounts = demands.amounts();
        demands.all_of.iter().all(|label| has(of, label))
            && !demands.none_of.iter().any(|label| has(of, label))
            && amounts.all(|(name, least)| of.amounts().get(name).is_some_and(|amount| *amount >= least))
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
        None => count >= needed || asks_nothing,
        Some(Refusal::Missing { needed: of, having, what }) => {
            *of == needed && count <= *having && *having < needed && !what.is_empty()
        }
        Some(_) => false,
    };
    ensure!(right, "{missing:?} of {needed}, and {count} suit");
    Ok(())
}
