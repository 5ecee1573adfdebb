//! What was watched, as scripts read it.

use prazo_probe::activations::{
    Around, KernelCost, LatencyParts, MinAndSum, NotTraced, ProgramSection, Rule, SeenSection, SeenThread, SeenWait,
    Slice, Unplaced, WorstActivation,
};
use prazo_run::Histogram;
use prazo_run::run::Quantity;
use prazo_run::watched::{WatchedAround, WatchedCpu, WatchedFigures, WatchedSlice, WatchedWorst};
use prazo_stats::distribution::Distribution;
use prazo_stats::level::Level;
use prazo_verdict::watched::{
    UnplacedPlace, WatchedPart, WatchedQuantiles, WatchedRule, WatchedSection, WatchedThread, WatchedWork,
};
use prazo_verdict::{Outcome, Reason};
use schemars::JsonSchema;
use serde::Serialize;

/// Result of a watch, as `prazo watch --json` prints it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WatchedProgram {
    /// The watched program, process, thread or group, or `the deployed tasks`.
    pub target: String,
    /// The run file with the activations; null where no thread waited repeatedly or passed a section.
    pub file: Option<String>,
    /// Outcome of the watch: `pass`, `fail` or `inconclusive`.
    #[schemars(with = "String")]
    pub outcome: Outcome,
    /// Reasons for the outcome, the most decisive first.
    pub reasons: Vec<Reason>,
    /// Duration of the watch.
    pub watched_s: f64,
    /// The watched threads that wait repeatedly; other threads have no activations.
    pub threads: Vec<WatchedThread>,
    /// Passes of each thread through the sections that `--section` and rules name.
    pub sections: Vec<WatchedSection>,
    /// Places of sections and rules that were not found, or that cannot be traced.
    pub unplaced: Vec<UnplacedPlace>,
    /// The rules of `--rules`, with the result for each thread that they apply to.
    pub rules: Vec<WatchedRule>,
    /// Number of threads that could not be followed because prazo's table of threads was full.
    pub unfollowed: u64,
    /// Exit status of the started program, as a shell reports it; 0 where prazo ended the program, null where none was
    /// started.
    pub status: Option<u8>,
    /// Processor time that prazo itself used.
    pub processor_time_s: f64,
    /// Processor time of prazo for each served activation, excluding prazo's start and end; null where no activation
    /// was served.
    pub processor_time_per_activation_ns: Option<u64>,
    /// Cost of watching inside the kernel; null without `--cost`, or if the kernel does not count it.
    pub kernel_cost: Option<WatchCost>,
    /// Events that the kernel does not show on this machine, each with the consequence for the answer.
    pub not_traced: Vec<Untraced>,
    /// Notes for the reader.
    pub remarks: Vec<String>,
}

impl WatchedProgram {
    /// How the watch ended, to a shell that asks.
    pub fn ending(&self) -> WatchEnding {
        match self.status {
            Some(status @ 1..) => WatchEnding::Program(status),
            // A program that ended well is no failure because little was seen of it.
            Some(0) if self.outcome == Outcome::Inconclusive => WatchEnding::Judged(Outcome::Pass),
            _ => WatchEnding::Judged(self.outcome),
        }
    }
}

/// How a watch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchEnding {
    /// The started program ended with this status, which is not 0.
    Program(u8),
    /// What was seen was judged.
    Judged(Outcome),
}

/// Cost of watching inside the kernel, on the processors and threads where the events happen.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WatchCost {
    /// Number of runs of BPF programs, including those for threads that are not followed.
    pub runs: u64,
    /// Total time of the runs of BPF programs, including two clock reads for each run.
    pub processor_time_s: f64,
    /// Time of the runs of BPF programs for each served activation; null where none was served.
    pub per_activation_ns: Option<u64>,
}

impl WatchCost {
    pub(super) fn of(cost: KernelCost, activations: u64) -> Self {
        let processor_time_s = std::time::Duration::from_nanos(cost.ns).as_secs_f64();
        Self { runs: cost.runs, processor_time_s, per_activation_ns: cost.ns.checked_div(activations) }
    }
}

/// Events that the kernel does not show on this machine.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Untraced {
    /// What the kernel does not show: the name of a kernel function, `interrupts and context switches of the processors`, or `open files of a process`.
    pub what: String,
    /// Reason, in the words of the kernel or of the loader.
    pub why: String,
    /// Consequence for the answer.
    pub consequence: String,
}

impl From<NotTraced> for Untraced {
    fn from(NotTraced { what, why, consequence, .. }: NotTraced) -> Self {
        Self { what, why, consequence }
    }
}

/// A followed thread; `None` for one without a wait that comes again and again.
pub(super) fn thread(seen: SeenThread, has_budget: bool) -> Option<WatchedThread> {
    let wait = seen.wait?;
    let (is_due, work, parts) = (wait.rule != Rule::Relative, work(&wait), parts(&wait));
    Some(WatchedThread {
        thread_id: seen.thread_id,
        process_id: seen.process_id,
        name: seen.name,
        wait: wait.call,
        rule: wait.rule.name().into(),
        clock: wait.clock.name().into(),
        period_ns: wait.period_ns,
        deadline_ns: wait.deadline_ns,
        is_deadline_found: wait.is_deadline_found,
        bound_ns: None,
        due: is_due.then_some(wait.served + wait.skipped),
        served: wait.served,
        skipped: wait.skipped,
        missed: wait.missed,
        unseen: wait.unseen,
        under_way_at_start: wait.under_way_at_start,
        overruns: has_budget.then_some(wait.overruns),
        latency: quantiles(&wait.latency, wait.exact.latency, wait.max.latency_ns),
        response: quantiles(&wait.response, wait.exact.response, wait.max.response_ns),
        parts,
        split: is_due.then_some(wait.parts.counts),
        work,
    })
}

