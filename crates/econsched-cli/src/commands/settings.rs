//! Rare settings: fields of the libraries' configurations by dotted names, from a file or one by one.

use super::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

flags! {
    /// Flags for rare settings.
    pub(crate) struct Rare {
        /// Rare settings (see below) as JSON: {"faults": {"early": 0.1}}
        settings: Option<PathBuf> as "FILE",
        /// One rare setting, such as faults.early=0.1; it goes before that of the file
        set: Vec<String> as "NAME=VALUE",
    }
}

/// The settings below one name, or all of them, as far as they are given and not taken yet.
#[derive(Clone, Default)]
pub(crate) struct Settings(&'static str, Option<Value>);

/// Maximum number of dots in a name.
const MAX_DOTS: usize = 16;

impl Rare {
    /// Reads all rare settings that are given.
    ///
    /// # Errors
    /// [`CliError::Wrong`] for a file that is no JSON object, and for words without a `=`.
    pub(crate) fn read(&self) -> Result<Settings, CliError> {
        let file = |path: &PathBuf| files::parse_json(&files::read(path)?, path);
        let read: Option<Map<_, _>> = self.settings.as_ref().map(file).transpose()?;
        let mut all = Value::Object(read.unwrap_or_default());
        for word in &self.set {
            // No setting lies deeper, and dropping a value that did would need a stack as deep.
            let is_name = |name: &str| {
                name.split('.').all(|part| !part.is_empty()) && name.matches('.').count() < MAX_DOTS
            };
            let pair = word.split_once('=').filter(|(name, _)| is_name(name));
            let (name, text) =
                pair.ok_or_else(|| CliError::usage(format!("--set {word}: expected NAME=VALUE")))?;
            let value = serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()));
            merge(&mut all, name.rsplit('.').fold(value, |value, name| json!({ name: value })));
        }
        Ok(Settings("", Some(all)))
    }
}

/// Merges `from` into `into`: fields of objects one by one; any other value replaces the one before.
fn merge(into: &mut Value, from: Value) {
    match (&mut *into, from) {
        (Value::Object(into), Value::Object(from)) => {
            from.into_iter().for_each(|(name, value)| merge(into.entry(name).or_insert(Value::Null), value));
        }
        // A number given for a range stands for both its ends.
        (Value::Object(range), from @ Value::Number(_)) if range.len() == 2 && range.contains_key("end") => {
            range.values_mut().for_each(|end| *end = from.clone());
        }
        (Value::Number(all), Value::Object(from))
            if from.keys().all(|end| end == "start" || end == "end") =>
        {
            let mut range = json!({ "start": all, "end": all });
            merge(&mut range, Value::Object(from));
            *into = range;
        }
        (_, from) => *into = from,
    }
}

impl Settings {
    /// Takes out the settings below a name.
    pub(crate) fn take(&mut self, name: &'static str) -> Self {
        Self(name, self.1.as_mut().and_then(Value::as_object_mut).and_then(|all| all.remove(name)))
    }

    /// Refuses the settings that have not been taken; `of` says what has no such setting.
    ///
    /// # Errors
    /// [`CliError::Wrong`] for the first of them.
    pub(crate) fn refuse_rest(self, of: &str) -> Result<(), CliError> {
        match self.1.as_ref().and_then(Value::as_object).and_then(|all| all.keys().next()) {
            Some(name) => Err(CliError::usage(format!("--set {name}: no such setting for {of}"))),
            None => Ok(()),
        }
    }

    /// Returns the usual settings, overridden by those that are given.
    ///
    /// # Errors
    /// [`CliError::Wrong`] with the name of a setting that does not exist or has an invalid value.
    pub(crate) fn over<T: Serialize + DeserializeOwned>(self, usual: T) -> Result<T, CliError> {
        let Self(name, given) = self;
        let Some(given) = given.filter(|given| *given != json!({})) else { return Ok(usual) };
        let mut all = serde_json::to_value(usual)?;
        merge(&mut all, given);
        serde_path_to_error::deserialize(all).map_err(|error| {
            let (path, why) = (error.path().to_string(), error.inner().to_string());
            let place = Place::default().field([name, &path].join(".").trim_matches('.'));
            CliError::input(place, why)
        })
    }
}

/// Returns an error if `count` exceeds `most`.
pub(crate) fn at_most(most: u64, what: &str, count: u64) -> Result<(), CliError> {
    if count > most { Err(CliError::usage(format!("{count} {what}: at most {most}"))) } else { Ok(()) }
}
