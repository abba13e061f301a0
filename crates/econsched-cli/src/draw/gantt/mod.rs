//! Gantt charts, for SVG and as characters: which job holds which node at which time.

mod characters;

use serde::Serialize;

/// One chart: lanes from top to bottom, time from left to right.
#[derive(Debug, Clone, Default)]
pub(crate) struct Gantt {
    pub(crate) title: String,
    /// One line below the title.
    pub(crate) subtitle: String,
    pub(crate) lanes: Vec<Lane>,
    pub(crate) bars: Vec<Bar>,
    /// The names of the jobs.
    pub(crate) jobs: Vec<String>,
    pub(crate) from: f64,
    pub(crate) to: f64,
    pub(crate) axis: TimeAxis,
    /// Many thin lanes, few of them with a label; no legend, for its jobs are too many.
    pub(crate) dense: bool,
}

/// A row of the chart.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Lane {
    /// To the left of the row.
    pub(crate) label: String,
    /// To the right of the row, as a bar with its number.
    pub(crate) price: Option<f64>,
}

/// A span of a lane, or of several that follow one another.
#[derive(Debug, Clone)]
pub(crate) struct Bar {
    /// The first lane.
    pub(crate) lane: usize,
    /// How many lanes.
    pub(crate) lanes: usize,
    pub(crate) start: f64,
    pub(crate) end: f64,
    /// The job that holds it, by its number in [`Gantt::jobs`]; `None` for local load.
    pub(crate) job: Option<usize>,
    /// The tooltip.
    pub(crate) tip: String,
}

/// The time axis. The numbers on it are `(instant - origin) / unit`.
#[derive(Debug, Clone)]
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
    /// For instants in seconds from `origin` on, in the unit that suits a chart of this length.
    pub(crate) fn seconds_since(origin: f64, length: f64, what: &str) -> Self {
        let units = [(86_400.0, "days"), (3_600.0, "hours"), (60.0, "minutes"), (1.0, "seconds")];
        let (unit, name) =
            units.into_iter().find(|(unit, _)| length >= 3.0 * unit).unwrap_or((1.0, "seconds"));
        Self { origin, unit, label: format!("{name} since {what}") }
    }

    pub(crate) fn marks(&self, from: f64, to: f64, count: usize) -> Vec<f64> {
        ticks((from - self.origin) / self.unit, (to - self.origin) / self.unit, count)
    }

    pub(crate) fn instant(&self, mark: f64) -> f64 {
        self.origin + mark * self.unit
    }
}

/// The character of the k-th job in a chart of characters: A to Z, a to z, 0 to 9, then from the start again.
pub(crate) fn letter(k: usize) -> char {
    const SIGNS: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    char::from(SIGNS[k % SIGNS.len()])
}

/// Marks of an axis: the multiples in `[from, to]` of the least of 1, 2, 5 times a power of ten that gives some
/// `count` of them.
fn ticks(from: f64, to: f64, count: usize) -> Vec<f64> {
    let rough = (to - from) / count.max(1) as f64;
    if !rough.is_finite() || rough <= 0.0 {
        return vec![from];
    }
    // The exponent is taken from the number written as a decimal, which is the same on every machine.
    let written = format!("{rough:e}");
    let exponent = written.split_once('e').map_or("0", |(_, exponent)| exponent);
    let power = format!("1e{exponent}").parse().unwrap_or(rough);
    let step =
        power * [1.0, 2.0, 5.0, 10.0].into_iter().find(|factor| factor * power >= rough).unwrap_or(10.0);
    let first = (from / step).ceil();
    // Far from zero the step may fall below the precision of the numbers: then marks would repeat without
    // end.
    let marks = (0..=2 * count.max(1)).map(|k| (first + k as f64) * step);
    marks.take_while(|mark| *mark <= to + step * 1e-9).collect()
}
