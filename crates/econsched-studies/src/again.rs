//! Judges open claims again from more replicates, in which only the runs that these claims need are computed.
//!
//! Only an [open](Verdict::Open) claim is judged again, so that more replicates may decide a claim, and never make a
//! decided one open.

use crate::claims::{Claim, Verdict, read};
use crate::data::{Data, Figure};
use crate::stats::two_digits;
use crate::{Failure, Replicates, StudyError};

/// Judges the claims of a table from `data`, and the open ones again from `all` replicates, called `what`. The
/// further replicates follow those of `data` in index; `part` computes these runs of one of them.
pub(crate) fn judge_again(
    replicates: &Replicates,
    mut data: Data,
    (what, all): (&str, u64),
    (table, figure): (&str, impl Fn(&Data, &[&str]) -> Option<Figure>),
    part: impl Fn(&[usize], u64) -> Result<Vec<f64>, Failure> + Sync,
) -> Result<Vec<Claim>, StudyError> {
    let claims_of = |data: &Data| read(table, &|words| figure(data, words));
    let (claims, before) = (claims_of(&data)?, data.len());
    let open = claims.iter().filter(|claim| claim.verdict() == Verdict::Open);
    let mut runs: Vec<usize> = open.flat_map(|claim| claim.runs.iter().copied()).collect();
    runs.sort_unstable();
    runs.dedup();
    if all <= before || runs.is_empty() {
        return Ok(claims);
    }
    let label = format!("more {what} for open claims");
    let length = runs.len() * data.width();
    let more = replicates.run(&label, all - before, length, |index| part(&runs, before + index))?;
    replicates.complete()?;
    data.extend(&runs, &more);
    let note = format!("open after {before} {what}, judged from {all}");
    Ok(claims
        .into_iter()
        .zip(claims_of(&data)?)
        .map(|(claim, later)| newer_judgement(claim, later, &note))
        .collect())
}

