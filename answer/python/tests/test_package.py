"""The package: the names that it promises, what it imports, and that long work neither holds the lock nor ignores Ctrl-C."""

import pickle
import signal
import subprocess
import sys
import threading
import time

import pytest

import prazo

#: Modules that take long to import, and which `import prazo` can do without.
HEAVY = ["asyncio", "concurrent.futures", "distributed", "logging", "multiprocessing", "numpy", "pandas", "pyarrow", "subprocess", "tqdm"]


def test_import_takes_no_heavy_module():
    code = f"import sys, prazo; print([name for name in {HEAVY!r} if name in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_each_public_name_is_there_and_says_what_it_is():
    assert len(set(prazo.__all__)) > 60
    for name in prazo.__all__:
        assert getattr(prazo, name).__doc__ or name == "__version__", name


def test_the_example_of_the_manual(tmp_path):
    table = tmp_path / "table.toml"
    table.write_text('name = "mine"\nsource = "a test"\nstatistic = "max"\n[release]\nlinear = [[1, "1us"], [10, "2us"]]\nsamples = 10\n')
    tasks = prazo.TaskSet([prazo.Task(cost="2ms", period="10ms", deadline="8ms")])
    overheads = prazo.Overheads.read(table)
    a = tasks.test("global-edf", processors=2, overheads=overheads)
    assert (a.proven, a.test, a.task) == (True, "GFB", 0) and a.margin > 0
    assert prazo.verify(a.certificate)["accepted"]
    assert a.document == tasks.test("global-edf", processors=2, overheads=table).document
    assert a.document != tasks.test("global-edf", processors=2).document
    assert tasks.simulate("global-edf", processors=2, overheads=overheads).gantt()._repr_svg_().startswith("<svg")
    assert len(list(prazo.generate("emstada-uniform", n=10, u=7.5, seed=1))) == 10
    with pytest.raises(prazo.RefusedError):
        prazo.Overheads("relese = 3")


def test_values_show_themselves_compare_and_pickle():
    tasks = prazo.TaskSet.from_ticks([(1, 10)])
    answer, ran = tasks.test(), tasks.simulate(duration="10ms")
    for value in (tasks, answer, ran, ran.gantt(), ran.events()[0], answer.findings[0], prazo.Task("1ms", "2ms")):
        copy = pickle.loads(pickle.dumps(value))
        assert copy == value and hash(copy) == hash(value)
        with pytest.raises(AttributeError):
            value.anything = 1
    for shown in (tasks, answer, ran):
        assert shown._repr_html_().startswith("<")


def test_a_dict_is_a_family():
    family = {"utilization": {"kind": "uniform", "range": [0.1, 0.4]}, "periods": {"us": [3_000, 33_000]}}
    drawn = list(prazo.generate(family, 5, 2.5, seed=3))
    assert len(drawn) == 5 and drawn == list(prazo.generate(family, 5, "2.5", seed=3))
    assert drawn[3:] == list(prazo.generate(family, 2, 2.5, seed=3, first=3))
    with pytest.raises(prazo.RefusedError, match="unifrom"):
        list(prazo.generate({"utilization": {"kind": "unifrom"}, "periods": {"us": [3_000, 33_000]}}, 1, 1))


@pytest.mark.parametrize("family", ["emstada-uniform", "emstada-loguniform"])
def test_emstada_has_as_many_tasks_as_asked_and_their_sum(family):
    for tasks in prazo.generate(family, 20, 3.5, seed=2, tasks=12):
        rows = [line.split(" = ")[1].strip('"') for line in tasks.toml.splitlines() if line.startswith(("cost", "period"))]
        times = [in_ns(row) for row in rows]
        shares = [cost / period for cost, period in zip(times[::2], times[1::2])]
        assert len(shares) == 12 and 3.49 < sum(shares) <= 3.5
        assert all(10e6 <= period <= 100e6 for period in times[1::2])


def in_ns(text):
    digits = text.rstrip("nmus")
    return int(digits) * {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}[text[len(digits) :]]


#: A simulation that takes seconds.
LONG = "prazo.TaskSet.from_ticks([(1, 3), (2, 7), (3, 11)]).simulate('global-edf', 1, duration='%s', arrivals='sporadic=0.5')"


def test_long_work_leaves_the_lock_to_others():
    done = threading.Event()

    def work():
        eval(LONG % "500ms")
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    ticks = 0
    while not done.is_set():
        time.sleep(0.001)
        ticks += 1
    thread.join()
    assert ticks > 10


BATCH = "prazo.test_many([[(k, 101), (5, 23), (30, 97), (41, 89), (7, 61), (11, 59)] for k in range(1, 90)] * 20_000, processors=2)"


@pytest.mark.parametrize("work", [LONG % "20min", BATCH], ids=["one", "batch"])
def test_an_interrupt_ends_long_work(work):
    code = f"import prazo, sys; print('begins', flush=True); {work}"
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "begins\n"
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=60)
    assert "KeyboardInterrupt" in said


def test_type_checkers_see_the_names_that_there_are():
    """Names are imported with their first use, and listed once for that and once for type checkers."""
    import ast
    from pathlib import Path

    tree = ast.parse(Path(prazo.__file__).read_text())
    (block,) = (one for one in tree.body if isinstance(one, ast.If))
    seen = {(one.module, name.name) for one in block.body for name in one.names if one.module and name.name != "*"}
    assert seen == {(module, name) for module, names in prazo._NAMES.items() for name in names}


def test_names_and_modules_are_there_and_others_are_errors():
    assert prazo.runs.Run is prazo.Run and prazo.check is prazo.commands.check
    assert {"Task", "check", "farm"} <= set(dir(prazo))
    for wrong in ("Tasks", "__wrong__"):
        with pytest.raises(AttributeError, match=f"module 'prazo' has no attribute '{wrong}'"):
            getattr(prazo, wrong)
