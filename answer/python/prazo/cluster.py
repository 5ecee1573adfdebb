"""Work on the workers of a Dask cluster: chunks of an experiment, and runs on a farm of boards.

``python -m prazo.cluster NAME FOLDER SCHEDULER`` is what ``prazo sched experiment --scheduler`` starts.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, TypeVar, Union

from . import _prazo, command
from ._values import Progress
from .runs import Run

_Item = TypeVar("_Item")
_Answer = TypeVar("_Answer")

#: Chunks that one task of Dask makes: large enough that the scheduler's work beside it does not count.
CHUNKS_PER_TASK = 8


def check_version(version: str) -> None:
    """Another prazo may count otherwise, so a worker's must be the client's."""
    if version != _prazo.__version__:
        raise _prazo.RefusedError(
            f"this worker has prazo {_prazo.__version__} and the client {version}; install the same version on both"
        )


def _chunks(version: str, item: Tuple[str, Tuple[int, ...]]) -> List[str]:
    """What a worker does."""
    check_version(version)
    name, numbers = item
    return [_prazo.chunk(name, number) for number in numbers]


#: Items that are with the scheduler at a time: enough for many workers, and few enough to hand out again.
_UNDER_WAY = 512
#: How often work is handed out again after a scheduler was lost, without an answer in between.
_TRIES = 5
#: How long a lost scheduler may take to come back with a worker.
_RETURN_S = 60


def spread(
    work: Callable[..., _Answer],
    items: Sequence[_Item],
    client: Any,
    keep: Callable[[_Item, _Answer], object],
    resources: Callable[[_Item], Optional[Dict[str, float]]] = lambda item: None,
) -> None:
    """Has a cluster's workers call ``work(version, item)`` for each item, and keeps each answer as soon as it is there.

    Dask makes again what a dead worker had. What a scheduler took with it is handed out again once a scheduler is back, so that an
    answer is kept once for each item, in any order.

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

    Raises
    ------
    FailedError
        The scheduler was lost and did not come back.
    """
    from concurrent.futures import CancelledError

    distributed: Any = importlib.import_module("distributed")  # optional

    left, lost = dict(enumerate(items)), 0
    while left:
        futures: Dict[Any, int] = {}
        waiting = iter(list(left))

        def submit() -> List[Any]:
            """The next item goes out; an empty list where none is left."""
            for number in waiting:
                item = left[number]
                future = client.submit(work, _prazo.__version__, item, pure=False, resources=resources(item))
                futures[future] = number
                return [future]
            return []

        try:
            under_way = distributed.as_completed([future for _ in range(_UNDER_WAY) for future in submit()])
            for future in under_way:
                answer: _Answer = future.result()
                keep(left.pop(futures.pop(future)), answer)
                lost = 0
                under_way.update(submit())
        except (CancelledError, distributed.CancelledError, OSError) as error:
            # The scheduler is gone, and with it what it was given.
            lost += 1
            if lost > _TRIES or not _is_back(client):
                raise _prazo.FailedError(f"the Dask scheduler was lost: {error}; start it and call again") from error
        finally:
            _forget(client, list(futures))


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


def batches(numbers: Sequence[int], each: int = CHUNKS_PER_TASK) -> List[Tuple[int, ...]]:
    """Numbers of chunks, so many for each task of Dask."""
    return [tuple(numbers[start : start + each]) for start in range(0, len(numbers), each)]


def distribute(name: str, client: Any, folder: str, progress: Optional[Progress] = None) -> None:
    """Makes the chunks that ``folder`` lacks on the client's workers, and keeps each batch as soon as it is there.

    Parameters
    ----------
    name : str
        The experiment.
    client : dask.distributed.Client
    folder : str
        Where finished chunks are kept.
    progress : callable, optional
        Called with the chunks done and the chunks in all.
    """
    total, missing = _prazo.chunks(name), _prazo.missing(name, folder)
    done = total - len(missing)

    def keep(item: Tuple[str, Tuple[int, ...]], made: List[str]) -> None:
        nonlocal done
        _prazo.keep(name, folder, made)
        done += len(made)
        if progress is not None:
            progress(done, total)

    spread(_chunks, [(name, batch) for batch in batches(missing)], client, keep)


def _ran(version: str, item: Tuple[int, Sequence[str]]) -> Tuple[int, str]:
    check_version(version)
    return command.run(item[1])


def run_many(commands: Sequence[Sequence[str]], client: Any = None) -> List[Tuple[int, str]]:
    """Runs commands of prazo, each on any worker: gates of many kernels, studies, tests.

    A machine of the lab counts instructions, so that a gate's answer does not depend on the worker. Files that a command names
    must be there under the same path. Without a client, the commands run one after another here.

    Parameters
    ----------
    commands : sequence of sequence of str
        Such as ``[["gate", "--kernel", kernel, "--baseline", "before.json", "--json"] for kernel in kernels]``.
    client : dask.distributed.Client, optional

    Returns
    -------
    list of (int, str)
        The exit status and the output of each, in the order of ``commands``. Exit status 2 or 4 of one raises, as in
        :func:`prazo.command.run`.

    Examples
    --------
    >>> prazo.run_many([["sched", "test", file, "--json"] for file in files], client)  # doctest: +SKIP
    """
    items = [(number, list(words)) for number, words in enumerate(commands)]
    if client is None:
        return [_ran(_prazo.__version__, item) for item in items]
    done: Dict[int, Tuple[int, str]] = {}
    spread(_ran, items, client, lambda item, answer: done.update({item[0]: answer}))
    return [done[number] for number, _ in items]


def resource(board: str) -> str:
    """The Dask resource of a board: a worker that may use it is started with ``--resources "NAME=1"``."""
    return f"board {board}"


#: One measurement of a farm: its number, board, probe and flags.
_Measurement = Tuple[int, str, str, Tuple[str, ...]]


def _measured(version: str, item: _Measurement) -> bytes:
    """Measures on one board and gives the run file."""
    import tempfile

    check_version(version)
    _, board, probe, flags = item
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "run.prazo")
        command.run(["measure", probe, *flags, f"--on={board}", f"--output={file}"])
        with open(file, "rb") as run:
            return run.read()


def farm(
    boards: Sequence[str],
    probe: str = "timer",
    *,
    folder: Union[str, os.PathLike[str]],
    client: Any = None,
    **flags: Any,
) -> List[Run]:
    """Measures on several boards at once, never twice at once on one: ``prazo measure PROBE --on BOARD``.

    Parameters
    ----------
    boards : sequence of str
        Such as ``["ssh://root@a", "ssh://root@b"]``.
    probe : str
        As in :func:`measure`.
    folder : path
        Where the run files go, one for each board, in the order of ``boards``.
    client : dask.distributed.Client, optional
        Its workers measure. A worker that reaches a board is started with the resource :func:`resource` of it, so that
        no board has two runs at once. Without a client, this machine reaches all boards.
    **flags
        As in :func:`measure`.

    Returns
    -------
    list of Run
    """
    words = tuple(command.flag_words(flags))
    items: List[_Measurement] = [(number, board, probe, words) for number, board in enumerate(boards)]
    made: Dict[int, bytes] = {}
    if client is not None:
        spread(_measured, items, client, lambda item, run: made.update({item[0]: run}), lambda item: {resource(item[1]): 1})
    else:
        from concurrent.futures import ThreadPoolExecutor

        of_board: Dict[str, List[_Measurement]] = {}
        for item in items:
            of_board.setdefault(item[1], []).append(item)

        def in_turn(board: List[_Measurement]) -> List[Tuple[int, bytes]]:
            return [(item[0], _measured(_prazo.__version__, item)) for item in board]

        with ThreadPoolExecutor(max_workers=max(1, len(of_board))) as threads:
            for done in [threads.submit(in_turn, board) for board in of_board.values()]:
                made.update(done.result())
    os.makedirs(folder, exist_ok=True)
    runs: List[Run] = []
    for number, content in sorted(made.items()):
        path = os.path.join(folder, f"board-{number}.prazo")
        with open(path, "xb") as file:
            file.write(content)
        runs.append(Run(path))
    return runs


def main(arguments: Sequence[str]) -> int:
    """Makes an experiment's missing chunks on the cluster at an address; prints ``DONE TOTAL`` after each batch."""
    name, folder, address = arguments
    client: Any = importlib.import_module("distributed").Client(address, timeout="10s")
    try:
        distribute(name, client, folder, lambda done, total: print(done, total, flush=True))
    finally:
        client.close()
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as error:  # the command shows the last line
        print(error or type(error).__name__, file=sys.stderr)
        sys.exit(4)
