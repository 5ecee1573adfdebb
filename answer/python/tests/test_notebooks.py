"""The notebooks of examples/, executed by a real Jupyter: their outputs are those in the files."""

import json
import os
import re
from pathlib import Path

import pytest

import prazo

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")

FOLDER = Path(os.environ.get("PRAZO_EXAMPLES", "examples")) / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
#: The notebook that boots guests.
IN_GUESTS = "5-a-worst-case-explained"
#: It makes 54 curves of 61 points.
LONG = "4-figure-7-with-your-overheads"


def missing_of_the_lab():
    """What a guest of the lab lacks here; None where one can be booted without a download."""
    sets = {one["name"]: one["state"] for one in prazo.lab_list()["sets"]}
    of = [name for name in sets if name.startswith(("qemu-", "linux-", "headers-")) and not any(other in name for other in ("-arm", "-riscv", "-ppc"))]
    lacks = [name for name in of if sets[name] != "fetched"]
    agent = Path(prazo.program()).parent.parent / "guest" / "prazo-agent"
    return ", ".join(lacks) or (None if agent.exists() or "PRAZO_AGENT" in os.environ else "the guests' agent")


def outputs(notebook):
    """What a reader sees, without what is another's each time: identifiers in pictures."""
    found = []
    for cell in notebook.cells:
        for one in cell.get("outputs", []):
            assert one["output_type"] != "error", one
            if one.get("name") == "stderr":
                continue  # what a command said meanwhile
            if "varies" in cell["metadata"].get("tags", []):
                # Figures of a guest are those of the agent in it, which is another in each version.
                found.append(one["output_type"])
                continue
            data = dict(one.get("data", {}))
            text = one.get("text") or data.get("image/svg+xml") or data.get("text/html") or data.get("text/plain")
            found.append(re.sub(r"\s+", " ", text if isinstance(text, str) else "".join(text)).strip())
    return found


def marked(path):
    """A notebook, marked where it computes for more than a minute."""
    return pytest.param(path, marks=pytest.mark.guests) if path.stem == LONG else path


@pytest.mark.parametrize("path", [marked(path) for path in NOTEBOOKS], ids=[path.stem for path in NOTEBOOKS])
def test_a_notebook_gives_the_outputs_that_it_shows(path):
    if path.stem == IN_GUESTS and (lacks := missing_of_the_lab()):
        pytest.skip(f"the lab lacks {lacks}")
    notebook = nbformat.read(path, as_version=4)
    shown = outputs(notebook)
    assert shown, "a forge shows the outputs"
    client = nbclient.NotebookClient(notebook, timeout=600, startup_timeout=300, kernel_name="python3", coalesce_streams=True)
    client.execute(cwd=str(path.parent))
    assert outputs(notebook) == shown


def test_there_are_notebooks():
    assert len(NOTEBOOKS) >= 5


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_forge_shows_a_chart_of_each(path):
    shown = [one.get("data", {}) for cell in nbformat.read(path, as_version=4).cells for one in cell.get("outputs", [])]
    assert any("image/svg+xml" in data for data in shown)
    assert not any(f"<{dropped}" in data.get("text/html", "") for data in shown for dropped in ("iframe", "script", "svg"))


def test_what_notebook_4_says_of_the_claims_is_what_it_shows():
    notebook = json.loads((FOLDER / "4-figure-7-with-your-overheads.ipynb").read_text())
    texts = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown"]
    said = re.search(r"(\d+) of the (\d+) claims hold, (\d+) do not, and (\d+) cannot be decided", " ".join(texts))
    shown = [
        outcome
        for cell in notebook["cells"]
        for output in cell.get("outputs", [])
        for outcome in re.findall(r"<li>([a-z-]+):", "".join(output.get("data", {}).get("text/html", [])))
    ]
    held, missed, undecidable = (shown.count(outcome) for outcome in ("held", "not-held", "undecidable"))
    assert [int(one) for one in said.groups()] == [held, held + missed + undecidable, missed, undecidable]
