//! `econsched bench`: every registered algorithm, quality beside time.

use super::prelude::*;
use crate::output::progress;
use econsched_studies::StudyError;
use econsched_studies::variants::{Variant, variants};
use serde_json::json;
use std::time::{Duration, Instant};

flags! {
    /// Measure time and quality of every registered algorithm on one input of its family
    #[command(after_long_help = include_str!("../help/bench.txt"))]
    pub(crate) struct BenchArgs {
        /// Run only families or algorithms whose name contains one of these words
        operand words: Vec<String> as "WORD",
        /// Number of runs of each algorithm; the quickest is printed. An algorithm that takes a second is run
        /// once
        runs: u32 as "COUNT" = "5" => clap::value_parser!(u32).range(1..),
        /// Print the names only, run nothing
        list: bool,
        /// JSON instead of tables
        pub(crate) json: bool,
    }
}

/// What was measured of a variant.
#[derive(Debug, Serialize)]
struct Row<'a> {
    family: &'a str,
    name: &'a str,
    milliseconds: f64,
    figures: Vec<(&'a str, Option<f64>)>,
}

impl Command for BenchArgs {
    fn report(&self, _: &Context<'_>) -> Result<Report, CliError> {
        let failed = |error: StudyError| CliError::fault(error.to_string());
        let wanted = |variant: &Variant| {
            let hit = |word: &String| {
                variant.family.contains(word.as_str()) || variant.name.contains(word.as_str())
            };
            self.words.is_empty() || self.words.iter().any(hit)
        };
        let all: Vec<Variant> = variants().map_err(failed)?.into_iter().filter(wanted).collect();
        if all.is_empty() {
            let known = self.words.join(" ");
            return Err(CliError::usage(format!(
                "no name contains {known}: `econsched bench --list` prints all names"
            )));
        }
        if self.list {
            let name = |one: &Variant| json!({"family": one.family, "name": one.name});
            let lines = all.iter().map(|one| format!("{}: {}\n", one.family, one.name));
            return Report::new(lines.collect(), &all.iter().map(name).collect::<Vec<_>>());
        }
        progress::count("algorithms", all.len() as u64);
        let mut rows: Vec<Row<'_>> = Vec::new();
        for variant in &all {
            let (time, figures) = measure(variant, self.runs).map_err(failed)?;
            let figures = figures.into_iter().map(|value| value.is_finite().then_some(value));
            rows.push(Row {
                family: variant.family,
                name: &variant.name,
                milliseconds: time.as_secs_f64() * 1e3,
                figures: variant.figures.iter().copied().zip(figures).collect(),
            });
            progress::step();
        }
        progress::stop_counting();
        let tables = rows.chunk_by(|one, next| one.family == next.family).map(table);
        Report::new(tables.collect(), &rows)
    }
}

/// The least time of `runs` runs (fewer if they are long), and the figures.
fn measure(variant: &Variant, runs: u32) -> Result<(Duration, Vec<f64>), StudyError> {
    let (mut least, mut all, mut figures) = (Duration::MAX, Duration::ZERO, Vec::new());
    for _ in 0..runs {
        let begin = Instant::now();
        figures = variant.run()?;
        let time = begin.elapsed();
        least = least.min(time);
        all += time;
        if all > Duration::from_secs(1) {
            break;
        }
    }
    Ok((least, figures))
}

fn table(rows: &[Row<'_>]) -> String {
    let Some(first) = rows.first() else { return String::new() };
    let mut headings = vec![first.family.to_owned(), "ms".to_owned(), "time".to_owned()];
    headings.extend(first.figures.iter().map(|(name, _)| (*name).to_owned()));
    let quickest = rows.iter().map(|row| row.milliseconds).fold(f64::INFINITY, f64::min);
    let rows = rows.iter().map(|row| {
        let mut cells = vec![
            row.name.to_owned(),
            format!("{:.3}", row.milliseconds),
            format!("{:.1}x", row.milliseconds / quickest),
        ];
        cells.extend(row.figures.iter().map(|(_, value)| value.map_or_else(|| "-".to_owned(), number)));
        cells
    });
    format!("{}\n", Columns::with(&headings, rows).render())
}
