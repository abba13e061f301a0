//! Text without control characters, for terminals.

use std::borrow::Cow;

/// Whether a character is invisible and controls a terminal or the direction of the text.
pub(crate) fn is_unprintable(c: char) -> bool {
    (c.is_control() && c != '\n')
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Returns `text` with unprintable characters replaced; line breaks stay, tabs become blanks.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unprintable) {
        return Cow::Borrowed(text);
    }
    let seen = |c| if is_unprintable(c) { '\u{fffd}' } else { c };
    Cow::Owned(text.chars().map(|c| if c == '\t' { ' ' } else { seen(c) }).collect())
}

/// Returns a name or a title from a file on one line and without unprintable characters.
pub(crate) fn one_line(text: &str) -> String {
    printable(text).replace('\n', "\u{fffd}")
}
