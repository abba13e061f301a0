//! Rounds of matching on admissible pairs, and of raising levels and prices between them.

use crate::admissible::pairs::Pairs;
use crate::kernel::NONE;
use crate::kernel::prepared::{Found, Prepared};
use crate::kernel::source::Row;
use crate::kernel::stop::Stop;
use crate::kernel::watch::Room;
use crate::kernel::wide::{least, least_per_block, least_sum, lower_to, mark_equal, positions_of};

/// Jobs sampled to see whether many values are equal, and the share of them (one in so many) that must have
/// several admissible pairs.
const SAMPLE: usize = 32;
const TIED_SHARE: usize = 2;

/// Admissible pairs of a job of the sample, on average, from which on a greatest matching comes first, and
/// the share of the jobs (one in so many) that it may leave waiting; passes over the costs that rounds may
/// then read.
const MANY_PAIRS: usize = 3;
const MATCHED_SHARE: usize = 16;
const FEW_PASSES: u64 = 4;

/// Admissible pairs that most jobs need for each that bids to find a free resource by itself.
const ENOUGH_PAIRS: usize = 12;

/// A round must place one in so many of the waiting jobs to be followed by another, unless so few wait that
/// paths for each would read as much.
const PLACED_SHARE: usize = 4;
const FEW_WAITING: usize = 8;

/// Passes over the costs that all rounds may read together.
const MOST_PASSES: u64 = 32;

/// What making a set costs, as entries of a row read in a plain loop, and a word of it.
const WORK_SET: u64 = 2;

/// Whether most jobs of a sample have several admissible pairs at these prices. Needs full rows.
pub(crate) fn pays(prepared: &Prepared<'_>, prices: &[f64]) -> bool {
    are_tied(&sample_of_pairs(prepared, prices))
}

/// Whether most have several admissible pairs.
fn are_tied(sample: &[usize]) -> bool {
    sample.iter().filter(|&&pairs| pairs > 1).count() * TIED_SHARE >= sample.len()
}

/// How many admissible pairs each job of a sample has at these prices.
fn sample_of_pairs(prepared: &Prepared<'_>, prices: &[f64]) -> Vec<usize> {
    let n = prepared.jobs();
    let sample = n.min(SAMPLE);
    let mut buffer = Vec::new();
    let pairs_of = |k| {
        let Row::Full(row) = prepared.source.row(k * n / sample, &mut buffer) else { return 0 };
        let level = least_sum(row, prices);
        let is_admissible = |&(&cost, &price): &(&f64, &f64)| cost + price == level && level < f64::INFINITY;
        row.iter().zip(prices).filter(is_admissible).count()
    };
    (0..sample).map(pairs_of).collect()
}

/// At most four rounds, where they pay (see [`pays`]), a sample of jobs has three admissible pairs each on
/// average, and, if `bids_follow`, most of them fewer than twelve, and a greatest matching on all pairs leaves
/// few jobs waiting. As [`match_by_rounds`]; else `None`, and where the limit leaves no memory for the sets of
/// pairs.
///
/// One path at a time would read the same ties again and again.
pub(crate) fn match_ties(
    prepared: &Prepared<'_>,
    prices: &[f64],
    bids_follow: bool,
) -> Result<Option<Found>, Stop> {
    let (n, m) = (prepared.jobs(), prices.len());
    let sample = sample_of_pairs(prepared, prices);
    let are_enough = sample.iter().filter(|&&pairs| pairs >= ENOUGH_PAIRS).count() * 2 > sample.len();
    let are_many = sample.iter().sum::<usize>() >= MANY_PAIRS * sample.len();
    if !are_tied(&sample) || !are_many || (bids_follow && are_enough) {
        return Ok(None);
    }
    let Some(_room) = room_of_sets(prepared, m) else { return Ok(None) };
    let mut rounds = Rounds::new(prepared, prices.to_vec())?;
    let mut waiting = rounds.begin(None);
    if waiting.len() * MATCHED_SHARE > n {
        return Ok(None);
    }
    rounds.go_on(&mut waiting, FEW_PASSES * n as u64 * m as u64)?;
    Ok(Some(rounds.into_found()))
}

