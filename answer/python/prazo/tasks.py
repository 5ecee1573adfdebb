"""Task sets: described, tested, simulated and drawn at random."""

from __future__ import annotations

import importlib
import json
import os
from dataclasses import dataclass, field
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union, cast

from . import _prazo
from ._values import Document, Documented, Time, escaped, time_text



@dataclass(frozen=True)
class Task:
    """A sporadic task.

    Parameters
    ----------
    cost : str or datetime.timedelta
        Worst-case execution time.
    period : str or datetime.timedelta
        Least distance of two arrivals.
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
    """

    cost: Time
    period: Time
    deadline: Optional[Time] = None
    name: Optional[str] = None
    offset: Optional[Time] = None
    jitter: Optional[Time] = None
    priority: Optional[int] = None
    cluster: Optional[int] = None
    affinity: Optional[str] = None
    working_set: Optional[str] = None

    def to_toml(self, place: int) -> str:
        """The task's table in TOML; without a name it is called by its place."""
        lines = [f"[task.{_quoted(self.name or str(place))}]"]
        for key in ("cost", "period", "deadline", "offset", "jitter"):
            value = getattr(self, key)
            if value is not None:
                lines.append(f"{key} = {_quoted(time_text(value, key))}")
        for key in ("priority", "cluster", "affinity", "working_set"):
            value = getattr(self, key)
            if value is not None:
                lines.append(f"{key} = {value if isinstance(value, int) else _quoted(value)}")
        return "\n".join(lines)


