//! Two methods in turn: the *leader*, which is expected to be best, and the *rival*, the auction, whose work
//! varies less.
//!
//! The work of the leader is counted as it is done. After a head start the rival takes turns with it, at
//! twice the leader's pace until both have done the same work, and then at the same pace; the first that ends
//! has the answer. So both together do at most twice the work of the rival alone (and a sixteenth, the length
//! of a turn), or, where that is less than two head starts, one and a half times that work and the head
//! start. Where the leader ends first, both together do at most twice the work of the leader alone, and
//! within the head start no more than it. A leader that prefers the rival lets it go first, for up to three
//! head starts: where the leader ends first after all, both together may do more than twice its work. A leader
//! that comes to do much the same as the rival has some head starts, if the rival has not begun; one that
//! invites the rival has no more of its head start left.

use std::cell::{Cell, RefCell};

use sched_model::End;

use crate::auction::{Auction, AuctionRun};
use crate::kernel::source::Source;
use crate::kernel::stop::Stop;
use crate::kernel::watch::{Overseer, Tally, Watch};
use crate::{Answer, Problem};

/// What the leader may spend before the rival begins.
#[derive(Clone, Copy)]
pub(crate) struct HeadStart {
    pub(crate) passes: u64,
    pub(crate) per_job: u64,
    /// How many such head starts a leader has that comes to do much the same as the rival.
    pub(crate) resembling: u64,
}

/// The rival takes a turn each time that the leader has spent a sixteenth more.
const TURN: u64 = 16;

/// The rival catches up at this pace: so many entries for each that the leader spends.
const CATCHING_UP: u64 = 2;

/// The work, in head starts, of a rival that the leader prefers, before the leader goes on.
const PREFERRED: u64 = 3;

