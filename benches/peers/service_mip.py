#!/usr/bin/env python3
"""Batches that need not be served whole, and budgets of users, solved by OR-tools CP-SAT: writes the optima that
`crates/batch-dp/tests/all/mip.rs` holds `select` and `choose_with_user_budgets` against.

    python3 -m venv target/peers && target/peers/bin/pip install ortools
    target/peers/bin/python benches/peers/service_mip.py > crates/batch-dp/tests/data/service_mip.json

All numbers are whole, so that the solver's optima are exact. Where service comes first, it is solved for first and then
held; of the best choices the least use of the limit is asked last.
"""

import json
import random

from ortools.sat.python import cp_model

# Criterion, limited sum, sense: as the problems of the crate.
PROBLEMS = {
    "min_time": ("time", "cost", 1),
    "max_time": ("time", "cost", -1),
    "min_cost": ("cost", "time", 1),
    "max_income": ("cost", "time", -1),
}


def instance(rng, number):
    jobs, most = rng.choice([(5, 4), (8, 6), (12, 6), (16, 4)])
    family = number % 3
    rows = []
    for _ in range(jobs):
        row = []
        for _ in range(rng.randint(1, most)):
            time = rng.randint(5, 150)
            cost = {
                0: rng.randint(5, 150),
                1: 200 - time,
                2: 2 * time + rng.randint(-3, 3),
            }[family]
            row.append((cost, time))
        rows.append(row)
    if number % 7 == 0:
        rows[rng.randrange(jobs)] = []
    name = rng.choice(sorted(PROBLEMS))
    _, limited, _ = PROBLEMS[name]
    at = {"cost": 0, "time": 1}[limited]
    least = sum(min((pair[at] for pair in row), default=0) for row in rows)
    limit = int(least * rng.choice([0.3, 0.6, 0.9, 1.0, 1.1, 1.4]))
    users = rng.randint(1, 4)
    user_of = [rng.randrange(users) for _ in range(jobs)]
    budgets = []
    for user in range(users):
        own = [row for row, of in zip(rows, user_of) if of == user and row]
        cheapest = sum(min(pair[0] for pair in row) for row in own)
        dearest = sum(max(pair[0] for pair in row) for row in own)
        budgets.append(int(cheapest + rng.choice([0.0, 0.2, 0.5, 1.0]) * (dearest - cheapest)))
    return {
        "jobs": rows,
        "problem": name,
        "limit": limit,
        "penalties": [rng.randint(0, 160) for _ in rows],
        "weights": [rng.randint(1, 9) for _ in rows],
        "user_of": user_of,
        "budgets": budgets,
    }


class Model:
    def __init__(self, case, whole):
        self.case, self.model = case, cp_model.CpModel()
        self.taken = [[self.model.NewBoolVar("") for _ in row] for row in case["jobs"]]
        for row in self.taken:
            if whole:
                self.model.AddExactlyOne(row)
            else:
                self.model.AddAtMostOne(row)
        criterion, limited, self.sense = PROBLEMS[case["problem"]]
        self.criterion, self.limited = self.sum(criterion), self.sum(limited)
        self.model.Add(self.limited <= case["limit"])

    def sum(self, what, user=None):
        at = {"cost": 0, "time": 1}[what]
        jobs = zip(self.case["jobs"], self.taken, self.case["user_of"])
        return sum(
            pair[at] * taken
            for row, column, of in jobs
            if user is None or of == user
            for pair, taken in zip(row, column)
        )

    def left(self, numbers):
        return sum(number * (1 - sum(row)) for number, row in zip(numbers, self.taken))

    def least(self, goals):
        """The least of each goal in turn, those before held; None if nothing is feasible."""
        values = []
        for goal in goals:
            self.model.Minimize(goal)
            solver = cp_model.CpSolver()
            solver.parameters.num_workers = 1
            status = solver.Solve(self.model)
            if status == cp_model.INFEASIBLE:
                return None
            assert status == cp_model.OPTIMAL, status
            values.append(round(solver.ObjectiveValue()))
            self.model.Add(goal == values[-1])
        return values


def optima(case):
    found = {}
    for name, numbers in [("most_jobs", [1] * len(case["jobs"])), ("greatest_weight", case["weights"])]:
        model = Model(case, False)
        found[name] = model.least([model.left(numbers), model.sense * model.criterion, model.limited])
    model = Model(case, False)
    found["penalties"] = model.least(
        [model.sense * model.criterion + model.left(case["penalties"]), model.limited]
    )
    model = Model(case, True)
    for user, budget in enumerate(case["budgets"]):
        model.model.Add(model.sum("cost", user) <= budget)
    found["purses"] = model.least([model.sense * model.criterion, model.limited])
    return found


def main():
    rng = random.Random(12)
    cases = [instance(rng, number) for number in range(80)]
    print("[")
    for number, case in enumerate(cases):
        case["optima"] = optima(case)
        print(json.dumps(case), end=",\n" if number + 1 < len(cases) else "\n")
    print("]")


if __name__ == "__main__":
    main()
