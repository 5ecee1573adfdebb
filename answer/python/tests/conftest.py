"""What several tests use."""

import os
import shutil
import signal
import socket
import subprocess
import time

import pytest


def pytest_configure(config):
    config.addinivalue_line("markers", "guests: boots guests for minutes, or computes for minutes; `./test --guests` runs it")
    config.addinivalue_line("markers", "boards: measures on boards, whose connections a machine loses that is busy with guests")


def pytest_collection_modifyitems(items):
    for item in items:
        if "boards" in item.fixturenames or item.name.endswith("[fetch]"):
            item.add_marker(pytest.mark.boards)


@pytest.fixture
def interruptible():
    """Starts a program that Ctrl-C ends, also where a shell runs the tests in the background, so that they ignore it."""
    started = []

    def start(words, **options):
        started.append(
            subprocess.Popen(words, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL), **options)
        )
        return started[-1]

    yield start
    # One that a failed test left.
    for child in started:
        child.kill()
        child.wait()


def free_port():
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return bound.getsockname()[1]


@pytest.fixture()
def boards(tmp_path, monkeypatch):
    """Addresses of two boards: a real sshd on loopback."""
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


def children(pid):
    """The processes that another one has started."""
    found = []
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/children") as file:
            found += file.read().split()
    return found
