#!/usr/bin/env python3
"""Compares the tables of docs/papers and the verdicts of docs/record with what the program gives.

Usage: papers.py marks|check|write [--program PATH] [--only EXPRESSION] [--keep DIRECTORY]

Under a table of a document stands a line "Rerun: `COMMAND`, table `NAME`.": the table is that of this name in the report of
the command, which saves it as NAME.csv too; or "Rerun: `python3 SCRIPT ...`.", and the table is what the script prints. Spaces
that align columns do not count. Tables of running times ("Measured by `COMMAND`, table `NAME`, ...") are measured anew on
each run and are not compared. What is no result says "Not measured: ..." instead.

`marks` runs no command: it says which table stands without such a line, which section tells of figures of ours (numbers with
decimals or per cent) under no table and names no command, and where the counts of the first page are not those of the CSV
files of verdicts. `check` begins with it.
Each command runs once, with `--out`; its results are kept in the directory of --keep (default target/papers), where a
stopped study goes on, and a finished one is read again. `check` says which tables and files of verdicts differ from what the
program gives now, and ends with 1 if any does; `write` puts these into the documents. Where a script fails (one needs
OR-Tools), its table is named and stays as it is, the others are compared, and the end is 1. --only takes the commands that
match the expression.
"""

import argparse
import csv
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys

PROGRAM = "target/release/econsched"
MARK = re.compile(r"^Rerun: `((?:econsched study|python3) [^`]+)`(?:, table `(\w+)`)?\.$")
TIMES = re.compile(r"^Measured by `econsched study [^`]+`, table `\w+`")
NO_RESULT = "Not measured: "
FIGURE = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+|%)")
MORE = re.compile(r" --set (?:open_(?:seeds|cycles)=\d+|explore=true)")


def printed_table(options, command):
    """The table that a script prints, as lines of Markdown, or None if the script fails; it calls the program of --program."""
    words = [options.program if word == PROGRAM else word for word in command.split()]
    print(f"{command} ...", file=sys.stderr, flush=True)
    run = subprocess.run(words, stdout=subprocess.PIPE, text=True)
    return None if run.returncode else [line for line in run.stdout.splitlines() if line.startswith("|")]


def is_marked(line):
    return MARK.match(line) or TIMES.match(line) or line.startswith(NO_RESULT)


def without_command(path, lines):
    """What is wrong with a document: tables and figures without the command that makes them."""
    wrong, in_code, named, figures, heading = [], False, False, None, ""
    for at, line in enumerate(lines + ["# end"]):
        if line.startswith("```"):
            in_code = not in_code
        if in_code:
            continue
        if line.startswith("#"):
            if figures and not named:
                wrong.append(f"{path}:{figures}: figures and no command under \"{heading}\"")
            named, figures, heading = False, None, line.lstrip("# ")
        elif line.startswith("|"):
            if lines[at + 1 : at + 2] and lines[at + 1].startswith("|"):
                continue
            below = next((text for text in lines[at + 1 :] if text), "")
            if not is_marked(below):
                wrong.append(f"{path}:{at + 1}: no command under the table that ends here")
        elif is_marked(line) or "`econsched " in line or "/verdicts-" in line:
            named = True
        elif not figures and FIGURE.search(re.sub(r"`[^`]*`|95% confidence", "", line)):
            figures = at + 1
    return wrong


def counted(path):
    """How many claims a file of verdicts has: all, held, refuted, open, of these the same, not determined."""
    rows = list(csv.DictReader(line for line in read_lines(path) if not line.startswith("#")))
    count = lambda **given: sum(all(row[name] == value for name, value in given.items()) for row in rows)
    same = count(verdict="open", size="the same")
    held, refuted, is_open, missing = (count(verdict=name) for name in ("held", "refuted", "open", "not determined"))
    return [len(rows), held, refuted, is_open, same, missing]


def wrong_counts(path, lines):
    """Where the table of all papers has not the counts of their files of verdicts."""
    wrong, sums = [], [0] * 6
    for line in lines:
        row = re.match(r"^\| .*\(\.\./(record/verdicts-[\w-]+\.csv)\) \| ([\d |]+) \|$", line)
        if row:
            counts = counted(os.path.join(os.path.dirname(os.path.dirname(path)), row[1]))
            sums = [sum(pair) for pair in zip(sums, counts)]
        elif line.startswith("| all |"):
            counts, row = sums, re.match(r"^()\| all \| \| ([\d |]+) \|$", line)
        else:
            continue
        if [int(cell) for cell in row[2].split(" | ")] != counts:
            wrong.append(f"{path}: {line} is not {counts}")
    if not any(sums):
        wrong.append(f"{path}: no counts of verdicts")
    return wrong


def unmarked(paths):
    """What is wrong with all documents."""
    wrong = []
    for path in paths:
        lines = read_lines(path)
        if os.path.basename(path) == "README.md":
            wrong += wrong_counts(path, lines)
        else:
            wrong += without_command(path, lines)
    return wrong


