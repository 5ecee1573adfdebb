//! The answer as `--json` prints it.

use super::seen::Seen;
use crate::lab::explain::{Subject, micros, series};
use prazo_core::text::{counted, grouped};
use prazo_lab::coverage::{FunctionCoverage, PathCoverage};
use prazo_lab::recording::Symbols;
use prazo_lab::sections::{Bound, Longest, SectionEnds, SectionKind};
use prazo_verdict::Outcome;
use schemars::JsonSchema;
use serde::Serialize;

/// Functions that are listed because much of them was not executed.
const LARGEST_UNEXECUTED: usize = 10;

/// What every bound is worth, in one sentence.
const COVERAGE: &str = "The bound holds for every combination of the sections that these boots executed; it proves nothing for \
                        other executions.";

/// A bound on the latency, compared with the observed maximum.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Bounded {
    /// Platform of the runs, as `lab:NAME`.
    pub platform: String,
    /// Measured runs whose boots were repeated and watched to compute the bound.
    pub runs: Vec<BoundedRun>,
    /// Time that one instruction takes in the guest.
    pub instruction_ns: u64,
    /// Number of instructions during which sections were recorded.
    pub watched_instructions: u64,
    /// Number of activations that the runs served.
    pub activations: u64,
    /// Largest latency that the runs observed.
    pub observed_max_ns: i64,
    /// Bound on the latency; null where interrupts can take all of the time.
    pub bound_ns: Option<u64>,
    /// The bound divided by the observed maximum; null where there is no bound, or the observed maximum is not above 0.
    pub ratio: Option<f64>,
    /// Largest lateness of the timer itself in the worst activations, which the run files list.
    pub timer_ns: u64,
    /// Number of activations for which the lateness of the timer was recorded.
    pub timer_activations: u64,
    /// Terms of the bound that are sections, each with the longest section of its kind. `scheduler` occurs twice if it is
    /// longer than `off`.
    pub terms: Vec<TermDocument>,
    /// Longest interrupt plus the longest softirqs after an interrupt; both may be under way when the activation
    /// becomes due.
    pub carried_in_ns: u64,
    /// Interrupts that may arrive before the task runs, each with the time that it adds to the bound.
    pub interference: Vec<InterferenceDocument>,
    /// Longest sections: first the longest of each kind, then the next longest ones.
    pub sections: Vec<SectionDocument>,
    /// Code of the kernel that these boots executed, by path. The bound says nothing about code that they did not execute.
    pub coverage: Vec<CoverageDocument>,
    /// Functions that these boots executed only in part; those with the most unexecuted code come first.
    pub largest_unexecuted: Vec<FunctionCoverageDocument>,
    /// Histogram of the section lengths, for each kind of section.
    pub histograms: Vec<HistogramDocument>,
    /// Formula by which the bound is computed.
    pub formula: &'static str,
    /// Assumptions of the bound.
    pub assumptions: Vec<&'static str>,
    /// Summary of the bound in a few sentences.
    pub sentence: String,
}

/// A measured run whose boot was repeated and watched.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BoundedRun {
    /// Name of the run.
    pub run: String,
    /// Whether the boots with the emulator's plugin repeated the samples of the run; always true, because a difference
    /// is an error.
    pub trajectory_equal: bool,
    /// Number of activations that the run served.
    pub activations: u64,
    /// Largest latency of the run.
    pub max_ns: i64,
}

/// A kind of section that the bound counts once, with its longest section.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct TermDocument {
    /// Kind of section: off (interrupts or preemption off), to-scheduler, scheduler, return (from the scheduler to the
    /// task).
    pub kind: &'static str,
    /// Duration of the longest recorded section of this kind.
    pub ns: u64,
    /// Number of recorded sections of this kind.
    pub seen: u64,
}

/// One kind of interrupt that may arrive before the task runs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct InterferenceDocument {
    /// Name of the interrupt, or `softirqs after an interrupt`.
    pub name: String,
    /// Number of recorded interrupts of this kind.
    pub seen: u64,
    /// Duration of the longest recorded interrupt of this kind.
    pub longest_ns: u64,
    /// Largest number of arrivals of this interrupt in a window as long as the bound.
    pub arrivals: u64,
    /// Time that this interrupt adds to the bound: `arrivals` times `longest_ns`.
    pub ns: u64,
}

