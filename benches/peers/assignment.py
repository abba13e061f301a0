#!/usr/bin/env python3
"""Times the assignment methods of auction-assign beside their peers on the zoo of the testkit, one core, one run.

    python3 -m venv venv && venv/bin/pip install numpy scipy lapx laprust ortools POT
    venv/bin/python benches/peers/assignment.py [--size N | --size large] [--limit S] [--numbers 0-20] [--seconds S] [--turns N] [--keep FILE] [--output FILE]

Peers from PyPI run in processes of their own, those of crates.io in the package `crates` beside this script, which is built
first (cargo). A peer whose package is missing is left out. A time is processor time, the best of some repeats; for peers it
covers the solver alone, not the building of its input; for auction-assign everything, the checks of the input included. A
method that needs more than the limit (processor time, preparation included) is ended and shown as such. A
peer whose total is not ours is shown, and not taken as the best. With --keep a run can be made in parts, each of so many
problems or seconds: what stands in that file is not run again, and the tables show all of it.
"""

import argparse
import importlib
import json
import math
import multiprocessing
import os
import pathlib
import queue as queues
import struct
import subprocess
import tempfile
import time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
SECONDS = 60  # of processor time a method may take, unless told otherwise
MOST_FOR_POT = {"large": 10**7}  # pairs of a problem that is given to POT


class Instance:
    """A dense matrix, or (offsets, columns, values) with the shape, and capacities."""

    def __init__(self, path):
        with open(path, "rb") as file:
            sparse, rows, cols, entries, every = struct.unpack("<5Q", file.read(40))
            self.sparse, self.costs = None, None
            if sparse:
                offsets = np.fromfile(file, np.uint64, rows + 1)
                columns = np.fromfile(file, np.uint32, entries)
                self.sparse = (offsets, columns, np.fromfile(file, np.float64, entries))
            else:
                self.costs = np.fromfile(file, np.float64, entries).reshape(rows, cols)
            self.capacities = np.fromfile(file, np.uint32, cols)
        self.shape, self.every = (rows, cols), bool(every)
        values = self.costs if self.sparse is None else self.sparse[2]
        self.whole = bool((np.floor(values) == values).all())
        self.one_to_one = bool((self.capacities == 1).all())

    def arcs(self):
        rows, cols = self.shape
        if self.sparse is None:
            return (
                np.repeat(np.arange(rows, dtype=np.int32), cols),
                np.tile(np.arange(cols, dtype=np.int32), rows),
                self.costs.astype(np.int64).ravel(),
            )
        offsets, columns, values = self.sparse
        return (
            np.repeat(np.arange(rows, dtype=np.int32), np.diff(offsets).astype(np.int64)),
            columns.astype(np.int32),
            values.astype(np.int64),
        )


# Peers: prepare(instance) -> solve() -> total.


def scipy_dense(instance):
    from scipy.optimize import linear_sum_assignment

    costs = instance.costs

    def solve():
        rows, cols = linear_sum_assignment(costs)
        return lambda: costs[rows, cols].sum()

    return solve


def scipy_sparse(instance):
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    offsets, columns, values = instance.sparse
    matrix = csr_array((values, columns.astype(np.int32), offsets.astype(np.int32)), shape=instance.shape)

    def solve():
        rows, cols = min_weight_full_bipartite_matching(matrix)
        return lambda: sum(matrix[i, j] for i, j in zip(rows, cols))

    return solve


def lapx_dense(instance):
    import lap

    costs = instance.costs
    extend = costs.shape[0] != costs.shape[1]

    def solve():
        cost, _, _ = lap.lapjv(costs, extend_cost=extend)
        return lambda: cost

    return solve


def lapx_s(instance):
    import lap

    costs = instance.costs

    def solve():
        cost = lap.lapjvs(costs, return_cost=True)[0]
        return lambda: cost

    return solve


def lapx_r(instance):
    import lap

    costs = instance.costs

    def solve():
        rows, cols = lap.lapjvr(costs, return_cost=False)[:2]
        return lambda: costs[rows, cols].sum()

    return solve


def laprust_dense(instance):
    import laprust

    costs = instance.costs

    def solve():
        total, _, _ = laprust.lapjv(costs, extend_cost=costs.shape[0] != costs.shape[1])
        return lambda: total

    return solve


