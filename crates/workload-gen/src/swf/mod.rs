//! The Standard Workload Format: a streaming reader, a writer, and logs in memory.
//!
//! Source: S. J. Chapin, W. Cirne, D. G. Feitelson, J. P. Jones, S. T. Leutenegger, U. Schwiegelshohn,
//! W. Smith, D. Talby, "Benchmarks and Standards for the Evaluation of Parallel Job Schedulers", 1999 (the
//! format, version 2: 18 fields per line, header comments that start with `;`).
//!
//! # Which to use when
//! - For a whole log in memory: [`SwfLog::read`]. It takes any [`std::io::Read`], plain or gzip.
//! - For one pass over a log of any length: [`SwfReader`], an iterator over records in constant memory.
//! - To write a log: [`write()`], which takes any iterator over records.
//!
//! # What the reader accepts
//! Fields are separated by any number of blanks or tabs; lines end in `\n` or `\r\n`; a byte order mark is
//! skipped. `-1` (or `-1.0`) means absent. Counts may have a decimal point if they are whole. Fields after the
//! 18th are kept as text ([`SwfRecord::extra`]). Order and consistency are not checked: unsorted submit times, run
//! times above the requested time, allocations that differ from the request and repeated job numbers are all kept,
//! because real logs have them.
//!
//! # What the reader drops
//! A *line* is dropped if it has fewer than 18 fields or is longer than 1 MiB, or if its job number or submit time
//! cannot be read. A *value* of any other field is dropped alone if it is not a finite number, is negative (other
//! than -1), or is a count that is not whole or is 2^64 or more: the field becomes absent and the record stays. Each
//! loss is reported as a [`Dropped`] with line, field and reason. A [strict](SwfReader#structfield.strict) reader
//! refuses the log at the first loss instead.
//!
//! # Limits
//! A file of a few kilobytes may decompress to gigabytes. So there is a limit on the
//! [text that is read](SwfReader#structfield.max_text), counted after decompression, and one on the
//! [memory that is kept](SwfReader#structfield.max_memory). A log that exceeds one is refused before the memory is
//! taken.
//!
//! # Round trip
//! Writing a log and reading it again gives an equal log. Text that is not UTF-8 is read as Latin-1 and written as
//! UTF-8. Comments after the first record are kept, but written in the header. Records are written in the column
//! widths of the Parallel Workloads Archive, so a log of the archive is usually reproduced byte for byte.
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

pub use log::{SwfHeader, SwfLog, write};
use reader::MAX_LINE;
pub use reader::SwfReader;
pub use record::{SwfField, SwfRecord};
pub use report::{Column, DropReason, Dropped, Lost, SwfReport};
