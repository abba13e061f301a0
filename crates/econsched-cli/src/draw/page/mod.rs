//! `report.html`: one page without network that draws a schedule on a canvas, with its table beside it.

use crate::draw::gantt::Gantt;
use crate::error::CliError;
use crate::output::terminal::{Columns, number};
use serde::Serialize;
use serde_json::json;
use std::fmt;

const TEMPLATE: &str = include_str!("page.html");

/// What a page shows.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Page {
    pub(crate) title: String,
    pub(crate) subtitle: String,
    pub(crate) notes: Vec<String>,
    /// Whether times are seconds.
    pub(crate) seconds: bool,
    #[serde(flatten)]
    pub(crate) chart: Gantt,
    pub(crate) groups: Vec<Group>,
    /// Of the table of jobs; the first names them.
    pub(crate) columns: Vec<Column>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) front: Option<serde_json::Value>,
    pub(crate) tables: Vec<Table>,
    pub(crate) charts: Vec<serde_json::Value>,
}

/// Lanes whose use is drawn over time.
#[derive(Debug, Serialize)]
pub(crate) struct Group {
    pub(crate) name: String,
    pub(crate) first: usize,
    pub(crate) lanes: usize,
}

/// How the values of a column are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    Text,
    Number,
    /// An instant.
    Time,
    /// A length of time.
    Span,
}

/// A value of a job. A number that is not finite is shown as an empty cell.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub(crate) enum Value {
    Nothing,
    Count(u64),
    Number(f64),
    Text(String),
}

impl Value {
    /// For people.
    pub(crate) fn short(&self) -> String {
        match self {
            Self::Nothing => "-".to_owned(),
            Self::Number(value) => number(*value),
            other => other.to_string(),
        }
    }
}

/// With all digits.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => Ok(()),
            Self::Count(count) => count.fmt(f),
            Self::Number(value) => value.fmt(f),
            Self::Text(text) => text.fmt(f),
        }
    }
}

impl<T: Into<f64>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map(Into::into).filter(|value| f64::is_finite(*value)).map_or(Self::Nothing, Self::Number)
    }
}

/// A column of the table of jobs. `submit`, `start`, `user`, `site` and `state` are found by their names.
#[derive(Debug, Serialize)]
pub(crate) struct Column {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) values: Vec<Value>,
}

/// A table as text.
#[derive(Debug, Serialize)]
pub(crate) struct Table {
    pub(crate) title: String,
    #[serde(flatten)]
    pub(crate) cells: Columns,
}

impl Page {
    /// A page of tables and charts.
    pub(crate) fn of_tables(
        title: impl Into<String>,
        tables: Vec<Table>,
        charts: impl IntoIterator<Item = (String, String)>,
    ) -> Self {
        let charts = charts.into_iter().map(|(name, svg)| json!({"name": name, "svg": svg})).collect();
        Self { title: title.into(), tables, charts, ..Self::default() }
    }

    /// The document.
    ///
    /// # Errors
    /// [`CliError::Fault`] for a value that JSON cannot hold.
    pub(crate) fn html(&self) -> Result<String, CliError> {
        // Within a script, characters that could end it occur only in strings.
        let data = serde_json::to_string(self)?;
        let data = data.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029");
        Ok(TEMPLATE.replacen("@DATA@", &data, 1))
    }
}
