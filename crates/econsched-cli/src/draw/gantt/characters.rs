//! Gantt charts in characters.

use super::{Gantt, letter};
use crate::output::terminal::number;
use std::fmt::Write as _;

/// The number of cells of the time axis on the narrowest terminal.
const FEWEST: usize = 10;

impl Gantt {
    /// The chart in characters: `columns` cells for the time, fewer where the terminal is not as wide, and
    /// one row for each lane that `keep` takes.
    pub(crate) fn text(
        &self,
        columns: usize,
        terminal: Option<u16>,
        mut keep: impl FnMut(usize) -> bool,
    ) -> String {
        let width = self.lanes.iter().map(|lane| lane.label.chars().count()).max().unwrap_or(0);
        let price = |price: Option<f64>| price.map_or(String::new(), |price| format!("  {}", number(price)));
        let prices = self.lanes.iter().map(|lane| price(lane.price).chars().count()).max().unwrap_or(0);
        // After the name of a lane come a space and two lines.
        let room = terminal.map(|terminal| usize::from(terminal).saturating_sub(width + prices + 3));
        let columns = room.map_or(columns, |room| columns.min(room.max(FEWEST)));
        let length = self.to - self.from;
        let cell = |instant: f64| {
            let share = if length > 0.0 { (instant - self.from) / length } else { 0.0 };
            ((share.clamp(0.0, 1.0) * columns as f64).floor() as usize).min(columns.saturating_sub(1))
        };
        let mut rows = vec![vec!['·'; columns]; self.lanes.len()];
        // Jobs are drawn after local load, which must not hide the bar of a short job.
        for jobs in [false, true] {
            for bar in self.bars.iter().filter(|bar| bar.job.is_some() == jobs) {
                if bar.end <= self.from || bar.start >= self.to || columns == 0 {
                    continue;
                }
                let first = cell(bar.start);
                let last = cell(bar.end).max(first + 1).min(columns);
                let last = if bar.end >= self.to { columns } else { last };
                let sign = bar.job.map_or('░', letter);
                for row in rows.iter_mut().skip(bar.lane).take(bar.lanes) {
                    row[first..last].fill(sign);
                }
            }
        }
        let mut text = String::new();
        for (at, lane) in self.lanes.iter().enumerate().filter(|(at, _)| keep(*at)) {
            let price = price(lane.price);
            let row: String = rows[at].iter().collect();
            let _ = writeln!(text, "{:>width$} │{row}│{price}", lane.label);
        }
        // The last mark may be beyond the last cell, if there is room for it.
        let mut scale = vec![' '; if terminal.is_some() { columns + prices } else { columns + 12 }];
        for mark in self.axis.marks(self.from, self.to, (columns / 12).max(1)) {
            let from = cell(self.axis.instant(mark));
            let mark = number(mark);
            let free = scale.iter().skip(from.saturating_sub(1)).take(mark.len() + 1).all(|c| *c == ' ');
            if free && from + mark.len() <= scale.len() {
                for (place, c) in scale[from..].iter_mut().zip(mark.chars()) {
                    *place = c;
                }
            }
        }
        let scale: String = scale.into_iter().collect();
        let line = format!("{:>width$}  {}  ({})", "", scale.trim_end(), self.axis.label);
        if terminal.is_none_or(|terminal| line.chars().count() <= usize::from(terminal)) {
            let _ = writeln!(text, "{line}");
        } else {
            let _ = writeln!(text, "{:>width$}  {}\n({})", "", scale.trim_end(), self.axis.label);
        }
        text
    }
}
