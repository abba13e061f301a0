//! The results of a sweep: rows, means, paired differences, charts.

use super::Sweep;
use crate::commands::prelude::*;
use crate::draw::charts;
use crate::draw::page::{Page, Table};
use crate::report::Figures;
use econsched_studies::stats::{Estimate, Moments};
use econsched_studies::{Chart, Failure};

/// Number of figures in the table on the terminal, and of charts, if the sweep names none.
const SHOWN: usize = 6;
const CHARTS: usize = 3;

/// The result of a run as it is stored: the bits of its figures with their names, or why there is no plan.
pub(super) type Record = Result<Vec<(String, u64)>, String>;

/// Serialises the result of a run.
///
/// # Errors
/// None in practice.
pub(super) fn record(run: Result<Figures, String>) -> Result<Vec<u8>, Failure> {
    let bits = |(name, value): (String, f64)| (name, value.to_bits());
    let record: Record = run.map(|figures| figures.into_iter().map(bits).collect());
    Ok(serde_json::to_vec(&record)?)
}

fn figure(run: &Record, name: &str) -> Option<f64> {
    let (_, bits) = run.as_ref().ok()?.iter().find(|(known, _)| known == name)?;
    Some(f64::from_bits(*bits))
}

/// Returns the distinct values, in the order of their first appearance.
fn distinct<T: PartialEq>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut seen = Vec::new();
    for one in all {
        if !seen.contains(&one) {
            seen.push(one);
        }
    }
    seen
}

/// The results of all runs of a sweep.
pub(super) struct Results<'a> {
    sweep: &'a Sweep,
    /// The names of all figures that any run has.
    figures: Vec<String>,
    /// For each combination the one that it is compared with.
    baselines: Vec<Option<usize>>,
    runs: Vec<Record>,
}

impl<'a> Results<'a> {
    pub(super) fn of(sweep: &'a Sweep, runs: Vec<Record>) -> Self {
        let figures = distinct(runs.iter().flatten().flatten().map(|(name, _)| name));
        let figures = figures.into_iter().cloned().collect();
        Self { sweep, figures, baselines: sweep.baselines().collect(), runs }
    }

    pub(super) fn report(&self) -> Result<Report, CliError> {
        let title = format!("{}: {}", self.sweep.command, counted(self.runs.len(), "run"));
        let (charts, shown) = (self.charts()?, self.means(&self.shown(SHOWN)).render());
        let mut answer = Report::new(format!("{title}\n\n{shown}\n"), &self.json())?
            .with_first("means", "means.csv")
            .with_file("runs.csv", self.runs_csv()?)
            .with_file("means.csv", self.estimates_csv(|at, name| self.mean(at, name))?);
        if self.sweep.baseline.is_some() {
            answer = answer
                .with_file("differences.csv", self.estimates_csv(|at, name| self.difference(at, name))?);
        }
        for (name, svg) in &charts {
            answer = answer.with_file(name, svg.clone());
        }
        let cells = self.means(&self.figures.iter().collect::<Vec<_>>());
        let means = Table { title: "Means, ± the 95% interval".to_owned(), cells };
        Ok(answer.with_file("report.html", Page::of_tables(title, vec![means], charts).html()?))
    }

    /// Formats one row for each run.
    fn runs_csv(&self) -> Result<String, CliError> {
        let failures = self.runs.iter().any(Result::is_err);
        let mut headings: Vec<String> = self.sweep.names.clone();
        headings.extend((!self.sweep.seeds.0.is_empty()).then(|| "seed".to_owned()));
        headings.extend(self.figures.iter().cloned());
        headings.extend(failures.then(|| "no plan because".to_owned()));
        let rows = self.runs.iter().enumerate().map(|(at, run)| {
            let (combination, seed) = self.sweep.run(at);
            let figure =
                |name: &String| figure(run, name).map_or_else(String::new, |value| value.to_string());
            let mut row = self.sweep.combinations[combination].clone();
            row.extend(seed.map(|seed| seed.to_string()));
            row.extend(self.figures.iter().map(figure));
            row.extend(
                failures.then(|| run.as_ref().err().map_or_else(String::new, |why| why.replace('\n', " "))),
            );
            row
        });
        files::csv(&headings, rows)
    }

    /// Returns the runs of a combination, in order of seeds.
    fn of_combination(&self, combination: usize) -> &[Record] {
        let seeds = self.sweep.seeds.0.len().max(1);
        &self.runs[combination * seeds..(combination + 1) * seeds]
    }

    fn mean(&self, combination: usize, name: &str) -> Estimate {
        estimate(self.of_combination(combination).iter().map(|run| figure(run, name)))
    }

