"""Many sets at once: tables of every library that speaks Arrow, lists, and what is wrong with single sets."""

import datetime
import importlib
import json
import subprocess
import sys

import pytest

import prazo

#: Rows of three sets: proven and disproven on one processor, and proven with a deadline of its own.
COLUMNS = {
    "set": [7, 7, 8, 9],
    "cost": [1, 2, 11, 1],
    "period": [10, 20, 10, 10],
    "deadline": [None, 15, None, 5],
}
LIST = [[(1, 10), (2, 20, 15)], [(11, 10)], [(1, 10, 5)]]


def pyarrow_table(columns):
    return importlib.import_module("pyarrow").table(columns)


def pandas_frame(columns):
    return importlib.import_module("pandas").DataFrame(columns)


def polars_frame(columns):
    return importlib.import_module("polars").DataFrame(columns)


def duckdb_relation(columns):
    duckdb = importlib.import_module("duckdb")
    table = pyarrow_table(columns)
    return duckdb.from_arrow(table)


@pytest.fixture(params=[("pyarrow", pyarrow_table), ("pandas", pandas_frame), ("polars", polars_frame), ("duckdb", duckdb_relation)], ids=lambda one: one[0])
def framed(request):
    """A function that makes a table of one library; skipped where that is not installed."""
    pytest.importorskip(request.param[0])
    return request.param[1]


def test_a_table_answers_as_the_list_does(framed):
    table = prazo.test_many(framed(COLUMNS), processors=1)
    assert table["set"] == [7, 8, 9] and len(table) == 3
    assert table["verdict"] == [one["verdict"] for one in prazo.test_many(LIST, processors=1)] == ["proven", "disproven", "proven"]
    assert table["test"] == [one["decided_by"] for one in prazo.test_many(LIST, processors=1)]
    assert table["processors"] == [1, 1, 1] and table["error"] == [None] * 3
    single = prazo.TaskSet.from_ticks(LIST[2]).test("global-edf", 1)
    assert (table["task"][2], table["margin"][2]) == (single.task, single.margin)


def test_a_table_that_states_criticality_is_refused(framed):
    with pytest.raises(prazo.RefusedError, match="column 'cost_high'"):
        prazo.test_many(framed({**COLUMNS, "cost_high": [2, 2, 11, 1]}), processors=1)


def test_the_answer_goes_back_into_each_library(framed):
    pyarrow = pytest.importorskip("pyarrow")
    table = prazo.test_many(framed(COLUMNS), processors=1)
    rows = pyarrow.table(table).to_pylist()
    assert rows == table.rows() == list(table)
    assert [row["verdict"] for row in rows] == ["proven", "disproven", "proven"]
    assert table == prazo.test_many(framed(COLUMNS), processors=1)
    assert table != prazo.test_many(framed(COLUMNS), processors=2)


def test_polars_pandas_and_duckdb_read_an_answer():
    polars, duckdb = pytest.importorskip("polars"), pytest.importorskip("duckdb")
    pytest.importorskip("pandas")
    pyarrow = pytest.importorskip("pyarrow")
    table = prazo.test_many(pyarrow_table(COLUMNS))
    assert polars.DataFrame(table)["verdict"].to_list() == table["verdict"]
    held = pyarrow.table(table)  # duckdb finds it by its name
    assert duckdb.sql("SELECT count(*) FROM held WHERE verdict = 'proven'").fetchall() == [(2,)]
    assert held.to_pandas()["verdict"].tolist() == table["verdict"]


def test_no_pyarrow_is_needed():
    pytest.importorskip("polars")
    code = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "import polars, prazo\n"
        "frame = polars.DataFrame({'set': ['a', 'b'], 'cost': [1, 11], 'period': [10, 10]})\n"
        "print(prazo.test_many(frame).rows()[1]['verdict'], prazo.test_many(frame)['set'])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.stdout.strip() == "disproven ['a', 'b']", ran.stderr


