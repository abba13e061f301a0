//! Every claim of the paper that can be measured, and those that cannot.

use super::measures::Measure;
use super::sweeps::*;
use super::{at, estimate};
use crate::claims::{Claim, POINT, Range, SAME, SIMILAR};
use crate::data::{Data, Figure};

/// Variance of the loads of sites that counts as close to zero: loads some 10 percentage points apart.
const CLOSE_TO_ZERO: f64 = 0.01;

/// The paired difference from one value of a sweep to another.
fn difference(data: &Data, sweep: usize, measure: Measure, from: usize, to: usize) -> Figure {
    data.difference(at(sweep, to, measure), at(sweep, from, measure))
}

/// The mean at one value of a sweep.
fn mean(data: &Data, sweep: usize, measure: Measure, value: usize) -> Figure {
    Figure::of([run(sweep, value)], estimate(data, sweep, value, measure))
}

/// The difference that balancing makes in one sweep and measure, in per cent of that in another.
fn effect_against(data: &Data, effect: (usize, Measure), base: (usize, Measure)) -> Figure {
    let of = |row: &[f64], (sweep, measure): (usize, Measure)| {
        row[at(sweep, 1, measure)] - row[at(sweep, 0, measure)]
    };
    let ratio = data.ratio_of(|row| (of(row, effect), of(row, base)));
    let runs = [effect.0, base.0].into_iter().flat_map(|sweep| [run(sweep, 0), run(sweep, 1)]);
    Figure::of(runs, ratio.estimate().times(100.0))
}

pub(super) fn claims(data: &Data) -> Vec<Claim> {
    let mut claims = Vec::new();
    starvation(data, &mut claims);
    failures(data, &mut claims);
    quality(data, &mut claims);
    peaks(data, &mut claims);
    balance(data, &mut claims);
    balance_at_peak(data, &mut claims);
    without_figures(&mut claims);
    for (sweep, load) in [(AUCTION_UNDER, "under peak"), (AUCTION_PEAK, "at peak")] {
        auction(data, sweep, load, &mut claims);
    }
    claims
}

/// Section 5.1: starvation prevention, sp.
fn starvation(data: &Data, claims: &mut Vec<Claim>) {
    let (less, more, shorter) = (Range::less(), Range::above(0.0), Range::below(0.0));
    for (place, text, range, measure, to, note) in [
        ("section 5.1, fig. 7", "2: fewer jobs are processed, points", less, Measure::Processed, 4, ""),
        ("section 5.1, fig. 8", "2: assigned jobs cost more, s", more, Measure::Cost, 4, ""),
        ("section 5.1, fig. 9", "2: completion takes longer, s", more, Measure::Completion, 4, ""),
        ("section 5.1", "1.5: the longest wait is shorter, s", shorter, Measure::LongestWait, 3, ""),
        (
            "section 5.1",
            "1.5: fewer jobs wait above 10 s, points",
            less,
            Measure::Starved,
            3,
            "another reading of starvation",
        ),
    ] {
        let ours = difference(data, SP, measure, 0, to);
        claims.push(Claim::new(place, format!("sp 0 to {text}"), range, ours).with_note(note));
    }
    let text = "sp 1.5 to 2: the longest wait does not get shorter, %";
    let ours = data.excess(at(SP, 4, Measure::LongestWait), at(SP, 3, Measure::LongestWait));
    claims.push(Claim::new("section 5.1", text, Range::within(-SAME, f64::INFINITY), ours));
}

/// Section 5.2: fail prevention, fp.
fn failures(data: &Data, claims: &mut Vec<Claim>) {
    let (less, more) = (Range::less(), Range::above(0.0));
    for (sweep, load) in [(FP_UNDER, "under peak"), (FP_PEAK, "at peak")] {
        let text = format!("fp 0 to 4, {load}: fewer jobs fail, points");
        claims.push(Claim::new(
            "section 5.2, fig. 10",
            text,
            less,
            difference(data, sweep, Measure::Failed, 0, 4),
        ));
        let text =
            format!("fp 0 to 4, {load}: jobs go to machines that fail later, mean time to failure in s");
        let claim =
            Claim::new("section 5.2", text, more, difference(data, sweep, Measure::MeanTimeToFailure, 0, 4));
        claims.push(claim.with_note("the reason given for the fewer failures"));
    }
}

/// Section 5.3: quality of service, qp.
fn quality(data: &Data, claims: &mut Vec<Claim>) {
    let (less, more) = (Range::less(), Range::more());
    let place = "section 5.3, fig. 11";
    let mut claim = |text: &str, range: Range, measure: Measure, from: usize, to: usize| {
        claims.push(Claim::new(place, text, range, difference(data, QP, measure, from, to)));
    };
    claim("qp 0 to 2: more jobs of the best user are processed, points", more, Measure::ProcessedBest, 0, 3);
    claim(
        "qp 0 to 2: fewer jobs of the worst user are processed, points",
        less,
        Measure::ProcessedWorst,
        0,
        3,
    );
    let constant = Range::within(-POINT, POINT);
    claim("qp 2 to 4: constant, best user, points", constant, Measure::ProcessedBest, 3, 5);
    claim("qp 2 to 4: constant, worst user, points", constant, Measure::ProcessedWorst, 3, 5);
    claims.push(Claim::new(
        "section 2.3",
        "qp 0 to 2: jobs of the best user wait shorter, s",
        Range::below(0.0),
        difference(data, QP, Measure::WaitBest, 0, 3),
    ));
}

