"""Will it make the deadline? Measure a platform, judge it, and prove task sets.

Task sets are answered in this process: :class:`Task`, :class:`TaskSet`, :func:`generate`, :func:`test_many`,
:func:`experiment`. Run files are opened with :func:`open`. What measures, boots guests or changes the system runs as
the program ``prazo`` in a process of its own (:mod:`prazo.command`), because a real-time measurement locks its memory
and must share nothing with an interpreter.

Times go in as text with a unit (``"250us"``) or as :class:`datetime.timedelta`. They come out as integers whose
names end in their unit, such as ``latency_ns``. Seconds as floats are refused.
"""

from __future__ import annotations

from ._prazo import FailedError, PrazoError, RefusedError, __version__
from .cluster import farm, run_many
from .command import (
    check,
    compare,
    cost,
    evaluate,
    export,
    fetch,
    gate,
    import_,
    lab_boot,
    lab_explain,
    lab_fetch,
    lab_list,
    load,
    measure,
    program,
    report,
    sched_advise,
    sched_deploy,
    sched_inversion,
    sched_partition,
    sched_run,
    sched_undeploy,
    sched_watch,
    study,
    trigger,
    tune,
    watch,
)
from .experiments import Experiment, Page, experiment
from .runs import Quantile, Run, Verdict, open
from .tasks import (
    Event,
    Family,
    Finding,
    Simulation,
    Task,
    TaskSet,
    TestResult,
    families,
    generate,
    simulate_many,
    test_many,
    verify,
)

__all__ = [
    "Event",
    "Experiment",
    "FailedError",
    "Family",
    "Finding",
    "Page",
    "PrazoError",
    "Quantile",
    "RefusedError",
    "Run",
    "Simulation",
    "Task",
    "TaskSet",
    "TestResult",
    "Verdict",
    "__version__",
    "check",
    "compare",
    "cost",
    "evaluate",
    "experiment",
    "export",
    "families",
    "farm",
    "fetch",
    "gate",
    "generate",
    "import_",
    "lab_boot",
    "lab_explain",
    "lab_fetch",
    "lab_list",
    "load",
    "measure",
    "open",
    "program",
    "report",
    "run_many",
    "sched_advise",
    "sched_deploy",
    "sched_inversion",
    "sched_partition",
    "sched_run",
    "sched_undeploy",
    "sched_watch",
    "simulate_many",
    "study",
    "test_many",
    "trigger",
    "tune",
    "verify",
    "watch",
]
