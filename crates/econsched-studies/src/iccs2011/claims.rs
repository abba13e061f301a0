//! Every claim of the paper that can be measured, and those that cannot.

use super::example::{APART, DEAR, MEANS, SPREAD};
use super::reading::{
    ALP_PLANS, ALTERNATIVES, Budgets, CORRELATION, EXAMPLE, JOBS, NO_LATER, OFFERS, PER_WORK, READ, SLOTS, of,
};
use super::{COVERAGE, Cycles, FIGURES, FOUND, JOBS_COUNTED, SIDES, SLOTS_COUNTED};
use crate::claims::{Claim, Range};
use crate::data::Figure;
use crate::stats::{Estimate, Ratio, certain};

/// How much less x is than y, in per cent of y.
fn saving(x_over_y: Ratio) -> Figure {
    of_cycles(x_over_y.excess_percent().times(-1.0))
}

/// How much less y is than x, in per cent of x: the paper's \"15% more\" of 369.69 over 313.56.
fn saving_of_the_greater(x_over_y: Ratio) -> Figure {
    let ratio = x_over_y.estimate();
    // The interval of 1 / r by the delta method.
    let half = ratio.half / (ratio.mean * ratio.mean);
    of_cycles(Estimate { mean: 1.0 - 1.0 / ratio.mean, half, count: ratio.count }.times(100.0))
}

/// A figure over the cycles: more of them may decide a claim.
fn of_cycles(estimate: Estimate) -> Figure {
    Figure::of([0], estimate)
}

pub(super) fn claims(cycles: &Cycles<'_>, budgets: &Budgets) -> Vec<Claim> {
    let mut claims = Vec::new();
    times_and_costs(cycles, &mut claims);
    alternatives(cycles, &mut claims);
    gains(cycles, &mut claims);
    comparisons(cycles, &mut claims);
    criteria(cycles, &mut claims);
    counted_cycles(cycles, &mut claims);
    offers(cycles, &mut claims);
    smaller_budgets(budgets, &mut claims);
    without_runs(&mut claims);
    claims
}

/// Figures 4 and 6: time and cost of a job.
fn times_and_costs(cycles: &Cycles<'_>, claims: &mut Vec<Claim>) {
    let places =
        ["section 5, fig. 4 (a)", "section 5, fig. 4 (b)", "section 5, fig. 6 (a)", "section 5, fig. 6 (b)"];
    for (at, (figure, place)) in FIGURES.iter().zip(places).enumerate() {
        for (side, name) in SIDES.into_iter().enumerate() {
            let text = format!("{name}, {} of a job", figure.name);
            let claim = Claim::number(place, text, figure.paper[side], cycles.0.mean(of(side, at)));
            claims.push(claim.with_decimals(figure.decimals));
        }
    }
}

/// How many alternatives are found.
fn alternatives(cycles: &Cycles<'_>, claims: &mut Vec<Claim>) {
    for (side, name) in SIDES.into_iter().enumerate() {
        let claim = |criterion: &str, theirs: f64| {
            let text = format!("{name}, alternatives per job, minimising {criterion}");
            Claim::number("section 5", text, theirs, of_cycles(cycles.alternatives(side)))
        };
        let cost = claim("cost", [7.28, 34.23][side]).with_note("our two runs count the same cycles");
        claims.extend([claim("time", FOUND.paper[side]), cost]);
    }
    claims.push(Claim::not_determined(
        "section 5",
        "ALP finds 258,079 and 253,855 alternatives in all, AMP 1,160,029 and 115,116",
        "missing: how many cycles the first sums are over, and the right last number; 34.23 per job make ten times as many",
    ));
    let text = "AMP finds several times as many alternatives: AMP over ALP";
    let ours = of_cycles(cycles.amp_over_alp(ALTERNATIVES).estimate());
    claims.push(Claim::new("section 7", text, Range::above(2.0), ours).with_theirs(34.28 / 7.39));
}

