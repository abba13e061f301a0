//! A whole log in memory.

use super::{SwfHeader, SwfOptions, SwfReader, SwfRecord, SwfReport, write_header, write_record};
use crate::WorkloadError;
use std::io::{Read, Write};

/// Comments and records, both in the order of the file.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct SwfLog {
    /// The comments.
    pub header: SwfHeader,
    /// The records.
    pub records: Vec<SwfRecord>,
}

impl SwfLog {
    /// Reads a log, plain or gzip, and reports what it had to drop.
    ///
    /// # Errors
    /// [`WorkloadError::Io`] when reading or decompressing fails, with the line where it did;
    /// [`WorkloadError::TooLarge`] beyond the limits of [`SwfOptions`].
    pub fn read(source: impl Read) -> Result<(SwfLog, SwfReport), WorkloadError> {
        SwfLog::read_with(source, SwfOptions::default())
    }

    /// Like [`SwfLog::read`], with options.
    ///
    /// # Errors
    /// As [`SwfLog::read`]; in strict mode also [`WorkloadError::Refused`] at the first loss.
    pub fn read_with(source: impl Read, options: SwfOptions) -> Result<(SwfLog, SwfReport), WorkloadError> {
        SwfReader::detect(source)?.with_options(options).rest()
    }

    /// Writes the log. Reading it again gives an equal log without a loss.
    ///
    /// # Errors
    /// As [`write_record`]. `out` should be buffered: each record is one write.
    pub fn write(&self, out: &mut dyn Write) -> Result<(), WorkloadError> {
        write_header(out, &self.header)?;
        self.records.iter().try_for_each(|record| write_record(out, record))?;
        out.flush().map_err(|source| WorkloadError::Io { line: 0, source })
    }

    /// Counts the records that are unusual, which a scheduler has to handle.
    pub fn summary(&self) -> SwfSummary {
        let mut summary = SwfSummary { records: self.records.len(), ..SwfSummary::default() };
        let mut latest = f64::NEG_INFINITY;
        for record in &self.records {
            match record.submit {
                Some(submit) => {
                    summary.unsorted += usize::from(submit < latest);
                    latest = latest.max(submit);
                }
                None => summary.without_submit += 1,
            }
            summary.without_runtime += usize::from(record.runtime.is_none());
            summary.without_processors += usize::from(record.processors().is_none());
            if let (Some(runtime), Some(requested)) = (record.runtime, record.requested_time) {
                summary.overrun += usize::from(runtime > requested);
            }
            if let (Some(allocated), Some(requested)) = (record.allocated, record.requested_processors) {
                summary.other_allocation += usize::from(allocated != requested);
            }
        }
        summary
    }
}

/// How many records of a log are unusual.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct SwfSummary {
    /// All records.
    pub records: usize,
    /// Records that are submitted before an earlier record of the log.
    pub unsorted: usize,
    /// Records that ran longer than requested.
    pub overrun: usize,
    /// Records that got another number of processors than requested.
    pub other_allocation: usize,
    /// Records without a submit time.
    pub without_submit: usize,
    /// Records without a run time.
    pub without_runtime: usize,
    /// Records with neither requested nor allocated processors.
    pub without_processors: usize,
}
