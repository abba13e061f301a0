//! Every claim of the paper that can be measured, and those that cannot.

use super::measures::Measure;
use super::sweeps::JUDGED;
use super::sweeps::Sweep::{self, *};
use super::{at, mean};
use crate::claims::{Claims, POINT, Range, SAME, SIMILAR};
use crate::data::{Data, Figure, Row};

/// Variance of the loads of sites that counts as close to zero: loads some 10 percentage points apart.
const CLOSE_TO_ZERO: f64 = 0.01;

/// The paired difference from one value of a sweep to another.
fn difference(data: &Data, sweep: Sweep, measure: Measure, from: usize, to: usize) -> Figure {
    data.difference(at(sweep, to, measure), at(sweep, from, measure))
}

/// The difference that balancing makes in one sweep and measure, in per cent of that in another.
fn effect_against(data: &Data, effect: (Sweep, Measure), base: (Sweep, Measure)) -> Figure {
    let of = |row: &Row<'_>, (sweep, measure): (Sweep, Measure)| {
        row[at(sweep, 1, measure)] - row[at(sweep, 0, measure)]
    };
    data.ratio_of(|row| (of(row, effect), of(row, base))).map(|ratio| ratio.times(100.0))
}

pub(super) fn claims(data: &Data, claims: &mut Claims) {
    starvation(data, claims);
    failures(data, claims);
    quality(data, claims);
    peaks(data, claims);
    balance(data, claims);
    balance_at_peak(data, claims);
    let text = "the auction is polynomial";
    claims.at("section 3").missing(text, "a count of steps or a running time, and the last epsilon");
    let text = "the model is efficient for scheduling and assignment";
    claims.at("section 6").missing(text, "a measure of efficiency, and another scheduler to compare with");
    for (sweep, load) in [(AuctionUnder, "under peak"), (AuctionPeak, "at peak")] {
        auction(data, sweep, load, claims);
    }
}

/// Section 5.1: starvation prevention, sp.
fn starvation(data: &Data, claims: &mut Claims) {
    let (less, more, shorter) = (Range::less(), Range::above(0.0), Range::below(0.0));
    for (place, text, range, measure, to) in [
        (", fig. 7", "2: fewer jobs are processed, points", less, Measure::Processed, 4),
        (", fig. 8", "2: assigned jobs cost more, s", more, Measure::Cost, 4),
        (", fig. 9", "2: completion takes longer, s", more, Measure::Completion, 4),
        ("", "1.5: the longest wait is shorter, s", shorter, Measure::LongestWait, 3),
        ("", "1.5: fewer jobs wait above 10 s, points", less, Measure::Starved, 3),
    ] {
        let ours = difference(data, Sp, measure, 0, to);
        let claim = claims.at(format!("section 5.1{place}")).that(format!("sp 0 to {text}"), range, ours);
        if measure == Measure::Starved {
            claim.note("another reading of starvation");
        }
    }
    let text = "sp 1.5 to 2: the longest wait does not get shorter, %";
    let ours = data.excess(at(Sp, 4, Measure::LongestWait), at(Sp, 3, Measure::LongestWait));
    claims.that(text, Range::within(-SAME, f64::INFINITY), ours);
}

/// Section 5.2: fail prevention, fp.
fn failures(data: &Data, claims: &mut Claims) {
    for (sweep, load) in [(FpUnder, "under peak"), (FpPeak, "at peak")] {
        let ours = |measure| difference(data, sweep, measure, 0, 4);
        let text = format!("fp 0 to 4, {load}: fewer jobs fail, points");
        claims.at("section 5.2, fig. 10").that(text, Range::less(), ours(Measure::Failed));
        let text =
            format!("fp 0 to 4, {load}: jobs go to machines that fail later, mean time to failure in s");
        let claim = claims.at("section 5.2").that(text, Range::above(0.0), ours(Measure::MeanTimeToFailure));
        claim.note("the reason given for the fewer failures");
    }
}

/// Section 5.3: quality of service, qp.
fn quality(data: &Data, claims: &mut Claims) {
    let (less, more, constant) = (Range::less(), Range::more(), Range::within(-POINT, POINT));
    claims.at("section 5.3, fig. 11");
    for (text, range, measure, (from, to)) in [
        ("0 to 2: more jobs of the best user are processed, points", more, Measure::ProcessedBest, (0, 3)),
        ("0 to 2: fewer jobs of the worst user are processed, points", less, Measure::ProcessedWorst, (0, 3)),
        ("2 to 4: constant, best user, points", constant, Measure::ProcessedBest, (3, 5)),
        ("2 to 4: constant, worst user, points", constant, Measure::ProcessedWorst, (3, 5)),
    ] {
        claims.that(format!("qp {text}"), range, difference(data, Qp, measure, from, to));
    }
    let text = "qp 0 to 2: jobs of the best user wait shorter, s";
    let ours = difference(data, Qp, Measure::WaitBest, 0, 3);
    claims.at("section 2.3").that(text, Range::below(0.0), ours);
}

