//! A watched thread as a run names it: whose activations its series are, what the thread waits for, what was not seen, and
//! who made it late.

use prazo_core::text::grouped;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// A watched thread of a program, and how prazo finds its activations.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SeriesThread {
    /// Id of the thread.
    pub thread_id: u32,
    /// Id of the thread's process.
    pub process_id: u32,
    /// Name of the thread.
    pub name: String,
    /// Watched section of the program, such as `step` or `A..B`, if the series counts its passes; null where the series
    /// counts activations of the thread.
    #[serde(default)]
    pub section: Option<String>,
    /// System call in which the thread waits for its next activation; for a section, the name of the section.
    pub wait: String,
    /// How prazo finds the instants at which activations are due: `absolute`, `timer`, `relative` or `event`.
    pub rule: String,
    /// Clock of the instants at which activations are due.
    pub clock: String,
    /// Deadline that decides which activations count as missed; null where there is none, or where it is not known
    /// yet.
    pub deadline_ns: Option<u64>,
    /// Number of activations whose beginning or end prazo did not see; no count of the thread's series includes them.
    pub unseen: u64,
}

impl fmt::Display for SeriesThread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.thread_id, self.name)?;
        self.section.as_ref().map_or(Ok(()), |section| write!(f, ": {section}"))
    }
}

/// What is known of one watched thread, or of one of its sections, besides its series.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WatchedAccount {
    /// The watched thread, or the section.
    pub thread: SeriesThread,
    /// What the thread did within its activations or passes, and what made it late.
    #[serde(flatten)]
    pub figures: WatchedFigures,
}

/// How a thread waited within its activations, or within its passes of a section; what took the time; and the worst
/// activations or passes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WatchedFigures {
    /// Number of preemptions within activations or passes.
    pub preemptions: u64,
    /// Total time within activations or passes in which the thread was runnable without a processor.
    pub preempted_ns: u64,
    /// Total time within activations or passes in which the thread was blocked.
    pub blocked_ns: u64,
    /// Number of migrations within activations or passes: the thread continued on another processor.
    pub migrations: u64,
    /// Number of page faults within activations or passes that read nothing from a file or swap.
    pub minor_faults: u64,
    /// Number of page faults within activations or passes that read from a file or swap.
    pub major_faults: u64,
    /// Causes of all activations that missed the deadline; null without a deadline, and for sections.
    pub causes: Option<MissCauses>,
    /// What ran while the thread was runnable without a processor, and what interrupted it while it ran.
    pub preempted_by: TimeTaken,
    /// Where the thread was blocked within its activations or passes, and who woke it.
    pub blocked_in: TimeTaken,
    /// Number of activations or passes for which the processors' events were read. `preempted_by` includes the interrupts and softirqs of these only.
    pub with_events: u64,
    /// The activations with the longest response times, longest first; of a section, the longest passes. For a pass,
    /// `due_ns` is its beginning on `monotonic`, and `response_ns` is its duration.
    pub worst: Vec<WatchedWorst>,
}

/// Causes of the activations that missed their deadline. The counts of `by_cause` add up to the missed activations, and
/// so do those of `by_who`, `others` and `unnamed`. prazo looks for a cause only if an activation is late according to the
/// period that prazo knew when the activation ended; other missed activations count as `unknown`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MissCauses {
    /// Number of missed activations by cause, such as `interrupt` or `unknown`; a cause that made no activation late is absent.
    pub by_cause: BTreeMap<String, u64>,
    /// The devices, softirqs, threads and system calls that made the most activations late, most first; at most ten.
    pub by_who: Vec<MissesBy>,
    /// Number of missed activations whose cause has a name that `by_who` does not list.
    pub others: u64,
    /// Number of missed activations whose cause has no known name.
    pub unnamed: u64,
}

/// Missed activations that one device, softirq, thread or system call made late.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MissesBy {
    /// What made the activations late, such as `interrupt` or `thread`.
    pub cause: String,
    /// Name of the device, softirq, thread or system call.
    pub who: String,
    /// Number of missed activations that this device, softirq, thread or system call made late.
    pub count: u64,
}

/// Time within activations or passes of a thread, by the cause that took it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TimeTaken {
    /// The causes that took the most time, most first; at most ten.
    pub by: Vec<TakenBy>,
    /// Number of activations or passes in which a cause that `by` does not list took time, summed over these causes.
    pub others: u64,
    /// Time that all causes that `by` does not list took together.
    pub others_ns: u64,
}

/// Time that one interrupt, softirq, thread or wait took within a thread's activations or its passes through a section.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TakenBy {
    /// What took the time, such as `interrupt`, `thread` or `lock`.
    pub cause: String,
    /// System call in which the thread was blocked; null where it was preempted, or blocked outside of system calls.
    pub wait: Option<String>,
    /// Name of the device, softirq or thread that ran, or of the thread that woke the watched thread; null where it is not
    /// known.
    pub who: Option<String>,
    /// Number of activations or passes in which this cause took time.
    pub count: u64,
    /// Time that this cause took in all of these activations or passes.
    pub total_ns: u64,
}

