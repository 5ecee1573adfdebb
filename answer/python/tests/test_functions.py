"""Each function that is a command, called once for real with little to do."""

import contextlib
import hashlib
import json
import os
import socket
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import prazo
from prazo import commands

EXAMPLES = Path(os.environ["PRAZO_EXAMPLES"])
STAMPS = EXAMPLES.parent / "testing/data/serial/rtic-2.lm3s6965evb.txt"
CRANE = EXAMPLES / "crane.toml"
EXECUTORS = EXAMPLES.parent / "scenarios/executors/move-base.toml"
SMALL = Path(__file__).with_name("small.toml")
#: A measurement that takes moments and no privilege.
BRIEF = {"policy": "other", "duration": "200ms"}

#: What other users than root may be refused.
PRIVILEGED = {"measure_overheads", "tune_apply", "sched_deploy", "sched_inversion", "sched_run", "sched_undeploy", "sched_watch"}
OUTCOMES = ("pass", "fail", "inconclusive")

#: What is called and cannot succeed here: the program's reason, which says what is missing.
REFUSED = {
    "gate": (lambda folder: prazo.gate(save=folder / "baseline"), "nothing was measured under counted time"),
    "lab_boot": (lambda folder: prazo.lab_boot(kernel=written(folder, "bzImage", "")), "prazo lab fetch"),
    "lab_bound": (lambda folder: prazo.lab_bound(run_file(folder)), "lab"),
    "lab_build": (lambda folder: prazo.lab_build(str(written(folder, "own.toml", "name = 'own'"))), "recipe '"),
    "lab_explain": (lambda folder: prazo.lab_explain(run_file(folder)), "lab"),
    "lab_fetch": (lambda folder: prazo.lab_fetch(only="rt-full", mirror="http://127.0.0.1:9"), "127.0.0.1:9"),
    "lab_hunt": (lambda folder: prazo.lab_hunt(platform="lab:standard-full", load="cpu", budget=1), "prazo lab fetch"),
    "measure_interrupt": (lambda folder: prazo.measure_interrupt(module=folder / "irqlat.ko", duration="200ms"), "irqlat"),
    "measure_xenomai": (lambda folder: prazo.measure_xenomai(duration="1s"), "/proc/xenomai"),
}

STUDY = """
[study]
name = "brief"
title = "A brief study"
question = "Does a study of this machine run?"

[[platform]]
id = "here"

[[load]]
id = "idle"

[[probe]]
id = "other"
policy = "other"
activations = 200
"""

#: One task, which a process has for as long as it is deployed.
ALONE = """
name = "alone"
processors = 1
policy = "fixed-priority"

[[task]]
name = "sleeper"
cost = "1ms"
period = "100ms"
"""


def run_file(folder, name="run.prazo", **flags):
    prazo.measure_timer(output=folder / name, **{**BRIEF, **flags})
    return folder / name


def certificate(folder):
    file = folder / "certificate.json"
    file.write_text(prazo.TaskSet.read(CRANE).test("partitioned-edf").certificate)
    return file


def written(folder, name, text):
    (folder / name).write_text(text)
    return folder / name


@contextlib.contextmanager
def deployed(folder):
    """A process that sleeps, as the one task of a set; its journal is in a folder of the test's own."""
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]) as child:
        try:
            yield prazo.sched_deploy(written(folder, "alone.toml", ALONE), pid=f"sleeper={child.pid}")
        finally:
            child.kill()


def undeployed(folder):
    with deployed(folder):
        return prazo.sched_undeploy()


def watched(folder):
    with deployed(folder):
        try:
            return prazo.sched_watch(duration="300ms", plain=True)
        finally:
            prazo.sched_undeploy()


def set_of_packages(folder):
    """One small set in the lab's cache, as fetching leaves it."""
    place = Path(os.environ["XDG_CACHE_HOME"]) / "prazo" / "lab" / "tool-1.0"
    place.mkdir(parents=True)
    lines = []
    for name, content in (("packages.sha256", b"00  tool_1.0_amd64.deb\n"), ("usr/tool", b"7" * 1_000)):
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_bytes(content)
        lines.append(f"file\t{hashlib.sha256(content).hexdigest()}\ttool-1.0/{name}\n")
    (place / "contents.list").write_text("".join(sorted(lines, key=lambda line: line.split("\t")[2])))
    return place


def exported(folder):
    set_of_packages(folder)
    prazo.lab_export(folder / "lab.tar.zst")
    return folder / "lab.tar.zst"


