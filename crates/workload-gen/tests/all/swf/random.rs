//! Mutated logs, random logs and random bytes.

use super::*;
use proptest::prelude::*;

/// SplitMix64: enough to choose bytes by.
struct Bytes(u64);

impl Bytes {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}

/// 10^5 mutated logs: each is read or refused with a clear error, and what was read comes back the same.
#[test]
fn mutations_never_panic_and_round_trip() {
    let whole = fixture("messy.swf");
    let seeds = [&whole[..], &whole[300..]];
    let packed = gzip(&whole);
    let mut random = Bytes(7);
    let inserts: [&[u8]; 12] = [
        b"-1",
        b"1e999",
        b"-",
        b"\n",
        b";",
        b"\r\n",
        b"nan",
        b"18446744073709551616",
        b"\xff",
        b"1e19",
        b":",
        b"\0",
    ];
    let mut kept = 0u64;
    for round in 0..100_000 {
        let mut bytes = if round % 10 == 0 { packed.clone() } else { seeds[round % 2].to_vec() };
        for _ in 0..=random.below(4) {
            let at = random.below(bytes.len());
            match random.below(4) {
                0 => bytes[at] = random.below(256) as u8,
                1 => bytes[at] ^= 1 << random.below(8),
                2 => bytes.truncate(at.max(1)),
                _ => {
                    let new = inserts[random.below(inserts.len())];
                    bytes.splice(at..at, new.iter().copied());
                }
            }
        }
        match SwfLog::read(&bytes[..]) {
            Ok((log, _)) => {
                kept += log.records.len() as u64;
                // A job or a clear error.
                log.records.iter().for_each(|record| drop(record.to_job()));
                let (again, report) = SwfLog::read(&written(&log)[..]).unwrap();
                assert!(report.is_clean(), "{report:?}");
                assert_eq!(again, log);
            }
            Err(error) => assert!(matches!(error, WorkloadError::Io { .. }), "{error}"),
        }
    }
    assert!(kept > 100_000, "the mutations left too little: {kept}");
}

fn quantity() -> impl Strategy<Value = Option<f64>> {
    proptest::option::of(prop_oneof![
        (0u64..1_000_000).prop_map(|v| v as f64),
        0.0..1e9,
        Just(f64::MAX),
        Just(f64::MIN_POSITIVE),
        Just(5e-324),
    ])
}

fn number() -> impl Strategy<Value = Option<u64>> {
    proptest::option::of(prop_oneof![0u64..1000, Just(u64::MAX), Just(1 << 53), any::<u64>()])
}

fn record() -> impl Strategy<Value = SwfRecord> {
    let times =
        (quantity(), quantity(), quantity(), quantity(), quantity(), quantity(), quantity(), quantity());
    let counts = (number(), number(), number(), number(), number(), number(), number(), number());
    let more = (number(), number(), proptest::collection::vec("[a-z0-9.;:-]{1,5}", 0..3));
    (times, counts, more).prop_map(|(t, c, m)| SwfRecord {
        job: c.0,
        submit: t.0,
        wait: t.1,
        runtime: t.2,
        allocated: c.1,
        cpu_time: t.3,
        memory: t.4,
        requested_processors: c.2,
        requested_time: t.5,
        requested_memory: t.6,
        status: c.3.map(SwfStatus),
        user: c.4,
        group: c.5,
        executable: c.6,
        queue: c.7,
        partition: m.0,
        preceding: m.1,
        think_time: t.7,
        extra: m.2,
    })
}

proptest! {
    #[test]
    fn any_log_comes_back(
        lines in proptest::collection::vec("\\PC{0,30}", 0..6),
        records in proptest::collection::vec(record(), 0..6),
        packed in any::<bool>(),
    ) {
        let mut header = SwfHeader::default();
        for line in &lines {
            header.push(line);
        }
        let log = SwfLog { header, records };
        let mut bytes = written(&log);
        if packed {
            bytes = gzip(&bytes);
        }
        let (again, report) = SwfLog::read_with(&bytes[..], SwfOptions::default().with_strict(true)).unwrap();
        prop_assert!(report.is_clean());
        prop_assert_eq!(again, log);
    }

    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = SwfLog::read(&bytes[..]);
    }
}
