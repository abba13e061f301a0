//! Standard Workload Format: a streaming reader, a writer, and the log in memory.
//!
//! Source: S. J. Chapin, W. Cirne, D. G. Feitelson, J. P. Jones, S. T. Leutenegger, U. Schwiegelshohn,
//! W. Smith, D. Talby, "Benchmarks and Standards for the Evaluation of Parallel Job Schedulers", 1999 (the
//! format, version 2: 18 fields a line, header comments that start with `;`).
//!
//! # Which to use when
//! - The whole log in memory: [`SwfLog::read`]. It takes any [`std::io::Read`], plain or gzip.
//! - One pass over a log of any length: [`SwfReader`], an iterator of records in constant memory.
//! - Writing: [`SwfLog::write`], or [`write_header`] and [`write_record`] one by one.
//!
//! # What the reader takes
//! Fields are separated by any number of blanks or tabs; lines end in `\n` or `\r\n`; a byte order mark is
//! skipped. `-1` (also `-1.0`) means absent. Counts may be written with a decimal point as long as they are
//! whole. Fields after the 18th are kept as text ([`SwfRecord::extra`]). Order and meaning are not checked:
//! unsorted submit times, a run time above the requested time, an allocation other than the requested one and
//! job numbers seen twice are all kept, because real logs have them. [`SwfLog::summary`] counts them.
//!
//! # What it drops
//! A *line* is dropped when it has fewer than 18 fields, is longer than 1 MiB, or when its job number or
//! submit time cannot be read. A *value* of any other field that is not a number, not finite, negative (other
//! than -1), or not whole where it is a count, is dropped alone: the field becomes absent and the record
//! stays. Each loss is reported as a [`Dropped`] with line, field and reason. [`SwfOptions::strict`] refuses
//! the log at the first one instead.
//!
//! # How much it takes
//! Text is read up to [`SwfOptions::max_text`] bytes, as unpacked, and kept up to [`SwfOptions::max_memory`];
//! a larger log is refused before the memory is taken. A file of some kilobytes may unpack to gigabytes.
//!
//! # Round trip
//! Writing a log and reading it again gives an equal log. Text that was not UTF-8 is read as Latin-1 and
//! written as UTF-8. Comments after the first record are kept, but are written in the header. Records are
//! written in the column widths of the Parallel Workloads Archive, so that a log of the archive usually comes
//! back byte for byte.
//!
//! # Example
//! ```
//! use workload_gen::swf::SwfLog;
//!
//! let text = "; MaxProcs: 100\n\
//!     1 0 10 60 4 -1 -1 4 120 -1 1 7 7 -1 1 -1 -1 -1\n\
//!     2 5 x 60 4 -1 -1 4 120 -1 1 7 7 -1 1 -1 -1 -1\n";
//! let (log, report) = SwfLog::read(text.as_bytes())?;
//! assert_eq!(log.header.max_procs(), Some(100));
//! assert_eq!(log.records[0].start(), Some(10.0));
//! assert_eq!(log.records[1].wait, None);
//! assert_eq!(
//!     report.dropped[0].to_string(),
//!     "line 3, field 3 (wait time): `x` is not a number; value dropped"
//! );
//! # Ok::<(), workload_gen::WorkloadError>(())
//! ```

mod log;
pub(crate) mod number;
mod reader;
pub(crate) mod record;
mod report;

pub use log::{SwfHeader, SwfLog, SwfSummary, write_header, write_record};
pub use reader::{MAX_LINE, SwfOptions, SwfReader};
pub use record::{SwfField, SwfRecord, SwfStatus};
pub use report::{Column, DropReason, Dropped, Lost, SwfReport};
