//! Shares of a whole over time, in rows.

use super::{Area, Axis, FONT, SIZE, Tips, colour, drawn, number, told};
use crate::draw::gantt::TimeAxis;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Shares of a whole over time, one row for each name, all on one axis: equal bins of `[from, to)`.
pub(crate) fn shares(
    title: &str,
    axis: &TimeAxis,
    (from, to): (f64, f64),
    rows: &[(String, Vec<f64>)],
) -> Result<String, String> {
    let place = |instant: f64| (instant - axis.origin) / axis.unit;
    let (begin, count) = (place(from), rows.len().max(1) as f64);
    let end = if to > from { place(to) } else { begin + 1.0 };
    let longest = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let draw = |area: &Area<'_>, tips: &mut Tips| {
        let mut chart = ChartBuilder::on(area)
            .caption(title, (FONT, 22))
            .margin(14)
            .x_label_area_size(52)
            .y_label_area_size((8 * longest + 70).min(340) as u32)
            .build_cartesian_2d(Axis::plain(begin..end), Axis::plain(0.0..count))
            .map_err(told)?;
        chart
            .configure_mesh()
            .disable_y_mesh()
            .light_line_style(WHITE)
            .y_labels(0)
            .x_label_formatter(&|value| number(*value))
            .x_desc(format!("{}; the height of a row is all of its CPUs, the number is the mean", axis.label))
            .label_style((FONT, 15))
            .axis_desc_style((FONT, 16))
            .draw()
            .map_err(told)?;
        let label = (FONT, 15).into_font().color(&BLACK).pos(Pos::new(HPos::Right, VPos::Center));
        for (row, (name, shares)) in rows.iter().enumerate() {
            let floor = count - 1.0 - row as f64;
            let bar = |from: f64, to: f64, share: f64| [(from, floor), (to, floor + 0.9 * share)];
            let frame = Rectangle::new(bar(begin, end, 1.0), RGBColor(243, 243, 243).filled());
            chart.draw_series([frame]).map_err(told)?;
            let mean = percent(shares.iter().sum::<f64>() / shares.len().max(1) as f64);
            let (left, middle) = chart.backend_coord(&(begin, floor + 0.45));
            let text = Text::new(format!("{name}  {mean}"), (left - 8, middle), label.clone());
            area.draw(&text).map_err(told)?;
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
                    chart.draw_series([Rectangle::new(corners, colour(row).filled())]).map_err(told)?;
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
