//! Suggestions, changed by one representable step towards the request.

use econsched::sched_model::{Money, Price, Speed, Time, Work};
use econsched::slot_window::explain::Suggestion;

/// `None` if the result is the request itself.
pub(crate) fn one_step_less(of: &Suggestion) -> Option<Suggestion> {
    Some(match *of {
        Suggestion::Budget(budget) => Suggestion::Budget(Money::try_from(budget.get().next_down()).ok()?),
        Suggestion::Deadline(deadline) => {
            Suggestion::Deadline(Time::try_from(deadline.get().next_down()).ok()?)
        }
        Suggestion::Nodes(nodes) => Suggestion::Nodes(nodes.checked_add(1)?),
        Suggestion::MinSpeed(speed) => Suggestion::MinSpeed(Speed::try_from(speed.get().next_up()).ok()?),
        Suggestion::PriceLimit(price) => {
            Suggestion::PriceLimit(Price::try_from(price.get().next_down()).ok()?)
        }
        Suggestion::MoreNodes { count, like } => Suggestion::MoreNodes { count: count.checked_sub(1)?, like },
        Suggestion::Work(work) => Suggestion::Work(Work::try_from(work.get().next_up()).ok()?),
        Suggestion::NodePrice { node, price } => {
            Suggestion::NodePrice { node, price: Price::try_from(price.get().next_up()).ok()? }
        }
        Suggestion::AtLeast { ref name, amount } => {
            Suggestion::AtLeast { name: name.clone(), amount: amount.next_up() }
        }
        Suggestion::Spread(most) => Suggestion::Spread(most.checked_sub(1).filter(|most| *most > 0)?),
        Suggestion::NotBefore(start) => Suggestion::NotBefore(Time::try_from(start.get().next_up()).ok()?),
        Suggestion::LaterStart(start) => {
            Suggestion::LaterStart(Time::try_from(start.get().next_down()).ok()?)
        }
        Suggestion::EarlierStart(start) => {
            Suggestion::EarlierStart(Time::try_from(start.get().next_up()).ok()?)
        }
        Suggestion::LiftLabel(_)
        | Suggestion::LiftExcluded(_)
        | Suggestion::LiftPack
        | Suggestion::LiftSpread => {
            return None;
        }
        ref other => panic!("{other:?}"),
    })
}
