"""Keywords of tasks and sets are the keys of scenarios, and those of tests and simulations the flags of the command."""

import datetime
import fractions
import inspect
import pickle

import pytest

import prazo
from prazo import _prazo

SET_KEYS, TASK_KEYS, CHAIN_KEYS = map(set, _prazo.scenario_keys())


def parameters(function):
    return {name for name, one in inspect.signature(function).parameters.items() if one.kind is not one.VAR_KEYWORD} - {"self", "cls"}


def test_a_task_has_every_key_of_a_scenario():
    assert parameters(prazo.Task.__init__) == TASK_KEYS and len(TASK_KEYS) > 20


def test_a_set_has_every_key_of_a_scenario():
    # `task` is one key with two spellings, and `chain` may be several.
    assert parameters(prazo.TaskSet.__init__) == SET_KEYS - {"task", "chain"} | {"chains"}


def test_a_chain_has_every_key_of_a_scenario():
    assert parameters(prazo.Chain.__init__) == CHAIN_KEYS


#: Flags whose files are something else here, or which are for files alone.
OF_TEST = {"shape": "scheduler", "certificate": "result", "pattern": "result", "report": "page"}
OF_SIMULATION = {"shape": "scheduler", "gantt": "gantt", "from_": "gantt", "span": "gantt", "csv": "events", "trace": "save_trace", "report": "save_report"}
FILES = {"file", "files", "batch", "force", "pieces"}


def test_a_test_has_every_flag_of_the_command():
    flags = parameters(prazo.sched_test) - FILES
    assert parameters(prazo.TaskSet.test) == flags - OF_TEST.keys() | {"scheduler"}
    result = {name for name in ("certificate", "pattern") if name in prazo.TestResult.__dataclass_fields__}
    assert result == {name for name, place in OF_TEST.items() if place == "result"} and hasattr(prazo.TestResult, "page")


def test_a_batch_has_every_flag_that_a_batch_of_the_command_takes():
    flags = parameters(prazo.sched_test) - FILES - OF_TEST.keys() - {"priorities", "overheads", "split", "sensitivity", "region"}
    assert parameters(prazo.test_many) == flags | {"scheduler", "frame", "progress"}


def test_a_simulation_has_every_flag_of_the_command():
    flags = parameters(prazo.sched_simulate) - FILES
    assert parameters(prazo.TaskSet.simulate) == flags - OF_SIMULATION.keys() | {"scheduler"}
    for method in set(OF_SIMULATION.values()) - {"scheduler"}:
        assert hasattr(prazo.Simulation, method)
    assert parameters(prazo.Simulation.gantt) == {"start", "span"}


def test_simulations_of_many_sets_have_every_flag_that_a_batch_of_the_command_takes():
    flags = parameters(prazo.sched_simulate) - FILES - OF_SIMULATION.keys() - {"priorities", "overheads"}
    assert parameters(prazo.simulate_many) == flags | {"scheduler", "frame", "progress"}


ALL = prazo.Task(
    "2ms",
    name="all",
    deadline_ms=9,
    min_inter_arrival_us=10_000,
    max_inter_arrival=datetime.timedelta(milliseconds=20),
    jitter_us=20,
    working_set_kib=16,
    priority=0,
    non_preemptive=["500us", "1500us"],
    uses={"bus": "500us", "log": "1ms"},
    suspends="100us",
    criticality="high",
    cost_high_us=2_500,
    offset_ms=1,
    best_case_us=300,
    execution_us=400,
)


def test_every_keyword_reaches_the_set():
    tasks = prazo.TaskSet(
        [
            ALL,
            prazo.Task("1ms", name="burst", burst=3, within_ms=30, priority=1),
            prazo.Task("1ms", name="curve", arrivals=[(1, "5ms"), (3, "50ms")], priority=2),
            prazo.Task("1ms", "20ms", name="served", server_budget_ms=2, server_period="20ms", priority=3, cluster=0, affinity="0-1"),
        ],
        processors=2,
        clusters=[2],
        policy="fixed-priority",
        priorities="given",
        locking="pip",
        supply=None,
        origin="a test",
        note="with everything",
        remarks=["assumed"],
        expect={"gfp": "unknown", "why": "no reason"},
    )
    for line in (
        'min_inter_arrival = "10ms"',
        'max_inter_arrival = "20ms"',
        'deadline = "9ms"',
        'jitter = "20us"',
        "working_set_kib = 16",
        'non_preemptive = "500us + 1500us"',
        'uses = "bus 500us, log 1ms"',
        'suspends = "100us"',
        'criticality = "high"',
        'cost_high = "2.5ms"',
        'offset = "1ms"',
        'best_case = "300us"',
        'execution = "400us"',
        "burst = 3",
        'within = "30ms"',
        'arrivals = "1 in 5ms, 3 in 50ms"',
        'server_budget = "2ms"',
        'server_period = "20ms"',
        "clusters = [2]",
        'priorities = "given"',
        'locking = "pip"',
        'origin = "a test"',
        'note = "with everything"',
        'remarks = ["assumed"]',
        'gfp = "unknown"',
    ):
        assert line.replace("1500us", "1.5ms") in tasks.toml.replace("1500us", "1.5ms"), (line, tasks.toml)
    assert prazo.TaskSet.from_toml(tasks.toml, tasks.name) == tasks


