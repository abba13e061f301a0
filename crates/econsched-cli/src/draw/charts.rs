//! Charts of figures as SVG: bars and curves with whiskers for intervals, and points.

use super::plot::{Area, Axis, Drawn, FONT, Plot, colour, document, ticks};
use crate::error::CliError;
use econsched::sched_model::internal::ln;
use econsched_studies::Chart;
use econsched_studies::stats::Estimate;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::f64::consts::LN_10;
use std::ops::Range;

const SIZE: (i32, i32) = (960, 500);

/// Draws a chart as the text of an SVG file, with the names of its series below it, where they hide no curve.
pub(crate) fn svg(chart: &Chart) -> Result<String, CliError> {
    let names = chart.series.iter().zip((0..).map(colour));
    let names: Vec<_> = names.map(|((name, _), colour)| (name.as_str(), colour)).collect();
    document(SIZE, &names, |area| match &chart.groups {
        Some(groups) => draw_bars(chart, groups, area),
        None => draw_lines(chart, area),
    })
}

/// Returns the upper end of the bars of a group.
fn bar_top(chart: &Chart, group: usize) -> f64 {
    let bars = chart.series.iter().filter_map(|(_, bars)| bars.get(group));
    match chart.stacked {
        true => bars.map(|(_, bar)| bar.mean).sum(),
        false => bars.map(|(_, bar)| bar.mean + bar.half).fold(0.0, f64::max),
    }
}

fn draw_bars(data: &Chart, groups: &[String], area: &Area<'_>) -> Drawn {
    let highest = (0..groups.len()).map(|group| bar_top(data, group)).fold(0.0, f64::max);
    let axes = (Axis::of_names(groups.iter().cloned()), linear_axis(0.0..positive(highest * 1.12), &data.y));
    let mut plot = Plot::new(area, &data.title, axes)?;
    let centred = (FONT, 15).into_font().into_text_style(area).pos(Pos::new(HPos::Center, VPos::Bottom));
    let beside = !data.stacked;
    let width = if beside { 0.78 / data.series.len().max(1) as f64 } else { 0.55 };
    let gap = plot.pixel;
    // Either all bars have labels or none: none if the longest label is wider than a bar.
    let longest = data.series.iter().flat_map(|(_, bars)| bars).map(|(_, bar)| short(bar.mean).len()).max();
    let labelled = beside && width >= 8.0 * gap * longest.unwrap_or(0) as f64;
    for group in 0..groups.len() {
        let mut floor = 0.0;
        for (at, (_, bars)) in data.series.iter().enumerate() {
            let Some((x, bar)) = bars.get(group).filter(|(_, bar)| bar.mean.is_finite()) else { continue };
            let column = if beside { at as f64 - data.series.len() as f64 / 2.0 } else { -0.5 };
            let left = x + 0.5 + column * width;
            let (middle, top) = (left + width / 2.0, floor + bar.mean);
            let corners = [(left + gap, top), (left + width - gap, floor)];
            plot.chart.draw_series([Rectangle::new(corners, colour(at).filled())])?;
            whisker(&mut plot, middle, (top - bar.half, top + bar.half), BLACK)?;
            if labelled {
                let label = Text::new(short(bar.mean), (0, -2), centred.clone());
                plot.chart.draw_series([EmptyElement::at((middle, top + bar.half)) + label])?;
            }
            if !beside {
                floor = top;
            }
        }
    }
    Ok(())
}

/// Draws a vertical line with a cap at each end, if it has a length.
fn whisker(plot: &mut Plot<'_, '_>, x: f64, (from, to): (f64, f64), colour: RGBColor) -> Drawn {
    if from < to {
        let cap = 4.0 * plot.pixel;
        let across = |y| vec![(x - cap, y), (x + cap, y)];
        let lines = [vec![(x, from), (x, to)], across(from), across(to)];
        plot.chart.draw_series(lines.map(|path| PathElement::new(path, colour)))?;
    }
    Ok(())
}

