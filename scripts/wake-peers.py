#!/usr/bin/env python3
"""What `prazo measure wakeup` and rt-tests say of the same wakes, in turns within one run.

    scripts/wake-peers.py [ROUNDS] [WAKES] [PRAZO]

Each row is one method at one period, each round of it four runs: prazo, the peer, the peer, prazo (ABBA), with the same number of
wakes, policy, priority and processor. The peers give minimum, mean and maximum, so the means are compared: each figure is the
median over the runs. Needs root and rt-tests.
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

PEERS = {"mutex": "ptsematest", "semaphore": "svsematest", "mqueue": "pmqtest", "signal": "sigwaittest"}
PERIODS_US = (200, 1000)
PRIORITY, CPU = 80, 1


def prazo(program, method, period_us, wakes, folder):
    words = [program, "measure", "wakeup", "--method", method, "-c", CPU, "-n", wakes, "-i", f"{period_us}us"]
    words += ["--priority", PRIORITY, "--warm-up", "0s", "--plain", "--json"]
    words += ["-o", folder / f"{len(list(folder.iterdir()))}.prazo"]
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    run = json.loads(done.stdout)
    row = run["cpus"][0]
    return {"count": run["served"], "min": row["min_ns"] / 1e3, "mean": row["mean_ns"] / 1e3}


def peer(program, period_us, wakes, folder):
    file = folder / "peer.json"
    # svsematest makes its key from the path by which it was called.
    words = [shutil.which(program), "-q", "-p", PRIORITY, "-a", CPU, "-i", period_us, "-l", wakes, f"--json={file}"]
    environment = dict(os.environ, _=words[0])
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "check": True}
    subprocess.run([str(word) for word in words], env=environment, **quiet)
    thread = json.loads(file.read_text())["thread"]["0"]
    return {"count": thread["sender"]["samples"], "min": thread["receiver"]["min"], "mean": thread["receiver"]["avg"]}


def middle(runs, figure):
    return statistics.median(run[figure] for run in runs)


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    wakes = int(sys.argv[2]) if len(sys.argv) > 2 else 5000
    program = sys.argv[3] if len(sys.argv) > 3 else "prazo"
    print("| method | peer | period | wakes | prazo mean µs | peer mean µs | ratio | prazo min µs | peer min µs |")
    print("|---|---|---|---|---|---|---|---|---|")
    for (method, tool), period_us in itertools.product(PEERS.items(), PERIODS_US):
        ours, theirs = [], []
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            for _ in range(rounds):
                ours.append(prazo(program, method, period_us, wakes, folder))
                theirs += [peer(tool, period_us, wakes, folder) for _ in range(2)]
                ours.append(prazo(program, method, period_us, wakes, folder))
        counts = sorted({run["count"] for run in ours + theirs})
        mean, other = middle(ours, "mean"), middle(theirs, "mean")
        row = [method, tool, f"{period_us} µs", "/".join(map(str, counts)), f"{mean:.2f}", f"{other:.2f}"]
        row += [f"{mean / other:.2f}", f"{middle(ours, 'min'):.2f}", f"{middle(theirs, 'min'):.0f}"]
        print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