/// Section 5.4: what "under peak" and "at peak" mean.
fn peaks(data: &Data, claims: &mut Claims) {
    claims.at("section 5.4");
    let (most, few) = (Range::above(50.0), Range::below(50.0));
    let (all, late) = (Measure::FewerThanFree, Measure::FewerThanFreeLate);
    for (sweep, measure, range, text) in [
        (BalanceUnder, all, most, "under peak fewer jobs wait than processors are free, % of slices"),
        (BalancePeak, all, few, "at peak more jobs wait than processors are free, the others in %"),
        (BalanceRising, late, few, "after the 75th slice likewise, the others in %"),
    ] {
        let claim = claims.that(text, range, mean(data, sweep, measure, 0));
        claim.decimals(1).note("the paper's definition: in more than half of the slices");
    }
}

/// Section 5.4: the effect of balancing on the loads of sites under peak.
fn balance(data: &Data, claims: &mut Claims) {
    let less = Range::below(0.0);
    let text = "under peak: balancing lowers the variance of the sites' loads";
    let ours = difference(data, BalanceUnder, Measure::Variance, 0, 1);
    claims.at("section 5.4, figs. 12, 13 and 16").that(text, less, ours).decimals(4);
    let text = "under peak: with balancing the variance is close to zero";
    let ours = mean(data, BalanceUnder, Measure::Variance, 1);
    claims.at("section 5.4, fig. 16").that(text, Range::within(0.0, CLOSE_TO_ZERO), ours).decimals(4);
    let text = "under peak, without balancing: the faster site has the greater load, points";
    let ours = mean(data, BalanceUnder, Measure::Lead, 0);
    claims.at("section 5.4, figs. 14 and 15").that(text, Range::more(), ours);
    let text = "under peak, with balancing: the faster site's load is similar to the slower's, points";
    let ours = mean(data, BalanceUnder, Measure::Lead, 1);
    claims.at("section 5.4, figs. 12 and 13").that(text, Range::within(-SIMILAR, SIMILAR), ours);
    let text = "before the 75th of 150 slices: balancing lowers the variance";
    let ours = difference(data, BalanceRising, Measure::VarianceEarly, 0, 1);
    claims.at("section 5.4, fig. 17").that(text, less, ours).decimals(4);
}

/// Section 5.4: the effect of balancing at peak, and on machines.
fn balance_at_peak(data: &Data, claims: &mut Claims) {
    let alike = Range::within(-SIMILAR, SIMILAR);
    let (early, late) = (Measure::VarianceEarly, Measure::VarianceLate);
    claims.at("section 5.4, fig. 17");
    let text = "after the 75th slice, at peak: no noticeable effect, % of the effect before";
    claims.that(text, alike, effect_against(data, (BalanceRising, late), (BalanceRising, early)));
    let text = "after the 75th slice, at peak: the resources are full, mean load in %";
    let note = "the reason given; sites that are down are left out";
    claims.percentage(text, 100.0, mean(data, BalanceRising, Measure::LoadLate, 0)).note(note);
    claims.at("section 5.4");
    let text = "at peak from the beginning: no noticeable effect, % of the effect under peak";
    let variance = Measure::Variance;
    claims.that(text, alike, effect_against(data, (BalancePeak, variance), (BalanceUnder, variance)));
    let text = "machines: balancing lowers the variance of their loads as well";
    let ours = difference(data, BalanceMachines, Measure::VarianceOfMachines, 0, 1);
    claims.that(text, Range::below(0.0), ours).decimals(4);
}

/// The claims about the auction, under one load.
fn auction(data: &Data, sweep: Sweep, load: &str, claims: &mut Claims) {
    for (place, text, range, measure, note) in [
        (
            "abstract, section 3",
            "the auction is near the optimum, its plans cost more by %",
            Range::within(-SIMILAR, SIMILAR),
            Measure::AboveOptimum,
            "its last epsilon is not stated: one second, a time slice",
        ),
        (
            "section 3.2, eqs. 25 and 26",
            "by its slackness a plan is within n epsilon of the optimum, % of slices",
            Range::always(),
            Measure::NearOptimum,
            "n: the jobs or the processors, whichever are more",
        ),
        (
            "section 1",
            "for a single job the auction chooses what a greedy method chooses, % of such slices",
            Range::always(),
            Measure::CheapestPlace,
            "the cheapest place, as an auction for one job gives it",
        ),
        (
            "section 1",
            "for several jobs its plans are better than those of a greedy method, % of their costs",
            Range::less(),
            Measure::AboveGreedy,
            "greedy: each job in turn takes its cheapest place; with more jobs than places both place as many",
        ),
    ] {
        let ours = mean(data, sweep, measure, JUDGED);
        claims.at(place).that(format!("{load}: {text}"), range, ours).note(note);
    }
}
