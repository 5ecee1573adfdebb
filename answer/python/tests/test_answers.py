"""Answers of commands: mappings that do not change, and times as integers with their unit in the name."""

import copy
import json
import os
import pickle
from pathlib import Path

import pytest

import prazo
from prazo import _values, command

EXAMPLES = Path(os.environ["PRAZO_EXAMPLES"])


@pytest.fixture(scope="module")
def answers():
    return prazo.sched_test(EXAMPLES / "crane.toml")


def test_a_command_answers_with_mappings(answers):
    answer = answers[0]
    assert type(answers) is list and isinstance(answer, prazo.Answer)
    assert answer["verdict"] == answer.verdict and answer.get("nothing") is None
    assert answer.tests[0].name == answer["tests"][0]["name"]
    assert "verdict" in dir(answer) and list(answer) == list(answer.document)
    with pytest.raises(AttributeError, match="the answer has no 'verdikt'; it has id, "):
        answer.verdikt
    with pytest.raises(KeyError):
        answer["verdikt"]


def test_an_answer_does_not_change(answers):
    answer = answers[0]
    before = json.dumps(answer)
    changes = [
        lambda: answer.__setitem__("verdict", "proven"),
        lambda: answer.update(verdict="proven"),
        lambda: answer.pop("verdict"),
        lambda: answer.clear(),
        lambda: answer.setdefault("a", 1),
        lambda: answer.__ior__({"a": 1}),
        lambda: answer["tests"].append(1),
        lambda: answer["tests"].__setitem__(0, 1),
        lambda: answer["tests"].sort(),
        lambda: answer["tests"][0].pop("name"),
        lambda: answer.__delitem__("verdict"),
        lambda: answer.__init__({"verdict": "proven"}),
        lambda: answer["tests"].__init__([1]),
    ]
    for change in changes:
        with pytest.raises(TypeError, match="an answer does not change; its .document is a copy that may"):
            change()
    with pytest.raises(AttributeError):
        answer.verdict = "proven"
    assert json.dumps(answer) == before


def test_the_document_of_an_answer_is_a_copy(answers):
    answer = answers[0]
    document = answer.document
    assert type(document) is dict and type(document["tests"]) is list and type(document["tests"][0]) is dict
    document["tests"][0]["name"] = "other"
    document["tests"].append(1)
    assert answer.document == answer != document


def test_answers_compare_hash_copy_and_pickle(answers):
    answer = answers[0]
    again = prazo.sched_test(EXAMPLES / "crane.toml")[0]
    assert answer == again and hash(answer) == hash(again) and answer is not again
    assert answer == answer.document and answer != {**answer, "verdict": "other"}
    for other in (pickle.loads(pickle.dumps(answer)), copy.copy(answer), copy.deepcopy(answer)):
        assert other == answer and type(other) is prazo.Answer and type(other["tests"]) is type(answer["tests"])
        with pytest.raises(TypeError):
            other["tests"].append(1)


def test_values_have_documents_that_do_not_change():
    tested = prazo.TaskSet.from_ticks([(1, 10)]).test()
    with pytest.raises(TypeError):
        tested.document["verdict"] = "disproven"
    with pytest.raises(TypeError):
        tested.document["tests"].clear()
    changed = tested.document.document
    changed["verdict"] = "disproven"
    assert tested.verdict == "proven"


def test_tuples_of_an_answer_do_not_change():
    answer = prazo.Answer({"rows": ([1], {"a": [2]})})
    with pytest.raises(TypeError):
        answer.rows[0].append(2)
    with pytest.raises(TypeError):
        answer.rows[1]["a"].append(3)
    assert pickle.loads(pickle.dumps(answer)) == answer and type(answer.document["rows"][1]) is dict


