//! The `econsched` program: plan a batch on real traces, search single windows, map tasks, solve assignments,
//! simulate a grid, generate workloads, rerun published studies.
//!
//! Everything is in this library; the binary only calls [`main`]. Modules import only from later ones in this list:
//! `commands`, `work` and `input`, `draw`, `report`, `output`, `error`. A command is a function from its flags to a
//! report; only `report` has results printed and written.

#![forbid(unsafe_code)]
// The program reads the clock.
#![allow(clippy::disallowed_types)]
// Shows in the documentation which feature an item needs.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod commands;
mod draw;
mod error;
mod flags;
mod input;
mod output;
mod prelude;
mod printable;
mod report;
mod work;

use crate::error::CliError;
use crate::flags::Given;
use crate::report::{Command, Context, Figures, OutputTarget};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::process::ExitCode;

/// Parses the command line, runs the command, and reports its error. Returns its exit code: 0 for success, 1 if no
/// plan is possible, 2 for bad input or usage, 3 for a fault of the program.
pub fn main() -> ExitCode {
    // Without arguments the program plans its built-in input.
    let plan = (std::env::args_os().len() <= 1).then(|| "plan".into());
    let matches = Cli::command().get_matches_from(std::env::args_os().chain(plan));
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    if std::io::IsTerminal::is_terminal(&std::io::stderr()) {
        output::progress::begin(matches.subcommand_name().unwrap_or_default());
    }
    let (command, output_target) = cli.command.dispatch();
    let done = context(Given::of(&matches), false).run(command, output_target);
    output::progress::end();
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::terminal::print_error(&error.to_string());
            ExitCode::from(error.exit_code())
        }
    }
}

/// Draws a chart of a study as an SVG document.
///
/// # Errors
/// The message of the plotting library; no data causes one.
pub fn svg(chart: &econsched_studies::Chart) -> Result<String, String> {
    draw::charts::svg(chart).map_err(|error| error.to_string())
}

fn context(given: Given<'_>, sweep: bool) -> Context<'_> {
    Context {
        given,
        files: false,
        sweep,
        measure,
        #[cfg(feature = "shell")]
        line: Cli::command,
    }
}

/// Runs a command for its figures, as a sweep does.
fn measure(arguments: &[String]) -> Result<Figures, CliError> {
    let wrong = |error: clap::Error| {
        // The first paragraph of clap's message says what is wrong, and a later one may suggest what was meant; the
        // rest is help for a person at a terminal.
        let text = error.to_string();
        let mut paragraphs = text.split("\n\n").map(str::trim);
        let first = paragraphs.next().unwrap_or_default().trim_start_matches("error: ");
        let tip = paragraphs.find_map(|paragraph| paragraph.strip_prefix("tip: "));
        CliError::usage(tip.map_or_else(|| first.to_owned(), |tip| format!("{first}; {tip}")))
    };
    let words = std::iter::once("econsched").chain(arguments.iter().map(String::as_str));
    let matches = Cli::command().try_get_matches_from(words).map_err(wrong)?;
    let cli = Cli::from_arg_matches(&matches).map_err(wrong)?;
    cli.command.dispatch().0.report(&context(Given::of(&matches), true))?.figures()
}

/// Economic scheduling: which free time, on which machines, at which price, goes to which job.
///
/// Without a command, `plan` runs on its built-in scenario.
#[derive(Debug, Parser)]
#[command(name = "econsched", version, propagate_version = true, max_term_width = 110)]
struct Cli {
    #[command(subcommand)]
    command: Commands,
}

#[derive(Debug, Subcommand)]
enum Commands {
    Plan(commands::plan::PlanArgs),
    Window(commands::window::WindowArgs),
    Simulate(Box<commands::simulate::SimulateArgs>),
    MultiSGrid(commands::simulate::multi_s_grid::MultiSGridArgs),
    Map(commands::map::MapArgs),
    Group(commands::group::GroupArgs),
    Assign(commands::assign::AssignArgs),
    Generate(commands::generate::GenerateArgs),
    Convert(commands::convert::ConvertArgs),
    Study(commands::study::StudyArgs),
    Sweep(commands::sweep::SweepArgs),
    #[cfg(feature = "shell")]
    Completions(commands::shell::CompletionsArgs),
    #[cfg(feature = "shell")]
    Man(commands::shell::ManArgs),
}

impl Commands {
    /// Returns the command to run, and where its answer goes.
    fn dispatch(&self) -> (&dyn Command, OutputTarget<'_>) {
        match self {
            Self::Plan(args) => (args, args.destination.output_target()),
            Self::Window(args) => (args, (args.json, None)),
            Self::Simulate(args) => (args.as_ref(), args.common.destination.output_target()),
            Self::MultiSGrid(args) => (args, args.common.destination.output_target()),
            Self::Map(args) => (args, args.destination.output_target()),
            Self::Group(args) => (args, (args.json, None)),
            Self::Assign(args) => (args, args.destination.output_target()),
            Self::Generate(args) => (args, (false, None)),
            Self::Convert(args) => (args, (false, None)),
            Self::Study(args) => (args, args.divided.destination.output_target()),
            Self::Sweep(args) => (args, args.divided.destination.output_target()),
            #[cfg(feature = "shell")]
            Self::Completions(args) => (args, (false, None)),
            #[cfg(feature = "shell")]
            Self::Man(args) => (args, (false, None)),
        }
    }
}
