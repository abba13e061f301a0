//! Every claim of the paper that can be measured, and those that cannot.

use super::budgets::{Budgets, EXAMPLE};
use super::{ALTERNATIVES, COVERAGE, FIGURES, JOBS_COUNTED, SIDES, SLOTS, Tally};
use crate::claims::{Claim, Range};
use crate::stats::{Estimate, Ratio, certain, share};

/// How much less x is than y, in per cent of y.
fn saving(x_over_y: &Ratio) -> Estimate {
    x_over_y.excess_percent().times(-1.0)
}

/// How much less y is than x, in per cent of x: the paper's \"15% more\" of 369.69 over 313.56.
fn saving_of_the_greater(x_over_y: &Ratio) -> Estimate {
    let ratio = x_over_y.estimate();
    // The interval of 1 / r by the delta method.
    let half = ratio.half / (ratio.mean * ratio.mean);
    Estimate { mean: 1.0 - 1.0 / ratio.mean, half, count: ratio.count }.times(100.0)
}

pub(super) fn claims(tally: &Tally, budgets: &Budgets) -> Vec<Claim> {
    let mut claims = Vec::new();
    times_and_costs(tally, &mut claims);
    alternatives(tally, &mut claims);
    gains(tally, &mut claims);
    comparisons(tally, &mut claims);
    criteria(tally, &mut claims);
    counted_cycles(tally, &mut claims);
    offers(tally, &mut claims);
    smaller_budgets(budgets, &mut claims);
    without_runs(&mut claims);
    claims
}

/// Figures 4 and 6: time and cost of a job.
fn times_and_costs(tally: &Tally, claims: &mut Vec<Claim>) {
    let figures =
        ["section 5, fig. 4 (a)", "section 5, fig. 4 (b)", "section 5, fig. 6 (a)", "section 5, fig. 6 (b)"];
    for ((figure, place), moments) in FIGURES.iter().zip(figures).zip(&tally.figures) {
        for (side, name) in SIDES.into_iter().enumerate() {
            let text = format!("{name}, {} of a job", figure.name);
            let claim = Claim::number(place, text, figure.paper[side], moments[side].estimate());
            claims.push(claim.with_decimals(figure.decimals));
        }
    }
}

/// How many alternatives are found.
fn alternatives(tally: &Tally, claims: &mut Vec<Claim>) {
    for (side, name) in SIDES.into_iter().enumerate() {
        let ours = tally.alternatives[side].estimate();
        let (first, second) = (ALTERNATIVES.paper[side], [7.28, 34.23][side]);
        claims.push(Claim::number(
            "section 5",
            format!("{name}, alternatives per job, minimising time"),
            first,
            ours,
        ));
        let claim = Claim::number(
            "section 5",
            format!("{name}, alternatives per job, minimising cost"),
            second,
            ours,
        );
        claims.push(claim.with_note("our two runs count the same cycles"));
    }
    claims.push(Claim::not_determined(
        "section 5",
        "ALP finds 258,079 and 253,855 alternatives in all, AMP 1,160,029 and 115,116",
        "missing: how many cycles the first sums are over, and the right last number; 34.23 per job make ten times as many",
    ));
    claims.push(
        Claim::new(
            "section 7",
            "AMP finds several times as many alternatives: AMP over ALP",
            Range::above(2.0),
            tally.more_alternatives.estimate(),
        )
        .with_theirs(34.28 / 7.39),
    );
}

/// By how much one is better than the other.
fn gains(tally: &Tally, claims: &mut Vec<Claim>) {
    let [min_time_time, min_time_cost, min_cost_cost, min_cost_time] = &tally.ratios;
    let gains = [
        ("section 5, fig. 4 (a)", "minimising time, AMP is faster, %", 35.0, saving(min_time_time)),
        (
            "section 5, fig. 4 (b)",
            "minimising time, AMP costs more, % of AMP's cost",
            15.0,
            saving_of_the_greater(min_time_cost),
        ),
        (
            "section 5, fig. 6 (a)",
            "minimising cost, ALP is cheaper, % of AMP's cost",
            9.0,
            saving_of_the_greater(min_cost_cost),
        ),
        ("section 5, fig. 6 (b)", "minimising cost, AMP is faster, %", 15.0, saving(min_cost_time)),
    ];
    for (place, text, theirs, ours) in gains {
        claims.push(Claim::percentage(place, text, theirs, ours));
    }
}

