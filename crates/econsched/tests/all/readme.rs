//! The output that stands under the sample of the README is what the sample prints.
#![cfg(feature = "joint-plan")]

use std::cell::RefCell;

thread_local! {
    static PRINTED: RefCell<String> = const { RefCell::new(String::new()) };
}

macro_rules! println {
    ($($words:tt)*) => { PRINTED.with_borrow_mut(|text| *text += &(format!($($words)*) + "\n")) };
}

include!("../../examples/quickstart.rs");

#[test]
fn the_readme_shows_what_its_sample_prints() {
    main().unwrap();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");
    let readme = std::fs::read_to_string(path).unwrap();
    let shown = PRINTED.with_borrow(|text| format!("prints:\n\n```text\n{text}```"));
    assert!(readme.contains(&shown), "{shown}");
}