def lapx_sparse(instance):
    import lap

    offsets, columns, values = instance.sparse
    n = instance.shape[0]
    starts, kinds = offsets.astype(np.int32), columns.astype(np.int32)

    def solve():
        cost, _, _ = lap.lapmod(n, values, starts, kinds)
        return lambda: cost

    return solve


def ortools_assignment(instance):
    from ortools.graph.python import linear_sum_assignment

    solver = linear_sum_assignment.SimpleLinearSumAssignment()
    solver.add_arcs_with_cost(*instance.arcs())

    def solve():
        solver.solve()
        return lambda: solver.optimal_cost()

    return solve


def ortools_flow(instance):
    from ortools.graph.python import min_cost_flow

    n, m = instance.shape
    jobs, resources, costs = instance.arcs()
    solver = min_cost_flow.SimpleMinCostFlow()
    solver.add_arcs_with_capacity_and_unit_cost(jobs, n + resources, np.ones(len(costs), np.int64), costs)
    places = np.arange(n, n + m, dtype=np.int32)
    sink = np.full(m, n + m, np.int32)
    solver.add_arcs_with_capacity_and_unit_cost(places, sink, instance.capacities.astype(np.int64), np.zeros(m, np.int64))
    solver.set_nodes_supplies(np.arange(n, dtype=np.int32), np.ones(n, np.int64))
    out = max(0, n - int(instance.capacities.sum()))
    solver.set_node_supply(n + m, -(n - out))

    def solve():
        # With too few places the flow that is possible and cheapest.
        status = solver.solve_max_flow_with_min_cost() if out else solver.solve()
        assert status == solver.OPTIMAL, status
        return lambda: solver.optimal_cost()

    return solve


def pot(instance):
    import ot

    n, m = instance.shape
    costs, capacities = instance.costs, instance.capacities.astype(np.float64)
    jobs, spare = np.ones(n), capacities.sum() - n
    if spare > 0:
        costs = np.vstack([costs, np.zeros(m)])
        jobs = np.append(jobs, spare)
    elif spare < 0:
        costs = np.hstack([costs, np.zeros((n, 1))])
        capacities = np.append(capacities, -spare)
    costs = np.ascontiguousarray(costs)
    total = jobs.sum()

    def solve():
        plan = ot.emd(jobs / total, capacities / total, costs, numItermax=10**9)
        return lambda: (plan * costs).sum() * total

    return solve


def peers(instance, most_for_pot):
    """The peers from PyPI that take the instance, and those of crates.io."""
    (rows, cols), dense = instance.shape, instance.sparse is None
    if not instance.one_to_one or (rows > cols):
        # Flows of whole costs.
        found = {"ortools flow": ortools_flow} if instance.whole else {}
        if dense and rows * cols <= most_for_pot:
            found["POT"] = pot
        if dense and instance.one_to_one:
            found |= {"scipy": scipy_dense, "laprust": laprust_dense, "lapx lapjv": lapx_dense, "lapx lapjvs": lapx_s}
        return found, []
    if not dense:
        found = {"scipy": scipy_sparse}
        if rows == cols:
            found["lapx lapmod"] = lapx_sparse
            if instance.whole:
                found["ortools"] = ortools_assignment
        return found, []
    found = {"scipy": scipy_dense, "laprust": laprust_dense, "lapx lapjv": lapx_dense, "lapx lapjvs": lapx_s}
    found["lapx lapjvr"] = lapx_r
    if rows == cols and instance.whole:
        found["ortools"] = ortools_assignment
    return found, ["lapjv"] if rows == cols else []


def spent(pid):
    """Seconds of processor time of another process. (A limit set in the process itself would make its clock go in steps.)"""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(prepare, instance, repeats, queue):
    try:
        best, total = float("inf"), None
        for _ in range(repeats):
            solve = prepare(instance)
            start = time.process_time()
            result = solve()
            seconds = time.process_time() - start
            best, total = min(best, seconds), float(result())
            if seconds > 1:
                break
        queue.put((best * 1e3, total))
    except Exception as error:  # a peer that fails is reported, not hidden
        queue.put((None, f"{type(error).__name__}: {error}"))


