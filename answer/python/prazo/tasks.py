"""Task sets: described, tested and simulated."""

from __future__ import annotations

import json
import operator
import os
from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import (
    TYPE_CHECKING,
    Any,
    Dict,
    Iterable,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    Union,
    cast,
)

from . import _prazo, _times
from ._shown import Charted, Part, Picture, paragraph
from ._values import Answer, Documented, Tabled, Time, answer_of, escaped, several, time_text, whole

if TYPE_CHECKING:
    from ._times import ChainTimes, ChartTimes, SimulationTimes, SupplyTimes, TaskTimes, Unpack


#: Times of a task by their keys in TOML.
_TASK_TIMES = (
    "cost",
    "period",
    "deadline",
    "offset",
    "jitter",
    "min_inter_arrival",
    "max_inter_arrival",
    "within",
    "suspends",
    "cost_high",
    "non_preemptive",
    "best_case",
    "execution",
    "server_budget",
    "server_period",
)
#: A length, ``"whole"`` for all of the job, or the lengths of its parts.
_Parts = Union[Time, Sequence[Time]]


@dataclass(frozen=True, init=False)
class Task(Tabled):
    """A task: what a job costs, and how often jobs arrive.

    Each time can be given as an integer with its unit in the name instead: ``cost_us=2000`` is ``cost="2000us"``. The units are
    ``ns``, ``us``, ``ms`` and ``s``. The keys are those of a task in TOML (docs/scenarios.md).

    Parameters
    ----------
    cost : str or datetime.timedelta
        Worst-case execution time.
    period : str or datetime.timedelta, optional
        Distance of two arrivals. A task without a period has ``min_inter_arrival``, ``burst`` or ``arrivals``.
    deadline : str or datetime.timedelta, optional
        Relative to the arrival; by default the period.
    name : str, optional
        By default its place in the set.
    offset, jitter : str or datetime.timedelta, optional
        First arrival, and the longest delay of a release after its arrival.
    priority : int, optional
        0 for the most urgent; for fixed priorities.
    cluster : int, optional
        The cluster that it is tied to, from 0.
    affinity : str, optional
        The processors that it is tied to, such as ``"0-1"``.
    working_set : str, optional
        The memory that it comes back to, such as ``"64KiB"``.
    working_set_kib : int, optional
        The same as a number of KiB.
    min_inter_arrival, max_inter_arrival : str or datetime.timedelta, optional
        Least and longest distance of two arrivals of a task that is not periodic.
    burst : int, optional
        Number of jobs that may arrive within the time ``within``.
    within : str or datetime.timedelta, optional
        The window of ``burst``.
    arrivals : str or sequence of (int, time), optional
        The most jobs that arrive in windows of several lengths: ``"1 in 1ms, 5 in 10ms"`` or ``[(1, "1ms"), (5, "10ms")]``.
    suspends : str or datetime.timedelta, optional
        How long a job suspends itself in all, at most.
    criticality : {"low", "high"}, optional
        Jobs of low criticality are dropped when a job runs longer than its cost; see docs/mixed-criticality.md.
    cost_high : str or datetime.timedelta, optional
        The longest time that a job of high criticality may run, at least its cost.
    non_preemptive : str or datetime.timedelta, or sequence, optional
        The longest part of a job that is not preempted; ``"whole"`` for a job that never is; or the lengths of all parts.
    uses : str or mapping, optional
        The longest critical section of each resource: ``"bus 500us, log 1ms"`` or ``{"bus": "500us", "log": "1ms"}``.
    best_case : str or datetime.timedelta, optional
        What a job needs at least; in tests of a synchronized set.
    execution : str or datetime.timedelta, optional
        In simulations: how long a job executes; above the cost it is an overrun.
    server_budget, server_period : str or datetime.timedelta, optional
        A constant-bandwidth server grants the budget in every period.
    **times : int
        Times with their unit in the name.

    Raises
    ------
    TypeError
        A time is a bare number, is given twice, or is no integer where its name has a unit.
    """

    cost: str
    period: Optional[str]
    deadline: Optional[str]
    name: Optional[str]
    offset: Optional[str]
    jitter: Optional[str]
    priority: Optional[int]
    cluster: Optional[int]
    affinity: Optional[str]
    working_set: Optional[str]
    min_inter_arrival: Optional[str]
    max_inter_arrival: Optional[str]
    burst: Optional[int]
    within: Optional[str]
    arrivals: Optional[str]
    suspends: Optional[str]
    criticality: Optional[str]
    cost_high: Optional[str]
    non_preemptive: Optional[str]
    uses: Optional[str]
    best_case: Optional[str]
    execution: Optional[str]
    server_budget: Optional[str]
    server_period: Optional[str]

    def __init__(
        self,
        cost: Optional[Time] = None,
        period: Optional[Time] = None,
        deadline: Optional[Time] = None,
        name: Optional[str] = None,
        offset: Optional[Time] = None,
        jitter: Optional[Time] = None,
        priority: Optional[int] = None,
        cluster: Optional[int] = None,
        affinity: Optional[str] = None,
        working_set: Optional[str] = None,
        *,
        working_set_kib: Optional[int] = None,
        min_inter_arrival: Optional[Time] = None,
        max_inter_arrival: Optional[Time] = None,
        burst: Optional[int] = None,
        within: Optional[Time] = None,
        arrivals: Union[None, str, Sequence[Tuple[int, Time]]] = None,
        suspends: Optional[Time] = None,
        criticality: Optional[str] = None,
        cost_high: Optional[Time] = None,
        non_preemptive: Optional[_Parts] = None,
        uses: Union[None, str, Mapping[str, Time]] = None,
        best_case: Optional[Time] = None,
        execution: Optional[Time] = None,
        server_budget: Optional[Time] = None,
        server_period: Optional[Time] = None,
        **times: Unpack[TaskTimes],
    ) -> None:
        if isinstance(non_preemptive, Sequence) and not isinstance(non_preemptive, str):
            non_preemptive = " + ".join(time_text(part, "non_preemptive", is_keyword=False) for part in non_preemptive)
        given = locals()
        values: Dict[str, Any] = {key: None for key in _TASK_TIMES}
        values.update(_times.texts({key: given[key] for key in _TASK_TIMES}, times))
        if values["cost"] is None:
            raise TypeError("cost is missing; give the longest time that a job may run, as in cost='2ms' or cost_us=2000")
        if working_set_kib is not None:
            if working_set is not None:
                raise TypeError("working_set_kib: working_set is given twice; keep one of the two")
            working_set = f"{whole(working_set_kib, 'working_set_kib')}KiB"
        if arrivals is not None and not isinstance(arrivals, str):
            arrivals = ", ".join(f"{jobs} in {time_text(window, 'arrivals', is_keyword=False)}" for jobs, window in arrivals)
        if uses is not None and not isinstance(uses, str):
            uses = ", ".join(f"{resource} {time_text(length, 'uses', is_keyword=False)}" for resource, length in uses.items())
        values.update(name=name, priority=priority, cluster=cluster, affinity=affinity, working_set=working_set)
        values.update(burst=burst, arrivals=arrivals, uses=uses, criticality=criticality)
        for one in fields(self):
            object.__setattr__(self, one.name, values[one.name])

    def to_toml(self, place: int) -> str:
        """The task's table in TOML; without a name it is called by its place.

        Parameters
        ----------
        place : int
            Its place in the set, from 0.

        Returns
        -------
        str
            A table ``[task.NAME]`` with the keys of docs/scenarios.md.
        """
        lines = [f"[task.{_quoted(self.name or str(place))}]"]
        for one in fields(self):
            value = getattr(self, one.name)
            if value is not None and one.name != "name":
                lines.append(f"{one.name} = {value if isinstance(value, int) else _quoted(value)}")
        return "\n".join(lines)


