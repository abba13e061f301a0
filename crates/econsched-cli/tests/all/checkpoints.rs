//! A long simulation that is killed goes on from its checkpoint, to the same bytes.

use super::{code, econsched, err, out, scratch};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

const FILES: [&str; 4] = ["jobs.csv", "users.csv", "report.json", "utilisation.svg"];

fn same_files(left: &Path, right: &Path) {
    for name in FILES {
        assert!(
            fs::read(left.join(name)).expect("a file") == fs::read(right.join(name)).expect("a file"),
            "{name}"
        );
    }
}

/// The arguments of a run of 400 jobs, whose results go to this directory.
fn run<'a>(scheduler: &'a str, out: &'a str) -> Vec<&'a str> {
    let words = "simulate --jobs 400 --seed 5 --cpus 64 --load 2.5 --scheduler";
    words.split(' ').chain([scheduler, "--out", out]).collect()
}

#[test]
fn a_run_that_is_killed_again_and_again_ends_as_one_that_was_not() {
    for scheduler in ["fcfs", "easy", "conservative"] {
        let dir = scratch(&format!("killed-{scheduler}"));
        let (plain, resumed) = (dir.join("plain"), dir.join("resumed"));
        let (plain_out, resumed_out) = (plain.display().to_string(), resumed.display().to_string());
        let checkpoint = dir.join("run.checkpoint");
        let place = checkpoint.display().to_string();
        let whole = econsched(&run(scheduler, &plain_out), "");
        assert_eq!(code(&whole), 0, "{}", err(&whole));

        let kept =
            [run(scheduler, &resumed_out), vec!["--checkpoint", &place, "--checkpoint-every", "40"]].concat();
        let mut kills = 0;
        for round in 0..6u32 {
            let before = fs::read(&checkpoint).ok();
            let mut child = Command::new(env!("CARGO_BIN_EXE_econsched"))
                .args(&kept)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("the program");
            // Killed once it has come further, and somewhat later: in the middle of whatever it does then.
            while child.try_wait().expect("a child").is_none() && fs::read(&checkpoint).ok() == before {
                std::thread::yield_now();
            }
            std::thread::sleep(std::time::Duration::from_micros(u64::from(round * 7919 % 3000)));
            let _ = child.kill();
            kills += u32::from(!child.wait().expect("a child").success());
        }
        assert!(kills > 0, "no run was killed");
        let last = econsched(&kept, "");
        assert_eq!(code(&last), 0, "{}", err(&last));
        same_files(&plain, &resumed);
        let text = out(&last).replace(&resumed_out, &plain_out);
        assert_eq!(text, out(&whole));
        assert!(!checkpoint.exists() && !dir.join("run.checkpoint.left").exists(), "taken away at the end");
    }
}

#[test]
fn a_run_that_a_limit_stops_goes_on_with_a_greater_one() {
    let dir = scratch("limited");
    let (plain, resumed) = (dir.join("plain"), dir.join("resumed"));
    let (plain_out, resumed_out) = (plain.display().to_string(), resumed.display().to_string());
    let place = dir.join("c").display().to_string();
    for limit in ["900", "2000", "2000"] {
        // Stopped at the same event as without a checkpoint, however often it was taken up before.
        let plain_run = econsched(&[run("easy", &plain_out), vec!["--work-limit", limit]].concat(), "");
        let kept = econsched(
            &[run("easy", &resumed_out), vec!["--work-limit", limit, "--checkpoint", &place]].concat(),
            "",
        );
        assert_eq!((code(&plain_run), code(&kept)), (0, 0), "{}", err(&kept));
        same_files(&plain, &resumed);
        assert!(out(&kept).contains("the limit of work"), "{}", out(&kept));
    }
    let whole = econsched(&run("easy", &plain_out), "");
    let kept = econsched(&[run("easy", &resumed_out), vec!["--checkpoint", &place]].concat(), "");
    assert_eq!((code(&whole), code(&kept)), (0, 0), "{}", err(&kept));
    same_files(&plain, &resumed);
}

#[test]
fn a_checkpoint_of_other_work_or_a_damaged_one_is_refused_by_name() {
    let dir = scratch("refused");
    let place = dir.join("c");
    let place_text = place.display().to_string();
    let with = |args: &[&str]| {
        econsched(&[args, &["--no-files", "--checkpoint", &place_text, "--work-limit", "900"]].concat(), "")
    };
    let base = ["simulate", "--jobs", "200", "--cpus", "64", "--seed", "5", "--scheduler", "easy"];
    let made = with(&base);
    assert_eq!(code(&made), 0, "{}", err(&made));
    for (at, value, what) in
        [(8, "fcfs", "scheduler"), (4, "65", "machine"), (6, "6", "list of jobs"), (2, "199", "list of jobs")]
    {
        let mut args = base;
        args[at] = value;
        let refused = with(&args);
        assert_eq!(code(&refused), 2, "{value}");
        let message = format!("a checkpoint of another {what}");
        assert!(err(&refused).contains(&message) && err(&refused).contains(&place_text), "{}", err(&refused));
    }
    let (whole, left) = (fs::read(&place).expect("a checkpoint"), dir.join("c.left"));
    let jobs = fs::read(&left).expect("jobs that have left");
    for at in (0..whole.len()).step_by(97) {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        fs::write(&place, changed).expect("written");
        let refused = with(&base);
        assert_eq!(code(&refused), 2, "byte {at}");
        assert!(err(&refused).contains(&place_text), "{}", err(&refused));
    }
    fs::write(&place, &whole).expect("written");
    fs::write(&left, &jobs[..jobs.len() - 1]).expect("written");
    assert!(err(&with(&base)).contains("c.left"), "cut off");
    // What follows the jobs of the checkpoint was written by a run that was killed: it is cut off.
    fs::write(&left, [&jobs[..], b"[1,"].concat()).expect("written");
    assert_eq!(code(&with(&base)), 0);
    assert!(fs::read(&left).expect("jobs") == jobs);
    fs::remove_file(&place).expect("removed");
    assert!(err(&with(&base)).contains("is not of a simulation"), "a file that may be another's");
}
