//! Charts as SVG, with their legends: bars and curves with whiskers for intervals, and points.

use crate::error::CliError;
use crate::output::terminal::exact;
use econsched_studies::chart::{Arrangement, Bars, Chart, Lines};
use econsched_studies::stats::Estimate;
use plotters::coord::Shift;
use plotters::coord::combinators::LogCoord;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::ops::Range;

/// Colours that people with any kind of colour vision tell apart (M. Okabe, K. Ito, Color universal design,
/// 2008).
const PALETTE: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(90, 90, 90),
];
pub(super) const SIZE: (u32, u32) = (960, 540);
pub(super) const FONT: &str = "sans-serif";

/// What a chart draws on; the legend has a strip of its own below.
pub(super) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// The greatest number of marks with tooltips in a chart.
const MOST_TIPS: usize = 5000;

/// Invisible shapes over the marks of a chart, each with a tooltip.
#[derive(Default)]
pub(super) struct Tips(Vec<String>);

impl Tips {
    fn add(&mut self, path: &str, series: &str, place: &str, bar: Estimate) {
        let half = if bar.half > 0.0 { format!(" ± {}", exact(bar.half)) } else { String::new() };
        self.tell(path, &format!("{series}\n{place}: {}{half}", exact(bar.mean)));
    }

    pub(super) fn tell(&mut self, path: &str, text: &str) {
        let text = escape(text);
        self.0.push(format!("<path d=\"{path}\" fill=\"transparent\"><title>{text}</title></path>\n"));
    }

    /// The SVG with the tooltips on top; unchanged if there are too many marks.
    fn lay_over(self, svg: String) -> String {
        match svg.rfind("</svg>") {
            Some(end) if self.0.len() <= MOST_TIPS => [&svg[..end], &self.0.concat(), &svg[end..]].concat(),
            _ => svg,
        }
    }
}

/// `text` with what XML reserves replaced, and without the control characters that XML forbids.
fn escape(text: &str) -> String {
    let forbidden =
        |c: char| c.is_control() && !matches!(c, '\n' | '\t') || matches!(c, '\u{fffe}' | '\u{ffff}');
    let text = text.replace(forbidden, "\u{fffd}").replace('&', "&amp;");
    let others = [('<', "&lt;"), ('>', "&gt;"), ('"', "&quot;"), ('\'', "&#39;")];
    others.iter().fold(text, |text, (sign, name)| text.replace(*sign, name))
}

fn top(chart: &Bars) -> f64 {
    let of_group = |group: usize| {
        let ends = chart.series.iter().filter_map(|(_, bars)| bars.get(group));
        match chart.arrangement {
            Arrangement::Beside => ends.map(|bar| bar.mean + bar.half).fold(0.0, f64::max),
            Arrangement::Stacked => ends.map(|bar| bar.mean).sum(),
        }
    };
    (0..chart.groups.len()).map(of_group).fold(0.0, f64::max)
}

fn draw_bars(data: &Bars, area: &Area<'_>, tips: &mut Tips) -> Result<(), CliError> {
    let groups = data.groups.len();
    let (x, y) = (Axis::plain(0.0..groups.max(1) as f64), Axis::plain(0.0..positive(top(data) * 1.12)));
    let mut chart = framed(area, &data.title, 78, (x, None), (y, Some(&data.y)))?;
    let (across, down) = chart.plotting_area().get_pixel_range();
    let slot = f64::from(across.end - across.start) / groups.max(1) as f64;
    let centred = (FONT, 15).into_font().color(&BLACK).pos(Pos::new(HPos::Center, VPos::Bottom));
    for (at, name) in data.groups.iter().enumerate() {
        let middle = f64::from(across.start) + (at as f64 + 0.5) * slot;
        let label = Text::new(name.clone(), (middle as i32, down.end + 24), centred.clone());
        area.draw(&label)?;
    }
    let beside = data.arrangement == Arrangement::Beside;
    let width = if beside { 0.78 / data.series.len().max(1) as f64 } else { 0.55 };
    let (gap, cap) = (1.0 / slot, 4.0 / slot);
    // Either all bars have labels or none: none if the longest label is wider than a bar.
    let longest = data.series.iter().flat_map(|(_, bars)| bars).map(|bar| short(bar.mean).len()).max();
    let labelled = beside && width * slot >= 8.0 * longest.unwrap_or(0) as f64;
    for group in 0..groups {
        let mut floor = 0.0;
        for (at, (series, bars)) in data.series.iter().enumerate() {
            let Some(bar) = bars.get(group).filter(|bar| bar.mean.is_finite()) else { continue };
            let column = if beside { at as f64 - data.series.len() as f64 / 2.0 } else { -0.5 };
            let left = group as f64 + 0.5 + column * width;
            let (middle, top) = (left + width / 2.0, floor + bar.mean);
            let body = Rectangle::new([(left + gap, top), (left + width - gap, floor)], colour(at).filled());
            chart.draw_series([body])?;
            let [(x, y), (right, bottom)] =
                [(left, top), (left + width, floor)].map(|corner| chart.backend_coord(&corner));
            tips.add(&format!("M{x} {y}H{right}V{bottom}H{x}Z"), series, &data.groups[group], *bar);
            if bar.half > 0.0 {
                chart.draw_series(whisker(middle, top, bar.half, cap, BLACK))?;
            }
            let text = short(bar.mean);
            if labelled {
                let place = (middle, top + bar.half);
                let label = EmptyElement::at(place) + Text::new(text, (0, -2), centred.clone());
                chart.draw_series([label])?;
            }
            if !beside {
                floor = top;
            }
        }
    }
    Ok(())
}

