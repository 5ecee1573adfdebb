"""Commands of prazo side by side: on a farm of boards, or on the workers of a Dask cluster.

Each command has a folder of its own, in which it works. What is done is kept as soon as it is there::

    FOLDER/jobs.json     the commands, so that a folder is not used for others
    FOLDER/0/            the files of the first command
    FOLDER/0.json        its answer, once there is one
"""

from __future__ import annotations

import json
import os
import threading
from dataclasses import dataclass
from typing import Any, Collection, Dict, Iterator, List, Literal, Mapping, NamedTuple, Optional, Sequence, Tuple, Union, get_args, overload

from . import _prazo, cluster, command
from ._values import Document, Documented, Progress, several, showing
from .runs import Run

_Path = Union[str, "os.PathLike[str]"]


class _Job(NamedTuple):
    """One command."""

    number: int
    words: Tuple[str, ...]
    #: The machine that it has for itself meanwhile, or nothing.
    board: str
    #: Its folder, where this process runs it; nothing for one that is removed.
    folder: str
    #: The files of its folder, where another process runs it: their paths there, and their content.
    files: Tuple[Tuple[str, bytes], ...]


class _Done(NamedTuple):
    """What a command came to."""

    status: int
    printed: str
    #: Why it failed; nothing where it has answered.
    error: str
    is_refused: bool
    #: What it wrote, where another process ran it.
    files: Tuple[Tuple[str, bytes], ...]


def _files(folder: str) -> Iterator[Tuple[str, bytes]]:
    """All files of a folder, as paths below it and their content."""
    for place, _, names in os.walk(folder):
        for name in sorted(names):
            path = os.path.join(place, name)
            with open(path, "rb") as file:
                yield os.path.relpath(path, folder), file.read()


def _write(folder: str, files: Sequence[Tuple[str, bytes]]) -> None:
    """Writes files below a folder; each is whole or absent."""
    for name, content in files:
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        _replace(path, content)


def _digest(content: bytes) -> str:
    import hashlib  # takes long to import

    return hashlib.sha256(content).hexdigest()


def _remove(folder: str) -> None:
    import shutil  # takes long to import

    shutil.rmtree(folder, ignore_errors=True)


