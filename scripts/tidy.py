#!/usr/bin/env python3
"""Says where a file does not keep the form that CONTRIBUTING.md asks for.

Usage: tidy.py [DIRECTORY]   (default: the directory above this script)

Looks through all text files that Git tracks, and ends with exit code 1 if it finds:

- a marker that a merge left behind;
- a comment or documentation line of more than 120 columns in a Rust file. Rows of Markdown tables may be longer,
  because they cannot be broken;
- a Rust file of more than 450 lines;
- a path of one machine, which nobody else has;
- `econsched::` in the sources of one of its crates, which may use it from `tests/` alone: beside the crate's own types
  there would be those of the crate as the facade was built with it;
- a file in the folder `tests` of a package that no test program contains (`tests/all/main.rs` names its modules, and
  `Cargo.toml` the other programs), or a unit test of a library that is not built for tests (`test = false`) and that no
  test program takes in by its path, since Cargo and rustc say nothing of it;
- a link in a Markdown file to a file or a section (`page.md#section`) that does not exist, or a path in backticks
  (`verify/sum.rs`, `src/kernel/`) that is the end of no tracked file or folder. Paths with a word in capitals are left out: it stands for any name;
- a line of the source that `benches/peers/ablation.py` changes, and that is not there once.
"""

import os
import re
import runpy
import subprocess
import sys

ABLATION = "benches/peers/ablation.py"
WIDEST = 120
LONGEST = 450
MARKER = re.compile(r"^(<{7}|>{7}|\|{7}) ")
COMMENT = re.compile(r"\s*//")
TABLE_ROW = re.compile(r"\s*//[/!]? *\|")
LINK = re.compile(r"\]\(([^)#:\s]*)(?:#([^)\s]*))?\)")
FENCE = re.compile(r"^```.*?^```", re.M | re.S)
HEADING = re.compile(r"^#+ +(.*?)[ #]*$", re.M)
PATH = re.compile(r"`([\w.-]+(?:/[\w.-]+)*(?:/[\w-]+\.(?:rs|md|py|sh|toml|json|jsonl|html)|/[\w-]+/))`")
INSIDE = re.compile(r"crates/(?!econsched)[\w-]+/src/.*\.rs")
FACADE = re.compile(r"\beconsched::")
MACHINE = re.compile(r"(?<![\w.$}])/(?:work|tmp|root|home/\w+)/")


def tracked(directory):
    """The text of each tracked file by its path; files that are not UTF-8 are left out."""
    names = subprocess.run(["git", "-C", directory, "ls-files", "-z"], check=True, stdout=subprocess.PIPE, text=True)
    for name in filter(None, names.stdout.split("\0")):
        path = os.path.join(directory, name)
        if os.path.isfile(path):
            try:
                with open(path, encoding="utf-8") as file:
                    yield name, file.read()
            except UnicodeDecodeError:
                pass


def sections(text):
    """The anchors of the headings of a page, as GitHub and mdBook form them."""
    found = set()
    for heading in HEADING.findall(FENCE.sub("", text)):
        words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        anchor = first = re.sub(r"[^\w -]", "", words).replace(" ", "-")
        count = 0
        while anchor in found:
            count += 1
            anchor = f"{first}-{count}"
        found.add(anchor)
    return found


def dead_paths(directory, name, line, texts):
    """The links and paths of a line of Markdown that lead nowhere."""
    for target, section in LINK.findall(line):
        path = os.path.normpath(os.path.join(os.path.dirname(name), target)) if target else name
        if not os.path.exists(os.path.join(directory, path)):
            yield f"a link to {target}, which does not exist"
        elif section and path.endswith(".md") and section not in sections(texts.get(path, "")):
            yield f"a link to {target}#{section}, a section that does not exist"
    for path in PATH.findall(line):
        capitals = any(part.isupper() for part in re.split(r"[/.]", path))
        end = path if path.endswith("/") else path + "$"
        if not capitals and not any(("/" + end) in ("/" + known + "$") for known in texts):
            yield f"nothing is called {path}"


def faults(name, text):
    """What is wrong with a file by itself: line number and message."""
    lines = text.split("\n")
    rust = name.endswith(".rs")
    if rust and text.count("\n") > LONGEST:
        yield len(lines), f"more than {LONGEST} lines: look for the seam"
    for number, line in enumerate(lines, 1):
        if MARKER.match(line):
            yield number, "a marker of a merge"
        if rust and len(line) > WIDEST and COMMENT.match(line) and not TABLE_ROW.match(line):
            yield number, f"a comment of {len(line)} columns, at most {WIDEST} are allowed"
        if INSIDE.fullmatch(name) and FACADE.search(line) and not COMMENT.match(line):
            yield number, "the facade in the sources of one of its crates"
        found = MACHINE.search(line)
        if found:
            yield number, f"a path of one machine: {found.group()}"


def outside_of_tests(texts):
    """The files of Rust in folders of tests that are compiled by nothing."""
    for name in texts:
        package, found, path = name.partition("/tests/all/")
        if found and path != "main.rs":
            module = path.split("/")[0].removesuffix(".rs")
            declared = re.search(rf"^mod {module};", texts.get(f"{package}/tests/all/main.rs", ""), re.M)
        elif alone := re.fullmatch(r"(.*)/tests/(\w+)(?:\.rs|/main\.rs)", name):
            declared = f'name = "{alone[2]}"' in texts.get(f"{alone[1]}/Cargo.toml", "")
        elif (unit := re.fullmatch(r"(crates/[\w-]+)/(src/.*\.rs)", name)) and "#[cfg(test)]\nmod" in texts[name]:
            library = re.search(r"^\[lib\]\n([^\[]*)", texts.get(f"{unit[1]}/Cargo.toml", ""), re.M)
            taken = (of for of, text in texts.items() if of.startswith(f"{unit[1]}/tests/") and f'{unit[2]}"]' in text)
            declared = not library or "test = false" not in library[1] or any(taken)
        else:
            continue
        if not declared:
            yield name


def stale_cases(directory, texts):
    """The cases of the ablation whose line is not once in its file."""
    cases = runpy.run_path(os.path.join(directory, ABLATION))["CASES"] if ABLATION in texts else {}
    for case, (file, here, _) in cases.items():
        if texts.get(f"crates/auction-assign/src/{file}", "").count(here) != 1:
            yield f"case {case}: {file} has not one `{here}`"


def main(arguments):
    directory = arguments[0] if arguments else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    count = 0
    texts = dict(tracked(directory))
    for name, text in texts.items():
        found = list(faults(name, text))
        if name.endswith(".md"):
            for number, line in enumerate(text.split("\n"), 1):
                found.extend((number, message) for message in dead_paths(directory, name, line, texts))
        for number, message in found:
            print(f"{name}:{number}: {message}")
            count += 1
    for message in stale_cases(directory, texts):
        print(f"{ABLATION}:1: {message}")
        count += 1
    for name in outside_of_tests(texts):
        print(f"{name}:1: no test program contains it")
        count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
