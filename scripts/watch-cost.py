#!/usr/bin/env python3
"""What `prazo watch` costs a watched thread, with and without in turns within one run of cyclictest.

    scripts/watch-cost.py [ROUNDS] [PRAZO]

One cyclictest thread wakes up at 1 kHz from the first round to the last. Each round is four stretches of five seconds: without,
with, with, without (ABBA). The figure is the thread's own processor time for each of its turns on a processor, by the kernel's
account (/proc/PID/task/TID/schedstat), so that other work on the machine hardly counts. The watcher's own time is what it prints.
Needs root and cyclictest.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

STRETCH_S = 5


def account(thread):
    """Processor time in ns, and turns."""
    ran, _, turns = Path(f"/proc/{thread}/schedstat").read_text().split()
    return int(ran), int(turns)


def per_turn(thread):
    before = account(thread)
    time.sleep(STRETCH_S - 1)
    after = account(thread)
    return (after[0] - before[0]) / max(1, after[1] - before[1])


def without(thread):
    time.sleep(1)
    return per_turn(thread), None


def watched(prazo, thread, process):
    file = Path(tempfile.gettempdir()) / f"watch-cost-{time.time_ns()}.prazo"
    words = [prazo, "watch", "--json", "-o", file, "-D", f"{STRETCH_S + 1}s", f"{process}/{thread}"]
    watcher = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    # It attaches meanwhile.
    time.sleep(1.5)
    ns = per_turn(thread)
    document = json.loads(watcher.communicate()[0])
    file.unlink(missing_ok=True)
    return ns, document["processor_time_per_activation_ns"]


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    prazo = sys.argv[2] if len(sys.argv) > 2 else "prazo"
    loop = subprocess.Popen(["cyclictest", "-q", "-m", "-p", "80", "-i", "1000", "-a", "1"], stdout=subprocess.DEVNULL)
    try:
        time.sleep(1)
        threads = [int(one.name) for one in Path(f"/proc/{loop.pid}/task").iterdir()]
        thread = max(threads)
        ratios, watchers = [], []
        for number in range(1, rounds + 1):
            runs = [without(thread), watched(prazo, thread, loop.pid), watched(prazo, thread, loop.pid), without(thread)]
            off, on = (runs[0][0] + runs[3][0]) / 2, (runs[1][0] + runs[2][0]) / 2
            ratios.append(on / off)
            watchers += [one[1] for one in runs if one[1] is not None]
            print(f"round {number}: {off:.0f} ns a turn without, {on:.0f} ns with, ratio {on / off:.3f}", flush=True)
        spread = f"{min(ratios):.3f} to {max(ratios):.3f}"
        print(f"ratio: median {statistics.median(ratios):.3f}, {spread} of {rounds} rounds")
        print(f"watcher: median {statistics.median(watchers):.0f} ns for each activation")
    finally:
        loop.terminate()
        loop.wait()


if __name__ == "__main__":
    main()
