//! Assignments that are stopped by work, memory or a gap, solved on several threads, or solved again after changes.

use crate::judge::{Verdict, ensure, family, part};
use econsched::auction_assign::{
    Assigner, AssignerKind, Assignment, AssignmentProblem, Auction, Coverage, Duals, Shortage, assign, verify,
};
use econsched::sched_model::{End, Limit, Meter, Outcome};
use econsched::testkit::{AssignCase, Draw, Fault, FormCase, Numbers, Stopped, StoredCosts, oracle};
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

family!(Assignments: Case, Case::draw, Case::judge);

#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    pub(crate) assignment: AssignCase,
    /// 0: automatic, 1: the auction, 2: shortest paths, 3: the auction alone, which ends within a gap.
    pub(crate) method: usize,
    /// The last epsilon of the auction alone, and the factor by which it falls.
    #[serde(default)]
    pub(crate) plain: (f64, f64),
    /// In bytes.
    pub(crate) memory: u64,
    pub(crate) threads: usize,
    /// Job, resource, and the cost of the pair when the problem is solved again; `None` forbids the pair.
    #[serde(default)]
    pub(crate) changes: Vec<(usize, usize, Option<f64>)>,
    /// An invented answer as a start: prices, and a resource for each job.
    #[serde(default)]
    pub(crate) made_up: (Vec<f64>, Vec<Option<u32>>),
}

type Found = Outcome<Assignment, Shortage>;

/// More work than any whole search does.
const MOST: u64 = 10_000_000;

/// A pool with this many threads. Pools are kept, because a dropped pool ends its threads some time later, and the
/// threads of many cases together would exceed the memory limit.
fn pool(threads: usize) -> Result<Arc<ThreadPool>, Fault> {
    static POOLS: Mutex<BTreeMap<usize, Arc<ThreadPool>>> = Mutex::new(BTreeMap::new());
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(pool) = pools.get(&threads) {
        return Ok(Arc::clone(pool));
    }
    let pool = Arc::new(part(ThreadPoolBuilder::new().num_threads(threads).build())?);
    pools.insert(threads, Arc::clone(&pool));
    Ok(pool)
}

impl Case {
    fn draw(draw: &mut Draw) -> Self {
        let most = draw.of([300, 20_000]);
        let assignment = AssignCase::draw(draw);
        let (rows, cols) = (assignment.rows.len(), assignment.rows[0].len());
        let (numbers, others) = (Numbers::any(draw), Numbers::any(draw));
        let mut change =
            |_| (draw.below(rows), draw.below(cols), draw.chance(90).then(|| numbers.draw(draw)));
        let changes = (0..4).map(&mut change).collect();
        let prices = (0..cols).map(|_| others.draw(draw)).collect();
        let resources = (0..rows).map(|_| draw.chance(80).then(|| draw.below(cols + 1) as u32)).collect();
        Self {
            assignment,
            method: draw.below(4),
            plain: (draw.of([0.25, 4.0, 64.0, 1e-300]), draw.of([2.0, 5.0, 1e9])),
            memory: draw.below(most) as u64,
            threads: draw.of([2, 7]),
            changes,
            made_up: (prices, resources),
        }
    }

    fn solve(&self, problem: &AssignmentProblem<'_>, meter: &mut Meter) -> Verdict<Found> {
        Ok(match self.method {
            0 => AssignerKind::Automatic.solve(problem, meter)?,
            1 => Auction::default().solve(problem, meter)?,
            2 => AssignerKind::ShortestPaths.solve(problem, meter)?,
            _ => {
                let (epsilon, factor) = self.plain;
                let auction = Auction::default().with_last_epsilon(epsilon).with_factor(factor);
                auction.with_closing(false).solve(problem, meter)?
            }
        })
    }

    /// The greatest cost, whatever its sign.
    fn greatest(&self) -> f64 {
        let case = &self.assignment;
        let unplaced = if let Coverage::Penalty(unplaced) = case.coverage { unplaced.abs() } else { 0.0 };
        case.rows.iter().flatten().flatten().map(|cost| cost.abs()).fold(unplaced, f64::max)
    }

    /// The maximum error of bounds, which are summed in doubles.
    fn slack(&self) -> f64 {
        self.greatest() * (self.assignment.rows.len() + 1) as f64 * 8.0 * f64::EPSILON
    }

    /// How far the auction alone may be from the best: an epsilon for each job and each free place. At huge costs
    /// epsilon does not fall below the step by which a price can be raised.
    fn allowed(&self, resources: &[Option<u32>]) -> f64 {
        let places: f64 = self.assignment.room().into_iter().map(f64::from).sum();
        let free = places - resources.iter().flatten().count() as f64;
        let least = self.greatest() * 2f64.powi(-36);
        (resources.len() as f64 + free) * self.plain.0.max(least) + self.slack()
    }

