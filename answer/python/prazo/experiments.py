"""Experiments on random task sets: here, or as chunks on the workers of a Dask cluster."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any, List, Optional, Union

from . import _prazo, cluster
from ._values import Document, Documented, Progress, escaped, showing


@dataclass(frozen=True)
class Experiment(Documented):
    """The result of an experiment: the same bytes whoever made its chunks, and in which order.

    ``document`` is what ``prazo sched experiment --json`` prints (docs/schema/sched-experiment.json).
    """

    #: The report as one page of HTML.
    page: str = field(repr=False, compare=False)

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
        """One row for each point of each curve, for a data frame."""
        return [{"curve": curve["id"], **point} for curve in self.curves for point in curve["points"]]

    def plot(self) -> Page:
        """The report with its curves, as a notebook shows it."""
        return Page(self.page)

    def _repr_html_(self) -> str:
        return self.plot()._repr_html_()

    def __repr__(self) -> str:
        return f"<Experiment {self.name}, {'complete' if self.complete else 'incomplete'}>"


@dataclass(frozen=True)
class Page:
    """A page of HTML, which notebooks show."""

    html: str = field(repr=False)

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the page to a new file."""
        with open(path, "x", encoding="utf-8") as file:
            file.write(self.html)

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{escaped(self.html)}" width="100%" height="800"></iframe>'


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
        A built-in experiment such as ``"epos-2013"``, or a TOML file, which workers must find under the same path.
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
    """
    import tempfile

    with tempfile.TemporaryDirectory() as made, showing(progress, name) as report:
        place = os.fspath(folder) if folder is not None else made
        if client is not None:
            cluster.distribute(name, client, place, report)
        page = os.path.join(made, "page.html")
        text = _prazo.experiment(name, place, threads, False, [page], report)
        with open(page, encoding="utf-8") as file:
            return Experiment(text, file.read())
