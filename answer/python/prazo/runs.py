"""Run files: counts, quantiles, verdicts, samples."""

from __future__ import annotations

import functools
import json
import os
from dataclasses import dataclass, field
from typing import Any, List, Optional, Tuple, Union, cast

from . import _prazo
from ._values import Document, Time, escaped, time_text

_Path = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class Verdict:
    """Pass, fail or inconclusive, with the reasons."""

    #: ``"pass"``, ``"fail"`` or ``"inconclusive"``.
    outcome: str
    #: The answer in one sentence.
    sentence: str
    #: The reasons, most decisive first.
    reasons: Tuple[str, ...]
    #: Names of the reasons, such as ``"too-few-activations"``.
    reason_ids: Tuple[str, ...]
    #: Due activations that missed, and all of them.
    missed: int
    due: int
    #: The 95 % confidence interval of the share that misses.
    interval: Optional[Tuple[float, float]]

    def __str__(self) -> str:
        return self.sentence

    def __repr__(self) -> str:
        return f"<Verdict {self.outcome}: {self.sentence}>"

    def __bool__(self) -> bool:
        return self.outcome == "pass"

    def _repr_html_(self) -> str:
        reasons = "".join(f"<li>{escaped(one)}</li>" for one in self.reasons)
        return f"<p><b>{self.outcome}</b>: {escaped(self.sentence)}</p><ul>{reasons}</ul>"


@dataclass(frozen=True)
class Quantile:
    """One quantile, with what supports it."""

    q: float
    value_ns: int
    #: True where the value is only a lower bound.
    at_least: bool
    #: Number of values above it.
    values_above: int
    #: The 95 % confidence interval; None where the run is too short for one.
    interval_ns: Optional[Tuple[int, int]]
    #: How the interval was made, or why there is none.
    reason: str

    def __int__(self) -> int:
        return self.value_ns

    def _repr_html_(self) -> str:
        least = "at least " if self.at_least else ""
        interval = "" if self.interval_ns is None else f", 95 % CI [{self.interval_ns[0]}, {self.interval_ns[1]}] ns"
        return f"<p>quantile {self.q}: {least}{self.value_ns} ns{interval}</p>"


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Run:
    """A run file that was opened. Its figures are those of ``prazo report``.

    Raises
    ------
    FailedError
        The file cannot be read, or is no run file.
    """

    #: The file.
    path: str
    _file: _prazo.RunFile = field(init=False)

    def __init__(self, path: _Path) -> None:
        object.__setattr__(self, "path", os.fspath(path))
        object.__setattr__(self, "_file", _prazo.RunFile.open(self.path))

    @functools.cached_property
    def document(self) -> Document:
        """The run's part of the report, as ``prazo report --json`` prints it (docs/schema/report.json)."""
        return cast(Document, json.loads(self._file.document())["runs"][0])

    @property
    def name(self) -> str:
        """The run's name."""
        name: str = self.document["name"]
        return name

    @property
    def caveats(self) -> List[Document]:
        """Threats to the run's validity: ``id``, ``severity``, ``text`` and ``remedy`` of each."""
        caveats: List[Document] = self.document["caveats"]
        return caveats

    def verdict(self, deadline: Time, kind: str = "firm", quantile: Optional[float] = None) -> Verdict:
        """Does the run meet a requirement?

        Parameters
        ----------
        deadline : str or datetime.timedelta
            From due to running.
        kind : {"hard", "firm", "soft"}
            What a miss means.
        quantile : float, optional
            The share of due activations that must meet it; by default that of the kind: 1, 0.999, 0.99.
        """
        length = time_text(deadline, "deadline")
        judged = json.loads(self._file.verdict(length, kind, quantile))
        misses = json.loads(self._file.misses(length))
        interval = misses["share_interval"]
        return Verdict(
            outcome=judged["outcome"],
            sentence=judged["sentence"],
            reasons=tuple(one["text"] for one in judged["reasons"]),
            reason_ids=tuple(one["id"] for one in judged["reasons"]),
            missed=misses["missed"],
            due=misses["due"],
            interval=None if interval is None else (interval[0], interval[1]),
        )

    def quantile(self, q: float, per: str = "due") -> Quantile:
        """One quantile of the latency, all processors together.

        Parameters
        ----------
        q : float
            Above 0 and below 1.
        per : {"due", "served"}
            Per due activation, where skipped ones count with the lateness they had at least; or per served wake-up, as
            cyclictest counts.

        Raises
        ------
        RefusedError
            Fewer values lie above it than a quantile takes.
        """
        found = json.loads(self._file.quantile(q, per))
        interval = found["interval_ns"]
        return Quantile(
            q=found["q"],
            value_ns=found["value_ns"],
            at_least=found["at_least"],
            values_above=found["values_above"],
            interval_ns=None if interval is None else (interval[0], interval[1]),
            reason=found["reason"],
        )

    def samples(self) -> Any:
        """The samples that the file keeps, as an Arrow stream of one row for each served activation.

        pandas, polars, duckdb and pyarrow read it without a copy, as in ``pyarrow.table(run.samples())``. The columns are
        ``cpu``, ``quantity``, ``warm_up``, ``activation``, ``due_ns`` and ``latency_ns``. Only runs measured with ``raw`` keep samples.
        """
        return self._file.samples()

    def page(self) -> str:
        """The report on this run, as one page of HTML."""
        return self._file.page()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Run) and self.document == other.document

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> Tuple[Any, ...]:
        return (Run, (self.path,))

    def __repr__(self) -> str:
        return f"<Run {self.name!r} from {self.path!r}>"

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{escaped(self.page())}" width="100%" height="800"></iframe>'


def open(path: _Path) -> Union[Run, List[Run]]:
    """Opens a run file, or all run files of a folder in the order of their names."""
    if os.path.isdir(path):
        names = sorted(name for name in os.listdir(path) if name.endswith(".prazo"))
        return [Run(os.path.join(path, name)) for name in names]
    return Run(path)
