"""SchedCAT's and SimSo's names for scripts that were written for them, answered by prazo.

``python -m prazo.compat SCRIPT [ARGUMENT ...]`` runs a script in which ``import schedcat...`` and ``import simso...`` find this
module. What is here: SchedCAT's ``TaskSystem``, ``SporadicTask`` and tests for global EDF; SimSo's ``Configuration`` and
``Model`` with periodic tasks and the schedulers EDF, P_EDF, RM and P_RM, its ``logs`` and the figures in ``results``. As in
SimSo, a job is aborted at its deadline unless its task has ``abort_on_miss=False``.
Everything else raises :class:`AttributeError` or :class:`NotImplementedError`. Scripts for Python 2 must be translated first.

SchedCAT's integers are its model of time, so its tests run with ``time="discrete"`` here: a proof covers arrivals at whole
ticks. Set ``TIME = "continuous"`` for proofs that hold at any instant.
"""

from __future__ import annotations

import runpy
import sys
import types
from fractions import Fraction
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence

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

    def density_q(self) -> Fraction:
        return Fraction(self.cost, min(self.period, self.deadline))

    def implicit_deadline(self) -> bool:
        return self.deadline == self.period

    def constrained_deadline(self) -> bool:
        return self.deadline <= self.period

    def tardiness(self) -> int:
        if self.response_time is None:
            raise AttributeError("response_time: call bound_response_times first")
        return max(0, self.response_time - self.deadline)

    def __repr__(self) -> str:
        deadline = "" if self.implicit_deadline() else f", deadline={self.deadline}"
        return f"SporadicTask({self.cost}, {self.period}{deadline}{'' if self.id is None else f', id={self.id}'})"


class TaskSystem(List[SporadicTask]):
    """SchedCAT's set of tasks."""

    def utilization(self) -> float:
        return sum(task.utilization() for task in self)

    def utilization_q(self) -> Fraction:
        return sum((task.utilization_q() for task in self), Fraction(0))

    def density(self) -> float:
        return sum(task.density() for task in self)

    def max_utilization(self) -> float:
        return max(task.utilization() for task in self)

    def __repr__(self) -> str:
        return f"TaskSystem({super().__repr__()})"

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
    return TaskSet.from_ticks([(task.cost, task.period, task.deadline) for task in tasks])


def _tested(processors: int, tasks: Iterable[SporadicTask], tests: Optional[List[str]] = None) -> Any:
    return _set(tasks).test("global-edf", processors, tests=tests, time=TIME)


def is_schedulable(no_cpus: int, tasks: Iterable[SporadicTask], **_: Any) -> bool:
    """True where prazo's tests prove the set under global EDF; their options in SchedCAT are not needed."""
    return bool(_tested(no_cpus, tasks).proven)


def _one(name: str) -> Callable[..., bool]:
    def test(no_cpus: int, tasks: Iterable[SporadicTask], **_: Any) -> bool:
        answer = _tested(no_cpus, tasks, [name])
        return any(one.verdict == "proven" for one in answer.findings if one.name.lower() == name)

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


def has_bounded_tardiness(no_cpus: int, tasks: Iterable[SporadicTask]) -> bool:
    """True where the processors have room for the set, so that no job is late without bound."""
    tasks = list(tasks)
    return sum((task.utilization_q() for task in tasks), Fraction(0)) <= no_cpus and all(task.cost <= task.period for task in tasks)


#: SchedCAT's names of the tests, and prazo's.
_TESTS = {"gfb": "gfb", "bak": "bak", "bar": "bar", "bcl": "bcl", "bcli": "bcli", "rta": "rta", "ffdbf": "ff-dbf", "load": "load"}
#: SchedCAT's modules whose names are not those of their tests.
_MODULES = {"bcli": "bcl_iterative"}
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
        self.etm = "wcet"
        self.task_info_list: List[Task] = []
        self._aborts: List[bool] = []
        self.proc_info_list: List[str] = []

    def add_task(
        self,
        name: str,
        identifier: int,
        task_type: str = "Periodic",
        abort_on_miss: bool = True,
        period: float = 10,
        activation_date: float = 0,
        wcet: float = 0,
        deadline: float = 10,
        followed_by: Optional[int] = None,
        list_activation_dates: Sequence[float] = (),
        preemption_cost: float = 0,
        **unused: Any,  # of execution models other than "wcet", and data that only a script's own scheduler reads
    ) -> Task:
        if task_type != "Periodic" or followed_by is not None or list_activation_dates or preemption_cost:
            raise NotImplementedError(f"task {name!r}: only periodic tasks that always take their wcet")
        period_, cost, deadline_, offset = (f"{round(value * 1_000_000)}ns" for value in (period, wcet, deadline, activation_date))
        task = Task(cost, period_, deadline_, name=name, offset=offset)
        self.task_info_list.append(task)
        self._aborts.append(abort_on_miss)
        return task

    def add_processor(
        self, name: str, identifier: int, cs_overhead: int = 0, cl_overhead: int = 0, migration_overhead: int = 0, speed: float = 1.0
    ) -> None:
        if cs_overhead or cl_overhead or migration_overhead:
            raise NotImplementedError(f"processor {name!r}: overheads; give prazo an overhead table")
        if speed != 1.0:
            raise NotImplementedError(f"processor {name!r}: a speed other than 1.0; give its tasks their costs on it")
        self.proc_info_list.append(name)

    def late(self) -> str:
        """What becomes of a job at its deadline."""
        if self.etm != "wcet" or len(set(self._aborts)) > 1:
            raise NotImplementedError("an execution model other than 'wcet', or tasks of which some have abort_on_miss and others not")
        return "abort" if all(self._aborts) else "continue"

    def check_all(self) -> None:
        self.late()
        self.scheduler_info.scheduler(len(self.proc_info_list))
        TaskSet(self.task_info_list)


