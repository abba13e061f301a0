//! Charts with a tooltip for every mark: points of a front, and shares over time in rows.

use crate::gantt::TimeAxis;
use crate::svg::{Anchor, Rect, Svg, colour, text_width, ticks};
use crate::terminal::number;

const MARGIN: f64 = 18.0;
const WIDTH: f64 = 960.0;
const AXIS: f64 = 44.0;
const LABEL: &str = r##"fill="#333""##;

/// A point with its tooltip.
#[derive(Debug, Clone)]
pub(crate) struct Mark {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) tip: String,
}

/// Points on two axes. No line joins them, since no choice lies between two points.
pub(crate) fn scatter(title: &str, x: &str, y: &str, series: &[(String, Vec<Mark>)]) -> String {
    let mut svg = Svg::default();
    let (left, right, top, bottom) = (MARGIN + 74.0, WIDTH - MARGIN, 56.0, 500.0);
    svg.text((MARGIN, 32.0), 16.0, Anchor::Start, r##"font-weight="bold" fill="#222""##, title);
    let marks = || series.iter().flat_map(|(_, marks)| marks);
    let across = spread(marks().map(|mark| mark.x));
    let up = spread(marks().map(|mark| mark.y));
    let x_of = |value: f64| left + (value - across.0) / (across.1 - across.0) * (right - left);
    let y_of = |value: f64| bottom - (value - up.0) / (up.1 - up.0) * (bottom - top);
    for mark in ticks(across.0, across.1, 10) {
        let at = x_of(mark);
        svg.line((at, top), (at, bottom + 4.0), r##"stroke="#e3e3e3" stroke-width="0.8""##);
        svg.text((at, bottom + 18.0), 11.0, Anchor::Middle, LABEL, &number(mark));
    }
    for mark in ticks(up.0, up.1, 8) {
        let at = y_of(mark);
        svg.line((left - 4.0, at), (right, at), r##"stroke="#e3e3e3" stroke-width="0.8""##);
        svg.text((left - 8.0, at + 4.0), 11.0, Anchor::End, LABEL, &number(mark));
    }
    svg.text(((left + right) / 2.0, bottom + 36.0), 12.0, Anchor::Middle, LABEL, x);
    svg.text((left, top - 8.0), 12.0, Anchor::Start, LABEL, y);
    for (at, (_, marks)) in series.iter().enumerate() {
        // Later series are drawn on top of earlier ones, with larger marks.
        let size = 6.0 + 3.0 * at as f64;
        let style = format!(
            r##"rx="{:.1}" fill="{}" fill-opacity="0.85" stroke="#333" stroke-width="0.4""##,
            size / 2.0,
            colour(at)
        );
        for mark in marks {
            let place = Rect {
                x: x_of(mark.x) - size / 2.0,
                y: y_of(mark.y) - size / 2.0,
                width: size,
                height: size,
            };
            svg.rect(place, &style, Some(&mark.tip));
        }
    }
    let mut at = left;
    for (place, (name, _)) in series.iter().enumerate() {
        let style = format!(r##"rx="5" fill="{}" stroke="#333" stroke-width="0.4""##, colour(place));
        svg.rect(Rect { x: at, y: bottom + 50.0, width: 10.0, height: 10.0 }, &style, None);
        svg.text((at + 16.0, bottom + 59.0), 12.0, Anchor::Start, LABEL, name);
        at += 40.0 + text_width(name, 12.0);
    }
    svg.finish(WIDTH, bottom + 76.0)
}

/// The ends of an axis: a little below the least and above the greatest value.
fn spread(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let ends = values.filter(|value| value.is_finite()).fold(None, |ends: Option<(f64, f64)>, value| {
        Some(ends.map_or((value, value), |(low, high)| (low.min(value), high.max(value))))
    });
    let (low, high) = ends.unwrap_or((0.0, 1.0));
    let margin = if high > low { 0.05 * (high - low) } else { 0.05 * high.abs().max(1.0) };
    // Where no value is negative, the axis does not go below 0.
    (if low >= 0.0 { (low - margin).max(0.0) } else { low - margin }, high + margin)
}

/// Shares of a whole over time, one row for each name, all on one axis: equal bins of `[from, to)`.
pub(crate) fn shares(
    title: &str,
    axis: &TimeAxis,
    (from, to): (f64, f64),
    rows: &[(String, Vec<f64>)],
) -> String {
    let mut svg = Svg::default();
    svg.text((MARGIN, 32.0), 16.0, Anchor::Start, r##"font-weight="bold" fill="#222""##, title);
    let names = rows.iter().map(|(name, _)| text_width(name, 12.0)).fold(60.0, f64::max).min(260.0);
    let (left, right, top) = (MARGIN + names + 44.0, WIDTH - MARGIN, 50.0);
    let height = (640.0 / rows.len().max(1) as f64).clamp(22.0, 150.0);
    let bottom = top + height * rows.len() as f64;
    let x_of = |instant: f64| {
        let share = if to > from { (instant - from) / (to - from) } else { 0.0 };
        left + share.clamp(0.0, 1.0) * (right - left)
    };
    for mark in axis.marks(from, to, 10) {
        let at = x_of(axis.instant(mark));
        svg.line((at, top), (at, bottom + 4.0), r##"stroke="#dddddd" stroke-width="0.8""##);
        svg.text((at, bottom + 18.0), 11.0, Anchor::Middle, LABEL, &number(mark));
    }
    svg.text(((left + right) / 2.0, bottom + 36.0), 12.0, Anchor::Middle, LABEL, &axis.label);
    for (row, (name, shares)) in rows.iter().enumerate() {
        let (upper, full) = (top + row as f64 * height + 4.0, height - 8.0);
        let mean = shares.iter().sum::<f64>() / shares.len().max(1) as f64;
        svg.text((left - 44.0, upper + full / 2.0 + 4.0), 12.0, Anchor::End, LABEL, name);
        svg.text(
            (left - 8.0, upper + full / 2.0 + 4.0),
            11.0,
            Anchor::End,
            r##"fill="#777""##,
            &percent(mean),
        );
        let frame = Rect { x: left, y: upper, width: right - left, height: full };
        svg.rect(frame, r##"fill="#f6f6f6" stroke="#cccccc" stroke-width="0.5""##, None);
        let width = (to - from) / shares.len().max(1) as f64;
        let style = format!(r#"fill="{}""#, colour(row));
        let mut bin = 0;
        while bin < shares.len() {
            // Neighbours that look alike are one bar.
            let alike = |other: &f64| (other - shares[bin]).abs() < 5e-4;
            let count = shares[bin..].iter().take_while(|share| alike(share)).count().max(1);
            let (start, end) = (from + bin as f64 * width, from + (bin + count) as f64 * width);
            let share = shares[bin].clamp(0.0, 1.0);
            if share > 0.0 {
                let shown = |instant: f64| number((instant - axis.origin) / axis.unit);
                let tip = format!(
                    "{name}\n{} busy from {} to {} ({})",
                    percent(share),
                    shown(start),
                    shown(end),
                    axis.label
                );
                let bar = Rect {
                    x: x_of(start),
                    y: upper + full * (1.0 - share),
                    width: x_of(end) - x_of(start),
                    height: full * share,
                };
                svg.rect(bar, &style, Some(&tip));
            }
            bin += count;
        }
    }
    svg.text(
        (right, 32.0),
        11.0,
        Anchor::End,
        r##"fill="#777""##,
        "the height of a row is all of its CPUs; the number is the mean",
    );
    svg.finish(WIDTH, bottom + AXIS)
}

fn percent(share: f64) -> String {
    format!("{:.0}%", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_stand_alone_and_tell_what_they_are() {
        let mark = |x: f64, y: f64| Mark { x, y, tip: format!("cost {x} & more") };
        let series = [
            ("all".to_owned(), vec![mark(1.0, 9.0), mark(4.0, 2.0)]),
            ("best".to_owned(), vec![mark(4.0, 2.0)]),
        ];
        let svg = scatter("front", "cost", "time", &series);
        assert_eq!(svg.matches("<title>").count(), 3);
        assert!(svg.contains("cost 1 &amp; more") && svg.contains(">best<") && !svg.contains("polyline"));
        for empty in [Vec::new(), vec![mark(0.0, 0.0)], vec![mark(5.0, 1e60)]] {
            let svg = scatter("none", "x", "y", &[("all".to_owned(), empty)]);
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
    }

    #[test]
    fn rows_share_an_axis_and_nothing_overruns() {
        let rows = [("north".to_owned(), vec![0.5, 0.5, 1.2, 0.0]), ("south".to_owned(), vec![0.0; 4])];
        let svg = shares("Utilisation", &TimeAxis::default(), (0.0, 40.0), &rows);
        // Two equal bins are one bar; what is above all is cut at all.
        assert_eq!(svg.matches("<title>").count(), 2);
        assert!(svg.contains("50% busy from 0 to 20") && svg.contains("100% busy from 20 to 30"), "{svg}");
        let svg = shares("nothing", &TimeAxis::default(), (5.0, 5.0), &rows);
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }
}
