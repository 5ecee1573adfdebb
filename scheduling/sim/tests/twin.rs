//! The simulator agrees, event for event, with one that looks at every nanosecond.

mod support;

use prazo_sim::sink::Memory;
use prazo_sim::{Limits, simulate};
use support::sets::{Kinds, Set};
use support::unit_step;

const SEED: u64 = 20_261_121;

fn agree(seed: u64, kinds: Kinds, horizon: u64) {
    for number in 0..support::sets() {
        let set = Set::draw(seed, number, kinds);
        let model = set.model();
        let mut memory = Memory::new(usize::MAX);
        let outcome = simulate(&model, &Limits::until(horizon), &mut memory);
        let twin = unit_step::trace(&model, horizon);
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
    }
}

#[test]
fn synchronous_periodic_sets_agree_event_for_event() {
    agree(SEED, Kinds { is_varied: false }, 150);
}

#[test]
fn overheads_jitter_offsets_and_draws_agree_event_for_event() {
    agree(SEED + 1, Kinds { is_varied: true }, 150);
}
