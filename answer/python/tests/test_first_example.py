"""The package's first example, from a run file to an experiment on a cluster, with fewer sets and a shorter measurement."""

import os
from pathlib import Path

import pytest

import prazo

SMALL = str(Path(__file__).with_name("small.toml"))
TABLE = Path(os.environ["PRAZO_EXAMPLES"]).parent / "scenarios/overheads/example.toml"
POLICY = "fifo" if os.geteuid() == 0 else "other"


@pytest.fixture()
def client():
    distributed = pytest.importorskip("distributed")
    with distributed.Client(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None) as client:
        yield client


def test_the_first_example(tmp_path, monkeypatch, capsys, client):
    monkeypatch.chdir(tmp_path)
    table = prazo.Overheads.read(TABLE)
    prazo.measure("timer", period="1ms", policy=POLICY, duration="2s", raw=True, output="flood.prazo")

    run = prazo.open("flood.prazo")
    assert [one.path for one in prazo.open(tmp_path)] == [str(tmp_path / "flood.prazo")]
    verdict = run.verdict("1ms", kind="firm")
    print(verdict)
    assert capsys.readouterr().out == verdict.sentence + "\n"
    assert verdict.outcome in ("pass", "fail", "inconclusive") and verdict.reasons
    assert verdict.missed >= 0 and verdict.interval[0] <= verdict.missed / verdict.due <= verdict.interval[1]
    assert int(run.quantile(0.9, per="due")) > 0
    with pytest.raises(prazo.RefusedError):
        run.quantile(0.999, per="due")
    pyarrow = pytest.importorskip("pyarrow")
    assert pyarrow.table(run.samples()).num_rows >= 1_900
    assert prazo.measure("timer", period="1ms", policy=POLICY, duration="1s")["due"] > 900

    tasks = prazo.TaskSet([prazo.Task(cost="2ms", period="10ms", deadline="8ms")])
    a = tasks.test("global-edf", processors=2, overheads=table)
    assert (a.proven, a.test, a.task) == (True, "GFB", 0) and a.margin > 0 and a.certificate
    assert tasks.simulate("global-edf", processors=2).gantt().svg.startswith("<svg")
    drawn = [s for s in prazo.generate("emstada-uniform", n=20, u=7.5, seed=1)]
    assert len(drawn) == 20 and all(isinstance(s, prazo.TaskSet) for s in drawn)
    assert prazo.experiment(SMALL, client=client).plot()._repr_html_().count("<svg") > 0
