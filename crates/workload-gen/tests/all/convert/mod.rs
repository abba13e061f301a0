//! Other formats: hand-made fixtures, round trips, and damaged files, which are read or refused.

mod json;
mod text;

use crate::parsers::{Conversions, Logs};
use crate::{fixture, losses, rows};
use econsched::testkit::{Check, drawn};
use workload_gen::convert::{Conversion, Format, RanJob, read_sinfo, write_jobs_csv};
use workload_gen::swf::{DropReason, SwfRecord};

fn jobs(conversion: &Conversion) -> Vec<String> {
    rows(&conversion.log)
}

fn told(conversion: &Conversion) -> Vec<String> {
    losses(&conversion.report)
}

fn slurm(name: &str) -> String {
    fixture(&format!("slurm/{name}"))
}

#[test]
fn sacct() {
    let conversion = Format::Sacct.read(&slurm("sacct.txt")).unwrap();
    // The third job was cancelled while it waited, and the fourth still waits, so neither has a run.
    assert_eq!(
        jobs(&conversion),
        [
            "100 0 60 120 16 -1 -1 16 3600 2097152 1 1 1 -1 -1 1 -1 -1",
            "101 30 270 600 4 -1 -1 4 600 2048000 0 2 1 -1 -1 2 -1 -1",
            "102 40 -1 0 0 -1 -1 8 -1 -1 5 1 1 -1 -1 2 -1 -1",
            "103 120 -1 -1 -1 -1 -1 128 86400 4096000 -1 3 2 -1 -1 2 -1 -1",
            "104 150 0 1800 2 -1 -1 2 86400 524288 -1 4 2 -1 -1 1 -1 -1",
            "106 180 -1 61 2 -1 -1 2 86400 524288 -1 1 2 -1 -1 1 -1 -1"
        ]
    );
    assert_eq!(conversion.skipped, 2);
    let names: Vec<&str> = conversion.log.header.get_all("User").collect();
    assert_eq!(names, ["1 anna", "2 bert", "3 carl", "4 1007"]);
    assert_eq!(conversion.log.header.unix_start_time(), Some(1_714_550_400));
    assert_eq!(
        told(&conversion),
        [
            "line 6, column 9 (ReqMem): `4Gn` is not memory as Slurm writes it, for the job or with `c` for each CPU; value dropped",
            "line 9, column 2 (Submit): `yesterday` is not an instant: seconds, or YYYY-MM-DDTHH:MM:SS; line dropped",
            "line 10, column 10 (State): `DANCING` is not a state of Slurm; value dropped",
            "line 11: 3 cells where there are 13 columns; line dropped",
            "line 10, column 3 (Start): 1 s before the submission; value dropped",
        ]
    );
}

#[test]
fn losses_of_a_table_name_its_columns() {
    let text = "id;when;ran;cores\n7;5;x;2\n8;;9;1.5\n9;-3;9;1\n";
    let conversion =
        Format::Csv(&[("when", "submit"), ("ran", "runtime"), ("cores", "processors")]).read(text).unwrap();
    assert_eq!(
        told(&conversion),
        [
            "line 2, column 3 (ran): `x` is not a number; value dropped",
            "line 3, column 4 (cores): `1.5` is not a whole number; value dropped",
            "line 3, column 2 (when): missing; line dropped",
            "line 4, column 2 (when): `-3` is not an instant: seconds, or YYYY-MM-DDTHH:MM:SS; line dropped",
        ]
    );
    // A value computed from two columns is reported under the later one.
    let conversion = Format::Csv(&[]).read("job,submit,start,end\n1,10,5,9\n2,10,12,11.5\n").unwrap();
    assert_eq!(
        told(&conversion),
        [
            "line 2, column 3 (start): 5 s before the submission; value dropped",
            "line 3, column 4 (end): 0.5 s before the start; value dropped",
        ]
    );
}

#[test]
fn squeue_and_sinfo() {
    let conversion = Format::Squeue.read(&slurm("squeue.txt")).unwrap();
    assert_eq!(
        jobs(&conversion),
        [
            "201 0 3600 93600 -1 -1 -1 64 172800 -1 -1 1 1 -1 -1 1 -1 -1",
            "202 1800 -1 -1 -1 -1 -1 128 14400 -1 -1 2 1 -1 -1 1 -1 -1",
            "203 2400 -1 -1 -1 -1 -1 1 -1 -1 -1 2 1 -1 -1 2 -1 -1"
        ]
    );
    assert!(conversion.report.is_clean(), "{:?}", told(&conversion));

    // Printed by a Slurm of 22.05, with other names and dates. The first job requests no memory, although it would
    // get some.
    let conversion = Format::Squeue.read(&slurm("squeue-demands.txt")).unwrap();
    assert!(conversion.report.is_clean(), "{:?}", told(&conversion));
    assert_eq!(
        jobs(&conversion),
        [
            "44 857 -1 -1 -1 -1 -1 1 300 -1 -1 1 1 -1 -1 1 -1 -1",
            "9 0 -1 -1 -1 -1 -1 2 -1 20480 -1 1 1 -1 -1 2 -1 -1",
            "8 0 -1 -1 -1 -1 -1 1 600 1572864 -1 2 1 -1 -1 3 -1 -1",
            "43 857 1 3 -1 -1 -1 2 300 -1 -1 2 1 -1 -1 1 -1 -1"
        ]
    );
    assert_eq!(conversion.held[3], ["n1", "n2"]);
    assert!(conversion.held[..3].iter().all(Vec::is_empty));
    let partitions: Vec<_> = conversion.log.header.get_all("Partition").collect();
    assert_eq!(partitions, ["1 main", "2 main,big", "3 big"]);
    let damaged = slurm("squeue-demands.txt").replace("n[1-2]", "n[1-").replace("mem=40M", "mem=many");
    assert_eq!(
        told(&Format::Squeue.read(&damaged).unwrap()),
        [
            "line 3, column 11 (TRES_ALLOC): `many` is not memory as Slurm writes it, for the job or with `c` for each CPU; \
             value dropped",
            "line 5, column 13 (NODELIST): `n[1-` is not a list of nodes; value dropped",
        ]
    );

    let wrong = |text: &str| read_sinfo(text).unwrap_err().to_string();
    assert_eq!(wrong("NODELIST|CPUS\nn[1-4]|8\n"), "line 2: \"n[1-4]\" is not one node; ask with --Node");
    assert_eq!(wrong("NODELIST|CPUS\nn1|none\n"), "line 2: CPUS must be a count from 1, got \"none\"");
    assert_eq!(wrong("CPUS\n1\n"), "line 1: no column NODELIST");
    let nodes = read_sinfo("NODELIST|CPUS|STATE\nn1|8|down*\nn2|4|mix\n").unwrap();
    assert_eq!((nodes[0].state.as_str(), nodes[1].state.as_str(), nodes[0].memory), ("down", "mix", None));
}

