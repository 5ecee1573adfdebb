"""Each command of prazo as a function: keyword arguments are its flags, with underscores for hyphens.

This module is generated: ``cargo xtask python > answer/python/prazo/commands.py`` writes it.

``True`` is a flag without a value, a list repeats a flag, and None leaves it out. A function gives what ``--json``
prints, described by docs/schema, or the text of a command that prints no JSON. Exit status 0, 1 and 3 are answers.

Raises
------
RefusedError
    Exit status 2: the request is invalid; it must be changed.
FailedError
    Exit status 4: the system failed, or refused what the request needed.
KeyboardInterrupt
    Ctrl-C. The command has then put the system back.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Literal, Union

from . import cluster as _cluster
from . import command as _command
from ._values import Answer, Progress, Time

_Path = Union[str, "os.PathLike[str]"]
#: Text, or a number that the flag takes as text.
_Word = Union[str, int, float, "os.PathLike[str]"]

__all__ = [
    "check",
    "compare",
    "cost",
    "evaluate",
    "export",
    "fetch",
    "gate",
    "generate_completions",
    "generate_man",
    "generate_schema",
    "import_",
    "lab_boot",
    "lab_bound",
    "lab_build",
    "lab_explain",
    "lab_export",
    "lab_fetch",
    "lab_hunt",
    "lab_import",
    "lab_list",
    "lab_prune",
    "load",
    "measure_event",
    "measure_interrupt",
    "measure_latmon",
    "measure_noise",
    "measure_overheads",
    "measure_plan",
    "measure_serial",
    "measure_timer",
    "measure_wakeup",
    "measure_xenomai",
    "report",
    "sched_advise",
    "sched_curve",
    "sched_deploy",
    "sched_executors",
    "sched_experiment",
    "sched_inversion",
    "sched_partition",
    "sched_run",
    "sched_simulate",
    "sched_test",
    "sched_undeploy",
    "sched_verify",
    "sched_watch",
    "study_list",
    "study_run",
    "study_show",
    "trigger",
    "tune",
    "tune_apply",
    "tune_undo",
]


def check(
    *,
    cpus: _Word | None = None,
    busy_poll: bool = False,
    network: bool = False,
    root: _Path | None = None,
    all: bool = False,
    on: _Word | Sequence[_Word] | None = None,
    detach: bool = False,
    force: bool = False,
) -> list[Answer]:
    """Check whether this machine is fit for real-time work: ``prazo check``.

    Parameters
    ----------
    cpus : str or number, optional
        Processors for real-time work [default: the isolated ones, else all].
    busy_poll : bool
        Assume a real-time task that polls instead of sleeping.
    network : bool
        Assume a real-time task that network traffic wakes.
    root : path, optional
        Folder with a copied /proc, /sys and /boot, to check instead of this machine.
    all : bool
        Also show checks without a finding.
    on : str or number, or several, optional
        Run on this board, as in ssh://root@board; repeat the flag to run on several boards. prazo copies
        itself to the board over SSH, runs there, and copies all written files back. On the board prazo works
        in /dev/shm, or in the folder at the end of the address, as in ssh://root@board/tmp. Several boards
        run at the same time.
    detach : bool
        Disconnect while the board continues; fetch the results later with `prazo fetch`.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    list of Answer
        What ``--json`` prints; docs/schema/check.json has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: list[Answer] = _command.answer(
        ["check"],
        [],
        [],
        cpus=cpus,
        busy_poll=busy_poll,
        network=network,
        root=root,
        all=all,
        on=on,
        detach=detach,
        force=force,
    )
    return _printed


def compare(
    *runs: _Path,
    with_: _Path | Sequence[_Path] | None = None,
    report: _Path | None = None,
    force: bool = False,
) -> list[Answer]:
    """Compare runs: ``prazo compare``.

    Parameters
    ----------
    *runs : path, or several
        Run files; the first is the reference.
    with_ : path, or several, optional
        Runs to compare with the reference; all runs before --with are then repeats of the reference.
    report : path, optional
        Also write a report: .html, .md, .txt, .svg or .json.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    list of Answer
        What ``--json`` prints; docs/schema/compare.json has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: list[Answer] = _command.answer(
        ["compare"],
        [*runs],
        [],
        with_=with_,
        report=report,
        force=force,
    )
    return _printed


def cost(
    *command: _Word,
    workload: _Word | None = None,
    size: int | None = None,
    duration: Time | None = None,
    runs: int | None = None,
    warm_up: int | None = None,
    vs: _Word | Sequence[_Word] | None = None,
    seed: int | None = None,
    timeout: Time | None = None,
    grace: Time | None = None,
    counters: bool = False,
    list: bool = False,
    output: _Path | None = None,
    on: _Word | Sequence[_Word] | None = None,
    detach: bool = False,
    force: bool = False,
) -> Any:
    """Measure the cost of a command: time, waits, switches, page faults: ``prazo cost``.

    Parameters
    ----------
    *command : str or number, or several
        Command to measure, with its arguments.
    workload : str or number, optional
        Workload to measure instead of a command; --list names them.
    size : int, optional
        Size of the workload, in the unit that --list shows [default: a pilot run finds the size for
        --duration].
    duration : str or datetime.timedelta, optional
        Duration that one run of the workload should take, if no --size is given. By default 2s.
    runs : int, optional
        Number of measured runs; from 6 on, medians have confidence intervals. By default 1.
    warm_up : int, optional
        Number of warm-up runs before the measured runs [default: 0 for one run of one command, else 1].
    vs : str or number, or several, optional
        Also measure this command in the same rounds; `{}` in it stands for COMMAND, as in `nice -n 5 {}`.
    seed : int, optional
        Seed of the random order of the commands within each round. By default 1.
    timeout : str or datetime.timedelta, optional
        Elapsed time after which a run's command and its descendants are terminated.
    grace : str or datetime.timedelta, optional
        Time for which descendants may run on after the command's end before they are terminated [default:
        --timeout, else 5s].
    counters : bool
        Count instructions and cycles; under PREEMPT_RT also count migrations. Counting adds a few percent to
        the cost on a virtual machine. Under PREEMPT_RT it delays the end of every process.
    list : bool
        List the workloads.
    output : path, optional
        Write the JSON to this file, and leave standard output to the command.
    on : str or number, or several, optional
        Run on this board, as in ssh://root@board; repeat the flag to run on several boards. prazo copies
        itself to the board over SSH, runs there, and copies all written files back. On the board prazo works
        in /dev/shm, or in the folder at the end of the address, as in ssh://root@board/tmp. Several boards
        run at the same time.
    detach : bool
        Disconnect while the board continues; fetch the results later with `prazo fetch`.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    Answer or list of Answer
        What ``--json`` prints; docs/schema/cost.json, docs/schema/cost-list.json has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: Any = _command.answer(
        ["cost"],
        [],
        [*command],
        workload=workload,
        size=size,
        duration=duration,
        runs=runs,
        warm_up=warm_up,
        vs=vs,
        seed=seed,
        timeout=timeout,
        grace=grace,
        counters=counters,
        list=list,
        output=output,
        on=on,
        detach=detach,
        force=force,
    )
    return _printed


