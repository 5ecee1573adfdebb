//! A bound as people read it: the sentence, what it adds up, and the sections that carry it.

use super::document::{Bounded, SectionDocument};
use prazo_core::text::grouped;
use prazo_report::terminal::{InWords, Side, Words};
use prazo_report::view::Cell;
use prazo_stats::shift::us;

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
        let carried = row("an interrupt and softirqs under way", self.carried_in_ns, 1, seen);
        let coming = self.interference.iter().filter(|one| one.arrivals > 0);
        let coming = coming.map(move |one| row(&one.name, one.longest_ns, one.arrivals, one.seen));
        std::iter::once(timer).chain(terms).chain([carried]).chain(coming)
    }
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
