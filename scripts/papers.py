#!/usr/bin/env python3
"""Holds the tables of docs/papers against the commands that made them.

Usage: papers.py marks|open|check|write [--program PATH] [--only EXPRESSION] [--keep DIRECTORY]
                       [--reports DIRECTORY]

Under a table of a document stands a line "Rerun: `COMMAND`, table `NAME`.": the table is that of this name in the report of
the command, which saves it as NAME.csv too; or "Rerun: `python3 SCRIPT ...`.", and the table is what the script prints. Spaces
that align columns do not count. Tables of running times ("Measured by `COMMAND`, table `NAME`, ...") are measured anew on
each run and are not compared. What is no result says "Not measured: ..." instead.

`marks` runs no command: it says which table stands without such a line, which section tells of figures of ours (numbers with
decimals or per cent) under no table and names no command, and where the counts of the first page are not those of the pages.
`check` begins with it. `open` prints the open claims of all pages with how many times as many replicates would decide each, if
mean and spread stayed: an interval narrows as one over the root of their number. Pages print rounded figures; so from the least
that these allow to the most.
Each command runs once, with `--out`; its results are kept in the directory of --keep (default target/papers), where a
stopped study goes on, and a finished one is read again. `check` says which tables differ from what the program gives now,
and ends with 1 if any does; `write` puts these into the documents. Where a script fails (one needs OR-Tools), its table is
named and stays as it is, the others are compared, and the end is 1. --only takes the commands that match the expression.
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
TIMES = re.compile(r"^Measured by `econsched study [^`]+`, table `\w+`")
NO_RESULT = "Not measured: "
FIGURE = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+|%)")
COUNTS = re.compile(r"^The paper's claims: (\d+) held, (\d+) refuted, (\d+) open, (\d+) not determined by the text; (\d+) of")
MORE = re.compile(r" --open-(?:seeds|cycles) \d+| --explore")


def printed_table(options, command):
    """The table that a script prints, as lines of Markdown, or None if the script fails; it calls the program of --program."""
    words = [options.program if word == PROGRAM else word for word in command.split()]
    print(f"{command} ...", file=sys.stderr, flush=True)
    run = subprocess.run(words, stdout=subprocess.PIPE, text=True)
    return None if run.returncode else [line for line in run.stdout.splitlines() if line.startswith("|")]


def judged_by(study):
    """The command that stands under the verdicts of a study: that of the report which `study verdicts --reports` saves."""
    page = f"docs/papers/verdicts-{study}.md"
    if not os.path.exists(page):
        return None
    with open(page) as file:
        marks = [MARK.match(line) for line in file.read().splitlines()]
    return next((mark[1] for mark in marks if mark), None)


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
        elif is_marked(line) or "`econsched " in line or "](verdicts-" in line:
            named = True
        elif not figures and FIGURE.search(re.sub(r"`[^`]*`|95% confidence", "", line)):
            figures = at + 1
    return wrong


def wrong_counts(path, lines):
    """Where the table of all papers has not the counts of their pages."""
    wrong, sums = [], [0] * 6
    for line in lines:
        row = re.match(r"^\| \[.*\]\((verdicts-[\w-]+\.md)\) \| ([\d |]+) \|$", line)
        if row:
            page = os.path.join(os.path.dirname(path), row[1])
            [held, refuted, is_open, missing, same] = next(
                [int(count) for count in counts.groups()] for counts in map(COUNTS.match, read_lines(page)) if counts
            )
            counted = [held + refuted + is_open + missing, held, refuted, is_open, same, missing]
            sums = [sum(pair) for pair in zip(sums, counted)]
        elif line.startswith("| all |"):
            counted, row = sums, re.match(r"^()\| all \| ([\d |]+) \|$", line)
        else:
            continue
        if [int(cell) for cell in row[2].split(" | ")] != counted:
            wrong.append(f"{path}: {line} is not {counted}")
    return wrong


def times_needed(low, high, mean, half, unit):
    """From how many to how many times as many replicates an interval would end where the range does; None for no limit. The
    mean and the half width are rounded to this unit."""
    distances = [abs(mean - end) for end in (low, high) if end is not None]
    nearest, error = min(distances), 0.5 * unit
    least = (max(half - error, 0.0) / (nearest + error)) ** 2
    most = ((half + error) / (nearest - error)) ** 2 if nearest > error * 1.000001 else None
    return max(least, 1.0), most


def two_digits(value):
    """A number of at least 1 with two digits."""
    if value < 9.95:
        return f"{value:.1f}"
    unit = 10 ** (len(str(round(value))) - 2)
    return str(round(value / unit) * unit)


def open_claims(paths):
    """The open claims of all pages, as a table."""
    table = ["| page | place | claim | allowed | ours | from | times as many |", "| --- | --- | --- | --- | --- | --- | --- |"]
    for path in paths:
        lines, name = read_lines(path), os.path.basename(path)
        size = next((re.search(r"--(seeds|cycles) (\d+)", line) for line in lines if line.startswith("econsched study")), None)
        for line in lines:
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if len(cells) != 9 or cells[6] != "open":
                continue
            place, claim, _, allowed, ours = cells[:5]
            mean, half = (float(number) for number in ours.split(" ± "))
            unit = 10.0 ** -len(ours.split(" ± ")[0].partition(".")[2])
            ends = [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", allowed)]
            low, high = ends if len(ends) == 2 else (None, ends[0])
            least, most = times_needed(low, high, mean, half, unit)
            times = f"{two_digits(least)} to {two_digits(most)}" if most else f"{two_digits(least)} or more"
            page = f"[{name[9:-3]}]({name})"
            again = re.search(r"judged from (\d+)", cells[8])
            count = again[1] if again else size[2]
            table.append(f"| {page} | {place} | {claim} | {allowed} | {ours} | {count} {size[1]} | {times} |")
    return table


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


def fuller(commands, command, name):
    """The command whose report is read for a table: of those that stand in the documents one that judges open claims again, or
    runs every reading, and is otherwise the same, since its report has the same tables and more."""
    others = [other for other in commands if MORE.sub("", other) == command] if name not in (None, "verdicts") else []
    return max([command, *others], key=len)


def marks(lines, only):
    """Command and table name of each mark whose command matches the expression."""
    found = (MARK.match(line) for line in lines)
    return [mark.groups() for mark in found if mark and re.search(only, mark[1])]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("action", choices=["marks", "open", "check", "write"])
    parser.add_argument("--program", default=PROGRAM)
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", default="target/papers")
    parser.add_argument("--reports", help="where `study verdicts --reports` has saved its reports")
    parser.add_argument("--documents", default="docs/papers", help="the directory of the documents")
    options = parser.parse_args()
    reports, differing, compared, failed = {}, 0, 0, []
    paths = sorted(glob.glob(os.path.join(options.documents, "*.md")))
    if options.action == "open":
        print("\n".join(open_claims(paths)))
        return
    wrong = unmarked(paths)
    print("".join(f"{line}\n" for line in wrong), end="")
    if options.action == "marks":
        sys.exit(1 if wrong else 0)
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
    sys.exit(1 if failed or (differing or wrong) and options.action == "check" else 0)


if __name__ == "__main__":
    main()
