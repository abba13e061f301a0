//! The tests of the crate, as one program.
#![allow(clippy::unwrap_used, clippy::expect_used, unreachable_pub)] // a test stops at the first surprise

#[cfg(feature = "convert")]
mod convert;
mod distribution;
mod extreme_parameters;
mod generators;
#[path = "../../../../fuzz/src/json.rs"]
mod json;
#[path = "../../../../fuzz/src/judge.rs"]
mod judge;
#[cfg(feature = "convert")]
mod parsers;
#[cfg(any(feature = "convert", feature = "serde"))]
#[path = "../../../econsched-cli/tests/all/session.rs"]
mod session;
mod stability;
mod swf;

use std::path::Path;
use workload_gen::swf::{SwfLog, write};

fn fixture(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)).unwrap()
}

/// A log as it is written; its records are read again without loss.
fn written(log: &SwfLog) -> String {
    let mut out = Vec::new();
    write(&mut out, &log.header, &log.records).unwrap();
    let (again, report) = SwfLog::read(&out[..]).unwrap();
    assert!(report.dropped.is_empty() && again.records == log.records, "{report:?}");
    String::from_utf8(out).unwrap()
}