    /// Returns mean and interval of the differences from the baseline, seed by seed.
    fn difference(&self, combination: usize, name: &str) -> Estimate {
        let baseline = self.baselines[combination].map_or(&[][..], |at| self.of_combination(at));
        let pairs = self.of_combination(combination).iter().zip(baseline);
        estimate(pairs.map(|(ours, theirs)| Some(figure(ours, name)? - figure(theirs, name)?)))
    }

    /// Formats one row for each combination: for each figure an estimate over its seeds, and half the width of the
    /// 95% interval.
    fn estimates_csv(&self, of: impl Fn(usize, &str) -> Estimate) -> Result<String, CliError> {
        let mut headings = self.sweep.names.clone();
        headings.push("runs".to_owned());
        headings.extend(self.figures.iter().flat_map(|name| [name.clone(), format!("{name} ci95")]));
        let rows = self.sweep.combinations.iter().enumerate().map(|(at, settings)| {
            let runs = self.of_combination(at).iter().filter(|run| run.is_ok()).count();
            let finite = |value: f64| if value.is_finite() { value.to_string() } else { String::new() };
            let means = self.figures.iter().map(|name| of(at, name));
            let means = means.flat_map(|Estimate { mean, half, .. }| [mean, half].map(finite));
            settings.iter().cloned().chain([runs.to_string()]).chain(means).collect::<Vec<_>>()
        });
        files::csv(&headings, rows)
    }

    /// Returns the figures that are shown: those that the sweep names, else the first ones.
    fn shown(&self, most: usize) -> Vec<&String> {
        let named: Vec<&String> =
            self.figures.iter().filter(|name| self.sweep.figures.contains(name)).collect();
        if named.is_empty() { self.figures.iter().take(most).collect() } else { named }
    }

    /// Returns a table of the means of these figures, with their intervals.
    fn means(&self, shown: &[&String]) -> Columns {
        let headings: Vec<&String> = self.sweep.names.iter().chain(shown.iter().copied()).collect();
        let cell = |Estimate { mean, half, .. }| match half {
            _ if f64::is_nan(mean) => "-".to_owned(),
            half if half > 0.0 && f64::is_finite(half) => format!("{} ± {}", number(mean), number(half)),
            _ => number(mean),
        };
        let rows = self.sweep.combinations.iter().enumerate().map(|(at, settings)| {
            settings.iter().cloned().chain(shown.iter().map(move |name| cell(self.mean(at, name))))
        });
        Columns::with(&headings, rows)
    }

    /// Draws a chart for each figure that is shown: colours stand for the first axis, groups side by side for the
    /// others.
    fn charts(&self) -> Result<Vec<(String, String)>, CliError> {
        let pairs: Vec<(&String, &[String])> =
            self.sweep.combinations.iter().filter_map(|settings| settings.split_first()).collect();
        let series = distinct(pairs.iter().map(|(first, _)| *first));
        let groups = distinct(pairs.iter().map(|(_, others)| *others));
        // More bars could not be told apart.
        if series.is_empty() || series.len() * groups.len() > 60 {
            return Ok(Vec::new());
        }
        let chart = |name: &String| {
            let chart = Chart::bars(name.clone(), name.clone(), groups.iter().map(|group| group.join(", ")));
            let chart = series.iter().fold(chart, |chart, first| {
                let at = |group: &&[String]| pairs.iter().position(|pair| *pair == (*first, *group));
                let mean = |at: Option<usize>| at.map_or(f64::NAN.into(), |at| self.mean(at, name));
                let bars = groups.iter().map(at).map(mean);
                chart.with_bars(format!("{} {first}", self.sweep.names[0]), bars)
            });
            let letter = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
            Ok((format!("{}.svg", name.chars().map(letter).collect::<String>()), charts::svg(&chart)?))
        };
        self.shown(CHARTS).into_iter().map(chart).collect()
    }

    /// Returns the output of `--json`.
    fn json(&self) -> Vec<impl Serialize> {
        let entries = (0..self.sweep.combinations.len()).map(|combination| {
            let settings: BTreeMap<_, _> = self.sweep.settings(combination).collect();
            let means = self.figures.iter().map(|name| {
                let estimate = self.mean(combination, name);
                (name, [estimate.mean, estimate.half].map(|value| value.is_finite().then_some(value)))
            });
            object! { settings: settings, means: means.collect::<BTreeMap<_, _>>() }
        });
        entries.collect()
    }
}

/// Estimates the mean of the values that exist and are finite.
fn estimate(values: impl Iterator<Item = Option<f64>>) -> Estimate {
    values.flatten().filter(|value| value.is_finite()).collect::<Moments>().estimate()
}
