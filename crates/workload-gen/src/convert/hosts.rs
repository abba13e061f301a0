//! The lists of nodes that Slurm writes.

/// The maximum number of names in one list.
const MAX_NAMES: usize = 100_000;

/// Returns the names in a list such as `n[1-3,7],login`; numbers keep their leading zeros. `None` if the text is not a
/// list of names, or if there are more than 100,000.
pub(super) fn names(list: &str) -> Option<Vec<String>> {
    let mut names = Vec::new();
    let mut rest = list;
    while !rest.is_empty() {
        // A comma within brackets does not separate names.
        let mut depth = 0;
        let end = rest.char_indices().find(|&(_, letter)| {
            depth += i32::from(letter == '[') - i32::from(letter == ']');
            letter == ',' && depth == 0
        });
        let (one, more) = end.map_or((rest, ""), |(at, _)| (&rest[..at], &rest[at + 1..]));
        let of_one = expand(one)?;
        if names.len() + of_one.len() > MAX_NAMES {
            return None;
        }
        names.extend(of_one);
        rest = more;
    }
    Some(names)
}

/// Returns the names of one part of a list, in which each pair of brackets stands for several numbers.
fn expand(part: &str) -> Option<Vec<String>> {
    let mut names = vec![String::new()];
    let mut rest = part;
    while let Some(open) = rest.find('[') {
        let close = open + rest[open..].find(']')?;
        let mut numbers = Vec::new();
        for range in rest[open + 1..close].split(',') {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let [from, to] = [first, last].map(|text| text.parse::<usize>().ok());
            let (from, to) = (from?, to?);
            if from > to || to - from >= MAX_NAMES {
                return None;
            }
            numbers.extend((from..=to).map(|number| format!("{number:0width$}", width = first.len())));
        }
        if names.len() * numbers.len() > MAX_NAMES {
            return None;
        }
        let before = &rest[..open];
        names = names
            .iter()
            .flat_map(|name| numbers.iter().map(move |number| format!("{name}{before}{number}")))
            .collect();
        rest = &rest[close + 1..];
    }
    if rest.contains(']') || part.is_empty() {
        return None;
    }
    names.iter_mut().for_each(|name| name.push_str(rest));
    Some(names)
}
