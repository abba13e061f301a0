//! The command line.

use crate::report::Command;
use clap::{Parser, Subcommand};

/// Economic scheduling: which free time, on which machines, at which price, goes to which job.
///
/// Without a command, `plan` runs on its built-in scenario.
#[derive(Debug, Parser)]
#[command(name = "econsched", version, propagate_version = true, max_term_width = 110)]
pub(crate) struct Cli {
    /// Print errors only; files are still written
    #[arg(long, global = true)]
    pub(crate) quiet: bool,
    #[command(subcommand)]
    pub(crate) command: Commands,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Commands {
    Plan(crate::commands::plan::PlanArgs),
    Window(crate::commands::window::WindowArgs),
    Simulate(Box<crate::commands::simulate::SimulateArgs>),
    #[command(name = "multi-s-grid")]
    MultiSGrid(crate::commands::simulate::multi_s_grid::MultiSGridArgs),
    Map(crate::commands::map::MapArgs),
    Group(crate::commands::group::GroupArgs),
    Assign(crate::commands::assign::AssignArgs),
    Generate(crate::commands::generate::GenerateArgs),
    Convert(crate::commands::convert::ConvertArgs),
    /// Rerun a published study
    Study(crate::commands::study::StudyArgs),
    Sweep(crate::commands::sweep::SweepArgs),
    Merge(crate::commands::merge::MergeArgs),
    Bench(crate::commands::bench::BenchArgs),
    #[cfg(feature = "shell")]
    Completions(crate::commands::shell::CompletionsArgs),
    #[cfg(feature = "shell")]
    Man(crate::commands::shell::ManArgs),
}

impl Commands {
    /// What is called.
    pub(crate) fn called(&self) -> &dyn Command {
        match self {
            Self::Plan(args) => args,
            Self::Window(args) => args,
            Self::Simulate(args) => args.as_ref(),
            Self::MultiSGrid(args) => args,
            Self::Map(args) => args,
            Self::Group(args) => args,
            Self::Assign(args) => args,
            Self::Generate(args) => args,
            Self::Convert(args) => args,
            Self::Study(args) => args,
            Self::Sweep(args) => args,
            Self::Merge(args) => args,
            Self::Bench(args) => args,
            #[cfg(feature = "shell")]
            Self::Completions(args) => args,
            #[cfg(feature = "shell")]
            Self::Man(args) => args,
        }
    }
}
