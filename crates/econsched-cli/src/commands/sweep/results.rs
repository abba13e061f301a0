//! The results of a sweep: rows, means, paired differences, charts.

use super::Sweep;
use crate::commands::prelude::*;
use crate::draw::charts;
use crate::report::Figures;
use econsched_studies::stats::{Estimate, Moments};
use econsched_studies::{Chart, Failure};

/// The number of figures in the table on the terminal, and of charts, if the sweep names none.
pub(super) const SHOWN: usize = 6;
const CHARTS: usize = 3;

/// A run as it is kept: the bits of its figures by name, or why there is no plan.
type Record = Result<Vec<(String, u64)>, String>;

/// The bytes of a run's record.
///
/// # Errors
/// None in practice.
pub(super) fn record(run: Result<Figures, String>) -> Result<Vec<u8>, Failure> {
    let bits = |(name, value): (String, f64)| (name, value.to_bits());
    let record: Record = run.map(|figures| figures.into_iter().map(bits).collect());
    Ok(serde_json::to_vec(&record)?)
}

/// The figures of a run by name, or why there is no plan.
type Run = Result<BTreeMap<String, f64>, String>;

fn figure(run: &Run, name: &str) -> Option<f64> {
    run.as_ref().ok()?.get(name).copied()
}

/// All runs of a sweep.
pub(super) struct Results<'a> {
    sweep: &'a Sweep,
    /// Every figure that any run has, in the order of its first appearance.
    pub(super) figures: Vec<String>,
    runs: Vec<Run>,
}

impl<'a> Results<'a> {
    /// Reads the record of each run.
    ///
    /// # Errors
    /// [`CliError::Wrong`] for a run without a record, or with one that is damaged.
    pub(super) fn collect(
        sweep: &'a Sweep,
        mut record: impl FnMut(usize) -> Option<Vec<u8>>,
    ) -> Result<Self, CliError> {
        let mut figures: Vec<String> = Vec::new();
        let mut runs = Vec::with_capacity(sweep.runs());
        for at in 0..sweep.runs() {
            let read = record(at).and_then(|bytes| serde_json::from_slice::<Record>(&bytes).ok());
            let read = read
                .ok_or_else(|| CliError::usage(format!("run {at} is missing, or its record is damaged")))?;
            for (name, _) in read.iter().flatten() {
                if !figures.contains(name) {
                    figures.push(name.clone());
                }
            }
            let value = |(name, bits)| (name, f64::from_bits(bits));
            runs.push(match read {
                Ok(values) => Ok(values.into_iter().map(value).collect()),
                Err(why) => Err(why.replace('\n', " ")),
            });
        }
        Ok(Self { sweep, figures, runs })
    }

