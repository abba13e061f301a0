//! Flags of commands as tables, and checks of flags that commands share.

use crate::error::CliError;
use clap::ArgMatches;
use clap::builder::{PossibleValuesParser, RangedU64ValueParser, TypedValueParser};
use clap::parser::ValueSource;
use econsched::sched_model::internal::Registry;
use std::fmt::Display;
use std::ops::RangeBounds;

/// Writes the flags of a command as one table: the documentation, name and type of each, then what a person calls its
/// value (`as`), what else is said of it (in brackets), its default (`=`) and its parser (`=>`).
/// `operand` stands before what has no `--name`, and `[flatten]` before a table of further flags.
///
/// `checkpoint_every: u64 as "COUNT" [requires = "checkpoint"] = "9" => count(1, 99)` is `--checkpoint-every COUNT`,
/// read by `count(1, 99)`, 9 by default, and allowed only beside `--checkpoint`.
// Fields go one after the other through `@next`: in the place of a field, no macro may stand.
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
    /// The flags of the command that is called.
    pub(crate) fn of(matches: &'a ArgMatches) -> Self {
        Self(matches.subcommand().map_or(matches, |(_, command)| command))
    }

    /// Not every command has each of the flags that are asked for.
    fn has(self, field: &str) -> bool {
        let is_known = self.0.try_contains_id(field).is_ok();
        is_known && self.0.value_source(field) == Some(ValueSource::CommandLine)
    }

    /// Whether one of these is given, by the names of their fields, with blanks between.
    pub(crate) fn any(self, fields: &str) -> bool {
        fields.split(' ').any(|field| self.has(field))
    }

    /// Refuses flags that would do nothing, by the names of their fields.
    ///
    /// # Errors
    /// [`CliError::Wrong`] with the first of them that is given.
    pub(crate) fn refuse(self, fields: &str, because: &str) -> Result<(), CliError> {
        match fields.split(' ').find(|field| self.has(field)) {
            Some(field) => Err(CliError::usage(format!("--{}: {because}", field.replace('_', "-")))),
            None => Ok(()),
        }
    }
}

/// A parser of counts within these bounds, so that the work fits into memory.
pub(crate) fn count<T: TryFrom<u64>>(least: u64, most: u64) -> RangedU64ValueParser<T> {
    RangedU64ValueParser::new().range(least..=most)
}

/// The maximum number of jobs, nodes or slots of one run.
pub(crate) const MOST: u64 = econsched::grid_sim::internal::MOST_JOBS as u64;

/// A parser of the names of a registry.
pub(crate) fn names<R: Registry + Send + Sync>() -> impl TypedValueParser<Value = R> {
    PossibleValuesParser::new(R::ALL.iter().map(|kind| kind.name())).try_map(|name| R::find(&name))
}

/// A parser of quantities.
///
/// # Errors
/// What is wrong with the text.
pub(crate) fn quantity<T: TryFrom<f64, Error: Display>>(text: &str) -> Result<T, String> {
    let number = text.parse::<f64>().map_err(|error| error.to_string())?;
    T::try_from(number).map_err(|error| error.to_string())
}

/// A parser of numbers in this range.
pub(crate) fn number<R: RangeBounds<f64> + Clone>(
    range: R,
    what: &'static str,
) -> impl Fn(&str) -> Result<f64, String> + Clone {
    move |text| {
        let value = text.parse().ok().filter(|value| range.contains(value));
        value.ok_or_else(|| format!("expected {what}"))
    }
}

/// A parser of shares that may be left to the best answer.
pub(crate) fn gap(text: &str) -> Result<f64, String> {
    number(0.0..1.0, "a share of at least 0 and below 1")(text)
}
