//! The kernel's own trace beside a run with a threshold: stopped at the latency that ends the run, and saved beside the run file.
//!
//! Where the user asks for events, they are recorded into an instance of prazo's own, which ends with the run. Where a trace is
//! running already, that one is stopped and saved, and goes on afterwards. Both are in the journal first. Without tracefs the
//! events that BPF keeps of the worst samples take its place.

use super::recording::Recording;
use prazo_engine::MarkedTrace;
use prazo_platform::root::{Root, Unavailable};
use prazo_platform::tracefs::FOLDERS;
use prazo_platform::tunable::{Held, Journal, JournalError, Tunable, TunableRecord, TuneError};
use prazo_run::run::Ending;
use prazo_run::{Caveat, Plan, Severity};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// What is recorded unless the user names events. Not every kernel has all of them.
const USUAL: [&str; 6] = [
    "sched:sched_switch",
    "sched:sched_waking",
    "irq",
    "irq_vectors",
    "timer:hrtimer_expire_entry",
    "timer:hrtimer_expire_exit",
];

/// Events of the kernel's trace by name, `sched:sched_switch` or a whole group (`irq`); none means the usual ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceEvents(pub Vec<String>);

/// Why the kernel's trace cannot be recorded beside a run.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// There is no tracefs, and nothing else keeps events.
    #[error(
        "cannot record the kernel's trace, because tracefs cannot be read: run as root; if tracefs is not mounted, run \
         `mount -t tracefs nodev /sys/kernel/tracing`, or give --split=causes"
    )]
    NoTracefs,
    /// The kernel knows no such event.
    #[error(
        "cannot trace '{event}': this kernel has no such event; choose an event that {folder}/available_events lists"
    )]
    NoEvent {
        /// What was asked.
        event: String,
        /// The folder of the kernel's trace.
        folder: String,
    },
    /// It could not be switched on.
    #[error("cannot trace '{event}': {why}")]
    Refused {
        /// What was asked.
        event: String,
        /// What the system said.
        why: Unavailable,
    },
    /// The kernel refused an instance of its trace.
    #[error("cannot record the kernel's trace: {0}")]
    Instance(#[from] TuneError),
    /// There is no journal, so nothing is changed.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

impl TraceError {
    /// True where the user asked for something that cannot be.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::NoEvent { .. })
    }
}

/// A trace that is recorded while a run measures.
pub(super) struct KernelTrace {
    /// Its folder, from the root on.
    folder: String,
    marked: MarkedTrace,
    held: Held,
}

impl KernelTrace {
    /// Begins to record what is `wanted`, or prepares to stop a trace that is running already. `None` where there is nothing to
    /// stop at, nothing to stop, or only events that something else keeps.
    pub(super) fn begin(
        plan: &Plan,
        wanted: Option<&TraceEvents>,
        has_events: bool,
        root: &Root,
    ) -> Result<Option<Self>, TraceError> {
        if plan.stop_above.is_none() {
            return Ok(None);
        }
        match (tracefs(root), wanted) {
            (Some(tracefs), Some(events)) => Self::of_own(&tracefs, events, root).map(Some),
            (Some(tracefs), None) if is_recording(&tracefs, root) => Self::of_others(&tracefs, root).map(Some),
            (None, Some(_)) if !has_events => Err(TraceError::NoTracefs),
            _ => Ok(None),
        }
    }

    fn of_own(tracefs: &str, events: &TraceEvents, root: &Root) -> Result<Self, TraceError> {
        let folder = format!("{tracefs}/instances/prazo-{}", std::process::id());
        let trace = Self::new(folder.clone(), Journal::open(root)?.hold_folder(&folder)?, root);
        // The clock of the samples; another one is only harder to read.
        let _ = root.write(&format!("{folder}/trace_clock"), "mono");
        for event in &events.0 {
            match enable(root, &folder, event) {
                Ok(()) => {}
                Err(Unavailable::Absent { .. }) => {
                    return Err(TraceError::NoEvent { event: event.clone(), folder: tracefs.to_owned() });
                }
                Err(why) => return Err(TraceError::Refused { event: event.clone(), why }),
            }
        }
        if events.0.is_empty() {
            USUAL.iter().for_each(|event| drop(enable(root, &folder, event)));
        }
        Ok(trace)
    }

    /// A measuring thread stops it, so that is written down ahead.
    fn of_others(tracefs: &str, root: &Root) -> Result<Self, TraceError> {
        let switch = Tunable::file(&format!("{tracefs}/tracing_on")).expect("it is below /sys");
        Ok(Self::new(tracefs.to_owned(), Journal::open(root)?.hold_ahead(&switch, "0")?, root))
    }

    fn new(folder: String, held: Held, root: &Root) -> Self {
        let marked = MarkedTrace { folder: root.base().join(&folder[1..]), stops: true };
        Self { folder, marked, held }
    }

    /// What a measuring thread marks and stops.
    pub(super) fn marked(&self) -> MarkedTrace {
        self.marked.clone()
    }
}

/// What came of a trace.
#[derive(Debug, Default)]
pub(super) struct Traced {
    /// Where it is saved.
    pub file: Option<PathBuf>,
    /// What was changed for it.
    pub tunables: Vec<TunableRecord>,
    /// What it means for the result.
    pub caveat: Option<Caveat>,
}

