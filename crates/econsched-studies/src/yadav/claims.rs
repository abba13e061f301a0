//! Every claim of the paper that can be measured, and those that cannot.

use super::{
    COST, DECIMALS, Draws, GRIDLETS, GROUPED, GROUPS, OVERHEAD, PRIORITISED, TABLES, TIME, UNGROUPED, at,
};
use crate::claims::{Claims, Range, SIMILAR};
use crate::data::Row;

/// Experiments and the paper's tables.
const PRINTED: [(usize, &str, &str); 3] = [
    (UNGROUPED, "table 2", "no grouping"),
    (GROUPED, "table 3", "grouping"),
    (PRIORITISED, "table 4", "grouping by priority"),
];

pub(super) fn claims(draws: &Draws, claims: &mut Claims) {
    printed(draws, claims);
    grouping(draws, claims);
    priority(draws, claims);
    communication(draws, claims);
    without_figures(claims);
}

/// The words for less cost and for less time.
const LESS: [(usize, &str); 2] = [(COST, "costs less"), (TIME, "takes less time")];

/// Tables 2 to 4.
fn printed(draws: &Draws, claims: &mut Claims) {
    for (experiment, place, name) in PRINTED {
        claims.at(place);
        let printed = TABLES[experiment].0.published();
        for ((gridlets, rows), printed) in GRIDLETS.into_iter().zip(&draws.rows).zip(printed) {
            for (column, what) in ["groups", "cost", "time, s"].into_iter().enumerate() {
                if printed[column].is_nan() {
                    continue;
                }
                let text = format!("{name}, {gridlets} gridlets: {what}");
                let claim = claims.number(text, printed[column], rows.mean(at(experiment, false, column)));
                claim.decimals(DECIMALS[column]).note(note(experiment, gridlets));
            }
        }
    }
}

/// Observation 1: against no grouping.
fn grouping(draws: &Draws, claims: &mut Claims) {
    claims.at("observation 1, figs. 3 and 4");
    for (left, name) in [(GROUPED, "grouping"), (PRIORITISED, "grouping by priority")] {
        for (column, what) in LESS {
            let (left, right) = (at(left, false, column), at(UNGROUPED, false, column));
            let text = format!("{name} {what} than no grouping, % of draws");
            let ours = draws.all.often(|row| Some(row[left] < row[right]));
            claims.that(text, Range::always(), ours).decimals(1);
            let text = format!("{name} {what} by far: at most half, in % of no grouping");
            let ours = draws.all.ratio(left, right).map(|ratio| ratio.times(100.0));
            claims.that(text, Range::below(50.0), ours).decimals(1);
        }
    }
}

/// Observation 2: groups in the order of priority.
fn priority(draws: &Draws, claims: &mut Claims) {
    claims.at("observation 2, figs. 3 and 4");
    for (shuffled, resources) in [(false, "in the order of table 1"), (true, "in random order")] {
        for (column, what) in LESS {
            let (left, right) = (at(PRIORITISED, shuffled, column), at(GROUPED, shuffled, column));
            let text = format!("grouping by priority {what} than grouping, resources {resources}, %");
            let ours = draws.all.excess(left, right);
            let equal = draws.all.often(|row| Some(row[left] == row[right])).estimate.mean;
            let one = if shuffled { "; the paper gives one order" } else { "" };
            let note = format!("equal in {equal:.0}% of the draws{one}");
            claims.that(text, Range::less(), ours).note(note);
        }
    }
    claims.at("section 5.2, experiment 3");
    for (column, what) in [(COST, "cost"), (TIME, "time")] {
        let text = format!("grouping by priority is slightly better than grouping: {what}, %");
        let ours = draws.all.excess(at(PRIORITISED, false, column), at(GROUPED, false, column));
        let note = "the paper's own tables differ by 37% in cost and 9% in time";
        claims.that(text, Range::within(-SIMILAR, 0.0), ours).note(note);
    }
}

fn communication(draws: &Draws, claims: &mut Claims) {
    claims.at("abstract, section 1");
    let to_computation = |row: &Row<'_>, experiment: usize| {
        OVERHEAD * row[at(experiment, false, GROUPS)] / row[at(experiment, false, TIME)]
    };
    for (experiment, name) in [(GROUPED, "grouping"), (PRIORITISED, "grouping by priority")] {
        let pair = |row: &Row<'_>| (to_computation(row, experiment), to_computation(row, UNGROUPED));
        let text = format!("{name} has less communication for its computation than no grouping, %");
        let note = "10 s of overhead for each dispatch over the times of tables 2 to 4";
        let ours = draws.all.excess_of(pair);
        claims.that(text, Range::less(), ours).decimals(1).note(note);
    }
}

fn without_figures(claims: &mut Claims) {
    claims.at("abstract, section 1").missing(
        "grouping makes better, or full, use of the resources",
        "a measure of use; none is defined and none is given",
    );
    claims.at("section 5.1.2").missing(
        "the processing time holds overhead, grouping, sending and receiving",
        "the times of grouping, sending and receiving; of the 10 s of overhead that are named the tables have no room: \
         see the readings",
    );
    claims.at("section 6").missing(
        "jobs of high priority run first, which satisfies users and broker",
        "how either is measured; the tables print no waiting times and no priorities",
    );
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
