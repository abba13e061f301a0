//! What the number of jobs and resources, their places and the form of the costs tell of the methods.

use super::race::HeadStart;
use crate::Problem;
use crate::kernel::source::Source;

/// Resources up to which a pass tests whether every job has a place on its cheapest resource: with many
/// resources, there is always one that is the cheapest of too many jobs.
pub(super) const MOST_CHEAPEST_RESOURCES: usize = 256;

/// Jobs per resource from which on a price per resource, found on samples, places nearly all jobs in one
/// pass.
const JOBS_PER_RESOURCE: usize = 8;

/// The same where every place is taken and resources are many: bids need no prices to come down, and samples
/// of few jobs per resource say little.
const JOBS_PER_TIGHT_RESOURCE: usize = 16;

/// Resources up to which samples come first where each job lists its own: with more, what bids without
/// increment leave tells whether paths do sooner.
const FEW_LISTED_RESOURCES: usize = 64;

/// The work of all these methods before the [`Auction`](crate::Auction) is tried beside them.
const HEAD_START: HeadStart = HeadStart { passes: 32, per_job: 700, resembling: 3 };

/// The same where lists come before samples, per job: the lists are made for what follows, too.
const PER_JOB_WITH_LISTS: u64 = 1250;

/// How many such head starts there are with samples, other than where lists come first and every place will be
/// taken: cores of all jobs take the greater part of the work, and mostly are the last of it.
const HEAD_STARTS_WITH_SAMPLES: u64 = 2;

/// The same for few resources of one place, all of which are taken: at most so many times that work, and at
/// most the passes that read so many entries per job. There the last of the methods are phases of an auction
/// themselves, and a second auction mostly ends no sooner; with many resources it ends within fewer passes.
const MOST_HEAD_STARTS: f64 = 2.5;
const ENTRIES_PER_JOB: u64 = 25_000;

pub(super) fn head_start(problem: &Problem<'_>) -> HeadStart {
    let HeadStart { passes, per_job, .. } = HEAD_START;
    if suits_samples(problem) {
        let lists = lists_come_first(problem);
        let per_job = if lists { PER_JOB_WITH_LISTS } else { per_job };
        let times = if lists && !is_roomy(problem) { 1 } else { HEAD_STARTS_WITH_SAMPLES };
        return HeadStart { passes: passes * times, per_job: per_job * times, ..HEAD_START };
    }
    if !problem.is_one_to_one() || problem.jobs() != problem.resources() {
        return HEAD_START;
    }
    let most = ENTRIES_PER_JOB as f64 / (problem.resources().max(1) as u64 * passes) as f64;
    let times = most.clamp(1.0, MOST_HEAD_STARTS);
    let scaled = |units: u64| (units as f64 * times) as u64;
    // Few resources have a long head start as it is.
    let resembling = if times > 1.5 { 1 } else { HEAD_START.resembling };
    HeadStart { passes: scaled(passes), per_job: scaled(per_job), resembling }
}

/// Whether resources hold so many jobs on average that prices from samples say much.
pub(super) fn suits_samples(problem: &Problem<'_>) -> bool {
    let (n, m) = (problem.jobs(), problem.resources());
    let least = if is_roomy(problem) || m <= MOST_CHEAPEST_RESOURCES {
        JOBS_PER_RESOURCE
    } else {
        JOBS_PER_TIGHT_RESOURCE
    };
    n >= least * m
}

/// Whether places are left over.
fn is_roomy(problem: &Problem<'_>) -> bool {
    problem.total_capacity() > problem.jobs() as u64
}

/// Whether bids without increment over lists come before samples.
pub(super) fn lists_come_first(problem: &Problem<'_>) -> bool {
    problem.resources() > FEW_LISTED_RESOURCES && Source::new(problem).is_sparse()
}
