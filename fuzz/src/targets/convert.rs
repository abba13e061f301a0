//! Logs of other formats: no text makes a reader panic, and a log that was read can be written and read
//! again.

use crate::rng::Rng;
use crate::target::{Target, Verdict, ensure};
use econsched::workload_gen::convert::{
    CSV_COLUMNS, Conversion, RanJob, read_alibaba_tasks, read_azure_machines, read_batsim,
    read_batsim_platform, read_csv, read_google_2019, read_sacct, read_sacct_json, read_sinfo,
    read_sinfo_json, read_squeue, read_squeue_json, write_batsim, write_batsim_platform, write_jobs_csv,
};
use econsched::workload_gen::swf::SwfLog;
use serde::{Deserialize, Serialize};

pub(crate) struct Conversions;

#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    format: usize,
    text: String,
}

const VALUES: &[&str] = &[
    "",
    "0",
    "-0",
    "1",
    "-1",
    "7",
    "3600",
    "1e3",
    "1e308",
    "1e400",
    "nan",
    "inf",
    "0.1",
    "4294967296",
    "18446744073709551616",
    "9007199254740993",
    "2024-05-01T08:00:00",
    "2024-02-30T25:61:61",
    "0000-00-00T00:00:00",
    "9999-12-31T23:59:59",
    "1-02:03:04",
    "99999999999-00:00:00",
    "00:10:00",
    "10:00",
    "Unknown",
    "UNLIMITED",
    "Partition_Limit",
    "N/A",
    "COMPLETED",
    "CANCELLED by 7",
    "RUNNING",
    "4Gn",
    "16000Mc",
    "1.5T",
    "anna",
    "\"a, b\"",
    "\"a\"\"b\"",
    "\"",
    "x|y",
    "n[1-3]",
    "64000+",
    ">24",
    "Terminated",
    "\u{1b}[31m",
    "=1+1",
    "7.batch",
    "7_3",
    "12.0",
    "a\u{0}b",
    "\u{feff}",
];

const HEADS: &[&str] = &[
    "JobIDRaw",
    "Submit",
    "Start",
    "End",
    "ElapsedRaw",
    "Elapsed",
    "TimelimitRaw",
    "Timelimit",
    "AllocCPUS",
    "ReqCPUS",
    "ReqMem",
    "State",
    "User",
    "Group",
    "Partition",
    "JOBID",
    "SUBMIT_TIME",
    "START_TIME",
    "TIME",
    "TIME_LIMIT",
    "CPUS",
    "STATE",
    "USER",
    "GROUP",
    "PARTITION",
    "NODELIST",
    "MEMORY",
    "x",
];

const JSON: &[&str] = &[
    "{\"nb_res\": 8, \"jobs\": [{\"id\": \"w0!7\", \"subtime\": 10, \"res\": 4, \"walltime\": 100, \
     \"profile\": \"d\"}, {\"id\": 8, \"subtime\": 0.5, \"res\": 1, \"walltime\": -1, \"profile\": \"e\"}], \
     \"profiles\": {\"d\": {\"type\": \"delay\", \"delay\": 60}, \"e\": {\"type\": \"parallel\"}}}",
    "{\"meta\": {\"plugin\": {\"data_parser\": \"data_parser/v0.0.41\"}}, \"jobs\": [{\"job_id\": 7, \"user\": \
     \"anna\", \"partition\": \"short\", \"state\": {\"current\": [\"COMPLETED\"]}, \"time\": {\"submission\": \
     1714550400, \"start\": 1714550460, \"end\": 1714550580, \"elapsed\": 120, \"limit\": {\"set\": true, \
     \"infinite\": false, \"number\": 60}}, \"required\": {\"CPUs\": 16}, \"tres\": {\"allocated\": [{\"type\": \
     \"cpu\", \"count\": 16}]}}]}",
];

const SLURM_NOW: &[&str] = &[
    "{\"meta\": {\"plugin\": {\"data_parser\": \"data_parser/v0.0.40\"}}, \"jobs\": [{\"job_id\": 7, \"user_name\": \
     \"anna\", \"partition\": \"short\", \"job_state\": [\"RUNNING\"], \"submit_time\": {\"set\": true, \"infinite\": \
     false, \"number\": 1714550400}, \"start_time\": {\"set\": true, \"infinite\": false, \"number\": 1714550460}, \
     \"time_limit\": {\"set\": true, \"infinite\": false, \"number\": 60}, \"cpus\": {\"set\": true, \"infinite\": \
     false, \"number\": 16}, \"nodes\": \"n[1-2]\"}, {\"job_id\": 8, \"job_state\": [\"PENDING\"], \"cpus\": {\"set\": \
     true, \"infinite\": false, \"number\": 2}}]}",
    "{\"meta\": {\"plugin\": {\"data_parser\": \"data_parser/v0.0.40\"}}, \"nodes\": [{\"name\": \"n1\", \"cpus\": 64, \
     \"state\": [\"IDLE\"]}], \"sinfo\": [{\"nodes\": {\"nodes\": [\"n[1-3]\"], \"total\": 3}, \"cpus\": {\"maximum\": \
     64, \"minimum\": 64, \"total\": 192}, \"node\": {\"state\": [\"IDLE\", \"DRAIN\"]}}]}",
];

