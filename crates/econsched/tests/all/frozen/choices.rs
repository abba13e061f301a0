//! Choices of one alternative for each job: values, bounds, proofs and chosen alternatives.

use super::compare;
use super::draw::Draw;
use super::families::{Drawn, FAMILIES, Family};
use econsched::batch_dp::{Alternatives, ChoiceProblem, Chooser, ChooserKind, Coverage, ExpandingCore, Goal};
use econsched::sched_model::Outcome;

/// The goal with its limit.
fn shown(goal: Goal) -> String {
    format!("{goal:?}").replace("Some(", "").replace(')', "")
}

/// The value, the bound if it differs, and the end.
fn proven<T, R>(found: &Outcome<T, R>) -> String {
    let bound = if found.bound == found.value { "=".to_owned() } else { format!("{:?}", found.bound) };
    format!("{:?} {bound} {:?}", found.value, found.end)
}

fn of_family(family: Family, jobs: usize, alternatives: usize, rows: &mut Vec<String>) {
    let mut draw = Draw(7);
    let drawn = Drawn::new(family, jobs, alternatives, &mut |least, most| draw.between(least, most));
    let batch = Alternatives::new(&drawn.rows).unwrap();
    let size = format!("{}; {jobs} x {alternatives}", family.0);
    for share in [0.0, 0.25, 0.6] {
        let [budget, time_limit] = drawn.limits(share);
        for goal in [
            Goal::MinTime { budget: Some(budget) },
            Goal::MinCost { time_limit: Some(time_limit) },
            Goal::MaxIncome { time_limit: Some(time_limit) },
        ] {
            let answer = |kind: &ChooserKind| {
                let found = kind.build().choose(&ChoiceProblem::new(&batch, goal)).unwrap();
                if let Some(refusal) = &found.refusal {
                    return format!("{refusal:?}");
                }
                let chosen = found.best.as_ref().map(|choice| (choice.cost, choice.time));
                format!("{} {chosen:?}", proven(&found))
            };
            let first = answer(&ChooserKind::ExpandingCore);
            let mut row = format!("{size}; {}; {first}", shown(goal));
            // The reference reads the whole table of sums.
            let kinds = if jobs * alternatives <= 36 { ChooserKind::ALL } else { &[] };
            for kind in kinds {
                let other = answer(kind);
                if other != first {
                    row += &format!("; {kind}: {other}");
                }
            }
            rows.push(row);
        }
    }
    let (least, weights) = (drawn.costs.0, drawn.weights);
    let penalties = Coverage::Penalties(weights.iter().map(|weight| 2.0 * weight).collect());
    for share in [0.3, 0.9] {
        let goal = Goal::MinTime { budget: Some(share * least) };
        for (covered, coverage) in [
            ("most jobs", &Coverage::MostJobs),
            ("greatest weight", &Coverage::MostWeight(weights.clone())),
            ("penalties", &penalties),
        ] {
            let problem = ChoiceProblem::new(&batch, goal).with_coverage(coverage.clone());
            let found = ExpandingCore.choose(&problem).unwrap();
            let chosen = found.best.as_ref();
            let placed = chosen.map(|chosen| chosen.picks.iter().flatten().count());
            let sums = chosen.map(|chosen| (chosen.cost, chosen.time, chosen.left_out));
            let (goal, proven) = (shown(goal), proven(&found));
            rows.push(format!("{size}; {covered}; {goal}; {proven} {placed:?} {sums:?}"));
        }
    }
}

#[test]
fn choices_are_frozen() {
    let mut rows = Vec::new();
    for family in FAMILIES {
        for (jobs, alternatives) in [(5, 4), (10, 10), (30, 12)] {
            of_family(family, jobs, alternatives, &mut rows);
        }
    }
    compare("choices.csv", &rows);
}