#[test]
fn csv() {
    let text = "id;submit;cpus;runtime;walltime;user\n1;2024-01-01 00:00:00;4;60;1:00:00;7\n2;2024-01-01 00:01:00;8;;;9\n";
    let conversion = Format::Csv(&[]).read(text).unwrap();
    // Numeric user names are kept.
    assert_eq!(
        jobs(&conversion),
        [
            "1 0 -1 60 -1 -1 -1 4 3600 -1 -1 7 -1 -1 -1 -1 -1 -1",
            "2 60 -1 -1 -1 -1 -1 8 -1 -1 -1 9 -1 -1 -1 -1 -1 -1"
        ]
    );
    let wrong =
        |text: &str, renamed: &[(&str, &str)]| Format::Csv(renamed).read(text).unwrap_err().to_string();
    assert_eq!(wrong("", &[]), "line 1: no line with the names of columns");
    assert_eq!(wrong("job,cpus\n", &[]), "line 1: no column of submit times among job, cpus");
    assert_eq!(wrong("job,submit,id\n", &[]), "line 1: columns \"job\" and \"id\" mean the same");
    assert_eq!(wrong("job,submit\n", &[("when", "submit")]), "line 1: there is no column \"when\"");
    assert!(
        wrong("job,submit\n", &[("job", "name")])
            .starts_with("column \"job\": no column can be called \"name\"")
    );
    let times = Format::Csv(&[])
        .read("job,submit,start,end\n1,0.5,1,2.25\n2,200000000,200000001,200000003\n")
        .unwrap();
    assert_eq!(
        jobs(&times),
        [
            "1 0.5 0.5 1.25 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1",
            "2 200000000 1 2 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1"
        ]
    );
}

#[test]
fn clouds() {
    let text = "M1,1,j_1,1,Running,0,0,50,0.6\nM2,3,j_1,1,Failed,10,30,50,0.6\nM3,1\nM4,1,j_1,1,Failed,30,10,50,0.6\n";
    let conversion = Format::Alibaba2018.read(text).unwrap();
    assert_eq!(jobs(&conversion), ["2 10 -1 20 2 -1 -1 -1 -1 -1 0 -1 -1 1 1 -1 -1 -1"]);
    assert_eq!(
        told(&conversion),
        [
            "line 1, field 2 (submit time): missing; line dropped",
            "line 3: 2 cells where there are 9 columns; line dropped",
            "line 4, field 4 (run time): 20 s before the start; line dropped"
        ]
    );
    let conversion = Format::Azure.read("x,s,d,zero,9,1,1,1,Interactive,4,32\n").unwrap();
    assert!(conversion.log.records.is_empty() && conversion.report.lost_lines == 1);
}

#[test]
fn damaged_files_are_read_or_refused() {
    Check::new(Logs).run(600).unwrap();
    Check::new(Conversions).run(600).unwrap();
}

/// Each job names as many processors as it holds, all within the machine. No two jobs that run at the same time
/// share a processor. One processor less than the greatest number in use is not enough.
#[test]
fn processors_are_named_once() {
    drawn(256, |draw| {
        let shift = draw.between(0, 60) as f64 - 30.0;
        let jobs: Vec<RanJob> = (0..draw.below(30) as u64)
            .map(|job| {
                let (start, processors) = (draw.below(20) as f64 + shift, draw.below(4) as u32);
                let (submit, end) = (start - 1.0, start + draw.below(6) as f64);
                RanJob { job, submit, start, end, requested_time: None, processors, success: true }
            })
            .collect();
        let held = |at: f64| {
            let run = |job: &&RanJob| job.start <= at && at < job.end;
            jobs.iter().filter(run).map(|job| job.processors).sum::<u32>()
        };
        let most = jobs.iter().map(|job| held(job.start)).max().unwrap_or(0);
        // Jobs of zero length may need processors in addition to those of jobs that start at that instant.
        let size =
            most + jobs.iter().filter(|job| job.end == job.start).map(|job| job.processors).sum::<u32>();
        let text = write_jobs_csv(&jobs, size).unwrap();
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
            assert_eq!(named[at].len() as u32, job.processors);
            assert!(named[at].iter().all(|&processor| processor < size));
            for (other, theirs) in jobs[..at].iter().zip(&named) {
                let both = other.start < job.end && job.start < other.end;
                assert!(
                    !both || theirs.iter().all(|processor| !named[at].contains(processor)),
                    "{other:?} {job:?}"
                );
            }
        }
        assert!(most == 0 || write_jobs_csv(&jobs, most - 1).is_err());
    });
}
