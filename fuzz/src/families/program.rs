//! The program on hostile files and flags: it ends without being killed, with one of its exit codes, and says why.

use super::parsers::{broken, log, one_of};
use crate::judge::{Verdict, ensure, family};
use econsched::sched_model::{Job, JobId, Time};
use econsched::testkit::{Draw, Fault, NodeCase, Numbers, Seen, request};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Address space of the program in KiB, where no narrower limit holds already, and processor seconds.
const LIMITS: &str = "ulimit -v 1000000 2> /dev/null; ulimit -t 10 && exec \"$0\" \"$@\"";

family!(Programs: Case, draw, judge);

#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    /// FILE stands for the file.
    args: String,
    file: String,
    name: String,
    /// The expected result, where it is known.
    expected: Option<Expected>,
}

#[derive(Serialize, Deserialize)]
enum Expected {
    /// Bad input: exit code 2.
    Refused,
    /// This many jobs and resources are assigned, or not all jobs can be.
    Shape(usize, usize),
}

fn program() -> Verdict<PathBuf> {
    if let Some(path) = std::env::var_os("ECONSCHED_BIN") {
        return Ok(PathBuf::from(path));
    }
    let own = std::env::current_exe()?;
    let folder = own.parent().unwrap_or(Path::new("."));
    let folder = if folder.ends_with("deps") { folder.parent().unwrap_or(folder) } else { folder };
    Ok(folder.join("econsched"))
}

fn draw(draw: &mut Draw) -> Case {
    match draw.below(12) {
        0..=4 => matrix(draw),
        5 | 6 => scenario(draw),
        7 | 8 => {
            let (args, file) = (one_of(draw, LOGS).to_owned(), log(draw));
            Case { args, file, name: name(draw, "swf"), expected: None }
        }
        _ => settings(draw),
    }
}

