//! The content of a part file: header, frames, and the checksums of both.

use crate::error::CliError;
use flate2::Crc;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::str::FromStr;

const MAGIC: &str = "econsched part 1\n";

/// The sum of these bytes.
pub(super) fn crc(bytes: &[u8]) -> Crc {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc
}

/// The length (modulo 2^32) and the CRC-32, by which work is told from other work, and a torn file from a whole one.
/// They are no defence against somebody who wants two contents to have the same.
pub(crate) fn checksum(crc: &Crc) -> String {
    format!("{}-{:08x}", crc.amount(), crc.sum())
}

/// The round of the last frame.
pub(super) const LAST: u32 = u32::MAX;

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

    /// The first of what the results of that work depend on that is another here.
    pub(crate) fn other_than<'a>(&'a self, that: &'a Self) -> Option<&'a str> {
        if self.version != that.version {
            return Some("version of econsched");
        }
        let length = self.work.len().max(that.work.len());
        let at = (0..length).find(|&at| self.work.get(at) != that.work.get(at))?;
        Some(that.work.get(at).map_or("work", String::as_str))
    }

    pub(crate) fn bytes(&self) -> Result<Vec<u8>, CliError> {
        let json = serde_json::to_string(self)?;
        Ok(format!("{MAGIC}{json}\n").into_bytes())
    }
}

/// Bytes of a frame beside its record.
pub(crate) const FRAME: usize = 20;

/// The bytes of a frame.
pub(crate) fn frame(round: u32, index: u64, record: &[u8]) -> Vec<u8> {
    let length = u32::try_from(record.len()).unwrap_or(u32::MAX);
    let mut bytes = Vec::with_capacity(record.len() + FRAME);
    bytes.extend(round.to_le_bytes());
    bytes.extend(index.to_le_bytes());
    bytes.extend(length.to_le_bytes());
    bytes.extend(record);
    bytes.extend(crc(&bytes).sum().to_le_bytes());
    bytes
}

/// Removes a frame from the front; `None` if there is no complete one.
fn next_frame<'a>(from: &mut &'a [u8]) -> Option<(u32, u64, &'a [u8])> {
    let head = from.get(..16)?;
    let length = u32::from_le_bytes(head[12..16].try_into().ok()?) as usize;
    let all = from.get(..16usize.checked_add(length)?.checked_add(4)?)?;
    let (body, sum) = all.split_at(all.len() - 4);
    if crc(body).sum().to_le_bytes() != sum {
        return None;
    }
    let round = u32::from_le_bytes(head[..4].try_into().ok()?);
    let index = u64::from_le_bytes(head[4..12].try_into().ok()?);
    *from = &from[all.len()..];
    Some((round, index, &body[16..]))
}

/// The content of a file.
pub(crate) struct Content<'a> {
    pub(crate) header: Header,
    /// By round and index, up to the first damaged one.
    pub(crate) records: BTreeMap<(u32, u64), &'a [u8]>,
    /// Whether the file is complete.
    pub(super) whole: bool,
}

impl Content<'_> {
    pub(super) fn owned(&self) -> impl Iterator<Item = ((u32, u64), Vec<u8>)> {
        self.records.iter().map(|(&at, record)| (at, record.to_vec()))
    }
}

/// Reads a file; `None` if it does not begin as one of ours.
pub(crate) fn parse(bytes: &[u8]) -> Option<Content<'_>> {
    let rest = bytes.strip_prefix(MAGIC.as_bytes())?;
    let line = rest.iter().position(|byte| *byte == b'\n')?;
    let header: Header = serde_json::from_slice(&rest[..line]).ok()?;
    let mut rest = &rest[line + 1..];
    let mut content = Content { header, records: BTreeMap::new(), whole: false };
    loop {
        let at = bytes.len() - rest.len();
        match next_frame(&mut rest) {
            None => return Some(content),
            Some((LAST, _, sum)) => {
                content.whole = rest.is_empty() && checksum(&crc(&bytes[..at])).as_bytes() == sum;
                return Some(content);
            }
            Some((round, index, record)) => {
                content.records.insert((round, index), record);
            }
        }
    }
}
