"""What a caller gives by mistake is refused by the keyword's name, and answers do not change afterwards."""

import json
import os
import stat

import pytest

import prazo

SET = prazo.TaskSet.from_ticks([(1, 10)], unit="ms")
TABLE = 'name = "mine"\nsource = "a test"\nstatistic = "max"\n[release]\nlinear = [[1, "1us"], [10, "2us"]]\nsamples = 10\n'


class Integer:
    """An integer of another library."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value

    def __float__(self):
        return float(self.value)


def test_integers_of_other_libraries_are_integers():
    two = Integer(2)
    assert prazo.Task(cost_us=two, period_ms=10) == prazo.Task(cost_us=2, period_ms=10)
    assert SET.test("global-edf", two) == SET.test("global-edf", 2)
    assert SET.simulate(seed=two, duration_ms=20) == SET.simulate(seed=2, duration_ms=20)
    assert prazo.TaskSet([prazo.Task("1ms", "2ms")], clusters=[two]) == prazo.TaskSet([prazo.Task("1ms", "2ms")], clusters=[2])


@pytest.mark.parametrize(
    "call, said",
    [
        (lambda: SET.test("global-edf", -1), "processors -1: give 0 to"),
        (lambda: SET.test("global-edf", 2.0), "processors 2.0: give an integer"),
        (lambda: SET.test(budget=float("nan")), "budget nan: give an integer"),
        (lambda: SET.simulate(seed=2**64), "seed 18446744073709551616: give 0 to"),
        (lambda: list(prazo.generate("light", -1, 2)), "n -1: give 0 to"),
        (lambda: list(prazo.generate("emstada-uniform", 1, 2, tasks=0)), "tasks 0: give 1 to"),
        (lambda: prazo.measure("timer", period_us=250.5), "period_us 250.5: give an integer, or a smaller unit"),
        (lambda: prazo.measure("timer", period_us=True), "period_us True: give an integer"),
        (lambda: prazo.Task("1ms", "2ms", working_set_kib=1.5), "working_set_kib 1.5: give an integer"),
        (lambda: prazo.TaskSet([], clusters=[1.7]), "clusters 1.7: give an integer"),
        (lambda: prazo.TaskSet([], processors='2\npolicy="edf"'), "processors .*: give an integer"),
        (lambda: SET.test(tests="gfb"), r"tests 'gfb': give a list, as in \['gfb'\]"),
        (lambda: SET.test(heuristics="first-fit"), "heuristics 'first-fit': give a list"),
        (lambda: prazo.Chain("a", "ab"), "tasks 'ab': give a list"),
        (lambda: prazo.farm("ab", folder="never"), "boards 'ab': give a list"),
        (lambda: prazo.run_many(["check --json"]), "commands 'check --json': give a list"),
        (lambda: prazo.run_many([["check"]], folder="never", files="a.py"), "files 'a.py': give a list"),
        (lambda: prazo.watch(program="ls"), "program 'ls': give a list"),
        (lambda: prazo.Task("1ms", arrivals=[(1, 5)]), "arrivals 5: a number has no unit; write text such as '250us', or give a timedelta$"),
        (lambda: prazo.test_many([[(1, 10)]], scheduler="x"), "scheduler 'x': "),
        (lambda: SET.simulate(late="x"), "late 'x': choose one of continue"),
        (lambda: SET.simulate().gantt(start="100s"), "start 100s: the schedule ends at 10ms"),
        (lambda: SET.test("global-edf", policy="fp"), "policy fp: the scheduler already names the policy edf"),
        (lambda: SET.test("global-edf", 2000), "2000 processors are not possible; give 1 to 1024$"),
        (lambda: prazo.test_many([[(1, 10)]], policy="rm"), "policy: sets given as tuples support only edf and fp; for rm and dm"),
    ],
)
def test_a_mistake_is_named_by_its_keyword(call, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises((TypeError, ValueError, prazo.RefusedError), match=said):
        call()


def test_a_list_takes_the_word_of_a_scheduler():
    for scheduler in ("partitioned-fp", "clustered-edf:1,1", "global-edf"):
        (answer,) = prazo.test_many([[(1, 10)]], scheduler=scheduler, processors=2)
        assert answer["verdict"] == "proven", scheduler


def test_a_set_depends_on_the_utilization_and_not_on_how_it_is_written():
    for family in ("emstada-uniform", {"utilization": {"kind": "uniform", "range": [0.1, 0.4]}, "periods": {"us": [3_000, 33_000]}}):
        drawn = [list(prazo.generate(family, 2, u)) for u in (2.5, "2.50", "5/2", "2.5")]
        assert all(one == drawn[0] for one in drawn)
        assert list(prazo.generate(family, 2, 2)) == list(prazo.generate(family, 2, 2.0))
    assert list(prazo.generate("emstada-uniform", 1, "10"))[0].name == "emstada-uniform-10-0"


def test_an_answer_does_not_change_with_the_file_of_its_overheads(tmp_path):
    file = tmp_path / "table.toml"
    file.write_text(TABLE)
    ran, tested = SET.simulate("global-edf", 1, overheads=file, duration_ms=20), SET.test("global-edf", 1, overheads=file)
    events, page = ran.events(), tested.page()
    file.unlink()
    assert (ran.events(), tested.page()) == (events, page)


def test_a_run_is_found_from_any_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    prazo.measure("timer", policy="other", duration="200ms", raw=True, output="r.prazo")
    run = prazo.open("r.prazo")
    monkeypatch.chdir("/")
    assert len(run.samples()) > 0


def test_a_folder_of_something_else_is_refused(tmp_path):
    prazo.run_many([["generate", "completions", "bash"]], folder=tmp_path / "many")
    with pytest.raises(prazo.RefusedError, match="results of no farm"):
        prazo.farm(["ssh://nowhere"], folder=tmp_path / "many")
    (tmp_path / "many" / "jobs.json").write_text("{")
    with pytest.raises(prazo.RefusedError, match="jobs.json is damaged"):
        prazo.run_many([["generate", "completions", "bash"]], folder=tmp_path / "many")


def program(folder, script):
    """A stand-in for prazo."""
    file = folder / "prazo"
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return str(file)


def test_a_command_may_say_any_bytes_and_reads_nothing(tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("PRAZO_PROGRAM", program(tmp_path, r'''printf 'caf\351\n' >&2; read x; printf '{"read": "%s"}\n' "$x"'''))
    reading, writing = os.pipe()
    os.write(writing, b"a line of the script\n")
    before = os.dup(0)
    os.dup2(reading, 0)
    try:
        answer = prazo.check()
    finally:
        os.dup2(before, 0)
        for one in (reading, writing, before):
            os.close(one)
    assert json.loads(json.dumps(answer)) == {"read": ""}
    assert "caf\ufffd" in capfd.readouterr().err


def test_a_link_to_nothing_is_in_the_way(tmp_path):
    (tmp_path / "trace.json").symlink_to(tmp_path / "nothing")
    with pytest.raises(FileExistsError):
        SET.simulate(duration_ms=20).save_trace(tmp_path / "trace.json")
