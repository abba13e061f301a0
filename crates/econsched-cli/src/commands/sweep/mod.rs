//! `econsched sweep`: one command under many settings and seeds, every combination of the axes of a file.

mod results;
use crate::commands::prelude::*;

use super::limits;
use crate::draw::page::{Page, Table};
use crate::work::parts;
use crate::work::parts::{Parts, Shard, checksum};
use econsched_studies::{Store as _, StudyError};
use flate2::CrcReader;
use std::io;
use std::sync::Arc;
use toml::Value;

flags! {
    /// Run a command with many settings and seeds, and compare the figures
    #[command(after_long_help = include_str!("../../help/sweep.txt"))]
    pub(crate) struct SweepArgs {
        /// Description of the sweep (TOML); `-` is standard input
        operand input: PathBuf as "FILE",
        /// Directory for runs.csv, means.csv, differences.csv and charts; a sweep that is stopped keeps its
        /// finished runs there
        pub(crate) out: PathBuf as "DIR" = "out",
        /// Worker threads [default: one for each core]
        threads: Option<usize> as "COUNT" => count::<usize>(1, 4096),
        /// Compute only part I of N and keep it in the directory of --out, where the command without this flag
        /// puts all parts together
        shard: Option<Shard> as "I/N",
        /// JSON instead of a table
        pub(crate) json: bool,
    }
}

impl Command for SweepArgs {
    fn report(&self, context: &Context<'_>) -> Result<Report, CliError> {
        let sweep = read(&files::read_text(&self.input)?, &self.input)?.combined(&self.input)?;
        limits::end_by_ctrl_c(Some(&self.out));
        parts::divided(&self.out, "sweep", work(&sweep)?, self.shard, |parts| {
            self.compute(&sweep, parts, context)?;
            if parts.are_a_share() { Ok(Report::default()) } else { results(&sweep, parts) }
        })
    }
}

/// Everything that the results depend on: the sweep, and the content of its files.
fn work(sweep: &Sweep) -> Result<Vec<String>, CliError> {
    let mut work = vec!["sweep".to_owned(), serde_json::to_string(sweep)?];
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

impl SweepArgs {
    /// Computes the runs of a part that are not done yet; with a run that fails there is no part. A full disk may be
    /// emptied.
    fn compute(&self, sweep: &Sweep, part: &Arc<Parts>, context: &Context<'_>) -> Result<(), CliError> {
        let run = |run: u64| match (context.measure)(&sweep.arguments(run as usize)) {
            // That no plan is possible is a result; any other error is a fault of the sweep.
            Err(CliError::NoPlan(why)) => results::record(Err(why)),
            figures => results::record(Ok(figures?)),
        };
        let replicates = parts::replicates(self.threads, Some(part))?;
        let done = replicates.records("runs", sweep.runs() as u64, &run, &mut |_, _| Ok(()));
        done.map_err(|error| {
            if !matches!(error, StudyError::Store(_)) {
                drop(part.discard());
            }
            match error {
                StudyError::Replicate { index, failure } => {
                    let command = sweep.arguments(index as usize).join(" ");
                    CliError::usage(format!("run {index}, `{command}`: {failure}"))
                }
                error => CliError::usage(error),
            }
        })
    }
}

fn results(sweep: &Sweep, parts: &Parts) -> Result<Report, CliError> {
    let results = results::Results::collect(sweep, |run| parts.get(0, run as u64))?;
    let title = format!("{}: {}", sweep.command, counted(sweep.runs(), "run"));
    let charts = results.charts()?;
    let shown = results.means(&results.shown(results::SHOWN)).render();
    let mut answer = Report::new(format!("{title}\n\n{shown}\n"), &results.json())?
        .with_first("means", "means.csv")
        .with_file("runs.csv", results.runs_csv()?)
        .with_file("means.csv", results.estimates_csv(|at, name| Some(results.mean(at, name)))?);
    if sweep.baseline.is_some() {
        answer = answer
            .with_file("differences.csv", results.estimates_csv(|at, name| results.difference(at, name))?);
    }
    for (name, svg) in &charts {
        answer = answer.with_file(name, svg.clone());
    }
    let cells = results.means(&results.figures.iter().collect::<Vec<_>>());
    let means = Table { title: "Means, ± the 95% interval".to_owned(), cells };
    let page = Page::of_tables(title, vec![means], charts);
    Ok(answer.with_file("report.html", page.html()?))
}

/// The greatest number of runs of one sweep.
const MOST_RUNS: usize = 10_000_000;

/// The commands that have figures.
const SWEPT: [&str; 5] = ["plan", "simulate", "multi-s-grid", "map", "assign"];

/// Settings by the names of their flags, or rare ones by dotted names.
pub(super) type Combination = BTreeMap<String, Setting>;

/// The setting of a flag: its value, or that it is given.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "Value")]
pub(super) struct Setting(pub(super) String);

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

/// Seeds as a list or as `"1..20"`, both ends included.
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
        if first > last {
            return Err(format!("`{text}`: the first seed is greater than the last"));
        }
        if last - first >= MOST_RUNS as u64 {
            return Err(format!("`{text}`: more than {MOST_RUNS} seeds"));
        }
        Ok(Self((first..=last).collect()))
    }
}

