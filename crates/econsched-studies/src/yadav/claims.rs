//! Every claim of the paper that can be measured, and those that cannot.

use super::{COST, Draws, GRIDLETS, GROUPED, GROUPS, OVERHEAD, PRIORITISED, TABLES, TIME, UNGROUPED, at};
use crate::claims::{Claim, Range, SIMILAR};
use crate::stats::Ratio;

/// Experiments and the paper's tables.
const PRINTED: [(usize, &str, &str); 3] = [
    (UNGROUPED, "table 2", "no grouping"),
    (GROUPED, "table 3", "grouping"),
    (PRIORITISED, "table 4", "grouping by priority"),
];

pub(super) fn claims(draws: &Draws) -> Vec<Claim> {
    let mut claims = Vec::new();
    printed(draws, &mut claims);
    grouping(draws, &mut claims);
    priority(draws, &mut claims);
    communication(draws, &mut claims);
    without_figures(&mut claims);
    claims
}

/// The words for less cost and for less time.
const LESS: [(usize, &str); 2] = [(COST, "costs less"), (TIME, "takes less time")];

/// Tables 2 to 4.
fn printed(draws: &Draws, claims: &mut Vec<Claim>) {
    for (experiment, place, name) in PRINTED {
        let printed = TABLES[experiment].0.published();
        for ((gridlets, rows), printed) in GRIDLETS.into_iter().zip(&draws.rows).zip(&printed) {
            let ours = |column: usize| rows.moments(at(experiment, false, column)).estimate();
            let note = note(experiment, gridlets);
            let text = |what: &str| format!("{name}, {gridlets} gridlets: {what}");
            for (what, theirs, column, decimals) in [
                ("groups", printed.groups.map(f64::from), GROUPS, 2),
                ("cost", Some(printed.cost), COST, 0),
                ("time, s", Some(printed.time), TIME, 1),
            ] {
                let Some(theirs) = theirs else { continue };
                let claim = Claim::number(place, text(what), theirs, ours(column));
                claims.push(claim.with_decimals(decimals).with_note(note));
            }
        }
    }
}

/// Observation 1: against no grouping.
fn grouping(draws: &Draws, claims: &mut Vec<Claim>) {
    for (left, name) in [(GROUPED, "grouping"), (PRIORITISED, "grouping by priority")] {
        for (column, what) in LESS {
            let (left, right) = (at(left, false, column), at(UNGROUPED, false, column));
            let text = format!("{name} {what} than no grouping, % of draws");
            let ours = draws.all.often(|row| Some(row[left] < row[right]));
            claims.push(
                Claim::new("observation 1, figs. 3 and 4", text, Range::always(), ours).with_decimals(1),
            );
            let text = format!("{name} {what} by far: at most half, in % of no grouping");
            let ours = draws.all.ratio(left, right).estimate().times(100.0);
            claims.push(
                Claim::new("observation 1, figs. 3 and 4", text, Range::below(50.0), ours).with_decimals(1),
            );
        }
    }
}

/// Observation 2: groups in the order of priority.
fn priority(draws: &Draws, claims: &mut Vec<Claim>) {
    for (shuffled, resources) in [(false, "in the order of table 1"), (true, "in random order")] {
        for (column, what) in LESS {
            let (left, right) = (at(PRIORITISED, shuffled, column), at(GROUPED, shuffled, column));
            let text = format!("grouping by priority {what} than grouping, resources {resources}, %");
            let ours = draws.all.ratio(left, right).excess_percent();
            let claim = Claim::new("observation 2, figs. 3 and 4", text, Range::less(), ours);
            let equal = draws.all.often(|row| Some(row[left] == row[right]));
            let equal = format!("equal in {:.0}% of the draws", equal.mean);
            let one = if shuffled { "; the paper gives one order" } else { "" };
            claims.push(claim.with_note(equal + one));
        }
    }
    for (column, what) in [(COST, "cost"), (TIME, "time")] {
        let text = format!("grouping by priority is slightly better than grouping: {what}, %");
        let range = Range::within(-SIMILAR, 0.0);
        let ours = draws.all.ratio(at(PRIORITISED, false, column), at(GROUPED, false, column));
        let claim = Claim::new("section 5.2, experiment 3", text, range, ours.excess_percent());
        claims.push(claim.with_note("the paper's own tables differ by 37% in cost and 9% in time"));
    }
}

fn communication(draws: &Draws, claims: &mut Vec<Claim>) {
    let to_computation = |row: &[f64], experiment: usize| {
        OVERHEAD * row[at(experiment, false, GROUPS)] / row[at(experiment, false, TIME)]
    };
    for (experiment, name) in [(GROUPED, "grouping"), (PRIORITISED, "grouping by priority")] {
        let ratio: Ratio =
            draws.all.ratio_of(|row| (to_computation(row, experiment), to_computation(row, UNGROUPED)));
        let text = format!("{name} has less communication for its computation than no grouping, %");
        let claim = Claim::new("abstract, section 1", text, Range::less(), ratio.excess_percent());
        claims.push(
            claim
                .with_decimals(1)
                .with_note("10 s of overhead for each dispatch over the times of tables 2 to 4"),
        );
    }
}

fn without_figures(claims: &mut Vec<Claim>) {
    claims.push(Claim::not_determined(
        "abstract, section 1",
        "grouping makes better, or full, use of the resources",
        "missing: a measure of use; none is defined and none is given",
    ));
    claims.push(Claim::not_determined(
        "section 5.1.2",
        "the processing time holds overhead, grouping, sending and receiving",
        "missing: the times of grouping, sending and receiving; of the 10 s of overhead that are named the tables have no \
         room: see the readings",
    ));
    claims.push(Claim::not_determined(
        "section 6",
        "jobs of high priority run first, which satisfies users and broker",
        "missing: how either is measured; the tables print no waiting times and no priorities",
    ));
}

/// A note to a row.
fn note(experiment: usize, gridlets: u32) -> &'static str {
    match (experiment, gridlets) {
        (UNGROUPED, _) => {
            "printed costs are not multiples of 50, as costs of whole seconds at table 1's rates must be"
        }
        (GROUPED, 50) => "one group, 1,100 in 9 s, is impossible on any one resource",
        (GROUPED, _) => "ten CPUs and 7 s are fitted to this table",
        (PRIORITISED, 75) => "one group, 1,200 in 10 s, is impossible on any one resource",
        _ => "by the algorithm as described, with the reading fitted to table 3",
    }
}
