//! The method that fits the problem.

use crate::ends::{alone, close, close_within, least_felt, power_of_two, width};
use crate::exact;
use crate::few;
use crate::frame::{Found, Frame};
use crate::lists::Lists;
use crate::market::Market;
use crate::sorted;
use crate::state::NONE;
use crate::{Answer, AssignError, Assigner, Problem};

/// Solves a problem by the method that fits its shape and costs: [`Chosen`].
///
/// # Errors
/// [`AssignError::Cost`] and [`AssignError::Penalty`] for values out of range.
///
/// ```
/// use auction_assign::{Costs, Problem, solve};
/// let costs = Costs::dense(2, 2, &[1.0, 2.0, 3.0, 9.0])?;
/// let answer = solve(&Problem::new(costs))?;
/// assert_eq!(answer.assignment().unwrap().resources, [Some(1), Some(0)]);
/// # Ok::<(), auction_assign::AssignError>(())
/// ```
pub fn solve(problem: &Problem<'_>) -> Result<Answer, AssignError> {
    Chosen::default().assign(problem)
}

/// Chooses by shape and structure:
///
/// 1. product costs ([`Costs::product`](crate::Costs::product)) are sorted and, other than by [`Sorted`](crate::Sorted) alone, proven
///    against every quotient;
/// 2. resources of which each holds eight jobs or more on average, up to 256 of them: [`FewResources`](crate::FewResources),
///    which first asks whether every job finds room on its cheapest;
/// 3. costs that look like a ranking of jobs and resources (64 random exchanges agree) are sorted; where the duals show
///    that this is the optimum all is done, else it is where the next step begins;
/// 4. bids without increment, two per job. If they leave at most one job in eight unplaced, bids by a little (a 32nd to a
///    1024th of the spread of the candidate lists, the more jobs the less) place the rest, unless most jobs have several
///    cheapest offers; then, and where there are more places than jobs, whoever does not stand right is placed along shortest
///    augmenting paths ([`ShortestPaths`](crate::ShortestPaths)), unless that turns out to be long;
/// 5. else a few phases of the [`Auction`](crate::Auction) find better prices first, epsilon falling from twice the spread
///    to a 128th of it, and shortest augmenting paths close.
///
/// Guarantee: exact (see [`Assigner`]). Space O(jobs + resources).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Chosen {}

impl Assigner for Chosen {
    fn name(&self) -> &'static str {
        "chosen"
    }

    fn assign(&self, problem: &Problem<'_>) -> Result<Answer, AssignError> {
        let product = sorted::rank_product(problem);
        let (n, m) = (problem.jobs(), problem.resources());
        if product.is_none() && m <= 256 && n >= 8 * m {
            return few::solve(problem);
        }
        let frame = match Frame::new(problem)? {
            Ok(frame) => frame,
            Err(shortage) => return Ok(Answer::Infeasible(shortage)),
        };
        if n == 0 {
            return Ok(frame.finish(Found::nothing(&frame)));
        }
        let ranked = product.or_else(|| sorted::rank(&frame));
        if let Some(found) = ranked.as_ref()
            && sorted::is_optimal(&frame, found)
        {
            return Ok(exact::finish_ranked(&frame, ranked.unwrap_or_else(|| Found::nothing(&frame))));
        }
        let prices = ranked.as_ref().map_or_else(|| frame.start(), |found| found.prices.clone());
        let mut lists = Lists::new(&frame.source, frame.void, width(&frame), &prices);
        let mut market = Market::new(n, &frame.capacities, prices);
        let nearly_ranked = ranked.is_some();
        if let Some(found) = ranked {
            for (i, (&r, &cost)) in found.resource_of.iter().zip(&found.cost_of).enumerate() {
                market.place(i as u32, r, cost);
            }
            market.release(&mut lists, 0.0);
        }
        market.reduce(&mut lists, 2 * n);
        let waiting = market.resource_of.iter().filter(|&&r| r == NONE).count();
        let spread = lists.spread();
        let felt = least_felt(&frame);
        // Where places are left over, paths are short, and high prices would have to come down again.
        let (worthwhile, budget) = if frame.is_tight() { (waiting * 8 <= n, 8 * n) } else { (true, 64 * n) };
        if worthwhile {
            // The last jobs' paths are the long ones; bids by a little more than nothing shorten them. Not where a ranking
            // is nearly right or rows offer much at one cost: paths are short there.
            if frame.is_tight() && !nearly_ranked && waiting > 0 && 2 * lists.ties() < n {
                let little = power_of_two(spread / (n as f64 / 16.0).clamp(32.0, 1024.0));
                if little >= felt {
                    market.phase(&mut lists, little, alone(&frame), 16 * n);
                }
            }
            match close_within(&frame, market, &mut lists, budget) {
                Ok(answer) => return Ok(answer),
                Err(rest) => market = rest,
            }
        }
        let least = felt.max(frame.survey.step);
        let mut epsilon = power_of_two(2.0 * spread);
        let last = power_of_two(spread / 128.0).max(least);
        while epsilon > least {
            market.release(&mut lists, epsilon);
            market.phase(&mut lists, epsilon, alone(&frame), 32 * n);
            if epsilon <= last {
                break;
            }
            epsilon = (epsilon / 16.0).max(last);
        }
        Ok(close(&frame, market, &mut lists))
    }
}
