//! Plain text or gzip, distinguished by the first two bytes.

use flate2::read::MultiGzDecoder;
use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};

/// The two bytes every gzip member starts with (RFC 1952).
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// A buffered reader over plain text or gzip. Gzip files of several members are read to the end.
pub struct SwfSource<R: Read>(Inner<R>);

enum Inner<R: Read> {
    Plain(BufReader<Prefixed<R>>),
    Gzip(Box<BufReader<MultiGzDecoder<Prefixed<R>>>>),
}

/// The bytes looked at, put back before the rest.
type Prefixed<R> = Chain<Cursor<Vec<u8>>, R>;

impl<R: Read> SwfSource<R> {
    /// Reads the first bytes of `source`, and decompresses it if they are those of gzip.
    ///
    /// # Errors
    /// The error of reading these bytes.
    pub fn detect(mut source: R) -> io::Result<Self> {
        let mut first = Vec::with_capacity(GZIP.len());
        source.by_ref().take(GZIP.len() as u64).read_to_end(&mut first)?;
        let gzip = first == GZIP;
        let whole = Cursor::new(first).chain(source);
        Ok(SwfSource(if gzip {
            Inner::Gzip(Box::new(BufReader::with_capacity(1 << 16, MultiGzDecoder::new(whole))))
        } else {
            Inner::Plain(BufReader::with_capacity(1 << 16, whole))
        }))
    }
}

impl<R: Read> Read for SwfSource<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match &mut self.0 {
            Inner::Plain(inner) => inner.read(buf),
            Inner::Gzip(inner) => inner.read(buf),
        }
    }
}

impl<R: Read> BufRead for SwfSource<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        match &mut self.0 {
            Inner::Plain(inner) => inner.fill_buf(),
            Inner::Gzip(inner) => inner.fill_buf(),
        }
    }

    fn consume(&mut self, amount: usize) {
        match &mut self.0 {
            Inner::Plain(inner) => inner.consume(amount),
            Inner::Gzip(inner) => inner.consume(amount),
        }
    }
}
