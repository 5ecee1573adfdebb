//! Work taken from a list by several threads, until none is left, the user stops, or nobody can use more of it.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// How much there is, and how many take from it.
pub(crate) struct List<'a> {
    /// Its places are the numbers below.
    pub count: usize,
    /// How many threads take places.
    pub threads: usize,
    /// The user's wish to stop.
    pub is_stopped: &'a (dyn Fn() -> bool + Sync),
}

impl List<'_> {
    /// Does each place's work; `done` hears what came of it, in the order in which it ends. Once `done` breaks, it hears of no
    /// other, no further place is taken, and what is under way is asked to stop by the question that `one` is given.
    pub(crate) fn each<A: Send>(
        &self,
        one: &(dyn Fn(usize, &dyn Fn() -> bool) -> A + Sync),
        done: &mut dyn FnMut(usize, A) -> ControlFlow<()>,
    ) {
        // ORDERING: places are handed out and an end is told; nothing else is published through either.
        let (next, is_over) = (&AtomicUsize::new(0), &AtomicBool::new(false));
        let is_over_or_stopped = &|| is_over.load(Ordering::Relaxed) || (self.is_stopped)();
        let take = |ended: mpsc::Sender<(usize, A)>| {
            while let (place, false) = (next.fetch_add(1, Ordering::Relaxed), is_over_or_stopped()) {
                if place >= self.count || ended.send((place, one(place, is_over_or_stopped))).is_err() {
                    return;
                }
            }
        };
        let (sender, ended) = mpsc::channel();
        thread::scope(|scope| {
            for _ in 0..self.threads.min(self.count) {
                let sender = sender.clone();
                scope.spawn(move || take(sender));
            }
            drop(sender);
            if ended.into_iter().any(|(place, answer)| done(place, answer).is_break()) {
                is_over.store(true, Ordering::Relaxed);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(is_stopped: &(dyn Fn() -> bool + Sync)) -> List<'_> {
        List { count: 40, threads: 3, is_stopped }
    }

    #[test]
    fn every_place_is_taken_once_also_behind_a_failure() {
        let mut answers = Vec::new();
        let one = |place: usize, _: &dyn Fn() -> bool| if place == 7 { Err("failed") } else { Ok(place * 2) };
        list(&|| false).each(&one, &mut |place, answer| {
            answers.push((place, answer));
            ControlFlow::Continue(())
        });
        answers.sort();
        let expected = (0..40).map(|place| (place, if place == 7 { Err("failed") } else { Ok(place * 2) }));
        assert_eq!(answers, expected.collect::<Vec<_>>());
    }

    #[test]
    fn after_a_stop_each_thread_ends_what_it_began_and_takes_no_more() {
        let (taken, mut heard) = (AtomicUsize::new(0), 0);
        let is_stopped = || taken.load(Ordering::Relaxed) >= 5;
        list(&is_stopped).each(&|_, _| taken.fetch_add(1, Ordering::Relaxed), &mut |_, _| {
            heard += 1;
            ControlFlow::Continue(())
        });
        let taken = taken.into_inner();
        assert!((5..=7).contains(&taken), "two others may have begun: {taken}");
        assert_eq!(heard, taken);
    }

    #[test]
    fn once_nobody_can_use_more_what_is_under_way_is_asked_to_stop() {
        let mut heard = 0;
        // Only the first place ends by itself, so that the others can only end by being asked.
        let one = |place: usize, is_over: &dyn Fn() -> bool| {
            while place > 0 && !is_over() {
                thread::yield_now();
            }
            place
        };
        list(&|| false).each(&one, &mut |_, _| {
            heard += 1;
            ControlFlow::Break(())
        });
        assert_eq!(heard, 1);
    }
}