@dataclass(frozen=True, init=False)
class Supply(Tabled):
    """What the tasks of a set have of one processor: a budget in every period, or a rate after a delay (docs/blocking.md).

    Parameters
    ----------
    budget, period : str or datetime.timedelta, optional
        The tasks run for the budget in every period.
    rate : str, fractions.Fraction, float or int, optional
        In every interval, the tasks have this part of what is left after the delay: ``"2/5"``, ``Fraction(2, 5)`` or ``0.4``.
    delay : str or datetime.timedelta, optional
        How long the processor may stay away. Needs ``rate``, as ``rate`` needs it.
    **times : int
        Times with their unit in the name: ``Supply(budget_ms=4, period_ms=10)``, ``Supply(rate="2/5", delay_ms=12)``.
    """

    budget: Optional[str]
    period: Optional[str]
    rate: Optional[str]
    delay: Optional[str]

    def __init__(
        self,
        budget: Optional[Time] = None,
        period: Optional[Time] = None,
        *,
        rate: Union[None, str, float, Fraction] = None,
        delay: Optional[Time] = None,
        **times: Unpack[SupplyTimes],
    ) -> None:
        found = _times.texts({"budget": budget, "period": period, "delay": delay}, times)
        if rate is not None:
            found["rate"] = _rate_text(rate)
        is_rate = "rate" in found or "delay" in found
        needed = ("rate", "delay") if is_rate else ("budget", "period")
        for key in needed:
            if key not in found:
                example = "a rate and a delay, as in Supply(rate='2/5', delay='12ms')" if is_rate else "a budget and a period, as in Supply('4ms', '10ms')"
                raise TypeError(f"{key} is missing; a supply has {example}")
        extra = [key for key in found if key not in needed]
        if extra:
            raise TypeError(f"{extra[0]} belongs to a supply with a budget; keep either budget and period, or rate and delay")
        for key in ("budget", "period", "rate", "delay"):
            object.__setattr__(self, key, found.get(key))

    def to_toml(self) -> str:
        """The supply as TOML has it.

        Returns
        -------
        str
            An inline table with ``budget`` and ``period``, or with ``rate`` and ``delay``.
        """
        given = ((one.name, getattr(self, one.name)) for one in fields(self))
        return f"{{ {', '.join(f'{key} = {_quoted(text)}' for key, text in given if text is not None)} }}"