def _quoted(text: str) -> str:
    """Text as TOML has it; JSON's strings are TOML's, but for DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


@dataclass(frozen=True)
class Overheads:
    """What a platform adds to each job: release, scheduling, switches, ticks and others (docs/schedulability.md).

    ``prazo.measure("overheads", output="folder")`` writes such tables.
    """

    #: The table, in TOML.
    toml: str

    def __post_init__(self) -> None:
        _prazo.read_overheads(self.toml, "overheads")

    @classmethod
    def read(cls, path: Union[str, os.PathLike[str]]) -> Overheads:
        """A table from a file.

        Raises
        ------
        RefusedError
            It is no table of overheads.
        """
        with open(path, encoding="utf-8") as file:
            return cls(_prazo.read_overheads(file.read(), os.fspath(path)))

    def __str__(self) -> str:
        return self.toml

    def _repr_html_(self) -> str:
        return f"<pre>{escaped(self.toml)}</pre>"


#: A table, the path of one, or ``"none"``.
_Overheads = Union[str, "os.PathLike[str]", Overheads]


@dataclass(frozen=True, init=False)
class TaskSet:
    """Tasks, with what they run on where that is known. Equal sets are those with the same text.

    Parameters
    ----------
    tasks : iterable of Task
    name : str, optional
    processors : int, optional
    policy : str, optional
        ``"edf"`` or ``"fixed-priority"``.
    overheads : path, optional
        An overhead table (TOML).
    unit : {"ns", "us", "ms"}, optional
        The tick of the analysis, of which every time is a multiple. ``time="discrete"`` means arrivals at whole ticks.
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
        overheads: Optional[Union[str, os.PathLike[str]]] = None,
        unit: Optional[str] = None,
    ) -> None:
        lines = [f"name = {_quoted(name)}"]
        if processors is not None:
            lines.append(f"processors = {processors}")
        if unit is not None:
            lines.append(f"unit = {_quoted(unit)}")
        if policy is not None:
            lines.append(f"policy = {_quoted(policy)}")
        if overheads is not None:
            lines.append(f"overheads = {_quoted(os.path.abspath(overheads))}")
        text = "\n".join([*lines, *(task.to_toml(place) for place, task in enumerate(tasks))])
        self._settle(_prazo.read_tasks(text + "\n", "tasks.toml"), name)

    def _settle(self, toml: str, name: str) -> None:
        object.__setattr__(self, "toml", toml)
        object.__setattr__(self, "name", name)

    @classmethod
    def from_toml(cls, text: str, name: str = "tasks") -> TaskSet:
        """A set from TOML, as ``prazo sched`` reads it (docs/scenarios.md)."""
        made = cls.__new__(cls)
        made._settle(_prazo.read_tasks(text, "tasks.toml"), name)
        return made

    @classmethod
    def read(cls, path: Union[str, os.PathLike[str]]) -> TaskSet:
        """A set from a file: TOML, CSV, or the JSON of rt-app."""
        made = cls.__new__(cls)
        made._settle(_prazo.read_file(os.fspath(path)), os.path.basename(os.fspath(path)))
        return made

    @classmethod
    def from_ticks(cls, tasks: Iterable[Sequence[int]], unit: str = "us", **head: Any) -> TaskSet:
        """A set from integers: ``(cost, period)`` or ``(cost, period, deadline)`` in ticks of ``unit`` (ns, us or ms)."""
        made: List[Task] = []
        for task in tasks:
            times = [f"{int(value)}{unit}" for value in task]
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
        sensitivity: bool = False,
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
        sensitivity : bool
            Also find by how much costs may grow, or what must change to prove the set.

        Returns
        -------
        TestResult

        Raises
        ------
        RefusedError
            A word is none of those above, or the question cannot be asked about this set.
        """
        options = _options(
            scheduler=scheduler,
            processors=processors,
            policy=policy,
            priorities=priorities,
            overheads=overheads,
            time=time,
            tests=None if tests is None else list(tests),
            all_tests=all_tests,
            budget=budget,
            sensitivity=sensitivity,
        )
        document, certificate = _prazo.test(self.toml, f"{self.name}.toml", options)
        return TestResult(document, certificate, self, options)

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
        late: Optional[str] = None,
        seed: Optional[int] = None,
    ) -> Simulation:
        """What happens when the set runs? As ``prazo sched simulate``.

        Parameters
        ----------
        duration : str or datetime.timedelta, optional
            By default until the schedule repeats, at most 10 million events.
        arrivals : str, optional
            ``"periodic"``, or ``"sporadic=0.5"``: up to half a period later.
        offsets : {"synchronous", "random"}, optional
        execution : str, optional
            ``"bound"``, ``"uniform=0.5"``, ``"bimodal=0.3"`` or ``"overrun=1.5"``.
        late : {"continue", "abort", "skip-next"}, optional
            What becomes of a job whose deadline passes.
        seed : int, optional
            The same seed gives the same jobs.

        Returns
        -------
        Simulation
        """
        options = _options(
            scheduler=scheduler,
            processors=processors,
            policy=policy,
            priorities=priorities,
            overheads=overheads,
            duration=None if duration is None else time_text(duration, "duration"),
            arrivals=arrivals,
            offsets=offsets,
            execution=execution,
            overrun=late,
            seed=seed,
        )
        return Simulation(_prazo.simulate(self.toml, f"{self.name}.toml", options), self, options)

    def __str__(self) -> str:
        return self.toml

    def _repr_html_(self) -> str:
        return f"<pre>{escaped(self.toml)}</pre>"


def _options(overheads: Optional[_Overheads] = None, **options: Any) -> str:
    if isinstance(overheads, Overheads):
        options["overheads_table"] = overheads.toml
    elif overheads is not None:
        options["overheads"] = os.fspath(overheads)
    return json.dumps({name: value for name, value in options.items() if value is not None})


@dataclass(frozen=True)
class Finding:
    """What one test says."""

    #: The test, such as ``"GFB"``.
    name: str
    #: ``"proven"``, ``"disproven"`` or ``"unknown"``.
    verdict: str
    #: The index of the task that it is about.
    task: Optional[int]
    #: What is demanded and what there is, in the unit of ``quantity``.
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
    """The answer of :meth:`TaskSet.test`; ``document`` is what ``prazo sched test --json`` prints (docs/schema/sched-test.json)."""

    __test__ = False

    #: What :func:`verify` re-checks; None where nothing was decided, or by a method that certificates do not describe.
    certificate: Optional[str] = field(repr=False)
    #: The set that was asked about.
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
        """The answer as one page of HTML."""
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
class Event:
    """Something that happened in a simulated schedule."""

    at_ns: int
    #: ``"arrival"``, ``"release"``, ``"dispatch"``, ``"preemption"``, ``"completion"`` and others (docs/simulation.md).
    event: str
    task: Optional[str]
    #: The job's number within its task, from 0.
    job: Optional[int]
    cpu: Optional[int]


@dataclass(frozen=True)
class Simulation(Documented):
    """What happened in a simulated run; ``document`` is what ``prazo sched simulate --json`` prints (docs/schema/sched-simulate.json)."""

    tasks: TaskSet = field(repr=False)
    _options: str = field(repr=False)

    @property
    def misses(self) -> int:
        """Jobs that missed their deadline. No miss is no proof, unless ``document["proof"]`` says so."""
        misses: int = self.document["misses"]
        return misses

    @property
    def end_ns(self) -> int:
        """How far it was simulated."""
        end_ns: int = self.document["end_ns"]
        return end_ns

    def events(self) -> List[Event]:
        """Every event of the schedule, in order."""
        import csv

        text = _prazo.events(self.tasks.toml, f"{self.tasks.name}.toml", self._options)
        return [
            Event(int(row[0]), row[1], row[2] or None, int(row[3]) if row[3] else None, int(row[4]) if row[4] else None)
            for row in csv.reader(text.splitlines()[1:])
        ]

    def gantt(self, start: Optional[Time] = None, span: Optional[Time] = None) -> Picture:
        """The schedule around the first miss, or from ``start`` on, as a picture."""
        begin = None if start is None else time_text(start, "start")
        length = None if span is None else time_text(span, "span")
        return Picture(_prazo.gantt(self.tasks.toml, f"{self.tasks.name}.toml", self._options, begin, length))

    def __repr__(self) -> str:
        return f"<Simulation {self.misses} misses in {self.end_ns} ns>"

    def _repr_html_(self) -> str:
        return self.gantt().svg


@dataclass(frozen=True)
class Picture:
    """A picture, which notebooks show."""

    svg: str = field(repr=False)

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the SVG to a new file."""
        with open(path, "x", encoding="utf-8") as file:
            file.write(self.svg)

    def _repr_svg_(self) -> str:
        return self.svg


