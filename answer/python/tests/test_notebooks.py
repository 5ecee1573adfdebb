"""The notebooks of examples/, executed by a real Jupyter: their outputs are those in the files."""

import os
import re
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")

FOLDER = Path(os.environ.get("PRAZO_EXAMPLES", "examples")) / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
#: What a notebook needs beside the package, by its name.
NEEDS = {"5-a-worst-case-explained": "PRAZO_LAB_READY"}


def outputs(notebook):
    """What a reader sees, without what is another's each time: identifiers in pictures."""
    found = []
    for cell in notebook.cells:
        for one in cell.get("outputs", []):
            assert one["output_type"] != "error", one
            data = one.get("data", {})
            text = one.get("text") or data.get("image/svg+xml") or data.get("text/html") or data.get("text/plain")
            found.append(re.sub(r"\s+", " ", text if isinstance(text, str) else "".join(text)).strip())
    return found


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_gives_the_outputs_that_it_shows(path):
    need = NEEDS.get(path.stem)
    if need is not None and need not in os.environ:
        pytest.skip("the lab is not fetched, or the guests' agent is not built")
    notebook = nbformat.read(path, as_version=4)
    shown = outputs(notebook)
    assert shown, "a forge shows the outputs"
    client = nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3")
    client.execute(cwd=str(path.parent))
    assert outputs(notebook) == shown


def test_there_are_notebooks():
    assert len(NOTEBOOKS) >= 4
