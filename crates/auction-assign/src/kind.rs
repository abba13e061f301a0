//! The registry of methods.

use crate::kernel::watch::watched;
use crate::{
    AssignError, Assigner, Assignment, AssignmentProblem, Auction, Shortage, automatic, greedy,
    shortest_paths, sorted, transport,
};
use sched_model::{Meter, Outcome};

sched_model::registry! {
    /// The methods of this crate. Each variant implements [`Assigner`] itself, with its default settings.
    pub enum AssignerKind: "assignment method" => dyn Assigner {
        /// The default method: chooses one method by the shape of the problem and gives it a head start; after that the
        /// auction solves the problem.
        ///
        /// 1. Equal columns (resources that cost every job the same) are merged into one resource with the places of
        ///    all, if a few entries of each column suggest that few columns are different and a pass over all entries
        ///    confirms it. A full matrix with one place per resource is transposed if jobs outnumber resources, or if
        ///    rows are equal: equal rows become equal columns of the transposed matrix, and are merged.
        /// 2. Product costs ([`Costs::product`](crate::Costs::product)) are sorted as in [`Sorted`](Self::Sorted), but
        ///    the answer is proven against every quotient, and corrected by shortest paths if it is not optimal.
        /// 3. If each resource holds eight jobs or more on average, and there are at most 1000 resources,
        ///    [`Transport`](Self::Transport) solves the problem. With more than 256 resources, or 64 in sparse costs,
        ///    steps 4 and 5 come first, step 5 limited to 16 passes and 850 entries per job; `Transport` follows only
        ///    if places are left over.
        /// 4. If every place will be taken, costs that look like a ranking of jobs and resources (a sample of 64
        ///    exchanges agrees with one) are sorted. If then at most one job in eight does not pay its minimum cost +
        ///    price, shortest paths place these jobs again. Otherwise, in full stored rows with one place per resource
        ///    and up to 4000 jobs, bids without increment read whole rows for two passes; if they end in many ties, a
        ///    maximum matching of jobs with their cheapest resources places more; and shortest paths place the rest.
        ///    If the paths are predicted to read more than four passes, and costs are multiples of a power of two and
        ///    at most 2^21 times it, they read a copy of the costs in 32 bits.
        /// 5. All other problems use candidate lists: bids without increment; then, if few jobs are unplaced and costs
        ///    differ, bids with a small increment (a 32nd to a 1024th of the spread of the lists, the smaller the
        ///    more jobs there are); then shortest augmenting paths.
        ///
        /// The head start of the chosen method is the work of 64 passes over the costs (512 if places are left over)
        /// and 1400 entries per job. Once that is used up, the [`Auction`](Auction) solves the problem from the
        /// beginning. If every place will be taken, the auction also takes over earlier: when bids over lists leave
        /// more than one job in eight unplaced, or one in four where resources hold several; when lists have done the
        /// work of 16 passes and 850 entries per job; or when paths over whole rows are predicted, after one pass, to
        /// read more than 64 passes. (In step 5 as limited by step 3 it also takes over if costs are sparse and bids
        /// leave more than nine jobs in ten unplaced.) After paths over whole rows it starts from what they have
        /// placed, provided that at least half of the jobs are placed, and at most half have ties at the prices
        /// reached. In all other cases it starts from the beginning. So no problem takes
        /// more than the head start and the work of the auction alone; but a
        /// [start](crate::AssignmentProblem::with_start) is tried before.
        ///
        /// Guarantee: exact (see [`Assigner`]). Ties: those of the method that gives the answer. Space: O(jobs +
        /// resources), plus the merged matrix if rows or columns are equal, plus the transposed costs, plus the copy
        /// in 32 bits; each of these is made only if the memory limit leaves room for it.
        Automatic = "automatic" => Self::Automatic,
        /// The [`Auction`] with its default settings.
        Auction = "auction" => Self::Auction,
        /// Shortest augmenting paths: bids without increment, then bids with a small increment if few jobs are left,
        /// place most jobs. Each remaining job is placed along a shortest augmenting path, on which other jobs move, to
        /// a free place.
        ///
        /// Source: R. Jonker, A. Volgenant, *A shortest augmenting path algorithm for dense and sparse linear
        /// assignment problems*, 1987.
        ///
        /// Prefer it where costs vary widely and at random. Guarantee: exact (see [`Assigner`]). Time: O(jobs * (jobs *
        /// resources + resources log resources)), in practice a few passes over the costs. Space: O(jobs + resources).
        /// Ties: the first resource in ascending order, beginning at a different resource for each job.
        ///
        /// ```
        /// use auction_assign::{Assigner, AssignerKind, AssignmentProblem, Costs};
        /// let costs = Costs::dense(2, 2, &[1.0, 2.0, 3.0, 9.0])?;
        /// assert_eq!(AssignerKind::ShortestPaths.assign(&AssignmentProblem::new(costs))?.value, Some(5.0));
        /// # Ok::<(), auction_assign::AssignError>(())
        /// ```
        ShortestPaths = "shortest-paths" => Self::ShortestPaths,
        /// A method for many jobs on few resources: finds a price for each resource on samples of the jobs, then
        /// balances the loads along shortest paths over the resources.
        ///
        /// Source: successive shortest paths, R. G. Busacker, P. J. Gowen, 1961, with the node prices of J. Edmonds,
        /// R. M. Karp, 1972, over the cheapest moves between resources.
        ///
        /// Prefer it where resources are few (up to some hundreds) and hold many jobs each. Guarantee: exact (see
        /// [`Assigner`]). Time: a few passes over the costs, plus at most one search over the kept pairs for every
        /// job that has to move from its place at the sampled prices (about sqrt(jobs * resources) of them on random
        /// costs, in the worst case all jobs); one pass if every job has room on its cheapest resource, of at most 256.
        /// Space: O(jobs + resources^2 + kept pairs). A few pairs per job are kept, nearly all where most costs are
        /// equal; each move of a job adds its pairs once more. Ties: the lowest resource that has room.
        ///
        /// # Errors
        /// [`AssignError::Unsupported`] for more than 2000 resources; otherwise as for [`Assigner`].
        ///
        /// ```
        /// use auction_assign::{Assigner, AssignerKind, AssignmentProblem, Costs};
        /// // Four jobs, all best on resource 0, which holds two: those that lose least by moving go to resource 1.
        /// let costs = Costs::dense(4, 2, &[1.0, 4.0, 1.0, 2.0, 1.0, 9.0, 1.0, 3.0])?;
        /// let answer = AssignerKind::Transport.assign(&AssignmentProblem::new(costs).with_capacities(&[2, 2]))?;
        /// let assignment = answer.best.unwrap();
        /// assert_eq!(assignment.resources, [Some(0), Some(1), Some(0), Some(1)]);
        /// assert_eq!(assignment.total, 7.0);
        /// # Ok::<(), auction_assign::AssignError>(())
        /// ```
        Transport = "transport" => Self::Transport,
        /// Sorting, for costs whose optimum follows from a ranking of the jobs and of the resources.
        ///
        /// Source: A. J. Hoffman, *On simple linear programming problems*, 1963.
        ///
        /// Solves problems with [`Costs::product`](crate::Costs::product), unless unplaced jobs have a penalty. If
        /// every place will be taken, it also solves problems with other costs whose optimum follows from a ranking.
        /// For all other problems it returns [`AssignError::Unsupported`].
        ///
        /// Guarantee: exact (see [`Assigner`]), except for product costs. These are ranked by their factors, which
        /// gives the optimum of the unrounded quotients; the proof is a gap that allows for the rounding of each
        /// quotient. ([`Automatic`](Self::Automatic) reads all quotients, and is exact.) Time: O(jobs log jobs +
        /// resources log resources) for product costs, otherwise a sort and a few passes over the costs. Space: O(jobs
        /// + resources). Ties in a ranking: the lower index first.
        ///
        /// ```
        /// use auction_assign::{AssignError, Assigner, AssignerKind, AssignmentProblem, Costs};
        /// let costs = Costs::product(&[10.0, 40.0, 20.0], &[1.0, 4.0, 2.0])?;
        /// let assignment = AssignerKind::Sorted.assign(&AssignmentProblem::new(costs))?.best.unwrap();
        /// assert_eq!(assignment.resources, [Some(0), Some(1), Some(2)]);
        /// assert_eq!(assignment.total, 30.0);
        /// # Ok::<(), AssignError>(())
        /// ```
        Sorted = "sorted" => Self::Sorted,
        /// Places the jobs in order, each on its cheapest resource with room (with a penalty: or leaves it unplaced if
        /// that costs no more).
        ///
        /// Use it for comparison, and where an answer is needed after a single pass. Guarantee: none (heuristic), no
        /// duals. Unless there is a penalty, jobs that find no place are placed at the end by moving others without
        /// regard to costs, as many as possible; so the outcome is infeasible only if the problem is. Time: O(jobs *
        /// resources), plus the moves. Space: O(jobs + resources). Ties: the lowest resource.
        ///
        /// ```
        /// use auction_assign::{Assigner, AssignerKind, AssignmentProblem, Costs};
        /// let costs = Costs::dense(2, 2, &[1.0, 2.0, 3.0, 9.0])?;
        /// // Job 0 takes the cheapest pair, and job 1 pays for it.
        /// assert_eq!(AssignerKind::Greedy.assign(&AssignmentProblem::new(costs))?.value, Some(10.0));
        /// # Ok::<(), auction_assign::AssignError>(())
        /// ```
        Greedy = "greedy" => Self::Greedy,
    }
}

impl Assigner for AssignerKind {
    fn name(&self) -> &'static str {
        Self::name(*self)
    }

    fn solve(
        &self,
        problem: &AssignmentProblem<'_>,
        meter: &mut Meter,
    ) -> Result<Outcome<Assignment, Shortage>, AssignError> {
        watched(problem, meter, |watch| match self {
            Self::Automatic => automatic::run(problem, watch),
            Self::Auction => Auction::default().run(problem, watch),
            Self::ShortestPaths => shortest_paths::run(problem, watch),
            Self::Transport => transport::run(problem, watch),
            Self::Sorted => sorted::run(problem, watch),
            Self::Greedy => greedy::run(problem, watch),
        })
    }
}
