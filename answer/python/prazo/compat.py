"""SchedCAT's and SimSo's names for scripts that were written for them, answered by prazo.

``python -m prazo.compat SCRIPT [ARGUMENT ...]`` runs a script in which ``import schedcat...`` and ``import simso...`` find this
module. What is here: SchedCAT's ``TaskSystem``, ``SporadicTask`` and tests for global EDF; SimSo's ``Configuration`` and
``Model`` with periodic tasks and the schedulers EDF, P_EDF, RM and P_RM, its ``logs`` and the figures in ``results``.
Everything else raises :class:`AttributeError` or :class:`NotImplementedError`. Scripts for Python 2 must be translated first.

SchedCAT's integers are its model of time, so its tests run with ``time="discrete"`` here: a proof covers arrivals at whole
ticks. Set ``TIME = "continuous"`` for proofs that hold at any instant.
"""

from __future__ import annotations

import runpy
import sys
import types
from fractions import Fraction
from typing import Any, Callable, Dict, Iterable, List, Optional, Tuple

from .tasks import Event, Simulation, Task, TaskSet

#: The instants at which SchedCAT's tests let jobs arrive: ``"discrete"`` as there, or ``"continuous"``.
TIME = "discrete"


class SporadicTask:
    """SchedCAT's task: integers of one unit."""

    def __init__(self, exec_cost: int, period: int, deadline: Optional[int] = None, id: Optional[int] = None) -> None:
        self.cost, self.period, self.id = exec_cost, period, id
        self.deadline = period if deadline is None else deadline
        self.response_time: Optional[int] = None

    def utilization(self) -> float:
        return self.cost / self.period

    def utilization_q(self) -> Fraction:
        return Fraction(self.cost, self.period)

    def density(self) -> float:
        return self.cost / min(self.period, self.deadline)

    def implicit_deadline(self) -> bool:
        return self.deadline == self.period

    def constrained_deadline(self) -> bool:
        return self.deadline <= self.period

    def tardiness(self) -> int:
        if self.response_time is None:
            raise AttributeError("response_time: call bound_response_times first")
        return max(0, self.response_time - self.deadline)


class TaskSystem(List[SporadicTask]):
    """SchedCAT's set of tasks."""

    def utilization(self) -> float:
        return sum(task.utilization() for task in self)

    def utilization_q(self) -> Fraction:
        return sum((task.utilization_q() for task in self), Fraction(0))

    def density(self) -> float:
        return sum(task.density() for task in self)

    def only_implicit_deadlines(self) -> bool:
        return all(task.implicit_deadline() for task in self)

    def only_constrained_deadlines(self) -> bool:
        return all(task.constrained_deadline() for task in self)

    def assign_ids(self) -> None:
        for number, task in enumerate(self, 1):
            task.id = number

    def sort_by_period(self) -> None:
        self.sort(key=lambda task: task.period)

    def sort_by_deadline(self) -> None:
        self.sort(key=lambda task: task.deadline)


def _set(tasks: Iterable[SporadicTask]) -> TaskSet:
    return TaskSet.from_ticks([(int(task.cost), int(task.period), int(task.deadline)) for task in tasks])


def _tested(processors: int, tasks: Iterable[SporadicTask], tests: Optional[List[str]] = None) -> Any:
    return _set(tasks).test("global-edf", processors, tests=tests, time=TIME)


def is_schedulable(no_cpus: int, tasks: Iterable[SporadicTask], **_: Any) -> bool:
    """True where prazo's tests prove the set under global EDF; their options in SchedCAT are not needed."""
    return bool(_tested(no_cpus, tasks).proven)


def _one(name: str) -> Callable[..., bool]:
    def test(no_cpus: int, tasks: Iterable[SporadicTask], **_: Any) -> bool:
        answer = _tested(no_cpus, tasks, [name])
        return any(one.verdict == "proven" for one in answer.findings)

    test.__doc__ = f"True where {name} alone proves the set under global EDF."
    return test


