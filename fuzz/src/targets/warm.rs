//! Assignments solved from an earlier answer after changes: each answer is as good as one from nothing, and has
//! a proof, whatever the earlier answer says.

use super::assign::Case as Problems;
use crate::number::Family;
use crate::rng::Rng;
use crate::target::{Target, Verdict, ensure};
use econsched::auction_assign::{Assignment, Duals, solve, solve_within, verify};
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
    /// Prices, and perhaps a resource for each job, in place of those of the earlier answer.
    #[serde(default)]
    made_up: Option<(Vec<f64>, Vec<Option<u32>>)>,
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
                made_up: rng.percent(25).then(|| {
                    let family = if rng.percent(50) { family } else { Family::any(rng) };
                    let prices = (0..cols).map(|_| family.draw(rng)).collect();
                    (prices, (0..rows).map(|_| rng.percent(80).then(|| rng.below(cols + 1) as u32)).collect())
                }),
                work: rng.percent(15).then(|| rng.below(200) as u64),
            })
            .collect();
        Case { problem, rounds }
    }

    fn judge(case: &Case) -> Verdict {
        let mut problem = case.problem.clone();
        let (rows, cols) = (problem.rows.len(), problem.cols());
        let mut start: Option<Assignment> = None;
        let still = Round { costs: Vec::new(), capacity: None, made_up: None, work: None };
        for round in std::iter::once(&still).chain(&case.rounds) {
            for &(job, resource, cost) in &round.costs {
                if job < rows && resource < cols {
                    problem.change(job, resource, cost);
                }
            }
            if let (Some((at, capacity)), Some(capacities)) = (round.capacity, &mut problem.capacities)
                && let Some(own) = capacities.get_mut(at)
            {
                *own = capacity;
            }
            if let Some((prices, resources)) = round.made_up.clone()
                && (resources.len(), prices.len()) == (rows, cols)
            {
                let duals =
                    Duals { profits: Vec::new(), waiting: prices.first().copied(), prices, remainders: None };
                start = Some(Assignment { resources, total: 0.0, duals: Some(duals) });
            }
            let stored = problem.store();
            let anew = problem.problem(&stored)?;
            let given = start.as_ref().map_or(anew, |start| anew.with_start(start));
            let limit = round.work.map_or_else(Limit::default, |work| Limit::default().with_work(work));
            let (found, fresh) = match (solve_within(&given, &mut limit.meter()), solve(&anew)) {
                (Ok(found), Ok(fresh)) => (found, fresh),
                (Err(_), Err(_)) => return Ok(()),
                (Err(error), Ok(_)) => {
                    ensure!(false, "an error only with an earlier answer: {error}");
                    continue;
                }
                (Ok(_), Err(error)) => {
                    ensure!(false, "an error only from nothing: {error}");
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
                    start = Some(again.clone());
                }
                (None, None) => {}
                (again, _) => ensure!(false, "solved again there is an answer: {}", again.is_some()),
            }
        }
        Ok(())
    }
}
