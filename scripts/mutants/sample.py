#!/usr/bin/env python3
"""Judges one sample of mutants over all crates, drawn once and kept in sample.csv, again and again.

    sample.py draw WORK TREE [COUNT]   draws COUNT (300) mutants of TREE: of each crate at least ten, else by the number of its
                                       mutants; a few more in reserve for those that do not build
    sample.py find WORK TREE           finds the mutants of sample.csv in TREE: in the file of that path, else in one of that
                                       name, else in a function of that name, by the text of the line and the change
    sample.py build WORK TREE          as run.py does, with these mutants alone
    sample.py trace WORK               as run.py does
    sample.py judge WORK [PATIENCE]    wakes one after the other; a mutant survives if the tests that reach it let it pass for
                                       PATIENCE seconds (60) of what they take without mutants
    sample.py record WORK              writes sample.csv (after `draw`)
    sample.py compare WORK             says which verdicts differ from those in sample.csv (after `find`)
"""
import collections, csv, hashlib, sys
from pathlib import Path

import run

SAMPLE = Path(__file__).resolve().parent / "sample.csv"
FIELDS = ["file", "function", "line", "occurrence", "mutation", "verdict"]
SEED, LEAST = 34, 10


def every(work, tree):
    """All mutants of the libraries of a tree, as rows with their numbers."""
    work.mkdir(parents=True, exist_ok=True)
    files = run.run(["git", "ls-files", "crates/*/src/*.rs"], cwd=tree, check=True, capture_output=True, text=True)
    files = sorted(file for file in files.stdout.split() if (tree / "crates" / run.package(file) / "src/lib.rs").exists())
    (work / "files").write_text("\n".join(files))
    run.copy(tree, work)
    (work / "none").write_text("")
    tool = run.ENVIRONMENT.get("MUTANTS_TOOL", run.HERE / "target/debug/mutants")
    told = run.run([tool, work / "tree", work / "none", *files], check=True, capture_output=True, text=True).stdout
    texts, seen, rows = {}, collections.Counter(), []
    for entry in told.splitlines():
        number, file, at, function, change = entry.split("\t")
        if file not in texts:
            texts[file] = (tree / file).read_text().split("\n")
        line = texts[file][int(at) - 1].strip()
        seen[file, function, line, change] += 1
        occurrence = seen[file, function, line, change]
        rows.append(dict(number=int(number), file=file, function=function, line=line, occurrence=occurrence, mutation=change))
    return rows


def choose(work, rows, chosen):
    """All but these are left out of the build."""
    wanted = {row["number"] for row in chosen}
    (work / "dropped").write_text("".join(f"{row['number']}\n" for row in rows if row["number"] not in wanted))
    with (work / "chosen.csv").open("w", newline="") as file:
        out = csv.DictWriter(file, ["number", *FIELDS, "quota"], restval="", lineterminator="\n")
        out.writeheader()
        out.writerows(chosen)


