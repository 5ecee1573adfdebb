"""Many task sets at once: an Arrow table in and a table out, or a list in and a list out."""

from __future__ import annotations

import json
from typing import (
    TYPE_CHECKING,
    Any,
    Dict,
    Iterable,
    List,
    Mapping,
    Optional,
    Protocol,
    Sequence,
    Tuple,
    Union,
    cast,
    overload,
)

from . import _prazo, _times
from ._prazo import Table
from ._values import Answer, Progress, Time, answer_of, showing, whole
from .tasks import TaskSet, request_options

if TYPE_CHECKING:
    from typing_extensions import TypeIs

    from ._times import SimulationTimes, Unpack


class ArrowStream(Protocol):
    """Whatever can be read as an Arrow C stream: tables of pyarrow, polars and duckdb, and of pandas from 2.2 on."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The stream, as a capsule."""


#: A set by its tasks in ticks, as a value, or as a record of a batch.
_Set = Union[TaskSet, Iterable[Sequence[int]], Mapping[str, Any]]


@overload
def test_many(
    frame: ArrowStream,
    *,
    processors: Optional[int] = None,
    scheduler: Optional[str] = None,
    policy: Optional[str] = None,
    time: str = "continuous",
    tests: Optional[Sequence[str]] = None,
    all_tests: bool = False,
    budget: Optional[int] = None,
    simulate: Optional[int] = None,
    heuristics: Optional[Sequence[str]] = None,
    order: Optional[str] = None,
    inflate_once: bool = False,
    progress: Union[None, bool, Progress] = None,
) -> Table: ...


@overload
def test_many(
    frame: Iterable[_Set],
    *,
    processors: Optional[int] = None,
    scheduler: Optional[str] = None,
    policy: Optional[str] = None,
    time: str = "continuous",
    tests: Optional[Sequence[str]] = None,
    all_tests: bool = False,
    budget: Optional[int] = None,
    simulate: Optional[int] = None,
    heuristics: Optional[Sequence[str]] = None,
    order: Optional[str] = None,
    inflate_once: bool = False,
    progress: Union[None, bool, Progress] = None,
) -> List[Answer]: ...


