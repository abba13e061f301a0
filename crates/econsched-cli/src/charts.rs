//! Charts as SVG: bars, curves with whiskers, points, and shares over time. Each mark has a tooltip.

use crate::gantt::TimeAxis;
use crate::svg::{Anchor, Rect, Svg, colour, text_width, ticks};
use crate::terminal::{exact, number};
use econsched_studies::chart::{Arrangement, Bar, Bars, Chart, Lines};

const WIDTH: f64 = 960.0;
const MARGIN: f64 = 18.0;
/// The edges of the field in which bars, curves and points stand.
const LEFT: f64 = 92.0;
const RIGHT: f64 = WIDTH - MARGIN;
const TOP: f64 = 64.0;
const BOTTOM: f64 = 460.0;
const TITLE: &str = r##"font-weight="bold" fill="#222""##;
const LABEL: &str = r##"fill="#333""##;
const GRID: &str = r##"stroke="#e3e3e3" stroke-width="0.8""##;

/// The chart as an SVG document.
pub(crate) fn svg(chart: &Chart) -> String {
    match chart {
        Chart::Bars(bars) => of_bars(bars),
        Chart::Lines(lines) => of_points(lines, true),
    }
}

/// The points of a chart without lines between them: where nothing lies between two points.
pub(crate) fn points(chart: &Lines) -> String {
    of_points(chart, false)
}

/// An axis: the values at its ends, and where these are.
struct Axis {
    ends: (f64, f64),
    places: (f64, f64),
    log: bool,
}

impl Axis {
    fn at(&self, value: f64) -> f64 {
        let ((from, to), (begin, end)) = (self.ends, self.places);
        let share = if self.log {
            (value.max(from) / from).ln() / (to / from).ln()
        } else {
            (value - from) / (to - from)
        };
        begin + share.clamp(0.0, 1.0) * (end - begin)
    }

    /// Round numbers between its ends, about so many; powers of ten on a logarithmic axis, where there are some.
    fn marks(&self, count: usize) -> Vec<f64> {
        let (from, to) = self.ends;
        if !self.log {
            return ticks(from, to, count);
        }
        let powers = (-308..=308).filter_map(|power| format!("1e{power}").parse::<f64>().ok());
        let within: Vec<f64> = powers
            .flat_map(|power| [1.0, 2.0, 5.0].map(|k| k * power))
            .filter(|mark| (from..=to).contains(mark))
            .collect();
        let decades: Vec<f64> =
            within.iter().copied().filter(|mark| format!("{mark:e}").starts_with("1e")).collect();
        if decades.len() > 2 { decades } else { within }
    }
}

/// The title, the name of the axis upwards, and its marks.
fn frame(svg: &mut Svg, title: &str, y: &str, up: &Axis) {
    svg.text((MARGIN, 32.0), 16.0, Anchor::Start, TITLE, title);
    svg.text((LEFT, TOP - 8.0), 12.0, Anchor::Start, LABEL, y);
    for mark in up.marks(8) {
        svg.line((LEFT - 4.0, up.at(mark)), (RIGHT, up.at(mark)), GRID);
        svg.text((LEFT - 8.0, up.at(mark) + 4.0), 11.0, Anchor::End, LABEL, &short(mark));
    }
}

/// The document with the names of the series below the field.
fn finish<T>(mut svg: Svg, series: &[(String, T)]) -> String {
    let names = series.iter().enumerate().map(|(at, (name, _))| (colour(at), name.clone()));
    let height = svg.legend(names, (LEFT, BOTTOM + 50.0), WIDTH - MARGIN);
    svg.finish(WIDTH, height + MARGIN)
}

