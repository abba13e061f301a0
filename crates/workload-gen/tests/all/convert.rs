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
use crate::{fixture, losses, written};
use econsched::testkit::{Check, drawn};
use workload_gen::WorkloadError;
use workload_gen::convert::*;
use workload_gen::swf::{SwfLog, SwfRecord};

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
            let told = written(&log).into_iter().map(|line| format!("> {line}"));
            return Ok(told.chain(losses(&report).into_iter().map(|loss| format!("! {loss}"))).collect());
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
    let mut told: Vec<String> = written(&read.log).into_iter().map(|line| format!("> {line}")).collect();
    for (record, nodes) in read.log.records.iter().zip(&read.held).filter(|(_, nodes)| !nodes.is_empty()) {
        told.push(format!("@ {} {}", record.job.unwrap(), nodes.join(" ")));
    }
    told.extend(losses(&read.report).into_iter().map(|loss| format!("! {loss}")));
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
    let error = Format::Sacct.read("{\n\"jobs\": ]}").unwrap_err();
    assert_eq!(error.to_string(), "line 2, column 9: expected value");
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

/// Each job names as many processors as it holds, all within the machine. No two jobs that run at the same time
/// share a processor. One processor less than the maximum number in use is not enough.
#[test]
fn processors_are_named_once() {
    drawn(256, |draw| {
        let shift = draw.between(0, 60) as f64 - 30.0;
        // Start, end, processors.
        let jobs: Vec<(f64, f64, u32)> = (0..draw.below(30))
            .map(|_| {
                let (start, processors) = (draw.below(20) as f64 + shift, draw.below(3) as u32 + 1);
                (start, start + draw.below(6) as f64, processors)
            })
            .collect();
        let record = |(job, &(start, end, processors)): (u64, &(f64, f64, u32))| SwfRecord {
            job: Some(job),
            submit: Some(start - 1.0),
            wait: Some(1.0),
            runtime: Some(end - start),
            allocated: Some(processors.into()),
            ..SwfRecord::default()
        };
        let write = |size: u32| {
            let mut log = SwfLog { records: (0..).zip(&jobs).map(record).collect(), ..SwfLog::default() };
            log.header.push(&format!(" MaxProcs: {size}"));
            write_jobs_csv(&log)
        };
        let held = |at: f64| {
            let run = jobs.iter().filter(|(start, end, _)| *start <= at && at < *end);
            run.map(|(.., processors)| processors).sum::<u32>()
        };
        let most = jobs.iter().map(|(start, ..)| held(*start)).max().unwrap_or(0);
        // Jobs of zero length may need processors in addition to those of jobs that start at that instant.
        let at_once = jobs.iter().filter(|(start, end, _)| start == end);
        let size = most + at_once.map(|(.., processors)| processors).sum::<u32>();
        let text = write(size).unwrap();
        let named: Vec<Vec<u32>> = text
            .lines()
            .skip(1)
            .map(|line| {
                let ranges = line.split(',').nth(14).unwrap().split(' ').filter(|range| !range.is_empty());
                let ends = ranges.map(|range| range.split_once('-').unwrap_or((range, range)));
                ends.flat_map(|(from, to)| from.parse::<u32>().unwrap()..=to.parse().unwrap()).collect()
            })
            .collect();
        for (at, job) in jobs.iter().enumerate() {
            assert_eq!(named[at].len() as u32, job.2);
            assert!(named[at].iter().all(|&processor| processor < size));
            for (other, theirs) in jobs[..at].iter().zip(&named) {
                let both = other.0 < job.1 && job.0 < other.1;
                assert!(
                    !both || theirs.iter().all(|processor| !named[at].contains(processor)),
                    "{other:?} {job:?}"
                );
            }
        }
        assert!(most < 2 || write(most - 1).is_err());
    });
}
