//! A file as text that is read piece by piece: unpacked, without a byte-order mark, and within limits.

use crate::error::{CliError, Place};
use crate::output::progress;
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{self, Cursor, IsTerminal as _, Read};
use std::path::Path;

/// More than this in one file is refused.
const LARGEST: u64 = 2 << 30;
/// A small gzip file may unpack to any size. Logs and matrices shrink to a tenth, hardly to less than a
/// hundredth.
const UNPACKED_AT_MOST: u64 = 100;
/// So much may be unpacked whatever the size of the packed file.
const UNPACKED_ALWAYS: u64 = 64 << 20;
/// Bytes that are looked at before the first is handed over.
const HEAD: u64 = 4096;

/// The text of a file.
pub(crate) struct Opened {
    head: Cursor<Vec<u8>>,
    rest: Box<dyn Read>,
    _during: progress::During,
}

impl Opened {
    /// Its first bytes, up to some thousand.
    pub(crate) fn head(&self) -> &[u8] {
        self.head.get_ref()
    }
}

impl Read for Opened {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self.head.read(buf)? {
            0 => self.rest.read(buf),
            read => Ok(read),
        }
    }
}

/// What a person types: it is not written over.
struct Typed(io::Stdin);

impl Read for Typed {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        progress::aside(|| self.0.read(buf))
    }
}

/// Opens a file, unpacked where it starts with the gzip magic; `-` is standard input.
///
/// # Errors
/// [`CliError::Input`] with the path where it cannot be read, and for UTF-16. What is too large is an error
/// of reading.
pub(crate) fn open(path: &Path) -> Result<Opened, CliError> {
    let failed = |error: io::Error| CliError::input(path, error);
    let standard = path.as_os_str() == "-";
    let file = if standard { "standard input".to_owned() } else { Place::file(path).to_string() };
    let during = progress::during(&format!("reading {file}"));
    let (source, size): (Box<dyn Read>, _) = if standard {
        (if io::stdin().is_terminal() { Box::new(Typed(io::stdin())) } else { Box::new(io::stdin()) }, None)
    } else {
        let file = File::open(path).map_err(failed)?;
        let size = file.metadata().ok().filter(|data| data.is_file()).map(|data| data.len());
        (Box::new(file), size)
    };
    let mut rest = unpacked(source, size).map_err(failed)?;
    let mut head = Vec::new();
    rest.by_ref().take(HEAD).read_to_end(&mut head).map_err(failed)?;
    if head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]) {
        return Err(CliError::input(path, "UTF-16 text: save it as UTF-8"));
    }
    // A byte-order mark says nothing in UTF-8.
    if head.starts_with(&[0xef, 0xbb, 0xbf]) {
        head.drain(..3);
    }
    Ok(Opened { head: Cursor::new(head), rest, _during: during })
}

/// The bytes of a source, within limits; `size` is that of the packed file where it is known.
fn unpacked(mut source: Box<dyn Read>, size: Option<u64>) -> io::Result<Box<dyn Read>> {
    let mut magic = Vec::new();
    source.by_ref().take(2).read_to_end(&mut magic)?;
    let is_gzip = magic == [0x1f, 0x8b];
    let source = Cursor::new(magic).chain(source);
    let why = format!("more than {LARGEST} bytes");
    if !is_gzip {
        return Ok(Box::new(Within { read: source, limit: LARGEST, why }));
    }
    let decoder = MultiGzDecoder::new(Counted { source, bytes: 0 });
    Ok(Box::new(Within { read: Gzip { decoder, size, unpacked: 0 }, limit: LARGEST, why }))
}

/// A source that counts what is read.
struct Counted<R> {
    source: R,
    bytes: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buf)?;
        self.bytes += read as u64;
        Ok(read)
    }
}

/// An unpacked gzip file, which ends in an error where it is too much for its size.
struct Gzip<R> {
    decoder: MultiGzDecoder<Counted<R>>,
    /// Bytes of the packed file, where they are known; else those that were read count.
    size: Option<u64>,
    unpacked: u64,
}

impl<R: Read> Read for Gzip<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.decoder.read(buf);
        let read =
            read.map_err(|error| io::Error::new(error.kind(), format!("not a whole gzip file: {error}")))?;
        self.unpacked += read as u64;
        let packed = self.size.unwrap_or(self.decoder.get_ref().bytes);
        if self.unpacked > (UNPACKED_AT_MOST * packed).max(UNPACKED_ALWAYS) {
            return Err(io::Error::other(format!("unpacks to more than {UNPACKED_AT_MOST} times its size")));
        }
        Ok(read)
    }
}

/// A source that ends in an error after so many bytes.
struct Within<R> {
    read: R,
    limit: u64,
    why: String,
}

impl<R: Read> Read for Within<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.read.read(buf)?;
        self.limit = self.limit.checked_sub(read as u64).ok_or_else(|| io::Error::other(self.why.clone()))?;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write as _;

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
        packer.write_all(bytes).unwrap();
        packer.finish().unwrap()
    }

    fn all(bytes: &[u8], size: Option<u64>) -> Result<Vec<u8>, String> {
        let mut text = Vec::new();
        let mut source = unpacked(Box::new(Cursor::new(bytes.to_vec())), size).unwrap();
        source.read_to_end(&mut text).map(|_| text).map_err(|error| error.to_string())
    }

    #[test]
    fn a_packed_file_is_read_within_its_limits() {
        let text = b"1 2 3\n".repeat(10_000);
        let small = packed(&text);
        // Some 200 times its size.
        let zeros = packed(&vec![0; UNPACKED_ALWAYS as usize + 1]);
        for size in [None, Some(small.len() as u64)] {
            assert_eq!(all(&small, size).unwrap(), text);
            assert!(all(&small[..small.len() - 9], size).unwrap_err().starts_with("not a whole gzip file"));
            let size = size.map(|_| zeros.len() as u64);
            assert_eq!(all(&zeros, size).unwrap_err(), "unpacks to more than 100 times its size");
        }
        assert_eq!(all(b"", None).unwrap(), b"");
        assert_eq!(all(b"x", None).unwrap(), b"x");
    }

    #[test]
    fn no_more_is_read_than_the_limit() {
        let mut text = Vec::new();
        let source = |limit| Within { read: &b"12345"[..], limit, why: "too long".to_owned() };
        assert_eq!(source(5).read_to_end(&mut text).unwrap(), 5);
        assert_eq!(source(4).read_to_end(&mut text).unwrap_err().to_string(), "too long");
    }
}
