//! The events around one sample as text, in the form of the kernel's own trace: what is saved where there is no tracefs.

use super::cause::vector;
use super::events::Stretch;
use super::record::{Edge, Event, RecordKind};
use std::fmt::Write;

/// How long before the sample was due, and after it was served, events are told.
const BESIDE_NS: u64 = 1_000_000;

/// One sample in time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Around {
    /// Its processor.
    pub cpu: u32,
    /// When it was due, on CLOCK_MONOTONIC.
    pub due_ns: u64,
    /// When it was served.
    pub served_ns: u64,
}

impl Around {
    /// From when to when events are told.
    pub(super) fn bounds(&self) -> (u64, u64) {
        (self.due_ns.saturating_sub(BESIDE_NS), self.served_ns.saturating_add(BESIDE_NS))
    }

    /// The sample, then each event of the processors within the bounds.
    pub(super) fn text(&self, of_cpus: Vec<(u32, Stretch)>) -> String {
        let Self { cpu, due_ns, served_ns } = *self;
        let latency_ns = served_ns.saturating_sub(due_ns);
        let mut text = format!(
            "# prazo: processor {cpu}: latency of {latency_ns} ns is above the threshold\n# due at {}, served at {}, in \
             seconds of CLOCK_MONOTONIC\n",
            seconds(due_ns),
            seconds(served_ns)
        );
        let (from_ns, to_ns) = self.bounds();
        for (of, stretch) in of_cpus.iter().filter(|(_, stretch)| stretch.complete_from_ns > from_ns) {
            let since = seconds(stretch.complete_from_ns.min(to_ns));
            let _ = writeln!(text, "# the events of processor {of} before {since} s were overwritten");
        }
        let mut events: Vec<(u32, Event)> = of_cpus
            .into_iter()
            .flat_map(|(cpu, stretch)| stretch.events.into_iter().map(move |event| (cpu, event)))
            .collect();
        events.retain(|(_, event)| (from_ns..=to_ns).contains(&event.at_ns));
        events.sort_by_key(|(_, event)| event.at_ns);
        for (cpu, event) in &events {
            // Writing to a String does not fail.
            let _ = writeln!(text, "[{cpu:03}] {}: {}", seconds(event.at_ns), in_words(event));
        }
        text
    }
}

fn seconds(at_ns: u64) -> String {
    format!("{}.{:09}", at_ns / 1_000_000_000, at_ns % 1_000_000_000)
}

/// The event by its trace point's name.
fn in_words(event: &Event) -> String {
    let Event { id, extra, name, .. } = event;
    let edge = |begin: Edge, names: [&'static str; 2]| names[usize::from(begin == Edge::End)];
    match event.kind {
        RecordKind::Switch => format!("sched_switch: next_comm={name} next_pid={id} next_prio={extra}"),
        RecordKind::Migrate => format!("sched_migrate_task: pid={id} dest_cpu={extra}"),
        RecordKind::Interrupt(of) => format!("{}: irq={id}", edge(of, ["irq_handler_entry", "irq_handler_exit"])),
        RecordKind::Softirq(of) => format!("{}: vec={id}", edge(of, ["softirq_entry", "softirq_exit"])),
        RecordKind::Vector(of) => format!("{} {}", vector(*id), edge(of, ["entry", "exit"])),
        RecordKind::Nmi(of) => format!("nmi {}", edge(of, ["entry", "exit"])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_of_all_processors_are_told_in_the_order_of_time_and_gaps_are_named() {
        let event = |at_ns, kind, id, name: &str| Event { at_ns, kind, extra: 4, id, name: name.into() };
        let around = Around { cpu: 1, due_ns: 5_000_000_000, served_ns: 5_000_400_000 };
        let here = Stretch {
            events: vec![
                event(4_900_000_000, RecordKind::Migrate, 1, ""),
                event(5_000_400_000, RecordKind::Switch, 42, "prazo-cpu1"),
            ],
            complete_from_ns: 0,
        };
        let there = Stretch {
            events: vec![event(5_000_100_000, RecordKind::Softirq(Edge::Begin), 3, "")],
            complete_from_ns: 5_000_050_000,
        };
        let text = around.text(vec![(1, here), (0, there)]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "# prazo: processor 1: latency of 400000 ns is above the threshold");
        assert_eq!(lines[2], "# the events of processor 0 before 5.000050000 s were overwritten");
        assert_eq!(
            lines[3..],
            [
                "[000] 5.000100000: softirq_entry: vec=3",
                "[001] 5.000400000: sched_switch: next_comm=prazo-cpu1 next_pid=42 next_prio=4"
            ]
        );
    }
}
