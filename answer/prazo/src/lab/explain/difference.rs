//! How two activations differ: the time of each phase and of each function in both.
//!
//! ```text
//! latency = phases + halted + rest,    phase = its functions
//! ```
//! Each line holds for both activations, so that the differences add up to the difference of the latencies, to the nanosecond.

use super::activation::Activation;
use super::phases::{PhaseKind, inside, phases};
use prazo_study::function_difference::{FunctionDifference, Times};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// How the worst activation of a run differs from the worst one of another run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DifferenceDocument {
    /// Label of the first run: its platform, or its file where the platforms are the same.
    pub name: String,
    /// Label of the run with which the first run is compared.
    pub against_name: String,
    /// Latency of the worst activation: the sum of the phases, `halted` and `rest`.
    pub latency: Times,
    /// Time during which the processor was halted.
    pub halted: Times,
    /// Rest of the latency outside all phases: a few nanoseconds, because times are rounded to whole instructions.
    pub rest: Times,
    /// Phases of the activations, in order; a phase that neither activation has is omitted.
    pub phases: Vec<PhaseDifference>,
    /// Functions over all phases, the largest difference first.
    pub functions: Vec<FunctionDifference>,
}

/// One phase of the worst activations of both runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PhaseDifference {
    /// The phase of the activation.
    pub phase: PhaseKind,
    /// Times of the phase in both runs.
    #[serde(flatten)]
    pub times: Times,
    /// Functions of the phase, the largest difference first; their times add up to the time of the phase.
    pub functions: Vec<FunctionDifference>,
}

impl DifferenceDocument {
    /// The phases, then the time halted and the rounding where they are not zero, then the latency that all of them add up to; each
    /// with its name.
    pub fn lines(&self) -> Vec<(String, Times)> {
        let phases = self.phases.iter().map(|phase| (phase.phase.text().to_owned(), phase.times));
        let outside = [("processor halted", self.halted), ("rounding", self.rest)];
        let outside = outside.into_iter().filter(|(_, times)| *times != Times::default());
        let all = [("latency", self.latency)].into_iter();
        phases.chain(outside.chain(all).map(|(name, times)| (name.to_owned(), times))).collect()
    }
}

/// In the order in which the phases follow each other.
const PHASES: [PhaseKind; 4] =
    [PhaseKind::BeforeInterrupt, PhaseKind::Interrupt, PhaseKind::BeforeSwitch, PhaseKind::Task];

/// The first activation minus the second one.
pub(super) fn difference(pair: [&Activation; 2], names: [String; 2]) -> DifferenceDocument {
    let functions_of_phases = pair.map(functions_of_phases);
    let phase = |kind: PhaseKind| {
        let of_side = |side: usize| functions_of_phases[side].get(&kind).cloned().unwrap_or_default();
        let own = [of_side(0), of_side(1)];
        let times = Times::of([0, 1].map(|side: usize| own[side].values().sum()));
        PhaseDifference { phase: kind, times, functions: functions(&own) }
    };
    let phases: Vec<_> = PHASES.into_iter().map(phase).collect();
    let phases: Vec<_> = phases.into_iter().filter(|phase| phase.times != Times::default()).collect();
    let latency = Times::of(pair.map(|one| one.sample.latency_ns));
    let halted = Times::of(pair.map(|one| one.span.idle_ns as i64));
    let executed = |time: fn(&Times) -> i64| phases.iter().map(|phase| time(&phase.times)).sum::<i64>();
    let rest = Times::of([
        latency.run_ns - halted.run_ns - executed(|times| times.run_ns),
        latency.against_ns - halted.against_ns - executed(|times| times.against_ns),
    ]);
    let [name, against_name] = names;
    let functions = functions(&functions_of_phases.map(of_all_phases));
    DifferenceDocument { name, against_name, latency, halted, rest, phases, functions }
}

type FunctionTimes = BTreeMap<String, i64>;

