//! Suggestions, by one representable step less: towards the request.

use econsched::sched_model::{Money, Price, Speed, Time, Work};
use econsched::slot_window::explain::{DemandChange, Suggestion};

/// `None` where that is the request itself.
pub(crate) fn one_step_less(of: &Suggestion) -> Option<Suggestion> {
    Some(match *of {
        Suggestion::Budget(budget) => Suggestion::Budget(Money::new(budget.get().next_down()).ok()?),
        Suggestion::Deadline(deadline) => Suggestion::Deadline(Time::new(deadline.get().next_down()).ok()?),
        Suggestion::Nodes(nodes) => Suggestion::Nodes(nodes.checked_add(1)?),
        Suggestion::MinSpeed(speed) => Suggestion::MinSpeed(Speed::new(speed.get().next_up()).ok()?),
        Suggestion::PriceLimit(price) => Suggestion::PriceLimit(Price::new(price.get().next_down()).ok()?),
        Suggestion::MoreNodes { count, like } => Suggestion::MoreNodes { count: count.checked_sub(1)?, like },
        Suggestion::Work(work) => Suggestion::Work(Work::new(work.get().next_up()).ok()?),
        Suggestion::NodePrice { node, price } => {
            Suggestion::NodePrice { node, price: Price::new(price.get().next_up()).ok()? }
        }
        Suggestion::Demand(ref change) => Suggestion::Demand(less(change)?),
        ref other => panic!("{other:?}"),
    })
}

fn less(of: &DemandChange) -> Option<DemandChange> {
    Some(match of {
        DemandChange::AtLeast { name, amount } => {
            DemandChange::AtLeast { name: name.clone(), amount: amount.next_up() }
        }
        DemandChange::Spread(most) => DemandChange::Spread(most.checked_sub(1).filter(|most| *most > 0)?),
        DemandChange::NotBefore(start) => DemandChange::NotBefore(Time::new(start.get().next_up()).ok()?),
        DemandChange::LaterStart(start) => DemandChange::LaterStart(Time::new(start.get().next_down()).ok()?),
        DemandChange::EarlierStart(start) => {
            DemandChange::EarlierStart(Time::new(start.get().next_up()).ok()?)
        }
        _ => return None,
    })
}
