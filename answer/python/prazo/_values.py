"""Times as prazo writes them, and documents as immutable values."""

from __future__ import annotations

import datetime
from typing import Any, Dict, Union

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
