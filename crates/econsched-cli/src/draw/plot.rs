//! What all charts are drawn on: a document (SVG) with a title, two axes and a legend, and colours.

use std::fmt::Write as _;
use std::ops::Range;

/// Colours that people with any kind of colour vision tell apart (M. Okabe, K. Ito, Color universal design,
/// 2008).
const PALETTE: [&str; 7] = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#5A5A5A"];

/// The colour of the k-th of many things: beyond the palette hues by the golden angle.
pub(super) fn colour(k: usize) -> String {
    PALETTE.get(k).map_or_else(
        || {
            let hue = (k as f64 * 137.507_764) % 360.0;
            format!("hsl({hue:.1}, {}%, {}%)", 45 + 10 * (k % 3), 45 + 8 * (k % 4))
        },
        |known| (*known).to_owned(),
    )
}

/// Pixels: how wide a document is, its margins, where the inside of a chart lies, and a row of the legend below.
const WIDTH: f64 = 960.0;
const MARGIN: f64 = 18.0;
const ACROSS: Range<f64> = 78.0..WIDTH - MARGIN;
const DOWN: Range<f64> = 62.0..450.0;
const LEGEND: f64 = 508.0;
const ROW: f64 = 24.0;

const GRID: &str = "#D9D9D9";

/// An axis: its ends, its marks with their labels, its name, and whether lines cross the chart at its marks.
pub(super) struct Axis {
    pub(super) ends: Range<f64>,
    pub(super) marks: Vec<(f64, String)>,
    pub(super) name: String,
    pub(super) lines: bool,
}

impl Axis {
    /// An axis of equal parts, each with its name in its middle.
    pub(super) fn of_names(names: &[String]) -> Self {
        let marks = (0..).map(|part| f64::from(part) + 0.5).zip(names.iter().cloned()).collect();
        Self { ends: 0.0..names.len().max(1) as f64, marks, name: String::new(), lines: false }
    }

    /// Where a value stands between these pixels; one beyond an end stands at the end.
    fn pixel(&self, value: f64, from: f64, to: f64) -> f64 {
        let Range { start, end } = self.ends;
        from + (value.max(start).min(end) - start) / (end - start) * (to - from)
    }
}

