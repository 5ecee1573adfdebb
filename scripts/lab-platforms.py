#!/usr/bin/env python3
"""The table of the lab's platforms: docs/platforms.md, from two boots of each, idle and loaded.

    scripts/lab-platforms.py [--prazo PROGRAM] [--runs FOLDER] [PLATFORM ...]

Measures the named platforms (default: all of `prazo lab list`), keeps their runs in a folder, and writes the page from all runs
that the folder holds. A run that is there is not measured again, so an interrupted call goes on where it stopped; remove the
folder to measure everything anew. A platform that cannot boot is named on standard error and gets no row. A boot takes half a minute of
processor time.
"""

import argparse
import csv
import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/platforms.md"
LOADS = {"idle": [], "loaded": ["--load", "scheduler"]}
BOOTS = (1, 2)
SEED, LENGTH = 1, "2s"
# From the paper with the most preemption models, Marsal 2013: the earlier one has the larger maximum.
ORDER = ("none", "voluntary", "full", "rt")

HEAD = """# The lab's platforms, measured

`scripts/lab-platforms.py` makes this page from `prazo measure timer --platform lab:NAME --seed {seed} --raw -D {length}`: 1,000
activations a second, SCHED_FIFO, idle and with `--load scheduler`. Each figure is of one boot in counted time, in instructions.
It is not a hardware latency ([lab.md](lab.md#what-counted-time-means)).
"""

ROWS = """
| platform | kernel | processor | load | samples | p50 | p99 | max | digest of two boots |
|---|---|---|---|---|---|---|---|---|
"""

DIGEST = """
The digest is the beginning of the SHA-256 of `prazo export -f csv RUN`; "equal" means that the second boot had the same samples.
Another guest agent gives another digest. `rt-not-threaded` differs from `rt-full` only in the interrupt line of `measure interrupt`, so its
runs are the same here.
"""

ORDERS = """
## Orders of the papers

Marsal 2013 and Blaess 2014 order kernels by the maximum of a real-time task: {order}. These are single, short
boots; the built-in studies `preemption-models`, `marsal-2013-armv7` and `blaess-2014-armv7` state the claims themselves.

| kernels | load | maxima, in the papers' order | order |
|---|---|---|---|
"""


OWN = """
Under load the order often does not hold here, because the maximum of 2,000 wake-ups is decided by one of them. For kernel 6.1,
`prazo lab explain rt-full-loaded-1.prazo --against standard-full-loaded-1.prazo` names the difference: in the worst wake-up of `rt-full` the
tick's interrupt came between the switch to the measured task and its reading of the clock, and it woke threads of the kernel there. The
worst wake-up of `standard-full` met no tick.

`riscv64-rt` is built from sources with a small configuration (`prazo lab build riscv64-rt`), so it differs from Debian's standard kernel in more than
preemption. Another compiler gives another kernel and other digests. There is no PREEMPT_RT kernel for ppc64le, so no order can be tried there.
"""


