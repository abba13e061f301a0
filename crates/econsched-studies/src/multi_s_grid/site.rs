//! Machines behind one network link.

use econsched::sched_model::{Bandwidth, Machine, ModelError, SiteId, Span};
use std::collections::BTreeSet;

/// Machines behind one network link.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
#[non_exhaustive]
pub struct Site {
    /// Its identifier.
    pub id: SiteId,
    /// Its name, for reports.
    pub name: String,
    /// Its machines.
    pub machines: Vec<Machine>,
    /// Bandwidth of its link; `None` if transfers take no time.
    pub bandwidth: Option<Bandwidth>,
    /// Mean time between two failures of its link; `None` if it never fails.
    pub link_mean_time_to_failure: Option<Span>,
}

#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(remote = "Site", rename = "Site", deny_unknown_fields)]
struct SiteForm {
    id: SiteId,
    name: String,
    machines: Vec<Machine>,
    #[serde(default)]
    bandwidth: Option<Bandwidth>,
    #[serde(default)]
    link_mean_time_to_failure: Option<Span>,
}

#[cfg(feature = "serde")]
econsched::sched_model::serde_checked!(Site as SiteForm);

impl Site {
    /// Creates a site whose link takes no time and never fails.
    ///
    /// # Errors
    /// [`ModelError::Zero`] if there is no machine, [`ModelError::RepeatedId`] if two machines share an id.
    pub fn new(id: SiteId, name: impl Into<String>, machines: Vec<Machine>) -> Result<Self, ModelError> {
        Self { id, name: name.into(), machines, bandwidth: None, link_mean_time_to_failure: None }.checked()
    }

    fn checked(self) -> Result<Self, ModelError> {
        if self.machines.is_empty() {
            return Err(ModelError::Zero { what: "machines of a site" });
        }
        let mut seen = BTreeSet::new();
        match self.machines.iter().find(|machine| !seen.insert(machine.id)) {
            Some(again) => Err(ModelError::RepeatedId { what: "machine", id: u64::from(again.id.0) }),
            None => Ok(self),
        }
    }

    /// Returns the number of CPUs of all machines.
    pub fn cpus(&self) -> u64 {
        self.machines.iter().map(|machine| u64::from(machine.cpus())).sum()
    }
}
