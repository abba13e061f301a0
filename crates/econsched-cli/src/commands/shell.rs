//! `econsched completions`: completions of the command line for a shell.

use super::prelude::*;
use clap_complete::Shell;

flags! {
    /// Print a completion script for a shell
    pub(crate) struct CompletionsArgs {
        /// Shell
        operand shell: Shell as "SHELL",
    }
}

impl Command for CompletionsArgs {
    fn report(&self, context: &Context<'_>) -> Result<Report, CliError> {
        let (mut bytes, mut line) = (Vec::new(), (context.line)());
        let name = line.get_name().to_owned();
        clap_complete::generate(self.shell, &mut line, name, &mut bytes);
        Ok(Report::raw(String::from_utf8(bytes).map_err(CliError::fault)?, None))
    }
}
