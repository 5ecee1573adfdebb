"""Times as prazo writes them, and documents as immutable values."""

from __future__ import annotations

import datetime
import functools
import importlib
import json as _json
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Generator, Optional, Union

#: A length of time: text with a unit, or a timedelta.
Time = Union[str, datetime.timedelta]

#: What JSON holds. Its keys are described by docs/schema.
Document = Dict[str, Any]


def time_text(value: Time, name: str) -> str:
    """The length of time as text with a unit.

    Parameters
    ----------
    value : str or datetime.timedelta
        Such as ``"250us"``.
    name : str
        What it is, for the error.

    Raises
    ------
    TypeError
        A bare number: its unit would be a guess.
    ValueError
        A timedelta below zero.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, datetime.timedelta):  # pyright: ignore[reportUnnecessaryIsInstance]
        microseconds = value // datetime.timedelta(microseconds=1)
        if microseconds < 0:
            raise ValueError(f"{name} {value}: it is below zero; give a length of time such as '250us'")
        return f"{microseconds}us"
    raise TypeError(f"{name} {value!r}: a number has no unit; write text such as '250us', or a timedelta")


def escaped(text: str) -> str:
    """Text as HTML shows it, also within an attribute."""
    import html

    return html.escape(text, quote=True)


@dataclass(frozen=True)
class Documented:
    """An answer that is a JSON document. Equal answers have the same text."""

    #: The document as text.
    json: str = field(repr=False)

    @functools.cached_property
    def document(self) -> Document:
        """The document as a dict; a copy is read once, so do not change it."""
        document: Document = _json.loads(self.json)
        return document


#: Called with the parts done and the parts in all.
Progress = Callable[[int, int], object]


@contextmanager
def showing(progress: Union[None, bool, Progress], what: str) -> Generator[Optional[Progress], None, None]:
    """The callable of ``progress``: itself, or a bar of tqdm for True. Without tqdm, True shows nothing."""
    if progress is None or progress is False:
        yield None
        return
    if progress is not True:
        yield progress
        return
    try:
        bar: Any = importlib.import_module("tqdm.auto").tqdm(desc=what, unit="chunk")  # optional
    except ModuleNotFoundError:
        yield None
        return

    def show(done: int, total: int) -> None:
        bar.total = total
        bar.update(done - bar.n)

    with bar:
        yield show
