//! The program on hostile files and flags: it ends without being killed, with one of its exit codes, and says
//! why.

use crate::number::Family;
use crate::rng::Rng;
use crate::target::{Fault, Target, Verdict, ensure, part};
use crate::targets::{swf, window};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Address space of the program in KiB, where no narrower limit holds already, and processor seconds.
const LIMITS: &str = "ulimit -v 1000000 2> /dev/null; ulimit -t 10 && exec \"$0\" \"$@\"";

pub(crate) struct Programs;

#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    /// FILE stands for the file.
    args: Vec<String>,
    file: String,
    name: String,
    /// The expected result, where it is known.
    expected: Option<Expected>,
    /// The digest of the file for which that is known.
    digest: u64,
}

fn digest(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

#[derive(Serialize, Deserialize)]
enum Expected {
    /// Bad input: exit code 2.
    Refused,
    /// This many jobs and resources are assigned, or not all jobs can be.
    Shape(usize, usize),
}

/// The result of a run of the program.
struct Run {
    code: Option<i32>,
    out: Vec<u8>,
    err: String,
}

fn program() -> Result<PathBuf, Fault> {
    if let Some(path) = std::env::var_os("ECONSCHED_BIN") {
        return Ok(PathBuf::from(path));
    }
    let own = std::env::current_exe()?;
    let mut folder = own.parent().unwrap_or(Path::new("."));
    if folder.ends_with("deps") {
        folder = folder.parent().unwrap_or(folder);
    }
    Ok(folder.join("econsched"))
}

fn run(case: &Case) -> Result<Option<Run>, Fault> {
    let program = program()?;
    if !program.exists() {
        return Ok(None);
    }
    let folder = std::env::temp_dir().join(format!("econsched-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join(&case.name), &case.file)?;
    let args = case.args.iter().map(|arg| if arg == "FILE" { &case.name } else { arg });
    let mut command = Command::new("sh");
    command.arg("-c").arg(LIMITS).arg(program).args(args).current_dir(&folder).stdin(Stdio::null());
    let done = command.output();
    std::fs::remove_dir_all(&folder)?;
    let done = done?;
    Ok(Some(Run {
        code: done.status.code(),
        out: done.stdout,
        err: String::from_utf8_lossy(&done.stderr).into_owned(),
    }))
}

impl Target for Programs {
    type Case = Case;

    fn generate(rng: &mut Rng) -> Case {
        match rng.below(10) {
            0..=4 => matrix(rng),
            5 | 6 => scenario(rng),
            7 | 8 => log(rng),
            _ => properties(rng),
        }
    }

    fn judge(case: &Case) -> Verdict {
        if case.name.is_empty() || case.args.iter().any(|arg| arg.contains('\0')) || case.args.is_empty() {
            return Err(Fault::Malformed);
        }
        if case.expected.is_some() && case.digest != digest(&case.file) {
            return Err(Fault::Malformed);
        }
        // Without the program there is nothing to attack: `cargo build -p econsched-cli` makes it.
        let Some(run) = run(case)? else { return Ok(()) };
        let err = run.err.replace('\n', " ");
        ensure!(!run.err.contains("panicked"), "the program panics: {err}");
        let Some(code) = run.code else {
            ensure!(false, "the program is killed (memory or time): {err}");
            return Ok(());
        };
        ensure!(matches!(code, 0..=2), "exit code of no meaning: {code}: {err}");
        ensure!(
            !run.err.contains("overflow") && !err.contains("memory allocation"),
            "the program says {err}"
        );
        let control = |&byte: &u8| byte < 32 && !matches!(byte, b'\n' | b'\t') || byte == 127;
        ensure!(!run.out.iter().any(control), "control characters on the output");
        ensure!(!run.err.as_bytes().iter().any(control), "control characters among the errors: {err:?}");
        ensure!(code == 0 || !run.err.is_empty(), "fails without a word: {code}");
        match case.expected {
            None => {}
            Some(Expected::Refused) => ensure!(code == 2, "accepts what is no input: {code}: {err}"),
            Some(Expected::Shape(jobs, resources)) if code == 0 => {
                let answer: serde_json::Value = part(serde_json::from_slice(&run.out))
                    .map_err(|_| Fault::Wrong("the answer is no JSON".into()))?;
                let count = |name: &str| answer[name].as_array().map_or(0, Vec::len);
                ensure!(
                    (count("jobs"), count("resources")) == (jobs, resources),
                    "loses rows or columns: {} x {} where {jobs} x {resources} stand",
                    count("jobs"),
                    count("resources")
                );
            }
            // Not every job has a place.
            Some(Expected::Shape(jobs, resources)) => {
                ensure!(code == 1 && jobs > resources, "refuses a matrix: {code}: {err}");
            }
        }
        Ok(())
    }
}

fn plain_number(rng: &mut Rng, family: Family) -> String {
    let value = family.draw(rng);
    format!("{value}")
}

fn matrix(rng: &mut Rng) -> Case {
    let family = *rng.pick(&[Family::Whole, Family::Tenths, Family::Cents, Family::Real, Family::Dyadic]);
    let (rows, cols) = (rng.range(2, 5), rng.range(2, 5));
    let mut cells: Vec<Vec<String>> =
        (0..rows).map(|_| (0..cols).map(|_| plain_number(rng, family)).collect()).collect();
    let mut expected = Some(Expected::Shape(rows, cols));
    match rng.below(10) {
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
            let (row, col) = (rng.below(rows), rng.below(cols));
            cells[row][col] = (*rng.pick(&["O", "1O", "l", "1.5e", "x", "NaN", "--1"])).to_owned();
            expected = Some(Expected::Refused);
        }
        // A cell too many or too few.
        8 => {
            let row = rng.below(rows);
            if rng.percent(50) {
                cells[row].push("1".to_owned());
            } else {
                cells[row].pop();
            }
            expected = Some(Expected::Refused);
        }
        _ => {
            let (row, col) = (rng.below(rows), rng.below(cols));
            cells[row][col] =
                (*rng.pick(&["-inf", "1e400", "nan", "1e61", "\u{1b}[31m", "=1+1", "\u{feff}1"])).to_owned();
            expected = None;
        }
    }
    let between = *rng.pick(&[",", ";"]);
    let lines: Vec<String> = cells.iter().map(|row| row.join(between)).collect();
    let mut file = lines.join("\n") + "\n";
    if rng.percent(15) {
        file = shaken(rng, &file);
        expected = None;
    }
    let mut args = strings("assign FILE --json");
    if expected.is_none() && rng.percent(50) {
        args = strings("map FILE --json");
    }
    if expected.is_none() {
        args.extend(strings(rng.pick::<&str>(&[
            "",
            "--format csv",
            "--format dimacs",
            "--format or-library",
            "--most-jobs",
            "--maximise",
            "--unplaced -0.1",
            "--capacities 4294967295,1",
            "--method auction",
        ])));
    }
    let digest = digest(&file);
    Case { args, file, name: name(rng, "csv"), expected, digest }
}

fn strings(args: &str) -> Vec<String> {
    args.split_whitespace().map(str::to_owned).collect()
}

fn name(rng: &mut Rng, ending: &str) -> String {
    if rng.percent(5) { format!("a\u{1b}[31m\u{7}.{ending}") } else { format!("input.{ending}") }
}

/// The text with some letters removed, doubled or changed.
fn shaken(rng: &mut Rng, text: &str) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    for _ in 0..rng.range(1, 6) {
        if letters.is_empty() {
            break;
        }
        let at = rng.below(letters.len());
        match rng.below(5) {
            0 => drop(letters.remove(at)),
            1 => letters.insert(at, letters[at]),
            2 => {
                letters[at] =
                    *rng.pick(&['\u{0}', '\n', '-', '9', 'e', '"', '{', ']', ',', '\u{feff}', '\u{1b}', 'é'])
            }
            3 => letters.truncate(at),
            _ => {
                let piece: Vec<char> = rng
                    .pick(&["1e308", "-0", "4294967296", "99999999999999999999", "null", "-1e60"])
                    .chars()
                    .collect();
                letters.splice(at..at, piece);
            }
        }
    }
    letters.into_iter().collect()
}

fn scenario(rng: &mut Rng) -> Case {
    let kind = if rng.percent(50) { window::Numbers::Exact } else { window::Numbers::Hostile };
    let nodes = window::draw_nodes(rng, 6, kind);
    let mut slots: Vec<serde_json::Value> = Vec::new();
    for (id, node) in nodes.iter().enumerate() {
        for &(start, end) in &node.free {
            slots.push(serde_json::json!({"node": id, "speed": node.speed, "price": node.price, "start": start, "end": end}));
        }
    }
    slots.sort_by(|a, b| {
        let key = |slot: &serde_json::Value| (slot["start"].as_f64().unwrap_or(0.0), slot["node"].as_u64());
        key(a).0.total_cmp(&key(b).0).then(key(a).1.cmp(&key(b).1))
    });
    let jobs: Vec<serde_json::Value> = (0..rng.range(1, 4))
        .map(|id| {
            let n = rng.range(1, 3).min(nodes.len());
            let request = window::RequestCase::draw(rng, &nodes, n, kind);
            let mut out = serde_json::json!({"nodes": request.n, "work": request.work});
            for (name, value) in [
                ("budget", request.budget),
                ("deadline", request.deadline),
                ("price_limit", request.price_limit),
            ] {
                if let Some(value) = value {
                    out[name] = value.into();
                }
            }
            let submit = if rng.percent(10) { *rng.pick(&[5e16, 1e18, 1e60, -1e60]) } else { 0.0 };
            serde_json::json!({"id": id, "request": out, "submit": submit})
        })
        .collect();
    let title = if rng.percent(20) { "\u{1b}]0;x\u{7}=cmd|'x'" } else { "t" };
    let mut file = serde_json::json!({"name": title, "slots": slots, "jobs": jobs}).to_string();
    let mut args = strings("plan FILE");
    if rng.percent(50) {
        args.push("--no-files".to_owned());
    }
    args.extend(strings(rng.pick::<&str>(&[
        "",
        "--compare",
        "--front",
        "--limit 0",
        "--limit 1e308",
        "--criterion max-income",
        "--search max-value",
        "--rho 1e-300",
        "--alternatives 1",
    ])));
    let mut expected = None;
    if args.contains(&"--compare".to_owned()) && args.contains(&"--front".to_owned()) {
        args.pop();
    }
    if rng.percent(8) {
        file = file.replacen("\"speed\"", "\"sped\"", 1);
        expected = Some(Expected::Refused);
    } else if rng.percent(35) {
        file = shaken(rng, &file);
    }
    let digest = digest(&file);
    Case { args, file, name: name(rng, "json"), expected, digest }
}

fn log(rng: &mut Rng) -> Case {
    let file = swf::text(rng);
    let args: &str = rng.pick::<&str>(&[
        "plan FILE --at 30 --no-files",
        "plan FILE --at 30 --jobs 4 --nodes 16",
        "plan FILE --at 1e300 --no-files",
        "simulate FILE --scheduler easy --no-files",
        "simulate FILE --scheduler conservative",
        "simulate FILE --scheduler fcfs --no-files",
        "simulate FILE --scheduler min-ctt --testbed edg --no-files",
        "simulate FILE --scheduler two-phase --testbed edg --no-files",
        "simulate FILE --scheduler max-ctt --testbed edg --no-files --jobs 3",
        "simulate --jobs 5 --cpus 4 --scheduler easy --no-files --seed 18446744073709551615",
        "map FILE",
        "window FILE",
        "generate jobs --params FILE",
        "plan FILE",
    ]);
    Case { args: strings(args), file, name: name(rng, "swf"), expected: None, digest: 0 }
}

fn properties(rng: &mut Rng) -> Case {
    let keys = [
        "sites",
        "Sites",
        "number_of_sites",
        "machines",
        "processors",
        "mips",
        "bandwidth",
        "mttf",
        "users",
        "name",
        "jobs",
        "length",
        "x",
    ];
    let values = [
        "1",
        "-1",
        "0",
        "1..5",
        "1-5",
        "1e308",
        "nan",
        "4294967295",
        "18446744073709551616",
        "",
        "a=b",
        "\u{1b}",
    ];
    let mut file = String::new();
    for _ in 0..rng.below(12) {
        file += &format!("{}={}\n", rng.pick(&keys), rng.pick(&values));
    }
    let args: &str = rng.pick::<&str>(&[
        "multi-s-grid --grid FILE --jobs 5 --no-files",
        "multi-s-grid --users FILE --jobs 5 --no-files",
        "multi-s-grid --job-properties FILE --jobs 5 --no-files",
        "multi-s-grid --jobs 3 --gap 1e12 --slices 3 --no-files",
        "multi-s-grid --jobs 3 --sp nan --no-files",
    ]);
    Case { args: strings(args), file, name: name(rng, "properties"), expected: None, digest: 0 }
}
