"""Does a board of a labgrid lab meet a deadline? prazo runs here, and measures there over SSH.

    pytest --lg-env board.yaml test_latency.py

A board that only the lab's exporter reaches needs ProxyJump in ~/.ssh/config. PRAZO_DEADLINE and PRAZO_FLAGS change what
is measured, as in PRAZO_FLAGS="-D 10m".
"""

import json
import os
import shlex
import subprocess

import pytest

DEADLINE = os.environ.get("PRAZO_DEADLINE", "200us")
FLAGS = shlex.split(os.environ.get("PRAZO_FLAGS", ""))
WORDS = {1: "fail", 2: "usage error", 3: "inconclusive", 4: "could not measure"}


@pytest.fixture(scope="session")
def board(target):
    """prazo's address of the board, and its SSH client; the driver waits until the board answers."""
    driver = target.get_driver("SSHDriver")
    service = driver.networkservice
    host = f"[{service.address}]" if ":" in service.address else service.address
    # As labgrid does it: a board that was written anew has another key.
    client = ["ssh", "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null"]
    if driver.keyfile:
        client += ["-o", "IdentitiesOnly=yes", "-i", target.env.config.resolve_path(driver.keyfile)]
    return f"ssh://{driver.username or service.username}@{host}:{service.port}", " ".join(client)


def test_deadline(board, tmp_path):
    address, client = board
    command = ["prazo", "evaluate", "--deadline", DEADLINE, *FLAGS, "--json", "--on", address]
    ended = subprocess.run(command, cwd=tmp_path, env={**os.environ, "PRAZO_SSH": client}, capture_output=True, text=True)
    word = WORDS.get(ended.returncode, "pass" if ended.returncode == 0 else f"status {ended.returncode}")
    assert ended.stdout, f"{word}: {ended.stderr}"
    verdict = json.loads(ended.stdout)["verdict"]
    assert ended.returncode == 0, f"{word}: {verdict['sentence']} (results in {tmp_path})"
