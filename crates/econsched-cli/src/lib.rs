//! The `econsched` program: plan a batch on real traces, search single windows, map tasks, solve assignments,
//! simulate a grid, generate workloads, rerun published studies.
//!
//! Everything lives in this library so that tests reach it; the binary calls [`main`] and nothing else.

#![forbid(unsafe_code)]
#![allow(clippy::disallowed_types)]
// the program has a clock and random names of files
// Says in the documentation which feature an item needs.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod args;
mod assign;
mod bench;
mod charts;
mod checksum;
mod convert;
mod error;
mod explain;
mod files;
mod flags;
mod gantt;
mod generate;
mod group;
mod limits;
mod map;
mod matrix;
mod merge;
mod page;
mod panels;
mod parts;
mod plan;
mod printable;
mod progress;
mod report;
mod scenario;
mod search;
#[cfg(feature = "shell")]
mod shell;
mod simulate;
mod study;
mod svg;
mod sweep;
mod terminal;
mod window;
mod wording;

use args::{Cli, Command};
use clap::{CommandFactory, FromArgMatches, Parser};
use error::CliError;
use flags::Given;
use limits::Bounds;
use std::path::Path;
use std::process::ExitCode;

/// Parses the command line, runs the command, reports its error, and gives its exit code: 0 for success, 1
/// where no plan is possible, 2 for bad input or usage.
pub fn main() -> ExitCode {
    // Without arguments the program plans its built-in input.
    let bare = std::env::args_os().len() <= 1;
    let command = Cli::command();
    let matches = if bare { command.get_matches_from(["econsched", "plan"]) } else { command.get_matches() };
    let given = Given::of(&matches);
    let cli = match Cli::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(error) => error.exit(),
    };
    if cli.quiet {
        terminal::be_quiet();
    }
    if terminal::shows_progress() {
        progress::begin(matches.subcommand_name().unwrap_or_default());
    }
    let done = run(cli.command, &given);
    progress::end();
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            terminal::complain(&error.to_string());
            ExitCode::from(error.exit_code())
        }
    }
}

/// What `cargo bench` runs at the root of the repository: `econsched bench`, with the words of the command
/// line.
pub fn bench() -> ExitCode {
    // Cargo adds a flag of its own.
    let words = std::env::args().skip(1).filter(|word| word != "--bench");
    let words = ["econsched".to_owned(), "bench".to_owned()].into_iter().chain(words);
    let done = match Cli::try_parse_from(words) {
        Ok(Cli { command: Command::Bench(args), .. }) => bench::run(&args),
        Ok(_) => Ok(()),
        Err(error) => error.exit(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            terminal::complain(&error.to_string());
            ExitCode::from(error.exit_code())
        }
    }
}

fn run(command: Command, given: &Given) -> Result<(), CliError> {
    match command {
        Command::Plan(args) => plan::run(&args, given),
        Command::Window(args) => window::run(&args),
        Command::Simulate(args) => simulate::run(&args, given),
        Command::MultiSGrid(args) => simulate::multi_s_grid::run(&args, given),
        Command::Map(args) => args.destination.publish("map.json", || map::report(&args, Bounds::start)),
        Command::Group(args) => args.destination.publish("group.json", || group::report(&args)),
        Command::Assign(args) => {
            args.destination.publish("assign.json", || assign::report(&args, Bounds::start))
        }
        Command::Generate(args) => generate::run(&args),
        Command::Convert(args) => convert::run(&args, given),
        Command::Study(args) => study::run(args),
        Command::Sweep(args) => sweep::run(&args, &measure),
        Command::Merge(args) => merge(&args),
        Command::Bench(args) => bench::run(&args),
        #[cfg(feature = "shell")]
        Command::Completions(args) => shell::completions(&args, Cli::command()),
        #[cfg(feature = "shell")]
        Command::Man => shell::man(Cli::command()),
    }
}

/// The figures of a command, as a sweep runs it.
fn measure(arguments: &[String]) -> Result<sweep::Figures, CliError> {
    let wrong = |error: clap::Error| {
        // The first paragraph says what is wrong, and another one may say what was probably meant; the rest
        // is help for a person at a terminal.
        let text = error.to_string();
        let mut paragraphs = text.split("\n\n").map(str::trim);
        let first = paragraphs.next().unwrap_or_default().trim_start_matches("error: ");
        let tip = paragraphs.find_map(|paragraph| paragraph.strip_prefix("tip: "));
        CliError::usage(tip.map_or_else(|| first.to_owned(), |tip| format!("{first}; {tip}")))
    };
    let words = std::iter::once("econsched").chain(arguments.iter().map(String::as_str));
    let matches = Cli::command().try_get_matches_from(words).map_err(wrong)?;
    let given = Given::of(&matches);
    match Cli::from_arg_matches(&matches).map_err(wrong)?.command {
        Command::Plan(args) => plan::measure(&args, &given),
        Command::Simulate(args) => simulate::measure(&args, &given),
        Command::MultiSGrid(args) => simulate::multi_s_grid::measure(&args),
        Command::Map(args) => Ok(map::report(&args, Bounds::start_alone)?.figures),
        Command::Assign(args) => Ok(assign::report(&args, Bounds::start_alone)?.figures),
        _ => Err(CliError::usage("a sweep runs plan, simulate, multi-s-grid, map or assign")),
    }
}

/// Puts the parts of a study or a sweep together.
fn merge(args: &merge::MergeArgs) -> Result<(), CliError> {
    let (work, parts) = args.read()?;
    if work.first().is_some_and(|kind| kind == "sweep") {
        return sweep::merge(&work, &parts, args.out(), args.json());
    }
    let words = std::iter::once("econsched").chain(work.iter().map(String::as_str));
    match Cli::try_parse_from(words) {
        Ok(Cli { command: Command::Study(study), .. }) => {
            study::merge(study, parts, args.out().map(Path::to_owned), args.json())
        }
        _ => Err(CliError::usage(format!("no study or sweep of this version: {}", work.join(" ")))),
    }
}