def verify(certificate: str, against: Optional[Union[str, os.PathLike[str]]] = None) -> Document:
    """Re-checks a certificate without trusting the analysis that wrote it: as ``prazo sched verify --json``.

    Parameters
    ----------
    certificate : str
        :attr:`TestResult.certificate`.
    against : path, optional
        A task set that it must be about.
    """
    document: Document = json.loads(_prazo.verify(certificate, None if against is None else os.fspath(against)))
    return document


def test_many(
    frame: Any,
    *,
    processors: Optional[int] = None,
    scheduler: str = "global",
    policy: str = "edf",
    time: str = "continuous",
    all_tests: bool = False,
) -> List[Document]:
    """Tests many sets on all processors: as ``prazo sched test --batch``.

    Parameters
    ----------
    frame : iterable of sets, iterable of dict, or an Arrow table
        Each set is an iterable of ``(cost, period)`` or ``(cost, period, deadline)`` in ticks. A dict is a record of a
        batch (docs/schedulability.md): ``{"id": ..., "m": 4, "t": [[1, 10], ...], "policy": "edf"}``. A table (whatever has
        ``__arrow_c_stream__`` or ``to_pylist``) has one row for each task, with the columns ``set``, ``cost``, ``period``
        and optionally ``deadline``; it takes pyarrow.
    processors, scheduler, policy
        For sets that are no dicts. ``scheduler`` is ``"global"`` or ``"partitioned"``; ``policy`` is ``"edf"``, or ``"fp"``
        for sets that begin with the most urgent task.

    Returns
    -------
    list of dict
        One document for each set, in order.
    """
    head = {"m": processors or 1, "shape": scheduler, "policy": policy}
    lines = "\n".join(json.dumps(record) for record in _records(frame, head))
    answered = _prazo.test_lines(lines, time, all_tests, None)
    return [json.loads(line) for line in answered.splitlines()]


test_many.__test__ = False  # type: ignore[attr-defined]


