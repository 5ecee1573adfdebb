"""What a cluster takes and gives: bytes and processor time of each chunk, and the scheduler's work for empty ones.

    pip install 'prazo[dask]'
    python answer/python/benchmarks/scaling.py [NUMBER OF EMPTY TASKS]
"""

import pickle
import sys
import time

import prazo
from prazo import _prazo, cluster


def empty(version, item):
    """A task that does nothing."""
    return []


def chunks(name, count):
    """Bytes out and back, and processor time, of chunks spread evenly over an experiment."""
    total = _prazo.chunks(name)
    numbers = [total * index // count for index in range(count)]
    begun = time.process_time()
    made = [_prazo.chunk(name, number) for number in numbers]
    took = time.process_time() - begun
    out = len(pickle.dumps((cluster._chunks, prazo.__version__, (name, tuple(numbers[: cluster.CHUNKS_PER_TASK])))))
    return total, out, sum(len(one) for one in made) / count, took / count


def overhead(client, count):
    """Processor time of client and scheduler for each empty task, from its submission to its answer here; and elapsed time."""
    begun, used = time.perf_counter(), time.process_time()
    kept = []
    cluster.spread(empty, list(range(count)), client, lambda item, answer: kept.append(item))
    assert sorted(kept) == list(range(count))
    return (time.process_time() - used) / count, (time.perf_counter() - begun) / count


def main(count):
    name = "epos-2013"
    total, out, back, chunk_s = chunks(name, 40)
    print(f"{name}: {total} chunks; a task of {cluster.CHUNKS_PER_TASK} chunks sends {out} bytes")
    print(f"a chunk gives {back:.0f} bytes and takes {chunk_s:.3f} s of processor time, {total * chunk_s:.0f} s in all")
    from distributed import Client, LocalCluster

    # The scheduler runs in this process, and the workers in others.
    options = {"threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with LocalCluster(n_workers=2, **options) as made, Client(made) as client:
        overhead(client, 100)
        task_s, elapsed_s = overhead(client, count)
    work_s = chunk_s * cluster.CHUNKS_PER_TASK
    print(f"{count} empty tasks: {task_s * 1e3:.2f} ms of the client's and the scheduler's processor time each, {elapsed_s * 1e3:.2f} ms elapsed")
    print(f"a task has {work_s:.2f} s of work, so that one scheduler keeps {work_s / task_s:.0f} processors busy")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