def imported(folder):
    archive = exported(folder)
    os.environ["XDG_CACHE_HOME"] = str(folder / "other")
    return prazo.lab_import(archive), (folder / "other/prazo/lab/tool-1.0/usr/tool").read_bytes()


def pruned(folder):
    """What an interrupted fetch left is of no use."""
    left = set_of_packages(folder).parent / "fetching-half-1"
    left.mkdir()
    return prazo.lab_prune(dry_run=True), left.exists(), prazo.lab_prune(), left.exists()


def fetched(boards):
    """A command that went on alone on a board."""
    prazo.measure_timer(on=boards[0], detach=True, output="detached.prazo", **BRIEF)
    (place,) = Path(boards[0].split("//", 1)[1].lstrip("ab")).glob("prazo-*")
    end = time.monotonic() + 60
    while True:
        answer = prazo.fetch(f"ssh://a{place}")
        if Path("detached.prazo").exists() or time.monotonic() > end:
            return answer, prazo.open("detached.prazo").document["name"]
        time.sleep(0.5)


def latmon(folder):
    """A board that speaks latmon's protocol: three answers of 5, 7 and 9 us in each bulk."""
    bulk, bulks = struct.pack(">6I", 0, 21_000, 5_000, 9_000, 0, 3), 0
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve():
            nonlocal bulks
            client, _ = listening.accept()
            with client:
                _, cells = struct.unpack(">2I", client.recv(8, socket.MSG_WAITALL))
                client.settimeout(0.05)
                while True:
                    client.sendall(bulk)
                    bulks += 1
                    with contextlib.suppress(TimeoutError):
                        if client.recv(8) == bytes(8):  # a period of 0 stops
                            break
                client.sendall(struct.pack(">6I", 0, 0, 0xFFFF_FFFF, 0, 0, 0))
                histogram = [bulks if cell in (5, 7, 9) else 0 for cell in range(cells)]
                client.sendall(struct.pack(f">{cells}I", *histogram))

        board = threading.Thread(target=serve, daemon=True)
        board.start()
        port = listening.getsockname()[1]
        answer = prazo.measure_latmon(f"127.0.0.1:{port}", duration="1s", cells=100, output=folder / "latmon.prazo")
        board.join()
        return answer, bulks


#: The program where it can change no setting: what it would write is read-only.
READ_ONLY = """#!/bin/sh
exec unshare --mount sh -c 'for place in /proc/sys /sys /proc/irq; do
    mount --bind -o ro $place $place && mount -o remount,bind,ro $place || exit 99
done
exec "$@"' sh {program} "$@"
"""


def applied(folder):
    """The changes are tried, and none can be made."""
    program = written(folder, "prazo", READ_ONLY.format(program=prazo.program()))
    program.chmod(0o755)
    os.environ["PRAZO_PROGRAM"] = str(program)
    return prazo.tune_apply(cpus="0")


def plan(folder):
    file = folder / "again.prazo"
    return prazo.measure_plan(run_file(folder), output=file)


