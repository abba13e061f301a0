//! Charts of figures as SVG: bars and curves with whiskers for intervals, and points.

use super::plot::{Axis, Plot, colour, ticks};
use econsched::sched_model::internal::ln;
use econsched_studies::Chart;
use econsched_studies::stats::Estimate;
use std::f64::consts::LN_10;
use std::ops::Range;

/// The chart as the text of an SVG file.
pub(crate) fn svg(chart: &Chart) -> String {
    let plot = match &chart.groups {
        Some(groups) => bars(chart, groups),
        None => curves(chart),
    };
    plot.document(chart.series.iter().map(|(name, _)| name.as_str()))
}

/// The upper end of a group of bars.
fn top(chart: &Chart, group: usize) -> f64 {
    let bars = chart.series.iter().filter_map(|(_, bars)| bars.get(group));
    match chart.stacked {
        true => bars.map(|(_, bar)| bar.mean).sum(),
        false => bars.map(|(_, bar)| bar.mean + bar.half).fold(0.0, f64::max),
    }
}

fn bars(chart: &Chart, groups: &[String]) -> Plot {
    let highest = (0..groups.len()).map(|group| top(chart, group)).fold(0.0, f64::max);
    let y = numbers(0.0..positive(highest * 1.12), &chart.y);
    let mut plot = Plot::new(&chart.title, Axis::of_names(groups), y);
    let beside = !chart.stacked;
    let width = if beside { 0.78 / chart.series.len().max(1) as f64 } else { 0.55 };
    let gap = plot.pixel();
    // Either all bars have labels or none: none if the longest label is wider than a bar.
    let longest = chart.series.iter().flat_map(|(_, bars)| bars).map(|(_, bar)| short(bar.mean).len()).max();
    let labelled = beside && width >= 8.0 * gap * longest.unwrap_or(0) as f64;
    for group in 0..groups.len() {
        let mut foot = 0.0;
        for (at, (_, bars)) in chart.series.iter().enumerate() {
            let Some((x, bar)) = bars.get(group).filter(|(_, bar)| bar.mean.is_finite()) else { continue };
            let column = if beside { at as f64 - chart.series.len() as f64 / 2.0 } else { -0.5 };
            let left = x + 0.5 + column * width;
            let (middle, top) = (left + width / 2.0, foot + bar.mean);
            plot.bar(left + gap..left + width - gap, foot, top, &colour(at));
            plot.whisker(middle, top - bar.half..top + bar.half, "black");
            if labelled {
                plot.number(middle, top + bar.half, &short(bar.mean));
            }
            if !beside {
                foot = top;
            }
        }
    }
    plot
}

fn curves(chart: &Chart) -> Plot {
    let points =
        || chart.series.iter().flat_map(|(_, points)| points).filter(|(_, bar)| bar.mean.is_finite());
    let spread = |ends: fn(&(f64, Estimate)) -> [f64; 2]| {
        let [low, high] =
            points().map(ends).reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])]).unwrap_or([1.0, 2.0]);
        (low, high)
    };
    let (left, right) = spread(|(x, _)| [*x; 2]);
    let (low, high) = spread(|(_, bar)| [bar.mean - bar.half, bar.mean + bar.half]);
    let x = if chart.log_x {
        decades(left..right, 1.1, &chart.x)
    } else {
        let side = positive((right - left) * 0.02);
        let axis = numbers(left - side..right + side, &chart.x);
        Axis { marks: own_marks(points().map(|(x, _)| *x)).unwrap_or(axis.marks), ..axis }
    };
    let y = if chart.log_y {
        decades(low.max(high * 1e-9)..high, 1.3, &chart.y)
    } else {
        // It contains zero unless all curves are far from it.
        let margin = positive((high - low) * 0.08);
        let floor = if low >= 0.0 && low < 0.6 * high { 0.0 } else { low - margin };
        numbers(floor..high + margin, &chart.y)
    };
    let floor = y.ends.start;
    let across = |x: f64| if chart.log_x { exponent(x) } else { x };
    let up = |y: f64| if chart.log_y { exponent(y).max(floor) } else { y };
    let mut plot = Plot::new(&chart.title, x, y);
    for (at, (_, points)) in chart.series.iter().enumerate() {
        let colour = colour(at);
        // The whiskers of different series are shifted a little, so that none hides another.
        let aside = 4.0 * plot.pixel() * (at as f64 - (chart.series.len() - 1) as f64 / 2.0);
        for run in points.split(|(x, bar)| !(x.is_finite() && bar.mean.is_finite())) {
            let line: Vec<(f64, f64)> = run.iter().map(|(x, bar)| (across(*x), up(bar.mean))).collect();
            if chart.joined && run.len() > 1 {
                plot.line(&line, &colour);
            }
            // A point between two gaps has no line, so it gets a mark.
            if chart.markers || run.len() == 1 {
                let radius = if chart.markers { 4 } else { 1 };
                line.iter().for_each(|point| plot.mark(*point, radius, &colour));
            }
            for (x, bar) in run {
                plot.whisker(across(*x) + aside, up(bar.mean - bar.half)..up(bar.mean + bar.half), &colour);
            }
        }
    }
    plot
}

/// Most marks of an axis.
const MOST_MARKS: usize = 12;

/// An axis of numbers.
fn numbers(ends: Range<f64>, name: &str) -> Axis {
    let marks = ticks(ends.start, ends.end, MOST_MARKS);
    Axis { ends, marks: said(marks), name: name.to_owned(), lines: true }
}

/// The power of ten, the same on every platform.
fn exponent(x: f64) -> f64 {
    ln(x) / LN_10
}

/// An axis of logarithms, longer than these ends by a factor on each side.
fn decades(ends: Range<f64>, longer: f64, name: &str) -> Axis {
    let low = ends.start.max(f64::MIN_POSITIVE);
    let (low, high) = (low / longer, ends.end.max(low) * longer);
    let ends = exponent(low)..exponent(high);
    let marks = (ends.start.floor() as i32..=ends.end as i32)
        .flat_map(|decade| [1.0, 2.0, 5.0].map(|part| part * 10f64.powi(decade)));
    let step = if ends.end - ends.start < 4.0 { 1 } else { 3 };
    let marks = marks.step_by(step).filter(|mark| (low..high).contains(mark));
    let marks = said(marks).into_iter().map(|(mark, label)| (exponent(mark), label)).collect();
    Axis { ends, marks, name: name.to_owned(), lines: true }
}

/// Marks with their labels.
fn said(marks: impl IntoIterator<Item = f64>) -> Vec<(f64, String)> {
    marks.into_iter().map(|mark| (mark, short(mark))).collect()
}

/// The points themselves as marks of their axis, as a paper has them: where they are few, stand apart, and
/// are what their labels say.
fn own_marks(points: impl Iterator<Item = f64>) -> Option<Vec<(f64, String)>> {
    let mut marks: Vec<f64> = points.collect();
    marks.sort_unstable_by(f64::total_cmp);
    marks.dedup();
    let (first, last) = (*marks.first()?, *marks.last()?);
    let apart = (last - first) / 20.0;
    let are_apart = marks.windows(2).all(|pair| pair[1] - pair[0] >= apart);
    let are_said = marks.iter().all(|mark| short(*mark).parse() == Ok(*mark));
    ((2..=10).contains(&marks.len()) && are_apart && are_said).then(|| said(marks))
}

/// Three digits, so that a label fits its bar: 1.04M, 853k, 59.9, 0.5.
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
