//! Progress: one line on standard error, for a person who has waited for more than a second.
//!
//! The line says what is being done ([`during`]), what a search has found so far ([`say`]), or how many of a
//! number of things are done and when the rest will be ([`count`]). It is removed before anything else is
//! printed.

use crate::printable::printable;
use crate::wording::Times;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Nothing is drawn before this: most commands have ended by then.
const PATIENCE: Duration = Duration::from_secs(1);
/// The time between two drawings.
const BEAT: Duration = Duration::from_millis(100);
const TURNS: [char; 4] = ['|', '/', '-', '\\'];
/// Cells of the bar.
const CELLS: u64 = 20;

/// The line; `None` if standard error is not a terminal.
static LINE: Mutex<Option<Line>> = Mutex::new(None);

struct Line {
    begun: Instant,
    doing: String,
    told: String,
    /// Whether the text has not been drawn yet.
    fresh: bool,
    count: Option<Count>,
    drawn: bool,
    turn: usize,
}

struct Count {
    label: String,
    done: u64,
    of: u64,
    begun: Instant,
}

fn line() -> MutexGuard<'static, Option<Line>> {
    LINE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on there is a line. To be called only if standard error is a terminal.
pub(crate) fn begin(doing: &str) {
    *line() = Some(Line {
        begun: Instant::now(),
        doing: doing.to_owned(),
        told: String::new(),
        fresh: false,
        count: None,
        drawn: false,
        turn: 0,
    });
    std::thread::spawn(|| {
        loop {
            std::thread::sleep(BEAT);
            let mut line = line();
            let Some(line) = line.as_mut() else { return };
            if line.begun.elapsed() >= PATIENCE {
                line.draw();
            }
        }
    });
}

/// Removes the line for good.
pub(crate) fn end() {
    if let Some(mut line) = line().take() {
        line.wipe();
    }
}

/// Removes the line for as long as the result is held, while the terminal is written to or read from.
pub(crate) fn aside() -> Aside {
    let mut line = line();
    if let Some(line) = line.as_mut() {
        line.wipe();
    }
    Aside { _line: line }
}

/// See [`aside`].
#[must_use]
pub(crate) struct Aside {
    _line: MutexGuard<'static, Option<Line>>,
}

/// Says what is being done for as long as the result is held.
pub(crate) fn during(doing: &str) -> During {
    During(line().as_mut().map(|line| std::mem::replace(&mut line.doing, doing.to_owned())))
}

/// See [`during`]; holds the text of before.
#[must_use]
pub(crate) struct During(Option<String>);

impl Drop for During {
    fn drop(&mut self) {
        if let (Some(before), Some(line)) = (self.0.take(), line().as_mut()) {
            line.doing = before;
            line.told.clear();
            line.fresh = false;
        }
    }
}

/// Says what has been found so far. The text is computed only when the line is drawn.
pub(crate) fn say(told: impl FnOnce() -> String) {
    if let Some(line) = line().as_mut().filter(|line| !line.fresh) {
        line.told = told();
        line.fresh = true;
    }
}

/// Counts towards `of` things for as long as the result is held.
pub(crate) fn count(label: &str, of: u64) -> Counting {
    if let Some(line) = line().as_mut() {
        line.count = Some(Count { label: label.to_owned(), done: 0, of, begun: Instant::now() });
    }
    Counting
}

/// See [`count`].
#[must_use]
pub(crate) struct Counting;

impl Counting {
    fn change(&self, change: impl FnOnce(&mut u64)) {
        if let Some(count) = line().as_mut().and_then(|line| line.count.as_mut()) {
            change(&mut count.done);
        }
    }

    /// One more thing is done.
    pub(crate) fn step(&self) {
        self.change(|done| *done += 1);
    }

    /// Sets the number of things done. It is computed only if the line is shown.
    pub(crate) fn reach_by(&self, now: impl FnOnce() -> u64) {
        self.change(|done| *done = now());
    }
}

impl Drop for Counting {
    fn drop(&mut self) {
        if let Some(line) = line().as_mut() {
            line.count = None;
        }
    }
}

impl Line {
    fn draw(&mut self) {
        self.turn = (self.turn + 1) % TURNS.len();
        let columns = console::Term::stderr().size_checked().map_or(80, |(_, columns)| usize::from(columns));
        let text = format!("{} {}", TURNS[self.turn], self.text(Instant::now()));
        // A line that is wrapped could not be removed.
        let text: String = printable(&text).chars().take(columns.saturating_sub(1)).collect();
        let mut out = io::stderr().lock();
        let _ = write!(out, "\r\x1b[2K{text}").and_then(|()| out.flush());
        (self.drawn, self.fresh) = (true, false);
    }

    fn wipe(&mut self) {
        if std::mem::take(&mut self.drawn) {
            let mut out = io::stderr().lock();
            let _ = write!(out, "\r\x1b[2K").and_then(|()| out.flush());
        }
    }

    fn text(&self, now: Instant) -> String {
        let seconds = |since: Instant| now.saturating_duration_since(since).as_secs_f64();
        let read = |seconds: f64| Times::Read.show(seconds.round().max(1.0));
        let Some(Count { label, done, of, begun }) = &self.count else {
            let told = if self.told.is_empty() { String::new() } else { format!(": {}", self.told) };
            return format!("{}{told}, {}", self.doing, read(seconds(self.begun)));
        };
        let full = (done * CELLS).checked_div(*of).unwrap_or(CELLS).min(CELLS);
        let bar: String = (0..CELLS).map(|cell| if cell < full { '█' } else { '░' }).collect();
        let mut text = format!("{label} {bar} {done}/{of}, {}", read(seconds(self.begun)));
        if 0 < *done && done < of {
            let left = seconds(*begun) / *done as f64 * (of - done) as f64;
            let _ = write!(text, ", about {} left", read(left));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_what_is_done_and_what_is_left() {
        let begun = Instant::now();
        let mut line = Line {
            begun,
            doing: "reading log.swf".to_owned(),
            told: String::new(),
            fresh: false,
            count: None,
            drawn: false,
            turn: 0,
        };
        let later = begun + Duration::from_secs(75);
        assert_eq!(line.text(later), "reading log.swf, 1 min 15 s");
        line.told = "best 3".to_owned();
        assert_eq!(line.text(later), "reading log.swf: best 3, 1 min 15 s");
        line.count = Some(Count { label: "runs".to_owned(), done: 5, of: 20, begun });
        assert_eq!(line.text(later), "runs █████░░░░░░░░░░░░░░░ 5/20, 1 min 15 s, about 3 min 45 s left");
        line.count = Some(Count { label: "runs".to_owned(), done: 0, of: 0, begun });
        assert!(line.text(later).ends_with("0/0, 1 min 15 s"));
    }
}
