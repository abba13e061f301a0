//! The admissible pairs as a bit each, and matchings on them.

use crate::kernel::NONE;

/// Bits of a word.
const WORD: usize = 64;

/// A set of resources for each job, and the current matching.
pub(crate) struct Pairs {
    words: usize,
    /// The admissible resources of each job.
    admissible: Vec<u64>,
    /// The free resources.
    free: Vec<u64>,
    /// The resources that this phase has not tried.
    untried: Vec<u64>,
    pub(crate) owner: Vec<u32>,
    pub(crate) resource_of: Vec<u32>,
    path: Vec<Step>,
    /// Number of words read.
    pub(crate) work: u64,
}

/// A job on the path, the resource it would move to, and the first word not yet searched for another.
struct Step {
    job: u32,
    to: u32,
    word: u32,
}

impl Pairs {
    /// No job placed, no pair admissible.
    pub(crate) fn new(jobs: usize, resources: usize) -> Self {
        let words = resources.div_ceil(WORD);
        let mut free = vec![u64::MAX; words];
        if let Some(last) = free.last_mut().filter(|_| !resources.is_multiple_of(WORD)) {
            *last = (1 << (resources % WORD)) - 1;
        }
        Self {
            words,
            admissible: vec![0; jobs * words],
            untried: free.clone(),
            free,
            owner: vec![NONE; resources],
            resource_of: vec![NONE; jobs],
            path: Vec::new(),
            work: 0,
        }
    }

    /// The set of a job, to be written.
    pub(crate) fn row_mut(&mut self, job: usize) -> &mut [u64] {
        &mut self.admissible[job * self.words..(job + 1) * self.words]
    }

    fn row(&self, job: u32) -> &[u64] {
        &self.admissible[job as usize * self.words..(job as usize + 1) * self.words]
    }

    /// Places every job where an earlier assignment has it, if that pair is admissible and the resource free.
    pub(crate) fn begin(&mut self, resource_of: &[u32]) {
        for (job, &r) in (0..).zip(resource_of) {
            if r != NONE
                && self.is_free(r)
                && self.row(job)[r as usize / WORD] >> (r as usize % WORD) & 1 == 1
            {
                self.place(job, r);
            }
        }
    }

    /// Number of admissible resources of a job.
    pub(crate) fn degree(&self, job: u32) -> u32 {
        self.row(job).iter().map(|word| word.count_ones()).sum()
    }

    /// Removes the resources in `closed` from the sets of all jobs for which `applies` holds.
    pub(crate) fn close(&mut self, closed: &[u64], applies: impl Fn(usize) -> bool) {
        let rows = self.admissible.chunks_exact_mut(self.words).enumerate();
        for (_, row) in rows.filter(|&(job, _)| applies(job)) {
            for (word, closed) in row.iter_mut().zip(closed) {
                *word &= !closed;
            }
        }
    }

    pub(crate) fn is_free(&self, resource: u32) -> bool {
        self.owner[resource as usize] == NONE
    }

    fn place(&mut self, job: u32, resource: u32) {
        let r = resource as usize;
        self.resource_of[job as usize] = resource;
        self.owner[r] = job;
        self.free[r / WORD] &= !(1 << (r % WORD));
    }

    /// Places as many of the waiting jobs as the admissible pairs allow, moving others; leaves the rest in
    /// `waiting`.
    ///
    /// Phases of paths found depth first; each resource is tried once a phase.
    pub(crate) fn complete(&mut self, waiting: &mut Vec<u32>) {
        loop {
            let before = waiting.len();
            self.untried.fill(u64::MAX);
            let mut left = Vec::new();
            for &job in &*waiting {
                if !self.augment(job) {
                    left.push(job);
                }
            }
            *waiting = left;
            if waiting.is_empty() || waiting.len() == before {
                return;
            }
        }
    }

