//! Numbers, spans and counts as text for people.

use std::fmt::Display;

/// A number of things: "1 node", "2 nodes".
pub(crate) fn counted(count: impl TryInto<u64> + Copy + Display, what: &str) -> String {
    if count.try_into().is_ok_and(|count| count == 1) {
        format!("1 {what}")
    } else {
        format!("{count} {what}s")
    }
}

/// A number for people: whole from 1,000 on, with one decimal from 10 on, else three; without trailing zeros.
pub(crate) fn number(value: f64) -> String {
    let magnitude = value.abs();
    if value == 0.0 {
        "0".to_owned()
    } else if !(1e-3..1e12).contains(&magnitude) {
        format!("{value:.3e}")
    } else {
        let decimals = if magnitude >= 1000.0 {
            0
        } else if magnitude >= 10.0 {
            1
        } else {
            3
        };
        let text = format!("{value:.decimals$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
    }
}

/// A number to the last bit, with an exponent where it would be long.
pub(crate) fn exact(value: f64) -> String {
    let plain = value == 0.0 || !value.is_finite() || (1e-9..1e17).contains(&value.abs());
    if plain { value.to_string() } else { format!("{value:e}") }
}

/// A number with three decimals, or with an exponent where it would be long.
pub(crate) fn thousandths(value: f64) -> String {
    if value.abs() < 1e15 { format!("{value:.3}") } else { format!("{value:.3e}") }
}

/// How spans of seconds are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Times {
    /// As numbers.
    #[default]
    Plain,
    /// As the two greatest units of days, hours, minutes and seconds.
    Read,
}

impl Times {
    pub(crate) fn show(self, seconds: f64) -> String {
        // Less than half a second, or more than a thousand years, is shown as a number.
        if self == Self::Plain || !(0.5..3.2e10).contains(&seconds.abs()) {
            return number(seconds);
        }
        if seconds.abs() < 60.0 {
            return format!("{} s", number(seconds));
        }
        let sign = if seconds < 0.0 { "-" } else { "" };
        let whole = seconds.abs().round() as u64;
        let units = [(86_400, "d"), (3_600, "h"), (60, "min"), (1, "s")];
        let greatest = |whole: u64| units.iter().position(|(unit, _)| whole >= *unit).unwrap_or(2).min(2);
        // The smaller unit is rounded, which may carry into the greater unit, and that into the next.
        let lesser = units[greatest(whole) + 1].0;
        let rounded = (whole + lesser / 2) / lesser * lesser;
        let first = greatest(rounded);
        let (great, small) = (units[first], units[first + 1]);
        let (greats, smalls) = (rounded / great.0, rounded % great.0 / small.0);
        let tail = if smalls == 0 { String::new() } else { format!(" {smalls} {}", small.1) };
        format!("{sign}{greats} {}{tail}", great.1)
    }
}