def run_peer(prepare, instance, repeats, limit):
    """In a process of its own, so that it can be ended."""
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    process = context.Process(target=measure, args=(prepare, instance, repeats, queue))
    process.start()
    while True:
        was_alive = process.is_alive()
        try:
            found = queue.get(timeout=0.5)
            break
        except queues.Empty:
            if not was_alive:
                found = None, "ended by a signal"
                break
            if spent(process.pid) > limit:
                process.kill()
                found = None, f"more than {limit} s"
                break
    process.join()
    return found


def run_crates(program, problem, repeats, method, limit):
    command = [program, *problem, str(repeats), method]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while True:
        try:
            output, errors = process.communicate(timeout=0.5)
            break
        except subprocess.TimeoutExpired:
            if spent(process.pid) > limit:
                process.kill()
                process.communicate()
                return None, f"more than {limit} s"
    if process.returncode != 0:
        return None, errors.strip()[:80]
    _, ms, total = output.split()
    return float(ms), float(total)


# The sections of the tables: a title, and which shapes stand in it.
def section(title, sparse):
    name, _, shape = title.rpartition(", ")
    rows, cols = (int(part) for part in shape.split(" x "))
    if any(name.endswith(f", {places}") for places in ("short", "tight", "slack", "mixed", "a few huge")):
        listed = ", sparse" if sparse else ""
        return f"{rows:,} jobs on {cols} resources with places{listed}"
    if sparse:
        return "Sparse, one to one"
    return "One to one" if rows == cols else "Rectangular"


def agrees(value, total):
    return value is not None and math.isclose(value, total, rel_tol=1e-6, abs_tol=1e-6)


def line_of(entry, own):
    """A row of the tables, and the ratio. A peer whose total is wrong is shown, and is not the best."""
    results, rivals = entry["own"], entry["peers"]
    ours, total = results[own[0]]
    cells = []
    for ms, value in (results[method] for method in own):
        wrong = ms is not None and ours is not None and not math.isclose(value, total, rel_tol=1e-9, abs_tol=1e-6)
        cells.append(str(value) if ms is None else f"{ms:.3g}" + (f" (total {value:g})" if wrong else ""))
    right = {peer: ms for peer, (ms, value) in rivals.items() if ms is not None and (ours is None or agrees(value, total))}
    best = min(((ms, peer) for peer, ms in right.items()), default=(None, ""))
    notes = [
        f"{peer}: {value}" if ms is None else f"{peer}: {ms:.3g} ms, wrong total {value:g}"
        for peer, (ms, value) in rivals.items()
        if peer not in right
    ]
    ratio = best[0] / ours if best[0] and ours else None
    peer = f"{best[0]:.3g} ({best[1]})" if best[0] else ""
    shown = f"{ratio:.2f}" if ratio else ""
    return f"| {entry['title']} | " + " | ".join(cells) + f" | {peer} | {shown} | {'; '.join(notes)[:120]} |", ratio


def summary(ratios):
    mean = math.exp(sum(math.log(ratio) for ratio, _ in ratios) / len(ratios))
    lost = sum(ratio < 1 for ratio, _ in ratios)
    return f"{len(ratios)} with a ratio: geometric mean {mean:.2f}, {lost} lost, the worst ratio {min(ratios)[0]:.2f} ({min(ratios)[1]})."


def tables(entries, own):
    """All of them in sections, each with its mean."""
    sections, ratios = {}, []
    for entry in entries:
        line, ratio = line_of(entry, own)
        found = sections.setdefault(section(entry["title"], entry["sparse"]), ([], []))
        found[0].append(line)
        if ratio:
            ratios.append((ratio, entry["title"]))
            found[1].append(ratios[-1])
    out = [f"{len(entries)} problems, {summary(ratios)}\n"] if ratios else []
    for title, (lines, of_section) in sections.items():
        out += [f"## {title}\n", f"{len(lines)} problems, {summary(of_section)}\n" if of_section else f"{len(lines)} problems.\n"]
        out.append("| problem | " + " | ".join(own) + f" | best peer | best peer / {own[0]} | peers that failed or differ |")
        out += ["|---|" + "---|" * (len(own) + 3), *lines, ""]
    return "\n".join(out)


def keep_least(times, name, found):
    """A later turn counts where it is quicker; what failed once has failed."""
    before = times.get(name)
    if before is None or found[0] is None or (before[0] is not None and found[0] < before[0]):
        times[name] = found


