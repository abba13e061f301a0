#!/usr/bin/env python3
"""Judges the mutants of some files of the workspace by the tests, with one build for all of them.

    run.py build WORK TREE [--keep] FILE...   copies TREE to WORK/tree, puts the mutants into the files there, builds the
                                       tests; --keep: those that did not build the last time are left out at once
    run.py trace WORK [--quick S]      runs every test once, and notes which mutants each of them reaches, and its time;
                                       those that compute for more than S seconds (60) judge nothing
    run.py judge WORK [--each N] [--only FILE] [--numbers 1,2,..] [--seed N] [--patience S]
                                       wakes up to N mutants of every file, one after the other, until a test fails, or
                                       those that ran took S seconds in all without mutants (3600)
    run.py report WORK                 figures by file, and those that survived

Everything is built with all features. A mutant that does not build is left out, as with cargo-mutants. One that no test reaches survives. Of the tests that reach it the
quickest come first; a test may compute ten times as long as without mutants, and two seconds more.
"""
import collections, hashlib, json, os, re, resource, shutil, subprocess, sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ENVIRONMENT = dict(os.environ, CARGO_INCREMENTAL="0", CARGO_PROFILE_DEV_DEBUG="0", CARGO_TERM_COLOR="never")


def run(arguments, **more):
    return subprocess.run([str(a) for a in arguments], **more)


