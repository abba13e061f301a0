//! The resources of a grid.

use crate::cluster::{LocalJob, LocalPolicy, PolicyKind};
use crate::report::SiteInfo;
use sched_model::{Features, Machine, SiteId};
use std::collections::BTreeMap;

/// A resource of a grid: a machine with its local jobs, their policy, and its features.
#[derive(Debug)]
#[must_use]
pub struct Resource {
    pub(crate) site: SiteId,
    pub(crate) name: String,
    pub(crate) machine: Machine,
    pub(crate) policy: Box<dyn LocalPolicy>,
    pub(crate) local: Vec<LocalJob>,
    pub(crate) features: Features,
}

impl Resource {
    /// Creates an idle resource under EASY backfilling. Resources that share a site are reported as one.
    pub fn new(site: SiteId, name: impl Into<String>, machine: Machine) -> Self {
        let (policy, local, features) = (PolicyKind::Easy.build(), Vec::new(), Features::default());
        Self { site, name: name.into(), machine, policy, local, features }
    }
}

sched_model::setters!(Resource {
    /// Sets the policy that serves the local queue in [`Grid::run`](crate::Grid::run).
    with_policy: policy: Box<dyn LocalPolicy>,
    /// Sets the local jobs, which pay nothing.
    with_local_jobs: local: Vec<LocalJob>,
    /// Sets the labels and amounts of each CPU, for jobs of a [live broker](crate::Grid::run_live) that
    /// [demand](sched_model::Demands) them. With a label that all CPUs of a resource share, such as `site=north`,
    /// jobs can ask for CPUs of a single resource.
    with_features: features: Features,
});

/// Returns the machines of these resources.
pub(crate) fn machines(resources: &[Resource]) -> Vec<Machine> {
    resources.iter().map(|resource| resource.machine).collect()
}

/// Returns the sites of these resources, each with the CPUs of all its machines and the name of its first resource.
pub(crate) fn sites(resources: &[Resource]) -> Vec<SiteInfo> {
    let mut sites: BTreeMap<SiteId, SiteInfo> = BTreeMap::new();
    for Resource { site: id, name, machine, .. } in resources {
        let site = sites.entry(*id).or_insert_with(|| SiteInfo { id: *id, name: name.clone(), cpus: 0 });
        site.cpus += u64::from(machine.cpus());
    }
    sites.into_values().collect()
}
