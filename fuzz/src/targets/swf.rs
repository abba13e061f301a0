//! Workload logs: a written log is read back without loss, and no input makes the reader panic.

use crate::rng::Rng;
use crate::target::{Target, Verdict, ensure};
use econsched::workload_gen::swf::{SwfLog, SwfReader};
use flate2::{Compression, write::GzEncoder};
use serde::{Deserialize, Serialize};
use std::io::Write;

pub(crate) struct Logs;

#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    text: String,
    /// Packed before it is read.
    gzip: bool,
    /// Position and byte written there after packing.
    changed: Vec<(usize, u8)>,
    /// Bytes left of the file.
    cut: Option<usize>,
}

const WORDS: &[&str] = &[
    "-1",
    "0",
    "1",
    "-0",
    "1e308",
    "1e400",
    "-5",
    "nan",
    "inf",
    "4294967296",
    "18446744073709551616",
    "0.1",
    "1.5e3",
    "9007199254740993",
    "-9223372036854775808",
    "2147483648",
    "x",
    "1e16",
    "5e-324",
    "+1",
    "0x10",
    "1,5",
    "\u{feff}1",
];

const HEADERS: &[&str] = &[
    "; Version: 2.2",
    "; MaxProcs: 128",
    "; MaxNodes: 99999999999999999999",
    "; UnixStartTime: -1",
    ";",
    "; : :",
    ";MaxProcs:4294967295",
    "; Note: \u{1b}[31mred",
    "; MaxProcs: 0",
    "; TimeZone: \u{0}",
];

pub(crate) fn text(rng: &mut Rng) -> String {
    let mut lines: Vec<String> = Vec::new();
    if rng.percent(5) {
        lines.push("\u{feff}; Version: 2".to_owned());
    }
    for _ in 0..rng.below(5) {
        lines.push((*rng.pick(HEADERS)).to_owned());
    }
    let wild = rng.below(30);
    let mut submit = 0;
    for id in 0..rng.range(0, 12) {
        submit += rng.below(50);
        let plain = [
            id + 1,
            submit,
            rng.below(20),
            rng.below(100),
            rng.range(1, 9),
            5,
            0,
            rng.range(1, 9),
            rng.below(200),
            0,
            1,
            1,
            1,
            1,
            1,
            1,
        ];
        let mut fields: Vec<String> = plain.iter().map(ToString::to_string).collect();
        fields.extend(["-1".to_owned(), "-1".to_owned()]);
        for field in &mut fields {
            if rng.percent(wild) {
                (*rng.pick(WORDS)).clone_into(field);
            }
        }
        if rng.percent(3) {
            fields.truncate(rng.below(19));
        }
        let between = if rng.percent(90) { " " } else { "\t  " };
        lines.push(fields.join(between));
        if rng.percent(3) {
            lines.push(String::new());
        }
    }
    lines.join(if rng.percent(90) { "\n" } else { "\r\n" }) + if rng.percent(80) { "\n" } else { "" }
}

impl Target for Logs {
    type Case = Case;

    fn generate(rng: &mut Rng) -> Case {
        let gzip = rng.percent(40);
        let broken = rng.percent(40);
        Case {
            text: text(rng),
            gzip,
            changed: if broken {
                (0..rng.range(1, 4)).map(|_| (rng.below(1000), rng.below(256) as u8)).collect()
            } else {
                Vec::new()
            },
            cut: rng.percent(10).then(|| rng.below(600)),
        }
    }

    fn judge(case: &Case) -> Verdict {
        let mut bytes = case.text.clone().into_bytes();
        if case.gzip {
            let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
            packed.write_all(&bytes)?;
            bytes = packed.finish()?;
        }
        for &(at, byte) in &case.changed {
            let length = bytes.len();
            if length > 0 {
                bytes[at % length] = byte;
            }
        }
        bytes.truncate(case.cut.unwrap_or(usize::MAX));
        // Reading record by record ends on every input.
        if let Ok(reader) = SwfReader::detect(bytes.as_slice()) {
            let most = bytes.len() * 1100 + 10;
            let mut read = 0;
            for record in reader {
                read += 1;
                ensure!(read <= most, "more records than a file of {} bytes can hold", bytes.len());
                if record.is_err() {
                    break;
                }
            }
        }
        let Ok((log, _)) = SwfLog::read(bytes.as_slice()) else { return Ok(()) };
        for record in &log.records {
            let _ = record.to_job();
        }
        let _ = log.summary();
        let mut written = Vec::new();
        log.write(&mut written)?;
        let (again, report) = SwfLog::read(written.as_slice())?;
        ensure!(report.is_clean(), "what was written is not read without loss: {report:?}");
        ensure!(again.records == log.records, "what was written is read otherwise");
        Ok(())
    }
}
