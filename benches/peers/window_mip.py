"""Optima of window searches by a mixed-integer programme, independent of the Rust code.

Generates seeded instances of middle size, states each as one programme per objective and window model, solves it with
HiGHS (PyPI `highspy`), and writes instances and optima as JSON:

    python benches/peers/window_mip.py > crates/slot-window/tests/data/window_mip.json

All numbers are multiples of small powers of two, so that sums are exact and optima compare without a tolerance once
the solver's answer is rounded to that grid.

Variables: y[t, p] = 1 if the window starts at t on speed level p (one level in the rough model); x[s, t, p] = 1 if it
takes slot s then. Exactly one y is 1, exactly n x go with it, their costs keep to the budget.
"""

import json
import random
import sys

import highspy

GRID = 64


def instance(rng):
    of_nodes = []
    for node in range(rng.randint(8, 16)):
        speed = rng.choice([1, 2, 4])
        price = rng.randint(4, 12) * speed / 8
        value = rng.randint(0, 160) / 16
        end, free = 0, []
        for _ in range(rng.randint(1, 3)):
            start = end + rng.randint(0, 12)
            end = start + rng.randint(6, 24)
            free.append([start, end])
        of_nodes.append({"node": {"id": node, "speed": speed, "price": price}, "value": value, "free": free})
    nodes = rng.randint(2, 5)
    work = rng.choice([12, 16, 24])
    request = {
        "nodes": nodes,
        "work": work,
        "min_speed": rng.choice([1, 1, 2]),
        "budget": nodes * work * rng.randint(40, 90) / GRID,
        "deadline": rng.choice([None, 40, 60]),
    }
    return {"nodes": of_nodes, "request": request, "from": rng.choice([0, 0, 5])}


def optimum(case, objective, square):
    request = case["request"]
    slots = [
        {**of["node"], "value": of["value"], "start": start, "end": end}
        for of in case["nodes"]
        for start, end in of["free"]
        if of["node"]["speed"] >= request["min_speed"]
    ]
    levels = sorted({s["speed"] for s in slots}) if square else [request["min_speed"]]
    starts = sorted({max(s["start"], case["from"]) for s in slots})
    latest = request["deadline"] if request["deadline"] is not None else float("inf")
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("mip_rel_gap", 0.0)
    solver.setOptionValue("mip_abs_gap", 1e-7)
    ys, picks = [], []
    for t in starts:
        for p in levels:
            xs = []
            for s in slots:
                span = request["work"] / (p if square else s["speed"])
                if s["speed"] >= p and s["start"] <= t and t + span <= min(s["end"], latest):
                    xs.append((solver.addBinary(), s["price"] * span, span, s["value"]))
            if len(xs) >= request["nodes"]:
                y = solver.addBinary()
                ys.append((y, t, request["work"] / p))
                picks.extend((x, cost, t, span, value) for x, cost, span, value in xs)
                solver.addConstr(sum(x for x, *_ in xs) == request["nodes"] * y)
    if not ys:
        return None
    solver.addConstr(sum(y for y, *_ in ys) == 1)
    cost = sum(c * x for x, c, *_ in picks)
    solver.addConstr(cost <= request["budget"])
    if objective == "start":
        goal = sum(t * y for y, t, _ in ys)
    elif objective == "cost":
        goal = cost
    elif objective == "value":
        goal = -sum(value * x for x, _, _, _, value in picks)
    else:
        goal = solver.addVariable(lb=0)
        offset = (lambda t: t) if objective == "finish" else (lambda t: 0)
        for x, _, t, span, _ in picks:
            solver.addConstr(goal >= (offset(t) + span) * x)
    solver.minimize(goal)
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    value = solver.getObjectiveValue()
    value = -value if objective == "value" else value
    rounded = round(value * GRID) / GRID
    assert abs(rounded - value) < 1e-4, (value, rounded)
    return rounded


def main():
    rng = random.Random(2018)
    cases = []
    for number in range(120):
        case = instance(rng)
        optima = {
            model: {
                objective: optimum(case, objective, model == "square")
                for objective in ("start", "finish", "runtime", "cost", "value")
            }
            for model in ("rough", "square")
        }
        cases.append([case, optima])
        print(number, file=sys.stderr, end=" ", flush=True)
    print("[\n" + ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases) + "\n]")


if __name__ == "__main__":
    main()
