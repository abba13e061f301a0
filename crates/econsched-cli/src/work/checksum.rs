//! Checksums by which work is told from other work, and a torn file from a whole one: the length and the CRC-32. They
//! are no defence against somebody who wants two contents to have the same.

use std::fmt;
use std::io::{self, Write};

/// The checksum of what has been written to it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sum {
    bytes: u64,
    crc: crc32fast::Hasher,
}

impl Sum {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let mut sum = Self::default();
        sum.add(bytes);
        sum
    }

    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.crc.update(bytes);
    }

    /// The CRC-32.
    pub(crate) fn crc(&self) -> u32 {
        self.crc.clone().finalize()
    }
}

/// The length, and the CRC-32 in hexadecimal.
impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{:08x}", self.bytes, self.crc())
    }
}

impl Write for Sum {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.add(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
