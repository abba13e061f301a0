//! A family under libFuzzer, which makes the bytes: see the README of `fuzz/`.

#![no_main]
#![allow(dead_code, unreachable_patterns)] // what the driver alone uses

#[path = "../../src/families/mod.rs"]
mod families;
#[path = "../../src/family.rs"]
mod family;
#[path = "../../src/judge.rs"]
mod judge;
#[path = "../../src/json.rs"]
mod json;

use econsched::testkit::Draw;
use std::sync::LazyLock;

static FAMILY: LazyLock<&family::Entry> = LazyLock::new(|| {
    let name = std::env::var("FAMILY").unwrap_or_default();
    families::ALL.iter().find(|entry| entry.name == name).expect("FAMILY names none of the families")
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Err(fault) = (FAMILY.attack)(Draw::of_bytes(bytes), &|_| ()) {
        panic!("{fault}");
    }
});
