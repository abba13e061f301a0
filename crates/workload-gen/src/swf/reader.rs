//! The streaming reader of logs, plain text or gzip: one record at a time, in constant memory.

use super::report::{DropReason, Dropped, Lost};
use super::{SwfField, SwfHeader, SwfLog, SwfRecord, SwfReport, number};
use crate::WorkloadError;
use flate2::read::MultiGzDecoder;
use std::io;
use std::io::{BufRead, BufReader, Cursor, Read};

/// The longest line that the reader keeps, in bytes. Longer lines are dropped.
pub(super) const MAX_LINE: usize = 1 << 20;

/// An iterator over the records of a log.
///
/// It yields one error and ends if reading fails, if the log exceeds a limit, or, in strict mode, at the first loss.
/// Takes O(length) time, and memory for one line, the comments and at most 10,000 reported losses.
///
/// ```
/// use workload_gen::swf::SwfReader;
/// let mut reader =
///     SwfReader::new("; Note: two jobs\n1 0 0 9 1 -1 -1 1 9 -1 1 1 1 1 1 1 -1 -1\nrubbish\n".as_bytes())?;
/// let mut seconds = 0.0;
/// for record in reader.by_ref() {
///     seconds += record?.runtime.unwrap_or(0.0);
/// }
/// assert_eq!(seconds, 9.0);
/// assert_eq!(reader.report.lost_lines, 1);
/// # Ok::<(), workload_gen::WorkloadError>(())
/// ```
#[must_use]
pub struct SwfReader<'a> {
    source: Box<dyn BufRead + 'a>,
    /// Whether the first loss is an error, instead of an entry of the report; false by default.
    pub strict: bool,
    /// The maximum number of bytes of text to read, counted after decompression; 2 GiB by default. The largest logs of
    /// the Parallel Workloads Archive have about 500 MB.
    pub max_text: u64,
    /// The maximum number of bytes of memory to keep for comments and, in [`into_log`](Self::into_log), for records;
    /// 4 GiB by default.
    pub max_memory: u64,
    /// The comments read so far: the whole header once the first record has been returned.
    pub header: SwfHeader,
    /// The losses so far.
    pub report: SwfReport,
    /// The number of the last line read; 0 before the first.
    pub line: u64,
    /// Bytes of text read so far.
    text: u64,
    /// Bytes kept so far.
    memory: u64,
    done: bool,
    buffer: Vec<u8>,
}

impl<'a> SwfReader<'a> {
    /// Creates a reader of plain text or gzip, whichever `source` contains; all members of a gzip file are read.
    ///
    /// # Errors
    /// [`WorkloadError::Io`] if the first bytes cannot be read.
    pub fn new(source: impl Read + 'a) -> Result<Self, WorkloadError> {
        let source = detect(Box::new(source)).map_err(|source| WorkloadError::Io { line: 0, source })?;
        Ok(SwfReader {
            source,
            strict: false,
            max_text: 2 << 30,
            max_memory: 4 << 30,
            header: SwfHeader::default(),
            report: SwfReport::default(),
            line: 0,
            text: 0,
            memory: 0,
            done: false,
            buffer: Vec::new(),
        })
    }

    /// Counts bytes of memory that will be kept.
    ///
    /// # Errors
    /// [`WorkloadError::TooLarge`] beyond `max_memory`.
    fn keep(&mut self, bytes: usize) -> Result<(), WorkloadError> {
        self.memory = self.memory.saturating_add(bytes as u64);
        if self.memory <= self.max_memory {
            return Ok(());
        }
        Err(WorkloadError::TooLarge { what: "memory", limit: self.max_memory, line: self.line })
    }

    /// Reads the rest of the log into memory, and reports what was dropped.
    ///
    /// # Errors
    /// Those of the iterator.
    pub fn into_log(mut self) -> Result<(SwfLog, SwfReport), WorkloadError> {
        let mut records = Vec::new();
        while let Some(record) = self.next().transpose()? {
            self.keep(record.size())?;
            records.push(record);
        }
        Ok((SwfLog { header: self.header, records }, self.report))
    }

    /// Reads the next line into the buffer; skips it if it is too long.
    fn next_line(&mut self) -> Result<Line, WorkloadError> {
        self.buffer.clear();
        let line = self.line + 1;
        let failed = |source| WorkloadError::Io { line, source };
        let too_large = WorkloadError::TooLarge { what: "text", limit: self.max_text, line };
        // One byte more than the limit, to see whether the text exceeds it.
        let left = self.max_text.saturating_sub(self.text);
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

    /// Reports a loss; in strict mode returns it as an error.
    fn lose(&mut self, field: Option<SwfField>, lost: Lost, reason: DropReason) -> Result<(), WorkloadError> {
        let dropped = Dropped { line: self.line, field, column: None, lost, reason };
        if self.strict {
            return Err(WorkloadError::Refused(dropped));
        }
        self.report.add(dropped);
        Ok(())
    }

    /// Reads lines up to and including the next record; `None` at the end of the log.
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

    /// Parses a line; `None` if it is blank, a comment, or dropped.
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
        let mut record = SwfRecord::default();
        for (field, token) in SwfField::ALL.into_iter().zip(tokens) {
            if let Err(reason) = number::read(&mut record, field, token) {
                let lost = Lost::if_unreadable(field);
                self.lose(Some(field), lost, reason)?;
                if lost == Lost::Line {
                    return Ok(None);
                }
            }
        }
        record.extra.extend(rest.map(text));
        Ok(Some(record))
    }
}

impl Iterator for SwfReader<'_> {
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

/// Skips the rest of a line and returns its number of bytes; `None` if there are more than `left`.
fn skip_line(source: &mut dyn BufRead, left: u64) -> io::Result<Option<u64>> {
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

/// Decodes bytes as UTF-8 if they are valid, otherwise as Latin-1, in which every byte is a character.
fn text(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|&b| char::from(b)).collect(),
    }
}

/// The first two bytes of every gzip member (RFC 1952).
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// The size of the buffer of text, in bytes.
const BUFFER_SIZE: usize = 1 << 16;

/// Buffers `source`, and decompresses it (all members) if its first bytes are those of gzip.
///
/// # Errors
/// The error if these bytes cannot be read.
pub(super) fn detect<'a>(mut source: Box<dyn Read + 'a>) -> io::Result<Box<dyn BufRead + 'a>> {
    let mut first = Vec::with_capacity(GZIP.len());
    source.by_ref().take(GZIP.len() as u64).read_to_end(&mut first)?;
    let gzip = first == GZIP;
    let whole = Cursor::new(first).chain(source);
    Ok(if gzip {
        Box::new(BufReader::with_capacity(BUFFER_SIZE, MultiGzDecoder::new(whole)))
    } else {
        Box::new(BufReader::with_capacity(BUFFER_SIZE, whole))
    })
}
