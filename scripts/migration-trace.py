#!/usr/bin/env python3
"""Migration latencies of `prazo measure wakeup` next to the kernel's own trace of the same moves.

    scripts/migration-trace.py [MOVES] [PRAZO] [PERIOD]

For each of the methods migrate and push, prazo measures one thread on processor 0 while an own instance of the kernel's tracer records
sched_switch, sched_migrate_task and the system call sched_setaffinity on CLOCK_MONOTONIC. The trace then gives a second figure for
each move, which knows nothing of prazo's clock readings:

- migrate: from the entry of the call that moves the thread to its return, where the two are on different processors;
- push: from the switch away from the thread on its processor to the switch to it on the other one.

It prints the counts and the quantiles of both. The trace costs time in both figures.

Without a trace, migrate is then compared with a C program that does the same (migration-twin.c), in four turns: prazo, the program, the
program, prazo. Needs root, tracefs, two processors and a C compiler.
"""

import json
import re
import statistics
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

EVENTS = ("sched/sched_switch", "sched/sched_migrate_task", "syscalls/sys_enter_sched_setaffinity",
          "syscalls/sys_exit_sched_setaffinity")
LINE = re.compile(r"^\s*(.+)-(\d+)\s+\[(\d+)\]\s+\S+\s+(\d+)\.(\d+): (\w+)(: |\(| -> )(.*)$")
BUFFER_KB = 60_000


@contextmanager
def tracefs():
    mounted = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines() if " tracefs " in line]
    if mounted:
        yield Path(mounted[0])
        return
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["mount", "-t", "tracefs", "none", folder], check=True)
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", folder], check=True)


@contextmanager
def traced(root):
    """An own instance of the tracer, which is removed again."""
    instance = root / "instances" / "prazo-migration"
    instance.mkdir()
    try:
        (instance / "trace_clock").write_text("mono")
        (instance / "buffer_size_kb").write_text(str(BUFFER_KB))
        for event in EVENTS:
            (instance / "events" / event / "enable").write_text("1")
        yield instance
    finally:
        (instance / "tracing_on").write_text("0")
        instance.rmdir()


def records(text):
    for line in text.splitlines():
        found = LINE.match(line)
        if found:
            _, thread, cpu, seconds, part, event, mark, rest = found.groups()
            # A call's entry is `sys_NAME(...)`, its return `sys_NAME -> result`.
            event = f"{event} entry" if mark == "(" else event
            at_ns = int(seconds) * 1_000_000_000 + int(part.ljust(9, "0"))
            yield at_ns, int(thread), int(cpu), event, rest


def number(text, key):
    return int(re.search(rf"\b{key}=(\d+)", text).group(1))


def of_calls(all_records, thread):
    """Entry to return of the calls that ended on another processor than they began."""
    begun, times = None, []
    for at_ns, by, cpu, event, _ in all_records:
        if by != thread or "setaffinity" not in event:
            continue
        if event.endswith(" entry"):
            begun = (at_ns, cpu)
        elif begun:
            if cpu != begun[1] and begun[1] == 0:
                times.append(at_ns - begun[0])
            begun = None
    return times


def of_switches(all_records, thread):
    """Switch away from the thread, while it could run, to the switch to it on the other processor."""
    left, times = None, []
    for at_ns, _, cpu, event, rest in all_records:
        if event != "sched_switch":
            continue
        if number(rest, "prev_pid") == thread:
            # R is runnable; R+ is preempted.
            left = (at_ns, cpu) if re.search(r"prev_state=R\+?( |$)", rest) else None
        if number(rest, "next_pid") == thread and left:
            if cpu != left[1] and left[1] == 0:
                times.append(at_ns - left[0])
            left = None
    return times


def quantiles(values):
    values = sorted(values)
    at = lambda share: values[min(len(values) - 1, int(share * len(values)))] / 1e3
    return f"min {values[0] / 1e3:.2f}, p50 {at(0.5):.2f}, mean {statistics.mean(values) / 1e3:.2f}, p99 {at(0.99):.2f}"


def measured(program, method, moves, period, file):
    words = [program, "measure", "wakeup", "--method", method, "-c", "0", "-n", moves, "-i", period]
    words += ["--warm-up", "0s", "--plain", "--json", "-o", str(file)]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return json.loads(done.stdout)["cpus"][0]


def beside_the_twin(program, moves, folder):
    twin = f"{folder}/twin"
    subprocess.run(["cc", "-O2", "-o", twin, str(Path(__file__).with_name("migration-twin.c"))], check=True)
    for turn, kind in enumerate(("prazo", "C", "C", "prazo")):
        if kind == "prazo":
            run = measured(program, "migrate", moves, "1ms", f"{folder}/turn{turn}.prazo")
            middle = next(one["value_ns"] for one in run["quantiles"] if one["q"] == 0.5)
            print(f"prazo: {run['count']} moves, min {run['min_ns'] / 1e3:.2f}, p50 {middle / 1e3:.2f}, "
                  f"mean {run['mean_ns'] / 1e3:.2f} µs")
        else:
            text = subprocess.run([twin, moves, "1000", "80"], stdout=subprocess.PIPE, text=True, check=True).stdout
            values = [int(line) for line in text.splitlines()]
            print(f"C program: {len(values)} moves, {quantiles(values)} µs")


def main():
    moves = sys.argv[1] if len(sys.argv) > 1 else "2000"
    program = sys.argv[2] if len(sys.argv) > 2 else "prazo"
    period = sys.argv[3] if len(sys.argv) > 3 else "1ms"
    with tracefs() as root, tempfile.TemporaryDirectory() as folder:
        for method, of in (("migrate", of_calls), ("push", of_switches)):
            with traced(root) as instance:
                run = measured(program, method, moves, period, f"{folder}/{method}.prazo")
                (instance / "tracing_on").write_text("0")
                text = (instance / "trace").read_text()
            of_prazo = {one["q"]: (one["value_ns"] or 0) / 1e3 for one in run["quantiles"]}
            all_records = list(records(text))
            # The thread that moves away from processor 0 most often.
            movers = [number(rest, "pid") for _, _, _, event, rest in all_records
                      if event == "sched_migrate_task" and number(rest, "orig_cpu") == 0]
            thread = statistics.mode(movers)
            found = of(all_records, thread)
            middle = statistics.median(found) / 1e3
            print(f"{method}, prazo: {run['count']} moves, min {run['min_ns'] / 1e3:.2f}, p50 {of_prazo[0.5]:.2f}, "
                  f"mean {run['mean_ns'] / 1e3:.2f}, p99 {of_prazo[0.99]:.2f} µs")
            print(f"{method}, trace: {len(found)} moves, {quantiles(found)} µs; prazo's median is "
                  f"{of_prazo[0.5] - middle:+.2f} µs off, ratio {of_prazo[0.5] / middle:.2f}")
        beside_the_twin(program, moves, folder)


if __name__ == "__main__":
    main()
