//! Large neighbourhood search: some jobs are replanned while the others keep their windows.

use crate::JointError;
use crate::ascent::{Ascent, AscentSettings, PATIENCE};
use crate::choice::choose;
use crate::cycles::Sequence;
use crate::duals::Duals;
use crate::instance::{Instance, Stopped};
use crate::pool::{Incumbent, Occupancy, Pool, unpriced};
use sched_model::internal::{exact_sum, sort};
use sched_model::{End, Job, Meter, NodeId, SlotList, Window};
use slot_window::priced::NodeTimePrices;

/// The numbers of jobs that are freed together; all sizes are tried, one after the other.
const SIZES: [usize; 5] = [3, 4, 6, 9, 12];
/// The sizes for choices among windows of the pool only.
const SIZES_IN_THE_POOL: [usize; 4] = [4, 8, 14, 20];
/// The maximum number of windows of a job in such a choice: its best under the prices.
const MAX_OF_A_JOB: usize = 40;
/// The maximum number of free slots with which a neighbourhood is planned on all nodes; with more, only on the nodes of
/// its present and its best windows.
const MAX_SLOTS: usize = 1_000;
/// Number of slots of a long list that are read between two checks of the signal.
const READ_BETWEEN: usize = 1 << 13;
/// The work per window of a choice among the windows of a neighbourhood, up to 2,000 windows; it ends choices that are
/// long for so few.
const CHOICE_WORK_OF_A_WINDOW: u64 = 100;
/// The maximum work of that choice.
const MAX_CHOICE: u64 = 200_000;

/// The source of the windows of a neighbourhood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WindowSource {
    /// The pool only: fast, for plans of hundreds of jobs.
    Pool,
    /// The pool, and searches under prices in the free time.
    Search,
}

/// The settings of [`improve`].
pub(crate) struct NeighbourhoodSettings<'a> {
    pub(crate) duals: &'a Duals,
    pub(crate) source: WindowSource,
    /// The seed of neighbourhoods chosen at random.
    pub(crate) seed: u64,
}

/// Improves a plan by neighbourhoods, each of one job and others chosen at random, until a pass through all sizes does
/// not improve the plan, `enough` accepts the plan, or the limit ends the search. The input and the seed decide which
/// jobs are freed, so every run is the same.
///
/// # Errors
/// [`Stopped`] if the limit ends it or the input is malformed. The incumbent is a complete plan in any case.
pub(crate) fn improve(
    instance: &Instance<'_>,
    pool: &mut Pool,
    incumbent: &mut Incumbent,
    NeighbourhoodSettings { duals, source, seed }: NeighbourhoodSettings<'_>,
    meter: &mut Meter,
    enough: impl Fn(&Incumbent) -> bool,
) -> Result<(), Stopped> {
    let mut search = Improvement {
        instance,
        duals,
        source,
        prices: duals.node_time()?,
        occupancy: Occupancy::of(instance, incumbent)?,
        sequence: Sequence(seed.wrapping_add(instance.jobs.len() as u64)),
    };
    let jobs = instance.jobs.len();
    let sizes = match source {
        WindowSource::Pool => &SIZES_IN_THE_POOL[..],
        WindowSource::Search => &SIZES[..],
    };
    let mut better = true;
    while better {
        better = false;
        for size in sizes.iter().copied().filter(|&size| size <= jobs.max(3)) {
            for centre in search.centres(pool, incumbent) {
                if enough(incumbent) {
                    return Ok(());
                }
                let free = search.with_others(centre, size);
                if search.replan(&free, pool, incumbent, meter)? {
                    meter.report(Some(incumbent.objective), None);
                    better = true;
                }
            }
        }
    }
    Ok(())
}

/// The state of [`improve`].
struct Improvement<'a> {
    instance: &'a Instance<'a>,
    duals: &'a Duals,
    source: WindowSource,
    prices: NodeTimePrices,
    occupancy: Occupancy,
    sequence: Sequence,
}

