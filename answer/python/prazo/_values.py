"""What callers give, checked by its keyword; and documents as immutable values."""

from __future__ import annotations

import datetime
import functools
import importlib
import json as _json
import operator
import os
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Generator,
    Iterable,
    Iterator,
    List,
    Mapping,
    NoReturn,
    Optional,
    Sequence,
    Tuple,
    TypeVar,
    Union,
    cast,
)

from ._prazo import FailedError

_Item = TypeVar("_Item")

#: A length of time: text with a unit, or a timedelta.
Time = Union[str, datetime.timedelta]

#: What JSON holds. Its keys are described by docs/schema.
Document = Dict[str, Any]


def time_text(value: Time, name: str, is_keyword: bool = True) -> str:
    """The length of time as text with a unit.

    Parameters
    ----------
    value : str or datetime.timedelta
        Such as ``"250us"``.
    name : str
        What it is, for the error.
    is_keyword : bool
        False for a part of a keyword's value, which has no unit in its name.

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
    also = f", or the unit in the name, as in {name}_us=250" if is_keyword else ""
    raise TypeError(f"{name} {value!r}: a number has no unit; write text such as '250us', or give a timedelta{also}")


def integer(value: Any, keyword: str, remedy: str = "give an integer") -> int:
    """An integer, also one of numpy; a bool is none.

    Parameters
    ----------
    value : int
    keyword : str
        What the caller named it.
    remedy : str
        What to do instead, for the error.

    Returns
    -------
    int

    Raises
    ------
    TypeError
        It is no integer.
    """
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{keyword} {value!r}: {remedy}")
    return operator.index(value)


def whole(value: Any, keyword: str, low: int = 0, high: int = 2**64 - 1) -> int:
    """An integer of a range.

    Parameters
    ----------
    value : int
    keyword : str
        What the caller named it.
    low, high : int
        The least and the largest that is possible.

    Returns
    -------
    int

    Raises
    ------
    TypeError
        It is no integer.
    ValueError
        It is out of range.
    """
    number = integer(value, keyword)
    if not low <= number <= high:
        raise ValueError(f"{keyword} {number}: give {low} to {high}")
    return number


def several(values: Iterable[_Item], keyword: str) -> List[_Item]:
    """The items of a list; a text, whose items are letters, is refused.

    Parameters
    ----------
    values : iterable
    keyword : str
        What the caller named it.

    Returns
    -------
    list

    Raises
    ------
    TypeError
        It is a text.
    """
    if isinstance(values, (str, bytes)):
        raise TypeError(f"{keyword} {values!r}: give a list, as in [{values!r}]")
    return list(values)


def escaped(text: str) -> str:
    """Text as HTML shows it, also within an attribute."""
    import html

    return html.escape(text, quote=True)


if TYPE_CHECKING:
    _Mapping = Mapping[str, Any]
    _Sequence = Sequence[Any]
else:
    # A dict and a list, so that json, pandas and comparisons take them as such.
    _Mapping = dict
    _Sequence = list


def _refuse(self: object, *arguments: object, **keywords: object) -> NoReturn:
    """Raises TypeError: an answer does not change."""
    raise TypeError("an answer does not change; its .document is a copy that may")


class Rows(_Sequence):
    """A list within an :class:`Answer`. It does not change."""

    __slots__ = ()

    if TYPE_CHECKING:

        def __init__(self, rows: Iterable[Any] = ()) -> None: ...
        def __getitem__(self, place: Any, /) -> Any: ...
        def __len__(self) -> int: ...

    else:
        append = clear = extend = insert = pop = remove = reverse = sort = _refuse
        __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse

        def __init__(self, rows: Iterable[Any] = ()) -> None:
            if self:
                _refuse(self)
            super().__init__(map(sealed, rows))

        def __hash__(self) -> int:
            return hash(tuple(self))

        def __reduce__(self) -> Tuple[Any, ...]:
            return (Rows, (unsealed(self),))

    def _repr_html_(self) -> str:
        return _shown(self)


class Answer(_Mapping):
    """What a command answers: a document whose keys docs/schema describes. It does not change.

    It is a mapping: ``answer["verdict"]``. A key that is no method of a dict is an attribute as well: ``answer.verdict``. Equal
    answers have equal documents. A notebook shows it as a table, or as the page of the run file that it names.

    Parameters
    ----------
    document : mapping
        As JSON has it.
    """

    __slots__ = ()

    if TYPE_CHECKING:

        def __init__(self, document: Mapping[str, Any]) -> None: ...
        def __getitem__(self, key: str, /) -> Any: ...
        def __iter__(self) -> Iterator[str]: ...
        def __len__(self) -> int: ...

    else:
        clear = pop = popitem = setdefault = update = _refuse
        __setitem__ = __delitem__ = __ior__ = _refuse

        def __init__(self, document: Mapping[str, Any] = {}) -> None:
            if self:
                _refuse(self)
            super().__init__({key: sealed(value) for key, value in document.items()})

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"the answer has no '{name}'; it has {', '.join(self)}") from None

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *self]

    @property
    def document(self) -> Document:
        """The same as a dict of dicts and lists: a copy that may change."""
        document: Document = unsealed(self)
        return document

    def __hash__(self) -> int:
        return hash(frozenset(self.items()))

    def __reduce__(self) -> Tuple[Any, ...]:
        return (Answer, (self.document,))

    def _repr_html_(self) -> str:
        return _page_of(self) or _shown(self)


def sealed(value: Any) -> Any:
    """What JSON holds, as what does not change: an :class:`Answer` for each object, :class:`Rows` for each list."""
    if isinstance(value, dict) and not isinstance(value, Answer):
        return Answer(cast(Dict[str, Any], value))
    if isinstance(value, list) and not isinstance(value, Rows):
        return Rows(cast("Iterable[Any]", value))
    if isinstance(value, tuple):
        return tuple(map(sealed, cast("Iterable[Any]", value)))
    return value


def unsealed(value: Any) -> Any:
    """The opposite of :func:`sealed`: plain dicts and lists, all new."""
    if isinstance(value, Answer):
        return {key: unsealed(one) for key, one in value.items()}
    if isinstance(value, Rows):
        return [unsealed(one) for one in value]
    if isinstance(value, tuple):
        return tuple(map(unsealed, cast("Iterable[Any]", value)))
    return value


def answer_of(text: str) -> Any:
    """What a text of JSON holds, as :class:`Answer`; a list of several is a list of them, and is the caller's."""
    return _json.loads(text, object_hook=Answer)


