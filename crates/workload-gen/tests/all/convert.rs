//! Logs in other formats: the cases of `tests/data/convert.txt`, round trips, and damaged files, which are read or
//! refused without a panic.
//!
//! A case is written like a session. The input is a line `$` with the format, columns of a table under other names
//! (`theirs=ours`), and a file of `tests/data` with replacements in it (`old~new`, `_` for a blank); instead of a file,
//! the lines of the text may follow (`<`), in which `␍`, `␛` and `␅` stand for a carriage return, an escape and a byte
//! order mark. The output is the log in Standard Workload Format (`>`), which must survive a round trip, the nodes that
//! a job holds (`@`), and the losses or the error (`!`). `ECONSCHED_FREEZE=write cargo test -p workload-gen convert`
//! writes the outputs anew.

use crate::parsers::{Conversions, Logs};
use crate::session::played;
use crate::{fixture, written};
use econsched::testkit::{Check, Draw, drawn};
use workload_gen::WorkloadError;
use workload_gen::convert::*;
use workload_gen::swf::{SwfLog, SwfReport};

/// The lines of a log as it is written, with one blank between fields.
fn shown(log: &SwfLog) -> Vec<String> {
    let fields = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    written(log).lines().map(|line| format!("> {}", fields(line))).collect()
}

fn lost(report: &SwfReport) -> Vec<String> {
    report.dropped.iter().map(|loss| format!("! {loss}")).collect()
}

/// What is read of a text, line by line.
fn told(format: &str, renamed: &[(&str, &str)], text: &str) -> Result<Vec<String>, WorkloadError> {
    let (name, number) = format.split_once(':').unwrap_or((format, "0"));
    let number = number.parse().unwrap();
    let format = match name {
        "sinfo" => {
            let of = |node: SlurmNode| {
                format!(
                    "> {} {} {:?} {} {:?}",
                    node.name, node.cpus, node.memory, node.state, node.partitions
                )
            };
            return Ok(read_sinfo(text)?.into_iter().map(of).collect());
        }
        "platform" => {
            let hosts = read_batsim_platform(text)?;
            assert_eq!(read_batsim_platform(&write_batsim_platform(&hosts)?)?, hosts);
            return Ok(hosts.iter().map(|host| format!("> {} {:e}", host.name, host.speed)).collect());
        }
        "swf" => {
            let (log, report) = SwfLog::read(text.as_bytes())?;
            return Ok([shown(&log), lost(&report)].concat());
        }
        "csv" => Format::Csv(renamed),
        "sacct" => Format::Sacct,
        "squeue" => Format::Squeue,
        "google" => Format::Google2019(number),
        "alibaba" => Format::Alibaba2018,
        "azure" => Format::Azure,
        "batsim" => Format::Batsim,
        other => panic!("no format {other}"),
    };
    let read = format.read(text)?;
    let mut told = shown(&read.log);
    for (record, nodes) in read.log.records.iter().zip(&read.held).filter(|(_, nodes)| !nodes.is_empty()) {
        told.push(format!("@ {} {}", record.job.unwrap(), nodes.join(" ")));
    }
    told.extend(lost(&read.report));
    told.extend((read.skipped > 0).then(|| format!("! {} skipped", read.skipped)));
    Ok(told)
}

#[test]
fn texts_are_read_as_they_were() {
    let place = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/convert.txt");
    played(place, &['>', '@', '!'], |line, input| {
        let mut words = line.split(' ').skip(1);
        let (format, mut text, mut renamed) = (words.next().unwrap(), String::new(), Vec::new());
        for word in words {
            if let Some((old, new)) = word.split_once('~') {
                assert!(text.contains(&old.replace('_', " ")), "there is no {old}");
                text = text.replace(&old.replace('_', " "), &new.replace('_', " "));
            } else if let Some(pair) = word.split_once('=') {
                renamed.push(pair);
            } else {
                text = fixture(word);
            }
        }
        text += &input.replace('␍', "\r").replace('␛', "\u{1b}").replace('␅', "\u{feff}");
        let told = told(format, &renamed, &text).unwrap_or_else(|error| vec![format!("! {error}")]);
        told.iter().map(|line| format!("{}\n", line.trim_end())).collect()
    });
}

