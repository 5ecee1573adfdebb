"""Ctrl-C ends everything that takes long, in a process of its own; and the lock is free meanwhile."""

import signal
import sys
import threading
import time
from pathlib import Path

import pytest

import prazo

#: Each takes far longer than the test waits.
WORK = {
    "simulate": "TASKS.simulate('global-edf', 1, duration='20min', arrivals='sporadic=0.5')",
    "events": "prazo._prazo.events(TASKS.toml, 't.toml', '{\"duration\": \"20min\", \"arrivals\": \"sporadic=0.5\"}')",
    "gantt": "prazo._prazo.gantt(TASKS.toml, 't.toml', '{\"duration\": \"20min\", \"arrivals\": \"sporadic=0.5\"}', None, None)",
    "test": "HARD.test(simulate=10**12, tests=['gfb'])",
    "test_page": "prazo._prazo.test_page(HARD.toml, 't.toml', '{\"tests\": [\"gfb\"], \"simulated_jobs\": 1000000000000}', '')",
    "test_many": "prazo.test_many(LISTS, processors=2)",
    "test_many_frame": "prazo.test_many(FRAME, processors=2)",
    "test_many_values": "prazo.test_many([TASKS] * 500_000)",
    "simulate_many": "prazo.simulate_many(LISTS, processors=2)",
    "simulate_many_frame": "prazo.simulate_many(FRAME, processors=2)",
    "simulate_many_values": "prazo.simulate_many([TASKS] * 500_000)",
    "test_many_hard_values": "prazo.test_many([HARD] * 40, simulate=10**12, tests=['gfb'])",
    "test_many_hard": "prazo.test_many([HARD_TASKS] * 40, processors=2, simulate=10**12, tests=['gfb'])",
    "generate": "list(prazo.generate('emstada-uniform', 3_000_000, 7.5))",
    "draw": "list(prazo.generate({'utilization': {'kind': 'uniform', 'range': [0.1, 0.4]}, 'periods': {'us': [3_000, 33_000]}}, 9_000_000, 7.5))",
    "experiment": "prazo.experiment('epos-2013')",
}
HEAD = """
import prazo
TASKS = prazo.TaskSet.from_ticks([(1, 3), (2, 7), (3, 11)])
# No job misses within many jobs after synchronous arrivals.
HARD_TASKS = [(104, 360), (114, 303), (130, 349), (112, 353), (96, 333)]
HARD = prazo.TaskSet.from_ticks(HARD_TASKS, processors=2, policy="edf")
LISTS = [[(k, 101), (5, 23), (30, 97), (41, 89), (7, 61), (11, 59)] for k in range(1, 90)] * 20_000
"""
FRAME = """
import pyarrow
one = {"set": [], "cost": [], "period": []}
for k in range(1, 90):
    for cost, period in [(k, 101), (5, 23), (30, 97), (41, 89), (7, 61), (11, 59)]:
        one["set"].append(k); one["cost"].append(cost); one["period"].append(period)
parts = []
for number in range(5_000):
    parts.append(pyarrow.table({**one, "set": [k + 100 * number for k in one["set"]]}))
FRAME = pyarrow.concat_tables(parts)
"""


@pytest.mark.parametrize("name", WORK)
def test_ctrl_c_ends(name, interruptible):
    frame = ""
    if "FRAME" in WORK[name]:
        pytest.importorskip("pyarrow")
        frame = FRAME
    code = f"{HEAD}{frame}\nprint('begins', flush=True)\n{WORK[name]}\nprint('ended', flush=True)"
    child = interruptible([sys.executable, "-c", code], stdout=-1, stderr=-1, text=True)
    assert child.stdout.readline() == "begins\n"
    time.sleep(0.7)
    assert child.poll() is None, child.stderr.read()
    begun = time.monotonic()
    child.send_signal(signal.SIGINT)
    out, said = child.communicate(timeout=60)
    assert "KeyboardInterrupt" in said and "ended" not in out
    # A stopped machine of the suite may be slow; what went on to its end would take minutes.
    assert time.monotonic() - begun < 20


def test_a_simulation_that_was_interrupted_stops(tmp_path):
    """Its thread must not go on: the process then uses no more processor time."""
    code = f"""{HEAD}
import os, signal, threading, time
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    TASKS.simulate('global-edf', 1, duration='20min', arrivals='sporadic=0.5')
    raise SystemExit("it was not interrupted")
except KeyboardInterrupt:
    pass
time.sleep(1)
before = time.process_time()
time.sleep(1)
print(time.process_time() - before)
"""
    import subprocess

    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    assert float(ran.stdout) < 0.5


def test_a_trace_of_an_interrupted_simulation_is_not_left(tmp_path, interruptible):
    trace = tmp_path / "trace.json"
    options = '{"duration": "20min", "arrivals": "sporadic=0.5"}'
    code = f"{HEAD}\nprint('begins', flush=True)\nprazo._prazo.simulate(TASKS.toml, 't.toml', {options!r}, {str(trace)!r})"
    child = interruptible([sys.executable, "-c", code], stdout=-1, stderr=-1, text=True)
    assert child.stdout.readline() == "begins\n"
    time.sleep(0.7)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=60)
    assert "KeyboardInterrupt" in said and list(tmp_path.iterdir()) == [], said


def test_a_trace_of_a_whole_simulation_is_kept_and_not_written_over(tmp_path):
    trace = tmp_path / "trace.json"
    prazo.TaskSet.from_ticks([(1, 3)]).simulate(duration="1ms").save_trace(trace)
    assert trace.exists()
    with pytest.raises(FileExistsError, match="name a new file"):
        prazo.TaskSet.from_ticks([(1, 3)]).simulate(duration="1ms").save_trace(trace)


def test_run_files_are_read_without_the_lock(tmp_path):
    """Other threads run while a page is rendered, and a signal's handler is called meanwhile."""
    import os

    prazo.import_(Path(os.environ["PRAZO_EXAMPLES"]) / "cyclictest.json", output=tmp_path)
    run = prazo.open(tmp_path)[0]
    done, ticks = threading.Event(), 0

    def work():
        for _ in range(5):
            run.page()
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.is_set():
        time.sleep(0.001)
        ticks += 1
    thread.join()
    assert ticks > 5

    def raises(number, frame):
        raise InterruptedError

    before = signal.signal(signal.SIGALRM, raises)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(InterruptedError):
            for _ in range(10_000):
                run.page()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