class Run:
    """One boot's samples, from its run file."""

    def __init__(self, program, file):
        exported = subprocess.run([program, "export", "-f", "csv", file], stdout=subprocess.PIPE, check=True).stdout
        rows = csv.DictReader(exported.decode().splitlines())
        kept = [row for row in rows if row["warm_up"] == "false" and row["quantity"] == "response-latency"]
        self.latencies_ns = sorted(int(row["latency_ns"]) for row in kept for _ in range(int(row["count"])))
        self.digest = hashlib.sha256(exported).hexdigest()[:16]

    def quantile_ns(self, percent):
        """The smallest latency that this share of the samples does not exceed."""
        count = len(self.latencies_ns)
        return self.latencies_ns[max(0, -(-count * percent // 100) - 1)]


def measure(program, name, load, file):
    """False where the platform cannot boot here; what prazo says goes to standard error."""
    new = file.with_suffix(".new")
    new.unlink(missing_ok=True)
    words = ["measure", "timer", "--platform", f"lab:{name}", "--seed", str(SEED), "--raw", "-D", LENGTH, "--plain"]
    print(f"{file.stem} ...", file=sys.stderr, flush=True)
    done = subprocess.run([program, *words, *LOADS[load], "-o", new], stdout=subprocess.DEVNULL)
    if new.exists():
        new.rename(file)
    elif done.returncode:
        print(f"{name}: prazo ended with status {done.returncode}; see its message above", file=sys.stderr)
    return file.exists()


def measured(program, names, folder):
    for name in names:
        files = [(load, folder / f"{name}-{load}-{boot}.prazo") for load in LOADS for boot in BOOTS]
        # `all` stops at the first boot that fails.
        all(file.exists() or measure(program, name, load, file) for load, file in files)


def model(name):
    """The preemption model of a platform in the papers' order; None for a variant that they do not order."""
    kind, _, rest = name.removesuffix("-6.12").replace("armv7-a9", "armv7").partition("-")
    if kind == "standard" and rest in ORDER:
        return rest
    if name.removesuffix("-6.12") == "rt-full":
        return "rt"
    # Debian's standard kernels for these have CONFIG_PREEMPT_VOLUNTARY.
    return {"standard": "voluntary", "rt": "rt"}.get(rest) if kind in ("arm64", "armv7", "riscv64") else None


def release(program, platform):
    """The release of a platform's kernel; a kernel that is built from sources must be in the cache."""
    kernel = platform["kernel"]
    if "fetched" in kernel:
        return kernel["fetched"]["release"]
    words = [program, "lab", "build", kernel["built"]["recipe"], "--json"]
    return json.loads(subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout)["release"]


def family(release, processor):
    return processor, re.match(r"[0-9.]+(-[0-9]+)?", release)[0]


def order_of(maxima):
    ordered = all(earlier >= later for earlier, later in zip(maxima, maxima[1:]))
    return "held" if ordered else "not held"


def page(program, listed, folder):
    machines = {machine["name"]: machine for machine in listed["machines"]}
    text = HEAD.format(length=LENGTH, seed=SEED) + ROWS
    families, missing = {}, {}
    for platform in listed["platforms"]:
        name, machine = platform["name"], machines[platform["machine"]]
        instruction_ns = 2 ** machine["time"]["counted"]["shift"]
        processor = f"{machine['architecture']}, {machine['model']}"
        for load in LOADS:
            files = [folder / f"{name}-{load}-{boot}.prazo" for boot in BOOTS]
            if not all(file.exists() for file in files):
                missing[f"`{name}`"] = None
                continue
            first, second = (Run(program, file) for file in files)
            figures = [first.quantile_ns(50), first.quantile_ns(99), first.latencies_ns[-1]]
            figures = [f"{ns // instruction_ns:,}" for ns in figures]
            digest = f"{first.digest}, equal" if first.digest == second.digest else f"{first.digest}, {second.digest}"
            kernel = release(program, platform)
            cells = [f"`{name}`", kernel, processor, load, f"{len(first.latencies_ns):,}"]
            text += "| " + " | ".join([*cells, *figures, digest]) + " |\n"
            if model(name):
                of_family = families.setdefault((*family(kernel, processor), load), {})
                of_family[model(name)] = first.latencies_ns[-1] // instruction_ns
    if missing:
        text += f"\nNot measured yet: {', '.join(missing)}.\n"
    text += DIGEST + ORDERS.format(order=" ≥ ".join(ORDER).replace("rt", "PREEMPT_RT"))
    for (processor, version, load), maxima in families.items():
        present = [one for one in ORDER if one in maxima]
        if len(present) > 1:
            said = ", ".join(f"{one.replace('rt', 'PREEMPT_RT')} {maxima[one]:,}" for one in present)
            text += f"| {processor}, {version} | {load} | {said} | {order_of([maxima[one] for one in present])} |\n"
    return text + OWN


def main():
    flags = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    flags.add_argument("--prazo", default=ROOT / "target/debug/prazo", help="program to measure with")
    flags.add_argument("--runs", type=Path, default=ROOT / "target/lab-platforms", help="folder of the runs")
    flags.add_argument("platform", nargs="*", help="platforms to measure (default: all)")
    wanted = flags.parse_args()
    listed = json.loads(subprocess.run([wanted.prazo, "lab", "list", "--json"], stdout=subprocess.PIPE, check=True).stdout)
    known = [platform["name"] for platform in listed["platforms"]]
    if unknown := set(wanted.platform) - set(known):
        flags.error(f"unknown platform {', '.join(sorted(unknown))}; choose from {', '.join(known)}")
    wanted.runs.mkdir(parents=True, exist_ok=True)
    measured(wanted.prazo, wanted.platform or known, wanted.runs)
    PAGE.write_text(page(wanted.prazo, listed, wanted.runs))


if __name__ == "__main__":
    main()
