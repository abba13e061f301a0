//! Counts and digests that are compared with a file; shared by the tests of the crates above this one.

use sched_model::Outcome;
use std::fmt::Write;

/// SplitMix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, end: u32) -> u32 {
        (self.next() % u64::from(end)) as u32
    }

    /// In [0, 1).
    pub(crate) fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / 2_f64.powi(53)
    }
}

/// The work of some searches together, and a digest of all that they tell.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counted {
    work: u64,
    /// FNV-1a.
    digest: u64,
}

impl Counted {
    pub(crate) const NOTHING: Self = Self { work: 0, digest: 0xcbf2_9ce4_8422_2325 };

    pub(crate) fn spent(&mut self, work: u64) {
        self.work += work;
        self.note(work);
    }

    pub(crate) fn note(&mut self, number: u64) {
        for byte in number.to_le_bytes() {
            self.digest = (self.digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    pub(crate) fn note_number(&mut self, number: Option<f64>) {
        self.note(number.map_or(1, f64::to_bits));
    }

    /// All of an outcome but its solution.
    pub(crate) fn outcome<T>(&mut self, found: &Outcome<T>) {
        self.spent(found.work);
        self.note_number(found.value);
        self.note_number(found.bound);
        self.note(found.end as u64);
    }
}

/// Compares with `tests/counted/NAME.txt`, or writes it where the environment variable `GOLDEN` is `write`.
pub(crate) fn pinned(name: &str, found: &[(String, Counted)]) {
    let mut rows = String::new();
    for (name, Counted { work, digest }) in found {
        writeln!(rows, "{name}: {work}, {digest:016x}").unwrap();
    }
    let path = format!("{}/tests/counted/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    if std::env::var("GOLDEN").is_ok_and(|golden| golden == "write") {
        std::fs::write(path, rows).unwrap();
    } else {
        assert_eq!(rows, std::fs::read_to_string(path).unwrap(), "{name}");
    }
}
