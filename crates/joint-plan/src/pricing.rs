//! The best window of each job under prices, and the bound that these windows give.

use crate::JointError;
use crate::duals::{Bound, Duals};
use crate::instance::{Instance, Stopped};
use crate::pool::Pool;
use sched_model::internal::exact_sum;
use sched_model::{End, Limit, Meter, Window};
use slot_window::WindowQuery;
use slot_window::priced::{NodeTimePrices, PricedAnswer, PricedQuery};

/// Repeated searches for the best window of each job under prices.
pub(crate) struct Pricing<'a> {
    instance: &'a Instance<'a>,
    /// For each job the part of the search that does not depend on prices; empty if memory does not suffice or there is
    /// only one search.
    queries: Vec<PricedQuery<'a>>,
}

/// The result of the searches at some prices.
pub(crate) struct Answers {
    pub(crate) bound: Bound,
    /// The best window of each job.
    pub(crate) picks: Vec<Option<Window>>,
}

impl<'a> Pricing<'a> {
    /// Creates the pricing for a single search per job.
    pub(crate) fn for_one_search(instance: &'a Instance<'a>) -> Self {
        Self { instance, queries: Vec::new() }
    }

    /// Creates the pricing for many searches per job, and prepares these if memory suffices. The caller releases the
    /// memory.
    ///
    /// # Errors
    /// [`JointError`] for malformed input.
    pub(crate) fn for_many_searches(instance: &'a Instance<'a>, meter: &mut Meter) -> Result<Self, Stopped> {
        let mut pricing = Self::for_one_search(instance);
        let bytes = PricedQuery::bytes(instance.slots.len()).saturating_mul(instance.jobs.len() as u64);
        if meter.reserve(bytes).is_ok() {
            let asked = meter.limit();
            let prepare = |job: usize| {
                if asked.is_signalled() {
                    return Err(Stopped::Limit(End::Signal));
                }
                pricing.prepared(job)
            };
            let queries: Result<_, _> = for_each_job(instance.jobs.len(), prepare).into_iter().collect();
            pricing.queries = queries?;
        }
        Ok(pricing)
    }

    /// The query for a window of a job in all slots.
    fn query(&self, job: usize) -> WindowQuery<'a> {
        let Instance { slots, jobs, .. } = self.instance;
        self.instance.query(slots, jobs[job], &jobs[job].request)
    }

    /// Prepares the search for windows of a job under prices.
    fn prepared(&self, job: usize) -> Result<PricedQuery<'a>, Stopped> {
        Ok(PricedQuery::new(self.instance.rules, &self.query(job)).map_err(JointError::from)?)
    }

    /// Finds the best window of every job under prices, and adds new windows to the pool. `without_window` has the jobs
    /// without any window, in ascending order, which are not searched.
    ///
    /// # Errors
    /// [`Stopped`] if the limit ends it.
    pub(crate) fn price(
        &self,
        without_window: &[usize],
        pool: &mut Pool,
        duals: &Duals,
        meter: &mut Meter,
    ) -> Result<Answers, Stopped> {
        let instance = self.instance;
        let jobs = instance.jobs.len();
        for job in 0..jobs {
            let work = instance.slots.len() as u64 + pool.of(job).len() as u64;
            meter.spend(work)?;
        }
        let prices = duals.node_time()?;
        let limit = instance.pricing_limit().with_signal_of(meter.limit());
        let price = |job: usize| match without_window.binary_search(&job) {
            Ok(_) => Ok(None),
            Err(_) => self.price_one(job, pool, duals, &prices, &limit).map(Some),
        };
        let answers: Result<Vec<_>, Stopped> = for_each_job(jobs, price).into_iter().collect();
        let (mut values, mut picks) = (Vec::with_capacity(jobs), Vec::with_capacity(jobs));
        let mut all_waited = 0.0;
        for (job, answer) in answers?.into_iter().enumerate() {
            // The search measures a start from the job's earliest start.
            let waited = (instance.earliest(instance.jobs[job]) - instance.from).get();
            let waited = instance.terms.start * waited;
            all_waited += waited;
            // If the limit is reached or the signal is set during the searches, this charge fails and their results are
            // discarded.
            let work = answer.as_ref().map_or(0, |(answer, _)| answer.work);
            meter.spend(1 + work)?;
            let Some((answer, known)) = answer else {
                values.push(f64::INFINITY);
                picks.push(None);
                continue;
            };
            values.push(answer.bound + waited);
            picks.push(match answer.best {
                Some(best) => {
                    pool.add(job, &best.window);
                    Some(best.window)
                }
                None => known.and_then(|known| pool.of(job).get(known)).cloned(),
            });
        }
        let prices = exact_sum(duals.prices.values().copied());
        let (limits, size_of_limits) = duals.of_limits(instance);
        let count = 4 + 2 * jobs + instance.accounts.budgets.len();
        let added = (count, prices + 2.0 * size_of_limits + 2.0 * all_waited);
        Ok(Answers { bound: Bound { values, constant: prices + limits, added }, picks })
    }

    /// Searches for the best window of a job under prices that is better than the best one in the pool. Returns the
    /// answer and the position of the best window in the pool.
    ///
    /// # Errors
    /// [`Stopped`] at a signal, with the work of the search not charged, and for malformed input.
    fn price_one(
        &self,
        job: usize,
        pool: &Pool,
        duals: &Duals,
        prices: &NodeTimePrices,
        limit: &Limit,
    ) -> Result<(PricedAnswer, Option<usize>), Stopped> {
        if limit.is_signalled() {
            return Err(Stopped::Limit(End::Signal));
        }
        let weights = duals.weights(self.instance, job);
        let from = self.instance.earliest(self.instance.jobs[job]);
        let known = pool.least(job, weights, from, prices);
        let below = known.map_or(f64::INFINITY, |known| known.1);
        let mut meter = limit.meter();
        let answer = match self.queries.get(job) {
            Some(query) => query.best(weights, prices, below, &mut meter),
            None => self.prepared(job)?.best(weights, prices, below, &mut meter),
        };
        if meter.ended() == Some(End::Signal) {
            return Err(Stopped::Limit(End::Signal));
        }
        Ok((answer.map_err(JointError::from)?, known.map(|known| known.0)))
    }
}

/// Computes a result for each job, in order; in parallel with the feature `rayon`.
pub(crate) fn for_each_job<R: Send>(jobs: usize, of_job: impl Fn(usize) -> R + Sync + Send) -> Vec<R> {
    #[cfg(feature = "rayon")]
    if jobs >= MIN_JOBS_FOR_THREADS {
        use rayon::prelude::*;
        return (0..jobs).into_par_iter().with_min_len(MIN_JOBS_FOR_THREADS / 4).map(of_job).collect();
    }
    (0..jobs).map(of_job).collect()
}

/// The number of jobs from which threads are used, because one search takes only some microseconds.
#[cfg(feature = "rayon")]
const MIN_JOBS_FOR_THREADS: usize = 32;
