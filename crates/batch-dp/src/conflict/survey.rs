//! What can still be done at a node of the tree: bounds from the prices, the limit and the accounts.

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
        let limited = self.problem.limit.is_finite() && spare == 0;
        let mut open: Vec<(f64, usize)> = Vec::with_capacity(self.order.len());
        let mut stuck = None;
        let mut count = 0;
        for job in undecided() {
            match self.order[job].iter().find(|&&index| is_set(allowed, index)) {
                None => (stuck, count) = (stuck.or(Some(job)), count + 1),
                Some(&first) => open.push((self.prices.reduced[first as usize], job)),
            }
        }
        if count > spare {
            return Survey::Useless;
        }
        if !self.problem.accounts.is_empty() && !self.leaves_accounts_open(partial, allowed, spare) {
            return Survey::Useless;
        }
        let spare = spare - count;
        let mut bound = partial.reduced + open.iter().map(|least| least.0).sum::<f64>() - self.prices.margin;
        if spare > 0 {
            // What leaving jobs out can save at most: the greatest of the least reduced objectives.
            let mut saved: Vec<f64> = open.iter().map(|least| least.0.max(0.0)).collect();
            saved.sort_unstable_by(|a, b| b.total_cmp(a));
            bound -= saved.iter().take(spare).sum::<f64>();
        }
        if bound >= ceiling {
            return Survey::Useless;
        }
        // Of the candidates of a job those with which the bound stays below: the others save no more where
        // this job is not among those left out.
        let of_use = |least: f64, job: usize| {
            let allowed = self.order[job].iter().copied().filter(|&index| is_set(allowed, index));
            allowed.take_while(move |&index| bound + (self.prices.reduced[index as usize] - least) < ceiling)
        };
        let mut fewest = stuck.map(|job| (0, job, f64::INFINITY));
        let mut lightest = partial.weight;
        for &(least, job) in &open {
            let (mut count, mut weight) = (0, f64::INFINITY);
            let most = fewest.map_or(usize::MAX, |fewest| fewest.0);
            for index in of_use(least, job) {
                count += 1;
                if limited {
                    weight = weight.min(self.problem.candidates[index as usize].weight);
                } else if count > most {
                    break;
                }
            }
            lightest += weight;
            if fewest.is_none_or(|fewest| (count, job) < (fewest.0, fewest.1)) {
                fewest = Some((count, job, least));
            }
        }
        if limited && SumFilter::new(self.problem.limit, self.weight_error).decide(lightest) == Some(false) {
            return Survey::Useless;
        }
        fewest.map_or(Survey::Decided, |(_, job, least)| {
            let leave_out = spare > 0 || least == f64::INFINITY;
            Survey::Branch(Open { job, of_use: of_use(least, job).collect(), leave_out })
        })
    }

    /// Whether each account suffices for what it has paid and, where no job may be left out, for the cheapest
    /// candidates that its other jobs can still have.
    fn leaves_accounts_open(&self, partial: &Partial, allowed: &[u64], spare: usize) -> bool {
        let accounts = &self.problem.accounts;
        let mut least = partial.spent.clone();
        if spare == 0 {
            for list in self.order.iter().zip(&partial.decided).filter(|job| !job.1).map(|job| job.0) {
                let costs = list.iter().filter(|&&index| is_set(allowed, index));
                let costs = costs.filter_map(|&index| accounts.of_candidate(index));
                let cheapest = costs.min_by(|a, b| a.1.total_cmp(&b.1));
                if let Some((account, cost)) = cheapest {
                    least[account] += cost;
                }
            }
        }
        let limits = accounts.budgets.iter().zip(&accounts.errors);
        least.iter().zip(limits).all(|(&least, (&budget, &error))| {
            budget == f64::INFINITY || SumFilter::new(budget, error).decide(least) != Some(false)
        })
    }
}