def bound_response_times(no_cpus: int, tasks: Iterable[SporadicTask], **_: Any) -> bool:
    """Sets ``response_time`` of each task: its deadline where the set is proven, else its deadline plus its tardiness bound."""
    tasks = list(tasks)
    answer = _tested(no_cpus, tasks)
    tardiness = answer.document["tardiness"]
    late_ns = [0] * len(tasks)
    if not answer.proven:
        if tardiness is None or tardiness["bounds"] is None:
            return False
        late_ns = [bound * answer.document["ns_per_tick"] for bound in tardiness["bounds"]]
    for task, late in zip(tasks, late_ns):
        task.response_time = task.deadline + -(-late // 1_000)  # a unit is a microsecond to prazo; rounded up
    return True


#: SchedCAT's names of the tests, and prazo's.
_TESTS = {"gfb": "gfb", "bak": "bak", "bar": "bar", "bcl": "bcl", "bcli": "bcli", "rta": "rta", "ffdbf": "ff-dbf", "load": "load"}
_SHAPES = {"EDF": "global-edf", "P_EDF": "partitioned-edf", "RM": "global-rm", "P_RM": "partitioned-rm"}


class _Scheduler:
    def __init__(self) -> None:
        #: As in SimSo: ``"simso.schedulers.RM"``.
        self.clas = ""
        self.overhead = self.overhead_activate = self.overhead_terminate = 0

    def scheduler(self, processors: int) -> str:
        name = self.clas.rsplit(".", 1)[-1].replace("_mono", "")
        if name not in _SHAPES or self.overhead or self.overhead_activate or self.overhead_terminate:
            raise NotImplementedError(f"scheduler {self.clas!r}: of SimSo's, those without overheads in {sorted(_SHAPES)}")
        return _SHAPES[name] if processors > 1 else _SHAPES[name].replace("global", "partitioned")


class Configuration:
    """SimSo's configuration, as far as a script makes it: times of tasks in milliseconds, the duration in cycles."""

    def __init__(self, filename: Optional[str] = None) -> None:
        if filename is not None:
            raise NotImplementedError("SimSo's files of XML; make the configuration in the script")
        self.cycles_per_ms = 1_000_000
        self.duration = 100 * self.cycles_per_ms
        self.scheduler_info = _Scheduler()
        self.task_info_list: List[Task] = []
        self.proc_info_list: List[str] = []

    def add_task(
        self,
        name: str,
        identifier: int,
        task_type: str = "Periodic",
        period: float = 10,
        activation_date: float = 0,
        wcet: float = 0,
        deadline: float = 10,
        **others: Any,
    ) -> Task:
        if task_type != "Periodic" or any(others.values()):
            raise NotImplementedError(f"task {name!r}: only periodic tasks that always take their wcet")
        period_, cost, deadline_, offset = (f"{round(value * 1_000_000)}ns" for value in (period, wcet, deadline, activation_date))
        task = Task(cost, period_, deadline_, name=name, offset=offset)
        self.task_info_list.append(task)
        return task

    def add_processor(self, name: str, identifier: int, cs_overhead: int = 0, cl_overhead: int = 0, **_: Any) -> None:
        if cs_overhead or cl_overhead:
            raise NotImplementedError(f"processor {name!r}: overheads; give prazo an overhead table")
        self.proc_info_list.append(name)

    def check_all(self) -> None:
        self.scheduler_info.scheduler(len(self.proc_info_list))
        TaskSet(self.task_info_list)


class _Job:
    """What became of a job; instants in cycles, None where it did not come to that."""

    def __init__(self, name: str, activation_date: float, absolute_deadline: float) -> None:
        self.name, self.activation_date, self.absolute_deadline = name, activation_date, absolute_deadline
        self.start_date: Optional[float] = None
        self.end_date: Optional[float] = None
        self.preemption_count = self.migration_count = 0
        self.cpu: Optional[int] = None

    @property
    def response_time(self) -> Optional[float]:
        return None if self.end_date is None else self.end_date - self.activation_date

    @property
    def exceeded_deadline(self) -> bool:
        """True where it ended, and late."""
        return self.end_date is not None and self.end_date > self.absolute_deadline

    def dispatch(self, at: float, cpu: Optional[int]) -> None:
        if self.start_date is None:
            self.start_date = at
        elif cpu == self.cpu:
            self.preemption_count += 1
        else:
            self.migration_count += 1
        self.cpu = cpu


class _TaskResults:
    """The jobs of a task, in the order of their activation."""

    def __init__(self, task: Task) -> None:
        self.task, self.name = task, task.name
        self.jobs: List[_Job] = []

    @property
    def preemption_count(self) -> int:
        return sum(job.preemption_count for job in self.jobs)

    @property
    def migration_count(self) -> int:
        return sum(job.migration_count for job in self.jobs)

    @property
    def exceeded_count(self) -> int:
        return sum(job.exceeded_deadline for job in self.jobs)


class _Results:
    """SimSo's results: ``tasks``, by task, and totals."""

    def __init__(self, simulation: Simulation, tasks: List[Task], cycles_per_ms: int) -> None:
        #: What ``prazo sched simulate --json`` prints.
        self.document = simulation.document
        self.tasks = {task: _TaskResults(task) for task in tasks}
        of = {task.name: (one, _in_ns(task.deadline or task.period)) for task, one in self.tasks.items()}
        for event in simulation.events():
            if event.task is None or event.job is None:
                continue
            results, deadline_ns = of[event.task]
            at = event.at_ns * cycles_per_ms / 1e6
            if event.event == "release":
                results.jobs.append(_Job(f"{event.task}_{event.job + 1}", at, at + deadline_ns * cycles_per_ms / 1e6))
            elif event.event == "dispatch":
                results.jobs[event.job].dispatch(at, event.cpu)
            elif event.event == "completion":
                results.jobs[event.job].end_date = at

    @property
    def total_preemptions(self) -> int:
        return sum(task.preemption_count for task in self.tasks.values())

    @property
    def total_migrations(self) -> int:
        return sum(task.migration_count for task in self.tasks.values())

    @property
    def total_exceeded_count(self) -> int:
        return sum(task.exceeded_count for task in self.tasks.values())


def _in_ns(time: Any) -> int:
    """Times of this module end in ``ns``."""
    return int(str(time).removesuffix("ns"))


class Model:
    """SimSo's model: runs a configuration."""

    def __init__(self, configuration: Configuration, callback: Any = None) -> None:
        self.cycles_per_ms, self.duration = configuration.cycles_per_ms, configuration.duration
        self._configuration = configuration
        self._simulation: Optional[Simulation] = None
        self._results: Optional[_Results] = None

    def run_model(self) -> None:
        made, processors = self._configuration, len(self._configuration.proc_info_list)
        length = f"{round(made.duration * 1_000_000 / made.cycles_per_ms)}ns"
        tasks = TaskSet(made.task_info_list)
        self._simulation = tasks.simulate(made.scheduler_info.scheduler(processors), processors, duration=length)

    @property
    def task_list(self) -> List[Task]:
        """The tasks."""
        return self._configuration.task_info_list

    @property
    def results(self) -> _Results:
        """Jobs and counts of each task."""
        if self._simulation is None:
            raise AttributeError("results: call run_model first")
        if self._results is None:
            self._results = _Results(self._simulation, self.task_list, self.cycles_per_ms)
        return self._results

    @property
    def logs(self) -> List[Tuple[float, Tuple[str, bool]]]:
        """Activations, executions, preemptions and ends of jobs, with their instants in cycles."""
        if self._simulation is None:
            return []
        lines = ((event, self._line(event)) for event in self._simulation.events())
        return [(event.at_ns * self.cycles_per_ms / 1e6, (line, False)) for event, line in lines if line]

    def _line(self, event: Event) -> Optional[str]:
        if event.task is None or event.job is None:
            return None
        job = f"{event.task}_{event.job + 1}"
        processor = self._configuration.proc_info_list[event.cpu] if event.cpu is not None else ""
        words = {
            "release": f"{job} Activated.",
            "dispatch": f"{job} Executing on {processor}",
            "preemption": f"{job} Preempted!",
            "completion": f"{job} Terminated.",
        }
        return words.get(event.event)


def install() -> None:
    """Lets ``import schedcat...`` and ``import simso...`` find this module for the rest of the process."""
    edf = {"is_schedulable": is_schedulable, "bound_response_times": bound_response_times}
    edf.update({f"{name}_test": _one(own) for name, own in _TESTS.items()})
    model = {"SporadicTask": SporadicTask, "TaskSystem": TaskSystem}
    modules: Dict[str, Dict[str, Any]] = {
        "schedcat": {},
        "schedcat.model": {},
        "schedcat.model.tasks": model,
        "schedcat.sched": {},
        "schedcat.sched.edf": edf,
        **{f"schedcat.sched.edf.{name}": {"is_schedulable": edf[f"{name}_test"]} for name in _TESTS},
        "simso": {},
        "simso.core": {"Model": Model},
        "simso.configuration": {"Configuration": Configuration},
    }
    for name, contents in modules.items():
        module = sys.modules[name] = types.ModuleType(name, "Answered by prazo.compat.")
        module.__path__ = []
        for key, value in contents.items():
            setattr(module, key, value)
        parent, _, last = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], last, module)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: python -m prazo.compat SCRIPT [ARGUMENT ...]")
    sys.argv = sys.argv[1:]
    install()
    runpy.run_path(sys.argv[0], run_name="__main__")
