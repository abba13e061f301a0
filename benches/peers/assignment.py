#!/usr/bin/env python3
"""Times the assignment methods of auction-assign beside their peers on the zoo of workload-gen, one core, one run.

    python3 -m venv venv && venv/bin/pip install numpy scipy lapx laprust ortools POT
    venv/bin/python benches/peers/assignment.py [--size N] [--only TEXT] [--own METHODS] [--keep FILE] [--output FILE]

Peers from PyPI run in processes of their own, those of crates.io in the package `crates` beside this script, which is built
first (cargo). A peer whose package is missing is left out. A time is processor time, the best of some repeats; for peers it
covers the solver alone, not the building of its input; for auction-assign everything, the checks of the input included. Every
total must agree. With --keep the times of peers are read from that file where they stand there, and written to it.
"""

import argparse
import importlib
import json
import math
import multiprocessing
import os
import pathlib
import struct
import subprocess
import tempfile
import time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
LIMIT = 60.0  # seconds a method may take


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


def peers(instance):
    """The peers from PyPI that take the instance, and those of crates.io."""
    (rows, cols), dense = instance.shape, instance.sparse is None
    if not instance.one_to_one or (rows > cols):
        # Flows of whole costs.
        found = {"ortools flow": ortools_flow} if instance.whole else {}
        if dense and rows * cols <= 10**6:
            found["POT"] = pot
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


def run_peer(prepare, instance, repeats):
    """In a process of its own, so that it can be ended."""
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    process = context.Process(target=measure, args=(prepare, instance, repeats, queue))
    process.start()
    try:
        return queue.get(timeout=LIMIT)
    except Exception:
        return None, f"more than {LIMIT:.0f} s"
    finally:
        process.terminate()
        process.join()


def run_crates(program, path, repeats, method):
    try:
        done = subprocess.run([program, path, str(repeats), method], capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return None, f"more than {LIMIT:.0f} s"
    if done.returncode != 0:
        return None, done.stderr.strip()[:80]
    _, ms, total = done.stdout.split()
    return float(ms), float(total)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=1000, help="jobs, about")
    parser.add_argument("--only", default="", help="instances whose number, name and shape contain this")
    parser.add_argument("--own", default="automatic,auction", help="methods of auction-assign, the first is held against the peers")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--no-peers", action="store_true", help="peers only from the file kept")
    parser.add_argument("--built", action="store_true", help="the programs of crates.io are built: run them as they are")
    parser.add_argument("--keep", help="a file of the peers' times (JSON)")
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
    listed = subprocess.run([program, "zoo", str(options.size)], capture_output=True, text=True, check=True).stdout
    lines, ratios = [], []
    for line in listed.splitlines():
        number, name, rows, cols = line.split("\t")
        title = f"{name}, {rows} x {cols}"
        if options.only not in f"{number}|{title}":
            continue
        with tempfile.NamedTemporaryFile(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as file:
            subprocess.run([program, "make", str(options.size), number, file.name], check=True)
            results = {method: run_crates(program, file.name, options.repeats, method) for method in own}
            key = f"{options.size}|{title}"
            if key not in kept and not options.no_peers:
                instance = Instance(file.name)
                found, crates = peers(instance)
                times = {peer: run_crates(program, file.name, options.repeats, peer) for peer in crates}
                for peer, prepare in found.items():
                    times[peer] = run_peer(prepare, instance, options.repeats)
                kept[key] = times
                if options.keep:
                    pathlib.Path(options.keep).write_text(json.dumps(kept, indent=0))
        ours, total = results[own[0]]
        rivals = {peer: value for peer, value in kept.get(key, {}).items()}
        best = min(((ms, peer) for peer, (ms, _) in rivals.items() if ms is not None), default=(None, ""))
        cells = []
        for ms, value in results.values():
            wrong = ms is not None and total is not None and not math.isclose(value, total, rel_tol=1e-9, abs_tol=1e-6)
            cells.append(str(value) if ms is None else f"{ms:.2f}" + (f" (total {value:g})" if wrong else ""))
        wrong = [
            f"{peer}: {value if ms is None else format(value, 'g')}"
            for peer, (ms, value) in rivals.items()
            if ms is None or (ours is not None and not math.isclose(value, total, rel_tol=1e-6, abs_tol=1e-6))
        ]
        ratio = best[0] / ours if best[0] and ours else None
        if ratio:
            ratios.append((ratio, title))
        peer = f"{best[0]:.2f} ({best[1]})" if best[0] else ""
        shown = f"{ratio:.2f}" if ratio else ""
        line = f"| {title} | " + " | ".join(cells) + f" | {peer} | {shown} | {'; '.join(wrong)[:120]} |"
        print(f"{number:>3} {line}", flush=True)
        lines.append(line)
    head = []
    if ratios:
        mean = math.exp(sum(math.log(ratio) for ratio, _ in ratios) / len(ratios))
        lost = sum(ratio < 1 for ratio, _ in ratios)
        head.append(
            f"{len(ratios)} instances of some {options.size} jobs: `{own[0]}` is {mean:.2f} times as fast as the best peer in the geometric"
            f" mean; {lost} are lost, the worst by {min(ratios)[0]:.2f} ({min(ratios)[1]}).\n"
        )
        print(head[0])
    head.append("| instance (ms) | " + " | ".join(own) + " | best peer | best peer / " + own[0] + " | peers that failed or differ |")
    head.append("|---|" + "---|" * (len(own) + 3))
    if options.output:
        pathlib.Path(options.output).write_text("\n".join(head + lines) + "\n")


if __name__ == "__main__":
    main()
