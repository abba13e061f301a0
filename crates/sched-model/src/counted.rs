//! Numbers of things as text.

use std::fmt::Display;

/// Formats a number of things: `1 node`, `2 nodes`.
pub fn counted(count: impl TryInto<u64> + Copy + Display, what: &str) -> String {
    let one = count.try_into().is_ok_and(|count| count == 1);
    format!("{count} {what}{}", if one { "" } else { "s" })
}