def test_many(
    frame: Union[ArrowStream, Iterable[_Set]],
    *,
    processors: Optional[int] = None,
    scheduler: Optional[str] = None,
    policy: Optional[str] = None,
    time: str = "continuous",
    tests: Optional[Sequence[str]] = None,
    all_tests: bool = False,
    budget: Optional[int] = None,
    simulate: Optional[int] = None,
    heuristics: Optional[Sequence[str]] = None,
    order: Optional[str] = None,
    inflate_once: bool = False,
    progress: Union[None, bool, Progress] = None,
) -> Union[Table, List[Answer]]:
    """Tests many sets on all processors: as ``prazo sched test --batch``.

    Parameters
    ----------
    frame : Arrow stream, or iterable of sets
        A table has one row for each task: pyarrow, polars, duckdb, pandas from 2.2 on, or whatever else has
        ``__arrow_c_stream__``. Its columns are ``set`` (an integer or text), ``cost``, ``period`` and optionally ``deadline``,
        in ticks; further ``processors``, ``scheduler`` and ``policy``, each with one value for all rows of a set, which wins over
        the keyword. Other columns are ignored. Under ``"fp"`` the rows of a set begin with the most urgent task.

        Otherwise each set is a :class:`TaskSet`; or an iterable of ``(cost, period)`` or ``(cost, period, deadline)`` in ticks;
        or a dict, which is a record of a batch (docs/scenarios.md): ``{"id": ..., "m": 4, "t": [[1, 10], ...]}``.
    processors : int, optional
        For sets that do not say so themselves, and not for records. By default 1; for a :class:`TaskSet`, its own.
    scheduler : str, optional
        As ``processors``: ``"global"`` (the default) or ``"partitioned"``; for a :class:`TaskSet` as in :meth:`TaskSet.test`.
    policy : str, optional
        As ``processors``: ``"edf"`` (the default) or ``"fp"``; for a :class:`TaskSet` as in :meth:`TaskSet.test`.
    time : {"continuous", "discrete"}, optional
        As in :meth:`TaskSet.test`.
    tests : sequence of str, optional
        As in :meth:`TaskSet.test`.
    all_tests : bool
        As in :meth:`TaskSet.test`.
    budget : int, optional
        As in :meth:`TaskSet.test`.
    simulate : int, optional
        Simulate this many jobs of each set to find a miss; by default 2,000.
    heuristics : sequence of str, optional
        As in :meth:`TaskSet.test`.
    order : str, optional
        As in :meth:`TaskSet.test`.
    inflate_once : bool
        As in :meth:`TaskSet.test`.
    progress : callable or bool, optional
        Called with the sets done and the sets in all. True shows a bar where tqdm is installed.

    Returns
    -------
    Table or list of Answer
        For a table, an Arrow table with a row for each set, in the order of their first rows: ``set``, ``verdict``, ``test``,
        ``task`` (the index within the set), ``margin``, ``demand``, ``capacity``, ``quantity``, ``reason``, ``processors``,
        ``shape``, ``policy``, ``work`` and ``error``. For other sets, one document for each, in order
        (docs/schema/sched-batch.json; sched-test.json for a :class:`TaskSet`). What is wrong with one set is in its ``error``, and
        its ``verdict`` is ``"error"``.

    Raises
    ------
    RefusedError
        The table has no such columns, or a word of the request is none that is known.
    """
    asked: Dict[str, Any] = {
        "time": time,
        "tests": None if tests is None else list(tests),
        "all_tests": all_tests,
        "budget": budget,
        "simulated_jobs": simulate,
        "heuristics": None if heuristics is None else list(heuristics),
        "order": order,
        "inflate_once": inflate_once,
    }
    with showing(progress, "test_many", "set") as report:
        if _is_stream(frame):
            return _prazo.test_frame(frame, processors, scheduler, policy, request_options(**asked), report)
        sets = list(frame)
        if _are_values(sets):
            own = request_options(processors=processors, scheduler=scheduler, policy=policy, **asked)
            return [answer_of(one) for one in _prazo.test_texts(_texts(sets), own, report)]
        lines = _lines(sets, processors, scheduler, policy)
        return _documents(_prazo.test_lines(lines, request_options(**asked), report))


test_many.__test__ = False  # type: ignore[attr-defined]


@overload
def simulate_many(
    frame: ArrowStream,
    *,
    processors: Optional[int] = None,
    scheduler: Optional[str] = None,
    policy: Optional[str] = None,
    duration: Optional[Time] = None,
    arrivals: Optional[str] = None,
    offsets: Optional[str] = None,
    execution: Optional[str] = None,
    suspensions: Optional[str] = None,
    supply: Optional[str] = None,
    late: Optional[str] = None,
    quantum: Optional[Time] = None,
    seed: Optional[int] = None,
    progress: Union[None, bool, Progress] = None,
    **times: Unpack[SimulationTimes],
) -> Table: ...


@overload
def simulate_many(
    frame: Iterable[_Set],
    *,
    processors: Optional[int] = None,
    scheduler: Optional[str] = None,
    policy: Optional[str] = None,
    duration: Optional[Time] = None,
    arrivals: Optional[str] = None,
    offsets: Optional[str] = None,
    execution: Optional[str] = None,
    suspensions: Optional[str] = None,
    supply: Optional[str] = None,
    late: Optional[str] = None,
    quantum: Optional[Time] = None,
    seed: Optional[int] = None,
    progress: Union[None, bool, Progress] = None,
    **times: Unpack[SimulationTimes],
) -> List[Answer]: ...