def _replace(path: str, content: bytes) -> None:
    unfinished = f"{path}.unfinished"
    with open(unfinished, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(unfinished, path)


def _run(folder: Optional[str], words: Sequence[str]) -> _Done:
    try:
        status, printed = command.run_in(folder or os.getcwd(), words)
    except _prazo.PrazoError as error:
        return _Done(4, "", str(error) or type(error).__name__, isinstance(error, _prazo.RefusedError), ())
    return _Done(status, printed, "", False, ())


def _worked(version: str, job: _Job) -> _Done:
    """What a worker does: it runs the command in a folder with the job's files, and gives the files that are new."""
    import tempfile

    cluster.check_version(version)
    command.check_program()
    if not job.folder:
        return _run(None, job.words)
    with tempfile.TemporaryDirectory() as folder:
        _write(folder, job.files)
        done = _run(folder, job.words)
        before = dict(job.files)
        return done._replace(files=tuple(one for one in _files(folder) if before.get(one[0]) != one[1]))


def _has_keys(found: object, request: Document) -> bool:
    """True for a document with the keys of a request."""
    return isinstance(found, dict) and found.keys() == request.keys()


def _resources(job: _Job) -> Optional[Dict[str, float]]:
    return {resource(job.board): 1} if job.board else None


def resource(board: str) -> str:
    """The Dask resource of a board: a worker that may use it is started with ``--resources "NAME=1"``."""
    return f"board {board}"


def _side_by_side(jobs: Sequence[_Job], client: Any, keep: Any) -> None:
    """Runs all jobs, never two of one board at once, and keeps each answer as soon as it is there."""
    if client is not None:
        sent = [job._replace(files=tuple(_files(job.folder))) if job.folder else job for job in jobs]
        wanted = {name for job in jobs for name in _resources(job) or ()}
        with cluster.reminding(client, wanted):
            cluster.spread(_worked, sent, client, keep, _resources)
        return
    import uuid
    from concurrent.futures import ThreadPoolExecutor, as_completed

    of_board: Dict[str, List[_Job]] = {}
    for job in jobs:
        of_board.setdefault(job.board, []).append(job)
    token, lock, ended = uuid.uuid4().hex, threading.Lock(), threading.Event()

    def in_turn(board: List[_Job]) -> None:
        for job in board:
            if ended.is_set():
                return
            with command.belonging_to(token):
                # Whoever interrupts the commands of the token has set it before.
                if ended.is_set():
                    return
                done = _run(job.folder or None, job.words)
            with lock:
                if not ended.is_set():
                    keep(job, done)

    with ThreadPoolExecutor(max_workers=max(1, len(of_board))) as threads:
        try:
            for future in as_completed([threads.submit(in_turn, board) for board in of_board.values()]):
                future.result()
        except BaseException:
            # The end of this block waits for the threads, and they wait for their commands.
            ended.set()
            command.interrupt_all(token)
            raise


@dataclass
class _Kept:
    """The folder of several jobs."""

    folder: str
    request: Document
    #: What a job's name begins with; its number follows.
    prefix: str

    @classmethod
    def open(cls, folder: _Path, request: Document, what: str, each: str, prefix: str, sent: Collection[str]) -> _Kept:
        """That of this request, or a new one. Another one is refused before anything runs.

        A job that has left nothing but the files ``sent`` to it may be another one now: of the list ``each`` that job alone, or the
        whole request where no job has left anything.
        """
        path = os.fspath(folder)
        os.makedirs(path, exist_ok=True)
        kept, file = cls(path, request, prefix), os.path.join(path, "jobs.json")
        try:
            with open(file, encoding="utf-8") as before:
                found: Any = json.load(before)
        except ValueError as error:
            raise _prazo.RefusedError(f"folder {path}: its jobs.json is damaged: {error}; name another folder") from None
        except FileNotFoundError:
            others = sorted(os.listdir(path))
            if others:
                raise _prazo.RefusedError(
                    f"folder {path}: it holds {others[0]}, which no {what} wrote; name another folder, or an empty one"
                ) from None
            found = None
        if found is not None and not _has_keys(found, request):
            raise _prazo.RefusedError(f"folder {path}: it holds the results of no {what}; name another folder")
        if found is not None and found != request:
            begun = [number for number in range(len(found[each])) if kept._is_begun(number, sent)]
            if begun and not _differ_only(found, request, each, begun):
                raise _prazo.RefusedError(f"folder {path}: it holds the results of another {what}; name another folder")
            for number in set(range(len(found[each]))) - set(begun):
                _remove(os.path.join(path, kept.name(number)))
        if found != request:
            _replace(file, json.dumps(request, indent=1).encode())
        return kept

    def name(self, number: int) -> str:
        return f"{self.prefix}{number}"

    def _is_begun(self, number: int, sent: Collection[str]) -> bool:
        """True where a job has left something."""
        place = os.path.join(self.folder, self.name(number))
        if any(os.path.exists(place + ending) for ending in (".json", ".prazo")):
            return True
        return any(name not in sent for name, _ in _files(place))

    def answer_file(self, name: str) -> str:
        return os.path.join(self.folder, f"{name}.json")

    def answered(self, name: str) -> Optional[command.Ran]:
        """What a job of an earlier call came to; None where it has no answer."""
        try:
            with open(self.answer_file(name), encoding="utf-8") as file:
                kept = json.load(file)
        except FileNotFoundError:
            return None
        return command.Ran(kept["status"], kept["printed"])

    def keep(self, name: str, done: _Done) -> None:
        """Keeps the files, and behind them the answer, if there is one."""
        _write(os.path.join(self.folder, name), done.files)
        if not done.error:
            document = {"status": done.status, "printed": done.printed}
            _replace(self.answer_file(name), json.dumps(document, indent=1).encode())


def _differ_only(found: Document, request: Document, each: str, begun: Sequence[int]) -> bool:
    """True where two requests are alike but for entries of a list, of which none is ``begun``."""
    before, now = found[each], request[each]
    is_same_else = {**found, each: None} == {**request, each: None}
    return is_same_else and len(before) == len(now) and all(before[number] == now[number] for number in begun)


def run_many(
    commands: Sequence[Sequence[str]],
    client: Any = None,
    *,
    folder: Optional[_Path] = None,
    files: Union[Sequence[_Path], Mapping[str, _Path]] = (),
    progress: Union[None, bool, Progress] = None,
) -> List[command.Ran]:
    """Runs commands of prazo, each on any worker: gates of many kernels, studies, tests.

    A machine of the lab counts instructions, so that a gate's answer does not depend on the worker. Without a client, the
    commands run one after another here. A failed command does not stop the others.

    Parameters
    ----------
    commands : sequence of sequence of str
        Such as ``[["gate", "--kernel", kernel, "--baseline", "before.json", "--json"] for kernel in kernels]``.
    client : dask.distributed.Client, optional
        Its workers run the commands.
    folder : path, optional
        Where answers and output files are kept, so that a second call with the same commands runs only what has no answer.
        Each command then works in a folder of its own, ``folder/NUMBER``, and finds ``files`` there. What it writes there
        comes back. Without ``folder`` nothing is kept, and a command works where its process does.
    files : sequence of path, or mapping of str to path, optional
        Files that are sent to each command; needs ``folder``. A sequence keeps the paths, which must be relative. A
        mapping names the path in the command's folder, and the file here. Every other file that a command names must
        exist on the worker, under the same absolute path.
    progress : callable or bool, optional
        Called with the commands done and the commands in all. True shows a bar where tqdm is installed.

    Returns
    -------
    list of Ran
        The exit status and the output of each as a tuple, in the order of ``commands``; ``answer`` is the output of a command with
        ``--json``.

    Raises
    ------
    RefusedError, FailedError
        Exit status 2 or 4 of one, when all have ended; or the folder holds the results of other commands or files.

    Examples
    --------
    >>> prazo.run_many([["sched", "test", file, "--json"] for file in files], client)  # doctest: +SKIP
    """
    sent = _sent(files)
    if sent and folder is None:
        raise _prazo.RefusedError("files: they go to folders of the commands; give folder as well")
    words = [tuple(str(word) for word in several(one, "commands")) for one in several(commands, "commands")]
    answers: Dict[int, command.Ran] = {}
    errors: Dict[int, _Done] = {}
    kept: Optional[_Kept] = None
    if folder is not None:
        digests = {name: _digest(content) for name, content in sent}
        request: Document = {"commands": [list(one) for one in words], "files": digests}
        kept = _Kept.open(folder, request, "call of run_many", "commands", "", digests)
        for number in range(len(words)):
            found = kept.answered(str(number))
            if found is not None:
                answers[number] = found
    jobs: List[_Job] = []
    for number in (number for number in range(len(words)) if number not in answers):
        place = ""
        if kept is not None:
            place = os.path.abspath(os.path.join(kept.folder, str(number)))
            if not _goes_on(words[number]):
                # What an interrupted call left would be in the way of this one.
                _remove(place)
            os.makedirs(place, exist_ok=True)
            _write(place, sent)
        jobs.append(_Job(number, words[number], "", place, ()))
    with showing(progress, "commands", "command") as report:
        if report is not None:
            report(len(answers), len(words))

        def keep(job: _Job, done: _Done) -> None:
            if kept is not None:
                kept.keep(str(job.number), done)
            if done.error:
                errors[job.number] = done
            else:
                answers[job.number] = command.Ran(done.status, done.printed)
            if report is not None:
                report(len(answers) + len(errors), len(words))

        _side_by_side(jobs, client, keep)
    for number, done in sorted(errors.items()):
        which = f"command {number + 1} of {len(words)}: " if len(words) > 1 else ""
        raise (_prazo.RefusedError if done.is_refused else _prazo.FailedError)(which + done.error)
    return [answers[number] for number in range(len(words))]


#: Commands that go on with what an interrupted one has left.
_GO_ON = (("evaluate",), ("study", "run"), ("sched", "experiment"), ("lab", "hunt"))


def _goes_on(words: Sequence[str]) -> bool:
    return any(tuple(words[: len(path)]) == path for path in _GO_ON)


def _sent(files: Union[Sequence[_Path], Mapping[str, _Path]]) -> List[Tuple[str, bytes]]:
    """Paths in a command's folder, and the files' content."""
    named = files.items() if isinstance(files, Mapping) else [(os.fspath(one), one) for one in several(files, "files")]
    sent: List[Tuple[str, bytes]] = []
    for name, path in named:
        inside = os.path.normpath(name)
        if os.path.isabs(inside) or inside.split(os.sep)[0] == os.pardir:
            raise _prazo.RefusedError(f"files {name}: it lies outside the command's folder; map a relative path to it")
        try:
            with open(path, "rb") as file:
                sent.append((inside, file.read()))
        except OSError as error:
            raise _prazo.RefusedError(f"files {os.fspath(path)}: it cannot be read: {error.strerror}") from error
    return sorted(sent)


#: What a board measures into one run file; any other word of :func:`farm` is a study, but for the next ones.
_Probe = Literal["timer", "interrupt", "wakeup", "noise", "xenomai"]
_PROBES = get_args(_Probe)
#: What `prazo measure` measures besides, and what to do instead of a farm.
_NO_PROBES = {
    "event": "its frames would be among those of SSH; start it at the board's console",
    "latmon": "it measures boards from here; call measure_latmon for each",
    "overheads": "it writes a table; call measure_overheads with on= for each board",
    "plan": "it takes the file of a run; call measure_plan with on= for each board",
    "serial": "it reads a serial line of this machine; call measure_serial for each board",
}


@dataclass(frozen=True)
class StudyOnBoard(Documented):
    """A study that was measured on one board; ``document`` is what ``prazo study run --json`` prints.

    Parameters
    ----------
    json : str
        The document as text.
    board : str
        The board's address.
    folder : str
        The folder with its run files, for ``prazo study show --output`` and :func:`prazo.open`.
    """

    #: The board's address.
    board: str = ""
    #: The folder with its run files, for ``prazo study show --output`` and :func:`prazo.open`.
    folder: str = ""


class FarmError(_prazo.FailedError):
    """Some boards of a farm could not be measured. The results of the others are kept, and are here as well.

    Parameters
    ----------
    text : str
        How many boards were measured, and why the others were not.
    results : dict of int to Run or StudyOnBoard
        What was measured, by the board's place in ``boards``.
    failures : dict of int to str
        Why the other boards were not, by their place.
    """

    def __init__(self, text: str, results: Dict[int, Any], failures: Dict[int, str]) -> None:
        super().__init__(text)
        self.results = results
        self.failures = failures

    def __reduce__(self) -> Tuple[Any, ...]:
        return FarmError, (str(self), self.results, self.failures)


#: The name of a study's file in a board's folder.
_STUDY = "study.toml"


@overload
def farm(
    boards: Sequence[str],
    what: _Probe = "timer",
    *,
    folder: _Path,
    client: Any = None,
    progress: Union[None, bool, Progress] = None,
    **flags: Any,
) -> List[Run]: ...


@overload
def farm(
    boards: Sequence[str],
    what: _Path,
    *,
    folder: _Path,
    client: Any = None,
    progress: Union[None, bool, Progress] = None,
    **flags: Any,
) -> List[StudyOnBoard]: ...


def farm(
    boards: Sequence[str],
    what: _Path = "timer",
    *,
    folder: _Path,
    client: Any = None,
    progress: Union[None, bool, Progress] = None,
    **flags: Any,
) -> Any:
    """Measures on several boards at once, never twice at once on one: a probe, or a study.

    Each result is kept in ``folder`` as soon as it is there. A board that fails stops no other one. A second call with the same
    arguments goes on: it measures only boards without a result, and of a study only the runs that are missing. Other
    arguments are refused before anything is measured; but boards without a result may be corrected, and everything where no board has one.

    Parameters
    ----------
    boards : sequence of str
        Such as ``["ssh://root@a", "ssh://root@b"]``.
    what : str or path
        A probe, as in :func:`measure`: ``"timer"``, ``"interrupt"``, ``"wakeup"``, ``"noise"`` or ``"xenomai"``; or else a study: its name, or a TOML file. The board takes the place of the study's
        platform that is this machine; with several of those, name one by ``platform=``. A TOML file is sent to the workers;
        files that it names must exist there.
    folder : path
        Where the results go, in the order of ``boards``: ``board-0.prazo`` for a probe, a folder ``board-0`` for a study.
    client : dask.distributed.Client, optional
        Its workers measure. A worker that reaches a board is started with the resource :func:`resource` of it, so that
        no board has two runs at once. Without a client, this machine reaches all boards.
    progress : callable or bool, optional
        Called with the boards done and the boards in all. True shows a bar where tqdm is installed.
    **flags
        As in :func:`measure`, or flags of ``prazo study run``.

    Returns
    -------
    list of Run, or of StudyOnBoard
        One for each board.

    Raises
    ------
    FarmError
        Boards failed; it has the results of the others. It comes when all boards have ended.
    RefusedError
        The folder holds something else, or a farm does not measure with that probe.
    KeyboardInterrupt
        Ctrl-C. The commands were interrupted, and finished boards are kept.
    """
    name, boards = os.fspath(what), several(boards, "boards")
    if name in _NO_PROBES and not os.path.exists(name):
        raise _prazo.RefusedError(f"farm: '{name}' is not measured by a farm: {_NO_PROBES[name]}")
    is_probe = name in _PROBES
    text = b""
    if not is_probe and os.path.exists(name):
        with open(name, "rb") as file:
            text = file.read()
    words = command.flag_words(flags)
    request: Document = {
        "boards": list(boards),
        "what": os.path.basename(name) if text else name,
        "sha256": _digest(text) if text else None,
        "flags": words,
    }
    kept = _Kept.open(folder, request, "farm", "boards", "board-", {_STUDY} if text else ())
    farmed = _Farm(kept, list(boards), name, is_probe, text, words)
    jobs = [job for job in map(farmed.job, range(len(boards))) if job is not None]
    failures: Dict[int, str] = {}
    with showing(progress, "farm", "board") as report:
        ended = len(boards) - len(jobs)
        if report is not None:
            report(ended, len(boards))

        def keep(job: _Job, done: _Done) -> None:
            nonlocal ended
            try:
                farmed.keep(job, done)
            except OSError as error:
                done = done._replace(error=str(error))
            if done.error:
                failures[job.number] = done.error
            ended += 1
            if report is not None:
                report(ended, len(boards))

        _side_by_side(jobs, client, keep)
    results = {number: farmed.result(number) for number in range(len(boards)) if number not in failures}
    if failures:
        why = "; ".join(f"{boards[number]}: {error}" for number, error in sorted(failures.items()))
        raise FarmError(
            f"{len(results)} of {len(boards)} boards were measured; call again to measure the rest; {why}", results, failures
        )
    return [results[number] for number in range(len(boards))]


@dataclass
class _Farm:
    kept: _Kept
    boards: List[str]
    what: str
    is_probe: bool
    #: The study's file, if it is one.
    text: bytes
    words: List[str]

    def place(self, number: int) -> str:
        return os.path.abspath(os.path.join(self.kept.folder, self.kept.name(number)))

    def job(self, number: int) -> Optional[_Job]:
        """What is left to measure on a board."""
        board, place = self.boards[number], self.place(number)
        if os.path.exists(f"{place}.prazo") if self.is_probe else self.kept.answered(self.kept.name(number)):
            return None
        os.makedirs(place, exist_ok=True)
        if self.is_probe:
            # What an interrupted call left is no whole run.
            return _Job(number, ("measure", self.what, *self.words, f"--on={board}", "--output=run.prazo", "--force"), board, place, ())
        study = self.what
        if self.text:
            study = _STUDY
            _write(place, [(study, self.text)])
        words = ("study", "run", study, *self.words, f"--on={board}", "--output=runs", "--json")
        return _Job(number, words, board, place, ())

    def keep(self, job: _Job, done: _Done) -> None:
        place = self.place(job.number)
        if not self.is_probe:
            self.kept.keep(self.kept.name(job.number), done)
            return
        _write(place, done.files)
        if not done.error:
            os.replace(os.path.join(place, "run.prazo"), f"{place}.prazo")
            os.rmdir(place)

    def result(self, number: int) -> Any:
        place = self.place(number)
        if self.is_probe:
            return Run(f"{self.place(number)}.prazo")
        answered = self.kept.answered(self.kept.name(number))
        assert answered is not None
        return StudyOnBoard(answered[1], self.boards[number], os.path.join(place, "runs"))
