#!/usr/bin/env python3
"""What `prazo watch` costs a watched thread and prazo itself, in turns within one run of cyclictest.

    scripts/watch-cost.py [ROUNDS] [PRAZO]

One cyclictest thread wakes up at 1 kHz on processor 1 from the first round to the last. Each round has five stretches: without a
watch, with --no-causes, with causes, with --no-causes, without. It prints the medians of

- the thread's own processor time for each of its turns on a processor, by the kernel's account (/proc/PID/task/TID/schedstat), so
  that other work on the machine hardly counts;
- prazo's processor time for each activation, as prazo prints it;
- instructions inside the kernel for each activation, where `perf` can count them. For this, a SCHED_FIFO thread without system calls
  spins on processor 1, two seconds for each of the three. The wake-up interrupts it, so that the two threads together have all
  instructions of the wake-up, and nobody else's;
It also prints, for one stretch with causes, how often each BPF program runs for an activation and how long a run takes, where there is
`bpftool`. The kernel counts all runs of the machine, and counting them costs time too.

Needs root, two processors, and cyclictest.
"""

import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

STRETCH_S = 5
COUNTED_S = 2
WITHOUT, NO_CAUSES, CAUSES = "without a watch", "with --no-causes", "with causes"


def account(thread):
    """Processor time in ns, and turns."""
    ran, _, turns = Path(f"/proc/{thread}/schedstat").read_text().split()
    return int(ran), int(turns)


@contextmanager
def watched(prazo, kind, thread, process, answers):
    """What runs within is watched; the answer's cost of prazo itself is added to `answers`."""
    if kind == WITHOUT:
        yield None
        return
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder) / "lines.json"
        words = [prazo, "watch", "--json", "--lines", "-o", f"{folder}/watch-cost.prazo"]
        words += [*(["--no-causes"] if kind == NO_CAUSES else []), f"{process}/{thread}"]
        with lines.open("w") as answer:
            watcher = subprocess.Popen(words, stdout=answer, stderr=subprocess.DEVNULL)
        # The first line comes a second after it has attached.
        while watcher.poll() is None and not lines.stat().st_size:
            time.sleep(0.1)
        yield watcher.pid
        watcher.send_signal(signal.SIGINT)
        watcher.wait()
        answers.append(json.loads(lines.read_text().splitlines()[-1])["processor_time_per_activation_ns"])


def per_turn(thread):
    before = account(thread)
    time.sleep(STRETCH_S)
    after = account(thread)
    return (after[0] - before[0]) / max(1, after[1] - before[1])


@contextmanager
def spinning():
    """A thread without system calls on processor 1, and this script on processor 0, where it is not kept from running."""
    os.sched_setaffinity(0, {0})
    os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(60))
    spin = subprocess.Popen(["taskset", "-c", "1", "chrt", "-f", "40", "sh", "-c", "while :; do :; done"])
    try:
        time.sleep(0.5)
        yield spin.pid
    finally:
        spin.kill()
        spin.wait()
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        os.sched_setaffinity(0, range(os.cpu_count()))


def instructions(thread, spin):
    """Inside the kernel for each turn of the thread; `None` where they cannot be counted."""
    events = ["-e", "instructions:k", "-e", "context-switches"]
    words = ["perf", "stat", "-x,", "--per-thread", *events, "-t", f"{spin},{thread}", "sleep", str(COUNTED_S)]
    counted = subprocess.run(words, capture_output=True, text=True, check=False).stderr
    # Rows such as `cyclictest-812,7123456,,instructions:k,...`.
    rows = [line.split(",") for line in counted.splitlines() if line.count(",") > 3]
    found = [int(row[1]) for row in rows if row[3].startswith("instructions") and row[1].isdigit()]
    turns = [int(row[1]) for row in rows if row[3].startswith("context") and row[0].endswith(f"-{thread}")]
    return sum(found) / turns[0] if len(found) == 2 and turns and turns[0] else None


