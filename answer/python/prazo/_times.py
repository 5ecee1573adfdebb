"""Times as integers with their unit in the keyword's name, such as ``cost_us=2000``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Mapping, Sequence, TypedDict

from ._values import Time, integer, time_text

if TYPE_CHECKING:
    from typing_extensions import Unpack as Unpack

#: Endings of keywords, each a unit.
_UNITS = ("ns", "us", "ms", "s")


class SimulationTimes(TypedDict, total=False):
    """Times of a simulation."""

    duration_ns: int
    duration_us: int
    duration_ms: int
    duration_s: int
    quantum_ns: int
    quantum_us: int
    quantum_ms: int
    quantum_s: int


class DeadlineTimes(TypedDict, total=False):
    """``deadline`` in other units."""

    deadline_ns: int
    deadline_us: int
    deadline_ms: int
    deadline_s: int


class ChartTimes(TypedDict, total=False):
    """Times of a chart."""

    start_ns: int
    start_us: int
    start_ms: int
    start_s: int
    span_ns: int
    span_us: int
    span_ms: int
    span_s: int


class SupplyTimes(TypedDict, total=False):
    """Times of a supply."""

    budget_ns: int
    budget_us: int
    budget_ms: int
    budget_s: int
    period_ns: int
    period_us: int
    period_ms: int
    period_s: int
    delay_ns: int
    delay_us: int
    delay_ms: int
    delay_s: int


class ChainTimes(TypedDict, total=False):
    """Times of a chain."""

    max_reaction_ns: int
    max_reaction_us: int
    max_reaction_ms: int
    max_reaction_s: int
    max_age_ns: int
    max_age_us: int
    max_age_ms: int
    max_age_s: int


class TaskTimes(DeadlineTimes, total=False):
    """Times of a task."""

    cost_ns: int
    cost_us: int
    cost_ms: int
    cost_s: int
    period_ns: int
    period_us: int
    period_ms: int
    period_s: int
    offset_ns: int
    offset_us: int
    offset_ms: int
    offset_s: int
    jitter_ns: int
    jitter_us: int
    jitter_ms: int
    jitter_s: int
    min_inter_arrival_ns: int
    min_inter_arrival_us: int
    min_inter_arrival_ms: int
    min_inter_arrival_s: int
    max_inter_arrival_ns: int
    max_inter_arrival_us: int
    max_inter_arrival_ms: int
    max_inter_arrival_s: int
    within_ns: int
    within_us: int
    within_ms: int
    within_s: int
    suspends_ns: int
    suspends_us: int
    suspends_ms: int
    suspends_s: int
    cost_high_ns: int
    cost_high_us: int
    cost_high_ms: int
    cost_high_s: int
    non_preemptive_ns: int
    non_preemptive_us: int
    non_preemptive_ms: int
    non_preemptive_s: int
    best_case_ns: int
    best_case_us: int
    best_case_ms: int
    best_case_s: int
    execution_ns: int
    execution_us: int
    execution_ms: int
    execution_s: int
    server_budget_ns: int
    server_budget_us: int
    server_budget_ms: int
    server_budget_s: int
    server_period_ns: int
    server_period_us: int
    server_period_ms: int
    server_period_s: int


def texts(values: Mapping[str, object], integers: Mapping[str, Any]) -> Dict[str, str]:
    """The given times as text with units.

    Parameters
    ----------
    values : mapping
        Each time by its name: text, a timedelta, or None where it is not given so.
    integers : mapping
        Times as integers by names that end in their unit.

    Returns
    -------
    dict
        The times that were given, as text.

    Raises
    ------
    TypeError
        A time is given twice, or is no integer, or there is no such time.
    ValueError
        A time is below zero.
    """
    found = {name: time_text(value, name) for name, value in values.items() if value is not None}  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    for keyword, value in integers.items():
        name, _, unit = keyword.rpartition("_")
        if name not in values or unit not in _UNITS:
            raise TypeError(f"unknown keyword '{keyword}'; times are {_listed(list(values))}, also with _ns, _us, _ms or _s")
        if name in found:
            raise TypeError(f"{keyword}: {name} is given twice; keep one of the two")
        found[name] = integer_text(value, keyword, unit)
    return found


def integer_text(value: Any, keyword: str, unit: str) -> str:
    """An integer of a unit as text."""
    number = integer(value, keyword, "give an integer, or a smaller unit")
    if number < 0:
        raise ValueError(f"{keyword} {number}: it is below zero; give a length of time")
    return f"{number}{unit}"


def flag_text(keyword: str, value: Any) -> tuple[str, Any]:
    """A keyword of a command: ``period_us=250`` is ``period="250us"``; others stay as they are."""
    name, _, unit = keyword.rpartition("_")
    # A number, whatever its type: text and timedeltas have their unit already.
    if name and unit in _UNITS and hasattr(value, "__float__"):
        return name, integer_text(value, keyword, unit)
    return keyword, value


def optional(value: Time | None, name: str, integers: Mapping[str, Any]) -> str | None:
    """One time of a function that has only this one."""
    return texts({name: value}, integers).get(name)


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
