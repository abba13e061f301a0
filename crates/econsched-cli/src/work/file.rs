//! The file of finished runs, which grows run by run.

use crate::error::CliError;
use flate2::Crc;
use serde_json::json;
use std::fs::{File, TryLockError};
use std::io::{BufReader, Read, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

/// Returns the length (modulo 2^32) and the CRC-32, which tell different work apart, and damaged files from whole
/// ones. They are no defence against contents that are made to have the same checksum.
pub(crate) fn checksum(crc: &Crc) -> String {
    format!("{}-{:08x}", crc.amount(), crc.sum())
}

pub(super) fn sum(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// Returns the head of a file of work of this kind; `on` has everything that the results depend on.
pub(crate) fn head(kind: &str, on: &[String]) -> Vec<u8> {
    let work = json!({"version": env!("CARGO_PKG_VERSION"), "work": kind, "on": on});
    format!("econsched part 1\n{work}\n").into_bytes()
}

/// Returns the bytes of a frame.
pub(crate) fn frame(round: u32, index: u64, record: &[u8]) -> Vec<u8> {
    let length = u32::try_from(record.len()).unwrap_or(u32::MAX);
    let head = [&round.to_le_bytes()[..], &index.to_le_bytes(), &length.to_le_bytes()].concat();
    let bytes = [&head, record].concat();
    [&bytes[..], &sum(&bytes).to_le_bytes()].concat()
}

/// Number of bytes of a frame without its record.
const FRAME: usize = 20;

/// A frame: round, index and record.
type Frame = (u32, u64, Vec<u8>);

/// Reads the next frame; `None` if there is no complete and undamaged one.
fn next_frame(from: &mut impl Read) -> Option<Frame> {
    let (mut head, mut record, mut sum) = ([0; 16], Vec::new(), [0; 4]);
    from.read_exact(&mut head).ok()?;
    let length = u32::from_le_bytes(head[12..].try_into().ok()?);
    from.take(length.into()).read_to_end(&mut record).ok()?;
    from.read_exact(&mut sum).ok()?;
    let round = u32::from_le_bytes(head[..4].try_into().ok()?);
    let index = u64::from_le_bytes(head[4..12].try_into().ok()?);
    frame(round, index, &record).ends_with(&sum).then_some((round, index, record))
}

/// Passes the frames of a file with this head to `take`, up to the first that is damaged or that `take` refuses.
/// Returns the number of bytes up to there, 0 for a file whose head is incomplete; `None` for a file of other work.
pub(super) fn read(file: &File, head: &[u8], mut take: impl FnMut(Frame) -> bool) -> Option<u64> {
    let (mut from, mut there) = (BufReader::new(file), Vec::new());
    from.by_ref().take(head.len() as u64).read_to_end(&mut there).ok()?;
    if there != head {
        return head.starts_with(&there).then_some(0);
    }
    let mut kept = head.len();
    while let Some(frame) = next_frame(&mut from) {
        let length = frame.2.len() + FRAME;
        if !take(frame) {
            break;
        }
        kept += length;
    }
    Some(kept as u64)
}

/// A file to which frames are added.
pub(crate) struct FrameFile {
    pub(super) place: PathBuf,
    file: File,
}

impl FrameFile {
    /// Opens the file of this work, or creates it, and locks it against other processes. Passes its frames to `take`
    /// up to the first that is damaged or that `take` refuses; the file is cut off there.
    ///
    /// # Errors
    /// [`CliError::Wrong`] if it cannot be written, is a file of other work, or is locked by another process.
    pub(crate) fn open(place: &Path, head: &[u8], take: impl FnMut(Frame) -> bool) -> Result<Self, CliError> {
        let failed = |error| CliError::write(place, error);
        let opened = File::options().read(true).write(true).create(true).truncate(false).open(place);
        let mut file = opened.map_err(failed)?;
        // Where the system cannot lock a file, there is no protection.
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(CliError::input(place, "another process is writing to it"));
        }
        let other = || CliError::input(place, "of other work, or damaged: remove it, or name another");
        let kept = read(&file, head, take).ok_or_else(other)?;
        file.set_len(kept).and_then(|()| file.seek(SeekFrom::End(0))).map_err(failed)?;
        let mut all = Self { place: place.to_owned(), file };
        all.add(if kept == 0 { head } else { &[] })?;
        Ok(all)
    }

    /// Appends frames.
    ///
    /// # Errors
    /// [`CliError::Wrong`] if they cannot be written.
    pub(crate) fn add(&mut self, frames: &[u8]) -> Result<(), CliError> {
        let written = self.file.write_all(frames).and_then(|()| self.file.sync_data());
        written.map_err(|error| CliError::write(&self.place, error))
    }
}