/// A sweep as it is written: combinations of settings, each run with each seed.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Sweep {
    pub(super) command: String,
    /// Settings of all runs.
    fixed: Combination,
    axes: BTreeMap<String, Vec<Setting>>,
    /// The order of the axes, the first varying slowest; that of their names if it is not given.
    order: Vec<String>,
    /// The combinations one by one, in place of axes.
    list: Vec<Combination>,
    /// Empty if no random numbers are drawn.
    pub(super) seeds: Seeds,
    /// The combination that the others are compared with.
    pub(super) baseline: Option<Combination>,
    /// The figures that are drawn as charts.
    pub(super) figures: Vec<String>,
    /// The names of the settings that vary, in the order of the columns.
    #[serde(skip)]
    pub(super) names: Vec<String>,
    /// A setting for each of these.
    #[serde(skip)]
    pub(super) combinations: Vec<Combination>,
}

impl Sweep {
    /// The same with its combinations, where it makes sense.
    ///
    /// # Errors
    /// [`CliError::Wrong`] with the field.
    fn combined(mut self, path: &Path) -> Result<Self, CliError> {
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
            self.combinations.clone_from(&self.list);
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
            self.combinations = vec![Combination::new()];
        }
        for name in self.names.iter().filter(|_| self.list.is_empty()) {
            let Some(values) = self.axes.get(name) else {
                return wrong("order", format!("`{name}` is not an axis"));
            };
            if values.is_empty() {
                return wrong(&format!("axes.{name}"), "expected a list of values".to_owned());
            }
            let with = |head: &Combination| {
                let one = |value: &Setting| {
                    head.clone().into_iter().chain([(name.clone(), value.clone())]).collect()
                };
                values.iter().map(one).collect::<Vec<Combination>>()
            };
            self.combinations = self.combinations.iter().flat_map(with).collect();
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
        let is_there = (0..self.combinations.len()).any(|at| self.baseline_of(at) == Some(at));
        if self.baseline.is_some() && !is_there {
            return wrong("baseline", "no combination has these values".to_owned());
        }
        Ok(self)
    }

    /// Runs in all.
    pub(super) fn runs(&self) -> usize {
        self.combinations.len() * self.seeds.0.len().max(1)
    }

    /// The combination and the seed of a run. Seeds vary fastest: all combinations meet the same ones.
    pub(super) fn run(&self, index: usize) -> (usize, Option<u64>) {
        let seeds = self.seeds.0.len().max(1);
        (index / seeds, self.seeds.0.get(index % seeds).copied())
    }

    /// The arguments of a run.
    pub(super) fn arguments(&self, index: usize) -> Vec<String> {
        let (combination, seed) = self.run(index);
        let mut settings = self.fixed.clone();
        settings.extend(self.combinations[combination].clone());
        let input = settings.remove("input").map(|Setting(input)| input);
        let flag = |(name, Setting(value)): (&String, &Setting)| match value.as_str() {
            value if name.contains('.') => Some(format!("--set={name}={value}")),
            "false" => None,
            "true" => Some(format!("--{name}")),
            value => Some(format!("--{name}={value}")),
        };
        let flags = settings.iter().filter_map(flag);
        let seed = seed.map(|seed| format!("--seed={seed}"));
        std::iter::once(self.command.clone()).chain(flags).chain(seed).chain(input).collect()
    }

    /// Every file that runs read.
    pub(super) fn inputs(&self) -> BTreeSet<&str> {
        let all = self.combinations.iter().chain([&self.fixed]);
        all.filter_map(|settings| Some(settings.get("input")?.0.as_str())).collect()
    }

    /// The combination with which one is compared: it differs only in the settings of the baseline.
    pub(super) fn baseline_of(&self, combination: usize) -> Option<usize> {
        let mut wanted = self.combinations[combination].clone();
        wanted.extend(self.baseline.clone()?);
        self.combinations.iter().position(|settings| *settings == wanted)
    }
}

/// The file; what is wrong in it has a line and a field.
fn read(text: &str, path: &Path) -> Result<Sweep, CliError> {
    let failed = |field: String, error: &toml::de::Error| {
        let before = error.span().map_or("", |span| text.get(..span.start).unwrap_or(""));
        let at = Place::file(path).line(before.matches('\n').count() as u64 + 1).field(field);
        CliError::input(at, error.message())
    };
    let source = toml::Deserializer::parse(text).map_err(|error| failed(String::new(), &error))?;
    serde_path_to_error::deserialize(source).map_err(|error| failed(error.path().to_string(), error.inner()))
}
