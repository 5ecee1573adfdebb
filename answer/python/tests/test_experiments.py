"""Experiments: the same bytes from the command, from threads, and from workers that die."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import prazo

@pytest.fixture()
def small():
    return str(Path(__file__).with_name("small.toml"))


def test_chunks_made_elsewhere_are_the_commands_result(small, tmp_path):
    from prazo import _prazo

    words = [prazo.program(), "sched", "experiment", small, "--output", str(tmp_path / "command"), "--json"]
    printed = subprocess.run(words, capture_output=True, text=True)
    assert printed.returncode in (0, 1, 3), printed.stderr
    here = prazo.experiment(small, threads=1)
    assert here.document == json.loads(printed.stdout)
    folder = str(tmp_path / "chunks")
    numbers = _prazo.missing(small, folder)
    assert len(numbers) == _prazo.chunks(small) > 1
    # Backwards, and one of them twice.
    _prazo.keep(small, folder, [_prazo.chunk(small, number) for number in [*reversed(numbers), numbers[0]]])
    assert _prazo.missing(small, folder) == []
    assert prazo.experiment(small, folder=folder).json == here.json


def test_a_dask_worker_may_die(small, tmp_path):
    distributed = pytest.importorskip("distributed")
    expected = prazo.experiment(small).json
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            pids = list(client.run(os.getpid).values())
            seen = []

            def watch(done, total):
                if not seen:
                    os.kill(pids[0], signal.SIGKILL)
                seen.append((done, total))

            assert prazo.experiment(small, client=client, progress=watch).json == expected
            assert seen and seen[-1][0] == seen[-1][1]


def test_an_interrupt_ends_an_experiment_within_a_second(tmp_path):
    code = "import prazo; prazo.experiment('epos-2013', folder=%r)" % str(tmp_path)
    child = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True)
    time.sleep(4)
    begun = time.monotonic()
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=20)
    assert "KeyboardInterrupt" in said
    assert time.monotonic() - begun < 5
