//! Two methods in turn: the *leader*, which is expected to be best, and the *rival*, the auction, whose work
//! varies less.
//!
//! After a head start the rival takes turns with the leader, until it has done as much work as the leader since
//! then; the first that ends has the answer. So both together do at most the head start and twice the work of
//! the rival alone (and a sixteenth, the length of a turn), at most twice the work of the leader alone, and
//! within the head start no more than that. A leader that foresees more work than a head start hands over: the
//! rival goes on to its end.

use std::cell::{Cell, RefCell};

use sched_model::End;

use crate::auction::{Auction, AuctionRun};
use crate::kernel::source::Source;
use crate::kernel::stop::Stop;
use crate::kernel::watch::{Overseer, Tally, Watch};
use crate::{Answer, AssignmentProblem};

/// What the leader may spend before the rival begins: passes over the costs, more of them where places are left
/// over, since an auction has to bring their prices down again; and units per job.
const PASSES: u64 = 64;
const ROOMY_PASSES: u64 = 256;
const PER_JOB: u64 = 1400;

/// The rival takes a turn each time that the leader has spent a sixteenth more.
const TURN: u64 = 16;

/// The head start of the leader.
fn head_start(problem: &AssignmentProblem<'_>) -> u64 {
    let is_roomy = problem.total_capacity() > problem.jobs() as u64;
    let passes = if is_roomy { ROOMY_PASSES } else { PASSES };
    let passes = passes.saturating_mul(Source::new(problem).all_entries());
    passes.saturating_add(PER_JOB * problem.jobs() as u64)
}

/// The answer of the method that has it first.
pub(crate) fn solve(
    problem: &AssignmentProblem<'_>,
    watch: Watch<'_>,
    leader: impl FnOnce(Watch<'_>) -> Result<Answer, Stop>,
) -> Result<Answer, Stop> {
    solve_after(problem, head_start(problem), watch, leader)
}

fn solve_after(
    problem: &AssignmentProblem<'_>,
    head_start: u64,
    watch: Watch<'_>,
    leader: impl FnOnce(Watch<'_>) -> Result<Answer, Stop>,
) -> Result<Answer, Stop> {
    let tally = Tally::new(watch);
    let race = Race {
        outer: watch,
        spent: Cell::new(0),
        head_start,
        next: Cell::new(head_start.max(1)),
        rival: RefCell::new(Rival { problem, tally: &tally, run: None, result: None }),
    };
    let result = leader(watch.through(&race));
    race.rival.into_inner().result.unwrap_or(result)
}

struct Race<'r> {
    outer: Watch<'r>,
    /// Work of the leader.
    spent: Cell<u64>,
    head_start: u64,
    /// The leader's work at which the rival takes its next turn. It does not depend on how finely work is
    /// counted; so neither does the answer.
    next: Cell<u64>,
    rival: RefCell<Rival<'r>>,
}

struct Rival<'r> {
    problem: &'r AssignmentProblem<'r>,
    tally: &'r Tally<'r>,
    run: Option<AuctionRun<'r>>,
    /// How it ended.
    result: Option<Result<Answer, Stop>>,
}

impl Rival<'_> {
    fn go_on(&mut self, limit: u64) -> Result<Option<Answer>, Stop> {
        let run = match &mut self.run {
            Some(run) => run,
            None => self.run.insert(AuctionRun::new(Auction::default(), self.problem, self.tally)?),
        };
        run.go_on(limit)
    }
}

impl Overseer for Race<'_> {
    fn outer(&self) -> Watch<'_> {
        self.outer
    }

    fn spend(&self, units: u64) -> Result<(), End> {
        self.outer.spend(units)?;
        self.spent.set(self.spent.get() + units);
        while self.spent.get() >= self.next.get() {
            let spent = self.next.get();
            self.next.set(spent.saturating_add((spent / TURN).max(1)));
            self.let_rival_go_on(spent - self.head_start.min(spent))?;
        }
        Ok(())
    }

    fn hand_over(&self) -> Result<(), End> {
        while self.next.get() < u64::MAX {
            self.let_rival_go_on(u64::MAX)?;
        }
        Ok(())
    }
}

