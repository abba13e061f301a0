//! Shards on HyperQueue and Slurm give the bytes of a run at once, whatever dies on the way.

use super::convert::python_with;
use super::shares::contents;
use super::{code, econsched, err, out, scratch};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const CYCLES: u32 = 400;

/// The results of a study of so many cycles that ran at once, in a directory.
fn whole(dir: &Path, cycles: u32) -> PathBuf {
    let place = dir.join(format!("whole-{cycles}"));
    let cycles = cycles.to_string();
    let args = ["study", "iccs2011", "--cycles", &cycles, "--threads", "1", "--out"];
    let output =
        Command::new(env!("CARGO_BIN_EXE_econsched")).args(args).arg(&place).output().expect("it runs");
    assert_eq!(code(&output), 0, "{}", err(&output));
    place
}

/// The same study on an engine.
fn on_engine(engine: &str, shards: &str, cycles: u32, place: &Path, more: &[(&str, String)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_econsched"));
    let cycles = cycles.to_string();
    command.args(["study", "iccs2011", "--cycles", &cycles, "--engine", engine, "--shards", shards, "--out"]);
    command.arg(place).envs(more.iter().map(|(name, value)| (*name, value.as_str())));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn path_with(dir: &Path) -> (&'static str, String) {
    ("PATH", format!("{}:{}", dir.display(), std::env::var("PATH").unwrap_or_default()))
}

fn program(place: &Path, text: &str) {
    fs::write(place, text).expect("a program");
    fs::set_permissions(place, fs::Permissions::from_mode(0o755)).expect("may run");
}

/// Runs each task of an array in turn; the first array loses its second task.
const FAKE_HQ: &str = r#"#!/bin/sh
here=$(dirname "$0")
echo "$@" >> "$here/log"
array= ; while [ "$1" != -- ]; do [ "$1" = --array ] && array=$2; shift; done; shift
first=; [ -f "$here/ran" ] || first=yes; touch "$here/ran"
for part in $(echo "$array" | tr , ' '); do
    for id in $(seq "${part%-*}" "${part#*-}"); do
        [ "$first$id" = yes2 ] && continue
        HQ_TASK_ID=$id "$@" 2> /dev/null
    done
done
exit 1
"#;

const FAKE_SBATCH: &str = r#"#!/bin/sh
for word in "$@"; do case $word in --array=*) array=${word#--array=};; esac; done
script=$(mktemp); cat > "$script"
for part in $(echo "$array" | tr , ' '); do
    for id in $(seq "${part%-*}" "${part#*-}"); do SLURM_ARRAY_TASK_ID=$id sh "$script"; done
done
rm "$script"
"#;

#[test]
fn shards_that_an_engine_loses_are_submitted_again() {
    let dir = scratch("fake engines");
    let expected = contents(&whole(&dir, CYCLES));
    program(&dir.join("hq"), FAKE_HQ);
    program(&dir.join("sbatch"), FAKE_SBATCH);
    for engine in ["hyperqueue", "slurm"] {
        let place = dir.join(engine);
        let output = on_engine(engine, "5", CYCLES, &place, &[path_with(&dir)]).output().expect("it runs");
        assert_eq!(code(&output), 0, "{engine}: {}", err(&output));
        // Nothing is left of the shards.
        assert!(contents(&place) == expected, "{engine}");
    }
    let log = fs::read_to_string(dir.join("log")).expect("a log");
    let arrays: Vec<&str> =
        log.lines().filter_map(|line| line.split("--array ").nth(1)?.split(' ').next()).collect();
    assert_eq!(arrays, ["1-5", "2"], "{log}");
}

#[test]
fn an_engine_that_does_nothing_is_told_of() {
    let dir = scratch("no engine");
    let place = dir.join("out");
    let empty = [("PATH", dir.display().to_string())];
    let output = on_engine("hyperqueue", "3", CYCLES, &place, &empty).output().expect("it runs");
    assert_eq!(code(&output), 2);
    assert!(err(&output).contains("--engine: hq: "), "{}", err(&output));
    program(&dir.join("sbatch"), "#!/bin/sh\necho 'sbatch: error: no partition' >&2; exit 1\n");
    let output = on_engine("slurm", "3", CYCLES, &place, &[path_with(&dir)]).output().expect("it runs");
    assert_eq!(code(&output), 2);
    for part in ["3 of 3 shards failed 4 times, the first is 1/3", "no partition"] {
        assert!(err(&output).contains(part), "{part}: {}", err(&output));
    }
    let output = Command::new(env!("CARGO_BIN_EXE_econsched"))
        .args(["study", "yadav", "--engine", "slurm"])
        .output()
        .expect("it runs");
    assert!(code(&output) == 2 && err(&output).contains("--out"), "{}", err(&output));
}

#[test]
fn every_shard_reads_the_log() {
    let dir = scratch("log on an engine");
    program(&dir.join("sbatch"), FAKE_SBATCH);
    let log = dir.join("made.swf").display().to_string();
    let made = econsched(&["generate", "log", "--jobs", "14", "--seed", "3"], "");
    fs::write(&log, out(&made)).expect("written");
    let study = |log: &str, more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_econsched"));
        command.args(["study", "live-broker", "--jobs", "12", "--log", log]).args(more);
        command.envs([path_with(&dir)]).stdin(fs::File::open(dir.join("made.swf")).expect("the log"));
        command.output().expect("it runs")
    };
    let place = |name: &str| dir.join(name).display().to_string();
    let on_slurm = |log: &str| study(log, &["--engine", "slurm", "--shards", "3", "--out", &place("slurm")]);
    let local = study(&log, &["--threads", "1", "--out", &place("local")]);
    assert_eq!(code(&local), 0, "{}", err(&local));
    let refused = on_slurm("-");
    assert!(code(&refused) == 2 && err(&refused).contains("cannot be `-`"), "{}", err(&refused));
    let shared = on_slurm(&log);
    assert_eq!(code(&shared), 0, "{}", err(&shared));
    assert!(contents(&dir.join("slurm")) == contents(&dir.join("local")));
}

/// The process of one shard of these results, at work and stopped there, so that it cannot end before it is
/// killed; `None` where the engine ended before one was seen.
fn held_shard(place: &Path, engine: &mut Child) -> Option<u32> {
    let until = Instant::now() + Duration::from_secs(60);
    let mark = format!("{}/", place.display());
    while Instant::now() < until && engine.try_wait().expect("a state").is_none() {
        for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
            let Ok(line) = fs::read(entry.path().join("cmdline")) else { continue };
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            let shard = line.starts_with(env!("CARGO_BIN_EXE_econsched")) && line.contains(" --shard ");
            if shard && line.contains(&mark) {
                let process = entry.file_name().to_string_lossy().parse().ok()?;
                if hold(process) {
                    return Some(process);
                }
            }
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    None
}

/// Stops a process; false where it ended before.
fn hold(process: u32) -> bool {
    let sent = signal("-STOP", process);
    loop {
        match status(process, "State:").as_deref().and_then(|state| state.chars().next()) {
            Some('T') => return true,
            None | Some('Z' | 'X') => return false,
            Some(_) if !sent => return false,
            Some(_) => std::thread::sleep(Duration::from_millis(1)),
        }
    }
}

fn signal(signal: &str, process: u32) -> bool {
    Command::new("kill").args([signal, &process.to_string()]).status().is_ok_and(|status| status.success())
}

fn kill(process: u32) -> bool {
    signal("-9", process)
}

/// What the system says of a process under this name.
fn status(process: u32, name: &str) -> Option<String> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    Some(status.lines().find_map(|line| line.strip_prefix(name))?.trim().to_owned())
}

/// Runs the study on an engine. `then` is told of one of its shards, which is stopped while it computes. The
/// results are those of a run at once.
///
/// A loaded machine may show no shard before all have ended: then a study twice as long is tried.
fn while_one_is_held(
    engine: &str,
    dir: &Path,
    more: &[(&str, String)],
    mut then: impl FnMut(u32, &mut Child),
) {
    for cycles in (0..8).map(|doubled| CYCLES << doubled) {
        let place = dir.join(format!("results-{cycles}"));
        let mut running = on_engine(engine, "4", cycles, &place, more).spawn().expect("it starts");
        let shard = held_shard(&place, &mut running);
        if let Some(shard) = shard {
            then(shard, &mut running);
        }
        let output = running.wait_with_output().expect("it ends");
        assert_eq!(code(&output), 0, "{}{}", out(&output), err(&output));
        if shard.is_some() {
            assert!(contents(&place) == contents(&whole(dir, cycles)));
            return;
        }
    }
    panic!("no shard was seen at work");
}

/// The package of HyperQueue, if it is there, and a directory with a program `hq`, which the package does not
/// bring: ours beside the repository's scripts takes its place.
fn hyperqueue(dir: &Path) -> Option<PathBuf> {
    let python = python_with("hyperqueue")?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/hyperqueue/hq");
    if !script.exists() {
        println!("skipped: no {}", script.display());
        return None;
    }
    let bin = dir.join("bin");
    fs::create_dir_all(&bin).expect("a directory");
    program(&bin.join("hq"), &format!("#!/bin/sh\nexec {python} {} \"$@\"\n", script.display()));
    Some(bin)
}

#[test]
fn hyperqueue_runs_shards() {
    let dir = scratch("hyperqueue");
    let Some(bin) = hyperqueue(&dir) else { return };
    while_one_is_held("hyperqueue", &dir, &[path_with(&bin)], |shard, _| assert!(kill(shard)));
}

/// A process that ends with the test.
struct Ends(Child);

impl Drop for Ends {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn another_worker_takes_over_from_one_that_is_killed() {
    let dir = scratch("workers");
    let Some(bin) = hyperqueue(&dir) else { return };
    let home = dir.join("server");
    let server = home.display().to_string();
    let start = |words: &[&str]| {
        Ends(Command::new(bin.join("hq")).args(words).stdout(Stdio::null()).spawn().expect("it starts"))
    };
    let _server = start(&["server", &server, "0"]);
    let until = Instant::now() + Duration::from_secs(60);
    while !home.join("hq-current/access.json").exists() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    let mut first = start(&["worker", &server]);
    let more = [path_with(&bin), ("HQ_SERVER_DIR", server.clone())];
    let mut second = None;
    while_one_is_held("hyperqueue", &dir, &more, |shard, running| {
        let parent = status(shard, "PPid:").and_then(|parent| parent.parse().ok());
        assert_eq!(parent, Some(first.0.id()), "the only worker runs it");
        // As when a machine fails: the worker and all that it runs. The worker's end may have killed the shard.
        assert!(kill(first.0.id()));
        kill(shard);
        assert!(!first.0.wait().expect("an end").success());
        assert!(running.try_wait().expect("a state").is_none(), "the engine waits for another worker");
        second = Some(start(&["worker", &server]));
    });
    assert!(second.is_some());
}

/// A Slurm of its own, which ends with the test.
struct Loopback {
    script: PathBuf,
    dir: PathBuf,
}

impl Loopback {
    fn start(dir: &Path) -> Option<Self> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/slurm-loopback");
        let daemons = ["/usr/sbin/slurmctld", "/usr/sbin/slurmd", "/usr/sbin/munged", "/usr/bin/sbatch"];
        if !script.exists() || daemons.iter().any(|path| !Path::new(path).exists()) {
            println!("skipped: needs the packages slurm-wlm and munge");
            return None;
        }
        let loopback = Self { script, dir: dir.to_owned() };
        let started = loopback.call("start");
        if !started {
            println!("skipped: Slurm does not start here; see {}", dir.display());
        }
        started.then_some(loopback)
    }

    fn call(&self, what: &str) -> bool {
        let status = Command::new(&self.script).arg(what).arg(&self.dir).stdout(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    }
}

impl Drop for Loopback {
    fn drop(&mut self) {
        self.call("stop");
    }
}

#[test]
fn slurm_runs_shards_and_its_queue_is_planned() {
    let dir = scratch("slurm");
    // The sockets of daemons must have short paths.
    let home = std::env::temp_dir().join(format!("econsched-slurm-{}", std::process::id()));
    let Some(slurm) = Loopback::start(&home) else { return };
    // The commands of its directory enter its network namespace, where it has one.
    let conf = [("SLURM_CONF", home.join("slurm.conf").display().to_string()), path_with(&home.join("bin"))];
    while_one_is_held("slurm", &dir, &conf, |shard, _| assert!(kill(shard)));

    let submit = |cpus: &str, time: &str, more: &[&str]| {
        let mut command = Command::new("sbatch");
        command.args(["--quiet", "--output=/dev/null", "-n", cpus, "--time", time]).args(more);
        command.args(["--wrap", "sleep 30"]);
        let status = command.envs(conf.iter().cloned()).status().expect("sbatch");
        assert!(status.success());
    };
    // Four CPUs: the first job holds three of them for five minutes, the others need two each.
    submit("3", "5", &[]);
    let running = || {
        let asked =
            Command::new("squeue").args(["--noheader", "--format=%T"]).envs(conf.iter().cloned()).output();
        asked.is_ok_and(|output| out(&output).contains("RUNNING"))
    };
    let until = Instant::now() + Duration::from_secs(20);
    while !running() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(100));
    }
    submit("2", "10", &[]);
    submit("2", "20", &[]);
    let plan = || -> serde_json::Value {
        let output = Command::new(env!("CARGO_BIN_EXE_econsched"))
            .args(["plan", "--slurm", "--no-files", "--json", "--price-limit", "2", "--search", "min-start"])
            .envs(conf.iter().cloned())
            .output()
            .expect("it runs");
        assert_eq!(code(&output), 0, "{}", err(&output));
        serde_json::from_str(&out(&output)).expect("JSON")
    };
    let of_all = plan();
    assert_eq!(of_all["jobs"].as_array().map(Vec::len), Some(2), "{of_all}");
    assert_eq!(of_all["total_runtime"].as_f64(), Some(600.0 + 1200.0), "{of_all}");
    // In the partition of the first node, which has 50 MB for each of its two CPUs; 90 MB are the memory of
    // both.
    submit("1", "1", &["--partition=first", "--mem=90"]);
    let of_parts = plan();
    let last = of_parts["jobs"].as_array().and_then(|jobs| jobs.last()).expect("a job");
    assert_eq!(last["job"]["request"]["nodes"].as_u64(), Some(2), "{of_parts}");
    let nodes: Vec<u64> = last["fate"]["placed"]["placements"]
        .as_array()
        .unwrap_or_else(|| panic!("no window: {of_parts}"))
        .iter()
        .filter_map(|placement| placement["node"].as_u64())
        .collect();
    assert_eq!(nodes, [1, 2], "{of_parts}");
    drop(slurm);
    let _ = fs::remove_dir_all(home);
}
