//! A macro for tables of flags, and checks and parsers that commands share.

use crate::error::CliError;
use clap::ArgMatches;
use clap::builder::{PossibleValuesParser, RangedU64ValueParser, TypedValueParser};
use clap::parser::ValueSource;
use econsched::sched_model::ModelError;
use econsched::sched_model::internal::Registry;
use std::error::Error;
use std::ops::RangeBounds;

/// Defines the flags of a command as one table. A row has the documentation, name and type of a flag, then, where it
/// has them, the name of its value in the help (`as`), more clap attributes (in brackets), its default (`=`) and its
/// parser (`=>`). `operand` marks a positional argument, and `[flatten]` includes another table.
///
/// `checkpoint_every: u64 as "COUNT" [requires = "checkpoint"] = "9" => count(1, 99)` is `--checkpoint-every COUNT`,
/// read by `count(1, 99)`, 9 by default, and allowed only beside `--checkpoint`.
// The fields are processed one by one through `@next`, because a macro cannot stand in the place of a field.
macro_rules! flags {
    ($(#[$meta:meta])* $vis:vis struct $name:ident { $($fields:tt)* }) => {
        flags!(@next [$(#[$meta])* $vis struct $name] [] $($fields)*);
    };
    (@next [$($head:tt)*] [$($done:tt)*]) => {
        #[derive(Debug, Clone, clap::Args)]
        $($head)* { $($done)* }
    };
    (@next $head:tt [$($done:tt)*] [$how:ident] $vis:vis $field:ident: $kind:ty, $($rest:tt)*) => {
        flags!(@next $head [$($done)* #[command($how)] $vis $field: $kind,] $($rest)*);
    };
    (@next $head:tt [$($done:tt)*] $(#[$doc:meta])* operand $vis:vis $field:ident: $kind:ty as $value:literal
        $([$($more:tt)*])?, $($rest:tt)*) => {
        flags!(@next $head [
            $($done)*
            $(#[$doc])*
            #[arg(value_name = $value $(, $($more)*)?)]
            $vis $field: $kind,
        ] $($rest)*);
    };
    (@next $head:tt [$($done:tt)*] $(#[$doc:meta])* $vis:vis $field:ident: $kind:ty $(as $value:literal)?
        $([$($more:tt)*])? $(= $default:expr)? $(=> $parser:expr)?, $($rest:tt)*) => {
        flags!(@next $head [
            $($done)*
            $(#[$doc])*
            #[arg(long $(, value_name = $value)? $(, $($more)*)? $(, default_value = $default)?
                $(, value_parser = $parser)?)]
            $vis $field: $kind,
        ] $($rest)*);
    };
}
pub(crate) use flags;

/// The flags given on the command line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Given<'a>(&'a ArgMatches);

impl<'a> Given<'a> {
    /// Returns the flags of the command that is called.
    pub(crate) fn of(matches: &'a ArgMatches) -> Self {
        Self(matches.subcommand().map_or(matches, |(_, command)| command))
    }

    /// Refuses flags that would have no effect; `fields` has the names of their fields, separated by blanks. A flag
    /// that the command does not have is not given.
    ///
    /// # Errors
    /// [`CliError::Wrong`] for the first of them that is given.
    pub(crate) fn refuse(self, fields: &str, because: &str) -> Result<(), CliError> {
        let is_known = |field: &&str| self.0.try_contains_id(field).is_ok();
        let mut known = fields.split(' ').filter(is_known);
        match known.find(|field| self.0.value_source(field) == Some(ValueSource::CommandLine)) {
            Some(field) => Err(CliError::usage(format!("--{}: {because}", field.replace('_', "-")))),
            None => Ok(()),
        }
    }
}

/// Returns a parser of counts from `least` to `most`, bounds that keep the work within memory.
pub(crate) fn count<T: TryFrom<u64>>(least: u64, most: u64) -> RangedU64ValueParser<T> {
    RangedU64ValueParser::new().range(least..=most)
}

/// The maximum number of jobs, nodes or slots of one run.
pub(crate) const MOST: u64 = econsched::grid_sim::internal::MOST_JOBS as u64;

/// Returns a parser of the names of a registry.
pub(crate) fn names<R: Registry + Send + Sync>() -> impl TypedValueParser<Value = R> {
    PossibleValuesParser::new(R::ALL.iter().map(|kind| kind.name())).try_map(|name| R::find(&name))
}

/// Parses a quantity.
///
/// # Errors
/// A message that says what is wrong with the text.
pub(crate) fn quantity<T: TryFrom<f64, Error = ModelError>>(
    text: &str,
) -> Result<T, Box<dyn Error + Send + Sync>> {
    Ok(T::try_from(text.parse::<f64>()?)?)
}

/// Returns a parser of numbers in `range`, which `what` describes in messages.
pub(crate) fn number_in<R: RangeBounds<f64> + Clone>(
    range: R,
    what: &'static str,
) -> impl Fn(&str) -> Result<f64, String> + Clone {
    move |text| {
        let value = text.parse().ok().filter(|value| range.contains(value));
        value.ok_or_else(|| format!("expected {what}"))
    }
}

/// Parses a relative gap: how far, as a share, an answer may be from the best one.
pub(crate) fn gap(text: &str) -> Result<f64, String> {
    number_in(0.0..1.0, "a share of at least 0 and below 1")(text)
}