#: What is called, and what is true of its answer.
CALLS = {
    "check": (lambda folder: prazo.check(), lambda answer: all(one["id"] for one in answer)),
    "compare": (
        lambda folder: prazo.compare(run_file(folder, "one.prazo"), run_file(folder, "other.prazo")),
        lambda answer: len(answer[0]["quantiles"]) > 2,
    ),
    "cost": (lambda folder: prazo.cost("true"), lambda answer: answer["processes"]),
    "evaluate": (
        lambda folder: prazo.evaluate(duration="300ms", output=folder / "evaluated"),
        lambda answer: answer["verdict"]["outcome"] in OUTCOMES,
    ),
    "export": (lambda folder: prazo.export(run_file(folder), format="csv"), lambda text: text.startswith("cpu")),
    "fetch": (fetched, bool),
    "generate_completions": (lambda folder: prazo.generate_completions("bash"), lambda text: "complete" in text),
    "generate_man": (lambda folder: (prazo.generate_man(folder / "man"), folder), lambda made: list(made[1].glob("man/*"))),
    "generate_schema": (
        lambda folder: (prazo.generate_schema(folder / "schema"), folder),
        lambda made: json.loads((made[1] / "schema/report.json").read_text())["$schema"],
    ),
    "import_": (lambda folder: prazo.import_(EXAMPLES / "cyclictest.json", output=folder), lambda answer: answer[0]["run"]),
    "lab_export": (lambda folder: exported(folder).stat().st_size, bool),
    "lab_import": (imported, lambda answer: answer[1] == b"7" * 1_000),
    "lab_list": (lambda folder: prazo.lab_list(), lambda answer: answer["sets"]),
    "lab_prune": (pruned, lambda answer: answer[1::2] == (True, False)),
    "load": (lambda folder: prazo.load(list=True), lambda answer: len(answer) > 5),
    "measure_event": (
        lambda folder: prazo.measure_event(station="loopback", output=folder / "event.prazo", **BRIEF),
        lambda answer: answer,
    ),
    "measure_latmon": (latmon, lambda answer: answer[0]["served"] == 3 * answer[1]),
    "measure_noise": (lambda folder: prazo.measure_noise(output=folder / "noise.prazo", no_split=True, **BRIEF), bool),
    "measure_overheads": (
        lambda folder: prazo.measure_overheads(policy="fifo", tasks="2", duration="300ms", output=folder / "overheads"),
        bool,
    ),
    "measure_plan": (plan, bool),
    "measure_serial": (
        lambda folder: prazo.measure_serial(device=STAMPS, output=folder / "serial.prazo"),
        bool,
    ),
    "measure_timer": (lambda folder: prazo.measure_timer(output=folder / "timer.prazo", **BRIEF), lambda answer: answer),
    "measure_wakeup": (lambda folder: prazo.measure_wakeup(output=folder / "wakeup.prazo", **BRIEF), bool),
    "report": (
        lambda folder: prazo.report(run_file(folder), deadline="1ms"),
        lambda answer: answer["verdict"]["outcome"] in OUTCOMES,
    ),
    "sched_advise": (lambda folder: prazo.sched_advise(CRANE), bool),
    "sched_curve": (lambda folder: prazo.sched_curve(run_file(folder, raw=True)), bool),
    "sched_deploy": (lambda folder: prazo.sched_deploy(CRANE, dry_run=True), bool),
    "sched_executors": (lambda folder: prazo.sched_executors(EXECUTORS), lambda answer: answer["verdict"] == "proven"),
    "sched_experiment": (
        lambda folder: prazo.sched_experiment(SMALL, output=folder / "experiment"),
        lambda answer: answer["complete"],
    ),
    "sched_inversion": (lambda folder: prazo.sched_inversion(output=folder / "inversion.prazo"), bool),
    "sched_partition": (lambda folder: prazo.sched_partition(CRANE), bool),
    "sched_run": (lambda folder: prazo.sched_run(CRANE, duration="300ms", output=folder / "tasks.prazo"), bool),
    "sched_simulate": (lambda folder: prazo.sched_simulate(CRANE), lambda answer: answer),
    "sched_test": (lambda folder: prazo.sched_test(CRANE), lambda answer: answer[0]["verdict"]),
    "sched_undeploy": (undeployed, bool),
    "sched_verify": (lambda folder: prazo.sched_verify(certificate(folder)), lambda answer: answer),
    "sched_watch": (watched, bool),
    "study_list": (lambda folder: prazo.study_list(), lambda answer: len(answer) > 3),
    "study_run": (lambda folder: prazo.study_run(written(folder, "brief.toml", STUDY), output=folder / "study"), bool),
    "study_show": (lambda folder: prazo.study_show("evaluate"), bool),
    "trigger": (lambda folder: prazo.trigger("127.0.0.1", blind=True, count=20), bool),
    "tune": (lambda folder: prazo.tune(), lambda answer: answer is not None),
    "tune_apply": (applied, lambda answer: answer is not None),
    "tune_undo": (lambda folder: prazo.tune_undo(), lambda answer: answer is not None),
}


def test_each_function_is_called():
    assert set(CALLS) | set(REFUSED) == set(commands.__all__)
    assert not set(CALLS) & set(REFUSED)


@pytest.fixture(autouse=True)
def own_place(tmp_path, monkeypatch):
    """What is deployed, tuned or fetched on this machine is none of the test's."""
    monkeypatch.setenv("PRAZO_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PRAZO_PROGRAM", prazo.program())
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", sorted(CALLS))
def test_a_function_answers(name, tmp_path, request):
    call, holds = CALLS[name]
    given = request.getfixturevalue("boards") if name == "fetch" else tmp_path
    try:
        answer = call(given)
    except prazo.FailedError as error:
        if name in PRIVILEGED and os.geteuid() != 0:
            pytest.skip(f"{name} takes privileges: {error}")
        raise
    print(str(answer)[:300])
    assert holds(answer), answer


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_a_function_says_what_is_missing(name, tmp_path):
    call, reason = REFUSED[name]
    with pytest.raises(prazo.PrazoError, match=reason) as raised:
        call(tmp_path)
    # The words were those of a command: the program itself gave the reason.
    assert "unexpected argument" not in str(raised.value)
