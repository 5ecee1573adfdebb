"""A farm of boards: a real sshd on loopback stands for two."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import prazo
from conftest import children


FLAGS = {"duration": "500ms", "warm_up": "100ms", "policy": "other"}


STUDY = """
[study]
name = "farmed"
title = "One short run"
question = "How late are wake-ups?"

[[platform]]
id = "board"

[[load]]
id = "idle"

[[probe]]
id = "timer"
policy = "other"
period = "10ms"
length = "300ms"
warm_up = "100ms"

[[claim]]
id = "late"
text = "No wake-up is later than a minute."
check.max-below = { cells = ["board.idle.timer"], below = "60s" }
"""


def test_a_farm_measures_on_each_board_and_goes_on(boards, tmp_path, monkeypatch):
    counts = []
    options = {"folder": tmp_path / "runs", **FLAGS}
    runs = prazo.farm(boards, progress=lambda *count: counts.append(count), **options)
    assert [os.path.basename(run.path) for run in runs] == ["board-0.prazo", "board-1.prazo"]
    assert all(run.document["name"] for run in runs)
    assert counts == [(0, 2), (1, 2), (2, 2)]
    # A second call measures only what is not there.
    os.remove(runs[1].path)
    first = os.stat(runs[0].path)
    again = prazo.farm(boards, **options)
    assert len(again) == 2 and os.stat(runs[0].path) == first
    # Nothing is left to measure, so that no program is needed.
    monkeypatch.setenv("PRAZO_PROGRAM", "/nowhere")
    assert len(prazo.farm(boards, **options)) == 2
    # Other flags are another farm.
    with pytest.raises(prazo.RefusedError, match="another farm"):
        prazo.farm(boards, **{**options, "duration": "1s"})


def test_a_folder_with_other_files_is_refused_before_anything_is_measured(tmp_path, monkeypatch):
    (tmp_path / "board-0.prazo").write_text("mine")
    monkeypatch.setenv("PRAZO_PROGRAM", "/nowhere")
    with pytest.raises(prazo.RefusedError, match="board-0.prazo, which no farm wrote"):
        prazo.farm(["ssh://a"], folder=tmp_path, **FLAGS)
    assert (tmp_path / "board-0.prazo").read_text() == "mine"


def test_a_board_that_fails_is_reported_beside_the_results_of_the_others(boards, tmp_path):
    three = [boards[0], "ssh://nobody@b/nowhere", boards[1]]
    for _ in range(2):
        with pytest.raises(prazo.FarmError, match="2 of 3 boards were measured") as raised:
            prazo.farm(three, folder=tmp_path / "runs", **FLAGS)
        assert list(raised.value.failures) == [1] and "ssh://nobody@b/nowhere" in str(raised.value)
        assert {at: os.path.basename(run.path) for at, run in raised.value.results.items()} == {
            0: "board-0.prazo",
            2: "board-2.prazo",
        }


@pytest.mark.parametrize("probe", ["event", "latmon", "overheads", "plan", "serial"])
def test_what_a_farm_cannot_measure_is_refused_by_name_before_anything_else(probe, tmp_path):
    with pytest.raises(prazo.RefusedError, match=f"'{probe}'"):
        prazo.farm(["ssh://a"], probe, folder=tmp_path / "runs")
    assert not (tmp_path / "runs").exists()


def test_a_call_that_is_corrected_may_use_the_folder(boards, tmp_path):
    """What was wrong has left nothing, so that there is nothing to protect."""
    folder = tmp_path / "runs"
    with pytest.raises(prazo.FarmError):
        prazo.farm(boards, "no-such-study", folder=folder)
    with pytest.raises(prazo.FarmError):
        prazo.farm(boards, folder=folder, **{**FLAGS, "duration": "a while"})
    with pytest.raises(prazo.FarmError, match="1 of 2"):
        prazo.farm([boards[0], "ssh://nobody@b/nowhere"], folder=folder, **FLAGS)
    first = os.stat(folder / "board-0.prazo")
    # The board that was measured stays as it is.
    with pytest.raises(prazo.RefusedError, match="another farm"):
        prazo.farm(boards[::-1], folder=folder, **FLAGS)
    assert len(prazo.farm(boards, folder=folder, **FLAGS)) == 2
    assert os.stat(folder / "board-0.prazo") == first


#: A farm whose cluster reaches no board.
ALONE = """
import distributed, sys
import prazo
from prazo import cluster

