//! Where the time of all activations goes: the sums over phases, levels and functions, and the largest of each.
//!
//! ```text
//! latency = phases + halted + rounding = levels + halted + rounding = functions + halted + rounding
//! ```
//! Each line holds for the sum of all activations, to the nanosecond.

use super::activation::Activation;
use super::levels::stretches;
use super::phases::{PhaseKind, phases};
use super::sentence::micros;
use crate::error::Error;
use prazo_core::text::counted;
use prazo_lab::calls::{Level, Overlay, TICK_NS};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// Where the time of all measured activations of a run went.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ProfileDocument {
    /// Number of activations; all that the run served after its warm-up.
    pub activations: u64,
    /// Latency of all activations: the sum of the phases, `halted` and `rounding`.
    pub latency: Share,
    /// Phases of the activations, in order.
    pub phases: Vec<PhaseShare>,
    /// Time during which the processor was halted.
    pub halted: Share,
    /// Rest of the latencies, because times are rounded to whole instructions and clock ticks. It is less than an instruction and a tick for each
    /// activation.
    pub rounding_ns: i64,
    /// Time on each level.
    pub levels: Vec<LevelShare>,
    /// Functions that ran in the activations, those with the most instructions of their own first.
    pub functions: Vec<FunctionTime>,
}

/// A part of the latency of all activations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Share {
    /// Sum of the part over all activations.
    pub total_ns: i64,
    /// Largest value of the part in one activation.
    pub largest_ns: i64,
    /// Number of the activation with the largest part, the first of several; null if the part is 0 in all activations.
    pub largest_activation: Option<u64>,
}

/// One phase of all activations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PhaseShare {
    /// The phase of the activations.
    pub phase: PhaseKind,
    /// Time in the phase.
    #[serde(flatten)]
    pub time: Share,
}

/// One level of all activations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LevelShare {
    /// The level.
    pub level: Level,
    /// Time on the level.
    #[serde(flatten)]
    pub time: Share,
    /// Number of stretches without a change of level.
    pub stretches: u64,
    /// Duration of the longest stretch.
    pub longest_ns: u64,
    /// Function with the most instructions of its own in the longest stretch.
    pub longest_in: String,
    /// Number of the activation with the longest stretch; the first of several.
    pub longest_activation: u64,
    /// Number of stretches with at least 2^n and fewer than 2^(n+1) instructions; n is the index in the list.
    pub histogram: Vec<u64>,
}

/// A function's own instructions in all activations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FunctionTime {
    /// Name of the function.
    pub name: String,
    /// Time of the function's own instructions.
    #[serde(flatten)]
    pub time: Share,
    /// Part of that time with interrupts off, over all activations.
    pub interrupts_off_ns: u64,
    /// Number of activations in which the function ran.
    pub activations: u64,
}

impl Share {
    fn add(&mut self, ns: i64, activation: u64) {
        self.total_ns += ns;
        if ns > self.largest_ns {
            (self.largest_ns, self.largest_activation) = (ns, Some(activation));
        }
    }

    /// The average over a number of activations.
    pub fn mean_ns(&self, activations: u64) -> f64 {
        self.total_ns as f64 / activations.max(1) as f64
    }
}

/// `All 2,000 activations after the warm-up: 30.7 µs on average, 152 µs at most`.
pub(super) fn summary(profile: &ProfileDocument) -> String {
    format!(
        "All {} after the warm-up: {} on average, {} at most",
        counted(profile.activations, "activation"),
        micros(profile.latency.mean_ns(profile.activations).round() as u64),
        micros(profile.latency.largest_ns.unsigned_abs())
    )
}

/// The sums so far.
#[derive(Default)]
pub(super) struct Profile {
    activations: u64,
    /// The thread that ends all activations.
    task: Option<Option<String>>,
    latency: Share,
    phases: BTreeMap<PhaseKind, Share>,
    halted: Share,
    levels: BTreeMap<Level, LevelShare>,
    functions: BTreeMap<String, FunctionTime>,
    /// The calls of all activations as one.
    calls: Overlay,
}

impl Profile {
    /// Adds one activation; an error where its instructions do not add up to its latency, or where another thread ended it than those
    /// before it.
    pub(super) fn add(&mut self, one: &Activation) -> Result<(), Error> {
        let rest = one.sample.latency_ns - (one.span.idle_ns + one.tree.instructions() * one.instruction_ns) as i64;
        // The guest's clock and its counter may differ by some millionths.
        let clocks_ns = one.sample.latency_ns.unsigned_abs() / 10_000;
        if rest.unsigned_abs() > one.instruction_ns + TICK_NS + clocks_ns {
            return Err(Error::failed(format!(
                "the instructions of activation {} differ from its latency by {rest} ns",
                one.sample.activation
            )));
        }
        let task = one.tree.roots.last().map(|root| one.tree.nodes[*root].name.clone());
        if *self.task.get_or_insert_with(|| task.clone()) != task {
            return Err(Error::failed(format!(
                "another thread than the measured one seems to end activation {}: {}",
                one.sample.activation,
                task.unwrap_or_default()
            )));
        }
        let (number, ns) = (one.sample.activation, |instructions: u64| instructions * one.instruction_ns);
        self.activations += 1;
        self.calls.add(0, &one.tree, one.instruction_ns);
        self.latency.add(one.sample.latency_ns, number);
        self.halted.add(one.span.idle_ns as i64, number);
        for phase in phases(one) {
            self.phases.entry(phase.kind).or_default().add(ns(phase.instructions) as i64, number);
        }
        let mut by_level = BTreeMap::<Level, u64>::new();
        for stretch in stretches(&one.tree) {
            *by_level.entry(stretch.level).or_default() += stretch.instructions;
            let level = self.levels.entry(stretch.level).or_insert_with(|| LevelShare::new(stretch.level));
            level.add(stretch.instructions, ns(stretch.instructions), stretch.heaviest, number);
        }
        for (level, instructions) in by_level {
            self.levels.entry(level).and_modify(|share| share.time.add(ns(instructions) as i64, number));
        }
        let mut by_name = BTreeMap::<&str, [u64; 2]>::new();
        for node in one.tree.nodes.iter().filter(|node| node.self_instructions() > 0) {
            let own = by_name.entry(&node.name).or_default();
            *own = [own[0] + node.self_instructions(), own[1] + node.self_off];
        }
        for (name, [instructions, off]) in by_name {
            let function = self.functions.entry(name.to_owned()).or_insert_with(|| FunctionTime {
                name: name.to_owned(),
                time: Share::default(),
                interrupts_off_ns: 0,
                activations: 0,
            });
            function.time.add(ns(instructions) as i64, number);
            function.interrupts_off_ns += ns(off);
            function.activations += 1;
        }
        Ok(())
    }

