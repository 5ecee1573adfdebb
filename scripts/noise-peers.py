#!/usr/bin/env python3
"""What `prazo measure noise` and oslat of rt-tests say of one processor, in turns within one run.

    scripts/noise-peers.py [ROUNDS] [SECONDS] [PRAZO]

Each round is four runs: prazo, oslat, oslat, prazo (ABBA), on the same processor, under SCHED_FIFO with the same priority. Both
read a clock in a busy loop. Compared are the gaps of 5 us and more for each second that was observed, and the longest gap:
oslat's buckets are whole microseconds, and the bucket k holds gaps of [k - 1, k). prazo loops for 45 ms of each 50 ms, oslat
all the time. Needs root and rt-tests.
"""

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

PRIORITY, CPU, THRESHOLD_US, BUCKETS = 40, 1, 5, 1024


def prazo(program, seconds, folder, *more):
    words = [program, "measure", "noise", "-c", CPU, "-D", f"{seconds}s", "--threshold", f"{THRESHOLD_US}us"]
    words += ["--runtime", "45ms", "--period", "50ms", "--priority", PRIORITY, "--warm-up", "0s", "--plain", "--json"]
    words += ["-o", folder / f"{len(list(folder.iterdir()))}.prazo", *more]
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    row = json.loads(done.stdout)["noise"][0]
    return {"gaps": row["gaps"], "observed": row["observed_ns"] / 1e9, "longest": (row["longest_ns"] or 0) / 1e3}


def oslat(seconds, folder):
    file = folder / "oslat.json"
    words = [shutil.which("oslat"), "-q", "-c", CPU, "-f", PRIORITY, "-D", seconds, "-b", BUCKETS, f"--json={file}"]
    subprocess.run([str(word) for word in words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    thread = json.loads(file.read_text())["thread"]["0"]
    gaps = sum(count for bucket, count in thread["histogram"].items() if int(bucket) > THRESHOLD_US)
    return {"gaps": gaps, "observed": thread["duration"], "longest": thread["max"]}


def row(name, runs):
    rates = sorted(run["gaps"] / run["observed"] for run in runs)
    longest = sorted(run["longest"] for run in runs)
    gaps, observed = sum(run["gaps"] for run in runs), sum(run["observed"] for run in runs)
    cells = [name, len(runs), f"{observed:.1f} s", f"{gaps:,}", f"{statistics.median(rates):.0f}"]
    cells += [f"{rates[0]:.0f} to {rates[-1]:.0f}", f"{statistics.median(longest):.0f}"]
    cells += [f"{longest[0]:.0f} to {longest[-1]:.0f}"]
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    seconds = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    program = sys.argv[3] if len(sys.argv) > 3 else "prazo"
    alone, split, theirs = [], [], []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for _ in range(rounds):
            alone.append(prazo(program, seconds, folder, "--no-split"))
            split.append(prazo(program, seconds, folder))
            theirs += [oslat(seconds, folder) for _ in range(2)]
            split.append(prazo(program, seconds, folder))
            alone.append(prazo(program, seconds, folder, "--no-split"))
    print("| | runs | observed | gaps | gaps/s, median | range | longest µs, median | range |")
    print("|---|---|---|---|---|---|---|---|")
    row("prazo, --no-split", alone)
    row("prazo", split)
    row("oslat", theirs)


if __name__ == "__main__":
    main()
