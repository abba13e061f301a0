//! `report.html`: one page that needs no network, draws a schedule on a canvas, and shows its table beside it.

use crate::draw::gantt::Gantt;
use crate::error::CliError;
use crate::output::terminal::{Columns, number};
use serde::Serialize;
use serde_json::{Value, json};

const TEMPLATE: &str = include_str!("page.html");

/// The content of a page.
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
    /// The columns of the table of jobs; the first identifies a job.
    pub(crate) columns: Vec<Column>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) front: Option<Value>,
    pub(crate) tables: Vec<Table>,
    pub(crate) charts: Vec<Value>,
}

/// Adjacent lanes whose use is drawn over time.
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

/// Formats a value of a job for people.
pub(crate) fn short(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::Number(value) if value.is_f64() => value.as_f64().map_or_else(String::new, number),
        other => all_digits(other),
    }
}

/// Formats a value of a job with all its digits. A number that is not finite becomes empty.
pub(crate) fn all_digits(value: &Value) -> String {
    let count = || value.as_u64().map(|count| count.to_string());
    let number = || value.as_f64().map(|number| number.to_string());
    value.as_str().map(str::to_owned).or_else(count).or_else(number).unwrap_or_default()
}

/// A column of the table of jobs. The page looks up `submit`, `start`, `user`, `site` and `state` by name.
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
    /// Creates a page of tables and charts.
    pub(crate) fn of_tables(title: String, tables: Vec<Table>, charts: Vec<(String, String)>) -> Self {
        let charts = charts.into_iter().map(|(name, svg)| json!({"name": name, "svg": svg})).collect();
        Self { title, tables, charts, ..Self::default() }
    }

    /// Renders the page as an HTML document.
    ///
    /// # Errors
    /// [`CliError::Fault`] for a value that JSON cannot hold.
    pub(crate) fn html(&self) -> Result<String, CliError> {
        // In JSON, the characters that could end the script occur only within strings.
        let data = serde_json::to_string(self)?;
        let data = data.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029");
        Ok(TEMPLATE.replacen("@DATA@", &data, 1))
    }
}
