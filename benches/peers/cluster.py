"""EASY and first come first served by AccaSim (PyPI `accasim`), beside `econsched simulate`, on one generated log.

    python -m venv venv && venv/bin/pip install accasim
    venv/bin/python benches/peers/cluster.py path/to/econsched [JOBS]

Prints user time of each, our mean wait, and how many lines AccaSim's plan has: all jobs, unless it left some out.
"""

import collections
import collections.abc
import json
import pathlib
import resource
import subprocess
import sys
import tempfile

CPUS = 128


def user_seconds(of):
    return resource.getrusage(of).ru_utime


def ours(program, log, policy):
    before = user_seconds(resource.RUSAGE_CHILDREN)
    command = [program, "simulate", str(log), "--scheduler", policy, "--cpus", str(CPUS), "--json"]
    answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return user_seconds(resource.RUSAGE_CHILDREN) - before, find(answer, "wait")


def find(value, name):
    """The mean of the first statistics of this name."""
    if isinstance(value, dict):
        if isinstance(value.get(name), dict) and "mean" in value[name]:
            return value[name]["mean"]
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            found = find(inner, name)
            if found is not None:
                return found
    return None


def theirs(folder, log, policy):
    # AccaSim 1.1.3 imports names that Python 3.10 has moved.
    for name in ("Mapping", "MutableMapping", "Iterable", "Sequence"):
        setattr(collections, name, getattr(collections.abc, name))
    from accasim.base.allocator_class import FirstFit
    from accasim.base.scheduler_class import EASYBackfilling, FirstInFirstOut
    from accasim.base.simulator_class import Simulator

    config = folder / "system.json"
    system = {
        "groups": {"one": {"core": CPUS}},
        "resources": {"one": 1},
        "equivalence": {"processor": {"core": 1}},
        "start_time": 0,
    }
    config.write_text(json.dumps(system))
    dispatcher = {"easy": EASYBackfilling, "fcfs": FirstInFirstOut}[policy](FirstFit())
    before = user_seconds(resource.RUSAGE_SELF)
    simulator = Simulator(
        str(log), str(config), dispatcher,
        RESULTS_FOLDER_PATH=str(folder), scheduling_output=True, statistics_output=False,
        show_statistics=False,
    )
    simulator.start_simulation()
    seconds = user_seconds(resource.RUSAGE_SELF) - before
    written = [path for path in folder.rglob("sched-*") if path.is_file()]
    return seconds, sum(len(path.read_text().splitlines()) for path in written)


def main():
    program, jobs = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "5000"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        log = folder / "made.swf"
        made = subprocess.run([program, "generate", "log", "--jobs", jobs, "--seed", "1"], check=True, capture_output=True)
        log.write_bytes(made.stdout)
        for policy in ("fcfs", "easy"):
            seconds, wait = ours(program, log, policy)
            print(f"{policy}: econsched {seconds:.2f} s, mean wait {wait:.1f}", flush=True)
            seconds, lines = theirs(folder, log, policy)
            print(f"{policy}: accasim {seconds:.2f} s, {lines} jobs dispatched by its plan", flush=True)


if __name__ == "__main__":
    main()
