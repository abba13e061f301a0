//! Large neighbourhoods: some jobs planned anew, the others where they are.

use crate::JointError;
use crate::ascent::{Aim, Ascent};
use crate::duals::Duals;
use crate::incumbent::Incumbent;
use crate::instance::{Instance, Stopped};
use crate::pool::Pool;
use batch_dp::conflict::{Candidate, ConflictProblem, StartPrices};
use sched_model::{Job, Meter, NodeId, SlotList, Span, Time, Window, exact_sum};
use std::collections::BTreeMap;

/// Numbers of jobs that are freed together, one after the other.
const SIZES: [usize; 5] = [3, 4, 6, 9, 12];
/// Work of a choice among the windows of a neighbourhood.
const CHOICE_WORK: u64 = 200_000;
/// Windows that a job would rather have, for each of which those in its way are freed.
const WISHES: usize = 3;
/// Passes through all sizes without a better plan before the end.
const IDLE_PASSES: usize = 1;

/// Frees neighbourhoods until passes through all sizes make the plan no better, `enough` says so of it, or the limit ends
/// it. Which neighbourhoods is decided by the plan and by a fixed sequence, so that every run is the same.
///
/// # Errors
/// [`Stopped`] where the limit ends it or the input is malformed. The incumbent is whole in any case.
pub(crate) fn improve(
    instance: &Instance<'_>,
    pool: &mut Pool,
    incumbent: &mut Incumbent,
    duals: &Duals,
    meter: &mut Meter<'_>,
    enough: impl Fn(&Incumbent) -> bool,
) -> Result<(), Stopped> {
    let mut search = Improvement {
        instance,
        duals,
        around: Around::of(instance, incumbent)?,
        stamp: 0,
        seen: BTreeMap::new(),
        sequence: Sequence(instance.jobs.len() as u64),
    };
    let jobs = instance.jobs.len();
    let mut idle = 0;
    while idle < IDLE_PASSES {
        let mut better = false;
        for size in SIZES.into_iter().filter(|&size| size < jobs.max(4)) {
            for kind in [Kind::Wish, Kind::Near, Kind::Any] {
                for centre in search.centres(pool, incumbent) {
                    for number in 0..if kind == Kind::Wish { WISHES } else { 1 } {
                        if enough(incumbent) {
                            return Ok(());
                        }
                        let free = match kind {
                            Kind::Wish => search.in_the_way(pool, incumbent, centre, number, size),
                            Kind::Near => Some(nearest(incumbent.windows(), centre, size)),
                            Kind::Any => Some(search.any(centre, size)),
                        };
                        let Some(free) = free else { break };
                        better |= search.replan(&free, pool, incumbent, meter)?;
                    }
                }
            }
        }
        idle = if better { 0 } else { idle + 1 };
    }
    Ok(())
}

/// How a neighbourhood is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A job and those that hold what it would rather have.
    Wish,
    /// A job and those nearest to it.
    Near,
    /// A job and others at random.
    Any,
}

/// What is free beside the plan, and who holds what.
struct Around {
    rest: SlotList,
    held: BTreeMap<NodeId, Vec<(Time, Time, usize)>>,
}

impl Around {
    fn of(instance: &Instance<'_>, incumbent: &Incumbent) -> Result<Self, JointError> {
        let mut around = Self { rest: instance.slots.clone(), held: BTreeMap::new() };
        for (job, window) in incumbent.windows().iter().enumerate() {
            if let Some(window) = window {
                around.take(job, window)?;
            }
        }
        Ok(around)
    }

    fn take(&mut self, job: usize, window: &Window) -> Result<(), JointError> {
        self.rest.cut(window)?;
        for placement in window.placements() {
            self.held.entry(placement.node).or_default().push((window.start(), placement.end, job));
        }
        Ok(())
    }

    fn give_back(&mut self, job: usize, window: &Window) -> Result<(), JointError> {
        self.rest.give_back(window)?;
        for placement in window.placements() {
            if let Some(held) = self.held.get_mut(&placement.node) {
                held.retain(|held| held.2 != job);
            }
        }
        Ok(())
    }

    /// Jobs whose windows overlap this one.
    fn holders(&self, window: &Window) -> Vec<usize> {
        let of_place = |node: NodeId, end: Time| {
            let held = self.held.get(&node).map_or(&[][..], Vec::as_slice);
            held.iter().filter(move |held| held.0 < end && window.start() < held.1).map(|held| held.2)
        };
        let mut jobs: Vec<usize> =
            window.placements().iter().flat_map(|place| of_place(place.node, place.end)).collect();
        jobs.sort_unstable();
        jobs.dedup();
        jobs
    }
}

/// A fixed sequence of numbers that look like chance (G. Steele, D. Lea, C. Flood: *Fast splittable pseudorandom number
/// generators*, 2014).
pub(crate) struct Sequence(pub(crate) u64);

impl Sequence {
    /// A number below `count`.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % count.max(1) as u64) as usize
    }
}

