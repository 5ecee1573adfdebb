#!/usr/bin/env python3
"""Events a second of prazo's simulator and of SimSo, side by side: the same 20 tasks on 4 processors under global EDF.

    python3 -m venv /tmp/simso && /tmp/simso/bin/pip install simso
    /tmp/simso/bin/python scripts/bench-sim.py [ROUNDS]

Both count releases, dispatches, preemptions and completions, without overheads, synchronous and periodic, every job as long as
its bound. A round is one run of each, prazo first; the median of the rounds is what counts. SimSo's scheduler prints a line
for each dispatch, which is switched off here. prazo simulates a longer stretch of the same schedule, since two seconds of it
are over in a millisecond; times are processor times, so that other work on the machine does not count; that both see the same two seconds is checked by their numbers of releases and completions.
"""

import json
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

SHORT_MS = 2_000
LONG_MS = 2_000_000
ROOT = Path(__file__).resolve().parent.parent


def ours(milliseconds):
    """Counts and processor seconds of one run of the example `speed`, its start included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    program = ROOT / "target/release/examples/speed"
    run = subprocess.run([program, "--json", str(milliseconds)], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {**json.loads(run.stdout), "seconds": seconds}


def theirs(tasks_us):
    """Counts and processor seconds of one run of SimSo, its set-up not included."""
    import simso.schedulers.EDF
    from simso.configuration import Configuration
    from simso.core import JobEvent, Model

    simso.schedulers.EDF.print = lambda *_: None
    configuration = Configuration()
    configuration.cycles_per_ms = 1_000_000
    configuration.duration = SHORT_MS * configuration.cycles_per_ms
    for number, (cost_us, period_us) in enumerate(tasks_us):
        period, cost = period_us / 1_000, cost_us / 1_000
        configuration.add_task(name=f"T{number}", identifier=number, period=period, activation_date=0, wcet=cost,
                               deadline=period)
    for cpu in range(4):
        configuration.add_processor(name=f"CPU {cpu}", identifier=cpu)
    configuration.scheduler_info.clas = "simso.schedulers.EDF"
    configuration.check_all()
    model = Model(configuration)
    start = time.process_time()
    model.run_model()
    seconds = time.process_time() - start
    kinds = [event.event for task in model.task_list for _, event in task.monitor]
    counted = {name: kinds.count(getattr(JobEvent, kind)) for name, kind in
               [("releases", "ACTIVATE"), ("dispatches", "EXECUTE"), ("preemptions", "PREEMPTED"),
                ("completions", "TERMINATED")]}
    return {**counted, "events": sum(counted.values()), "seconds": seconds}


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    subprocess.run(["cargo", "build", "--release", "--quiet", "--package", "prazo-sim", "--example", "speed"],
                   cwd=ROOT, check=True)
    short = ours(SHORT_MS)
    rates = {"prazo": [], "SimSo": []}
    for number in range(rounds):
        long, other = ours(LONG_MS), theirs(short["tasks_us"])
        for name, run in [("prazo", long), ("SimSo", other)]:
            rates[name].append(run["events"] / run["seconds"])
            print(f"round {number + 1}: {name:5} {run['events']:>10} events in {run['seconds']:.3f} s: "
                  f"{rates[name][-1]:>12,.0f} a second")
    print(f"in {SHORT_MS} ms prazo saw {short['releases']} releases and {short['completions']} completions, "
          f"SimSo {other['releases']} and {other['completions']}")
    median = {name: statistics.median(values) for name, values in rates.items()}
    print(f"median of {rounds}: prazo {median['prazo']:,.0f}, SimSo {median['SimSo']:,.0f} events a second, "
          f"ratio {median['prazo'] / median['SimSo']:,.0f}")
    if abs(short["releases"] - other["releases"]) > 4 or abs(short["completions"] - other["completions"]) > 4:
        sys.exit("they did not see the same schedule")


if __name__ == "__main__":
    main()
