//! The simulator agrees, event for event, with one that looks at every nanosecond.

mod support;

use prazo_oracle::machine::trace;
use prazo_sim::sink::Memory;
use prazo_sim::{Limits, simulate};
use support::sets::{Kinds, Set};

const SEED: u64 = 20_261_121;

/// Looks at all sets, and answers how many budgets were used up.
fn agree(kinds: Kinds, horizon: u64) -> u64 {
    let seed = support::seed("twin", SEED);
    let mut postponed = 0;
    for number in 0..support::sets() {
        let set = Set::draw(seed, number, kinds);
        let model = set.model();
        let mut memory = Memory::new(usize::MAX);
        let outcome = simulate(&model, &Limits::until(horizon), &mut memory);
        let twin = trace(&support::machine(&model, horizon), horizon);
        let first = memory.events.iter().zip(&twin).position(|(ours, theirs)| ours != theirs);
        if let Some(at) = first.or((memory.events.len() != twin.len()).then(|| memory.events.len().min(twin.len()))) {
            let around =
                |events: &[_]| events[at.saturating_sub(4).min(events.len())..(at + 3).min(events.len())].to_vec();
            panic!(
                "seed {seed}, set {number}: event {at} differs\nours {:#?}\ntwin {:#?}\n{:?} {:?}",
                around(&memory.events),
                around(&twin),
                set.tasks,
                set.policy
            );
        }
        let counted = twin.iter().filter(|event| event.kind.counts_in_rates()).count() as u64;
        assert_eq!(outcome.figures.events, counted, "seed {seed}, set {number}");
        postponed += outcome.figures.total(|task| task.postponements);
    }
    postponed
}

#[test]
fn synchronous_periodic_sets_agree_event_for_event() {
    agree(Kinds::default(), 150);
}

#[test]
fn overheads_jitter_offsets_and_draws_agree_event_for_event() {
    agree(Kinds { is_varied: true, ..Kinds::default() }, 150);
}

#[test]
fn served_and_overrunning_tasks_agree_event_for_event() {
    let plain = agree(Kinds { is_served: true, ..Kinds::default() }, 150);
    let varied = agree(Kinds { is_served: true, is_varied: true }, 150);
    assert!(plain > support::sets() && varied > support::sets(), "{plain} and {varied} budgets were used up");
}