const PLATFORM: &str = "<?xml version=\"1.0\"?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform \
     version=\"4.1\">\n <zone id=\"site\" routing=\"Full\">\n  <host id=\"master_host\" speed=\"1Gf\"><prop id=\"role\" \
     value=\"master\"/></host>\n  <cluster id=\"c\" prefix=\"n\" radical=\"0-3\" suffix=\"\" speed=\"2Gf\" bw=\"1\" \
     lat=\"0\"/>\n  <host id=\"a&amp;b\" speed=\"0.5Gf\"/>\n </zone>\n</platform>\n";

/// Pieces that are inserted into a JSON text.
const PIECES: &[&str] = &[
    "null",
    "-1",
    "1e308",
    "1e999",
    "18446744073709551616",
    "\"\"",
    "[]",
    "{}",
    "true",
    "[[[[",
    "\"\u{0}\"",
    "0.1",
    ",",
    "}",
    "\u{feff}",
];

fn table(rng: &mut Rng, heads: &[&str], between: &str) -> String {
    let mut columns: Vec<&str> = heads.iter().copied().filter(|_| rng.percent(75)).collect();
    if rng.percent(10) && !columns.is_empty() {
        columns.push(columns[0]);
    }
    let mut lines = vec![columns.join(between)];
    let wild = rng.below(40);
    for row in 0..rng.below(8) {
        let cells: Vec<String> = columns
            .iter()
            .map(|_| {
                if rng.percent(wild) {
                    (*rng.pick(VALUES)).to_owned()
                } else {
                    (row * 10 + rng.below(9)).to_string()
                }
            })
            .collect();
        let keep = if rng.percent(4) { rng.below(cells.len() + 2).min(cells.len()) } else { cells.len() };
        lines.push(cells[..keep].join(between));
        if rng.percent(3) {
            lines.push(String::new());
        }
    }
    lines.join(if rng.percent(85) { "\n" } else { "\r\n" }) + if rng.percent(80) { "\n" } else { "" }
}

/// Rows without names of columns.
fn rows(rng: &mut Rng, columns: usize) -> String {
    let wild = rng.below(50);
    let mut text = String::new();
    for _ in 0..rng.below(8) {
        let count = if rng.percent(5) { rng.below(columns + 3) } else { columns };
        let cells: Vec<String> =
            (0..count)
                .map(|_| {
                    if rng.percent(wild) {
                        (*rng.pick(VALUES)).to_owned()
                    } else {
                        rng.below(900).to_string()
                    }
                })
                .collect();
        text += &cells.join(",");
        text += "\n";
    }
    text
}