impl Race<'_> {
    /// The rival's turn, up to so much work in all; an error once it has ended.
    fn let_rival_go_on(&self, limit: u64) -> Result<(), End> {
        let rival = &mut *self.rival.borrow_mut();
        match rival.go_on(limit) {
            Ok(None) => Ok(()),
            // Without memory for lists of its own there is no rival.
            Err(Stop::Ended(End::Memory)) => {
                rival.run = None;
                self.next.set(u64::MAX);
                Ok(())
            }
            result => {
                let end = if let Err(Stop::Ended(end)) = &result { *end } else { End::Done };
                rival.result = result.transpose();
                Err(end)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automatic::by_shape;
    use crate::{Costs, verify};

    fn values(n: usize) -> Vec<f64> {
        (0..n * n).map(|k| ((k * 7919 + (k / n) * k % 10_007 * 31) % 1009) as f64).collect()
    }

    /// What is spent in all, and the answer.
    fn raced(
        problem: &AssignmentProblem<'_>,
        head_start: u64,
        leader: impl FnOnce(Watch<'_>) -> Result<Answer, Stop>,
    ) -> (u64, Result<Answer, Stop>) {
        let all = Tally::new(Watch::NONE);
        let answer = solve_after(problem, head_start, all.watch(), leader);
        (all.spent(), answer)
    }

    /// The work of the auction alone.
    fn spent_alone(problem: &AssignmentProblem<'_>) -> u64 {
        let tally = Tally::new(Watch::NONE);
        let mut run = AuctionRun::new(Auction::default(), problem, &tally).ok().unwrap();
        while run.go_on(u64::MAX).ok().unwrap().is_none() {}
        tally.spent()
    }

    #[test]
    fn a_leader_that_never_ends_costs_what_the_rival_does_once_more_and_a_head_start() {
        let values = values(40);
        let problem = AssignmentProblem::new(Costs::dense(40, 40, &values).unwrap());
        let alone = spent_alone(&problem);
        for head_start in [0, 1600, 11_200, 1_600_000] {
            for units in [1, 40, 1600] {
                let (spent, answer) = raced(&problem, head_start, |watch| {
                    loop {
                        watch.spend(units)?;
                    }
                });
                let answer = answer.ok().unwrap();
                assert_eq!(verify(&problem, &answer.solution).unwrap().gap, 0.0);
                let most = head_start + 2 * alone;
                assert!(
                    spent > alone && spent <= most + most / 8 + 2 * units,
                    "{spent} {alone} {head_start} {units}"
                );
            }
        }
    }

    /// Costs of the automatic choice's hard kinds, from a few numbers of each job and resource.
    fn hard(rows: usize, cols: usize, cost: impl Fn([f64; 2], [f64; 2]) -> f64) -> Vec<f64> {
        let mut state = 7u64;
        let mut draw = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            1.0 + ((state >> 33) % 1000) as f64
        };
        let of: Vec<[f64; 2]> = (0..rows + cols).map(|_| [draw(), draw()]).collect();
        (0..rows * cols).map(|k| cost(of[k / cols], of[rows + k % cols])).collect()
    }

    #[test]
    fn both_together_spend_no_more_than_is_promised() {
        let time = |job: [f64; 2], to: [f64; 2]| (1e4 * job[0] / to[0] + 1e4 * job[1] / to[1]).round();
        let least_cover = |job: [f64; 2], to: [f64; 2]| job[0].max(to[0]) * to[1];
        let mut races = 0;
        for (rows, cols, values) in [
            (160, 160, hard(160, 160, time)),
            (120, 140, hard(120, 140, time)),
            (200, 200, hard(200, 200, time)),
            (150, 170, hard(150, 170, least_cover)),
            (200, 220, hard(200, 220, least_cover)),
            (240, 264, hard(240, 264, time)),
        ] {
            let problem = AssignmentProblem::new(Costs::dense(rows, cols, &values).unwrap());
            let (alone, rival) =
                (raced(&problem, u64::MAX, |watch| by_shape(&problem, watch)).0, spent_alone(&problem));
            for first in [head_start(&problem) / 16, head_start(&problem)] {
                let (both, _) = raced(&problem, first, |watch| by_shape(&problem, watch));
                races += u32::from(both > alone);
                let most = (first + 2 * rival).min(2 * alone);
                // Interrupted phases bid in another order.
                assert!(both <= most + most / 4, "{both}, of {alone} and {rival}, after {first}");
            }
        }
        assert!(races > 1, "{races}");
    }

    #[test]
    fn a_leader_that_hands_over_spends_no_more_itself() {
        let values = values(40);
        let problem = AssignmentProblem::new(Costs::dense(40, 40, &values).unwrap());
        let (spent, answer) = raced(&problem, 1_000_000, |watch| {
            watch.spend(100)?;
            watch.hand_over()?;
            watch.spend(1_000_000)?;
            Err(End::Gap.into())
        });
        assert!(answer.is_ok());
        assert_eq!(spent, spent_alone(&problem) + 100);
    }

    #[test]
    fn within_the_head_start_nothing_is_spent_twice() {
        let values = values(40);
        let problem = AssignmentProblem::new(Costs::dense(40, 40, &values).unwrap());
        let (spent, answer) = raced(&problem, 3200, |watch| {
            watch.spend(3100)?;
            Err(End::Gap.into())
        });
        assert!(matches!(answer, Err(Stop::Ended(End::Gap))));
        assert_eq!(spent, 3100);
    }

    #[test]
    fn what_stops_the_rival_stops_both() {
        let values = [1.0, f64::NAN, 2.0, 3.0];
        let problem = AssignmentProblem::new(Costs::dense(2, 2, &values).unwrap());
        let (_, answer) = raced(&problem, 0, |watch| {
            loop {
                watch.spend(1)?;
            }
        });
        assert!(matches!(answer, Err(Stop::Malformed(_))));
    }
}