def draw(work, tree, count):
    rows = every(work, tree)
    by_crate = collections.defaultdict(list)
    for row in rows:
        by_crate[run.package(row["file"])].append(row)
    # The rest after the least of each crate goes by size; what rounding leaves goes to the greatest remainders.
    rest = count - LEAST * len(by_crate)
    share = {name: rest * len(all_of) / len(rows) for name, all_of in by_crate.items()}
    quota = {name: LEAST + int(part) for name, part in share.items()}
    for name in sorted(share, key=lambda name: int(share[name]) - share[name])[: count - sum(quota.values())]:
        quota[name] += 1
    chosen = []
    for name, all_of in sorted(by_crate.items()):
        text = lambda row: "\t".join(str(row[field]) for field in FIELDS[:5])
        all_of.sort(key=lambda row: hashlib.sha256(f"{SEED}\t{text(row)}".encode()).digest())
        chosen += [dict(row, quota=quota[name]) for row in all_of[: quota[name] + quota[name] // 3 + 3]]
        print(f"{name}: {quota[name]} of {len(all_of)}")
    choose(work, rows, chosen)


def last(function):
    return function.split("::")[-1]


def find(work, tree):
    rows = every(work, tree)
    keys = [
        lambda row: (row["file"], row["function"]),
        lambda row: (row["file"],),
        lambda row: (Path(row["file"]).name, last(row["function"])),
        lambda row: (Path(row["file"]).name,),
        lambda row: (last(row["function"]),),
    ]
    found, lost, taken = [], 0, set()
    with SAMPLE.open(newline="") as file:
        for old in csv.DictReader(file):
            same = [r for r in rows if r["line"] == old["line"] and r["mutation"] == old["mutation"] and r["number"] not in taken]
            for key in keys:
                here = [row for row in same if key(row) == key(old)]
                if here:
                    exact = [row for row in here if row["occurrence"] == int(old["occurrence"])]
                    new = (exact or here)[0]
                    taken.add(new["number"])
                    found.append(dict(old, number=new["number"]))
                    break
            else:
                lost += 1
    print(f"{len(found)} found, {lost} no longer there")
    choose(work, rows, found)


def build(work, tree):
    run.build(work, tree, (work / "files").read_text().split("\n"), True)
    trim(work)


def trim(work):
    """Leaves out the reserves that are not needed."""
    dropped = set(map(int, (work / "dropped").read_text().split()))
    count = collections.Counter()
    with (work / "dropped").open("a") as out:
        for row in chosen(work):
            if row["quota"] and int(row["number"]) not in dropped:
                count[run.package(row["file"])] += 1
                if count[run.package(row["file"])] > int(row["quota"]):
                    out.write(f"{row['number']}\n")
    print(f"{len(list(run.mutants(work)))} to judge")


def chosen(work):
    with (work / "chosen.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def verdicts(work):
    """The row of each mutant that was built, with its verdict."""
    alive = {number for number, *_ in run.mutants(work)}
    judged = (work / "judged.tsv").read_text().splitlines() if (work / "judged.tsv").exists() else []
    said = {int(line.split("\t")[0]): line.split("\t")[4].lower() for line in judged}
    return [(row, said.get(int(row["number"]), "not judged")) for row in chosen(work) if int(row["number"]) in alive]


def record(work):
    with SAMPLE.open("w", newline="") as file:
        out = csv.DictWriter(file, FIELDS, extrasaction="ignore", lineterminator="\n")
        out.writeheader()
        out.writerows(dict(row, verdict=verdict) for row, verdict in verdicts(work))
    tell(work)


def compare(work):
    for row, verdict in verdicts(work):
        if verdict != row["verdict"]:
            print(f"{row['file']}: {row['function']}: {row['mutation']}: {row['verdict']}, now {verdict}\n    {row['line']}")
    tell(work)


def tell(work):
    count = collections.Counter((run.package(row["file"]), verdict) for row, verdict in verdicts(work))
    for name in sorted({name for name, _ in count}):
        print(name, *(f"{verdict} {count[name, verdict]}" for verdict in ("caught", "survived", "not judged")), sep="\t")
    total = collections.Counter(verdict for _, verdict in verdicts(work))
    print("all", *(f"{verdict} {total[verdict]}" for verdict in ("caught", "survived", "not judged")), sep="\t")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    command, work, *rest = sys.argv[1:]
    work = Path(work).resolve()
    if command == "draw":
        draw(work, Path(rest[0]).resolve(), int(rest[1]) if rest[1:] else 300)
    elif command == "find":
        find(work, Path(rest[0]).resolve())
    elif command == "build":
        build(work, Path(rest[0]).resolve())
    elif command == "trace":
        run.trace(work, [])
    elif command == "judge":
        run.judge(work, ["--each", "1000000", "--patience", rest[0] if rest else "60"])
    elif command in ("record", "compare"):
        {"record": record, "compare": compare}[command](work)
    else:
        sys.exit(__doc__)


main()
