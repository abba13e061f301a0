//! A search that does not state that its starts are monotone.

use sched_model::check::Rules;
use sched_model::{Meter, Outcome, Refusal, Window};
use slot_window::{WindowError, WindowQuery, WindowSearch};

/// The same search, except that [`starts_are_monotone`](WindowSearch::starts_are_monotone) is false: callers
/// search from the beginning instead of resuming at an earlier start. The windows are the same, with more work, so
/// comparing both tests whether the search's statement is true.
///
/// ```
/// use econsched::sched_model::*;
/// use econsched::slot_window::{AlternativesSearch, Amp};
/// use econsched::testkit::Anew;
/// let node = Node::must(1, 1.0, 1.0);
/// let slots = SlotList::from_nodes(&[node], &[], Time::ZERO, Time::must(50.0))?;
/// let batch = Batch::new(vec![Job::new(JobId(1), ResourceRequest::new(1, Work::must(20.0))?)])?;
/// let found = AlternativesSearch::new(Amp::new()).find(&slots, &batch, Time::ZERO)?;
/// let anew = AlternativesSearch::new(Anew(Amp::new())).find(&slots, &batch, Time::ZERO)?;
/// assert!(found.jobs == anew.jobs);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
#[must_use]
pub struct Anew<S>(pub S);

impl<S: WindowSearch> WindowSearch for Anew<S> {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn rules(&self) -> Rules {
        self.0.rules()
    }

    fn solve(&self, query: &WindowQuery<'_>, meter: &mut Meter) -> Result<Outcome<Window>, WindowError> {
        self.0.solve(query, meter)
    }

    fn refusal(&self, query: &WindowQuery<'_>, meter: &mut Meter) -> Result<Refusal, WindowError> {
        self.0.refusal(query, meter)
    }
}
