"""Work on the workers of a Dask cluster: chunks of an experiment, boots of a hunt, and any function that workers can import.

``python -m prazo.cluster ADDRESS`` is what ``prazo sched experiment --scheduler`` and ``prazo lab hunt --scheduler`` start. It
connects to the scheduler, reads requests as lines of standard input, and prints one line for each answer::

    {"work": "boots", "shared": {...}, "items": [{...}, {...}]}
    {"number": 1, "answer": {...}}
"""

from __future__ import annotations

import functools
import importlib
import json
import os
import sys
import threading
from contextlib import contextmanager
from typing import IO, Any, Callable, Dict, Generator, Iterable, List, Optional, Sequence, Set, Tuple, TypeVar, Union

from . import _prazo, command
from ._values import Progress, showing

_Item = TypeVar("_Item")
_Answer = TypeVar("_Answer")


@functools.lru_cache(maxsize=8)
def _digest(path: str, modified_ns: int, size: int) -> str:
    """The first digits of a file's SHA-256. Time and size are here to read a file again that was replaced."""
    import hashlib

    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()[:12]


def _digest_of(path: Optional[str]) -> str:
    try:
        found = os.stat(path or "")
        return _digest(path or "", found.st_mtime_ns, found.st_size)
    except OSError:
        return "-"


def build() -> str:
    """The prazo of this process: version, kind of machine, and digests of module and program; ``-`` where there is none."""
    import platform

    try:
        program: Optional[str] = command.program()
    except _prazo.FailedError:
        program = None
    module = getattr(_prazo, "__file__", None)
    return f"{_prazo.__version__} ({platform.machine()}, module {_digest_of(module)}, program {_digest_of(program)})"


def check_version(version: str) -> None:
    """Another prazo may count otherwise, so a worker's must be the client's.

    Parameters
    ----------
    version : str
        The client's :func:`build`, or its version alone.

    Raises
    ------
    RefusedError
        The versions differ; or on machines of one kind, the modules or the programs do. Builds for another kind of
        machine never have the same digests, so there the version decides.
    """
    own = build()
    if own == version:
        return
    mine, theirs = own.replace(",", "").split(), version.replace(",", "").split()
    is_same = mine[0] == theirs[0]
    if is_same and len(theirs) == len(mine) and mine[1] == theirs[1]:
        # A side without the program has none to compare.
        is_same = all(one == other or "-" in (one.strip(")"), other.strip(")")) for one, other in zip(mine, theirs))
    if not is_same:
        raise _prazo.RefusedError(
            f"this worker has prazo {own} and the client {version}; install the same prazo on both, from one wheel"
        )


def _chunks(version: str, item: Tuple[str, Tuple[int, ...]]) -> Tuple[str, List[str]]:
    """What a worker does for an experiment: the fingerprint of what it read, and the chunks."""
    check_version(version)
    specification, numbers = item
    return _prazo.specified_chunks(specification, list(numbers))


def _boot(version: str, item: str) -> Any:
    """What a worker does for a hunt: one boot of the lab, by the program."""
    import tempfile

    check_version(version)
    command.check_program()
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "boot.json")
        with open(file, "w", encoding="utf-8") as job:
            job.write(item)
        return json.loads(command.run(["lab", "try-boot", file])[1])


class Stop:
    """The wish of another thread to end work that is spread over a cluster."""

    def __init__(self) -> None:
        self._is_set = threading.Event()
        self._cancel: Callable[[], object] = lambda: None

    def is_set(self) -> bool:
        """True once the work is to end."""
        return self._is_set.is_set()

    def set(self) -> None:
        """Ends the work."""
        self._is_set.set()
        self._cancel()

    def on_set(self, cancel: Callable[[], object]) -> None:
        """What ends the work that is under way."""
        self._cancel = cancel


#: Items that are with the scheduler at a time: enough for many workers, and few enough to hand out again.
_UNDER_WAY = 512
#: How often work is handed out again after a scheduler was lost, without an answer in between.
_TRIES = 5
#: How long workers may take to hear that their commands are to end.
_INTERRUPT_S = 10
#: How long a lost scheduler may take to come back with a worker.
_RETURN_S = 60
#: After how long without a worker that has a resource the user hears of it.
_ALONE_S = 5


def _worked(token: str, work: Callable[[str, _Item], _Answer], version: str, item: _Item) -> _Answer:
    """The task of Dask: commands that it starts can be ended by the token."""
    with command.belonging_to(token):
        return work(version, item)


class _NotKept(Exception):
    """An answer could not be kept: a fault of this machine, which is no lost scheduler."""

    def __init__(self, error: OSError) -> None:
        super().__init__(str(error))
        self.error = error


