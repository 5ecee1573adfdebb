"""Runs the program ``prazo`` in a process of its own; :mod:`prazo.commands` has a function for each of its commands.

What takes long to import is imported where it is used, so that ``import prazo`` takes little.
"""

from __future__ import annotations

import contextvars
import datetime
import functools
import json
import os
import sys
import threading
from contextlib import contextmanager
from typing import Any, Dict, Generator, List, NamedTuple, Optional, Sequence, Set, Union, cast

from ._prazo import FailedError, RefusedError, __version__
from ._times import flag_text
from ._values import Progress, answer_of, time_text

_Path = Union[str, "os.PathLike[str]"]
#: What stands for one word of a command line.
_Word = Union[str, int, float, "os.PathLike[str]"]
#: What a line of progress begins with.
_PROGRESS = '{"progress":'
#: How long a command may take to begin its end after an interrupt.
_GRACE_S = 30
#: How long a command that has heard the interrupt may take to put the system back.
_RESTORE_S = 300
#: How long an interrupt of the terminal may take to reach the command.
_TERMINAL_GRACE_S = 1
#: After how long the user hears why it takes so long.
_SILENT_S = 5


def program() -> str:
    """The path of the ``prazo`` program: PRAZO_PROGRAM, else this environment's, else the first on PATH.

    Returns
    -------
    str
        The program that commands run as.

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


def check_program() -> None:
    """The program's version must be the module's: a worker may have one of another installation on its PATH.

    Raises
    ------
    FailedError
        The versions differ, or there is no program.
    """
    path = program()
    try:
        modified_ns = os.stat(path).st_mtime_ns
    except OSError as error:
        raise FailedError(f"cannot start {path}: {error.strerror}") from error
    version = _version_of(path, modified_ns)
    if version != __version__:
        raise FailedError(
            f"the program {path} is prazo {version}, and this Python module is prazo {__version__}; "
            "install the same version of both, or set PRAZO_PROGRAM"
        )


@functools.lru_cache(maxsize=8)
def _version_of(path: str, modified_ns: int) -> str:
    """What a program says of itself. The time is here to ask a program again that was replaced."""
    import subprocess

    try:
        said = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=_GRACE_S).stdout.split()
    except (OSError, subprocess.TimeoutExpired) as error:
        raise FailedError(f"cannot start {path}: {error}") from error
    return said[1] if len(said) == 2 else "of an unknown version"


def flag_words(flags: Dict[str, Any]) -> List[str]:
    """Keyword arguments as the flags of a command; ``period_us=250`` is ``--period=250us``."""
    words: List[str] = []
    for keyword, given in flags.items():
        name, value = flag_text(keyword, given)
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


def _has_heard(pid: int) -> bool:
    """True for a command of prazo that an interrupt has reached: it listens for SIGINT once, and for SIGTERM still."""
    import signal

    try:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as status:
            caught = next((int(line.split()[1], 16) for line in status if line.startswith("SigCgt:")), 0)
    except OSError:  # it has ended
        return False
    hears_interrupt, hears_end = (bool(caught >> (number - 1) & 1) for number in (signal.SIGINT, signal.SIGTERM))
    return hears_end and not hears_interrupt


class _Group:
    """Commands of several threads that end together."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._children: Set[Child] = set()
        self.users = 0
        self.is_ended = False

    def add(self, child: Child) -> None:
        with self._lock:
            self._children.add(child)
            is_late = self.is_ended
        if is_late:
            child.interrupt()

    def remove(self, child: Child) -> None:
        with self._lock:
            self._children.discard(child)

    def interrupt(self) -> List[threading.Thread]:
        """Interrupts all at once; a thread waits for each."""
        with self._lock:
            self.is_ended = True
            children = list(self._children)
        threads = [threading.Thread(target=child.interrupt, daemon=True) for child in children]
        for thread in threads:
            thread.start()
        return threads


_groups: Dict[str, _Group] = {}
_groups_lock = threading.Lock()
_group: contextvars.ContextVar[Optional[_Group]] = contextvars.ContextVar("_group", default=None)