def test_a_supply_and_chains_are_a_part_of_a_set():
    supply = prazo.Supply(budget_ms=4, period="10ms")
    tasks = prazo.TaskSet([prazo.Task("1ms", "40ms")], supply=supply)
    assert "[supply]" in tasks.toml and tasks.test().document["supply"] == {
        "budget": 4_000_000,
        "period": 10_000_000,
        "rate": None,
        "delay": None,
    }
    delayed = prazo.Supply(rate="2/5", delay_ms=12)
    same = [prazo.Supply(rate=rate, delay="12ms") for rate in (0.4, fractions.Fraction(2, 5))]
    assert same[0] == same[1] and same[0].to_toml() == '{ rate = "2/5", delay = "12ms" }'
    assert delayed == same[0] and prazo.Supply(rate="2/5", delay=datetime.timedelta(milliseconds=12)).delay == "12000us"
    for one in (delayed, *same):
        answer = prazo.TaskSet([prazo.Task("1ms", "40ms")], supply=one).test()
        assert answer.document["supply"] == {"budget": None, "period": None, "rate": "2/5", "delay": 12_000_000}
        assert answer.document["verdict"] == "proven"
    assert prazo.Supply(rate=1, delay="1ms").rate == "1"
    chain = prazo.Chain("attitude", ["gyro", "log"], communication="let", hops={"log": "1ms"}, max_reaction_ms=150, max_age="200ms")
    chained = prazo.TaskSet([prazo.Task("1ms", "10ms", name="gyro"), prazo.Task("2ms", "100ms", name="log")], processors=1, chains=[chain])
    answer = chained.test("global-edf")
    assert answer.document["chains"][0]["name"] == "attitude"
    clocked = prazo.TaskSet([prazo.Task("1ms", "4ms", offset="1ms", non_preemptive="whole")], processors=1, synchronized=True)
    assert "synchronized = true" in clocked.toml and clocked.test().document["verdict"] == "proven"
    activated = prazo.Chain("c", ("gyro", "log"), activated=["log"], synchronized=True)
    for value in (supply, delayed, chain, activated, ALL):
        copy = pickle.loads(pickle.dumps(value))
        assert copy == value and hash(copy) == hash(value)
        with pytest.raises(AttributeError):
            value.name = "other"
    with pytest.raises(prazo.RefusedError, match="budget of the supply is longer"):
        prazo.TaskSet([prazo.Task("1ms", "40ms")], supply=prazo.Supply("11ms", "10ms"))
    for wrong, message in (
        ({"budget": "4ms"}, r"period is missing; a supply has a budget and a period, as in Supply\('4ms'"),
        ({}, "budget is missing"),
        ({"rate": "2/5"}, r"delay is missing; a supply has a rate and a delay, as in Supply\(rate='2/5'"),
        ({"delay": "1ms"}, "rate is missing"),
        ({"rate": "2/5", "delay": "1ms", "period": "10ms"}, "period belongs to a supply with a budget"),
        ({"rate": True, "delay": "1ms"}, "rate True: give a fraction"),
    ):
        with pytest.raises(TypeError, match=message):
            prazo.Supply(**wrong)
    with pytest.raises(prazo.RefusedError, match="more than one processor"):
        prazo.TaskSet([prazo.Task("1ms", "40ms")], supply=prazo.Supply(rate="6/5", delay="1ms"))


def test_integers_have_their_unit_in_the_name():
    assert prazo.Task(cost_us=2000, period_ms=10) == prazo.Task("2000us", "10ms")
    same = [prazo.Task(cost_ns=2_000_000, period_s=1), prazo.Task(cost_us=2_000, period_ms=1_000), prazo.Task("2ms", datetime.timedelta(seconds=1))]
    assert len({prazo.TaskSet([one]).toml for one in same}) == 1
    for wrong, message in (
        ({"cost_us": 2.5}, "cost_us 2.5: give an integer"),
        ({"cost_us": True}, "cost_us True: give an integer"),
        ({"cost_us": 1, "cost_ms": 1}, "cost_ms: cost is given twice"),
        ({"cost": "1ms", "cost_ms": 1}, "cost_ms: cost is given twice"),
        ({"cots_us": 1}, "unknown keyword 'cots_us'; times are cost, period"),
        ({"name_us": 1}, "unknown keyword 'name_us'"),
        ({}, "cost is missing"),
        ({"cost": 5}, "a number has no unit.*cost_us=250"),
        ({"cost": "1ms", "working_set": "1KiB", "working_set_kib": 1}, "working_set is given twice"),
    ):
        with pytest.raises(TypeError, match=message):
            prazo.Task(**wrong)
    with pytest.raises(ValueError, match="cost_us -1: it is below zero"):
        prazo.Task(cost_us=-1)


