"""Experiments on random task sets: here, or as chunks on the workers of a Dask cluster."""

from __future__ import annotations

import importlib
import json
import os
import tempfile
from dataclasses import dataclass, field
from typing import Any, Callable, List, Optional, Union

from . import _prazo
from ._values import Document

#: Chunks that one task of Dask makes: large enough that the scheduler's work beside it does not count.
CHUNKS_PER_TASK = 8


@dataclass(frozen=True)
class Experiment:
    """The result of an experiment: the same bytes whoever made its chunks, and in which order."""

    #: As ``prazo sched experiment --json`` prints it.
    json: str = field(repr=False)
    name: str

    @property
    def document(self) -> Document:
        """As JSON (docs/schema/sched-experiment.json)."""
        document: Document = json.loads(self.json)
        return document

    @property
    def complete(self) -> bool:
        """False where chunks are missing."""
        complete: bool = self.document["complete"]
        return complete

    @property
    def curves(self) -> List[Document]:
        """One document for each curve, with its points."""
        curves: List[Document] = self.document["curves"]
        return curves

    def points(self) -> List[Document]:
        """One row for each point of each curve, for a data frame."""
        return [{"curve": curve["id"], **point} for curve in self.curves for point in curve["points"]]

    def plot(self) -> Any:
        """The curves' page, as a notebook shows it."""
        return _Page(self.name, self.json)

    def __repr__(self) -> str:
        return f"<Experiment {self.name}, {'complete' if self.complete else 'incomplete'}>"


@dataclass(frozen=True)
class _Page:
    name: str
    json: str = field(repr=False)

    def _repr_html_(self) -> str:
        rows: List[str] = []
        for curve in json.loads(self.json)["curves"]:
            shares = ", ".join(f"{point['utilization']}: {point['share']}" for point in curve["points"])
            rows.append(f"<tr><td>{curve['id']}</td><td>{shares}</td></tr>")
        return f"<table><tr><th>curve</th><th>share proven, by utilization</th></tr>{''.join(rows)}</table>"


def _chunks(version: str, name: str, numbers: List[int]) -> List[str]:
    """What a worker does. Another prazo may count otherwise, so versions must agree."""
    if version != _prazo.__version__:
        raise _prazo.RefusedError(
            f"this worker has prazo {_prazo.__version__} and the client {version}; install the same version on both"
        )
    return [_prazo.chunk(name, number) for number in numbers]


def experiment(
    name: str,
    *,
    client: Any = None,
    folder: Optional[Union[str, "os.PathLike[str]"]] = None,
    threads: Optional[int] = None,
    progress: Optional[Callable[[int, int], object]] = None,
) -> Experiment:
    """Makes an experiment, or what is missing of it: as ``prazo sched experiment``.

    Parameters
    ----------
    name : str
        A built-in experiment such as ``"epos-2013"``, or a TOML file, which workers must find under the same path.
    client : dask.distributed.Client, optional
        Makes the chunks on its workers; without one, threads of this process do.
    folder : path, optional
        Where finished chunks are kept, so that a second call goes on. By default a folder that is removed.
    threads : int, optional
        By default one for each processor.
    progress : callable, optional
        Called with the chunks done and the chunks in all.

    Returns
    -------
    Experiment
    """
    with tempfile.TemporaryDirectory() as made:
        place = os.fspath(folder) if folder is not None else made
        if client is not None:
            _distribute(name, client, place, progress)
        text = _prazo.experiment(name, place, threads, False, [], progress)
    return Experiment(text, name)


def _distribute(name: str, client: Any, folder: str, progress: Optional[Callable[[int, int], object]]) -> None:
    as_completed: Any = importlib.import_module("distributed").as_completed  # optional

    total, missing = _prazo.chunks(name), _prazo.missing(name, folder)
    batches = [missing[start : start + CHUNKS_PER_TASK] for start in range(0, len(missing), CHUNKS_PER_TASK)]
    futures = [client.submit(_chunks, _prazo.__version__, name, batch, pure=False) for batch in batches]
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


