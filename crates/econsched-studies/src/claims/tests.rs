//! The rule, its margins, and the number of replicates that would decide a claim.

use super::*;

fn ours(mean: f64, half: f64) -> Estimate {
    Estimate { mean, half, count: 10 }
}

fn range(text: &str) -> Range {
    Range::parse(text).unwrap().0
}

fn claim(range: Range, ours: Estimate) -> Claim {
    let claim = super::parse_claim("", "| above 0 | 1", &|_| None).unwrap();
    Claim { range, ours: Some(ours), ..claim }
}

#[test]
fn one_rule() {
    use Verdict::{Held, Open, Refuted};
    for (range, mean, half, verdict) in [
        (Range::below(0.0), -2.0, 1.0, Held),
        (Range::below(0.0), -1.0, 1.0, Open),
        (Range::below(0.0), 1.0, 1.0, Refuted),
        (Range::below(0.0), 0.0, 0.0, Refuted),
        (Range::above(0.0), 0.5, 0.4, Held),
        (Range::above(0.0), 0.5, 0.6, Open),
        (Range::above(0.0), -0.5, 0.4, Refuted),
        (Range::same(), 0.0, 1.0, Held),
        (Range::same(), 0.1, 1.0, Open),
        (Range::same(), 3.0, 1.0, Refuted),
        (range("number 100"), 104.0, 1.0, Held),
        (range("number 100"), 105.0, 1.0, Open),
        (range("number -100"), -104.0, 0.5, Held),
        (range("number 100"), 106.5, 1.0, Refuted),
        (range("percentage 9"), 9.9, 0.05, Held),
        (range("percentage 44"), 40.9, 0.8, Refuted),
        (range("percentage 18"), 17.6, 0.4, Held),
        (range("always"), 99.5, 0.4, Held),
    ] {
        assert_eq!(range.judge(&ours(mean, half)), verdict, "{range}: {mean} +- {half}");
    }
}

/// A wider interval never turns an undecided claim into a decided one, whatever the range.
#[test]
fn less_is_known_of_fewer_replicates() {
    for range in [Range::below(0.0), Range::above(-1.0), Range::same(), range("number 0.5"), range("always")]
    {
        for mean in [-2.0, -0.5, 0.0, 0.49, 0.51, 3.0, 99.5] {
            let mut before = range.judge(&ours(mean, f64::INFINITY));
            assert_eq!(before, Verdict::Open);
            for half in [1e3, 10.0, 1.0, 0.3, 0.1, 0.01, 0.0] {
                let now = range.judge(&ours(mean, half));
                assert!(before == Verdict::Open || before == now, "{range} {mean} {half}");
                before = now;
            }
        }
    }
    assert_eq!(Range::same().judge(&ours(f64::NAN, 0.0)), Verdict::Open);
    assert_eq!(Range::same().judge(&ours(0.0, f64::NAN)), Verdict::Open);
}

/// The size is judged apart from the direction, and stays judged as the interval narrows.
#[test]
fn what_is_the_same_keeps_its_verdict() {
    use Verdict::{Held, Open, Refuted};
    for (mean, half, verdict, same) in [
        (-0.2, 0.1, Held, true),
        (-0.2, 0.5, Open, true),
        (0.2, 0.1, Refuted, true),
        (-0.2, 0.9, Open, false),
        (-0.9, 0.2, Held, false),
        (-0.9, 0.1, Held, true),
        (-2.0, 0.5, Held, false),
        (0.0, f64::INFINITY, Open, false),
        (f64::NAN, 0.0, Open, false),
    ] {
        let estimate = ours(mean, half);
        assert_eq!(Range::less().judge(&estimate), verdict, "{mean} +- {half}");
        assert_eq!(Range::less().judge(&estimate), Range::below(0.0).judge(&estimate));
        assert_eq!(Range::less().shows_the_same(&estimate), same, "{mean} +- {half}");
        let narrower = ours(mean, 0.5 * half);
        assert!(!same || Range::less().shows_the_same(&narrower));
        // In other units there is no margin.
        assert!(!Range::below(0.0).shows_the_same(&estimate));
        assert!(!Range::same().shows_the_same(&estimate));
    }
    assert_eq!(Range::more().to_string(), "above 0");
    assert_eq!(range("number 10").to_string(), "9.5 to 10.5");
}

/// An interval narrows as one over the square root of the number of replicates.
#[test]
fn so_many_replicates_decide_what_is_open() {
    let times = |range: Range, mean: f64, half: f64| claim(range, ours(mean, half)).times_needed();
    for (range, mean, half, needed) in [
        (Range::below(0.0), -0.2, 0.5, Some(6.25)),
        (Range::below(0.0), 0.2, 0.5, Some(6.25)),
        (Range::within(14.0, 16.0), 15.5, 1.0, Some(4.0)),
        (Range::within(14.0, 16.0), 16.5, 1.0, Some(4.0)),
        (Range::within(14.0, 16.0), 14.25, 1.0, Some(16.0)),
        (Range::below(0.0), -0.6, 0.5, None),
        (Range::below(0.0), 0.0, 0.5, None),
        (Range::below(0.0), -1.0, f64::INFINITY, None),
        (Range::below(0.0), f64::NAN, 1.0, None),
    ] {
        let found = times(range, mean, half);
        assert_eq!(found.map(|times| (times * 1e6).round() / 1e6), needed, "{range} {mean} +- {half}");
        let Some(found) = found else { continue };
        assert_ne!(range.judge(&ours(mean, 0.99 * half / found.sqrt())), Verdict::Open);
        assert_eq!(range.judge(&ours(mean, 1.01 * half / found.sqrt())), Verdict::Open);
    }
}

#[test]
fn claims_are_read_from_a_table() {
    let figure = |words: &[&str]| match words {
        ["of", name] => Some(ours(name.len() as f64, 0.5).into()),
        _ => None,
    };
    let read = |table: &str| read(table, &figure);
    let claims = read(
        "# A comment.\n= here\na | below 0 | of x\n\nfor AB, ABC:\n= there\n* | percentage 9 | of * | | {of *} letters, {of Y}\n\n\
         d | 0 to inf, theirs 3/2 | 1/4 | 3\ne | missing | a unit\n",
    );
    let told = |claim: &Claim| {
        let ours = claim.ours.map(|ours| ours.mean);
        (format!("{}: {}: {}", claim.place, claim.text, claim.range), claim.theirs, ours, claim.decimals)
    };
    let claims = claims.unwrap();
    assert_eq!(
        claims.iter().map(told).collect::<Vec<_>>(),
        [
            ("here: a: below 0".to_owned(), None, Some(1.0), 2),
            ("there: AB: 8 to 10".to_owned(), Some(9.0), Some(2.0), 1),
            ("there: ABC: 8 to 10".to_owned(), Some(9.0), Some(3.0), 1),
            ("there: d: above 0".to_owned(), Some(1.5), Some(0.25), 3),
            ("there: e: any".to_owned(), None, None, 0),
        ]
    );
    assert_eq!(
        (claims[1].ratio(), claims[3].ratio(), claims[4].ratio()),
        (Some(2.0 / 9.0), Some(1.0 / 6.0), None)
    );
    assert_eq!((claims[2].note.as_str(), claims[4].note.as_str()), ("3 letters, 1", "missing: a unit"));
    for wrong in ["a", "a | less", "a | lesser | of x", "a | less | on x", "a | less | of x | one"] {
        assert_eq!(read(wrong).unwrap_err().to_string(), format!("no claim: {wrong}"));
    }
}
