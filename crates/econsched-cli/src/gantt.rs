//! Gantt charts: who holds which node when, as SVG and as characters.

use crate::error::CliError;
use crate::svg::{Anchor, Rect, Svg, colour, ink_on, text_width, ticks};
use crate::terminal::number;
use std::fmt::Write as _;

/// Which time charts show, as flags.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub(crate) struct Extent {
    /// Charts begin at this instant, in the time of the input [default: where there is something to see]
    #[arg(long, value_name = "INSTANT")]
    from: Option<f64>,
    /// Charts end at this instant
    #[arg(long, value_name = "INSTANT")]
    until: Option<f64>,
}

impl Extent {
    /// The flags over what would be shown without them.
    pub(crate) fn over(self, from: f64, to: f64) -> (f64, f64) {
        let from = self.from.unwrap_or(from);
        (from, self.until.unwrap_or(to).max(from))
    }

    /// Whether something of a span is shown.
    pub(crate) fn shows(self, start: f64, end: f64) -> bool {
        self.from.is_none_or(|from| end > from) && self.until.is_none_or(|until| start < until)
    }

    /// Whether a flag is given.
    pub(crate) fn is_given(self) -> bool {
        self.from.is_some() || self.until.is_some()
    }

    /// # Errors
    /// [`CliError::Usage`] for an end before the beginning.
    pub(crate) fn check(self) -> Result<(), CliError> {
        match (self.from, self.until) {
            (Some(from), Some(until)) if !(from < until) => {
                Err(CliError::usage(format!("--from {from} --until {until}: nothing lies between them")))
            }
            (Some(value), _) | (_, Some(value)) if !value.is_finite() => {
                Err(CliError::usage(format!("--from, --until: {value} is no instant")))
            }
            _ => Ok(()),
        }
    }
}

/// One chart: lanes from top to bottom, time from left to right.
#[derive(Debug, Clone, Default)]
pub(crate) struct Gantt {
    pub(crate) title: String,
    /// One line below the title.
    pub(crate) subtitle: String,
    pub(crate) lanes: Vec<Lane>,
    pub(crate) bars: Vec<Bar>,
    /// What the numbers of the bars' `Who::Job` stand for, in that order.
    pub(crate) jobs: Vec<String>,
    /// What `Who::Load` stands for.
    pub(crate) load: String,
    pub(crate) from: f64,
    pub(crate) to: f64,
    pub(crate) axis: TimeAxis,
    /// Many thin lanes, few of them with a label; no legend, for its jobs are too many.
    pub(crate) dense: bool,
}

/// A row of the chart.
#[derive(Debug, Clone)]
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
    pub(crate) who: Who,
    /// Shown when pointed at.
    pub(crate) tip: String,
}

/// Who holds a bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Who {
    /// Local load: grey and hatched.
    Load,
    /// A job, by its number in [`Gantt::jobs`].
    Job(usize),
}

/// What the numbers on the time axis are: `(instant - origin) / unit`.
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

const MARGIN: f64 = 18.0;
const TITLE: f64 = 50.0;
const AXIS: f64 = 40.0;
const PRICE: f64 = 92.0;

impl Gantt {
    /// The chart as a document of its own.
    pub(crate) fn svg(&self) -> String {
        side_by_side(std::slice::from_ref(self), 1)
    }

    /// The same chart under another title.
    pub(crate) fn titled(self, title: &str) -> Self {
        Self { title: title.to_owned(), ..self }
    }

    /// The same chart of another time; bars beyond it are cut or left out.
    pub(crate) fn showing(self, (from, to): (f64, f64)) -> Self {
        Self { from, to, ..self }
    }

    fn lane_height(&self) -> f64 {
        let least = if self.dense { 2.5 } else { 11.0 };
        (1150.0 / self.lanes.len().max(1) as f64).clamp(least, 26.0)
    }

