//! The streaming reader: one line, one record, constant memory.

use super::report::{DropReason, Dropped, Lost};
use super::{SwfField, SwfHeader, SwfRecord, SwfReport, SwfSource, SwfStatus};
use crate::WorkloadError;
use std::io::{self, BufRead, Read};

/// The longest line that the reader keeps, in bytes. Longer ones are dropped.
pub const MAX_LINE: usize = 1 << 20;

/// Options of reading.
#[derive(Debug, Clone)]
#[non_exhaustive]
#[must_use]
pub struct SwfOptions {
    /// Refuse the log at the first loss instead of reporting it; false by default.
    pub strict: bool,
    /// The most bytes of text to read, those of a gzip file counted as they are unpacked; 2 GiB by default.
    /// The largest logs of the Parallel Workloads Archive have some 500 MB.
    pub max_text: u64,
    /// The most bytes of memory to keep for comments, reports and, where a whole log is read, its records; 4
    /// GiB by default.
    pub max_memory: u64,
}

impl Default for SwfOptions {
    fn default() -> Self {
        SwfOptions { strict: false, max_text: 2 << 30, max_memory: 4 << 30 }
    }
}

sched_model::setters!(SwfOptions {
    with_strict: strict: bool,
    with_max_text: max_text: u64,
    with_max_memory: max_memory: u64,
});

/// An iterator over the records of a log.
///
/// It yields `Err` once, and then ends, when reading fails, when the log is larger than its
/// [limits](SwfOptions), or, in strict mode, at the first loss. O(length) time; memory for one line, the
/// comments, and the kept part of the report.
///
/// ```
/// use workload_gen::swf::SwfReader;
/// let mut reader =
///     SwfReader::new("; Note: two jobs\n1 0 0 9 1 -1 -1 1 9 -1 1 1 1 1 1 1 -1 -1\nrubbish\n".as_bytes());
/// let mut seconds = 0.0;
/// for record in reader.by_ref() {
///     seconds += record?.runtime.unwrap_or(0.0);
/// }
/// assert_eq!(seconds, 9.0);
/// assert_eq!(reader.report().lost_lines, 1);
/// # Ok::<(), workload_gen::WorkloadError>(())
/// ```
#[must_use]
pub struct SwfReader<R> {
    source: R,
    options: SwfOptions,
    header: SwfHeader,
    report: SwfReport,
    line: u64,
    /// Bytes of text so far.
    text: u64,
    /// Bytes kept so far.
    memory: u64,
    done: bool,
    buffer: Vec<u8>,
}

impl<R: Read> SwfReader<SwfSource<R>> {
    /// Reads plain text or gzip, as `source` has it.
    ///
    /// # Errors
    /// [`WorkloadError::Io`] when the first bytes cannot be read.
    pub fn detect(source: R) -> Result<Self, WorkloadError> {
        let source = SwfSource::detect(source).map_err(|source| WorkloadError::Io { line: 0, source })?;
        Ok(SwfReader::new(source))
    }
}

impl<R: BufRead> SwfReader<R> {
    /// Reads plain text.
    pub fn new(source: R) -> Self {
        SwfReader {
            source,
            options: SwfOptions::default(),
            header: SwfHeader::default(),
            report: SwfReport::default(),
            line: 0,
            text: 0,
            memory: 0,
            done: false,
            buffer: Vec::new(),
        }
    }

    /// Sets the options.
    pub fn with_options(self, options: SwfOptions) -> Self {
        SwfReader { options, ..self }
    }

    /// The comments read so far: all of the header once the first record is out.
    pub fn header(&self) -> &SwfHeader {
        &self.header
    }

    /// The losses so far.
    pub fn report(&self) -> &SwfReport {
        &self.report
    }

    /// Number of the line read last; 0 before the first.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// The comments and the losses, after all records.
    pub fn into_parts(self) -> (SwfHeader, SwfReport) {
        (self.header, self.report)
    }

    /// Counts bytes that will be kept.
    ///
    /// # Errors
    /// [`WorkloadError::TooLarge`] beyond [`SwfOptions::max_memory`].
    pub(super) fn keep(&mut self, bytes: usize) -> Result<(), WorkloadError> {
        self.memory = self.memory.saturating_add(bytes as u64);
        if self.memory <= self.options.max_memory {
            return Ok(());
        }
        Err(WorkloadError::TooLarge { what: "memory", limit: self.options.max_memory, line: self.line })
    }

