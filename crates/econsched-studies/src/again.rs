//! Open claims, judged once more from more replicates, of which only the runs are made that they need.
//!
//! A claim is judged again only while it is [open](Verdict::Open), so that more replicates may decide it and
//! fewer never do. Which runs its figure is made of is found by forgetting one after the other.

use crate::claims::{Claim, Verdict, two_digits};
use crate::stats::Estimate;
use crate::{Failure, Record, Replicates, StudyError};

/// A study whose open claims are judged once more.
pub(crate) trait JudgedAgain: Sync {
    /// What its claims are made of.
    type Sample;
    /// What a further replicate adds: those of its runs that the open claims need.
    type Part: Send + Record;
    /// What its replicates are.
    const REPLICATES: &'static str;

    /// Number of replicates of the sample, and of those from which the open claims are judged.
    fn counts(&self) -> (u64, u64);

    /// The claims over a sample.
    fn claims(&self, sample: &Self::Sample) -> Vec<Claim>;

    /// Those of its claims that are judged again.
    fn open(&self, claims: &[Claim], sample: &Self::Sample) -> Again;

    /// These runs of a replicate.
    fn part(&self, runs: &[usize], replicate: u64) -> Result<Self::Part, Failure>;

    /// Adds a replicate of which these runs are known.
    fn add(sample: &mut Self::Sample, runs: &[usize], part: Self::Part);

    /// The claims over a sample; the open ones over more replicates.
    fn judged(&self, mut sample: Self::Sample, replicates: &Replicates) -> Result<Vec<Claim>, StudyError> {
        let claims = self.claims(&sample);
        let (before, after) = self.counts();
        let more = after.saturating_sub(before);
        if more == 0 {
            return Ok(claims);
        }
        let again = self.open(&claims, &sample);
        if again.is_empty() {
            return Ok(claims);
        }
        let label = format!("more {} for open claims", Self::REPLICATES);
        let part = |index| self.part(&again.runs, before + index);
        replicates.run(&label, more, part, |part| Self::add(&mut sample, &again.runs, part))?;
        replicates.complete()?;
        Ok(again.decide(claims, self.claims(&sample), (before, after, Self::REPLICATES)))
    }
}

/// The open claims that are judged again, and the runs that their figures are made of.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Again {
    /// For each claim whether it is judged again.
    claims: Vec<bool>,
    /// Places of runs in a replicate.
    pub(crate) runs: Vec<usize>,
}

fn is_known(estimate: Option<Estimate>) -> bool {
    estimate.is_some_and(|estimate| estimate.mean.is_finite() && estimate.half.is_finite())
}

fn is_same(a: Option<Estimate>, b: Option<Estimate>) -> bool {
    let bits = |estimate: Option<Estimate>| {
        estimate.map(|estimate| (estimate.mean.to_bits(), estimate.half.to_bits(), estimate.count))
    };
    bits(a) == bits(b)
}

impl Again {
    /// All open claims, where a replicate is one run.
    pub(crate) fn every(claims: &[Claim]) -> Self {
        let claims = claims.iter().map(|claim| claim.verdict() == Verdict::Open).collect();
        Self { claims, runs: vec![0] }
    }

    /// The open claims, with the runs without which a figure of theirs is another; a replicate has `runs` of
    /// them. `forget` makes the run at a place unknown, and `claims_of` judges a sample. A claim whose figure
    /// is known without any run, as that of a share of replicates may be, cannot be judged from some of the
    /// runs, and is left out.
    pub(crate) fn of<R: Clone>(
        claims: &[Claim],
        (sample, runs): (&[R], usize),
        forget: impl Fn(&mut R, usize),
        claims_of: impl Fn(&[R]) -> Vec<Claim>,
    ) -> Self {
        let figures = |places: &[usize]| -> Vec<Option<Estimate>> {
            let mut sample = sample.to_vec();
            for replicate in &mut sample {
                places.iter().for_each(|&place| forget(replicate, place));
            }
            claims_of(&sample).into_iter().map(|claim| claim.ours).collect()
        };
        let all: Vec<usize> = (0..runs).collect();
        let (with_all, with_none) = (figures(&[]), figures(&all));
        let mut again = Self::every(claims);
        again.claims.iter_mut().zip(&with_none).for_each(|(asked, &ours)| *asked &= !is_known(ours));
        let matters = |&place: &usize| {
            let without = figures(&[place]);
            let pairs = with_all.iter().zip(&without).zip(&again.claims);
            pairs.into_iter().any(|((&with, &without), &asked)| asked && !is_same(with, without))
        };
        again.runs = all.into_iter().filter(matters).collect();
        again
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.claims.iter().all(|asked| !asked)
    }

