//! `econsched sweep`: one command under many settings and seeds.

mod plan;
mod results;

use crate::commands::limits;
use crate::draw::page::Page;
use crate::error::CliError;
use crate::flags::count;
use crate::output::files;
use crate::output::terminal::counted;
use crate::report::{Command, Context, Report};
use crate::work::parts::{self, Header, Parts, Shard, checksum};
use econsched_studies::{Store as _, StudyError};
use flate2::CrcReader;
use plan::Sweep;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Run a command with many settings and seeds, and compare the figures
#[derive(Debug, Clone, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct SweepArgs {
    /// Description of the sweep (TOML); `-` is standard input
    #[arg(value_name = "FILE")]
    input: PathBuf,
    /// Directory for runs.csv, means.csv, differences.csv and charts; a sweep that is stopped keeps its
    /// finished runs there
    #[arg(long, value_name = "DIR", default_value = "out")]
    out: PathBuf,
    /// Worker threads [default: one for each core]
    #[arg(long, value_name = "COUNT", value_parser = count::<usize>(1, 4096))]
    threads: Option<usize>,
    /// Compute only part I of N and keep it in the directory of --out, for `econsched merge`
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// JSON instead of a table
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = r#"Example:
  econsched sweep sweep.toml --out out/sweep

  command = "simulate"              # or multi-s-grid, plan, map, assign
  seeds = "1..20"                   # or a list: every combination runs with every seed
  baseline = { scheduler = "fcfs" } # the others are compared with it, pair by pair
  figures = ["mean wait"]           # charts of these
  order = ["scheduler"]             # of the columns; names not given follow
  [fixed]                           # flags of all runs; `input` is the file that the command reads
  jobs = 500
  [axes]                            # every combination of these
  scheduler = ["fcfs", "easy"]
  cpus = [64, 128]

Instead of [axes], [[list]] gives the combinations one by one.

Files: runs.csv has a row for each run and a column for each axis and figure, means.csv the means over the seeds with 95% intervals, differences.csv the paired differences from the baseline. Seeds are the same for all combinations.

Exit code 0, also where single runs find no plan (their row says why), or 2 for bad input or usage."#;

impl Command for SweepArgs {
    fn destination(&self) -> (bool, Option<&Path>) {
        (self.json, Some(&self.out))
    }

    fn report(&self, context: &Context<'_>) -> Result<Report, CliError> {
        let sweep = Sweep::parse(&files::read_text(&self.input)?, &self.input)?;
        limits::end_by_ctrl_c(Some(&self.out));
        if let Some(shard) = self.shard {
            // Shards of one sweep may be computed side by side.
            let header = Header::new(work(&sweep)?, shard);
            return parts::share(&self.out, "sweep", &header, |part| self.compute(&sweep, part, context));
        }
        let held = files::alone(&self.out)?;
        let part = parts::checkpoint(&self.out, "sweep", work(&sweep)?)?;
        self.compute(&sweep, &part, context)?;
        let mut report = results(&sweep, &part)?.with_end(move || part.discard());
        report.held = held;
        Ok(report)
    }
}

/// Everything that the results depend on: the sweep, and the content of its files.
fn work(sweep: &Sweep) -> Result<Vec<String>, CliError> {
    let mut work = vec!["sweep".to_owned(), serde_json::to_string(sweep).map_err(CliError::fault)?];
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

/// The results of the parts of a sweep.
///
/// # Errors
/// [`CliError::Input`] for a part without a run that it must have.
pub(crate) fn merged(work: &[String], parts: &Parts) -> Result<Report, CliError> {
    let text = work.get(1).map_or("", String::as_str);
    let sweep = serde_json::from_slice(text.as_bytes())
        .map_err(|error| CliError::usage(format!("the parts: {error}")))?;
    results(&sweep, parts)
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
    let mut answer = Report::new(format!("{title}\n\n{}\n", results.table()), &results.file())?
        .with_first("means", "means.csv", "")
        .with_file("runs.csv", results.runs_csv()?)
        .with_file("means.csv", results.means_csv()?);
    if sweep.baseline.is_some() {
        answer = answer.with_file("differences.csv", results.differences_csv()?);
    }
    for (name, svg) in &charts {
        answer = answer.with_file(name, svg.clone());
    }
    let page = Page::of_tables(title, vec![results.page_table()], charts);
    Ok(answer.with_file("report.html", page.html()?))
}
