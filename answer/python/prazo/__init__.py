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

from ._prazo import FailedError as FailedError
from ._prazo import PrazoError as PrazoError
from ._prazo import RefusedError as RefusedError
from ._prazo import Table as Table
from ._prazo import __version__ as __version__

#: Type checkers take it for true; the one of typing takes longer to import than all of the rest.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from . import commands as commands
    from ._shown import Picture as Picture
    from ._values import Answer as Answer
    from .batch import simulate_many as simulate_many, test_many as test_many
    from .command import measure as measure, program as program, study as study
    from .commands import *  # noqa: F403
    from .experiments import Experiment as Experiment, Page as Page, experiment as experiment
    from .farms import FarmError as FarmError, StudyOnBoard as StudyOnBoard, farm as farm, run_many as run_many
    from .random_sets import Family as Family, families as families, generate as generate
    from .runs import Quantile as Quantile, Run as Run, Verdict as Verdict, open as open
    from .tasks import (
        Chain as Chain,
        Event as Event,
        Finding as Finding,
        Overheads as Overheads,
        Simulation as Simulation,
        Supply as Supply,
        Task as Task,
        TaskSet as TaskSet,
        TestResult as TestResult,
        verify as verify,
    )
    from .watching import Watch as Watch, Watched as Watched, watch as watch
else:
    #: The names of each module. A module is imported with the first use of one of its names, so that ``import prazo`` takes little.
    _NAMES = {
        "_shown": ("Picture",),
        "_values": ("Answer",),
        "batch": ("simulate_many", "test_many"),
        "command": ("measure", "program", "study"),
        "experiments": ("Experiment", "Page", "experiment"),
        "farms": ("FarmError", "StudyOnBoard", "farm", "run_many"),
        "random_sets": ("Family", "families", "generate"),
        "runs": ("Quantile", "Run", "Verdict", "open"),
        "tasks": ("Chain", "Event", "Finding", "Overheads", "Simulation", "Supply", "Task", "TaskSet", "TestResult", "verify"),
        "watching": ("Watch", "Watched", "watch"),
    }
    _PLACES = {name: module for module, names in _NAMES.items() for name in names}

    def __getattr__(name):
        import importlib.util

        if name == "__all__":
            own = ("FailedError", "PrazoError", "RefusedError", "Table", "__version__")
            return sorted([*own, *_PLACES, *importlib.import_module(".commands", __name__).__all__])
        if name in _PLACES:
            value = getattr(importlib.import_module("." + _PLACES[name], __name__), name)
        elif not name.startswith("__") and importlib.util.find_spec("." + name, __name__) is not None:
            return importlib.import_module("." + name, __name__)
        else:
            commands = importlib.import_module(".commands", __name__)
            if name not in commands.__all__:
                raise AttributeError(f"module 'prazo' has no attribute '{name}'")
            value = getattr(commands, name)
        globals()[name] = value
        return value

    def __dir__():
        return sorted({*globals(), *__getattr__("__all__")})
