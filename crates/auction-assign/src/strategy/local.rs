//! Which machine of its site a job runs on.

use sched_model::Work;
use sched_model::order::order;

use super::site::FreeMachine;
use crate::problem::Costs;
use crate::{AssignError, AssignmentProblem, Coverage, assign};

sched_model::registry! {
    /// How the local scheduler places jobs on machines.
    #[derive(Default)]
    pub enum LocalRule: "local rule" {
        /// The shortest job to the fastest machine with a free processor: the article's rule.
        #[default]
        ShortestFirst = "shortest-first",
        /// The shortest job to the machine with the greatest free fraction (equation 18); among equals, the
        /// fastest.
        Balanced = "balanced",
        /// The minimum sum of processing times (equation 13 as it stands), which sends the longest jobs to the
        /// fastest machines.
        LeastTotal = "least-total",
    }
}

impl LocalRule {
    /// The machine of each job, `None` for jobs beyond the free processors. Ties: the lower index.
    ///
    /// Time O(jobs * machines); [`LeastTotal`](Self::LeastTotal) O(jobs log jobs + machines log machines).
    ///
    /// # Errors
    /// [`AssignError::Factor`] where a work divided by a speed is beyond [`MAX_COST`](crate::MAX_COST), with
    /// [`LeastTotal`](Self::LeastTotal) only.
    ///
    /// ```
    /// use auction_assign::strategy::{FreeMachine, LocalRule};
    /// use sched_model::{Speed, Work};
    /// let machine = |free, live, speed| FreeMachine::new(free, live, Speed::must(speed));
    /// let machines = [machine(1, 4, 3.0), machine(2, 2, 1.0)];
    /// let jobs = [9.0, 3.0].map(Work::must);
    /// assert_eq!(LocalRule::ShortestFirst.place(&jobs, &machines)?, [Some(1), Some(0)]);
    /// assert_eq!(LocalRule::Balanced.place(&jobs, &machines)?, [Some(1), Some(1)]);
    /// assert_eq!(LocalRule::LeastTotal.place(&jobs, &machines)?, [Some(0), Some(1)]);
    /// # Ok::<(), auction_assign::AssignError>(())
    /// ```
    pub fn place(self, jobs: &[Work], machines: &[FreeMachine]) -> Result<Vec<Option<usize>>, AssignError> {
        if self == Self::LeastTotal {
            return least_total(jobs, machines);
        }
        let mut free: Vec<u32> = machines.iter().map(|machine| machine.free).collect();
        let mut placed = vec![None; jobs.len()];
        for job in order(jobs.len(), &|a, b| jobs[a].cmp(&jobs[b])) {
            // The last of the greatest, so the lowest index among equals when going down.
            let best = (0..machines.len()).rev().filter(|&k| free[k] > 0).max_by(|&a, &b| {
                let fraction = |k: usize| f64::from(free[k]) / f64::from(machines[k].live.max(1));
                let balance = fraction(a).total_cmp(&fraction(b));
                let speed = machines[a].speed.cmp(&machines[b].speed);
                if self == Self::Balanced { balance.then(speed) } else { speed }
            });
            let Some(best) = best else { break };
            free[best] -= 1;
            placed[job as usize] = Some(best);
        }
        Ok(placed)
    }
}

fn least_total(jobs: &[Work], machines: &[FreeMachine]) -> Result<Vec<Option<usize>>, AssignError> {
    let lengths: Vec<f64> = jobs.iter().map(|work| work.get()).collect();
    let speeds: Vec<f64> = machines.iter().map(|machine| machine.speed.get()).collect();
    let free: Vec<u32> = machines.iter().map(|machine| machine.free).collect();
    let problem = AssignmentProblem::new(Costs::product(&lengths, &speeds)?)
        .with_capacities(&free)
        .with_coverage(Coverage::MostJobs);
    let placed = assign(&problem)?.best.map(|assignment| assignment.resources).unwrap_or_default();
    Ok(placed.into_iter().map(|machine| machine.map(|k| k as usize)).collect())
}
