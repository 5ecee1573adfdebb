"""Work on the workers of a Dask cluster: chunks of an experiment, and runs on a farm of boards.

``python -m prazo.cluster NAME FOLDER SCHEDULER`` is what ``prazo sched experiment --scheduler`` starts.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any, List, Optional, Sequence, Tuple, Union

from . import _prazo, command
from ._values import Progress
from .runs import Run

#: Chunks that one task of Dask makes: large enough that the scheduler's work beside it does not count.
CHUNKS_PER_TASK = 8


def check_version(version: str) -> None:
    """Another prazo may count otherwise, so a worker's must be the client's."""
    if version != _prazo.__version__:
        raise _prazo.RefusedError(
            f"this worker has prazo {_prazo.__version__} and the client {version}; install the same version on both"
        )


def _chunks(version: str, name: str, numbers: List[int]) -> List[str]:
    """What a worker does."""
    check_version(version)
    return [_prazo.chunk(name, number) for number in numbers]


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
    as_completed: Any = importlib.import_module("distributed").as_completed  # optional

    total, missing = _prazo.chunks(name), _prazo.missing(name, folder)
    batches = [missing[start : start + CHUNKS_PER_TASK] for start in range(0, len(missing), CHUNKS_PER_TASK)]
    futures = [
        client.submit(_chunks, _prazo.__version__, name, batch, pure=False) for batch in batches
    ]
    done = total - len(missing)
    try:
        for future in as_completed(futures):
            made: List[str] = future.result()
            _prazo.keep(name, folder, made)
            done += len(made)
            if progress is not None:
                progress(done, total)
    finally:
        client.cancel(futures)


def _ran(version: str, words: Sequence[str]) -> Tuple[int, str]:
    check_version(version)
    return command.run(words)


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
    version = _prazo.__version__
    if client is None:
        return [_ran(version, words) for words in commands]
    futures = [client.submit(_ran, version, list(words), pure=False) for words in commands]
    try:
        done: List[Tuple[int, str]] = client.gather(futures)
        return done
    finally:
        client.cancel(futures)


def resource(board: str) -> str:
    """The Dask resource of a board: a worker that may use it is started with ``--resources "NAME=1"``."""
    return f"board {board}"


def _measured(version: str, board: str, probe: str, flags: Sequence[str]) -> bytes:
    """Measures on one board and gives the run file."""
    import tempfile

    check_version(version)
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
    words = command.flag_words(flags)
    version = _prazo.__version__
    if client is not None:
        futures = [
            client.submit(_measured, version, board, probe, words, pure=False, resources={resource(board): 1})
            for board in boards
        ]
        made: List[bytes] = client.gather(futures)
    else:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(max_workers=max(1, len(boards))) as threads:
            started = [threads.submit(_measured, version, board, probe, words) for board in boards]
            made = [run.result() for run in started]
    os.makedirs(folder, exist_ok=True)
    runs: List[Run] = []
    for number, content in enumerate(made):
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
