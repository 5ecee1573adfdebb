"""Task sets: what goes in, what comes out, and that it is what the command answers."""

import datetime
import json
import os
import pickle
import subprocess
from pathlib import Path

import pytest

import prazo

CRANE = [prazo.Task("2ms", "10ms", name="drives"), prazo.Task("2ms", "10ms", name="sway"), prazo.Task("16ms", "20ms", "17ms", name="planner")]


def crane():
    return prazo.TaskSet(CRANE, name="crane", processors=2, policy="edf")


def test_times_are_texts_or_timedeltas_and_never_bare_numbers():
    by_text = prazo.TaskSet([prazo.Task("250us", "1ms")])
    by_delta = prazo.TaskSet([prazo.Task(datetime.timedelta(microseconds=250), datetime.timedelta(milliseconds=1))])
    assert by_text == by_delta
    in_us = prazo.TaskSet([prazo.Task("250us", "1000us")], unit="us")
    assert in_us == prazo.TaskSet.from_ticks([(250, 1000)], unit="us")
    for number in (1, 0.5):
        with pytest.raises(TypeError, match="a number has no unit"):
            prazo.TaskSet([prazo.Task(number, "1ms")])


def test_the_answer_is_the_commands(tmp_path):
    file = tmp_path / "crane.toml"
    file.write_text(crane().toml)
    for flags in ([], ["--shape", "partitioned"], ["--shape", "global-edf", "-m", "3"]):
        words = [prazo.program(), "sched", "test", "--json", *flags, str(file)]
        answered = json.loads(subprocess.run(words, capture_output=True, text=True).stdout)[0]
        scheduler = flags[1] if flags else None
        ours = crane().test(scheduler, 3 if "-m" in flags else None).document
        assert {**ours, "id": ""} == {**answered, "id": ""}


@pytest.mark.parametrize("budget", [None, 1_000])
def test_a_budget_is_the_commands(budget):
    """Only the search of all states proves this set, and it takes more than 1,000 terms."""
    file = Path(os.environ["PRAZO_EXAMPLES"]).parent / "scenarios/global-only.toml"
    flags = [] if budget is None else ["--budget", str(budget)]
    words = [prazo.program(), "sched", "test", "--json", *flags, str(file)]
    answered = json.loads(subprocess.run(words, capture_output=True, text=True).stdout)[0]
    ours = prazo.TaskSet.read(file).test(budget=budget).document
    assert ours["verdict"] == answered["verdict"] == ("proven" if budget is None else "unknown")


def test_a_verdict_has_its_test_task_margin_and_certificate():
    disproven = crane().test("global-edf", processors=2)
    assert (disproven.verdict, disproven.test, disproven.task) == ("disproven", "G-EDF schedule", 2)
    assert not disproven and not disproven.proven
    proven = prazo.TaskSet([prazo.Task("2ms", "10ms", "8ms")]).test("global-edf", processors=2)
    assert proven.proven and proven.test == "GFB" and proven.margin is not None and proven.margin > 0
    assert prazo.verify(proven.certificate)["accepted"]
    forged = proven.certificate.replace("2000000", "1000000", 1)
    assert forged != proven.certificate
    file_says = prazo.TaskSet([prazo.Task("2ms", "10ms", "8ms")]).toml
    assert "2ms" in file_says


def test_a_forged_certificate_is_refused(tmp_path):
    file = tmp_path / "other.toml"
    file.write_text(prazo.TaskSet([prazo.Task("3ms", "10ms", "8ms")]).toml)
    proven = prazo.TaskSet([prazo.Task("2ms", "10ms", "8ms")]).test("global-edf", processors=2)
    assert prazo.verify(proven.certificate, against=file)["differences"]


def test_what_cannot_be_read_is_refused_by_name():
    with pytest.raises(prazo.RefusedError, match="scheduler 'golbal-edf'"):
        crane().test("golbal-edf")
    with pytest.raises(prazo.RefusedError, match="tests 'gfx'"):
        crane().test(tests=["gfx"])
    with pytest.raises(prazo.RefusedError, match="cost"):
        prazo.TaskSet([prazo.Task("2 furlongs", "10ms")])
    with pytest.raises(prazo.RefusedError):
        prazo.TaskSet.from_toml("task = 3")


