#!/usr/bin/env python3
"""Plans of whole batches beside the joint optimum: the joint planner and the cycle, and one model of everything in CP-SAT.

    cargo build --release -p econsched-cli
    python3 -m venv target/peers && target/peers/bin/pip install ortools
    target/peers/bin/python benches/peers/plan_optimum.py target/release/econsched [--sizes small,middle,large,huge]
        [--count 10] [--seconds 20] [--same-time] [--keep FOLDER]

Spans are whole numbers and charges tenths, so that CP-SAT's whole numbers are exact. The limit of the batch is what the
plan of the cycle by `amp` uses of it, so that every method works under the limit that the cycle has set. CP-SAT has one
worker, as the planner has: first the most jobs, then the goal; `--same-time` gives it the time of the joint planner as well.
"left" is the distance of a plan from the optimum (from the greatest of all bounds,
where CP-SAT ended without proof), "proven" what the plan says of itself. Every scenario drawn counts. Results of CP-SAT
are kept in the folder of `--keep`, so that a second run need not solve again. Seconds are those of the processor, for the
whole program, so that what else runs on the machine does not count; limits of CP-SAT are by the clock.
"""

import argparse
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SIZES = {
    "small": ((8, 20), (3, 8)),
    "middle": ((40, 40), (16, 16)),
    "upper": ((60, 60), (24, 24)),
    "large": ((100, 100), (40, 40)),
    "huge": ((1000, 1000), (200, 200)),
}
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


def planned(program, path, goal, *flags):
    """The plan that the program makes of a case, with the amount of the limited quantity that it uses."""
    begin = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [program, "plan", str(path), "--criterion", goal, "--json", *flags]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    if run.returncode not in (0, 1):
        sys.exit(run.stderr)
    found = json.loads(run.stdout)
    if found["violations"]:
        sys.exit(f"{path}: the checker objects")
    sums, distance = [found["total_runtime"], found["total_cost"]], found["distance"]
    value, limit = sums if goal == "min-time" else reversed(sums)
    seconds = end.ru_utime + end.ru_stime - begin.ru_utime - begin.ru_stime
    return {"placed": distance["placed"], "value": value, "bound": distance["bound"], "limit": limit, "seconds": seconds}


def cp_sat(case, goal, limit, seconds):
    """The joint optimum: (jobs placed, value, bound, seconds, proven)."""
    from ortools.sat.python import cp_model

    begin, clock = time.process_time(), time.perf_counter()
    model = cp_model.CpModel()
    on_node, placed, runtimes, costs = {}, [], [], []
    for job in case["jobs"]:
        request = job["request"]
        here = model.new_bool_var("")
        start = model.new_int_var(0, HORIZON, "")
        runtime = model.new_int_var(0, HORIZON, "")
        used, cost = [], []
        for node, speed, price, free, end in slots(case):
            span = round(request["work"] / speed)
            if free + span > end:
                continue
            taken = model.new_bool_var("")
            interval = model.new_optional_fixed_size_interval_var(start, span, taken, "")
            on_node.setdefault(node, []).append(interval)
            model.add(start >= free).only_enforce_if(taken)
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
    solver.parameters.max_time_in_seconds = max(0.01, seconds - (time.perf_counter() - clock))
    model.maximize(sum(placed))
    first = solver.solve(model)
    elapsed = time.process_time() - begin
    if first not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return {"placed": 0, "value": None, "bound": None, "seconds": elapsed, "proven": False}
    most, proven = round(solver.objective_value), first == cp_model.OPTIMAL
    scale = 1 if goal == "min-time" else 10
    found = solver.value(objective)
    # The second search begins with the plan of the first.
    model.clear_hints()
    for index in range(len(model.proto.variables)):
        model.add_hint(model.get_int_var_from_proto_index(index), solver.response_proto.solution[index])
    model.add(sum(placed) >= most)
    model.clear_objective()
    model.minimize(objective)
    solver.parameters.max_time_in_seconds = max(0.01, seconds - (time.perf_counter() - clock))
    second = solver.solve(model)
    elapsed = time.process_time() - begin
    if second not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return {"placed": most, "value": found / scale, "bound": None, "seconds": elapsed, "proven": False}
    value, bound = solver.objective_value / scale, solver.best_objective_bound / scale
    proven = proven and second == cp_model.OPTIMAL
    return {"placed": most, "value": value, "bound": bound, "seconds": elapsed, "proven": proven}


