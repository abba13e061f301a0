//! How far a study has come, for a terminal.

use crate::terminal;
use econsched_studies::ReplicateProgress;
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::{Mutex, PoisonError};

/// A progress bar on standard error, hidden where that is no terminal.
#[derive(Default)]
pub(super) struct Bar(Mutex<Option<ProgressBar>>);

impl ReplicateProgress for Bar {
    fn begin(&self, label: &str, count: u64) {
        if !terminal::shows_progress() {
            return;
        }
        let bar = ProgressBar::new(count).with_message(label.to_owned());
        if let Ok(style) = ProgressStyle::with_template("{msg:<28} {wide_bar} {pos}/{len} {eta}") {
            bar.set_style(style);
        }
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar);
    }

    fn step(&self) {
        if let Some(bar) = self.0.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
            bar.inc(1);
        }
    }

    fn end(&self) {
        if let Some(bar) = self.0.lock().unwrap_or_else(PoisonError::into_inner).take() {
            bar.finish_and_clear();
        }
    }
}
