//! Every claim of the paper that can be measured, and those that cannot.

use super::example::{APART, DEAR, MEANS, SPREAD};
use super::reading::{
    ALP_PLANS, ALTERNATIVES, CORRELATION, EXAMPLE, JOBS, NO_LATER, OFFERS, PER_WORK, READ, SLOTS, change, of,
};
use super::{COVERAGE, Cycles, FIGURES, FOUND, JOBS_COUNTED, SIDES, SLOTS_COUNTED};
use crate::claims::{Claims, Range};
use crate::data::{Data, Figure};
use crate::stats::{Estimate, certain};

/// How much less x is than y, in per cent of y.
fn saving(x_over_y: Figure) -> Figure {
    x_over_y.map(|ratio| ratio.excess_percent().times(-1.0))
}

/// How much less y is than x, in per cent of x: the paper's \"15% more\" of 369.69 over 313.56.
fn saving_of_the_greater(x_over_y: Figure) -> Figure {
    x_over_y.map(|ratio| {
        // The interval of 1 / r by the delta method.
        let half = ratio.half / (ratio.mean * ratio.mean);
        Estimate { mean: 1.0 - 1.0 / ratio.mean, half, ..ratio }.times(100.0)
    })
}

pub(super) fn claims(cycles: &Cycles<'_>, budgets: &Data, claims: &mut Claims) {
    times_and_costs(cycles, claims);
    alternatives(cycles, claims);
    gains(cycles, claims);
    comparisons(cycles, claims);
    criteria(cycles, claims);
    counted_cycles(cycles, claims);
    offers(cycles, claims);
    said_of_search(cycles, claims);
    smaller_budgets(budgets, claims);
    without_runs(claims);
}

/// Figures 4 and 6: time and cost of a job.
fn times_and_costs(cycles: &Cycles<'_>, claims: &mut Claims) {
    for (at, (figure, place)) in FIGURES.iter().zip(["4 (a)", "4 (b)", "6 (a)", "6 (b)"]).enumerate() {
        claims.at(format!("section 5, fig. {place}"));
        for (side, name) in SIDES.into_iter().enumerate() {
            let text = format!("{name}, {} of a job", figure.name);
            let claim = claims.number(text, figure.paper[side], cycles.0.mean(of(side, at)));
            claim.decimals(figure.decimals);
        }
    }
}

/// How many alternatives are found.
fn alternatives(cycles: &Cycles<'_>, claims: &mut Claims) {
    claims.at("section 5");
    for (side, name) in SIDES.into_iter().enumerate() {
        let ours = || cycles.alternatives(side);
        let text = |criterion: &str| format!("{name}, alternatives per job, minimising {criterion}");
        claims.number(text("time"), FOUND.paper[side], ours());
        let note = "our two runs count the same cycles";
        claims.number(text("cost"), [7.28, 34.23][side], ours()).note(note);
    }
    claims.missing(
        "ALP finds 258,079 and 253,855 alternatives in all, AMP 1,160,029 and 115,116",
        "how many cycles the first sums are over, and the right last number; 34.23 per job make ten times as many",
    );
    let text = "AMP finds several times as many alternatives: AMP over ALP";
    let ours = cycles.amp_over_alp(ALTERNATIVES);
    claims.at("section 7").that(text, Range::above(2.0), ours).theirs(34.28 / 7.39);
}

/// By how much one is better than the other.
fn gains(cycles: &Cycles<'_>, claims: &mut Claims) {
    let gain = |figure: usize| cycles.amp_over_alp(figure);
    for (place, text, theirs, ours) in [
        ("4 (a)", "time, AMP is faster, %", 35.0, saving(gain(0))),
        ("4 (b)", "time, AMP costs more, % of AMP's cost", 15.0, saving_of_the_greater(gain(1))),
        ("6 (a)", "cost, ALP is cheaper, % of AMP's cost", 9.0, saving_of_the_greater(gain(2))),
        ("6 (b)", "cost, AMP is faster, %", 15.0, saving(gain(3))),
    ] {
        claims.at(format!("section 5, fig. {place}")).percentage(format!("minimising {text}"), theirs, ours);
    }
}

