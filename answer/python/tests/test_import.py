"""`import prazo` takes little: few modules, and not much longer than a module of the standard library."""

import os
import subprocess
import sys

import pytest

#: All names are imported in 50 ms where asyncio takes 35, on the machine that this was set on.
TIMES_ASYNCIO = 1.8
#: Names are imported with their first use.
TIMES_ASYNCIO_WITHOUT_NAMES = 0.3
#: All names take 62 in CPython 3.11.
MODULES_MAX = 80
ALL = "prazo; prazo.Task, prazo.check, prazo.experiment, prazo.farm, prazo.test_many, prazo.watch"


@pytest.fixture
def ran(tmp_path):
    """Runs code in an interpreter of its own, which keeps the modules that it compiled, as an installed package has them."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(tmp_path)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)

    def run(code):
        command = [sys.executable, "-c", code]
        return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout

    return run


def test_import_takes_about_as_long_as_asyncio(ran):
    def processor_time_s(module):
        """The least of several imports; the first one compiles."""
        code = f"import time; begun = time.process_time(); import {module}; print(time.process_time() - begun)"
        return min(float(ran(code)) for _ in range(9))

    asyncio_s = processor_time_s("asyncio")
    assert processor_time_s(ALL) < TIMES_ASYNCIO * asyncio_s
    assert processor_time_s("prazo") < TIMES_ASYNCIO_WITHOUT_NAMES * asyncio_s


def test_import_takes_few_modules(ran):
    code = f"import sys; before = set(sys.modules); import {ALL}; print(len(set(sys.modules) - before))"
    assert int(ran(code)) <= MODULES_MAX
