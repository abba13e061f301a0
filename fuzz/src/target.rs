//! Targets: a generator of cases, and a judge.

use crate::rng::Rng;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::fmt;

/// Why a case does not pass.
#[derive(Debug)]
pub(crate) enum Fault {
    /// What is wrong. Any error of a library on a case that is well formed is one.
    Wrong(String),
    /// The case itself is malformed: it came from shrinking another case, or from a generator that sometimes
    /// exceeds its bounds.
    Malformed,
}

impl<E: fmt::Display> From<E> for Fault {
    fn from(error: E) -> Self {
        Self::Wrong(error.to_string())
    }
}

/// A part of the case. If it cannot be made, the case is malformed, which is no fault of the library.
pub(crate) fn part<T, E>(made: Result<T, E>) -> Result<T, Fault> {
    made.map_err(|_| Fault::Malformed)
}

/// The kind of a fault: its message up to the first number.
pub(crate) fn class(message: &str) -> &str {
    let numeric = |letter: char| letter.is_ascii_digit() || matches!(letter, '[' | '{' | '(');
    message.split(numeric).next().unwrap_or(message).trim_end_matches(['-', ' '])
}

pub(crate) type Verdict = Result<(), Fault>;

/// Judges with a message.
macro_rules! ensure {
    ($holds:expr, $($message:tt)+) => {
        if !$holds {
            return Err($crate::target::Fault::Wrong(format!($($message)+)));
        }
    };
}
pub(crate) use ensure;

pub(crate) trait Target {
    /// A case as it stands in the corpus.
    type Case: Serialize + DeserializeOwned;
    fn generate(rng: &mut Rng) -> Self::Case;
    fn judge(case: &Self::Case) -> Verdict;
}

/// A target behind pointers.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    /// A description of the code under attack and of its judge.
    pub(crate) about: &'static str,
    /// Cases for every ten asked for: cheap targets get more, those of large cases less than one.
    pub(crate) share: u64,
    /// Generates and judges; the value of the case where it fails.
    pub(crate) run: fn(&mut Rng) -> Verdict,
    pub(crate) generate: fn(&mut Rng) -> Value,
    /// Judges a case of the corpus.
    pub(crate) judge: fn(&Value) -> Result<Verdict, String>,
}

impl Entry {
    pub(crate) const fn of<T: Target>(name: &'static str, share: u64, about: &'static str) -> Self {
        Self {
            name,
            about,
            share,
            run: |rng| T::judge(&T::generate(rng)),
            generate: |rng| serde_json::to_value(T::generate(rng)).unwrap_or_default(),
            judge: |value| {
                let case: T::Case = serde::Deserialize::deserialize(value).map_err(|e| e.to_string())?;
                Ok(T::judge(&case))
            },
        }
    }
}
