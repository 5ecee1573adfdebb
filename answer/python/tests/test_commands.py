"""Commands as functions: each flag is one of the command's, answers are documents, and Ctrl-C ends what runs."""

import inspect
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import prazo
from conftest import children
from prazo import command, commands

EXAMPLES = Path(os.environ["PRAZO_EXAMPLES"])


def words_of(name, monkeypatch):
    """The words of a function's command, and the flags that it can pass."""
    called = []
    monkeypatch.setattr(command, "answer", lambda words, *_, **flags: called.append((words, flags, True)))
    monkeypatch.setattr(command, "answer_or_text", lambda words, *_, **flags: called.append((words, flags, True)))
    monkeypatch.setattr(command, "text", lambda words, *_, **flags: called.append((words, flags, False)))
    function = getattr(commands, name)
    required = {
        one.name: "1" for one in inspect.signature(function).parameters.values()
        if one.default is inspect.Parameter.empty and one.kind is not inspect.Parameter.VAR_POSITIONAL
    }
    positional = [
        required.pop(one.name) for one in inspect.signature(function).parameters.values()
        if one.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD and one.name in required
    ]
    function(*positional, **required)
    return called[0]


@pytest.mark.parametrize("name", [*commands.__all__, "watch"])
def test_a_function_has_the_flags_of_its_command(name, monkeypatch):
    words, flags, is_json = words_of(name, monkeypatch)
    help_ = subprocess.run([prazo.program(), *words, "--help"], capture_output=True, text=True)
    assert help_.returncode == 0, help_.stderr
    spelled = ["--" + flag.rstrip("_").replace("_", "-") for flag in flags] + ["--json"] * is_json
    for flag in spelled:
        assert flag in help_.stdout, (name, flag)
    assert getattr(prazo, name)


def test_a_program_that_is_started_keeps_its_status_and_its_costs():
    costed = prazo.cost("sh", "-c", "exit 2")
    assert costed["processes"]
    # `prazo cost` ends as env(1) does, whose own failures have one status.
    with pytest.raises(prazo.FailedError, match="there is no workload"):
        prazo.cost(workload="no-such-workload")


def test_answers_are_documents_and_formats_are_text(tmp_path):
    (imported,) = prazo.import_(EXAMPLES / "cyclictest.json", output=tmp_path)
    run = imported["run"]
    assert prazo.export(run, format="csv").startswith("cpu")
    assert prazo.report(run, deadline="1ms", kind="firm")["verdict"]["outcome"] == "inconclusive"
    assert [one["id"] for one in prazo.sched_test(EXAMPLES / "crane.toml")]
    batch = prazo.sched_test(batch=EXAMPLES / "sets.jsonl")
    assert len(batch) > 1 and all(one["verdict"] for one in batch)


def test_an_interrupt_ends_a_command_and_leaves_nothing(interruptible, tmp_path):
    code = "import prazo; prazo.measure('timer', policy='other', duration='5min', output=%r)" % str(tmp_path / "run.prazo")
    child = interruptible([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True, start_new_session=True)
    # The run file is there once it measures.
    end = time.monotonic() + 60
    while not list(tmp_path.iterdir()) and time.monotonic() < end:
        time.sleep(0.05)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=60)
    assert "KeyboardInterrupt" in said
    assert prazo.open(tmp_path / "run.prazo").document["name"]


def test_a_command_ends_with_a_process_that_is_killed(tmp_path):
    """A worker of a cluster that the kernel ends has no time to interrupt what it runs."""
    code = "import prazo; prazo.measure('timer', policy='other', duration='5min', output=%r)" % str(tmp_path / "run.prazo")
    killed = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL)
    end = time.monotonic() + 60
    while not list(tmp_path.iterdir()) and time.monotonic() < end:
        time.sleep(0.05)
    (started,) = children(killed.pid)
    killed.kill()
    killed.wait()
    end = time.monotonic() + 20
    while is_running(started) and time.monotonic() < end:
        time.sleep(0.05)
    assert not is_running(started)
    # It ended as Ctrl-C ends it, with a whole file.
    assert prazo.open(tmp_path / "run.prazo").document["name"]


