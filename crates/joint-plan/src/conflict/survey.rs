//! The survey of a node of the tree: bounds from the prices, the limit and the accounts, and the useful candidates.

use super::branch::{Search, by_reduced};
use super::node::{Branches, Node, Survey};
use super::prices::{Prices, most_saved};
use sched_model::internal::SumFilter;

impl Search<'_> {
    /// Computes the bound at a node, and selects the job to branch on.
    pub(super) fn survey(&self, node: &Node, prices: &Prices) -> Survey {
        let lists = &node.lists;
        let ceiling = self.ceiling();
        let spare = self.allowance.saturating_sub(node.left_out);
        let limited = self.problem.limit.is_finite() && spare == 0;
        let (mut stuck, mut count) = (None, 0);
        let (mut sum, mut leasts) = (0.0, Vec::with_capacity(lists.jobs()));
        for (job, &decided) in node.decided.iter().enumerate() {
            let least = lists.least(job);
            if !decided && least.is_none() {
                (stuck, count) = (stuck.or(Some(job)), count + 1);
            }
            let least = least.map_or(f64::INFINITY, |least| least.reduced);
            sum += if least == f64::INFINITY { 0.0 } else { least };
            leasts.push(least);
        }
        if count > spare || !self.leaves_accounts_open(node, spare) {
            return Survey::Useless;
        }
        let spare = spare - count;
        let undecided = leasts.iter().zip(&node.decided).filter(|job| !job.1 && *job.0 < f64::INFINITY);
        let bound = sum - prices.constant - prices.margin - most_saved(undecided.map(|job| *job.0), spare);
        if bound >= ceiling {
            return Survey::Useless;
        }
        // The candidates of a job with which the bound stays below the ceiling. Placing this job does not increase the
        // saving from leaving out others.
        let useful = |job: usize| {
            let least = leasts[job];
            lists.of(job).iter().copied().filter(move |entry| bound + (entry.reduced - least) < ceiling)
        };
        let mut fewest = stuck.map(|job| (0, job));
        let mut lightest = 0.0;
        for job in (0..lists.jobs()).filter(|&job| leasts[job] < f64::INFINITY) {
            if limited {
                let weights = useful(job).map(|entry| self.problem.candidates[entry.index as usize].weight);
                lightest += weights.fold(f64::INFINITY, f64::min);
            }
            if !node.decided[job] {
                let count = useful(job).count();
                fewest = fewest.filter(|&fewest| fewest <= (count, job)).or(Some((count, job)));
            }
        }
        if limited && SumFilter::new(self.problem.limit, self.weight_error).decide(lightest) == Some(false) {
            return Survey::Useless;
        }
        fewest.map_or(Survey::Decided, |(_, job)| {
            let least = leasts[job];
            let leave_out = spare > 0 || least == f64::INFINITY;
            Survey::Branch(Branches {
                job,
                useful: by_reduced(useful(job).collect()),
                leave_out,
                bound,
                least,
            })
        })
    }

    /// Whether each budget suffices for the decided jobs and, if no further job may be left out, for the cheapest
    /// useful candidates of the others.
    fn leaves_accounts_open(&self, node: &Node, spare: usize) -> bool {
        let budgets = &self.problem.accounts.budgets;
        if budgets.is_empty() {
            return true;
        }
        let mut least = vec![0.0; budgets.len()];
        for (job, &decided) in node.decided.iter().enumerate() {
            if decided || spare == 0 {
                let costs = node.lists.of(job).iter().filter_map(|entry| self.problem.cost(entry.index));
                if let Some((account, cost)) = costs.min_by(|a, b| a.1.total_cmp(&b.1)) {
                    least[account] += cost;
                }
            }
        }
        let limits = budgets.iter().zip(&self.cost_errors);
        least.iter().zip(limits).all(|(&least, (&budget, &error))| {
            budget == f64::INFINITY || SumFilter::new(budget, error).decide(least) != Some(false)
        })
    }
}