def percent(values):
    values = sorted(v for v in values if v is not None)
    if not values:
        return "-"
    high = values[min(len(values) - 1, int(0.9 * len(values)))]
    return f"{statistics.mean(values):.2f} / {high:.2f} / {values[-1]:.2f}"


def kept(path, solve):
    """The result in this file, or else the one of `solve`, which goes there."""
    if not path.exists():
        path.write_text(json.dumps(solve()))
    return json.loads(path.read_text())


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program")
    arguments.add_argument("--sizes", default="small,middle")
    arguments.add_argument("--goals", default="min-time,min-cost")
    arguments.add_argument("--count", type=int, default=10)
    arguments.add_argument("--first", type=int, default=0, help="number of the first scenario")
    arguments.add_argument("--seconds", type=float, default=20.0, help="for CP-SAT; 0 leaves it out")
    arguments.add_argument("--same-time", action="store_true", help="CP-SAT in the time of the joint planner as well")
    arguments.add_argument("--keep", help="folder for cases and results of CP-SAT")
    arguments.add_argument("--rows", action="store_true", help="one line for each plan")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(given.keep or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        head = "| size | goal | method | jobs lost | left, mean / p90 / worst % | proven, mean / p90 / worst % | seconds, median / worst |"
        print(f"{head}\n|---|---|---|---|---|---|---|")
        for size in given.sizes.split(","):
            for goal in given.goals.split(","):
                compare(given, folder, size, goal)


def compare(given, folder, size, goal):
    rows, unproven, ahead = {}, 0, 0
    for seed in range(given.first, given.first + given.count):
        case = scenario(seed, *SIZES[size])
        path = folder / f"{size}-{seed}.json"
        path.write_text(json.dumps(case))
        cycle = planned(given.program, path, goal, "--method", "cycle")
        limit = cycle["limit"]
        joint = planned(given.program, path, goal, "--limit", repr(limit))
        # What a cycle proves is no part of the published scheme.
        plans = [{"method": "cycle", **cycle, "bound": None}, {"method": "joint", **joint}]
        peers = {}
        if given.seconds > 0:
            name = f"{size}-{seed}-{goal}-{given.seconds:g}.json"
            peers["CP-SAT"] = kept(folder / name, lambda: cp_sat(case, goal, limit, given.seconds))
            unproven += not peers["CP-SAT"]["proven"]
        if given.same_time:
            peers["CP-SAT, same time"] = cp_sat(case, goal, limit, plans[-1]["seconds"])
        plans += [{"method": name, **peer} for name, peer in peers.items()]
        most = max(plan["placed"] for plan in plans)
        best = peers.get("CP-SAT")
        bounds = [p["bound"] for p in plans if p.get("bound") is not None and p["placed"] == most]
        proven = best is not None and best["proven"]
        reference = best["value"] if proven else max(bounds, default=None)
        for plan in plans:
            value, bound = plan["value"], plan.get("bound")
            same = plan["placed"] == most and reference and value is not None
            left = 100 * (value - reference) / reference if same else None
            gap = 100 * max(0.0, value - bound) / bound if value is not None and bound else None
            rows.setdefault(plan["method"], []).append((most - plan["placed"], left, gap, plan["seconds"]))
            if given.rows:
                print(size, seed, goal, json.dumps(plan), left, gap, flush=True)
    for method, of_method in rows.items():
        note = f" ({unproven} of {given.count} without proof)" if method == "CP-SAT" and unproven else ""
        lost = sum(row[0] for row in of_method)
        left, gap = percent([row[1] for row in of_method]), percent([row[2] for row in of_method])
        seconds = [row[3] for row in of_method]
        times = f"{statistics.median(seconds):.3f} / {max(seconds):.3f}"
        print(f"| {size} | {goal} | {method}{note} | {lost} | {left} | {gap} | {times} |", flush=True)


if __name__ == "__main__":
    main()