def computed():
    """Processor seconds of all processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def within(seconds):
    """Before a command: it may compute for so long, with 6 GB of address space."""
    return ["prlimit", f"--cpu={int(seconds) + 1}", "--as=6000000000"]


def package(file):
    return Path(file).parts[1]


# ---- building ----

def copy(tree, work):
    shutil.rmtree(work / "tree", ignore_errors=True)
    files = run(["git", "ls-files", "-z"], cwd=tree, check=True, capture_output=True, text=True).stdout
    for file in filter(None, files.split("\0")):
        target = work / "tree" / file
        target.parent.mkdir(parents=True, exist_ok=True)
        if (tree / file).exists():
            shutil.copy2(tree / file, target)
    for manifest in (work / "tree/crates").glob("*/Cargo.toml"):
        text = manifest.read_text()
        manifest.write_text(text.replace("[lints]\nworkspace = true\n", ""))


def instrument(work, tree, files):
    for name in {f"crates/{package(file)}" for file in files}:
        shutil.copytree(tree / name / "src", work / "tree" / name / "src", dirs_exist_ok=True)
    tool = ENVIRONMENT.get("MUTANTS_TOOL", HERE / "target/debug/mutants")
    found = run([tool, work / "tree", work / "dropped", *files], check=True, capture_output=True, text=True)
    (work / "mutants.tsv").write_text(found.stdout)


def blamed(work, message):
    """The mutants that an error of the compiler is about."""
    spans = [s for s in message["spans"] if s["is_primary"]] or message["spans"]
    for span in spans + [e for s in spans if (e := (s.get("expansion") or {}).get("span"))]:
        path = work / "tree" / span["file_name"]
        if not path.exists():
            continue
        lines = path.read_text().split("\n")
        for number in range(span["line_start"] - 1, span["line_end"]):
            if found := re.match(r"/\*M(\d+)\*/", lines[number]):
                return {int(found[1])}
        # No mutant of its own: the innermost site around the place.
        text = "\n".join(lines[: span["line_start"] - 1] + [lines[span["line_start"] - 1][: span["column_start"]]])
        open_sites = []
        for mark in re.finditer(r"/\*S([\d,]+)\{\*/|/\*\}\*/", text):
            if mark[1]:
                open_sites.append(mark[1])
            else:
                open_sites.pop()
        if open_sites:
            return {int(number) for number in open_sites[-1].split(",")}
        text = "\n".join(lines[: span["line_end"]])
        last = [mark[1] for mark in re.finditer(r"/\*S([\d,]+)\{\*/", text)]
        if last:
            return {int(number) for number in last[-1].split(",")}
    return set()


def build(work, tree, files, keep):
    work.mkdir(parents=True, exist_ok=True)
    copy(tree, work)
    dropped_file = work / "dropped"
    if not (dropped_file.exists() and keep):
        dropped_file.write_text("")
    (work / "files").write_text("\n".join(files))
    packages = sorted({package(file) for file in files})
    dropped = set(map(int, dropped_file.read_text().split()))
    selection = ["--all-features", *(word for name in packages for word in ("-p", name))]
    environment = dict(ENVIRONMENT, CARGO_TARGET_DIR=str(work / "target"))
    while True:
        instrument(work, tree, files)
        command = ["cargo", "check", "--offline", "--keep-going", *selection, "--message-format", "json"]
        told = run(command, cwd=work / "tree", env=environment, capture_output=True, text=True)
        news, rest = set(), []
        for line in told.stdout.splitlines():
            record = json.loads(line)
            if record.get("reason") == "compiler-message" and record["message"]["level"] == "error":
                blame = blamed(work, record["message"]) - dropped
                news |= blame
                if not blame and record["message"]["spans"]:
                    rest.append(record["message"]["rendered"])
        if told.returncode == 0:
            break
        if not news:
            sys.exit("errors that no mutant is to blame for:\n" + "\n".join(rest[:5]) + told.stderr[-2000:])
        print(f"dropped {len(news)} that do not build", flush=True)
        dropped |= news
        dropped_file.write_text("".join(f"{number}\n" for number in sorted(dropped)))
    command = ["cargo", "test", "--offline", "--no-run", *selection, "--lib", "--tests", "--message-format", "json"]
    told = run(command, cwd=work / "tree", env=environment, stdout=subprocess.PIPE, text=True)
    if told.returncode:
        sys.exit("the tests do not build")
    programs = []
    for line in told.stdout.splitlines():
        record = json.loads(line)
        if record.get("reason") == "compiler-artifact" and record.get("executable") and record["profile"]["test"]:
            programs.append({"program": record["executable"], "directory": str(Path(record["manifest_path"]).parent)})
    (work / "programs.json").write_text(json.dumps(programs))
    total = len((work / "mutants.tsv").read_text().splitlines())
    print(f"{total - len(dropped)} mutants of {total}, {len(programs)} test programs")


# ---- tracing ----

def trace(work, arguments):
    quick = float(arguments[1]) if arguments[:1] == ["--quick"] else 60.0
    reach = collections.defaultdict(list)  # mutant -> [program, test]
    took = {}
    for at, program in enumerate(json.loads((work / "programs.json").read_text())):
        path, directory = program["program"], program["directory"]
        target = work / f"trace.{at}"
        target.unlink(missing_ok=True)
        names = run([path, "--list", "--format", "terse"], cwd=directory, capture_output=True, text=True).stdout
        names = [line[: -len(": test")] for line in names.splitlines() if line.endswith(": test")]
        for name in names:
            start = computed()
            target.unlink(missing_ok=True)
            environment = dict(ENVIRONMENT, MUTANT_TRACE=str(target))
            command = [path, "--exact", name]
            told = run([*within(min(5, 2 * quick)), *command], cwd=directory, env=environment, capture_output=True, text=True)
            if told.returncode < 0:
                # Noting what is reached slows it down; what it has reached by now will do.
                start = computed()
                told = run([*within(quick), *command], cwd=directory, capture_output=True, text=True)
                if told.returncode < 0:
                    print(f"too slow to judge: {Path(path).name} {name}", flush=True)
                    continue
            took[f"{at} {name}"] = computed() - start
            if told.returncode:
                print(f"fails without a mutant: {path} {name}\n{told.stdout[-2000:]}", flush=True)
                continue
            if target.exists():
                for number in {int(line.split("\t")[0]) for line in target.read_text().splitlines()}:
                    reach[number].append([at, name])
        print(f"{Path(path).name}: {len(names)} tests", flush=True)
    (work / "reach.json").write_text(json.dumps(reach))
    (work / "took.json").write_text(json.dumps(took))


# ---- judging ----

def mutants(work):
    dropped = set(map(int, (work / "dropped").read_text().split()))
    for line in (work / "mutants.tsv").read_text().splitlines():
        number, file, at, function, change = line.split("\t")
        if int(number) not in dropped:
            yield int(number), file, int(at), function, change


def sample(work, each, seed):
    by_file = collections.defaultdict(list)
    for mutant in mutants(work):
        by_file[mutant[1]].append(mutant)
    key = lambda mutant: hashlib.sha256(f"{seed} {mutant[0]}".encode()).digest()
    return [mutant for file in by_file.values() for mutant in sorted(file, key=key)[:each]]


def wake(number, programs, tests, took, patience):
    """The test that fails, or None."""
    groups = collections.defaultdict(list)
    for at, name in tests:
        groups[at].append(name)
    # Quick tests first, in calls of a second or so.
    calls = []
    for at, names in groups.items():
        names.sort(key=lambda name: took[f"{at} {name}"])
        batch, time_of_batch = [], 0.0
        for name in names:
            batch.append(name)
            time_of_batch += took[f"{at} {name}"]
            if time_of_batch > 0.5:
                calls.append((time_of_batch, at, batch))
                batch, time_of_batch = [], 0.0
        if batch:
            calls.append((time_of_batch, at, batch))
    so_far = 0.0
    for expected, at, names in sorted(calls):
        so_far += expected
        if so_far > patience:
            return None
        program = programs[at]
        environment = dict(ENVIRONMENT, MUTANT=str(number), RUST_BACKTRACE="0")
        command = [*within(10 * expected + 2), program["program"], "--exact", *names]
        try:
            told = run(command, cwd=program["directory"], env=environment, capture_output=True, text=True, timeout=600)
        except subprocess.TimeoutExpired:
            return f"waits: {names[0]} .. {names[-1]}"
        if told.returncode < 0:
            return f"time or abort: {names[0]} .. {names[-1]}"
        if told.returncode:
            failed = re.findall(r"^test (.*) \.\.\. FAILED", told.stdout, re.M)
            return failed[0] if failed else f"aborts: {names[0]} .. {names[-1]}"
    return None


def judge(work, arguments):
    each, only, numbers, seed, patience = 20, None, None, 1, 3600.0
    while arguments:
        flag, value, *arguments = arguments
        if flag == "--each":
            each = int(value)
        elif flag == "--only":
            only = value
        elif flag == "--numbers":
            numbers = set(map(int, value.split(",")))
        elif flag == "--seed":
            seed = int(value)
        elif flag == "--patience":
            patience = float(value)
    chosen = [m for m in mutants(work) if m[0] in numbers] if numbers else sample(work, each, seed)
    # In no order of files, so that what is judged by any time is a sample of all.
    chosen.sort(key=lambda mutant: hashlib.sha256(f"{seed} {mutant[0]}".encode()).digest())
    programs = json.loads((work / "programs.json").read_text())
    reach = json.loads((work / "reach.json").read_text())
    took = json.loads((work / "took.json").read_text())
    judged = work / "judged.tsv"
    known = {line.split("\t")[0] for line in judged.read_text().splitlines()} if judged.exists() and not numbers else set()
    for number, file, line, function, change in chosen:
        if only and only not in file or str(number) in known:
            continue
        start = computed()
        killer = wake(number, programs, reach.get(str(number), []), took, patience)
        text = f"{number}\t{file}:{line}\t{function}\t{change}\t{'caught' if killer else 'SURVIVED'}\t{killer or ''}\t{computed() - start:.1f}"
        print(text, flush=True)
        with judged.open("a") as out:
            out.write(text + "\n")


def report(work):
    last = {}
    for line in (work / "judged.tsv").read_text().splitlines():
        fields = line.split("\t")
        last[fields[0]] = fields
    reach = json.loads((work / "reach.json").read_text())
    all_of, tally = collections.Counter(m[1] for m in mutants(work)), collections.defaultdict(lambda: [0, 0])
    for fields in last.values():
        count = tally[fields[1].split(":")[0]]
        count[0] += 1
        count[1] += fields[4] == "caught"
    for file, (judged, caught) in sorted(tally.items()):
        print(f"{file}: {caught} of {judged} caught, of {all_of[file]}")
    drawn, caught = (sum(count[i] for count in tally.values()) for i in (0, 1))
    print(f"all: {caught} of {drawn}")
    for fields in sorted(last.values(), key=lambda f: (f[1].split(":")[0], int(f[1].split(":")[1]))):
        if fields[4] != "caught":
            print("\t".join(fields[:4]), "" if fields[0] in reach else "NOT REACHED")


def main():
    command, work, *arguments = sys.argv[1:]
    work = Path(work).resolve()
    if command == "build":
        keep = "--keep" in arguments
        tree, *files = [word for word in arguments if word != "--keep"]
        build(work, Path(tree).resolve(), files, keep)
    elif command == "trace":
        trace(work, arguments)
    elif command == "judge":
        judge(work, arguments)
    elif command == "report":
        report(work)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