/// By how much one is better than the other.
fn gains(cycles: &Cycles<'_>, claims: &mut Vec<Claim>) {
    let [min_time_time, min_time_cost, min_cost_cost, min_cost_time] =
        [0, 1, 2, 3].map(|figure| cycles.amp_over_alp(figure));
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
fn comparisons(cycles: &Cycles<'_>, claims: &mut Vec<Claim>) {
    let often =
        |is_so: fn(&[f64], &[f64]) -> bool| of_cycles(cycles.0.often(|row| Cycles::compared(row, is_so)));
    let cost = cycles.amp_over_alp(2);
    let mut claim = |place: &str, text: &str, range: Range, ours: Figure, note: &str| {
        claims.push(Claim::new(place, text, range, ours).with_decimals(1).with_note(note));
    };
    claim(
        "section 5, fig. 5",
        "minimising time, AMP is faster in every experiment, %",
        Range::always(),
        often(|alp, amp| amp[0] < alp[0]),
        "",
    );
    claim(
        "section 6",
        "minimising cost, AMP costs more than ALP on average, %",
        Range::more(),
        of_cycles(cost.excess_percent()),
        "",
    );
    claim(
        "section 6",
        "minimising cost, AMP costs more in every experiment, %",
        Range::always(),
        often(|alp, amp| amp[2] > alp[2]),
        "\"on average always higher\" taken word by word",
    );
    claim(
        "section 6",
        "minimising time, AMP costs more in every experiment, %",
        Range::always(),
        often(|alp, amp| amp[1] > alp[1]),
        "as above",
    );
    claim(
        "section 6",
        "minimising cost, in some experiments AMP costs no more, although its slots are more expensive, %",
        Range::above(0.0),
        often(|alp, amp| amp[2] <= alp[2]),
        "a faster node takes less time, so that a job may cost as little",
    );
    let text = "minimising cost, ALP's gain is negligible: at most 10% of AMP's cost";
    let claim = Claim::new("section 7", text, Range::within(0.0, 10.0), saving_of_the_greater(cost));
    let note = "the text calls its own 9% negligible";
    claims.push(claim.with_theirs(9.0).with_decimals(1).with_note(note));
}

/// How near the plans by either criterion are.
fn criteria(cycles: &Cycles<'_>, claims: &mut Vec<Claim>) {
    for (side, name) in SIDES.into_iter().enumerate() {
        for (least, other, what) in [(0, 3, "time"), (2, 1, "cost")] {
            let (range, text) = if side == 0 {
                (
                    Range::similar(),
                    format!("{name}'s plans by either criterion are near each other: {what}, %"),
                )
            } else {
                (Range::above(5.0), format!("{name}'s plans differ more by criterion: {what}, %"))
            };
            let ours = cycles.0.excess(of(side, other), of(side, least));
            claims.push(Claim::new("section 6", text, range, ours).with_decimals(1));
        }
    }
}

/// The cycles in which both cover every job.
fn counted_cycles(cycles: &Cycles<'_>, claims: &mut Vec<Claim>) {
    let place = "section 5";
    let both = |at: usize| (cycles.of_counted(at).estimate(), cycles.0.moments(at).estimate());
    let (counted, all) = both(SLOTS);
    let apart = Estimate { mean: counted.mean / all.mean - 1.0, half: counted.half / all.mean, ..counted };
    let (jobs, all) = both(JOBS);
    let fewer = Estimate { mean: jobs.mean - all.mean, half: jobs.half + all.half, ..jobs };
    let no_later = cycles.0.often(|row| row[NO_LATER].is_finite().then_some(row[NO_LATER] == 1.0));
    let text = "cycles in which both cover every job, %";
    claims.extend([
        Claim::percentage(place, text, COVERAGE, of_cycles(cycles.coverage())),
        Claim::number(place, "slots in a counted cycle", SLOTS_COUNTED, of_cycles(counted)),
        Claim::new(
            place,
            "counted cycles have as many slots as all cycles, difference in %",
            Range::same(),
            of_cycles(apart.times(100.0)),
        ),
        Claim::number(place, "jobs in a counted cycle", JOBS_COUNTED, of_cycles(jobs)),
        Claim::new(
            place,
            "counted cycles have fewer jobs than all cycles",
            Range::below(0.0),
            of_cycles(fewer),
        ),
        Claim::new(
            "section 6",
            "AMP finds a window wherever ALP does: AMP's starts no later, % of cycles",
            Range::always(),
            of_cycles(no_later),
        )
        .with_decimals(1)
        .with_note("the first window of the first job, on the same slots"),
    ]);
}

/// What is said of the slots and of the alternatives themselves.
fn offers(cycles: &Cycles<'_>, claims: &mut Vec<Claim>) {
    let offer = |side: usize, column: usize| of(side, OFFERS + column);
    let words = [
        ("AMP's alternatives take less time than ALP's, %", Range::less()),
        ("AMP's alternatives cost more than ALP's, up to the budget, %", Range::more()),
        ("AMP's alternatives are on nodes of higher performance than ALP's, %", Range::more()),
        (
            "AMP's alternatives are on more expensive nodes than ALP's, price per unit of time in %",
            Range::more(),
        ),
    ];
    for (at, (text, range)) in words.into_iter().enumerate() {
        let note = "means over the alternatives of a job, then over jobs";
        let ours = cycles.0.excess(offer(1, MEANS + at), offer(0, MEANS + at));
        claims.push(Claim::new("sections 6 and 7", text, range, ours).with_decimals(1).with_note(note));
    }
    for (at, what) in ["time", "cost"].into_iter().enumerate() {
        let text = format!(
            "ALP's alternatives differ less from each other than AMP's: spread of the {what}, points"
        );
        let note = "standard deviation among the alternatives of a job, in % of their mean";
        let ours = cycles.0.difference(offer(0, SPREAD + at), offer(1, SPREAD + at));
        claims.push(Claim::new("section 6", text, Range::less(), ours).with_decimals(1).with_note(note));
    }
    let apart = cycles.0.often(|row| {
        Cycles::compared(row, |alp, amp| alp[OFFERS + APART] == 1.0 && amp[OFFERS + APART] == 1.0)
    });
    let uncovered = cycles.0.often(|row| (row[JOBS] >= 6.0).then_some(row[ALP_PLANS] == 0.0));
    claims.extend([
        Claim::new(
            "section 6",
            "AMP finds windows that ALP cannot: alternatives with a slot above C, %",
            Range::above(0.0),
            cycles.0.mean_share(offer(1, DEAR)),
        )
        .with_decimals(1),
        Claim::new(
            "section 2",
            "no two alternatives take the same time of a slot, % of cycles",
            Range::always(),
            of_cycles(apart),
        )
        .with_decimals(1),
        Claim::new(
            "section 5",
            "of many jobs ALP often does not find a window for some: batches of 6 and 7, %",
            Range::above(50.0),
            of_cycles(uncovered),
        )
        .with_decimals(1)
        .with_note("often: in more than half"),
        Claim::new(
            "section 6",
            "more expensive slots are faster: correlation of price and performance",
            Range::above(0.0),
            cycles.0.mean(CORRELATION),
        ),
        Claim::new(
            "section 6",
            "speed makes up for the price: C / P from performance 2 on against below, %",
            Range::similar(),
            cycles.0.excess(PER_WORK + 1, PER_WORK),
        )
        .with_note("by the paper's own model of prices"),
    ]);
    for (side, name) in SIDES.into_iter().enumerate() {
        let text = format!("{name} only moves forward: slots read, % of the list");
        let read = cycles.0.mean_share(READ + side);
        let claim = Claim::new("section 3", text, Range::within(0.0, 100.0), read);
        claims.push(claim.with_decimals(1).with_note("the first window of the first job"));
    }
}

/// Budgets of rho = 0.8.
fn smaller_budgets(budgets: &Budgets, claims: &mut Vec<Claim>) {
    for (at, what) in [(1, "minimising time"), (2, "minimising cost")] {
        let text = format!("a smaller budget, rho = 0.8, lowers AMP's cost, {what}, %");
        let claim = Claim::new("section 6", text, Range::less(), budgets.change(EXAMPLE, at));
        claims.push(claim.with_decimals(1));
    }
}

/// What the text decides by itself, or leaves open.
fn without_runs(claims: &mut Vec<Claim>) {
    claims.extend([
        Claim::not_determined(
            "section 3, section 7",
            "ALP and AMP take O(m) steps for m slots",
            "missing: what a step is; the sorting of the window's slots in step 2 of AMP is not counted",
        ),
        Claim::number(
            "section 4",
            "the worked example: ALP's limit for job 2, where 12, the price of cpu6, is too much",
            10.0,
            certain(30.0 / 3.0),
        )
        .with_decimals(0)
        .with_note("the budget of 30 for each of its three nodes"),
        Claim::not_determined(
            "section 4, figs. 2 and 3",
            "the worked example: W1 to W3, eight alternatives on cpu6",
            "missing: four of the prices, the horizon and the places of the local tasks, which stand in the figure only; ours are \
             chosen so that these windows come out, and decide nothing",
        ),
    ]);
}
