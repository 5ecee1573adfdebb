"""The commands of prazo, each in a process of its own.

Each function here is one command: keyword arguments are its flags, with underscores for hyphens. ``True`` is a flag
without a value, a list repeats a flag, and None leaves it out. The answer is what ``--json`` prints, described by docs/schema.
An exit status is an answer and no error: 0 passed, 1 failed, 3 undecided. 2 and 4 raise.

What takes long to import is imported where it is used, so that ``import prazo`` takes little.
"""

from __future__ import annotations

import datetime
import json
import os
import sys
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union, cast

from ._prazo import FailedError, RefusedError
from ._values import Document, time_text

_Path = Union[str, "os.PathLike[str]"]
#: How long a command may take to put the system back after an interrupt.
_GRACE_S = 30


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


def run(command: Sequence[str], *arguments: _Path, **flags: Any) -> Tuple[int, str]:
    """Runs a command of prazo; its progress goes to standard error.

    Returns
    -------
    (int, str)
        The exit status, and what it printed.

    Raises
    ------
    RefusedError
        Exit status 2: the command cannot be carried out as it stands.
    FailedError
        Exit status 4: the system did not do what was needed.
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    import signal
    import subprocess

    words = [program(), *command, *flag_words(flags), *(os.fspath(one) for one in arguments)]
    child = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        printed, said = child.communicate()
    except KeyboardInterrupt:
        # The terminal has sent it SIGINT as well; a notebook has not.
        child.send_signal(signal.SIGINT)
        try:
            child.communicate(timeout=_GRACE_S)
        except subprocess.TimeoutExpired:
            child.kill()
            child.communicate()
        raise
    last = said.strip().rsplit("\n", 1)[-1].removeprefix("prazo: ")
    if child.returncode == 2:
        raise RefusedError(last)
    if child.returncode not in (0, 1, 3):
        raise FailedError(last or f"prazo ended with status {child.returncode}")
    if said:
        print(said, file=sys.stderr, end="")
    return child.returncode, printed


def _json(command: Sequence[str], *arguments: _Path, **flags: Any) -> Any:
    _, printed = run(command, *arguments, json=True, **flags)
    return json.loads(printed) if printed.strip() else None


def evaluate(**flags: Any) -> Document:
    """Measures this machine, judges it and writes a report: ``prazo evaluate``."""
    answer: Document = _json(["evaluate"], **flags)
    return answer


def check(**flags: Any) -> List[Document]:
    """The readiness checks: ``prazo check``."""
    answer: List[Document] = _json(["check"], **flags)
    return answer


def measure(probe: str = "timer", **flags: Any) -> Document:
    """Measures latencies: ``prazo measure timer|interrupt|event|overheads|...``.

    Examples
    --------
    >>> run = prazo.measure("timer", period="1ms", policy="fifo", duration="10s")  # doctest: +SKIP
    """
    answer: Document = _json(["measure", probe], **flags)
    return answer


def compare(reference: _Path, *others: _Path, **flags: Any) -> Any:
    """Compares run files: ``prazo compare``."""
    return _json(["compare"], reference, *others, **flags)


def report(*runs: _Path, **flags: Any) -> Document:
    """The report on run files: ``prazo report``."""
    answer: Document = _json(["report"], *runs, **flags)
    return answer


def import_(*files: _Path, **flags: Any) -> Any:
    """Imports what other tools measured: ``prazo import``."""
    return _json(["import"], *files, **flags)


def export(run_file: _Path, **flags: Any) -> str:
    """A run file in another form: ``prazo export``."""
    return run(["export"], run_file, **flags)[1]


def load(**flags: Any) -> Any:
    """Runs loads without measuring: ``prazo load``."""
    return _json(["load"], **flags)


def cost(*command: _Path, **flags: Any) -> Document:
    """What a program costs: ``prazo cost``."""
    words = ["--", *(os.fspath(one) for one in command)] if command else []
    answer: Document = _json(["cost"], *words, **flags)
    return answer


def tune(action: str = "show", **flags: Any) -> Any:
    """Changes this machine for real time, or undoes it: ``prazo tune``."""
    return _json(["tune", action], **flags)


def study(name: Optional[_Path] = None, **flags: Any) -> Any:
    """Runs a study: ``prazo study NAME``."""
    return _json(["study"], *([name] if name is not None else []), **flags)


def gate(name: Optional[_Path] = None, **flags: Any) -> Any:
    """Holds a kernel against a baseline: ``prazo gate``."""
    return _json(["gate"], *([name] if name is not None else []), **flags)


def lab_list() -> Any:
    """What the lab has: ``prazo lab list``."""
    return _json(["lab", "list"])


def lab_fetch(**flags: Any) -> Any:
    """Fetches the lab's emulator and kernels: ``prazo lab fetch``."""
    return _json(["lab", "fetch"], **flags)


def lab_boot(**flags: Any) -> str:
    """Boots a machine of the lab and gives its console: ``prazo lab boot``."""
    return run(["lab", "boot"], **flags)[1]


def lab_explain(run_file: _Path, **flags: Any) -> Document:
    """What a run's worst activations executed: ``prazo lab explain``."""
    answer: Document = _json(["lab", "explain"], run_file, **flags)
    return answer


def sched_partition(tasks: _Path, **flags: Any) -> Document:
    """Assigns tasks to processors: ``prazo sched partition``."""
    answer: Document = _json(["sched", "partition"], tasks, **flags)
    return answer


def sched_advise(tasks: _Path, **flags: Any) -> Document:
    """Finds changes with which a task set is proven: ``prazo sched advise``. Its status 3 is an answer: none was found."""
    answer: Document = _json(["sched", "advise"], tasks, **flags)
    return answer


def sched_run(tasks: _Path, **flags: Any) -> Document:
    """Runs a task set as threads of this machine: ``prazo sched run``."""
    answer: Document = _json(["sched", "run"], tasks, **flags)
    return answer


def sched_inversion(**flags: Any) -> Document:
    """Measures priority inversion: ``prazo sched inversion``."""
    answer: Document = _json(["sched", "inversion"], **flags)
    return answer


def sched_deploy(tasks: _Path, **flags: Any) -> Document:
    """Gives processors, policies and priorities to processes: ``prazo sched deploy``."""
    answer: Document = _json(["sched", "deploy"], tasks, **flags)
    return answer


def sched_undeploy(**flags: Any) -> Any:
    """Undoes what :func:`sched_deploy` changed: ``prazo sched undeploy``."""
    return _json(["sched", "undeploy"], **flags)


def sched_watch(**flags: Any) -> Document:
    """Watches the deployed tasks: ``prazo sched watch``."""
    answer: Document = _json(["sched", "watch"], **flags)
    return answer


def watch(*target: _Path, **flags: Any) -> Document:
    """Watches a program against its deadline: ``prazo watch``.

    Parameters
    ----------
    *target
        One process identifier such as ``"812"`` or a thread's such as ``"812/815"``; or a program with its arguments, after ``"--"``.

    Examples
    --------
    >>> prazo.watch("812", duration="10s")["threads"]  # doctest: +SKIP
    """
    answer: Document = _json(["watch"], *target, **flags)
    return answer


def trigger(*address: str, **flags: Any) -> str:
    """Sends triggers to a machine that measures events: ``prazo trigger``."""
    return run(["trigger"], *address, **flags)[1]


def fetch(address: str, **flags: Any) -> Any:
    """Takes the results of a command that was left on a board: ``prazo fetch``."""
    return _json(["fetch"], address, **flags)
