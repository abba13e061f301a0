//! What can still be done at a node of the tree: bounds from the prices, the limit and the purses.

use super::branch::Search;
use super::node::{Open, Partial, Survey, is_set};
use sched_model::SumFilter;

impl Search<'_> {
    /// The bound at a node, and the job to branch on there.
    pub(super) fn survey(&self, depth: usize, partial: &Partial) -> Survey {
        let allowed = &self.allowed[depth];
        let ceiling = self.ceiling();
        let spare = self.allowance - partial.left_out.min(self.allowance);
        let undecided = || (0..self.order.len()).filter(|&job| !partial.decided[job]);
        let mut leasts: Vec<(f64, usize)> = Vec::new();
        let mut stuck = 0;
        let mut lightest = partial.weight;
        for job in undecided() {
            let mut usable = self.order[job].iter().filter(|&&index| is_set(allowed, index));
            match usable.next() {
                None => stuck += 1,
                Some(&first) => leasts.push((self.prices.reduced[first as usize], job)),
            }
            if self.problem.limit.is_finite() && spare == 0 {
                let weights = self.order[job].iter().filter(|&&index| is_set(allowed, index));
                let weights = weights.map(|&index| self.problem.candidates[index as usize].weight);
                lightest += weights.fold(f64::INFINITY, f64::min);
            }
        }
        if stuck > spare {
            return Survey::Useless;
        }
        let filter = SumFilter::new(self.problem.limit, self.weight_error);
        if self.problem.limit.is_finite() && spare == 0 && filter.decide(lightest) == Some(false) {
            return Survey::Useless;
        }
        if !self.problem.purses.is_empty() && !self.leaves_purses_open(partial, allowed, spare) {
            return Survey::Useless;
        }
        let spare = spare - stuck;
        // What leaving jobs out can save at most: the greatest of the least reduced objectives.
        let mut saved: Vec<f64> = leasts.iter().map(|least| least.0.max(0.0)).collect();
        saved.sort_unstable_by(|a, b| b.total_cmp(a));
        let saved: f64 = saved.iter().take(spare).sum();
        let bound =
            partial.reduced + leasts.iter().map(|least| least.0).sum::<f64>() - saved - self.prices.margin;
        if bound >= ceiling {
            return Survey::Useless;
        }
        let mut choice: Option<Open> = None;
        for job in undecided() {
            let least = leasts.iter().find(|least| least.1 == job).map_or(f64::INFINITY, |least| least.0);
            let shared = if spare > 0 { least.max(0.0) } else { 0.0 };
            let of_use: Vec<u32> = (self.order[job].iter().copied())
                .filter(|&index| is_set(allowed, index))
                .take_while(|&index| {
                    bound + (self.prices.reduced[index as usize] - least) - shared < ceiling || spare > 0
                })
                .collect();
            let leave_out = spare > 0 || least == f64::INFINITY;
            let fewer = |other: &Open| (of_use.len(), job) < (other.of_use.len(), other.job);
            if choice.as_ref().is_none_or(fewer) {
                choice = Some(Open { job, of_use, leave_out });
            }
        }
        choice.map_or(Survey::Decided, Survey::Branch)
    }

    /// Whether each purse suffices for what it has paid and, where no job may be left out, for the cheapest candidates that
    /// its other jobs can still have.
    fn leaves_purses_open(&self, partial: &Partial, allowed: &[u64], spare: usize) -> bool {
        let purses = &self.problem.purses;
        let mut least = partial.spent.clone();
        if spare == 0 {
            for list in self.order.iter().zip(&partial.decided).filter(|job| !job.1).map(|job| job.0) {
                let costs = list.iter().filter(|&&index| is_set(allowed, index));
                let costs = costs.filter_map(|&index| purses.of_candidate(index));
                let cheapest = costs.min_by(|a, b| a.1.total_cmp(&b.1));
                if let Some((purse, cost)) = cheapest {
                    least[purse] += cost;
                }
            }
        }
        let limits = purses.budgets.iter().zip(&purses.errors);
        least.iter().zip(limits).all(|(&least, (&budget, &error))| {
            budget == f64::INFINITY || SumFilter::new(budget, error).decide(least) != Some(false)
        })
    }
}
