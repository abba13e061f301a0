//! Standard output and standard error. A reader that closes the pipe is no error.

mod columns;

pub(crate) use crate::output::wording::{Times, counted, exact, number, thousandths};
pub(crate) use columns::Columns;

use crate::error::CliError;
use crate::output::progress;
use crate::printable::printable;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether results are written to files alone.
static QUIET: AtomicBool = AtomicBool::new(false);

/// From now on only errors are printed.
pub(crate) fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Whether progress may be shown: not with --quiet, and only on a terminal.
pub(crate) fn shows_progress() -> bool {
    !QUIET.load(Ordering::Relaxed) && io::stderr().is_terminal()
}

/// Columns of the terminal on standard output, where it is one and they are known.
pub(crate) fn width() -> Option<u16> {
    let columns = || terminal_size::terminal_size_of(io::stdout()).map(|(columns, _)| columns.0);
    io::stdout().is_terminal().then(columns).flatten().filter(|&columns| columns >= 20)
}

/// Writes `text` to standard output, unless the program is to be quiet.
///
/// # Errors
/// Any failure but a broken pipe.
pub(crate) fn print(text: &str) -> Result<(), CliError> {
    print_by(|out| out.write_all(printable(text).as_bytes()))
}

/// As [`print`], what `fill` writes piece by piece: plain text of ours.
///
/// # Errors
/// As [`print`].
pub(crate) fn print_by(fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), CliError> {
    if QUIET.load(Ordering::Relaxed) {
        return Ok(());
    }
    let filled = progress::aside(|| {
        let mut out = BufWriter::new(io::stdout().lock());
        fill(&mut out).and_then(|()| out.flush())
    });
    match filled {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(CliError::write("standard output", error)),
        _ => Ok(()),
    }
}

/// As [`print`], for a person: lines that are longer than the terminal is wide are broken between words.
///
/// # Errors
/// As [`print`].
pub(crate) fn tell(text: &str) -> Result<(), CliError> {
    match width() {
        Some(width) => print(&broken(text, usize::from(width))),
        None => print(text),
    }
}

/// The same text in lines of at most `width` characters, except longer words. Continued lines are indented to
/// the first word.
fn broken(text: &str, width: usize) -> String {
    let mut lines = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        if line.trim_end_matches('\n').chars().count() <= width {
            lines.push_str(line);
            continue;
        }
        let indent = line.chars().take_while(|c| *c == ' ').count();
        let mut at = 0;
        for word in line.trim_end_matches('\n').split(' ').filter(|word| !word.is_empty()) {
            let length = word.chars().count();
            if at > indent && at + 1 + length > width {
                lines.push('\n');
                at = 0;
            }
            let space = if at == 0 { indent } else { 1 };
            lines.extend(std::iter::repeat_n(' ', space));
            lines.push_str(word);
            at += space + length;
        }
        lines.push_str(if line.ends_with('\n') { "\n" } else { "" });
    }
    lines
}

/// Writes a line to standard error; a failure to do so is ignored.
pub(crate) fn complain(message: &str) {
    let _ = progress::aside(|| writeln!(io::stderr().lock(), "econsched: {}", printable(message)));
}
