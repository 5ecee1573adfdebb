//! One frame's latency between its stamps, and what lies in front of its receive stamp.
//!
//! ```text
//! card: interrupt ─ thread start ─► thread ─ receive path ─► receive stamp ─ handling ─► waking ─ wake-up ─► switch ─► t3
//! veth: receive stamp ─ interrupt ─► softirq ─ handling ─► waking ─ wake-up ─► switch ─► t3
//! ```
//! A card's driver stamps in the softirq; a virtual interface has no interrupt, its frame is stamped where it is queued, and
//! the softirq is its handler. The papers' interrupt latency of a threaded handler ends at the thread: with a card, thread start
//! and receive path are what a stamp of the software leaves out.

use super::parts::{Arrival, Joined, Parts, Stamped};
use super::record::Wakeup;
use prazo_run::split::Unsplit;

impl Arrival {
    /// What came before a stamp at `stamp_ns`.
    fn before(wakeup: &Wakeup, stamp_ns: u64) -> Self {
        let Wakeup { due_ns: hard_ns, latest_ns: thread_ns, .. } = *wakeup;
        if hard_ns == 0 || hard_ns > stamp_ns {
            return Self::default();
        }
        let step = |from_ns: u64, to_ns: u64| (from_ns <= to_ns).then(|| (to_ns - from_ns) as i64);
        let thread_ns = (thread_ns > 0).then_some(thread_ns);
        Self {
            thread_start_ns: thread_ns.and_then(|thread_ns| step(hard_ns, thread_ns)),
            receive_path_ns: step(thread_ns.unwrap_or(hard_ns), stamp_ns),
        }
    }
}

/// Splits the latency of a frame that was stamped when the sample was due.
pub(super) fn split(wakeup: &Wakeup, sample: Stamped) -> Joined {
    let Stamped { due_ns: stamp_ns, woke_ns } = sample;
    let handler_ns = wakeup.handler_ns.max(stamp_ns);
    let stamps = [stamp_ns, handler_ns, wakeup.waking_ns, wakeup.switch_ns, woke_ns];
    if !stamps.is_sorted() {
        return Joined::Unsplit(Unsplit::OutOfOrder);
    }
    let step = |from: usize| (stamps[from + 1] - stamps[from]) as i64;
    Joined::Split(Parts {
        slack_ns: 0,
        interrupt_ns: step(0),
        handling_ns: step(1),
        wakeup_ns: step(2),
        own_stamp_ns: step(3),
        cpu: wakeup.cpu,
        arrival: Arrival::before(wakeup, stamp_ns),
    })
}

#[cfg(test)]
mod tests {
    use super::super::join::{Awaited, Joiner};
    use super::*;

    const STAMP_NS: u64 = 10_000;

    fn wakeup(hard_ns: u64, thread_ns: u64, softirq_ns: u64) -> Wakeup {
        Wakeup {
            thread_id: 1,
            cpu: 3,
            due_ns: hard_ns,
            latest_ns: thread_ns,
            handler_ns: softirq_ns,
            waking_ns: 10_300,
            switch_ns: 10_700,
            ..Wakeup::default()
        }
    }

    fn joined(wakeup: Wakeup) -> Joined {
        let mut joiner = Joiner::new(Awaited::Frame, 1_000_000);
        joiner.wakeup(wakeup);
        joiner.sample(Stamped { due_ns: STAMP_NS, woke_ns: 10_750 })
    }

    fn parts(wakeup: Wakeup) -> Parts {
        match joined(wakeup) {
            Joined::Split(parts) => parts,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn of_a_virtual_interface_the_softirq_is_the_handler() {
        let parts = parts(wakeup(0, 0, 10_200));
        assert_eq!((parts.interrupt_ns, parts.handling_ns, parts.wakeup_ns, parts.own_stamp_ns), (200, 100, 400, 50));
        assert_eq!(parts.interrupt_ns + parts.activation_ns(), 750);
        assert_eq!(parts.arrival, Arrival::default());
    }

    #[test]
    fn hard_entry_and_thread_start_are_separate_stamps_in_front_of_the_receive_stamp() {
        let threaded = parts(wakeup(8_000, 9_500, 9_700));
        assert_eq!((threaded.interrupt_ns, threaded.handling_ns), (0, 300));
        assert_eq!(threaded.arrival, Arrival { thread_start_ns: Some(1_500), receive_path_ns: Some(500) });
        let hard = parts(wakeup(8_000, 0, 9_700));
        assert_eq!(hard.arrival, Arrival { thread_start_ns: None, receive_path_ns: Some(2_000) });
    }

    #[test]
    fn a_frame_that_polling_found_has_no_interrupt_of_its_own() {
        assert_eq!(parts(wakeup(0, 9_500, 9_700)).arrival, Arrival::default());
        assert_eq!(parts(wakeup(10_100, 0, 9_700)).arrival, Arrival::default());
    }

    #[test]
    fn a_wake_up_from_before_the_frame_is_another_ones() {
        let early = Wakeup { waking_ns: 9_990, ..wakeup(0, 0, 9_900) };
        assert_eq!(joined(early), Joined::Unsplit(Unsplit::OtherWakeUp));
        let disordered = Wakeup { handler_ns: 10_400, ..wakeup(0, 0, 0) };
        assert_eq!(joined(disordered), Joined::Unsplit(Unsplit::OutOfOrder));
    }
}
