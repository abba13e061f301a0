//! Tables and charts.

use super::{GOALS, MOVES, QUEUES, Tally, place};
use crate::chart::Bars;
use crate::report::{Cell, StudyReport, Table};
use crate::stats::{Estimate, Moments};

/// An estimate with its interval, or a number where there is one log.
fn cell(moments: &Moments, decimals: usize) -> Cell {
    of(moments.estimate(), decimals)
}

pub(super) fn of(estimate: Estimate, decimals: usize) -> Cell {
    if estimate.count < 2 {
        Cell::Number(estimate.mean, decimals)
    } else {
        Cell::Estimate(estimate, decimals)
    }
}

pub(super) fn describe(tallies: &[Tally], report: &mut StudyReport) {
    let mut table = Table::new(
        "policies",
        "Waiting, cost, moves and refusals",
        &[
            "goal",
            "moves",
            "mean wait",
            "over EASY, %",
            "bounded slowdown",
            "cost",
            "moved later",
            "moved otherwise",
            "withdrawn",
            "refused",
            "cycles",
        ],
    );
    let queues = QUEUES.iter().map(|queue| (queue.name(), "-"));
    let live = GOALS.iter().flat_map(|(goal, _)| MOVES.iter().map(|moves| (*goal, *moves)));
    for ((goal, moves), tally) in queues.chain(live).zip(tallies) {
        table.push(vec![
            Cell::from(goal),
            Cell::from(moves),
            cell(&tally.wait, 0),
            of(tally.wait_ratio.excess_percent(), 1),
            cell(&tally.slowdown, 2),
            cell(&tally.cost, 0),
            cell(&tally.later, 0),
            cell(&tally.earlier, 0),
            cell(&tally.withdrawn, 0),
            cell(&tally.refused, 0),
            cell(&tally.cycles, 0),
        ]);
    }
    report.table(table);
    let goals = || GOALS.iter().map(|(goal, _)| *goal);
    for (name, title, unit, of) in [
        ("wait", "Mean wait", "seconds", (|tally| &tally.wait) as fn(&Tally) -> &Moments),
        ("cost", "Cost of an hour of a CPU", "money", |tally| &tally.cost),
        ("moves", "Promises moved for the better or because they could not be kept", "moves", |tally| {
            &tally.earlier
        }),
    ] {
        let mut bars = Bars::new(title, unit, goals());
        for (moves, policy) in MOVES.iter().enumerate() {
            let each = (0..GOALS.len()).map(|goal| of(&tallies[place(goal, moves)]).estimate());
            bars = bars.with_series(*policy, each);
        }
        if name != "moves" {
            for (queue, tally) in QUEUES.iter().zip(tallies) {
                bars = bars.with_series(queue.name(), GOALS.map(|_| of(tally).estimate()));
            }
        }
        report.chart(name, bars);
    }
}
