//! Windows cut out of the list.

use super::SlotList;
use super::change::covers;
use crate::{End, Limit, Meter, ModelError, Placement, Slot, Time, Window};

impl SlotList {
    /// Takes a window's time out of the list.
    ///
    /// # Errors
    /// [`ModelError::NotFree`] for the first placement that no single slot of its node covers. The list is
    /// then unchanged.
    pub fn cut(&mut self, window: &Window) -> Result<(), ModelError> {
        let limit = Limit::without_limit();
        // Without a limit nothing ends it.
        self.cut_within(window, &mut limit.meter()).map(|_| ())
    }

    /// As [`cut`](Self::cut), within the limit of a search: in a list of 65,536 slots or more, slots that are
    /// read to find those of the window count a quarter of a unit of work each. `None` if the window was cut
    /// out; otherwise why the search has to end, and the list is unchanged.
    ///
    /// # Errors
    /// As for [`cut`](Self::cut).
    pub fn cut_within(&mut self, window: &Window, meter: &mut Meter) -> Result<Option<End>, ModelError> {
        let start = window.start();
        let mut nodes = Vec::with_capacity(window.placements().len());
        nodes.extend(window.nodes());
        let slots = match self.runs.at_all(&nodes, start, meter) {
            Ok(slots) => slots,
            Err(end) => return Ok(Some(end)),
        };
        let covering = |(placement, slot): (&Placement, Option<Slot>)| {
            Ok((covers(slot, placement.node, start, placement.end)?, placement.end))
        };
        let found: Vec<(Slot, Time)> =
            window.placements().iter().zip(slots).map(covering).collect::<Result<_, ModelError>>()?;
        for (slot, end) in found {
            // The nodes of a window differ, so that a cut does not change the slots found for the others.
            self.cut_out(slot, start, end);
        }
        Ok(None)
    }
}
