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

#: A Python that does not know the module, given PYTHONPATH is empty.
BARE = os.path.realpath(sys.executable)


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


@pytest.fixture()
def local():
    distributed = pytest.importorskip("distributed")

    def cluster(workers, **options):
        return distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None, **options
        )

    return distributed, cluster


@pytest.mark.parametrize("workers", [1, 4])
def test_the_number_of_workers_changes_nothing(small, local, workers):
    distributed, cluster = local
    expected = prazo.experiment(small)
    with cluster(workers) as made, distributed.Client(made) as client:
        assert prazo.experiment(small, client=client) == expected


def test_the_command_hands_its_chunks_to_a_scheduler(small, local, tmp_path):
    distributed, cluster = local
    words = [prazo.program(), "sched", "experiment", small, "--json", "--output"]
    alone = subprocess.run([*words, str(tmp_path / "alone")], capture_output=True, text=True)
    with cluster(2) as made:
        with distributed.Client(made) as client:
            # Work on the cluster leaves its key on the workers; without any, all was computed here.
            together = subprocess.run(
                [*words, str(tmp_path / "cluster"), "--scheduler", made.scheduler_address],
                capture_output=True,
                text=True,
                env={**os.environ, "PRAZO_PYTHON": sys.executable},
            )
            transitions = client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.transition_log))
    assert together.stdout == alone.stdout, together.stderr
    assert (together.returncode, transitions > 0) == (alone.returncode, True)


def test_a_scheduler_that_is_not_there_and_a_python_without_the_module_are_named(small, tmp_path):
    words = [prazo.program(), "sched", "experiment", small, "--output", str(tmp_path), "--scheduler", "tcp://127.0.0.1:9"]
    python = {**os.environ, "PRAZO_PYTHON": sys.executable}
    nobody = subprocess.run(words, capture_output=True, text=True, env=python)
    assert nobody.returncode == 4 and "tcp://127.0.0.1:9" in nobody.stderr, nobody.stderr
    bare = subprocess.run(words, capture_output=True, text=True, env={**python, "PYTHONPATH": "", "PRAZO_PYTHON": BARE})
    assert bare.returncode == 4 and "pip install 'prazo[dask]'" in bare.stderr, bare.stderr


def test_commands_are_spread_over_workers_and_answer_in_order(local, tmp_path):
    distributed, cluster = local
    files = []
    for cost in (4, 6):
        file = tmp_path / f"{cost}.toml"
        file.write_text(prazo.TaskSet.from_ticks([(cost, 10)] * 2, processors=1, policy="edf", name=str(cost)).toml)
        files.append(str(file))
    commands = [["sched", "test", file, "--json"] for file in files]
    here = prazo.run_many(commands)
    assert [status for status, _ in here] == [0, 1]
    with cluster(2) as made, distributed.Client(made) as client:
        assert prazo.run_many(commands, client) == here
        with pytest.raises(prazo.RefusedError, match="nowhere"):
            prazo.run_many([["sched", "test", "nowhere.toml"]], client)


def test_a_worker_with_another_version_is_an_error_that_names_both():
    from prazo import cluster

    with pytest.raises(prazo.RefusedError, match=f"{prazo.__version__} and the client 0.0.0"):
        cluster.check_version("0.0.0")


def test_an_interrupt_ends_an_experiment_within_a_second(tmp_path):
    code = "import prazo; prazo.experiment('epos-2013', folder=%r)" % str(tmp_path)
    child = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True)
    time.sleep(4)
    begun = time.monotonic()
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=20)
    assert "KeyboardInterrupt" in said
    assert time.monotonic() - begun < 5
