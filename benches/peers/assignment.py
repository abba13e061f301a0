#!/usr/bin/env python3
"""Times the assignment methods of auction-assign beside their peers, on the same instances, in one run, on one core.

    python3 -m venv venv && venv/bin/pip install numpy scipy lapx ortools POT
    venv/bin/python benches/peers/assignment.py [--quick] [--only GROUP] [--family NAME] [--output FILE]

Peers from PyPI run in this process, those of crates.io in the package `crates` beside this script, which is built first
(cargo). A peer whose package is missing is left out. A time is the best of some repeats; for peers it covers the solver
alone, not the building of its input; for auction-assign everything, the checks of the input included. Every total must agree.
"""

import argparse
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
LIMIT = 90.0  # seconds a peer may take


class Instance:
    """A dense matrix, or (offsets, columns, values) with the shape; capacities, all 1 unless told."""

    def __init__(self, costs=None, sparse=None, shape=None, capacities=None, every=True):
        self.costs = None if costs is None else np.ascontiguousarray(costs, dtype=np.float64)
        self.sparse = sparse
        self.shape = self.costs.shape if shape is None else shape
        self.one_to_one = capacities is None
        self.capacities = np.ones(self.shape[1], np.uint32) if capacities is None else capacities.astype(np.uint32)
        self.every = every

    def write(self, path):
        rows, cols = self.shape
        with open(path, "wb") as out:
            if self.sparse is None:
                out.write(struct.pack("<5Q", 0, rows, cols, rows * cols, self.every))
                self.costs.tofile(out)
            else:
                offsets, columns, values = self.sparse
                out.write(struct.pack("<5Q", 1, rows, cols, len(values), self.every))
                offsets.astype(np.uint64).tofile(out)
                columns.astype(np.uint32).tofile(out)
                values.astype(np.float64).tofile(out)
            self.capacities.tofile(out)

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
            np.repeat(np.arange(rows, dtype=np.int32), np.diff(offsets)),
            columns.astype(np.int32),
            values.astype(np.int64),
        )


def dense_families(n, rng):
    ranks = np.arange(1, n + 1)
    a, b = rng.uniform(0, 1e6, (n, 2)), rng.uniform(0, 1e6, (n, 2))
    distance = np.hypot(a[:, None, 0] - b[None, :, 0], a[:, None, 1] - b[None, :, 1])
    quotient = rng.uniform(1, 100, n)[:, None] / rng.uniform(1, 10, n)[None, :]
    yield "uniform 1..10^6", rng.integers(1, 10**6 + 1, (n, n))
    yield "uniform 1..100", rng.integers(1, 101, (n, n))
    yield "i*j", np.outer(ranks, ranks)
    yield "Euclidean", np.floor(distance)
    yield "length / speed", np.floor(1e6 * quotient)
    yield "geometric", np.floor(np.exp(rng.uniform(0, 14, (n, n))))
    yield "row + column + noise", (
        rng.integers(1, 10**6, n)[:, None] + rng.integers(1, 10**6, n)[None, :] + rng.integers(1, 1000, (n, n))
    )
    yield "all equal", np.full((n, n), 7)


def real_families(n, rng):
    a, b = rng.uniform(0, 1e6, (n, 2)), rng.uniform(0, 1e6, (n, 2))
    yield "uniform [0, 1)", rng.uniform(0, 1, (n, n))
    yield "tenths 0.1..10", rng.integers(1, 101, (n, n)) / 10
    yield "Euclidean", np.hypot(a[:, None, 0] - b[None, :, 0], a[:, None, 1] - b[None, :, 1])
    yield "length / speed", rng.uniform(1, 100, n)[:, None] / rng.uniform(1, 10, n)[None, :]
    yield "row + column + noise", (
        rng.uniform(0, 1e6, n)[:, None] + rng.uniform(0, 1e6, n)[None, :] + rng.uniform(0, 1e3, (n, n))
    )
    yield "1e-9..1e12", 10 ** rng.uniform(-9, 12, (n, n))


