//! The faults of a run under a broker, and those that have happened.

use crate::outage::Outage;
use sched_model::{JobId, Money, Time};
use std::collections::BTreeMap;

/// The faults of a run, and those that have happened.
#[derive(Debug, Default)]
pub(super) struct Faults {
    pub(super) outages: Vec<Outage>,
    pub(super) cancellations: Vec<(Time, JobId)>,
    /// CPUs that are down: until when this is expected, and the outage.
    pub(super) down: BTreeMap<(usize, u32), (Time, usize)>,
    /// What jobs that run have paid for parts that have ended: returned if the job is lost.
    pub(super) paid: BTreeMap<usize, Vec<(usize, Money)>>,
}

impl Faults {
    pub(super) fn new(outages: Vec<Outage>, cancellations: Vec<(Time, JobId)>) -> Self {
        Self { outages, cancellations, ..Self::default() }
    }
}