fn draw_lines(lines: &Chart, area: &Area<'_>) -> Drawn {
    let points =
        || lines.series.iter().flat_map(|(_, points)| points).filter(|(_, bar)| bar.mean.is_finite());
    let spread = |ends: fn(&(f64, Estimate)) -> [f64; 2]| {
        points().map(ends).reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])]).unwrap_or([1.0, 2.0])
    };
    let [left, right] = spread(|(x, _)| [*x; 2]);
    let [low, high] = spread(|(_, bar)| [bar.mean - bar.half, bar.mean + bar.half]);
    let x = if lines.log_x {
        log_axis(left..right, 1.1, &lines.x)
    } else {
        let side = positive((right - left) * 0.02);
        let axis = linear_axis(left - side..right + side, &lines.x);
        Axis { marks: marks_at_points(points().map(|(x, _)| *x)).unwrap_or(axis.marks), ..axis }
    };
    let y = if lines.log_y {
        log_axis(low.max(high * 1e-9)..high, 1.3, &lines.y)
    } else {
        // The axis contains zero unless all curves are far from it.
        let margin = positive((high - low) * 0.08);
        let floor = if low >= 0.0 && low < 0.6 * high { 0.0 } else { low - margin };
        linear_axis(floor..high + margin, &lines.y)
    };
    let floor = y.ends.start;
    let across = |x: f64| if lines.log_x { decimal_log(x) } else { x };
    let up = |y: f64| if lines.log_y { decimal_log(y).max(floor) } else { y };
    let mut plot = Plot::new(area, &lines.title, (x, y))?;
    for (at, (_, points)) in lines.series.iter().enumerate() {
        let colour = colour(at);
        // The whiskers of different series are shifted a little, so that none hides another.
        let aside = 4.0 * plot.pixel * (at as f64 - (lines.series.len() - 1) as f64 / 2.0);
        for run in points.split(|(x, bar)| !(x.is_finite() && bar.mean.is_finite())) {
            let line = run.iter().map(|(x, bar)| (across(*x), up(bar.mean)));
            if lines.joined {
                plot.chart.draw_series(LineSeries::new(line.clone(), colour.stroke_width(2)))?;
            }
            // A point between two gaps has no line, so it gets a mark.
            let size = if lines.markers { 4 } else { 1 };
            if lines.markers || run.len() == 1 {
                plot.chart.draw_series(line.map(|point| Circle::new(point, size, colour.filled())))?;
            }
            for (x, bar) in run {
                let (from, to) = (up(bar.mean - bar.half), up(bar.mean + bar.half));
                whisker(&mut plot, across(*x) + aside, (from, to), colour)?;
            }
        }
    }
    Ok(())
}

/// Maximum number of marks of an axis.
const MOST_MARKS: usize = 12;

/// Creates a linear axis.
fn linear_axis(ends: Range<f64>, name: &str) -> Axis {
    let marks = ticks(ends.start, ends.end, MOST_MARKS);
    Axis { ends, marks: labelled(marks), name: name.to_owned(), lines: true }
}

/// Returns the decimal logarithm, which is the same on every platform.
fn decimal_log(x: f64) -> f64 {
    ln(x) / LN_10
}

/// Creates a logarithmic axis that reaches beyond these ends by the factor `longer` on each side.
fn log_axis(ends: Range<f64>, longer: f64, name: &str) -> Axis {
    let low = ends.start.max(f64::MIN_POSITIVE);
    let (low, high) = (low / longer, ends.end.max(low) * longer);
    let ends = decimal_log(low)..decimal_log(high);
    let marks = (ends.start.floor() as i32..=ends.end as i32)
        .flat_map(|decade| [1.0, 2.0, 5.0].map(|part| part * 10f64.powi(decade)));
    let step = if ends.end - ends.start < 4.0 { 1 } else { 3 };
    let marks = marks.step_by(step).filter(|mark| (low..high).contains(mark));
    let marks = labelled(marks).into_iter().map(|(mark, label)| (decimal_log(mark), label)).collect();
    Axis { ends, marks, name: name.to_owned(), lines: true }
}

/// Adds labels to marks.
fn labelled(marks: impl IntoIterator<Item = f64>) -> Vec<(f64, String)> {
    marks.into_iter().map(|mark| (mark, short(mark))).collect()
}

/// Returns the points themselves as marks of their axis, as papers often have them; `None` unless they are few, apart
/// from each other, and exactly what their labels say.
fn marks_at_points(points: impl Iterator<Item = f64>) -> Option<Vec<(f64, String)>> {
    let mut marks: Vec<f64> = points.collect();
    marks.sort_unstable_by(f64::total_cmp);
    marks.dedup();
    let (first, last) = (*marks.first()?, *marks.last()?);
    let apart = (last - first) / 20.0;
    let are_apart = marks.windows(2).all(|pair| pair[1] - pair[0] >= apart);
    let are_said = marks.iter().all(|mark| short(*mark).parse() == Ok(*mark));
    ((2..=10).contains(&marks.len()) && are_apart && are_said).then(|| labelled(marks))
}

/// Formats a number with three digits, so that a label fits its bar: 1.04M, 853k, 59.9, 0.5.
fn short(value: f64) -> String {
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

fn positive(value: f64) -> f64 {
    if value.is_finite() && value > 0.0 { value } else { 1.0 }
}
