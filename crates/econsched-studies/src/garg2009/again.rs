//! Claims that are open, judged once more from more workloads, of which only those runs are made that these
//! claims need.

use super::{CASE_1, Case2, FACTORS, Garg2009, HEURISTICS, Replicate, Run, SITES, claims};
use crate::again::{Again, JudgedAgain};
use crate::{Claim, Failure};
use econsched::sched_model::TradeOff;
use econsched::workload_gen::meta_broker::MetaBrokerConfiguration;

const UNKNOWN: Run = Run { cost: f64::NAN, makespan: f64::NAN, time: f64::NAN, shares: [f64::NAN; SITES] };

/// The place of a run in a replicate: those of case 1 come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Case1 { variation: usize, factor: usize },
    Case2 { configuration: usize },
}

const OF_CASE_1: usize = CASE_1.len() * FACTORS.len();
const RUNS: usize = (OF_CASE_1 + MetaBrokerConfiguration::ALL.len()) * HEURISTICS.len();

/// Setting and heuristic of a run.
fn place(run: usize) -> (Place, usize) {
    let (setting, heuristic) = (run / HEURISTICS.len(), run % HEURISTICS.len());
    let place = match setting.checked_sub(OF_CASE_1) {
        None => Place::Case1 { variation: setting / FACTORS.len(), factor: setting % FACTORS.len() },
        Some(configuration) => Place::Case2 { configuration },
    };
    (place, heuristic)
}

impl Replicate {
    fn unknown() -> Self {
        let runs = [UNKNOWN; HEURISTICS.len()];
        let bounds = [[f64::NAN; 2]; MetaBrokerConfiguration::ALL.len()];
        Self { case_1: [[runs; FACTORS.len()]; 2], case_2: Case2::from([runs; 4]), bounds }
    }

    fn run_mut(&mut self, run: usize) -> &mut Run {
        match place(run) {
            (Place::Case1 { variation, factor }, heuristic) => &mut self.case_1[variation][factor][heuristic],
            (Place::Case2 { configuration }, heuristic) => &mut self.case_2[configuration][heuristic],
        }
    }
}

impl Garg2009 {
    /// One run of a workload, the same as among all its runs.
    fn run_at(&self, run: usize, workload: u64) -> Result<Run, Failure> {
        let (place, heuristic) = place(run);
        let config = match place {
            Place::Case1 { variation, factor } => {
                let factor = TradeOff::new(FACTORS[factor])?;
                self.config(CASE_1[variation])?.with_trade_off(Some(factor))
            }
            Place::Case2 { configuration } => self.config(MetaBrokerConfiguration::ALL[configuration])?,
        };
        self.one(&config, heuristic, workload)
    }
}

impl JudgedAgain for Garg2009 {
    type Sample = Vec<Replicate>;
    type Part = Vec<Run>;
    const REPLICATES: &'static str = "workloads";

    fn counts(&self) -> (u64, u64) {
        (self.seeds, self.open_seeds)
    }

    fn claims(&self, all: &Vec<Replicate>) -> Vec<Claim> {
        claims::claims(all)
    }

    fn open(&self, claims: &[Claim], all: &Vec<Replicate>) -> Again {
        let forget = |replicate: &mut Replicate, run: usize| *replicate.run_mut(run) = UNKNOWN;
        Again::of(claims, (all, RUNS), forget, claims::claims)
    }

    fn part(&self, runs: &[usize], workload: u64) -> Result<Vec<Run>, Failure> {
        runs.iter().map(|&run| self.run_at(run, workload)).collect()
    }

    fn add(all: &mut Vec<Replicate>, runs: &[usize], part: Vec<Run>) {
        let mut replicate = Replicate::unknown();
        for (&at, run) in runs.iter().zip(part) {
            *replicate.run_mut(at) = run;
        }
        all.push(replicate);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Replicates, Study, Verdict};

    /// What is judged from some of the runs is what all of them give, and few are made.
    #[test]
    fn open_claims_are_judged_as_by_the_whole_study() {
        let study = Garg2009::default().with_seeds(2).with_jobs(20);
        let claims =
            |study: &Garg2009| study.run(&Replicates::new(Some(2)).unwrap()).unwrap().claims().to_vec();
        let (few, all) = (claims(&study), claims(&study.clone().with_seeds(5)));
        let again = claims(&study.with_open_seeds(5));
        let mut judged = 0;
        for ((few, all), again) in few.iter().zip(&all).zip(&again) {
            if few.verdict() != Verdict::Open || again == few {
                assert_eq!(again, few);
                continue;
            }
            assert_eq!((again.ours, again.range), (all.ours, all.range), "{}", all.text);
            assert!(again.note.contains("open after 2 workloads, judged from 5"), "{}", again.note);
            judged += 1;
        }
        assert!(judged > 20, "{judged}");
    }

    #[test]
    fn every_run_has_a_place_of_its_own() {
        let mut replicate = Replicate::unknown();
        for run in 0..RUNS {
            replicate.run_mut(run).cost = run as f64;
        }
        let costs = (0..RUNS).map(|run| replicate.run_mut(run).cost);
        assert!(costs.eq((0..RUNS).map(|run| run as f64)));
        let study = Garg2009::default().with_jobs(20);
        let mut whole = study.replicate(5).unwrap();
        for run in [0, 3, 26, 47, 48, 57, 63] {
            assert_eq!(study.run_at(run, 5).unwrap().cost, whole.run_mut(run).cost, "{run}");
        }
    }
}