def spread(
    work: Callable[[str, _Item], _Answer],
    items: Sequence[_Item],
    client: Any,
    keep: Callable[[_Item, _Answer], object],
    resources: Callable[[_Item], Optional[Dict[str, float]]] = lambda item: None,
    stop: Optional[Stop] = None,
) -> None:
    """Has a cluster's workers call ``work(version, item)`` for each item, and keeps each answer as soon as it is there.

    Dask makes again what a dead worker had. What a scheduler took with it is handed out again once a scheduler is back, so that an
    answer is kept once for each item, in any order. After an error or Ctrl-C, commands of prazo that workers run for it are
    interrupted.

    Parameters
    ----------
    work : callable
        A function that workers can import. It calls :func:`check_version` first.
    items : sequence
        What goes out.
    client : dask.distributed.Client
    keep : callable
        Called in this thread with an item and its answer.
    resources : callable, optional
        The Dask resources that an item takes.
    stop : Stop, optional
        Another thread's wish to end it.

    Raises
    ------
    FailedError
        The scheduler was lost and did not come back, or the work was stopped.
    """
    import uuid
    from concurrent.futures import CancelledError

    distributed: Any = importlib.import_module("distributed")  # optional

    left, lost, version, token = dict(enumerate(items)), 0, build(), uuid.uuid4().hex
    while left:
        futures: Dict[Any, int] = {}
        waiting = iter(list(left))

        def submit() -> List[Any]:
            """The next item goes out; an empty list where none is left."""
            for number in waiting:
                item = left[number]
                future = client.submit(_worked, token, work, version, item, pure=False, resources=resources(item))
                futures[future] = number
                return [future]
            return []

        def cancel() -> None:
            _forget(client, list(futures))

        if stop is not None:
            stop.on_set(cancel)
        try:
            _check_stop(stop)
            under_way = distributed.as_completed([future for _ in range(_UNDER_WAY) for future in submit()])
            for future in under_way:
                _check_stop(stop)
                if future.status == "error":
                    _interrupt(client, token)
                    raise future.exception()
                answer: _Answer = future.result()
                number = futures.pop(future)
                try:
                    keep(left[number], answer)
                except OSError as error:
                    raise _NotKept(error) from error
                del left[number]
                lost = 0
                under_way.update(submit())
        except _NotKept as failure:
            _interrupt(client, token)
            raise failure.error from None
        except (CancelledError, distributed.CancelledError, OSError) as error:
            if futures and any(future.status == "error" for future in futures):
                raise
            if stop is not None and stop.is_set():
                _interrupt(client, token)
                _check_stop(stop)
            # The scheduler is gone, and with it what it was given.
            lost += 1
            if lost > _TRIES or not _is_back(client):
                raise _prazo.FailedError(f"the Dask scheduler was lost: {error}; start it and call again") from error
        except BaseException:
            _interrupt(client, token)
            raise
        finally:
            cancel()


@contextmanager
def reminding(client: Any, wanted: Set[str]) -> Generator[None, None, None]:
    """Says once which resources no worker has, because the scheduler waits for such a worker without a word."""

    def remind() -> None:
        try:
            missing = sorted(wanted - _resources(client))
        except Exception:  # a scheduler that cannot be asked is another matter
            return
        for name in missing:
            print(
                f"prazo: no worker has the resource '{name}'; the work waits for one that is started with "
                f'--resources "{name}=1"',
                file=sys.stderr,
                flush=True,
            )

    reminder = threading.Timer(_ALONE_S, remind)
    reminder.daemon = True
    if wanted:
        reminder.start()
    try:
        yield
    finally:
        reminder.cancel()


def _resources(client: Any) -> Set[str]:
    """The resources that workers have."""

    def of_all(dask_scheduler: Any) -> List[str]:
        return [name for worker in dask_scheduler.workers.values() for name in worker.resources]

    return set(client.run_on_scheduler(of_all))


def _check_stop(stop: Optional[Stop]) -> None:
    if stop is not None and stop.is_set():
        raise _prazo.FailedError("the work was stopped")


def _interrupt(client: Any, token: str) -> None:
    """Ends the commands that workers run."""

    def run() -> None:
        try:
            client.run(command.interrupt_all, token, on_error="ignore")
        except Exception:  # a worker that cannot be reached has nothing that could be ended
            pass

    # A scheduler that is gone would keep the caller waiting.
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(timeout=_INTERRUPT_S)


def _is_back(client: Any) -> bool:
    """True once a scheduler has a worker again."""
    import time

    end = time.monotonic() + _RETURN_S
    while time.monotonic() < end:
        try:
            if client.scheduler_info()["workers"] and client.status == "running":
                client.wait_for_workers(1, timeout=1)
                return True
        except Exception:  # a client that is connecting raises what it likes
            pass
        time.sleep(0.2)
    return False


def _forget(client: Any, futures: List[Any]) -> None:
    try:
        client.cancel(futures)
    except Exception:  # without a scheduler there is nothing to forget
        pass


def _chunks_of(shared: Any, item: Any) -> Tuple[str, Tuple[int, ...]]:
    return json.dumps(shared), tuple(item)


def _made(answer: Tuple[str, List[str]]) -> Any:
    return {"fingerprint": answer[0], "chunks": [json.loads(chunk) for chunk in answer[1]]}


def _boot_of(shared: Any, item: Any) -> str:
    return json.dumps({**shared, **item})


#: What a command may request: the function of a worker, its item, and the answer as the command reads it.
_WORK: Dict[str, Tuple[Callable[[str, Any], Any], Callable[[Any, Any], Any], Callable[[Any], Any]]] = {
    "chunks": (_chunks, _chunks_of, _made),
    "boots": (_boot, _boot_of, lambda answer: answer),
}