/// One of the worst activations of a thread, or one of the worst passes of a section, with its cause.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WatchedWorst {
    /// Number of the activation among the served activations, or of the pass among all passes that began; both count
    /// from 0.
    pub activation: u64,
    /// When the activation was due, on the clock that `clock` names.
    pub due_ns: i64,
    /// Time from the due instant until the thread ran.
    pub latency_ns: u64,
    /// Time from the due instant to the next wait, or to the end of the watch if the activation had not ended.
    pub response_ns: u64,
    /// True if the activation had not ended when the watch ended.
    pub unfinished: bool,
    /// What made the activation late: `interrupt`, `softirq`, `thread`, `throttled`, `lock`, `page-fault`, `io`,
    /// `sleep`, `stopped`, `slack`, `stall`, `program` or `unknown`.
    pub cause: String,
    /// Name of the device, softirq, thread or system call that made the activation late; null where it is not known.
    pub who: Option<String>,
    /// The activation and its cause in one sentence.
    pub sentence: String,
    /// What happened around the activation; absent where prazo did not keep these events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub around: Option<WatchedAround>,
}

/// What a thread and its processors did around one activation or pass. Instants count from the beginning of the watch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WatchedAround {
    /// When the activation was due, or the section began.
    pub from_ns: u64,
    /// When the thread's wait for the activation ended, or the section began.
    pub released_ns: u64,
    /// When the activation or the pass ended.
    pub to_ns: u64,
    /// What the thread did, in order.
    pub thread: Vec<WatchedSlice>,
    /// What each processor that the thread was on did, from a little before the activation or pass until a little after.
    pub cpus: Vec<WatchedCpu>,
    /// Number of slices that were left out. prazo keeps the last 1,000 of each processor; a run file has only the last 300 of each processor and of the thread.
    pub left_out: u64,
}

/// What one processor did around an activation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WatchedCpu {
    /// Number of the processor.
    pub cpu: u32,
    /// What the processor did, ordered by beginning. Of two slices that overlap, one contains the other.
    pub slices: Vec<WatchedSlice>,
}

/// Something that a thread or a processor did for a while.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WatchedSlice {
    /// When the slice began.
    pub from_ns: u64,
    /// When the slice ended.
    pub to_ns: u64,
    /// Kind of the slice: `timer late`, `runnable`, `blocked`, `running`, `thread`, `interrupt` or `softirq`.
    pub kind: String,
    /// Name of what ran, or what the thread did or waited for.
    pub name: String,
}

impl fmt::Display for WatchedWorst {
    /// "thread hog: ran after 15 µs, waited again after 3,002 µs: 2,987 µs hog ran instead".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let who = self.who.as_ref().map_or_else(String::new, |who| format!(" {who}"));
        write!(f, "{}{who}: {}", self.cause, self.sentence)
    }
}

impl fmt::Display for TakenBy {
    /// "thread hog 15,002 µs (3)", "lock futex, woken by low 400 µs (1)".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cause, wait, who, count, total_ns } = self;
        let what = match (wait, who) {
            (Some(wait), Some(who)) => format!("{cause} {wait}, woken by {who}"),
            (Some(name), None) | (None, Some(name)) => format!("{cause} {name}"),
            (None, None) => cause.clone(),
        };
        write!(f, "{what} {} µs ({})", grouped((total_ns + 500) / 1_000), grouped(*count))
    }
}

impl TimeTaken {
    /// Those who took the most time, most first, in words; what is beyond `shown` of them is one sum.
    pub fn texts(&self, shown: usize) -> Vec<String> {
        let mut texts: Vec<String> = self.by.iter().take(shown).map(ToString::to_string).collect();
        let beyond = self.by.get(shown..).unwrap_or_default();
        let count = self.others + beyond.iter().map(|one| one.count).sum::<u64>();
        let total_ns = self.others_ns + beyond.iter().map(|one| one.total_ns).sum::<u64>();
        if count > 0 {
            texts.push(format!("others {} µs ({})", grouped((total_ns + 500) / 1_000), grouped(count)));
        }
        texts
    }
}

impl MissCauses {
    /// The causes, most frequent first, in words.
    pub fn texts(&self) -> Vec<String> {
        let mut causes: Vec<(&String, &u64)> = self.by_cause.iter().collect();
        causes.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        causes.into_iter().map(|(cause, count)| format!("{cause} {}", grouped(*count))).collect()
    }

    /// Those who made activations late, most first, in words; what is beyond `shown` of them is one sum.
    pub fn who_texts(&self, shown: usize) -> Vec<String> {
        let named = self.by_who.iter().take(shown);
        let mut texts: Vec<String> = named.map(|one| format!("{} {}", one.who, grouped(one.count))).collect();
        let beyond = self.by_who.get(shown..).unwrap_or_default();
        let others = self.others + beyond.iter().map(|one| one.count).sum::<u64>();
        for (name, count) in [("others", others), ("not known", self.unnamed)] {
            if count > 0 {
                texts.push(format!("{name} {}", grouped(count)));
            }
        }
        texts
    }
}