    /// Checks every statement of an answer.
    fn state(
        &self,
        problem: &AssignmentProblem<'_>,
        outcome: &Found,
        best: Option<&oracle::Weight>,
    ) -> Verdict<Stopped> {
        let sign = if self.assignment.maximise { -1.0 } else { 1.0 };
        let least = best.map(|best| best.1.rounded());
        if let Some(shortage) = &outcome.refusal {
            ensure!(best.is_none() && outcome.is_infeasible(), "a shortage, and {outcome}");
            shortage.verify(problem)?;
        }
        ensure!(!outcome.is_infeasible() || best.is_none(), "infeasible, and {least:?} is possible");
        let most = least.map_or(f64::INFINITY, |least| least + self.slack());
        let bound = outcome.bound.map(|bound| sign * bound);
        ensure!(bound.is_none_or(|bound| bound <= most), "the bound {bound:?} passes {least:?}");
        let (mut rank, mut value) = (0.0, None);
        if let Some(assignment) = &outcome.best {
            let weight = oracle::weigh(&self.assignment, &assignment.resources);
            let (out, sum) = weight
                .ok_or_else(|| Fault::new("rules", format!("{:?} breaks one", assignment.resources)))?;
            let (total, own) = (sign * assignment.total, sum.rounded());
            ensure!(total == own, "the total {total:?} is {own:?}");
            ensure!(outcome.value == Some(assignment.total), "the value {:?} of {total:?}", outcome.value);
            let proven = sign * verify(problem, assignment)?.bound;
            ensure!(proven <= most, "the duals prove {proven:?} of {least:?}");
            (rank, value) = (out as f64, Some(own));
            let right = outcome.end != End::Done || best == Some(&(out, sum));
            ensure!(right, "not the best: {own:?}, and {least:?} is possible");
        }
        // At the end the proven bound is the total itself.
        let bound = bound.map(|bound| bound.min(least.unwrap_or(f64::INFINITY)));
        let answer = format!("{:?} {:?}", outcome.best, outcome.refusal);
        Ok(Stopped { rank, value, bound, work: outcome.work, end: outcome.end, answer })
    }

    fn judge(&self) -> Verdict {
        let stored = StoredCosts::of(&self.assignment);
        let problem = stored.problem(&self.assignment)?;
        let sign = if self.assignment.maximise { -1.0 } else { 1.0 };
        // A limit that is never reached: without any, the search would take no looks.
        let whole = self.solve(&problem, &mut Limit::none().with_memory(u64::MAX / 2).meter())?;
        let proves = self.method < 3;
        ensure!(whole.end == End::Done || !proves, "without a limit, and {}", whole.end);
        // For larger cases the minimum total is taken from a proven answer.
        let best = if self.assignment.is_small() {
            oracle::best_assignment(&self.assignment)
        } else {
            let proven = assign(&problem)?.best;
            proven.and_then(|proven| oracle::weigh(&self.assignment, &proven.resources))
        };
        let best = best.as_ref();
        self.state(&problem, &whole, best)?;
        if let Some(answer) = &whole.best {
            let gap = verify(&problem, answer)?.gap;
            ensure!(gap == 0.0 || !proves, "the whole is proven within {gap}");
            // At a tiny epsilon prices are rounded.
            let best = best.map(|best| best.1.rounded());
            let bound = if self.plain.0 < 1e-9 { best } else { whole.bound.map(|bound| sign * bound) };
            let short = whole.value.zip(bound).map(|(value, bound)| sign * value - bound);
            let allowed = self.allowed(&answer.resources);
            ensure!(short <= Some(allowed), "the auction alone is off by {short:?}, allowed {allowed:?}");
        }
        // The first units of work are all tried as limits.
        let mut stops = self.assignment.stops.clone();
        stops.works.extend(0..whole.work.min(150));
        stops.check(MOST, |limit| {
            let run = |meter: &mut Meter| self.state(&problem, &self.solve(&problem, meter)?, best);
            let stopped = Stopped::within(limit, run)?;
            if !limit.has_signal() && limit.work + 1 == whole.work {
                let several = pool(self.threads.clamp(1, 16))?.install(|| run(&mut limit.meter()))?;
                ensure!(several == stopped, "{} threads give another answer", self.threads);
            }
            Ok(stopped)
        })?;
        let tight = self.solve(&problem, &mut Limit::default().with_memory(self.memory).meter())?;
        self.state(&problem, &tight, best)?;
        self.again(whole.best)
    }

    /// After changes, each answer from a start is proven and as good as one without a start, even if the start is
    /// wrong.
    fn again(&self, earlier: Option<Assignment>) -> Verdict {
        let mut changed = self.assignment.clone();
        if let FormCase::Product(..) = changed.form {
            changed.form = FormCase::Plain;
        }
        for &(job, resource, cost) in &self.changes {
            changed.rows[job][resource] = cost.map(|cost| changed.form.nearest(cost));
        }
        let stored = StoredCosts::of(&changed);
        let anew = stored.problem(&changed)?;
        let fresh = AssignerKind::Automatic.solve(&anew, &mut Limit::default().meter())?;
        let (prices, resources) = self.made_up.clone();
        let duals = Duals { profits: Vec::new(), waiting: prices.first().copied(), prices, remainders: None };
        let made_up = Assignment { resources, total: 0.0, duals: Some(duals) };
        let starts = earlier.into_iter().chain((!self.changes.is_empty()).then_some(made_up));
        for start in starts {
            let again =
                AssignerKind::Automatic.solve(&anew.with_start(&start), &mut Limit::default().meter())?;
            let [own, other] = [&again, &fresh].map(|outcome| {
                outcome.best.as_ref().map(|answer| oracle::weigh(&changed, &answer.resources))
            });
            ensure!(own == other && own != Some(None), "{again} again, {fresh} from nothing");
            if let Some(answer) = &again.best {
                verify(&anew, answer)?;
            }
        }
        Ok(())
    }
}