/// A vertical line from `value - half` to `value + half` with a cap at each end.
fn whisker(x: f64, value: f64, half: f64, cap: f64, colour: RGBColor) -> [PathElement<(f64, f64)>; 3] {
    let (from, to) = (value - half, value + half);
    let across = |y| vec![(x - cap, y), (x + cap, y)];
    [vec![(x, from), (x, to)], across(from), across(to)].map(|path| PathElement::new(path, colour))
}

fn draw_lines(lines: &Lines, joined: bool, area: &Area<'_>, tips: &mut Tips) -> Result<(), CliError> {
    let points =
        || lines.series.iter().flat_map(|(_, points)| points).filter(|(_, bar)| bar.mean.is_finite());
    let spread = |values: &mut dyn Iterator<Item = f64>| {
        let ends = values.fold(None, |ends: Option<(f64, f64)>, value| {
            Some(ends.map_or((value, value), |(low, high)| (low.min(value), high.max(value))))
        });
        ends.unwrap_or((1.0, 2.0))
    };
    let (left, right) = spread(&mut points().map(|(x, _)| *x));
    let (low, high) = spread(&mut points().flat_map(|(_, bar)| [bar.mean - bar.half, bar.mean + bar.half]));
    // A linear axis contains zero unless all curves are far from it.
    let margin = positive((high - low) * 0.08);
    let floor = if low >= 0.0 && low < 0.6 * high { 0.0 } else { low - margin };
    let plain_y = floor..high + margin;
    let side = positive((right - left) * 0.02);
    let marks = marks(points().map(|(x, _)| *x));
    let low = low.max(high * 1e-9).max(f64::MIN_POSITIVE);
    let log_y = || Axis::log(low / 1.3..high.max(low) * 1.3);
    let (x, y, cap) = if lines.log_x {
        let left = left.max(f64::MIN_POSITIVE);
        (Axis::log(left / 1.1..right.max(left) * 1.1), log_y(), 0.0)
    } else {
        let y = if lines.log_y { log_y() } else { Axis::plain(plain_y) };
        (Axis { marks, ..Axis::plain(left - side..right + side) }, y, 0.25 * side)
    };
    let chart = framed(area, &lines.title, 78, (x, Some(&lines.x)), (y, Some(&lines.y)))?;
    plot(lines, joined, chart, cap, tips)
}

/// A chart with its axes.
type Framed<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Axis, Axis>>;

/// The axes of a chart below its title, with so many pixels on the left; one without a name has no labels and no lines.
pub(super) fn framed<'a, 'b>(
    area: &'a Area<'b>,
    title: &str,
    left: u32,
    (x, across): (Axis, Option<&str>),
    (y, up): (Axis, Option<&str>),
) -> Result<Framed<'a, 'b>, CliError> {
    let mut builder = ChartBuilder::on(area);
    builder.caption(title, (FONT, 22)).margin(14).y_label_area_size(left);
    builder.x_label_area_size(if across.is_some() { 52 } else { 36 });
    let (mut chart, label) = (builder.build_cartesian_2d(x, y)?, |value: &f64| short(*value));
    let mut mesh = chart.configure_mesh();
    mesh.light_line_style(WHITE).label_style((FONT, 15)).axis_desc_style((FONT, 16));
    mesh.x_label_formatter(&label).y_label_formatter(&label);
    match across {
        Some(name) => mesh.x_desc(name),
        None => mesh.disable_x_mesh().x_labels(0),
    };
    match up {
        Some(name) => mesh.y_desc(name),
        None => mesh.disable_y_mesh().y_labels(0),
    };
    mesh.draw()?;
    Ok(chart)
}