def run(program, options, number, title, known):
    """Times a problem: our methods and the peers in turn, so that what disturbs one of them disturbs all."""
    entry = {"title": title, "own": {}, "peers": {}, **known}
    if options.again:
        entry["own"] = {}
    with tempfile.NamedTemporaryFile(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as file:
        subprocess.run([program, "make", options.size, number, file.name], check=True)
        instance = Instance(file.name)
        entry["sparse"] = instance.sparse is not None
        found, crates = ({}, []) if entry["peers"] or options.no_peers else peers(instance, MOST_FOR_POT.get(options.size, 10**6))
        for _ in range(options.turns):
            for method in options.own.split(","):
                keep_least(entry["own"], method, run_crates(program, (options.size, number), options.repeats, method, options.limit))
            for peer in crates:
                keep_least(entry["peers"], peer, run_crates(program, (options.size, number), options.repeats, peer, options.limit))
            for peer, prepare in found.items():
                if entry["peers"].get(peer, (0, None))[0] is not None:
                    keep_least(entry["peers"], peer, run_peer(prepare, instance, options.repeats, options.limit))
    return entry


def chosen(numbers):
    """`3,10-20` as a test of numbers."""
    ranges = [(int(first), int(last or first)) for first, _, last in (part.partition("-") for part in numbers.split(","))]
    return lambda number: any(first <= number <= last for first, last in ranges)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", default="1000", help="jobs, about; `large` for a list of large problems")
    parser.add_argument("--limit", type=int, default=SECONDS, help="seconds of processor time a method may take")
    parser.add_argument("--only", default="", help="problems whose number, name and shape contain this")
    parser.add_argument("--numbers", default="", help="problems of these numbers: 3,10-20")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no further problem after so long")
    parser.add_argument("--own", default="automatic,auction", help="methods of auction-assign, the first is compared with the peers")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--turns", type=int, default=1, help="our methods and the peers take so many turns, and the least counts")
    parser.add_argument("--no-peers", action="store_true", help="peers only from the file kept")
    parser.add_argument("--built", action="store_true", help="the programs of crates.io are built: run them as they are")
    parser.add_argument("--keep", help="a file (JSON) of all times: what stands there is not run again, and joins the tables")
    parser.add_argument("--again", action="store_true", help="our own methods are run again")
    parser.add_argument("--output", help="write the tables (Markdown) to this file too")
    options = parser.parse_args()

    manifest = HERE / "crates" / "Cargo.toml"
    if not options.built:
        subprocess.run(["cargo", "build", "--release", "--quiet", "--manifest-path", manifest], check=True)
    # Once here, not in the process of each measurement.
    for package in ("scipy.optimize", "scipy.sparse.csgraph", "lap", "laprust", "ot", "ortools.graph.python"):
        try:
            importlib.import_module(package)
        except ImportError as error:
            print(f"left out: {error}", flush=True)
    program = str(HERE / "crates" / "target" / "release" / "assignment-peers")
    kept = {}
    if options.keep and os.path.exists(options.keep):
        kept = json.loads(pathlib.Path(options.keep).read_text())
    own = options.own.split(",")
    listed = subprocess.run([program, "zoo", options.size], capture_output=True, text=True, check=True).stdout
    wanted = chosen(options.numbers) if options.numbers else lambda _: True
    entries, start = [], time.monotonic()
    for line in listed.splitlines():
        number, name, rows, cols = line.split("\t")
        title = f"{name}, {rows} x {cols}"
        key = f"{options.size}|{title}"
        is_wanted = wanted(int(number)) and options.only in f"{number}|{title}" and time.monotonic() - start < options.seconds
        if is_wanted and (options.again or key not in kept):
            kept[key] = run(program, options, number, title, kept.get(key, {}))
            print(f"{number:>3} {line_of(kept[key], own)[0]}", flush=True)
            if options.keep:
                pathlib.Path(options.keep).write_text(json.dumps(kept, indent=0))
        if key in kept:
            entries.append(kept[key])
    text = tables(entries, own)
    print(text)
    if options.output:
        pathlib.Path(options.output).write_text(text + "\n")


if __name__ == "__main__":
    main()
