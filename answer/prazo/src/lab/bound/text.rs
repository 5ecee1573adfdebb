//! A bound as people read it: the sentence, what it adds up, and the sections that carry it.

use super::document::{Bounded, CoverageDocument, SectionDocument};
use prazo_core::text::grouped;
use prazo_report::terminal::{InWords, Side, Words};
use prazo_report::view::Cell;
use prazo_stats::microseconds::us;

impl InWords for Bounded {
    fn write(&self, to: &mut Words<'_>) {
        to.line(&self.sentence);
        to.line("");
        to.table(
            &[Side::Left, Side::Right, Side::Right, Side::Right],
            &["part of the bound", "longest, µs", "times", "seen"],
            self.added_up(),
        );
        to.line("");
        to.table(
            &[Side::Left, Side::Right, Side::Right, Side::Wrapped],
            &["longest sections", "µs", "seen", "where"],
            self.sections
                .iter()
                .map(|one| vec![Cell::from(one.kind), time(one.ns), number(one.seen), Cell::from(place(one))]),
        );
        to.line("");
        to.table(
            &[Side::Left, Side::Right, Side::Right, Side::Right, Side::Right, Side::Right],
            &["kernel code", "functions", "executed", "bytes of executed functions", "executed bytes", "%"],
            self.coverage.iter().map(covered),
        );
        if !self.largest_unexecuted.is_empty() {
            let each = self.largest_unexecuted.iter();
            let each: Vec<_> = each
                .map(|one| format!("{} ({} of {})", one.function, grouped(one.bytes_executed), grouped(one.bytes)))
                .collect();
            to.line(format_args!(
                "Executed functions with the most code that was not executed (executed of all bytes): {}.",
                each.join(", ")
            ));
        }
        to.line("");
        to.line(format_args!("Bound: {}.", self.formula));
    }
}

impl Bounded {
    /// What the bound adds up, a row each.
    fn added_up(&self) -> impl Iterator<Item = Vec<Cell>> {
        let row = |name: &str, ns, times, seen| vec![Cell::from(name), time(ns), number(times), number(seen)];
        let timer = row("timer", self.timer_ns, 1, self.timer_activations);
        let terms = self.terms.iter().map(move |term| row(term.kind, term.ns, 1, term.seen));
        let seen = self.interference.iter().map(|one| one.seen).sum();
        let carried = row("an interrupt and softirqs already running", self.carried_in_ns, 1, seen);
        let coming = self.interference.iter().filter(|one| one.arrivals > 0);
        let coming = coming.map(move |one| row(&one.name, one.longest_ns, one.arrivals, one.seen));
        std::iter::once(timer).chain(terms).chain([carried]).chain(coming)
    }
}

/// A path, and how much of it was executed.
fn covered(one: &CoverageDocument) -> Vec<Cell> {
    let share = 100.0 * one.bytes_executed as f64 / one.bytes.max(1) as f64;
    let counts = [one.functions, one.functions_executed, one.bytes, one.bytes_executed].map(number);
    [Cell::from(one.path)].into_iter().chain(counts).chain([Cell::from(format!("{share:.0}"))]).collect()
}

fn place(section: &SectionDocument) -> String {
    match &section.name {
        Some(name) => {
            let thread = name.thread.as_ref().map(|thread| format!(" of {thread}")).unwrap_or_default();
            format!("{}{}{thread}", name.function, name.callers.replace('`', ""))
        }
        None => format!("{} to {}", section.begins, section.ends),
    }
}

fn time(ns: u64) -> Cell {
    us(ns as f64).into()
}

fn number(count: u64) -> Cell {
    grouped(count).to_string().into()
}
