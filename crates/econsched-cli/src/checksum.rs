//! Checksums by which work is told from other work, and damage is seen: SHA-256.

use sha2::{Digest, Sha256};
use std::io::{self, Read};

/// The digits of a checksum, in hexadecimal.
pub(crate) fn hex(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The checksum of these bytes, as [`hex`].
pub(crate) fn of(bytes: &[u8]) -> String {
    hex(Sha256::new_with_prefix(bytes))
}

/// A source whose checksum is computed while it is read.
pub(crate) struct Summed<R> {
    source: R,
    hash: Sha256,
}

impl<R: Read> Summed<R> {
    pub(crate) fn new(source: R) -> Self {
        Self { source, hash: Sha256::new() }
    }

    /// The checksum of all bytes of the source, read or not, as [`hex`].
    ///
    /// # Errors
    /// Those of reading what is left.
    pub(crate) fn finish(mut self) -> io::Result<String> {
        io::copy(&mut self, &mut io::sink())?;
        Ok(hex(self.hash))
    }
}

impl<R: Read> Read for Summed<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buf)?;
        self.hash.update(&buf[..read]);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first example of FIPS 180-2, however much was read before.
    #[test]
    fn checksums_are_those_of_the_standard() {
        let sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(of(b"abc"), sum);
        for before in 0..=3 {
            let mut source = Summed::new(&b"abc"[..]);
            source.read_exact(&mut vec![0; before]).unwrap();
            assert_eq!(source.finish().unwrap(), sum, "after {before}");
        }
    }
}
