"""A program watched against its deadline, second by second."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any, Iterator, Optional, Sequence, Union

from . import command
from ._prazo import FailedError
from ._values import Answer, Documented, escaped, several

_Path = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class Watched(Documented):
    """What was seen of a program; ``document`` is what ``prazo watch --json`` prints (docs/schema/watch.json).

    Parameters
    ----------
    json : str
        The document as text.
    """

    @property
    def outcome(self) -> str:
        """``"pass"``, ``"fail"`` or ``"inconclusive"``; of what was seen until now."""
        outcome: str = self.document["outcome"]
        return outcome

    @property
    def threads(self) -> Sequence[Answer]:
        """The threads that wait again and again: counts, quantiles in nanoseconds, and the worst activations with their causes."""
        threads: Sequence[Answer] = self.document["threads"]
        return threads

    @property
    def missed(self) -> int:
        """Activations of all threads that missed their deadline."""
        return sum(one["missed"] or 0 for one in self.threads)

    @property
    def elapsed_ns(self) -> int:
        """Duration of the watch until now."""
        watched_s: float = self.document["watched_s"]
        return round(watched_s * 1_000_000_000)

    @property
    def file(self) -> Optional[str]:
        """The run file, once the watch is over."""
        file: Optional[str] = self.document["file"]
        return file

    def __repr__(self) -> str:
        return f"<Watched {self.outcome}, {self.missed} missed, {_in_s(self.elapsed_ns)}>"

    def _repr_html_(self) -> str:
        columns = ("thread_id", "name", "wait", "period_ns", "due", "served", "skipped", "missed", "unseen")
        head = "".join(f"<th>{one}</th>" for one in columns)
        rows = "".join(
            "<tr>" + "".join(f"<td>{escaped(_shown(thread[one]))}</td>" for one in columns) + "</tr>"
            for thread in self.threads
        )
        return f"<p><b>{self.outcome}</b> after {_in_s(self.elapsed_ns)}</p><table><tr>{head}</tr>{rows}</table>"


def _in_s(nanoseconds: int) -> str:
    return f"{nanoseconds / 1e9:.1f} s"


def _shown(value: Any) -> str:
    return "" if value is None else str(value)


class Watch(Iterator[Watched]):
    """A watch under way. Iterating gives what was seen until then, once a second, and at last the answer.

    Leaving a ``with`` block or calling :meth:`stop` ends it.

    Parameters
    ----------
    words : sequence of str
        The command line; :func:`watch` makes it.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._child = command.Child(words)
        self._last: Optional[Watched] = None
        self._is_over = False
        self._is_stopped = False

    def __iter__(self) -> Watch:
        return self

    def __next__(self) -> Watched:
        if self._is_over:
            raise StopIteration
        assert self._child.process.stdout is not None
        try:
            line = self._child.process.stdout.readline()
        except KeyboardInterrupt:
            self._is_over = True
            self._child.interrupt()
            raise
        if line:
            self._last = Watched(json.dumps(json.loads(line)))
            return self._last
        self._is_over = True
        # A program that was started gives its own status, and a watch that was stopped had nothing to answer yet.
        self._child.end(has_answered=self._last is not None or self._is_stopped)
        raise StopIteration

    @property
    def answer(self) -> Watched:
        """The answer; waits until the watch is over.

        Raises
        ------
        RefusedError, FailedError
            It could not be watched.
        """
        for _ in self:
            pass
        if self._last is None:
            raise FailedError("the watch was stopped before it had seen anything")
        return self._last

    def stop(self) -> None:
        """Ends the watch as Ctrl-C does. What it saw last is kept in its run file and in :attr:`answer`."""
        import signal

        # One that has ended by itself may have an error to report.
        if not self._is_over and not self._is_stopped and self._child.process.poll() is None:
            self._is_stopped = True
            self._child.process.send_signal(signal.SIGINT)
        for _ in self:
            pass

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *raised: object) -> None:
        if not self._is_over:
            self.stop()

    def __del__(self) -> None:
        # Nobody listens any more; the run file is closed all the same.
        if not getattr(self, "_is_over", True) and self._child.process.poll() is None:
            self._child.process.terminate()

    def __repr__(self) -> str:
        return f"<Watch {'over' if self._is_over else 'under way'}, last {self._last!r}>"


def watch(process: Union[None, int, str] = None, *, program: Sequence[_Path] = (), **flags: Any) -> Watch:
    """Watches a program against its deadline: ``prazo watch``. It begins at once.

    Parameters
    ----------
    process : int or str, optional
        A process, or a thread as in ``"812/815"``.
    program : sequence of str, optional
        A program to start, with its arguments.
    **flags
        As in :func:`prazo.commands.watch`: ``comm``, ``unit``, ``cgroup``, ``duration``, ``deadline``, ``until_miss``, ``worst`` and others.
        Times may have the unit in their name: ``deadline_us=200``.

    Returns
    -------
    Watch
        An iterator of :class:`Watched`; its ``answer`` waits for the end.

    Examples
    --------
    >>> for seen in prazo.watch(812, deadline="200us"):  # doctest: +SKIP
    ...     print(seen.elapsed_ns, seen.missed)
    >>> prazo.watch(812, duration="10s").answer.outcome  # doctest: +SKIP
    'pass'
    """
    return Watch(command.line(["watch", "--json", "--lines"], [process], several(program, "program"), flags))
