//! Assignments solved again after changes: each answer is as good as one without an earlier answer, and has a
//! proof.

use super::assign::Case as Problems;
use crate::number::Family;
use crate::rng::Rng;
use crate::target::{Target, Verdict, ensure};
use econsched::auction_assign::{AssignError, Changes, Warm, solve, verify};
use econsched::sched_model::{End, Limit};
use serde::{Deserialize, Serialize};

pub(crate) struct Again;

#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    problem: Problems,
    rounds: Vec<Round>,
}

/// What changes before a problem is solved again.
#[derive(Serialize, Deserialize)]
struct Round {
    /// Job, resource, and the new cost; none forbids the pair.
    costs: Vec<(usize, usize, Option<f64>)>,
    capacity: Option<(usize, u32)>,
    /// Whether changes are named by resource.
    by_resource: bool,
    /// Work that the call may take.
    work: Option<u64>,
}

impl Target for Again {
    type Case = Case;

    fn generate(rng: &mut Rng) -> Case {
        let problem = super::assign::Assignments::generate(rng);
        let (rows, cols) = (problem.rows.len(), problem.cols());
        let family = Family::any(rng);
        let rounds = (0..rng.range(1, 6))
            .map(|_| Round {
                costs: (0..rng.below(4))
                    .map(|_| {
                        let cost = if rng.percent(90) { Some(family.draw(rng)) } else { None };
                        (rng.below(rows), rng.below(cols), cost)
                    })
                    .collect(),
                capacity: rng.percent(30).then(|| (rng.below(cols), super::assign::capacity(rng, 4))),
                by_resource: rng.percent(40),
                work: rng.percent(15).then(|| rng.below(200) as u64),
            })
            .collect();
        Case { problem, rounds }
    }

    fn judge(case: &Case) -> Verdict {
        let mut problem = case.problem.clone();
        let mut warm = Warm::default();
        let (rows, cols) = (problem.rows.len(), problem.cols());
        let still = Round { costs: Vec::new(), capacity: None, by_resource: false, work: None };
        for round in std::iter::once(&still).chain(&case.rounds) {
            let (mut jobs, mut resources) = (Vec::new(), Vec::new());
            for &(job, resource, cost) in &round.costs {
                if job >= rows || resource >= cols {
                    continue;
                }
                problem.change(job, resource, cost);
                jobs.push(job as u32);
                resources.push(resource as u32);
            }
            if let (Some((at, capacity)), Some(capacities)) = (round.capacity, &mut problem.capacities)
                && let Some(own) = capacities.get_mut(at)
            {
                *own = capacity;
            }
            let stored = problem.store();
            let given = problem.problem(&stored)?;
            // In sparse form a removed pair is named by its job.
            let changes = if round.by_resource && !problem.sparse {
                Changes::default().with_resources(&resources)
            } else {
                Changes::of_jobs(&jobs)
            };
            let limit = round.work.map_or_else(Limit::default, |work| Limit::default().with_work(work));
            let (found, fresh) = match (warm.solve(&given, changes, &mut limit.meter()), solve(&given)) {
                (Ok(found), Ok(fresh)) => (found, fresh),
                // A problem that is refused here must be refused without an earlier answer, too.
                (Err(AssignError::Changed { .. }), _) => {
                    ensure!(false, "a change that is there is said not to be");
                    continue;
                }
                (Err(_), Err(_)) => return Ok(()),
                (Err(error), Ok(_)) => {
                    ensure!(false, "an error only where it is solved again: {error}");
                    continue;
                }
                (Ok(_), Err(error)) => {
                    ensure!(false, "an error only where it is solved from nothing: {error}");
                    continue;
                }
            };
            if found.outcome.end != End::Done {
                continue;
            }
            match (&found.outcome.incumbent, fresh.assignment()) {
                (Some(again), Some(anew)) => {
                    let values = [again, anew].map(|one| problem.weigh(&one.resources));
                    ensure!(values[0].is_some(), "solved again it breaks a rule");
                    ensure!(values[0] == values[1], "{} again, {} from nothing", again.total, anew.total);
                    let certificate = verify(&given, again, 0.0);
                    ensure!(certificate.is_ok(), "again: {certificate:?}");
                }
                (None, None) => {}
                (again, _) => ensure!(false, "solved again there is an answer: {}", again.is_some()),
            }
        }
        Ok(())
    }
}
