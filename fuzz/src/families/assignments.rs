//! Assignments stopped at any work, by memory and by a gap, on threads, and solved again after changes.

use crate::family::{Judged, Verdict, Wrong, ensure, pool, seen};
use econsched::auction_assign::{
    Assignment, Auction, Bounded, Duals, Problem, ShortestPaths, solve, solve_within, verify, verify_shortage,
};
use econsched::sched_model::{End, Limit};
use econsched::testkit::{AssignCase, CoverageCase, Draw, Family, Numbers, Stopped, StoredCosts, oracle};
use serde::{Deserialize, Serialize};

#[derive(Default)]
pub(super) struct StoppedAssignments;

#[derive(Serialize, Deserialize)]
pub(super) struct Case {
    assignment: AssignCase,
    /// 0: automatic, 1: the auction, 2: shortest paths.
    method: usize,
    /// Bytes.
    memory: u64,
    relative_gap: f64,
    threads: usize,
}

/// Work of a whole search at most.
const MOST: u64 = 10_000_000;

impl Case {
    fn solve(&self, problem: &Problem<'_>, limit: &Limit) -> Result<Bounded, Wrong> {
        let meter = &mut limit.meter();
        Ok(match self.method % 3 {
            0 => solve_within(problem, meter)?,
            1 => Auction::default().assign_within(problem, meter)?,
            _ => ShortestPaths.assign_within(problem, meter)?,
        })
    }

    fn sign(&self) -> f64 {
        if self.assignment.maximise { -1.0 } else { 1.0 }
    }

    /// The greatest error of bounds that are summed in doubles.
    fn slack(&self) -> f64 {
        let case = &self.assignment;
        let unplaced =
            if let CoverageCase::Optional(unplaced) = case.coverage { unplaced.abs() } else { 0.0 };
        let greatest = case.rows.iter().flatten().flatten().map(|cost| cost.abs()).fold(unplaced, f64::max);
        greatest * (case.rows.len() + 1) as f64 * 8.0 * f64::EPSILON
    }

    /// Checks every statement of an answer.
    fn judge(
        &self,
        problem: &Problem<'_>,
        found: &Bounded,
        best: Option<&oracle::Weight>,
    ) -> Result<Stopped, Wrong> {
        let (outcome, sign) = (&found.outcome, self.sign());
        let least = best.map(|best| best.1.rounded());
        if let Some(shortage) = &found.shortage {
            ensure!(best.is_none() && outcome.is_infeasible(), "a shortage, and {outcome}");
            verify_shortage(problem, shortage)?;
        }
        ensure!(!outcome.is_infeasible() || best.is_none(), "infeasible, and {least:?} is possible");
        let most = least.map_or(f64::INFINITY, |least| least + self.slack());
        let bound = outcome.bound.map(|bound| sign * bound);
        ensure!(bound.is_none_or(|bound| bound <= most), "the bound {bound:?} passes {least:?}");
        let mut rank = None;
        if let Some(assignment) = &outcome.incumbent {
            let Some((out, sum)) = oracle::weigh(&self.assignment, &assignment.resources) else {
                ensure!(false, "{:?} breaks the rules", assignment.resources);
                return Err("unreachable".to_owned().into());
            };
            let (total, value) = (sign * assignment.total, sum.rounded());
            ensure!(total == value, "the total {total:?} is {value:?}");
            ensure!(outcome.value == Some(assignment.total), "the value {:?} of {total:?}", outcome.value);
            let proven = sign * verify(problem, assignment, f64::INFINITY)?.bound;
            ensure!(proven <= most, "the duals prove {proven:?} of {least:?}");
            let right = outcome.end != End::Done || best == Some(&(out, sum));
            ensure!(right, "not the best: {value:?}, and {least:?} is possible");
            rank = Some((out as f64, value));
        }
        // At the end the proven bound is the total itself.
        let bound = bound.map(|bound| bound.min(least.unwrap_or(f64::INFINITY)));
        let (rank, value) = (rank.map_or(0.0, |rank| rank.0), rank.map(|rank| rank.1));
        Ok(Stopped {
            rank,
            value,
            bound,
            work: outcome.work,
            end: outcome.end,
            answer: format!("{:?} {:?}", outcome.incumbent, found.shortage),
        })
    }