    fn settings(&self, combination: usize) -> impl Iterator<Item = String> + '_ {
        self.sweep.names.iter().map(move |name| self.sweep.combinations[combination][name].0.clone())
    }

    /// One row for each run.
    pub(super) fn runs_csv(&self) -> Result<String, CliError> {
        let failures = self.runs.iter().any(Result::is_err);
        let mut headings: Vec<String> = self.sweep.names.clone();
        headings.extend((!self.sweep.seeds.0.is_empty()).then(|| "seed".to_owned()));
        headings.extend(self.figures.iter().cloned());
        headings.extend(failures.then(|| "no plan because".to_owned()));
        let rows = self.runs.iter().enumerate().map(|(at, run)| {
            let (combination, seed) = self.sweep.run(at);
            let figure =
                |name: &String| figure(run, name).map_or_else(String::new, |value| value.to_string());
            let mut row: Vec<String> = self.settings(combination).collect();
            row.extend(seed.map(|seed| seed.to_string()));
            row.extend(self.figures.iter().map(figure));
            row.extend(failures.then(|| run.as_ref().err().cloned().unwrap_or_default()));
            row
        });
        files::csv(&headings, rows)
    }

    /// The runs of a combination, by seed.
    fn of(&self, combination: usize) -> &[Run] {
        let seeds = self.sweep.seeds.0.len().max(1);
        &self.runs[combination * seeds..(combination + 1) * seeds]
    }

    pub(super) fn mean(&self, combination: usize, figure: &str) -> Estimate {
        let values = self.of(combination).iter().filter_map(|run| self::figure(run, figure));
        values.filter(|value| value.is_finite()).collect::<Moments>().estimate()
    }

    /// Mean and interval of the differences from the baseline, seed by seed.
    pub(super) fn difference(&self, combination: usize, figure: &str) -> Option<Estimate> {
        let baseline = self.of(self.sweep.baseline_of(combination)?);
        let pairs = self.of(combination).iter().zip(baseline);
        let differences = pairs
            .filter_map(|(ours, theirs)| Some(self::figure(ours, figure)? - self::figure(theirs, figure)?));
        Some(differences.filter(|value| value.is_finite()).collect::<Moments>().estimate())
    }

    /// One row for each combination: a mean of each figure over its seeds and the half width of the 95% interval.
    pub(super) fn estimates_csv(
        &self,
        of: impl Fn(usize, &str) -> Option<Estimate>,
    ) -> Result<String, CliError> {
        let mut headings = self.sweep.names.clone();
        headings.push("runs".to_owned());
        headings.extend(self.figures.iter().flat_map(|name| [name.clone(), format!("{name} ci95")]));
        let rows = (0..self.sweep.combinations.len()).map(|combination| {
            let runs = self.of(combination).iter().filter(|run| run.is_ok()).count();
            let mut row: Vec<String> = self.settings(combination).chain([runs.to_string()]).collect();
            for name in &self.figures {
                let estimate = of(combination, name).map(|one| [one.mean, one.half]).unwrap_or([f64::NAN; 2]);
                row.extend(
                    estimate.map(|value| if value.is_finite() { value.to_string() } else { String::new() }),
                );
            }
            row
        });
        files::csv(&headings, rows)
    }

    /// The figures that are shown: those that the sweep names, else the first.
    pub(super) fn shown(&self, most: usize) -> Vec<&String> {
        let named: Vec<&String> =
            self.figures.iter().filter(|name| self.sweep.figures.contains(name)).collect();
        if named.is_empty() { self.figures.iter().take(most).collect() } else { named }
    }

    /// The means of some figures, with their intervals, as they are shown.
    pub(super) fn means(&self, shown: &[&String]) -> Columns {
        let headings: Vec<&String> = self.sweep.names.iter().chain(shown.iter().copied()).collect();
        let cell = |combination: usize, name: &str| {
            let estimate = self.mean(combination, name);
            if estimate.half.is_finite() && estimate.half > 0.0 {
                format!("{} ± {}", number(estimate.mean), number(estimate.half))
            } else if estimate.mean.is_nan() {
                "-".to_owned()
            } else {
                number(estimate.mean)
            }
        };
        let row = |combination: usize| {
            self.settings(combination).chain(shown.iter().map(move |name| cell(combination, name)))
        };
        Columns::with(&headings, (0..self.sweep.combinations.len()).map(row))
    }

    /// A chart for each figure that is shown: the first axis in colours, the others side by side.
    pub(super) fn charts(&self) -> Result<Vec<(String, String)>, CliError> {
        if self.sweep.names.is_empty() {
            return Ok(Vec::new());
        }
        let (mut series, mut groups) = (Vec::new(), Vec::new());
        let all: Vec<Vec<String>> =
            (0..self.sweep.combinations.len()).map(|at| self.settings(at).collect()).collect();
        for settings in &all {
            if !series.contains(&&settings[0]) {
                series.push(&settings[0]);
            }
            if !groups.contains(&&settings[1..]) {
                groups.push(&settings[1..]);
            }
        }
        // More bars could not be distinguished.
        if series.len() * groups.len() > 60 {
            return Ok(Vec::new());
        }
        let mut charts = Vec::new();
        for name in self.shown(CHARTS) {
            let mut chart =
                Chart::bars(name.clone(), name.clone(), groups.iter().map(|group| group.join(", ")));
            for first in &series {
                let bars = groups.iter().map(|group| {
                    let wanted = |settings: &Vec<String>| settings[0] == **first && settings[1..] == **group;
                    let at = all.iter().position(wanted);
                    at.map_or(Estimate { mean: f64::NAN, half: 0.0, count: 0 }, |at| self.mean(at, name))
                });
                chart = chart.with_bars(format!("{} {first}", self.sweep.names[0]), bars);
            }
            let svg = charts::svg(&chart)?;
            let file: String =
                name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
            charts.push((format!("{file}.svg"), svg));
        }
        Ok(charts)
    }

    /// The output of `--json`.
    pub(super) fn json(&self) -> Vec<impl Serialize> {
        let entries = self.sweep.combinations.iter().enumerate().map(|(combination, settings)| {
            let means = self.figures.iter().map(|name| {
                let estimate = self.mean(combination, name);
                (name, [estimate.mean, estimate.half].map(|value| value.is_finite().then_some(value)))
            });
            object! { settings: settings, means: means.collect::<BTreeMap<_, _>>() }
        });
        entries.collect()
    }
}
