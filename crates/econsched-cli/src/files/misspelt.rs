//! Guesses the field that a misspelt name was meant to be.

/// A question to append to a message such as "unknown field `pirce`, expected one of `id`, `speed`, `price`",
/// where one of the expected names is near; else nothing.
pub(crate) fn guess(message: &str) -> String {
    let Some(rest) =
        message.strip_prefix("unknown field `").or_else(|| message.strip_prefix("unknown variant `"))
    else {
        return String::new();
    };
    let mut quoted = rest.split('`');
    let Some(given) = quoted.next() else { return String::new() };
    // Names are between every other pair of quotes.
    let known = quoted.skip(1).step_by(2);
    let near = known.map(|name| (distance(given, name), name)).min();
    match near {
        Some((distance, name)) if distance <= 1 + name.len() / 4 => format!("; did you mean `{name}`?"),
        _ => String::new(),
    }
}

/// Letters added, removed, replaced, and neighbours exchanged, to get from one word to the other (F. Damerau,
/// A technique for computer detection and correction of spelling errors, 1964; no letter is touched twice).
/// Words longer than 64 letters are far from all others.
fn distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    if one.len().max(other.len()) > 64 {
        return usize::MAX;
    }
    let mut rows = vec![vec![0; other.len() + 1]; one.len() + 1];
    for i in 0..=one.len() {
        for j in 0..=other.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let replaced = rows[i - 1][j - 1] + usize::from(one[i - 1] != other[j - 1]);
                let mut least = replaced.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                if i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1] {
                    least = least.min(rows[i - 2][j - 2] + 1);
                }
                least
            };
        }
    }
    rows[one.len()][other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_guessed_and_far_ones_are_not() {
        let message =
            |given: &str| format!("unknown field `{given}`, expected one of `id`, `speed`, `price`");
        assert_eq!(guess(&message("pirce")), "; did you mean `price`?");
        assert_eq!(guess(&message("spedd")), "; did you mean `speed`?");
        assert_eq!(guess(&message("colour")), "");
        assert_eq!(guess("unknown field `a`, there are no fields"), "");
        assert_eq!(guess("invalid type: integer `5`"), "");
    }

    #[test]
    fn distances_of_words() {
        for (one, other, expected) in
            [("", "abc", 3), ("abc", "abc", 0), ("ab", "ba", 1), ("kitten", "sitting", 3), ("a", "", 1)]
        {
            assert_eq!(distance(one, other), expected, "{one} {other}");
        }
        assert_eq!(distance(&"a".repeat(65), "a"), usize::MAX);
    }
}
