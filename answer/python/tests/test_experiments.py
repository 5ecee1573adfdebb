"""Experiments: the same bytes from the command, from threads, and from workers that die."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

import prazo

#: A Python that does not know the module, given PYTHONPATH is empty.
BARE = os.path.realpath(sys.executable)


SMALL = str(Path(__file__).with_name("small.toml"))


@pytest.fixture()
def small():
    return SMALL


def test_chunks_made_elsewhere_are_the_commands_result(small, tmp_path):
    from prazo import _prazo

    words = [prazo.program(), "sched", "experiment", small, "--output", str(tmp_path / "command"), "--json"]
    printed = subprocess.run(words, capture_output=True, text=True)
    assert printed.returncode in (0, 1, 3), printed.stderr
    here = prazo.experiment(small, threads=1)
    assert here.json + "\n" == printed.stdout
    folder = str(tmp_path / "chunks")
    numbers = _prazo.missing(small, folder)
    assert len(numbers) == _prazo.chunks(small) > 1
    # Backwards, and one of them twice.
    _prazo.keep(small, folder, [_prazo.chunk(small, number) for number in [*reversed(numbers), numbers[0]]])
    assert _prazo.missing(small, folder) == []
    assert prazo.experiment(small, folder=folder).json == here.json


def test_figure_7_is_the_commands_byte_for_byte(tmp_path):
    """Figure 7 of Vitor (2013), all curves and points, with two sets each instead of a thousand."""
    studies = Path(os.environ["PRAZO_EXAMPLES"]).parent / "studies"
    text = (studies / "epos-2013.toml").read_text()
    few = text.replace("sets = 1000", "sets = 2")
    assert few != text
    (tmp_path / "figure-7.toml").write_text(few)
    (tmp_path / "overheads").symlink_to(studies / "overheads")
    name = str(tmp_path / "figure-7.toml")
    words = [prazo.program(), "sched", "experiment", name, "--output", str(tmp_path / "command"), "--json"]
    printed = subprocess.run(words, capture_output=True, text=True)
    assert printed.returncode in (0, 1, 3), printed.stderr
    assert prazo.experiment(name, folder=tmp_path / "python").json + "\n" == printed.stdout


@pytest.fixture(scope="module")
def distributed():
    return pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def cluster(distributed):
    """Four workers, each a process, for all tests that do not end them."""
    options = {"threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(n_workers=4, **options) as made:
        yield made


@pytest.fixture()
def client(distributed, cluster):
    with distributed.Client(cluster) as client:
        yield client


@pytest.fixture(scope="module")
def expected():
    return prazo.experiment(SMALL)


def slowed(delay_s):
    """What a worker runs to become slow. An inner function goes there by value."""

    def slow():
        from prazo import _prazo

        chunk = _prazo.chunk

        def late(name, number):
            time.sleep(delay_s)
            return chunk(name, number)

        late.quick = chunk
        _prazo.chunk = late

    return slow


def at_its_own_speed():
    """What makes it quick again."""

    def quick():
        from prazo import _prazo

        _prazo.chunk = _prazo.chunk.quick

    return quick


def test_a_slow_worker_changes_nothing(small, client, expected):
    workers = list(client.scheduler_info()["workers"])
    assert len(workers) == 4
    assert prazo.experiment(small, client=client) == expected
    client.run(slowed(0.3), workers=workers[:1])
    assert prazo.experiment(small, client=client) == expected
    client.run(at_its_own_speed(), workers=workers[:1])


def started(words, said):
    """A process of Dask, once it has said that it is ready."""
    process = subprocess.Popen([sys.executable, "-m", *words], stderr=subprocess.PIPE, text=True)
    for line in process.stderr:
        if said in line:
            return process
    raise AssertionError(f"{words} ended")


def ended(*processes):
    for process in processes:
        process.kill()
        process.wait()
        process.stderr.close()


def test_a_scheduler_may_be_restarted(small, distributed, expected, tmp_path):
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        port = bound.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"

    def station():
        words = ["distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"]
        scheduler = started(words, "Scheduler at")
        words = ["distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
        return scheduler, started(words, "Registered to")

    running = [*station()]
    try:
        with distributed.Client(address, timeout="30s") as client:
            client.run(slowed(0.05))

            def restart(done, total):
                if restart.count == 0:
                    restart.count = 1
                    ended(*running)
                    running[:] = station()

            restart.count = 0
            assert prazo.experiment(small, client=client, progress=restart, folder=tmp_path) == expected
            assert restart.count == 1
    finally:
        ended(*running)


def test_a_second_call_makes_only_what_is_missing(small, client, expected, tmp_path, monkeypatch):
    from prazo import _prazo

    def stop(done, total):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        prazo.experiment(small, client=client, folder=tmp_path, progress=stop)
    left = len(_prazo.missing(small, str(tmp_path)))
    assert 0 < left < _prazo.chunks(small)
    counts = []
    found = prazo.experiment(small, client=client, folder=tmp_path, progress=lambda done, total: counts.append(done))
    assert found == expected and counts[0] > _prazo.chunks(small) - left
    monkeypatch.setattr(_prazo, "__version__", "0.0.0")
    with pytest.raises(prazo.RefusedError, match="this worker has prazo .* and the client 0.0.0"):
        prazo.experiment(small, client=client)


def test_the_command_hands_its_chunks_to_a_scheduler(small, client, cluster, tmp_path):
    words = [prazo.program(), "sched", "experiment", small, "--json", "--output"]
    alone = subprocess.run([*words, str(tmp_path / "alone")], capture_output=True, text=True)
    # Work on the cluster is logged by its scheduler; without any, all was computed here.
    logged = lambda: client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.transition_log))  # noqa: E731
    before = logged()
    together = subprocess.run(
        [*words, str(tmp_path / "cluster"), "--scheduler", cluster.scheduler_address],
        capture_output=True,
        text=True,
        env={**os.environ, "PRAZO_PYTHON": sys.executable},
    )
    assert together.stdout == alone.stdout, together.stderr
    assert (together.returncode, logged() > before) == (alone.returncode, True)


def test_a_scheduler_that_is_not_there_and_a_python_without_the_module_are_named(small, tmp_path):
    words = [prazo.program(), "sched", "experiment", small, "--output", str(tmp_path), "--scheduler", "tcp://127.0.0.1:9"]
    python = {**os.environ, "PRAZO_PYTHON": sys.executable}
    nobody = subprocess.run(words, capture_output=True, text=True, env=python)
    assert nobody.returncode == 4 and "tcp://127.0.0.1:9" in nobody.stderr, nobody.stderr
    bare = subprocess.run(words, capture_output=True, text=True, env={**python, "PYTHONPATH": "", "PRAZO_PYTHON": BARE})
    assert bare.returncode == 4 and "pip install 'prazo[dask]'" in bare.stderr, bare.stderr


def test_commands_are_spread_over_workers_and_answer_in_order(client, tmp_path):
    files = []
    for cost in (4, 6):
        file = tmp_path / f"{cost}.toml"
        file.write_text(prazo.TaskSet.from_ticks([(cost, 10)] * 2, processors=1, policy="edf", name=str(cost)).toml)
        files.append(str(file))
    commands = [["sched", "test", file, "--json"] for file in files]
    here = prazo.run_many(commands)
    assert [status for status, _ in here] == [0, 1]
    assert prazo.run_many(commands, client) == here
    with pytest.raises(prazo.RefusedError, match="nowhere"):
        prazo.run_many([["sched", "test", "nowhere.toml"]], client)


def test_the_number_of_workers_and_their_death_change_nothing(small, cluster, client, expected):
    """The last one: it ends workers."""
    pids = list(client.run(os.getpid).values())
    seen = []

    def watch(done, total):
        if not seen:
            os.kill(pids[0], signal.SIGKILL)
        seen.append((done, total))

    assert prazo.experiment(small, client=client, progress=watch) == expected
    assert seen and seen[-1][0] == seen[-1][1]
    for workers in (2, 1):
        cluster.scale(workers)
        assert prazo.experiment(small, client=client) == expected


def test_an_interrupt_ends_an_experiment(interruptible, tmp_path):
    code = "import prazo; prazo.experiment('epos-2013', folder=%r)" % str(tmp_path)
    child = interruptible([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 60
    while not list(tmp_path.iterdir()) and time.monotonic() < end:
        time.sleep(0.05)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=60)
    assert "KeyboardInterrupt" in said