def test_functions_that_take_times_take_integers():
    tasks = prazo.TaskSet([prazo.Task(cost_ms=1, period_ms=4), prazo.Task(cost_ms=2, period_ms=6)])
    assert tasks.simulate(duration_ms=20).end_ns == tasks.simulate(duration="20ms").end_ns == 20_000_000
    few, same, many = (tasks.simulate(processors=1, policy="rr", duration_ms=12, **quantum) for quantum in ({"quantum_us": 500}, {"quantum": "0.5ms"}, {"quantum_ns": 50_000}))
    assert few.document == same.document and few.document["events"] < many.document["events"]
    ran = tasks.simulate(duration_ms=20)
    assert ran.gantt(start_ms=2, span_ms=4) == ran.gantt("2ms", "4ms") != ran.gantt()
    with pytest.raises(TypeError, match="times are duration and quantum"):
        tasks.simulate(durations_ms=20)


def test_a_set_takes_a_table_of_overheads_as_a_value(tmp_path):
    text = 'name = "mine"\nsource = "a test"\nstatistic = "max"\nsamples = 10\ncontext_switch = "1us"\n[release]\nlinear = [[1, "1us"], [10, "2us"]]\n'
    file = tmp_path / "table.toml"
    file.write_text(text)
    one = [prazo.Task("2ms", "10ms", "8ms")]
    by_value = prazo.TaskSet(one, overheads=prazo.Overheads(text))
    by_file = prazo.TaskSet(one, overheads=file)
    assert by_value == by_file != prazo.TaskSet(one) and "[overheads]" in by_value.toml
    with pytest.raises(prazo.RefusedError):
        prazo.TaskSet([prazo.Task("2", "10")], unit="none", overheads=prazo.Overheads(text))


def test_options_of_packing_reach_the_test():
    """First fit packs these costs of 6, 5, 4 and 3 tenths in this order, and not as they are given."""
    tasks = prazo.TaskSet.from_ticks([(3, 10), (4, 10), (5, 10), (6, 10)], processors=2)
    given = tasks.test("partitioned-edf", heuristics=["first-fit"], order="as-given", all_tests=True)
    sorted_ = tasks.test("partitioned-edf", heuristics=["first-fit"], all_tests=True)
    rows = [[row["name"], row["order"]] for row in given.document["partition"] if row["name"] == "first-fit"]
    assert rows == [["first-fit", "as-given"]]
    assert [row["order"] for row in sorted_.document["partition"] if row["name"] == "first-fit"] == ["decreasing-utilization"]
    with pytest.raises(prazo.RefusedError, match="heuristics is empty"):
        tasks.test("partitioned-edf", heuristics=[])
    with pytest.raises(prazo.RefusedError, match="order 'random'"):
        tasks.test("partitioned-edf", order="random")
    table = prazo.Overheads('name = "o"\nsource = "s"\nstatistic = "max"\nsamples = 1\nrelease = { linear = [[1, "1us"], [4, "40us"]] }\n')
    times = prazo.TaskSet([prazo.Task(cost_ms=1, period_ms=10)] * 4, processors=2)
    each, once = (times.test("partitioned-edf", overheads=table, inflate_once=one, all_tests=True) for one in (False, True))
    assert each.document["partition"] != once.document["partition"]


def test_few_simulated_jobs_find_no_late_miss():
    tasks = prazo.TaskSet.from_ticks([(2, 4), (2, 4), (3, 5)], processors=2)
    assert tasks.test("global-edf", simulate=1, tests=["gfb"]).document["tests"] != tasks.test("global-edf", tests=["gfb"]).document["tests"]


def test_a_disproof_by_search_has_its_arrivals_as_a_set():
    """Synchronous arrivals meet their deadlines; others do not, which the search of all states finds."""
    import os
    from pathlib import Path

    found = None
    for file in sorted((Path(os.environ["PRAZO_EXAMPLES"]).parent / "scenarios").glob("*.toml")):
        try:
            answer = prazo.TaskSet.read(file).test()
        except prazo.RefusedError:
            continue
        if answer.pattern is not None:
            found = answer
            break
    assert found is not None and found.verdict == "disproven"
    ran = found.pattern.simulate()
    assert ran.misses > 0
    assert prazo.TaskSet.from_ticks([(1, 10)]).test().pattern is None


def test_a_simulation_writes_a_trace_and_a_report(tmp_path):
    import json

    ran = prazo.TaskSet.from_ticks([(1, 4), (2, 6)]).simulate(duration_us=24)
    ran.save_trace(tmp_path / "trace.json")
    assert json.loads((tmp_path / "trace.json").read_text())
    ran.save_report(tmp_path / "report.html")
    assert "<svg" in (tmp_path / "report.html").read_text()
    with pytest.raises(prazo.RefusedError):
        ran.save_report(tmp_path / "report.docx")