/// Matches by rounds, from prices that are 0 wherever a resource may stay free, and from the placements of
/// `begun` that are admissible; for one place per resource, full rows, no dummy. Every placed job pays its
/// level. Leaves jobs waiting, with [`NONE`], where a round reads too much for the jobs that it places, or
/// where not all can be placed. `None` where the limit leaves no memory for the sets of pairs.
pub(crate) fn match_by_rounds(
    prepared: &Prepared<'_>,
    prices: Vec<f64>,
    begun: Option<&[u32]>,
) -> Result<Option<Found>, Stop> {
    let Some(_room) = room_of_sets(prepared, prices.len()) else { return Ok(None) };
    let mut rounds = Rounds::new(prepared, prices)?;
    let mut waiting = rounds.begin(begun);
    let (n, m) = (prepared.jobs() as u64, prepared.source.cols() as u64);
    rounds.go_on(&mut waiting, MOST_PASSES * n * m)?;
    Ok(Some(rounds.into_found()))
}

/// The memory of a bit for each pair.
fn room_of_sets<'a>(prepared: &Prepared<'a>, resources: usize) -> Option<Room<'a>> {
    let jobs = prepared.jobs();
    prepared.watch.room::<u64>(jobs.saturating_mul(resources.div_ceil(64)), jobs)
}

struct Rounds<'p, 'a> {
    prepared: &'p Prepared<'a>,
    prices: Vec<f64>,
    /// The least value of each job.
    levels: Vec<f64>,
    pairs: Pairs,
    /// Distance of each resource from the waiting jobs; infinite where it is settled.
    distance: Vec<f64>,
    /// The prices, infinite where a resource is settled.
    open_prices: Vec<f64>,
    settled: Vec<(u32, f64)>,
    /// Jobs reached, with their distances.
    reached: Vec<(u32, f64)>,
    nearest: Vec<u32>,
    minima: Vec<f64>,
    buffer: Vec<f64>,
    read: u64,
}

impl<'p, 'a> Rounds<'p, 'a> {
    fn new(prepared: &'p Prepared<'a>, prices: Vec<f64>) -> Result<Self, Stop> {
        let (n, m) = (prepared.jobs(), prices.len());
        let mut rounds = Self {
            prepared,
            levels: vec![0.0; n],
            pairs: Pairs::new(n, m),
            distance: vec![f64::INFINITY; m],
            open_prices: prices.clone(),
            prices,
            settled: Vec::new(),
            reached: Vec::new(),
            nearest: Vec::new(),
            minima: Vec::new(),
            buffer: Vec::new(),
            read: 0,
        };
        (0..n).try_for_each(|job| rounds.admit(job))?;
        Ok(rounds)
    }

    /// A greatest matching on the admissible pairs, from an earlier assignment; returns the jobs that still
    /// wait.
    fn begin(&mut self, begun: Option<&[u32]>) -> Vec<u32> {
        self.pairs.begin(begun.unwrap_or_default());
        let mut waiting: Vec<u32> =
            (0..).zip(&self.pairs.resource_of).filter(|&(_, &r)| r == NONE).map(|(job, _)| job).collect();
        // Jobs with the fewest admissible pairs come first.
        waiting.sort_by_cached_key(|&job| self.pairs.degree(job));
        self.pairs.complete(&mut waiting);
        waiting
    }

    /// Rounds, until no job waits, a round reads too much for the jobs that it places, or a round ends with
    /// more than `most` work.
    fn go_on(&mut self, waiting: &mut Vec<u32>, most: u64) -> Result<(), Stop> {
        while !waiting.is_empty() && self.work() <= most {
            let before = waiting.len();
            self.prepared.look(&self.pairs.resource_of, &self.prices)?;
            if !self.raise(waiting)? {
                break;
            }
            self.pairs.complete(waiting);
            if (before - waiting.len()) * PLACED_SHARE < before && before > FEW_WAITING {
                break;
            }
        }
        Ok(())
    }

    /// The placements and prices.
    fn into_found(self) -> Found {
        let Self { prices, pairs, prepared, .. } = self;
        let resource_of = pairs.resource_of;
        let cost =
            |(job, &r): (usize, &u32)| if r == NONE { 0.0 } else { prepared.source.cost(job, r as usize) };
        let cost_of = resource_of.iter().enumerate().map(cost).collect();
        Found { resource_of, cost_of, prices, least_raise: f64::INFINITY }
    }