    /// Fills the buffer with the next line.
    fn next_line(&mut self) -> Result<Line, WorkloadError> {
        self.buffer.clear();
        let line = self.line + 1;
        let failed = |source| WorkloadError::Io { line, source };
        let too_large = WorkloadError::TooLarge { what: "text", limit: self.options.max_text, line };
        // One byte more than the limit is read, to see whether the text exceeds it.
        let left = self.options.max_text.saturating_sub(self.text);
        let limit = left.min(MAX_LINE as u64) + 1;
        let read = self.source.by_ref().take(limit).read_until(b'\n', &mut self.buffer).map_err(failed)?;
        if read == 0 {
            return Ok(Line::End);
        }
        if read as u64 > left {
            return Err(too_large);
        }
        self.text += read as u64;
        self.line = line;
        if self.buffer.len() > MAX_LINE && self.buffer.last() != Some(&b'\n') {
            return match skip_line(&mut self.source, left - read as u64).map_err(failed)? {
                Some(skipped) => {
                    self.text += skipped;
                    Ok(Line::TooLong)
                }
                None => Err(too_large),
            };
        }
        if self.line == 1 && self.buffer.starts_with(b"\xef\xbb\xbf") {
            self.buffer.drain(..3);
        }
        Ok(Line::Whole)
    }

    /// Reports a loss; in strict mode the loss is returned as an error.
    fn lose(&mut self, field: Option<SwfField>, lost: Lost, reason: DropReason) -> Result<(), WorkloadError> {
        let dropped = Dropped { line: self.line, field, column: None, lost, reason };
        if self.options.strict {
            return Err(WorkloadError::Refused(dropped));
        }
        self.report.add(dropped);
        Ok(())
    }

    /// Reads on to the next record.
    fn next_record(&mut self) -> Result<Option<SwfRecord>, WorkloadError> {
        loop {
            match self.next_line()? {
                Line::End => return Ok(None),
                Line::TooLong => self.lose(None, Lost::Line, DropReason::TooLong)?,
                Line::Whole => {
                    // The buffer is taken out while parsing, because reporting a loss borrows the reader.
                    let buffer = std::mem::take(&mut self.buffer);
                    let record = self.parse(buffer.trim_ascii());
                    self.buffer = buffer;
                    if let Some(record) = record? {
                        return Ok(Some(record));
                    }
                }
            }
        }
    }

    fn parse(&mut self, line: &[u8]) -> Result<Option<SwfRecord>, WorkloadError> {
        match line.first() {
            None => return Ok(None),
            Some(b';') => {
                let comment = text(&line[1..]);
                self.keep(size_of::<String>() + comment.len())?;
                self.header.push(&comment);
                return Ok(None);
            }
            Some(_) => {}
        }
        let mut tokens: [&[u8]; 18] = [&[]; 18];
        let mut rest = line.split(u8::is_ascii_whitespace).filter(|token| !token.is_empty());
        for (found, place) in tokens.iter_mut().enumerate() {
            match rest.next() {
                Some(token) => *place = token,
                None => {
                    self.lose(None, Lost::Line, DropReason::TooFewFields { found })?;
                    return Ok(None);
                }
            }
        }
        // A record without number or submit time has no use, so an error in these two drops the line.
        let job = match count(tokens[0]) {
            Ok(job) => job,
            Err(reason) => {
                self.lose(Some(SwfField::Job), Lost::Line, reason)?;
                return Ok(None);
            }
        };
        let submit = match real(tokens[1]) {
            Ok(submit) => submit,
            Err(reason) => {
                self.lose(Some(SwfField::Submit), Lost::Line, reason)?;
                return Ok(None);
            }
        };
        let mut record = SwfRecord { job, submit, ..SwfRecord::default() };
        for (&field, token) in SwfField::ALL.iter().zip(tokens).skip(2) {
            if let Err(reason) = set(&mut record, field, token) {
                self.lose(Some(field), Lost::Value, reason)?;
            }
        }
        record.extra.extend(rest.map(text));
        Ok(Some(record))
    }
}

impl<R: BufRead> Iterator for SwfReader<R> {
    type Item = Result<SwfRecord, WorkloadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let next = self.next_record().transpose();
        self.done = !matches!(next, Some(Ok(_)));
        next
    }
}

enum Line {
    Whole,
    TooLong,
    End,
}

