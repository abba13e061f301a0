//! `econsched sweep`: runs one command with many settings and seeds, such as every combination of the axes of a file.

mod results;

use crate::commands::prelude::*;
use crate::work::{Divided, checksum};
use econsched_studies::StudyError;
use flate2::CrcReader;
use results::Results;
use std::io;
use toml::Value;

flags! {
    /// Run a command with many settings and seeds, and compare the figures
    #[command(after_long_help = include_str!("../../help/sweep.txt"))]
    pub(crate) struct SweepArgs {
        /// Description of the sweep (TOML); `-` is standard input
        operand input: PathBuf as "FILE",
        [flatten] pub(crate) divided: Divided,
    }
}

impl Command for SweepArgs {
    fn report(&self, context: &Context<'_>) -> Result<Report, CliError> {
        let sweep = read(&files::read_text(&self.input)?, &self.input)?.expanded(&self.input)?;
        let run = |run: u64| match (context.measure)(&sweep.arguments(run as usize)) {
            // That no plan is possible is a result; any other error ends the sweep.
            Err(CliError::NoPlan(why)) => results::record(Err(why)),
            figures => results::record(Ok(figures?)),
        };
        self.divided.report("sweep", &work(&sweep)?, |replicates| {
            let mut runs = Vec::new();
            let done =
                replicates.records("runs", sweep.runs() as u64, &run, &mut |(round, index), record| {
                    let read = |record: Vec<u8>| {
                        serde_json::from_slice(&record).map_err(|_| StudyError::Record { round, index })
                    };
                    runs.extend(record.map(read).transpose()?);
                    Ok(())
                });
            done.map_err(|error| match error {
                StudyError::Replicate { index, failure } => {
                    let command = sweep.arguments(index as usize).join(" ");
                    CliError::usage(format!("run {index}, `{command}`: {failure}"))
                }
                error => error.into(),
            })?;
            let whole = runs.len() == sweep.runs();
            whole.then(|| Results::of(&sweep, runs).report()).transpose()
        })
    }
}

/// Returns everything that the results depend on: the sweep, and checksums of its files.
fn work(sweep: &Sweep) -> Result<Vec<String>, CliError> {
    let mut work = vec![serde_json::to_string(sweep)?];
    for input in sweep.inputs() {
        if input == "-" {
            return Err(CliError::usage("a sweep reads its input many times, so it cannot be `-`"));
        }
        let place = Path::new(input);
        let mut read = CrcReader::new(files::open(place)?);
        io::copy(&mut read, &mut io::sink()).map_err(|error| CliError::input(place, error))?;
        work.push(format!("{input} {}", checksum(read.crc())));
    }
    Ok(work)
}

/// Maximum number of runs of one sweep.
const MOST_RUNS: usize = 10_000_000;

/// The commands that have figures.
const SWEPT: [&str; 5] = ["plan", "simulate", "multi-s-grid", "map", "assign"];

/// Settings by the names of their flags, or rare settings by dotted names.
type Combination = BTreeMap<String, Setting>;

/// The value of a setting as text; `true` if a flag without a value is given.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "Value")]
struct Setting(String);

impl TryFrom<Value> for Setting {
    type Error = &'static str;

    fn try_from(raw: Value) -> Result<Self, Self::Error> {
        Ok(Self(match raw {
            Value::String(text) => text,
            Value::Integer(number) => number.to_string(),
            Value::Float(number) => number.to_string(),
            Value::Boolean(yes) => yes.to_string(),
            _ => return Err("expected a text, a number, true or false"),
        }))
    }
}

/// A list of seeds, or a range as `"1..20"`, both ends included.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(try_from = "Value")]
pub(super) struct Seeds(pub(super) Vec<u64>);

impl TryFrom<Value> for Seeds {
    type Error = String;