def simulate_many(
    frame: Union[ArrowStream, Iterable[_Set]],
    *,
    processors: Optional[int] = None,
    scheduler: Optional[str] = None,
    policy: Optional[str] = None,
    duration: Optional[Time] = None,
    arrivals: Optional[str] = None,
    offsets: Optional[str] = None,
    execution: Optional[str] = None,
    suspensions: Optional[str] = None,
    supply: Optional[str] = None,
    late: Optional[str] = None,
    quantum: Optional[Time] = None,
    seed: Optional[int] = None,
    progress: Union[None, bool, Progress] = None,
    **times: Unpack[SimulationTimes],
) -> Union[Table, List[Answer]]:
    """Simulates many sets on all processors: as ``prazo sched simulate --batch``. Ticks are microseconds.

    Parameters
    ----------
    frame : Arrow stream, or iterable of sets
        As in :func:`test_many`.
    processors : int, optional
        As in :func:`test_many`.
    scheduler : str, optional
        As in :func:`test_many`.
    policy : str, optional
        As in :func:`test_many`.
    duration : str or datetime.timedelta, optional
        As in :meth:`TaskSet.simulate`.
    arrivals : str, optional
        As in :meth:`TaskSet.simulate`.
    offsets : {"synchronous", "random"}, optional
        As in :meth:`TaskSet.simulate`.
    execution : str, optional
        As in :meth:`TaskSet.simulate`.
    suspensions : {"random", "start", "middle"}, optional
        As in :meth:`TaskSet.simulate`.
    supply : {"worst", "random"}, optional
        As in :meth:`TaskSet.simulate`.
    late : {"continue", "abort", "skip-next"}, optional
        As in :meth:`TaskSet.simulate`.
    quantum : str or datetime.timedelta, optional
        As in :meth:`TaskSet.simulate`.
    seed : int, optional
        The same seed gives the same jobs.
    progress : callable or bool, optional
        As in :func:`test_many`.
    **times : int
        ``duration_ms=50``, ``quantum_us=500`` and others, with their unit in the name.

    Returns
    -------
    Table or list of Answer
        For a table, an Arrow table with a row for each set: ``set``, ``misses``, ``first_miss_ns``, ``max_tardiness_ns``,
        ``jobs``, ``events``, ``end_ns`` and ``error``. For other sets, one document for each, in order
        (docs/schema/sched-simulate-batch.json; sched-simulate.json for a :class:`TaskSet`). What is wrong with one set is in its
        ``error``; the document of such a :class:`TaskSet` has nothing else.

    Raises
    ------
    RefusedError
        The table has no such columns, or the request has a word or a length that is not possible.
    """
    asked: Dict[str, Any] = {
        "arrivals": arrivals,
        "offsets": offsets,
        "execution": execution,
        "suspensions": suspensions,
        "supply": supply,
        "late": late,
        "seed": seed,
        **_times.texts({"duration": duration, "quantum": quantum}, times),
    }
    with showing(progress, "simulate_many", "set") as report:
        if _is_stream(frame):
            return _prazo.simulate_frame(frame, processors, scheduler, policy, request_options(**asked), report)
        sets = list(frame)
        if _are_values(sets):
            own = request_options(processors=processors, scheduler=scheduler, policy=policy, **asked)
            return [answer_of(one) for one in _prazo.simulate_texts(_texts(sets), own, report)]
        lines = _lines(sets, processors, scheduler, policy)
        return _documents(_prazo.simulate_lines(lines, request_options(**asked), report))


def _documents(lines: str) -> List[Answer]:
    """A document a line. Texts in them may have other separators of lines."""
    return [answer_of(line) for line in lines.split("\n") if line]


def _is_stream(frame: Union[ArrowStream, Iterable[_Set]]) -> TypeIs[ArrowStream]:
    return hasattr(frame, "__arrow_c_stream__")


def _are_values(sets: List[_Set]) -> bool:
    """True where the sets are of :class:`TaskSet`; either all are, or none."""
    values = sum(isinstance(one, TaskSet) for one in sets)
    if 0 < values < len(sets):
        raise TypeError("some sets are TaskSets and some are not; give all in one form")
    return values > 0


def _texts(sets: List[_Set]) -> List[Tuple[str, str]]:
    return [(f"{one.name}.toml", one.toml) for one in sets if isinstance(one, TaskSet)]


def _lines(sets: List[_Set], processors: Optional[int], scheduler: Optional[str], policy: Optional[str]) -> str:
    # A call may be wrong, which no row of it is.
    head = json.loads(_prazo.record_keys(scheduler, policy))
    head["m"] = 1 if processors is None else whole(processors, "processors")
    records: List[Mapping[str, Any]] = []
    for number, one in enumerate(sets):
        if isinstance(one, Mapping):
            records.append(cast(Mapping[str, Any], one))
        else:
            tasks = [list(task) for task in cast(Iterable[Sequence[int]], one)]
            records.append({"id": number, **head, "t": tasks})
    return "\n".join(json.dumps(record) for record in records)
