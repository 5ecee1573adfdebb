"""The stub of the compiled module has what the module has, with the same arguments: mypy's stubtest."""

import subprocess
import sys
from pathlib import Path

import pytest

import prazo

pytest.importorskip("mypy")


def stubtest(tmp_path, package):
    # Without the other modules of an environment, some of which stand in for mypy's own.
    folder = tmp_path / "alone"
    folder.mkdir()
    (folder / "prazo").symlink_to(package)
    allowed = tmp_path / "allowed"
    allowed.write_text("prazo._prazo.__all__\n")  # PyO3 makes it; nobody imports the names from there
    words = [sys.executable, "-m", "mypy.stubtest", "prazo._prazo", "--allowlist", str(allowed)]
    return subprocess.run(words, capture_output=True, text=True, cwd=folder)


def test_the_stub_is_the_modules(tmp_path):
    checked = stubtest(tmp_path, Path(prazo.__file__).parent)
    assert checked.returncode == 0, checked.stdout + checked.stderr