def is_running(pid):
    """False also for one that nobody has waited for."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


#: As a command of prazo does: it listens once, and takes a while to put the system back.
RESTORES = """
import signal, sys, time
stopped = []
def stop(number, frame):
    signal.signal(number, signal.SIG_DFL)
    stopped.append(number)
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, stop)
print("listens", flush=True)
while not stopped:
    time.sleep(0.01)
time.sleep(3)
print("restored", flush=True)
"""


@pytest.mark.parametrize("has_terminal_interrupted", [True, False])
def test_a_command_that_puts_the_system_back_is_interrupted_once(has_terminal_interrupted, monkeypatch, capfd):
    monkeypatch.setattr(command, "_is_in_foreground", lambda: has_terminal_interrupted)
    monkeypatch.setattr(command, "_TERMINAL_GRACE_S", 0.5)
    monkeypatch.setattr(command, "_GRACE_S", 1)
    monkeypatch.setattr(command, "_SILENT_S", 1)
    child = command.Child([sys.executable, "-c", RESTORES])
    assert child.process.stdout.readline() == "listens\n"
    if has_terminal_interrupted:
        child.process.send_signal(signal.SIGINT)
    child.interrupt()
    assert child.process.stdout.read() == "restored\n" and child.process.returncode == 0
    assert "waiting for the command to put the system back" in capfd.readouterr().err


def test_an_error_of_the_words_says_what_is_wrong_with_them():
    with pytest.raises(prazo.RefusedError) as raised:
        prazo.measure("timer", bogus=1)
    assert "unexpected argument '--bogus' found" in str(raised.value) and "--help" not in str(raised.value)
    with pytest.raises(prazo.RefusedError) as raised:
        prazo.measure("timer", policy="fofi")
    assert "fofi" in str(raised.value) and "--help" not in str(raised.value)


#: Waits for instants, as a control loop does.
LOOP = "import time\nfor _ in range(%d): time.sleep(0.002)"


def watched(loops, **flags):
    watch = prazo.watch(program=[sys.executable, "-c", LOOP % loops], **flags)
    try:
        first = next(watch)
    except (prazo.FailedError, prazo.RefusedError) as error:
        pytest.skip(f"the kernel lets nobody watch: {error}")
    return watch, first


def test_a_watch_is_an_iterator_of_what_was_seen(tmp_path):
    watch, first = watched(1500, output=tmp_path / "run.prazo", deadline="1s")
    rest = list(watch)
    answer = watch.answer
    assert rest and rest[-1] == answer
    served = [sum(thread["served"] for thread in one.threads) for one in (first, *rest)]
    assert served == sorted(served) and served[-1] > 0
    assert first.file is None and answer.file == str(tmp_path / "run.prazo")
    assert answer.document["status"] == 0 and "<table>" in answer._repr_html_()
    assert prazo.open(answer.file).document["name"]


def test_a_watch_ends_with_its_block(tmp_path):
    watch, _ = watched(1_000_000, output=tmp_path / "run.prazo")
    with watch:
        next(watch)
    assert watch.answer.document["watched_s"] > 0
    assert list(watch) == []


def test_leaving_a_watch_early_is_no_error():
    watched(1)
    for _ in range(3):
        with prazo.watch(program=[sys.executable, "-c", LOOP % 1_000_000]) as watch:
            pass
        assert list(watch) == []
    with prazo.watch(program=[sys.executable, "-c", LOOP % 1_000_000]) as watch:
        for _ in watch:
            break
    assert watch.answer.document["watched_s"] > 0
    # A program that is not there is an error all the same.
    with pytest.raises((prazo.FailedError, prazo.RefusedError)):
        prazo.watch(program=["/nowhere"]).answer
