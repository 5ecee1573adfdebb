//! A watched program as people read it.

use super::document::WatchedProgram;
use prazo_core::text::{counted, grouped, tenths_of_micros};
use prazo_report::terminal::{InWords, Words, watched};
use prazo_run::run::Quantity;
use prazo_run::watched::{WatchedFigures, WatchedWorst};
use prazo_verdict::watched::{WatchedPart, WatchedThread};
use std::fmt::Display;

/// The worst activations of each thread that a person wants to read.
const SHOWN: usize = 3;
/// Those who took a thread's time, or made it late, of whom a person wants to read.
const TAKERS: usize = 5;

impl InWords for WatchedProgram {
    fn write(&self, to: &mut Words<'_>) {
        to.block(&watched::threads(&self.threads, to.style));
        for thread in self.threads.iter().filter(|thread| thread.deadline_ns.is_some()) {
            let name = format!("thread {}", thread.thread_id);
            to.lines(worst(&name, &thread.work.figures.worst));
            to.lines(causes(thread));
            to.lines(parts(thread));
            to.lines(taken(&name, &thread.work.figures));
        }
        if !self.sections.is_empty() {
            to.block(&watched::sections(&self.sections, to.style));
        }
        for section in &self.sections {
            to.lines(worst(&section.section, &section.work.figures.worst));
            to.lines(taken(&section.section, &section.work.figures));
        }
        for rule in &self.rules {
            let [one, many] = rule.unit();
            let unit = if rule.checked() == 1 { one } else { many };
            let of = format!("{} of {} {unit}", grouped(rule.broken()), grouped(rule.checked()));
            to.line(format_args!("rule {}: '{}', broken by {of}", rule.state.name(), rule.name));
        }
        for one in &self.not_traced {
            to.line(format_args!("- not traced: {} ({}); {}", one.what, one.why, one.consequence));
        }
        to.lines(self.remarks.iter().map(|remark| format!("- {remark}")));
        to.lines(self.reasons.iter().map(watched::reason));
        to.line(format_args!(
            "watched for {:.1} s; prazo used {:.2} s of processor time{}",
            self.watched_s,
            self.processor_time_s,
            each(self.processor_time_per_activation_ns)
        ));
        if let Some(cost) = &self.kernel_cost {
            to.line(format_args!(
                "in the kernel: BPF programs ran {} and took {:.3} s{}",
                counted(cost.runs, "time"),
                cost.processor_time_s,
                each(cost.per_activation_ns)
            ));
        }
        to.lines(self.file.iter().map(|file| format!("run file: {file}")));
        to.line(format_args!("{}: {}", self.target, self.outcome.name().to_uppercase()));
    }
}

fn worst(of: &impl Display, worst: &[WatchedWorst]) -> impl Iterator<Item = String> {
    (1..).zip(worst.iter().take(SHOWN)).map(move |(place, worst)| format!("{of}, worst no. {place}: {worst}"))
}

/// What made how many activations late, and who did.
fn causes(thread: &WatchedThread) -> Vec<String> {
    let Some(causes) = thread.work.figures.causes.as_ref().filter(|causes| !causes.by_cause.is_empty()) else {
        return Vec::new();
    };
    let (id, all) = (thread.thread_id, causes.texts().join(", "));
    let who = causes.who_texts(TAKERS).join(", ");
    vec![
        format!("thread {id}, deadline misses by cause: {all}"),
        format!("thread {id}, deadline misses caused by: {who}"),
    ]
}

/// The mean and the maximum of each part of the latency.
fn parts(thread: &WatchedThread) -> Option<String> {
    // It is the sum of the three that follow it.
    let shown = thread.parts.iter().filter(|part| part.quantity != Quantity::ActivationLatency);
    let part = |part: &WatchedPart| {
        format!(
            "{} {} / {}",
            part.quantity,
            tenths_of_micros(part.values.mean_ns),
            tenths_of_micros(part.values.max_ns)
        )
    };
    let texts: Vec<String> = shown.map(part).collect();
    (!texts.is_empty())
        .then(|| format!("thread {}, parts of the latency, mean / max µs: {}", thread.thread_id, texts.join(", ")))
}

/// Who ran instead and what it was blocked in, within all activations.
fn taken(of: &impl Display, figures: &WatchedFigures) -> Vec<String> {
    let rows = [("preempted or interrupted by", &figures.preempted_by), ("blocked in", &figures.blocked_in)];
    let texts = rows.map(|(what, taken)| (what, taken.texts(TAKERS)));
    let line = |(what, texts): (&str, Vec<String>)| format!("{of} {what}: {}", texts.join(", "));
    texts.into_iter().filter(|(_, texts)| !texts.is_empty()).map(line).collect()
}

fn each(ns: Option<u64>) -> String {
    ns.map_or_else(String::new, |ns| format!(", {:.1} µs for each activation", ns as f64 / 1e3))
}