def serve(client: Any, requests: Iterable[str], answers: IO[str], stop: Optional[Stop] = None) -> None:
    """Does what a command of prazo requests, until its lines end; the end of the lines stops what is under way.

    Parameters
    ----------
    client : dask.distributed.Client
    requests : iterable of str
        Lines of the command.
    answers : text file
        Where the answers go, a line each.
    stop : Stop, optional
        Another wish to end it.
    """
    import queue

    stop = stop or Stop()
    waiting: queue.Queue[Optional[str]] = queue.Queue()

    def read() -> None:
        try:
            for line in requests:
                waiting.put(line)
        except (OSError, ValueError):  # the command is gone, or this end was closed
            pass
        waiting.put(None)
        stop.set()

    def say(document: Any) -> None:
        answers.write(json.dumps(document) + "\n")
        answers.flush()

    say({"version": _prazo.__version__})
    threading.Thread(target=read, daemon=True).start()
    while (line := waiting.get()) is not None:
        request = json.loads(line)
        work, item_of, answer_of = _WORK[request["work"]]
        items = list(enumerate(item_of(request["shared"], item) for item in request["items"]))
        try:
            spread(
                _numbered(work),
                items,
                client,
                lambda item, answer: say({"number": item[0], **_said(answer, answer_of)}),
                stop=stop,
            )
        except Exception as error:  # whatever Dask raises ends the command's work, with its text
            if stop.is_set():
                return
            say({"error": str(error) or type(error).__name__})


class _numbered:
    """Work with the item's number before it. An error of prazo is an answer, so that other items' answers are kept."""

    def __init__(self, work: Callable[[str, Any], Any]) -> None:
        self.work = work

    def __call__(self, version: str, item: Tuple[int, Any]) -> Tuple[bool, Any]:
        check_version(version)
        try:
            return True, self.work(version, item[1])
        except _prazo.PrazoError as error:
            return False, str(error)


def _said(answer: Tuple[bool, Any], answer_of: Callable[[Any], Any]) -> Dict[str, Any]:
    is_there, value = answer
    return {"answer": answer_of(value)} if is_there else {"error": value}


def answer(
    client: Any,
    progress: Union[None, bool, Progress],
    words: Sequence[str],
    arguments: Sequence[Any],
    started: Sequence[Any],
    /,
    **flags: Any,
) -> Any:
    """Returns what a command prints as JSON; its work is done by the workers of a client, where there is one.

    Parameters
    ----------
    client : dask.distributed.Client, optional
    progress : callable or bool, optional
        Called with the parts done and the parts in all. True shows a bar where tqdm is installed.
    words, arguments, started, **flags
        As in :func:`prazo.command.answer`.
    """
    with showing(progress, " ".join(words), "part") as report:
        if report is not None:
            flags["_progress"] = report
        if client is None:
            return command.answer(words, arguments, started, **flags)
        if flags.get("scheduler") is not None:
            raise _prazo.RefusedError("scheduler: a client is given as well; give one of them")
        with serving(client) as flags["scheduler"]:
            return command.answer(words, arguments, started, **flags)


@contextmanager
def serving(client: Any) -> Generator[str, None, None]:
    """Lets a command, or this process, have its work done by a client's workers.

    It reaches the client through a socket, so that every kind of client will do, such as one with TLS.

    Parameters
    ----------
    client : dask.distributed.Client

    Yields
    ------
    str
        What takes the place of a scheduler's address.
    """
    import socket
    import tempfile

    # The path of a socket has 107 bytes at most.
    place = None if len(os.fsencode(tempfile.gettempdir())) < 80 else "/tmp"
    with tempfile.TemporaryDirectory(dir=place) as folder, socket.socket(socket.AF_UNIX) as listening:
        path = os.path.join(folder, "client")
        listening.bind(path)
        listening.listen(1)
        stop = Stop()

        def meet() -> None:
            try:
                connection, _ = listening.accept()
            except OSError:  # nobody came
                return
            with connection, connection.makefile("r") as requests, connection.makefile("w") as answers:
                try:
                    serve(client, requests, answers, stop)
                except OSError:  # the other end is gone
                    pass

        server = threading.Thread(target=meet, daemon=True)
        server.start()
        try:
            yield f"unix:{path}"
        finally:
            stop.set()
            try:
                # Where nobody came, accept() waits.
                listening.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            server.join(timeout=_RETURN_S)


def main(arguments: Sequence[str]) -> int:
    """Does what a command requests on standard input, with the cluster at an address."""
    (address,) = arguments
    client: Any = importlib.import_module("distributed").Client(address, timeout="10s")
    try:
        serve(client, sys.stdin, sys.stdout)
    finally:
        client.close()
    return 0


if __name__ == "__main__":
    try:
        # Workers import functions by the module's name, which is another one here.
        sys.exit(importlib.import_module("prazo.cluster").main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as error:  # the command shows the last line
        print(error or type(error).__name__, file=sys.stderr)
        sys.exit(4)
