//! `econsched completions` and `econsched man`: the command line described for shells and readers.

use crate::error::CliError;
use crate::terminal;
use clap_complete::Shell;

/// Print a completion script for a shell
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct CompletionsArgs {
    /// Shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints completions of a command line.
pub(crate) fn completions(args: &CompletionsArgs, mut command: clap::Command) -> Result<(), CliError> {
    let mut bytes = Vec::new();
    let name = command.get_name().to_owned();
    clap_complete::generate(args.shell, &mut command, name, &mut bytes);
    terminal::print(&String::from_utf8(bytes).map_err(CliError::fault)?)
}

/// Prints the manual page of a command line, its commands one after another.
pub(crate) fn man(command: clap::Command) -> Result<(), CliError> {
    let mut bytes = Vec::new();
    let mut pages = vec![command.clone()];
    pages.extend(command.get_subcommands().filter(|command| !command.is_hide_set()).map(|below| {
        let name = format!("{}-{}", command.get_name(), below.get_name());
        below.clone().name(name)
    }));
    for page in pages {
        clap_mangen::Man::new(page).render(&mut bytes).map_err(CliError::fault)?;
    }
    terminal::print(&String::from_utf8(bytes).map_err(CliError::fault)?)
}
