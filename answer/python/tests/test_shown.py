"""What a notebook and a Git forge show of answers with charts."""

import os
import pickle
from pathlib import Path

import pytest

import prazo

EXAMPLES = Path(os.environ["PRAZO_EXAMPLES"])
SMALL = Path(__file__).with_name("small.toml")


def outputs(value, monkeypatch):
    """The outputs of a cell that ends with the value, in IPython."""
    display = pytest.importorskip("IPython.display")
    shown = []
    monkeypatch.setattr(display, "display", lambda data, raw: shown.append(data))
    value._ipython_display_()
    return shown


def is_kept_by_a_forge(output):
    """A picture of its own, or HTML without what sanitizers remove."""
    markup = output.get("text/html", "")
    kept = output.get("image/svg+xml", "<svg").startswith("<svg") and not any(
        f"<{element}" in markup for element in ("iframe", "script", "svg", "style", "img")
    )
    return kept and bool(output["text/plain"])


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    prazo.import_(EXAMPLES / "pi-standard.csv", EXAMPLES / "pi-rt.csv", output=folder)
    return {run.name: run for run in prazo.open(folder)}


@pytest.fixture(scope="module")
def experiment():
    return prazo.experiment(str(SMALL))


def test_a_run_is_a_chart_and_a_table(runs, monkeypatch):
    run = runs["pi-standard"]
    shown = outputs(run, monkeypatch)
    assert all(is_kept_by_a_forge(one) for one in shown), shown
    (chart,) = [one["image/svg+xml"] for one in shown if "image/svg+xml" in one]
    assert chart == run.plot().svg
    table = next(one["text/html"] for one in shown if "<table>" in one.get("text/html", ""))
    assert "25,816 µs" in table  # the largest latency of the report
    assert run._repr_html_().count('class="prazo-chart"') == 1


def test_runs_are_drawn_together_with_their_deadline(runs):
    alone = runs["pi-rt"].plot()
    both = runs["pi-standard"].plot(runs["pi-rt"], deadline="200us")
    assert "deadline 200 µs" in both.svg and "pi-rt" in both.svg and "pi-standard" in both.svg
    assert "deadline" not in alone.svg.partition("</style>")[2] and "pi-standard" not in alone.svg
    assert runs["pi-rt"].plot(chart="histogram").title != alone.title
    with pytest.raises(prazo.RefusedError, match="chart 'pie': .*later-than"):
        alone = runs["pi-rt"].plot(chart="pie")
    with pytest.raises(prazo.RefusedError, match="do not say when"):
        runs["pi-rt"].plot(chart="timeline")


def test_a_measured_run_has_a_timeline(tmp_path):
    prazo.measure("timer", policy="other", duration="1s", output=tmp_path / "run.prazo")
    assert prazo.open(tmp_path / "run.prazo").plot(chart="timeline").svg.startswith("<svg")


def test_an_experiment_is_a_chart_for_each_family_and_method(experiment, monkeypatch):
    panels = list(dict.fromkeys((curve["family"], curve["method"]) for curve in experiment.curves))
    titles = [picture.title for picture in experiment.pictures]
    assert len(titles) == len(panels) + len(experiment.document["figures"])
    assert all(family in title and method in title for (family, method), title in zip(panels, titles))
    for value in (experiment, experiment.plot()):
        shown = outputs(value, monkeypatch)
        assert all(is_kept_by_a_forge(one) for one in shown), shown
        assert [one["image/svg+xml"] for one in shown if "image/svg+xml" in one] == [one.svg for one in experiment.pictures]
    assert pickle.loads(pickle.dumps(experiment.plot())) == experiment.plot()


def test_a_page_alone_is_a_frame(runs, monkeypatch):
    (shown,) = outputs(prazo.Page(runs["pi-rt"].page()), monkeypatch)
    assert shown["text/html"].startswith("<iframe srcdoc=")


def test_a_simulation_is_a_picture(monkeypatch):
    shown = outputs(prazo.TaskSet.read(EXAMPLES / "crane.toml").simulate("global-edf"), monkeypatch)
    assert all(is_kept_by_a_forge(one) for one in shown) and "1 of 5" in shown[0]["text/plain"]
    assert shown[1]["image/svg+xml"].startswith("<svg")
