#!/usr/bin/env python3
"""What the special cases of auction-assign's automatic choice earn: the time of `assign` on the zoo with each of them off, as
a ratio to its time with all of them.

    python3 benches/peers/ablation.py [SIZE] [CASE...]

A case is a line of the source and what takes its place. Each is built in a copy of the last commit, beside one that is left as
it is, and both are timed in turn, three times each. Printed are the geometric mean over the problems, and the three that lose
most.
"""
import math, pathlib, subprocess, sys, tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CASES = {
    "rows": ("automatic/mod.rs", "if rows::is_suited(&prepared) {", "if false && rows::is_suited(&prepared) {"),
    "columns before rows": ("rows/mod.rs", "if prepared.is_tight() && unplaced", "if false && unplaced"),
    "ties": ("rows/mod.rs", "if prepared.is_tight() && reduction.work", "if false && reduction.work"),
    "copy": ("rows/mod.rs", "let is_narrow = ", "let is_narrow = false && "),
    "hand over": ("automatic/mod.rs", "rows::place(&prepared, PASSES)", "rows::place(&prepared, u64::MAX)"),
    "prices from columns": ("kernel/prepared.rs", "if !self.is_tight() {", "if true {"),
    "small increment": ("shortest_paths.rs", "if suits && 2", "if false && suits && 2"),
    "ranking": ("automatic/mod.rs", "= sorted::rank(prepared)? else", "= sorted::rank(prepared)?.filter(|_| false) else"),
    "equal columns": ("automatic/reshaped.rs", "if values.len() < MIN_COSTS", "if true || values.len() < MIN_COSTS"),
    "equal rows": ("automatic/reshaped.rs", "MostJobs if n == m", "MostJobs if false && n == m"),
    "turned": ("automatic/reshaped.rs", "MostJobs if n > m", "MostJobs if false && n > m"),
    "transport": ("automatic/mod.rs", "if suits_transport && problem.resources() <= few", "if false"),
    "cheapest pass": ("transport/mod.rs", "if problem.resources() <= MAX_CHEAPEST", "if false && problem.resources() <= MAX_CHEAPEST"),
    "lists before transport": ("automatic/mod.rs", "suits_transport && problem.resources() <= few", "suits_transport"),
    "places one by one": ("candidates/paths.rs", "FEW_PLACES: u32 = 4", "FEW_PLACES: u32 = u32::MAX"),
    "slack of lists": ("auction.rs", "SLACK: f64 = 4.0", "SLACK: f64 = 0.0"),
    "wide instructions": ("kernel/wide.rs", "dispatch!(*LEVEL, _level => run())", "run()"),
}


def build(folder, change):
    """The program of peers on the last commit with a change."""
    folder.mkdir()
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, capture_output=True).stdout
    subprocess.run(["tar", "x", "-C", folder], input=archive, check=True)
    if change:
        file, here, there = change
        path = folder / "crates/auction-assign/src" / file
        text = path.read_text()
        if text.count(here) != 1:
            sys.exit(f"{file} has not one `{here}`")
        path.write_text(text.replace(here, there))
    manifest = folder / "benches/peers/crates/Cargo.toml"
    subprocess.run(["cargo", "build", "-q", "--release", "--manifest-path", manifest], check=True, stderr=subprocess.DEVNULL)
    return folder / "benches/peers/crates/target/release/assignment-peers"


def times(program, size):
    def tell(*words):
        return subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout

    found = {}
    for line in tell("zoo", size).splitlines():
        number, name, rows, cols = line.split("\t")
        found[f"{name} {rows} x {cols}"] = float(tell(size, number, "1", "automatic").split()[1])
    return found


def main():
    size = sys.argv[1] if len(sys.argv) > 1 else "300"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        whole = build(folder / "whole", None)
        for number, case in enumerate(sys.argv[2:] or CASES):
            without = build(folder / str(number), CASES[case])
            turns = [(times(whole, size), times(without, size)) for _ in range(3)]
            least = [{name: min(turn[k][name] for turn in turns) for name in turns[0][0]} for k in range(2)]
            ratios = {name: least[1][name] / least[0][name] for name in least[0]}
            mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
            most = sorted(ratios, key=ratios.get)[:-4:-1]
            print(f"{case}: {mean:.2f}; " + ", ".join(f"{name} {ratios[name]:.1f}" for name in most), flush=True)


if __name__ == "__main__":
    main()
