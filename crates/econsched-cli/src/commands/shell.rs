//! `econsched completions` and `econsched man`: descriptions of the command line for shells and readers.

use super::prelude::*;
use clap_complete::Shell;

flags! {
    /// Print a completion script for a shell
    pub(crate) struct CompletionsArgs {
        /// Shell
        operand shell: Shell as "SHELL",
    }
}

flags! {
    /// Print the manual page (`econsched man | man -l -`)
    pub(crate) struct ManArgs {}
}

fn text(bytes: Vec<u8>) -> Result<Report, CliError> {
    Ok(Report::raw(String::from_utf8(bytes).map_err(CliError::fault)?, None))
}

impl Command for CompletionsArgs {
    fn report(&self, context: &Context<'_>) -> Result<Report, CliError> {
        let (mut bytes, mut line) = (Vec::new(), (context.line)());
        let name = line.get_name().to_owned();
        clap_complete::generate(self.shell, &mut line, name, &mut bytes);
        text(bytes)
    }
}

impl Command for ManArgs {
    /// Renders the manual pages of all commands, one after another.
    fn report(&self, context: &Context<'_>) -> Result<Report, CliError> {
        let (mut bytes, line) = (Vec::new(), (context.line)());
        let name = |below: &clap::Command| format!("{}-{}", line.get_name(), below.get_name());
        let below = line.get_subcommands().map(|below| below.clone().name(name(below)));
        for page in std::iter::once(line.clone()).chain(below) {
            clap_mangen::Man::new(page).render(&mut bytes).map_err(CliError::fault)?;
        }
        text(bytes)
    }
}
