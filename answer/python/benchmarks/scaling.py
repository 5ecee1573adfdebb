"""What a cluster takes and gives: bytes and processor time of each chunk, and the scheduler's work for empty ones.

    pip install 'prazo[dask]'
    python answer/python/benchmarks/scaling.py [NUMBER OF EMPTY TASKS: 100,000 by default]
"""

import pickle
import random
import sys
import time

import prazo
from prazo import _prazo, cluster


def empty(version, item):
    """A task that does nothing."""
    return []


#: The chunks of a task: CHUNKS_PER_TASK of answer/prazo.
OF_TASK = 8


def in_all(name):
    """How many chunks an experiment has."""

    class Enough(Exception):
        pass

    def stop(done, total):
        raise Enough(total)

    try:
        prazo.experiment(name, progress=stop)
    except Enough as enough:
        return enough.args[0]


def chunks(name, count):
    """Chunks of an experiment and of a task, bytes out and back, and processor time of chunks that are drawn from it."""
    total, batch = in_all(name), tuple(range(OF_TASK))
    # At even distances they would all be of one utilization.
    numbers = sorted(random.Random(1).sample(range(total), count))
    begun = time.process_time()
    specification = _prazo.specification(name)
    made = _prazo.specified_chunks(specification, numbers)[1]
    took = time.process_time() - begun
    out = len(pickle.dumps((cluster._worked, "0" * 32, cluster._chunks, cluster.build(), (specification, batch))))
    return total, len(batch), out, sum(len(one) for one in made) / count, took / count


def overhead(client, count):
    """Processor time of client and scheduler for each empty task, from its submission to its answer here; and elapsed time."""
    begun, used = time.perf_counter(), time.process_time()
    kept = []
    cluster.spread(empty, list(range(count)), client, lambda item, answer: kept.append(item))
    assert sorted(kept) == list(range(count))
    return (time.process_time() - used) / count, (time.perf_counter() - begun) / count


def main(count):
    name = "epos-2013"
    total, of_task, out, back, chunk_s = chunks(name, 160)
    print(f"{name}: {total} chunks; a task of {of_task} chunks sends {out} bytes")
    print(f"a chunk gives {back:.0f} bytes and takes {chunk_s:.3f} s of processor time, {total * chunk_s:.0f} s in all")
    from distributed import Client, LocalCluster

    # The scheduler runs in this process, and the workers in others.
    options = {"threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with LocalCluster(n_workers=2, **options) as made, Client(made) as client:
        overhead(client, 100)
        task_s, elapsed_s = overhead(client, count)
    work_s = chunk_s * of_task
    print(f"{count} empty tasks: {task_s * 1e3:.2f} ms of the client's and the scheduler's processor time each, {elapsed_s * 1e3:.2f} ms elapsed")
    print(f"a task has {work_s:.2f} s of work, so that one scheduler keeps {work_s / task_s:.0f} processors busy")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
