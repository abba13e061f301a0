//! Suggestions, changed by one representable step towards the request.

use econsched::slot_window::explain::Suggestion;

/// `None` if the result is the request itself.
pub(crate) fn one_step_less(of: &Suggestion) -> Option<Suggestion> {
    fn at<T: TryFrom<f64>>(value: f64) -> Option<T> {
        T::try_from(value).ok()
    }
    Some(match of.clone() {
        Suggestion::Budget(budget) => Suggestion::Budget(at(budget.get().next_down())?),
        Suggestion::Deadline(deadline) => Suggestion::Deadline(at(deadline.get().next_down())?),
        Suggestion::Nodes(nodes) => Suggestion::Nodes(nodes.checked_add(1)?),
        Suggestion::MinSpeed(speed) => Suggestion::MinSpeed(at(speed.get().next_up())?),
        Suggestion::PriceLimit(price) => Suggestion::PriceLimit(at(price.get().next_down())?),
        Suggestion::MoreNodes { count, like } => Suggestion::MoreNodes { count: count.checked_sub(1)?, like },
        Suggestion::Work(work) => Suggestion::Work(at(work.get().next_up())?),
        Suggestion::NodePrice { node, price } => {
            Suggestion::NodePrice { node, price: at(price.get().next_up())? }
        }
        Suggestion::AtLeast { name, amount } => Suggestion::AtLeast { name, amount: amount.next_up() },
        Suggestion::Spread(most) => Suggestion::Spread(most.checked_sub(1).filter(|most| *most > 0)?),
        Suggestion::NotBefore(start) => Suggestion::NotBefore(at(start.get().next_up())?),
        Suggestion::LaterStart(start) => Suggestion::LaterStart(at(start.get().next_down())?),
        Suggestion::EarlierStart(start) => Suggestion::EarlierStart(at(start.get().next_up())?),
        Suggestion::LiftLabel(_)
        | Suggestion::LiftExcluded(_)
        | Suggestion::LiftPack
        | Suggestion::LiftSpread => return None,
        other => panic!("{other:?}"),
    })
}