    fn try_from(raw: Value) -> Result<Self, String> {
        let Value::String(text) = raw else {
            let seed = |seed: &Value| u64::try_from(seed.as_integer()?).ok();
            let seeds = raw.as_array().and_then(|seeds| seeds.iter().map(seed).collect());
            return seeds.map(Self).ok_or_else(|| "expected a list of numbers or \"FIRST..LAST\"".to_owned());
        };
        let bound = |text: &str| text.trim().parse::<u64>().ok();
        let ends = text.split_once("..").and_then(|(first, last)| Some((bound(first)?, bound(last)?)));
        let (first, last) = ends.ok_or_else(|| format!("`{text}`: expected \"FIRST..LAST\""))?;
        if !(first..first.saturating_add(MOST_RUNS as u64)).contains(&last) {
            return Err(format!("`{text}`: expected from 1 to {MOST_RUNS} seeds"));
        }
        Ok(Self((first..=last).collect()))
    }
}

/// A sweep as in its file: combinations of settings, each run with each seed.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Sweep {
    pub(super) command: String,
    /// Settings of all runs.
    fixed: Combination,
    axes: BTreeMap<String, Vec<Setting>>,
    /// The order of the axes, the first varying slowest; axes not listed follow in order of their names.
    order: Vec<String>,
    /// The combinations one by one, instead of axes.
    list: Vec<Combination>,
    /// Empty if no random numbers are drawn.
    pub(super) seeds: Seeds,
    /// The values of settings with which the other combinations are compared.
    baseline: Option<Combination>,
    /// Names of the figures that are drawn as charts.
    pub(super) figures: Vec<String>,
    /// The names of the settings that vary, in the order of the columns.
    #[serde(skip)]
    pub(super) names: Vec<String>,
    /// The combinations: a value for each of these names.
    #[serde(skip)]
    pub(super) combinations: Vec<Vec<String>>,
}

impl Sweep {
    /// Checks the sweep, and computes its combinations.
    ///
    /// # Errors
    /// [`CliError::Wrong`] with the field.
    fn expanded(mut self, path: &Path) -> Result<Self, CliError> {
        let wrong = |field: &str, why: String| Err(CliError::field(path, field, why));
        if !SWEPT.contains(&self.command.as_str()) {
            return wrong("command", format!("`{}`: a sweep runs {}", self.command, SWEPT.join(", ")));
        }
        let axes = self.axes.values().fold(1, |all: usize, values| all.saturating_mul(values.len()));
        if axes.max(self.list.len()).saturating_mul(self.seeds.0.len().max(1)) > MOST_RUNS {
            return wrong("axes", format!("more than {MOST_RUNS} runs"));
        }
        if let Some(first) = self.list.first() {
            self.names = first.keys().cloned().collect();
            let row = |row: &Combination| row.values().map(|Setting(value)| value.clone()).collect();
            self.combinations = self.list.iter().map(row).collect();
            if !self.axes.is_empty() {
                return wrong("list", "give either `axes` or `list`".to_owned());
            }
            if self.list.iter().any(|row| !row.keys().eq(&self.names)) {
                let names = self.names.join(", ");
                return wrong("list", format!("each entry must set the same names as the first: {names}"));
            }
        } else {
            self.names.clone_from(&self.order);
            self.names.extend(self.axes.keys().filter(|name| !self.order.contains(name)).cloned());
            self.combinations = vec![Vec::new()];
            for name in &self.names {
                let Some(values) = self.axes.get(name) else {
                    return wrong("order", format!("`{name}` is not an axis"));
                };
                if values.is_empty() {
                    return wrong(&format!("axes.{name}"), "expected a list of values".to_owned());
                }
                let with = |row: &Vec<String>| {
                    let one = |Setting(value): &Setting| [&row[..], std::slice::from_ref(value)].concat();
                    values.iter().map(one).collect::<Vec<_>>()
                };
                self.combinations = self.combinations.iter().flat_map(with).collect();
            }
        }
        if let Some(name) = self.names.iter().find(|name| self.fixed.contains_key(*name)) {
            return wrong(&format!("fixed.{name}"), "is also an axis".to_owned());
        }
        for name in self.names.iter().chain(self.fixed.keys()) {
            if ["seed", "seeds", "out", "json", "help"].contains(&name.as_str()) {
                return wrong(name, "is set by the sweep itself".to_owned());
            }
        }
        let mut compared = self.baseline.iter().flat_map(BTreeMap::keys);
        if let Some(name) = compared.find(|name| !self.names.contains(name)) {
            return wrong(&format!("baseline.{name}"), "is no axis".to_owned());
        }
        let is_there = self.baselines().zip(0..).any(|(of, at)| of == Some(at));
        if self.baseline.is_some() && !is_there {
            return wrong("baseline", "no combination has these values".to_owned());
        }
        Ok(self)
    }