    fn stops(&self) -> Verdict {
        let stored = StoredCosts::of(&self.assignment);
        let problem = stored.problem(&self.assignment)?;
        let whole = self.solve(&problem, &Limit::without_limit())?;
        ensure!(whole.outcome.end == End::Done, "without a limit, and {}", whole.outcome.end);
        // For larger cases the best is what the duals prove.
        let proven = || oracle::weigh(&self.assignment, &whole.outcome.incumbent.as_ref()?.resources);
        let small = self.assignment.is_small();
        let best = if small { oracle::best_assignment(&self.assignment) } else { proven() };
        let best = best.as_ref();
        self.judge(&problem, &whole, best)?;
        if let Some(answer) = &whole.outcome.incumbent {
            let gap = verify(&problem, answer, 0.0)?.gap;
            ensure!(gap == 0.0, "the whole is proven within {gap}");
        }
        // Few units of work are all tried.
        let mut stops = self.assignment.stops.clone();
        stops.works.extend(0..whole.outcome.work.min(150));
        let judged = |found: &Bounded| seen_stopped(self.judge(&problem, found, best));
        stops.check(MOST, &mut |limit| {
            let found = self.solve(&problem, limit).map_err(Wrong::into_fault)?;
            let several = limit.signal.is_none() && limit.work + 1 == whole.outcome.work;
            if several {
                let pool = pool(self.threads.clamp(1, 16))?;
                let same = pool.install(|| self.solve(&problem, limit)).map_err(Wrong::into_fault)? == found;
                ensure!(same, "{} threads give another answer", self.threads);
            }
            judged(&found)
        })?;
        let tight = self.solve(&problem, &Limit::default().with_memory(self.memory))?;
        self.judge(&problem, &tight, best)?;
        let near = self.solve(&problem, &Limit::default().with_relative_gap(self.relative_gap))?;
        let found = self.judge(&problem, &near, best)?;
        ensure!(found.work <= whole.outcome.work, "a gap takes {} of {}", found.work, whole.outcome.work);
        if let (End::Gap, Some(value), Some((_, best))) = (found.end, found.value, best) {
            let (short, allowed) = (value - best.rounded(), self.relative_gap * value.abs() + self.slack());
            ensure!(short <= allowed, "{short:?} from the best, allowed {allowed:?}");
        }
        Ok(())
    }
}

fn seen_stopped(judged: Result<Stopped, Wrong>) -> Result<Stopped, econsched::testkit::Fault> {
    judged.map_err(Wrong::into_fault)
}

impl Family for StoppedAssignments {
    type Case = Case;

    fn draw(draw: &mut Draw) -> Case {
        let most = draw.of([300, 20_000]);
        Case {
            assignment: AssignCase::draw(draw),
            method: draw.below(3),
            memory: draw.below(most) as u64,
            relative_gap: draw.of([0.5, 0.1, 0.01, 1e-9, 1.0]),
            threads: draw.of([2, 7]),
        }
    }

    fn judge(&self, case: &Case) -> Judged {
        seen(case.stops())
    }
}

#[derive(Default)]
pub(super) struct ChangedAssignments;

#[derive(Serialize, Deserialize)]
pub(super) struct ChangedCase {
    problem: AssignCase,
    rounds: Vec<Round>,
}

