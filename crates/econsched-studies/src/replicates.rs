//! Independent replicates on all cores, reduced in their order.

use crate::StudyError;
use rayon::prelude::*;

/// What a replicate may fail with: any library's error.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Replicates computed before the next reduction. It bounds memory; results do not depend on it.
const CHUNK: u64 = 512;

/// Who is told how far the replicates are.
pub trait Progress: Send + Sync {
    /// So many replicates begin.
    fn begin(&self, label: &str, count: u64);
    /// One more is done; called from any thread.
    fn step(&self);
    /// All are done.
    fn end(&self);
}

/// Worker threads for replicates.
pub struct Replicates {
    pool: rayon::ThreadPool,
    progress: Option<Box<dyn Progress>>,
}

impl std::fmt::Debug for Replicates {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Replicates")
            .field("threads", &self.pool.current_num_threads())
            .finish_non_exhaustive()
    }
}

impl Replicates {
    /// `threads` of them; as many as the machine has cores if `None`.
    ///
    /// # Errors
    /// [`StudyError::Threads`] if they cannot be started.
    pub fn new(threads: Option<usize>) -> Result<Self, StudyError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build()?;
        Ok(Self { pool, progress: None })
    }

    /// The same, telling how far it is.
    #[must_use]
    pub fn with_progress(self, progress: Box<dyn Progress>) -> Self {
        Self { progress: Some(progress), ..self }
    }

    /// Runs `replicate(index)` for each index below `count` and hands the results to `reduce` in the order of the
    /// indices, so that sums of floating-point numbers are the same for any number of threads.
    ///
    /// # Errors
    /// [`StudyError::Replicate`] with the first replicate that failed.
    pub fn run<R: Send>(
        &self,
        label: &str,
        count: u64,
        replicate: impl Fn(u64) -> Result<R, Failure> + Sync,
        mut reduce: impl FnMut(R),
    ) -> Result<(), StudyError> {
        let progress = self.progress.as_deref();
        if let Some(progress) = progress {
            progress.begin(label, count);
        }
        let mut from = 0;
        while from < count {
            let to = count.min(from + CHUNK);
            let chunk: Vec<Result<R, Failure>> = self.pool.install(|| {
                (from..to)
                    .into_par_iter()
                    .map(|index| {
                        let result = replicate(index);
                        if let Some(progress) = progress {
                            progress.step();
                        }
                        result
                    })
                    .collect()
            });
            for (index, result) in (from..to).zip(chunk) {
                reduce(result.map_err(|failure| StudyError::Replicate { index, failure })?);
            }
            from = to;
        }
        if let Some(progress) = progress {
            progress.end();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Moments;

    #[test]
    fn any_number_of_threads_gives_the_same_bits() {
        let reduced = |threads| {
            let mut moments = Moments::default();
            let mut order = Vec::new();
            Replicates::new(Some(threads))
                .unwrap()
                .run(
                    "test",
                    2_000,
                    |index| Ok((index, 1.0 / (index as f64 + 0.1))),
                    |(index, value)| {
                        order.push(index);
                        moments.push(value);
                    },
                )
                .unwrap();
            assert!(order.is_sorted() && order.len() == 2_000);
            (moments.mean().to_bits(), moments.variance().to_bits())
        };
        assert_eq!(reduced(1), reduced(2));
        assert_eq!(reduced(1), reduced(3));
    }

    #[test]
    fn the_first_failure_is_the_one_told() {
        let failing = |index: u64| if index >= 700 { Err(format!("bad {index}").into()) } else { Ok(index) };
        let error = Replicates::new(Some(3)).unwrap().run("test", 2_000, failing, |_| ()).unwrap_err();
        assert_eq!(error.to_string(), "replicate 700: bad 700");
    }
}