def test_what_a_set_runs_on_may_be_in_columns(framed):
    columns = {
        "set": ["a", "a", "a", "b", "b", "b", "c"],
        "cost": [10, 10, 10, 10, 10, 10, 1],
        "period": [10, 10, 10, 10, 10, 10, 10],
        "processors": [2, 2, 2, 3, 3, 3, 1],
        "scheduler": ["global-edf"] * 3 + ["partitioned-rm"] * 3 + ["clustered-edf:1"],
    }
    table = prazo.test_many(framed(columns))
    assert table["set"] == ["a", "b", "c"]
    assert table["verdict"] == ["disproven", "proven", "proven"]
    assert list(zip(table["shape"], table["policy"])) == [("global", "edf"), ("partitioned", "fp"), ("partitioned", "edf")]
    assert table["processors"] == [2, 3, 1]


def test_rate_monotonic_priorities_do_not_depend_on_the_order_of_rows():
    """The task with the shorter period must come first: in the order of these rows it misses."""
    columns = {"set": [0, 0], "cost": [50, 5], "period": [100, 10], "policy": ["rm", "rm"]}
    table = pytest.importorskip("pyarrow").table(columns)
    assert prazo.test_many(table)["verdict"] == ["proven"]
    given = table.set_column(3, "policy", [["fp", "fp"]])
    assert prazo.test_many(given)["verdict"] == ["disproven"]
    assert prazo.simulate_many(table)["misses"] == [0] and prazo.simulate_many(given)["misses"][0] > 0


def test_rows_of_a_set_need_not_stand_together_and_tables_may_have_many_parts():
    pyarrow = pytest.importorskip("pyarrow")
    parts = [pyarrow.table({"set": [one % 3], "cost": [1 + one], "period": [10], "note": ["x"]}) for one in range(9)]
    table = prazo.test_many(pyarrow.concat_tables(parts), processors=2)
    assert table["set"] == [0, 1, 2]
    sets = [[(1 + one, 10) for one in range(9) if one % 3 == number] for number in range(3)]
    assert table["verdict"] == [one["verdict"] for one in prazo.test_many(sets, processors=2)]


@pytest.mark.parametrize("type_", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"])
def test_every_type_of_integer_is_read(type_):
    pyarrow = pytest.importorskip("pyarrow")
    array = lambda values: pyarrow.array(values, type_)  # noqa: E731
    table = pyarrow.table({"set": [1, 1], "cost": array([1, 2]), "period": array([10, 20]), "deadline": array([None, 15])})
    assert prazo.test_many(table)["verdict"] == ["proven"]


@pytest.mark.parametrize("kind", ["string", "large_string", "string_view", "dictionary"])
def test_every_type_of_text_is_read(kind):
    pyarrow = pytest.importorskip("pyarrow")
    names = pyarrow.array(["b", "a"])
    names = names.dictionary_encode() if kind == "dictionary" else names.cast(getattr(pyarrow, kind)())
    table = prazo.test_many(pyarrow.table({"set": names, "cost": [1, 1], "period": [10, 10]}))
    assert table["set"] == ["b", "a"]


def test_what_is_wrong_with_a_set_is_its_own_error():
    columns = {
        "set": ["zero", "negative", "fraction", "missing", "mixed", "mixed", "word", "few", "good"],
        "cost": [0.0, -1.0, 1.5, None, 1.0, 1.0, 1.0, 1.0, 1.0],
        "period": [10] * 9,
        "processors": [1, 1, 1, 1, 1, 2, 1, -1, 1],
        "scheduler": ["global"] * 6 + ["golbal", "global", "global"],
    }
    table = prazo.test_many(pytest.importorskip("pyarrow").table(columns))
    errors = dict(zip(table["set"], table["error"]))
    assert "cost of task '0': the time is zero" in errors["zero"]
    assert "-1 is below zero" in errors["negative"]
    assert "1.5 is not a whole number" in errors["fraction"]
    assert "cost of task '0': the value is missing" in errors["missing"]
    assert "processors: the rows of one set have different values" in errors["mixed"]
    assert "scheduler 'golbal'" in errors["word"]
    assert errors["few"] == "processors: -1 is below zero; give an integer of at least 1"
    assert errors["good"] is None
    assert table["verdict"] == ["error"] * 7 + ["proven"]


def test_a_table_without_the_columns_is_refused():
    pyarrow = pytest.importorskip("pyarrow")
    with pytest.raises(prazo.RefusedError, match="period: the table has no such column .it has set, cost."):
        prazo.test_many(pyarrow.table({"set": [1], "cost": [1]}))
    with pytest.raises(prazo.RefusedError, match="set: the table has no such column .it has name."):
        prazo.test_many(pyarrow.schema([("name", "int64")]).empty_table())
    with pytest.raises(prazo.RefusedError, match="cost: the column is of type Utf8; give integers"):
        prazo.test_many(pyarrow.table({"set": [1], "cost": ["1"], "period": [1]}))
    with pytest.raises(prazo.RefusedError, match="set: row 1 has no value"):
        prazo.test_many(pyarrow.table({"set": [1, None], "cost": [1, 1], "period": [1, 1]}))
    with pytest.raises(prazo.RefusedError, match="scheduler 'golbal'"):
        prazo.test_many(pyarrow.table({"set": [1], "cost": [1], "period": [1]}), scheduler="golbal")
    with pytest.raises(KeyError, match="choose one of set, verdict"):
        prazo.test_many(pyarrow.table({"set": [1], "cost": [1], "period": [1]}))["verdikt"]


def test_an_empty_table_has_an_empty_answer():
    pyarrow = pytest.importorskip("pyarrow")
    empty = pyarrow.schema([("set", "int64"), ("cost", "int64"), ("period", "int64")]).empty_table()
    table = prazo.test_many(empty)
    assert len(table) == 0 and table.rows() == [] and "verdict" in table.columns


def test_tests_budget_and_jobs_of_a_batch_are_those_of_one_set():
    hard = [[(2, 4), (3, 7), (5, 11), (2, 9)]]
    named = prazo.test_many(hard, processors=2, tests=["GFB"], simulate=1)[0]
    assert [one["name"] for one in named["tests"]][0] == "GFB" and len(named["tests"]) <= 3
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"set": [0] * 4, "cost": [2, 3, 5, 2], "period": [4, 7, 11, 9]})
    few = prazo.test_many(table, processors=2, budget=10, simulate=1)
    many = prazo.test_many(table, processors=2)
    assert few["work"][0] < many["work"][0]
    with pytest.raises(prazo.RefusedError, match="tests 'gfx'"):
        prazo.test_many(table, tests=["gfx"])
    with pytest.raises(prazo.RefusedError, match="heuristics 'fist-fit'"):
        prazo.test_many(table, heuristics=["fist-fit"])


