#!/usr/bin/env python3
"""Counts the instructions of the kernels of benches/examples/kernels.rs with cachegrind: of three runs less those of one.

    instructions.py record FILE PROGRAM    writes the counts of one run of each kernel
    instructions.py compare FILE PROGRAM   counts, and their ratio to the record

PROGRAM is target/release/kernels; `just instructions`.
"""
import csv, re, subprocess, sys

COMMAND = "cargo build --profile bench -p econsched-benches --bin kernels, then scripts/instructions.py record"


def total(program, name, times):
    words = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", program, name, str(times)]
    told = subprocess.run(words, check=True, capture_output=True, text=True).stderr
    return int(re.search(r"I\s+refs:\s+([\d,]+)", told)[1].replace(",", ""))


def counts(program):
    names = subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()
    for name in names:
        yield name, (total(program, name, 3) - total(program, name, 1)) // 2


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ("record", "compare"):
        sys.exit(__doc__)
    command, file, program = sys.argv[1:]
    if command == "record":
        with open(file, "w", newline="") as out:
            out.write(f"# {COMMAND}: instructions of one run of each kernel\n")
            rows = csv.writer(out, lineterminator="\n")
            rows.writerow(["kernel", "instructions"])
            rows.writerows(counts(program))
        return
    with open(file, newline="") as rows:
        before = {row["kernel"]: int(row["instructions"]) for row in csv.DictReader(l for l in rows if not l.startswith("#"))}
    for name, count in counts(program):
        if name in before:
            print(f"{count / before[name]:6.3f}  {count:>14,}  {name}")


main()
