"""What several tests use."""

import signal
import subprocess

import pytest


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
