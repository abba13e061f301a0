//! The window of every registered search.

use super::compare;
use super::draw::{NUMBERS, case};
use econsched::sched_model::Time;
use econsched::slot_window::{SearchKind, WindowQuery};

#[test]
fn windows_are_frozen() {
    let mut rows = Vec::new();
    for (size, nodes) in [4, 12, 40, 300].into_iter().enumerate() {
        for (structure, numbers) in NUMBERS.into_iter().enumerate() {
            let case = case(100 * size as u64 + structure as u64, numbers, nodes, 3);
            for job in case.batch.iter() {
                let mut row = format!("{nodes} nodes; {numbers:?}; job {}", job.id);
                let mut last = String::new();
                for kind in SearchKind::ALL {
                    let from = job.submit.max(Time::ZERO);
                    let window = kind
                        .build()
                        .find(&WindowQuery::new(&case.slots, &job.request).with_from(from))
                        .unwrap()
                        .best;
                    let window = window
                        .map(|window| (window.start().get(), window.finish().get(), window.cost().get()));
                    // An answer equal to that of the previous search is not repeated.
                    let found = window.map_or("none".to_owned(), |window| format!("{window:?}"));
                    row += &format!("; {kind} {}", if found == last { "the same" } else { &found });
                    last = found;
                }
                rows.push(row);
            }
        }
    }
    compare("windows.csv", &rows);
}
