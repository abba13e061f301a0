//! The readers of logs: no text makes one panic, and every log that is read can be written and read again.

use crate::judge::{Verdict, ensure, family};
use econsched::testkit::Draw;
use econsched::workload_gen::convert::{
    Conversion, Format, csv_columns, read_batsim_platform, read_sinfo, write_batsim, write_batsim_platform,
};
use econsched::workload_gen::swf::{SwfLog, SwfReader, write};
use flate2::{Compression, write::GzEncoder};
use serde::{Deserialize, Serialize};
use std::io::Write;

family!(Logs: LogCase, LogCase::draw, LogCase::judge);

#[derive(Serialize, Deserialize)]
pub(crate) struct LogCase {
    text: String,
    /// Whether the text is compressed before it is read.
    gzip: bool,
    /// Position and new value of bytes changed after compression.
    changed: Vec<(usize, u8)>,
    /// The number of bytes that are left of the file.
    cut: Option<usize>,
}

const WORDS: &str = "-1~0~1~-0~1e308~1e400~-5~nan~inf~4294967296~18446744073709551616~0.1~1.5e3~9007199254740993~\
    18446744073709551615~1.7976931348623157e308~-9223372036854775808~2147483648~x~1e16~5e-324~+1~0x10~1,5~\u{feff}1";

const HEADERS: &str = "; Version: 2.2~; MaxProcs: 128~; MaxNodes: 99999999999999999999~; UnixStartTime: -1~;~; : :~\
    ;MaxProcs:4294967295~; Note: \u{1b}[31mred~; MaxProcs: 0~; TimeZone: \u{0}";

/// One of the words that are separated by tildes.
pub(crate) fn one_of<'a>(draw: &mut Draw, words: &'a str) -> &'a str {
    words.split('~').nth(draw.below(words.split('~').count())).unwrap_or_default()
}

/// The lines of a file, mostly with the usual ends.
fn joined(draw: &mut Draw, lines: &[String]) -> String {
    lines.join(if draw.chance(10) { "\r\n" } else { "\n" }) + if draw.chance(20) { "" } else { "\n" }
}

/// The text of a log.
pub(crate) fn log(draw: &mut Draw) -> String {
    let mut lines: Vec<String> = Vec::new();
    if draw.chance(5) {
        lines.push("\u{feff}; Version: 2".to_owned());
    }
    for _ in 0..draw.below(5) {
        lines.push(one_of(draw, HEADERS).to_owned());
    }
    let (wild, mut submit) = (draw.below(30), 0);
    for id in 1..=draw.below(13) {
        submit += draw.below(50);
        let (wait, run, limit) = (draw.below(20), draw.below(100), draw.below(200));
        let (cpus, asked) = (draw.between(1, 9), draw.between(1, 9));
        let plain = format!("{id} {submit} {wait} {run} {cpus} 5 0 {asked} {limit} 0 1 1 1 1 1 1 -1 -1");
        let mut field = |plain| if draw.chance(wild) { one_of(draw, WORDS) } else { plain };
        let mut fields: Vec<&str> = plain.split(' ').map(&mut field).collect();
        if draw.chance(3) {
            fields.truncate(draw.below(19));
        }
        lines.push(fields.join(if draw.chance(10) { "\t  " } else { " " }));
        if draw.chance(3) {
            lines.push(String::new());
        }
    }
    joined(draw, &lines)
}

impl LogCase {
    fn draw(draw: &mut Draw) -> Self {
        let broken = if draw.chance(40) { draw.between(1, 4) } else { 0 };
        Self {
            text: log(draw),
            gzip: draw.chance(40),
            changed: (0..broken).map(|_| (draw.below(1000), draw.below(256) as u8)).collect(),
            cut: draw.chance(10).then(|| draw.below(600)),
        }
    }

    fn judge(&self) -> Verdict {
        let mut bytes = self.text.clone().into_bytes();
        if self.gzip {
            let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
            packed.write_all(&bytes)?;
            bytes = packed.finish()?;
        }
        for &(at, byte) in &self.changed {
            let length = bytes.len();
            if length > 0 {
                bytes[at % length] = byte;
            }
        }
        bytes.truncate(self.cut.unwrap_or(usize::MAX));
        // The iterator over records ends on every input.
        if let Ok(reader) = SwfReader::new(bytes.as_slice()) {
            let read = reader.take_while(Result::is_ok).take(bytes.len() * 1100 + 11).count();
            ensure!(read <= bytes.len() * 1100 + 10, "{read} records in {} bytes", bytes.len());
        }
        let Ok((log, _)) = SwfLog::read(bytes.as_slice()) else { return Ok(()) };
        reads_back(&log)
    }
}