def _rate_text(rate: object) -> str:
    """The rate as a scenario has it, exactly."""
    if isinstance(rate, str):
        return rate
    if isinstance(rate, bool) or not isinstance(rate, (int, float, Fraction)):
        raise TypeError(f"rate {rate!r}: give a fraction of the processor, as in rate='2/5'")
    # The shortest decimal of a float, so that 0.4 is 2/5.
    return str(Fraction(repr(float(rate))) if isinstance(rate, float) else Fraction(rate))


@dataclass(frozen=True, init=False)
class Chain(Tabled):
    """Tasks from a cause to its effect, each reading what the one before wrote (docs/chains.md).

    Parameters
    ----------
    name : str
        What answers call it.
    tasks : sequence of str
        Names of tasks, from cause to effect.
    communication : str, optional
        ``"implicit"`` or ``"let"``.
    activated : sequence of str
        Tasks that the task before them activates.
    hops : mapping, optional
        The longest time that data takes to reach a task, by the task's name.
    synchronized : bool
        True where the tasks arrive by one clock.
    max_reaction, max_age : str or datetime.timedelta, optional
        The longest reaction and the oldest data that are allowed.
    **times : int
        Times with their unit in the name, such as ``max_age_ms=150``.
    """

    name: str
    tasks: Tuple[str, ...]
    communication: Optional[str]
    activated: Tuple[str, ...]
    hops: Tuple[Tuple[str, str], ...]
    synchronized: bool
    max_reaction: Optional[str]
    max_age: Optional[str]

    def __init__(
        self,
        name: str,
        tasks: Sequence[str],
        *,
        communication: Optional[str] = None,
        activated: Sequence[str] = (),
        hops: Optional[Mapping[str, Time]] = None,
        synchronized: bool = False,
        max_reaction: Optional[Time] = None,
        max_age: Optional[Time] = None,
        **times: Unpack[ChainTimes],
    ) -> None:
        found = _times.texts({"max_reaction": max_reaction, "max_age": max_age}, times)
        values: Dict[str, Any] = {
            "name": name,
            "tasks": tuple(several(tasks, "tasks")),
            "communication": communication,
            "activated": tuple(several(activated, "activated")),
            "hops": tuple((task, time_text(length, "hops", is_keyword=False)) for task, length in (hops or {}).items()),
            "synchronized": synchronized,
            "max_reaction": found.get("max_reaction"),
            "max_age": found.get("max_age"),
        }
        for key, value in values.items():
            object.__setattr__(self, key, value)

    def to_toml(self) -> str:
        """The chain's table in TOML.

        Returns
        -------
        str
            A table ``[[chain]]`` with the keys of docs/chains.md.
        """
        lines = ["[[chain]]", f"name = {_quoted(self.name)}", f"tasks = {_quoted_list(self.tasks)}"]
        for key in ("communication", "max_reaction", "max_age"):
            value = getattr(self, key)
            if value is not None:
                lines.append(f"{key} = {_quoted(value)}")
        if self.activated:
            lines.append(f"activated = {_quoted_list(self.activated)}")
        if self.hops:
            lines.append("hops = { " + ", ".join(f"{_quoted(task)} = {_quoted(length)}" for task, length in self.hops) + " }")
        if self.synchronized:
            lines.append("synchronized = true")
        return "\n".join(lines)


def _quoted_list(texts: Iterable[str]) -> str:
    return "[" + ", ".join(map(_quoted, texts)) + "]"


