//! The `econsched` program: plan a batch on real traces, search single windows, map tasks, solve assignments, simulate
//! a grid, generate workloads, rerun published studies.
//!
//! Everything lives in this library so that tests reach it; the binary calls [`main`] and nothing else.

#![forbid(unsafe_code)]
// Says in the documentation which feature an item needs.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod args;
mod assign;
mod charts;
mod error;
mod files;
mod gantt;
mod generate;
mod map;
mod matrix;
mod plan;
mod scenario;
mod simulate;
mod study;
mod svg;
mod terminal;
mod window;

use args::{Cli, Command, Given};
use clap::{CommandFactory, FromArgMatches};
use error::CliError;
use std::process::ExitCode;

/// Parses the command line, runs the command, reports its error, and gives its exit code: 0 for success, 1 where no
/// plan is possible, 2 for bad input or usage.
pub fn main() -> ExitCode {
    // Without arguments the program shows what it can do on its built-in input.
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
    match run(cli.command, &given) {
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
        Command::MultiSGrid(args) => simulate::multi_s_grid::run(&args),
        Command::Map(args) => map::run(&args),
        Command::Assign(args) => assign::run(&args),
        Command::Generate(args) => generate::run(&args),
        Command::Study(args) => study::run(args),
    }
}