    /// Entries and words read so far.
    fn work(&self) -> u64 {
        self.read + self.pairs.work
    }

    /// Finds the level and the admissible pairs of a job.
    fn admit(&mut self, job: usize) -> Result<(), Stop> {
        let Row::Full(row) = self.prepared.source.row(job, &mut self.buffer) else { return Ok(()) };
        self.prepared.watch.spend(WORK_SET * row.len() as u64)?;
        self.read += WORK_SET * row.len() as u64;
        least_per_block(row, &self.prices, &mut self.minima);
        let level = least(&self.minima);
        self.levels[job] = level;
        let set = self.pairs.row_mut(job);
        set.fill(0);
        if level == f64::INFINITY {
            // No pair is admissible; the job keeps waiting.
            return Ok(());
        }
        mark_equal(row, &self.prices, level, &self.minima, set);
        Ok(())
    }

    /// Lowers the distances by the row of a job that is reached at the distance `at`.
    fn reach(&mut self, job: u32, at: f64) -> Result<(), Stop> {
        let Row::Full(row) = self.prepared.source.row(job as usize, &mut self.buffer) else { return Ok(()) };
        self.prepared.watch.spend(row.len() as u64)?;
        self.read += row.len() as u64;
        if self.levels[job as usize] < f64::INFINITY {
            lower_to(&mut self.distance, row, &self.open_prices, self.levels[job as usize] - at);
        }
        self.reached.push((job, at));
        Ok(())
    }

    /// Raises levels and prices of what the waiting jobs reach, until a free resource becomes admissible;
    /// false if none does.
    ///
    /// Invariant: distances are settled in ascending order; every job reached nearer than the first free
    /// resource has its level raised by the difference, and its resource its price, so that placed pairs stay
    /// admissible.
    fn raise(&mut self, waiting: &[u32]) -> Result<bool, Stop> {
        self.distance.fill(f64::INFINITY);
        self.open_prices.copy_from_slice(&self.prices);
        self.settled.clear();
        self.reached.clear();
        for &job in waiting {
            self.reach(job, 0.0)?;
        }
        let end = loop {
            let nearest = least(&self.distance);
            if nearest == f64::INFINITY {
                return Ok(false);
            }
            let mut todo = std::mem::take(&mut self.nearest);
            todo.clear();
            positions_of(&self.distance, nearest, &mut todo);
            let arrived = todo.iter().any(|&r| self.pairs.is_free(r));
            for &r in todo.iter().filter(|_| !arrived) {
                self.distance[r as usize] = f64::INFINITY;
                self.open_prices[r as usize] = f64::INFINITY;
                self.settled.push((r, nearest));
            }
            for &r in todo.iter().filter(|_| !arrived) {
                self.reach(self.pairs.owner[r as usize], nearest)?;
            }
            self.nearest = todo;
            if arrived {
                break nearest;
            }
        };
        self.apply(end)
    }