def rectangular_families(n, rng):
    m = n + n // 4
    a, b = rng.uniform(0, 1e6, (n, 2)), rng.uniform(0, 1e6, (m, 2))
    distance = np.hypot(a[:, None, 0] - b[None, :, 0], a[:, None, 1] - b[None, :, 1])
    yield "uniform 1..10^6", rng.integers(1, 10**6 + 1, (n, m))
    yield "uniform 1..100", rng.integers(1, 101, (n, m))
    yield "Euclidean", np.floor(distance)


def sparse_instance(rows, cols, each, most, rng):
    """`each` random admissible columns a row and, where square, the diagonal, so that there is an assignment."""
    rows_of, cols_of = [np.repeat(np.arange(rows), each)], [rng.integers(0, cols, rows * each)]
    if rows == cols:
        rows_of.append(np.arange(rows))
        cols_of.append(rng.permutation(cols))
    keys = np.unique(np.concatenate(rows_of) * cols + np.concatenate(cols_of))
    offsets = np.searchsorted(keys, np.arange(rows + 1) * cols)
    return offsets, (keys % cols), rng.integers(1, most + 1, len(keys)).astype(np.float64)


def capacity_families(n, m, rng):
    uniform = rng.integers(1, 10**6 + 1, (n, m))
    times = np.floor(
        1e4 * (rng.uniform(1, 100, n)[:, None] / rng.uniform(1, 5, m)[None, :] + 20 * rng.uniform(0, 1, (n, m)))
    )
    for costs_name, costs in (("uniform 1..10^6", uniform), ("length / speed + transfer", times)):
        for name, share in (("short", 0.8), ("slack", 2.0), ("tight", 1.0)):
            capacities = np.full(m, int(n / m * share))
            if name == "tight":
                capacities[0] += n - capacities.sum()
            yield f"{costs_name}, {name}", Instance(costs, capacities=capacities, every=name != "short")


def groups(quick):
    for n in (500, 1000) if quick else (500, 1000, 2000):
        rng = np.random.default_rng(n)
        yield "dense", f"{n} x {n}", [(name, Instance(costs)) for name, costs in dense_families(n, rng)]
    for n in (1000,) if quick else (1000, 2000):
        rng = np.random.default_rng(n)
        yield "real", f"{n} x {n}", [(name, Instance(costs)) for name, costs in real_families(n, rng)]
    for n in (1000,) if quick else (1000, 2000):
        rng = np.random.default_rng(n)
        cases = [(name, Instance(costs)) for name, costs in rectangular_families(n, rng)]
        yield "rectangular", f"{n} x {n + n // 4}", cases
    for n in (500, 1000, 2000) if quick else (500, 1000, 2000, 10_000):
        rng = np.random.default_rng(n)
        cases = []
        for percent in (1, 5) if n <= 2000 else (0.1,):
            for most in (10**6, 100):
                each = max(1, int(n * percent / 100))
                sparse = sparse_instance(n, n, each, most, rng)
                cases.append((f"{percent}% dense, 1..{most}", Instance(sparse=sparse, shape=(n, n))))
        yield "sparse", f"{n} x {n}", cases
    sizes = [(10_000, 20)] if quick else [(10_000, 20), (100_000, 50)]
    for n, m in sizes:
        rng = np.random.default_rng(n)
        yield "capacities", f"{n} x {m}", list(capacity_families(n, m, rng))
    if not quick:
        rng = np.random.default_rng(6)
        n, m = 100_000, 5_000
        cases = []
        for name, places in (("short", 16), ("slack", 40), ("tight", 20)):
            sparse = sparse_instance(n, m, 50, 10**6, rng)
            # Only the short one is sure to leave jobs out; the others may too, by a violator.
            cases.append((name, Instance(sparse=sparse, shape=(n, m), capacities=np.full(m, places), every=name != "short")))
        yield "sparse capacities", f"{n} x {m}, 50 each", cases
        rng = np.random.default_rng(7)
        yield "huge", "1000000 x 100", [
            (name, instance) for name, instance in capacity_families(1_000_000, 100, rng) if name.startswith("uniform")
        ]


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


