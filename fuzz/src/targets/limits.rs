//! Searches that are stopped: where a signal stops one, a limit of work stops it with the same answer; more
//! work never makes incumbent or bound worse; nothing spends more than it may.

use crate::rng::Rng;
use crate::target::{Fault, Target, Verdict, ensure, part};
use crate::targets::{choice, window};
use econsched::batch_dp::{
    Alternatives, BatchDecision, ChooserKind, Problem, Scratch, Service, UserBudgets,
    choose_with_user_budgets, select,
};
use econsched::sched_model::{End, Limit, NodeId, Outcome, Sense, StopSignal, Time};
use econsched::slot_window::subset::{ExactSubset, SubsetProblem, SubsetScratch, SubsetSolver};
use econsched::slot_window::{MaxValue, NodeValues, SearchScratch, WindowQuery, WindowSearch};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub(crate) struct Limits;

#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    kind: usize,
    batch: choice::Case,
    nodes: Vec<window::NodeCase>,
    request: window::RequestCase,
    /// Two limits of work, as parts of a million of the whole.
    parts: (u32, u32),
    /// The number of checks of the signal after which it is set.
    questions: u64,
}

/// The result of a search; less is better.
#[derive(Debug, PartialEq)]
pub(crate) struct Left {
    pub(crate) value: Option<f64>,
    pub(crate) bound: Option<f64>,
    pub(crate) work: u64,
    pub(crate) end: End,
    pub(crate) answer: String,
}

impl Left {
    pub(crate) fn of<T: std::fmt::Debug>(outcome: &Outcome<T>, sign: f64) -> Self {
        Self {
            value: outcome.value.map(|value| sign * value),
            bound: outcome.bound.map(|bound| sign * bound),
            work: outcome.work,
            end: outcome.end,
            answer: format!("{:?}", outcome.incumbent),
        }
    }
}

fn of_decision(decision: BatchDecision, sign: f64) -> Option<Left> {
    match decision {
        BatchDecision::Chosen(outcome) => Some(Left::of(&outcome, sign)),
        _ => None,
    }
}

/// Work of a whole search at most.
const WHOLE: u64 = 1_500_000;

impl Case {
    fn problem(&self) -> (Problem, f64) {
        match self.kind / 8 % 2 {
            0 => (Problem::MinTime { budget: self.batch.budget.unwrap_or(f64::INFINITY) }, 1.0),
            _ => (Problem::MaxIncome { time_limit: self.batch.time_limit.unwrap_or(f64::INFINITY) }, -1.0),
        }
    }

    /// The search within a limit; `None` where there is nothing to search.
    fn run(&self, limit: &Limit) -> Result<Option<Left>, Fault> {
        let (problem, sign) = self.problem();
        let batch = part(Alternatives::new(&self.batch.jobs))?;
        let jobs = batch.jobs();
        let mut scratch = Scratch::default();
        let service = match self.kind % 8 {
            3 => Some(Service::MostJobs),
            4 => Some(Service::Penalties((0..jobs).map(|job| (job % 7) as f64 * 1.3).collect())),
            _ => None,
        };
        Ok(match self.kind % 8 {
            0 | 1 => {
                let kind = ChooserKind::ALL[self.kind / 16 % ChooserKind::ALL.len()];
                let decision = kind.build().choose(&batch, problem, &mut scratch, &mut limit.meter())?;
                of_decision(decision, sign)
            }
            2 => {
                let budgets = vec![self.batch.budget.unwrap_or(f64::INFINITY) / 2.0; 2];
                let purses = UserBudgets::new((0..jobs).map(|job| job % 2).collect(), budgets);
                let decision =
                    choose_with_user_budgets(&batch, problem, &purses, &mut scratch, &mut limit.meter())?;
                of_decision(decision, sign)
            }
            3 | 4 => {
                let Some(service) = service else { return Ok(None) };
                Some(Left::of(&select(&batch, problem, &service, &mut scratch, &mut limit.meter())?, sign))
            }
            5 => {
                let all: Vec<(f64, f64)> = self.batch.jobs.iter().flatten().copied().collect();
                let (costs, values): (Vec<f64>, Vec<f64>) = all.into_iter().unzip();
                let budget = self.batch.budget.unwrap_or(f64::INFINITY);
                let Ok(problem) = SubsetProblem::new(&values, &costs, values.len() / 3, budget) else {
                    return Ok(None);
                };
                let outcome = ExactSubset::new().solve(&problem, limit, &mut SubsetScratch::new());
                Some(Left::of(&outcome, -1.0))
            }
            _ => {
                let slots = window::slot_list(&self.nodes)?;
                let request = self.request.request()?;
                let values =
                    part(NodeValues::new((0..).map(NodeId).zip(self.nodes.iter().map(|node| node.value))))?;
                let search = MaxValue::new(values).with_sense(Sense::Maximise);
                let outcome = search.find_within(
                    &WindowQuery::new(&slots, &request, Time::ZERO),
                    &mut limit.meter(),
                    &mut SearchScratch::new(),
                )?;
                Some(Left::of(&outcome, -1.0))
            }
        })
    }
}

