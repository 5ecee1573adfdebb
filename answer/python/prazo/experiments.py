"""Experiments on random task sets: here, or as chunks on the workers of a Dask cluster."""

from __future__ import annotations

import json
import os
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any, Iterator, List, Optional, Tuple, Union

from . import _prazo, cluster
from ._shown import Charted, Part, Picture, listed, paragraph, table
from ._values import Document, Documented, Progress, escaped, showing


@dataclass(frozen=True)
class Experiment(Charted, Documented):
    """The result of an experiment: the same bytes whoever made its chunks, and in which order.

    A notebook shows its charts, the acceptance of each curve, and the claims.

    ``document`` is what ``prazo sched experiment --json`` prints (docs/schema/sched-experiment.json).

    Parameters
    ----------
    json : str
        The document as text.
    page : str
        The report as one page of HTML.
    pictures : tuple of Picture, optional
        The report's charts: one for each family and method, then those of the overheads.
    """

    page: str = field(repr=False, compare=False)
    pictures: Tuple[Picture, ...] = field(default=(), repr=False, compare=False)

    @property
    def name(self) -> str:
        """The experiment's name."""
        name: str = self.document["name"]
        return name

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
        """One row for each point of each curve, for a data frame.

        Returns
        -------
        list of dict
            The point's keys, such as ``utilization``, ``sets`` and ``accepted``, and the name of its ``curve``.
        """
        return [{"curve": curve["id"], **point} for curve in self.curves for point in curve["points"]]

    def plot(self) -> Page:
        """The report with its curves, as a notebook shows it.

        Returns
        -------
        Page
            Its ``save`` writes the page.
        """
        return Page(self.page, tuple(self._parts()))

    def _parts(self) -> Iterator[Part]:
        yield paragraph(self.document["question"], bold=self.document["title"])
        for picture in self.pictures:
            yield paragraph(picture.title)
            yield picture
        columns = ("family", "method", "scheduler", "platform", "sets", "weighted acceptance")
        yield table(columns, (_row(curve) for curve in self.curves))
        yield listed(f"{claim['outcome']}: {claim['text']}" for claim in self.document["claims"])

    def __repr__(self) -> str:
        return f"<Experiment {self.name}, {'complete' if self.complete else 'incomplete'}>"


def _row(curve: Document) -> List[Optional[object]]:
    share: Optional[float] = curve["weighted_acceptance"]
    sets = sum(point["sets"] for point in curve["points"])
    names = [curve[key] for key in ("family", "method", "scheduler", "platform")]
    return [*names, f"{sets:,}", None if share is None else f"{share:.4f}"]


@dataclass(frozen=True)
class Page(Charted):
    """A page of HTML. A notebook shows its charts and tables, or the page itself in a frame where it has none.

    Parameters
    ----------
    html : str
        The page. ``prazo.Page(run.page())`` shows it in a frame, with charts that zoom. A Git forge drops frames.
    parts : tuple of str and Picture, optional
        HTML and pictures that are shown instead.
    """

    html: str = field(repr=False)
    parts: Tuple[Part, ...] = field(default=(), repr=False, compare=False)

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the page to a new file.

        Parameters
        ----------
        path : path
            Where it is written; there must be no such file.

        Raises
        ------
        FileExistsError
            The file is there already.
        """
        with open(path, "x", encoding="utf-8") as file:
            file.write(self.html)

    def _parts(self) -> Iterator[Part]:
        if self.parts:
            yield from self.parts
        else:
            yield f'<iframe srcdoc="{escaped(self.html)}" width="100%" height="800"></iframe>'


def _pictures(folder: str, document: Document) -> Tuple[Picture, ...]:
    """The pictures that prazo drew into a folder, in the order of the page: panels, then figures of overheads."""
    panels = dict.fromkeys(f"{curve['family']}-{curve['method']}" for curve in document["curves"])
    made: List[Picture] = []
    for name in [*panels, *(figure["id"] for figure in document["figures"])]:
        with open(os.path.join(folder, f"chart.{name}.svg"), encoding="utf-8") as file:
            made.append(Picture(file.read()))
    return tuple(made)


def experiment(
    name: str,
    *,
    client: Any = None,
    folder: Optional[Union[str, os.PathLike[str]]] = None,
    threads: Optional[int] = None,
    progress: Union[None, bool, Progress] = None,
) -> Experiment:
    """Makes an experiment, or what is missing of it: as ``prazo sched experiment``.

    Parameters
    ----------
    name : str
        A built-in experiment such as ``"epos-2013"``, or a TOML file, which is sent to the workers with its overhead tables.
    client : dask.distributed.Client, optional
        Makes the chunks on its workers; without one, threads of this process do.
    folder : path, optional
        Where finished chunks are kept, so that a second call goes on. By default a folder that is removed.
    threads : int, optional
        By default one for each processor.
    progress : callable or bool, optional
        Called with the chunks done and the chunks in all. True shows a bar where tqdm is installed.

    Returns
    -------
    Experiment
        The same, byte for byte, as that of ``prazo sched experiment --json``.

    Raises
    ------
    RefusedError
        There is no such experiment, or its file is wrong.
    FailedError
        The folder cannot be written, the cluster was lost, or a worker has another version of prazo.
    """
    import tempfile

    with tempfile.TemporaryDirectory() as made, showing(progress, name) as report:
        place = os.fspath(folder) if folder is not None else made
        page = os.path.join(made, "page.html")
        files = [page, os.path.join(made, "chart.svg")]
        with nullcontext() if client is None else cluster.serving(client) as scheduler:
            text = _prazo.experiment(name, place, threads, scheduler, files, report)
        with open(page, encoding="utf-8") as file:
            return Experiment(text, file.read(), _pictures(made, json.loads(text)))