def _quoted(text: str) -> str:
    """Text as TOML has it; JSON's strings are TOML's, but for DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


@dataclass(frozen=True)
class Overheads:
    """What a platform adds to each job: release, scheduling, switches, ticks and others (docs/schedulability.md).

    ``prazo.measure("overheads", output="folder")`` writes such tables.

    Parameters
    ----------
    toml : str
        The table, in TOML.

    Raises
    ------
    RefusedError
        It is no table of overheads.
    """

    toml: str

    def __post_init__(self) -> None:
        _prazo.read_overheads(self.toml, "overheads")

    @classmethod
    def read(cls, path: Union[str, os.PathLike[str]]) -> Overheads:
        """A table from a file.

        Parameters
        ----------
        path : path
            A TOML file.

        Returns
        -------
        Overheads
            The table with its comments.

        Raises
        ------
        RefusedError
            It is no table of overheads.
        OSError
            The file cannot be read.
        """
        with open(path, encoding="utf-8") as file:
            return cls(_prazo.read_overheads(file.read(), os.fspath(path)))

    def __str__(self) -> str:
        return self.toml

    def _repr_html_(self) -> str:
        return f"<pre>{escaped(self.toml)}</pre>"


_Path = Union[str, "os.PathLike[str]"]
#: A table, the path of one, or ``"none"``.
_Overheads = Union[_Path, Overheads]


@dataclass(frozen=True, init=False)
class TaskSet:
    """Tasks, with what they run on where that is known. Equal sets are those with the same text and the same name.

    Parameters
    ----------
    tasks : iterable of Task
        What runs; the most urgent first where priorities are given by order.
    name : str, optional
        What answers call the set.
    processors : int, optional
        How many processors share the tasks.
    policy : str, optional
        ``"edf"`` or ``"fixed-priority"``.
    overheads : Overheads or path, optional
        An overhead table (TOML).
    unit : {"ns", "us", "ms", "none"}, optional
        The tick of the analysis, of which every time is a multiple. ``time="discrete"`` means arrivals at whole ticks. ``"none"``
        is for tasks whose times are texts of bare numbers, as in ``Task("1", "4")``.
    clusters : sequence of int, optional
        Sizes of the clusters of processors that share a queue.
    priorities : {"given", "rate-monotonic", "deadline-monotonic", "audsley"}, optional
        Source of fixed priorities; also ``"rm"`` and ``"dm"``.
    locking : {"srp", "pcp", "pip", "msrp", "fmlp+", "mpcp"}, optional
        The protocol of all resources that tasks use.
    supply : Supply, optional
        The tasks run only within this supply.
    synchronized : bool
        True if the offsets and periods of all tasks hold exactly, on one clock (docs/offsets.md).
    chains : iterable of Chain
        From cause to effect.
    origin, note : str, optional
        Where the set is from, and what a reader should know.
    remarks : sequence of str
        What had to be assumed.
    expect : mapping of str to str, optional
        The known outcome by scheduler, such as ``{"gedf": "proven", "why": "by hand"}`` (docs/scenarios.md).

    Raises
    ------
    RefusedError
        The set cannot be read; the error names the task and the key.
    """

    #: The set as prazo writes it, in TOML.
    toml: str
    #: What answers call it.
    name: str

    def __init__(
        self,
        tasks: Iterable[Task] = (),
        *,
        name: str = "tasks",
        processors: Optional[int] = None,
        policy: Optional[str] = None,
        overheads: Optional[_Overheads] = None,
        unit: Optional[str] = None,
        clusters: Optional[Sequence[int]] = None,
        priorities: Optional[str] = None,
        locking: Optional[str] = None,
        supply: Optional[Supply] = None,
        synchronized: bool = False,
        chains: Iterable[Chain] = (),
        origin: Optional[str] = None,
        note: Optional[str] = None,
        remarks: Sequence[str] = (),
        expect: Optional[Mapping[str, str]] = None,
    ) -> None:
        lines = [f"name = {_quoted(name)}"]
        if processors is not None:
            lines.append(f"processors = {whole(processors, 'processors')}")
        if clusters is not None:
            sizes = (whole(size, "clusters") for size in several(clusters, "clusters"))
            lines.append(f"clusters = [{', '.join(map(str, sizes))}]")
        words = {"unit": unit, "policy": policy, "priorities": priorities, "locking": locking, "origin": origin, "note": note}
        lines.extend(f"{key} = {_quoted(word)}" for key, word in words.items() if word is not None)
        if remarks:
            lines.append(f"remarks = {_quoted_list(remarks)}")
        if synchronized:
            lines.append("synchronized = true")
        if supply is not None:
            lines.append(f"supply = {supply.to_toml()}")
        table = overheads.toml if isinstance(overheads, Overheads) else None
        if overheads is not None and table is None:
            lines.append(f"overheads = {_quoted(os.path.abspath(cast(_Path, overheads)))}")
        lines.extend(task.to_toml(place) for place, task in enumerate(tasks))
        lines.extend(chain.to_toml() for chain in chains)
        if expect:
            lines.append("[expect]")
            lines.extend(f"{_quoted(key)} = {_quoted(word)}" for key, word in expect.items())
        self._settle(_prazo.read_tasks("\n".join(lines) + "\n", "tasks.toml", table), name)

    def _settle(self, toml: str, name: str) -> None:
        object.__setattr__(self, "toml", toml)
        object.__setattr__(self, "name", name)

    @classmethod
    def from_toml(cls, text: str, name: str = "tasks") -> TaskSet:
        """A set from TOML, as ``prazo sched`` reads it (docs/scenarios.md).

        Parameters
        ----------
        text : str
            The file's text. Times are texts with units, or bare numbers of the set's ``unit``.
        name : str, optional
            What answers call the set.

        Returns
        -------
        TaskSet
            The set, checked, with its overheads inside.

        Raises
        ------
        RefusedError
            The text cannot be read; the error names line, key and remedy.
        """
        made = cls.__new__(cls)
        made._settle(_prazo.read_tasks(text, "tasks.toml"), name)
        return made

    @classmethod
    def read(cls, path: Union[str, os.PathLike[str]]) -> TaskSet:
        """A set from a file of prazo or of another tool (docs/scenarios.md).

        Parameters
        ----------
        path : path
            TOML, CSV, or a file of rt-app, SchedCAT, SimSo, SAG, POET or rt-audit; recognised by ending and content.

        Returns
        -------
        TaskSet
            The set, checked, with its overheads inside.

        Raises
        ------
        RefusedError
            The file cannot be read; the error names line, key and remedy.
        """
        made = cls.__new__(cls)
        made._settle(_prazo.read_file(os.fspath(path)), os.path.basename(os.fspath(path)))
        return made

    @classmethod
    def from_ticks(cls, tasks: Iterable[Sequence[int]], unit: str = "us", **head: Any) -> TaskSet:
        """A set from integers.

        Parameters
        ----------
        tasks : iterable of sequences of int
            ``(cost, period)`` or ``(cost, period, deadline)`` of each task, in ticks.
        unit : {"ns", "us", "ms"}, optional
            The tick.
        **head : object
            As in :class:`TaskSet`, such as ``name`` and ``processors``.

        Returns
        -------
        TaskSet
            The set, whose analysis counts in these ticks.

        Raises
        ------
        RefusedError
            A task is impossible, such as one with a cost of 0.
        TypeError
            A time is no whole number.
        ValueError
            A task has not two or three times.
        """
        made: List[Task] = []
        for task in tasks:
            times = [f"{operator.index(value)}{unit}" for value in task]
            if len(times) not in (2, 3):
                raise ValueError(f"a task of {len(times)} numbers; give cost, period and perhaps a deadline")
            made.append(Task(times[0], times[1], times[2] if len(times) > 2 else None))
        return cls(made, unit=unit, **head)

    def test(
        self,
        scheduler: Optional[str] = None,
        processors: Optional[int] = None,
        *,
        policy: Optional[str] = None,
        priorities: Optional[str] = None,
        overheads: Optional[_Overheads] = None,
        time: Optional[str] = None,
        tests: Optional[Sequence[str]] = None,
        all_tests: bool = False,
        budget: Optional[int] = None,
        simulate: Optional[int] = None,
        heuristics: Optional[Sequence[str]] = None,
        order: Optional[str] = None,
        inflate_once: bool = False,
        split: bool = False,
        sensitivity: bool = False,
        region: Optional[str] = None,
    ) -> TestResult:
        """Does the set meet its deadlines? As ``prazo sched test``.

        Parameters
        ----------
        scheduler : str, optional
            Such as ``"global-edf"``, ``"partitioned-rm"``, ``"clustered-edf:2,2"``; by default the set's own.
        processors : int, optional
            By default the set's own, else as few as the utilization needs.
        policy : {"edf", "fp", "rm", "dm"}, optional
            By default the set's own.
        priorities : {"given", "rm", "dm", "audsley"}, optional
            Source of fixed priorities; also ``"rate-monotonic"`` and ``"deadline-monotonic"``.
        overheads : Overheads or path, optional
            An overhead table; ``"none"`` leaves out the set's own.
        time : {"continuous", "discrete"}, optional
            The arrivals that a proof covers: any instant (the default), or whole ticks only.
        tests : sequence of str, optional
            Tests for global EDF, such as ``["gfb", "rta"]``.
        all_tests : bool
            Also run the tests after the one that decides.
        budget : int, optional
            Limit of each test's work, in evaluated terms.
        simulate : int, optional
            Simulate this many jobs after synchronous arrivals to find a miss; by default 20,000.
        heuristics : sequence of str, optional
            Packing heuristics to try: ``"first-fit"``, ``"worst-fit"``, ``"best-fit"``, ``"next-fit"``.
        order : str, optional
            Order in which heuristics place tasks: ``"decreasing-utilization"`` (the default), ``"as-given"``,
            ``"decreasing-density"``, ``"increasing-deadline"``, ``"increasing-period"``.
        inflate_once : bool
            Charge overheads once to the whole set before packing (Vitor 2013); by default, each queue is charged for
            its own tasks.
        split : bool
            Split tasks over processors if no assignment of whole tasks is proven: ``document["split"]``.
        sensitivity : bool
            Also find by how much costs may grow, or what must change to prove the set.
        region : str, optional
            Two parameters over which to test a grid, such as ``"brake.cost,transfer.period"``: ``document["region"]``.

        Returns
        -------
        TestResult
            The verdict, the test and the task that decided, and a certificate.

        Raises
        ------
        RefusedError
            A word is none of those above, or the question cannot be asked about this set.
        """
        options = request_options(
            scheduler=scheduler,
            processors=processors,
            policy=policy,
            priorities=priorities,
            overheads=overheads,
            time=time,
            tests=None if tests is None else several(tests, "tests"),
            all_tests=all_tests,
            budget=budget,
            simulated_jobs=simulate,
            heuristics=None if heuristics is None else several(heuristics, "heuristics"),
            order=order,
            inflate_once=inflate_once,
            split=split,
            sensitivity=sensitivity,
            region=region,
        )
        document, certificate, late = _prazo.test(self.toml, f"{self.name}.toml", options)
        pattern = None if late is None else TaskSet.from_toml(late, f"{self.name}-late")
        return TestResult(document, certificate, pattern, self, options)

    def simulate(
        self,
        scheduler: Optional[str] = None,
        processors: Optional[int] = None,
        *,
        policy: Optional[str] = None,
        priorities: Optional[str] = None,
        overheads: Optional[_Overheads] = None,
        duration: Optional[Time] = None,
        arrivals: Optional[str] = None,
        offsets: Optional[str] = None,
        execution: Optional[str] = None,
        suspensions: Optional[str] = None,
        supply: Optional[str] = None,
        late: Optional[str] = None,
        quantum: Optional[Time] = None,
        seed: Optional[int] = None,
        **times: Unpack[SimulationTimes],
    ) -> Simulation:
        """What happens when the set runs? As ``prazo sched simulate``.

        Parameters
        ----------
        scheduler : str, optional
            As in :meth:`test`.
        processors : int, optional
            As in :meth:`test`.
        policy : {"edf", "fp", "rm", "dm", "fcfs", "rr"}, optional
            By default the set's own.
        priorities : {"given", "rm", "dm", "audsley"}, optional
            As in :meth:`test`.
        overheads : Overheads or path, optional
            As in :meth:`test`.
        duration : str or datetime.timedelta, optional
            By default until the schedule repeats, at most 10 million events.
        arrivals : str, optional
            ``"periodic"``, or ``"sporadic=0.5"``: up to half a period later.
        offsets : {"synchronous", "random"}, optional
            First arrivals: all at 0, or at random within a period.
        execution : str, optional
            ``"bound"``, ``"uniform=0.5"``, ``"bimodal=0.3"`` or ``"overrun=1.5"``.
        suspensions : {"random", "start", "middle"}, optional
            Where jobs with ``suspends`` suspend themselves.
        supply : {"worst", "random"}, optional
            When a supply gives its processor time.
        late : {"continue", "abort", "skip-next"}, optional
            What becomes of a job whose deadline passes.
        quantum : str or datetime.timedelta, optional
            How long a job runs in turn under round robin; by default 1 ms.
        seed : int, optional
            The same seed gives the same jobs.
        **times : int
            ``duration_ms=50``, ``quantum_us=500`` and others, with their unit in the name.

        Returns
        -------
        Simulation
            Counts of jobs and misses, and the schedule.

        Raises
        ------
        RefusedError
            A word is none of those above, or a length is no time.
        """
        options = request_options(
            scheduler=scheduler,
            processors=processors,
            policy=policy,
            priorities=priorities,
            overheads=overheads,
            arrivals=arrivals,
            offsets=offsets,
            execution=execution,
            suspensions=suspensions,
            supply=supply,
            late=late,
            seed=seed,
            **_times.texts({"duration": duration, "quantum": quantum}, times),
        )
        return Simulation(_prazo.simulate(self.toml, f"{self.name}.toml", options), self, options)

    def __str__(self) -> str:
        return self.toml

    def _repr_html_(self) -> str:
        return f"<pre>{escaped(self.toml)}</pre>"


def request_options(overheads: Optional[_Overheads] = None, **options: Any) -> str:
    if overheads is not None and not isinstance(overheads, Overheads):
        path = os.fspath(overheads)
        if path == "none":
            options["overheads"] = path
        else:
            # An answer does not change with the file that it was asked with.
            overheads = Overheads.read(path)
    if isinstance(overheads, Overheads):
        options["overheads_table"] = overheads.toml
    for name, (keyword, high) in _NUMBERS.items():
        if options.get(name) is not None:
            options[name] = whole(options[name], keyword, 0, high)
    return json.dumps({name: value for name, value in options.items() if value is not None})


#: Integers of a request by the library's names: the keyword, and the largest that the library takes.
_NUMBERS = {
    "processors": ("processors", 2**32 - 1),
    "budget": ("budget", 2**64 - 1),
    "simulated_jobs": ("simulate", 2**64 - 1),
    "seed": ("seed", 2**64 - 1),
}


@dataclass(frozen=True)
class Finding(Tabled):
    """What one test says (docs/schedulability-tests.md).

    Parameters
    ----------
    name : str
        The test, such as ``"GFB"``.
    verdict : {"proven", "disproven", "unknown"}
        What it found.
    task : int, optional
        The index of the task that it is about.
    demand, capacity : float, optional
        What is demanded and what there is, in the unit of ``quantity``; None where the test compares nothing.
    quantity : str, optional
        What is compared, such as ``"utilization"`` or ``"response-time"``; times are in ticks of the set.
    reason : str
        Why, in a word such as ``"does-not-hold"``.
    """

    name: str
    verdict: str
    task: Optional[int]
    demand: Optional[float]
    capacity: Optional[float]
    quantity: Optional[str]
    reason: str

    @property
    def margin(self) -> Optional[float]:
        """Capacity less demand; None where the test compares nothing."""
        if self.demand is None or self.capacity is None:
            return None
        return self.capacity - self.demand


@dataclass(frozen=True)
class TestResult(Documented):
    """The answer of :meth:`TaskSet.test`. It is true where the set is proven.

    ``document`` is what ``prazo sched test --json`` prints (docs/schema/sched-test.json).

    Parameters
    ----------
    json : str
        The document as text.
    certificate : str, optional
        What :func:`verify` re-checks; None where nothing was decided, or by a method that certificates do not describe.
    pattern : TaskSet, optional
        A set whose arrivals make a job late, for :meth:`TaskSet.simulate`; None where the search of all states found none.
    tasks : TaskSet
        The set that was asked about.
    """

    __test__ = False

    certificate: Optional[str] = field(repr=False)
    pattern: Optional[TaskSet] = field(repr=False)
    tasks: TaskSet = field(repr=False)
    _options: str = field(repr=False)

    @property
    def verdict(self) -> str:
        """``"proven"``, ``"disproven"`` or ``"unknown"``."""
        verdict: str = self.document["verdict"]
        return verdict

    @property
    def proven(self) -> bool:
        """True where every job meets its deadline, whenever jobs arrive."""
        return self.verdict == "proven"

    @property
    def findings(self) -> Tuple[Finding, ...]:
        """What each test said, in the order in which they were tried."""
        return tuple(_finding(row) for row in self.document["tests"])

    @property
    def decided_by(self) -> Optional[Finding]:
        """The finding that decided; None where none did, or a packing did."""
        name = self.document["decided_by"]
        return next((one for one in self.findings if one.name == name and one.verdict == self.verdict), None)

    @property
    def test(self) -> Optional[str]:
        """The test or the packing that decided."""
        name: Optional[str] = self.document["decided_by"]
        return name

    @property
    def task(self) -> Optional[int]:
        """The index of the task that decided."""
        return self.decided_by.task if self.decided_by else None

    @property
    def margin(self) -> Optional[float]:
        """Capacity less demand of the test that decided, in the unit of its quantity."""
        return self.decided_by.margin if self.decided_by else None

    def page(self) -> str:
        """The answer as one page of HTML.

        Returns
        -------
        str
            A page that needs no network and no other file.
        """
        return _prazo.test_page(self.tasks.toml, f"{self.tasks.name}.toml", self._options, "prazo sched test")

    def __bool__(self) -> bool:
        return self.proven

    def __repr__(self) -> str:
        return f"<TestResult {self.verdict} by {self.test or 'no test'}>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escaped(one.name)}</td><td>{one.verdict}</td><td>{_shown(one.demand)}</td>"
            f"<td>{_shown(one.capacity)}</td><td>{escaped(one.quantity or '')}</td></tr>"
            for one in self.findings
        )
        return (
            f"<p><b>{self.verdict}</b>{' by ' + escaped(self.test) if self.test else ''}</p><table><tr><th>test</th>"
            f"<th>verdict</th><th>demand</th><th>capacity</th><th>quantity</th></tr>{rows}</table>"
        )


def _shown(value: Optional[float]) -> str:
    return "" if value is None else f"{value:g}"


def _finding(row: Mapping[str, Any]) -> Finding:
    keys = ("name", "verdict", "task", "demand", "capacity", "quantity", "reason")
    return Finding(**{key: row[key] for key in keys})


@dataclass(frozen=True)
class Event(Tabled):
    """Something that happened in a simulated schedule (docs/simulation.md).

    Parameters
    ----------
    at_ns : int
        When, in nanoseconds from the start.
    event : str
        ``"arrival"``, ``"release"``, ``"dispatch"``, ``"preemption"``, ``"completion"`` and others.
    task : str, optional
        The name of the task.
    job : int, optional
        The job's number within its task, from 0.
    cpu : int, optional
        The processor, from 0.
    """

    at_ns: int
    event: str
    task: Optional[str]
    job: Optional[int]
    cpu: Optional[int]


@dataclass(frozen=True)
class Simulation(Charted, Documented):
    """What happened in a simulated run. A notebook shows its schedule.

    ``document`` is what ``prazo sched simulate --json`` prints (docs/schema/sched-simulate.json).

    Parameters
    ----------
    json : str
        The document as text.
    tasks : TaskSet
        The set that was simulated.
    """

    tasks: TaskSet = field(repr=False)
    _options: str = field(repr=False)

    @property
    def misses(self) -> int:
        """Jobs that missed their deadline. No miss is no proof, unless ``document["proof"]`` says so."""
        misses: int = self.document["misses"]
        return misses

    @property
    def end_ns(self) -> int:
        """How far it was simulated, in nanoseconds."""
        end_ns: int = self.document["end_ns"]
        return end_ns

    def events(self) -> List[Event]:
        """Every event of the schedule, in order.

        Returns
        -------
        list of Event
            The simulation is repeated for it; the same seed gives the same events.
        """
        import csv
        import io

        text = _prazo.events(self.tasks.toml, f"{self.tasks.name}.toml", self._options)
        # A name may have other separators of lines.
        rows = csv.reader(io.StringIO(text, newline="\n"))
        next(rows)
        return [
            Event(int(row[0]), row[1], row[2] or None, int(row[3]) if row[3] else None, int(row[4]) if row[4] else None)
            for row in rows
        ]

    def gantt(self, start: Optional[Time] = None, span: Optional[Time] = None, **times: Unpack[ChartTimes]) -> Picture:
        """The schedule around the first miss, or from ``start`` on, as a picture.

        Parameters
        ----------
        start, span : str or datetime.timedelta, optional
            Where the picture begins, and how much of the schedule it shows.
        **times : int
            Times with their unit in the name, such as ``span_ms=20``.

        Returns
        -------
        Picture
            An SVG, which notebooks and Git forges show.

        Raises
        ------
        RefusedError
            A length is no time, or begins behind the end of the schedule.
        """
        window = _times.texts({"start": start, "span": span}, times)
        file = f"{self.tasks.name}.toml"
        return Picture(_prazo.gantt(self.tasks.toml, file, self._options, window.get("start"), window.get("span")))

    def save_trace(self, path: _Path) -> None:
        """Writes the schedule to a new file, as a trace for Perfetto or Chrome (JSON).

        Parameters
        ----------
        path : path
            Where it is written, such as ``"schedule.json"``.

        Raises
        ------
        FileExistsError
            The file is there already.
        FailedError
            The file cannot be written.
        """
        _prazo.simulate(self.tasks.toml, f"{self.tasks.name}.toml", self._options, trace=_new(path))

    def save_report(self, path: _Path) -> None:
        """Writes the report with a chart of the schedule to a new file: ``.html`` or ``.md``.

        Parameters
        ----------
        path : path
            Where it is written; the ending says in which form.

        Raises
        ------
        FileExistsError
            The file is there already.
        FailedError
            The file cannot be written.
        """
        file = f"{self.tasks.name}.toml"
        _prazo.simulate(self.tasks.toml, file, self._options, report=_new(path), command="prazo sched simulate")

    def __repr__(self) -> str:
        return f"<Simulation {self.misses} misses in {self.end_ns} ns>"

    def _parts(self) -> Iterator[Part]:
        yield paragraph(f"{self.misses} of {self.document['jobs']:,} jobs missed their deadline", bold=self.tasks.name)
        yield self.gantt()


def _new(path: _Path) -> str:
    # A link to nothing is in the way as well.
    if os.path.lexists(path):
        raise FileExistsError(f"{os.fspath(path)} exists; name a new file")
    return os.fspath(path)


def verify(certificate: str, against: Optional[_Path] = None) -> Answer:
    """Re-checks a certificate without trusting the analysis that wrote it: as ``prazo sched verify --json``.

    Parameters
    ----------
    certificate : str
        :attr:`TestResult.certificate`.
    against : path, optional
        A task set that it must be about.

    Returns
    -------
    Answer
        Whether the proof holds, in ``accepted``; docs/schema/sched-verify.json has all keys.

    Raises
    ------
    RefusedError
        The text is no certificate, or the task set cannot be read.
    """
    document: Answer = answer_of(_prazo.verify(certificate, None if against is None else os.fspath(against)))
    return document
