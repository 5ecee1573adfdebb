"""prazo beside pyRTA and SimSo in one process: the same questions, their answers and the processor time of each.

    pip install response-time-analysis pyarrow simso     # SimSo needs CPython 3.11 or older
    python answer/python/benchmarks/peers.py [NUMBER OF SETS]

The tools take turns, set by set, so that what else the machine does falls on both. Exit status 1: an answer differed.
"""

import random
import sys
import time

import prazo


def drawn(count, seed):
    """Sets of five tasks for one processor, in ticks: (cost, period), unequal tasks (pyRTA takes equal ones for one)."""
    draw = random.Random(seed)
    while count:
        periods = draw.sample(range(10, 200), 5)
        shares = [draw.random() for _ in periods]
        load = draw.uniform(0.5, 1.05) / sum(shares)
        tasks = [(max(1, round(share * load * period)), period) for share, period in zip(shares, periods)]
        if all(cost <= period for cost, period in tasks):
            yield sorted(tasks, key=lambda task: task[1])
            count -= 1


def timed(call, *arguments):
    begun = time.process_time()
    answer = call(*arguments)
    return answer, time.process_time() - begun


def pyrta(tasks, policy):
    """True where every task's bound is at most its deadline."""
    from response_time_analysis import edf, fp, model

    made = model.taskset(
        model.Task(
            model.Sporadic(period), model.FullyPreemptive(model.WCET(cost)), model.Deadline(period), model.Priority(len(tasks) - rank)
        )
        for rank, (cost, period) in enumerate(tasks)
    )
    if sum(cost / period for cost, period in tasks) > 1:
        return False
    analysis = fp if policy == "rm" else edf
    for task in made:
        found = analysis.rta(made, task, model.IdealProcessor(), horizon=10**6)
        if found.response_time_bound is None or found.response_time_bound > task.deadline.value:
            return False
    return True


def frame(sets):
    """The sets as an Arrow table, a row for each task."""
    import pyarrow

    rows = [(number, cost, period) for number, tasks in enumerate(sets) for cost, period in tasks]
    return pyarrow.table(dict(zip(("set", "cost", "period"), zip(*rows))))


def simso(tasks, milliseconds):
    """Jobs that end, and those that miss their deadline."""
    from simso.configuration import Configuration
    from simso.core import Model

    configuration = Configuration()
    configuration.duration = milliseconds * configuration.cycles_per_ms
    for number, (cost, period) in enumerate(tasks, 1):
        configuration.add_task(
            name=f"T{number}", identifier=number, period=period, activation_date=0, wcet=cost, deadline=period
        )
    configuration.add_processor(name="CPU 1", identifier=1)
    configuration.scheduler_info.clas = "simso.schedulers.EDF"
    configuration.check_all()
    model = Model(configuration)
    model.run_model()
    jobs = [job for task in model.results.tasks.values() for job in task.jobs]
    ended = [job for job in jobs if job.end_date is not None]
    return len(ended), sum(job.exceeded_deadline for job in ended)


def simulated(tasks, milliseconds):
    """The same of prazo. SimSo aborts a job at its deadline."""
    made = prazo.TaskSet.from_ticks(tasks, unit="ms")
    ran = made.simulate("partitioned-edf", 1, duration=f"{milliseconds}ms", late="abort").document
    return ran["completed"] + ran["aborted"], ran["misses"]


def main(count):
    differences = 0
    for policy in ("rm", "edf"):
        theirs_s, ours_s, batch_s = 0.0, 0.0, 0.0
        sets = list(drawn(count, 1))
        for tasks in sets:
            theirs, theirs_took = timed(pyrta, tasks, policy)
            ours, ours_took = timed(lambda: prazo.TaskSet.from_ticks(tasks).test(f"partitioned-{policy}", 1).proven)
            differences += theirs != ours
            theirs_s, ours_s = theirs_s + theirs_took, ours_s + ours_took
        asked = {"processors": 1, "scheduler": "partitioned", "policy": "fp" if policy == "rm" else policy}
        listed, batch_s = timed(lambda: prazo.test_many(sets, **asked))
        framed = frame(sets)
        table, frame_s = timed(lambda: prazo.test_many(framed, **asked))
        differences += table["verdict"] != [one["verdict"] for one in listed]
        print(
            f"pyRTA, {policy}: {count} sets, {differences} other answers; {theirs_s / count * 1e6:.0f} us a set; "
            f"prazo {ours_s / count * 1e6:.0f} us (one call each, ratio {theirs_s / ours_s:.1f}), "
            f"{batch_s / count * 1e6:.0f} us (one call for a list, ratio {theirs_s / batch_s:.1f}), "
            f"{frame_s / count * 1e6:.1f} us (one call for a table, {count / frame_s:.0f} sets/s, ratio {theirs_s / frame_s:.0f})"
        )
    try:
        import simso.core  # noqa: F401
    except ImportError as error:
        print(f"SimSo: not compared: {error}")
        return differences
    theirs_s, ours_s, jobs, late = 0.0, 0.0, 0, 0
    milliseconds = 2_000
    few = list(drawn(max(1, count // 20), 2))
    for tasks in few:
        (ended, missed), took = timed(globals()["simso"], tasks, milliseconds)
        ours, ours_took = timed(simulated, tasks, milliseconds)
        differences += (ended, missed) != ours
        theirs_s, ours_s, jobs, late = theirs_s + took, ours_s + ours_took, jobs + ended, late + missed
    print(
        f"SimSo, EDF: {len(few)} sets, {jobs} jobs, {late} late; {theirs_s / jobs * 1e6:.1f} us a job; "
        f"prazo {ours_s / jobs * 1e6:.2f} us (ratio {theirs_s / ours_s:.0f}); {differences} other answers in all"
    )
    return differences


if __name__ == "__main__":
    sys.exit(1 if main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000) else 0)