/// Checks that a log can be written and read again without loss.
fn reads_back(log: &SwfLog) -> Verdict {
    for record in &log.records {
        let _ = record.to_job();
    }
    let mut written = Vec::new();
    write(&mut written, &log.header, &log.records)?;
    let (again, report) = SwfLog::read(written.as_slice())?;
    ensure!(report.dropped.is_empty(), "what was written is not read without loss: {report:?}");
    ensure!(again.records == log.records, "what was written is read otherwise");
    Ok(())
}

family!(Conversions: Case, Case::draw, Case::judge);

#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    format: usize,
    text: String,
}

const VALUES: &str = "~0~-0~1~-1~7~3600~1e3~1e308~1e400~nan~inf~0.1~4294967296~18446744073709551616~9007199254740993~\
    2024-05-01T08:00:00~2024-02-30T25:61:61~0000-00-00T00:00:00~9999-12-31T23:59:59~1-02:03:04~99999999999-00:00:00~\
    00:10:00~10:00~Unknown~UNLIMITED~Partition_Limit~N/A~COMPLETED~CANCELLED by 7~RUNNING~4Gn~16000Mc~1.5T~anna~\
    \"a, b\"~\"a\"\"b\"~\"~x|y~n[1-3]~64000+~>24~Terminated~\u{1b}[31m~=1+1~7.batch~7_3~12.0~a\u{0}b~\u{feff}";

const HEADS: &str = "JobIDRaw Submit Start End ElapsedRaw Elapsed TimelimitRaw Timelimit AllocCPUS ReqCPUS ReqMem State \
    User Group Partition JOBID SUBMIT_TIME START_TIME TIME TIME_LIMIT CPUS STATE USER GROUP PARTITION NODELIST MEMORY x";

/// Texts to start from, each with the number of its format in [`read`].
const TEXTS: [(usize, &str); 5] = [
    (
        5,
        r#"{"nb_res": 8, "jobs": [{"id": "w0!7", "subtime": 10, "res": 4, "walltime": 100, "profile": "d"}, {"id": 8,
        "subtime": 0.5, "res": 1, "walltime": -1, "profile": "e"}], "profiles": {"d": {"type": "delay", "delay": 60}, "e":
        {"type": "parallel"}}}"#,
    ),
    (6, include_str!("../data/slurm/sacct-24.05.json")),
    (9, include_str!("../data/slurm/squeue-22.05.json")),
    (11, include_str!("../data/slurm/sinfo-24.05.json")),
    (
        12,
        r#"<?xml version="1.0"?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd"><platform version="4.1"><zone
        id="site" routing="Full"><host id="master_host" speed="1Gf"><prop id="role" value="master"/></host><cluster id="c"
        prefix="n" radical="0-3" suffix="" speed="2Gf" bw="1" lat="0"/><host id="a&amp;b" speed="0.5Gf"/></zone></platform>"#,
    ),
];

const PIECES: &str = "null~-0~-1~-1e60~1e308~1e999~4294967296~18446744073709551616~\"\"~[]~{}~true~[[[[~\"\u{0}\"~0.1~,~}~]~\"~e~\n~\u{feff}~\u{1b}~é";

/// A table of some of these columns, with their names if `named`.
fn table(draw: &mut Draw, heads: &[&str], between: &str, named: bool) -> String {
    let mut columns: Vec<&str> = heads.iter().copied().filter(|_| !named || draw.chance(75)).collect();
    if named && draw.chance(10) {
        columns.extend(columns.first().copied());
    }
    let mut lines = Vec::from_iter(named.then(|| columns.join(between)));
    let wild = draw.below(40);
    for row in 0..draw.below(8) {
        let mut cell = |_: &&str| match draw.chance(wild) {
            true => one_of(draw, VALUES).to_owned(),
            false => (row * 10 + draw.below(9)).to_string(),
        };
        let mut cells: Vec<String> = columns.iter().map(&mut cell).collect();
        if draw.chance(4) {
            cells.truncate(draw.below(cells.len() + 2));
        }
        lines.push(cells.join(between));
        if draw.chance(3) {
            lines.push(String::new());
        }
    }
    joined(draw, &lines)
}

