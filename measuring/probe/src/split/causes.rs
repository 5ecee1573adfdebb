//! The causes of one run's worst latencies, while it lasts: the events are asked for before they are overwritten.

use super::cause::{self, Window};
use super::events::{Events, Stretch};
use prazo_run::run::WorstSample;
use prazo_run::split::{CAUSES_KEPT, Cause};
use std::collections::{BTreeMap, BTreeSet};

/// A sample that may be one of the worst, with its place in time.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// The sample, as the run file will list it.
    pub sample: WorstSample,
    /// Its place on CLOCK_MONOTONIC.
    pub window: Window,
}

/// The worst of one series, with their causes.
#[derive(Debug, Default)]
pub struct Causes {
    kept: Vec<Cause>,
}

impl Causes {
    /// Takes those of a second that are worse than the least of the kept, and looks at their events.
    pub fn offer(&mut self, mut candidates: Vec<Candidate>, events: &Events, devices: &mut Devices) {
        let floor = self.kept.get(CAUSES_KEPT - 1).map(|least| least.sample.latency_ns);
        candidates.retain(|one| floor.is_none_or(|floor| one.sample.latency_ns > floor));
        candidates.sort_by_key(|one| std::cmp::Reverse(one.sample.latency_ns));
        candidates.truncate(CAUSES_KEPT);
        let cpus: BTreeSet<u32> = candidates.iter().map(|one| one.window.cpu).collect();
        for cpu in cpus {
            let here: Vec<&Candidate> = candidates.iter().filter(|one| one.window.cpu == cpu).collect();
            let from_ns = here.iter().map(|one| one.window.from_ns).min().unwrap_or(u64::MAX);
            let stretch = events.since(cpu, from_ns);
            stretch.events.iter().for_each(|event| devices.learn(event));
            self.kept.extend(here.into_iter().map(|one| explained(one, &stretch, devices)));
        }
        self.kept.sort_by_key(|cause| (std::cmp::Reverse(cause.sample.latency_ns), cause.sample.activation));
        self.kept.truncate(CAUSES_KEPT);
    }

    /// The causes, worst first.
    pub fn into_kept(self) -> Vec<Cause> {
        self.kept
    }
}

fn explained(one: &Candidate, stretch: &Stretch, devices: &Devices) -> Cause {
    let shares = cause::shares(&one.window, stretch, &|number| devices.name(number));
    let sentence = cause::sentence(one.sample.latency_ns, &shares, cause::moved_to(&one.window, stretch));
    Cause { sample: one.sample, sentence, shares }
}

/// Who is behind each interrupt number.
#[derive(Debug, Default)]
pub struct Devices(BTreeMap<i32, String>);

impl Devices {
    /// Remembers who is behind an interrupt.
    pub fn learn(&mut self, event: &super::record::Event) {
        if matches!(event.kind, super::record::Kind::Interrupt(_)) {
            self.0.entry(event.id).or_insert_with(|| actions(event.id));
        }
    }

    /// The name behind an interrupt; the number where nobody says.
    pub fn name(&self, number: i32) -> String {
        self.0.get(&number).cloned().unwrap_or_else(|| number.to_string())
    }
}

/// The names that the drivers gave; the number where nobody says.
fn actions(number: i32) -> String {
    let text = std::fs::read_to_string(format!("/sys/kernel/irq/{number}/actions")).unwrap_or_default();
    let name = text.trim();
    if name.is_empty() { number.to_string() } else { name.to_owned() }
}
