"""How notebooks show answers that have charts, so that a Git forge shows them too.

A forge drops frames, scripts and pictures inside of HTML, and keeps tables and pictures that are outputs of their own. So each
chart becomes such an output, with tables before and after it.
"""

from __future__ import annotations

import importlib
import os
import re
from dataclasses import dataclass, field
from typing import Any, Iterable, Iterator, Optional, Sequence, Union

from ._values import escaped


@dataclass(frozen=True)
class Picture:
    """A picture, which notebooks and Git forges show.

    Parameters
    ----------
    svg : str
        The picture as SVG.
    """

    svg: str = field(repr=False)

    @property
    def title(self) -> str:
        """What the picture shows, for those who cannot see it."""
        found = re.search(r"<title>(.*?)</title>", self.svg, re.DOTALL)
        return _unescaped(found.group(1)) if found else "picture"

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the SVG to a new file.

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
            file.write(self.svg)

    def _repr_svg_(self) -> str:
        return self.svg


#: What is shown: HTML without pictures, or a picture.
Part = Union[str, Picture]


class Charted:
    """An answer that is shown as tables and charts."""

    def _parts(self) -> Iterator[Part]:
        """What is shown, in order."""
        raise NotImplementedError

    def _ipython_display_(self) -> None:
        display: Any = importlib.import_module("IPython.display").display  # who calls this has it
        for part in self._parts():
            if isinstance(part, Picture):
                display({"image/svg+xml": part.svg, "text/plain": part.title}, raw=True)
            else:
                display({"text/html": part, "text/plain": _words(part)}, raw=True)

    def _repr_html_(self) -> str:
        return "".join(part.svg if isinstance(part, Picture) else part for part in self._parts())


def _words(markup: str) -> str:
    """The words of HTML, a line for each row and paragraph."""
    lines = re.sub(r"</(?:p|li|tr)>", "\n", markup)
    return _unescaped(re.sub(r"<[^>]+>", "", re.sub(r"</t[hd]><t[hd]>", "  ", lines))).strip()


def _unescaped(text: str) -> str:
    import html

    return html.unescape(text)


def paragraph(text: str, *, bold: str = "") -> str:
    """A paragraph of text, which begins with bold words."""
    strong = f"<b>{escaped(bold)}</b>{': ' if text else ''}" if bold else ""
    return f"<p>{strong}{escaped(text)}</p>"


def table(columns: Sequence[str], rows: Iterable[Sequence[Optional[object]]]) -> str:
    """A table; None is an empty cell."""
    head = "".join(f"<th>{escaped(one)}</th>" for one in columns)
    body = "".join(f"<tr>{''.join(_cell(value) for value in row)}</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


def _cell(value: Optional[object]) -> str:
    return f"<td>{'' if value is None else escaped(str(value))}</td>"


def listed(texts: Iterable[str]) -> str:
    """Texts as a list; nothing without any."""
    items = "".join(f"<li>{escaped(text)}</li>" for text in texts)
    return f"<ul>{items}</ul>" if items else ""


def microseconds(ns: Optional[int]) -> Optional[str]:
    """Nanoseconds as microseconds with their unit."""
    return None if ns is None else f"{ns / 1_000:,.3f}".rstrip("0").rstrip(".") + " µs"