def _page_of(answer: Answer) -> Optional[str]:
    """The page of the run file that an answer names; None where it names none that is here."""
    for key in ("file", "run_file", "run"):
        path = answer.get(key)
        if isinstance(path, str) and path.endswith(".prazo") and os.path.exists(path):
            run: Any = importlib.import_module("prazo.runs").Run
            try:
                page: str = run(path)._repr_html_()
            except FailedError:
                return None
            return page
    return None


#: Rows of a table that a notebook shows.
_SHOWN_ROWS = 50


def _shown(value: Any) -> str:
    """A value as HTML: an object as a table of its keys, a list of objects as a table of their rows."""
    if isinstance(value, Mapping):
        mapping = cast(Mapping[str, Any], value)
        rows = "".join(f"<tr><th>{escaped(key)}</th><td>{_shown(one)}</td></tr>" for key, one in mapping.items())
        return f"<table>{rows}</table>"
    if isinstance(value, (list, tuple)):
        return _shown_list(cast(Sequence[Any], value))
    return "" if value is None else escaped(str(value))


def _shown_list(values: Sequence[Any]) -> str:
    few = values[:_SHOWN_ROWS]
    more = f"<p>and {len(values) - len(few)} more</p>" if len(few) < len(values) else ""
    if not few or not all(isinstance(one, Mapping) for one in few):
        if any(isinstance(one, (Mapping, list)) for one in few):
            return "".join(f"<div>{_shown(one)}</div>" for one in few) + more
        return ", ".join(_shown(one) for one in few) + more
    keys = list(dict.fromkeys(key for one in few for key in one))
    head = "".join(f"<th>{escaped(key)}</th>" for key in keys)
    rows = "".join("<tr>" + "".join(f"<td>{_shown(one.get(key))}</td>" for key in keys) + "</tr>" for one in few)
    return f"<table><tr>{head}</tr>{rows}</table>{more}"


class Tabled:
    """A value of named fields. A notebook shows it as a table of those that it has."""

    def _repr_html_(self) -> str:
        values: Dict[str, Any] = {one.name: getattr(self, one.name) for one in fields(cast(Any, self)) if one.repr}
        return _shown({name: value for name, value in values.items() if value not in (None, ())})


@dataclass(frozen=True)
class Documented:
    """An answer that is a JSON document. Equal answers have the same text."""

    #: The document as text.
    json: str = field(repr=False)

    @functools.cached_property
    def document(self) -> Answer:
        """The document, which does not change; its own ``document`` is a dict that may."""
        document: Answer = answer_of(self.json)
        return document

    def _repr_html_(self) -> str:
        return _shown(self.document)


#: Called with the parts done and the parts in all.
Progress = Callable[[int, int], object]


@contextmanager
def showing(
    progress: Union[None, bool, Progress], what: str, unit: str = "chunk"
) -> Generator[Optional[Progress], None, None]:
    """The callable of ``progress``: itself, or a bar of tqdm for True. Without tqdm, True shows nothing."""
    if progress is None or progress is False:
        yield None
        return
    if progress is not True:
        yield progress
        return
    try:
        bar: Any = importlib.import_module("tqdm.auto").tqdm(desc=what, unit=unit)  # optional
    except ModuleNotFoundError:
        yield None
        return

    def show(done: int, total: int) -> None:
        bar.total = total
        bar.update(done - bar.n)

    with bar:
        yield show