/// A vertical line with a cap at each end.
fn whisker(svg: &mut Svg, x: f64, (low, high): (f64, f64), colour: &str) {
    let style = format!(r#"stroke="{colour}" stroke-width="1""#);
    svg.line((x, low), (x, high), &style);
    [low, high].into_iter().for_each(|y| svg.line((x - 4.0, y), (x + 4.0, y), &style));
}

fn tip(series: &str, place: &str, bar: Bar) -> String {
    let half = if bar.half > 0.0 { format!(" ± {}", exact(bar.half)) } else { String::new() };
    format!("{series}\n{place}: {}{half}", exact(bar.value))
}

fn of_bars(chart: &Bars) -> String {
    let mut svg = Svg::default();
    let up = Axis { ends: (0.0, positive(top(chart) * 1.12)), places: (BOTTOM, TOP), log: false };
    frame(&mut svg, &chart.title, &chart.y, &up);
    let beside = chart.arrangement == Arrangement::Beside;
    let abreast = chart.series.len().max(1) as f64;
    let slot = (RIGHT - LEFT) / chart.groups.len().max(1) as f64;
    let width = slot * if beside { 0.78 / abreast } else { 0.55 };
    // Either all bars have labels or none: none if the longest label is wider than a bar.
    let bars = chart.series.iter().flat_map(|(_, bars)| bars);
    let longest = bars.map(|bar| text_width(&short(bar.value), 11.0)).fold(0.0, f64::max);
    for (group, name) in chart.groups.iter().enumerate() {
        let centre = LEFT + (group as f64 + 0.5) * slot;
        svg.text((centre, BOTTOM + 18.0), 12.0, Anchor::Middle, LABEL, name);
        let mut floor = 0.0;
        for (at, (series, bars)) in chart.series.iter().enumerate() {
            let Some(&bar) = bars.get(group).filter(|bar| bar.value.is_finite()) else { continue };
            let left = centre + width * if beside { at as f64 - abreast / 2.0 } else { -0.5 };
            let (middle, end) = (left + width / 2.0, floor + bar.value);
            let body =
                Rect { x: left + 1.0, y: up.at(end), width: width - 2.0, height: up.at(floor) - up.at(end) };
            svg.rect(body, &format!(r#"fill="{}""#, colour(at)), Some(&tip(series, name, bar)));
            if bar.half > 0.0 {
                whisker(&mut svg, middle, (up.at(end - bar.half), up.at(end + bar.half)), "#000");
            }
            if beside && longest <= width {
                let place = (middle, up.at(end + bar.half) - 3.0);
                svg.text(place, 11.0, Anchor::Middle, LABEL, &short(bar.value));
            }
            if !beside {
                floor = end;
            }
        }
    }
    finish(svg, &chart.series)
}

/// The height of the highest group.
fn top(chart: &Bars) -> f64 {
    let of_group = |group: usize| {
        let ends = chart.series.iter().filter_map(|(_, bars)| bars.get(group));
        match chart.arrangement {
            Arrangement::Beside => ends.map(|bar| bar.value + bar.half).fold(0.0, f64::max),
            Arrangement::Stacked => ends.map(|bar| bar.value).sum(),
        }
    };
    (0..chart.groups.len()).map(of_group).fold(0.0, f64::max)
}

/// The greatest number of marks with tooltips in a chart.
const MOST_TIPS: usize = 2000;

fn of_points(chart: &Lines, joined: bool) -> String {
    let is_known = |(x, bar): &(f64, Bar)| x.is_finite() && bar.value.is_finite();
    let all = || chart.series.iter().flat_map(|(_, points)| points).filter(|point| is_known(point));
    let (left, right, wide) = spread(all().map(|(x, _)| *x));
    let (low, high, tall) = spread(all().flat_map(|(_, bar)| [bar.value - bar.half, bar.value + bar.half]));
    let least = left.max(f64::MIN_POSITIVE);
    let sides = if chart.log_x {
        (least / 1.1, right.max(least) * 1.1)
    } else {
        (left - 0.02 * wide, right + 0.02 * wide)
    };
    let least = low.max(high * 1e-9).max(f64::MIN_POSITIVE);
    let ends = if chart.log_y {
        (least / 1.3, high.max(least) * 1.3)
    } else {
        // The axis contains zero unless all points are far from it.
        (if low >= 0.0 && low < 0.6 * high { 0.0 } else { low - 0.08 * tall }, high + 0.08 * tall)
    };
    let across = Axis { ends: sides, places: (LEFT, RIGHT), log: chart.log_x };
    let up = Axis { ends, places: (BOTTOM, TOP), log: chart.log_y };
    let mut svg = Svg::default();
    frame(&mut svg, &chart.title, &chart.y, &up);
    svg.text(((LEFT + RIGHT) / 2.0, BOTTOM + 36.0), 12.0, Anchor::Middle, LABEL, &chart.x);
    for mark in marks(all().map(|(x, _)| *x)).unwrap_or_else(|| across.marks(10)) {
        svg.line((across.at(mark), TOP), (across.at(mark), BOTTOM + 4.0), GRID);
        svg.text((across.at(mark), BOTTOM + 18.0), 11.0, Anchor::Middle, LABEL, &short(mark));
    }
    let with_tips = all().count() <= MOST_TIPS;
    for (at, (series, points)) in chart.series.iter().enumerate() {
        let colour = colour(at);
        // The whiskers of different series are shifted a little, so that none hides another.
        let aside = 2.0 * (at as f64 - (chart.series.len() - 1) as f64 / 2.0);
        for run in points.split(|point| !is_known(point)) {
            let place = |(x, bar): &(f64, Bar)| (across.at(*x), up.at(bar.value));
            if joined && run.len() > 1 {
                svg.curve(run.iter().map(place), &format!(r#"stroke="{colour}" stroke-width="2""#));
            }
            // A point between two gaps has no line, so it gets a mark.
            let marked = !joined || chart.markers || run.len() == 1;
            let style = format!(r#"rx="4" fill="{}""#, if marked { &colour } else { "transparent" });
            for point in run.iter().filter(|_| marked || with_tips) {
                let ((x, y), bar) = (place(point), point.1);
                if bar.half > 0.0 {
                    let ends = (up.at(bar.value - bar.half), up.at(bar.value + bar.half));
                    whisker(&mut svg, x + aside, ends, &colour);
                }
                let told = with_tips.then(|| tip(series, &format!("{} {}", chart.x, exact(point.0)), bar));
                svg.rect(Rect { x: x - 4.0, y: y - 4.0, width: 8.0, height: 8.0 }, &style, told.as_deref());
            }
        }
    }
    finish(svg, &chart.series)
}

/// The least and the greatest of the values, and how far they are apart; some length where they are not.
fn spread(values: impl Iterator<Item = f64>) -> (f64, f64, f64) {
    let ends = values.fold(None, |ends: Option<(f64, f64)>, value| {
        Some(ends.map_or((value, value), |(low, high)| (low.min(value), high.max(value))))
    });
    let (low, high) = ends.unwrap_or((1.0, 2.0));
    (low, high, if high > low { high - low } else { high.abs().max(1.0) })
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

/// Three digits, so that a label fits its bar: 1.04M, 853k, 59.9, 0.5.
fn short(value: f64) -> String {
    let (scaled, unit) = match value.abs() {
        m if m >= 0.9995e9 => return format!("{value:.2e}"),
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

/// Shares of a whole over time, one row for each name, all on one axis: equal bins of `[from, to)`.
pub(crate) fn shares(
    title: &str,
    axis: &TimeAxis,
    (from, to): (f64, f64),
    rows: &[(String, Vec<f64>)],
) -> String {
    let names = rows.iter().map(|(name, _)| text_width(name, 12.0)).fold(60.0, f64::max).min(260.0);
    let (left, top) = (MARGIN + names + 44.0, 50.0);
    let height = (640.0 / rows.len().max(1) as f64).clamp(22.0, 150.0);
    let bottom = top + height * rows.len() as f64;
    let ends = if to > from { (from, to) } else { (from, from + 1.0) };
    let across = Axis { ends, places: (left, RIGHT), log: false };
    let mut svg = Svg::default();
    svg.text((MARGIN, 32.0), 16.0, Anchor::Start, TITLE, title);
    let key = "the height of a row is all of its CPUs; the number is the mean";
    svg.text((RIGHT, 32.0), 11.0, Anchor::End, LABEL, key);
    for mark in axis.marks(from, to, 10) {
        let at = across.at(axis.instant(mark));
        svg.line((at, top), (at, bottom + 4.0), GRID);
        svg.text((at, bottom + 18.0), 11.0, Anchor::Middle, LABEL, &number(mark));
    }
    svg.text(((left + RIGHT) / 2.0, bottom + 36.0), 12.0, Anchor::Middle, LABEL, &axis.label);
    let bounds = |bins: usize, bin: usize| from + (to - from) * bin as f64 / bins as f64;
    for (row, (name, shares)) in rows.iter().enumerate() {
        let (upper, full) = (top + row as f64 * height + 4.0, height - 8.0);
        let baseline = upper + full / 2.0 + 4.0;
        let mean = shares.iter().sum::<f64>() / shares.len().max(1) as f64;
        svg.text((left - 44.0, baseline), 12.0, Anchor::End, LABEL, name);
        svg.text((left - 8.0, baseline), 11.0, Anchor::End, LABEL, &percent(mean));
        let frame = Rect { x: left, y: upper, width: RIGHT - left, height: full };
        svg.rect(frame, r##"fill="#f6f6f6" stroke="#cccccc" stroke-width="0.5""##, None);
        let style = format!(r#"fill="{}""#, colour(row));
        let mut next = 0;
        while let Some(&first) = shares.get(next) {
            // Neighbours that look alike are one bar.
            let alike =
                shares[next..].iter().take_while(|share| (*share - first).abs() < 5e-4).count().max(1);
            let [start, end] = [next, next + alike].map(|bin| bounds(shares.len(), bin));
            next += alike;
            let share = first.clamp(0.0, 1.0);
            if share > 0.0 {
                let [begin, until] = [start, end].map(|instant| number((instant - axis.origin) / axis.unit));
                let busy = percent(share);
                let tip = format!("{name}\n{busy} busy from {begin} to {until} ({})", axis.label);
                let (x, y) = (across.at(start), upper + full * (1.0 - share));
                let bar = Rect { x, y, width: across.at(end) - x, height: full * share };
                svg.rect(bar, &style, Some(&tip));
            }
        }
    }
    svg.finish(WIDTH, bottom + 44.0)
}

fn percent(share: f64) -> String {
    format!("{:.0}%", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_have_three_digits() {
        let shown =
            [0.0, 1.0, 59.85, 369.7, 1200.0, 12_345.0, 853_363.0, 999_600.0, 1.05e6, 0.034, 4e-5, -2.5];
        let expected =
            ["0", "1", "59.9", "370", "1200", "12.3k", "853k", "1M", "1.05M", "0.034", "4.0e-5", "-2.5"];
        assert_eq!(shown.map(short), expected);
    }

    #[test]
    fn charts_hold_their_words_and_every_bar() {
        let bars = Bars::new("Cost & time", "money", ["ALP", "AMP"])
            .with_series("ours", [Bar { value: 10.0, half: 1.0 }, 12.5.into()])
            .with_series("paper", [11.0, 13.0]);
        let text = svg(&bars.clone().into());
        for word in ["Cost &amp; time", "money", "ALP", "AMP", "ours", "paper", "12.5"] {
            assert!(text.contains(word), "{word}");
        }
        // Background and its pattern, four bars, two legend keys.
        assert_eq!(text.matches("<rect").count(), 8);
        // Each bar has a tooltip.
        assert_eq!(text.matches("<title>").count(), 4);
        assert!(text.contains("<title>ours\nALP: 10 ± 1</title>"), "{text}");
        assert!(!svg(&bars.with_stacked_bars().into()).contains("NaN"));
    }

    /// Factors of 0, 0.2 and so on have no mark at 0.1, as those of a paper have none.
    #[test]
    fn few_points_are_the_marks_of_their_axis() {
        let drawn = |points: &[f64]| {
            let lines =
                Lines::new("cost", "factor", "G$").with_series("one", points.iter().map(|&x| (x, 5.0 + x)));
            svg(&lines.into())
        };
        let has = |svg: &str, label: &str| svg.contains(&format!(">{label}<"));
        let few = drawn(&[0.0, 0.2, 0.4, 0.6, 0.8, 1.0]);
        assert!(["0", "0.2", "0.8"].into_iter().all(|label| has(&few, label)), "{few}");
        assert!(!["0.1", "0.3", "0.9"].into_iter().any(|label| has(&few, label)), "{few}");
        assert_eq!(marks([25.0, 150.0, 50.0, 25.0].into_iter()), Some(vec![25.0, 50.0, 150.0]));
        for others in [&[1.0][..], &[0.0, 0.001, 1.0], &[437.21, 512.9], &[f64::NAN, 1.0], &[]] {
            assert_eq!(marks(others.iter().copied()), None, "{others:?}");
        }
        assert_eq!(marks((0..=10).map(f64::from)), None);
    }

    #[test]
    fn lines_bear_empty_and_constant_data() {
        let drawn = |title: &str, points: &[(f64, f64)]| {
            let lines = Lines::new(title, "x", "y").with_series("one", points.iter().copied());
            [svg(&lines.clone().with_log_axes().into()), super::points(&lines), svg(&lines.into())]
        };
        for odd in [
            &[][..],
            &[(1.0, 5.0)],
            &[(0.0, 0.0)],
            &[(5.0, 1e60), (6.0, 1e60)],
            &[(-1.0, -2.0), (0.0, 1e300)],
        ] {
            for text in drawn("odd", odd) {
                assert!(!text.contains("NaN") && !text.contains("inf"), "{odd:?}: {text}");
            }
        }
        let pair =
            Lines::new("two", "load", "y").with_series("a <b>", [(0.5, 1.0), (1.5, f64::NAN), (2.5, 4.0)]);
        let text = svg(&pair.into());
        assert_eq!(text.matches("<title>").count(), 2);
        assert!(text.contains("<title>a &lt;b&gt;\nload 2.5: 4</title>"), "{text}");
        let many: Vec<_> = (0..=MOST_TIPS).map(|x| (x as f64, 1.0)).collect();
        assert!(drawn("many", &many).iter().all(|text| !text.contains("<title>")));
        let whole = [(0.0, 1.0), (1.0, 2.0), (2.0, 3.0), (3.0, 2.0), (4.0, 1.0)];
        let mut broken = whole;
        broken[2].1 = f64::NAN;
        let curves = |points| drawn("gap", points).map(|text| text.matches("<polyline").count());
        assert_eq!((curves(&whole), curves(&broken)), ([1, 0, 1], [2, 0, 2]));
        let decades = Lines::new("log", "slots", "us")
            .with_log_axes()
            .with_series("scan", [(10.0, 1.0), (1000.0, 90.0)]);
        let text = svg(&decades.into());
        assert!(text.contains(">100<"), "an axis label of a decade");
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
