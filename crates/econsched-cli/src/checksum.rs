//! Checksums by which work is told from other work, and a torn file from a whole one: the length and the CRC-32. They
//! are no defence against somebody who wants two contents to have the same.

use std::fmt;
use std::io::{self, Read, Write};

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

    /// The number of bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Their CRC-32.
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

/// A source whose checksum is computed while it is read.
pub(crate) struct Summed<R> {
    source: R,
    sum: Sum,
}

impl<R: Read> Summed<R> {
    pub(crate) fn new(source: R) -> Self {
        Self { source, sum: Sum::default() }
    }

    /// The checksum of all bytes of the source, read or not.
    ///
    /// # Errors
    /// Those of reading what is left.
    pub(crate) fn finish(mut self) -> io::Result<String> {
        io::copy(&mut self.source, &mut self.sum)?;
        Ok(self.sum.to_string())
    }
}

impl<R: Read> Read for Summed<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buf)?;
        self.sum.add(&buf[..read]);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The check value of the catalogue of CRCs, however much was read before.
    #[test]
    fn checksums_are_those_of_the_standard() {
        let sum = "9-cbf43926";
        assert_eq!(Sum::of(b"123456789").to_string(), sum);
        for before in 0..=9 {
            let mut source = Summed::new(&b"123456789"[..]);
            source.read_exact(&mut vec![0; before]).unwrap();
            assert_eq!(source.finish().unwrap(), sum, "after {before}");
        }
    }
}
