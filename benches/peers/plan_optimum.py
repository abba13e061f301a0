#!/usr/bin/env python3
"""Plans of whole batches beside the joint optimum: `econsched plan` at each effort, and one model of everything in CP-SAT.

    cargo build --release
    python3 -m venv /tmp/peers && /tmp/peers/bin/pip install ortools
    /tmp/peers/bin/python benches/peers/plan_optimum.py target/release/econsched [--sizes small,middle] [--count 10] [--seconds 20]

Spans are whole numbers and charges tenths, so that CP-SAT's whole numbers are exact. The limit of the batch is what the
plan of the cycle by `amp` uses of it, so that every method works under the limit that the cycle has set. CP-SAT has one
worker, as the program has: first the most jobs, then the goal. "left" is the distance of a plan from the optimum (from
the greatest of all bounds, where CP-SAT ended without proof), "proven" what the plan says of itself. Every scenario drawn
counts.
"""

import argparse
import json
import random
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

SIZES = {"small": ((8, 20), (3, 8)), "middle": ((40, 40), (16, 16)), "large": ((100, 100), (40, 40))}
SPEEDS = [1.0, 1.5, 2.0, 2.5, 3.0]
HORIZON = 600


def scenario(seed, nodes, jobs):
    draw = random.Random(seed)
    machines = []
    for node in range(draw.randint(*nodes)):
        speed = draw.choice(SPEEDS)
        price = max(1, round(10 * 1.7**speed * draw.uniform(0.75, 1.25))) / 10
        machines.append({"id": node, "speed": speed, "price": price})
    occupied = []
    for machine in machines:
        at = draw.randint(0, 100)
        while at < HORIZON - 40:
            end = at + draw.randint(20, 80)
            occupied.append({"node": machine["id"], "start": at, "end": min(end, HORIZON)})
            at = end + draw.randint(50, 300)
    wanted = []
    for job in range(draw.randint(*jobs)):
        request = {"nodes": draw.randint(1, 5), "work": 30 * draw.randint(2, 5), "price_limit": draw.randint(14, 40) / 10}
        wanted.append({"id": job, "request": request})
    return {"nodes": machines, "occupied": occupied, "from": 0, "horizon": HORIZON, "jobs": wanted}


def slots(case):
    """Free intervals: (node, speed, price in tenths, start, end)."""
    free = []
    for machine in case["nodes"]:
        at = 0
        taken = sorted((o["start"], o["end"]) for o in case["occupied"] if o["node"] == machine["id"])
        for start, end in taken + [(HORIZON, HORIZON)]:
            if at < start:
                free.append((machine["id"], machine["speed"], round(10 * machine["price"]), at, start))
            at = max(at, end)
    return free


def ours(program, path, goal, effort, limit):
    command = [program, "plan", str(path), "--criterion", goal, "--effort", effort, "--json"]
    if limit is not None:
        command += ["--limit", str(limit)]
    start = time.perf_counter()
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - start
    if run.returncode not in (0, 1):
        raise SystemExit(run.stderr)
    plan = json.loads(run.stdout)
    placed = sum(1 for job in plan["jobs"] if "placed" in (job["fate"] or {}))
    gap = (plan.get("distance") or {}).get("gap")
    sums = {"min-time": plan["total_runtime"], "min-cost": plan["total_cost"]}
    uses = {"min-time": plan["total_cost"], "min-cost": plan["total_runtime"]}
    return {"placed": placed, "value": sums[goal], "uses": uses[goal], "gap": gap, "seconds": seconds}


