//! The plan of a sweep: a file of axes, and every combination of their values.

use crate::error::{CliError, Place};
use crate::files;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// The greatest number of runs of one sweep.
const MOST_RUNS: usize = 10_000_000;

/// The file as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    command: String,
    #[serde(default)]
    fixed: toml::Table,
    /// In the order of the file.
    #[serde(default)]
    axes: toml::Table,
    /// The order of the axes, the first varying slowest; that of their names if it is not given.
    #[serde(default)]
    order: Vec<String>,
    #[serde(default)]
    list: Vec<toml::Table>,
    #[serde(default)]
    seeds: Option<toml::Value>,
    #[serde(default)]
    baseline: Option<toml::Table>,
    #[serde(default)]
    figures: Vec<String>,
}

/// The setting of a flag: its value, or that it is given.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Setting(pub(super) String);

/// A sweep: combinations of settings, each run with each seed.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sweep {
    pub(super) command: String,
    /// Settings of all runs.
    fixed: BTreeMap<String, Setting>,
    /// The names of the settings that vary, in the order of the columns.
    pub(super) axes: Vec<String>,
    /// A setting for each axis.
    pub(super) combinations: Vec<Vec<Setting>>,
    /// Empty if no random numbers are drawn.
    pub(super) seeds: Vec<u64>,
    /// The combination that the others are compared with.
    pub(super) baseline: Option<BTreeMap<String, Setting>>,
    /// The figures that are drawn as charts.
    pub(super) figures: Vec<String>,
}

fn setting(value: &toml::Value) -> Result<Setting, String> {
    match value {
        toml::Value::String(text) => Ok(Setting(text.clone())),
        toml::Value::Integer(number) => Ok(Setting(number.to_string())),
        toml::Value::Float(number) => Ok(Setting(number.to_string())),
        toml::Value::Boolean(yes) => Ok(Setting(yes.to_string())),
        other => Err(format!("expected a text, a number, true or false, got {}", other.type_str())),
    }
}

fn settings(table: &toml::Table) -> Result<BTreeMap<String, Setting>, (String, String)> {
    let read = |(name, value): (&String, &toml::Value)| match setting(value) {
        Ok(value) => Ok((name.clone(), value)),
        Err(why) => Err((name.clone(), why)),
    };
    table.iter().map(read).collect()
}

/// Seeds as a list or as `"1..20"`, both ends included.
fn seeds(value: &toml::Value) -> Result<Vec<u64>, String> {
    let wrong = || format!("expected a list of numbers or \"FIRST..LAST\", got {}", value.type_str());
    match value {
        toml::Value::Array(values) => {
            let seed = |value: &toml::Value| value.as_integer().and_then(|seed| u64::try_from(seed).ok());
            values.iter().map(|value| seed(value).ok_or_else(wrong)).collect()
        }
        toml::Value::String(text) => {
            let (first, last) = text.split_once("..").ok_or_else(wrong)?;
            let bound = |text: &str| text.trim().parse::<u64>().map_err(|_| wrong());
            let (first, last) = (bound(first)?, bound(last)?);
            if first > last {
                return Err(format!("`{text}`: the first seed is greater than the last"));
            }
            if last - first >= MOST_RUNS as u64 {
                return Err(format!("`{text}`: more than {MOST_RUNS} seeds"));
            }
            Ok((first..=last).collect())
        }
        _ => Err(wrong()),
    }
}