def peers(group, instance):
    n = instance.shape[0]
    if group == "dense":
        found = {"scipy": scipy_dense, "lapx lapjv": lapx_dense, "lapx lapjvs": lapx_s, "ortools": ortools_assignment}
        if n <= 1000:
            found["POT"] = pot
        return found, ["lapjv"] + (["pathfinding"] if n <= 1000 else []) + (["rs-graph"] if n <= 500 else [])
    if group == "real":
        # ortools takes whole costs only.
        return {"scipy": scipy_dense, "lapx lapjv": lapx_dense, "lapx lapjvs": lapx_s}, ["lapjv"]
    if group == "rectangular":
        return {"scipy": scipy_dense, "lapx lapjv": lapx_dense, "lapx lapjvs": lapx_s}, ["pathfinding"] if n <= 1000 else []
    if group == "sparse":
        return {"scipy": scipy_sparse, "lapx lapmod": lapx_sparse, "ortools": ortools_assignment}, ["rs-graph"] if n <= 1000 else []
    if group == "huge":
        return {}, []
    if group == "sparse capacities":
        return {"ortools": ortools_flow}, []
    return {"ortools": ortools_flow, "POT": pot}, ["rs-graph"] if n <= 10_000 else []


def measure(prepare, instance, repeats, queue):
    try:
        best, total = float("inf"), None
        for _ in range(repeats):
            solve = prepare(instance)
            start = time.perf_counter()
            result = solve()
            seconds = time.perf_counter() - start
            best, total = min(best, seconds), float(result())
            if seconds > 2:
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


def run_crates(program, path, repeats, methods):
    done = subprocess.run([program, path, str(repeats), *methods], capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    return {line.rsplit(" ", 2)[0]: tuple(map(float, line.rsplit(" ", 2)[1:])) for line in done.stdout.splitlines()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="the smaller sizes only")
    parser.add_argument("--only", help="dense, real, rectangular, sparse, capacities, sparse capacities, huge")
    parser.add_argument("--family", help="only families whose name contains this")
    parser.add_argument("--output", help="write the tables (Markdown) to this file too")
    options = parser.parse_args()

    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    manifest = HERE / "crates" / "Cargo.toml"
    subprocess.run(["cargo", "build", "--release", "--quiet", "--manifest-path", manifest], check=True)
    program = str(HERE / "crates" / "target" / "release" / "assignment-peers")

    lines = []

    def say(line):
        print(line, flush=True)
        lines.append(line)

    for group, title, cases in groups(options.quick):
        if options.only and options.only != group:
            continue
        say(f"\n{group}, {title} (ms)\n")
        header = None
        for name, instance in cases:
            if options.family and options.family not in name:
                continue
            found, crates = peers(group, instance)
            own = ["automatic"] if group in ("huge", "sparse capacities") else ["automatic", "auction"]
            repeats = 7 if instance.shape[0] <= 1000 else 3
            with tempfile.NamedTemporaryFile(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as file:
                instance.write(file.name)
                results = run_crates(program, file.name, repeats, own + ["pass"] + crates)
            for peer, prepare in found.items():
                results[peer] = run_peer(prepare, instance, repeats)
            if header is None:
                header = list(results)
                say("| family | " + " | ".join(header) + " | best peer / chosen |")
                say("|---|" + "---|" * (len(header) + 1))
            ours, total = results["automatic"]
            rivals = [results[key][0] for key in found if results[key][0]] + [results[key][0] for key in crates]
            cells = []
            for key in header:
                ms, value = results[key]
                if ms is None:
                    cells.append(str(value)[:40])
                    continue
                wrong = key != "pass" and not np.isclose(value, total, rtol=1e-9, atol=1e-6)
                cells.append(f"{ms:.2f}" + (f" (total {value:g}, ours {total:g})" if wrong else ""))
            ratio = f"{min(rivals) / ours:.1f}" if rivals else ""
            say(f"| {name} | " + " | ".join(cells) + f" | {ratio} |")
    if options.output:
        pathlib.Path(options.output).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