/// Which is better in every experiment, and which on average.
fn comparisons(cycles: &Cycles<'_>, claims: &mut Claims) {
    let often = |is_so: fn(&[f64], &[f64]) -> bool| cycles.0.often(Cycles::compared(is_so));
    let (always, cost) = (Range::always(), cycles.amp_over_alp(2));
    claims.at("section 5, fig. 5");
    let text = "minimising time, AMP is faster in every experiment, %";
    claims.that(text, always, often(|alp, amp| amp[0] < alp[0])).decimals(1);
    claims.at("section 6");
    let text = "minimising cost, AMP costs more than ALP on average, %";
    claims.that(text, Range::more(), cost.clone().map(Estimate::excess_percent)).decimals(1);
    let text = "minimising cost, AMP costs more in every experiment, %";
    let claim = claims.that(text, always, often(|alp, amp| amp[2] > alp[2]));
    claim.decimals(1).note("\"on average always higher\" taken word by word");
    let text = "minimising time, AMP costs more in every experiment, %";
    claims.that(text, always, often(|alp, amp| amp[1] > alp[1])).decimals(1).note("as above");
    let text =
        "minimising cost, in some experiments AMP costs no more, although its slots are more expensive, %";
    let claim = claims.that(text, Range::above(0.0), often(|alp, amp| amp[2] <= alp[2]));
    claim.decimals(1).note("a faster node takes less time, so that a job may cost as little");
    claims.at("section 7");
    let text = "minimising cost, ALP's gain is negligible: at most 10% of AMP's cost";
    let claim = claims.that(text, Range::within(0.0, 10.0), saving_of_the_greater(cost));
    claim.theirs(9.0).decimals(1).note("the text calls its own 9% negligible");
}

/// How near the plans by either criterion are.
fn criteria(cycles: &Cycles<'_>, claims: &mut Claims) {
    claims.at("section 6");
    for (side, (range, what)) in [
        (Range::similar(), "ALP's plans by either criterion are near each other"),
        (Range::above(5.0), "AMP's plans differ more by criterion"),
    ]
    .into_iter()
    .enumerate()
    {
        for (least, other, of_what) in [(0, 3, "time"), (2, 1, "cost")] {
            let ours = cycles.0.excess(of(side, other), of(side, least));
            claims.that(format!("{what}: {of_what}, %"), range, ours).decimals(1);
        }
    }
}

/// The cycles in which both cover every job.
fn counted_cycles(cycles: &Cycles<'_>, claims: &mut Claims) {
    let [slots, jobs] = [SLOTS, JOBS].map(|at| cycles.of_counted(at));
    let [all_slots, all_jobs] = [SLOTS, JOBS].map(|at| cycles.0.moments(at).estimate());
    let apart = slots.clone().map(|slots| {
        let (mean, half) = (slots.mean / all_slots.mean - 1.0, slots.half / all_slots.mean);
        Estimate { mean, half, ..slots }.times(100.0)
    });
    let fewer = jobs.clone().map(|jobs| Estimate {
        mean: jobs.mean - all_jobs.mean,
        half: jobs.half + all_jobs.half,
        ..jobs
    });
    claims.at("section 5");
    let text = "cycles in which both cover every job, %";
    claims.percentage(text, COVERAGE, cycles.coverage());
    claims.number("slots in a counted cycle", SLOTS_COUNTED, slots);
    let text = "counted cycles have as many slots as all cycles, difference in %";
    claims.that(text, Range::same(), apart);
    claims.number("jobs in a counted cycle", JOBS_COUNTED, jobs);
    let text = "counted cycles have fewer jobs than all cycles";
    claims.that(text, Range::below(0.0), fewer);
    claims.at("section 6");
    let text = "AMP finds a window wherever ALP does: AMP's starts no later, % of cycles";
    let no_later = cycles.0.often(|row| row[NO_LATER].is_finite().then_some(row[NO_LATER] == 1.0));
    let claim = claims.that(text, Range::always(), no_later);
    claim.decimals(1).note("the first window of the first job, on the same slots");
}

/// A column of what is said of alternatives, of ALP or of AMP.
const fn offer(side: usize, column: usize) -> usize {
    of(side, OFFERS + column)
}