/// Reads over the rest of a line: how many bytes that were, `None` if more than `left`.
fn skip_line<R: BufRead>(source: &mut R, left: u64) -> io::Result<Option<u64>> {
    let mut skipped = 0;
    loop {
        let held = source.fill_buf()?;
        if held.is_empty() {
            return Ok(Some(skipped));
        }
        let (used, line_ends) = match held.iter().position(|&b| b == b'\n') {
            Some(at) => (at + 1, true),
            None => (held.len(), false),
        };
        source.consume(used);
        skipped += used as u64;
        if skipped > left {
            return Ok(None);
        }
        if line_ends {
            return Ok(Some(skipped));
        }
    }
}

fn set(record: &mut SwfRecord, field: SwfField, token: &[u8]) -> Result<(), DropReason> {
    match field {
        SwfField::Job => record.job = count(token)?,
        SwfField::Submit => record.submit = real(token)?,
        SwfField::Wait => record.wait = real(token)?,
        SwfField::Runtime => record.runtime = real(token)?,
        SwfField::Allocated => record.allocated = count(token)?,
        SwfField::CpuTime => record.cpu_time = real(token)?,
        SwfField::Memory => record.memory = real(token)?,
        SwfField::RequestedProcessors => record.requested_processors = count(token)?,
        SwfField::RequestedTime => record.requested_time = real(token)?,
        SwfField::RequestedMemory => record.requested_memory = real(token)?,
        SwfField::Status => record.status = count(token)?.map(SwfStatus),
        SwfField::User => record.user = count(token)?,
        SwfField::Group => record.group = count(token)?,
        SwfField::Executable => record.executable = count(token)?,
        SwfField::Queue => record.queue = count(token)?,
        SwfField::Partition => record.partition = count(token)?,
        SwfField::Preceding => record.preceding = count(token)?,
        SwfField::ThinkTime => record.think_time = real(token)?,
    }
    Ok(())
}

/// Bytes as text: as UTF-8 if they are valid UTF-8, else as Latin-1, in which every byte is a character.
fn text(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|&b| char::from(b)).collect(),
    }
}

/// The head of a token, for a message.
fn shown(token: &[u8]) -> String {
    String::from_utf8_lossy(token).chars().take(40).collect()
}

/// The digits of a token that is nothing but digits, and few enough for `limit` of them to fit.
fn digits(token: &[u8], limit: usize) -> Option<u64> {
    if token.len() > limit {
        return None;
    }
    let mut value = 0;
    for &b in token {
        if !b.is_ascii_digit() {
            return None;
        }
        value = value * 10 + u64::from(b - b'0');
    }
    Some(value)
}

/// A finite number that is not negative, or `None` for -1.
fn real(token: &[u8]) -> Result<Option<f64>, DropReason> {
    if token == b"-1" {
        return Ok(None);
    }
    // Up to 15 digits are exact in an f64.
    if let Some(value) = digits(token, 15) {
        return Ok(Some(value as f64));
    }
    let value = std::str::from_utf8(token).ok().and_then(|text| text.parse::<f64>().ok());
    match value {
        Some(-1.0) => Ok(None),
        Some(value) if value.is_finite() && value < 0.0 => Err(DropReason::Negative { text: shown(token) }),
        // The addition turns -0 into 0.
        Some(value) if value.is_finite() => Ok(Some(value + 0.0)),
        _ => Err(DropReason::NotANumber { text: shown(token) }),
    }
}

/// A whole number that is not negative, or `None` for -1.
fn count(token: &[u8]) -> Result<Option<u64>, DropReason> {
    // Up to 19 digits cannot overflow a u64.
    if let Some(value) = digits(token, 19) {
        return Ok(Some(value));
    }
    if token.iter().all(u8::is_ascii_digit) {
        let value = std::str::from_utf8(token).ok().and_then(|text| text.parse().ok());
        return value.map(Some).ok_or_else(|| DropReason::TooLarge { text: shown(token) });
    }
    match real(token)? {
        None => Ok(None),
        Some(value) if value.fract() != 0.0 => Err(DropReason::NotWhole { text: shown(token) }),
        // 2^64 as an f64 is exact, and every whole f64 below it fits.
        Some(value) if value < 18_446_744_073_709_551_616.0 => Ok(Some(value as u64)),
        Some(_) => Err(DropReason::TooLarge { text: shown(token) }),
    }
}