def values():
    """One of each value that the module gives, but for those that a board or a watched program answers."""
    task = prazo.Task("1ms", "10ms", name="a<b", non_preemptive=["400us", "600us"])
    tasks = prazo.TaskSet([task])
    tested, simulated = tasks.test("global-edf", 1), tasks.simulate("global-edf", 1, duration_ms=20)
    batch = prazo.simulate_many([[(1, 10)]])
    return {
        "Task": task,
        "Supply": prazo.Supply("4ms", "10ms"),
        "Chain": prazo.Chain("c", ["a<b"], max_age_ms=50),
        "TaskSet": tasks,
        "TestResult": tested,
        "Finding": tested.findings[0],
        "Simulation": simulated,
        "Event": simulated.events()[0],
        "Picture": simulated.gantt(),
        "Family": prazo.families()[0],
        "Answer": batch[0],
        "StudyOnBoard": prazo.StudyOnBoard('{"claims": []}', "ssh://a", "folder"),
    }


@pytest.mark.parametrize("kind", [*values()])
def test_values_compare_hash_pickle_and_show_themselves(kind):
    one, other = values()[kind], values()[kind]
    assert one == other and hash(one) == hash(other)
    assert pickle.loads(pickle.dumps(one)) == one == copy.deepcopy(one)
    shown = one._repr_svg_() if kind == "Picture" else one._repr_html_()
    assert shown.startswith("<") and "a<b" not in shown and "None" not in shown, shown


def test_an_answer_shows_itself_as_a_readable_table(answers):
    html = answers[0]._repr_html_()
    assert html.startswith("<table>") and "<th>verdict</th>" in html and "<th>demand</th>" in html
    assert "{" not in html
    long = prazo.Answer({"rows": [{"a<b": one} for one in range(60)], "words": ["x", "y"], "none": None, "deep": {"b": [[1, 2], [3]]}})
    html = long._repr_html_()
    assert "and 10 more" in html and "a&lt;b" in html and "<td>x, y</td>" in html and "None" not in html


def test_an_answer_that_names_a_run_file_shows_its_page(tmp_path):
    imported = prazo.import_(EXAMPLES / "cyclictest.json", output=tmp_path)
    page = imported[0]._repr_html_()
    assert "<svg" in page and "cyclictest" in page and not page.startswith("<table>")
    (tmp_path / "broken.prazo").write_text("no run")
    assert prazo.Answer({"file": str(tmp_path / "broken.prazo")})._repr_html_().startswith("<table>")


def test_lines_of_several_documents_are_answers():
    documents = command.documents('{"a": 1}\n{"b": [{"c": 2}]}\n')
    assert documents[1].b[0].c == 2 and command.documents("") is None
    assert type(_values.unsealed(documents[1])) is dict


def test_flags_take_integers_with_the_unit_in_the_name():
    assert command.flag_words({"period_us": 250, "duration_s": 1, "cpus": "0"}) == ["--period=250us", "--duration=1s", "--cpus=0"]
    assert command.flag_words({"until_miss": True, "warm_up_ms": 5}) == ["--until-miss", "--warm-up=5ms"]
    with pytest.raises(ValueError, match="period_us -1: it is below zero"):
        command.flag_words({"period_us": -1})


def test_a_flag_that_has_a_unit_in_its_own_name_would_be_mistaken():
    """Then flag_words must know it."""
    import inspect

    names = {name for one in prazo.commands.__all__ for name in inspect.signature(getattr(prazo.commands, one)).parameters}
    assert not [name for name in names if name.rpartition("_")[0] and name.rpartition("_")[2] in ("ns", "us", "ms", "s")]


def test_commands_that_run_together_have_answers_and_progress(capsys):
    crane = str(EXAMPLES / "crane.toml")
    heard = []
    ran = prazo.run_many([["sched", "test", crane, "--json"]] * 2, progress=lambda done, total: heard.append((done, total)))
    assert heard == [(0, 2), (1, 2), (2, 2)]
    status, text = ran[0]
    assert ran[0].answer[0].verdict == json.loads(text)[0]["verdict"] and status == ran[0].status
    pytest.importorskip("tqdm")
    prazo.run_many([["sched", "test", crane, "--json"]], progress=True)
    assert "commands: 100%" in capsys.readouterr().err
