"""Scripts that were written for SchedCAT and SimSo."""

import random
import subprocess
import sys

import pytest

import prazo
from prazo import compat

SCHEDCAT = """
import schedcat.model.tasks as tasks
import schedcat.sched.edf as edf
from schedcat.sched.edf.gfb import is_schedulable as gfb
three = tasks.TaskSystem([tasks.SporadicTask(2, 3) for _ in range(3)])
print(edf.is_schedulable(2, three), edf.is_schedulable(3, three), gfb(4, three))
print(edf.bound_response_times(2, three), [task.tardiness() for task in three])
"""

SIMSO = """
from simso.core import Model
from simso.configuration import Configuration
configuration = Configuration()
configuration.duration = 420 * configuration.cycles_per_ms
for number, (period, wcet) in enumerate([(7, 3), (12, 3), (20, 5)], 1):
    configuration.add_task(name="T%d" % number, identifier=number, period=period, activation_date=0, wcet=wcet, deadline=period)
configuration.add_processor(name="CPU 1", identifier=1)
configuration.scheduler_info.clas = "simso.schedulers.RM"
configuration.check_all()
model = Model(configuration)
model.run_model()
for log in model.logs:
    print(log)
"""


def ran(script, tmp_path):
    file = tmp_path / "script.py"
    file.write_text(script)
    done = subprocess.run([sys.executable, "-m", "prazo.compat", str(file)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_schedcats_introduction_has_its_published_answers(tmp_path):
    assert ran(SCHEDCAT, tmp_path) == ["False True True", "True [2, 2, 2]"]


def test_a_script_of_simso_logs_its_jobs(tmp_path):
    lines = ran(SIMSO, tmp_path)
    ends = [line for line in lines if "Terminated" in line]
    assert len(ends) == 420 // 7 + 420 // 12 + 420 // 20
    # As SimSo 0.8.5 prints them.
    assert "[3000000, ('T1_1 Terminated.', True)]" in lines
    assert "[7000000, ('T3_1 Preempted! ret: 4000000', True)]" in lines


RESULTS = SIMSO.replace("""for log in model.logs:
    print(log)""", """for task in model.results.tasks.values():
    print(task.name, len(task.jobs), task.preemption_count, task.exceeded_count, max(job.response_time for job in task.jobs))""")


def test_a_script_of_simso_reads_its_results(tmp_path):
    assert ran(RESULTS.replace("(7, 3), (12, 3), (20, 5)", "(10, 4), (20, 7), (40, 8)").replace("420", "400"), tmp_path) == [
        "T1 40 0 0 4000000",
        "T2 20 20 0 15000000",
        "T3 10 10 0 38000000",
    ]


OVERLOAD = SIMSO.replace("(7, 3), (12, 3), (20, 5)", "(8, 5), (12, 6)").replace("420", "24").replace("""for log in model.logs:
    print(log)""", """for task in model.results.tasks.values():
    print([(job.end_date // 10**6, job.aborted, job.computation_time // 10**6) for job in task.jobs if job.end_date])
    print(task.exceeded_count)
print([line for _, (line, kernel) in model.logs if not kernel])""")


@pytest.mark.parametrize("aborts", [True, False])
def test_a_job_of_simso_is_aborted_at_its_deadline_unless_its_task_says_no(aborts, tmp_path):
    """By hand: T1 has 0-5, 8-13 and 16-21, and T2 what is left of 24 ms."""
    script = OVERLOAD if aborts else OVERLOAD.replace("activation_date=0,", "activation_date=0, abort_on_miss=False,")
    t1 = ["[(5, False, 5), (13, False, 5), (21, False, 5)]", "0"]
    if aborts:
        t2 = ["[(12, True, 3), (24, False, 6)]", "1", "['Job T2_1 aborted! ret:3.0']"]
    else:
        t2 = ["[(16, False, 6)]", "1", "[]"]
    assert ran(script, tmp_path) == [*t1, *t2]


def test_what_simso_would_do_otherwise_is_refused():
    configuration = compat.Configuration()
    with pytest.raises(NotImplementedError, match="speed"):
        configuration.add_processor("CPU 1", 1, speed=2.0)
    configuration.add_task("T1", 1, wcet=1)
    configuration.add_task("T2", 2, wcet=1, abort_on_miss=False)
    configuration.scheduler_info.clas = "simso.schedulers.EDF"
    with pytest.raises(NotImplementedError, match="abort_on_miss"):
        configuration.check_all()


def test_schedcats_modules_have_its_names():
    compat.install()
    edf = sys.modules["schedcat.sched.edf"]
    assert sorted(edf.HRT_TESTS) == ["BAK", "BAR", "BCL", "BCLI", "FF-DBF", "GFB", "RTA"]
    light = compat.TaskSystem([compat.SporadicTask(1, 10), compat.SporadicTask(2, 20, deadline=15, id=2)])
    assert all(test(2, light) for test in edf.HRT_TESTS.values())
    assert sys.modules["schedcat.sched.edf.bcl_iterative"].is_schedulable(2, light)
    assert repr(light) == "TaskSystem([SporadicTask(1, 10), SporadicTask(2, 20, deadline=15, id=2)])"
    bounded = sys.modules["schedcat.sched.edf.da"].has_bounded_tardiness
    heavy = compat.TaskSystem([compat.SporadicTask(2, 3)] * 3)
    assert bounded(2, heavy) and not bounded(1, heavy)


def test_what_one_test_says_is_what_it_says_in_a_batch():
    draw = random.Random(7)
    for _ in range(200):
        periods = [draw.randint(3, 20) for _ in range(4)]
        tasks = [(draw.randint(1, period), period) for period in periods]
        system = compat.TaskSystem(compat.SporadicTask(*task) for task in tasks)
        answer = prazo.test_many([tasks], processors=2, time="discrete", all_tests=True)[0]
        for name in ("GFB", "RTA", "FF-DBF"):
            said = next(one["verdict"] for one in answer["tests"] if one["name"] == name)
            compat.install()
            edf = sys.modules["schedcat.sched.edf"]
            assert getattr(edf, f"{name.lower().replace('-', '')}_test")(2, system) == (said == "proven"), (name, tasks)


def test_what_is_not_there_is_refused_by_name():
    configuration = compat.Configuration()
    configuration.add_processor("CPU 1", 1)
    configuration.scheduler_info.clas = "simso.schedulers.LLREF"
    try:
        configuration.check_all()
    except NotImplementedError as error:
        assert "LLREF" in str(error)
    else:
        raise AssertionError("LLREF is not here")


def test_a_test_of_schedcat_is_that_test_and_no_other_of_the_portfolio(monkeypatch):
    """What another test proves is not what the script asked."""
    from prazo import Finding

    class Answer:
        findings = (
            Finding("FF-DBF", "proven", None, None, None, None, "holds"),
            Finding("GFB", "unknown", None, None, None, None, "does-not-hold"),
        )

    monkeypatch.setattr(compat, "_tested", lambda *_: Answer)
    compat.install()
    edf = sys.modules["schedcat.sched.edf"]
    assert edf.ffdbf_test(2, []) and not edf.gfb_test(2, [])
