//! The legend of a chart: the names of the series with their colours, in rows below the chart.

use super::{Area, FONT, told};
use plotters::prelude::*;

/// Pixels of a row of the legend.
const ROW: usize = 24;

/// Pixels of an entry of the legend. Without font metrics: 8 for a letter of size 15 is a little more than
/// most take.
fn width_of(name: &str) -> i32 {
    46 + 8 * name.chars().count() as i32
}

/// The names with their places among the series, in as many rows as they need: each row but the last holds
/// as many as fit in a chart of this width, and at least one.
pub(super) fn rows<'n>(names: &[&'n str], width: u32) -> Vec<Vec<(usize, &'n str)>> {
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
pub(super) fn height(rows: &[Vec<(usize, &str)>]) -> u32 {
    (16 + ROW * rows.len()) as u32
}

/// Draws the rows of the legend, each centred.
pub(super) fn draw(
    area: &Area<'_>,
    rows: &[Vec<(usize, &str)>],
    colour: &dyn Fn(usize) -> RGBColor,
) -> Result<(), String> {
    for (row, top) in rows.iter().zip((8..).step_by(ROW)) {
        let width: i32 = row.iter().map(|(_, name)| width_of(name)).sum();
        let mut x = ((area.dim_in_pixel().0 as i32 - width) / 2).max(6);
        for &(at, name) in row {
            area.draw(&Rectangle::new([(x, top), (x + 22, top + 14)], colour(at).filled())).map_err(told)?;
            area.draw(&Text::new(name.to_owned(), (x + 28, top - 1), (FONT, 15))).map_err(told)?;
            x += width_of(name);
        }
    }
    Ok(())
}