def cp_sat(case, goal, limit, seconds):
    """The joint optimum: (jobs placed, value, bound, seconds, proven)."""
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    on_node, placed, runtimes, costs = {}, [], [], []
    for job in case["jobs"]:
        request = job["request"]
        here = model.new_bool_var("")
        start = model.new_int_var(0, HORIZON, "")
        runtime = model.new_int_var(0, HORIZON, "")
        used, cost = [], []
        for node, speed, price, begin, end in slots(case):
            span = round(request["work"] / speed)
            if begin + span > end:
                continue
            taken = model.new_bool_var("")
            interval = model.new_optional_fixed_size_interval_var(start, span, taken, "")
            on_node.setdefault(node, []).append(interval)
            model.add(start >= begin).only_enforce_if(taken)
            model.add(start + span <= end).only_enforce_if(taken)
            model.add(runtime >= span).only_enforce_if(taken)
            used.append(taken)
            cost.append((price * span, taken))
        model.add(sum(used) == request["nodes"] * here)
        budget = round(10 * request["price_limit"] * request["work"] * request["nodes"])
        model.add(sum(c * t for c, t in cost) <= budget)
        placed.append(here)
        runtimes.append(runtime)
        costs += cost
    for intervals in on_node.values():
        model.add_no_overlap(intervals)
    total_cost, total_runtime = sum(c * t for c, t in costs), sum(runtimes)
    objective, limited = (total_runtime, total_cost) if goal == "min-time" else (total_cost, total_runtime)
    # Costs are tenths; a limit with a fraction of a tenth rounds down.
    model.add(limited <= int(limit * (10 if goal == "min-time" else 1) + 1e-6))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.max_time_in_seconds = seconds
    begin = time.perf_counter()
    model.maximize(sum(placed))
    first = solver.solve(model)
    if first not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return None
    most, proven = round(solver.objective_value), first == cp_model.OPTIMAL
    model.add(sum(placed) == most)
    model.clear_objective()
    model.minimize(objective)
    solver.parameters.max_time_in_seconds = max(1.0, seconds - (time.perf_counter() - begin))
    second = solver.solve(model)
    elapsed = time.perf_counter() - begin
    if second not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return {"placed": most, "value": None, "bound": None, "seconds": elapsed, "proven": False}
    scale = 1 if goal == "min-time" else 10
    value, bound = solver.objective_value / scale, solver.best_objective_bound / scale
    proven = proven and second == cp_model.OPTIMAL
    return {"placed": most, "value": value, "bound": bound, "seconds": elapsed, "proven": proven}


def percent(values):
    values = sorted(v for v in values if v is not None)
    if not values:
        return "- / - / -"
    high = values[min(len(values) - 1, int(0.9 * len(values)))]
    return f"{statistics.mean(values):.2f} / {high:.2f} / {values[-1]:.2f}"


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program")
    arguments.add_argument("--sizes", default="small,middle")
    arguments.add_argument("--count", type=int, default=10)
    arguments.add_argument("--seconds", type=float, default=20.0)
    arguments.add_argument("--rows", action="store_true", help="one line for each scenario")
    given = arguments.parse_args()
    print("| size | goal | method | jobs lost | left, mean / p90 / worst % | proven, mean / p90 / worst % | median s |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for size in given.sizes.split(","):
            nodes, jobs = SIZES[size]
            for goal in ["min-time", "min-cost"]:
                table = {method: [] for method in ["quick", "normal", "hard", "CP-SAT"]}
                unproven = 0
                for seed in range(given.count):
                    case = scenario(seed, nodes, jobs)
                    path = Path(folder) / "case.json"
                    path.write_text(json.dumps(case))
                    limit = ours(given.program, path, goal, "quick", None)["uses"]
                    plans = {e: ours(given.program, path, goal, e, limit) for e in ["quick", "normal", "hard"]}
                    best = cp_sat(case, goal, limit, given.seconds)
                    if best is None or best["value"] is None:
                        unproven += 1
                        reference = None
                    else:
                        unproven += not best["proven"]
                        bounds = [p["value"] / (1 + p["gap"]) for p in plans.values() if p["gap"] is not None and p["placed"] == best["placed"]]
                        reference = best["value"] if best["proven"] else max([best["bound"], *bounds])
                        left = 100 * (best["value"] - reference) / reference if reference else 0.0
                        table["CP-SAT"].append((0, left, left, best["seconds"]))
                    for effort, plan in plans.items():
                        lost = max(0, best["placed"] - plan["placed"]) if best else 0
                        same = best and plan["placed"] == best["placed"] and reference
                        left = 100 * (plan["value"] - reference) / reference if same else None
                        proven = 100 * plan["gap"] if plan["gap"] is not None else None
                        table[effort].append((lost, left, proven, plan["seconds"]))
                    if given.rows:
                        print(seed, goal, best, plans, flush=True)
                for method, rows in table.items():
                    note = f" ({unproven} without proof)" if method == "CP-SAT" and unproven else ""
                    lost = sum(row[0] for row in rows)
                    seconds = statistics.median(row[3] for row in rows) if rows else float("nan")
                    left, proven = percent([r[1] for r in rows]), percent([r[2] for r in rows])
                    print(f"| {size} | {goal} | {method}{note} | {lost} | {left} | {proven} | {seconds:.2f} |", flush=True)


if __name__ == "__main__":
    main()
