"""A hunt gives the same files from guests of this machine, and from workers of a cluster."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

import prazo

#: A small hunt: two boots of a fifth of a second each.
FLAGS = {"platform": "lab:standard-full", "load": "cpu", "budget": 2, "duration": "200ms", "no_cause": True, "output": "hunt"}


def is_fetched():
    """True where the lab of the small hunt is here."""
    fetched = [line for line in prazo.lab_list()["sets"] if line["state"] == "fetched"]
    names = [one["name"] for one in fetched]
    return any(name.startswith("qemu-1") for name in names) and any(name.startswith("linux-6.1.") for name in names)


@pytest.fixture(scope="module")
def lab():
    if not is_fetched():
        pytest.skip("the lab is not fetched; `prazo lab fetch` does it")


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None) as made:
        yield made


@pytest.fixture()
def client(cluster):
    import distributed

    with distributed.Client(cluster) as client:
        yield client


def result(folder):
    """What a hunt leaves but for the times in it: the study of the worst boot, the request, and the journal in its order."""
    journal = sorted(json.loads(line)["number"] for line in (folder / "boots.jsonl").read_text().splitlines())
    lines = sorted((folder / "boots.jsonl").read_text().splitlines())
    return (folder / "worst.toml").read_text(), (folder / "hunt.json").read_text(), journal, lines


@pytest.mark.guests
def test_a_hunt_is_the_same_from_guests_here_and_from_one_and_two_workers(lab, cluster, client, tmp_path, monkeypatch):
    found = {}
    for name, workers in (("here", 0), ("one", 1), ("two", 2)):
        place = tmp_path / name
        place.mkdir()
        monkeypatch.chdir(place)
        counts = []
        options = {"progress": lambda *count: counts.append(count), **FLAGS}
        if workers == 0:
            hunted = prazo.lab_hunt(workers=2, **options)
        else:
            cluster.scale(workers)
            client.wait_for_workers(workers)
            hunted = prazo.lab_hunt(client=client, **options)
        assert counts[-1] == (2, 2)
        found[name] = json.dumps(hunted), *result(place / "hunt")
        assert (place / "hunt" / "worst.prazo").exists()
    assert found["here"] == found["one"] == found["two"]
    # Another call goes on with what is there: nothing is left to boot, so that no worker is needed.
    again = subprocess.run(
        [prazo.program(), *"lab hunt --platform lab:standard-full --load cpu --budget 2 -D 200ms --no-cause -o hunt --json".split(), "--scheduler", "tcp://127.0.0.1:9"],
        capture_output=True,
        text=True,
    )
    assert json.loads(again.stdout)["boots_found"] == 2, again.stderr


def test_the_command_hands_its_boots_to_a_scheduler_and_a_worker_with_another_lab_is_refused(lab, cluster, client, tmp_path):
    words = [prazo.program(), *"lab hunt --platform lab:standard-full --load cpu --budget 1 -D 200ms --no-cause --json".split()]
    together = subprocess.run(
        [*words, "-o", str(tmp_path / "hunt"), "--scheduler", cluster.scheduler_address],
        capture_output=True,
        text=True,
        env={**os.environ, "PRAZO_PYTHON": sys.executable},
    )
    assert together.returncode == 0 and json.loads(together.stdout)["boots"] == 1, together.stderr
    from prazo import cluster as spread

    shared = {"platform": "lab:standard-full", "limit_ns": 10**12, "conditions": {"lab.kernel_sha256": "0"}}
    study = (tmp_path / "hunt" / "worst.toml").read_text().split("[[claim]]")[0]
    with pytest.raises(prazo.FailedError, match="this worker's lab has lab.*, and the hunt's has"):
        spread._boot(spread.build(), json.dumps({**shared, "any": study, "study": study}))


def test_an_interrupt_ends_the_command_and_the_guests_of_its_workers(lab, cluster, client, interruptible, tmp_path):
    def groups():
        from prazo import command

        return len(command._groups)

    words = [prazo.program(), *"lab hunt --platform lab:standard-full --load cpu --budget 4 -D 20s --no-cause".split()]
    environment = {**os.environ, "PRAZO_PYTHON": sys.executable}
    child = interruptible(
        [*words, "-o", str(tmp_path / "hunt"), "--scheduler", cluster.scheduler_address],
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    end = time.monotonic() + 60
    while not any(client.run(groups).values()) and time.monotonic() < end:
        time.sleep(0.2)
    assert any(client.run(groups).values())
    time.sleep(2)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=60)
    assert child.returncode != 0 and "interrupted" in said, said
    end = time.monotonic() + 60
    while any(client.run(groups).values()) and time.monotonic() < end:
        time.sleep(0.2)
    assert not any(client.run(groups).values())


def test_a_scheduler_that_is_not_there_is_named(lab, tmp_path):
    words = [prazo.program(), *"lab hunt --platform lab:standard-full --load cpu --budget 1 -D 200ms --no-cause".split()]
    nobody = subprocess.run(
        [*words, "-o", str(tmp_path / "hunt"), "--scheduler", "tcp://127.0.0.1:9"],
        capture_output=True,
        text=True,
        env={**os.environ, "PRAZO_PYTHON": sys.executable},
    )
    assert nobody.returncode == 4 and "tcp://127.0.0.1:9" in nobody.stderr, nobody.stderr


def test_a_boot_that_a_worker_cannot_make_is_named(tmp_path, monkeypatch):
    from prazo import cluster as spread

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    shared = {"platform": "lab:standard-full", "limit_ns": 10**12, "conditions": {}}
    with pytest.raises(prazo.FailedError, match="cannot boot lab:standard-full for a hunt: .*prazo lab fetch"):
        spread._boot(spread.build(), json.dumps({**shared, "any": "", "study": ""}))