/// What changes before a problem is solved again.
#[derive(Serialize, Deserialize, Default)]
struct Round {
    /// Job, resource, and the new cost; none forbids the pair.
    costs: Vec<(usize, usize, Option<f64>)>,
    capacity: Option<(usize, u32)>,
    /// Prices, and perhaps a resource for each job, in place of those of the earlier answer.
    made_up: Option<(Vec<f64>, Vec<Option<u32>>)>,
    /// Work that the call may take.
    work: Option<u64>,
}

impl Family for ChangedAssignments {
    type Case = ChangedCase;

    fn draw(draw: &mut Draw) -> ChangedCase {
        let problem = AssignCase::draw(draw);
        let (rows, cols) = (problem.rows.len(), problem.rows[0].len());
        let (numbers, others) = (Numbers::any(draw), Numbers::any(draw));
        let count = draw.between(1, 6);
        let round = |_| Round {
            costs: (0..draw.below(4))
                .map(|_| (draw.below(rows), draw.below(cols), draw.chance(90).then(|| numbers.draw(draw))))
                .collect(),
            capacity: draw.chance(30).then(|| (draw.below(cols), draw.below(4) as u32)),
            made_up: draw.chance(25).then(|| {
                let prices = (0..cols).map(|_| others.draw(draw)).collect();
                (prices, (0..rows).map(|_| draw.chance(80).then(|| draw.below(cols + 1) as u32)).collect())
            }),
            work: draw.chance(15).then(|| draw.below(200) as u64),
        };
        let rounds = (0..count).map(round).collect();
        ChangedCase { problem, rounds }
    }

    fn judge(&self, case: &ChangedCase) -> Judged {
        seen(again(case))
    }
}

/// Each answer is as good as one from nothing, and has a proof, whatever the earlier answer says.
fn again(case: &ChangedCase) -> Verdict {
    let mut problem = case.problem.clone();
    if let econsched::testkit::FormCase::Product(..) = problem.form {
        problem.form = econsched::testkit::FormCase::Plain;
    }
    let mut start: Option<Assignment> = None;
    let still = Round::default();
    for round in std::iter::once(&still).chain(&case.rounds) {
        for &(job, resource, cost) in &round.costs {
            if let Some(own) = problem.rows.get_mut(job).and_then(|row| row.get_mut(resource)) {
                *own = cost.map(|cost| problem.form.nearest(cost));
            }
        }
        if let (Some((at, capacity)), Some(capacities)) = (round.capacity, &mut problem.capacities)
            && let Some(own) = capacities.get_mut(at)
        {
            *own = capacity;
        }
        if let Some((prices, resources)) = round.made_up.clone() {
            let waiting = prices.first().copied();
            let duals = Duals { profits: Vec::new(), waiting, prices, remainders: None };
            start = Some(Assignment { resources, total: 0.0, duals: Some(duals) });
        }
        let stored = StoredCosts::of(&problem);
        let anew = stored.problem(&problem)?;
        let given = start.as_ref().map_or(anew, |start| anew.with_start(start));
        let limit = round.work.map_or_else(Limit::default, |work| Limit::default().with_work(work));
        let (found, fresh) = match (solve_within(&given, &mut limit.meter()), solve(&anew)) {
            (Ok(found), Ok(fresh)) => (found, fresh),
            (Err(_), Err(_)) => return Ok(()),
            (found, fresh) => {
                ensure!(false, "an error with an earlier answer alone, or without: {found:?}, {fresh:?}");
                continue;
            }
        };
        if found.outcome.end != End::Done {
            continue;
        }
        match (&found.outcome.incumbent, fresh.assignment()) {
            (Some(again), Some(anew)) => {
                let values = [again, anew].map(|one| oracle::weigh(&problem, &one.resources));
                let same = values[0].is_some() && values[0] == values[1];
                ensure!(same, "{} again, {} from nothing", again.total, anew.total);
                verify(&given, again, 0.0)?;
                start = Some(again.clone());
            }
            (None, None) => {}
            (again, _) => ensure!(false, "solved again there is an answer: {}", again.is_some()),
        }
    }
    Ok(())
}