    /// The claims, those of these that are known from more replicates as `later` has them. Their notes say so
    /// by `before` and `after`, numbers of `what`, and of what is still open how many would decide it.
    pub(crate) fn decide(
        &self,
        claims: Vec<Claim>,
        later: Vec<Claim>,
        (before, after, what): (u64, u64, &str),
    ) -> Vec<Claim> {
        let judged = |((claim, later), &asked): ((Claim, Claim), &bool)| {
            debug_assert_eq!(claim.text, later.text);
            let count = |claim: &Claim| claim.ours.map_or(0, |ours| ours.count);
            if !asked || count(&later) <= count(&claim) || !is_known(later.ours) {
                return claim;
            }
            let mut notes = vec![format!("open after {before} {what}, judged from {after}")];
            if !later.note.is_empty() {
                notes.insert(0, later.note.clone());
            }
            notes.extend(later.times_needed().map(|times| {
                format!("{} times as many would decide it, if mean and spread stay", two_digits(times))
            }));
            later.with_note(notes.join("; "))
        };
        claims.into_iter().zip(later).zip(&self.claims).map(judged).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::Range;
    use crate::stats::{Moments, share};

    /// Three runs of a replicate: a claim of the first against the second, one of the third, and a share.
    fn claims_of(sample: &[[f64; 3]]) -> Vec<Claim> {
        let mean = |value: fn(&[f64; 3]) -> f64| sample.iter().map(value).collect::<Moments>().estimate();
        let above = sample.iter().filter(|runs| runs[0] > 0.0).count();
        let claim = |text: &str, ours: Estimate| Claim::new("section 1", text, Range::below(0.0), ours);
        vec![
            claim("the first is less than the second", mean(|runs| runs[0] - runs[1])),
            claim("the third is negative", mean(|runs| runs[2])),
            claim("the first is never above 0", share(above as u64, sample.len() as u64)),
        ]
    }

    fn forget(runs: &mut [f64; 3], place: usize) {
        runs[place] = f64::NAN;
    }

    #[test]
    fn only_the_runs_of_open_claims_are_made_again() {
        // The first claim is open, the second held; the share is open too, and counts replicates.
        let few = [[1.0, 0.0, -1.0], [-1.5, 0.0, -1.1], [-0.5, 0.0, -0.9]];
        let claims = claims_of(&few);
        let again = Again::of(&claims, (&few, 3), forget, claims_of);
        assert_eq!(
            (again.runs.as_slice(), again.claims.as_slice()),
            (&[0, 1][..], &[true, false, false][..])
        );
        let more: Vec<[f64; 3]> = few.into_iter().chain([[-0.4, 0.0, f64::NAN]; 20]).collect();
        let decided = again.decide(claims.clone(), claims_of(&more), (3, 23, "draws"));
        assert_eq!(decided[0].verdict(), Verdict::Held);
        assert_eq!(decided[0].note, "open after 3 draws, judged from 23");
        let open: Vec<[f64; 3]> = few.into_iter().chain([[2.0, 0.0, f64::NAN]]).collect();
        let open = again.decide(claims.clone(), claims_of(&open), (3, 4, "draws"));
        let said =
            "open after 3 draws, judged from 4; 98 times as many would decide it, if mean and spread stay";
        assert_eq!((open[0].verdict(), open[0].note.as_str()), (Verdict::Open, said));
        assert_eq!(decided[1..], claims[1..]);
    }

    /// What is decided stays decided, and nothing is judged from fewer replicates.
    #[test]
    fn fewer_replicates_decide_nothing() {
        let many = [[-1.0, 0.0, 1.0], [-1.1, 0.0, -1.0], [-0.9, 0.0, 1.0], [-1.2, 0.0, -1.0]];
        let claims = claims_of(&many);
        assert_eq!(claims[1].verdict(), Verdict::Open);
        let again = Again::every(&claims);
        let fewer = claims_of(&[[5.0, 0.0, -1.0], [5.0, 0.0, -1.01], [5.1, 0.0, -1.0]]);
        assert_eq!(fewer[1].verdict(), Verdict::Held);
        assert_eq!(again.decide(claims.clone(), fewer, (4, 3, "draws")), claims);
        let others: Vec<_> = many.into_iter().chain([[5.0, 0.0, -1.0]; 90]).collect();
        let decided = again.decide(claims.clone(), claims_of(&others), (4, 94, "draws"));
        assert_eq!((decided[0].verdict(), decided[1].verdict()), (Verdict::Held, Verdict::Held));
        assert_eq!(decided[0], claims[0]);
    }
}
