//! Files of questions and their answers: each question is asked again, and its answer must be the same.

use std::fs;

/// Whether what is frozen is to be written anew: `ECONSCHED_FREEZE=write`.
pub(crate) fn writes() -> bool {
    std::env::var("ECONSCHED_FREEZE").is_ok_and(|word| word == "write")
}

/// Asks each line of a file that is neither empty nor a comment (`#`), with the lines of input (`<`) below it. Lines
/// that begin with one of these signs are answers.
pub(crate) fn played(place: &str, signs: &[char], mut answer: impl FnMut(&str, &str) -> String) {
    let before = fs::read_to_string(place).unwrap();
    let mut now = String::new();
    let mut lines = before.lines().filter(|line| !line.starts_with(signs)).peekable();
    while let Some(line) = lines.next() {
        now += &format!("{line}\n");
        let mut input = String::new();
        while let Some(line) = lines.next_if(|line| line.starts_with('<')) {
            now += &format!("{line}\n");
            input += &format!("{}\n", line[1..].strip_prefix(' ').unwrap_or_default());
        }
        if !line.is_empty() && !line.starts_with('#') {
            now += &answer(line, &input);
        }
    }
    if writes() {
        return fs::write(place, now).unwrap();
    }
    let differ = before.lines().zip(now.lines()).find(|(before, now)| before != now);
    assert!(before == now, "{place}: {differ:?}");
}
