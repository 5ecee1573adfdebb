"""Runs the program ``prazo`` in a process of its own; :mod:`prazo.commands` has a function for each of its commands.

What takes long to import is imported where it is used, so that ``import prazo`` takes little.
"""

from __future__ import annotations

import datetime
import json
import os
import sys
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union, cast

from ._prazo import FailedError, RefusedError
from ._values import time_text

_Path = Union[str, "os.PathLike[str]"]
#: What stands for one word of a command line.
_Word = Union[str, int, float, "os.PathLike[str]"]
#: How long a command may take to put the system back after an interrupt.
_GRACE_S = 30
#: How long an interrupt of the terminal may take to show.
_TERMINAL_GRACE_S = 5


def program() -> str:
    """The path of the ``prazo`` program: PRAZO_PROGRAM, else this environment's, else the first on PATH.

    Raises
    ------
    FailedError
        There is none.
    """
    import shutil
    import sysconfig

    named = os.environ.get("PRAZO_PROGRAM")
    beside = os.path.join(sysconfig.get_path("scripts"), "prazo")
    found = named or (beside if os.path.exists(beside) else shutil.which("prazo"))
    if found is None:
        raise FailedError("there is no program prazo; install the package with its program, or set PRAZO_PROGRAM")
    return found


def flag_words(flags: Dict[str, Any]) -> List[str]:
    """Keyword arguments as the flags of a command."""
    words: List[str] = []
    for name, value in flags.items():
        flag = "--" + name.rstrip("_").replace("_", "-")
        values: Sequence[Any] = cast(Sequence[Any], value) if isinstance(value, (list, tuple)) else [value]
        for one in values:
            if one is None or one is False:
                continue
            if one is True:
                words.append(flag)
            elif isinstance(one, datetime.timedelta):
                words.append(f"{flag}={time_text(one, name)}")
            else:
                words.append(f"{flag}={one}")
    return words


def line(
    command: Sequence[str], arguments: Sequence[Optional[_Word]], started: Sequence[_Word], flags: Dict[str, Any]
) -> List[str]:
    """A command line: words of the command, flags, arguments, and after ``--`` the program that it starts."""
    words = [program(), *command, *flag_words(flags), *(str(one) for one in arguments if one is not None)]
    return [*words, "--", *(str(one) for one in started)] if started else words


def _is_in_foreground() -> bool:
    """True where Ctrl-C of a terminal reaches this process and those that it started."""
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)


class Child:
    """A command under way. What it says on standard error is passed on as it comes."""

    def __init__(self, words: Sequence[str]) -> None:
        import subprocess
        import threading

        try:
            self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        except OSError as error:
            raise FailedError(f"cannot start {words[0]}: {error.strerror}") from error
        self._last = ""
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        assert self.process.stderr is not None
        held: List[str] = []
        for one in self.process.stderr:
            # The last line may be the error, which is raised and not shown.
            for said in held:
                print(said, file=sys.stderr, end="", flush=True)
            held = [one]
            self._last = one.strip() or self._last
        self._held = held

    def interrupt(self) -> None:
        """Ends it as Ctrl-C does, and waits until it has put the system back."""
        import signal
        import subprocess

        # A second SIGINT ends the program at once, so that none is sent where the terminal has sent one.
        for grace_s, last_resort in ((_TERMINAL_GRACE_S if _is_in_foreground() else 0, signal.SIGINT), (_GRACE_S, signal.SIGKILL)):
            try:
                self.process.wait(timeout=grace_s)
                break
            except subprocess.TimeoutExpired:
                self.process.send_signal(last_resort)
        self.process.wait()
        self._listener.join()

    def end(self, has_answered: bool = False) -> int:
        """Waits for the end and gives the exit status.

        Parameters
        ----------
        has_answered : bool
            True where every status is an answer: the command has printed one, and ends as the program that it started.

        Raises
        ------
        RefusedError, FailedError
        """
        status = self.process.wait()
        self._listener.join()
        if not has_answered:
            last = self._last.removeprefix("prazo: ")
            if status == 2:
                raise RefusedError(last)
            if status not in (0, 1, 3):
                raise FailedError(last or f"prazo ended with status {status}")
        for said in self._held:
            print(said, file=sys.stderr, end="", flush=True)
        return status


def _ran(words: Sequence[str], keeps_status: bool = False) -> Tuple[int, str]:
    child = Child(words)
    assert child.process.stdout is not None
    try:
        printed = child.process.stdout.read()
        return child.end(has_answered=keeps_status and bool(printed.strip())), printed
    except KeyboardInterrupt:
        child.interrupt()
        raise


def run(command: Sequence[str], *arguments: _Path, **flags: Any) -> Tuple[int, str]:
    """Runs a command of prazo; the command's progress goes to standard error.

    Returns
    -------
    (int, str)
        The exit status of the command, and the text that the command printed.

    Raises
    ------
    RefusedError
        Exit status 2: the request is invalid; it must be changed.
    FailedError
        Exit status 4: the system did not do what was needed.
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    return _ran(line(command, arguments, (), flags))


def text(
    command: Sequence[str], arguments: Sequence[Optional[_Word]], started: Sequence[_Word], /, **flags: Any
) -> str:
    """Returns the text that a command prints."""
    return _ran(line(command, arguments, started, flags), keeps_status=bool(started))[1]


def answer(
    command: Sequence[str], arguments: Sequence[Optional[_Word]], started: Sequence[_Word], /, **flags: Any
) -> Any:
    """Returns what a command prints as JSON: one document, or a list of the documents of its lines."""
    words = line([*command, "--json"], arguments, started, flags)
    return documents(_ran(words, keeps_status=bool(started))[1])


def answer_or_text(
    command: Sequence[str], arguments: Sequence[Optional[_Word]], started: Sequence[_Word], /, **flags: Any
) -> Any:
    """Returns what a command prints: text in the format that is named, else a document."""
    return (answer if flags["format"] is None else text)(command, arguments, started, **flags)


def documents(printed: str) -> Any:
    """One document, a list of several, or None for nothing."""
    try:
        return json.loads(printed) if printed.strip() else None
    except json.JSONDecodeError:
        return [json.loads(one) for one in printed.splitlines() if one.strip()]


def measure(probe: str = "timer", *arguments: _Path, **flags: Any) -> Any:
    """Measures latencies: ``prazo measure timer|interrupt|event|wakeup|overheads|...``.

    Parameters
    ----------
    probe : str
        What is measured. Each probe has a function with its flags as well, such as :func:`prazo.commands.measure_timer`.
    *arguments : path
        What a probe takes without a flag, such as the file of ``"plan"``.
    **flags
        Flags of the probe, as its function describes them.

    Returns
    -------
    dict
        What ``--json`` prints: docs/schema/measure.json.

    Examples
    --------
    >>> run = prazo.measure("timer", period="1ms", policy="fifo", duration="10s")  # doctest: +SKIP
    """
    return answer(["measure", probe], arguments, (), **flags)


def study(name: _Path, **flags: Any) -> Any:
    """Runs a study and checks its claims: ``prazo study run NAME``. See :func:`prazo.commands.study_run`."""
    return answer(["study", "run"], [name], (), **flags)
