//! Plain text or gzip, distinguished by the first two bytes.

use flate2::read::MultiGzDecoder;
use std::io::{self, BufRead, BufReader, Cursor, Read};

/// The two bytes every gzip member starts with (RFC 1952).
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// Bytes held of the text.
const HELD: usize = 1 << 16;

/// Reads the first bytes of `source`, and decompresses it if they are those of gzip; a file of several members is read
/// to its end.
///
/// # Errors
/// The error of reading these bytes.
pub(super) fn detect<'a>(mut source: Box<dyn Read + 'a>) -> io::Result<Box<dyn BufRead + 'a>> {
    let mut first = Vec::with_capacity(GZIP.len());
    source.by_ref().take(GZIP.len() as u64).read_to_end(&mut first)?;
    let gzip = first == GZIP;
    let whole = Cursor::new(first).chain(source);
    Ok(if gzip {
        Box::new(BufReader::with_capacity(HELD, MultiGzDecoder::new(whole)))
    } else {
        Box::new(BufReader::with_capacity(HELD, whole))
    })
}
