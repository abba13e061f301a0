//! The comment lines of a log: keys with values, repeated ones too, and free text, all in order.

/// One comment line, without its leading `;`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeaderLine {
    /// `; Key: value`.
    Entry {
        /// The key as written: a letter, then letters, digits, `_` or `-`.
        key: String,
        /// The value without surrounding blanks.
        value: String,
    },
    /// Anything else: text between entries, or the continuation of the value above it.
    Comment(String),
}

/// The comments of a log in the order in which they were read. Keys may repeat, and lookups ignore case.
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
pub struct SwfHeader {
    lines: Vec<HeaderLine>,
}

impl SwfHeader {
    /// Adds one comment line. `text` is what follows the `;`, with or without leading blanks; line ends in it become
    /// blanks. It is an entry when it reads `Key: value` or `Key:` with a key of letters, digits, `_` and `-`
    /// that starts with a letter; otherwise it is free text.
    pub fn push(&mut self, text: &str) {
        let text = text.replace(['\n', '\r'], " ");
        // Only ASCII blanks are trimmed: the same on reading and on writing, whatever the encoding was.
        let blank = |c: char| c.is_ascii_whitespace();
        let text = text.trim_end_matches(blank);
        let line = match entry(text.trim_start_matches(blank)) {
            Some((key, value)) => {
                HeaderLine::Entry { key: key.to_owned(), value: value.trim_start_matches(blank).to_owned() }
            }
            None => HeaderLine::Comment(text.to_owned()),
        };
        self.lines.push(line);
    }

    /// All comment lines, in order.
    pub fn lines(&self) -> &[HeaderLine] {
        &self.lines
    }

    /// The entries, in order.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &str)> {
        self.lines.iter().filter_map(|line| match line {
            HeaderLine::Entry { key, value } => Some((key.as_str(), value.as_str())),
            HeaderLine::Comment(_) => None,
        })
    }

    /// The values of every entry with this key, in order. Case does not matter.
    pub fn get_all<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a str> {
        self.entries().filter(move |(k, _)| k.eq_ignore_ascii_case(key)).map(|(_, value)| value)
    }

    /// The first value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.entries().find(|(k, _)| k.eq_ignore_ascii_case(key)).map(|(_, value)| value)
    }

    /// The first word of a key's first value as a whole number. `None` when there is no such key or no number.
    pub fn number(&self, key: &str) -> Option<i64> {
        self.get(key)?.split_ascii_whitespace().next()?.parse().ok()
    }

    /// `MaxProcs`, or `MaxNodes` where it is missing: the size of the machine. `None` unless it is above zero.
    pub fn max_procs(&self) -> Option<u64> {
        let size = |key| self.number(key).and_then(|n| u64::try_from(n).ok()).filter(|&n| n > 0);
        size("MaxProcs").or_else(|| size("MaxNodes"))
    }

    /// `UnixStartTime`: the instant, in seconds since 1970, which the log calls 0.
    pub fn unix_start_time(&self) -> Option<i64> {
        self.number("UnixStartTime")
    }
}

/// Splits `Key: value`. A colon with no blank behind it (as in an address) makes no key.
fn entry(text: &str) -> Option<(&str, &str)> {
    let (key, value) = text.split_once(':')?;
    let mut letters = key.bytes();
    let starts_well = letters.next()?.is_ascii_alphabetic();
    let goes_on = letters.all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    let ends_well = value.is_empty() || value.starts_with(|c: char| c.is_ascii_whitespace());
    (starts_well && goes_on && ends_well).then_some((key, value))
}
