//! Long work that is killed or stopped goes on from its checkpoint, to the same bytes.

use super::Dir;
use super::shares::frame;
use std::fs;

const SIMULATE: &str = "simulate --jobs 400 --seed 5 --cpus 64 --load 2.5";

#[test]
fn what_is_killed_again_and_again_ends_as_what_was_not() {
    let kept = "--checkpoint stopped/checkpoint --checkpoint-every 40";
    for (name, work, kept) in [
        ("fcfs", &*format!("{SIMULATE} --scheduler fcfs"), kept),
        ("easy", &*format!("{SIMULATE} --scheduler easy"), kept),
        ("conservative", &*format!("{SIMULATE} --scheduler conservative"), kept),
        ("study", "study iccs2011 --set cycles=600 --threads 2", ""),
    ] {
        let dir = Dir::new(&format!("killed-{name}"));
        let whole = dir.good(&format!("{work} --out whole"), "");
        fs::create_dir(dir.at("stopped")).expect("a directory");
        // Until something more than the head of the file is kept, or the end.
        let length = || {
            let files = fs::read_dir(dir.at("stopped")).into_iter().flatten().flatten();
            files.filter_map(|file| Some(file.metadata().ok()?.len())).max().unwrap_or(0).max(1000)
        };
        let words = format!("{work} {kept} --out stopped");
        assert!(dir.killed(&words, 5, length) > 0, "{name}: no run was killed");
        assert_eq!(dir.good(&words, "").replace("stopped", "whole"), whole);
        assert!(dir.files("stopped") == dir.files("whole"), "{name}");
    }
}

#[test]
fn a_run_that_a_limit_stops_goes_on_with_a_greater_one() {
    let dir = Dir::new("limited");
    let words = format!("{SIMULATE} --scheduler easy");
    for limit in ["--work-limit 900", "--work-limit 2000", "--work-limit 2000", ""] {
        // Stopped at the same event as without a checkpoint, however often it was taken up before.
        dir.good(&format!("{words} {limit} --out plain"), "");
        let told = dir.good(&format!("{words} {limit} --out resumed --checkpoint c"), "");
        assert_eq!(told.contains("the limit of work"), !limit.is_empty(), "{told}");
        assert!(dir.files("plain") == dir.files("resumed"), "{limit}");
    }
}

#[test]
fn a_checkpoint_of_other_work_is_refused_and_damage_of_one_is_computed_again() {
    let dir = Dir::new("refused");
    let simulate = "simulate --jobs 200 --cpus 64 --seed 5 --scheduler easy";
    let kept = "--checkpoint the-checkpoint --checkpoint-every 100";
    let words = format!("{simulate} {kept} --work-limit 900");
    let whole = dir.good(simulate, "");
    dir.good(&words, "");
    let bytes = dir.bytes("the-checkpoint");
    let refused = |words: &str| {
        let told = dir.refused(words);
        assert!(told.contains("the-checkpoint: of other work, or damaged"), "{told}");
    };
    for (from, to) in
        [("easy", "fcfs"), ("cpus 64", "cpus 65"), ("seed 5", "seed 6"), ("jobs 200", "jobs 199")]
    {
        refused(&format!("{} {kept}", simulate.replace(from, to)));
        assert!(dir.bytes("the-checkpoint") == bytes, "left as it is");
    }
    let head = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(1).expect("two lines").0;
    // Whole frames of which the second is no state, or holds a job of another log.
    let mut records = Vec::new();
    let mut rest = &bytes[head + 1..];
    while !rest.is_empty() {
        let length = u32::from_le_bytes(rest[12..16].try_into().expect("four bytes")) as usize;
        records.push(String::from_utf8(rest[16..16 + length].to_vec()).expect("JSON"));
        rest = &rest[20 + length..];
    }
    for (from, to) in [("[", "{"), ("\"id\":", "\"id\":9")] {
        let mut records = records.clone();
        records[1] = records[1].replacen(from, to, 1);
        let frames = records.iter().zip(0..).map(|(record, at)| frame(at, record));
        dir.write(
            "the-checkpoint",
            [bytes[..=head].to_vec()].into_iter().chain(frames).collect::<Vec<_>>().concat(),
        );
        assert_eq!(dir.good(&format!("{simulate} {kept}"), ""), whole);
    }
    dir.write("the-checkpoint", "notes of somebody");
    refused(&words);
    assert!(dir.read("the-checkpoint") == "notes of somebody");
}