def results(options, command):
    """The directory with the results of a command, which is run if they are not there."""
    program, words = options.program, command.split()
    place = os.path.join(options.keep, hashlib.sha256(command.encode()).hexdigest()[:16])
    stored, made_by = os.path.join(place, "report.json"), os.path.join(place, "program")
    with open(program, "rb") as file:
        version = hashlib.sha256(file.read()).hexdigest()
    # What another program has left is worth nothing.
    if not (os.path.exists(made_by) and open(made_by).read() == version):
        shutil.rmtree(place, ignore_errors=True)
        os.makedirs(place)
        with open(made_by, "w") as file:
            file.write(version)
    if not os.path.exists(stored):
        words = [program] + words[1:] + ["--out", place, "--json"]
        print(f"{command} ...", file=sys.stderr, flush=True)
        output = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout
        with open(stored, "w") as file:
            file.write(output)
    return place


def report_tables(options, command):
    """The tables of a command's report, as lines of Markdown, by name."""
    place = results(options, command)
    with open(os.path.join(place, "report.json")) as file:
        names = {table["title"]: table["name"] for table in json.load(file)["tables"]}
    tables, title = {}, None
    with open(os.path.join(place, "report.md")) as file:
        for line in file.read().splitlines():
            if line.startswith("**") and line.endswith("**"):
                title = line[2:-2]
            elif line.startswith("|"):
                cells = [cell.strip() for cell in line.strip("|").split("|")]
                rows = tables.setdefault(names[title], [])
                rows.append("| " + " | ".join("---" if set(c) <= set("-") and len(rows) == 1 else c for c in cells) + " |")
    return tables


def read_lines(path):
    with open(path) as file:
        return file.read().splitlines()


def fuller(commands, command, name):
    """The command whose report is read for a table: of those that stand in the documents one that judges open claims again, or
    runs every reading, and is otherwise the same, since its report has the same tables and more."""
    others = [other for other in commands if MORE.sub("", other) == command] if name is not None else []
    return max([command, *others], key=len)


def differing_verdicts(options):
    """Which files of verdicts, whose command the expression matches, differ from what the program gives; written, if so asked."""
    kept = os.path.join(os.path.dirname(options.documents), "record")
    wrong = []
    for path in sorted(glob.glob(os.path.join(kept, "verdicts-*.csv"))):
        head, *claims = read_lines(path)
        if not re.search(options.only, head):
            continue
        ours = read_lines(os.path.join(results(options, head.removeprefix("# ")), "verdicts.csv"))
        if claims != ours:
            wrong.append(f"{path} differs")
            if options.action == "write":
                with open(path, "w") as file:
                    file.writelines(f"{line}\n" for line in [head, *ours])
    return wrong


def marks(lines, only):
    """Command and table name of each mark whose command matches the expression."""
    found = (MARK.match(line) for line in lines)
    return [mark.groups() for mark in found if mark and re.search(only, mark[1])]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("action", choices=["marks", "check", "write"])
    parser.add_argument("--program", default=PROGRAM)
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", default="target/papers")
    parser.add_argument("--documents", default="docs/papers", help="the directory of the documents")
    options = parser.parse_args()
    reports, differing, compared, failed = {}, 0, 0, []
    paths = sorted(glob.glob(os.path.join(options.documents, "*.md")))
    wrong = unmarked(paths)
    print("".join(f"{line}\n" for line in wrong), end="")
    if options.action == "marks":
        sys.exit(1 if wrong else 0)
    verdicts = differing_verdicts(options)
    print("".join(f"{line}\n" for line in verdicts), end="")
    commands = {command for path in paths for command, name in marks(read_lines(path), options.only)}
    for path in paths:
        for command, name in marks(read_lines(path), options.only):
            command = fuller(commands, command, name)
            if command not in reports and name is None:
                reports[command] = {None: printed_table(options, command)}
            elif command not in reports:
                reports[command] = report_tables(options, command)
        # Read again after the runs, which take minutes: what was edited meanwhile stays.
        made = []
        for line in read_lines(path):
            for command, name in marks([line], options.only):
                command = fuller(commands, command, name)
                if name not in reports.get(command, {}):
                    found = sorted(map(str, reports.get(command, {})))
                    sys.exit(f"{path}: {command} has no table {name}, only {found}")
                ours = reports[command][name]
                if ours is None:
                    failed.append(f"{path}: the table of `{command}` is not compared, since that script failed")
                    continue
                # The table ends above the blank line that is the last so far.
                first = len(made) - 1
                while first > 0 and made[first - 1].startswith("|"):
                    first -= 1
                compared += 1
                if made[first:-1] != ours:
                    differing += 1
                    print(f"{path}: table {name or ''} of `{command}` differs")
                made[first:-1] = ours
            made.append(line)
        if options.action == "write":
            with open(path, "w") as file:
                file.write("\n".join(made) + "\n")
    print("".join(f"{line}\n" for line in failed), end="")
    print(f"{compared} tables compared, {differing} differed, {len(failed)} not compared")
    sys.exit(1 if failed or (differing or wrong or verdicts) and options.action == "check" else 0)


if __name__ == "__main__":
    main()
