//! The best window by one objective, exactly, under the rules of another search.

use sched_model::check::Rules;
use sched_model::{MAX_QUANTITY, Meter, Money, Outcome, SlotList, Window};
use slot_window::{Objective, Optimal, SearchScratch, WindowError, WindowQuery, WindowSearch};

/// [`Optimal`] reads a price limit as a budget of the whole window. Here it is read as the given rules say.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Best {
    objective: Objective,
    rules: Rules,
}

impl Best {
    pub(crate) fn new(objective: Objective, rules: Rules) -> Self {
        Self { objective, rules }
    }
}

impl WindowSearch for Best {
    fn name(&self) -> &str {
        "best"
    }

    fn rules(&self) -> Rules {
        self.rules
    }

    fn starts_are_monotone(&self) -> bool {
        self.objective == Objective::Start
    }

    fn find_within(
        &self,
        query: &WindowQuery<'_>,
        meter: &mut Meter<'_>,
        scratch: &mut SearchScratch,
    ) -> Result<Outcome<Window>, WindowError> {
        let search = Optimal::new(self.objective).with_holding(self.rules.holding);
        let Some(limit) = query.request.price_limit() else {
            return search.find_within(query, meter, scratch);
        };
        // Without a budget none is to be derived: no window costs so much.
        let budget = self.rules.budget(query.request).unwrap_or(Money::must(MAX_QUANTITY));
        let request = query.request.with_budget(budget);
        let affordable = self.rules.slot_price.then(|| {
            let slots = query.slots.iter().filter(|slot| slot.price() <= limit).copied().collect();
            // They are in order, and none overlaps another, as in the list.
            SlotList::from_sorted(slots).unwrap_or_default().with_tariff(*query.slots.tariff())
        });
        let slots = affordable.as_ref().unwrap_or(query.slots);
        search.find_within(&WindowQuery::new(slots, &request, query.from), meter, scratch)
    }
}
