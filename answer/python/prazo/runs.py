"""Run files: counts, quantiles, verdicts, samples."""

from __future__ import annotations

import functools
import json
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union

from . import _prazo, _times
from ._shown import Charted, Part, Picture, listed, microseconds, paragraph, table
from ._values import Answer, Time, answer_of, escaped

if TYPE_CHECKING:
    from ._times import DeadlineTimes, Unpack

_Path = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class Verdict:
    """Pass, fail or inconclusive, with the reasons (docs/statistics.md).

    It is true where the outcome is ``"pass"``, and prints as its sentence.

    Parameters
    ----------
    outcome : {"pass", "fail", "inconclusive"}
        The answer.
    sentence : str
        The answer in one sentence.
    reasons : tuple of str
        The reasons, most decisive first.
    reason_ids : tuple of str
        Names of the reasons, such as ``"too-few-activations"``.
    missed : int
        Due activations that missed the deadline.
    due : int
        Due activations in all.
    interval : (float, float), optional
        The 95 % confidence interval of the share that misses; None where the run is too short for one.
    """

    outcome: str
    sentence: str
    reasons: Tuple[str, ...]
    reason_ids: Tuple[str, ...]
    missed: int
    due: int
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
    """One quantile, with what supports it (docs/statistics.md). ``int()`` gives its nanoseconds.

    Parameters
    ----------
    q : float
        The share of values that are not above it.
    value_ns : int
        The quantile in nanoseconds.
    at_least : bool
        True where the value is only a lower bound.
    values_above : int
        Number of values above it.
    interval_ns : (int, int), optional
        The 95 % confidence interval in nanoseconds; None where the run is too short for one.
    reason : str
        How the interval was made, or why there is none.
    """

    q: float
    value_ns: int
    at_least: bool
    values_above: int
    interval_ns: Optional[Tuple[int, int]]
    reason: str

    def __int__(self) -> int:
        return self.value_ns

    def _repr_html_(self) -> str:
        least = "at least " if self.at_least else ""
        interval = "" if self.interval_ns is None else f", 95 % CI [{self.interval_ns[0]}, {self.interval_ns[1]}] ns"
        return f"<p>quantile {self.q}: {least}{self.value_ns} ns{interval}</p>"


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Run(Charted):
    """A run file that was opened. Its figures are those of ``prazo report``.

    A notebook shows the share of activations at or above a latency, the quantiles and the caveats.

    Parameters
    ----------
    path : path
        The file.

    Raises
    ------
    FailedError
        The file cannot be read, or is no run file.
    """

    #: The file.
    path: str
    _file: _prazo.RunFile = field(init=False)

    def __init__(self, path: _Path) -> None:
        # As seen from any folder, since the samples are read later.
        object.__setattr__(self, "path", os.path.abspath(path))
        object.__setattr__(self, "_file", _prazo.RunFile.open(self.path))

    @functools.cached_property
    def document(self) -> Answer:
        """The run's part of the report, as ``prazo report --json`` prints it (docs/schema/report.json). It does not change."""
        document: Answer = answer_of(self._file.document())["runs"][0]
        return document

    @property
    def name(self) -> str:
        """The run's name."""
        name: str = self.document["name"]
        return name

    @property
    def caveats(self) -> Sequence[Answer]:
        """Threats to the run's validity: ``id``, ``severity``, ``what`` and ``remedy`` of each."""
        caveats: Sequence[Answer] = self.document["caveats"]
        return caveats

    def verdict(
        self,
        deadline: Optional[Time] = None,
        kind: str = "firm",
        quantile: Optional[float] = None,
        **times: Unpack[DeadlineTimes],
    ) -> Verdict:
        """Judges the run against a requirement, as ``prazo report --deadline``.

        Parameters
        ----------
        deadline : str or datetime.timedelta
            From due to running.
        kind : {"hard", "firm", "soft"}
            What a miss means.
        quantile : float, optional
            The share of due activations that must meet it; by default that of the kind: 1, 0.999, 0.99.
        **times : int
            ``deadline_ns``, ``deadline_us``, ``deadline_ms`` or ``deadline_s`` instead of ``deadline``.

        Returns
        -------
        Verdict
            The outcome with its reasons, and the share of misses with its interval (Clopper and Pearson, dependent samples).

        Raises
        ------
        TypeError
            There is no deadline, or there are two.
        RefusedError
            The deadline is no length of time above zero, or a word is none of those above.
        """
        length = _times.optional(deadline, "deadline", times)
        if length is None:
            raise TypeError("deadline is missing; give a time such as '1ms', or deadline_us=1000")
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

        Returns
        -------
        Quantile
            The value in nanoseconds, with its interval from blocks of samples.

        Raises
        ------
        RefusedError
            Fewer than 10 values lie above it, or ``q`` or ``per`` is none of those above.
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

        pandas, polars, duckdb and pyarrow read it without a copy, as in ``pyarrow.table(run.samples())``. Only runs measured with
        ``raw`` keep samples. The file is read while the stream is consumed, so that a long run needs little memory; ``len`` reads
        it once.

        Returns
        -------
        object
            It has ``__arrow_c_stream__`` and a length. The columns are ``cpu`` (uint32), ``quantity`` (text), ``warm_up``
            (bool), ``activation`` (uint64), ``due_ns`` and ``latency_ns`` (int64, nanoseconds).

        Raises
        ------
        FailedError
            The file cannot be read.
        """
        return self._file.samples()

    def plot(
        self,
        *others: Run,
        deadline: Optional[Time] = None,
        chart: str = "later-than",
        **times: Unpack[DeadlineTimes],
    ) -> Picture:
        """Draws a chart of the report: of this run alone, or together with others.

        Parameters
        ----------
        *others : Run
            Runs in the same chart, a curve each.
        deadline : str or datetime.timedelta, optional
            Drawn as a line.
        chart : {"later-than", "histogram", "exceedance", "timeline"}
            The share of activations at or above a latency; the samples in each bin; the shares of served wake-ups and of due
            activations at or above a latency; the latencies of each second.
        **times : int
            ``deadline_us`` and others, instead of ``deadline``.

        Returns
        -------
        Picture
            An SVG, which notebooks and Git forges show.

        Raises
        ------
        RefusedError
            There is no such chart, or the runs have nothing that it shows.

        Examples
        --------
        >>> rt.plot(standard, deadline="200us").save("both.svg")  # doctest: +SKIP
        """
        length = _times.optional(deadline, "deadline", times)
        return Picture(self._file.chart([other._file for other in others], chart, length))

    def page(self) -> str:
        """The report on this run, as one page of HTML.

        Returns
        -------
        str
            A page that needs no network and no other file; ``prazo.Page`` shows it in a notebook.
        """
        return self._file.page()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Run) and self.document == other.document

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> Tuple[Any, ...]:
        return (Run, (self.path,))

    def __repr__(self) -> str:
        return f"<Run {self.name!r} from {self.path!r}>"

    def _parts(self) -> Iterator[Part]:
        yield paragraph(self.document["length_allows"] or "", bold=self.name)
        try:
            yield self.plot()
        except _prazo.RefusedError as error:  # a run without samples
            yield paragraph(str(error))
        levels = (0.5, 0.99, 0.999, 0.9999)
        columns = ("CPU", "quantity", "per", "count", "mean", *(f"{level * 100:g} %" for level in levels), "largest")
        summaries: Sequence[Answer] = self.document["summaries"]
        # One processor alone is all of them.
        is_alone = len({summary["cpu"] for summary in summaries} - {None}) == 1
        yield table(columns, (_row(one, levels) for one in summaries if one["cpu"] is None or not is_alone))
        yield listed(f"{caveat['severity']}: {caveat['what']}" for caveat in self.caveats)


def _row(summary: Answer, levels: Tuple[float, ...]) -> List[Optional[object]]:
    """A summary's cells; a quantile that the count does not support is empty."""
    values: Dict[float, Optional[int]] = {one["q"]: one["value_ns"] for one in summary["quantiles"]}
    mean = None if summary["mean_ns"] is None else round(summary["mean_ns"])
    times = (mean, *(values.get(level) for level in levels), summary["max_ns"])
    place = "all" if summary["cpu"] is None else summary["cpu"]
    return [place, summary["quantity"], summary["per"], f"{summary['count']:,}", *(microseconds(ns) for ns in times)]


def open(path: _Path) -> Union[Run, List[Run]]:
    """Opens a run file, or all run files of a folder in the order of their names.

    Parameters
    ----------
    path : path
        A file that prazo measured or imported, or a folder. Files of the folder that do not end in ``.prazo`` are left out.

    Returns
    -------
    Run or list of Run
        One run, or the folder's.

    Raises
    ------
    FailedError
        A file cannot be read, or is no run file.
    """
    if os.path.isdir(path):
        names = sorted(name for name in os.listdir(path) if name.endswith(".prazo"))
        return [Run(os.path.join(path, name)) for name in names]
    return Run(path)