    /// Returns the number of runs.
    pub(super) fn runs(&self) -> usize {
        self.combinations.len() * self.seeds.0.len().max(1)
    }

    /// Returns the combination and the seed of a run. Seeds vary fastest, and all combinations have the same ones.
    pub(super) fn run(&self, index: usize) -> (usize, Option<u64>) {
        let seeds = self.seeds.0.len().max(1);
        (index / seeds, self.seeds.0.get(index % seeds).copied())
    }

    /// Returns the command-line arguments of a run.
    pub(super) fn arguments(&self, index: usize) -> Vec<String> {
        let (combination, seed) = self.run(index);
        let fixed = self.fixed.iter().map(|(name, Setting(value))| (name.as_str(), value.as_str()));
        let mut settings: BTreeMap<&str, &str> = fixed.chain(self.settings(combination)).collect();
        let input = settings.remove("input").map(str::to_owned);
        let flag = |(name, value): (&str, &str)| match value {
            value if name.contains('.') => Some(format!("--set={name}={value}")),
            "false" => None,
            "true" => Some(format!("--{name}")),
            value => Some(format!("--{name}={value}")),
        };
        let flags = settings.into_iter().filter_map(flag);
        let seed = seed.map(|seed| format!("--seed={seed}"));
        std::iter::once(self.command.clone()).chain(flags).chain(seed).chain(input).collect()
    }

    /// Returns the settings that vary, with their names.
    pub(super) fn settings(&self, combination: usize) -> impl Iterator<Item = (&str, &str)> {
        self.names.iter().map(String::as_str).zip(self.combinations[combination].iter().map(String::as_str))
    }

    /// Returns all files that runs read.
    fn inputs(&self) -> BTreeSet<&str> {
        let fixed = self.fixed.get("input").map(|Setting(input)| input);
        let varied = self.names.iter().position(|name| name == "input");
        let varied = varied.into_iter().flat_map(|at| self.combinations.iter().map(move |row| &row[at]));
        varied.chain(fixed).map(String::as_str).collect()
    }

    /// Returns for each combination the one that it is compared with: the one that differs from it only in having the
    /// settings of the baseline.
    pub(super) fn baselines(&self) -> impl Iterator<Item = Option<usize>> {
        let rows = self.combinations.iter().map(|row| row.iter().map(String::as_str).collect::<Vec<_>>());
        // Of equal combinations the first counts.
        let places: BTreeMap<Vec<&str>, usize> = rows.zip(0..self.combinations.len()).rev().collect();
        (0..self.combinations.len()).map(move |combination| {
            let baseline = self.baseline.as_ref()?;
            let theirs = |(name, ours)| baseline.get(name).map_or(ours, |Setting(value)| value.as_str());
            places.get(&self.settings(combination).map(theirs).collect::<Vec<_>>()).copied()
        })
    }
}

/// Parses the file; an error has its line and field.
fn read(text: &str, path: &Path) -> Result<Sweep, CliError> {
    let failed = |field: String, error: &toml::de::Error| {
        let before = error.span().map_or("", |span| text.get(..span.start).unwrap_or(""));
        let at = Place::file(path).line(before.matches('\n').count() as u64 + 1).field(field);
        CliError::input(at, error.message())
    };
    let source = toml::Deserializer::parse(text).map_err(|error| failed(String::new(), &error))?;
    serde_path_to_error::deserialize(source).map_err(|error| failed(error.path().to_string(), error.inner()))
}