@contextmanager
def belonging_to(token: str) -> Generator[None, None, None]:
    """Commands that this thread starts meanwhile are ended by ``interrupt_all(token)``."""
    with _groups_lock:
        group = _groups.setdefault(token, _Group())
        group.users += 1
    before = _group.set(group)
    try:
        yield
    finally:
        _group.reset(before)
        with _groups_lock:
            group.users -= 1
            if group.users == 0 and _groups.get(token) is group:
                del _groups[token]


def interrupt_all(token: str, wait: bool = False) -> None:
    """Interrupts the commands that belong to a token, as Ctrl-C does.

    Parameters
    ----------
    token : str
    wait : bool
        True to wait until they have put the system back.
    """
    with _groups_lock:
        group = _groups.get(token)
    threads = group.interrupt() if group is not None else []
    if wait:
        for thread in threads:
            thread.join()


class Child:
    """A command under way. What it says on standard error is passed on as it comes.

    Parameters
    ----------
    words : sequence of str
        The command line.
    progress : callable, optional
        Called with the parts done and the parts in all, which the command counts.
    folder : path, optional
        Where it works.
    """

    def __init__(
        self, words: Sequence[str], progress: Optional[Progress] = None, folder: Optional[_Path] = None
    ) -> None:
        import subprocess

        # The command ends with this process, also where that is killed.
        environment = {**os.environ, "PRAZO_STARTER": str(os.getpid())}
        if progress is not None:
            environment["PRAZO_PROGRESS"] = "json"
        try:
            self.process = subprocess.Popen(
                words,
                # A program that the command starts may read what this process reads; the command reads nothing.
                stdin=None if "--" in words else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                # A watched program may print any bytes.
                encoding="utf-8",
                errors="replace",
                cwd=folder,
                env=environment,
            )
        except OSError as error:
            raise FailedError(f"cannot start {words[0]}: {error.strerror}") from error
        self._progress = progress
        self._last = ""
        self._held: List[str] = []
        self._interrupting = threading.Lock()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        assert self.process.stderr is not None
        held: List[str] = []
        for one in self.process.stderr:
            if self._progress is not None and one.startswith(_PROGRESS):
                self._count(self._progress, one)
                continue
            # The last line may be the error, which is raised and not shown.
            for said in held:
                print(said, file=sys.stderr, end="", flush=True)
            held = [one]
            self._last = one.strip() or self._last
        self._held = held

    def _count(self, progress: Progress, line: str) -> None:
        count = json.loads(line)["progress"]
        try:
            progress(count["done"], count["total"])
        except Exception as error:  # a thread of the package cannot raise to the caller
            self._progress = None
            print(f"prazo: no more progress: {error!r}", file=sys.stderr, flush=True)

    def interrupt(self) -> None:
        """Ends it as Ctrl-C does, and waits until it has put the system back."""
        import signal
        import time

        with self._interrupting:
            begun, is_said = time.monotonic(), False
            # The terminal has interrupted it as well; that may take a moment to reach it.
            if _is_in_foreground():
                self._has_ended_within(_TERMINAL_GRACE_S)
            # A second SIGINT would end it at once, with the system as it is.
            has_heard = _has_heard(self.process.pid)
            if not has_heard:
                self.process.send_signal(signal.SIGINT)
            while not self._has_ended_within(0.2):
                waited_s = time.monotonic() - begun
                # One that ends listens no more, and has heard all the same.
                has_heard = has_heard or _has_heard(self.process.pid)
                if waited_s > (_RESTORE_S if has_heard else _GRACE_S):
                    self.process.kill()
                elif waited_s > _SILENT_S and not is_said:
                    is_said = True
                    print("prazo: waiting for the command to put the system back", file=sys.stderr, flush=True)
        self._listener.join()

    def _has_ended_within(self, seconds: float) -> bool:
        import subprocess

        try:
            self.process.wait(timeout=seconds)
            return True
        except subprocess.TimeoutExpired:
            return False

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