    /// The first resource of a job that is also in `set`, from the word `from` on.
    fn first_in(&self, job: u32, set: &[u64], from: usize) -> Option<u32> {
        let row = self.row(job);
        for (at, (word, set)) in row.iter().zip(set).enumerate().skip(from) {
            let both = word & set;
            if both != 0 {
                return Some((at * WORD) as u32 + both.trailing_zeros());
            }
        }
        None
    }

    /// Places one job along a path of admissible pairs over resources not yet tried.
    fn augment(&mut self, first: u32) -> bool {
        self.path.clear();
        let mut job = first;
        loop {
            self.work += 2 * self.words as u64;
            if let Some(resource) = self.first_in(job, &self.free, 0) {
                self.place(job, resource);
                while let Some(Step { job, to, .. }) = self.path.pop() {
                    self.place(job, to);
                }
                return true;
            }
            let mut from = 0;
            loop {
                if let Some(to) = self.first_in(job, &self.untried, from) {
                    let word = to as usize / WORD;
                    self.untried[word] &= !(1 << (to as usize % WORD));
                    self.path.push(Step { job, to, word: word as u32 });
                    job = self.owner[to as usize];
                    break;
                }
                let Some(step) = self.path.pop() else { return false };
                (job, from) = (step.job, step.word as usize);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sets of a few hundred resources drawn by a fixed rule, some jobs with few.
    fn draw(jobs: usize, resources: usize, seed: u64) -> Pairs {
        let mut pairs = Pairs::new(jobs, resources);
        let mut state = seed;
        for job in 0..jobs {
            for _ in 0..1 + job % 4 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let r = (state >> 33) as usize % resources;
                pairs.row_mut(job)[r / WORD] |= 1 << (r % WORD);
            }
        }
        pairs
    }

    /// The size of a greatest matching, by one path after another.
    fn greatest(pairs: &Pairs, jobs: u32, resources: usize) -> usize {
        fn find(pairs: &Pairs, job: u32, seen: &mut [bool], owner: &mut [u32]) -> bool {
            for r in 0..owner.len() {
                if pairs.row(job)[r / WORD] >> (r % WORD) & 1 == 1 && !std::mem::replace(&mut seen[r], true) {
                    let before = owner[r];
                    if before == NONE || find(pairs, before, seen, owner) {
                        owner[r] = job;
                        return true;
                    }
                }
            }
            false
        }
        let mut owner = vec![NONE; resources];
        (0..jobs).filter(|&job| find(pairs, job, &mut vec![false; resources], &mut owner)).count()
    }

    #[test]
    fn matchings_are_greatest_and_keep_to_the_pairs() {
        for seed in 0..60 {
            let (jobs, resources) = (1 + seed as usize * 3, 1 + (seed as usize * 7) % 190);
            let mut pairs = draw(jobs, resources, seed);
            let mut waiting: Vec<u32> = (0..jobs as u32).collect();
            pairs.complete(&mut waiting);
            assert_eq!(jobs - waiting.len(), greatest(&pairs, jobs as u32, resources), "{seed}");
            for (job, &r) in pairs.resource_of.iter().enumerate().filter(|&(_, &r)| r != NONE) {
                assert_eq!(pairs.owner[r as usize], job as u32);
                assert!(pairs.row(job as u32)[r as usize / WORD] >> (r as usize % WORD) & 1 == 1);
                assert!(!pairs.is_free(r));
            }
            assert!(waiting.iter().all(|&job| pairs.resource_of[job as usize] == NONE));
        }
    }

    #[test]
    fn an_earlier_assignment_is_kept_where_it_is_admissible_and_free() {
        let mut pairs = Pairs::new(3, 70);
        pairs.row_mut(0)[1] = 1 << 5;
        pairs.row_mut(1)[1] = 1 << 5;
        pairs.begin(&[69, 69, 3]);
        assert_eq!(pairs.resource_of, [69, NONE, NONE]);
        pairs.close(&[0, 1 << 5], |job| job == 1);
        assert_eq!((pairs.degree(0), pairs.degree(1)), (1, 0));
    }
}