    /// What `--json` prints, and the calls of all activations.
    pub(super) fn finish(self) -> (ProfileDocument, Overlay) {
        let mut functions: Vec<_> = self.functions.into_values().collect();
        functions.sort_by(|a, b| b.time.total_ns.cmp(&a.time.total_ns).then_with(|| a.name.cmp(&b.name)));
        let phases = self.phases.into_iter().map(|(phase, time)| PhaseShare { phase, time }).collect::<Vec<_>>();
        let in_phases: i64 = phases.iter().map(|one| one.time.total_ns).sum();
        let document = ProfileDocument {
            activations: self.activations,
            rounding_ns: self.latency.total_ns - in_phases - self.halted.total_ns,
            latency: self.latency,
            phases,
            halted: self.halted,
            levels: self.levels.into_values().collect(),
            functions,
        };
        (document, self.calls.totalled())
    }
}

impl LevelShare {
    fn new(level: Level) -> Self {
        Self {
            level,
            time: Share::default(),
            stretches: 0,
            longest_ns: 0,
            longest_in: String::new(),
            longest_activation: 0,
            histogram: Vec::new(),
        }
    }

    fn add(&mut self, instructions: u64, ns: u64, function: &str, activation: u64) {
        self.stretches += 1;
        let place = instructions.max(1).ilog2() as usize;
        if self.histogram.len() <= place {
            self.histogram.resize(place + 1, 0);
        }
        self.histogram[place] += 1;
        if ns > self.longest_ns {
            (self.longest_ns, self.longest_activation) = (ns, activation);
            function.clone_into(&mut self.longest_in);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::difference::tests::shorter;
    use super::super::phases::tests::activation;
    use super::*;

    /// The nodes of the activations get the instructions of their slices.
    fn profile_of(all: &[Activation]) -> ProfileDocument {
        let mut profile = Profile::default();
        for one in all {
            let mut one = one.clone();
            for slice in &one.tree.slices {
                let node = &mut one.tree.nodes[slice.node];
                *if slice.interrupts_off { &mut node.self_off } else { &mut node.self_on } += slice.to - slice.from;
            }
            profile.add(&one).unwrap();
        }
        profile.finish().0
    }

    #[test]
    fn each_account_adds_up_to_the_latency() {
        let mut halted = activation();
        (halted.span.idle_ns, halted.sample.latency_ns) = (500, 3_303);
        let profile = profile_of(&[activation(), shorter(), halted.clone()]);
        let expected: i64 = [activation(), shorter(), halted].iter().map(|one| one.sample.latency_ns).sum();
        assert_eq!((profile.activations, profile.latency.total_ns), (3, expected));
        let rest = profile.halted.total_ns + profile.rounding_ns;
        let sums = [
            profile.phases.iter().map(|one| one.time.total_ns).sum::<i64>(),
            profile.levels.iter().map(|one| one.time.total_ns).sum(),
            profile.functions.iter().map(|one| one.time.total_ns).sum(),
        ];
        assert_eq!(sums.map(|sum| sum + rest), [expected; 3]);
        assert_eq!((profile.halted.total_ns, profile.rounding_ns), (500, 3));
    }

    #[test]
    fn instructions_that_are_missing_and_another_thread_are_errors() {
        let mut missing = activation();
        missing.sample.latency_ns += 1_000;
        assert!(Profile::default().add(&missing).unwrap_err().to_string().contains("activation 7"));
        let mut profile = Profile::default();
        let mut filled = activation();
        filled.tree.nodes[4].self_on = 350;
        profile.add(&filled).unwrap();
        filled.tree.nodes[5].name = "recorder".into();
        assert!(profile.add(&filled).unwrap_err().to_string().contains("recorder"));
    }

    #[test]
    fn the_largest_part_and_the_longest_stretch_are_kept_with_their_activation() {
        let mut late = activation();
        late.sample.activation = 9;
        late.tree.slices[3].to += 100;
        late.span.to += 100;
        late.sample.latency_ns += 800;
        let profile = profile_of(&[activation(), late]);
        let release = profile.functions.iter().find(|one| one.name == "release").unwrap();
        assert_eq!(
            (release.time.largest_ns, release.time.largest_activation, release.activations),
            (340 * 8, Some(9), 2)
        );
        let off = profile.levels.iter().find(|one| one.level == Level::InterruptsOff).unwrap();
        assert_eq!((off.stretches, off.longest_ns, off.longest_activation), (2, 480, 7));
        assert_eq!((off.histogram.len(), off.histogram[5]), (6, 2));
    }
}