/// An axis with marks of its own; with those of plotters where there are none. All charts have axes of this one type,
/// so that plotters is compiled for one.
pub(super) struct Axis {
    pub(super) scale: Scale,
    pub(super) marks: Option<Vec<f64>>,
}

pub(super) enum Scale {
    Plain(RangedCoordf64),
    Log(LogCoord<f64>),
}

impl Axis {
    pub(super) fn plain(range: Range<f64>) -> Self {
        Self { scale: Scale::Plain(range.into()), marks: None }
    }

    fn log(range: Range<f64>) -> Self {
        Self { scale: Scale::Log(range.log_scale().into()), marks: None }
    }
}

impl Ranged for Axis {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        match &self.scale {
            Scale::Plain(scale) => scale.map(value, limit),
            Scale::Log(scale) => scale.map(value, limit),
        }
    }

    fn key_points<H: KeyPointHint>(&self, hint: H) -> Vec<f64> {
        match (&self.marks, &self.scale) {
            (Some(marks), _) => marks.clone(),
            (None, Scale::Plain(scale)) => scale.key_points(hint),
            (None, Scale::Log(scale)) => scale.key_points(hint),
        }
    }

    fn range(&self) -> Range<f64> {
        match &self.scale {
            Scale::Plain(scale) => scale.range(),
            Scale::Log(scale) => scale.range(),
        }
    }
}

/// Most points of an axis that are its marks.
const MOST_MARKS: usize = 10;

/// The points themselves as marks of their axis, as a paper has them: where they are few, stand apart, and
/// are what their labels say.
fn marks(points: impl Iterator<Item = f64>) -> Option<Vec<f64>> {
    let mut marks: Vec<f64> = points.collect();
    marks.sort_unstable_by(f64::total_cmp);
    marks.dedup();
    let (first, last) = (*marks.first()?, *marks.last()?);
    let apart = (last - first) / (2 * MOST_MARKS) as f64;
    let are_apart = marks.windows(2).all(|pair| pair[1] - pair[0] >= apart);
    let are_said = marks.iter().all(|mark| short(*mark).parse() == Ok(*mark));
    ((2..=MOST_MARKS).contains(&marks.len()) && are_apart && are_said).then_some(marks)
}

/// The curves on their axes.
fn plot(
    lines: &Lines,
    joined: bool,
    mut chart: Framed<'_, '_>,
    cap: f64,
    tips: &mut Tips,
) -> Result<(), CliError> {
    for (at, (series, points)) in lines.series.iter().enumerate() {
        let colour = colour(at);
        for (x, bar) in points.iter().filter(|(x, bar)| x.is_finite() && bar.mean.is_finite()) {
            let (left, top) = chart.backend_coord(&(*x, bar.mean));
            let path = format!("M{} {}h12v12h-12Z", left - 6, top - 6);
            tips.add(&path, series, &format!("{} {}", lines.x, exact(*x)), *bar);
        }
        for run in points.split(|(_, bar)| !bar.mean.is_finite()).filter(|run| !run.is_empty()) {
            let line = run.iter().map(|(x, bar)| (*x, bar.mean));
            if joined {
                chart.draw_series(LineSeries::new(line.clone(), colour.stroke_width(2)))?;
            }
            // A point between two gaps has no line, so it gets a mark.
            let size = if lines.markers { 4 } else { 1 };
            if lines.markers || run.len() == 1 {
                chart.draw_series(line.map(|point| Circle::new(point, size, colour.filled())))?;
            }
        }
        // The whiskers of different series are shifted a little, so that none hides another.
        let aside = cap * (at as f64 - (lines.series.len() - 1) as f64 / 2.0);
        for (x, bar) in points.iter().filter(|(_, bar)| bar.half > 0.0) {
            chart.draw_series(whisker(*x + aside, bar.mean, bar.half, cap, colour))?;
        }
    }
    Ok(())
}

/// The chart as the text of an SVG file; or the message of the plotting library.
pub(crate) fn svg(chart: &Chart) -> Result<String, CliError> {
    match chart {
        Chart::Bars(bars) => of_series(&bars.series, |area, tips| draw_bars(bars, area, tips)),
        Chart::Lines(lines) => of_series(&lines.series, |area, tips| draw_lines(lines, true, area, tips)),
    }
}

/// The points of curves alone: no line joins them where nothing lies between two points.
pub(crate) fn points(lines: &Lines) -> Result<String, CliError> {
    of_series(&lines.series, |area, tips| draw_lines(lines, false, area, tips))
}

