//! The parts that all charts share: a page with a title, two axes and a legend, and colours.

use crate::error::CliError;
use plotters::coord::Shift;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use std::ops::Range;

/// Colours that people with any kind of colour vision can tell apart (M. Okabe, K. Ito, Color universal design,
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
const GRID: RGBColor = RGBColor(217, 217, 217);

pub(super) const FONT: &str = "sans-serif";

/// Pixels around a chart, for its title above it, and for the labels below and beside it.
const MARGIN: i32 = 18;
const ABOVE: i32 = 62;
const BELOW: i32 = 50;
const BESIDE: i32 = 60;

/// Returns the colour of the k-th series; beyond the palette, hues follow by the golden angle.
pub(super) fn colour(k: usize) -> RGBColor {
    PALETTE.get(k).copied().unwrap_or_else(|| {
        let hue = (k as f64 * 137.507_764) % 360.0;
        let (saturation, lightness) = (0.45 + 0.1 * (k % 3) as f64, 0.45 + 0.08 * (k % 4) as f64);
        let (red, green, blue) = HSLColor(hue / 360.0, saturation, lightness).to_backend_color().rgb;
        RGBColor(red, green, blue)
    })
}

/// An axis: its ends, its marks with their labels, its name, and, if it is the lower one, whether grid lines cross
/// the chart at its marks.
#[derive(Clone)]
pub(super) struct Axis {
    pub(super) ends: Range<f64>,
    pub(super) marks: Vec<(f64, String)>,
    pub(super) name: String,
    pub(super) lines: bool,
}

impl Axis {
    /// Creates an axis of equal parts, each with its name in the middle unless the name is empty.
    pub(super) fn of_names(names: impl IntoIterator<Item = String>) -> Self {
        let parts: Vec<(f64, String)> = (0..).map(|part| f64::from(part) + 0.5).zip(names).collect();
        let ends = 0.0..parts.len().max(1) as f64;
        let marks = parts.into_iter().filter(|(_, name)| !name.is_empty()).collect();
        Self { ends, marks, name: String::new(), lines: false }
    }
}

impl Ranged for Axis {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        RangedCoordf64::from(self.ends.clone()).map(value, limit)
    }

    fn key_points<H: KeyPointHint>(&self, _: H) -> Vec<f64> {
        self.marks.iter().map(|(mark, _)| *mark).collect()
    }

    fn range(&self) -> Range<f64> {
        self.ends.clone()
    }
}

/// Returns marks for an axis: the multiples in `[from, to]` of a step of 1, 2 or 5 times a power of ten, the smallest
/// that is at least `(to - from) / count`.
pub(super) fn ticks(from: f64, to: f64, count: usize) -> Vec<f64> {
    let rough = (to - from) / count.max(1) as f64;
    if !rough.is_finite() || rough <= 0.0 {
        return vec![from];
    }
    // The exponent is taken from the decimal notation of the number, which is the same on every machine.
    let written = format!("{rough:e}");
    let exponent = written.split_once('e').map_or("0", |(_, exponent)| exponent);
    let power = format!("1e{exponent}").parse().unwrap_or(rough);
    let step =
        power * [1.0, 2.0, 5.0, 10.0].into_iter().find(|factor| factor * power >= rough).unwrap_or(10.0);
    let first = (from / step).ceil();
    // Far from zero the step may fall below the precision of the numbers; marks would then repeat without end, so
    // their number is bounded.
    let marks = (0..=2 * count.max(1)).map(|k| (first + k as f64) * step);
    marks.take_while(|mark| *mark <= to + step * 1e-9).collect()
}

/// A page, or a part of one.
pub(super) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// The inside of a chart, in the coordinates of its axes.
pub(super) struct Plot<'a, 'b> {
    pub(super) chart: ChartContext<'a, SVGBackend<'b>, Cartesian2d<Axis, Axis>>,
    /// The width of a pixel in units of the lower axis.
    pub(super) pixel: f64,
}

impl<'a, 'b> Plot<'a, 'b> {
    /// Creates a chart with this title and these axes.
    pub(super) fn new(area: &'a Area<'b>, title: &str, (x, y): (Axis, Axis)) -> Result<Self, CliError> {
        area.draw(&Text::new(title, (MARGIN, 12), (FONT, 20)))?;
        let mut chart = ChartBuilder::on(area)
            .margin_top(ABOVE)
            .margin_left(MARGIN)
            .margin_right(MARGIN)
            .x_label_area_size(BELOW)
            .y_label_area_size(BESIDE)
            .build_cartesian_2d(x.clone(), y.clone())?;
        let label = |axis: &Axis, at: f64| {
            let mark = axis.marks.iter().find(|(mark, _)| *mark == at);
            mark.map_or_else(String::new, |(_, label)| label.clone())
        };
        let labels = (|at: &f64| label(&x, *at), |at: &f64| label(&y, *at));
        let mut mesh = chart.configure_mesh();
        mesh.bold_line_style(GRID).label_style((FONT, 14)).axis_desc_style((FONT, 15));
        mesh.x_desc(&x.name).x_label_formatter(&labels.0);
        mesh.y_desc(&y.name).y_label_formatter(&labels.1);
        if !x.lines {
            mesh.disable_x_mesh();
        }
        mesh.draw()?;
        let (width, _) = chart.plotting_area().dim_in_pixel();
        let pixel = (x.ends.end - x.ends.start) / f64::from(width);
        Ok(Self { chart, pixel })
    }
}

pub(super) type Drawn = Result<(), CliError>;

/// Pixels of a row of a legend.
const ROW: i32 = 24;

/// Renders an SVG document: what `draw` draws on a page of this size, and a legend below it.
pub(super) fn document(
    (width, height): (i32, i32),
    legend: &[(&str, RGBColor)],
    draw: impl FnOnce(&Area<'_>) -> Drawn,
) -> Result<String, CliError> {
    // The legend has as many rows as it needs: 8 pixels for a letter of size 15 are a little more than most letters
    // take.
    let (mut entries, mut at) = (Vec::new(), (MARGIN, 8));
    for (name, colour) in legend {
        let own = 46 + 8 * name.chars().count() as i32;
        if at.0 > MARGIN && at.0 + own > width {
            at = (MARGIN, at.1 + ROW);
        }
        entries.push((at, *name, *colour));
        at.0 += own;
    }
    let mut svg = String::new();
    {
        let size = (width as u32, (height + at.1 + ROW) as u32);
        let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        root.fill(&WHITE)?;
        let (upper, lower) = root.split_vertically(height);
        draw(&upper)?;
        for ((x, y), name, colour) in entries {
            lower.draw(&Rectangle::new([(x, y), (x + 22, y + 14)], colour.filled()))?;
            lower.draw(&Text::new(name, (x + 28, y - 1), (FONT, 15)))?;
        }
        root.present()?;
    }
    Ok(svg)
}
