//! Work taken from queues by several threads, until none is left, the user stops, or nobody can use more of it.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// How often the caller hears that work is under way.
const GLANCE: Duration = Duration::from_millis(250);

/// Places of a list whose work is taken in this order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkQueue {
    /// The places.
    pub places: Vec<usize>,
    /// How many threads take from it.
    pub threads: usize,
}

/// What there is to do.
pub struct WorkList<'a> {
    /// Each is taken from at the same time.
    pub queues: &'a [WorkQueue],
    /// True once no further work shall begin: the user stops, or a failure makes the rest useless.
    pub is_stopped: &'a (dyn Fn() -> bool + Sync),
}

/// What a thread does with a place: it has what the thread keeps, the place, and the question whether to stop.
type Work<'a, K, A> = dyn Fn(&mut K, usize, &dyn Fn() -> bool) -> A + Sync + 'a;

impl WorkList<'_> {
    /// Does each place's work; `done` hears what came of it, in the order in which it ends, and `None` several times a second where
    /// nothing ended. Once `done` breaks, it hears of no other; once it breaks and once the list is stopped, no further place is
    /// taken, and what is under way is asked to stop by the question that `one` is given. A thread hands what it keeps from one
    /// work to its next, and drops it in the end.
    pub fn each_watched<K: Default, A: Send>(
        &self,
        one: &Work<'_, K, A>,
        done: &mut dyn FnMut(Option<(usize, A)>) -> ControlFlow<()>,
    ) {
        // ORDERING: places are handed out and an end is told; nothing else is published through either.
        let is_over = &AtomicBool::new(false);
        let is_over_or_stopped = &|| is_over.load(Ordering::Relaxed) || (self.is_stopped)();
        let take = &|queue: &WorkQueue, next: &AtomicUsize, ended: mpsc::Sender<(usize, A)>| {
            let mut kept = K::default();
            while let (Some(place), false) =
                (queue.places.get(next.fetch_add(1, Ordering::Relaxed)), is_over_or_stopped())
            {
                if ended.send((*place, one(&mut kept, *place, is_over_or_stopped))).is_err() {
                    return;
                }
            }
        };
        let nexts: Vec<AtomicUsize> = self.queues.iter().map(|_| AtomicUsize::new(0)).collect();
        let (sender, ended) = mpsc::channel();
        thread::scope(|scope| {
            for (queue, next) in self.queues.iter().zip(&nexts) {
                for _ in 0..queue.threads.min(queue.places.len()) {
                    let sender = sender.clone();
                    scope.spawn(move || take(queue, next, sender));
                }
            }
            drop(sender);
            loop {
                let next = match ended.recv_timeout(GLANCE) {
                    Ok(one) => done(Some(one)),
                    Err(mpsc::RecvTimeoutError::Timeout) => done(None),
                    Err(mpsc::RecvTimeoutError::Disconnected) => return,
                };
                if next.is_break() {
                    is_over.store(true, Ordering::Relaxed);
                    return;
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl WorkList<'_> {
        /// Does each place's work for a caller that hears of ends alone.
        fn each<K: Default, A: Send>(&self, one: &Work<'_, K, A>, done: &mut dyn FnMut(usize, A) -> ControlFlow<()>) {
            self.each_watched(one, &mut |ended| {
                ended.map_or(ControlFlow::Continue(()), |(place, answer)| done(place, answer))
            });
        }
    }

    fn queue() -> WorkQueue {
        WorkQueue { places: (0..40).collect(), threads: 3 }
    }

    #[test]
    fn queues_are_taken_from_side_by_side_and_one_thread_keeps_the_order() {
        let queues = [WorkQueue { places: vec![4, 1, 3], threads: 1 }, WorkQueue { places: vec![0, 2], threads: 1 }];
        // The first place of either queue waits for that of the other.
        let both = std::sync::Barrier::new(2);
        let one = |_: &mut (), place: usize, _: &dyn Fn() -> bool| {
            if [0, 4].contains(&place) {
                both.wait();
            }
        };
        let mut heard = Vec::new();
        WorkList { queues: &queues, is_stopped: &|| false }.each(&one, &mut |place, ()| {
            heard.push(place);
            ControlFlow::Continue(())
        });
        let of =
            |queue: &WorkQueue| heard.iter().copied().filter(|place| queue.places.contains(place)).collect::<Vec<_>>();
        assert_eq!(queues.iter().map(of).collect::<Vec<_>>(), [vec![4, 1, 3], vec![0, 2]]);
    }

    #[test]
    fn every_place_is_taken_once_also_behind_a_failure() {
        let mut answers = Vec::new();
        let one =
            |_: &mut (), place: usize, _: &dyn Fn() -> bool| if place == 7 { Err("failed") } else { Ok(place * 2) };
        WorkList { queues: &[queue()], is_stopped: &|| false }.each(&one, &mut |place, answer| {
            answers.push((place, answer));
            ControlFlow::Continue(())
        });
        answers.sort();
        let expected = (0..40).map(|place| (place, if place == 7 { Err("failed") } else { Ok(place * 2) }));
        assert_eq!(answers, expected.collect::<Vec<_>>());
    }

    #[test]
    fn what_a_thread_keeps_goes_to_its_next_work() {
        let mut heard = Vec::new();
        let one = |kept: &mut Vec<usize>, place: usize, _: &dyn Fn() -> bool| {
            kept.push(place);
            kept.clone()
        };
        let queues = [vec![4, 1, 3], vec![0]].map(|places| WorkQueue { places, threads: 1 });
        WorkList { queues: &queues, is_stopped: &|| false }.each(&one, &mut |_, kept| {
            heard.push(kept);
            ControlFlow::Continue(())
        });
        heard.sort();
        assert_eq!(heard, [vec![0], vec![4], vec![4, 1], vec![4, 1, 3]]);
    }

    #[test]
    fn after_a_stop_each_thread_ends_what_it_began_and_takes_no_more() {
        let (taken, mut heard) = (AtomicUsize::new(0), 0);
        let is_stopped = || taken.load(Ordering::Relaxed) >= 5;
        WorkList { queues: &[queue()], is_stopped: &is_stopped }.each(
            &|_: &mut (), _, _| taken.fetch_add(1, Ordering::Relaxed),
            &mut |_, _| {
                heard += 1;
                ControlFlow::Continue(())
            },
        );
        let taken = taken.into_inner();
        assert!((5..=7).contains(&taken), "two others may have begun: {taken}");
        assert_eq!(heard, taken);
    }

    #[test]
    fn once_nobody_can_use_more_what_is_under_way_is_asked_to_stop() {
        let mut heard = 0;
        // Only the first place ends by itself, so that the others can only end by being asked.
        let one = |_: &mut (), place: usize, is_over: &dyn Fn() -> bool| {
            while place > 0 && !is_over() {
                thread::yield_now();
            }
            place
        };
        WorkList { queues: &[queue()], is_stopped: &|| false }.each(&one, &mut |_, _| {
            heard += 1;
            ControlFlow::Break(())
        });
        assert_eq!(heard, 1);
    }
}
