//! Reads a file piece by piece: unpacked, without a byte-order mark, and within limits. Formats results as text, JSON
//! and CSV.

use crate::error::{CliError, Place};
use crate::output::progress;
use crate::printable::is_unprintable;
use flate2::read::MultiGzDecoder;
use serde::Serialize;
use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::io::{Cursor, Read, Take};
use std::path::Path;

/// Maximum size of the content of a file.
const LARGEST: u64 = 2 << 30;
/// Maximum ratio of unpacked to packed size, since a small gzip file may unpack to any size. Logs and matrices shrink
/// to a tenth, hardly to less than a hundredth.
const UNPACKED_AT_MOST: u64 = 100;
/// This size may be unpacked whatever the size of the packed file.
const UNPACKED_ALWAYS: u64 = 64 << 20;

/// The content of a file, to be read.
pub(crate) struct Opened {
    bytes: Box<dyn Read>,
    _during: progress::During,
}

impl Read for Opened {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.bytes.read(buf)
    }
}

/// Opens a file, unpacked if it starts with the gzip magic; `-` is standard input.
///
/// # Errors
/// [`CliError::Wrong`] with the path if it cannot be read, and for UTF-16. Content that is too large is an error of
/// reading.
pub(crate) fn open(path: &Path) -> Result<Opened, CliError> {
    let failed = |error: io::Error| CliError::input(path, error);
    let standard = path.as_os_str() == "-";
    let name = if standard { "standard input".to_owned() } else { Place::file(path).to_string() };
    let during = progress::during(&format!("reading {name}"));
    let source: Box<dyn Read> =
        if standard { Box::new(io::stdin()) } else { Box::new(File::open(path).map_err(failed)?) };
    let (magic, source) = begun(source, 2).map_err(failed)?;
    // The limit of the `Take` tells how far the source was read.
    let source = source.take(u64::MAX);
    let bytes: Box<dyn Read> = if magic == [0x1f, 0x8b] {
        let (bytes, wrong) = (MultiGzDecoder::new(source), "not a whole gzip file: ");
        let most = |bytes: &MultiGzDecoder<Take<_>>| UNPACKED_AT_MOST * (u64::MAX - bytes.get_ref().limit());
        Box::new(LimitedReader { bytes, read: 0, most, wrong })
    } else {
        Box::new(LimitedReader { bytes: source, read: 0, most: |_| LARGEST, wrong: "" })
    };
    let (head, mut bytes) = begun(bytes, 3).map_err(failed)?;
    if head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]) {
        return Err(CliError::input(path, "UTF-16 text: save it as UTF-8"));
    }
    // A byte-order mark has no meaning in UTF-8.
    if head == [0xef, 0xbb, 0xbf] {
        bytes.read_exact(&mut [0; 3]).map_err(failed)?;
    }
    Ok(Opened { bytes, _during: during })
}

/// A reader that fails if it reads too much.
struct LimitedReader<R> {
    bytes: R,
    read: u64,
    /// How much may be read by now; 64 MiB always may.
    most: fn(&R) -> u64,
    /// Put before the message of an error.
    wrong: &'static str,
}

impl<R: Read> Read for LimitedReader<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let wrong = |error: io::Error| io::Error::new(error.kind(), format!("{}{error}", self.wrong));
        let read = self.bytes.read(buf).map_err(wrong)?;
        self.read += read as u64;
        match (self.most)(&self.bytes).clamp(UNPACKED_ALWAYS, LARGEST) {
            most if self.read <= most => Ok(read),
            LARGEST => Err(io::Error::other(format!("more than {LARGEST} bytes"))),
            _ => Err(io::Error::other(format!("unpacks to more than {UNPACKED_AT_MOST} times its size"))),
        }
    }
}

/// Returns the first bytes of a source, up to `count`, and all of it.
fn begun(mut source: Box<dyn Read>, count: u64) -> io::Result<(Vec<u8>, Box<dyn Read>)> {
    let mut first = Vec::new();
    source.by_ref().take(count).read_to_end(&mut first)?;
    Ok((first.clone(), Box::new(Cursor::new(first).chain(source))))
}

/// Formats `value` as indented JSON that ends in a line break. Control characters of terminals are escaped.
///
/// # Errors
/// [`CliError::Fault`] for a value that JSON cannot hold.
pub(crate) fn json<T: Serialize>(value: &T) -> Result<String, CliError> {
    Ok(escaped(&serde_json::to_string_pretty(value)?) + "\n")
}

fn escaped(text: &str) -> String {
    // Outside of strings, the line break is the only such character in JSON. All of them lie below U+10000.
    let escape = |c: char| match c {
        c if is_unprintable(c) => format!("\\u{:04x}", u32::from(c)),
        c => c.to_string(),
    };
    if text.chars().any(is_unprintable) { text.chars().map(escape).collect() } else { text.to_owned() }
}

/// Formats rows as CSV text, headings first. A cell that a spreadsheet would take for a formula gets an apostrophe in
/// front; a number of more than [`WIDEST`] characters is written with an exponent.
///
/// # Errors
/// [`CliError::Fault`] if a row does not have as many cells as the headings.
pub(crate) fn csv<R: IntoIterator<Item: Into<String>>>(
    headings: &[impl AsRef<str>],
    rows: impl IntoIterator<Item = R>,
) -> Result<String, CliError> {
    let headings: Vec<&str> = headings.iter().map(AsRef::as_ref).collect();
    let mut rows = rows.into_iter().map(|row| row.into_iter().map(Into::into).collect());
    let mut bytes = Vec::new();
    write_csv(&mut bytes, &headings, &mut rows).map_err(CliError::fault)?;
    String::from_utf8(bytes).map_err(CliError::fault)
}

/// As [`csv()`], but writes row by row.
///
/// # Errors
/// Those of `out`.
pub(crate) fn write_csv(
    out: &mut dyn io::Write,
    headings: &[&str],
    rows: &mut dyn Iterator<Item = Vec<String>>,
) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(headings.iter().map(|cell| guarded(cell).into_owned()))?;
    for row in rows {
        for cell in &row {
            writer.write_field(shortened(guarded(cell)).as_bytes())?;
        }
        writer.write_record(None::<&[u8]>)?;
    }
    writer.flush()
}

/// Maximum number of characters of a number: a sign, a point, 17 digits, and some zeros.
const WIDEST: usize = 24;

/// Writes a double of very many digits with an exponent. It reads as the same double.
fn shortened(cell: Cow<'_, str>) -> Cow<'_, str> {
    let digits = |cell: &str| cell.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'.'));
    if cell.len() <= WIDEST || !digits(&cell) {
        return cell;
    }
    match cell.parse::<f64>() {
        Ok(value) if value.to_string() == *cell => Cow::Owned(format!("{value:e}")),
        _ => cell,
    }
}

/// Makes sure that no spreadsheet takes a cell for a formula: numbers are unchanged, other text that begins like a
/// formula gets an apostrophe in front.
fn guarded(cell: &str) -> Cow<'_, str> {
    let numbers = || cell.split(' ').all(|word| word == "-" || word.parse::<f64>().is_ok());
    if cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && !numbers() {
        Cow::Owned(format!("'{cell}"))
    } else {
        Cow::Borrowed(cell)
    }
}
