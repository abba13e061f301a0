//! Classes of tasks with equal rows.

use sched_model::{End, EtcMatrix, Meter};
use std::cmp::Ordering;

/// The unmapped tasks of a matrix, in classes of equal rows. The tasks of a class have equal completion times on
/// every resource, and are mapped in ascending order.
pub(crate) struct Classes {
    /// All tasks, class by class, ascending within a class.
    tasks: Vec<u32>,
    /// For each class the range of `tasks` that is not mapped yet.
    left: Vec<(u32, u32)>,
}

impl Classes {
    /// Groups the tasks of `etc`. Spends one unit for each task, and one for each time of a task whose first time
    /// also occurs as that of another task.
    pub(crate) fn new(etc: &EtcMatrix, meter: &mut Meter) -> Result<Self, End> {
        let first = |task: u32| etc[task as usize].first().map_or(0, |time| time.to_bits());
        // Most rows differ in their first time, so whole rows are compared only where the first times are equal.
        meter.spend(etc.rows() as u64)?;
        let mut order: Vec<(u64, u32)> = (0..etc.rows() as u32).map(|task| (first(task), task)).collect();
        order.sort_unstable();
        let mut tasks: Vec<u32> = order.iter().map(|&(_, task)| task).collect();
        let mut left = vec![];
        let mut begin = 0;
        for run in order.chunk_by(|a, b| a.0 == b.0) {
            let base = begin;
            let run = &mut tasks[base..base + run.len()];
            if run.len() > 1 {
                meter.spend((run.len() * etc.cols()) as u64)?;
                run.sort_unstable_by(|&a, &b| by_row(etc, a, b).then(a.cmp(&b)));
            }
            for (at, pair) in run.windows(2).enumerate() {
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

    /// Renumbers the classes in descending order of the sum of times of a task.
    pub(crate) fn sort_by_size(&mut self, etc: &EtcMatrix, meter: &mut Meter) -> Result<(), End> {
        let mut sized: Vec<(f64, (u32, u32))> = Vec::with_capacity(self.left.len());
        for &class in &self.left {
            meter.spend(etc.cols() as u64)?;
            let row = &etc[self.tasks[class.0 as usize] as usize];
            sized.push((row.iter().sum::<f64>(), class));
        }
        sized.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        self.left = sized.into_iter().map(|(_, class)| class).collect();
        Ok(())
    }

    pub(crate) fn len(&self) -> usize {
        self.left.len()
    }

    /// The lowest unmapped task of a class that has one.
    pub(crate) fn lowest(&self, class: u32) -> u32 {
        self.tasks[self.left[class as usize].0 as usize]
    }

    /// Removes the lowest unmapped task of a class; returns whether the class has tasks left.
    pub(crate) fn take(&mut self, class: u32) -> bool {
        let (begin, end) = &mut self.left[class as usize];
        *begin += 1;
        begin < end
    }
}

fn by_row(etc: &EtcMatrix, a: u32, b: u32) -> Ordering {
    let pairs = etc[a as usize].iter().zip(&etc[b as usize]);
    pairs.map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}
