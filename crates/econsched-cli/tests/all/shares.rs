//! Work that is stopped, resumed or divided gives the same bytes.

use super::{Dir, interrupted};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

const SWEEP: &str = r#"
command = "simulate"
seeds = "1..3"
baseline = { scheduler = "fcfs" }
[fixed]
jobs = 40
[axes]
scheduler = ["fcfs", "easy"]
cpus = [64, 128]
"#;

/// A directory with this sweep, and a log.
fn with_inputs(name: &str) -> Dir {
    let dir = Dir::new(name);
    dir.write("sweep.toml", SWEEP);
    dir.good("generate log --set jobs=14 --seed 3 --out made.swf", "");
    dir
}

/// The results in a directory, without the parts.
fn results(dir: &Dir, below: &str) -> BTreeMap<String, Vec<u8>> {
    let mut files = dir.files(below);
    files.retain(|name, _| !name.ends_with(".part"));
    files
}

#[test]
fn parts_put_together_are_the_whole() {
    let dir = with_inputs("shares");
    let works = [
        ("sweep", "sweep sweep.toml", 12),
        ("yadav", "study yadav --set seeds=7", 42),
        ("iccs2011", "study iccs2011 --set cycles=40", 80),
        ("open", "study iccs2011 --set cycles=40 --set open_cycles=90", 80),
    ];
    let printed = works.map(|(_, work, _)| dir.good(work, ""));
    assert_eq!(dir.files("").len(), 2, "without a directory nothing is written");
    for ((name, work, runs), printed) in works.into_iter().zip(printed) {
        let whole = dir.good(&format!("{work} --threads 2 --out {name}-whole"), "");
        assert!(whole.starts_with(&printed), "{work}: {printed}");
        let counts: &[usize] = if name == "sweep" { &[1, 2, 7] } else { &[3] };
        for &shares in counts {
            let parts = format!("{name}-{shares}");
            for share in (1..=shares).rev() {
                dir.good(&format!("{work} --shard {share}/{shares} --threads 1 --out {parts}"), "");
            }
            let files: Vec<String> = dir.files(&parts).into_keys().collect();
            assert_eq!(files.len(), shares, "{files:?}");
            // A part that is lost is computed.
            for lost in [false, true] {
                if lost {
                    fs::remove_file(dir.at(&format!("{parts}/{}", files[0]))).expect("removed");
                }
                let end = dir.run(&format!("{work} --out {parts}"), "");
                let all = end.err.contains(&format!("{runs} runs had been done before"));
                assert_eq!((end.code, all), (0, !lost), "{}", end.err);
                assert_eq!(end.out.replace(&parts, &format!("{name}-whole")), whole, "{parts}");
                assert!(results(&dir, &parts) == dir.files(&format!("{name}-whole")), "{parts}");
            }
        }
    }
}