fn broken(rng: &mut Rng, text: &str) -> String {
    let mut text = text.to_owned();
    for _ in 0..rng.below(4) {
        let mut at = rng.below(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        // A number is replaced, or a piece is inserted.
        let digits = text[at..].bytes().take_while(u8::is_ascii_digit).count();
        let piece = rng.pick(PIECES);
        text.replace_range(at..at + digits, piece);
    }
    text
}

fn read(format: usize, text: &str) -> Option<Conversion> {
    match format {
        0 => read_csv(text, &[]),
        1 => read_sacct(text),
        2 => read_squeue(text),
        3 => read_alibaba_tasks(text),
        4 => read_azure_machines(text),
        5 => read_batsim(text),
        6 => read_sacct_json(text),
        9 => read_squeue_json(text),
        10 => read_google_2019(text, 64),
        _ => read_csv(text, &[("x", "submit")]),
    }
    .ok()
}

impl Target for Conversions {
    type Case = Case;

    fn generate(rng: &mut Rng) -> Case {
        let format = rng.below(13);
        let text = match format {
            0 | 7 => {
                let between = *rng.pick(&[",", ";", "\t", "|"]);
                table(rng, CSV_COLUMNS, between)
            }
            1 | 2 | 8 => table(rng, HEADS, "|"),
            3 => rows(rng, 9),
            4 => rows(rng, 11),
            5 | 6 => {
                let text = JSON[format - 5];
                broken(rng, text)
            }
            9 | 11 => broken(rng, SLURM_NOW[usize::from(format == 11)]),
            10 => (0..rng.below(12))
                .map(|_| {
                    let (time, kind, of) = (rng.below(40) * 500_000, rng.below(11), rng.below(3));
                    let line = format!(
                        "{{\"time\":\"{time}\",\"type\":\"{kind}\",\"collection_id\":\"{of}\",\"instance_index\":\"{}\",\
                         \"scheduling_class\":\"2\",\"resource_request\":{{\"cpus\":0.{},\"memory\":0.1}}}}\n",
                        rng.below(2),
                        rng.below(100)
                    );
                    if rng.percent(10) { broken(rng, &line) } else { line }
                })
                .collect(),
            _ => broken(rng, PLATFORM),
        };
        Case { format, text }
    }

    fn judge(case: &Case) -> Verdict {
        match case.format {
            8 => {
                let _ = read_sinfo(&case.text);
                return Ok(());
            }
            11 => {
                let _ = read_sinfo_json(&case.text);
                return Ok(());
            }
            12 => return platform(&case.text),
            _ => {}
        }
        let Some(conversion) = read(case.format, &case.text) else { return Ok(()) };
        let Conversion { log, report, .. } = &conversion;
        let most = case.text.len() as u64 + 1;
        ensure!(
            log.records.len() as u64 + report.lost_lines + conversion.skipped <= most,
            "more jobs than text"
        );
        let kept = report.dropped.len() as u64;
        ensure!(kept <= report.lost_lines + report.lost_values, "{kept} losses told");
        // The converted log is valid: when it is written and read again, nothing is lost.
        let mut written = Vec::new();
        log.write(&mut written)?;
        let (again, losses) = SwfLog::read(written.as_slice())?;
        ensure!(losses.is_clean(), "what was converted is not read without loss: {losses:?}");
        ensure!(again.records == log.records, "what was converted is read otherwise");
        for record in &log.records {
            let _ = record.to_job();
        }
        if let Ok(text) = write_batsim(log) {
            let batsim = read_batsim(&text)?;
            ensure!(batsim.report.is_clean(), "of Batsim: {:?}", batsim.report);
            for record in &batsim.log.records {
                let same = log.records.iter().any(|own| {
                    // Calendar dates are counted from the first one.
                    (own.job, own.processors(), own.runtime)
                        == (record.job, record.processors(), record.runtime)
                });
                ensure!(same, "Batsim reads another job {:?}", record.job);
            }
        }
        ran(log)
    }
}

/// A platform that is read is written and read again, to the same hosts.
fn platform(text: &str) -> Verdict {
    let Ok(hosts) = read_batsim_platform(text) else { return Ok(()) };
    let Ok(written) = write_batsim_platform(&hosts) else { return Ok(()) };
    ensure!(read_batsim_platform(&written)? == hosts, "a platform is read otherwise: {hosts:?}");
    Ok(())
}

/// Processors of jobs that ran: each job has as many as it asks for, and no two jobs hold one at a time.
fn ran(log: &SwfLog) -> Verdict {
    let jobs: Vec<RanJob> = (log.records.iter())
        .filter_map(|record| {
            let (submit, wait, run) = (record.submit?, record.wait?, record.runtime?);
            let processors = u32::try_from(record.processors()?).ok().filter(|&count| count <= 64)?;
            let (start, end) = (submit + wait, submit + wait + run);
            let requested_time = record.requested_time;
            Some(RanJob { job: record.job?, submit, start, end, requested_time, processors, success: true })
        })
        .collect();
    for size in [8, 500] {
        let Ok(text) = write_jobs_csv(&jobs, size) else { continue };
        let mut held: Vec<(f64, f64, u32)> = Vec::new();
        for (line, job) in text.lines().skip(1).zip(&jobs) {
            let resources = line.split(',').nth(14).unwrap_or_default();
            let mut count = 0;
            for range in resources.split(' ').filter(|range| !range.is_empty()) {
                let (first, last) = range.split_once('-').unwrap_or((range, range));
                let (Ok(first), Ok(last)) = (first.parse::<u32>(), last.parse::<u32>()) else {
                    ensure!(false, "resources {resources:?}");
                    continue;
                };
                ensure!(first <= last && last < size, "resources {resources:?} of {size}");
                for processor in first..=last {
                    count += 1;
                    let free = held.iter().all(|&(start, end, other)| {
                        other != processor || job.end <= start || end <= job.start
                    });
                    ensure!(free, "processor {processor} is held twice from {:?}", job.start);
                    held.push((job.start, job.end, processor));
                }
            }
            ensure!(count == job.processors, "{count} processors for {}", job.processors);
        }
    }
    Ok(())
}