impl Target for Limits {
    type Case = Case;

    fn generate(rng: &mut Rng) -> Case {
        let kind = rng.below(64);
        let (jobs, most) = *rng.pick(&[(3, 5), (12, 12), (25, 8), (6, 60), (40, 5)]);
        let is_window = kind % 8 > 5;
        let batch = choice::draw(rng, if is_window { 1 } else { jobs }, if is_window { 1 } else { most });
        let numbers = if rng.percent(50) { window::Numbers::Exact } else { window::Numbers::Hostile };
        let most = if is_window { *rng.pick(&[6, 30, 150]) } else { 1 };
        let nodes = window::draw_nodes(rng, most, numbers);
        let n = rng.range(1, 6).min(nodes.len());
        let request = window::RequestCase::draw(rng, &nodes, n, numbers);
        let share = |rng: &mut Rng| {
            let share = rng.unit();
            // Small ones are as likely as great ones.
            (1e6 * if rng.percent(50) { share * share * share } else { share }) as u32
        };
        Case { kind, batch, nodes, request, parts: (share(rng), share(rng)), questions: rng.below(60) as u64 }
    }

    fn judge(case: &Case) -> Verdict {
        let stops = Stops {
            what: &format!("kind {}", case.kind % 8),
            // If the most jobs come first, values are compared only where the service is the same.
            ranked: case.kind % 8 == 3,
            parts: case.parts,
            questions: case.questions,
            whole: WHOLE,
        };
        stops.judge(&|limit| case.run(limit))
    }
}

/// Where a search is stopped, and how its results are judged.
pub(crate) struct Stops<'a> {
    pub(crate) what: &'a str,
    /// Whether another criterion comes before the value.
    pub(crate) ranked: bool,
    /// Two limits of work, as parts of a million of the whole.
    pub(crate) parts: (u32, u32),
    /// The number of checks of the signal after which it is set.
    pub(crate) questions: u64,
    /// Work of a whole search at most.
    pub(crate) whole: u64,
}

impl Stops<'_> {
    /// Checks that more work makes no result worse, that no search spends more than its limit, and that a
    /// signal acts like a limit of work.
    pub(crate) fn judge(&self, run: &dyn Fn(&Limit) -> Result<Option<Left>, Fault>) -> Verdict {
        let (what, most) = (self.what, self.whole);
        let within = |work: u64| Limit::default().with_work(work);
        let Some(whole) = run(&within(most))? else { return Ok(()) };
        ensure!(whole.work <= most, "{what}: {} units of work, allowed {most}", whole.work);
        let of = |share: u32| (u128::from(whole.work) * u128::from(share) / 1_000_000) as u64;
        let (small, great) = (of(self.parts.0.min(self.parts.1)), of(self.parts.0.max(self.parts.1)));
        let mut last: Option<Left> = None;
        for (work, known) in [(small, None), (great, None), (whole.work, None), (most, Some(&whole))] {
            let Some(now) = run(&within(work))? else {
                // Too little work for a decision, or a refusal that needs no work.
                continue;
            };
            ensure!(now.work <= work, "{what}: {} units of work, allowed {work}", now.work);
            if let Some(known) = known {
                ensure!(now == *known, "{what}: the second call says otherwise");
            }
            if let Some(last) = &last {
                self.no_worse(last, &now)?;
            }
            last = Some(now);
        }
        // The signal is checked at intervals of work. Where it stops the search, a limit of the work spent
        // must stop it, too.
        let asked = Arc::new(AtomicU64::new(0));
        let after = self.questions;
        let signal = StopSignal::when(move || asked.fetch_add(1, Ordering::Relaxed) >= after);
        if let Some(stopped) = run(&within(most).with_signal(signal))?
            && stopped.end == End::Signal
        {
            let Some(again) = run(&within(stopped.work))? else {
                ensure!(false, "{what}: nothing at the work of the signal");
                return Ok(());
            };
            ensure!(
                (&again.answer, again.value, again.bound, again.work)
                    == (&stopped.answer, stopped.value, stopped.bound, stopped.work),
                "{what}: the signal after {} units gives {:?} {:?}, the limit {:?} {:?}",
                stopped.work,
                stopped.value,
                stopped.bound,
                again.value,
                again.bound
            );
        }
        Ok(())
    }

    pub(crate) fn no_worse(&self, last: &Left, now: &Left) -> Verdict {
        let what = self.what;
        let worse = match (last.value, now.value) {
            (Some(before), Some(now)) => now > before,
            (Some(_), None) => true,
            _ => false,
        };
        ensure!(
            !worse || self.ranked,
            "{what}: a worse incumbent after more work: {:?}, before {:?}",
            now.value,
            last.value
        );
        let looser = match (last.bound, now.bound) {
            (Some(before), Some(bound)) => bound < before,
            // That no solution exists is the tightest bound.
            (Some(_), None) => now.end != End::Done,
            _ => false,
        };
        ensure!(
            !looser || self.ranked,
            "{what}: a looser bound after more work: {:?}, before {:?}",
            now.bound,
            last.bound
        );
        Ok(())
    }
}