/// Returns the claim judged later, if it was open and is now measured from more replicates, else the claim itself.
/// The note says so, and, if the claim is still open, by what factor the number of replicates would have to grow.
fn newer_judgement(claim: Claim, mut later: Claim, note: &str) -> Claim {
    debug_assert_eq!(claim.text, later.text);
    let count = |claim: &Claim| claim.ours.map_or(0, |ours| ours.count);
    let is_known = later.ours.is_some_and(|ours| ours.mean.is_finite() && ours.half.is_finite());
    if claim.verdict() != Verdict::Open || count(&later) <= count(&claim) || !is_known {
        return claim;
    }
    let mut notes = vec![later.note.clone(), note.to_owned()];
    notes.retain(|note| !note.is_empty());
    notes.extend(later.times_needed().map(|times| {
        format!("{} times as many would decide it, if mean and spread stay", two_digits(times))
    }));
    later.note = notes.join("; ");
    later
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Garg2009, Iccs2011, MultiSGridStudy, Study};

    /// Three runs: a claim on the first against the second, one on the third, and one on no run.
    const TABLE: &str = "the first is less than the second | below 0 | difference 0 1\n\
                         the third is negative | below 0 | mean 2\n\
                         the first is negative | below 0 | of-no-run 0";

    fn figure(data: &Data, words: &[&str]) -> Option<Figure> {
        match words {
            ["of-no-run", _] => Some(data.moments(0).estimate().into()),
            _ => data.figure(words, |name| name.parse().ok()),
        }
    }

    /// Returns the claims over these rows, and the claims judged again with `more` rows of the figures `further`.
    fn again(rows: &[[f64; 3]], more: u64, further: [f64; 3]) -> (Vec<Claim>, Vec<Claim>) {
        let data = || {
            let mut data = Data::new(3).with_run_width(1);
            rows.iter().for_each(|row| data.push(row));
            data
        };
        let replicates = Replicates::new(Some(1)).unwrap();
        let part = |runs: &[usize], _| Ok(runs.iter().map(|&run| further[run]).collect());
        let all = data().len() + more;
        let before = read(TABLE, &|words| figure(&data(), words)).unwrap();
        (before, judge_again(&replicates, data(), ("draws", all), (TABLE, figure), part).unwrap())
    }

    #[test]
    fn only_the_runs_of_open_claims_are_made_again() {
        // The first claim is open, the second held; the third is open too, and names no run.
        let few = [[1.0, 0.0, -1.0], [-1.5, 0.0, -1.1], [-0.5, 0.0, -0.9]];
        let (before, decided) = again(&few, 20, [-0.4, 0.0, f64::NAN]);
        assert_eq!(decided[0].verdict(), Verdict::Held);
        assert_eq!(decided[0].note, "open after 3 draws, judged from 23");
        assert_eq!(decided[1], before[1]);
        let (_, open) = again(&few, 1, [2.0, 0.0, f64::NAN]);
        let said =
            "open after 3 draws, judged from 4; 98 times as many would decide it, if mean and spread stay";
        assert_eq!((open[0].verdict(), open[0].note.as_str()), (Verdict::Open, said));
        assert_eq!(again(&few, 0, [0.0; 3]).1, before);
    }

    /// What is decided stays decided, and nothing is judged from unknown values.
    #[test]
    fn what_is_decided_stays() {
        let many = [[-1.0, 0.0, 1.0], [-1.1, 0.0, -1.0], [-0.9, 0.0, 1.0], [-1.2, 0.0, -1.0]];
        let (before, decided) = again(&many, 90, [5.0, 0.0, -1.0]);
        assert_eq!((before[0].verdict(), before[1].verdict()), (Verdict::Held, Verdict::Open));
        assert_eq!((&decided[0], decided[1].verdict()), (&before[0], Verdict::Held));
        assert_eq!(again(&many, 90, [5.0, 0.0, f64::NAN]).1, before);
    }

    /// Claims judged again from some of the runs get the result of a whole study of as many replicates.
    #[test]
    fn open_claims_are_judged_as_by_the_whole_study() {
        let cycles = Iccs2011::default().with_cycles(50);
        // With local jobs there are no variants, which take most of the time.
        let workloads = Garg2009::default().with_seeds(2).with_jobs(20).with_local_jobs(1);
        let draws = MultiSGridStudy::default().with_seeds(4).with_slices(15);
        let studies: [([Box<dyn Study>; 3], &str); 3] = [
            (
                [
                    Box::new(cycles.clone()),
                    Box::new(cycles.clone().with_cycles(200)),
                    Box::new(cycles.with_open_cycles(200)),
                ],
                "open after 50 cycles, judged from 200",
            ),
            (
                [
                    Box::new(workloads.clone()),
                    Box::new(workloads.clone().with_seeds(5)),
                    Box::new(workloads.with_open_seeds(5)),
                ],
                "open after 2 workloads, judged from 5",
            ),
            (
                [
                    Box::new(draws.clone()),
                    Box::new(draws.clone().with_seeds(10)),
                    Box::new(draws.with_open_seeds(10)),
                ],
                "open after 4 draws, judged from 10",
            ),
        ];
        for (studies, note) in studies {
            let [few, all, again] =
                studies.map(|study| study.run(&Replicates::new(Some(2)).unwrap()).unwrap().claims);
            let mut judged = 0;
            for ((few, all), again) in few.iter().zip(&all).zip(&again) {
                // There are no budgets in further cycles, and in short runs some figures have nothing to measure: NaN
                // equals nothing.
                if few.verdict() != Verdict::Open || format!("{again:?}") == format!("{few:?}") {
                    assert_eq!(format!("{again:?}"), format!("{few:?}"));
                    continue;
                }
                assert_eq!((again.ours, again.range), (all.ours, all.range), "{}", all.text);
                let (own, _) = again.note.split_once(note).unwrap();
                assert_eq!(own.trim_end_matches("; "), all.note);
                judged += 1;
            }
            assert!(judged > 5, "{note}: {judged}");
        }
    }
}