cluster._ALONE_S = 0.5
if __name__ == "__main__":
    with distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=None, resources={"board ssh://b": 1}) as made:
        with distributed.Client(made) as client:
            prazo.farm(["ssh://a", "ssh://b"], "no-such-study", folder=sys.argv[1], client=client)
"""


def test_a_board_that_no_worker_reaches_is_named_with_what_to_do(interruptible, tmp_path):
    pytest.importorskip("distributed")
    (tmp_path / "alone.py").write_text(ALONE)
    child = interruptible([sys.executable, str(tmp_path / "alone.py"), str(tmp_path / "runs")], stderr=subprocess.PIPE, text=True)
    said = next((line for line in child.stderr if "no worker has" in line), "")
    child.send_signal(signal.SIGINT)
    _, rest = child.communicate(timeout=60)
    assert """--resources "board ssh://a=1\"""" in said, rest
    assert "no worker has the resource 'board ssh://b'" not in said + rest


@pytest.fixture()
def client(boards):
    distributed = pytest.importorskip("distributed")
    from prazo import farms

    resources = {farms.resource(board): 1 for board in [*boards, "ssh://nobody@b/nowhere"]}
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=4, processes=False, dashboard_address=None, resources=resources
    ) as made:
        with distributed.Client(made) as client:
            yield client


def test_a_worker_has_each_board_once_and_one_that_fails_stops_no_other(boards, client, tmp_path):
    twice = [*boards, boards[0]]
    runs = prazo.farm(twice, folder=tmp_path / "runs", client=client, **FLAGS)
    assert len(runs) == 3
    begun = [run.document["started_at_unix_ns"] for run in runs]
    ended = [start + run.document["elapsed_ns"] for start, run in zip(begun, runs)]
    assert begun[2] >= ended[0] or begun[0] >= ended[2], (begun, ended)
    with pytest.raises(prazo.FarmError) as raised:
        prazo.farm(["ssh://nobody@b/nowhere", boards[1]], folder=tmp_path / "two", client=client, **FLAGS)
    assert list(raised.value.results) == [1] and list(raised.value.failures) == [0]


@pytest.mark.parametrize("is_spread", [False, True])
def test_a_farm_takes_a_study(boards, client, tmp_path, is_spread):
    (tmp_path / "farmed.toml").write_text(STUDY)
    options = {"folder": tmp_path / "studied", "client": client if is_spread else None}
    studied = prazo.farm(boards, tmp_path / "farmed.toml", **options)
    assert [one.board for one in studied] == boards
    for one in studied:
        assert [claim["outcome"] for claim in one.document["claims"]] == ["held"]
        assert len(prazo.open(one.folder)) == 1
    again = prazo.farm(boards, tmp_path / "farmed.toml", **options)
    assert again == studied
    # A changed study is another one.
    (tmp_path / "farmed.toml").write_text(STUDY.replace("300ms", "400ms"))
    with pytest.raises(prazo.RefusedError, match="another farm"):
        prazo.farm(boards, tmp_path / "farmed.toml", **options)


def test_an_interrupt_ends_a_farm_at_once(boards, interruptible, tmp_path):
    """Both would measure for an hour."""
    (tmp_path / "farm.py").write_text(
        "import prazo, sys\n"
        "prazo.farm(%r, folder=%r, duration='1h', warm_up='100ms', policy='other')\n" % (boards, str(tmp_path / "runs"))
    )
    child = interruptible([sys.executable, str(tmp_path / "farm.py")], stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 60
    while len(children(child.pid)) < 2 and time.monotonic() < end:
        time.sleep(0.1)
    started = children(child.pid)
    assert len(started) == 2
    time.sleep(3)
    begun = time.monotonic()
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=60)
    assert "KeyboardInterrupt" in said and time.monotonic() - begun < 25, said
    assert not any(os.path.exists(f"/proc/{pid}") for pid in started)


def test_an_interrupt_of_a_client_ends_what_workers_run(boards, client, tmp_path):
    """The wish to stop reaches the commands of the workers."""
    from prazo import cluster, command, farms

    stop = cluster.Stop()
    job = farms._Job(0, ("measure", "timer", "--duration=1h", "--policy=other", f"--on={boards[0]}", "--output=r.prazo"), "", str(tmp_path), ())
    threading.Timer(4, stop.set).start()
    begun = time.monotonic()
    with pytest.raises(prazo.FailedError, match="the work was stopped"):
        cluster.spread(farms._worked, [job], client, lambda item, answer: None, stop=stop)
    while command._groups and time.monotonic() - begun < 60:
        time.sleep(0.1)
    assert not command._groups
