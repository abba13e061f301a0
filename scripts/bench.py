#!/usr/bin/env python3
"""Records the medians of `cargo bench`, and compares a run with a record of another.

    bench.py record FILE [DIRECTORY]    writes the medians that criterion left in DIRECTORY (target/criterion)
    bench.py compare FILE [DIRECTORY]   the ratio of a run to the record: median over the benches of each group, beside that of
                                        all benches; a lone time says nothing

Both runs by `just bench-ratios`.
"""
import csv, json, os, statistics, sys
from pathlib import Path

COMMAND = "cargo bench -p econsched-benches --bench '*' -- --warm-up-time 0.3 --measurement-time 0.5 --sample-size 10"


def medians(directory):
    """(group, bench) -> nanoseconds"""
    found = {}
    for file in sorted(Path(directory).glob("**/new/estimates.json")):
        names = json.loads((file.parent / "benchmark.json").read_text())
        bench = "/".join(filter(None, (names["function_id"], names["value_str"])))
        found[names["group_id"], bench] = json.loads(file.read_text())["median"]["point_estimate"]
    return found


def record(file, directory):
    with open(file, "w", newline="") as out:
        out.write(f"# {COMMAND}: median nanoseconds\n")
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(["group", "bench", "nanoseconds"])
        rows.writerows([*names, f"{median:.4g}"] for names, median in sorted(medians(directory).items()))


def compare(file, directory):
    now, ratios = medians(directory), {}
    with open(file, newline="") as rows:
        for row in csv.DictReader(line for line in rows if not line.startswith("#")):
            names = row["group"], row["bench"]
            if names in now:
                ratios.setdefault(names[0], []).append(now[names] / float(row["nanoseconds"]))
    every = [ratio for of_group in ratios.values() for ratio in of_group]
    if not every:
        sys.exit("no bench of the record has run")
    # How fast the machine is now shows in all of them.
    all_of = statistics.median(every)
    print(f"{all_of:.2f} times the record over all {len(every)} benches; the groups beside that:")
    for group, of_group in sorted(ratios.items(), key=lambda entry: -statistics.median(entry[1])):
        print(f"{statistics.median(of_group) / all_of:6.2f}  {group} ({len(of_group)})")


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ("record", "compare"):
        sys.exit(__doc__)
    command, file, *rest = sys.argv[1:]
    directory = rest[0] if rest else os.environ.get("CARGO_TARGET_DIR", "target") + "/criterion"
    {"record": record, "compare": compare}[command](file, directory)


main()
