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
