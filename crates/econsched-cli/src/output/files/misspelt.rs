//! Guesses the field that a misspelt name was meant to be.

use strsim::osa_distance;

/// A question to append to a message such as "unknown field `pirce`, expected one of `id`, `speed`, `price`",
/// where one of the expected names is near; else nothing.
pub(crate) fn guess(message: &str) -> String {
    let Some(rest) =
        message.strip_prefix("unknown field `").or_else(|| message.strip_prefix("unknown variant `"))
    else {
        return String::new();
    };
    let mut quoted = rest.split('`');
    // What is much longer than any name is not compared.
    let Some(given) = quoted.next().filter(|given| given.len() <= 64) else { return String::new() };
    // Names are between every other pair of quotes.
    let known = quoted.skip(1).step_by(2);
    let near = known.map(|name| (osa_distance(given, name), name)).min();
    match near {
        Some((distance, name)) if distance <= 1 + name.len() / 4 => format!("; did you mean `{name}`?"),
        _ => String::new(),
    }
}