def evaluate(
    *,
    deadline: Time | None = None,
    kind: Literal["hard", "firm", "soft"] | None = None,
    quantile: _Word | None = None,
    duration: Time | None = None,
    output: _Path | None = None,
    tasks: _Path | None = None,
    cost: bool = False,
    plain: bool = False,
    on: _Word | Sequence[_Word] | None = None,
    detach: bool = False,
    force: bool = False,
) -> Any:
    """Evaluate this machine against a deadline: a verdict and a report: ``prazo evaluate``.

    Parameters
    ----------
    deadline : str or datetime.timedelta, optional
        Deadline of each activation, for example 200us. An activation meets its deadline if the thread runs
        within this time after the activation was due.
    kind : {"hard", "firm", "soft"}, optional
        Kind of the deadline [default: firm].
    quantile : str or number, optional
        Share of due activations that must meet the deadline [default: 0.999 firm, 0.99 soft].
    duration : str or datetime.timedelta, optional
        Duration of each run [default: 15 to 60 s, longer if the requirement needs it; 60s with --tasks]. By
        default, the runs that decide the verdict (fifo under load) last 60 s, or longer if the requirement
        needs more activations; the other runs last 15 to 30 s. With --tasks, this is the duration of the
        set's run under load.
    output : path, optional
        Folder for the run files and the report [default: prazo-results/evaluate-DATE].
    tasks : path, optional
        Evaluate this task set: measure overheads, judge each scheduler, run the set under the best scheduler
        with load.
    cost : bool
        Also measure the cost of five workloads, alone and next to a real-time task (90 s more).
    plain : bool
        Print one progress line instead of the live view.
    on : str or number, or several, optional
        Run on this board, as in ssh://root@board; repeat the flag to run on several boards. prazo copies
        itself to the board over SSH, runs there, and copies all written files back. On the board prazo works
        in /dev/shm, or in the folder at the end of the address, as in ssh://root@board/tmp. Several boards
        run at the same time.
    detach : bool
        Disconnect while the board continues; fetch the results later with `prazo fetch`.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    Answer or list of Answer
        What ``--json`` prints; docs/schema/evaluate-tasks.json has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: Any = _command.answer(
        ["evaluate"],
        [],
        [],
        deadline=deadline,
        kind=kind,
        quantile=quantile,
        duration=duration,
        output=output,
        tasks=tasks,
        cost=cost,
        plain=plain,
        on=on,
        detach=detach,
        force=force,
    )
    return _printed


def export(
    *runs: _Path,
    format: Literal["csv", "timeline-csv", "json", "parquet", "timeline-parquet", "cyclictest-json", "cyclictest-histogram", "hgrm", "openmetrics", "junit", "perfetto", "overheads", "overheads-mean"] | None = None,
    output: _Path | None = None,
    deadline: Time | None = None,
    tasks: int | None = None,
    tick_period: Time | None = None,
    force: bool = False,
) -> Any:
    """Convert a run file to another tool's format: ``prazo export``.

    Parameters
    ----------
    *runs : path, or several
        Run file to convert; for the formats overheads and overheads-mean, one or several.
    format : {"csv", "timeline-csv", "json", "parquet", "timeline-parquet", "cyclictest-json", "cyclictest-histogram", "hgrm", "openmetrics", "junit", "perfetto", "overheads", "overheads-mean"}, optional
        Format to write; parquet and timeline-parquet need a prazo built with the feature parquet. The format
        perfetto writes the events around the worst activations of a watch, as a trace that Perfetto opens.
        The formats overheads and overheads-mean write a table of the largest or the mean overheads, for
        --overheads of `prazo sched`.
    output : path, optional
        File to write, instead of standard output.
    deadline : str or datetime.timedelta, optional
        Deadline against which misses are counted [default: the run's own].
    tasks : int, optional
        Number of tasks that ran, if a run file does not state it; for the formats overheads and
        overheads-mean.
    tick_period : str or datetime.timedelta, optional
        Period of the kernel's tick, if a run file does not state it; for the formats overheads and
        overheads-mean.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    Answer or list of Answer
        What ``--json`` prints; docs/schema/export-json.json has its keys. With ``format``, what it prints.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: Any = _command.answer_or_text(
        ["export"],
        [*runs],
        [],
        format=format,
        output=output,
        deadline=deadline,
        tasks=tasks,
        tick_period=tick_period,
        force=force,
    )
    return _printed


def fetch(
    address: _Word,
    *,
    force: bool = False,
) -> Answer:
    """Fetch the results that a command left on a board: ``prazo fetch``.

    Parameters
    ----------
    address : str or number
        Address of the board and of the command's folder there, as --detach printed it.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    Answer
        What ``--json`` prints; docs/schema/fetch.json has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: Answer = _command.answer(
        ["fetch"],
        [address],
        [],
        force=force,
    )
    return _printed


def gate(
    study: _Word | None = None,
    *,
    history: _Path | None = None,
    baseline: _Path | None = None,
    explain: bool = False,
    baseline_kernel: _Path | None = None,
    save: _Path | None = None,
    junit: _Path | None = None,
    markdown: _Path | None = None,
    ktap: _Path | None = None,
    lava: _Path | None = None,
    report: _Path | None = None,
    may_differ: _Word | Sequence[_Word] | None = None,
    floor: Time | None = None,
    direction: Literal["either", "worse", "better"] | None = None,
    bisect: bool = False,
    kernel: _Path | None = None,
    initrd: _Path | None = None,
    append: _Word | None = None,
    only: _Word | Sequence[_Word] | None = None,
    seed: int | None = None,
    output: _Path | None = None,
    plain: bool = False,
    force: bool = False,
    progress: bool | Progress | None = None,
) -> Any:
    """Compare a kernel's latencies with a baseline, in virtual machines: ``prazo gate``.

    Parameters
    ----------
    study : str or number, optional
        Study to measure: a built-in name or a TOML file. By default gate.
    history : path, optional
        Draw each figure over the baselines of this folder, with the points at which its level changed;
        measures nothing. The folder holds files that --save wrote. They are ordered by kernel release, or by
        time of measurement where the releases are alike. Baselines under different conditions are not joined
        (--may-differ).
    baseline : path, optional
        Baseline to compare with: a file that --save wrote, or a results folder of the same study.
    explain : bool
        Name the functions that make the difference where a figure moved; needs a results folder as
        --baseline. Compares the worst activations of this run and of the baseline, as `prazo lab explain
        --against` does, in the cell whose figure moved the furthest. This boots both guests again. A failure
        changes neither the answer nor the exit status.
    baseline_kernel : path, optional
        With --explain, Linux image of the baseline, if it was measured with --kernel.
    save : path, optional
        Save the figures of this run as a baseline.
    junit : path, optional
        Write one test case for each compared figure as JUnit XML; needs --baseline.
    markdown : path, optional
        Write the answer and a table of the figures as Markdown; needs --baseline or --history.
    ktap : path, optional
        Write one test case for each compared figure as KTAP, which kernel CI reads; needs --baseline.
    lava : path, optional
        Write one test case for each compared figure as the lines that LAVA reads from a console; needs
        --baseline.
    report : path, optional
        Also write a report: .html or .md; needs --baseline or --history.
    may_differ : str or number, or several, optional
        Allow these to differ from the baseline, or within a history: kernel, command-line, image, agent,
        emulator, machine, plan. By default kernel.
    floor : str or datetime.timedelta, optional
        Ignore shifts smaller than this [default: 1 % of the baseline, but at least 16 instructions, or 1us on
        a board].
    direction : {"either", "worse", "better"}, optional
        Shifts that fail the gate. By default either.
    bisect : bool
        Exit with a status for `git bisect run`: 0 good, 1 bad, 125 no answer; needs --baseline.
    kernel : path, optional
        Linux image to measure instead of the platforms' kernels.
    initrd : path, optional
        Initramfs for the image of --kernel; the lab adds its own files.
    append : str or number, optional
        Additional parameters on the guest kernels' command lines.
    only : str or number, or several, optional
        Measure only these platforms of the study. Claims about other platforms are not judged.
    seed : int, optional
        Seed of the first repeat; it determines the other seeds [default: the study's].
    output : path, optional
        Folder for the run files [default: prazo-results/STUDY].
    plain : bool
        Print one progress line instead of the live view.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.
    progress : callable or bool, optional
        Called with the parts done and the parts in all. True shows a bar where tqdm is installed.

    Returns
    -------
    Answer or list of Answer
        What ``--json`` prints; docs/schema/gate-history.json has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: Any = _cluster.answer(
        None,
        progress,
        ["gate"],
        [study],
        [],
        history=history,
        baseline=baseline,
        explain=explain,
        baseline_kernel=baseline_kernel,
        save=save,
        junit=junit,
        markdown=markdown,
        ktap=ktap,
        lava=lava,
        report=report,
        may_differ=may_differ,
        floor=floor,
        direction=direction,
        bisect=bisect,
        kernel=kernel,
        initrd=initrd,
        append=append,
        only=only,
        seed=seed,
        output=output,
        plain=plain,
        force=force,
    )
    return _printed


def generate_completions(
    shell: Literal["bash", "elvish", "fish", "powershell", "zsh"],
    *,
    force: bool = False,
) -> str:
    """Print the completions of a shell: ``prazo generate completions``.

    Parameters
    ----------
    shell : {"bash", "elvish", "fish", "powershell", "zsh"}
        Shell that will use the completions.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    str
        What it prints.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: str = _command.text(
        ["generate", "completions"],
        [shell],
        [],
        force=force,
    )
    return _printed


def generate_man(
    folder: _Path,
    *,
    force: bool = False,
) -> str:
    """Write manual pages to a folder, one for each command: ``prazo generate man``.

    Parameters
    ----------
    folder : path
        Folder for the manual pages, created if necessary.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    str
        What it prints.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: str = _command.text(
        ["generate", "man"],
        [folder],
        [],
        force=force,
    )
    return _printed


def generate_schema(
    folder: _Path,
    *,
    force: bool = False,
) -> str:
    """Write the JSON schemas of all --json output to a folder: ``prazo generate schema``.

    Parameters
    ----------
    folder : path
        Folder for the schemas, created if necessary.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    str
        What it prints.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: str = _command.text(
        ["generate", "schema"],
        [folder],
        [],
        force=force,
    )
    return _printed


def import_(
    *files: _Path,
    output: _Path | None = None,
    format: Literal["sparse", "rtla-timerlat", "rtla-osnoise", "rt-app", "latmus-gnuplot", "xenomai-gnuplot", "latmus", "xenomai-latency", "cyclictest-histogram", "cyclictest-summary", "cyclictest-verbose", "feather-trace", "cyclictest-json", "jitterdebugger", "oslat", "jitterdebugger-samples"] | None = None,
    period: Time | None = None,
    resolution: Time | None = None,
    duration: Time | None = None,
    event: _Word | None = None,
    tasks: int | None = None,
    hz: int | None = None,
    force: bool = False,
) -> list[Answer]:
    """Convert other tools' output to run files: ``prazo import``.

    Parameters
    ----------
    *files : path, or several
        Files with the output of cyclictest, jitterdebugger, rtla, oslat, Xenomai's latency, latmus, rt-app or
        ft2csv.
    output : path, optional
        Folder for the run files. By default prazo-results.
    format : {"sparse", "rtla-timerlat", "rtla-osnoise", "rt-app", "latmus-gnuplot", "xenomai-gnuplot", "latmus", "xenomai-latency", "cyclictest-histogram", "cyclictest-summary", "cyclictest-verbose", "feather-trace", "cyclictest-json", "jitterdebugger", "oslat", "jitterdebugger-samples"}, optional
        Format of the files [default: detected from their content].
    period : str or datetime.timedelta, optional
        Period of the activations, if the file does not state it; with --duration, skipped activations are
        counted.
    resolution : str or datetime.timedelta, optional
        Time unit of the values, or width of the histogram's cells, if the file does not state it.
    duration : str or datetime.timedelta, optional
        Duration of the run, if the file does not state it.
    event : str or number, optional
        Event of the overheads, such as RELEASE or CXS, if the file's name does not state it (feather-trace).
    tasks : int, optional
        Number of tasks that ran, if the file's name does not state it (feather-trace).
    hz : int, optional
        Frequency of the counter whose cycles the file holds, in Hz (feather-trace).
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    list of Answer
        What ``--json`` prints; docs/schema/import.json has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: list[Answer] = _command.answer(
        ["import"],
        [*files],
        [],
        output=output,
        format=format,
        period=period,
        resolution=resolution,
        duration=duration,
        event=event,
        tasks=tasks,
        hz=hz,
        force=force,
    )
    return _printed


def lab_boot(
    *,
    kernel: _Path | None = None,
    append: _Word | None = None,
    initrd: _Path | None = None,
    disc: _Path | None = None,
    machine: _Word | None = None,
    processors: int | None = None,
    seed: int | None = None,
    timeout: Time | None = None,
    console_max: int | None = None,
    console: _Path | None = None,
    force: bool = False,
) -> Answer:
    """Boot a machine and print its console: ``prazo lab boot``.

    Parameters
    ----------
    kernel : path, optional
        Kernel: an ELF file with a PVH note, or a Linux image.
    append : str or number, optional
        Command line of the kernel.
    initrd : path, optional
        Initramfs, or another file to load into memory for the kernel.
    disc : path, optional
        Bootable disc image (.iso), instead of a kernel.
    machine : str or number, optional
        Machine to boot: a name that `prazo lab list` shows, or a TOML file. By default counted-1.
    processors : int, optional
        Number of processors [default: the machine's].
    seed : int, optional
        Seed of the emulator's random numbers [default: the machine's].
    timeout : str or datetime.timedelta, optional
        Elapsed time after which the guest is terminated. By default 30s.
    console_max : int, optional
        Bytes of console output after which the guest is terminated. By default 67108864.
    console : path, optional
        Also write the console output to this file.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    Answer
        What ``--json`` prints; docs/schema/lab-boot.json has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: Answer = _command.answer(
        ["lab", "boot"],
        [],
        [],
        kernel=kernel,
        append=append,
        initrd=initrd,
        disc=disc,
        machine=machine,
        processors=processors,
        seed=seed,
        timeout=timeout,
        console_max=console_max,
        console=console,
        force=force,
    )
    return _printed


def lab_bound(
    *runs: _Path,
    no_names: bool = False,
    platform: _Word | None = None,
    force: bool = False,
) -> Answer:
    """Bound latencies from observed sections with IRQs or preemption off: ``prazo lab bound``.

    Parameters
    ----------
    *runs : path, or several
        Runs that were measured in the lab, on one kernel.
    no_names : bool
        Skip the additional boot that finds the function names of the longest sections.
    platform : str or number, optional
        Platform of the runs, written lab:FILE.toml; needed only if a TOML file defines it.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    Answer
        What ``--json`` prints; docs/schema/lab-bound.json has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: Answer = _command.answer(
        ["lab", "bound"],
        [*runs],
        [],
        no_names=no_names,
        platform=platform,
        force=force,
    )
    return _printed


def lab_build(
    recipe: _Word,
    *,
    mirror: _Word | None = None,
    force: bool = False,
) -> Answer:
    """Build a platform's kernel from Debian's sources: ``prazo lab build``.

    Parameters
    ----------
    recipe : str or number
        Recipe of the kernel: riscv64-rt, or a TOML file.
    mirror : str or number, optional
        Debian archive to use instead of deb.debian.org.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    Answer
        What ``--json`` prints; docs/schema/lab-build.json has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: Answer = _command.answer(
        ["lab", "build"],
        [recipe],
        [],
        mirror=mirror,
        force=force,
    )
    return _printed


def lab_explain(
    run: _Path,
    *,
    against: _Path | None = None,
    worst: int | None = None,
    profile: bool = False,
    path: bool = False,
    path_least: int | None = None,
    output: _Path | Sequence[_Path] | None = None,
    platform: _Word | None = None,
    against_platform: _Word | None = None,
    force: bool = False,
) -> Answer:
    """Explain why the worst activations of a run were late: ``prazo lab explain``.

    Parameters
    ----------
    run : path
        Run file that was measured in the lab.
    against : path, optional
        Also explain this run, and compare its worst activation with that of the first run.
    worst : int, optional
        Number of worst activations to explain. By default 1.
    profile : bool
        Also profile all activations of the run: how much time each phase and each function takes.
    path : bool
        Also print the path of function calls in each explained activation.
    path_least : int, optional
        With --path, omit calls that executed fewer instructions than this. By default 20.
    output : path, or several, optional
        Also write a trace for Perfetto (.json), or a chart of the worst activation of each run (.svg).
    platform : str or number, optional
        Platform of the run, written lab:FILE.toml; needed only if a TOML file defines it.
    against_platform : str or number, optional
        Platform of the run of --against, written lab:FILE.toml; needed only if a TOML file defines it.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    Answer
        What ``--json`` prints; docs/schema/lab-explain.json has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: Answer = _command.answer(
        ["lab", "explain"],
        [run],
        [],
        against=against,
        worst=worst,
        profile=profile,
        path=path,
        path_least=path_least,
        output=output,
        platform=platform,
        against_platform=against_platform,
        force=force,
    )
    return _printed


def lab_export(
    file: _Path,
    *,
    force: bool = False,
) -> Any:
    """Pack the cache into one file, for another machine: ``prazo lab export``.

    Parameters
    ----------
    file : path
        Archive, compressed by zstd, such as lab.tar.zst.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    Answer or list of Answer
        What ``--json`` prints; docs/json.md has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: Any = _command.answer(
        ["lab", "export"],
        [file],
        [],
        force=force,
    )
    return _printed


def lab_fetch(
    *,
    mirror: _Word | None = None,
    without: Literal["kernels", "headers", "agent"] | Sequence[Literal["kernels", "headers", "agent"]] | None = None,
    only: _Word | Sequence[_Word] | None = None,
    release: _Word | None = None,
    architecture: Literal["x86_64", "aarch64", "armv7l", "riscv64", "ppc64le"] | Sequence[Literal["x86_64", "aarch64", "armv7l", "riscv64", "ppc64le"]] | None = None,
    disc: bool = False,
    force: bool = False,
) -> Answer:
    """Fetch the emulator, kernels and headers into a cache folder: ``prazo lab fetch``.

    Parameters
    ----------
    mirror : str or number, optional
        Debian archive to use instead of deb.debian.org.
    without : {"kernels", "headers", "agent"}, optional
        Do not fetch this part; repeat the flag to omit several parts.
    only : str or number, or several, optional
        Fetch only what these platforms need, for example rt-full,arm64-rt. The default is all built-in
        platforms of --architecture. `prazo lab list` shows the names of the platforms.
    release : str or number, optional
        Fetch this release of the kernels instead of the built-in one, for example 6.12.90 or 6.1.0-57. The
        platforms are then called rt-full-6.12.90 and so on. prazo knows no checksums of these packages; apt
        checks only the archive's signature. Debian's archive keeps only some releases.
    architecture : {"x86_64", "aarch64", "armv7l", "riscv64", "ppc64le"}, optional
        Fetch what all built-in platforms of this processor architecture need. By default x86_64.
    disc : bool
        Also fetch GRUB's tools, which make bootable discs.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    Answer
        What ``--json`` prints; docs/schema/lab-fetch.json has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: Answer = _command.answer(
        ["lab", "fetch"],
        [],
        [],
        mirror=mirror,
        without=without,
        only=only,
        release=release,
        architecture=architecture,
        disc=disc,
        force=force,
    )
    return _printed


def lab_hunt(
    *,
    platform: _Word,
    load: _Word | Sequence[_Word],
    policy: Literal["other", "fifo", "rr", "deadline"] | None = None,
    priority: int | None = None,
    period: Time | None = None,
    duration: Time | None = None,
    lead_in: Time | None = None,
    budget: _Word | None = None,
    method: Literal["evolution", "random"] | None = None,
    seed: int | None = None,
    workers: int | None = None,
    scheduler: _Word | None = None,
    no_cause: bool = False,
    timeout: Time | None = None,
    output: _Path | None = None,
    force: bool = False,
    client: Any = None,
    progress: bool | Progress | None = None,
) -> Answer:
    """Search for the boot with the largest latency, and test which loads cause it: ``prazo lab hunt``.

    Parameters
    ----------
    platform : str or number
        Platform of the lab with one processor and counted time (a clock that counts instructions), such as
        lab:standard-full.
    load : str or number, or several
        Load of prazo's own to apply; repeat the flag for several loads. A rate that is given here is not
        varied.
    policy : {"other", "fifo", "rr", "deadline"}, optional
        Scheduling policy of the threads. By default fifo.
    priority : int, optional
        Real-time priority under fifo and rr, 1 to 99. By default 90.
    period : str or datetime.timedelta, optional
        Period of the activations. By default 1ms.
    duration : str or datetime.timedelta, optional
        Duration of the measurement in each boot. By default 1s.
    lead_in : str or datetime.timedelta, optional
        Minimum time for which the loads run before measuring starts. By default 200ms.
    budget : str or number, optional
        Size of the search: a number of boots, or measured guest time, such as 60s. By default 24.
    method : {"evolution", "random"}, optional
        Method of choosing the next boot: at random, or by evolution from the worst boots so far. By default
        evolution.
    seed : int, optional
        Seed of all random choices. By default 1.
    workers : int, optional
        Number of guests that run at the same time, 1 to 8; this number does not affect the result. By default
        1.
    scheduler : str or number, optional
        Dask scheduler whose workers run the boots of the search, such as tcp://host:8786. With this option,
        prazo runs `python3` on this machine. That Python needs the package `prazo[dask]`; set PRAZO_PYTHON to
        use another Python. The workers need the same prazo and the same lab as this machine. This machine
        repeats the worst boot, and tests its cause.
    no_cause : bool
        Search only; do not test which loads cause the latency.
    timeout : str or datetime.timedelta, optional
        Elapsed time after which a guest is terminated [default: 5m, plus a minute for each measured second].
    output : path, optional
        Folder for the results; an interrupted search continues if the same folder is given. By default
        prazo-results/hunt.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.
    client : dask.distributed.Client, optional
        Its workers do the work. Without it, this machine does, or the workers of ``scheduler``.
    progress : callable or bool, optional
        Called with the parts done and the parts in all. True shows a bar where tqdm is installed.

    Returns
    -------
    Answer
        What ``--json`` prints; docs/schema/lab-hunt.json has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: Answer = _cluster.answer(
        client,
        progress,
        ["lab", "hunt"],
        [],
        [],
        platform=platform,
        load=load,
        policy=policy,
        priority=priority,
        period=period,
        duration=duration,
        lead_in=lead_in,
        budget=budget,
        method=method,
        seed=seed,
        workers=workers,
        scheduler=scheduler,
        no_cause=no_cause,
        timeout=timeout,
        output=output,
        force=force,
    )
    return _printed


def lab_import(
    file: _Path,
    *,
    force: bool = False,
) -> Any:
    """Unpack a file of `prazo lab export` into the cache, and verify its checksums: ``prazo lab import``.

    Parameters
    ----------
    file : path
        Archive, compressed by zstd, such as lab.tar.zst.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    Answer or list of Answer
        What ``--json`` prints; docs/json.md has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: Any = _command.answer(
        ["lab", "import"],
        [file],
        [],
        force=force,
    )
    return _printed


def lab_list(
    *,
    force: bool = False,
) -> Answer:
    """List the machines, the platforms and the emulator: ``prazo lab list``.

    Parameters
    ----------
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    Answer
        What ``--json`` prints; docs/schema/lab-list.json has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: Answer = _command.answer(
        ["lab", "list"],
        [],
        [],
        force=force,
    )
    return _printed


def lab_prune(
    *,
    dry_run: bool = False,
    force: bool = False,
) -> Answer:
    """Remove unused files from the cache, such as package sets of other versions and remains of interrupted work: ``prazo lab prune``.

    Parameters
    ----------
    dry_run : bool
        Only show what would be removed, and how large it is.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    Answer
        What ``--json`` prints; docs/schema/lab-prune.json has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: Answer = _command.answer(
        ["lab", "prune"],
        [],
        [],
        dry_run=dry_run,
        force=force,
    )
    return _printed


def load(
    *,
    load: _Word | Sequence[_Word] | None = None,
    lead_in: Time | None = None,
    cycle: Time | None = None,
    steady: bool = False,
    seed: int | None = None,
    duration: Time | None = None,
    compare: bool = False,
    list: bool = False,
    on: _Word | Sequence[_Word] | None = None,
    detach: bool = False,
    force: bool = False,
) -> Any:
    """Run loads without measuring: ``prazo load``.

    Parameters
    ----------
    load : str or number, or several, optional
        Apply this load; repeat the flag for several loads. `prazo load --list` names the loads and the units
        of their rates.
    lead_in : str or datetime.timedelta, optional
        Run the loads for this long before measuring. By default 2s.
    cycle : str or datetime.timedelta, optional
        Pause the loads in cycles of about this length; they run for 50 to 83 % of each cycle (Blaess 2014:
        30s).
    steady : bool
        Never pause the loads.
    seed : int, optional
        Seed of all random choices, such as the loads' pauses; the same seed repeats them. By default 1.
    duration : str or datetime.timedelta, optional
        Duration for which the loads run. By default 30s.
    compare : bool
        Compare each load with other programs that cause the same disturbance. Without --load, all of prazo's
        own loads are compared. Each comparison has four turns: two of the load and two of other programs.
        --duration is the length of one turn.
    list : bool
        List the loads, each with its source and its effect on the system.
    on : str or number, or several, optional
        Run on this board, as in ssh://root@board; repeat the flag to run on several boards. prazo copies
        itself to the board over SSH, runs there, and copies all written files back. On the board prazo works
        in /dev/shm, or in the folder at the end of the address, as in ssh://root@board/tmp. Several boards
        run at the same time.
    detach : bool
        Disconnect while the board continues; fetch the results later with `prazo fetch`.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    Answer or list of Answer
        What ``--json`` prints; docs/schema/load.json, docs/schema/load-compare.json,
        docs/schema/load-list.json has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: Any = _command.answer(
        ["load"],
        [],
        [],
        load=load,
        lead_in=lead_in,
        cycle=cycle,
        steady=steady,
        seed=seed,
        duration=duration,
        compare=compare,
        list=list,
        on=on,
        detach=detach,
        force=force,
    )
    return _printed


def measure_event(
    *,
    station: Literal["veth", "loopback", "remote"] | None = None,
    interface: _Word | None = None,
    raw_frames: bool = False,
    stamp: Literal["auto", "hardware", "software"] | None = None,
    port: int | None = None,
    connect_timeout: Time | None = None,
    answer: Literal["task", "both"] | None = None,
    answer_delay: Time | None = None,
    period: Time | None = None,
    jitter: Time | None = None,
    duration: Time | None = None,
    count: int | None = None,
    policy: Literal["other", "fifo", "rr", "deadline"] | None = None,
    priority: int | None = None,
    cpu: int | None = None,
    stop_above: Time | None = None,
    split: Literal["parts", "causes"] | None = None,
    no_dma_latency: bool = False,
    raw: bool = False,
    histogram_bound: Time | None = None,
    load: _Word | Sequence[_Word] | None = None,
    lead_in: Time | None = None,
    cycle: Time | None = None,
    steady: bool = False,
    seed: int | None = None,
    deadline: Time | None = None,
    kind: Literal["hard", "firm", "soft"] | None = None,
    quantile: _Word | None = None,
    output: _Path | None = None,
    plain: bool = False,
    warm_up: Time | None = None,
    force: bool = False,
) -> Answer:
    """Measure how late a task runs after a network frame: ``prazo measure event``.

    Parameters
    ----------
    station : {"veth", "loopback", "remote"}, optional
        Station that sends the triggers. By default veth.
    interface : str or number, optional
        Listen on this interface only.
    raw_frames : bool
        Receive raw Ethernet frames (0x88B5) instead of UDP.
    stamp : {"auto", "hardware", "software"}, optional
        Source of the time stamp from which each latency is measured. By default auto.
    port : int, optional
        Port on which to listen for a remote station. By default 50123.
    connect_timeout : str or datetime.timedelta, optional
        Longest time to wait for a remote station. By default 60s.
    answer : {"task", "both"}, optional
        Answer each trigger of a remote station, which measures with `prazo trigger --answers`.
    answer_delay : str or datetime.timedelta, optional
        Delay of the task's answer, so that it does not queue behind the BPF program's answer at the station
        (Regnier 2008: 10us). By default 0ns.
    period : str or datetime.timedelta, optional
        Period of the triggers. Regnier 2008 uses 50ms. By default 1ms.
    jitter : str or datetime.timedelta, optional
        Random delay of each trigger, from 0 to this value [default: a tenth of the period].
    duration : str or datetime.timedelta, optional
        Duration of the series of triggers. By default 30s.
    count : int, optional
        Send this many triggers, instead of a duration.
    policy : {"other", "fifo", "rr", "deadline"}, optional
        Scheduling policy of the threads. By default fifo.
    priority : int, optional
        Real-time priority under fifo and rr, 1 to 99. By default 90.
    cpu : int, optional
        Processor of the task [default: the first]. The default is the first processor that this process may
        use.
    stop_above : str or datetime.timedelta, optional
        Stop at the first latency or gap above this. At that latency or gap, prazo writes a mark to the
        kernel's trace. If a trace is running, prazo stops it there, saves it next to the run file, and
        continues it.
    split : {"parts", "causes"}, optional
        Split latencies into parts, and name causes. BPF programs split each latency, and record the kernel's
        events around the worst latencies. Splitting needs root and Linux 5.11.
    no_dma_latency : bool
        Leave the processors' idle states enabled: do not hold /dev/cpu_dma_latency.
    raw : bool
        Keep every sample in the run file.
    histogram_bound : str or datetime.timedelta, optional
        Upper bound of the histogram; larger latencies are only counted, and the worst are listed. By default
        100ms.
    load : str or number, or several, optional
        Apply this load; repeat the flag for several loads. `prazo load --list` names the loads and the units
        of their rates.
    lead_in : str or datetime.timedelta, optional
        Run the loads for this long before measuring. By default 2s.
    cycle : str or datetime.timedelta, optional
        Pause the loads in cycles of about this length; they run for 50 to 83 % of each cycle (Blaess 2014:
        30s).
    steady : bool
        Never pause the loads.
    seed : int, optional
        Seed of all random choices, such as the loads' pauses; the same seed repeats them. By default 1.
    deadline : str or datetime.timedelta, optional
        Deadline of each activation, for example 200us. An activation meets its deadline if the thread runs
        within this time after the activation was due.
    kind : {"hard", "firm", "soft"}, optional
        Kind of the deadline [default: firm].
    quantile : str or number, optional
        Share of due activations that must meet the deadline [default: 0.999 firm, 0.99 soft].
    output : path, optional
        Run file to write. The default is prazo-results/PROBE-DATE.prazo.
    plain : bool
        Print one progress line instead of the live view.
    warm_up : str or datetime.timedelta, optional
        Run the measuring threads for this long before measuring (rounded up to whole seconds). The samples
        are kept, labelled warm-up, and excluded from the figures. With a remote station, the warm-up is the
        beginning of the series that the station sends. By default 1s.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    Answer
        What ``--json`` prints; docs/schema/measure.json has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: Answer = _command.answer(
        ["measure", "event"],
        [],
        [],
        station=station,
        interface=interface,
        raw_frames=raw_frames,
        stamp=stamp,
        port=port,
        connect_timeout=connect_timeout,
        answer=answer,
        answer_delay=answer_delay,
        period=period,
        jitter=jitter,
        duration=duration,
        count=count,
        policy=policy,
        priority=priority,
        cpu=cpu,
        stop_above=stop_above,
        split=split,
        no_dma_latency=no_dma_latency,
        raw=raw,
        histogram_bound=histogram_bound,
        load=load,
        lead_in=lead_in,
        cycle=cycle,
        steady=steady,
        seed=seed,
        deadline=deadline,
        kind=kind,
        quantile=quantile,
        output=output,
        plain=plain,
        warm_up=warm_up,
        force=force,
    )
    return _printed


def measure_interrupt(
    *,
    module: _Path | None = None,
    headers: _Path | None = None,
    trigger: Literal["hrtimer", "other-cpu", "frame"] | None = None,
    trigger_cpu: int | None = None,
    card: _Word | None = None,
    jitter: Time | None = None,
    device: _Word | None = None,
    port: int | None = None,
    irq: int | None = None,
    handler: Literal["kernel", "hard", "thread"] | None = None,
    thread_priority: int | None = None,
    task: Literal["kernel", "user"] | None = None,
    cpu: int | None = None,
    priority: int | None = None,
    period: Time | None = None,
    count: int | None = None,
    duration: Time | None = None,
    housekeeping_cpu: int | None = None,
    no_dma_latency: bool = False,
    raw: bool = False,
    histogram_bound: Time | None = None,
    load: _Word | Sequence[_Word] | None = None,
    lead_in: Time | None = None,
    cycle: Time | None = None,
    steady: bool = False,
    seed: int | None = None,
    deadline: Time | None = None,
    kind: Literal["hard", "firm", "soft"] | None = None,
    quantile: _Word | None = None,
    platform: _Word | None = None,
    kernel: _Path | None = None,
    initrd: _Path | None = None,
    append: _Word | None = None,
    timeout: Time | None = None,
    output: _Path | None = None,
    plain: bool = False,
    warm_up: Time | None = None,
    on: _Word | Sequence[_Word] | None = None,
    detach: bool = False,
    force: bool = False,
) -> Answer:
    """Measure how late a handler and a task run after an interrupt: ``prazo measure interrupt``.

    Parameters
    ----------
    module : path, optional
        Module irqlat.ko, or the folder of its source. The default is the module irqlat that is already
        loaded.
    headers : path, optional
        Kernel headers for building the module [default: the running kernel's].
    trigger : {"hrtimer", "other-cpu", "frame"}, optional
        Source of the interrupts. By default hrtimer.
    trigger_cpu : int, optional
        Processor of the triggering timer [default: the measured processor; with other-cpu, the first other
        processor].
    card : str or number, optional
        Network card that receives the triggering frames. The frames have the type 0x88B5.
    jitter : str or datetime.timedelta, optional
        Random delay added to each period, uniform between 0 and this value; --seed sets the random sequence.
        By default 500us.
    device : str or number, optional
        Device whose interrupt line is measured. parallel-port, wired-parallel-port, edu or
        gpio:CHIP:OUTPUT:INPUT. parallel-port and edu are devices of QEMU. wired-parallel-port is a real port;
        connect its pin 9 to its pin 10. For gpio, connect the output line to the input line of the gpiochip.
        By default parallel-port.
    port : int, optional
        First I/O address of the parallel port. By default 0x378.
    irq : int, optional
        Interrupt line of the parallel port. By default 7.
    handler : {"kernel", "hard", "thread"}, optional
        Context in which the interrupt handler runs. By default kernel.
    thread_priority : int, optional
        Real-time priority of the handler thread, 1 to 99 [default: the kernel's, 50].
    task : {"kernel", "user"}, optional
        Context of the task that the handler wakes. By default kernel.
    cpu : int, optional
        Processor of the interrupt line and the task [default: the first]. The default is the first processor
        that this process may use.
    priority : int, optional
        Real-time priority of the task under fifo, 1 to 99. By default 90.
    period : str or datetime.timedelta, optional
        Period of the triggers. By default 1ms.
    count : int, optional
        Number of triggers, after the warm-up. By default 2000.
    duration : str or datetime.timedelta, optional
        Duration of the measurement, instead of a number of triggers.
    housekeeping_cpu : int, optional
        Processor of the recording thread [default: one that is not measured, if there is one].
    no_dma_latency : bool
        Leave the processors' idle states enabled: do not hold /dev/cpu_dma_latency.
    raw : bool
        Keep every sample in the run file.
    histogram_bound : str or datetime.timedelta, optional
        Upper bound of the histogram; larger latencies are only counted, and the worst are listed. By default
        100ms.
    load : str or number, or several, optional
        Apply this load; repeat the flag for several loads. `prazo load --list` names the loads and the units
        of their rates.
    lead_in : str or datetime.timedelta, optional
        Run the loads for this long before measuring. By default 2s.
    cycle : str or datetime.timedelta, optional
        Pause the loads in cycles of about this length; they run for 50 to 83 % of each cycle (Blaess 2014:
        30s).
    steady : bool
        Never pause the loads.
    seed : int, optional
        Seed of all random choices, such as the loads' pauses; the same seed repeats them. By default 1.
    deadline : str or datetime.timedelta, optional
        Deadline of each activation, for example 200us. An activation meets its deadline if the thread runs
        within this time after the activation was due.
    kind : {"hard", "firm", "soft"}, optional
        Kind of the deadline [default: firm].
    quantile : str or number, optional
        Share of due activations that must meet the deadline [default: 0.999 firm, 0.99 soft].
    platform : str or number, optional
        Platform of the lab, such as lab:rt-full. Give lab:NAME, as `prazo lab list` shows it, or
        lab:FILE.toml. The default is this machine.
    kernel : path, optional
        Linux image to boot as the platform.
    initrd : path, optional
        Initramfs for the guest, such as the user space of Xenomai; the lab adds its own files.
    append : str or number, optional
        Additional parameters on the guest kernel's command line.
    timeout : str or datetime.timedelta, optional
        Elapsed time after which the guest is terminated [default: 5m, plus a minute for each measured
        second].
    output : path, optional
        Run file to write. The default is prazo-results/PROBE-DATE.prazo.
    plain : bool
        Print one progress line instead of the live view.
    warm_up : str or datetime.timedelta, optional
        Run the measuring threads for this long before measuring (rounded up to whole seconds). The samples
        are kept, labelled warm-up, and excluded from the figures. By default 0s.
    on : str or number, or several, optional
        Run on this board, as in ssh://root@board; repeat the flag to run on several boards. prazo copies
        itself to the board over SSH, runs there, and copies all written files back. On the board prazo works
        in /dev/shm, or in the folder at the end of the address, as in ssh://root@board/tmp. Several boards
        run at the same time.
    detach : bool
        Disconnect while the board continues; fetch the results later with `prazo fetch`.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    Answer
        What ``--json`` prints; docs/schema/measure.json has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: Answer = _command.answer(
        ["measure", "interrupt"],
        [],
        [],
        module=module,
        headers=headers,
        trigger=trigger,
        trigger_cpu=trigger_cpu,
        card=card,
        jitter=jitter,
        device=device,
        port=port,
        irq=irq,
        handler=handler,
        thread_priority=thread_priority,
        task=task,
        cpu=cpu,
        priority=priority,
        period=period,
        count=count,
        duration=duration,
        housekeeping_cpu=housekeeping_cpu,
        no_dma_latency=no_dma_latency,
        raw=raw,
        histogram_bound=histogram_bound,
        load=load,
        lead_in=lead_in,
        cycle=cycle,
        steady=steady,
        seed=seed,
        deadline=deadline,
        kind=kind,
        quantile=quantile,
        platform=platform,
        kernel=kernel,
        initrd=initrd,
        append=append,
        timeout=timeout,
        output=output,
        plain=plain,
        warm_up=warm_up,
        on=on,
        detach=detach,
        force=force,
    )
    return _printed


def measure_latmon(
    board: _Word,
    *,
    period: Time | None = None,
    duration: Time | None = None,
    cells: int | None = None,
    connect_timeout: Time | None = None,
    deadline: Time | None = None,
    kind: Literal["hard", "firm", "soft"] | None = None,
    quantile: _Word | None = None,
    output: _Path | None = None,
    plain: bool = False,
    force: bool = False,
) -> Answer:
    """Measure this machine's responses with a latmon board: ``prazo measure latmon``.

    Parameters
    ----------
    board : str or number
        Address or name of the board [default port: 2306].
    period : str or datetime.timedelta, optional
        Period of the pulses, in whole µs, at most 1s. By default 1ms.
    duration : str or datetime.timedelta, optional
        Duration of the measurement. By default 30s.
    cells : int, optional
        Cells of the histogram, 1 µs each; at most 1000. By default 1000.
    connect_timeout : str or datetime.timedelta, optional
        Longest time to wait for data from the board. By default 10s.
    deadline : str or datetime.timedelta, optional
        Deadline of each activation, for example 200us. An activation meets its deadline if the thread runs
        within this time after the activation was due.
    kind : {"hard", "firm", "soft"}, optional
        Kind of the deadline [default: firm].
    quantile : str or number, optional
        Share of due activations that must meet the deadline [default: 0.999 firm, 0.99 soft].
    output : path, optional
        Run file to write. The default is prazo-results/PROBE-DATE.prazo.
    plain : bool
        Print one progress line instead of the live view.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    Answer
        What ``--json`` prints; docs/schema/measure.json has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: Answer = _command.answer(
        ["measure", "latmon"],
        [board],
        [],
        period=period,
        duration=duration,
        cells=cells,
        connect_timeout=connect_timeout,
        deadline=deadline,
        kind=kind,
        quantile=quantile,
        output=output,
        plain=plain,
        force=force,
    )
    return _printed


def measure_noise(
    *,
    threshold: Time | None = None,
    runtime: Time | None = None,
    period: Time | None = None,
    no_split: bool = False,
    policy: Literal["other", "fifo", "rr", "deadline"] | None = None,
    cpus: _Word | None = None,
    duration: Time | None = None,
    stop_above: Time | None = None,
    housekeeping_cpu: int | None = None,
    warm_up: Time | None = None,
    no_dma_latency: bool = False,
    raw: bool = False,
    histogram_bound: Time | None = None,
    load: _Word | Sequence[_Word] | None = None,
    lead_in: Time | None = None,
    cycle: Time | None = None,
    steady: bool = False,
    seed: int | None = None,
    deadline: Time | None = None,
    kind: Literal["hard", "firm", "soft"] | None = None,
    quantile: _Word | None = None,
    platform: _Word | None = None,
    kernel: _Path | None = None,
    initrd: _Path | None = None,
    append: _Word | None = None,
    timeout: Time | None = None,
    output: _Path | None = None,
    plain: bool = False,
    priority: int | None = None,
    on: _Word | Sequence[_Word] | None = None,
    detach: bool = False,
    force: bool = False,
) -> Answer:
    """Measure the time that is taken from a busy loop: ``prazo measure noise``.

    Parameters
    ----------
    threshold : str or datetime.timedelta, optional
        Count a gap where two consecutive clock readings are further apart than this. By default 5us.
    runtime : str or datetime.timedelta, optional
        Time for which the loop runs in each period. For the rest of the period the loop sleeps and observes
        nothing. Under fifo and rr, prazo refuses more than 500ms or more than 90 % of --period. By default
        50ms.
    period : str or datetime.timedelta, optional
        Period of the windows in which the loop runs. The processors' windows are spread over the period, so
        that they do not all begin at the same time. By default 100ms.
    no_split : bool
        Measure the gaps only; do not record what took the processor.
    policy : {"other", "fifo", "rr", "deadline"}, optional
        Scheduling policy of the threads. By default fifo.
    cpus : str or number, optional
        Processors to measure, for example 0-3,5 [default: all]. One thread measures each processor. The
        default is every processor that this process may use.
    duration : str or datetime.timedelta, optional
        Duration of the measurement, after the warm-up. By default 30s.
    stop_above : str or datetime.timedelta, optional
        Stop at the first latency or gap above this. At that latency or gap, prazo writes a mark to the
        kernel's trace. If a trace is running, prazo stops it there, saves it next to the run file, and
        continues it.
    housekeeping_cpu : int, optional
        Processor of the recording thread [default: one that is not measured, if there is one].
    warm_up : str or datetime.timedelta, optional
        Run the measuring threads for this long before measuring (rounded up to whole seconds). The samples
        are kept, labelled warm-up, and excluded from the figures. By default 1s.
    no_dma_latency : bool
        Leave the processors' idle states enabled: do not hold /dev/cpu_dma_latency.
    raw : bool
        Keep every sample in the run file.
    histogram_bound : str or datetime.timedelta, optional
        Upper bound of the histogram; larger latencies are only counted, and the worst are listed. By default
        100ms.
    load : str or number, or several, optional
        Apply this load; repeat the flag for several loads. `prazo load --list` names the loads and the units
        of their rates.
    lead_in : str or datetime.timedelta, optional
        Run the loads for this long before measuring. By default 2s.
    cycle : str or datetime.timedelta, optional
        Pause the loads in cycles of about this length; they run for 50 to 83 % of each cycle (Blaess 2014:
        30s).
    steady : bool
        Never pause the loads.
    seed : int, optional
        Seed of all random choices, such as the loads' pauses; the same seed repeats them. By default 1.
    deadline : str or datetime.timedelta, optional
        Deadline of each activation, for example 200us. An activation meets its deadline if the thread runs
        within this time after the activation was due.
    kind : {"hard", "firm", "soft"}, optional
        Kind of the deadline [default: firm].
    quantile : str or number, optional
        Share of due activations that must meet the deadline [default: 0.999 firm, 0.99 soft].
    platform : str or number, optional
        Platform of the lab, such as lab:rt-full. Give lab:NAME, as `prazo lab list` shows it, or
        lab:FILE.toml. The default is this machine.
    kernel : path, optional
        Linux image to boot as the platform.
    initrd : path, optional
        Initramfs for the guest, such as the user space of Xenomai; the lab adds its own files.
    append : str or number, optional
        Additional parameters on the guest kernel's command line.
    timeout : str or datetime.timedelta, optional
        Elapsed time after which the guest is terminated [default: 5m, plus a minute for each measured
        second].
    output : path, optional
        Run file to write. The default is prazo-results/PROBE-DATE.prazo.
    plain : bool
        Print one progress line instead of the live view.
    priority : int, optional
        Real-time priority under fifo and rr, 1 to 99. Threads with a lower priority take no time from the
        loop. By default 90.
    on : str or number, or several, optional
        Run on this board, as in ssh://root@board; repeat the flag to run on several boards. prazo copies
        itself to the board over SSH, runs there, and copies all written files back. On the board prazo works
        in /dev/shm, or in the folder at the end of the address, as in ssh://root@board/tmp. Several boards
        run at the same time.
    detach : bool
        Disconnect while the board continues; fetch the results later with `prazo fetch`.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    Answer
        What ``--json`` prints; docs/schema/measure.json has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: Answer = _command.answer(
        ["measure", "noise"],
        [],
        [],
        threshold=threshold,
        runtime=runtime,
        period=period,
        no_split=no_split,
        policy=policy,
        cpus=cpus,
        duration=duration,
        stop_above=stop_above,
        housekeeping_cpu=housekeeping_cpu,
        warm_up=warm_up,
        no_dma_latency=no_dma_latency,
        raw=raw,
        histogram_bound=histogram_bound,
        load=load,
        lead_in=lead_in,
        cycle=cycle,
        steady=steady,
        seed=seed,
        deadline=deadline,
        kind=kind,
        quantile=quantile,
        platform=platform,
        kernel=kernel,
        initrd=initrd,
        append=append,
        timeout=timeout,
        output=output,
        plain=plain,
        priority=priority,
        on=on,
        detach=detach,
        force=force,
    )
    return _printed


def measure_overheads(
    *,
    policy: Literal["deadline", "fifo"] | None = None,
    tasks: _Word | Sequence[_Word] | None = None,
    shape: Literal["global", "partitioned"] | None = None,
    cpus: _Word | None = None,
    duration: Time | None = None,
    warm_up: Time | None = None,
    seed: int | None = None,
    kinds: Literal["release", "event", "scheduling", "switch", "tick", "ipi"] | Sequence[Literal["release", "event", "scheduling", "switch", "tick", "ipi"]] | None = None,
    working_sets: _Word | Sequence[_Word] | None = None,
    untraced: bool = False,
    platform: _Word | None = None,
    kernel: _Path | None = None,
    initrd: _Path | None = None,
    append: _Word | None = None,
    timeout: Time | None = None,
    plain: bool = False,
    output: _Path | None = None,
    on: _Word | Sequence[_Word] | None = None,
    detach: bool = False,
    force: bool = False,
) -> Answer:
    """Measure the overheads of the kernel's scheduling: ``prazo measure overheads``.

    Parameters
    ----------
    policy : {"deadline", "fifo"}, optional
        Scheduling policy of the tasks. By default deadline.
    tasks : str or number, or several, optional
        Numbers of tasks, ascending; one run for each number. By default 5,15,25,50,75,100,125.
    shape : {"global", "partitioned"}, optional
        Processors that each task may use. By default global.
    cpus : str or number, optional
        Processors for the tasks, for example 0-3,5 [default: all that this process may use].
    duration : str or datetime.timedelta, optional
        Duration of each pass of a run, after the warm-up; a run has up to four passes. By default 5s.
    warm_up : str or datetime.timedelta, optional
        Run the tasks for this long before each pass (rounded up to whole seconds). By default 0s.
    seed : int, optional
        Seed of the tasks' random periods and offsets. By default 1.
    kinds : {"release", "event", "scheduling", "switch", "tick", "ipi"}, optional
        Overheads to trace. By default release,event,scheduling,switch,tick,ipi.
    working_sets : str or number, or several, optional
        Measure the cache-related delay of these working sets, in KiB.
    untraced : bool
        Run the tasks without tracing, to find the cost of tracing.
    platform : str or number, optional
        Platform of the lab, such as lab:rt-full. Give lab:NAME, as `prazo lab list` shows it, or
        lab:FILE.toml. The default is this machine.
    kernel : path, optional
        Linux image to boot as the platform.
    initrd : path, optional
        Initramfs for the guest, such as the user space of Xenomai; the lab adds its own files.
    append : str or number, optional
        Additional parameters on the guest kernel's command line.
    timeout : str or datetime.timedelta, optional
        Elapsed time after which the guest is terminated [default: 5m, plus a minute for each measured
        second].
    plain : bool
        Print one progress line instead of the live view.
    output : path, optional
        Folder for run files and tables [default: prazo-results/overheads-DATE].
    on : str or number, or several, optional
        Run on this board, as in ssh://root@board; repeat the flag to run on several boards. prazo copies
        itself to the board over SSH, runs there, and copies all written files back. On the board prazo works
        in /dev/shm, or in the folder at the end of the address, as in ssh://root@board/tmp. Several boards
        run at the same time.
    detach : bool
        Disconnect while the board continues; fetch the results later with `prazo fetch`.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    Answer
        What ``--json`` prints; docs/schema/measure-overheads.json has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: Answer = _command.answer(
        ["measure", "overheads"],
        [],
        [],
        policy=policy,
        tasks=tasks,
        shape=shape,
        cpus=cpus,
        duration=duration,
        warm_up=warm_up,
        seed=seed,
        kinds=kinds,
        working_sets=working_sets,
        untraced=untraced,
        platform=platform,
        kernel=kernel,
        initrd=initrd,
        append=append,
        timeout=timeout,
        plain=plain,
        output=output,
        on=on,
        detach=detach,
        force=force,
    )
    return _printed


def measure_plan(
    plan: _Path,
    *,
    cpus: _Word | None = None,
    deadline: Time | None = None,
    kind: Literal["hard", "firm", "soft"] | None = None,
    quantile: _Word | None = None,
    output: _Path | None = None,
    plain: bool = False,
    on: _Word | Sequence[_Word] | None = None,
    detach: bool = False,
    force: bool = False,
) -> Answer:
    """Measure with the plan of another run: ``prazo measure plan``.

    Parameters
    ----------
    plan : path
        Run file, or JSON file with a plan.
    cpus : str or number, optional
        Processors instead of the plan's, for example 0-3,5. Each processor gets a thread with the settings of
        the plan's first thread.
    deadline : str or datetime.timedelta, optional
        Deadline of each activation, for example 200us. An activation meets its deadline if the thread runs
        within this time after the activation was due.
    kind : {"hard", "firm", "soft"}, optional
        Kind of the deadline [default: firm].
    quantile : str or number, optional
        Share of due activations that must meet the deadline [default: 0.999 firm, 0.99 soft].
    output : path, optional
        Run file to write. The default is prazo-results/PROBE-DATE.prazo.
    plain : bool
        Print one progress line instead of the live view.
    on : str or number, or several, optional
        Run on this board, as in ssh://root@board; repeat the flag to run on several boards. prazo copies
        itself to the board over SSH, runs there, and copies all written files back. On the board prazo works
        in /dev/shm, or in the folder at the end of the address, as in ssh://root@board/tmp. Several boards
        run at the same time.
    detach : bool
        Disconnect while the board continues; fetch the results later with `prazo fetch`.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    Answer
        What ``--json`` prints; docs/schema/measure.json has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: Answer = _command.answer(
        ["measure", "plan"],
        [plan],
        [],
        cpus=cpus,
        deadline=deadline,
        kind=kind,
        quantile=quantile,
        output=output,
        plain=plain,
        on=on,
        detach=detach,
        force=force,
    )
    return _printed


def measure_serial(
    *,
    device: _Path | None = None,
    baud: int | None = None,
    guest: _Path | None = None,
    machine: _Word | None = None,
    shift: int | None = None,
    duration: Time | None = None,
    deadline: Time | None = None,
    kind: Literal["hard", "firm", "soft"] | None = None,
    quantile: _Word | None = None,
    output: _Path | None = None,
    plain: bool = False,
    force: bool = False,
) -> Answer:
    """Measure any kernel that sends its time stamps over a serial line: ``prazo measure serial``.

    Parameters
    ----------
    device : path, optional
        Serial device, or a file with its recorded output.
    baud : int, optional
        Rate of the device, in baud. By default 115200.
    guest : path, optional
        Image to run on a board that QEMU emulates.
    machine : str or number, optional
        Emulated board: lm3s6965evb, mps2-an385 or mps2-an386.
    shift : int, optional
        Duration of each emulated instruction: 2^N ns. By default 0.
    duration : str or datetime.timedelta, optional
        Longest time to wait for the last record. By default 60s.
    deadline : str or datetime.timedelta, optional
        Deadline of each activation, for example 200us. An activation meets its deadline if the thread runs
        within this time after the activation was due.
    kind : {"hard", "firm", "soft"}, optional
        Kind of the deadline [default: firm].
    quantile : str or number, optional
        Share of due activations that must meet the deadline [default: 0.999 firm, 0.99 soft].
    output : path, optional
        Run file to write. The default is prazo-results/PROBE-DATE.prazo.
    plain : bool
        Print one progress line instead of the live view.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    Answer
        What ``--json`` prints; docs/schema/measure.json has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: Answer = _command.answer(
        ["measure", "serial"],
        [],
        [],
        device=device,
        baud=baud,
        guest=guest,
        machine=machine,
        shift=shift,
        duration=duration,
        deadline=deadline,
        kind=kind,
        quantile=quantile,
        output=output,
        plain=plain,
        force=force,
    )
    return _printed


def measure_timer(
    *,
    policy: Literal["other", "fifo", "rr", "deadline"] | None = None,
    priority: int | None = None,
    cpus: _Word | None = None,
    duration: Time | None = None,
    stop_above: Time | None = None,
    housekeeping_cpu: int | None = None,
    warm_up: Time | None = None,
    no_dma_latency: bool = False,
    raw: bool = False,
    histogram_bound: Time | None = None,
    method: Literal["clock-nanosleep", "nanosleep", "setitimer", "posix-timer", "timerfd"] | None = None,
    runtime: Time | None = None,
    period: Time | Sequence[Time] | None = None,
    phase: Time | Sequence[Time] | None = None,
    aligned: Time | None = None,
    count: int | None = None,
    when_late: Literal["skip", "catch-up", "re-phase"] | None = None,
    trace: _Word | Sequence[_Word] | None = None,
    detect: Time | None = None,
    timer_slack: Time | None = None,
    split: Literal["parts", "causes"] | None = None,
    application: int | None = None,
    load: _Word | Sequence[_Word] | None = None,
    lead_in: Time | None = None,
    cycle: Time | None = None,
    steady: bool = False,
    seed: int | None = None,
    deadline: Time | None = None,
    kind: Literal["hard", "firm", "soft"] | None = None,
    quantile: _Word | None = None,
    platform: _Word | None = None,
    kernel: _Path | None = None,
    initrd: _Path | None = None,
    append: _Word | None = None,
    timeout: Time | None = None,
    output: _Path | None = None,
    plain: bool = False,
    on: _Word | Sequence[_Word] | None = None,
    detach: bool = False,
    force: bool = False,
) -> Answer:
    """Measure how late threads wake up after a timer expires: ``prazo measure timer``.

    Parameters
    ----------
    policy : {"other", "fifo", "rr", "deadline"}, optional
        Scheduling policy of the threads. By default fifo.
    priority : int, optional
        Real-time priority under fifo and rr, 1 to 99. By default 90.
    cpus : str or number, optional
        Processors to measure, for example 0-3,5 [default: all]. One thread measures each processor. The
        default is every processor that this process may use.
    duration : str or datetime.timedelta, optional
        Duration of the measurement, after the warm-up. By default 30s.
    stop_above : str or datetime.timedelta, optional
        Stop at the first latency or gap above this. At that latency or gap, prazo writes a mark to the
        kernel's trace. If a trace is running, prazo stops it there, saves it next to the run file, and
        continues it.
    housekeeping_cpu : int, optional
        Processor of the recording thread [default: one that is not measured, if there is one].
    warm_up : str or datetime.timedelta, optional
        Run the measuring threads for this long before measuring (rounded up to whole seconds). The samples
        are kept, labelled warm-up, and excluded from the figures. By default 1s.
    no_dma_latency : bool
        Leave the processors' idle states enabled: do not hold /dev/cpu_dma_latency.
    raw : bool
        Keep every sample in the run file.
    histogram_bound : str or datetime.timedelta, optional
        Upper bound of the histogram; larger latencies are only counted, and the worst are listed. By default
        100ms.
    method : {"clock-nanosleep", "nanosleep", "setitimer", "posix-timer", "timerfd"}, optional
        System call that waits for the next activation. By default clock-nanosleep.
    runtime : str or datetime.timedelta, optional
        Processor time in each period under the deadline policy [default: a fifth of the period].
    period : str or datetime.timedelta, or several, optional
        Period of the activations. A list gives each processor its own period. By default 1ms.
    phase : str or datetime.timedelta, or several, optional
        Delay of the first activation; a list gives each processor its own delay. By default 0ns.
    aligned : str or datetime.timedelta, optional
        Start each processor's thread this long after the thread before it [default: all at the same instant].
    count : int, optional
        Number of activations, instead of a duration.
    when_late : {"skip", "catch-up", "re-phase"}, optional
        Handling of activations that become due while the thread is late. By default skip.
    trace : str or number, or several, optional
        With --stop-above, record these events of the kernel and save them as text [default: sched, irq and
        timer events]. prazo records into a tracefs instance of its own, and removes the instance afterwards.
        Without tracefs, the events that --split=causes records are saved. The text file is next to the run
        file: NAME.trace.txt.
    detect : str or datetime.timedelta, optional
        Smallest latency that the run must detect; the period should be at most twice this latency (Marsal
        2013).
    timer_slack : str or datetime.timedelta, optional
        Timer slack of threads under policy other [default: the system's, usually 50us].
    split : {"parts", "causes"}, optional
        Split latencies into parts, and name causes. BPF programs split each latency into interrupt and
        activation latency, and record the kernel's events around the worst latencies.
    application : int, optional
        Measure next to a running application with this process id.
    load : str or number, or several, optional
        Apply this load; repeat the flag for several loads. `prazo load --list` names the loads and the units
        of their rates.
    lead_in : str or datetime.timedelta, optional
        Run the loads for this long before measuring. By default 2s.
    cycle : str or datetime.timedelta, optional
        Pause the loads in cycles of about this length; they run for 50 to 83 % of each cycle (Blaess 2014:
        30s).
    steady : bool
        Never pause the loads.
    seed : int, optional
        Seed of all random choices, such as the loads' pauses; the same seed repeats them. By default 1.
    deadline : str or datetime.timedelta, optional
        Deadline of each activation, for example 200us. An activation meets its deadline if the thread runs
        within this time after the activation was due.
    kind : {"hard", "firm", "soft"}, optional
        Kind of the deadline [default: firm].
    quantile : str or number, optional
        Share of due activations that must meet the deadline [default: 0.999 firm, 0.99 soft].
    platform : str or number, optional
        Platform of the lab, such as lab:rt-full. Give lab:NAME, as `prazo lab list` shows it, or
        lab:FILE.toml. The default is this machine.
    kernel : path, optional
        Linux image to boot as the platform.
    initrd : path, optional
        Initramfs for the guest, such as the user space of Xenomai; the lab adds its own files.
    append : str or number, optional
        Additional parameters on the guest kernel's command line.
    timeout : str or datetime.timedelta, optional
        Elapsed time after which the guest is terminated [default: 5m, plus a minute for each measured
        second].
    output : path, optional
        Run file to write. The default is prazo-results/PROBE-DATE.prazo.
    plain : bool
        Print one progress line instead of the live view.
    on : str or number, or several, optional
        Run on this board, as in ssh://root@board; repeat the flag to run on several boards. prazo copies
        itself to the board over SSH, runs there, and copies all written files back. On the board prazo works
        in /dev/shm, or in the folder at the end of the address, as in ssh://root@board/tmp. Several boards
        run at the same time.
    detach : bool
        Disconnect while the board continues; fetch the results later with `prazo fetch`.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    Answer
        What ``--json`` prints; docs/schema/measure.json has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: Answer = _command.answer(
        ["measure", "timer"],
        [],
        [],
        policy=policy,
        priority=priority,
        cpus=cpus,
        duration=duration,
        stop_above=stop_above,
        housekeeping_cpu=housekeeping_cpu,
        warm_up=warm_up,
        no_dma_latency=no_dma_latency,
        raw=raw,
        histogram_bound=histogram_bound,
        method=method,
        runtime=runtime,
        period=period,
        phase=phase,
        aligned=aligned,
        count=count,
        when_late=when_late,
        trace=trace,
        detect=detect,
        timer_slack=timer_slack,
        split=split,
        application=application,
        load=load,
        lead_in=lead_in,
        cycle=cycle,
        steady=steady,
        seed=seed,
        deadline=deadline,
        kind=kind,
        quantile=quantile,
        platform=platform,
        kernel=kernel,
        initrd=initrd,
        append=append,
        timeout=timeout,
        output=output,
        plain=plain,
        on=on,
        detach=detach,
        force=force,
    )
    return _printed


def measure_wakeup(
    *,
    method: Literal["futex", "mutex", "condvar", "semaphore", "sysv-semaphore", "mqueue", "pipe", "eventfd", "signal", "migrate", "push", "all"] | None = None,
    inherit: bool = False,
    waker_cpu: _Word | None = None,
    waker_priority: int | None = None,
    period: Time | None = None,
    count: int | None = None,
    policy: Literal["other", "fifo", "rr", "deadline"] | None = None,
    priority: int | None = None,
    cpus: _Word | None = None,
    duration: Time | None = None,
    stop_above: Time | None = None,
    housekeeping_cpu: int | None = None,
    warm_up: Time | None = None,
    no_dma_latency: bool = False,
    raw: bool = False,
    histogram_bound: Time | None = None,
    load: _Word | Sequence[_Word] | None = None,
    lead_in: Time | None = None,
    cycle: Time | None = None,
    steady: bool = False,
    seed: int | None = None,
    deadline: Time | None = None,
    kind: Literal["hard", "firm", "soft"] | None = None,
    quantile: _Word | None = None,
    platform: _Word | None = None,
    kernel: _Path | None = None,
    initrd: _Path | None = None,
    append: _Word | None = None,
    timeout: Time | None = None,
    output: _Path | None = None,
    plain: bool = False,
    on: _Word | Sequence[_Word] | None = None,
    detach: bool = False,
    force: bool = False,
) -> Answer:
    """Measure how late a thread runs after another has woken it: ``prazo measure wakeup``.

    Parameters
    ----------
    method : {"futex", "mutex", "condvar", "semaphore", "sysv-semaphore", "mqueue", "pipe", "eventfd", "signal", "migrate", "push", "all"}, optional
        Call that wakes the thread, or that moves it. `migrate` and `push` measure the migration latency: the
        woken thread moves to the next processor, because it calls sched_setaffinity(2) or because a more
        urgent thread takes its processor. `all` measures the calls that wake, one after the other, each for
        --duration or --count and into its own run file: -o wakes.prazo writes wakes-futex.prazo and so on.
        With `all`, --inherit applies to the calls that use a mutex. By default futex.
    inherit : bool
        Use a mutex with priority inheritance (methods mutex and condvar).
    waker_cpu : str or number, optional
        Processor of the waking thread: same, other or a number. `same` is the processor of the woken thread,
        `other` the next processor that this process may use. By default same.
    waker_priority : int, optional
        Real-time priority of the waking thread, 1 to 99 [default: one below --priority; one above with push].
        On the same processor, a waking thread with a lower priority is preempted as soon as it wakes the
        other thread. A waking thread with the same priority runs on until it sleeps, as in ptsematest.
    period : str or datetime.timedelta, optional
        Period of the wake-ups. By default 1ms.
    count : int, optional
        Number of wake-ups of each thread, instead of a duration.
    policy : {"other", "fifo", "rr", "deadline"}, optional
        Scheduling policy of the threads. By default fifo.
    priority : int, optional
        Real-time priority under fifo and rr, 1 to 99. By default 90.
    cpus : str or number, optional
        Processors to measure, for example 0-3,5 [default: all]. One thread measures each processor. The
        default is every processor that this process may use.
    duration : str or datetime.timedelta, optional
        Duration of the measurement, after the warm-up. By default 30s.
    stop_above : str or datetime.timedelta, optional
        Stop at the first latency or gap above this. At that latency or gap, prazo writes a mark to the
        kernel's trace. If a trace is running, prazo stops it there, saves it next to the run file, and
        continues it.
    housekeeping_cpu : int, optional
        Processor of the recording thread [default: one that is not measured, if there is one].
    warm_up : str or datetime.timedelta, optional
        Run the measuring threads for this long before measuring (rounded up to whole seconds). The samples
        are kept, labelled warm-up, and excluded from the figures. By default 1s.
    no_dma_latency : bool
        Leave the processors' idle states enabled: do not hold /dev/cpu_dma_latency.
    raw : bool
        Keep every sample in the run file.
    histogram_bound : str or datetime.timedelta, optional
        Upper bound of the histogram; larger latencies are only counted, and the worst are listed. By default
        100ms.
    load : str or number, or several, optional
        Apply this load; repeat the flag for several loads. `prazo load --list` names the loads and the units
        of their rates.
    lead_in : str or datetime.timedelta, optional
        Run the loads for this long before measuring. By default 2s.
    cycle : str or datetime.timedelta, optional
        Pause the loads in cycles of about this length; they run for 50 to 83 % of each cycle (Blaess 2014:
        30s).
    steady : bool
        Never pause the loads.
    seed : int, optional
        Seed of all random choices, such as the loads' pauses; the same seed repeats them. By default 1.
    deadline : str or datetime.timedelta, optional
        Deadline of each activation, for example 200us. An activation meets its deadline if the thread runs
        within this time after the activation was due.
    kind : {"hard", "firm", "soft"}, optional
        Kind of the deadline [default: firm].
    quantile : str or number, optional
        Share of due activations that must meet the deadline [default: 0.999 firm, 0.99 soft].
    platform : str or number, optional
        Platform of the lab, such as lab:rt-full. Give lab:NAME, as `prazo lab list` shows it, or
        lab:FILE.toml. The default is this machine.
    kernel : path, optional
        Linux image to boot as the platform.
    initrd : path, optional
        Initramfs for the guest, such as the user space of Xenomai; the lab adds its own files.
    append : str or number, optional
        Additional parameters on the guest kernel's command line.
    timeout : str or datetime.timedelta, optional
        Elapsed time after which the guest is terminated [default: 5m, plus a minute for each measured
        second].
    output : path, optional
        Run file to write. The default is prazo-results/PROBE-DATE.prazo.
    plain : bool
        Print one progress line instead of the live view.
    on : str or number, or several, optional
        Run on this board, as in ssh://root@board; repeat the flag to run on several boards. prazo copies
        itself to the board over SSH, runs there, and copies all written files back. On the board prazo works
        in /dev/shm, or in the folder at the end of the address, as in ssh://root@board/tmp. Several boards
        run at the same time.
    detach : bool
        Disconnect while the board continues; fetch the results later with `prazo fetch`.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    Answer
        What ``--json`` prints; docs/schema/measure.json has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: Answer = _command.answer(
        ["measure", "wakeup"],
        [],
        [],
        method=method,
        inherit=inherit,
        waker_cpu=waker_cpu,
        waker_priority=waker_priority,
        period=period,
        count=count,
        policy=policy,
        priority=priority,
        cpus=cpus,
        duration=duration,
        stop_above=stop_above,
        housekeeping_cpu=housekeeping_cpu,
        warm_up=warm_up,
        no_dma_latency=no_dma_latency,
        raw=raw,
        histogram_bound=histogram_bound,
        load=load,
        lead_in=lead_in,
        cycle=cycle,
        steady=steady,
        seed=seed,
        deadline=deadline,
        kind=kind,
        quantile=quantile,
        platform=platform,
        kernel=kernel,
        initrd=initrd,
        append=append,
        timeout=timeout,
        output=output,
        plain=plain,
        on=on,
        detach=detach,
        force=force,
    )
    return _printed


def measure_xenomai(
    *,
    tool: Literal["latency", "latmus", "cyclictest"] | None = None,
    context: Literal["user", "kernel", "handler"] | None = None,
    period: Time | None = None,
    duration: Time | None = None,
    priority: int | None = None,
    cpu: int | None = None,
    load: _Word | Sequence[_Word] | None = None,
    lead_in: Time | None = None,
    cycle: Time | None = None,
    steady: bool = False,
    seed: int | None = None,
    deadline: Time | None = None,
    kind: Literal["hard", "firm", "soft"] | None = None,
    quantile: _Word | None = None,
    platform: _Word | None = None,
    kernel: _Path | None = None,
    initrd: _Path | None = None,
    append: _Word | None = None,
    timeout: Time | None = None,
    output: _Path | None = None,
    plain: bool = False,
    on: _Word | Sequence[_Word] | None = None,
    detach: bool = False,
    force: bool = False,
) -> Answer:
    """Measure with a Xenomai tool: latency, latmus or cyclictest: ``prazo measure xenomai``.

    Parameters
    ----------
    tool : {"latency", "latmus", "cyclictest"}, optional
        Tool to run [default: the tool of the installed Xenomai core].
    context : {"user", "kernel", "handler"}, optional
        Context of the measured code. By default user.
    period : str or datetime.timedelta, optional
        Period of the activations, in whole µs. By default 1ms.
    duration : str or datetime.timedelta, optional
        Duration of the measurement, in whole seconds. By default 30s.
    priority : int, optional
        Real-time priority of the task, 1 to 99. By default 98.
    cpu : int, optional
        Processor to measure. By default 0.
    load : str or number, or several, optional
        Apply this load; repeat the flag for several loads. `prazo load --list` names the loads and the units
        of their rates.
    lead_in : str or datetime.timedelta, optional
        Run the loads for this long before measuring. By default 2s.
    cycle : str or datetime.timedelta, optional
        Pause the loads in cycles of about this length; they run for 50 to 83 % of each cycle (Blaess 2014:
        30s).
    steady : bool
        Never pause the loads.
    seed : int, optional
        Seed of all random choices, such as the loads' pauses; the same seed repeats them. By default 1.
    deadline : str or datetime.timedelta, optional
        Deadline of each activation, for example 200us. An activation meets its deadline if the thread runs
        within this time after the activation was due.
    kind : {"hard", "firm", "soft"}, optional
        Kind of the deadline [default: firm].
    quantile : str or number, optional
        Share of due activations that must meet the deadline [default: 0.999 firm, 0.99 soft].
    platform : str or number, optional
        Platform of the lab, such as lab:rt-full. Give lab:NAME, as `prazo lab list` shows it, or
        lab:FILE.toml. The default is this machine.
    kernel : path, optional
        Linux image to boot as the platform.
    initrd : path, optional
        Initramfs for the guest, such as the user space of Xenomai; the lab adds its own files.
    append : str or number, optional
        Additional parameters on the guest kernel's command line.
    timeout : str or datetime.timedelta, optional
        Elapsed time after which the guest is terminated [default: 5m, plus a minute for each measured
        second].
    output : path, optional
        Run file to write. The default is prazo-results/PROBE-DATE.prazo.
    plain : bool
        Print one progress line instead of the live view.
    on : str or number, or several, optional
        Run on this board, as in ssh://root@board; repeat the flag to run on several boards. prazo copies
        itself to the board over SSH, runs there, and copies all written files back. On the board prazo works
        in /dev/shm, or in the folder at the end of the address, as in ssh://root@board/tmp. Several boards
        run at the same time.
    detach : bool
        Disconnect while the board continues; fetch the results later with `prazo fetch`.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    Answer
        What ``--json`` prints; docs/schema/measure.json has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: Answer = _command.answer(
        ["measure", "xenomai"],
        [],
        [],
        tool=tool,
        context=context,
        period=period,
        duration=duration,
        priority=priority,
        cpu=cpu,
        load=load,
        lead_in=lead_in,
        cycle=cycle,
        steady=steady,
        seed=seed,
        deadline=deadline,
        kind=kind,
        quantile=quantile,
        platform=platform,
        kernel=kernel,
        initrd=initrd,
        append=append,
        timeout=timeout,
        output=output,
        plain=plain,
        on=on,
        detach=detach,
        force=force,
    )
    return _printed


def report(
    *runs: _Path,
    deadline: Time | None = None,
    kind: Literal["hard", "firm", "soft"] | None = None,
    quantile: _Word | None = None,
    output: _Path | None = None,
    format: Literal["html", "markdown", "text", "json", "svg"] | None = None,
    title: _Word | None = None,
    force: bool = False,
) -> Any:
    """Show runs, or write a report of them: ``prazo report``.

    Parameters
    ----------
    *runs : path, or several
        Run files.
    deadline : str or datetime.timedelta, optional
        Deadline of each activation, for example 200us. An activation meets its deadline if the thread runs
        within this time after the activation was due.
    kind : {"hard", "firm", "soft"}, optional
        Kind of the deadline [default: firm].
    quantile : str or number, optional
        Share of due activations that must meet the deadline [default: 0.999 firm, 0.99 soft].
    output : path, optional
        File to write; its extension selects the format: .html, .md, .txt, .svg or .json.
    format : {"html", "markdown", "text", "json", "svg"}, optional
        Format of the report [default: from the extension of -o, else a short text].
    title : str or number, optional
        Title of the report. By default prazo report.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    Answer or list of Answer
        What ``--json`` prints; docs/schema/report.json has its keys. With ``format``, what it prints.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: Any = _command.answer_or_text(
        ["report"],
        [*runs],
        [],
        deadline=deadline,
        kind=kind,
        quantile=quantile,
        output=output,
        format=format,
        title=title,
        force=force,
    )
    return _printed


def sched_advise(
    file: _Path,
    *,
    processors: int | None = None,
    shape: _Word | None = None,
    policy: Literal["edf", "fp", "rm", "dm"] | None = None,
    priorities: Literal["given", "rm", "dm", "audsley"] | None = None,
    overheads: _Word | None = None,
    tests: Literal["GFB", "BAK", "BCL", "LOAD", "FF-DBF", "BAR", "BCLI", "RTA"] | Sequence[Literal["GFB", "BAK", "BCL", "LOAD", "FF-DBF", "BAR", "BCLI", "RTA"]] | None = None,
    all_tests: bool = False,
    budget: int | None = None,
    simulate: int | None = None,
    time: _Word | None = None,
    heuristics: Literal["first-fit", "worst-fit", "best-fit", "next-fit"] | Sequence[Literal["first-fit", "worst-fit", "best-fit", "next-fit"]] | None = None,
    order: Literal["as-given", "decreasing-utilization", "decreasing-density", "increasing-deadline", "increasing-period"] | None = None,
    inflate_once: bool = False,
    tolerance: int | None = None,
    output: _Path | None = None,
    force: bool = False,
) -> Answer:
    """Find the smallest changes that make a task set provable: ``prazo sched advise``.

    Parameters
    ----------
    file : path
        Task set: TOML, CSV, or a file of rt-app, SchedCAT, SimSo, SAG, POET or rt-audit.
    processors : int, optional
        Number of processors [default: the scenario's]. If the scenario does not state the number, the default
        is as few processors as the utilization needs.
    shape : str or number, optional
        Scheduler, such as global-edf or rm; or numbers of processors that share a ready queue, such as 2,2. A
        shape is `global` (one ready queue), `partitioned` (a queue for each processor), or the sizes of
        clusters: `2,2`, or `4x2` for four clusters of two processors. `cache`, `cache=2` and `smt` make
        clusters of this machine's processors that share the last-level cache, the level-2 cache or a core. A
        scheduler is a shape and a policy: `global-edf`, `partitioned-rm`, `clustered-edf:2,2`. A policy
        alone, such as `rm`, is partitioned. [default: the scenario's].
    policy : {"edf", "fp", "rm", "dm"}, optional
        Scheduling policy [default: the scenario's]. If the scenario states no policy, the default is edf.
    priorities : {"given", "rm", "dm", "audsley"}, optional
        Source of fixed priorities [default: the scenario's, else dm].
    overheads : str or number, optional
        Table of overheads: a TOML file, or `none` for no overheads.
    tests : {"GFB", "BAK", "BCL", "LOAD", "FF-DBF", "BAR", "BCLI", "RTA"}, optional
        Run only these tests for global EDF, in this order [default: all, in the order of this list]. If tests
        are named, the exhaustive state-space search is omitted, so a small task set that this search would
        decide may stay unknown.
    all_tests : bool
        Run every test and heuristic, even after one has decided.
    budget : int, optional
        Work limit of each test: the number of terms that it may evaluate. A packing may use this much for
        each queue. By default 5000000.
    simulate : int, optional
        Simulate this many jobs after synchronous arrivals to find a miss [default: 20000; 2000 for each
        record of a batch].
    time : str or number, optional
        Arrivals that a proof covers: continuous (any instant) or discrete (whole ticks only). Some published
        tools assume discrete arrivals. A record of a batch may state its own model. By default continuous.
    heuristics : {"first-fit", "worst-fit", "best-fit", "next-fit"}, optional
        Packing heuristics to try.
    order : {"as-given", "decreasing-utilization", "decreasing-density", "increasing-deadline", "increasing-period"}, optional
        Order in which the heuristics place tasks. By default decreasing-utilization.
    inflate_once : bool
        Charge overheads once to the whole set before packing (Vitor 2013); by default, each queue is charged
        for its own tasks.
    tolerance : int, optional
        Percentage by which a period may grow; 0 keeps all periods. By default 10.
    output : path, optional
        Write each changed set and its certificate to this folder.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    Answer
        What ``--json`` prints; docs/schema/sched-advise.json has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: Answer = _command.answer(
        ["sched", "advise"],
        [file],
        [],
        processors=processors,
        shape=shape,
        policy=policy,
        priorities=priorities,
        overheads=overheads,
        tests=tests,
        all_tests=all_tests,
        budget=budget,
        simulate=simulate,
        time=time,
        heuristics=heuristics,
        order=order,
        inflate_once=inflate_once,
        tolerance=tolerance,
        output=output,
        force=force,
    )
    return _printed


def sched_curve(
    run: _Path,
    *,
    force: bool = False,
) -> Answer:
    """Extract observed arrival curves from a run file: ``prazo sched curve``.

    Parameters
    ----------
    run : path
        Run file of `prazo watch`, or of a measurement with --raw.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    Answer
        What ``--json`` prints; docs/schema/sched-curve.json has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: Answer = _command.answer(
        ["sched", "curve"],
        [run],
        [],
        force=force,
    )
    return _printed


def sched_deploy(
    file: _Path,
    *,
    processors: int | None = None,
    shape: _Word | None = None,
    policy: Literal["edf", "fp", "rm", "dm"] | None = None,
    priorities: Literal["given", "rm", "dm", "audsley"] | None = None,
    overheads: _Word | None = None,
    tests: Literal["GFB", "BAK", "BCL", "LOAD", "FF-DBF", "BAR", "BCLI", "RTA"] | Sequence[Literal["GFB", "BAK", "BCL", "LOAD", "FF-DBF", "BAR", "BCLI", "RTA"]] | None = None,
    all_tests: bool = False,
    budget: int | None = None,
    simulate: int | None = None,
    time: _Word | None = None,
    heuristics: Literal["first-fit", "worst-fit", "best-fit", "next-fit"] | Sequence[Literal["first-fit", "worst-fit", "best-fit", "next-fit"]] | None = None,
    order: Literal["as-given", "decreasing-utilization", "decreasing-density", "increasing-deadline", "increasing-period"] | None = None,
    inflate_once: bool = False,
    pid: _Word | Sequence[_Word] | None = None,
    command: _Word | Sequence[_Word] | None = None,
    unit: _Word | Sequence[_Word] | None = None,
    cpus: _Word | None = None,
    dry_run: bool = False,
    systemd: _Path | None = None,
    allow_disproven: bool = False,
    wake: bool = False,
    observe: Time | None = None,
    on: _Word | Sequence[_Word] | None = None,
    detach: bool = False,
    force: bool = False,
) -> Answer:
    """Deploy a task set: assign processors, policies and priorities to processes: ``prazo sched deploy``.

    Parameters
    ----------
    file : path
        Task set: TOML, CSV, or a file of rt-app, SchedCAT, SimSo, SAG, POET or rt-audit.
    processors : int, optional
        Number of processors [default: the scenario's]. If the scenario does not state the number, the default
        is as few processors as the utilization needs.
    shape : str or number, optional
        Scheduler, such as global-edf or rm; or numbers of processors that share a ready queue, such as 2,2. A
        shape is `global` (one ready queue), `partitioned` (a queue for each processor), or the sizes of
        clusters: `2,2`, or `4x2` for four clusters of two processors. `cache`, `cache=2` and `smt` make
        clusters of this machine's processors that share the last-level cache, the level-2 cache or a core. A
        scheduler is a shape and a policy: `global-edf`, `partitioned-rm`, `clustered-edf:2,2`. A policy
        alone, such as `rm`, is partitioned. [default: the scenario's].
    policy : {"edf", "fp", "rm", "dm"}, optional
        Scheduling policy [default: the scenario's]. If the scenario states no policy, the default is edf.
    priorities : {"given", "rm", "dm", "audsley"}, optional
        Source of fixed priorities [default: the scenario's, else dm].
    overheads : str or number, optional
        Table of overheads: a TOML file, or `none` for no overheads.
    tests : {"GFB", "BAK", "BCL", "LOAD", "FF-DBF", "BAR", "BCLI", "RTA"}, optional
        Run only these tests for global EDF, in this order [default: all, in the order of this list]. If tests
        are named, the exhaustive state-space search is omitted, so a small task set that this search would
        decide may stay unknown.
    all_tests : bool
        Run every test and heuristic, even after one has decided.
    budget : int, optional
        Work limit of each test: the number of terms that it may evaluate. A packing may use this much for
        each queue. By default 5000000.
    simulate : int, optional
        Simulate this many jobs after synchronous arrivals to find a miss [default: 20000; 2000 for each
        record of a batch].
    time : str or number, optional
        Arrivals that a proof covers: continuous (any instant) or discrete (whole ticks only). Some published
        tools assume discrete arrivals. A record of a batch may state its own model. By default continuous.
    heuristics : {"first-fit", "worst-fit", "best-fit", "next-fit"}, optional
        Packing heuristics to try.
    order : {"as-given", "decreasing-utilization", "decreasing-density", "increasing-deadline", "increasing-period"}, optional
        Order in which the heuristics place tasks. By default decreasing-utilization.
    inflate_once : bool
        Charge overheads once to the whole set before packing (Vitor 2013); by default, each queue is charged
        for its own tasks.
    pid : str or number, or several, optional
        Id of the process or thread that runs a task.
    command : str or number, or several, optional
        Command to start for a task. A program and its arguments; `>FILE` redirects its output.
    unit : str or number, or several, optional
        Running systemd unit of a task. The main process of the unit is deployed.
    cpus : str or number, optional
        Processors to use, for example 0,2,1,3 [default: free ones]. Clusters take processors in the order of
        the list. The default is the first free processors.
    dry_run : bool
        Only show the changes and how to undo them.
    systemd : path, optional
        Write systemd units to this folder; deploy nothing.
    allow_disproven : bool
        Deploy even if the set is disproven.
    wake : bool
        Send SIGSTOP and SIGCONT to a task that sleeps. The kernel accepts a task's deadline only after the
        task has run in its cluster. SIGSTOP and SIGCONT make some of the task's system calls end early
        (EINTR).
    observe : str or datetime.timedelta, optional
        Duration for which prazo observes the tasks' processors after the deployment. By default 500ms.
    on : str or number, or several, optional
        Run on this board, as in ssh://root@board; repeat the flag to run on several boards. prazo copies
        itself to the board over SSH, runs there, and copies all written files back. On the board prazo works
        in /dev/shm, or in the folder at the end of the address, as in ssh://root@board/tmp. Several boards
        run at the same time.
    detach : bool
        Disconnect while the board continues; fetch the results later with `prazo fetch`.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    Answer
        What ``--json`` prints; docs/schema/sched-deploy.json has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: Answer = _command.answer(
        ["sched", "deploy"],
        [file],
        [],
        processors=processors,
        shape=shape,
        policy=policy,
        priorities=priorities,
        overheads=overheads,
        tests=tests,
        all_tests=all_tests,
        budget=budget,
        simulate=simulate,
        time=time,
        heuristics=heuristics,
        order=order,
        inflate_once=inflate_once,
        pid=pid,
        command=command,
        unit=unit,
        cpus=cpus,
        dry_run=dry_run,
        systemd=systemd,
        allow_disproven=allow_disproven,
        wake=wake,
        observe=observe,
        on=on,
        detach=detach,
        force=force,
    )
    return _printed


def sched_executors(
    file: _Path,
    *,
    budget: int | None = None,
    force: bool = False,
) -> Answer:
    """Bound the latency of callbacks and chains on ROS 2 executors: ``prazo sched executors``.

    Parameters
    ----------
    file : path
        Executors, callbacks and chains: a TOML file.
    budget : int, optional
        Work limit of all bounds together: the number of terms that they may evaluate. By default 5000000.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    Answer
        What ``--json`` prints; docs/schema/sched-executors.json has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: Answer = _command.answer(
        ["sched", "executors"],
        [file],
        [],
        budget=budget,
        force=force,
    )
    return _printed


def sched_experiment(
    experiment: _Word,
    *,
    output: _Path | None = None,
    threads: int | None = None,
    scheduler: _Word | None = None,
    show: bool = False,
    chunk: int | None = None,
    report: _Word | Sequence[_Word] | None = None,
    force: bool = False,
    client: Any = None,
    progress: bool | Progress | None = None,
) -> Any:
    """Measure acceptance ratios of generated task sets: ``prazo sched experiment``.

    Parameters
    ----------
    experiment : str or number
        Name of a built-in experiment, or a TOML file.
    output : path, optional
        Folder for the chunks [default: prazo-results/EXPERIMENT].
    threads : int, optional
        Number of computing threads [default: one for each processor].
    scheduler : str or number, optional
        Dask scheduler whose workers compute the chunks, such as tcp://host:8786. With this option, prazo runs
        `python3` on this machine. That Python needs the package `prazo[dask]`; set PRAZO_PYTHON to use
        another Python.
    show : bool
        Show existing results; compute nothing.
    chunk : int, optional
        Compute only this chunk and print it, without saving it.
    report : str or number, or several, optional
        Also write the result to this file; its extension selects the format: .html, .svg (a file for each
        panel), .csv, .json or .parquet.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.
    client : dask.distributed.Client, optional
        Its workers do the work. Without it, this machine does, or the workers of ``scheduler``.
    progress : callable or bool, optional
        Called with the parts done and the parts in all. True shows a bar where tqdm is installed.

    Returns
    -------
    Answer or list of Answer
        What ``--json`` prints; docs/schema/sched-experiment.json, docs/schema/sched-experiment-chunk.json has
        its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: Any = _cluster.answer(
        client,
        progress,
        ["sched", "experiment"],
        [experiment],
        [],
        output=output,
        threads=threads,
        scheduler=scheduler,
        show=show,
        chunk=chunk,
        report=report,
        force=force,
    )
    return _printed


def sched_inversion(
    *,
    middle: Time | Sequence[Time] | None = None,
    gantt: _Path | None = None,
    platform: _Word | None = None,
    kernel: _Path | None = None,
    initrd: _Path | None = None,
    append: _Word | None = None,
    timeout: Time | None = None,
    output: _Path | None = None,
    force: bool = False,
) -> Answer:
    """Measure priority inversion, with and without priority inheritance: ``prazo sched inversion``.

    Parameters
    ----------
    middle : str or datetime.timedelta, or several, optional
        Execution times of the task with the middle priority. By default 40ms,80ms,160ms.
    gantt : path, optional
        Folder for charts of the observed and simulated schedules.
    platform : str or number, optional
        Platform of the lab, such as lab:rt-full. Give lab:NAME, as `prazo lab list` shows it, or
        lab:FILE.toml. The default is this machine.
    kernel : path, optional
        Linux image to boot as the platform.
    initrd : path, optional
        Initramfs for the guest, such as the user space of Xenomai; the lab adds its own files.
    append : str or number, optional
        Additional parameters on the guest kernel's command line.
    timeout : str or datetime.timedelta, optional
        Elapsed time after which the guest is terminated [default: 5m, plus a minute for each measured
        second].
    output : path, optional
        Run file to write [default: prazo-results/inversion-DATE.prazo].
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    Answer
        What ``--json`` prints; docs/schema/sched-inversion.json has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: Answer = _command.answer(
        ["sched", "inversion"],
        [],
        [],
        middle=middle,
        gantt=gantt,
        platform=platform,
        kernel=kernel,
        initrd=initrd,
        append=append,
        timeout=timeout,
        output=output,
        force=force,
    )
    return _printed


def sched_partition(
    file: _Path,
    *,
    processors: int | None = None,
    shape: _Word | None = None,
    policy: Literal["edf", "fp", "rm", "dm"] | None = None,
    priorities: Literal["given", "rm", "dm", "audsley"] | None = None,
    overheads: _Word | None = None,
    tests: Literal["GFB", "BAK", "BCL", "LOAD", "FF-DBF", "BAR", "BCLI", "RTA"] | Sequence[Literal["GFB", "BAK", "BCL", "LOAD", "FF-DBF", "BAR", "BCLI", "RTA"]] | None = None,
    all_tests: bool = False,
    budget: int | None = None,
    simulate: int | None = None,
    time: _Word | None = None,
    heuristics: Literal["first-fit", "worst-fit", "best-fit", "next-fit"] | Sequence[Literal["first-fit", "worst-fit", "best-fit", "next-fit"]] | None = None,
    order: Literal["as-given", "decreasing-utilization", "decreasing-density", "increasing-deadline", "increasing-period"] | None = None,
    inflate_once: bool = False,
    force: bool = False,
) -> Any:
    """Assign tasks to processors or clusters by packing heuristics: ``prazo sched partition``.

    Parameters
    ----------
    file : path
        Task set: TOML, CSV, or a file of rt-app, SchedCAT, SimSo, SAG, POET or rt-audit.
    processors : int, optional
        Number of processors [default: the scenario's]. If the scenario does not state the number, the default
        is as few processors as the utilization needs.
    shape : str or number, optional
        Scheduler, such as global-edf or rm; or numbers of processors that share a ready queue, such as 2,2. A
        shape is `global` (one ready queue), `partitioned` (a queue for each processor), or the sizes of
        clusters: `2,2`, or `4x2` for four clusters of two processors. `cache`, `cache=2` and `smt` make
        clusters of this machine's processors that share the last-level cache, the level-2 cache or a core. A
        scheduler is a shape and a policy: `global-edf`, `partitioned-rm`, `clustered-edf:2,2`. A policy
        alone, such as `rm`, is partitioned. [default: the scenario's].
    policy : {"edf", "fp", "rm", "dm"}, optional
        Scheduling policy [default: the scenario's]. If the scenario states no policy, the default is edf.
    priorities : {"given", "rm", "dm", "audsley"}, optional
        Source of fixed priorities [default: the scenario's, else dm].
    overheads : str or number, optional
        Table of overheads: a TOML file, or `none` for no overheads.
    tests : {"GFB", "BAK", "BCL", "LOAD", "FF-DBF", "BAR", "BCLI", "RTA"}, optional
        Run only these tests for global EDF, in this order [default: all, in the order of this list]. If tests
        are named, the exhaustive state-space search is omitted, so a small task set that this search would
        decide may stay unknown.
    all_tests : bool
        Run every test and heuristic, even after one has decided.
    budget : int, optional
        Work limit of each test: the number of terms that it may evaluate. A packing may use this much for
        each queue. By default 5000000.
    simulate : int, optional
        Simulate this many jobs after synchronous arrivals to find a miss [default: 20000; 2000 for each
        record of a batch].
    time : str or number, optional
        Arrivals that a proof covers: continuous (any instant) or discrete (whole ticks only). Some published
        tools assume discrete arrivals. A record of a batch may state its own model. By default continuous.
    heuristics : {"first-fit", "worst-fit", "best-fit", "next-fit"}, optional
        Packing heuristics to try.
    order : {"as-given", "decreasing-utilization", "decreasing-density", "increasing-deadline", "increasing-period"}, optional
        Order in which the heuristics place tasks. By default decreasing-utilization.
    inflate_once : bool
        Charge overheads once to the whole set before packing (Vitor 2013); by default, each queue is charged
        for its own tasks.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    Answer or list of Answer
        What ``--json`` prints; docs/json.md has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: Any = _command.answer(
        ["sched", "partition"],
        [file],
        [],
        processors=processors,
        shape=shape,
        policy=policy,
        priorities=priorities,
        overheads=overheads,
        tests=tests,
        all_tests=all_tests,
        budget=budget,
        simulate=simulate,
        time=time,
        heuristics=heuristics,
        order=order,
        inflate_once=inflate_once,
        force=force,
    )
    return _printed


def sched_run(
    file: _Path | None = None,
    *,
    processors: int | None = None,
    shape: _Word | None = None,
    policy: Literal["edf", "fp", "rm", "dm"] | None = None,
    priorities: Literal["given", "rm", "dm", "audsley"] | None = None,
    overheads: _Word | None = None,
    cpus: _Word | None = None,
    duration: Time | None = None,
    seed: int | None = None,
    offsets: Literal["synchronous", "random"] | None = None,
    arrivals: _Word | None = None,
    execution: _Word | None = None,
    step: Time | None = None,
    reserve: Time | None = None,
    gantt: _Path | None = None,
    from_: Time | None = None,
    span: Time | None = None,
    trace: _Path | None = None,
    csv: _Path | None = None,
    platform: _Word | None = None,
    kernel: _Path | None = None,
    initrd: _Path | None = None,
    append: _Word | None = None,
    timeout: Time | None = None,
    machine: _Word | None = None,
    output: _Path | None = None,
    on: _Word | Sequence[_Word] | None = None,
    detach: bool = False,
    force: bool = False,
) -> Any:
    """Run a task set as Linux threads, and compare with bounds and simulation: ``prazo sched run``.

    Parameters
    ----------
    file : path, optional
        Task set: TOML, CSV, or a file of rt-app, SchedCAT, SimSo, SAG, POET or rt-audit.
    processors : int, optional
        Number of processors [default: the scenario's]. If the scenario does not state the number, the default
        is as few processors as the utilization needs.
    shape : str or number, optional
        Scheduler, such as global-edf or rm; or numbers of processors that share a ready queue, such as 2,2. A
        shape is `global` (one ready queue), `partitioned` (a queue for each processor), or the sizes of
        clusters: `2,2`, or `4x2` for four clusters of two processors. `cache`, `cache=2` and `smt` make
        clusters of this machine's processors that share the last-level cache, the level-2 cache or a core. A
        scheduler is a shape and a policy: `global-edf`, `partitioned-rm`, `clustered-edf:2,2`. A policy
        alone, such as `rm`, is partitioned. [default: the scenario's].
    policy : {"edf", "fp", "rm", "dm"}, optional
        Scheduling policy [default: the scenario's]. If the scenario states no policy, the default is edf.
    priorities : {"given", "rm", "dm", "audsley"}, optional
        Source of fixed priorities [default: the scenario's, else dm].
    overheads : str or number, optional
        Table of overheads: a TOML file, or `none` for no overheads.
    cpus : str or number, optional
        Processors to use, for example 0,2,1,3 [default: all]. Clusters take processors in the order of the
        list. The default is every processor that this process may use.
    duration : str or datetime.timedelta, optional
        Duration for which jobs are released. By default 10s.
    seed : int, optional
        Seed of arrivals and execution times; the same seed gives the same jobs. By default 1.
    offsets : {"synchronous", "random"}, optional
        First arrivals: all together, or each at random in its first period. By default synchronous.
    arrivals : str or number, optional
        Arrivals: periodic, or sporadic=0.5. sporadic=0.5 delays each arrival at random, by up to half a
        period. By default periodic.
    execution : str or number, optional
        Execution times, such as bound or uniform=0.5. bound: each job executes for its whole bound.
        uniform=0.5: each job executes for a random time from half its bound to the whole bound. bimodal=0.3:
        each job executes for 30 % of its bound, and one job in 100 for the whole bound. overrun=1.5: each job
        executes for its bound, and one job in 100 for 1.5 times its bound. By default bound.
    step : str or datetime.timedelta, optional
        Length of the steps in which jobs execute; shorter preemptions are not detected [default: 5us, in a
        guest 500us].
    reserve : str or datetime.timedelta, optional
        Execution time reserved in each job for wake-up and the last step [default: measured with empty jobs;
        5ms in a guest].
    gantt : path, optional
        Draw the schedule as .svg or .html. Unless --from is given, the chart shows the first missed deadline,
        if any.
    from_ : str or datetime.timedelta, optional
        Start of the chart [default: 0, or shortly before the first miss].
    span : str or datetime.timedelta, optional
        Duration that the chart shows [default: twice the longest period].
    trace : path, optional
        Write the schedule as a trace for Perfetto or Chrome (JSON).
    csv : path, optional
        Write every event as a row of CSV.
    platform : str or number, optional
        Platform of the lab, such as lab:rt-full. Give lab:NAME, as `prazo lab list` shows it, or
        lab:FILE.toml. The default is this machine.
    kernel : path, optional
        Linux image to boot as the platform.
    initrd : path, optional
        Initramfs for the guest, such as the user space of Xenomai; the lab adds its own files.
    append : str or number, optional
        Additional parameters on the guest kernel's command line.
    timeout : str or datetime.timedelta, optional
        Elapsed time after which the guest is terminated [default: 5m, plus a minute for each measured
        second].
    machine : str or number, optional
        Virtual machine to boot [default: the platform's for one processor, linux-4 for 2 to 4, linux-8 for
        more].
    output : path, optional
        Run file to write. The default is prazo-results/tasks-DATE.prazo.
    on : str or number, or several, optional
        Run on this board, as in ssh://root@board; repeat the flag to run on several boards. prazo copies
        itself to the board over SSH, runs there, and copies all written files back. On the board prazo works
        in /dev/shm, or in the folder at the end of the address, as in ssh://root@board/tmp. Several boards
        run at the same time.
    detach : bool
        Disconnect while the board continues; fetch the results later with `prazo fetch`.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    Answer or list of Answer
        What ``--json`` prints; docs/schema/sched-run.json, docs/schema/sched-run-batch.json has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: Any = _command.answer(
        ["sched", "run"],
        [file],
        [],
        processors=processors,
        shape=shape,
        policy=policy,
        priorities=priorities,
        overheads=overheads,
        cpus=cpus,
        duration=duration,
        seed=seed,
        offsets=offsets,
        arrivals=arrivals,
        execution=execution,
        step=step,
        reserve=reserve,
        gantt=gantt,
        from_=from_,
        span=span,
        trace=trace,
        csv=csv,
        platform=platform,
        kernel=kernel,
        initrd=initrd,
        append=append,
        timeout=timeout,
        machine=machine,
        output=output,
        on=on,
        detach=detach,
        force=force,
    )
    return _printed


def sched_simulate(
    file: _Path | None = None,
    *,
    processors: int | None = None,
    shape: _Word | None = None,
    policy: Literal["edf", "fp", "rm", "dm", "fcfs", "rr"] | None = None,
    priorities: Literal["given", "rm", "dm", "audsley"] | None = None,
    overheads: _Word | None = None,
    quantum: Time | None = None,
    duration: Time | None = None,
    seed: int | None = None,
    offsets: Literal["synchronous", "random"] | None = None,
    arrivals: _Word | None = None,
    execution: _Word | None = None,
    late: Literal["continue", "abort", "skip-next"] | None = None,
    suspensions: Literal["random", "start", "middle"] | None = None,
    supply: Literal["worst", "random"] | None = None,
    gantt: _Path | None = None,
    from_: Time | None = None,
    span: Time | None = None,
    trace: _Path | None = None,
    csv: _Path | None = None,
    report: _Path | None = None,
    batch: _Path | None = None,
    force: bool = False,
) -> Any:
    """Simulate a task set: response times, misses, a chart of the schedule: ``prazo sched simulate``.

    Parameters
    ----------
    file : path, optional
        Task set: TOML, CSV, or a file of rt-app, SchedCAT, SimSo, SAG, POET or rt-audit.
    processors : int, optional
        Number of processors [default: the scenario's]. If the scenario does not state the number, the default
        is as few processors as the utilization needs.
    shape : str or number, optional
        Scheduler, such as global-edf or rm; or numbers of processors that share a ready queue, such as 2,2. A
        shape is `global` (one ready queue), `partitioned` (a queue for each processor), or the sizes of
        clusters: `2,2`, or `4x2` for four clusters of two processors. `cache`, `cache=2` and `smt` make
        clusters of this machine's processors that share the last-level cache, the level-2 cache or a core. A
        scheduler is a shape and a policy: `global-edf`, `partitioned-rm`, `clustered-edf:2,2`. A policy
        alone, such as `rm`, is partitioned. [default: the scenario's].
    policy : {"edf", "fp", "rm", "dm", "fcfs", "rr"}, optional
        Scheduling policy [default: the scenario's]. If the scenario states no policy, the default is edf.
    priorities : {"given", "rm", "dm", "audsley"}, optional
        Source of fixed priorities [default: the scenario's, else dm].
    overheads : str or number, optional
        Table of overheads: a TOML file, or `none` for no overheads.
    quantum : str or datetime.timedelta, optional
        Quantum of round robin. By default 1ms.
    duration : str or datetime.timedelta, optional
        Duration to simulate, such as 10s. By default, the simulation ends when the schedule repeats, and at
        the latest after 10 million events.
    seed : int, optional
        Seed of arrivals and execution times; the same seed gives the same jobs. By default 1.
    offsets : {"synchronous", "random"}, optional
        First arrivals: all together, or each at random in its first period. By default synchronous.
    arrivals : str or number, optional
        Arrivals: periodic, or sporadic=0.5. sporadic=0.5 delays each arrival at random, by up to half a
        period. By default periodic.
    execution : str or number, optional
        Execution times, such as bound or uniform=0.5. bound: each job executes for its whole bound.
        uniform=0.5: each job executes for a random time from half its bound to the whole bound. bimodal=0.3:
        each job executes for 30 % of its bound, and one job in 100 for the whole bound. overrun=1.5: each job
        executes for its bound, and one job in 100 for 1.5 times its bound. By default bound.
    late : {"continue", "abort", "skip-next"}, optional
        Handling of a job that misses its deadline: the job continues, the job ends, or the next job is
        skipped. By default continue.
    suspensions : {"random", "start", "middle"}, optional
        Points at which jobs with `suspends` suspend themselves: random, at their start, or in their middle.
        random: each job suspends itself up to three times. Half of the jobs suspend themselves for the whole
        bound in total, the others for less. start and middle: each job suspends itself once, for the whole
        bound. By default random.
    supply : {"worst", "random"}, optional
        Times at which the scenario's [supply] provides its budget: as late as possible, or in random pieces.
        By default worst.
    gantt : path, optional
        Draw the schedule as .svg or .html. Unless --from is given, the chart shows the first missed deadline,
        if any.
    from_ : str or datetime.timedelta, optional
        Start of the chart [default: 0, or shortly before the first miss].
    span : str or datetime.timedelta, optional
        Duration that the chart shows [default: twice the longest period].
    trace : path, optional
        Write the schedule as a trace for Perfetto or Chrome (JSON).
    csv : path, optional
        Write every event as a row of CSV.
    report : path, optional
        Also write a report: .html with a chart of the schedule, or .md.
    batch : path, optional
        Simulate the task sets of a JSON Lines file; - reads standard input. Each record states its own
        processors and overheads. JSON Lines are printed.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    Answer or list of Answer
        What ``--json`` prints; docs/schema/sched-simulate.json, docs/schema/sched-simulate-batch.json has its
        keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: Any = _command.answer(
        ["sched", "simulate"],
        [file],
        [],
        processors=processors,
        shape=shape,
        policy=policy,
        priorities=priorities,
        overheads=overheads,
        quantum=quantum,
        duration=duration,
        seed=seed,
        offsets=offsets,
        arrivals=arrivals,
        execution=execution,
        late=late,
        suspensions=suspensions,
        supply=supply,
        gantt=gantt,
        from_=from_,
        span=span,
        trace=trace,
        csv=csv,
        report=report,
        batch=batch,
        force=force,
    )
    return _printed


def sched_test(
    *files: _Path,
    processors: int | None = None,
    shape: _Word | None = None,
    policy: Literal["edf", "fp", "rm", "dm"] | None = None,
    priorities: Literal["given", "rm", "dm", "audsley"] | None = None,
    overheads: _Word | None = None,
    tests: Literal["GFB", "BAK", "BCL", "LOAD", "FF-DBF", "BAR", "BCLI", "RTA"] | Sequence[Literal["GFB", "BAK", "BCL", "LOAD", "FF-DBF", "BAR", "BCLI", "RTA"]] | None = None,
    all_tests: bool = False,
    budget: int | None = None,
    simulate: int | None = None,
    time: _Word | None = None,
    heuristics: Literal["first-fit", "worst-fit", "best-fit", "next-fit"] | Sequence[Literal["first-fit", "worst-fit", "best-fit", "next-fit"]] | None = None,
    order: Literal["as-given", "decreasing-utilization", "decreasing-density", "increasing-deadline", "increasing-period"] | None = None,
    inflate_once: bool = False,
    sensitivity: bool = False,
    region: _Word | None = None,
    split: bool = False,
    certificate: _Path | None = None,
    pattern: _Path | None = None,
    pieces: _Path | None = None,
    report: _Path | None = None,
    batch: _Path | None = None,
    force: bool = False,
) -> list[Answer]:
    """Check whether task sets meet their deadlines: ``prazo sched test``.

    Parameters
    ----------
    *files : path, or several
        Task sets: TOML, CSV, or files of rt-app, SchedCAT, SimSo, SAG, POET or rt-audit. The file name
        extension and the content determine the format: .json (rt-app), .xml (SchedCAT, SimSo), .csv (also
        SAG, rt-audit), .yaml (SAG, POET, rt-audit). Remarks state what prazo assumed when it read a file, and
        what the analysis does not use.
    processors : int, optional
        Number of processors [default: the scenario's]. If the scenario does not state the number, the default
        is as few processors as the utilization needs.
    shape : str or number, optional
        Scheduler, such as global-edf or rm; or numbers of processors that share a ready queue, such as 2,2. A
        shape is `global` (one ready queue), `partitioned` (a queue for each processor), or the sizes of
        clusters: `2,2`, or `4x2` for four clusters of two processors. `cache`, `cache=2` and `smt` make
        clusters of this machine's processors that share the last-level cache, the level-2 cache or a core. A
        scheduler is a shape and a policy: `global-edf`, `partitioned-rm`, `clustered-edf:2,2`. A policy
        alone, such as `rm`, is partitioned. [default: the scenario's].
    policy : {"edf", "fp", "rm", "dm"}, optional
        Scheduling policy [default: the scenario's]. If the scenario states no policy, the default is edf.
    priorities : {"given", "rm", "dm", "audsley"}, optional
        Source of fixed priorities [default: the scenario's, else dm].
    overheads : str or number, optional
        Table of overheads: a TOML file, or `none` for no overheads.
    tests : {"GFB", "BAK", "BCL", "LOAD", "FF-DBF", "BAR", "BCLI", "RTA"}, optional
        Run only these tests for global EDF, in this order [default: all, in the order of this list]. If tests
        are named, the exhaustive state-space search is omitted, so a small task set that this search would
        decide may stay unknown.
    all_tests : bool
        Run every test and heuristic, even after one has decided.
    budget : int, optional
        Work limit of each test: the number of terms that it may evaluate. A packing may use this much for
        each queue. By default 5000000.
    simulate : int, optional
        Simulate this many jobs after synchronous arrivals to find a miss [default: 20000; 2000 for each
        record of a batch].
    time : str or number, optional
        Arrivals that a proof covers: continuous (any instant) or discrete (whole ticks only). Some published
        tools assume discrete arrivals. A record of a batch may state its own model. By default continuous.
    heuristics : {"first-fit", "worst-fit", "best-fit", "next-fit"}, optional
        Packing heuristics to try.
    order : {"as-given", "decreasing-utilization", "decreasing-density", "increasing-deadline", "increasing-period"}, optional
        Order in which the heuristics place tasks. By default decreasing-utilization.
    inflate_once : bool
        Charge overheads once to the whole set before packing (Vitor 2013); by default, each queue is charged
        for its own tasks.
    sensitivity : bool
        Also find by how much costs may grow, or what must change to prove the set.
    region : str or number, optional
        Also test a grid of two parameters, as in brake.cost,transfer.period. Parameters are cost, period,
        deadline and jitter. The report draws the verdict of each combination.
    split : bool
        Split tasks over processors if no assignment of whole tasks is proven (C=D splitting). Splitting
        requires partitioned EDF. A split job runs its pieces on one processor after the other.
    certificate : path, optional
        Write a certificate of the verdict, for `prazo sched verify`.
    pattern : path, optional
        Write a task set whose arrivals make a job late, for `prazo sched simulate`.
    pieces : path, optional
        Write the pieces of split tasks as a task set, for `prazo sched simulate`.
    report : path, optional
        Also write a report: .html or .md.
    batch : path, optional
        Test the task sets of a JSON Lines file; - reads standard input. Each record states its own scheduler
        and overheads. JSON Lines are printed.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    list of Answer
        What ``--json`` prints; docs/schema/sched-test.json has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: list[Answer] = _command.answer(
        ["sched", "test"],
        [*files],
        [],
        processors=processors,
        shape=shape,
        policy=policy,
        priorities=priorities,
        overheads=overheads,
        tests=tests,
        all_tests=all_tests,
        budget=budget,
        simulate=simulate,
        time=time,
        heuristics=heuristics,
        order=order,
        inflate_once=inflate_once,
        sensitivity=sensitivity,
        region=region,
        split=split,
        certificate=certificate,
        pattern=pattern,
        pieces=pieces,
        report=report,
        batch=batch,
        force=force,
    )
    return _printed


def sched_undeploy(
    *,
    on: _Word | Sequence[_Word] | None = None,
    detach: bool = False,
    force: bool = False,
) -> list[Answer]:
    """Undo what `deploy` changed, even after a crash: ``prazo sched undeploy``.

    Parameters
    ----------
    on : str or number, or several, optional
        Run on this board, as in ssh://root@board; repeat the flag to run on several boards. prazo copies
        itself to the board over SSH, runs there, and copies all written files back. On the board prazo works
        in /dev/shm, or in the folder at the end of the address, as in ssh://root@board/tmp. Several boards
        run at the same time.
    detach : bool
        Disconnect while the board continues; fetch the results later with `prazo fetch`.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    list of Answer
        What ``--json`` prints; docs/schema/sched-undeploy.json has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: list[Answer] = _command.answer(
        ["sched", "undeploy"],
        [],
        [],
        on=on,
        detach=detach,
        force=force,
    )
    return _printed


def sched_verify(
    file: _Path,
    *,
    against: _Path | None = None,
    force: bool = False,
) -> Answer:
    """Check a certificate independently of the analysis: ``prazo sched verify``.

    Parameters
    ----------
    file : path
        Certificate from `prazo sched test --certificate`.
    against : path, optional
        Task set to compare with the one in the certificate.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    Answer
        What ``--json`` prints; docs/schema/sched-verify.json has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: Answer = _command.answer(
        ["sched", "verify"],
        [file],
        [],
        against=against,
        force=force,
    )
    return _printed


def sched_watch(
    *,
    duration: Time | None = None,
    metrics: _Word | None = None,
    plain: bool = False,
    on: _Word | Sequence[_Word] | None = None,
    detach: bool = False,
    force: bool = False,
) -> Answer:
    """Watch the deployed tasks, job by job: ``prazo sched watch``.

    Parameters
    ----------
    duration : str or datetime.timedelta, optional
        Duration to watch [default: until Ctrl-C].
    metrics : str or number, optional
        Serve the figures as OpenMetrics on this loopback address.
    plain : bool
        Print lines instead of the live view.
    on : str or number, or several, optional
        Run on this board, as in ssh://root@board; repeat the flag to run on several boards. prazo copies
        itself to the board over SSH, runs there, and copies all written files back. On the board prazo works
        in /dev/shm, or in the folder at the end of the address, as in ssh://root@board/tmp. Several boards
        run at the same time.
    detach : bool
        Disconnect while the board continues; fetch the results later with `prazo fetch`.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    Answer
        What ``--json`` prints; docs/schema/sched-watch.json has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: Answer = _command.answer(
        ["sched", "watch"],
        [],
        [],
        duration=duration,
        metrics=metrics,
        plain=plain,
        on=on,
        detach=detach,
        force=force,
    )
    return _printed


def study_list(
    *,
    force: bool = False,
) -> list[Answer]:
    """List the built-in studies: ``prazo study list``.

    Parameters
    ----------
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    list of Answer
        What ``--json`` prints; docs/schema/study-list.json has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: list[Answer] = _command.answer(
        ["study", "list"],
        [],
        [],
        force=force,
    )
    return _printed


def study_run(
    study: _Word,
    *,
    output: _Path | None = None,
    platform: _Word | None = None,
    report: _Path | None = None,
    figures: _Path | None = None,
    plain: bool = False,
    on: _Word | None = None,
    kernel: _Path | None = None,
    initrd: _Path | None = None,
    append: _Word | None = None,
    only: _Word | Sequence[_Word] | None = None,
    seed: int | None = None,
    force: bool = False,
    progress: bool | Progress | None = None,
) -> Answer:
    """Measure or import what is missing, then judge the claims; can be interrupted and resumed: ``prazo study run``.

    Parameters
    ----------
    study : str or number
        Name of a built-in study, or a TOML file.
    output : path, optional
        Folder for the run files [default: prazo-results/STUDY].
    platform : str or number, optional
        Id of the study's platform that this machine represents.
    report : path, optional
        Also write a report: .html, .md, .txt, .svg or .json.
    figures : path, optional
        Also draw samples over time, and latency against cost, as SVG files in this folder.
    plain : bool
        Print one progress line instead of the live view.
    on : str or number, optional
        Board that is the study's platform instead of this machine, such as ssh://root@board.
    kernel : path, optional
        Linux image to measure instead of the platforms' kernels.
    initrd : path, optional
        Initramfs for the image of --kernel; the lab adds its own files.
    append : str or number, optional
        Additional parameters on the guest kernels' command lines.
    only : str or number, or several, optional
        Measure only these platforms of the study. Claims about other platforms are not judged.
    seed : int, optional
        Seed of the first repeat; it determines the other seeds [default: the study's].
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.
    progress : callable or bool, optional
        Called with the parts done and the parts in all. True shows a bar where tqdm is installed.

    Returns
    -------
    Answer
        What ``--json`` prints; docs/schema/study.json has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: Answer = _cluster.answer(
        None,
        progress,
        ["study", "run"],
        [study],
        [],
        output=output,
        platform=platform,
        report=report,
        figures=figures,
        plain=plain,
        on=on,
        kernel=kernel,
        initrd=initrd,
        append=append,
        only=only,
        seed=seed,
        force=force,
    )
    return _printed


def study_show(
    study: _Word,
    *,
    output: _Path | None = None,
    platform: _Word | None = None,
    report: _Path | None = None,
    figures: _Path | None = None,
    plain: bool = False,
    force: bool = False,
) -> Answer:
    """Show existing results and judge the claims on them; measure nothing: ``prazo study show``.

    Parameters
    ----------
    study : str or number
        Name of a built-in study, or a TOML file.
    output : path, optional
        Folder for the run files [default: prazo-results/STUDY].
    platform : str or number, optional
        Id of the study's platform that this machine represents.
    report : path, optional
        Also write a report: .html, .md, .txt, .svg or .json.
    figures : path, optional
        Also draw samples over time, and latency against cost, as SVG files in this folder.
    plain : bool
        Print one progress line instead of the live view.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    Answer
        What ``--json`` prints; docs/schema/study.json has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: Answer = _command.answer(
        ["study", "show"],
        [study],
        [],
        output=output,
        platform=platform,
        report=report,
        figures=figures,
        plain=plain,
        force=force,
    )
    return _printed


def trigger(
    to: _Word | None = None,
    *,
    interface: _Word | None = None,
    period: Time | None = None,
    jitter: Time | None = None,
    duration: Time | None = None,
    count: int | None = None,
    cpu: int | None = None,
    connect_timeout: Time | None = None,
    blind: bool = False,
    answers: bool = False,
    output: _Path | None = None,
    delta: _Word | None = None,
    seed: int | None = None,
    policy: Literal["other", "fifo", "rr", "deadline"] | None = None,
    priority: int | None = None,
    force: bool = False,
) -> Answer:
    """Send triggers to a machine that measures events: ``prazo trigger``.

    Parameters
    ----------
    to : str or number, optional
        Address or name of the measuring machine [default port: 50123].
    interface : str or number, optional
        Send through this interface; without an address, send raw Ethernet frames.
    period : str or datetime.timedelta, optional
        Period of the triggers. Regnier 2008 uses 50ms. By default 1ms.
    jitter : str or datetime.timedelta, optional
        Random delay of each trigger, from 0 to this value [default: a tenth of the period].
    duration : str or datetime.timedelta, optional
        Duration of the series of triggers. By default 30s.
    count : int, optional
        Send this many triggers, instead of a duration.
    cpu : int, optional
        Processor of the sender [default: any].
    connect_timeout : str or datetime.timedelta, optional
        Longest time to wait for the measuring machine. By default 60s.
    blind : bool
        Send without waiting for the measuring machine.
    answers : bool
        Record the answers to each trigger in a run file; the measuring machine runs with --answer.
    output : path, optional
        Run file of the answers [default: prazo-results/answers-DATE.prazo].
    delta : str or number, optional
        Detection delay of this station, subtracted from means: a time, or a run file of answers that were
        measured between two identical idle stations.
    seed : int, optional
        Seed of the random delays; the same seed repeats a series of triggers. By default 1.
    policy : {"other", "fifo", "rr", "deadline"}, optional
        Scheduling policy of the threads. By default fifo.
    priority : int, optional
        Real-time priority under fifo and rr, 1 to 99. By default 90.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    Answer
        What ``--json`` prints; docs/schema/trigger.json has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: Answer = _command.answer(
        ["trigger"],
        [to],
        [],
        interface=interface,
        period=period,
        jitter=jitter,
        duration=duration,
        count=count,
        cpu=cpu,
        connect_timeout=connect_timeout,
        blind=blind,
        answers=answers,
        output=output,
        delta=delta,
        seed=seed,
        policy=policy,
        priority=priority,
        force=force,
    )
    return _printed


def tune(
    *,
    dry_run: bool = False,
    cpus: _Word | None = None,
    on: _Word | Sequence[_Word] | None = None,
    detach: bool = False,
    force: bool = False,
) -> Any:
    """Change the settings that `check` found, reversibly: ``prazo tune``.

    Parameters
    ----------
    dry_run : bool
        Only show the changes (the default).
    cpus : str or number, optional
        Processors for real-time work [default: the isolated ones, else all].
    on : str or number, or several, optional
        Run on this board, as in ssh://root@board; repeat the flag to run on several boards. prazo copies
        itself to the board over SSH, runs there, and copies all written files back. On the board prazo works
        in /dev/shm, or in the folder at the end of the address, as in ssh://root@board/tmp. Several boards
        run at the same time.
    detach : bool
        Disconnect while the board continues; fetch the results later with `prazo fetch`.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    Answer or list of Answer
        What ``--json`` prints; docs/schema/tune.json, docs/schema/tune-apply.json, docs/schema/tune-undo.json
        has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: Any = _command.answer(
        ["tune"],
        [],
        [],
        dry_run=dry_run,
        cpus=cpus,
        on=on,
        detach=detach,
        force=force,
    )
    return _printed


def tune_apply(
    *,
    lift_rt_throttling: bool = False,
    cpus: _Word | None = None,
    on: _Word | Sequence[_Word] | None = None,
    detach: bool = False,
    force: bool = False,
) -> list[Answer]:
    """Make the changes: ``prazo tune apply``.

    Parameters
    ----------
    lift_rt_throttling : bool
        Remove the limit on real-time threads' processor time; a thread that never sleeps can then hang the
        machine.
    cpus : str or number, optional
        Processors for real-time work [default: the isolated ones, else all].
    on : str or number, or several, optional
        Run on this board, as in ssh://root@board; repeat the flag to run on several boards. prazo copies
        itself to the board over SSH, runs there, and copies all written files back. On the board prazo works
        in /dev/shm, or in the folder at the end of the address, as in ssh://root@board/tmp. Several boards
        run at the same time.
    detach : bool
        Disconnect while the board continues; fetch the results later with `prazo fetch`.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    list of Answer
        What ``--json`` prints; docs/schema/tune-apply.json has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: list[Answer] = _command.answer(
        ["tune", "apply"],
        [],
        [],
        lift_rt_throttling=lift_rt_throttling,
        cpus=cpus,
        on=on,
        detach=detach,
        force=force,
    )
    return _printed


def tune_undo(
    *,
    cpus: _Word | None = None,
    on: _Word | Sequence[_Word] | None = None,
    detach: bool = False,
    force: bool = False,
) -> list[Answer]:
    """Restore the old values: ``prazo tune undo``.

    Parameters
    ----------
    cpus : str or number, optional
        Processors for real-time work [default: the isolated ones, else all].
    on : str or number, or several, optional
        Run on this board, as in ssh://root@board; repeat the flag to run on several boards. prazo copies
        itself to the board over SSH, runs there, and copies all written files back. On the board prazo works
        in /dev/shm, or in the folder at the end of the address, as in ssh://root@board/tmp. Several boards
        run at the same time.
    detach : bool
        Disconnect while the board continues; fetch the results later with `prazo fetch`.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    list of Answer
        What ``--json`` prints; docs/schema/tune-undo.json has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: list[Answer] = _command.answer(
        ["tune", "undo"],
        [],
        [],
        cpus=cpus,
        on=on,
        detach=detach,
        force=force,
    )
    return _printed


def watch(
    process: _Word | None = None,
    *,
    comm: _Word | None = None,
    unit: _Word | None = None,
    cgroup: _Word | None = None,
    deployed: bool = False,
    program: Sequence[_Word] = (),
    duration: Time | None = None,
    until_miss: bool = False,
    keep: Time | None = None,
    period: Time | None = None,
    deadline: Time | None = None,
    budget: Time | None = None,
    rules: _Path | None = None,
    section: _Word | Sequence[_Word] | None = None,
    worst: int | None = None,
    no_causes: bool = False,
    output: _Path | None = None,
    trace: _Path | None = None,
    metrics: _Word | None = None,
    cost: bool = False,
    lines: bool = False,
    on: _Word | Sequence[_Word] | None = None,
    detach: bool = False,
    force: bool = False,
) -> Answer:
    """Watch any program against its deadline, with the cause of each miss: ``prazo watch``.

    Parameters
    ----------
    process : str or number, optional
        Process to watch, or one thread of it.
    comm : str or number, optional
        Watch processes and threads by name, also those that start later; `*` and `?` are wildcards.
    unit : str or number, optional
        Watch a systemd unit.
    cgroup : str or number, optional
        Watch a control group and those below it, as in /system.slice.
    deployed : bool
        Watch the tasks of `prazo sched deploy`, each against its own period, deadline, budget and proven
        bound.
    program : str or number, or several, optional
        Program to start and watch, with its arguments.
    duration : str or datetime.timedelta, optional
        Duration to watch [default: until PROGRAM, the process or all deployed tasks end, or Ctrl-C; with
        --comm, --unit or --cgroup until Ctrl-C].
    until_miss : bool
        Stop at the first missed deadline or broken rule.
    keep : str or datetime.timedelta, optional
        Keep only the last part of the run, such as 1h, in the run file [default: all]. The run file is a ring
        on disk. Every second, the samples that are older are removed from it. It has at most 500 MB, and its
        log at most 64 MB. If the samples need more, the oldest are removed earlier, and the file says so.
        After SIGKILL, the file can still be opened, and has the samples written until then.
    period : str or datetime.timedelta, optional
        Period of the activations [default: found from the waits].
    deadline : str or datetime.timedelta, optional
        Deadline of each activation, counted from its due instant [default: the period].
    budget : str or datetime.timedelta, optional
        Processor time that one activation may use.
    rules : path, optional
        Rules that each activation must keep: a TOML file, or `rtapp` for the built-in rules.
    section : str or number, or several, optional
        Section of the program to time: a function, or two places as in `A..B`; repeat the flag for several
        sections. A place is a symbol, a line of a source file as in loop.c:120, or a static probe.
    worst : int, optional
        Number of each thread's worst activations to explain. By default 10.
    no_causes : bool
        Trace only waits and wake-ups, which costs less. Interrupts, softirqs, stalls and page faults that do
        not block cannot then be named as causes. Threads, throttling, locks, waits and page faults that block
        are still named.
    output : path, optional
        Run file to write [default: prazo-results/watch-DATE.prazo].
    trace : path, optional
        File for a Perfetto trace of the worst activations.
    metrics : str or number, optional
        Serve the figures as OpenMetrics at this loopback address, such as 127.0.0.1:9100.
    cost : bool
        Measure the processor time that the kernel spends on watching.
    lines : bool
        Print the figures so far every second, as one line of JSON. The last line is the final answer. Each
        line has the same form as the output of --json.
    on : str or number, or several, optional
        Run on this board, as in ssh://root@board; repeat the flag to run on several boards. prazo copies
        itself to the board over SSH, runs there, and copies all written files back. On the board prazo works
        in /dev/shm, or in the folder at the end of the address, as in ssh://root@board/tmp. Several boards
        run at the same time.
    detach : bool
        Disconnect while the board continues; fetch the results later with `prazo fetch`.
    force : bool
        Overwrite existing files; existing run files are overwritten only when files are copied back from a
        board.

    Returns
    -------
    Answer
        What ``--json`` prints; docs/schema/watch.json has its keys.

    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
    """
    _printed: Answer = _command.answer(
        ["watch"],
        [process],
        [*program],
        comm=comm,
        unit=unit,
        cgroup=cgroup,
        deployed=deployed,
        duration=duration,
        until_miss=until_miss,
        keep=keep,
        period=period,
        deadline=deadline,
        budget=budget,
        rules=rules,
        section=section,
        worst=worst,
        no_causes=no_causes,
        output=output,
        trace=trace,
        metrics=metrics,
        cost=cost,
        lines=lines,
        on=on,
        detach=detach,
        force=force,
    )
    return _printed
