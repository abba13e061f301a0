//! Tasks with equal rows.

use sched_model::{End, EtcMatrix, Portion, sort_in_parts};
use std::cmp::Ordering;

/// Tasks that are sorted without a question, and the fewest where whole rows are compared.
pub(super) const PART: usize = 1 << 13;
const LEAST_PART: usize = 32;

/// The tasks of a matrix in classes of equal rows. What holds for one task of a class holds for all, and the
/// tasks of a class are chosen in ascending order.
pub(crate) struct Classes {
    /// Class after class, each from its lowest task.
    tasks: Vec<u32>,
    /// For each class the range of its tasks that are left.
    left: Vec<(u32, u32)>,
}

impl Classes {
    /// Sorts of more than some thousand tasks count beside the readings: a unit for each visit of a task, and
    /// for each time that may be compared where tasks have the same first time.
    pub(crate) fn new(etc: &EtcMatrix, readings: &mut Portion<'_>) -> Result<Self, End> {
        let first = |task: u32| etc.row(task as usize).first().map_or(0, |time| time.to_bits());
        // Most rows differ in their first time, so whole rows are compared only where these are equal.
        let mut order: Vec<(u64, u32)> = Vec::with_capacity(etc.rows());
        while order.len() < etc.rows() {
            let part = PART.min(etc.rows() - order.len());
            if etc.rows() > PART {
                readings.spend(part as u64)?;
            }
            let begin = order.len() as u32;
            order.extend((begin..begin + part as u32).map(|task| (first(task), task)));
        }
        sort_in_parts(&mut order, PART, Ord::cmp, |visits| readings.spend(visits))?;
        let mut tasks: Vec<u32> = order.iter().map(|&(_, task)| task).collect();
        let mut left = vec![];
        let mut begin = 0;
        let mut sorted = Vec::new();
        let part = (PART / etc.cols().max(1)).max(LEAST_PART);
        for run in order.chunk_by(|a, b| a.0 == b.0) {
            let base = begin;
            let run = &mut tasks[base..base + run.len()];
            if run.len() > 1 {
                sorted.clear();
                sorted.extend_from_slice(run);
                let ask = |visits: u64| readings.spend(visits * etc.cols() as u64);
                sort_in_parts(&mut sorted, part, |&a, &b| by_row(etc, a, b).then(a.cmp(&b)), ask)?;
                run.copy_from_slice(&sorted);
            }
            for (at, pair) in run.windows(2).enumerate() {
                if (at + 1).is_multiple_of(part) {
                    readings.spend((part * etc.cols()) as u64)?;
                }
                if by_row(etc, pair[0], pair[1]).is_ne() {
                    let end = base + at + 1;
                    left.push((begin as u32, end as u32));
                    begin = end;
                }
            }
            let end = base + run.len();
            left.push((begin as u32, end as u32));
            begin = end;
        }
        Ok(Self { tasks, left })
    }

    /// Renumbers the classes, greatest sum of times first.
    pub(crate) fn sort_by_size(&mut self, etc: &EtcMatrix, readings: &mut Portion<'_>) -> Result<(), End> {
        let mut sized: Vec<(f64, (u32, u32))> = Vec::with_capacity(self.left.len());
        for &class in &self.left {
            readings.visit(etc.cols() as u64)?;
            let row = etc.row(self.tasks[class.0 as usize] as usize);
            sized.push((row.iter().sum::<f64>(), class));
        }
        let greatest_first =
            |a: &(f64, (u32, u32)), b: &(f64, (u32, u32))| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        sort_in_parts(&mut sized, PART, greatest_first, |visits| readings.spend(visits))?;
        self.left = sized.into_iter().map(|(_, class)| class).collect();
        Ok(())
    }

    pub(crate) fn len(&self) -> usize {
        self.left.len()
    }

    /// The lowest task left of a class.
    pub(crate) fn lowest(&self, class: u32) -> u32 {
        self.tasks[self.left[class as usize].0 as usize]
    }

    /// Takes the lowest task of a class; false if it was the last.
    pub(crate) fn take(&mut self, class: u32) -> bool {
        let (begin, end) = &mut self.left[class as usize];
        *begin += 1;
        begin < end
    }
}

fn by_row(etc: &EtcMatrix, a: u32, b: u32) -> Ordering {
    let pairs = etc.row(a as usize).iter().zip(etc.row(b as usize));
    pairs.map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}
