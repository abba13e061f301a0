#!/usr/bin/env python3
"""One alternative per job: the same instances solved by HiGHS and by OR-tools CP-SAT.

    BATCH_CHOICE_EXPORT=target/batch_choice.json cargo bench -p econsched-benches --bench batch_choice
    python3 -m venv target/peers && target/peers/bin/pip install highspy ortools
    target/peers/bin/python benches/peers/batch_choice.py target/batch_choice.json [most-per-size] [seconds-per-solve]

Values are multiples of 2^-16, which CP-SAT gets as whole numbers: where it proves an optimum, it must equal ours to the
bit. HiGHS works on doubles with a feasibility tolerance; its choice is added up again here. Times are those of the solve
alone, one thread, without building the model.
"""

import json
import statistics
import subprocess
import sys
import time
from collections import defaultdict

SCALE = 65536


def highs(instance, seconds):
    import highspy
    import numpy as np

    rows, limit = instance["rows"], instance["limit"]
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    solver.setOptionValue("mip_rel_gap", 0.0)
    solver.setOptionValue("mip_abs_gap", 0.0)
    solver.setOptionValue("mip_feasibility_tolerance", 1e-9)
    solver.setOptionValue("time_limit", float(seconds))
    model = highspy.HighsLp()
    flat = [pair for row in rows for pair in row]
    columns, jobs = len(flat), len(rows)
    model.num_col_, model.num_row_ = columns, jobs + 1
    model.col_cost_ = np.array([p for p, _ in flat])
    model.col_lower_, model.col_upper_ = np.zeros(columns), np.ones(columns)
    model.row_lower_ = np.array([1.0] * jobs + [-highspy.kHighsInf])
    model.row_upper_ = np.array([1.0] * jobs + [limit])
    model.integrality_ = [highspy.HighsVarType.kInteger] * columns
    owner = [job for job, row in enumerate(rows) for _ in row]
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_ = np.arange(0, 2 * columns + 1, 2, dtype=np.int32)
    model.a_matrix_.index_ = np.array([i for job in owner for i in (job, jobs)], dtype=np.int32)
    model.a_matrix_.value_ = np.array([v for _, w in flat for v in (1.0, w)])
    solver.passModel(model)
    start = time.perf_counter()
    solver.run()
    elapsed = time.perf_counter() - start
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return elapsed, None
    taken = [at for at, value in enumerate(solver.getSolution().col_value) if value > 0.5]
    fits = sum(flat[at][1] for at in taken) <= limit
    return elapsed, sum(flat[at][0] for at in taken) if fits and len(taken) == jobs else None


def cp_sat(instance, seconds):
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    objective, weight = [], []
    for row in instance["rows"]:
        choice = [model.new_bool_var("") for _ in row]
        model.add_exactly_one(choice)
        objective += [(variable, round(p * SCALE)) for variable, (p, _) in zip(choice, row)]
        weight += [(variable, round(w * SCALE)) for variable, (_, w) in zip(choice, row)]
    limit = round(instance["limit"] * SCALE)
    model.add(cp_model.LinearExpr.weighted_sum(*zip(*weight)) <= limit)
    model.minimize(cp_model.LinearExpr.weighted_sum(*zip(*objective)))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.max_time_in_seconds = seconds
    start = time.perf_counter()
    status = solver.solve(model)
    elapsed = time.perf_counter() - start
    return elapsed, solver.objective_value / SCALE if status == cp_model.OPTIMAL else None


SOLVERS = {"HiGHS": highs, "CP-SAT": cp_sat}


def run(name, path, most, seconds):
    """One solver over all instances: a line for each family and size. Says how often it found something better."""
    by_size = defaultdict(list)
    with open(path) as file:
        for instance in json.load(file):
            by_size[instance["family"], instance["jobs"], instance["alternatives"]].append(instance)
    wrong = 0
    for (family, jobs, alternatives), group in by_size.items():
        group = group[:most]
        ours = statistics.median(instance["ours_us"] for instance in group)
        times, proven, better, worse = [], 0, 0, 0
        for instance in group:
            elapsed, value = SOLVERS[name](instance, seconds)
            times.append(elapsed * 1e6)
            if value is None:
                continue
            proven += 1
            better += value < instance["ours"]
            worse += value > instance["ours"]
        wrong += better
        median = statistics.median(times)
        print(
            f"| {family} | {jobs}x{alternatives} | {len(group)} | {ours:.1f} | {name} | {median:.0f} "
            f"| {median / ours:.0f} | {proven} | {better} | {worse} |",
            flush=True,
        )
    return wrong


def main():
    path = sys.argv[1]
    most = int(sys.argv[2]) if len(sys.argv) > 2 else 30
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 10.0
    if len(sys.argv) > 4:
        sys.exit(1 if run(sys.argv[4], path, most, seconds) else 0)
    print("| family | size | instances | ours, us | solver | solver, us | ratio | proven | better than ours | worse |")
    print("|---|---|---|---|---|---|---|---|---|---|", flush=True)
    # Both packages carry their own HiGHS, and the two do not load into one process.
    codes = [subprocess.call([sys.executable, __file__, path, str(most), str(seconds), name]) for name in SOLVERS]
    sys.exit(max(codes))


if __name__ == "__main__":
    main()
