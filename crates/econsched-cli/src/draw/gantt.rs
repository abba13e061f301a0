//! A Gantt chart: which job holds which node at which time. It is drawn in characters here, and on a page by its
//! script.

use super::plot::ticks;
use crate::prelude::*;

/// One chart: lanes from top to bottom, time from left to right.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Gantt {
    pub(crate) lanes: Vec<Lane>,
    pub(crate) bars: Bars,
    pub(crate) from: f64,
    pub(crate) to: f64,
    #[serde(flatten)]
    pub(crate) axis: TimeAxis,
}

/// A row of the chart.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Lane {
    /// Text to the left of the row.
    pub(crate) label: String,
    /// Price shown to the right of the row.
    pub(crate) price: Option<f64>,
}

/// The bars, as columns: the first lane, the number of lanes, the start, the end, and the row in the table of jobs, -1
/// for local load.
pub(crate) type Bars = (Vec<usize>, Vec<usize>, Vec<f64>, Vec<f64>, Vec<i64>);

/// The time axis. The numbers on it are `(instant - origin) / unit`.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct TimeAxis {
    pub(crate) origin: f64,
    pub(crate) unit: f64,
    pub(crate) label: String,
}

impl Default for TimeAxis {
    fn default() -> Self {
        Self { origin: 0.0, unit: 1.0, label: "time".to_owned() }
    }
}

impl TimeAxis {
    /// Creates an axis for instants in seconds from `origin` on, in a unit that suits a chart of this length.
    pub(crate) fn seconds_since(origin: f64, length: f64, what: &str) -> Self {
        let units = [(86_400.0, "days"), (3_600.0, "hours"), (60.0, "minutes"), (1.0, "seconds")];
        let (unit, name) =
            units.into_iter().find(|(unit, _)| length >= 3.0 * unit).unwrap_or((1.0, "seconds"));
        Self { origin, unit, label: format!("{name} since {what}") }
    }
}

/// Returns the character of the k-th job in a chart of characters: A to Z, a to z, 0 to 9, then from the start again.
pub(crate) fn letter(k: usize) -> char {
    const SIGNS: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    char::from(SIGNS[k % SIGNS.len()])
}

/// Maximum number of cells of the time axis, and the minimum, on the narrowest terminals.
const COLUMNS: usize = 72;
const FEWEST: usize = 10;
/// Maximum number of rows of the chart in characters. If there are more lanes, only those with jobs are shown.
const ROWS: usize = 40;

impl Gantt {
    /// Draws the chart in characters, with a row for each lane.
    pub(crate) fn text(&self) -> String {
        let terminal = terminal::width();
        let width = self.lanes.iter().map(|lane| lane.label.chars().count()).max().unwrap_or(0);
        let price = |price: Option<f64>| price.map_or(String::new(), |price| format!("  {}", number(price)));
        let prices = self.lanes.iter().map(|lane| price(lane.price).chars().count()).max().unwrap_or(0);
        // After the name of a lane come a space and two lines.
        let room = terminal.map(|terminal| usize::from(terminal).saturating_sub(width + prices + 3));
        let columns = room.map_or(COLUMNS, |room| COLUMNS.min(room.max(FEWEST)));
        let length = self.to - self.from;
        let cell = |instant: f64| {
            let share = if length > 0.0 { (instant - self.from) / length } else { 0.0 };
            ((share.clamp(0.0, 1.0) * columns as f64).floor() as usize).min(columns - 1)
        };
        let mut rows = vec![vec!['·'; columns]; self.lanes.len()];
        let (lane, _, start, end, job) = &self.bars;
        // Jobs are drawn after local load, which must not hide the bar of a short job.
        let (jobs, loads): (Vec<usize>, Vec<usize>) = (0..lane.len()).partition(|&bar| job[bar] >= 0);
        for bar in loads.into_iter().chain(jobs) {
            if end[bar] <= self.from || start[bar] >= self.to {
                continue;
            }
            let first = cell(start[bar]);
            let last = cell(end[bar]).max(first + 1).min(columns);
            let last = if end[bar] >= self.to { columns } else { last };
            rows[lane[bar]][first..last].fill(usize::try_from(job[bar]).map_or('░', letter));
        }
        let all = rows.len() <= ROWS;
        let has_job = |row: &[char]| row.iter().any(|cell| !['·', '░'].contains(cell));
        let shown = self.lanes.iter().zip(&rows).filter(|(_, row)| all || has_job(row)).take(ROWS);
        let (mut text, mut count) = (String::new(), 0);
        for (lane, row) in shown {
            let (price, row) = (price(lane.price), row.iter().collect::<String>());
            let _ = writeln!(text, "{:>width$} │{row}│{price}", lane.label);
            count += 1;
        }
        // The last mark may be beyond the last cell, if there is room for it.
        let mut scale = vec![' '; if terminal.is_some() { columns + prices } else { columns + 12 }];
        let ends = [self.from, self.to].map(|end| (end - self.axis.origin) / self.axis.unit);
        for mark in ticks(ends[0], ends[1], (columns / 12).max(1)) {
            let from = cell(self.axis.origin + mark * self.axis.unit);
            let mark = number(mark);
            let free = scale.iter().skip(from.saturating_sub(1)).take(mark.len() + 1).all(|c| *c == ' ');
            if free && from + mark.len() <= scale.len() {
                scale.splice(from..from + mark.len(), mark.chars());
            }
        }
        let scale: String = scale.into_iter().collect();
        let (scale, label) =
            (format!("{:>width$}  {}", "", scale.trim_end()), format!("({})", self.axis.label));
        let length = scale.chars().count() + 2 + label.chars().count();
        let fits = terminal.is_none_or(|terminal| length <= usize::from(terminal));
        let _ = writeln!(text, "{scale}{}{label}", if fits { "  " } else { "\n" });
        text +=
            "  ░ local load  · free  A, B, ... jobs as in the table; the number behind a row is its price\n";
        if !all {
            let _ = writeln!(text, "  {count} of {} shown", counted(rows.len(), "node"));
        }
        text
    }
}