/// Marks of an axis: the multiples in `[from, to]` of the least of 1, 2, 5 times a power of ten that gives some
/// `count` of them.
pub(super) fn ticks(from: f64, to: f64, count: usize) -> Vec<f64> {
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

/// A chart that is drawn, point by point in the numbers of its axes.
pub(super) struct Plot {
    x: Axis,
    y: Axis,
    svg: String,
}

impl Plot {
    /// A chart with this line above it.
    pub(super) fn new(title: &str, x: Axis, y: Axis) -> Self {
        let mut plot = Self { x, y, svg: String::new() };
        let [top, bottom, left, right] = [DOWN.start, DOWN.end, ACROSS.start, ACROSS.end];
        plot.words((MARGIN, 29.0), "font-size=\"16\" text-anchor=\"start\"", title);
        plot.words((f64::midpoint(left, right), bottom + 42.0), "", &plot.x.name.clone());
        plot.words(
            (-f64::midpoint(top, bottom), MARGIN + 6.0),
            "transform=\"rotate(-90)\"",
            &plot.y.name.clone(),
        );
        for (mark, label) in plot.x.marks.clone() {
            let at = plot.across(mark);
            if plot.x.lines {
                plot.path(&format!("M{at:.1} {top}V{bottom}"), GRID, 1);
            }
            plot.words((at, bottom + 19.0), "", &label);
        }
        for (mark, label) in plot.y.marks.clone() {
            let at = plot.down(mark);
            plot.path(&format!("M{left} {at:.1}H{right}"), GRID, 1);
            plot.words((left - 8.0, at + 4.0), "text-anchor=\"end\"", &label);
        }
        plot.path(&format!("M{left} {top}V{bottom}H{right}"), "black", 1);
        plot
    }

    /// The width of a pixel.
    pub(super) fn pixel(&self) -> f64 {
        (self.x.ends.end - self.x.ends.start) / (ACROSS.end - ACROSS.start)
    }

    fn across(&self, x: f64) -> f64 {
        self.x.pixel(x, ACROSS.start, ACROSS.end)
    }

    fn down(&self, y: f64) -> f64 {
        self.y.pixel(y, DOWN.end, DOWN.start)
    }

    /// Words at a place in pixels.
    fn words(&mut self, (x, y): (f64, f64), how: &str, words: &str) {
        let words = words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let _ = writeln!(self.svg, "<text x=\"{x:.0}\" y=\"{y:.0}\" {how}>\n{words}\n</text>");
    }

    fn path(&mut self, path: &str, colour: &str, width: u8) {
        let stroke = format!("stroke=\"{colour}\" stroke-width=\"{width}\"");
        let _ = writeln!(self.svg, "<path d=\"{path}\" fill=\"none\" {stroke}/>");
    }

    fn rectangle(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), colour: &str) {
        let size = format!("width=\"{width:.0}\" height=\"{height:.1}\"");
        let _ = writeln!(self.svg, "<rect x=\"{x:.1}\" y=\"{y:.1}\" {size} fill=\"{colour}\"/>");
    }

    /// A bar over this part of the axis, from its foot to its top.
    pub(super) fn bar(&mut self, over: Range<f64>, foot: f64, top: f64, colour: &str) {
        let (left, right) = (self.across(over.start), self.across(over.end));
        let (foot, top) = (self.down(foot), self.down(top));
        self.rectangle((left, top.min(foot)), (right - left, (foot - top).abs()), colour);
    }

    /// A number above a point.
    pub(super) fn number(&mut self, x: f64, y: f64, number: &str) {
        self.words((self.across(x), self.down(y) - 4.0), "", number);
    }

    /// A vertical line, if it has a length, with a cap at each end.
    pub(super) fn whisker(&mut self, x: f64, ends: Range<f64>, colour: &str) {
        if ends.start < ends.end {
            let (x, from, to) = (self.across(x), self.down(ends.start), self.down(ends.end));
            let path = format!("M{x:.1} {from:.1}m-4 0h8m-4 0V{to:.1}m-4 0h8");
            self.path(&path, colour, 1);
        }
    }

    /// A line through these points.
    pub(super) fn line(&mut self, points: &[(f64, f64)], colour: &str) {
        let place = |(x, y): &(f64, f64)| format!("{:.1} {:.1}", self.across(*x), self.down(*y));
        let places: Vec<String> = points.iter().map(place).collect();
        self.path(&format!("M{}", places.join("L")), colour, 2);
    }

    /// A point that is seen.
    pub(super) fn mark(&mut self, (x, y): (f64, f64), radius: u8, colour: &str) {
        let (x, y) = (self.across(x), self.down(y));
        let _ = writeln!(self.svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{colour}\"/>");
    }

    /// The document, with the names of what was drawn in each colour below: nothing is ever hidden behind them.
    pub(super) fn document<'n>(mut self, names: impl Iterator<Item = &'n str>) -> String {
        // In as many rows as they need: 8 pixels for a letter are a little more than most take.
        let (mut x, mut y) = (MARGIN, LEGEND);
        for (at, name) in names.enumerate() {
            let own = 46.0 + 8.0 * name.chars().count() as f64;
            if x > MARGIN && x + own > WIDTH {
                (x, y) = (MARGIN, y + ROW);
            }
            self.rectangle((x, y), (22.0, 14.0), &colour(at));
            self.words((x + 28.0, y + 12.0), "text-anchor=\"start\"", name);
            x += own;
        }
        let height = y + ROW;
        let size = format!("width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\"");
        let text = "font-family=\"sans-serif\" font-size=\"12\" text-anchor=\"middle\"";
        let paper = "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>";
        format!("<svg xmlns=\"http://www.w3.org/2000/svg\" {size} {text}>\n{paper}\n{}</svg>\n", self.svg)
    }
}
