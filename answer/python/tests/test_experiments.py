"""Experiments: the same bytes from the command, from threads, and from workers that die."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
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


def test_an_experiment_is_the_commands(small, tmp_path):
    words = [prazo.program(), "sched", "experiment", small, "--output", str(tmp_path / "command"), "--json"]
    printed = subprocess.run(words, capture_output=True, text=True)
    assert printed.returncode in (0, 1, 3), printed.stderr
    here = prazo.experiment(small, threads=1)
    assert here.json + "\n" == printed.stdout
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


def test_a_specification_that_is_another_experiment_here_is_refused(small, tmp_path):
    """The same name with another seed: what a worker with another built-in experiment would read."""
    from prazo import _prazo

    other = tmp_path / "small.toml"
    other.write_text(Path(small).read_text().replace("seed = ", "seed = 1"))
    fingerprint, _ = _prazo.specified_chunks(_prazo.specification(str(other)), [0])
    document = json.loads(_prazo.specification(small))
    document["fingerprint"] = fingerprint
    with pytest.raises(prazo.RefusedError, match=f"here, and {fingerprint} where it was requested"):
        _prazo.specified_chunks(json.dumps(document), [0])


def test_builds_are_compared_by_version_and_on_one_kind_of_machine_by_digest(monkeypatch):
    from prazo import cluster

    monkeypatch.setattr(cluster, "build", lambda: "0.1.0 (x86_64, module aa, program bb)")
    for same in (
        "0.1.0 (x86_64, module aa, program bb)",
        "0.1.0 (x86_64, module aa, program -)",
        "0.1.0 (aarch64, module cc, program dd)",
        "0.1.0",
    ):
        cluster.check_version(same)
    for other in ("0.2.0 (x86_64, module aa, program bb)", "0.1.0 (x86_64, module cc, program bb)", "0.1.0 (x86_64, module aa, program dd)"):
        with pytest.raises(prazo.RefusedError, match="this worker has prazo 0.1.0 .*module aa.* and the client"):
            cluster.check_version(other)


def test_a_program_of_another_version_than_the_module_is_named(tmp_path, monkeypatch):
    from prazo import command

    command.check_program()
    other = tmp_path / "prazo"
    other.write_text("#!/bin/sh\necho prazo 0.0.0\n")
    other.chmod(0o755)
    monkeypatch.setenv("PRAZO_PROGRAM", str(other))
    with pytest.raises(prazo.FailedError, match=f"is prazo 0.0.0, and this Python module is prazo {prazo.__version__}"):
        command.check_program()


def test_commands_have_a_bar_where_tqdm_is_installed(capsys):
    pytest.importorskip("tqdm")
    prazo.run_many([["generate", "completions", "bash"]], progress=True)
    assert "commands: 100%" in capsys.readouterr().err


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

        chunks = _prazo.specified_chunks

        def late(specification, numbers):
            time.sleep(delay_s * len(numbers))
            return chunks(specification, numbers)

        late.quick = chunks
        _prazo.specified_chunks = late

    return slow


def at_its_own_speed():
    """What makes it quick again."""

    def quick():
        from prazo import _prazo

        _prazo.specified_chunks = _prazo.specified_chunks.quick

    return quick


def test_a_slow_worker_changes_nothing(small, client, expected):
    workers = list(client.scheduler_info()["workers"])
    assert len(workers) == 4
    assert prazo.experiment(small, client=client) == expected
    client.run(slowed(0.3), workers=workers[:1])
    assert prazo.experiment(small, client=client) == expected
    client.run(at_its_own_speed(), workers=workers[:1])


def test_another_file_under_the_same_path_on_a_worker_changes_nothing(small, client, expected, tmp_path, monkeypatch):
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
    text = Path(small).read_text()
    (tmp_path / "here" / "small.toml").write_text(text)
    (tmp_path / "there" / "small.toml").write_text(text.replace("seed = ", "seed = 1"))
    places = client.run(os.getcwd)
    client.run(os.chdir, str(tmp_path / "there"))
    try:
        monkeypatch.chdir(tmp_path / "here")
        assert prazo.experiment("small.toml", client=client) == expected
    finally:
        for worker, place in places.items():
            client.run(os.chdir, place, workers=[worker])


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
                if done > 0 and restart.count == 0:
                    restart.count = 1
                    ended(*running)
                    running[:] = station()

            restart.count = 0
            assert prazo.experiment(small, client=client, progress=restart, folder=tmp_path) == expected
            assert restart.count == 1
    finally:
        ended(*running)


def test_a_second_call_makes_only_what_is_missing(small, client, expected, tmp_path, monkeypatch):
    from prazo import cluster

    def stop(done, total):
        if done > 0:
            raise RuntimeError("enough")

    # One worker has work left when the others' is there.
    workers = list(client.scheduler_info()["workers"])[:1]
    client.run(slowed(0.1), workers=workers)
    with pytest.raises(RuntimeError, match="enough"):
        prazo.experiment(small, client=client, folder=tmp_path, progress=stop)
    client.run(at_its_own_speed(), workers=workers)
    # The first line is the experiment's.
    kept = len((tmp_path / "chunks.jsonl").read_text().splitlines()) - 1
    counts = []
    found = prazo.experiment(small, client=client, folder=tmp_path, progress=lambda *count: counts.append(count))
    assert found == expected
    assert 0 < kept < counts[-1][1] and min(done for done, _ in counts) >= kept, (kept, counts)
    monkeypatch.setattr(cluster, "build", lambda: "0.0.0")
    with pytest.raises(prazo.FailedError, match="Dask client: this worker has prazo .* and the client 0.0.0"):
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


@pytest.mark.parametrize("is_spread", [False, True])
def test_commands_are_kept_with_their_files_and_a_second_call_goes_on(client, is_spread, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for cost in (4, 6):
        text = prazo.TaskSet.from_ticks([(cost, 10)] * 2, processors=1, policy="edf", name=str(cost)).toml
        (tmp_path / f"{cost}.toml").write_text(text)
    commands = [["sched", "test", f"{cost}.toml", "--certificate", "c.json", "--json"] for cost in (4, 6, 5)]
    counts = []
    options = {"folder": "kept", "files": ["4.toml", "6.toml"], "progress": lambda *count: counts.append(count)}
    with pytest.raises(prazo.RefusedError, match="command 3 of 3: .*5.toml"):
        prazo.run_many(commands, client if is_spread else None, **options)
    assert counts == [(0, 3), (1, 3), (2, 3), (3, 3)]
    # The others are kept with what they wrote.
    proof = tmp_path / "kept" / "0" / "c.json"
    assert prazo.verify(proof.read_text())["accepted"]
    first = json.loads((tmp_path / "kept" / "1.json").read_text())
    assert first["status"] == 1 and not (tmp_path / "kept" / "2.json").exists()
    # Other commands or files are refused before anything runs.
    with pytest.raises(prazo.RefusedError, match="another call of run_many"):
        prazo.run_many(commands[:2], client if is_spread else None, **options)
    shutil.rmtree(tmp_path / "kept")
    made = prazo.run_many(commands[:2], client if is_spread else None, **options)
    proof.write_text("kept")
    # Nothing is left to run, so that no program is needed.
    monkeypatch.setenv("PRAZO_PROGRAM", "/nowhere")
    assert prazo.run_many(commands[:2], client if is_spread else None, **options) == made
    assert [status for status, _ in made] == [0, 1] and proof.read_text() == "kept"
    with pytest.raises(prazo.RefusedError, match="lies outside"):
        prazo.run_many(commands, folder="other", files=["../4.toml"])


def test_an_interrupted_call_of_run_many_goes_on(interruptible, tmp_path, monkeypatch):
    """The file that the interrupted command left is not in the way of the second call."""
    monkeypatch.chdir(tmp_path)
    command = ["measure", "timer", "--policy=other", "--duration=4s", "--output=run.prazo", "--json"]
    code = f"import prazo; prazo.run_many([{command!r}], folder='kept')"
    child = interruptible([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 60
    while not (tmp_path / "kept" / "0" / "run.prazo").exists() and time.monotonic() < end:
        time.sleep(0.05)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=60)
    assert "KeyboardInterrupt" in said and (tmp_path / "kept" / "0" / "run.prazo").exists(), said
    (ran,) = prazo.run_many([command], folder="kept")
    assert ran.status == 0 and ran.answer["ending"] != "interrupted", ran
    # A command that goes on with what it has finds it.
    experiment = ["sched", "experiment", SMALL, "--output=made", "--json"]
    (tmp_path / "made" / "0" / "made").mkdir(parents=True)
    (tmp_path / "made" / "0" / "made" / "left").write_text("left")
    (tmp_path / "made" / "jobs.json").write_text(json.dumps({"commands": [experiment], "files": {}}))
    prazo.run_many([experiment], folder="made")
    assert (tmp_path / "made" / "0" / "made" / "left").exists()


def test_the_command_refuses_a_module_of_another_version(small, cluster, tmp_path):
    """Another prazo under PRAZO_PYTHON counts otherwise."""
    package = Path(prazo.__file__).parent
    shutil.copytree(package, tmp_path / "prazo")
    file = tmp_path / "prazo" / "cluster.py"
    file.write_text(file.read_text().replace('"version": _prazo.__version__', '"version": "0.0.0"'))
    words = [prazo.program(), "sched", "experiment", small, "--output", str(tmp_path / "o"), "--scheduler"]
    done = subprocess.run(
        [*words, cluster.scheduler_address],
        capture_output=True,
        text=True,
        env={**os.environ, "PRAZO_PYTHON": sys.executable, "PYTHONPATH": str(tmp_path)},
    )
    assert done.returncode == 4 and f"prazo 0.0.0, and this command belongs to prazo {prazo.__version__}" in done.stderr, done.stderr


def test_the_command_is_the_same_through_a_client(small, client, tmp_path):
    alone = prazo.sched_experiment(small, output=tmp_path / "alone")
    counts = []
    together = prazo.cluster.answer(
        client, lambda *count: counts.append(count), ["sched", "experiment"], [small], [], output=tmp_path / "together"
    )
    assert together == alone
    assert counts[-1][0] == counts[-1][1] > 1


def test_the_number_of_workers_and_their_death_change_nothing(small, cluster, client, expected):
    """The last one: it ends workers."""
    pids = list(client.run(os.getpid).values())
    seen = []

    def watch(done, total):
        if done > 0 and not seen:
            os.kill(pids[0], signal.SIGKILL)
        if done > 0:
            seen.append((done, total))

    client.run(slowed(0.03))

    assert prazo.experiment(small, client=client, progress=watch) == expected
    assert seen and seen[-1][0] == seen[-1][1]
    assert not [thread.name for thread in threading.enumerate() if "meet" in thread.name]
    for workers in (2, 1):
        cluster.scale(workers)
        assert prazo.experiment(small, client=client) == expected


def test_what_is_raised_before_the_cluster_is_reached_ends_the_work(small, client, tmp_path):
    """A Ctrl-C that came there was lost: all of the experiment was made before the call ended."""

    heard = []

    def refuse(*count):
        heard.append(count)
        if len(heard) == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        prazo.experiment(small, client=client, folder=tmp_path, progress=refuse)
    seen = []
    prazo.experiment(small, client=client, folder=tmp_path, progress=lambda *count: seen.append(count))
    assert seen[0][0] == 0 and seen[-1][0] == seen[-1][1] > 0, seen


@pytest.mark.parametrize("client", ["None", "distributed.Client(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None)"])
def test_an_interrupt_ends_an_experiment(interruptible, distributed, client, tmp_path):
    code = f"import distributed, prazo; prazo.experiment('epos-2013', folder={str(tmp_path)!r}, client={client})"
    child = interruptible([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 60
    while not list(tmp_path.iterdir()) and time.monotonic() < end:
        time.sleep(0.05)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=60)
    assert "KeyboardInterrupt" in said
