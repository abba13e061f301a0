//! The work of all paths, predicted from that of the first.

/// Predicts the work of all paths from that of the first ones: the work of a path is taken as inversely
/// proportional to the number of waiting jobs. The prediction is mostly too high, by up to a factor of two.
pub(crate) struct Foretold {
    jobs: usize,
    /// The sum of 1 / the number waiting, over the paths found, and over all.
    found: f64,
    all: f64,
}

impl Foretold {
    pub(crate) fn new(jobs: usize) -> Self {
        Self { jobs, found: 0.0, all: (1..=jobs).map(|waiting| 1.0 / waiting as f64).sum() }
    }

    /// Counts one more path, found while the next smaller number of jobs waited.
    pub(crate) fn one_more(&mut self) {
        self.found += 1.0 / self.jobs.max(1) as f64;
        self.jobs = self.jobs.saturating_sub(1);
    }

    /// Whether more than `most` work is predicted, where there is a prediction.
    pub(crate) fn exceeds(&self, work: u64, done: usize, most: u64) -> bool {
        let all = self.jobs + done;
        8 * done >= all && 2 * done <= all && work as f64 * self.all > most as f64 * self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_foretold_is_asked_in_the_middle_alone() {
        let mut foretold = Foretold::new(16);
        for done in 0..16 {
            // As long as 16, 8, 16 / 3, ... to 1, and so 16 in all times what all of them sum to.
            let sum = |from: usize| (from + 1..=16).map(|k| 1.0 / k as f64).sum::<f64>();
            let work = (1600.0 * sum(16 - done)) as u64;
            let all = (1600.0 * sum(0)) as u64;
            let can_say = (2..=8).contains(&done);
            assert_eq!(foretold.exceeds(work, done, all - all / 100), can_say, "{done}");
            assert!(!foretold.exceeds(work, done, all + all / 100), "{done}");
            foretold.one_more();
        }
    }
}