/// The answer of the method that has it first.
pub(crate) fn solve(
    problem: &Problem<'_>,
    head_start: HeadStart,
    watch: Watch<'_>,
    leader: impl FnOnce(Watch<'_>) -> Result<Answer, Stop>,
) -> Result<Answer, Stop> {
    let entries = Source::new(problem).all_entries();
    let first = (head_start.passes.saturating_mul(entries))
        .saturating_add(head_start.per_job.saturating_mul(problem.jobs() as u64));
    let tally = Tally::new(watch);
    let race = Race {
        outer: watch,
        spent: Cell::new(0),
        head_start: first,
        ahead: Cell::new(first),
        resembling: head_start.resembling,
        next: Cell::new(first.max(1)),
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
    /// The head start of this leader, once it is known what it does.
    ahead: Cell<u64>,
    resembling: u64,
    /// The leader's work at which the rival takes its next turn. It does not depend on how finely work is
    /// counted; so neither does the answer.
    next: Cell<u64>,
    rival: RefCell<Rival<'r>>,
}

struct Rival<'r> {
    problem: &'r Problem<'r>,
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
            let limit = spent.min((spent - self.ahead.get().min(spent)).saturating_mul(CATCHING_UP));
            self.let_rival_go_on(limit)?;
        }
        Ok(())
    }

    fn resemble_other(&self) {
        // A rival that has begun goes on.
        if self.rival.borrow().run.is_none() {
            let ahead = self.head_start.saturating_mul(self.resembling);
            self.ahead.set(ahead);
            self.next.set(ahead.max(1));
        }
    }

    fn invite_other(&self) {
        let spent = self.spent.get();
        if spent < self.ahead.get() {
            self.ahead.set(spent);
            self.next.set(spent.max(1));
        }
    }

    fn prefer_other(&self) -> Result<(), End> {
        self.let_rival_go_on(self.head_start.saturating_mul(PREFERRED))
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
    use crate::automatic::Automatic;
    use crate::automatic::shape::head_start;
    use crate::{Costs, verify};

    const RESEMBLING: u64 = 3;

    fn values(n: usize) -> Vec<f64> {
        (0..n * n).map(|k| ((k * 7919 + (k / n) * k % 10_007 * 31) % 1009) as f64).collect()
    }

    /// What is spent in all, and the answer.
    fn raced(
        problem: &Problem<'_>,
        passes: u64,
        leader: impl FnOnce(Watch<'_>) -> Result<Answer, Stop>,
    ) -> (u64, Result<Answer, Stop>) {
        let all = Tally::new(Watch::NONE);
        let answer =
            solve(problem, HeadStart { passes, per_job: 0, resembling: RESEMBLING }, all.watch(), leader);
        (all.spent(), answer)
    }

    /// The work of the auction alone.
    fn spent_alone(problem: &Problem<'_>) -> u64 {
        let tally = Tally::new(Watch::NONE);
        let mut run = AuctionRun::new(Auction::default(), problem, &tally).ok().unwrap();
        while run.go_on(u64::MAX).ok().unwrap().is_none() {}
        tally.spent()
    }

    #[test]
    fn a_leader_that_never_ends_costs_what_the_rival_does_once_more_or_a_head_start() {
        let values = values(40);
        let problem = Problem::new(Costs::dense(40, 40, &values).unwrap());
        let alone = spent_alone(&problem);
        for passes in [0, 1, 7, 1000] {
            for units in [1, 40, 1600] {
                let (spent, answer) = raced(&problem, passes, |watch| {
                    loop {
                        watch.spend(units)?;
                    }
                });
                let answer = answer.ok().unwrap();
                assert_eq!(verify(&problem, answer.assignment().unwrap(), 0.0).unwrap().gap, 0.0);
                let most = (2 * alone).max(passes * 1600 + alone * 3 / 2);
                assert!(
                    spent > alone && spent <= most + most / 8 + 2 * units,
                    "{spent} {alone} {passes} {units}"
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

    /// Neither side pays for the other more than is promised, where both take long.
    #[test]
    fn the_automatic_choice_spends_no_more_than_twice_either_side() {
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
            let problem = Problem::new(Costs::dense(rows, cols, &values).unwrap());
            let spent = |solve: &dyn Fn(&Tally<'_>)| {
                let tally = Tally::new(Watch::NONE);
                solve(&tally);
                tally.spent()
            };
            let both = spent(&|tally| drop(Automatic.solve(&problem, tally.watch()).ok().unwrap()));
            let leader =
                spent(&|tally| drop(Automatic.solve_unmerged(&problem, tally.watch()).ok().unwrap()));
            let rival = spent_alone(&problem);
            let HeadStart { passes, per_job, resembling } = head_start(&problem);
            let usual = passes * values.len() as u64 + per_job * rows as u64;
            let first = if rows == cols { resembling * usual } else { usual };
            races += u32::from(both > leader);
            let (by_rival, by_leader) = ((2 * rival).max(first + rival * 3 / 2), 2 * leader);
            let most = by_rival.min(by_leader);
            assert!(both <= most + most / TURN, "{both}, of {leader} and {rival}, after {first}");
        }
        assert!(races > 1, "{races}");
    }

    #[test]
    fn a_rival_that_is_preferred_goes_first_and_no_further_than_three_head_starts() {
        let values = values(40);
        let problem = Problem::new(Costs::dense(40, 40, &values).unwrap());
        let alone = spent_alone(&problem);
        let leader = |watch: Watch<'_>| {
            watch.spend(100)?;
            watch.prefer_other()?;
            Err(End::Gap.into())
        };
        // Long enough for it to come to its end, and not.
        let (spent, answer) = raced(&problem, alone / 1600 + 1, leader);
        assert!(answer.is_ok() && spent <= alone + 100, "{spent} {alone}");
        let passes = alone / 1600 / 8;
        let (spent, answer) = raced(&problem, passes, leader);
        assert!(matches!(answer, Err(Stop::Ended(End::Gap))));
        let most = PREFERRED * passes * 1600;
        assert!(spent >= most && spent < most + alone / 4, "{spent} {most} {alone}");
    }

    #[test]
    fn a_leader_that_does_much_the_same_has_three_head_starts_unless_the_rival_has_begun() {
        let values = values(40);
        let problem = Problem::new(Costs::dense(40, 40, &values).unwrap());
        let spent_of = |before: u64| {
            let leader = |watch: Watch<'_>| {
                watch.spend(before)?;
                watch.resemble_other();
                watch.resemble_other();
                watch.spend(RESEMBLING * 3200 - 1 - before)?;
                Err(End::Gap.into())
            };
            raced(&problem, 2, leader).0
        };
        assert_eq!(spent_of(100), RESEMBLING * 3200 - 1);
        assert!(spent_of(3200) > RESEMBLING * 3200);
    }

    #[test]
    fn a_rival_that_is_invited_does_not_wait_for_the_head_start() {
        let values = values(40);
        let problem = Problem::new(Costs::dense(40, 40, &values).unwrap());
        let alone = spent_alone(&problem);
        let spent_of = |invites: bool| {
            raced(&problem, 1000, |watch| {
                watch.spend(2000)?;
                if invites {
                    watch.invite_other();
                }
                for _ in 0..2 * alone {
                    watch.spend(1)?;
                }
                Err(End::Gap.into())
            })
        };
        let (spent, answer) = spent_of(true);
        assert!(answer.is_ok() && spent <= 2000 + 2 * alone + alone / 4, "{spent} {alone}");
        assert!(matches!(spent_of(false), (spent, Err(_)) if spent == 2000 + 2 * alone));
    }

    #[test]
    fn within_the_head_start_nothing_is_spent_twice() {
        let values = values(40);
        let problem = Problem::new(Costs::dense(40, 40, &values).unwrap());
        let (spent, answer) = raced(&problem, 2, |watch| {
            watch.spend(3100)?;
            Err(End::Gap.into())
        });
        assert!(matches!(answer, Err(Stop::Ended(End::Gap))));
        assert_eq!(spent, 3100);
    }

    #[test]
    fn what_stops_the_rival_stops_both() {
        let values = [1.0, f64::NAN, 2.0, 3.0];
        let problem = Problem::new(Costs::dense(2, 2, &values).unwrap());
        let (_, answer) = raced(&problem, 0, |watch| {
            loop {
                watch.spend(1)?;
            }
        });
        assert!(matches!(answer, Err(Stop::Malformed(_))));
    }
}