/// Which is better in every experiment, and which on average.
fn comparisons(tally: &Tally, claims: &mut Vec<Claim>) {
    let min_cost_cost = &tally.ratios[2];
    let [faster, dearer] = [tally.amp_faster, tally.amp_dearer].map(|count| share(count, tally.counted()));
    claims.push(
        Claim::new(
            "section 5, fig. 5",
            "minimising time, AMP is faster in every experiment, %",
            Range::always(),
            faster,
        )
        .with_decimals(1),
    );
    claims.push(
        Claim::new(
            "section 6",
            "minimising cost, AMP costs more than ALP on average, %",
            Range::more(),
            min_cost_cost.excess_percent(),
        )
        .with_decimals(1),
    );
    claims.push(
        Claim::new(
            "section 6",
            "minimising cost, AMP costs more in every experiment, %",
            Range::always(),
            dearer,
        )
        .with_decimals(1)
        .with_note("\"on average always higher\" taken word by word"),
    );
    claims.push(
        Claim::new(
            "section 6",
            "minimising time, AMP costs more in every experiment, %",
            Range::always(),
            share(tally.amp_dearer_fast, tally.counted()),
        )
        .with_decimals(1)
        .with_note("as above"),
    );
    claims.push(
        Claim::new(
            "section 6",
            "minimising cost, in some experiments AMP costs no more, although its slots are more expensive, %",
            Range::above(0.0),
            share(tally.counted() - tally.amp_dearer, tally.counted()),
        )
        .with_decimals(1)
        .with_note("a faster node takes less time, so that a job may cost as little"),
    );
    claims.push(
        Claim::new(
            "section 7",
            "minimising cost, ALP's gain is negligible: at most 10% of AMP's cost",
            Range::within(0.0, 10.0),
            saving_of_the_greater(min_cost_cost),
        )
        .with_theirs(9.0)
        .with_decimals(1)
        .with_note("the text calls its own 9% negligible"),
    );
}

/// How near the plans by either criterion are.
fn criteria(tally: &Tally, claims: &mut Vec<Claim>) {
    for (side, name) in SIDES.into_iter().enumerate() {
        for (ratio, what) in tally.criteria[side].iter().zip(["time", "cost"]) {
            let (range, text) = if side == 0 {
                (
                    Range::similar(),
                    format!("{name}'s plans by either criterion are near each other: {what}, %"),
                )
            } else {
                (Range::above(5.0), format!("{name}'s plans differ more by criterion: {what}, %"))
            };
            claims.push(Claim::new("section 6", text, range, ratio.excess_percent()).with_decimals(1));
        }
    }
}

/// The cycles in which both cover every job.
fn counted_cycles(tally: &Tally, claims: &mut Vec<Claim>) {
    claims.push(Claim::percentage(
        "section 5",
        "cycles in which both cover every job, %",
        COVERAGE,
        tally.coverage(),
    ));
    claims.push(Claim::number(
        "section 5",
        "slots in a counted cycle",
        SLOTS,
        tally.slots_counted.estimate(),
    ));
    let (counted, all) = (tally.slots_counted.estimate(), tally.slots.estimate());
    let apart = Estimate { mean: counted.mean / all.mean - 1.0, half: counted.half / all.mean, ..counted };
    claims.push(Claim::new(
        "section 5",
        "counted cycles have as many slots as all cycles, difference in %",
        Range::same(),
        apart.times(100.0),
    ));
    let (counted, all) = (tally.jobs_counted.estimate(), tally.jobs.estimate());
    claims.push(Claim::number("section 5", "jobs in a counted cycle", JOBS_COUNTED, counted));
    let fewer = Estimate { mean: counted.mean - all.mean, half: counted.half + all.half, ..counted };
    claims.push(Claim::new(
        "section 5",
        "counted cycles have fewer jobs than all cycles",
        Range::below(0.0),
        fewer,
    ));
    let no_later = share(tally.amp_no_later, tally.alp_found);
    claims.push(
        Claim::new(
            "section 6",
            "AMP finds a window wherever ALP does: AMP's starts no later, % of cycles",
            Range::always(),
            no_later,
        )
        .with_decimals(1)
        .with_note("the first window of the first job, on the same slots"),
    );
}