impl Sweep {
    /// Reads a sweep.
    ///
    /// # Errors
    /// [`CliError::Input`] with the line or the field.
    pub(super) fn parse(text: &str, path: &Path) -> Result<Self, CliError> {
        let raw: Raw = toml::from_str(text).map_err(|error| {
            let before = error.span().map_or("", |span| text.get(..span.start).unwrap_or(""));
            let line = before.matches('\n').count() as u64 + 1;
            CliError::input(
                Place::file(path).line(line),
                format!("{}{}", error.message(), files::guess(error.message())),
            )
        })?;
        let wrong = |field: &str, why: String| CliError::input(Place::file(path).field(field), why);
        let of_table = |name: &str, table: &toml::Table| {
            settings(table).map_err(|(field, why)| wrong(&format!("{name}.{field}"), why))
        };
        let fixed = of_table("fixed", &raw.fixed)?;
        let seeds = raw.seeds.as_ref().map_or(Ok(Vec::new()), seeds).map_err(|why| wrong("seeds", why))?;
        let (axes, combinations) = match (raw.axes.is_empty(), raw.list.is_empty()) {
            (false, false) => return Err(wrong("list", "give either `axes` or `list`".to_owned())),
            (true, true) => (Vec::new(), vec![Vec::new()]),
            (false, true) => product(&raw, path)?,
            (true, false) => {
                let rows: Vec<_> =
                    raw.list.iter().map(|row| of_table("list", row)).collect::<Result<_, _>>()?;
                let axes: Vec<String> = rows[0].keys().cloned().collect();
                if rows.iter().any(|row| !row.keys().eq(&axes)) {
                    let names = axes.join(", ");
                    return Err(wrong(
                        "list",
                        format!("each entry must set the same names as the first: {names}"),
                    ));
                }
                (axes, rows.into_iter().map(|row| row.into_values().collect()).collect())
            }
        };
        if let Some(name) = axes.iter().find(|name| fixed.contains_key(*name)) {
            return Err(wrong(&format!("fixed.{name}"), "is also an axis".to_owned()));
        }
        for name in axes.iter().chain(fixed.keys()) {
            if ["seed", "seeds", "out", "no-files", "json", "quiet", "help"].contains(&name.as_str()) {
                return Err(wrong(name, "is set by the sweep itself".to_owned()));
            }
        }
        if combinations.len().saturating_mul(seeds.len().max(1)) > MOST_RUNS {
            return Err(wrong("axes", format!("more than {MOST_RUNS} runs")));
        }
        let baseline = raw.baseline.as_ref().map(|table| of_table("baseline", table)).transpose()?;
        if let Some(name) = baseline.iter().flat_map(BTreeMap::keys).find(|name| !axes.contains(name)) {
            return Err(wrong(&format!("baseline.{name}"), "is no axis".to_owned()));
        }
        let sweep =
            Self { command: raw.command, fixed, axes, combinations, seeds, baseline, figures: raw.figures };
        if sweep.baseline.is_some() && !(0..sweep.combinations.len()).any(|at| sweep.is_baseline(at)) {
            return Err(wrong("baseline", "no combination has these values".to_owned()));
        }
        Ok(sweep)
    }

    /// Runs in all.
    pub(super) fn runs(&self) -> usize {
        self.combinations.len() * self.seeds.len().max(1)
    }

    /// The combination and the seed of a run. Seeds vary fastest: all combinations meet the same ones.
    pub(super) fn run(&self, index: usize) -> (usize, Option<u64>) {
        let seeds = self.seeds.len().max(1);
        (index / seeds, self.seeds.get(index % seeds).copied())
    }

    /// The arguments of a run.
    pub(super) fn arguments(&self, index: usize) -> Vec<String> {
        let (combination, seed) = self.run(index);
        let varied = self.axes.iter().zip(&self.combinations[combination]);
        let mut flags = Vec::new();
        let mut input = None;
        for (name, Setting(value)) in self.fixed.iter().chain(varied) {
            match (name.as_str(), value.as_str()) {
                ("input", value) => input = Some(value.to_owned()),
                (_, "false") => {}
                (name, "true") => flags.push(format!("--{name}")),
                (name, value) => flags.push(format!("--{name}={value}")),
            }
        }
        if let Some(seed) = seed {
            flags.push(format!("--seed={seed}"));
        }
        std::iter::once(self.command.clone()).chain(flags).chain(input).collect()
    }

    /// Every file that runs read.
    pub(super) fn inputs(&self) -> Vec<&str> {
        let at = self.axes.iter().position(|name| name == "input");
        let varied =
            at.into_iter().flat_map(|at| self.combinations.iter().map(move |settings| &settings[at]));
        let mut inputs: Vec<&str> =
            self.fixed.get("input").into_iter().chain(varied).map(|s| s.0.as_str()).collect();
        inputs.sort_unstable();
        inputs.dedup();
        inputs
    }

    fn is_baseline(&self, combination: usize) -> bool {
        self.baseline.as_ref().is_some_and(|baseline| {
            let varied = self.axes.iter().zip(&self.combinations[combination]);
            varied.into_iter().all(|(name, value)| baseline.get(name).is_none_or(|wanted| wanted == value))
        })
    }

    /// The combination with which one is compared: it differs only in the settings of the baseline.
    pub(super) fn baseline_of(&self, combination: usize) -> Option<usize> {
        let baseline = self.baseline.as_ref()?;
        let ours = &self.combinations[combination];
        let wanted = self.axes.iter().zip(ours).map(|(name, value)| baseline.get(name).unwrap_or(value));
        let wanted: Vec<&Setting> = wanted.collect();
        self.combinations.iter().position(|settings| settings.iter().eq(wanted.iter().copied()))
    }
}