def test_priorities_have_the_words_of_the_command_and_those_of_files():
    """The task with the shorter deadline has the longer period: it misses under rate-monotonic priorities alone."""
    tasks = prazo.TaskSet([prazo.Task("1ms", "10ms", "2ms"), prazo.Task("5ms", "9ms")])

    def verdict(word):
        return tasks.test(processors=1, policy="fp", priorities=word).verdict

    assert [verdict(word) for word in ("rm", "rate-monotonic")] == ["disproven"] * 2
    assert [verdict(word) for word in ("dm", "deadline-monotonic")] == ["proven"] * 2
    with pytest.raises(prazo.RefusedError, match="priorities 'xm'"):
        verdict("xm")


def test_named_tests_are_at_least_one():
    for empty in ([], ()):
        with pytest.raises(prazo.RefusedError, match="no test is named; name at least one, or omit `tests`"):
            crane().test(tests=empty)
    record = {"m": 1, "t": [[1, 10]]}
    refused, answered = prazo.test_many([{**record, "tests": []}, record])
    assert refused["verdict"] == "error" and "no test is named" in refused["error"]
    assert answered["verdict"] == "proven" and answered["error"] is None


def test_values_are_immutable_comparable_and_pickle():
    tasks = crane()
    with pytest.raises(AttributeError):
        tasks.name = "other"
    assert pickle.loads(pickle.dumps(tasks)) == tasks
    answer = tasks.test()
    assert pickle.loads(pickle.dumps(answer)) == answer


def test_a_simulation_counts_and_draws():
    ran = crane().simulate("global-edf", processors=2)
    assert ran.misses == 1 and ran.end_ns == 20_000_000
    assert ran.gantt()._repr_svg_().startswith("<svg")
    assert crane().simulate("partitioned-edf", processors=2).misses == 0
    again = crane().simulate(arrivals="sporadic=0.5", seed=7, duration="1s")
    assert again == crane().simulate(arrivals="sporadic=0.5", seed=7, duration="1s")
    assert again != crane().simulate(arrivals="sporadic=0.5", seed=8, duration="1s")


def test_a_batch_answers_in_order_whatever_the_input():
    sets = [[(1, 10), (2, 20)], [(10, 10), (10, 10), (10, 10)], [(1, 2, 2)]]
    by_tuple = [one["verdict"] for one in prazo.test_many(sets, processors=2)]
    assert by_tuple == ["proven", "disproven", "proven"]
    records = [{"id": "a", "m": 2, "t": [[1, 10]], "policy": "edf"}, {"id": "b", "m": 2, "t": "no"}]
    answers = prazo.test_many(records)
    assert [one["id"] for one in answers] == ["a", "b"]
    assert answers[1]["verdict"] == "error" and answers[1]["error"]


def test_a_table_is_a_batch():
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"set": [0, 0, 1], "cost": [1, 2, 11], "period": [10, 20, 10]})
    assert [one["verdict"] for one in prazo.test_many(table, processors=1)] == ["proven", "disproven"]


def test_drawn_sets_depend_on_seed_and_number_alone():
    first = list(prazo.generate("light", 4, "1.5", seed=3))
    assert first == list(prazo.generate("light", 4, 1.5, seed=3))
    assert first[2:] == list(prazo.generate("light", 2, "1.5", seed=3, first=2))
    assert first != list(prazo.generate("light", 4, "1.5", seed=4))
    with pytest.raises(prazo.RefusedError, match="light"):
        list(prazo.generate("lite", 1, 1))


def test_fractions_of_ticks_are_refused():
    with pytest.raises(TypeError):
        prazo.TaskSet.from_ticks([(1.7, 4)])
    with pytest.raises(ValueError):
        prazo.TaskSet.from_ticks([(1, 4, 4, 4)])


def test_names_may_have_other_separators_of_lines():
    named = prazo.TaskSet([prazo.Task("1ms", "10ms", name="a\u2028b")])
    events = named.simulate("global-edf", 1, duration="20ms").events()
    assert {event.task for event in events if event.task} == {"a\u2028b"}
    records = [{"id": "a\u2028b\x85", "m": 1, "shape": "global", "policy": "edf", "t": [[1, 10]]}] * 2
    assert [one["id"] for one in prazo.test_many(records)] == ["a\u2028b\x85"] * 2
    assert [one["id"] for one in prazo.simulate_many(records, duration="1ms")] == ["a\u2028b\x85"] * 2