    /// Raises the levels and prices of what was reached nearer than `end`.
    fn apply(&mut self, end: f64) -> Result<bool, Stop> {
        let mut raised = vec![0u64; self.prices.len().div_ceil(64)];
        for &(r, at) in self.settled.iter().filter(|&&(_, at)| at < end) {
            self.prices[r as usize] += end - at;
            raised[r as usize / 64] |= 1 << (r % 64);
        }
        self.pairs.close(&raised, |_| true);
        let reached = std::mem::take(&mut self.reached);
        for &(job, _) in reached.iter().filter(|&&(_, at)| at < end) {
            self.admit(job as usize)?;
        }
        self.reached = reached;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::watch::Watch;
    use crate::{Answer, Assigner, Costs, Problem, ShortestPaths, verify};

    /// Every placed job stands at its level, free resources kept their price, and what is complete is an
    /// optimum.
    #[test]
    fn rounds_keep_levels_and_end_with_the_optimum() {
        let mut complete = 0;
        for round in 0..60u64 {
            let (n, m) = (20 + round as usize % 30, 50 + (round as usize % 3) * 20);
            let m = if round % 2 == 0 { n } else { m };
            let kinds = [2, 3, 7, 30][round as usize % 4];
            let values: Vec<f64> = (0..(n * m) as u64)
                .map(|k| ((k * 7919 + (k + round) * k * 104_729) % 1000 % kinds) as f64 - 1.0)
                .collect();
            let problem = Problem::new(Costs::dense(n, m, &values).unwrap());
            let prepared = Prepared::new(&problem, Watch::NONE).ok().unwrap();
            let found = match_by_rounds(&prepared, prepared.start(), None).ok().unwrap().unwrap();
            for (job, &r) in found.resource_of.iter().enumerate().filter(|&(_, &r)| r != NONE) {
                let row = &values[job * m..(job + 1) * m];
                assert_eq!(row[r as usize] + found.prices[r as usize], least_sum(row, &found.prices));
            }
            for r in (0..m as u32).filter(|r| !found.resource_of.contains(r)) {
                assert_eq!(found.prices[r as usize], prepared.start()[r as usize]);
            }
            if !found.resource_of.contains(&NONE) {
                complete += 1;
                let Answer::Assigned(proven) = prepared.finish(found) else { panic!("all are placed") };
                assert_eq!(verify(&problem, &proven.solution, 0.0).unwrap().gap, 0.0);
                let other = ShortestPaths.assign(&problem).unwrap();
                assert_eq!(proven.solution.total, other.assignment().unwrap().total);
            }
        }
        assert!(complete > 30, "{complete}");
    }

    #[test]
    fn ties_are_matched_where_they_are_many_and_differ() {
        let n = 100usize;
        let draw = |k: usize| (k * 7919 + (k / n) * k % 10_007 * 31) % 1009;
        // The zeros of a job, of 100 resources: four anywhere, four that all want, one.
        let anywhere = |i: usize, r: usize| (0..4).all(|k| draw(i * 4 + k) % n != r);
        let wanted = |_: usize, r: usize| r > 3;
        let one = |i: usize, r: usize| draw(i) % n != r;
        let zeros: [&dyn Fn(usize, usize) -> bool; 3] = [&anywhere, &wanted, &one];
        for (is_one, is_matched) in zeros.into_iter().zip([true, false, false]) {
            let mut values: Vec<f64> = (0..n * n).map(|k| f64::from(is_one(k / n, k % n))).collect();
            // Every column is cheap for some job.
            for (k, value) in values.iter_mut().enumerate() {
                *value += f64::from(*value > 0.0) * (draw(k) % 3) as f64;
            }
            let problem = Problem::new(Costs::dense(n, n, &values).unwrap());
            let prepared = Prepared::new(&problem, Watch::NONE).ok().unwrap();
            let found = match_ties(&prepared, &vec![0.0; n], true).ok().unwrap();
            assert_eq!(found.is_some(), is_matched);
            let Some(found) = found else { continue };
            assert!(found.resource_of.iter().filter(|&&r| r == NONE).count() * MATCHED_SHARE <= n);
            for (row, &r) in values.chunks(n).zip(&found.resource_of).filter(|&(_, &r)| r != NONE) {
                assert_eq!(row[r as usize] + found.prices[r as usize], least_sum(row, &found.prices));
            }
            let answer = crate::solve(&problem).unwrap();
            let other = ShortestPaths.assign(&problem).unwrap();
            assert_eq!(answer.assignment().unwrap().total, other.assignment().unwrap().total);
            assert_eq!(verify(&problem, answer.assignment().unwrap(), 0.0).unwrap().gap, 0.0);
        }
    }

    #[test]
    fn who_has_no_resource_goes_on_waiting() {
        let values = [f64::INFINITY, f64::INFINITY, 1.0, 1.0];
        let problem = Problem::new(Costs::dense(2, 2, &values).unwrap());
        let prepared = Prepared::new(&problem, Watch::NONE).ok().unwrap();
        let found = match_by_rounds(&prepared, prepared.start(), None).ok().unwrap().unwrap();
        assert_eq!(found.resource_of[0], NONE);
        assert_ne!(found.resource_of[1], NONE);
    }
}
