//! Charts over time: Gantt charts, for SVG and as characters (which job holds which node at which time), and shares of
//! a whole.

use super::charts::{Area, Axis, FONT, SIZE, Tips, colour, drawn, framed, legend_height, legend_rows};
use crate::error::CliError;
use crate::output::terminal::number;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use serde::Serialize;
use std::fmt::Write as _;
use std::ops::Range;

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

/// The number of cells of the time axis on the narrowest terminal.
const FEWEST: usize = 10;

impl Gantt {
    /// The chart in characters: `columns` cells for the time, fewer where the terminal is not as wide, and
    /// one row for each lane that `keep` takes.
    pub(crate) fn text(
        &self,
        columns: usize,
        terminal: Option<u16>,
        mut keep: impl FnMut(usize) -> bool,
    ) -> String {
        let width = self.lanes.iter().map(|lane| lane.label.chars().count()).max().unwrap_or(0);
        let price = |price: Option<f64>| price.map_or(String::new(), |price| format!("  {}", number(price)));
        let prices = self.lanes.iter().map(|lane| price(lane.price).chars().count()).max().unwrap_or(0);
        // After the name of a lane come a space and two lines.
        let room = terminal.map(|terminal| usize::from(terminal).saturating_sub(width + prices + 3));
        let columns = room.map_or(columns, |room| columns.min(room.max(FEWEST)));
        let length = self.to - self.from;
        let cell = |instant: f64| {
            let share = if length > 0.0 { (instant - self.from) / length } else { 0.0 };
            ((share.clamp(0.0, 1.0) * columns as f64).floor() as usize).min(columns.saturating_sub(1))
        };
        let mut rows = vec![vec!['·'; columns]; self.lanes.len()];
        // Jobs are drawn after local load, which must not hide the bar of a short job.
        let (jobs, loads): (Vec<&Bar>, Vec<&Bar>) = self.bars.iter().partition(|bar| bar.job.is_some());
        for bar in loads.into_iter().chain(jobs) {
            if bar.end <= self.from || bar.start >= self.to || columns == 0 {
                continue;
            }
            let first = cell(bar.start);
            let last = cell(bar.end).max(first + 1).min(columns);
            let last = if bar.end >= self.to { columns } else { last };
            let sign = bar.job.map_or('░', letter);
            rows.iter_mut().skip(bar.lane).take(bar.lanes).for_each(|row| row[first..last].fill(sign));
        }
        let mut text = String::new();
        for (at, lane) in self.lanes.iter().enumerate().filter(|(at, _)| keep(*at)) {
            let price = price(lane.price);
            let row: String = rows[at].iter().collect();
            let _ = writeln!(text, "{:>width$} │{row}│{price}", lane.label);
        }
        // The last mark may be beyond the last cell, if there is room for it.
        let mut scale = vec![' '; if terminal.is_some() { columns + prices } else { columns + 12 }];
        for mark in self.axis.marks(self.from, self.to, (columns / 12).max(1)) {
            let from = cell(self.axis.instant(mark));
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
        text
    }
}

/// Pixels around a chart, above it, below it, and to the right of it where nodes have prices.
const MARGIN: i32 = 18;
const TITLE: i32 = 62;
const AXIS: i32 = 46;
const PRICE: i32 = 92;

const INK: RGBColor = RGBColor(51, 51, 51);
const LOAD: RGBColor = RGBColor(218, 218, 218);

/// Several charts of the same jobs in one document, `columns` in a row, under one legend.
pub(crate) fn gantt(charts: &[Gantt], columns: usize) -> Result<String, CliError> {
    let columns = columns.clamp(1, charts.len().max(1));
    let rows = charts.len().div_ceil(columns);
    let width = columns as u32 * if columns == 1 { 1216 } else { 796 };
    let of_lanes =
        charts.iter().map(|chart| lane_height(chart) * chart.lanes.len() as f64).fold(0.0, f64::max);
    let height = rows as u32 * (of_lanes as u32 + (TITLE + AXIS + MARGIN) as u32);
    let named = charts.first().filter(|chart| !chart.dense);
    let names: Vec<&str> = named
        .iter()
        .flat_map(|chart| ["local load"].into_iter().chain(chart.jobs.iter().map(String::as_str)))
        .collect();
    let below = legend_rows(&names, width);
    let colour_of = |at: usize| at.checked_sub(1).map_or(LOAD, colour);
    drawn((width, height + legend_height(&below)), &below, &colour_of, |area, tips| {
        let parts = area.split_evenly((rows, columns));
        charts.iter().zip(&parts).try_for_each(|(chart, part)| draw(chart, area, part, tips))
    })
}

fn lane_height(chart: &Gantt) -> f64 {
    let least = if chart.dense { 2.5 } else { 11.0 };
    (1150.0 / chart.lanes.len().max(1) as f64).clamp(least, 26.0)
}

/// Roughly how wide a text of this size is, without font metrics.
fn text_width(text: &str, size: f64) -> i32 {
    (text.chars().count() as f64 * size * 0.5) as i32
}

/// Black or white, whichever reads on this colour.
fn ink_on(RGBColor(red, green, blue): RGBColor) -> RGBColor {
    let luminance = 0.299 * f64::from(red) + 0.587 * f64::from(green) + 0.114 * f64::from(blue);
    if luminance > 140.0 { BLACK } else { WHITE }
}

/// A text whose point is in the middle of its height.
fn write(
    area: &Area<'_>,
    at: (i32, i32),
    side: HPos,
    (size, colour): (f64, RGBColor),
    text: &str,
) -> Result<(), CliError> {
    let style = (FONT, size).into_font().color(&colour).pos(Pos::new(side, VPos::Center));
    Ok(area.draw(&Text::new(text.to_owned(), at, style))?)
}

fn fill(area: &Area<'_>, corners: [(i32, i32); 2], style: ShapeStyle) -> Result<(), CliError> {
    Ok(area.draw(&Rectangle::new(corners, style))?)
}

/// Draws a chart into its part of the document.
fn draw(chart: &Gantt, whole: &Area<'_>, part: &Area<'_>, tips: &mut Tips) -> Result<(), CliError> {
    let lane_height = lane_height(chart);
    let size = if chart.dense { 13.0 } else { (lane_height * 0.77).clamp(9.0, 15.0) };
    let labels = chart.lanes.iter().map(|lane| text_width(&lane.label, size)).max().unwrap_or(0).min(340);
    let priced = chart.lanes.iter().any(|lane| lane.price.is_some());
    let place = |instant: f64| (instant - chart.axis.origin) / chart.axis.unit;
    let (begin, end) = (place(chart.from), place(chart.to));
    let end = if end > begin { end } else { begin + 1.0 };
    let (across, down) = part.get_pixel_range();
    let marks = chart.axis.marks(chart.from, chart.to, (across.len() as i32 - labels) as usize / 85);
    let x = Axis { marks: Some(marks), ..Axis::plain(begin..end) };
    let mut plot = ChartBuilder::on(part)
        .margin(MARGIN)
        .margin_top(TITLE)
        .margin_right(MARGIN + if priced { PRICE } else { 0 })
        .margin_bottom(0)
        .x_label_area_size(AXIS)
        .y_label_area_size(labels.max(30) + 8)
        .build_cartesian_2d(x, Axis::plain(0.0..chart.lanes.len().max(1) as f64))?;
    plot.configure_mesh()
        .disable_y_mesh()
        .bold_line_style(RGBColor(217, 217, 217))
        .light_line_style(TRANSPARENT)
        .y_labels(0)
        .x_label_formatter(&|value| number(*value))
        .x_desc(&chart.axis.label)
        .label_style((FONT, 13))
        .axis_desc_style((FONT, 14))
        .draw()?;
    let left = across.start + MARGIN;
    write(whole, (left, down.start + 18), HPos::Left, (19.0, BLACK), &chart.title)?;
    write(whole, (left, down.start + 38), HPos::Left, (13.5, INK), &chart.subtitle)?;
    let (across, down) = plot.plotting_area().get_pixel_range();
    let lane_height = f64::from(down.end - down.start) / chart.lanes.len().max(1) as f64;
    let top_of = |lane: usize| down.start + (lane as f64 * lane_height).round() as i32;
    let inset = i32::from(lane_height > 6.0);
    for bar in chart.bars.iter().filter(|bar| bar.end > chart.from && bar.start < chart.to) {
        let [from, to] =
            [bar.start, bar.end].map(|at| plot.backend_coord(&(place(at).clamp(begin, end), 0.0)).0);
        let (top, bottom) = (top_of(bar.lane) + inset, top_of(bar.lane + bar.lanes) - inset);
        let corners = [(from, top), (to.max(from + 1), bottom)];
        let colour = bar.job.map_or(LOAD, colour);
        let label = bar.job.and_then(|job| chart.jobs.get(job)).map_or("", String::as_str);
        fill(whole, corners, colour.filled())?;
        if !chart.dense && bar.job.is_some() {
            fill(whole, corners, INK.into())?;
        }
        tips.tell(&format!("M{from} {top}H{}V{bottom}H{from}Z", corners[1].0), &bar.tip);
        // The whole label where it fits, else its first word.
        let short = label.split(' ').next().unwrap_or("");
        let fits = |label: &&str| !label.is_empty() && text_width(label, size) + 3 <= to - from;
        if f64::from(bottom - top) >= 0.7 * size
            && let Some(label) = [label, short].into_iter().find(fits)
        {
            let middle = ((from + to) / 2, (top + bottom) / 2);
            write(whole, middle, HPos::Center, (size, ink_on(colour)), label)?;
        }
    }
    draw_lanes(chart, whole, (left, &across), (size, &top_of))?;
    fill(whole, [(across.start, down.start), (across.end, down.end)], INK.into())
}

/// Lines, labels and prices of the lanes.
fn draw_lanes(
    chart: &Gantt,
    whole: &Area<'_>,
    (left, across): (i32, &Range<i32>),
    (size, top_of): (f64, &dyn Fn(usize) -> i32),
) -> Result<(), CliError> {
    let dearest = chart.lanes.iter().filter_map(|lane| lane.price).fold(0.0, f64::max);
    for (row, lane) in
        chart.lanes.iter().enumerate().filter(|(_, lane)| !chart.dense || !lane.label.is_empty())
    {
        // In a dense chart, each lane with a label begins a group.
        let (from, colour) = if chart.dense { (left, INK) } else { (across.start, RGBColor(230, 230, 230)) };
        let line = vec![(from, top_of(row)), (across.end, top_of(row))];
        whole.draw(&PathElement::new(line, colour))?;
        let middle = if chart.dense { top_of(row) + 8 } else { (top_of(row) + top_of(row + 1)) / 2 };
        write(whole, (across.start - 6, middle), HPos::Right, (size, INK), &lane.label)?;
        if let Some(price) = lane.price {
            let share = if dearest > 0.0 { price / dearest } else { 0.0 };
            let end = across.end + 8 + (f64::from(PRICE - 46) * share) as i32;
            let half = (3 * (top_of(row + 1) - top_of(row))) / 10;
            let bar = [(across.end + 8, middle - half), (end, middle + half)];
            fill(whole, bar, RGBColor(201, 178, 124).filled())?;
            write(whole, (end + 4, middle), HPos::Left, (size, INK), &number(price))?;
        }
    }
    if dearest > 0.0 {
        write(whole, (across.end + 8, top_of(0) - 8), HPos::Left, (13.0, INK), "price / time")?;
    }
    Ok(())
}

/// Shares of a whole over time, one row for each name, all on one axis: equal bins of `[from, to)`.
pub(crate) fn shares(
    title: &str,
    axis: &TimeAxis,
    (from, to): (f64, f64),
    rows: &[(String, Vec<f64>)],
) -> Result<String, CliError> {
    let place = |instant: f64| (instant - axis.origin) / axis.unit;
    let (begin, count) = (place(from), rows.len().max(1) as f64);
    let end = if to > from { place(to) } else { begin + 1.0 };
    let longest = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let draw = |area: &Area<'_>, tips: &mut Tips| {
        let (x, y) = (Axis::plain(begin..end), Axis::plain(0.0..count));
        let across =
            format!("{}; the height of a row is all of its CPUs, the number is the mean", axis.label);
        let left = (8 * longest + 70).min(340) as u32;
        let mut chart = framed(area, title, left, (x, Some(&across)), (y, None))?;
        let label = (FONT, 15).into_font().color(&BLACK).pos(Pos::new(HPos::Right, VPos::Center));
        for (row, (name, shares)) in rows.iter().enumerate() {
            let floor = count - 1.0 - row as f64;
            let bar = |from: f64, to: f64, share: f64| [(from, floor), (to, floor + 0.9 * share)];
            let frame = Rectangle::new(bar(begin, end, 1.0), RGBColor(243, 243, 243).filled());
            chart.draw_series([frame])?;
            let mean = percent(shares.iter().sum::<f64>() / shares.len().max(1) as f64);
            let (left, middle) = chart.backend_coord(&(begin, floor + 0.45));
            let text = Text::new(format!("{name}  {mean}"), (left - 8, middle), label.clone());
            area.draw(&text)?;
            let instant = |bin: usize| begin + (end - begin) * bin as f64 / shares.len() as f64;
            let mut next = 0;
            while let Some(&first) = shares.get(next) {
                // Neighbours that look alike are one bar.
                let alike =
                    shares[next..].iter().take_while(|share| (*share - first).abs() < 5e-4).count().max(1);
                let (from, to, share) = (instant(next), instant(next + alike), first.clamp(0.0, 1.0));
                next += alike;
                if share > 0.0 {
                    let corners = bar(from, to, share);
                    chart.draw_series([Rectangle::new(corners, colour(row).filled())])?;
                    let [(x, y), (right, top)] = corners.map(|corner| chart.backend_coord(&corner));
                    let [from, to] = [from, to].map(crate::output::terminal::number);
                    let busy = percent(share);
                    let told = format!("{name}\n{busy} busy from {from} to {to} ({})", axis.label);
                    tips.tell(&format!("M{x} {y}H{right}V{top}H{x}Z"), &told);
                }
            }
        }
        Ok(())
    };
    drawn(SIZE, &[], &colour, draw)
}

fn percent(share: f64) -> String {
    format!("{:.0}%", 100.0 * share)
}
