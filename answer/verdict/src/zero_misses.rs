//! A requirement that allows no miss: it fails at the first, and passes only as "none observed in N".

use crate::evidence;
use crate::look::{Look, activations};
use crate::requirement::{ACTIVATIONS_MIN, Requirement};
use crate::weight::Weighed;
use prazo_core::text::{counted, grouped};
use prazo_core::time::{Exact, Offset};

/// The reasons from misses and counts.
pub(crate) fn reasons(looks: &[Look<'_>], requirement: &Requirement) -> Vec<Weighed> {
    let mut reasons: Vec<Weighed> = looks.iter().filter_map(|look| miss(look, requirement)).collect();
    reasons.extend(looks.iter().filter_map(|look| undecided(look, requirement)));
    reasons.extend(count(looks, requirement));
    reasons
}

fn miss(look: &Look<'_>, requirement: &Requirement) -> Option<Weighed> {
    let misses = &look.misses;
    let largest = look
        .max_ns
        .map_or_else(String::new, |max| format!("; the largest latency seen is {}", Exact(Offset::from_ns(max))));
    (misses.missed > 0).then(|| {
        if evidence::is_noise(look.run) {
            return Weighed::fails("gap-too-long", gaps(look, requirement));
        }
        let text = format!(
            "{}: {} of {} missed the deadline of {}{largest}",
            look.run.name,
            grouped(misses.missed),
            activations(misses.due),
            Exact(requirement.deadline)
        );
        Weighed::fails("miss-observed", text)
    })
}

/// A single gap that is longer than the deadline makes whatever becomes due at its beginning late.
fn gaps(look: &Look<'_>, requirement: &Requirement) -> String {
    let longest =
        look.max_ns.map_or_else(String::new, |max| format!("; the longest is {}", Exact(Offset::from_ns(max))));
    let all = counted(look.misses.due, "gap");
    let (name, missed) = (&look.run.name, grouped(look.misses.missed));
    format!("{name}: {missed} of {all} were longer than the deadline of {}{longest}", Exact(requirement.deadline))
}

fn undecided(look: &Look<'_>, requirement: &Requirement) -> Option<Weighed> {
    let (undecided, due) = (look.misses.undecided, look.misses.due);
    (undecided > 0).then(|| {
        let text = format!(
            "{}: for {} of {} it is unknown whether the deadline of {} was missed ({})",
            look.run.name,
            grouped(undecided),
            activations(due),
            Exact(requirement.deadline),
            look.misses.method
        );
        Weighed::blocks("undecided-activations", text)
    })
}

/// Whether enough was due under load.
fn count(looks: &[Look<'_>], requirement: &Requirement) -> Option<Weighed> {
    if looks.iter().all(|look| evidence::is_noise(look.run)) {
        return None;
    }
    if !looks.iter().any(|look| look.is_loaded) {
        return Some(Weighed::blocks(
            "no-load",
            "no run was measured under a load that took effect; a measurement on an idle platform proves nothing"
                .into(),
        ));
    }
    let due: u64 = looks.iter().map(|look| look.due_loaded).sum();
    if due < ACTIVATIONS_MIN {
        let text = format!(
            "only {} under load; a pass needs at least {} without a miss",
            activations(due),
            grouped(ACTIVATIONS_MIN)
        );
        return Some(Weighed::blocks("too-few-activations", text));
    }
    let unseen = looks.iter().all(|look| look.misses.missed + look.misses.undecided == 0);
    unseen.then(|| {
        let text = format!(
            "no miss of the deadline of {} was observed in {} under load",
            Exact(requirement.deadline),
            activations(due)
        );
        Weighed::supports("none-observed", text)
    })
}
