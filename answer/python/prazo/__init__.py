"""Will it make the deadline? Measure a platform, judge it, and prove task sets.

Task sets are answered in this process: :class:`Task`, :class:`TaskSet`, :func:`generate`, :func:`test_many`,
:func:`experiment`. Run files are opened with :func:`open`. What measures, boots guests or changes the system runs as
the program ``prazo`` in a process of its own (:mod:`prazo.command`), because a real-time measurement locks its memory
and must share nothing with an interpreter.

Times go in as text with a unit (``"250us"``) or as :class:`datetime.timedelta`. They come out as integers whose
names end in their unit, such as ``latency_ns``. Seconds as floats are refused.
"""

from __future__ import annotations

from . import commands
from ._prazo import FailedError, PrazoError, RefusedError, __version__
from .cluster import farm, run_many
from .command import measure, program, study
from .commands import *  # noqa: F403
from .experiments import Experiment, Page, experiment
from .runs import Quantile, Run, Verdict, open
from .tasks import (
    Event,
    Family,
    Finding,
    Overheads,
    Picture,
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
from .watching import Watch, Watched, watch

__all__ = [
    "Event",
    "Experiment",
    "FailedError",
    "Family",
    "Finding",
    "Overheads",
    "Page",
    "Picture",
    "PrazoError",
    "Quantile",
    "RefusedError",
    "Run",
    "Simulation",
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