def test_a_list_of_values_is_a_batch():
    sets = list(prazo.generate("light", 6, "1.5", seed=3))
    many = prazo.test_many(sets, scheduler="global-edf", processors=2)
    assert [one["verdict"] for one in many] == [one.test("global-edf", 2).verdict for one in sets]
    assert [one["name"] for one in many] == [json.loads(one.test("global-edf", 2).json)["name"] for one in sets]
    ran = prazo.simulate_many(sets, scheduler="global-edf", processors=2, duration_ms=50)
    assert [one["misses"] for one in ran] == [one.simulate("global-edf", 2, duration="50ms").misses for one in sets]
    with pytest.raises(TypeError, match="some sets are TaskSets"):
        prazo.test_many([sets[0], [(1, 2)]])


def test_a_simulated_table_has_nanoseconds():
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"set": [0, 0, 1], "cost": [6, 6, 1], "period": [10, 10, 10]})
    ran = prazo.simulate_many(table, duration_us=100)
    lists = prazo.simulate_many([[(6, 10), (6, 10)], [(1, 10)]], duration=datetime.timedelta(microseconds=100))
    assert [None if one["first_miss_us"] is None else round(one["first_miss_us"] * 1000) for one in lists] == ran["first_miss_ns"]
    assert [one["events"] for one in lists] == ran["events"] and ran["end_ns"] == [100_000] * 2
    assert ran["misses"][0] > 0 and ran["misses"][1] == 0


@pytest.mark.parametrize("many", [prazo.test_many, prazo.simulate_many])
def test_progress_counts_the_sets(many):
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"set": list(range(500)), "cost": [1] * 500, "period": [10] * 500})
    for frame in (table, [[(1, 10)]] * 500, [prazo.TaskSet.from_ticks([(1, 10)])] * 500):
        heard = []
        many(frame, progress=lambda done, total: heard.append((done, total)))
        assert heard[-1] == (500, 500) and heard == sorted(heard)


