#!/usr/bin/env python3
"""Brokers over clusters beside the optimum of small instances, by CP-SAT (PyPI `ortools`).

    python3 -m venv venv && venv/bin/pip install ortools
    venv/bin/python benches/peers/broker_optimum.py path/to/econsched [--count 40] [--seconds 20]

An instance has two or three clusters and 4 to 8 rigid jobs, each of which runs on one cluster. Times and prices are whole
numbers, so that the solver is exact. A broker decides at the end of each interval; the optimum knows all jobs beforehand,
but starts none before the end of its interval, so that it is what a broker could have reached at best. Columns, in per
cent, mean over the instances and worst:

* makespan: above the least makespan;
* cost: above the least cost, every job where it is cheapest, however late;
* at its makespan: above the least cost of all schedules that end no later than the broker's own;
* bound: by how much the lower bound that `simulate` prints is below the least makespan.

Instances that the solver does not close in its time are left out and counted.
"""

import argparse
import json
import math
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from ortools.sat.python import cp_model

INTERVAL = 10


def instance(seed):
    draw = random.Random(seed)
    clusters = [
        {"cpus": draw.randint(2, 6), "speed": draw.choice([1, 2, 4]), "price": draw.randint(1, 9)}
        for _ in range(draw.randint(2, 3))
    ]
    cpus = sum(cluster["cpus"] for cluster in clusters)
    widest = max(cluster["cpus"] for cluster in clusters)
    # The program takes the requested time on a CPU of mean speed: with these multiples every time is a whole number.
    work = sum(cluster["cpus"] * cluster["speed"] for cluster in clusters)
    jobs = []
    for _ in range(draw.randint(4, 8)):
        volume = 4 * draw.randint(1, 6)
        submit = 10 * draw.randint(0, 4) + draw.randint(1, 9)
        jobs.append(
            {
                "submit": submit,
                "cpus": min(draw.choice([1, 1, 2, 2, 3, 4]), widest),
                "requested": volume * cpus,
                "times": [volume * work // cluster["speed"] for cluster in clusters],
            }
        )
    jobs.sort(key=lambda job: job["submit"])
    return clusters, jobs


def simulate(program, folder, clusters, jobs, heuristic, factor):
    log, testbed = folder / "log.swf", folder / "sites.json"
    lines = ["; MaxProcs: %d" % sum(cluster["cpus"] for cluster in clusters)]
    for number, job in enumerate(jobs, 1):
        fields = [number, job["submit"], -1, job["requested"], job["cpus"], -1, -1, job["cpus"], job["requested"]]
        lines.append(" ".join(str(field) for field in fields + [-1] * 9))
    log.write_text("\n".join(lines) + "\n")
    sites = [
        {"id": at, "name": "c%d" % at, "machines": [{"id": at, **cluster}]} for at, cluster in enumerate(clusters)
    ]
    testbed.write_text(json.dumps(sites))
    command = [program, "simulate", log, "--testbed", testbed, "--scheduler", heuristic, "--interval", str(INTERVAL)]
    command += ["--trade-off", str(factor), "--json"]
    answer = subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True)
    return json.loads(answer.stdout)["runs"][0]["figures"]


def optimum(clusters, jobs, seconds, latest=None):
    """The least makespan or, with a latest end, the least cost; None where the solver has no proof."""
    model = cp_model.CpModel()
    first = jobs[0]["submit"]
    begin = [math.ceil(job["submit"] / INTERVAL) * INTERVAL for job in jobs]
    horizon = latest if latest is not None else max(begin) + sum(max(job["times"]) for job in jobs)
    by_cluster = [[] for _ in clusters]
    ends, costs = [], []
    for job, least in zip(jobs, begin):
        choices = []
        for at, cluster in enumerate(clusters):
            if job["cpus"] > cluster["cpus"]:
                continue
            time = job["times"][at]
            if least + time > horizon:
                continue
            here = model.new_bool_var("")
            start = model.new_int_var(least, horizon - time, "")
            interval = model.new_optional_fixed_size_interval_var(start, time, here, "")
            by_cluster[at].append((interval, job["cpus"]))
            ends.append((here, start, time))
            costs.append(here * (time * job["cpus"] * cluster["price"]))
            choices.append(here)
        model.add_exactly_one(choices)
    for cluster, tasks in zip(clusters, by_cluster):
        if tasks:
            model.add_cumulative([task for task, _ in tasks], [cpus for _, cpus in tasks], cluster["cpus"])
    if latest is None:
        end = model.new_int_var(0, horizon, "")
        for here, start, time in ends:
            model.add(end >= start + time).only_enforce_if(here)
        model.minimize(end)
    else:
        model.minimize(sum(costs))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.max_time_in_seconds = seconds
    if solver.solve(model) != cp_model.OPTIMAL:
        return None
    value = round(solver.objective_value)
    return value - first if latest is None else value


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("--count", type=int, default=40)
    arguments.add_argument("--seconds", type=float, default=20.0)
    given = arguments.parse_args()
    rows, bounds, left_out = {}, [], 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(given.count):
            clusters, jobs = instance(seed)
            least = optimum(clusters, jobs, given.seconds)
            if least is None:
                left_out += 1
                continue
            for factor in (0.0, 0.5, 1.0):
                for heuristic in ("min-ctt", "max-ctt", "greedy", "blind-greedy"):
                    figures = simulate(given.program, Path(folder), clusters, jobs, heuristic, factor)
                    makespan, cost = round(figures["makespan"]), round(figures["cost"])
                    latest = jobs[0]["submit"] + makespan
                    same = optimum(clusters, jobs, given.seconds, latest)
                    cheapest = round(figures["lower bound of the cost"])
                    assert makespan >= least and cost >= cheapest, (seed, heuristic, makespan, least, cost, cheapest)
                    assert same is None or cheapest <= same <= cost, (seed, heuristic, cheapest, same, cost)
                    above = lambda value, base: 100.0 * (value / base - 1.0)
                    row = rows.setdefault((heuristic, factor), [])
                    row.append((above(makespan, least), above(cost, cheapest), same and above(cost, same)))
                    bound = figures["lower bound of the makespan"]
                    assert bound <= least * (1 + 1e-9), (seed, bound, least)
            bounds.append(100.0 * (1.0 - bound / least))
            print(f"{seed + 1} of {given.count}", file=sys.stderr)
    shown = lambda values: f"{sum(values) / len(values):.1f} ({max(values):.1f})"
    print(f"{len(bounds)} instances, {left_out} not closed; the bound is {shown(bounds)}% below the least makespan\n")
    print("| heuristic | factor | makespan, % | cost, % | cost at its makespan, % |\n| --- | --- | --- | --- | --- |")
    for (heuristic, factor), row in sorted(rows.items()):
        makespans, costs, same = zip(*row)
        known = [value for value in same if value is not None]
        print(f"| {heuristic} | {factor} | {shown(makespans)} | {shown(costs)} | {shown(known)} |")


if __name__ == "__main__":
    main()
