//! Rounds of matching on admissible pairs, and of raising levels and prices between them.

use crate::admissible::pairs::Pairs;
use crate::kernel::NONE;
use crate::kernel::lanes::{BLOCK, least, least_per_block, least_sum, lower_to};
use crate::kernel::positions::positions_of;
use crate::kernel::prepared::{Found, Prepared};
use crate::kernel::source::Row;
use crate::kernel::stop::Stop;

/// Jobs looked at to see whether many values are equal, and the share of them (one in so many) that must have
/// several admissible pairs.
const SAMPLE: usize = 32;
const TIED_SHARE: usize = 2;

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
    let n = prepared.jobs();
    let sample = n.min(SAMPLE);
    let mut buffer = Vec::new();
    let tied = (0..sample).filter(|k| {
        let Row::Full(row) = prepared.source.row(k * n / sample, &mut buffer) else { return false };
        let level = least_sum(row, prices);
        row.iter().zip(prices).filter(|&(cost, price)| cost + price == level).nth(1).is_some()
    });
    tied.count() * TIED_SHARE >= sample
}

/// Matches by rounds, from prices that are 0 wherever a resource may stay free, and from the placements of
/// `begun` that are admissible; for one place per resource, full rows, no dummy. Every job placed stands at
/// its level. Leaves jobs waiting, with [`NONE`], where a round reads more than it is worth, or where not all
/// can be placed.
pub(crate) fn match_by_rounds(
    prepared: &Prepared<'_>,
    prices: Vec<f64>,
    begun: Option<&[u32]>,
) -> Result<Found, Stop> {
    let mut rounds = Rounds::new(prepared, prices)?;
    rounds.pairs.begin(begun.unwrap_or_default());
    let (n, m) = (prepared.jobs() as u64, prepared.source.cols() as u64);
    let mut waiting: Vec<u32> =
        (0..n as u32).filter(|&job| rounds.pairs.resource_of[job as usize] == NONE).collect();
    // Who has least to choose from chooses first.
    waiting.sort_by_cached_key(|&job| rounds.pairs.degree(job));
    rounds.pairs.complete(&mut waiting);
    while !waiting.is_empty() && rounds.work() <= MOST_PASSES * n * m {
        let before = waiting.len();
        prepared.look(&rounds.pairs.resource_of, &rounds.prices)?;
        if !rounds.raise(&waiting)? {
            break;
        }
        rounds.pairs.complete(&mut waiting);
        if (before - waiting.len()) * PLACED_SHARE < before && before > FEW_WAITING {
            break;
        }
    }
    let Rounds { prices, pairs, .. } = rounds;
    let resource_of = pairs.resource_of;
    let cost = |(job, &r): (usize, &u32)| if r == NONE { 0.0 } else { prepared.source.cost(job, r as usize) };
    let cost_of = resource_of.iter().enumerate().map(cost).collect();
    Ok(Found { resource_of, cost_of, prices, least_raise: f64::INFINITY })
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
    /// Jobs reached, and how far.
    reached: Vec<(u32, f64)>,
    nearest: Vec<u32>,
    minima: Vec<f64>,
    buffer: Vec<f64>,
    read: u64,
}

impl<'p, 'a> Rounds<'p, 'a> {
    fn new(prepared: &'p Prepared<'a>, prices: Vec<f64>) -> Result<Self, Stop> {
        let (n, m) = (prepared.jobs(), prices.len());
        prepared.watch.reserve::<u64>(n * m.div_ceil(64))?;
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
            // Nothing is admissible; the job goes on waiting.
            return Ok(());
        }
        let blocks = row.chunks(BLOCK).zip(self.prices.chunks(BLOCK)).zip(&self.minima);
        for (at, ((costs, prices), &minimum)) in blocks.enumerate() {
            if minimum == level {
                let mut bits = 0;
                for (k, (cost, price)) in costs.iter().zip(prices).enumerate() {
                    bits |= u64::from(cost + price == level) << k;
                }
                set[at * BLOCK / 64] |= bits << (at * BLOCK % 64);
            }
        }
        Ok(())
    }

    /// Lowers the distances by the row of a job that is reached at this distance.
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

    /// Raises what was reached nearer than the end.
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
            let found = match_by_rounds(&prepared, prepared.start(), None).ok().unwrap();
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
    fn who_has_no_resource_goes_on_waiting() {
        let values = [f64::INFINITY, f64::INFINITY, 1.0, 1.0];
        let problem = Problem::new(Costs::dense(2, 2, &values).unwrap());
        let prepared = Prepared::new(&problem, Watch::NONE).ok().unwrap();
        let found = match_by_rounds(&prepared, prepared.start(), None).ok().unwrap();
        assert_eq!(found.resource_of[0], NONE);
        assert_ne!(found.resource_of[1], NONE);
    }
}
