//! Flags that several commands share: the limits of a search (work and time; also Ctrl-C); and how limits and
//! progress are shown.

use super::prelude::*;
use crate::output::progress;
use econsched::sched_model::Progress;
use std::fmt::Display;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// Limit of memory for a search whose limits are given by flags.
const MEMORY: u64 = 2_000_000_000;

/// Time between two checks whether to stop.
const BETWEEN_QUESTIONS: Duration = Duration::from_millis(1);

flags! {
    /// Flags that limit a run; a run without them has no limit.
    #[derive(Copy, Default)]
    pub(crate) struct LimitFlags {
        /// Maximum work, in units of some nanoseconds; the answer is the same on every machine [default: no
        /// limit; for plan and window 20 million, unless --time-limit is given]
        work_limit: Option<u64> as "UNITS",
        /// Maximum seconds; the answer then depends on the machine. Ctrl-C also stops it, and gives the
        /// best answer or the results so far
        time_limit: Option<Span> as "SECONDS" => quantity::<Span>,
    }
}

impl LimitFlags {
    /// Returns the limit, whose time begins now. With `catch`, Ctrl-C stops the search; pressed again, it ends the
    /// program.
    pub(crate) fn start(&self, catch: bool) -> Limit {
        self.added_to(Limit::none(), catch)
    }

    /// As [`start`](Self::start), for a search that may end within this gap and has default limits unless others are
    /// given.
    pub(crate) fn start_search(&self, gap: Option<f64>, catch: bool) -> Limit {
        // A run with its own limits may use more memory, too.
        let given = self.work_limit.is_some() || self.time_limit.is_some();
        let limit = if given { Limit::none().with_memory(MEMORY) } else { Limit::default() };
        self.added_to(gap.into_iter().fold(limit, Limit::with_relative_gap), catch)
    }

    /// Adds the flags to a limit, and Ctrl-C if it is caught.
    fn added_to(&self, limit: Limit, catch: bool) -> Limit {
        let limit = self.work_limit.into_iter().fold(limit, Limit::with_work);
        // An instant that no clock will reach is no limit.
        let time = self.time_limit.and_then(|time| Duration::try_from_secs_f64(time.get()).ok());
        let deadline = time.and_then(|time| Instant::now().checked_add(time));
        if !catch && deadline.is_none() {
            return limit;
        }
        if catch {
            // This fails if an earlier limit has set a handler, which does the same.
            let _ = ctrlc::try_set_handler(move || {
                if INTERRUPTED.swap(true, Ordering::SeqCst) {
                    std::process::exit(130);
                }
            });
        }
        limit.with_signal(move || {
            INTERRUPTED.load(Ordering::SeqCst) || deadline.is_some_and(|deadline| Instant::now() >= deadline)
        })
    }
}

/// Hint for an error that a limit caused before there was any answer.
pub(crate) const HINT: &str = "--work-limit or --time-limit may allow more";

/// Whether Ctrl-C has been pressed.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Runs `work`, which knows no limits, in a thread of its own, and returns an error as soon as the clock or Ctrl-C
/// ends `limit`. The thread then goes on until the program ends.
///
/// # Errors
/// [`CliError::NoPlan`] if the signal is set, and those of `work`.
pub(crate) fn within<T: Send + 'static>(
    limit: &Limit,
    doing: &str,
    work: impl FnOnce() -> Result<T, CliError> + Send + 'static,
) -> Result<T, CliError> {
    let (tell, told) = mpsc::channel();
    // The receiver may be gone by then.
    thread::spawn(move || drop(tell.send(work())));
    while !limit.is_signalled() {
        match told.recv_timeout(BETWEEN_QUESTIONS) {
            Ok(answer) => return answer,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(CliError::fault(format!("a panic {doing}"))),
        }
    }
    Err(CliError::NoPlan(format!("the time limit or Ctrl-C ended the program {doing}")))
}

/// Names the limit that ended a search; `None` if it ran to its end.
pub(crate) fn limit_name(end: End) -> Option<&'static str> {
    match end {
        End::Done | End::Gap => None,
        End::Work => Some("the limit of work"),
        End::Memory => Some("the limit of memory"),
        End::Signal => Some("the time limit or Ctrl-C"),
        _ => Some("a limit"),
    }
}

/// Says that a limit ended `what`, and after how much work; `None` if it ran to its end.
pub(crate) fn stop_note(what: impl Display, end: End, work: u64) -> Option<String> {
    Some(format!("{} ended {what} after {} of work", limit_name(end)?, counted(work, "unit")))
}

/// Returns an observer that shows the progress of a search (its work, the best value, its bound) on standard error,
/// if that is a terminal, until it is dropped.
pub(crate) fn progress_observer(label: &str) -> impl FnMut(Progress) + Send + 'static {
    let during = progress::during(label);
    move |Progress { work, best, bound, .. }| {
        let _ = &during;
        progress::show_found(|| {
            let known = |name: &str, value: Option<f64>| {
                value.map_or_else(String::new, |value| format!(", {name} {}", terminal::number(value)))
            };
            let (best, bound) = (known("best", best), known("bound", bound));
            format!("{} of work{best}{bound}", counted(work, "unit"))
        });
    }
}
