"""Run files: figures as the report has them, samples as Arrow."""

import json
import os
import pickle
import subprocess
from pathlib import Path

import pytest

import prazo

EXAMPLES = Path(os.environ["PRAZO_EXAMPLES"])


@pytest.fixture()
def imported(tmp_path):
    prazo.import_(EXAMPLES / "cyclictest.json", output=tmp_path)
    return prazo.open(tmp_path)[0]


@pytest.fixture()
def measured(tmp_path):
    file = tmp_path / "timer.prazo"
    prazo.measure("timer", policy="other", period="1ms", duration="2s", raw=True, output=file)
    return prazo.open(file)


def test_a_verdict_is_the_reports(imported):
    words = [prazo.program(), "report", "--json", "--deadline=1ms", "--kind=firm", imported.path]
    report = json.loads(subprocess.run(words, capture_output=True, text=True).stdout)
    verdict = imported.verdict("1ms", kind="firm")
    assert (verdict.outcome, verdict.sentence) == (report["verdict"]["outcome"], report["verdict"]["sentence"])
    assert verdict.due == 100_000 and verdict.interval[0] <= verdict.missed / verdict.due <= verdict.interval[1]


def test_a_quantile_is_given_only_where_the_count_supports_it(imported):
    assert imported.quantile(0.9, per="served").value_ns == 63_000
    with pytest.raises(prazo.RefusedError, match="100,000,000 values are needed"):
        imported.quantile(0.9999999)
    for outside in (0, 1, -0.5, float("nan")):
        with pytest.raises(prazo.RefusedError, match="a quantile must be above 0 and below 1"):
            imported.quantile(outside)
    with pytest.raises(prazo.RefusedError, match="write due or served"):
        imported.quantile(0.9, per="day")


def test_a_run_pickles_by_its_file(imported):
    assert pickle.loads(pickle.dumps(imported)) == imported


def test_samples_pickle_by_their_file(measured):
    pyarrow = pytest.importorskip("pyarrow")
    samples = measured.samples()
    other = pickle.loads(pickle.dumps(samples))
    assert other == samples and hash(other) == hash(samples) and pyarrow.table(other) == pyarrow.table(samples)
    assert f"{len(samples)} samples: cpu, quantity, " in samples._repr_html_()


def test_samples_are_an_arrow_stream(measured):
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table(measured.samples())
    assert table.column_names == ["cpu", "quantity", "warm_up", "activation", "due_ns", "latency_ns"]
    report = measured.document["series"]
    served = sum(one["activations"]["served"] for one in report)
    lost = sum(one["activations"]["lost"] for one in report)
    measured_rows = [row for row in table.to_pylist() if not row["warm_up"]]
    assert len(measured_rows) == served - lost > 0
    assert table.num_rows == len(measured.samples()) > len(measured_rows)
    assert max(row["latency_ns"] for row in measured_rows) == max(
        one["max_ns"] for one in measured.document["summaries"] if one["per"] == "served-wake-up"
    )


def test_samples_are_read_as_they_are_consumed(measured):
    pyarrow = pytest.importorskip("pyarrow")
    samples = measured.samples()
    whole = pyarrow.table(samples)
    # Two streams at once; one is left in its middle.
    first, other = (pyarrow.RecordBatchReader.from_stream(samples) for _ in range(2))
    part = first.read_next_batch()
    assert 0 < part.num_rows < whole.num_rows
    # The file is not in use meanwhile.
    assert prazo.open(measured.path) == measured
    del first, part
    assert other.read_all() == whole
    os.remove(measured.path)
    with pytest.raises(prazo.FailedError, match="timer.prazo"):
        pyarrow.table(measured.samples())


def test_times_may_have_their_unit_in_the_name(imported):
    assert imported.verdict(deadline_us=1_000) == imported.verdict("1ms")
    with pytest.raises(TypeError, match="deadline is missing"):
        imported.verdict()
    with pytest.raises(TypeError, match="deadline_us: deadline is given twice"):
        imported.verdict("1ms", deadline_us=1_000)


def test_a_file_that_is_no_run_is_an_error_that_names_it(tmp_path):
    file = tmp_path / "no.prazo"
    file.write_text("hello")
    with pytest.raises(prazo.FailedError, match="no.prazo"):
        prazo.open(file)


def test_an_exit_status_of_one_is_an_answer_and_two_is_an_error():
    assert isinstance(prazo.check(), list)
    with pytest.raises(prazo.RefusedError):
        prazo.measure("timer", duration="ten")


def test_caveats_have_the_keys_that_their_documentation_names(imported):
    import re

    named = re.findall(r"``(\w+)``", type(imported).caveats.__doc__)
    assert imported.caveats and len(named) == 4
    assert all(key in caveat for caveat in imported.caveats for key in named)
