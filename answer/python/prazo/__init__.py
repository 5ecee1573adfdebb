"""Will it make the deadline? Measure a platform, judge it, and prove task sets.

Task sets are answered in this process: :class:`Task`, :class:`TaskSet`, :func:`generate`, :func:`test_many`,
:func:`experiment`. Run files are opened with :func:`open`. What measures, boots guests or changes the system runs as
the program ``prazo`` in a process of its own (:mod:`prazo.command`), because a real-time measurement locks its memory
and must share nothing with an interpreter.

Times go in as text with a unit (``"250us"``), as :class:`datetime.timedelta`, or as integers with the unit in the name
(``cost_us=250``). They come out as integers whose names end in their unit, such as ``latency_ns``. Seconds as floats are
refused.
"""

from __future__ import annotations

from . import commands
from ._prazo import FailedError, PrazoError, RefusedError, Table, __version__
from ._shown import Picture
from ._values import Answer
from .batch import simulate_many, test_many
from .command import measure, program, study
from .commands import *  # noqa: F403
from .experiments import Experiment, Page, experiment
from .farms import FarmError, StudyOnBoard, farm, run_many
from .random_sets import Family, families, generate
from .runs import Quantile, Run, Verdict, open
from .tasks import (
    Chain,
    Event,
    Finding,
    Overheads,
    Simulation,
    Supply,
    Task,
    TaskSet,
    TestResult,
    verify,
)
from .watching import Watch, Watched, watch

__all__ = [
    "Answer",
    "Chain",
    "Event",
    "Experiment",
    "FailedError",
    "Family",
    "FarmError",
    "Finding",
    "Overheads",
    "Page",
    "Picture",
    "PrazoError",
    "Quantile",
    "RefusedError",
    "Run",
    "Simulation",
    "StudyOnBoard",
    "Supply",
    "Table",
    "Task",
    "TaskSet",
    "TestResult",
    "Verdict",
    "Watch",
    "Watched",
    "__version__",
    "experiment",
    "families",
    "farm",
    "generate",
    "measure",
    "open",
    "program",
    "run_many",
    "simulate_many",
    "study",
    "test_many",
    "verify",
    "watch",
]
__all__ += commands.__all__  # each command as a function
