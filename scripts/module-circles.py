#!/usr/bin/env python3
"""Says where modules of a crate import in a circle.

Usage: module-circles.py [CRATE_DIRECTORY ...]   (default: every directory of crates/)

For each module with children, an edge leads from child x to child y where any file of x (or below) names an item of y
(or below), by `use` or by a path; names that a module re-exports count for where they come from. A child may use its
parent. Test modules (from `#[cfg(test)]` on) do not count. Exit code 1 if there is a circle.
"""

import os
import re
import sys

PATH = re.compile(r"\b(?:crate|super|self)(?:::(?:\w+))*(?:::\{)?")
WORD = re.compile(r"\w+")


def modules(source):
    """Every file of a crate by the path of its module."""
    found = {}
    for folder, _, files in os.walk(source):
        for name in files:
            if not name.endswith(".rs") or name in ("main.rs",):
                continue
            parts = os.path.relpath(os.path.join(folder, name), source)[:-3].split(os.sep)
            if parts[-1] in ("mod", "lib"):
                parts.pop()
            if parts and parts[-1] == "tests":
                continue
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                found[tuple(parts)] = bare(file.read())
    return found


def bare(text):
    """The text without comments and strings, up to the first test module."""
    cut = re.search(r"#\[cfg\((?:all\()?test\b[^\n]*\n(?:\s*#\[[^\n]*\n)*\s*(?:pub(?:\([^)]*\))? )?mod \w+ \{", text)
    text = text[: cut.start()] if cut else text
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r'r(#*)".*?"\1', '""', text, flags=re.S)
    text = re.sub(r'"(?:\\.|[^"\\])*"', '""', text, flags=re.S)
    return re.sub(r"//[^\n]*", "", text)


def tree(text, at, prefix):
    """All paths of a use tree that begins at `at`; gives them and where it ends."""
    paths = []
    path = list(prefix)
    while at < len(text):
        rest = text[at:]
        word = re.match(r"\s*(\w+|\*)\s*", rest)
        if word:
            if word.group(1) == "as":
                alias = re.match(r"\s*as\s+\w+\s*", rest)
                at += alias.end() if alias else word.end()
                continue
            path.append(word.group(1))
            at += word.end()
        elif rest.startswith("::"):
            at += 2
        elif re.match(r"\s*\{", rest):
            at += re.match(r"\s*\{", rest).end()
            while at < len(text) and not re.match(r"\s*\}", text[at:]):
                below, at = tree(text, at, path)
                paths.extend(below)
                comma = re.match(r"\s*,", text[at:])
                at += comma.end() if comma else 0
            return paths, at + (re.match(r"\s*\}", text[at:]).end() if at < len(text) else 0)
        else:
            break
        if not text[at:].startswith("::"):
            alias = re.match(r"\s*as\s+\w+\s*", text[at:])
            at += alias.end() if alias else 0
            break
    paths.append(path)
    return paths, at


def uses(text):
    """Every path that begins with crate, super or self, and every path of a `use`; with whether it is re-exported."""
    for match in re.finditer(r"\b(pub(?:\([^)]*\))?\s+)?use\s+", text):
        if text.startswith("::", match.end()):
            continue  # another crate, by its name
        for path in tree(text, match.end(), [])[0]:
            yield path, bool(match.group(1))
    for match in re.finditer(r"\b(?:crate|super)(?:::\w+)+", text):
        yield WORD.findall(match.group()), False


class Crate:
    def __init__(self, source):
        self.modules = modules(source)
        self.exports = {}
        for module, text in self.modules.items():
            for path, exported in uses(text):
                if exported and len(path) > 1:
                    full = self.full(module, path)
                    if full:
                        self.exports[module + (full[-1],)] = full

    def full(self, module, path):
        """A path from the root of the crate; None for another crate's."""
        module = list(module)
        path = list(path)
        if not path:
            return None
        if path[0] == "crate":
            return tuple(path[1:])
        if path[0] == "self":
            return tuple(module + path[1:])
        if path[0] == "super":
            while path and path[0] == "super":
                path.pop(0)
                module = module[:-1]
            return tuple(module + path)
        return tuple(module + path) if tuple(module + path[:1]) in self.modules else None

    def home(self, path):
        """The module that a path leads into, through re-exports."""
        for _ in range(8):
            for cut in range(len(path), 0, -1):
                if path[:cut] in self.modules:
                    break
                if path[:cut] in self.exports and self.exports[path[:cut]] != path[:cut]:
                    path = self.exports[path[:cut]] + path[cut:]
                    break
            else:
                return ()
            if path[:cut] in self.modules:
                rest = path[cut : cut + 1]
                if rest and path[: cut + 1] in self.exports and self.exports[path[: cut + 1]] != path[: cut + 1]:
                    path = self.exports[path[: cut + 1]] + path[cut + 1 :]
                    continue
                return path[:cut]
        return ()

    def edges(self):
        """For each module, its children's edges, with a file and a path that make each."""
        edges = {}
        for module, text in self.modules.items():
            for path, _ in uses(text):
                full = self.full(module, path)
                home = self.home(full) if full else ()
                shared = os.path.commonprefix([module, home])
                if len(module) > len(shared) and len(home) > len(shared):
                    x, y = module[len(shared)], home[len(shared)]
                    why = "::".join(module) + " names " + "::".join(full)
                    edges.setdefault(shared, {}).setdefault(x, {}).setdefault(y, why)
        return edges


def circles(graph):
    """Groups of nodes that reach each other."""
    def reach(start):
        seen, todo = set(), [start]
        while todo:
            for after in graph.get(todo.pop(), {}):
                if after not in seen:
                    seen.add(after)
                    todo.append(after)
        return seen

    reached = {node: reach(node) for node in graph}
    groups = {frozenset(b for b in reached[a] if a in reached.get(b, ())) for a in graph if a in reached[a]}
    return sorted(sorted(group) for group in groups)


def main(arguments):
    crates = arguments or sorted(os.path.join("crates", name) for name in os.listdir("crates"))
    failed = False
    for crate in crates:
        edges = Crate(os.path.join(crate, "src")).edges()
        for shared in sorted(edges):
            for group in circles(edges[shared]):
                failed = True
                room = "::".join(("crate",) + shared)
                print(f"{crate}: in {room}: {', '.join(group)} import in a circle")
                for x in group:
                    for y in sorted(edges[shared][x]):
                        if y in group:
                            print(f"    {x} -> {y}: {edges[shared][x][y]}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