struct Improvement<'a> {
    instance: &'a Instance<'a>,
    duals: &'a Duals,
    around: Around,
    /// Number of plans so far.
    stamp: u64,
    /// Neighbourhoods looked at in vain, with the stamp of that time.
    seen: BTreeMap<Vec<usize>, u64>,
    sequence: Sequence,
}

impl Improvement<'_> {
    /// What a window takes without prices of node-time: the measure by which jobs wish.
    fn own_value(&self, window: &Window) -> f64 {
        let terms = &self.instance.terms;
        terms.objective(window, self.instance.from) + self.duals.multiplier * terms.weight(window)
    }

    /// Jobs by how much better they could do alone, those without a window first.
    fn centres(&self, pool: &Pool, incumbent: &Incumbent) -> Vec<usize> {
        let regret = |job: usize| {
            let best = pool.of(job).iter().map(|window| self.own_value(window)).fold(f64::INFINITY, f64::min);
            incumbent.windows()[job].as_ref().map_or(f64::INFINITY, |window| self.own_value(window) - best)
        };
        let mut jobs: Vec<(f64, usize)> = (0..self.instance.jobs.len())
            .filter(|&job| !pool.of(job).is_empty())
            .map(|job| (regret(job), job))
            .collect();
        jobs.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        jobs.into_iter().map(|job| job.1).collect()
    }

    /// A job with those that hold what it would rather have, and with those nearest to it where there is room; `None` if
    /// it has no such wish.
    fn in_the_way(
        &self,
        pool: &Pool,
        incumbent: &Incumbent,
        centre: usize,
        number: usize,
        size: usize,
    ) -> Option<Vec<usize>> {
        let present =
            incumbent.windows()[centre].as_ref().map_or(f64::INFINITY, |window| self.own_value(window));
        let mut wishes: Vec<(f64, usize)> = (pool.of(centre).iter().enumerate())
            .map(|(at, window)| (self.own_value(window), at))
            .filter(|wish| wish.0 < present)
            .collect();
        wishes.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let sets = wishes.iter().filter_map(|wish| {
            let mut free = self.around.holders(&pool.of(centre)[wish.1]);
            if !free.contains(&centre) {
                free.push(centre);
            }
            (free.len() <= size).then_some(free)
        });
        let mut free = sets.take(number + 1).nth(number)?;
        for job in nearest(incumbent.windows(), centre, size) {
            if free.len() < size && !free.contains(&job) {
                free.push(job);
            }
        }
        free.sort_unstable();
        Some(free)
    }

    fn any(&mut self, centre: usize, size: usize) -> Vec<usize> {
        let jobs = self.instance.jobs.len();
        let mut free = vec![centre];
        while free.len() < size.min(jobs) {
            let job = self.sequence.below(jobs);
            if !free.contains(&job) {
                free.push(job);
            }
        }
        free.sort_unstable();
        free
    }

    /// Plans the free jobs anew around the others. Says whether the plan is better.
    fn replan(
        &mut self,
        free: &[usize],
        pool: &mut Pool,
        incumbent: &mut Incumbent,
        meter: &mut Meter<'_>,
    ) -> Result<bool, Stopped> {
        if self.seen.get(free) == Some(&self.stamp) {
            return Ok(false);
        }
        self.seen.insert(free.to_vec(), self.stamp);
        let instance = self.instance;
        let present: Vec<Option<Window>> = free.iter().map(|&job| incumbent.windows()[job].clone()).collect();
        let mut slots = self.around.rest.clone();
        for window in present.iter().flatten() {
            slots.give_back(window).map_err(JointError::from)?;
        }
        let others = (incumbent.windows().iter().enumerate()).filter(|(job, _)| !free.contains(job));
        let used = exact_sum(
            others.filter_map(|(_, window)| window.as_ref()).map(|window| instance.terms.weight(window)),
        );
        let jobs: Vec<&Job> = free.iter().map(|&job| instance.jobs[job]).collect();
        let part = Instance { slots: &slots, jobs, limit: instance.limit - used, ..instance.clone() };
        let mut part_pool = Pool::new(free.len());
        for (number, &job) in free.iter().enumerate() {
            meter.spend(1 + pool.of(job).len() as u64).map_err(Stopped::Limit)?;
            for window in pool.of(job) {
                if self.around.holders(window).iter().all(|holder| free.contains(holder)) {
                    part_pool.add(number, window);
                }
            }
        }
        let left_out = present.iter().filter(|window| window.is_none()).count();
        let objective =
            exact_sum(present.iter().flatten().map(|window| instance.terms.objective(window, instance.from)));
        let mut ascent = Ascent::starting_at(self.duals.multiplier);
        let aim = Aim {
            steps: 6 + 2 * free.len(),
            left_out: 0,
            incumbent: if left_out == 0 { objective } else { f64::INFINITY },
            enough: if left_out == 0 { objective } else { f64::INFINITY },
        };
        let result = ascent.climb(&part, &mut part_pool, aim, meter, |_, _, _, _| Ok(f64::INFINITY));
        for (number, &job) in free.iter().enumerate() {
            for window in part_pool.of(number) {
                pool.add(job, window);
            }
        }
        result?;
        // A bound at the present objective says that nothing better is to be had here.
        if left_out == 0 && ascent.bound(0).is_some_and(|bound| bound >= objective) {
            return Ok(false);
        }
        let picked = choose(&part, &part_pool, &present, &ascent, CHOICE_WORK, meter)?;
        let mut windows = incumbent.windows().to_vec();
        for (window, &job) in picked.into_iter().zip(free) {
            windows[job] = window;
        }
        let better = incumbent.offer(instance, windows);
        if better {
            self.stamp += 1;
            for (window, &job) in present.iter().zip(free) {
                if let Some(window) = window {
                    self.around.give_back(job, window)?;
                }
            }
            for &job in free {
                if let Some(window) = &incumbent.windows()[job] {
                    self.around.take(job, window)?;
                }
            }
        }
        Ok(better)
    }
}

