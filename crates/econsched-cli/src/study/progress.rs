//! The progress of a study, for a terminal.

use crate::progress::{self, Counting};
use econsched_studies::ReplicateProgress;
use std::sync::{Mutex, PoisonError};

/// The line on standard error.
#[derive(Default)]
pub(super) struct Bar(Mutex<Option<Counting>>);

impl ReplicateProgress for Bar {
    fn begin(&self, label: &str, count: u64) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress::count(label, count));
    }

    fn step(&self) {
        if let Some(counting) = self.0.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
            counting.step();
        }
    }

    fn end(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}