impl Improvement<'_> {
    /// The value of a window without the prices of node-time.
    fn own_value(&self, job: usize, window: &Window) -> f64 {
        let weights = self.duals.weights(self.instance, job);
        unpriced(window, window.cost().get(), weights, self.instance.from)
    }

    /// The jobs that have windows in the pool, in descending order of the improvement that would be possible if each
    /// were alone; jobs that the plan leaves out come first.
    fn centres(&self, pool: &Pool, incumbent: &Incumbent) -> Vec<usize> {
        let regret = |job: usize| {
            let best =
                pool.of(job).iter().map(|window| self.own_value(job, window)).fold(f64::INFINITY, f64::min);
            let present = incumbent.windows[job].as_ref();
            present.map_or(f64::INFINITY, |window| self.own_value(job, window) - best)
        };
        let mut jobs: Vec<(f64, usize)> = (0..self.instance.jobs.len())
            .filter(|&job| !pool.of(job).is_empty())
            .map(|job| (regret(job), job))
            .collect();
        sort(&mut jobs, &|a, b| b.0.total_cmp(&a.0));
        jobs.into_iter().map(|job| job.1).collect()
    }

    /// Chooses `size` jobs: a given one and others at random.
    fn with_others(&mut self, centre: usize, size: usize) -> Vec<usize> {
        let jobs = self.instance.jobs.len();
        let mut free = vec![centre];
        while free.len() < size.min(jobs) {
            let job = self.sequence.below(jobs);
            if !free.contains(&job) {
                free.push(job);
            }
        }
        sort(&mut free, &|a, b| a.cmp(b));
        free
    }

    /// Replans the freed jobs while all others keep their windows. Returns whether the plan is better.
    fn replan(
        &mut self,
        free: &[usize],
        pool: &mut Pool,
        incumbent: &mut Incumbent,
        meter: &mut Meter,
    ) -> Result<bool, Stopped> {
        let instance = self.instance;
        let present: Vec<Option<Window>> = free.iter().map(|&job| incumbent.windows[job].clone()).collect();
        let others = (incumbent.windows.iter().enumerate()).filter(|(job, _)| !free.contains(job));
        let used = exact_sum(
            others.filter_map(|(_, window)| window.as_ref()).map(|window| instance.terms.weight(window)),
        );
        let jobs: Vec<&Job> = free.iter().map(|&job| instance.jobs[job]).collect();
        let part_pool = self.own_pool(free, pool, meter)?;
        let slots = match self.source {
            WindowSource::Search => self.free_slots(&present, &part_pool, meter)?,
            WindowSource::Pool => SlotList::default(),
        };
        let accounts = instance.accounts.left_for(free, &incumbent.windows);
        let part =
            Instance { slots: &slots, jobs, limit: instance.limit - used, accounts, ..instance.clone() };
        let Some(picked) = self.choice(&part, part_pool, free, &present, pool, meter)? else {
            return Ok(false);
        };
        let mut windows = incumbent.windows.to_vec();
        for (window, &job) in picked.into_iter().zip(free) {
            windows[job] = window;
        }
        let better = incumbent.offer(instance, windows);
        if better {
            for (window, &job) in present.iter().zip(free) {
                if let Some(window) = window {
                    self.occupancy.give_back(job, window)?;
                }
            }
            for &job in free {
                if let Some(window) = &incumbent.windows[job] {
                    self.occupancy.take(job, window)?;
                }
            }
        }
        Ok(better)
    }

    /// Creates the pool of the windows of the freed jobs that overlap no window of another job.
    fn own_pool(&self, free: &[usize], pool: &Pool, meter: &mut Meter) -> Result<Pool, Stopped> {
        let mut own = Pool::new(free.len());
        for (number, &job) in free.iter().enumerate() {
            meter.spend(1 + pool.of(job).len() as u64)?;
            let passes =
                |window: &Window| self.occupancy.holders(window).iter().all(|held| free.contains(held));
            if self.source == WindowSource::Search {
                for window in pool.of(job).iter().filter(|window| passes(window)) {
                    own.add(number, window);
                }
                continue;
            }
            let weights = self.duals.weights(self.instance, job);
            let values = pool.values(job, weights, self.instance.from, &self.prices);
            let mut windows: Vec<(f64, &Window)> =
                values.zip(pool.of(job)).filter(|(_, window)| passes(window)).collect();
            // The sort is stable: of windows of equal value, the one found first comes first.
            sort(&mut windows, &|a, b| a.0.total_cmp(&b.0));
            for (_, window) in windows.into_iter().take(MAX_OF_A_JOB) {
                own.add(number, window);
            }
        }
        Ok(own)
    }

    /// The free time that the other jobs leave; if the list is long, only on the nodes of `present` and of the first
    /// windows in `own`. The signal is checked while the list is read. Reading is not charged, so under a limit equal
    /// to the work until then the choice ends the neighbourhood.
    fn free_slots(
        &self,
        present: &[Option<Window>],
        own: &Pool,
        meter: &mut Meter,
    ) -> Result<SlotList, Stopped> {
        let rest = &self.occupancy.rest;
        let mut slots = if rest.len() <= MAX_SLOTS {
            rest.clone()
        } else {
            let windows = (0..own.jobs()).flat_map(|job| own.of(job).iter().take(MAX_OF_A_JOB));
            let mut nodes: Vec<NodeId> =
                windows.chain(present.iter().flatten()).flat_map(Window::nodes).collect();
            sort(&mut nodes, &|a, b| a.cmp(b));
            let (limit, mut read, mut stopped) = (meter.limit(), 0_usize, false);
            let part = rest.filtered(|slot| {
                read += 1;
                stopped |= read.is_multiple_of(READ_BETWEEN) && limit.is_signalled();
                !stopped && nodes.binary_search(&slot.node).is_ok()
            });
            if stopped {
                meter.end(End::Signal);
                return Err(Stopped::Limit(End::Signal));
            }
            part
        };
        for window in present.iter().flatten() {
            slots.give_back(window, window.start()).map_err(JointError::from)?;
        }
        Ok(slots)
    }

    /// Finds the best choice for the freed jobs, starting from their present windows; `None` if a bound proves that
    /// there is no better one. Adds the windows that the searches find to the pool.
    fn choice(
        &self,
        part: &Instance<'_>,
        mut part_pool: Pool,
        free: &[usize],
        present: &[Option<Window>],
        pool: &mut Pool,
        meter: &mut Meter,
    ) -> Result<Option<Vec<Option<Window>>>, Stopped> {
        let instance = self.instance;
        let left_out = present.iter().filter(|window| window.is_none()).count();
        let objective =
            exact_sum(present.iter().flatten().map(|window| instance.terms.objective(window, instance.from)));
        let mut ascent = Ascent::starting_at(self.duals);
        if self.source == WindowSource::Search {
            let settings = AscentSettings {
                steps: 6 + 2 * free.len(),
                patience: PATIENCE,
                left_out: 0,
                incumbent: if left_out == 0 { objective } else { f64::INFINITY },
            };
            let result = ascent.climb(part, &mut part_pool, settings, meter, &mut |_, _, bound, _| {
                Ok((bound < settings.incumbent).then_some(settings.incumbent))
            });
            for (number, &job) in free.iter().enumerate() {
                for window in part_pool.of(number) {
                    pool.add(job, window);
                }
            }
            result?;
            // A bound that reaches the present objective proves that there is no better choice here.
            if left_out == 0 && ascent.bound(0).is_some_and(|bound| bound >= objective) {
                return Ok(None);
            }
        }
        let work = (CHOICE_WORK_OF_A_WINDOW * part_pool.len() as u64).min(MAX_CHOICE);
        choose(part, &part_pool, present, &ascent, work, meter).map(Some)
    }
}
