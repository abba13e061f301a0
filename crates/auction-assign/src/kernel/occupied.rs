//! The jobs on a resource, and the jobs and resources that a search without result has reached.

use crate::kernel::NONE;
use crate::solution::Shortage;

/// The jobs on each resource.
pub(crate) trait Occupied {
    /// The places of a resource.
    fn capacity(&self, resource: u32) -> u32;

    fn has_room(&self, resource: u32) -> bool;

    /// A job on the resource, [`NONE`] where there is none.
    fn first_on(&self, resource: u32) -> u32;

    /// Another job on the same resource, [`NONE`] after the last.
    fn next_on(&self, job: u32) -> u32;
}

/// What a search has reached that found no room: the jobs reached may only use the resources reached.
pub(crate) struct DeadEnd<I> {
    /// The job that was to be placed.
    pub(crate) job: u32,
    pub(crate) resources: I,
}

impl<I: Iterator<Item = u32>> DeadEnd<I> {
    /// Why the job cannot be placed.
    pub(crate) fn shortage(self, occupied: &impl Occupied) -> Shortage {
        let mut jobs = vec![self.job];
        let mut resources = Vec::new();
        let mut capacity = 0;
        for r in self.resources {
            resources.push(r);
            capacity += u64::from(occupied.capacity(r));
            let mut i = occupied.first_on(r);
            while i != NONE {
                jobs.push(i);
                i = occupied.next_on(i);
            }
        }
        jobs.sort_unstable();
        resources.sort_unstable();
        Shortage { jobs, resources, capacity }
    }
}
