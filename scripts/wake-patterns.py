#!/usr/bin/env python3
"""Which of the ways in which two tools wake a thread makes their figures differ: scripts/wake-patterns.c beside rt-tests, in turns.

    scripts/wake-patterns.py [ROUNDS] [WAKES]

Each row is one method at one period. Each round runs the four patterns and the peer, then the same backwards, so that a load which
changes meets all alike. Each figure is the median of the runs' means, with its ratio to the peer's. Needs root, a C compiler and
rt-tests.
"""

import itertools
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

PEERS = {"sysv": "svsematest", "mqueue": "pmqtest", "signal": "sigwaittest"}
PATTERNS = {"less urgent, sleeps": (79, "sleeps"), "as urgent, sleeps": (80, "sleeps")}
PATTERNS |= {"less urgent, woken back": (79, "back"), "as urgent, woken back": (80, "back")}
PERIODS_US, PRIORITY, CPU = (200, 1000), 80, 1


def ours(program, method, pattern, period_us, wakes):
    priority, how = PATTERNS[pattern]
    words = [program, method, priority, PRIORITY, how, period_us, wakes, CPU]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True)
    return float(done.stdout.split()[2]) / 1e3


def theirs(method, period_us, wakes, folder):
    file, tool = folder / "peer.json", shutil.which(PEERS[method])
    words = [tool, "-q", "-p", PRIORITY, "-a", CPU, "-i", period_us, "-l", wakes, f"--json={file}"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "check": True}
    # svsematest makes its key from the path by which it was called.
    subprocess.run([str(word) for word in words], env=dict(os.environ, _=tool), **quiet)
    return json.loads(file.read_text())["thread"]["0"]["receiver"]["avg"]


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    wakes = int(sys.argv[2]) if len(sys.argv) > 2 else 2000
    print("| method | period | peer µs | " + " | ".join(PATTERNS) + " |")
    print("|---" * (3 + len(PATTERNS)) + "|")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        program = folder / "wake-patterns"
        source = Path(__file__).with_name("wake-patterns.c")
        subprocess.run(["cc", "-O2", "-pthread", "-o", program, source, "-lrt"], check=True)
        for method, period_us in itertools.product(PEERS, PERIODS_US):
            runs = {name: [] for name in [*PATTERNS, "peer"]}
            for _ in range(rounds):
                for name in [*runs, *reversed(runs)]:
                    peer = name == "peer"
                    run = theirs(method, period_us, wakes, folder) if peer else ours(program, method, name, period_us, wakes)
                    runs[name].append(run)
            peer = statistics.median(runs.pop("peer"))
            means = [statistics.median(run) for run in runs.values()]
            cells = [method, f"{period_us} µs", f"{peer:.2f}", *(f"{mean:.2f} ({mean / peer:.2f})" for mean in means)]
            print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