/// One of the longest sections.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SectionDocument {
    /// Kind of section: off (interrupts or preemption off), to-scheduler, scheduler, return (from the scheduler to the
    /// task).
    pub kind: &'static str,
    /// Duration of the section, without interrupts in it.
    pub ns: u64,
    /// Function in which the section begins; empty for code without a symbol.
    pub begins: String,
    /// Function in which the section ends; empty for code without a symbol.
    pub ends: String,
    /// Number of recorded sections that begin and end in these functions.
    pub seen: u64,
    /// Function with the most instructions of its own in the section, with its callers and its thread; null where this
    /// was not recorded.
    pub name: Option<SectionName>,
}

/// What a section executes: the function with the most instructions, its callers and the thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SectionName {
    /// The function with the most instructions of its own in the section.
    pub function: String,
    /// Number of the function's own instructions in the section.
    pub instructions: u64,
    /// Callers of the function, in words; empty where no caller is known.
    pub callers: String,
    /// Thread in which the function ran; null where no thread is known.
    pub thread: Option<String>,
}

/// How much of one path of the kernel's code was executed while sections were recorded.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct CoverageDocument {
    /// Path: entry (interrupts, faults, system calls, softirqs), timer, scheduler. A function belongs to a path by
    /// its section or by the beginning of its name.
    pub path: &'static str,
    /// Number of functions.
    pub functions: u64,
    /// Number of functions that were executed, at least in part.
    pub functions_executed: u64,
    /// Bytes of all executed functions together; a function reaches to the next symbol.
    pub bytes: u64,
    /// Number of bytes that were executed.
    pub bytes_executed: u64,
}

/// A function that was executed only in part.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FunctionCoverageDocument {
    /// Path: entry, timer or scheduler.
    pub path: &'static str,
    /// Name of the function.
    pub function: String,
    /// Size of the function, up to the next symbol.
    pub bytes: u64,
    /// Number of bytes that were executed.
    pub bytes_executed: u64,
}

/// Histogram of the lengths of the sections of one kind.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HistogramDocument {
    /// Kind of section: off (interrupts or preemption off), to-scheduler, scheduler, return (from the scheduler to the
    /// task).
    pub kind: &'static str,
    /// Number of sections with at least 2^n and fewer than 2^(n+1) instructions; n is the index in the list.
    pub counts: Vec<u64>,
}

impl Bounded {
    /// Pass where there is a bound.
    pub fn outcome(&self) -> Outcome {
        if self.bound_ns.is_some() { Outcome::Pass } else { Outcome::Inconclusive }
    }

    pub(super) fn of(
        subjects: &[Subject],
        seen: &Seen,
        bound: Option<&Bound>,
        sections: impl Iterator<Item = ((SectionKind, SectionEnds, Longest), Option<SectionName>)>,
        symbols: &Symbols,
        instruction_ns: u64,
    ) -> Self {
        let ns = |instructions: u64| instructions * instruction_ns;
        let runs: Vec<BoundedRun> = subjects.iter().map(BoundedRun::of).collect();
        let observed_max_ns = runs.iter().map(|run| run.max_ns).max().unwrap_or(0);
        let activations = runs.iter().map(|run| run.activations).sum();
        let bound_ns = bound.map(|bound| ns(bound.instructions));
        let term = |term: &prazo_lab::sections::Term| TermDocument {
            kind: term.kind.name(),
            ns: ns(term.instructions),
            seen: seen.sections.count(term.kind),
        };
        let interference = |one: &prazo_lab::sections::Interference| InterferenceDocument {
            name: one.name.clone(),
            seen: seen.sections.interrupts.get(&one.name).map_or(0, |all| all.count()),
            longest_ns: ns(one.longest),
            arrivals: one.arrivals,
            ns: ns(one.longest * one.arrivals),
        };
        let section = |((kind, place, longest), name): ((SectionKind, SectionEnds, Longest), Option<SectionName>)| {
            SectionDocument {
                kind: kind.name(),
                ns: ns(longest.length),
                begins: place.begins,
                ends: place.ends,
                seen: longest.count,
                name,
            }
        };
        let mut document = Self {
            platform: subjects.first().map(|one| format!("lab:{}", one.job.platform.name)).unwrap_or_default(),
            runs,
            instruction_ns,
            watched_instructions: seen.sections.watched,
            activations,
            observed_max_ns,
            bound_ns,
            ratio: bound_ns.filter(|_| observed_max_ns > 0).map(|bound| bound as f64 / observed_max_ns as f64),
            timer_ns: seen.timer_ns,
            timer_activations: seen.timers,
            terms: bound.map(|bound| bound.terms.iter().map(term).collect()).unwrap_or_default(),
            carried_in_ns: bound.map_or(0, |bound| ns(bound.carried_in)),
            interference: bound.map(|bound| bound.interference.iter().map(interference).collect()).unwrap_or_default(),
            sections: sections.map(section).collect(),
            coverage: seen.coverage.paths(symbols).into_iter().map(CoverageDocument::from).collect(),
            largest_unexecuted: seen
                .coverage
                .largest_unexecuted(symbols, LARGEST_UNEXECUTED)
                .into_iter()
                .map(FunctionCoverageDocument::from)
                .collect(),
            histograms: histograms(seen),
            formula: "L = timer + max(off, scheduler) + to-scheduler + scheduler + return + longest interrupt + \
                      longest softirqs after an interrupt + sum over the kinds of interrupts, and the softirqs after \
                      them, of (most arrivals in a window of length L) x (longest duration of that kind). L is the bound; each kind of section is counted with its longest section",
            assumptions: vec![
                "the task has the highest priority and waits for a timer",
                "the bound covers only sections that these boots executed; others may be longer",
                "an instruction takes a fixed time: caches, memory and devices add no time",
                "interrupts never arrive closer together than in these boots",
            ],
            sentence: String::new(),
        };
        document.sentence = sentence(&document);
        document
    }
}

