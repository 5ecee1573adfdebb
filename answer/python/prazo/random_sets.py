"""Random task sets: the families of the built-in experiments, and others by their distributions."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Iterator, List, Mapping, Union

from . import _prazo
from ._values import Tabled, whole
from .tasks import TaskSet


@dataclass(frozen=True)
class Family(Tabled):
    """A family of random task sets in a built-in experiment (docs/experiments.md).

    Parameters
    ----------
    experiment : str
        The experiment's name, such as ``"epos-2013"``.
    name : str
        What :func:`generate` takes, such as ``"light"``.
    text : str
        What its sets are, with their source.
    """

    experiment: str
    name: str
    text: str


def families() -> List[Family]:
    """The families that :func:`generate` draws from.

    Returns
    -------
    list of Family
        Those of all built-in experiments.
    """
    return [Family(*row) for row in _prazo.families()]


#: Emberson, Stafford, Davis (WATERS 2010): utilizations of a fixed number of tasks by randfixedsum, and periods of 10 to 100 ms.
_EMSTADA = {"emstada-uniform": "uniform", "emstada-loguniform": "log-uniform"}


def _plain(u: Union[str, float]) -> str:
    """A utilization in its one form, because a set depends on it: 2 for 2.0, 2.50 and 5/2 for 2.5 alike."""
    from decimal import Decimal
    from fractions import Fraction

    try:
        value = Fraction(str(u))
    except (ValueError, ZeroDivisionError):  # the library says what is wrong with it
        return str(u)
    digits = f"{Decimal(value.numerator) / Decimal(value.denominator):f}"
    if Fraction(digits) != value:
        return str(value)
    return digits.rstrip("0").rstrip(".") if "." in digits else digits


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
    seed : int, optional
        The same seed draws the same sets.
    tasks : int, optional
        Number of tasks of each set, for the families ``emstada``.
    experiment : str, optional
        The experiment whose families are meant.
    first : int, optional
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
    u, seed = _plain(u), whole(seed, "seed")
    n, first, tasks = whole(n, "n"), whole(first, "first"), whole(tasks, "tasks", 1, 2**16 - 1)
    if isinstance(family, str) and family in _EMSTADA:
        periods = {"us": [10_000, 100_000], "step_us": 1_000, "spread": _EMSTADA[family]}
        draw = {"utilization": {"kind": "rand-fixed-sum", "tasks": tasks}, "periods": periods}
        name, sets = family, _prazo.draw(json.dumps(draw), f"{family} {tasks}", u, seed, first, n)
    elif isinstance(family, str):
        name, sets = family, _prazo.generate(experiment, family, u, seed, first, n)
    else:
        text = json.dumps(family, sort_keys=True)
        name, sets = "drawn", _prazo.draw(text, text, u, seed, first, n)
    for number, one in enumerate(sets, first):
        if one:
            yield TaskSet.from_ticks(one, name=f"{name}-{u}-{number}")
