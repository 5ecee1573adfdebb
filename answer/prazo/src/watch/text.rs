//! A watched program as people read it.

use super::document::WatchedProgram;
use prazo_core::text::{counted, grouped};
use prazo_report::terminal::{InWords, Words, watched};
use prazo_verdict::watched::WatchedWorst;
use std::fmt::Display;

/// The worst activations of each thread that a person wants to read.
const SHOWN: usize = 3;

impl InWords for WatchedProgram {
    fn write(&self, to: &mut Words<'_>) {
        to.block(&watched::threads(&self.threads, to.style));
        for thread in self.threads.iter().filter(|thread| thread.deadline_ns.is_some()) {
            to.lines(worst(&thread.thread_id, &thread.work.worst));
        }
        if !self.sections.is_empty() {
            to.block(&watched::sections(&self.sections, to.style));
        }
        self.sections.iter().for_each(|section| to.lines(worst(&section.section, &section.work.worst)));
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
    (1..).zip(worst.iter().take(SHOWN)).map(move |(place, worst)| {
        let who = worst.who.as_ref().map_or_else(String::new, |who| format!(" {who}"));
        format!("{of} worst {place}: {}{who}: {}", worst.cause, worst.sentence)
    })
}

fn each(ns: Option<u64>) -> String {
    ns.map_or_else(String::new, |ns| format!(", {:.1} µs for each activation", ns as f64 / 1e3))
}