impl From<PathCoverage> for CoverageDocument {
    fn from(one: PathCoverage) -> Self {
        let PathCoverage { path, functions, functions_executed, bytes, bytes_executed } = one;
        Self { path: path.name(), functions, functions_executed, bytes, bytes_executed }
    }
}

impl From<FunctionCoverage> for FunctionCoverageDocument {
    fn from(one: FunctionCoverage) -> Self {
        let FunctionCoverage { path, name, bytes, bytes_executed } = one;
        Self { path: path.name(), function: name, bytes, bytes_executed }
    }
}

impl BoundedRun {
    fn of(subject: &Subject) -> Self {
        let series = series(subject.run);
        Self {
            run: subject.run.name.clone(),
            trajectory_equal: true,
            activations: series.map_or(0, |series| series.activations.served),
            max_ns: series.and_then(|series| series.worst.first()).map_or(0, |worst| worst.latency_ns),
        }
    }
}

fn histograms(seen: &Seen) -> Vec<HistogramDocument> {
    let one = |(kind, counts): (&SectionKind, &Vec<u64>)| {
        let used = counts.iter().rposition(|count| *count > 0).map_or(0, |last| last + 1);
        HistogramDocument { kind: kind.name(), counts: counts[..used].to_vec() }
    };
    seen.sections.histograms.iter().map(one).collect()
}

/// The bound, the observation, what carries the bound, and what it is worth.
fn sentence(document: &Bounded) -> String {
    let observed = format!(
        "{} in {}",
        micros(document.observed_max_ns.unsigned_abs()),
        counted(document.activations, "activation")
    );
    let Some(bound) = document.bound_ns else {
        return format!(
            "There is no bound, because interrupts can take all of the time. The observed maximum is {observed}."
        );
    };
    let ratio = document.ratio.map_or_else(String::new, |ratio| format!(", {ratio:.2} times"));
    let mut text = format!("The bound is {}{ratio} the observed maximum of {observed}.", micros(bound));
    if ratio.is_empty() {
        text = format!("The bound is {}; the observed maximum is {observed}.", micros(bound));
    }
    let carries = document.sections.first().filter(|first| first.ns * 4 >= bound);
    if let Some(first) = carries {
        let name = first.name.as_ref().map_or_else(
            || format!("from `{}` to `{}`", first.begins, first.ends),
            |name| {
                let thread = name.thread.as_ref().map(|thread| format!(" in thread {thread}")).unwrap_or_default();
                format!("mostly in `{}`{}{thread}", name.function, name.callers)
            },
        );
        let what = match first.kind {
            "off" => "with interrupts or preemption off",
            "to-scheduler" => "on the way to the scheduler",
            "scheduler" => "in the scheduler",
            _ => "from the scheduler to the task",
        };
        text += &format!(" The longest section takes {} {what}, {name}.", micros(first.ns));
    }
    format!("{text} {COVERAGE} {} instructions were watched.", grouped(document.watched_instructions))
}
