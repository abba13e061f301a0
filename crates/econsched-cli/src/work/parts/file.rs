//! The content of a part file, and how it grows.

use crate::error::CliError;
use flate2::Crc;
use serde::{Deserialize, Serialize};
use std::fs::{File, TryLockError};
use std::io::{BufRead, BufReader, Read, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::str::FromStr;

const MAGIC: &str = "econsched part 1\n";

/// The length (modulo 2^32) and the CRC-32, by which work is told from other work, and a torn file from a whole one.
/// They are no defence against somebody who wants two contents to have the same.
pub(crate) fn checksum(crc: &Crc) -> String {
    format!("{}-{:08x}", crc.amount(), crc.sum())
}

/// A share of the work: the replicates whose number modulo `of` is `number - 1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Shard {
    pub(super) number: u64,
    pub(super) of: u64,
}

impl Shard {
    /// All of it.
    pub(crate) const WHOLE: Self = Self { number: 1, of: 1 };

    pub(crate) fn holds(self, index: u64) -> bool {
        index % self.of == self.number - 1
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/');
        let shard =
            parts.and_then(|(number, of)| Some(Self { number: number.parse().ok()?, of: of.parse().ok()? }));
        let shard = shard.filter(|shard| (1..=shard.of).contains(&shard.number));
        shard.ok_or_else(|| format!("`{text}`: expected I/N with I from 1 to N, such as 2/7"))
    }
}

impl std::fmt::Display for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

/// The header of a part: the work, and the share of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Header {
    pub(super) version: String,
    /// The kind of work, then all that its results depend on.
    pub(crate) work: Vec<String>,
    pub(super) shard: Shard,
}

impl Header {
    pub(crate) fn new(work: Vec<String>, shard: Shard) -> Self {
        Self { version: env!("CARGO_PKG_VERSION").to_owned(), work, shard }
    }

    /// The sum of it, by which files of different works are called.
    pub(super) fn sum(&self) -> Result<String, CliError> {
        Ok(format!("{:08x}", sum(&self.bytes()?)))
    }

    pub(crate) fn bytes(&self) -> Result<Vec<u8>, CliError> {
        let json = serde_json::to_string(self)?;
        Ok(format!("{MAGIC}{json}\n").into_bytes())
    }
}

fn sum(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// The bytes of a frame.
pub(crate) fn frame(round: u32, index: u64, record: &[u8]) -> Vec<u8> {
    let length = u32::try_from(record.len()).unwrap_or(u32::MAX);
    let head = [&round.to_le_bytes()[..], &index.to_le_bytes(), &length.to_le_bytes()].concat();
    let bytes = [&head, record].concat();
    [&bytes[..], &sum(&bytes).to_le_bytes()].concat()
}

/// Bytes of a frame beside its record.
const FRAME: usize = 20;

/// A frame: round, index and record.
type Frame = (u32, u64, Vec<u8>);

/// The next frame; `None` if there is no complete one.
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

/// The header of a file, and its frames up to the first damaged one; `None` if it does not begin as one of ours.
pub(super) fn parse(mut from: impl BufRead) -> Option<(Header, impl Iterator<Item = Frame>)> {
    let (mut magic, mut line) = (Vec::new(), Vec::new());
    from.read_until(b'\n', &mut magic).ok()?;
    from.read_until(b'\n', &mut line).ok()?;
    let header = serde_json::from_slice(&line).ok().filter(|_| magic == MAGIC.as_bytes())?;
    Some((header, std::iter::from_fn(move || next_frame(&mut from))))
}

/// A file of frames that grows.
pub(crate) struct Growing {
    pub(super) place: PathBuf,
    file: File,
}

impl Growing {
    /// Opens the file of this work, or begins it; no other process may be at it. Its frames are taken up to the first
    /// that is damaged or that `take` does not want: from there on it is cut off.
    ///
    /// # Errors
    /// [`CliError::Wrong`] where it cannot be written; [`CliError::Wrong`] for a file of other work, and where another
    /// process is at it.
    pub(crate) fn open(
        place: &Path,
        header: &Header,
        mut take: impl FnMut(Frame) -> bool,
    ) -> Result<Self, CliError> {
        let failed = |error| CliError::write(place, error);
        let opened = File::options().read(true).write(true).create(true).truncate(false).open(place);
        let mut file = opened.map_err(failed)?;
        // Where the system cannot lock a file, nobody is kept out.
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(CliError::input(place, "another process is writing to it"));
        }
        let (mut from, head, mut there) = (BufReader::new(&file), header.bytes()?, Vec::new());
        from.by_ref().take(head.len() as u64).read_to_end(&mut there).map_err(failed)?;
        if !head.starts_with(&there) {
            return Err(CliError::input(place, "of other work, or damaged: remove it, or name another"));
        }
        let mut kept = if there == head { head.len() } else { 0 };
        while kept > 0
            && let Some(frame) = next_frame(&mut from)
        {
            let length = frame.2.len() + FRAME;
            if !take(frame) {
                break;
            }
            kept += length;
        }
        file.set_len(kept as u64).and_then(|()| file.seek(SeekFrom::End(0))).map_err(failed)?;
        let mut all = Self { place: place.to_owned(), file };
        all.add(if kept == 0 { &head } else { &[] })?;
        Ok(all)
    }

    /// Adds frames.
    ///
    /// # Errors
    /// [`CliError::Wrong`].
    pub(crate) fn add(&mut self, frames: &[u8]) -> Result<(), CliError> {
        let written = self.file.write_all(frames).and_then(|()| self.file.sync_data());
        written.map_err(|error| CliError::write(&self.place, error))
    }
}