    fn label_width(&self, size: f64) -> f64 {
        self.lanes.iter().map(|lane| text_width(&lane.label, size)).fold(30.0, f64::max) + 8.0
    }

    fn body_height(&self) -> f64 {
        TITLE + self.lane_height() * self.lanes.len() as f64 + AXIS
    }

    /// Draws the chart with its upper left corner there; the legend is drawn apart.
    fn draw(&self, svg: &mut Svg, (left, top): (f64, f64), width: f64) {
        svg.text((left, top + 16.0), 15.0, Anchor::Start, r##"font-weight="bold" fill="#222""##, &self.title);
        svg.text((left, top + 34.0), 11.0, Anchor::Start, r##"fill="#555""##, &self.subtitle);
        let lane_height = self.lane_height();
        let size = if self.dense { 10.5 } else { (lane_height * 0.62).clamp(7.0, 12.0) };
        let x0 = left + self.label_width(size);
        let priced = self.lanes.iter().any(|lane| lane.price.is_some());
        let x1 = left + width - if priced { PRICE } else { 0.0 };
        let y0 = top + TITLE;
        let y1 = y0 + lane_height * self.lanes.len() as f64;
        let length = self.to - self.from;
        let x_of = |instant: f64| {
            let share = if length > 0.0 { (instant - self.from) / length } else { 0.0 };
            x0 + share.clamp(0.0, 1.0) * (x1 - x0)
        };

        svg.rect(
            Rect { x: x0, y: y0, width: x1 - x0, height: y1 - y0 },
            r##"fill="#fbfbfb" stroke="none""##,
            None,
        );
        let marks = self.axis.marks(self.from, self.to, ((x1 - x0) / 85.0) as usize);
        for &mark in &marks {
            let x = x_of(self.axis.instant(mark));
            svg.line((x, y0), (x, y1 + 4.0), r##"stroke="#d9d9d9" stroke-width="0.8""##);
            svg.text((x, y1 + 16.0), 10.5, Anchor::Middle, r##"fill="#333""##, &self.axis.show(mark));
        }
        svg.text(((x0 + x1) / 2.0, y1 + 31.0), 11.0, Anchor::Middle, r##"fill="#333""##, &self.axis.label);

        let dearest = self.lanes.iter().filter_map(|lane| lane.price).fold(0.0, f64::max);
        if priced {
            let at = (x1 + 8.0, y0 - 5.0);
            svg.text(at, 10.5, Anchor::Start, r##"fill="#555""##, "price / time");
        }
        for (row, lane) in self.lanes.iter().enumerate() {
            let y = y0 + row as f64 * lane_height;
            if !self.dense || !lane.label.is_empty() {
                svg.line((x0, y), (x1, y), r##"stroke="#e6e6e6" stroke-width="0.6""##);
            }
            // In a dense chart the label hangs below the upper edge of the first of its lanes.
            let middle = if self.dense { size * 0.6 } else { lane_height / 2.0 };
            let baseline = y + middle + size * 0.36;
            svg.text((x0 - 6.0, baseline), size, Anchor::End, r##"fill="#333""##, &lane.label);
            if let Some(price) = lane.price {
                let full = PRICE - 46.0;
                let share = if dearest > 0.0 { price / dearest } else { 0.0 };
                let bar = Rect {
                    x: x1 + 8.0,
                    y: y + lane_height * 0.2,
                    width: full * share,
                    height: lane_height * 0.6,
                };
                svg.rect(bar, r##"fill="#c9b27c""##, None);
                let at = (x1 + 12.0 + full * share, baseline);
                svg.text(at, size, Anchor::Start, r##"fill="#333""##, &number(price));
            }
        }
        for bar in self.bars.iter().filter(|bar| bar.end > self.from && bar.start < self.to) {
            let (from, to) = (x_of(bar.start), x_of(bar.end));
            let inset = (lane_height * 0.08).min(1.5);
            let height = lane_height * bar.lanes as f64;
            let y = y0 + bar.lane as f64 * lane_height + inset;
            let at = Rect { x: from, y, width: (to - from).max(0.6), height: height - 2.0 * inset };
            match bar.who {
                Who::Load => svg.rect(at, r##"fill="url(#load)""##, Some(&bar.tip)),
                Who::Job(job) => {
                    let fill = colour(job);
                    let style = if self.dense {
                        format!(r#"fill="{fill}""#)
                    } else {
                        format!(r##"fill="{fill}" stroke="#444" stroke-width="0.5" rx="1.5""##)
                    };
                    svg.rect(at, &style, Some(&bar.tip));
                    if height < size {
                        continue;
                    }
                    // The whole label where it fits, else its first word.
                    let label = self.jobs.get(job).map_or("", String::as_str);
                    let short = label.split(' ').next().unwrap_or("");
                    let fits = |label: &&str| text_width(label, size) + 3.0 <= to - from;
                    if let Some(label) = [label, short].into_iter().find(fits) {
                        let middle = ((from + to) / 2.0, y - inset + height / 2.0 + size * 0.36);
                        let style = format!(r#"fill="{}""#, ink_on(&fill));
                        svg.text(middle, size, Anchor::Middle, &style, label);
                    }
                }
            }
        }
        // Where only some lanes have a label, each begins a group.
        for (row, _) in self.lanes.iter().enumerate().filter(|(_, lane)| self.dense && !lane.label.is_empty())
        {
            let y = y0 + row as f64 * lane_height;
            svg.line((left, y), (x1, y), r##"stroke="#555" stroke-width="0.9""##);
        }
        svg.rect(
            Rect { x: x0, y: y0, width: x1 - x0, height: y1 - y0 },
            r##"fill="none" stroke="#888" stroke-width="0.9""##,
            None,
        );
    }

    /// The chart in characters: `columns` cells for the time, one row for each lane that `keep` takes.
    pub(crate) fn text(&self, columns: usize, mut keep: impl FnMut(usize) -> bool) -> String {
        let width = self.lanes.iter().map(|lane| lane.label.chars().count()).max().unwrap_or(0);
        let length = self.to - self.from;
        let cell = |instant: f64| {
            let share = if length > 0.0 { (instant - self.from) / length } else { 0.0 };
            ((share.clamp(0.0, 1.0) * columns as f64).floor() as usize).min(columns.saturating_sub(1))
        };
        let mut rows = vec![vec!['·'; columns]; self.lanes.len()];
        // Jobs are drawn over local load: the bar of a short job must not vanish beneath it.
        for jobs in [false, true] {
            for bar in self.bars.iter().filter(|bar| (bar.who != Who::Load) == jobs) {
                if bar.end <= self.from || bar.start >= self.to || columns == 0 {
                    continue;
                }
                let first = cell(bar.start);
                let last = cell(bar.end).max(first + 1).min(columns);
                let last = if bar.end >= self.to { columns } else { last };
                let sign = match bar.who {
                    Who::Load => '░',
                    Who::Job(job) => letter(job),
                };
                for row in rows.iter_mut().skip(bar.lane).take(bar.lanes) {
                    row[first..last].fill(sign);
                }
            }
        }
        let mut text = String::new();
        for (at, lane) in self.lanes.iter().enumerate().filter(|(at, _)| keep(*at)) {
            let price = lane.price.map_or(String::new(), |price| format!("  {}", number(price)));
            let row: String = rows[at].iter().collect();
            let _ = writeln!(text, "{:>width$} │{row}│{price}", lane.label);
        }
        let mut scale = vec![' '; columns + 12];
        for mark in self.axis.marks(self.from, self.to, (columns / 12).max(1)) {
            let from = cell(self.axis.instant(mark));
            let mark = self.axis.show(mark);
            let free = scale.iter().skip(from.saturating_sub(1)).take(mark.len() + 1).all(|c| *c == ' ');
            if free && from + mark.len() <= scale.len() {
                for (place, c) in scale[from..].iter_mut().zip(mark.chars()) {
                    *place = c;
                }
            }
        }
        let scale: String = scale.into_iter().collect();
        let _ = writeln!(text, "{:>width$}  {}  ({})", "", scale.trim_end(), self.axis.label);
        text
    }
}

/// The sign of the k-th job in a chart of characters: A to Z, a to z, 0 to 9, and from the start again.
pub(crate) fn letter(k: usize) -> char {
    const SIGNS: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    char::from(SIGNS[k % SIGNS.len()])
}

/// Several charts of the same jobs in one document, `columns` in a row, under one legend.
pub(crate) fn side_by_side(charts: &[Gantt], columns: usize) -> String {
    let columns = columns.clamp(1, charts.len().max(1));
    let chart_width = if columns == 1 { 1180.0 } else { 760.0 };
    let mut svg = Svg::default();
    let mut top = MARGIN;
    for row in charts.chunks(columns) {
        for (column, chart) in row.iter().enumerate() {
            chart.draw(&mut svg, (MARGIN + column as f64 * (chart_width + 2.0 * MARGIN), top), chart_width);
        }
        top += row.iter().map(Gantt::body_height).fold(0.0, f64::max) + MARGIN;
    }
    let width = columns as f64 * (chart_width + 2.0 * MARGIN);
    let height = match charts.first() {
        Some(chart) if !chart.dense => legend(&mut svg, chart, top, width),
        _ => top,
    };
    svg.finish(width, height + MARGIN)
}

/// Draws the legend; gives the vertical position below it.
fn legend(svg: &mut Svg, chart: &Gantt, top: f64, width: f64) -> f64 {
    let size = 11.0;
    let entries = std::iter::once((r#"url(#load)"#.to_owned(), chart.load.clone()))
        .chain(chart.jobs.iter().enumerate().map(|(job, label)| (colour(job), label.clone())));
    let (mut x, mut y) = (MARGIN, top);
    for (fill, label) in entries.filter(|(_, label)| !label.is_empty()) {
        let step = 16.0 + text_width(&label, size) + 14.0;
        if x + step > width - MARGIN && x > MARGIN {
            (x, y) = (MARGIN, y + 18.0);
        }
        let style = format!(r##"fill="{fill}" stroke="#666" stroke-width="0.5""##);
        svg.rect(Rect { x, y, width: 12.0, height: 12.0 }, &style, None);
        svg.text((x + 17.0, y + 10.0), size, Anchor::Start, r##"fill="#222""##, &label);
        x += step;
    }
    y + 18.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart() -> Gantt {
        let lane = |label: &str, price| Lane { label: label.to_owned(), price: Some(price) };
        let bar = |lane, start, end, who| Bar { lane, lanes: 1, start, end, who, tip: "<tip>".to_owned() };
        Gantt {
            title: "T & U".to_owned(),
            lanes: vec![lane("n1", 2.0), lane("n2", 5.0)],
            bars: vec![
                bar(0, 0.0, 50.0, Who::Load),
                bar(0, 50.0, 100.0, Who::Job(0)),
                bar(1, 20.0, 60.0, Who::Job(1)),
            ],
            jobs: vec!["job 1".to_owned(), "job 2".to_owned()],
            load: "local load".to_owned(),
            to: 100.0,
            ..Gantt::default()
        }
    }

    #[test]
    fn characters_stand_where_the_bars_are() {
        let text = chart().text(10, |_| true);
        let rows: Vec<&str> = text.lines().collect();
        assert_eq!(rows[0], "n1 │░░░░░AAAAA│  2");
        assert_eq!(rows[1], "n2 │··BBBB····│  5");
        assert!(chart().text(10, |lane| lane == 1).starts_with("n2"));
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
        assert!(!Gantt::default().text(0, |_| true).is_empty());
    }
}