def simulate_many(
    frame: Any,
    *,
    processors: Optional[int] = None,
    scheduler: str = "global",
    policy: str = "edf",
    duration: Optional[Time] = None,
    seed: Optional[int] = None,
) -> List[Document]:
    """Simulates many sets on all processors: as ``prazo sched simulate --batch``. See :func:`test_many`; ticks are us."""
    head = {"m": processors or 1, "shape": scheduler, "policy": policy}
    lines = "\n".join(json.dumps(record) for record in _records(frame, head))
    options = _options(duration=None if duration is None else time_text(duration, "duration"), seed=seed)
    return [json.loads(line) for line in _prazo.simulate_lines(lines, options).splitlines()]


def _records(frame: Any, head: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    if hasattr(frame, "__arrow_c_stream__") or hasattr(frame, "to_pylist"):
        yield from _of_table(frame, head)
        return
    for number, one in enumerate(frame):
        yield cast(Mapping[str, Any], one) if isinstance(one, Mapping) else {"id": number, **head, "t": [list(task) for task in one]}


def _of_table(frame: Any, head: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    if not hasattr(frame, "to_pylist"):
        frame = importlib.import_module("pyarrow").table(frame)  # only where a table is given
    sets: Dict[Any, List[List[int]]] = {}
    rows: List[Dict[str, Any]] = frame.to_pylist()
    for row in rows:
        task = [row["cost"], row["period"]]
        if row.get("deadline") is not None:
            task.append(row["deadline"])
        sets.setdefault(row["set"], []).append(task)
    for name, tasks in sets.items():
        yield {"id": name, **head, "t": tasks}


@dataclass(frozen=True)
class Family:
    """A family of random task sets in a built-in experiment."""

    experiment: str
    name: str
    text: str


def families() -> List[Family]:
    """The families that :func:`generate` draws from."""
    return [Family(*row) for row in _prazo.families()]


#: Emberson, Stafford, Davis (WATERS 2010): utilizations of a fixed number of tasks by randfixedsum, and periods of 10 to 100 ms.
_EMSTADA = {"emstada-uniform": "uniform", "emstada-loguniform": "log-uniform"}


def generate(
    family: Union[str, Mapping[str, Any]],
    n: int,
    u: Union[str, float],
    seed: int = 1,
    *,
    tasks: int = 20,
    experiment: str = "epos-2013",
    first: int = 0,
) -> Iterator[TaskSet]:
    """Draws ``n`` sets of a family at the total utilization ``u``.

    A set depends on the seed, the family, the utilization and its number alone, so that any of them can be drawn again.

    Parameters
    ----------
    family : str or dict
        ``"emstada-uniform"`` or ``"emstada-loguniform"`` (Emberson, Stafford, Davis 2010): ``tasks`` tasks, utilizations by
        randfixedsum, periods of 10 to 100 ms in whole milliseconds, evenly or evenly on a logarithmic scale, deadline =
        period. Or a family of ``experiment``; see :func:`families`. Or the keys of ``draw`` in an experiment's file
        (docs/experiments.md), such as ``{"utilization": {"kind": "uniform", "range": [0.1, 0.4]}, "periods": {"us":
        [3_000, 33_000]}}``.
    n : int
        Number of sets.
    u : str or float
        Total utilization, such as ``"7.5"``; a float is taken by its decimal form.
    tasks : int
        Number of tasks of each set, for the families ``emstada``.
    first : int
        The number of the first set.

    Yields
    ------
    TaskSet
        Empty sets, at utilizations that the family cannot reach, are left out.

    Raises
    ------
    RefusedError
        There is no such family.
    """
    if isinstance(family, str) and family in _EMSTADA:
        periods = {"us": [10_000, 100_000], "step_us": 1_000, "spread": _EMSTADA[family]}
        draw = {"utilization": {"kind": "rand-fixed-sum", "tasks": tasks}, "periods": periods}
        name, sets = family, _prazo.draw(json.dumps(draw), f"{family} {tasks}", str(u), seed, first, n)
    elif isinstance(family, str):
        name, sets = family, _prazo.generate(experiment, family, str(u), seed, first, n)
    else:
        text = json.dumps(family, sort_keys=True)
        name, sets = "drawn", _prazo.draw(text, text, str(u), seed, first, n)
    for number, one in enumerate(sets, first):
        if one:
            yield TaskSet.from_ticks(one, name=f"{name}-{u}-{number}")