/// The job with those that are nearest to its window: sharing a node first, then by distance of their starts. Jobs
/// without a window are near to every job.
fn nearest(windows: &[Option<Window>], centre: usize, size: usize) -> Vec<usize> {
    let distance = |job: usize| match (&windows[centre], &windows[job]) {
        (Some(ours), Some(theirs)) => {
            let shared = ours
                .placements()
                .iter()
                .any(|place| theirs.placements().iter().any(|other| other.node == place.node));
            let apart = if ours.start() < theirs.start() {
                theirs.start() - ours.start()
            } else {
                ours.start() - theirs.start()
            };
            (1 + u8::from(!shared), apart)
        }
        _ => (0, Span::ZERO),
    };
    let mut others: Vec<_> =
        (0..windows.len()).filter(|&job| job != centre).map(|job| (distance(job), job)).collect();
    others.sort_unstable();
    let mut near: Vec<usize> = others.into_iter().take(size - 1).map(|other| other.1).collect();
    near.push(centre);
    near.sort_unstable();
    near
}

/// The best choice among the windows of a pool, no two of which overlap. Where all jobs are placed at present, windows
/// that no better plan can have are passed over.
///
/// # Errors
/// [`Stopped`] where the input is malformed or the limit is reached.
pub(crate) fn choose(
    instance: &Instance<'_>,
    pool: &Pool,
    present: &[Option<Window>],
    ascent: &Ascent,
    work: u64,
    meter: &mut Meter<'_>,
) -> Result<Vec<Option<Window>>, Stopped> {
    let kept = kept(instance, pool, present, ascent)?;
    let candidate = |window: &&Window| {
        Candidate::of_window(
            window,
            instance.terms.objective(window, instance.from),
            instance.terms.weight(window),
        )
    };
    let candidates = kept.iter().map(|windows| windows.iter().map(candidate).collect()).collect();
    let duals = &ascent.duals;
    let prices = duals.prices.iter().map(|(row, &price)| (row.0.0, row.1.get(), price));
    let start = StartPrices { multiplier: duals.multiplier, prices: prices.collect() };
    let problem = ConflictProblem::new(candidates, instance.limit).map_err(JointError::from)?;
    let known = present.iter().zip(&kept).map(|(window, kept)| {
        let window = window.as_ref()?;
        kept.iter().position(|other| *other == window)
    });
    let problem = problem.with_start_prices(start).with_incumbent(known.collect());
    let choice = meter.within(work, |meter| problem.solve(meter));
    if let Some(end) = meter.ended() {
        return Err(Stopped::Limit(end));
    }
    let windows = choice.picks.iter().zip(&kept);
    Ok(windows
        .map(|(pick, kept)| pick.and_then(|pick| kept.get(pick)).map(|window| (*window).clone()))
        .collect())
}

/// For each job the windows that a better plan than the present one can have, and the present one.
fn kept<'a>(
    instance: &Instance<'_>,
    pool: &'a Pool,
    present: &[Option<Window>],
    ascent: &Ascent,
) -> Result<Vec<Vec<&'a Window>>, JointError> {
    let all = || (0..pool.jobs()).map(|job| pool.of(job).iter().collect()).collect();
    let without = ascent.without_window();
    let Some(point) = ascent.best_point(0) else { return Ok(all()) };
    if present
        .iter()
        .enumerate()
        .any(|(job, window)| window.is_none() && without.binary_search(&job).is_err())
    {
        return Ok(all());
    }
    let objective =
        exact_sum(present.iter().flatten().map(|window| instance.terms.objective(window, instance.from)));
    let room = objective - point.leaving_out(0);
    let values = ascent.reduced(instance, pool)?;
    Ok((values.iter().enumerate())
        .map(|(job, values)| {
            let windows = pool.of(job).iter().zip(values);
            let keeps = |(window, value): &(&Window, &f64)| {
                **value - point.of_job(job) <= room || present[job].as_ref() == Some(*window)
            };
            windows.filter(keeps).map(|(window, _)| window).collect()
        })
        .collect())
}
