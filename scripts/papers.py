#!/usr/bin/env python3
"""Holds the tables of docs/papers against the commands that made them.

Usage: papers.py check|write [--program PATH] [--only EXPRESSION] [--keep DIRECTORY]
                       [--reports DIRECTORY]

Under a table of a document stands a line "Rerun: `COMMAND`, table `NAME`.": the table is that of this name in the report of
the command, which saves it as NAME.csv too; or "Rerun: `python3 SCRIPT ...`.", and the table is what the script prints. Spaces
that align columns do not count. Tables of running times are measured anew on each run and are not compared.
Each command runs once, with `--out`; its results are kept in the directory of --keep (default target/papers), where a
stopped study goes on, and a finished one is read again. `check` says which tables differ from what the program gives now,
and ends with 1 if any does; `write` puts these into the documents. --only takes the commands that match the expression.
"""

import argparse
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


def printed_table(options, command):
    """The table that a script prints, as lines of Markdown; it calls the program of --program."""
    words = [options.program if word == PROGRAM else word for word in command.split()]
    print(f"{command} ...", file=sys.stderr, flush=True)
    output = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout
    return [line for line in output.splitlines() if line.startswith("|")]


def judged_by(study):
    """The command that stands under the verdicts of a study: that of the report which `study verdicts --reports` saves."""
    page = f"docs/papers/verdicts-{study}.md"
    if not os.path.exists(page):
        return None
    with open(page) as file:
        marks = [MARK.match(line) for line in file.read().splitlines()]
    return next((mark[1] for mark in marks if mark), None)


def report_tables(options, command):
    """The tables of a command's report, as lines of Markdown, by name."""
    program, words = options.program, command.split()
    given = os.path.join(options.reports, words[2]) if options.reports and command == judged_by(words[2]) else None
    place = os.path.join(options.keep, hashlib.sha256(command.encode()).hexdigest()[:16])
    stored, made_by = os.path.join(place, "report.json"), os.path.join(place, "program")
    with open(program, "rb") as file:
        version = hashlib.sha256(file.read()).hexdigest()
    if given:
        place, stored, made_by = given, os.path.join(given, "report.json"), program
    # What another program has left is worth nothing.
    elif not (os.path.exists(made_by) and open(made_by).read() == version):
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
    with open(stored) as file:
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


def marks(lines, only):
    """Command and table name of each mark whose command matches the expression."""
    found = (MARK.match(line) for line in lines)
    return [mark.groups() for mark in found if mark and re.search(only, mark[1])]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("action", choices=["check", "write"])
    parser.add_argument("--program", default=PROGRAM)
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", default="target/papers")
    parser.add_argument("--reports", help="where `study verdicts --reports` has saved its reports")
    options = parser.parse_args()
    reports, differing, compared = {}, 0, 0
    for path in sorted(glob.glob("docs/papers/*.md")):
        for command, name in marks(read_lines(path), options.only):
            if command not in reports and name is None:
                reports[command] = {None: printed_table(options, command)}
            elif command not in reports:
                reports[command] = report_tables(options, command)
        # Read again after the runs, which take minutes: what was edited meanwhile stays.
        made = []
        for line in read_lines(path):
            for command, name in marks([line], options.only):
                if name not in reports.get(command, {}):
                    found = sorted(map(str, reports.get(command, {})))
                    sys.exit(f"{path}: {command} has no table {name}, only {found}")
                ours = reports[command][name]
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
    print(f"{compared} tables compared, {differing} differed")
    sys.exit(1 if differing and options.action == "check" else 0)


if __name__ == "__main__":
    main()
