"""Documentation strings: numpydoc's rules for each public name, and what each function raises."""

import inspect
import re

import pytest

import prazo
from prazo import commands

numpydoc = pytest.importorskip("numpydoc.validate")

#: Rules that this package does not follow, each for a reason.
LEFT_OUT = {
    "GL01": "the summary begins on the line of the quotes",
    "GL02": "a docstring of one line ends on it",
    "ES01": "many names are explained by their summary",
    "EX01": "the manual has the examples",
    "SA01": "references stand where they are needed",
    "SS05": "methods say what they do in the third person",
}


def public_names():
    """The package's names, and the members that each class defines itself."""
    for name in sorted(set(prazo.__all__) - {"__version__"}):
        yield f"prazo.{name}"
        value = getattr(prazo, name)
        if inspect.isclass(value):
            yield from (f"prazo.{name}.{member}" for member, of in vars(value).items() if is_public(member, of))


def is_public(name, value):
    kinds = (property, classmethod, staticmethod)
    is_member = inspect.isroutine(value) or isinstance(value, kinds) or hasattr(value, "func")
    # What an answer refuses is one private function under many names.
    return is_member and not name.startswith("_") and not getattr(value, "__name__", name).startswith("_")


def is_about_private(text):
    """True of a complaint about fields of a dataclass that nobody gives."""
    names = re.findall(r"'([^']+)'", text)
    return bool(names) and all(name.startswith("_") for name in names)


@pytest.mark.parametrize("name", list(public_names()))
def test_a_docstring_follows_numpydoc(name):
    errors = [(rule, text) for rule, text in numpydoc.validate(name)["errors"] if rule not in LEFT_OUT]
    assert [f"{rule}: {text}" for rule, text in errors if not is_about_private(text)] == []


@pytest.mark.parametrize("name", sorted(commands.__all__))
def test_a_command_says_what_it_raises(name):
    said = inspect.getdoc(getattr(commands, name)).partition("Raises\n------\n")[2]
    assert "RefusedError" in said and "FailedError" in said and "KeyboardInterrupt" in said


def test_the_check_sees_what_is_missing():
    def undocumented(value: int) -> int:
        """Gives it"""
        return value

    prazo.undocumented_for_a_test = undocumented
    try:
        rules = {rule for rule, _ in numpydoc.validate("prazo.undocumented_for_a_test")["errors"]}
    finally:
        del prazo.undocumented_for_a_test
    assert {"SS03", "PR01", "RT01"} <= rules - set(LEFT_OUT)