class _Job:
    """What became of a job; instants in cycles, None where it did not come to that."""

    def __init__(self, name: str, activation_date: int, absolute_deadline: int, wcet: int) -> None:
        self.name, self.activation_date, self.absolute_deadline, self.wcet = name, activation_date, absolute_deadline, wcet
        self.start_date: Optional[int] = None
        self.end_date: Optional[int] = None
        self.aborted = False
        self.preemption_count = self.migration_count = self.computation_time = 0
        self.cpu: Optional[int] = None
        self._since: Optional[int] = None

    @property
    def response_time(self) -> Optional[int]:
        return None if self.end_date is None else self.end_date - self.activation_date

    @property
    def exceeded_deadline(self) -> bool:
        """True where it ended late, or was aborted."""
        return self.end_date is not None and (self.aborted or self.end_date > self.absolute_deadline)

    def dispatch(self, at: int, cpu: Optional[int]) -> None:
        if self.start_date is None:
            self.start_date = at
        elif cpu == self.cpu:
            self.preemption_count += 1
        else:
            self.migration_count += 1
        self.cpu, self._since = cpu, at

    def stop(self, at: int) -> int:
        """It no longer executes; gives what is left of it."""
        if self._since is not None:
            self.computation_time += at - self._since
        self._since = None
        return self.wcet - self.computation_time


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
    """SimSo's results: ``tasks``, by task, and totals; and the logs, as SimSo words them."""

    def __init__(self, simulation: Simulation, configuration: Configuration) -> None:
        #: What ``prazo sched simulate --json`` prints.
        self.document = simulation.document
        self.tasks = {task: _TaskResults(task) for task in configuration.task_info_list}
        #: Instants in cycles, with what happened.
        self.logs: List[List[Any]] = []
        self._of = {task.name: (results, task) for task, results in self.tasks.items()}
        for event in simulation.events():
            if event.task is not None and event.job is not None:
                self._follow(event, configuration)

    def _follow(self, event: Event, configuration: Configuration) -> None:
        results, task = self._of[event.task]
        assert event.job is not None

        def cycles(ns: int) -> int:
            return ns * configuration.cycles_per_ms // 1_000_000

        at, name = cycles(event.at_ns), f"{event.task}_{event.job + 1}"
        if event.event == "release":
            deadline = at + cycles(_in_ns(task.deadline or task.period))
            results.jobs.append(_Job(name, at, deadline, cycles(_in_ns(task.cost))))
            line = f"{name} Activated."
        elif event.event == "dispatch":
            results.jobs[event.job].dispatch(at, event.cpu)
            line = f"{name} Executing on {'' if event.cpu is None else configuration.proc_info_list[event.cpu]}"
        elif event.event == "preemption":
            line = f"{name} Preempted! ret: {results.jobs[event.job].stop(at)}"
        elif event.event in ("completion", "abortion"):
            job = results.jobs[event.job]
            left, job.end_date, job.aborted = job.stop(at), at, event.event == "abortion"
            line = f"Job {name} aborted! ret:{left / configuration.cycles_per_ms}" if job.aborted else f"{name} Terminated."
        else:
            return
        # SimSo marks what its kernel does; it logs an abortion without the mark.
        self.logs.append([at, (line, event.event != "abortion")])

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
        self._results: Optional[_Results] = None

    def run_model(self) -> None:
        made, processors = self._configuration, len(self._configuration.proc_info_list)
        length = f"{round(made.duration * 1_000_000 / made.cycles_per_ms)}ns"
        tasks, scheduler = TaskSet(made.task_info_list), made.scheduler_info.scheduler(processors)
        simulation = tasks.simulate(scheduler, processors, duration=length, late=made.late())
        self._results = _Results(simulation, made)

    @property
    def task_list(self) -> List[Task]:
        """The tasks."""
        return self._configuration.task_info_list

    @property
    def results(self) -> _Results:
        """Jobs and counts of each task."""
        if self._results is None:
            raise AttributeError("results: call run_model first")
        return self._results

    @property
    def logs(self) -> List[List[Any]]:
        """Activations, executions, preemptions and ends of jobs, with their instants in cycles."""
        return [] if self._results is None else self._results.logs


def install() -> None:
    """Lets ``import schedcat...`` and ``import simso...`` find this module for the rest of the process."""
    edf: Dict[str, Any] = {"is_schedulable": is_schedulable, "bound_response_times": bound_response_times}
    tests = {name: _one(own) for name, own in _TESTS.items()}
    edf.update({f"{name}_test": test for name, test in tests.items()})
    edf["HRT_TESTS"] = {own.upper(): tests[name] for name, own in _TESTS.items() if name != "load"}
    model = {"SporadicTask": SporadicTask, "TaskSystem": TaskSystem}
    modules: Dict[str, Dict[str, Any]] = {
        "schedcat": {},
        "schedcat.model": {},
        "schedcat.model.tasks": model,
        "schedcat.sched": {},
        "schedcat.sched.edf": edf,
        **{f"schedcat.sched.edf.{_MODULES.get(name, name)}": {"is_schedulable": test} for name, test in tests.items()},
        "schedcat.sched.edf.da": {"bound_response_times": bound_response_times, "has_bounded_tardiness": has_bounded_tardiness},
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