/// Axes and every combination of their values.
fn product(raw: &Raw, path: &Path) -> Result<(Vec<String>, Vec<Vec<Setting>>), CliError> {
    let wrong =
        |field: &str, why: String| CliError::input(Place::file(path).field(format!("axes.{field}")), why);
    let mut names: Vec<String> = raw.order.clone();
    if let Some(name) = names.iter().find(|name| !raw.axes.contains_key(*name)) {
        return Err(CliError::input(Place::file(path).field("order"), format!("`{name}` is not an axis")));
    }
    names.extend(raw.axes.keys().filter(|name| !raw.order.contains(name)).cloned());
    let mut combinations: Vec<Vec<Setting>> = vec![Vec::new()];
    for name in &names {
        let values = match raw.axes.get(name) {
            Some(toml::Value::Array(values)) if !values.is_empty() => values,
            _ => return Err(wrong(name, "expected a list of values".to_owned())),
        };
        let values: Vec<Setting> =
            values.iter().map(setting).collect::<Result<_, _>>().map_err(|why| wrong(name, why))?;
        if combinations.len().saturating_mul(values.len()) > MOST_RUNS {
            return Err(wrong(name, format!("more than {MOST_RUNS} runs")));
        }
        let longer = combinations.iter().flat_map(|head| {
            values.iter().map(move |value| head.iter().cloned().chain([value.clone()]).collect())
        });
        combinations = longer.collect();
    }
    Ok((names, combinations))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Sweep, CliError> {
        Sweep::parse(text, Path::new("s.toml"))
    }

    const SWEEP: &str = r#"
        command = "simulate"
        seeds = "3..5"
        order = ["scheduler", "cpus"]
        baseline = { scheduler = "fcfs" }
        [fixed]
        jobs = 20
        [axes]
        cpus = [16, 32]
        scheduler = ["fcfs", "easy"]
    "#;

    #[test]
    fn every_combination_meets_every_seed() {
        let sweep = parse(SWEEP).unwrap();
        assert_eq!((sweep.runs(), sweep.run(0), sweep.run(4)), (12, (0, Some(3)), (1, Some(4))));
        assert_eq!(
            sweep.arguments(4),
            ["simulate", "--jobs=20", "--scheduler=fcfs", "--cpus=32", "--seed=4"]
        );
        let baselines: Vec<_> = (0..4).map(|at| sweep.baseline_of(at)).collect();
        assert_eq!(baselines, [Some(0), Some(1), Some(0), Some(1)]);
    }

    #[test]
    fn lists_flags_and_inputs() {
        let sweep = parse(
            "command = \"plan\"\n[[list]]\ninput = \"a.json\"\ncompare = true\n[[list]]\ninput = \"b.json\"\ncompare = false\n",
        )
        .unwrap();
        assert_eq!(sweep.arguments(0), ["plan", "--compare", "a.json"]);
        assert_eq!(
            (sweep.arguments(1), sweep.inputs()),
            (vec!["plan".to_owned(), "b.json".to_owned()], vec!["a.json", "b.json"])
        );
        assert_eq!(parse("command = \"plan\"").unwrap().runs(), 1);
    }

    #[test]
    fn errors_say_where() {
        for (text, words) in [
            ("command = ", "s.toml:1"),
            ("\ncomand = \"plan\"\n", "s.toml:2"),
            ("command = \"plan\"\nseeds = \"5..1\"", "s.toml: seeds: `5..1`: the first seed is greater"),
            (
                "command = \"plan\"\nseeds = \"0..99999999999\"",
                "seeds: `0..99999999999`: more than 10000000 seeds",
            ),
            ("command = \"plan\"\n[axes]\na = 5", "axes.a"),
            ("command = \"plan\"\n[axes]\na = [[1]]", "axes.a"),
            ("command = \"plan\"\n[axes]\nout = [\"x\"]", "out: is set by the sweep"),
            ("command = \"plan\"\n[fixed]\na = 1\n[axes]\na = [1]", "fixed.a"),
            ("command = \"plan\"\nbaseline = { b = 1 }\n[axes]\na = [1]", "baseline.b"),
            ("command = \"plan\"\nbaseline = { a = 2 }\n[axes]\na = [1]", "no combination"),
            ("command = \"plan\"\n[[list]]\na = 1\n[[list]]\nb = 1", "list"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