/// Budgets of rho = 0.8.
fn smaller_budgets(budgets: &Budgets, claims: &mut Vec<Claim>) {
    let example = &budgets.ratios[EXAMPLE];
    for (at, what) in [(1, "minimising time"), (2, "minimising cost")] {
        claims.push(
            Claim::new(
                "section 6",
                format!("a smaller budget, rho = 0.8, lowers AMP's cost, {what}, %"),
                Range::less(),
                example[at].excess_percent(),
            )
            .with_decimals(1),
        );
    }
}

/// What the text decides by itself, or leaves open.
fn without_runs(claims: &mut Vec<Claim>) {
    claims.push(Claim::not_determined(
        "section 3, section 7",
        "ALP and AMP take O(m) steps for m slots",
        "missing: what a step is; the sorting of the window's slots in step 2 of AMP is not counted",
    ));
    claims.push(
        Claim::number(
            "section 4",
            "the worked example: ALP's limit for job 2, where 12, the price of cpu6, is too much",
            10.0,
            certain(30.0 / 3.0),
        )
        .with_decimals(0)
        .with_note("the budget of 30 for each of its three nodes"),
    );
    claims.push(Claim::not_determined(
        "section 4, figs. 2 and 3",
        "the worked example: W1 to W3, eight alternatives on cpu6",
        "missing: four of the prices, the horizon and the places of the local tasks, which stand in the figure only; ours are \
         chosen so that these windows come out, and decide nothing",
    ));
}

/// What is said of the slots and of the alternatives themselves.
fn offers(tally: &Tally, claims: &mut Vec<Claim>) {
    for (ratio, (text, range)) in tally.offer_ratios.iter().zip([
        ("AMP's alternatives take less time than ALP's, %", Range::less()),
        ("AMP's alternatives cost more than ALP's, up to the budget, %", Range::more()),
        ("AMP's alternatives are on nodes of higher performance than ALP's, %", Range::more()),
        (
            "AMP's alternatives are on more expensive nodes than ALP's, price per unit of time in %",
            Range::more(),
        ),
    ]) {
        let note = "means over the alternatives of a job, then over jobs";
        let claim = Claim::new("sections 6 and 7", text, range, ratio.excess_percent());
        claims.push(claim.with_decimals(1).with_note(note));
    }
    for (moments, what) in tally.spread_apart.iter().zip(["time", "cost"]) {
        let text = format!(
            "ALP's alternatives differ less from each other than AMP's: spread of the {what}, points"
        );
        let note = "standard deviation among the alternatives of a job, in % of their mean";
        let claim = Claim::new("section 6", text, Range::less(), moments.estimate());
        claims.push(claim.with_decimals(1).with_note(note));
    }
    claims.push(
        Claim::new(
            "section 6",
            "AMP finds windows that ALP cannot: alternatives with a slot above C, %",
            Range::above(0.0),
            tally.dear.mean_share(),
        )
        .with_decimals(1),
    );
    claims.push(
        Claim::new(
            "section 2",
            "no two alternatives take the same time of a slot, % of cycles",
            Range::always(),
            share(tally.apart, tally.counted()),
        )
        .with_decimals(1),
    );
    claims.push(
        Claim::new(
            "section 5",
            "of many jobs ALP often does not find a window for some: batches of 6 and 7, %",
            Range::above(50.0),
            share(tally.alp_uncovered, tally.many_jobs),
        )
        .with_decimals(1)
        .with_note("often: in more than half"),
    );
    claims.push(Claim::new(
        "section 6",
        "more expensive slots are faster: correlation of price and performance",
        Range::above(0.0),
        tally.correlation.estimate(),
    ));
    claims.push(
        Claim::new(
            "section 6",
            "speed makes up for the price: C / P from performance 2 on against below, %",
            Range::similar(),
            tally.per_work.excess_percent(),
        )
        .with_note("by the paper's own model of prices"),
    );
    for (moments, name) in tally.read.iter().zip(SIDES) {
        claims.push(
            Claim::new(
                "section 3",
                format!("{name} only moves forward: slots read, % of the list"),
                Range::within(0.0, 100.0),
                moments.mean_share(),
            )
            .with_decimals(1)
            .with_note("the first window of the first job"),
        );
    }
}
