"""Scripts that were written for SchedCAT and SimSo."""

import random
import subprocess
import sys

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
    assert "(3000000.0, ('T1_1 Terminated.', False))" in lines
    assert "(7000000.0, ('T3_1 Preempted!', False))" in lines


RESULTS = SIMSO.replace("""for log in model.logs:
    print(log)""", """for task in model.results.tasks.values():
    print(task.name, len(task.jobs), task.preemption_count, task.exceeded_count, max(job.response_time for job in task.jobs))""")


def test_a_script_of_simso_reads_its_results(tmp_path):
    assert ran(RESULTS.replace("(7, 3), (12, 3), (20, 5)", "(10, 4), (20, 7), (40, 8)").replace("420", "400"), tmp_path) == [
        "T1 40 0 0 4000000.0",
        "T2 20 20 0 15000000.0",
        "T3 10 10 0 38000000.0",
    ]


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
