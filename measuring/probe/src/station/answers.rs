//! Regnier 2008's second set-up, from the triggering side: when each trigger left, and when its two answers came back.
//!
//! ```text
//! t1: just before the send call    t2: the handler's answer arrives    t3: the task's answer arrives
//! ```
//! All three are of this station's CLOCK_MONOTONIC; t2 and t3 are the kernel's own stamps of the arriving answers. So every
//! latency includes what this station itself takes to notice an answer, which the paper calls delta.

use crate::event::frame::{Answerer, Frame, Word};
use crate::event::link::Link;
use crate::event::wall_clock;
use prazo_sys::clock;
use prazo_sys::socket::Inbox;
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};

/// After the last trigger, answers are waited for this long.
const LAST_ANSWERS_NS: u64 = 300_000_000;

/// When the answers to one trigger came, on CLOCK_MONOTONIC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answered {
    /// When the trigger left.
    pub sent_ns: Option<u64>,
    /// When the handler's answer came.
    pub handler_ns: Option<u64>,
    /// When the task's answer came.
    pub task_ns: Option<u64>,
}

/// The answers of a series, by the trigger's number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    /// One for each trigger.
    pub answered: Vec<Answered>,
    /// Answers that came twice.
    pub duplicates: u64,
    /// Answers without a stamp.
    pub unstamped: u64,
    /// Frames that are no answer to one of these triggers.
    pub foreign: u64,
    /// How far the wall clock, which the kernel's stamps are of, was stepped meanwhile.
    pub stepped_ns: i64,
}

impl Answers {
    /// Room for the answers to `count` triggers, taken and touched at once.
    pub fn with_room(count: u64) -> Self {
        Self { answered: vec![Answered::default(); count as usize], ..Self::default() }
    }

    /// Takes one frame with its stamp on CLOCK_MONOTONIC.
    fn take(&mut self, word: Word, stamp_ns: Option<u64>) {
        let Word::Answer { number, by } = word else {
            // The word to go comes again where the series was offered again meanwhile.
            self.foreign += u64::from(!matches!(word, Word::Go { .. }));
            return;
        };
        let place = self.answered.get_mut(number as usize);
        match (place, stamp_ns) {
            (None, _) => self.foreign += 1,
            (Some(_), None) => self.unstamped += 1,
            (Some(answered), Some(stamp_ns)) => {
                let first = match by {
                    Answerer::Handler => &mut answered.handler_ns,
                    Answerer::Task => &mut answered.task_ns,
                };
                self.duplicates += u64::from(first.replace(first.unwrap_or(stamp_ns)).is_some());
            }
        }
    }

    /// Takes what is known of the sender: when each trigger left.
    pub fn join(&mut self, sent_ns: &[u64]) {
        self.answered.iter_mut().zip(sent_ns).for_each(|(answered, sent_ns)| answered.sent_ns = Some(*sent_ns));
    }
}

/// Listens until some time after `done`; the receive call of `link` must time out now and then.
pub(super) fn listen(link: &Link, session: u64, mut answers: Answers, done: &AtomicBool) -> Answers {
    let (mut inbox, before) = (Inbox::default(), wall_clock());
    let mut until_ns = None;
    while until_ns.is_none_or(|until_ns| clock::monotonic_ns() < until_ns) {
        if until_ns.is_none() && done.load(Ordering::Acquire) {
            until_ns = Some(clock::monotonic_ns() + LAST_ANSWERS_NS);
        }
        // A receive call that ends without a frame has nothing to tell: triggers without an answer are counted.
        let Ok(received) = inbox.receive(link.as_fd()) else { continue };
        let stamp_ns = received.software_ns.map(|stamp_ns| before.to_monotonic(stamp_ns));
        match Frame::decode(received.bytes).filter(|frame| frame.session == session) {
            Some(frame) => answers.take(frame.word, stamp_ns),
            None => answers.foreign += 1,
        }
    }
    let after = wall_clock();
    answers.stepped_ns = if after.has_moved_since(&before) { after.moved_since(&before) } else { 0 };
    answers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_answer_of_each_kind_counts_and_the_others_are_counted() {
        let mut answers = Answers::with_room(2);
        let answer = |number, by| Word::Answer { number, by };
        answers.take(answer(0, Answerer::Handler), Some(15));
        answers.take(answer(0, Answerer::Task), Some(19));
        answers.take(answer(0, Answerer::Task), Some(99));
        answers.take(answer(1, Answerer::Task), None);
        answers.take(answer(2, Answerer::Task), Some(7));
        answers.take(Word::Go { start_in_ns: 0, answers: true }, Some(7));
        answers.join(&[10, 20]);
        let first = Answered { sent_ns: Some(10), handler_ns: Some(15), task_ns: Some(19) };
        assert_eq!(answers.answered, [first, Answered { sent_ns: Some(20), ..Answered::default() }]);
        assert_eq!((answers.duplicates, answers.unstamped, answers.foreign), (1, 1, 1));
    }
}