/// The text with some numbers replaced, pieces put in, letters taken out or doubled, or its end cut off.
pub(crate) fn broken(draw: &mut Draw, text: &str) -> String {
    let mut text = text.to_owned();
    for _ in 0..draw.below(5) {
        let mut at = draw.below(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let letter: String = text[at..].chars().take(1).collect();
        let digits = text[at..].bytes().take_while(u8::is_ascii_digit).count();
        match draw.below(12) {
            0 => text.truncate(at),
            1 => text.replace_range(at..at + letter.len(), ""),
            2 => text.insert_str(at, &letter),
            _ => text.replace_range(at..at + digits, one_of(draw, PIECES)),
        }
    }
    text
}

fn read(format: usize, text: &str) -> Option<Conversion> {
    match format {
        0 => Format::Csv(&[]).read(text),
        1 | 6 => Format::Sacct.read(text),
        2 | 9 => Format::Squeue.read(text),
        3 => Format::Alibaba2018.read(text),
        4 => Format::Azure.read(text),
        5 => Format::Batsim.read(text),
        10 => Format::Google2019(64).read(text),
        _ => Format::Csv(&[("x", "submit")]).read(text),
    }
    .ok()
}

impl Case {
    fn draw(draw: &mut Draw) -> Self {
        let format = draw.below(13);
        let heads: Vec<&str> = HEADS.split_whitespace().collect();
        let text = match format {
            0 | 7 => {
                let between = draw.of([",", ";", "\t", "|"]);
                table(draw, &csv_columns(), between, true)
            }
            1 | 2 | 8 => table(draw, &heads, "|", true),
            3 => table(draw, &heads[..9], ",", false),
            4 => table(draw, &heads[..11], ",", false),
            10 => (0..draw.below(12))
                .map(|_| {
                    let (time, kind, of) = (draw.below(40) * 500_000, draw.below(11), draw.below(3));
                    let line = format!(
                        "{{\"time\":\"{time}\",\"type\":\"{kind}\",\"collection_id\":\"{of}\",\"instance_index\":\"{}\",\
                         \"scheduling_class\":\"2\",\"resource_request\":{{\"cpus\":0.{},\"memory\":0.1}}}}\n",
                        draw.below(2),
                        draw.below(100)
                    );
                    if draw.chance(10) { broken(draw, &line) } else { line }
                })
                .collect(),
            _ => TEXTS.iter().find(|(of, _)| *of == format).map_or_else(String::new, |(_, text)| broken(draw, text)),
        };
        Self { format, text }
    }

    fn judge(&self) -> Verdict {
        match self.format {
            8 | 11 => drop(read_sinfo(&self.text)),
            12 => {
                let Ok(hosts) = read_batsim_platform(&self.text) else { return Ok(()) };
                let Ok(written) = write_batsim_platform(&hosts) else { return Ok(()) };
                ensure!(read_batsim_platform(&written)? == hosts, "a platform is read otherwise: {hosts:?}");
            }
            _ => {
                let Some(conversion) = read(self.format, &self.text) else { return Ok(()) };
                let Conversion { log, report, .. } = &conversion;
                let jobs = log.records.len() as u64 + report.lost_lines + conversion.skipped;
                ensure!(jobs <= self.text.len() as u64 + 1, "more jobs than text");
                let kept = report.dropped.len() as u64;
                ensure!(kept <= report.lost_lines + report.lost_values, "{kept} losses told");
                reads_back(log)?;
                batsim(log)?;
            }
        }
        Ok(())
    }
}

fn batsim(log: &SwfLog) -> Verdict {
    let Ok(text) = write_batsim(log) else { return Ok(()) };
    let read = Format::Batsim.read(&text)?;
    ensure!(read.report.dropped.is_empty(), "of Batsim: {:?}", read.report);
    for record in &read.log.records {
        // Calendar dates are counted from the first date.
        let of = |record: &econsched::workload_gen::swf::SwfRecord| {
            (record.job, record.processors(), record.runtime)
        };
        let same = log.records.iter().any(|own| of(own) == of(record));
        ensure!(same, "Batsim reads another job {:?}", record.job);
    }
    Ok(())
}
