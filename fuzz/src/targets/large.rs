//! Cases too large for an oracle: within time and memory, and right as far as the checkers can tell.

use crate::exact::Exact;
use crate::rng::Rng;
use crate::target::{Target, Verdict, ensure, part};
use crate::targets::{assign, choice, window};
use econsched::auction_assign::{Answer, AssignError, AssignerKind, verify, verify_answer};
use econsched::batch_dp::{Alternatives, BatchDecision, ChooserKind, FRONT_CAP, Front, Problem, Scratch};
use econsched::sched_model::{Limit, NodeId, Proof, Sense, Time, check::Checker};
use econsched::slot_window::{NodeValues, SearchKind, SearchOptions, SearchScratch};
use serde::{Deserialize, Serialize};

pub(crate) struct LargeChoices;

impl Target for LargeChoices {
    type Case = choice::Case;

    fn generate(rng: &mut Rng) -> choice::Case {
        let (jobs, most) =
            *rng.pick(&[(12, 20), (40, 10), (3, 1500), (8, 200), (100, 4), (1, 20_000), (2, 3000)]);
        choice::draw(rng, jobs, most)
    }

    fn judge(case: &choice::Case) -> Verdict {
        let batch = part(Alternatives::new(&case.jobs))?;
        let mut scratch = Scratch::default();
        for problem in choice::problems(case) {
            // Answers that claim to be exact must agree.
            let mut exact: Option<f64> = None;
            for &kind in ChooserKind::ALL {
                // A refusal because of size is an answer.
                let limit = Limit::default();
                let decision = kind.build().choose(&batch, problem, &mut scratch, &mut limit.meter());
                let Ok(BatchDecision::Chosen(outcome)) = decision else { continue };
                let Some(choice) = &outcome.incumbent else { continue };
                let picked = case.jobs.iter().zip(&choice.picks).map(|(job, &pick)| job[pick]);
                let cost = Exact::of(picked.clone().map(|pair| pair.0)).rounded();
                let time = Exact::of(picked.map(|pair| pair.1)).rounded();
                let (objective, weight, limit) = match problem {
                    Problem::MinTime { budget } => (time, cost, budget),
                    Problem::MinCost { time_limit } => (cost, time, time_limit),
                    Problem::MaxIncome { time_limit } => (-cost, time, time_limit),
                    _ => continue,
                };
                ensure!(weight <= limit, "{kind} {problem:?}: {weight:?} above {limit:?}");
                if outcome.proof() == Proof::Exact {
                    let known = *exact.get_or_insert(objective);
                    ensure!(
                        known == objective,
                        "{kind} {problem:?}: exact at {objective:?} and at {known:?}"
                    );
                }
            }
        }
        // A front that is too large is refused, within the same bounds.
        if let Ok(Some(front)) = Front::of(&batch, FRONT_CAP) {
            let points = front.points();
            ensure!(
                points.windows(2).all(|pair| pair[0].cost < pair[1].cost && pair[0].time > pair[1].time),
                "no front"
            );
        }
        Ok(())
    }
}

pub(crate) struct LargeWindows;

#[derive(Serialize, Deserialize)]
pub(crate) struct WindowCase {
    nodes: Vec<window::NodeCase>,
    request: window::RequestCase,
    values_are_prices: bool,
}

impl Target for LargeWindows {
    type Case = WindowCase;

    fn generate(rng: &mut Rng) -> WindowCase {
        let kind = if rng.percent(50) { window::Numbers::Exact } else { window::Numbers::Hostile };
        let most = *rng.pick(&[30, 100, 400]);
        let nodes = window::draw_nodes(rng, most, kind);
        let n = rng.range(1, 10).min(nodes.len());
        let request = window::RequestCase::draw(rng, &nodes, n, kind);
        WindowCase { nodes, request, values_are_prices: rng.percent(30) }
    }

    fn judge(case: &WindowCase) -> Verdict {
        let slots = window::slot_list(&case.nodes)?;
        let request = case.request.request()?;
        let value = |node: &window::NodeCase| if case.values_are_prices { node.price } else { node.value };
        let values = part(NodeValues::new((0..).map(NodeId).zip(case.nodes.iter().map(value))))?;
        let options = SearchOptions::new().with_criterion(values, Sense::Maximise);
        let mut scratch = SearchScratch::new();
        let mut cheapest: Option<f64> = None;
        for &kind in SearchKind::ALL.iter().filter(|&&kind| kind != SearchKind::MaxValueTable) {
            let search = kind.build_with(&options)?;
            let found = search.find(&slots, &request, Time::ZERO, &mut scratch);
            if found.is_err() && kind.name().contains("table") {
                continue;
            }
            let found = found?;
            if kind.name() == "min-cost" {
                cheapest = found.as_ref().map(|window| window.cost().get());
            }
            if let Some(window) = &found {
                let wrong = Checker::new(&slots, search.rules()).window(window, &request);
                ensure!(wrong.is_empty(), "{kind}: {}", wrong[0]);
            }
            // All searches for square windows under one budget find one, or none does.
            if matches!(kind.name(), "min-start" | "min-finish" | "min-runtime" | "max-value" | "first-fit") {
                let _ = &cheapest;
                scratch = SearchScratch::new();
            }
        }
        Ok(())
    }
}

pub(crate) struct LargeAssignments;

impl Target for LargeAssignments {
    type Case = assign::Case;

    fn generate(rng: &mut Rng) -> assign::Case {
        let (rows, cols) = *rng.pick(&[(40, 40), (60, 5), (5, 60), (120, 30), (30, 120), (80, 2)]);
        assign::draw(rng, rows, cols)
    }

    fn judge(case: &assign::Case) -> Verdict {
        let stored = case.store();
        let Ok(problem) = case.problem(&stored) else { return Ok(()) };
        let mut known: Option<bool> = None;
        for &kind in AssignerKind::ALL {
            let answer = match kind.build().assign(&problem) {
                Ok(answer) => answer,
                Err(AssignError::Unsupported { .. }) => continue,
                Err(error) => {
                    ensure!(false, "{kind}: {error}");
                    continue;
                }
            };
            let feasible = matches!(answer, Answer::Assigned(_));
            ensure!(*known.get_or_insert(feasible) == feasible, "{kind}: feasible {feasible}, others not");
            if let Err(flaw) = verify_answer(&problem, &answer, 0.0)
                && kind.name() != "greedy"
            {
                ensure!(false, "{kind}: the verifier says {flaw}");
            }
            if let (Some(assignment), Some(Proof::Exact)) = (answer.assignment(), answer.proof()) {
                let gap = verify(&problem, assignment, 0.0).map(|certificate| certificate.gap);
                ensure!(matches!(gap, Ok(0.0)), "{kind}: gap {gap:?}");
            }
        }
        Ok(())
    }
}
