//! Claims that are open, judged once more from more draws, of which only those runs are made that these
//! claims need.

use super::measures::{Measure, Measures};
use super::sweeps::SWEEPS;
use super::{MultiSGridStudy, Tally, claims};
use crate::again::{Again, JudgedAgain};
use crate::{Claim, Failure};

/// The measures of a draw, by sweep and value.
pub(super) type Draw = Vec<Vec<Measures>>;

const UNKNOWN: Measures = [f64::NAN; Measure::ALL.len()];

/// Draws that tell which runs a claim needs.
const SAMPLE: usize = 20;

/// Sweep and value of each run of a draw.
fn runs() -> Vec<(usize, usize)> {
    let values = |at: usize| (0..SWEEPS[at].parameter.values.len()).map(move |value| (at, value));
    (0..SWEEPS.len()).flat_map(values).collect()
}

fn unknown() -> Draw {
    SWEEPS.iter().map(|sweep| vec![UNKNOWN; sweep.parameter.values.len()]).collect()
}

fn claims_of(draws: &[Draw]) -> Vec<Claim> {
    let mut tally = Tally::default();
    draws.iter().for_each(|draw| tally.push_measures(draw.clone()));
    claims::claims(&tally)
}

impl MultiSGridStudy {
    /// The measures of these runs of a draw, the same as among all its runs.
    fn measures_of(&self, runs: &[(usize, usize)], draw: u64) -> Result<Vec<Measures>, Failure> {
        let scenarios = self.scenarios(draw)?;
        let measures = |&(sweep, value): &(usize, usize)| {
            let sweep = &SWEEPS[sweep];
            let run =
                self.simulate(draw, scenarios.of(sweep.load), (sweep, sweep.parameter.values[value]))?;
            Ok(run.measures)
        };
        runs.iter().map(measures).collect()
    }
}

impl JudgedAgain for MultiSGridStudy {
    type Sample = Vec<Draw>;
    type Part = Vec<Measures>;
    const REPLICATES: &'static str = "draws";

    fn counts(&self) -> (u64, u64) {
        (self.seeds, self.open_seeds)
    }

    fn claims(&self, draws: &Vec<Draw>) -> Vec<Claim> {
        claims_of(draws)
    }

    fn open(&self, claims: &[Claim], draws: &Vec<Draw>) -> Again {
        let runs = runs();
        let forget = |draw: &mut Draw, run: usize| draw[runs[run].0][runs[run].1] = UNKNOWN;
        let sample = &draws[..draws.len().min(SAMPLE)];
        Again::of(claims, (sample, runs.len()), forget, claims_of)
    }

    fn part(&self, needed: &[usize], draw: u64) -> Result<Vec<Measures>, Failure> {
        let runs = runs();
        self.measures_of(&needed.iter().map(|&run| runs[run]).collect::<Vec<_>>(), draw)
    }

    fn add(draws: &mut Vec<Draw>, needed: &[usize], part: Vec<Measures>) {
        let (mut draw, runs) = (unknown(), runs());
        for (&run, measures) in needed.iter().zip(part) {
            draw[runs[run].0][runs[run].1] = measures;
        }
        draws.push(draw);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Replicates, Study, Verdict};

    #[test]
    fn open_claims_are_judged_as_by_the_whole_study() {
        let study = MultiSGridStudy::default().with_seeds(4).with_slices(15);
        let claims = |study: &MultiSGridStudy| {
            study.run(&Replicates::new(Some(2)).unwrap()).unwrap().claims().to_vec()
        };
        let (few, all) = (claims(&study), claims(&study.clone().with_seeds(10)));
        let again = claims(&study.with_open_seeds(10));
        let mut judged = 0;
        for ((few, all), again) in few.iter().zip(&all).zip(&again) {
            // Of so short runs some have nothing to measure: NaN equals nothing.
            if few.verdict() != Verdict::Open || format!("{again:?}") == format!("{few:?}") {
                assert_eq!(format!("{again:?}"), format!("{few:?}"));
                continue;
            }
            assert_eq!((again.ours, again.range), (all.ours, all.range), "{}", all.text);
            judged += 1;
        }
        assert!(judged > 5, "{judged}");
    }
}