/// Runs the tasks of an array one after another, as Slurm and HyperQueue would; the first time the second is lost.
const ARRAY: &str = r#"#!/bin/sh
case $0 in
    *sbatch) tasks=${2#--array=1-} name=SLURM_ARRAY_TASK_ID; set -- sh -c "${3#--wrap=}";;
    *) tasks=${4#1-} name=HQ_TASK_ID; shift 5;;
esac
for task in $(seq "$tasks"); do
    [ "$task" = 2 ] && [ ! -f lost ] && touch lost && continue
    env "$name=$task" "$@" || exit
done
"#;

/// The lines that the guide gives for Slurm and HyperQueue, as they stand.
#[test]
fn arrays_of_the_guide_compute_what_was_lost_when_they_are_run_again() {
    let dir = with_inputs("arrays");
    let guide = fs::read_to_string("../../docs/guide/src/sweep.md").expect("the guide");
    dir.good("sweep sweep.toml --out whole", "");
    // A part without runs is made as any other.
    assert!(dir.good("sweep sweep.toml --out none --shard 99/100", "").contains("part 99/100;"));
    for engine in ["sbatch", "hq"] {
        dir.write(engine, ARRAY);
        fs::set_permissions(dir.at(engine), fs::Permissions::from_mode(0o755)).expect("may run");
        let mut lines = guide.lines().skip_while(|line| !line.starts_with(&format!("{engine} ")));
        let (array, together) = (lines.next().expect("an array"), lines.next().expect("a sweep"));
        assert_eq!(dir.sh(array).code, 0);
        let told = dir.sh(array).out;
        assert_eq!(told.matches("exists already").count(), 2, "{told}");
        assert!(dir.sh(together).err.contains("12 runs had been done"));
        assert!(results(&dir, "parts") == dir.files("whole"), "{engine}");
        assert_eq!(dir.sh("rm -r lost parts").code, 0);
    }
}

/// The files of unfinished work in a directory.
fn unfinished(dir: &Dir, below: &str) -> usize {
    dir.files(below).keys().filter(|name| name.ends_with(".checkpoint")).count()
}

#[test]
fn work_that_fails_leaves_nothing_and_a_full_disk_leaves_what_is_done() {
    let dir = Dir::new("failing");
    // The second of two runs fails, or one after runs that were kept.
    for (seeds, cpus) in [("", "[64, 0]"), ("seeds = \"1..50\"", "[64, 128, 0]")] {
        let axes = format!("[axes]\nscheduler = [\"fcfs\"]\ncpus = {cpus}\n");
        dir.write("sweep.toml", format!("command = \"simulate\"\n{seeds}\n[fixed]\njobs = 20\n{axes}"));
        for _ in 0..2 {
            let told = dir.refused("sweep sweep.toml --out out");
            assert!(told.contains("--cpus=0"), "{told}");
            assert!(dir.files("out").is_empty());
        }
    }
    // Some records of a checkpoint fit on the disk, or none: then, as often as it is tried, one file stays.
    for blocks in [256, 8] {
        let script = format!(
            "trap '' XFSZ; ulimit -f {blocks}; econsched study iccs2011 --set cycles=4000 --threads 2 --out {blocks}"
        );
        for _ in 0..2 {
            let end = dir.sh(&script);
            let told = end.err;
            assert!(end.code == 2 && told.contains("cannot write"), "{told}");
            assert!(told.contains("study-iccs2011-"), "{told}");
            assert_eq!(unfinished(&dir, &blocks.to_string()), 1, "{blocks}");
        }
    }
}

#[test]
fn one_study_or_sweep_at_a_time_is_at_a_directory_or_a_part() {
    let dir = Dir::new("one-at-a-time");
    let short = ["iccs2011 --set cycles=40", "yadav --set seeds=7"];
    for (out, share, others, why) in [
        ("results", "", short, "results: another study or sweep is writing"),
        ("parts", "--shard 1/2", [short[0]; 2], "-1-of-2.part: another process is writing"),
    ] {
        let child = dir.begin(&format!("study iccs2011 --set cycles=100000000 --out {out} {share}"));
        while dir.files(out).values().all(Vec::is_empty) {
            std::thread::sleep(Duration::from_millis(5));
        }
        for work in others {
            let told = dir.refused(&format!("study {work} --out {out} {share}"));
            assert!(told.contains(why), "{told}");
        }
        let end = interrupted(child);
        let told = format!("the same command continues from what is kept in {out}");
        assert!(end.code == 130 && end.err.contains(&told), "{}", end.err);
    }
    dir.good("study yadav --set seeds=7 --out results", "");
}

#[test]
fn work_is_told_from_other_work_by_its_settings_and_the_content_of_its_files() {
    let dir = with_inputs("other-work");
    let done = |words: &str, input: &str| {
        let end = dir.run(words, input);
        assert_eq!(end.code, 0, "{}", end.err);
        end.err
    };
    dir.write("log.toml", format!("{SWEEP}input = [\"made.swf\"]").replace("seeds = \"1..3\"", ""));
    dir.write("other.toml", SWEEP.replace("jobs = 40", "jobs = 41"));
    dir.good("sweep log.toml --out parts --shard 1/2", "");
    // The log with one byte changed.
    let mut log = dir.bytes("made.swf");
    let last = log.iter().rposition(u8::is_ascii_digit).expect("a digit");
    log[last] ^= 1;
    dir.write("made.swf", &log);
    assert!(dir.refused("sweep log.toml --out parts --shard 1/2").contains("of other work, or damaged"));
    dir.good("sweep log.toml --out parts --shard 2/2", "");
    dir.good("sweep other.toml --out parts --shard 3/9", "");
    dir.good("sweep sweep.toml --out parts --shard 2/40", "");
    assert!(dir.at("parts/sweep-02-of-40.part").exists());
    assert!(done("sweep log.toml --out parts", "").contains("2 runs had been done"));
    assert!(done("sweep sweep.toml --out parts", "").contains("1 run had been done"));
    dir.good("study yadav --set seeds=8 --shard 1/2 --out yadav", "");
    assert_eq!(done("study yadav --set seeds=7 --out yadav", ""), "");
    dir.write("digits", "123456789");
    dir.good("sweep - --shard 2/2 --out digits-of", "command = \"map\"\n[fixed]\ninput = \"digits\"\n");
    assert!(dir.read("digits-of/sweep-2-of-2.part").contains("\"digits 9-cbf43926\""));
}

/// A frame of a part: the round, the number of the run, the record, and the CRC-32 of all that.
pub(crate) fn frame(run: u64, record: &str) -> Vec<u8> {
    let length = u32::try_from(record.len()).expect("a short record");
    let mut bytes =
        [&0u32.to_le_bytes()[..], &run.to_le_bytes(), &length.to_le_bytes(), record.as_bytes()].concat();
    let mut crc = flate2::Crc::new();
    crc.update(&bytes);
    bytes.extend(crc.sum().to_le_bytes());
    bytes
}

#[test]
fn a_part_that_was_stopped_goes_on_up_to_the_damage_and_any_damage_of_a_whole_one_is_seen() {
    let dir = Dir::new("resumed");
    dir.write("a.csv", "1,9\n9,1\n");
    let sweep = "command = \"assign\"\n[fixed]\ninput = \"a.csv\"\n[axes]\nmaximise = [false, true]\n";
    dir.good("sweep - --shard 1/1 --out parts", sweep);
    let part = dir.bytes("parts/sweep-1-of-1.part");
    let head = part.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(1).expect("two lines").0 + 1;
    let totals = |runs: &str| -> Vec<_> { dir.rows(runs).iter().map(|row| row["total"].clone()).collect() };
    for at in (0..part.len()).step_by(5) {
        let mut changed = part.clone();
        changed[at] ^= 4;
        fs::create_dir_all(dir.at("damaged")).expect("a directory");
        dir.write("damaged/changed.part", &changed);
        dir.write("damaged/cut.part", &part[..at]);
        let told = dir.run("sweep - --out damaged", sweep).err;
        // Another head is that of other work.
        assert_eq!(told.contains("changed.part: damaged or not complete"), at >= head, "{at}: {told}");
        assert_eq!(totals("damaged/runs.csv"), ["2", "18"]);
        fs::remove_dir_all(dir.at("damaged")).expect("removed");
    }
    // What a killed process left: its first run is kept, with a figure by which it is known, and the second is torn.
    let known = format!("{{\"Ok\":[[\"total\",{}]]}}", 7.5f64.to_bits());
    let left = [&part[..head], &frame(0, &known), &frame(1, &known)[..9]].concat();
    dir.write("parts/sweep-1-of-1.part", left);
    dir.good("sweep - --shard 1/1 --out parts", sweep);
    assert_eq!(dir.files("parts").into_keys().collect::<Vec<_>>(), ["sweep-1-of-1.part"]);
    assert!(dir.run("sweep - --out parts", sweep).err.contains("2 runs had been done before"));
    assert_eq!(totals("parts/runs.csv"), ["7.5", "18"]);
}