/// The three layouts contain the same jobs, but the oldest does not state the memory of `sacct`.
#[test]
fn layouts_of_slurm_hold_the_same_jobs() {
    let read = |format: Format<'_>, name: &str| {
        let read = format.read(&fixture(&format!("slurm/{name}.json"))).unwrap();
        (read.log.records, read.held)
    };
    assert_eq!(read(Format::Sacct, "sacct-23.11"), read(Format::Sacct, "sacct-24.05"));
    let [of_22, of_23, of_24] =
        ["22.05", "23.11", "24.05"].map(|version| read(Format::Squeue, &format!("squeue-{version}")));
    assert!(of_22 == of_24 && of_23 == of_24);
    assert!(matches!(Format::Sacct.read(&"[".repeat(100_000)), Err(WorkloadError::Json { .. })));
}

#[test]
fn what_is_endless_is_refused() {
    let text = format!("job,submit\n1,{}\n", "x".repeat((1 << 20) + 10));
    let error = Format::Csv(&[]).read(&text).unwrap_err().to_string();
    assert_eq!(error, "line 2: a row of more than 1048576 bytes");
    assert!(write_batsim_platform(&[BatsimHost { name: "a".to_owned(), speed: 0.0 }]).is_err());
}

#[test]
fn damaged_files_are_read_or_refused() {
    Check::new(Logs).run(600).unwrap();
    Check::new(Conversions).run(600).unwrap();
}

/// Each job gets as many processors as it needs, all of the machine, and no two jobs that run at the same time share
/// one. With one processor less than the maximum number in use, some job gets too few.
#[test]
fn processors_are_given_once() {
    drawn(256, |draw| {
        let shift = draw.between(0, 60) as f64 - 30.0;
        // Start, end, processors.
        let job = |draw: &mut Draw| {
            let (start, processors) = (draw.below(20) as f64 + shift, draw.below(3) as u32 + 1);
            (start, start + draw.below(6) as f64, processors)
        };
        let jobs: Vec<(f64, f64, u32)> = (0..draw.below(30)).map(|_| job(draw)).collect();
        let sum = |which: &dyn Fn(f64, f64) -> bool| -> u32 {
            jobs.iter().filter(|job| which(job.0, job.1)).map(|job| job.2).sum()
        };
        let most = jobs.iter().map(|job| sum(&|start, end| start <= job.0 && job.0 < end)).max().unwrap_or(0);
        // Jobs of zero length may need processors in addition to those of jobs that start at that instant.
        let size = most + sum(&|start, end| start == end);
        // The processors of each job, each with the times of the job.
        let given = |size: u32| -> Vec<Vec<(u32, f64, f64)>> {
            let of = |(at, ranges): (usize, Vec<(u32, u32)>)| {
                let each = ranges.into_iter().flat_map(|(first, last)| first..=last);
                each.map(|processor| (processor, jobs[at].0, jobs[at].1)).collect()
            };
            lowest_free(&jobs, size).into_iter().enumerate().map(of).collect()
        };
        let enough = |given: &[Vec<_>]| given.iter().map(Vec::len).eq(jobs.iter().map(|job| job.2 as usize));
        let all = given(size);
        assert!(enough(&all) && (most == 0 || !enough(&given(most - 1))));
        let mut uses = all.concat();
        assert!(uses.iter().all(|of| of.0 < size));
        uses.sort_by(|one, other| one.partial_cmp(other).unwrap());
        let apart = |pair: &[(u32, f64, f64)]| pair[0].0 < pair[1].0 || pair[0].2 <= pair[1].1;
        assert!(uses.windows(2).all(apart), "{uses:?}");
    });
}
