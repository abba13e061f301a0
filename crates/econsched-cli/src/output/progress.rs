//! Progress: one line on standard error, shown after the first second.
//!
//! The line says what is being done ([`during`]), what a search has found so far ([`show_found`]), or how many of a
//! number of things are done and when the rest will be ([`count`]). It is removed while anything else is written to
//! the terminal or read from it ([`suspended`]).

use crate::printable::printable;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::LazyLock;
use std::time::Duration;

/// The line is not drawn before this time: most commands have ended by then.
const DELAY: Duration = Duration::from_secs(1);
/// Time between two drawings.
const REDRAW_INTERVAL: Duration = Duration::from_millis(100);

/// The line: hidden where standard error is not a terminal.
static LINE: LazyLock<ProgressBar> = LazyLock::new(ProgressBar::hidden);

fn style(template: &str) {
    let style = ProgressStyle::with_template(template);
    LINE.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
}

fn show_spinner() {
    LINE.unset_length();
    style("{spinner} {prefix}{msg}, {elapsed}");
}

/// Shows the line from now on. To be called only if standard error is a terminal.
pub(crate) fn begin(what: &str) {
    show_spinner();
    LINE.set_prefix(what.to_owned());
    std::thread::spawn(|| {
        std::thread::sleep(DELAY);
        LINE.set_draw_target(ProgressDrawTarget::stderr());
        LINE.enable_steady_tick(REDRAW_INTERVAL);
    });
}

/// Removes the line for good.
pub(crate) fn end() {
    LINE.finish_and_clear();
}

/// Runs `what`, which writes to the terminal or reads from it, while the line is removed. It must not report progress
/// itself.
pub(crate) fn suspended<T>(what: impl FnOnce() -> T) -> T {
    LINE.suspend(what)
}

/// Shows what is being done, until the result is dropped.
pub(crate) fn during(what: &str) -> During {
    let before = LINE.prefix();
    LINE.set_prefix(printable(what).into_owned());
    During(before)
}

/// The guard of [`during`], which holds the previous text.
#[must_use]
pub(crate) struct During(String);

impl Drop for During {
    fn drop(&mut self) {
        LINE.set_prefix(std::mem::take(&mut self.0));
        LINE.set_message("");
    }
}

/// Shows what has been found so far. The text is computed only if it may be drawn.
pub(crate) fn show_found(message: impl FnOnce() -> String) {
    if !LINE.is_hidden() {
        LINE.set_message(format!(": {}", printable(&message())));
    }
}

/// Starts to count from 0 to `of` things.
pub(crate) fn count(label: &str, of: u64) {
    style("{msg} {bar:20} {pos}/{len}, {elapsed}, about {eta} left");
    LINE.set_message(printable(label).into_owned());
    LINE.set_length(of);
    LINE.set_position(0);
    LINE.reset_eta();
}

/// Counts one more thing as done.
pub(crate) fn step() {
    LINE.inc(1);
}

/// Stops counting.
pub(crate) fn stop_counting() {
    LINE.set_message("");
    show_spinner();
}