/// A chart with the names of its series below: no curve is ever hidden behind them.
fn of_series<T>(
    series: &[(String, T)],
    draw: impl FnOnce(&Area<'_>, &mut Tips) -> Result<(), CliError>,
) -> Result<String, CliError> {
    let names: Vec<&str> = series.iter().map(|(name, _)| name.as_str()).collect();
    drawn(SIZE, &legend_rows(&names, SIZE.0), &colour, draw)
}

/// What is drawn on a page of this size above a legend.
pub(super) fn drawn(
    size: (u32, u32),
    legend: &[Vec<(usize, &str)>],
    colour: &dyn Fn(usize) -> RGBColor,
    draw: impl FnOnce(&Area<'_>, &mut Tips) -> Result<(), CliError>,
) -> Result<String, CliError> {
    let (mut text, mut tips) = (String::new(), Tips::default());
    {
        let root = SVGBackend::with_string(&mut text, size).into_drawing_area();
        root.fill(&WHITE)?;
        let (upper, lower) = root.split_vertically(size.1 - legend_height(legend));
        draw(&upper, &mut tips)?;
        draw_legend(&lower, legend, colour)?;
        root.present()?;
    }
    Ok(tips.lay_over(text))
}

/// Three digits, so that a label fits its bar: 1.04M, 853k, 59.9, 0.5.
pub(super) fn short(value: f64) -> String {
    let (scaled, unit) = match value.abs() {
        m if m >= 0.9995e6 => (value / 1e6, "M"),
        m if m >= 1e4 => (value / 1e3, "k"),
        m if m > 0.0 && m < 1e-3 => return format!("{value:.1e}"),
        _ => (value, ""),
    };
    let decimals = match scaled.abs() {
        m if m >= 99.95 => 0,
        m if m >= 9.995 => 1,
        m if m >= 0.9995 => 2,
        _ => 3,
    };
    let text = format!("{scaled:.decimals$}");
    let text = if decimals > 0 { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text}{unit}")
}

/// The colour of the k-th of many things: beyond the palette hues by the golden angle.
pub(super) fn colour(k: usize) -> RGBColor {
    PALETTE.get(k).copied().unwrap_or_else(|| {
        let hue = (k as f64 * 137.507_764) % 360.0;
        let (saturation, lightness) = (0.45 + 0.1 * (k % 3) as f64, 0.45 + 0.08 * (k % 4) as f64);
        let (red, green, blue) = HSLColor(hue / 360.0, saturation, lightness).to_backend_color().rgb;
        RGBColor(red, green, blue)
    })
}

fn positive(value: f64) -> f64 {
    if value.is_finite() && value > 0.0 { value } else { 1.0 }
}

/// Pixels of a row of the legend.
const ROW: usize = 24;

/// Pixels of an entry of the legend. Without font metrics: 8 for a letter of size 15 is a little more than
/// most take.
fn width_of(name: &str) -> i32 {
    46 + 8 * name.chars().count() as i32
}

/// The names with their places among the series, in as many rows as they need: each row but the last holds
/// as many as fit in a chart of this width, and at least one.
pub(super) fn legend_rows<'n>(names: &[&'n str], width: u32) -> Vec<Vec<(usize, &'n str)>> {
    let mut rows: Vec<Vec<(usize, &str)>> = Vec::new();
    let mut free = 0;
    for (at, &name) in names.iter().enumerate() {
        let own = width_of(name);
        match rows.last_mut() {
            Some(row) if own <= free => row.push((at, name)),
            _ => {
                rows.push(vec![(at, name)]);
                free = width as i32 - 12;
            }
        }
        free -= own;
    }
    rows
}

/// Pixels of the rows.
pub(super) fn legend_height(rows: &[Vec<(usize, &str)>]) -> u32 {
    (16 + ROW * rows.len()) as u32
}

/// Draws the rows of the legend, each centred.
fn draw_legend(
    area: &Area<'_>,
    rows: &[Vec<(usize, &str)>],
    colour: &dyn Fn(usize) -> RGBColor,
) -> Result<(), CliError> {
    for (row, top) in rows.iter().zip((8..).step_by(ROW)) {
        let width: i32 = row.iter().map(|(_, name)| width_of(name)).sum();
        let mut x = ((area.dim_in_pixel().0 as i32 - width) / 2).max(6);
        for &(at, name) in row {
            area.draw(&Rectangle::new([(x, top), (x + 22, top + 14)], colour(at).filled()))?;
            area.draw(&Text::new(name.to_owned(), (x + 28, top - 1), (FONT, 15)))?;
            x += width_of(name);
        }
    }
    Ok(())
}
