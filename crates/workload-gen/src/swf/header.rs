//! The comment lines of a log: keys with values, repeated ones too, and free text, all in order.

/// The comments of a log in the order in which they were read. Keys may repeat, and lookups ignore case.
///
/// A line is an entry when it reads `Key: value` or `Key:`, with a key of letters, digits, `_` and `-` that
/// starts with a letter. Everything else is free text, or the continuation of the value above it.
///
/// ```
/// use workload_gen::swf::SwfHeader;
/// let mut header = SwfHeader::default();
/// header.push(" MaxProcs: 128 (of 144)");
/// header.push(" Queue: 0 interactive");
/// header.push(" Queue: 1 batch");
/// assert_eq!(header.max_procs(), Some(128));
/// assert_eq!(header.get("queue"), Some("0 interactive"));
/// assert_eq!(header.get_all("Queue").count(), 2);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct SwfHeader {
    lines: Vec<String>,
}

impl SwfHeader {
    /// Adds one comment line. `text` is the text after the `;`. It is kept, except that line ends become
    /// blanks and blanks at its end are removed.
    pub fn push(&mut self, text: &str) {
        let text = text.replace(['\n', '\r'], " ");
        self.lines.push(text.trim_end_matches(blank).to_owned());
    }

    /// All comment lines in order, each without its leading `;`.
    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// The entries, in order.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &str)> {
        self.lines.iter().filter_map(|line| entry(line))
    }

    /// The values of every entry with this key, in order. Case does not matter.
    pub fn get_all<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a str> {
        self.entries().filter(move |(k, _)| k.eq_ignore_ascii_case(key)).map(|(_, value)| value)
    }

    /// The first value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.entries().find(|(k, _)| k.eq_ignore_ascii_case(key)).map(|(_, value)| value)
    }

    /// The first word of a key's first value as a whole number. `None` if the key does not exist or its value
    /// is not a number.
    pub fn number(&self, key: &str) -> Option<i64> {
        self.get(key)?.split_ascii_whitespace().next()?.parse().ok()
    }

    /// `MaxProcs`, or `MaxNodes` where it is missing: the size of the machine. `None` unless it is above
    /// zero.
    pub fn max_procs(&self) -> Option<u64> {
        let size = |key| self.number(key).and_then(|n| u64::try_from(n).ok()).filter(|&n| n > 0);
        size("MaxProcs").or_else(|| size("MaxNodes"))
    }

    /// `UnixStartTime`: the instant, in seconds since 1970, which the log calls 0.
    pub fn unix_start_time(&self) -> Option<i64> {
        self.number("UnixStartTime")
    }
}

/// Only ASCII blanks are trimmed: the same on reading and on writing, whatever the encoding was.
fn blank(c: char) -> bool {
    c.is_ascii_whitespace()
}

/// Splits `Key: value`. A colon with no blank behind it (as in an address) makes no key.
fn entry(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.trim_start_matches(blank).split_once(':')?;
    let mut letters = key.bytes();
    let starts_well = letters.next()?.is_ascii_alphabetic();
    let goes_on = letters.all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    let ends_well = value.is_empty() || value.starts_with(blank);
    (starts_well && goes_on && ends_well).then(|| (key, value.trim_start_matches(blank)))
}