/// Saves what led to the latency that stopped the run, beside `run_file`, and puts the system back.
pub(super) fn saved(trace: Option<KernelTrace>, ending: &Ending, run_file: &Path, recording: &Recording) -> Traced {
    let Ending::Threshold { cpu, latency_ns } = *ending else { return put_back(trace, Ok(None)) };
    let file = run_file.with_extension("trace.txt");
    let written = match &trace {
        Some(trace) => copy(&trace.marked.folder.join("trace"), &file).map(|()| Some(file.clone())),
        None => match recording.events_of(cpu, latency_ns) {
            Some(text) => {
                File::create_new(&file).and_then(|mut new| new.write_all(text.as_bytes())).map(|()| Some(file.clone()))
            }
            None => Ok(None),
        },
    };
    put_back(trace, written.map_err(|error| not_saved(&file, &error)))
}

fn put_back(trace: Option<KernelTrace>, written: Result<Option<PathBuf>, Caveat>) -> Traced {
    let cost = trace.as_ref().map(|trace| cost(&trace.folder));
    let tunables = trace.into_iter().map(|trace| trace.held.release()).collect();
    match written {
        Ok(file) => Traced { file, tunables, caveat: cost },
        Err(caveat) => Traced { file: None, tunables, caveat: Some(caveat) },
    }
}

fn copy(trace: &Path, file: &Path) -> io::Result<()> {
    io::copy(&mut File::open(trace)?, &mut File::create_new(file)?).map(drop)
}

/// The folder of the kernel's trace, as far as this user may use it.
fn tracefs(root: &Root) -> Option<String> {
    FOLDERS.into_iter().find(|folder| root.exists(&format!("{folder}/trace_marker"))).map(str::to_owned)
}

/// Every kernel's trace is on; it records something where a tracer or an event is.
fn is_recording(tracefs: &str, root: &Root) -> bool {
    let read = |name: &str| root.read(&format!("{tracefs}/{name}")).unwrap_or_default();
    read("tracing_on") == "1" && (!["", "nop"].contains(&&*read("current_tracer")) || !read("set_event").is_empty())
}

fn enable(root: &Root, folder: &str, event: &str) -> Result<(), Unavailable> {
    let path = format!("{folder}/events/{}/enable", event.replacen(':', "/", 1));
    let is_name =
        |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if !event.splitn(2, ':').all(is_name) {
        return Err(Unavailable::Absent { path });
    }
    root.write(&path, "1")
}

fn cost(folder: &str) -> Caveat {
    Caveat::new(
        "kernel-trace-cost",
        Severity::Info,
        format!("the kernel recorded a trace during the run ({folder}); the latencies contain the cost of tracing"),
        "measure again without --trace, and with no other trace running, and compare",
    )
}

fn not_saved(file: &Path, error: &io::Error) -> Caveat {
    Caveat::new(
        "trace-not-saved",
        Severity::Info,
        format!("the kernel's trace could not be saved in {}: {error}", file.display()),
        "remove an older file of that name, or choose another folder with --output, and repeat the run",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_core::time::Duration;
    use prazo_run::plan::{Length, Policy};
    use prazo_run::source::Source;

    /// A copied tree with a trace in it.
    fn tree(on: &str, tracer: &str, events: &str) -> (tempfile::TempDir, Root) {
        let tree = tempfile::tempdir().unwrap();
        let folder = tree.path().join("sys/kernel/tracing");
        std::fs::create_dir_all(folder.join("instances")).unwrap();
        for (name, text) in
            [("trace_marker", ""), ("tracing_on", on), ("current_tracer", tracer), ("set_event", events)]
        {
            std::fs::write(folder.join(name), text).unwrap();
        }
        let root = Root::at(tree.path());
        (tree, root)
    }

    fn plan() -> Plan {
        let length = Length::Duration { length: Duration::from_s(1) };
        let plan = Plan::new(Source::Timer, Policy::Fifo { priority: 95 }, Vec::new(), length);
        Plan { stop_above: Some(Duration::from_us(1)), ..plan }
    }

    #[test]
    fn a_trace_counts_as_running_where_a_tracer_or_an_event_is_on() {
        let cases = [
            ("1", "nop", "", false),
            ("1", "function", "", true),
            ("1", "nop", "irq:x", true),
            ("0", "nop", "irq:x", false),
        ];
        for (on, tracer, events, expected) in cases {
            let (_tree, root) = tree(on, tracer, events);
            assert_eq!(is_recording("/sys/kernel/tracing", &root), expected, "{on} {tracer} {events}");
        }
    }

    #[test]
    fn without_a_threshold_or_a_trace_nothing_is_prepared_and_what_cannot_be_recorded_is_refused() {
        let (_tree, root) = tree("1", "nop", "");
        assert!(KernelTrace::begin(&plan(), None, false, &root).unwrap().is_none());
        let endless = Plan { stop_above: None, ..plan() };
        assert!(KernelTrace::begin(&endless, Some(&TraceEvents::default()), false, &root).unwrap().is_none());
        let empty = tempfile::tempdir().unwrap();
        let root = Root::at(empty.path());
        let wanted = TraceEvents::default();
        let refused = KernelTrace::begin(&plan(), Some(&wanted), false, &root).err().unwrap();
        assert!(refused.to_string().contains("mount -t tracefs"), "{refused}");
        assert!(KernelTrace::begin(&plan(), Some(&wanted), true, &root).unwrap().is_none(), "BPF keeps the events");
    }

    #[test]
    fn names_of_events_never_lead_elsewhere() {
        let (_tree, root) = tree("1", "nop", "");
        for event in ["../../x", "a:../b", "", ":", "a/b"] {
            assert!(matches!(enable(&root, "/sys/kernel/tracing", event), Err(Unavailable::Absent { .. })), "{event}");
        }
    }
}