/// A section as a thread passed it.
pub(super) fn section(name: &ProgramSection, seen: &SeenThread, section: &SeenSection) -> WatchedSection {
    let SeenSection { restarted, unbegun, passes, .. } = section;
    WatchedSection {
        section: name.to_string(),
        thread_id: seen.thread_id,
        process_id: seen.process_id,
        name: seen.name.clone(),
        begun: passes.served,
        ended: passes.response.total(),
        restarted: *restarted,
        unbegun: *unbegun,
        unseen: passes.unseen,
        period_ns: passes.period_ns,
        time: quantiles(&passes.response, passes.exact.response, passes.max.response_ns),
        work: work(passes),
    }
}

fn work(wait: &SeenWait) -> WatchedWork {
    WatchedWork { execution: quantiles(&wait.own, wait.exact.own, wait.max.own_ns), figures: figures(wait, None) }
}

/// How much is kept of what happened around the worst activations.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeptAround {
    /// When the watch began.
    began_ns: u64,
    /// The last slices of each processor.
    slices: usize,
}

impl KeptAround {
    /// Everything, of a watch that began then.
    pub(super) const fn all(began_ns: u64) -> Self {
        Self { began_ns, slices: usize::MAX }
    }

    /// What a run file takes.
    pub(super) const fn in_file(began_ns: u64) -> Self {
        Self { began_ns, slices: 300 }
    }

    fn of(self, around: &Around) -> WatchedAround {
        let since = |ns: u64| ns.saturating_sub(self.began_ns);
        let slice = |one: &Slice| WatchedSlice {
            from_ns: since(one.from_ns),
            to_ns: since(one.to_ns),
            kind: one.kind.name().into(),
            name: one.name.clone(),
        };
        let last = |slices: &[Slice]| slices[slices.len().saturating_sub(self.slices)..].iter().map(slice).collect();
        let all = || around.cpus.iter().map(|(_, slices)| slices).chain([&around.thread]);
        let beyond: usize = all().map(|slices| slices.len().saturating_sub(self.slices)).sum();
        WatchedAround {
            from_ns: since(around.from_ns),
            released_ns: since(around.released_ns),
            to_ns: since(around.to_ns),
            thread: last(&around.thread),
            cpus: around.cpus.iter().map(|(cpu, slices)| WatchedCpu { cpu: *cpu, slices: last(slices) }).collect(),
            left_out: around.left_out + beyond as u64,
        }
    }
}

/// What a thread did within its activations or passes, and who took its time.
pub(super) fn figures(wait: &SeenWait, kept: Option<KeptAround>) -> WatchedFigures {
    WatchedFigures {
        preemptions: wait.preempted.0,
        preempted_ns: wait.preempted.1,
        blocked_ns: wait.blocked_ns,
        migrations: wait.migrations,
        minor_faults: wait.faults.0,
        major_faults: wait.faults.1,
        causes: wait.causes.clone(),
        preempted_by: wait.preempted_by.clone(),
        blocked_in: wait.blocked_in.clone(),
        with_events: wait.with_events,
        worst: wait.worst.iter().map(|one| worst(one, kept)).collect(),
    }
}

/// The parts of the latencies, in the order of a measured run.
fn parts(wait: &SeenWait) -> Vec<WatchedPart> {
    let of = |quantity: Quantity| {
        let part = wait.parts.parts.get(&quantity)?;
        let values = quantiles(&part.histogram, part.exact, part.max_ns)?;
        Some(WatchedPart { quantity, values })
    };
    LatencyParts::quantities(wait.rule).into_iter().filter_map(of).collect()
}

/// A place that is looked at nowhere.
pub(super) fn unplaced(Unplaced { place, why, .. }: Unplaced) -> UnplacedPlace {
    UnplacedPlace { place, why }
}

fn worst(one: &WorstActivation, kept: Option<KeptAround>) -> WatchedWorst {
    WatchedWorst {
        activation: one.number,
        due_ns: one.due_ns,
        latency_ns: one.latency_ns,
        response_ns: one.response_ns,
        unfinished: one.is_unfinished,
        cause: one.culprit.cause.name().into(),
        who: one.culprit.who.clone(),
        sentence: one.culprit.sentence.clone(),
        around: kept.zip(one.around.as_ref()).map(|(kept, around)| kept.of(around)),
    }
}

fn quantiles(histogram: &Histogram, exact: MinAndSum, max_ns: u64) -> Option<WatchedQuantiles> {
    let distribution = Distribution::new(histogram.cells().collect(), Vec::new());
    let quantile = |level| distribution.supported_quantile(level).and_then(|bracket| bracket.exact());
    let min_ns = exact.min_ns?.cast_signed();
    let count = distribution.count();
    Some(WatchedQuantiles {
        count,
        min_ns,
        mean_ns: (exact.sum_ns / u128::from(count.max(1))) as i64,
        p50_ns: quantile(Level::nines(2)),
        p90_ns: quantile(Level::nines(10)),
        p99_ns: quantile(Level::nines(100)),
        p999_ns: quantile(Level::nines(1_000)),
        max_ns: max_ns as i64,
    })
}

/// "thread 815 'ctl' waits with clock_nanosleep, absolute, every 1.000 ms".
pub(super) fn waits(row: &WatchedThread) -> String {
    let every = row.period_ns.map_or_else(String::new, |period| {
        let about = if row.due.is_none() || row.rule == Rule::Event.name() { "about " } else { "" };
        format!(", {about}every {:.3} ms", period as f64 / 1e6)
    });
    format!("thread {} '{}' waits with {}, {}{every}", row.thread_id, row.name, row.wait, row.rule)
}
