//! One sentence about how the worst activations of two runs differ: by how much, in which phases, in which functions.

use super::activation::Activation;
use super::difference::{DifferenceDocument, PhaseDifference};
use super::phases::{inside, phases};
use super::sentence::{HEAVY, callers_of, clause, micros};
use prazo_lab::calls::How;
use prazo_study::function_difference::Times;

/// The sentence names the parts that have at least this share of all that differs.
const SHARE: f64 = 0.15;

/// `rt-full took 99.8 µs less than standard-full (38.2 µs and 138 µs): 99.9 µs less until the switch to ...`.
pub(super) fn sentence(difference: &DifferenceDocument, pair: [&Activation; 2]) -> String {
    let DifferenceDocument { name, against_name, latency, .. } = difference;
    let mut parts: Vec<(i64, String)> = Vec::new();
    for phase in &difference.phases {
        parts.push((phase.times.difference_ns, of_phase(phase, pair)));
    }
    parts.push((difference.halted.difference_ns, more(difference.halted, "with the processor halted")));
    parts.push((difference.rest.difference_ns, more(difference.rest, "due to rounding")));
    let all: u64 = parts.iter().map(|(part, _)| part.unsigned_abs()).sum();
    parts.retain(|(part, _)| *part != 0 && part.unsigned_abs() as f64 >= SHARE * all as f64);
    parts.sort_by_key(|(part, _)| std::cmp::Reverse(part.unsigned_abs()));
    let parts: Vec<_> = parts.into_iter().map(|(_, text)| text).collect();

    let [here, there] = [latency.run_ns, latency.against_ns].map(|time| micros(time.unsigned_abs()));
    let head = match latency.difference_ns {
        0 => format!("The worst activation of {name} took as long as that of {against_name} ({here})"),
        _ => format!(
            "The worst activation of {name} took {} than that of {against_name} ({here} and {there})",
            by(*latency)
        ),
    };
    match parts.is_empty() {
        true => format!("{head}, in every phase."),
        false => format!("{head}: {}.", parts.join("; ")),
    }
}

/// `99.8 µs less`.
fn by(times: Times) -> String {
    let size = micros(times.difference_ns.unsigned_abs());
    format!("{size} {}", if times.difference_ns < 0 { "less" } else { "more" })
}

fn more(times: Times, place: &str) -> String {
    format!("{} {place}", by(times))
}

/// A phase with the function that differs most in it, in the direction of the phase.
fn of_phase(phase: &PhaseDifference, pair: [&Activation; 2]) -> String {
    let longer = if phase.times.difference_ns < 0 { pair[1] } else { pair[0] };
    let text = more(phase.times, &clause(phase.phase, longer));
    let size = phase.times.difference_ns.unsigned_abs() as f64;
    let function = phase.functions.iter().find(|function| {
        let difference_ns = function.times.difference_ns;
        difference_ns.signum() == phase.times.difference_ns.signum()
            && difference_ns.unsigned_abs() as f64 >= HEAVY * size
    });
    let Some(function) = function else { return text };
    let callers = heaviest(phase, &function.name, longer).map(|node| of_node(longer, node)).unwrap_or_default();
    format!("{text} ({} in `{}`{callers})", by(function.times), function.name)
}

/// The call of a function that took most of a phase.
fn heaviest(phase: &PhaseDifference, name: &str, activation: &Activation) -> Option<usize> {
    let bounds = phases(activation).into_iter().find(|one| one.kind == phase.phase)?;
    let tree = &activation.tree;
    let mut own = vec![0; tree.nodes.len()];
    for slice in tree.slices.iter().filter(|slice| tree.nodes[slice.node].name == name) {
        own[slice.node] += inside(slice, bounds.from, bounds.to);
    }
    (0..own.len()).filter(|node| own[*node] > 0).max_by_key(|node| own[*node])
}

/// `, called from `f`, `g` of exe`.
fn of_node(activation: &Activation, node: usize) -> String {
    let tree = &activation.tree;
    let thread = tree.callers(node).last().map(|root| &tree.nodes[*root]).filter(|root| root.how == How::Thread);
    let thread = thread.map(|root| format!(" of {}", root.name)).unwrap_or_default();
    format!("{}{thread}", callers_of(tree, node))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::explain::difference::difference;
    use crate::lab::explain::difference::tests::{names, shorter};
    use crate::lab::explain::phases::tests::activation;

    fn sentence_of(first: &Activation, second: &Activation) -> String {
        sentence(&difference([first, second], names()), [first, second])
    }

    #[test]
    fn the_sentence_names_the_phase_and_the_function_that_differ_most() {
        assert_eq!(
            sentence_of(&shorter(), &activation()),
            "The worst activation of rt took 1.92 µs less than that of standard (0.88 µs and 2.80 µs): 1.92 µs less until \
             the switch to task (1.92 µs less in `release`, called from `free` of load)."
        );
        assert_eq!(
            sentence_of(&activation(), &shorter()),
            "The worst activation of rt took 1.92 µs more than that of standard (2.80 µs and 0.88 µs): 1.92 µs more until \
             the switch to task (1.92 µs more in `release`, called from `free` of load)."
        );
    }

    #[test]
    fn equal_activations_and_halts_have_words_of_their_own() {
        assert_eq!(
            sentence_of(&activation(), &activation()),
            "The worst activation of rt took as long as that of standard (2.80 µs), in every phase."
        );
        let mut halted = activation();
        (halted.span.idle_ns, halted.sample.latency_ns) = (500, 3_303);
        assert_eq!(
            sentence_of(&halted, &activation()),
            "The worst activation of rt took 0.50 µs more than that of standard (3.30 µs and 2.80 µs): 0.50 µs more with \
             the processor halted."
        );
    }
}