def programs(pid):
    """Runs and nanoseconds so far of each BPF program that the process holds, by the program's number and name."""
    shown = subprocess.run(["bpftool", "--json", "prog", "show"], capture_output=True, text=True, check=True).stdout
    names = {one["id"]: one.get("name", "without a name") for one in json.loads(shown)}
    found = {}
    for file in Path(f"/proc/{pid}/fdinfo").iterdir():
        fields = dict(line.split(":\t", 1) for line in file.read_text().splitlines() if ":\t" in line)
        # A link to a program has its number too, but no counts.
        if "run_cnt" in fields:
            number = int(fields["prog_id"])
            found[number, names.get(number)] = (int(fields["run_cnt"]), int(fields["run_time_ns"]))
    return found


@contextmanager
def counted_programs():
    """The kernel counts the runs of BPF programs."""
    switch = Path("/proc/sys/kernel/bpf_stats_enabled")
    before = switch.read_text()
    switch.write_text("1")
    try:
        yield
    finally:
        switch.write_text(before)


def show_programs(prazo, thread, process):
    with counted_programs(), watched(prazo, CAUSES, thread, process, []) as watcher:
        first, turns = programs(watcher), account(thread)[1]
        time.sleep(STRETCH_S)
        last, turns = programs(watcher), account(thread)[1] - turns
    for key, (runs, ns) in sorted(last.items()):
        before = first.get(key, (0, 0))
        runs, ns = runs - before[0], ns - before[1]
        if runs:
            print(f"BPF program {key[1]}: {runs / max(1, turns):.2f} runs and {ns / max(1, turns):.0f} ns for each activation, {ns / runs:.0f} ns a run")


def show(what, unit, figures):
    base = statistics.median(figures[WITHOUT]) if figures.get(WITHOUT) else None
    for kind, values in figures.items():
        middle = statistics.median(values)
        ratio = f", {100 * (middle / base - 1):+.1f} %" if base and kind != WITHOUT else ""
        spread = f"{min(values):.0f} to {max(values):.0f} in {len(values)}"
        print(f"{what}, {kind}: median {middle:.0f} {unit} ({spread}){ratio}")


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    prazo = sys.argv[2] if len(sys.argv) > 2 else "prazo"
    loop = subprocess.Popen(["cyclictest", "-q", "-m", "-p", "80", "-i", "1000", "-a", "1"], stdout=subprocess.DEVNULL)
    try:
        time.sleep(1)
        thread = max(int(one.name) for one in Path(f"/proc/{loop.pid}/task").iterdir())
        turns = {kind: [] for kind in (WITHOUT, NO_CAUSES, CAUSES)}
        watchers = {kind: [] for kind in (NO_CAUSES, CAUSES)}
        counted = {kind: [] for kind in (WITHOUT, NO_CAUSES, CAUSES)}
        for _ in range(rounds):
            for kind in (WITHOUT, NO_CAUSES, CAUSES, NO_CAUSES, WITHOUT):
                with watched(prazo, kind, thread, loop.pid, watchers.get(kind)):
                    turns[kind].append(per_turn(thread))
        show("processor time of the thread for each turn", "ns", turns)
        show("processor time of prazo for each activation", "ns", watchers)
        if shutil.which("bpftool"):
            show_programs(prazo, thread, loop.pid)
        else:
            print("BPF programs were not counted: there is no bpftool")
        if not shutil.which("perf"):
            print("instructions were not counted: there is no perf")
            return
        for _ in range(rounds):
            for kind in counted:
                with watched(prazo, kind, thread, loop.pid, []), spinning() as spin:
                    found = instructions(thread, spin)
                if found is None:
                    print("instructions were not counted: perf cannot")
                    return
                counted[kind].append(found)
        show("instructions inside the kernel for each activation", "instructions", counted)
    finally:
        loop.terminate()
        loop.wait()


if __name__ == "__main__":
    main()