/// Section 5.4: what "under peak" and "at peak" mean.
fn peaks(data: &Data, claims: &mut Vec<Claim>) {
    let most = "the paper's definition: in more than half of the slices";
    for (sweep, measure, range, text) in [
        (
            BALANCE_UNDER,
            Measure::FewerThanFree,
            Range::above(50.0),
            "under peak fewer jobs wait than processors are free, % of slices",
        ),
        (
            BALANCE_PEAK,
            Measure::FewerThanFree,
            Range::below(50.0),
            "at peak more jobs wait than processors are free, the others in %",
        ),
        (
            BALANCE_RISING,
            Measure::FewerThanFreeLate,
            Range::below(50.0),
            "after the 75th slice likewise, the others in %",
        ),
    ] {
        let claim = Claim::new("section 5.4", text, range, mean(data, sweep, measure, 0));
        claims.push(claim.with_decimals(1).with_note(most));
    }
}

/// Section 5.4: the effect of balancing on the loads of sites under peak.
fn balance(data: &Data, claims: &mut Vec<Claim>) {
    let (less, more) = (Range::below(0.0), Range::more());
    let alike = Range::within(-SIMILAR, SIMILAR);
    claims.extend([
        Claim::new(
            "section 5.4, figs. 12, 13 and 16",
            "under peak: balancing lowers the variance of the sites' loads",
            less,
            difference(data, BALANCE_UNDER, Measure::Variance, 0, 1),
        )
        .with_decimals(4),
        Claim::new(
            "section 5.4, fig. 16",
            "under peak: with balancing the variance is close to zero",
            Range::within(0.0, CLOSE_TO_ZERO),
            mean(data, BALANCE_UNDER, Measure::Variance, 1),
        )
        .with_decimals(4),
        Claim::new(
            "section 5.4, figs. 14 and 15",
            "under peak, without balancing: the faster site has the greater load, points",
            more,
            mean(data, BALANCE_UNDER, Measure::Lead, 0),
        ),
        Claim::new(
            "section 5.4, figs. 12 and 13",
            "under peak, with balancing: the faster site's load is similar to the slower's, points",
            alike,
            mean(data, BALANCE_UNDER, Measure::Lead, 1),
        ),
        Claim::new(
            "section 5.4, fig. 17",
            "before the 75th of 150 slices: balancing lowers the variance",
            less,
            difference(data, BALANCE_RISING, Measure::VarianceEarly, 0, 1),
        )
        .with_decimals(4),
    ]);
}

/// Section 5.4: the effect of balancing at peak, and on machines.
fn balance_at_peak(data: &Data, claims: &mut Vec<Claim>) {
    let less = Range::below(0.0);
    let alike = Range::within(-SIMILAR, SIMILAR);
    claims.extend([
        Claim::new(
            "section 5.4, fig. 17",
            "after the 75th slice, at peak: no noticeable effect, % of the effect before",
            alike,
            effect_against(
                data,
                (BALANCE_RISING, Measure::VarianceLate),
                (BALANCE_RISING, Measure::VarianceEarly),
            ),
        ),
        Claim::percentage(
            "section 5.4, fig. 17",
            "after the 75th slice, at peak: the resources are full, mean load in %",
            100.0,
            mean(data, BALANCE_RISING, Measure::LoadLate, 0),
        )
        .with_note("the reason given; sites that are down are left out"),
        Claim::new(
            "section 5.4",
            "at peak from the beginning: no noticeable effect, % of the effect under peak",
            alike,
            effect_against(data, (BALANCE_PEAK, Measure::Variance), (BALANCE_UNDER, Measure::Variance)),
        ),
        Claim::new(
            "section 5.4",
            "machines: balancing lowers the variance of their loads as well",
            less,
            difference(data, BALANCE_MACHINES, Measure::VarianceOfMachines, 0, 1),
        )
        .with_decimals(4),
    ]);
}

fn without_figures(claims: &mut Vec<Claim>) {
    claims.extend([
        Claim::not_determined(
            "section 3",
            "the auction is polynomial",
            "missing: a count of steps or a running time, and the last epsilon",
        ),
        Claim::not_determined(
            "section 6",
            "the model is efficient for scheduling and assignment",
            "missing: a measure of efficiency, and another scheduler to compare with",
        ),
    ]);
}

/// The claims about the auction, under one load.
fn auction(data: &Data, sweep: usize, load: &str, claims: &mut Vec<Claim>) {
    let ours = |measure: Measure| mean(data, sweep, measure, JUDGED);
    let mut claim = |place: &str, text: &str, range: Range, measure: Measure, note: &str| {
        let claim = Claim::new(place, format!("{load}: {text}"), range, ours(measure));
        claims.push(claim.with_note(note));
    };
    claim(
        "abstract, section 3",
        "the auction is near the optimum, its plans cost more by %",
        Range::within(-SIMILAR, SIMILAR),
        Measure::AboveOptimum,
        "its last epsilon is not stated: one second, a time slice",
    );
    claim(
        "section 3.2, eqs. 25 and 26",
        "by its slackness a plan is within n epsilon of the optimum, % of slices",
        Range::always(),
        Measure::NearOptimum,
        "n: the jobs or the processors, whichever are more",
    );
    claim(
        "section 1",
        "for a single job the auction chooses what a greedy method chooses, % of such slices",
        Range::always(),
        Measure::CheapestPlace,
        "the cheapest place, as an auction for one job gives it",
    );
    claim(
        "section 1",
        "for several jobs its plans are better than those of a greedy method, % of their costs",
        Range::less(),
        Measure::AboveGreedy,
        "greedy: each job in turn takes its cheapest place; with more jobs than places both place as many",
    );
}
