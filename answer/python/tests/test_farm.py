"""A farm of boards: a real sshd on loopback stands for two."""

import os
import shutil
import socket
import subprocess
import time

import pytest

import prazo


def free_port():
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return bound.getsockname()[1]


@pytest.fixture()
def boards(tmp_path, monkeypatch):
    sshd = shutil.which("sshd", path=os.environ["PATH"] + ":/usr/sbin")
    if sshd is None or os.geteuid() != 0:
        pytest.skip("sshd is not installed, or not root")
    for name in ("host", "user"):
        words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(tmp_path / name)]
        subprocess.run(words, check=True)
    port = free_port()
    (tmp_path / "sshd_config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {tmp_path}/host\nAuthorizedKeysFile {tmp_path}/user.pub\n"
        "StrictModes no\nUsePAM no\nPidFile none\nPasswordAuthentication no\nPermitRootLogin yes\n"
    )
    (tmp_path / "ssh_config").write_text(
        f"Host a b\nHostName 127.0.0.1\nPort {port}\nIdentityFile {tmp_path}/user\nIdentitiesOnly yes\n"
        f"UserKnownHostsFile {tmp_path}/known\nStrictHostKeyChecking accept-new\n"
    )
    os.makedirs("/run/sshd", exist_ok=True)
    server = subprocess.Popen([sshd, "-D", "-f", str(tmp_path / "sshd_config")], stderr=subprocess.DEVNULL)
    for _ in range(100):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            break
        except OSError:
            time.sleep(0.1)
    monkeypatch.setenv("PRAZO_SSH", f"ssh -F {tmp_path}/ssh_config")
    addresses = []
    for name in "ab":
        (tmp_path / name).mkdir()
        addresses.append(f"ssh://{name}{tmp_path}/{name}")
    yield addresses
    server.terminate()
    server.wait()


FLAGS = {"duration": "500ms", "warm_up": "100ms", "policy": "other"}


def test_a_farm_measures_on_each_board(boards, tmp_path):
    runs = prazo.farm(boards, folder=tmp_path / "runs", **FLAGS)
    assert [os.path.basename(run.path) for run in runs] == ["board-0.prazo", "board-1.prazo"]
    assert all(run.document["name"] for run in runs)


def test_a_worker_has_each_board_once(boards, tmp_path):
    distributed = pytest.importorskip("distributed")
    from prazo import cluster

    resources = {cluster.resource(board): 1 for board in boards}
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=4, processes=False, dashboard_address=None, resources=resources
    ) as made:
        with distributed.Client(made) as client:
            twice = [*boards, boards[0]]
            runs = prazo.farm(twice, folder=tmp_path / "runs", client=client, **FLAGS)
    assert len(runs) == 3
