//! Gantt charts: which job holds which node at which time.

use super::{Area, Axis, FONT, Tips, colour, drawn, legend, told};
use crate::draw::gantt::Gantt;
use crate::output::terminal::number;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::ops::Range;

/// Pixels around a chart, above it, below it, and to the right of it where nodes have prices.
const MARGIN: i32 = 18;
const TITLE: i32 = 62;
const AXIS: i32 = 46;
const PRICE: i32 = 92;

const INK: RGBColor = RGBColor(51, 51, 51);
const LOAD: RGBColor = RGBColor(218, 218, 218);

/// Several charts of the same jobs in one document, `columns` in a row, under one legend.
pub(crate) fn gantt(charts: &[Gantt], columns: usize) -> Result<String, String> {
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
    let below = legend::rows(&names, width);
    let colour_of = |at: usize| at.checked_sub(1).map_or(LOAD, colour);
    drawn((width, height + legend::height(&below)), &below, &colour_of, |area, tips| {
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
) -> Result<(), String> {
    let style = (FONT, size).into_font().color(&colour).pos(Pos::new(side, VPos::Center));
    area.draw(&Text::new(text.to_owned(), at, style)).map_err(told)
}

fn fill(area: &Area<'_>, corners: [(i32, i32); 2], style: ShapeStyle) -> Result<(), String> {
    area.draw(&Rectangle::new(corners, style)).map_err(told)
}

/// Draws a chart into its part of the document.
fn draw(chart: &Gantt, whole: &Area<'_>, part: &Area<'_>, tips: &mut Tips) -> Result<(), String> {
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
        .build_cartesian_2d(x, Axis::plain(0.0..chart.lanes.len().max(1) as f64))
        .map_err(told)?;
    plot.configure_mesh()
        .disable_y_mesh()
        .bold_line_style(RGBColor(217, 217, 217))
        .light_line_style(TRANSPARENT)
        .y_labels(0)
        .x_label_formatter(&|value| number(*value))
        .x_desc(&chart.axis.label)
        .label_style((FONT, 13))
        .axis_desc_style((FONT, 14))
        .draw()
        .map_err(told)?;
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
) -> Result<(), String> {
    let dearest = chart.lanes.iter().filter_map(|lane| lane.price).fold(0.0, f64::max);
    for (row, lane) in
        chart.lanes.iter().enumerate().filter(|(_, lane)| !chart.dense || !lane.label.is_empty())
    {
        // In a dense chart, each lane with a label begins a group.
        let (from, colour) = if chart.dense { (left, INK) } else { (across.start, RGBColor(230, 230, 230)) };
        let line = vec![(from, top_of(row)), (across.end, top_of(row))];
        whole.draw(&PathElement::new(line, colour)).map_err(told)?;
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