def test_a_callback_that_raises_ends_the_batch():
    def raises(done, total):
        raise ValueError("enough")

    with pytest.raises(ValueError, match="enough"):
        prazo.test_many([[(1, 10)]] * 100, progress=raises)
    with pytest.raises(ValueError, match="enough"):
        prazo.test_many(pytest.importorskip("pyarrow").table({"set": [1], "cost": [1], "period": [2]}), progress=raises)


@pytest.mark.parametrize("many", [prazo.test_many, prazo.simulate_many])
def test_a_bar_of_tqdm_shows_the_sets(many, capsys):
    pytest.importorskip("tqdm")
    many([[(1, 10)]] * 40, progress=True)
    said = capsys.readouterr().err
    assert f"{many.__name__}: 100%" in said and "40/40" in said and "set/s" in said


def test_a_table_pickles_and_shows_itself():
    import pickle

    pyarrow = pytest.importorskip("pyarrow")
    for names in ([f"<{one}>" for one in range(60)], list(range(60)), pyarrow.array(range(60), "uint8")):
        table = prazo.test_many(pyarrow.table({"set": names, "cost": [1] * 60, "period": [0] + [10] * 59}))
        copy = pickle.loads(pickle.dumps(table))
        assert copy == table and hash(copy) == hash(table) and copy.rows() == table.rows() and pyarrow.table(copy).schema == pyarrow.table(table).schema
    html = prazo.test_many(pyarrow.table({"set": [f"<{one}>" for one in range(60)], "cost": [1] * 60, "period": [10] * 60}))._repr_html_()
    assert "&lt;7&gt;" in html and "and 10 more" in html and "None" not in html
    with pytest.raises(AttributeError):
        table.anything = 1


def test_a_column_leaves_the_other_keyword():
    pa = pytest.importorskip("pyarrow")
    rows = {"set": [1] * 4, "cost": [2, 2, 2, 9], "period": [10] * 4}
    expected = prazo.test_many(pa.table(rows), processors=2, scheduler="partitioned", policy="rm")["verdict"]
    with_policy = prazo.test_many(pa.table({**rows, "policy": ["rm"] * 4}), processors=2, scheduler="partitioned")
    with_scheduler = prazo.test_many(pa.table({**rows, "scheduler": ["partitioned"] * 4}), processors=2, policy="rm")
    assert with_policy["verdict"] == with_scheduler["verdict"] == expected == ["proven"]


def test_no_processor_is_no_default():
    assert prazo.test_many([[(1, 10)]], processors=0)[0]["verdict"] == "error"


@pytest.mark.parametrize("many", [prazo.test_many, prazo.simulate_many])
def test_what_is_wrong_with_one_set_refuses_that_set_alone(many):
    pa = pytest.importorskip("pyarrow")
    for column, wrong in (("scheduler", "golbal"), ("policy", "edv"), ("processors", -1)):
        right = {"scheduler": "global", "policy": "edf", "processors": 1}[column]
        table = many(pa.table({"set": [1, 2, 3], "cost": [1] * 3, "period": [10] * 3, column: [right, wrong, right]}))
        assert [column in (error or "") for error in table["error"]] == [False, True, False], (column, table["error"])


def test_a_set_that_cannot_be_simulated_refuses_itself_alone():
    """Critical sections are simulated with one processor for each queue."""
    plain = prazo.TaskSet.from_ticks([(1, 10)], processors=2, policy="edf")
    locks = prazo.TaskSet([prazo.Task("2ms", "10ms", uses={"r": "1ms"})], processors=2, policy="edf")
    first, refused, last = prazo.simulate_many([plain, locks, plain])
    assert "critical sections are simulated only" in refused["error"]
    assert first == last and first["misses"] == 0


@pytest.mark.parametrize("sets", ["frame", "lists", "values"])
def test_what_is_wrong_with_the_request_refuses_the_call(sets):
    lists = [[(1, 10)], [(2, 10)]]
    made = {
        "frame": lambda: pytest.importorskip("pyarrow").table({"set": [1, 2], "cost": [1, 2], "period": [10, 10]}),
        "lists": lambda: lists,
        "values": lambda: [prazo.TaskSet.from_ticks(one) for one in lists],
    }[sets]()
    with pytest.raises(prazo.RefusedError, match="duration"):
        prazo.simulate_many(made, duration="80000d")