fn judge(case: &Case) -> Verdict<Seen> {
    let program = program()?;
    // Without the program there is nothing to attack: `cargo build -p econsched-cli` makes it.
    if !program.exists() {
        return Ok(Seen::skipped());
    }
    let folder = std::env::temp_dir().join(format!("econsched-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join(&case.name), &case.file)?;
    let args = case.args.split_whitespace().map(|arg| if arg == "FILE" { &case.name } else { arg });
    let mut command = Command::new("sh");
    command.arg("-c").arg(LIMITS).arg(program).args(args).current_dir(&folder).stdin(Stdio::null());
    let done = command.output();
    std::fs::remove_dir_all(&folder)?;
    let done = done?;
    let err = String::from_utf8_lossy(&done.stderr).into_owned();
    ensure!(!err.contains("panicked"), "the program panics: {err}");
    let Some(code) = done.status.code() else {
        return Err(Fault::new("killed", format!("the program is killed (memory or time): {err}")));
    };
    ensure!(matches!(code, 0..=2), "exit code of no meaning: {code}: {err}");
    ensure!(!err.contains("overflow") && !err.contains("memory allocation"), "the program says {err}");
    let control = |&byte: &u8| byte < 32 && !matches!(byte, b'\n' | b'\t') || byte == 127;
    ensure!(!done.stdout.iter().any(control), "control characters on the output");
    ensure!(!done.stderr.iter().any(control), "control characters among the errors: {err:?}");
    ensure!(code == 0 || !err.is_empty(), "fails without a word: {code}");
    match case.expected {
        None => {}
        Some(Expected::Refused) => ensure!(code == 2, "accepts what is no input: {code}: {err}"),
        Some(Expected::Shape(jobs, resources)) if code == 0 => {
            let answer: Value = serde_json::from_slice(&done.stdout)?;
            let count = |name: &str| answer[name].as_array().map_or(0, Vec::len);
            let found = (count("jobs"), count("resources"));
            ensure!(found == (jobs, resources), "loses rows or columns: {found:?} of {jobs} x {resources}");
        }
        // Not every job has a place.
        Some(Expected::Shape(jobs, resources)) => {
            ensure!(code == 1 && jobs > resources, "refuses a matrix: {code}: {err}");
        }
    }
    Ok(Seen::solved())
}

const MATRIX_FLAGS: &str = "~--format csv~--format dimacs~--format or-library~--most-jobs~--maximise~\
    --unplaced -0.1~--capacities 4294967295,1~--method auction";

const PLAN_FLAGS: &str = "~--front~--limit 0~--limit 1e308~--criterion max-income~--search max-value~\
    --rho 1e-300~--alternatives 1";

fn matrix(draw: &mut Draw) -> Case {
    let numbers = draw.of([Numbers::Whole, Numbers::Tenths, Numbers::Cents, Numbers::Real, Numbers::Dyadic]);
    let (rows, cols) = (draw.between(2, 5), draw.between(2, 5));
    let mut row = |_| (0..cols).map(|_| numbers.draw(draw).to_string()).collect::<Vec<_>>();
    let mut cells: Vec<Vec<String>> = (0..rows).map(&mut row).collect();
    let mut expected = Some(Expected::Shape(rows, cols));
    let (row, col) = (draw.below(rows), draw.below(cols));
    match draw.below(10) {
        0..=2 => {}
        // Names on both sides.
        3 | 4 => {
            cells.insert(0, (0..cols).map(|col| format!("r{col}")).collect());
            for (at, row) in cells.iter_mut().enumerate() {
                row.insert(0, if at == 0 { String::new() } else { format!("j{at}") });
            }
        }
        // A letter in place of a digit.
        5..=7 => {
            one_of(draw, "O~1O~l~1.5e~x~NaN~--1").clone_into(&mut cells[row][col]);
            expected = Some(Expected::Refused);
        }
        // A cell too many or too few.
        8 => {
            if draw.chance(50) {
                cells[row].push("1".to_owned());
            } else {
                cells[row].pop();
            }
            expected = Some(Expected::Refused);
        }
        _ => {
            one_of(draw, "-inf~1e400~nan~1e61~\u{1b}[31m~=1+1~\u{feff}1").clone_into(&mut cells[row][col]);
            expected = None;
        }
    }
    let between = draw.of([",", ";"]);
    let lines: Vec<String> = cells.iter().map(|row| row.join(between)).collect();
    let mut file = lines.join("\n") + "\n";
    if draw.chance(15) {
        (file, expected) = (broken(draw, &file), None);
    }
    let mut args = "assign FILE --json".to_owned();
    if expected.is_none() {
        let command = draw.of(["assign", "map"]);
        args = format!("{command} FILE --json {}", one_of(draw, MATRIX_FLAGS));
    }
    Case { args, file, name: name(draw, "csv"), expected }
}

fn name(draw: &mut Draw, ending: &str) -> String {
    if draw.chance(5) { format!("a\u{1b}[31m\u{7}.{ending}") } else { format!("input.{ending}") }
}

fn scenario(draw: &mut Draw) -> Case {
    let hostile = draw.chance(50);
    let nodes = NodeCase::draw(draw, 6, hostile);
    let slots = NodeCase::slots(&nodes).unwrap_or_default();
    let job = |id| {
        let n = draw.between(1, 3).min(nodes.len());
        let job = Job::new(JobId(id), request(draw, &nodes, n, hostile));
        let submit = if draw.chance(10) { draw.of([5e16, 1e18, 1e60, -1e60]) } else { 0.0 };
        job.with_submit(Time::must(submit))
    };
    let jobs: Vec<Job> = (0..3).map(job).collect();
    let jobs = &jobs[..draw.between(1, 3)];
    let title = if draw.chance(20) { "\u{1b}]0;x\u{7}=cmd|'x'" } else { "t" };
    let mut file = json!({"name": title, "slots": slots, "jobs": jobs}).to_string();
    let args = format!("plan FILE {} {}", draw.of(["", "--out out"]), one_of(draw, PLAN_FLAGS));
    let mut expected = None;
    if draw.chance(8) && file.contains("\"speed\"") {
        (file, expected) = (file.replacen("\"speed\"", "\"sped\"", 1), Some(Expected::Refused));
    } else if draw.chance(35) {
        file = broken(draw, &file);
    }
    Case { args, file, name: name(draw, "json"), expected }
}

const LOGS: &str = "plan FILE --at 30~plan FILE --at 30 --jobs 4 --nodes 16~plan FILE --at 1e300~\
    simulate FILE --scheduler easy~simulate FILE --scheduler conservative~\
    simulate FILE --scheduler fcfs~simulate FILE --scheduler min-ctt --testbed edg~\
    simulate FILE --scheduler two-phase --testbed edg~\
    simulate FILE --scheduler max-ctt --testbed edg --jobs 3~\
    simulate --jobs 5 --cpus 4 --scheduler easy --seed 18446744073709551615~map FILE~window FILE~\
    generate jobs --settings FILE~plan FILE";

/// Commands with rare settings, and names of these.
const RARE: [(&str, &str); 5] = [
    (
        "simulate --scheduler live --jobs 8",
        "faults.mean_up~faults.mean_down~faults.early~faults.overrun~faults.cancelled~overrun.extend~local.jobs~\
         local.overestimate~live.stability.policy~live.stability.policy.within~live.stability.tax~live.horizon~\
         live.interval~live.work~live.memory~live.patience~live.rho~live.preemption~urgent_users~demands.jobs",
    ),
    (
        "multi-s-grid --jobs 5 --slices 50 --gap 1",
        "strategy.balancing~strategy.mode~strategy.slice~local~failures~repair~retries~owner_lifetime~threshold~slices~\
         grid~grid.sites~grid.machines~grid.machines.end~grid.bandwidth.start~grid.speed~grid.cpus.end~users.users~\
         users.qos.end~jobs.jobs~jobs.length~jobs.mean_gap",
    ),
    (
        "generate cycle",
        "slots.count~slots.length~slots.price_base~jobs.jobs~jobs.nodes~jobs.work~jobs.min_speed",
    ),
    ("generate log", "jobs~model.system_size~users~round_values"),
    ("generate etc", "tasks~machines~method~consistency"),
];

fn settings(draw: &mut Draw) -> Case {
    let (command, names) = draw.of(RARE);
    let values =
        "0~1~-1~0.5~7~1e-300~1e308~nan~null~true~[]~[1,2]~{}~weighted~hihi~anywhere~18446744073709551616";
    let mut args = command.to_owned();
    for _ in 0..draw.between(1, 3) {
        args += &format!(" --set {}={}", one_of(draw, names), one_of(draw, values));
    }
    Case { args, file: String::new(), name: name(draw, "json"), expected: None }
}