/// What is said of the alternatives themselves.
fn offers(cycles: &Cycles<'_>, claims: &mut Claims) {
    let (less, more) = (Range::less(), Range::more());
    claims.at("sections 6 and 7");
    for (at, (text, range)) in [
        ("take less time than ALP's, %", less),
        ("cost more than ALP's, up to the budget, %", more),
        ("are on nodes of higher performance than ALP's, %", more),
        ("are on more expensive nodes than ALP's, price per unit of time in %", more),
    ]
    .into_iter()
    .enumerate()
    {
        let ours = cycles.0.excess(offer(1, MEANS + at), offer(0, MEANS + at));
        let claim = claims.that(format!("AMP's alternatives {text}"), range, ours);
        claim.decimals(1).note("means over the alternatives of a job, then over jobs");
    }
    claims.at("section 6");
    for (at, what) in ["time", "cost"].into_iter().enumerate() {
        let text = format!(
            "ALP's alternatives differ less from each other than AMP's: spread of the {what}, points"
        );
        let ours = cycles.0.difference(offer(0, SPREAD + at), offer(1, SPREAD + at));
        let note = "standard deviation among the alternatives of a job, in % of their mean";
        claims.that(text, less, ours).decimals(1).note(note);
    }
    let text = "AMP finds windows that ALP cannot: alternatives with a slot above C, %";
    claims.that(text, Range::above(0.0), cycles.0.mean_share(|row| row[offer(1, DEAR)])).decimals(1);
    let apart =
        cycles.0.often(Cycles::compared(|alp, amp| alp[OFFERS + APART] == 1.0 && amp[OFFERS + APART] == 1.0));
    let text = "no two alternatives take the same time of a slot, % of cycles";
    claims.at("section 2").that(text, Range::always(), apart).decimals(1);
}

/// What is said of slots, and of how they are searched.
fn said_of_search(cycles: &Cycles<'_>, claims: &mut Claims) {
    let uncovered = cycles.0.often(|row| (row[JOBS] >= 6.0).then_some(row[ALP_PLANS] == 0.0));
    let text = "of many jobs ALP often does not find a window for some: batches of 6 and 7, %";
    let claim = claims.at("section 5").that(text, Range::above(50.0), uncovered);
    claim.decimals(1).note("often: in more than half");
    claims.at("section 6");
    let text = "more expensive slots are faster: correlation of price and performance";
    claims.that(text, Range::above(0.0), cycles.0.mean(CORRELATION));
    let text = "speed makes up for the price: C / P from performance 2 on against below, %";
    let claim = claims.that(text, Range::similar(), cycles.0.excess(PER_WORK + 1, PER_WORK));
    claim.note("by the paper's own model of prices");
    claims.at("section 3");
    for (side, name) in SIDES.into_iter().enumerate() {
        let text = format!("{name} only moves forward: slots read, % of the list");
        let claim = claims.that(text, Range::within(0.0, 100.0), cycles.0.mean_share(|row| row[READ + side]));
        claim.decimals(1).note("the first window of the first job");
    }
}

/// Budgets of rho = 0.8.
fn smaller_budgets(budgets: &Data, claims: &mut Claims) {
    claims.at("section 6");
    for (at, what) in [(1, "minimising time"), (2, "minimising cost")] {
        let text = format!("a smaller budget, rho = 0.8, lowers AMP's cost, {what}, %");
        claims.that(text, Range::less(), change(budgets, EXAMPLE, at)).decimals(1);
    }
}

/// What the text decides by itself, or leaves open.
fn without_runs(claims: &mut Claims) {
    claims.at("section 3, section 7").missing(
        "ALP and AMP take O(m) steps for m slots",
        "what a step is; the sorting of the window's slots in step 2 of AMP is not counted",
    );
    let text = "the worked example: ALP's limit for job 2, where 12, the price of cpu6, is too much";
    let claim = claims.at("section 4").number(text, 10.0, certain(30.0 / 3.0));
    claim.decimals(0).note("the budget of 30 for each of its three nodes");
    claims.at("section 4, figs. 2 and 3").missing(
        "the worked example: W1 to W3, eight alternatives on cpu6",
        "four of the prices, the horizon and the places of the local tasks, which stand in the figure only; ours are \
         chosen so that these windows come out, and decide nothing",
    );
}
