//! A file as text that is read piece by piece: unpacked, without a byte-order mark, and within limits.

use crate::error::{CliError, Place};
use crate::output::progress;
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{self, Chain, Cursor, IsTerminal as _, Read, Take};
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
    bytes: Chain<Cursor<Vec<u8>>, Within>,
    _during: progress::During,
}

impl Opened {
    /// Its first bytes, up to some thousand.
    pub(crate) fn head(&self) -> &[u8] {
        self.bytes.get_ref().0.get_ref()
    }
}

impl Read for Opened {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.bytes.read(buf)
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
    let source: Box<dyn Read> = if !standard {
        Box::new(File::open(path).map_err(failed)?)
    } else if io::stdin().is_terminal() {
        Box::new(Typed(io::stdin()))
    } else {
        Box::new(io::stdin())
    };
    let mut rest = Within::new(source).map_err(failed)?;
    let mut head = Vec::new();
    rest.by_ref().take(HEAD).read_to_end(&mut head).map_err(failed)?;
    if head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]) {
        return Err(CliError::input(path, "UTF-16 text: save it as UTF-8"));
    }
    // A byte-order mark says nothing in UTF-8.
    if head.starts_with(&[0xef, 0xbb, 0xbf]) {
        head.drain(..3);
    }
    Ok(Opened { bytes: Cursor::new(head).chain(rest), _during: during })
}

/// A source that knows how far it was read.
type Source = Take<Chain<Cursor<Vec<u8>>, Box<dyn Read>>>;

/// The bytes of a source as they are, or unpacked.
enum Bytes {
    Plain(Source),
    Packed(MultiGzDecoder<Source>),
}

/// What ends in an error where it is too much.
struct Within {
    bytes: Bytes,
    read: u64,
}

impl Within {
    fn new(mut source: Box<dyn Read>) -> io::Result<Self> {
        let mut magic = Vec::new();
        source.by_ref().take(2).read_to_end(&mut magic)?;
        let is_gzip = magic == [0x1f, 0x8b];
        let source = Cursor::new(magic).chain(source).take(u64::MAX);
        let bytes = if is_gzip { Bytes::Packed(MultiGzDecoder::new(source)) } else { Bytes::Plain(source) };
        Ok(Self { bytes, read: 0 })
    }
}

impl Read for Within {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let (read, most) = match &mut self.bytes {
            Bytes::Plain(source) => (source.read(buf)?, LARGEST),
            Bytes::Packed(decoder) => {
                let broken = |error: io::Error| {
                    io::Error::new(error.kind(), format!("not a whole gzip file: {error}"))
                };
                let read = decoder.read(buf).map_err(broken)?;
                (
                    read,
                    (UNPACKED_AT_MOST * (u64::MAX - decoder.get_ref().limit()))
                        .clamp(UNPACKED_ALWAYS, LARGEST),
                )
            }
        };
        self.read += read as u64;
        match self.read > most {
            true if most == LARGEST => Err(io::Error::other(format!("more than {LARGEST} bytes"))),
            true => Err(io::Error::other(format!("unpacks to more than {UNPACKED_AT_MOST} times its size"))),
            false => Ok(read),
        }
    }
}
