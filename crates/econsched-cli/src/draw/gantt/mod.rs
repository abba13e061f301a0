//! Gantt charts, as SVG and as characters: which job holds which node at which time.

mod characters;
mod drawing;

pub(crate) use drawing::side_by_side;

use crate::draw::svg::ticks;
use crate::output::terminal::number;
use serde::Serialize;

/// One chart: lanes from top to bottom, time from left to right.
#[derive(Debug, Clone, Default)]
pub(crate) struct Gantt {
    pub(crate) title: String,
    /// One line below the title.
    pub(crate) subtitle: String,
    pub(crate) lanes: Vec<Lane>,
    pub(crate) bars: Vec<Bar>,
    /// The names of the jobs, indexed by the numbers in `Holder::Job`.
    pub(crate) jobs: Vec<String>,
    /// The name of `Holder::Load`.
    pub(crate) load: String,
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
    pub(crate) holder: Holder,
    /// The tooltip.
    pub(crate) tip: String,
}

/// The holder of a bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holder {
    /// Local load: grey and hatched.
    Load,
    /// A job, by its number in [`Gantt::jobs`].
    Job(usize),
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

    fn show(&self, mark: f64) -> String {
        number(mark)
    }

    pub(crate) fn marks(&self, from: f64, to: f64, count: usize) -> Vec<f64> {
        ticks((from - self.origin) / self.unit, (to - self.origin) / self.unit, count)
    }

    pub(crate) fn instant(&self, mark: f64) -> f64 {
        self.origin + mark * self.unit
    }
}

impl Gantt {
    /// The same chart under another title.
    pub(crate) fn titled(self, title: &str) -> Self {
        Self { title: title.to_owned(), ..self }
    }

    /// The same chart of another time; bars beyond it are cut or left out.
    pub(crate) fn showing(self, (from, to): (f64, f64)) -> Self {
        Self { from, to, ..self }
    }
}

/// The character of the k-th job in a chart of characters: A to Z, a to z, 0 to 9, then from the start again.
pub(crate) fn letter(k: usize) -> char {
    const SIGNS: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    char::from(SIGNS[k % SIGNS.len()])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart() -> Gantt {
        let lane = |label: &str, price| Lane { label: label.to_owned(), price: Some(price) };
        let bar =
            |lane, start, end, holder| Bar { lane, lanes: 1, start, end, holder, tip: "<tip>".to_owned() };
        Gantt {
            title: "T & U".to_owned(),
            lanes: vec![lane("n1", 2.0), lane("n2", 5.0)],
            bars: vec![
                bar(0, 0.0, 50.0, Holder::Load),
                bar(0, 50.0, 100.0, Holder::Job(0)),
                bar(1, 20.0, 60.0, Holder::Job(1)),
            ],
            jobs: vec!["job 1".to_owned(), "job 2".to_owned()],
            load: "local load".to_owned(),
            to: 100.0,
            ..Gantt::default()
        }
    }

    #[test]
    fn characters_stand_where_the_bars_are() {
        let text = chart().text(10, None, |_| true);
        let rows: Vec<&str> = text.lines().collect();
        assert_eq!(rows[0], "n1 │░░░░░AAAAA│  2");
        assert_eq!(rows[1], "n2 │··BBBB····│  5");
        assert!(chart().text(10, None, |lane| lane == 1).starts_with("n2"));
    }

    #[test]
    fn characters_fit_the_terminal() {
        for width in 24..100 {
            let text = chart().text(72, Some(width), |_| true);
            let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(widest <= usize::from(width), "{width}:\n{text}");
        }
        let room = chart().text(72, Some(200), |_| true);
        assert_eq!(room.lines().next(), chart().text(72, None, |_| true).lines().next());
    }

    #[test]
    fn the_drawing_holds_every_bar_and_escapes_text() {
        let svg = chart().svg();
        assert_eq!(svg.matches("<title>&lt;tip&gt;</title>").count(), 3);
        assert!(svg.contains("T &amp; U") && svg.contains("local load") && svg.contains("job 2"));
        assert!(!svg.contains("NaN"));
    }

    #[test]
    fn odd_charts_are_drawn() {
        let mut odd = chart();
        odd.to = odd.from;
        assert!(!odd.svg().contains("NaN"));
        assert!(!side_by_side(&[chart(), chart(), odd], 2).contains("inf"));
        assert!(side_by_side(&[], 3).starts_with("<svg"));
        assert!(!Gantt::default().text(0, None, |_| true).is_empty());
    }
}