/// The time of the own instructions of each function, phase by phase.
fn functions_of_phases(activation: &Activation) -> BTreeMap<PhaseKind, FunctionTimes> {
    let tree = &activation.tree;
    let of_phase = |(from, to): (u64, u64)| {
        let mut own = FunctionTimes::new();
        for slice in &tree.slices {
            let instructions = inside(slice, from, to);
            if instructions > 0 {
                let time = (instructions * activation.instruction_ns) as i64;
                *own.entry(tree.nodes[slice.node].name.clone()).or_default() += time;
            }
        }
        own
    };
    phases(activation).into_iter().map(|phase| (phase.kind, of_phase((phase.from, phase.to)))).collect()
}

fn of_all_phases(phases: BTreeMap<PhaseKind, FunctionTimes>) -> FunctionTimes {
    let mut all = FunctionTimes::new();
    for (name, time) in phases.into_values().flatten() {
        *all.entry(name).or_default() += time;
    }
    all
}

/// Every function of either activation, the largest difference first, by name where differences are the same.
fn functions(own: &[FunctionTimes; 2]) -> Vec<FunctionDifference> {
    let mut names: Vec<_> = own.iter().flat_map(BTreeMap::keys).collect();
    names.sort();
    names.dedup();
    let function = |name: &String| {
        let times = Times::of([0, 1].map(|side: usize| own[side].get(name).copied().unwrap_or(0)));
        FunctionDifference { name: name.clone(), times }
    };
    let mut all: Vec<_> = names.into_iter().map(function).collect();
    all.sort_by_key(|one| std::cmp::Reverse(one.times.difference_ns.unsigned_abs()));
    all
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::activation::EventInterrupt;
    use super::*;
    use crate::lab::explain::phases::tests::activation;
    use prazo_lab::calls::{CallTree, How, Level, Node, Slice, Span};
    use prazo_run::run::WorstSample;
    use proptest::prelude::*;

    pub(in crate::lab::explain) fn names() -> [String; 2] {
        ["rt".to_owned(), "standard".to_owned()]
    }

    /// The example of the phases without its function `release`: 240 instructions less before the switch.
    pub(in crate::lab::explain) fn shorter() -> Activation {
        let mut shorter = activation();
        shorter.tree.slices.remove(3);
        shorter.tree.slices[3] = Slice { node: 6, from: 160, to: 210, interrupts_off: false, level: Level::NothingOff };
        for node in 0..2 {
            shorter.tree.nodes[node].to = 160;
        }
        shorter.tree.nodes[4].to = 160;
        for node in 5..7 {
            shorter.tree.nodes[node].from = 160;
        }
        shorter.span.to = 210;
        shorter.sample.latency_ns = 880;
        shorter
    }

    #[test]
    fn a_function_that_is_missing_in_one_activation_is_the_difference() {
        let difference = difference([&shorter(), &activation()], names());
        assert_eq!(difference.latency, Times { run_ns: 880, against_ns: 2_800, difference_ns: -1_920 });
        let first = &difference.functions[0];
        assert_eq!((first.name.as_str(), first.times.difference_ns), ("release", -1_920));
        assert!(difference.functions[1..].iter().all(|function| function.times.difference_ns == 0));
        let phases: Vec<_> = difference.phases.iter().map(|one| (one.phase, one.times.difference_ns)).collect();
        assert_eq!(
            phases,
            [
                (PhaseKind::BeforeInterrupt, 0),
                (PhaseKind::Interrupt, 0),
                (PhaseKind::BeforeSwitch, -1_920),
                (PhaseKind::Task, 0)
            ]
        );
        assert_eq!((difference.halted, difference.rest), (Times::default(), Times::default()));
    }

    #[test]
    fn an_activation_does_not_differ_from_itself() {
        let difference = difference([&activation(), &activation()], names());
        assert!(difference.functions.iter().all(|function| function.times.difference_ns == 0));
    }

    #[test]
    fn halts_and_the_rest_are_parts_of_their_own() {
        let mut halted = activation();
        (halted.span.idle_ns, halted.sample.latency_ns) = (500, halted.sample.latency_ns + 503);
        let difference = difference([&halted, &activation()], names());
        assert_eq!((difference.halted.difference_ns, difference.rest.difference_ns), (500, 3));
    }

    /// An activation of random calls: a few functions with short names, an interrupt, two threads, halts and a rounding.
    fn random() -> impl Strategy<Value = Activation> {
        let slices = prop::collection::vec((0..6usize, 1..40u64, any::<bool>()), 1..30);
        (slices, 0..300u64, 0..8i64, prop::sample::select(vec![4u64, 8, 16])).prop_map(
            |(shape, idle_ns, rounding, instruction_ns)| {
                let mut tree = CallTree::default();
                let mut at = 1_000;
                for (kind, length, interrupts_off) in shape {
                    let how = if kind == 5 { How::Interrupt } else { How::Call };
                    let name = ["a", "b", "c", "d", "e", "asm_timer_interrupt"][kind].to_owned();
                    let (from, to) = (at, at + length);
                    let (self_on, self_off) = if interrupts_off { (0, length) } else { (length, 0) };
                    let node = tree.nodes.len() + 1;
                    let (parent, children) = (Some(node - 1), Vec::new());
                    let root = Node {
                        name: format!("thread {}", kind % 2),
                        how: How::Thread,
                        parent: None,
                        children: vec![node],
                        from,
                        to,
                        self_on: 0,
                        self_off: 0,
                    };
                    tree.nodes.extend([root, Node { name, how, parent, children, from, to, self_on, self_off }]);
                    tree.roots.push(node - 1);
                    tree.slices.push(Slice { node, from, to, interrupts_off, level: Level::Unknown });
                    at = to;
                }
                let span = Span {
                    from: 1_000,
                    to: at,
                    idle_ns,
                    was_idle_at_due: false,
                    clock_error_ns: 0,
                    clocks_compared: 0,
                };
                let latency_ns = ((at - 1_000) * instruction_ns + idle_ns) as i64 + rounding;
                let sample = WorstSample { at_ns: 0, latency_ns, activation: 1 };
                Activation { awaited: EventInterrupt::Timer, sample, span, tree, instruction_ns }
            },
        )
    }

    /// The own time of a function by the counters of its nodes, which the difference does not read.
    fn counted(activation: &Activation, name: &str) -> i64 {
        let nodes = activation.tree.nodes.iter().filter(|node| node.name == name);
        nodes.map(|node| ((node.self_on + node.self_off) * activation.instruction_ns) as i64).sum()
    }

    proptest! {
        #[test]
        fn differences_add_up_to_the_difference_of_the_latencies(first in random(), second in random()) {
            let document = difference([&first, &second], names());
            let outside = document.halted.difference_ns + document.rest.difference_ns;
            let of_functions = |all: &[FunctionDifference]| all.iter().map(|one| one.times.difference_ns).sum::<i64>();
            let of_phases: i64 = document.phases.iter().map(|phase| phase.times.difference_ns).sum();
            prop_assert_eq!(of_phases + outside, first.sample.latency_ns - second.sample.latency_ns);
            prop_assert_eq!(of_functions(&document.functions) + outside, document.latency.difference_ns);
            for phase in &document.phases {
                prop_assert_eq!(of_functions(&phase.functions), phase.times.difference_ns);
            }
            for function in &document.functions {
                let [run_ns, against_ns] = [&first, &second].map(|one| counted(one, &function.name));
                prop_assert_eq!(function.times, Times { run_ns, against_ns, difference_ns: run_ns - against_ns });
            }
            let sizes: Vec<_> = document.functions.iter().map(|one| one.times.difference_ns.unsigned_abs()).collect();
            prop_assert!(sizes.is_sorted_by(|a, b| a >= b));
        }

        #[test]
        fn the_difference_the_other_way_round_has_the_other_sign(first in random(), second in random()) {
            let there = difference([&first, &second], names());
            let back = difference([&second, &first], names());
            prop_assert_eq!(there.functions.len(), back.functions.len());
            for (there, back) in there.functions.iter().zip(&back.functions) {
                prop_assert_eq!((&there.name, there.times.difference_ns), (&back.name, -back.times.difference_ns));
            }
        }
    }
}
