//! Gantt charts as SVG.

use super::{Bar, Gantt, Holder};
use crate::draw::svg::{Anchor, Rect, Svg, colour, ink_on, text_width};
use crate::output::terminal::number;

const MARGIN: f64 = 18.0;
const TITLE: f64 = 50.0;
const AXIS: f64 = 40.0;
const PRICE: f64 = 92.0;

impl Gantt {
    /// The chart as a document of its own.
    pub(crate) fn svg(&self) -> String {
        side_by_side(std::slice::from_ref(self), 1)
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

    /// Draws the chart with its upper left corner at this point; the legend is drawn separately.
    fn draw(&self, svg: &mut Svg, (left, top): (f64, f64), width: f64) {
        svg.text((left, top + 16.0), 15.0, Anchor::Start, r##"font-weight="bold" fill="#222""##, &self.title);
        svg.text((left, top + 34.0), 11.0, Anchor::Start, r##"fill="#555""##, &self.subtitle);
        let field = Field::of(self, (left, top), width);
        svg.rect(field.rect(), r##"fill="#fbfbfb" stroke="none""##, None);
        self.draw_axis(svg, &field);
        self.draw_lanes(svg, &field);
        for bar in self.bars.iter().filter(|bar| bar.end > self.from && bar.start < self.to) {
            self.draw_bar(svg, &field, bar);
        }
        // Where only some lanes have a label, each begins a group.
        let groups = self.lanes.iter().enumerate().filter(|(_, lane)| self.dense && !lane.label.is_empty());
        for (row, _) in groups {
            let y = field.top_of(row);
            svg.line((left, y), (field.x1, y), r##"stroke="#555" stroke-width="0.9""##);
        }
        svg.rect(field.rect(), r##"fill="none" stroke="#888" stroke-width="0.9""##, None);
    }

    fn draw_axis(&self, svg: &mut Svg, field: &Field) {
        let &Field { x0, x1, y0, y1, .. } = field;
        for mark in self.axis.marks(self.from, self.to, ((x1 - x0) / 85.0) as usize) {
            let x = field.x_of(self.axis.instant(mark));
            svg.line((x, y0), (x, y1 + 4.0), r##"stroke="#d9d9d9" stroke-width="0.8""##);
            svg.text((x, y1 + 16.0), 10.5, Anchor::Middle, r##"fill="#333""##, &number(mark));
        }
        svg.text(((x0 + x1) / 2.0, y1 + 31.0), 11.0, Anchor::Middle, r##"fill="#333""##, &self.axis.label);
    }

    /// Lines, labels and prices of the lanes.
    fn draw_lanes(&self, svg: &mut Svg, field: &Field) {
        let &Field { x0, x1, y0, lane_height, size, .. } = field;
        let dearest = self.lanes.iter().filter_map(|lane| lane.price).fold(0.0, f64::max);
        if self.is_priced() {
            let at = (x1 + 8.0, y0 - 5.0);
            svg.text(at, 10.5, Anchor::Start, r##"fill="#555""##, "price / time");
        }
        for (row, lane) in self.lanes.iter().enumerate() {
            let y = field.top_of(row);
            if !self.dense || !lane.label.is_empty() {
                svg.line((x0, y), (x1, y), r##"stroke="#e6e6e6" stroke-width="0.6""##);
            }
            // In a dense chart the label is just below the upper edge of its first lane.
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
    }

    fn draw_bar(&self, svg: &mut Svg, field: &Field, bar: &Bar) {
        let &Field { lane_height, size, .. } = field;
        let (from, to) = (field.x_of(bar.start), field.x_of(bar.end));
        let inset = (lane_height * 0.08).min(1.5);
        let height = lane_height * bar.lanes as f64;
        let y = field.top_of(bar.lane) + inset;
        let at = Rect { x: from, y, width: (to - from).max(0.6), height: height - 2.0 * inset };
        let job = match bar.holder {
            Holder::Load => return svg.rect(at, r##"fill="url(#load)""##, Some(&bar.tip)),
            Holder::Job(job) => job,
        };
        let fill = colour(job);
        let style = if self.dense {
            format!(r#"fill="{fill}""#)
        } else {
            format!(r##"fill="{fill}" stroke="#444" stroke-width="0.5" rx="1.5""##)
        };
        svg.rect(at, &style, Some(&bar.tip));
        if height < size {
            return;
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

    fn is_priced(&self) -> bool {
        self.lanes.iter().any(|lane| lane.price.is_some())
    }
}

/// The positions of lanes and instants on the page.
struct Field {
    x0: f64,
    x1: f64,
    y0: f64,
    y1: f64,
    lane_height: f64,
    /// The size of the letters of labels.
    size: f64,
    from: f64,
    to: f64,
}

impl Field {
    fn of(chart: &Gantt, (left, top): (f64, f64), width: f64) -> Self {
        let lane_height = chart.lane_height();
        let size = if chart.dense { 10.5 } else { (lane_height * 0.62).clamp(7.0, 12.0) };
        let y0 = top + TITLE;
        Self {
            x0: left + chart.label_width(size),
            x1: left + width - if chart.is_priced() { PRICE } else { 0.0 },
            y0,
            y1: y0 + lane_height * chart.lanes.len() as f64,
            lane_height,
            size,
            from: chart.from,
            to: chart.to,
        }
    }

    fn rect(&self) -> Rect {
        Rect { x: self.x0, y: self.y0, width: self.x1 - self.x0, height: self.y1 - self.y0 }
    }

    fn top_of(&self, row: usize) -> f64 {
        self.y0 + row as f64 * self.lane_height
    }

    fn x_of(&self, instant: f64) -> f64 {
        let length = self.to - self.from;
        let share = if length > 0.0 { (instant - self.from) / length } else { 0.0 };
        self.x0 + share.clamp(0.0, 1.0) * (self.x1 - self.x0)
    }
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

/// Draws the legend. Returns the vertical position below it.
fn legend(svg: &mut Svg, chart: &Gantt, top: f64, width: f64) -> f64 {
    let size = 11.0;
    let entries = std::iter::once(("url(#load)".to_owned(), "local load".to_owned()))
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