class Ran(NamedTuple):
    """A command that has ended: its exit status and the text that it printed."""

    status: int
    text: str

    @property
    def answer(self) -> Any:
        """The text as an :class:`Answer`, or a list of several, where the command printed JSON.

        Raises
        ------
        ValueError
            It is no JSON; give the command ``--json``.
        """
        return documents(self.text)


def _ran(
    words: Sequence[str],
    keeps_status: bool = False,
    progress: Optional[Progress] = None,
    folder: Optional[_Path] = None,
) -> Ran:
    child = Child(words, progress, folder)
    assert child.process.stdout is not None
    group = _group.get()
    if group is not None:
        group.add(child)
    try:
        printed = child.process.stdout.read()
        return Ran(child.end(has_answered=keeps_status and bool(printed.strip())), printed)
    except KeyboardInterrupt:
        child.interrupt()
        raise
    finally:
        if group is not None:
            group.remove(child)


def run_in(folder: _Path, words: Sequence[str]) -> Ran:
    """Runs a command of prazo in a folder; otherwise as :func:`run`."""
    return _ran([program(), *words], folder=folder)


def run(command: Sequence[str], *arguments: _Path, **flags: Any) -> Ran:
    """Runs a command of prazo; the command's progress goes to standard error.

    Returns
    -------
    Ran
        A tuple of the exit status of the command, and the text that the command printed.

    Raises
    ------
    RefusedError
        Exit status 2: the request is invalid; it must be changed.
    FailedError
        Exit status 4: the system failed, or refused what the request needed.
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
    command: Sequence[str],
    arguments: Sequence[Optional[_Word]],
    started: Sequence[_Word],
    /,
    _progress: Optional[Progress] = None,
    **flags: Any,
) -> Any:
    """Returns what a command prints as JSON: one document, or a list of the documents of its lines."""
    words = line([*command, "--json"], arguments, started, flags)
    return documents(_ran(words, keeps_status=bool(started), progress=_progress)[1])


def answer_or_text(
    command: Sequence[str], arguments: Sequence[Optional[_Word]], started: Sequence[_Word], /, **flags: Any
) -> Any:
    """Returns what a command prints: text in the format that is named, else a document."""
    return (answer if flags["format"] is None else text)(command, arguments, started, **flags)


def documents(printed: str) -> Any:
    """One document, a list of several, or None for nothing; each document is an :class:`Answer`."""
    try:
        return answer_of(printed) if printed.strip() else None
    except json.JSONDecodeError:
        # JSON may have other separators of lines in its texts.
        return [answer_of(one) for one in printed.split("\n") if one.strip()]


def measure(probe: str = "timer", *arguments: _Path, **flags: Any) -> Any:
    """Measures latencies: ``prazo measure timer|interrupt|event|wakeup|overheads|...``.

    Parameters
    ----------
    probe : str
        What is measured. Each probe has a function with its flags as well, such as :func:`prazo.commands.measure_timer`.
    *arguments : path
        What a probe takes without a flag, such as the file of ``"plan"``.
    **flags
        Flags of the probe, as its function describes them. Times may have the unit in their name: ``period_us=250``.

    Returns
    -------
    Answer
        What ``--json`` prints: docs/schema/measure.json.

    Examples
    --------
    >>> run = prazo.measure("timer", period="1ms", policy="fifo", duration="10s")  # doctest: +SKIP
    """
    return answer(["measure", probe], arguments, (), **flags)


def study(name: _Path, *, progress: Union[None, bool, Progress] = None, **flags: Any) -> Any:
    """Runs a study and checks its claims: ``prazo study run NAME``. See :func:`prazo.commands.study_run`.

    Parameters
    ----------
    name : str or path
        A built-in study, or a TOML file.
    progress : callable or bool, optional
        Called with the runs done and the runs in all, where the study measures in guests or on boards. True shows a
        bar where tqdm is installed.
    **flags : object
        As in :func:`prazo.commands.study_run`.

    Returns
    -------
    Answer
        What ``--json`` prints; docs/schema/study.json has its keys.

    Raises
    ------
    RefusedError
        The study is wrong; the error names line and key.
    FailedError
        It could not be measured.
    """
    from . import commands

    return commands.study_run(name, progress=progress, **flags)
