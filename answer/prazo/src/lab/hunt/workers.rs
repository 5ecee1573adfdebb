//! Guests on several threads: each thread takes the next candidate, and results come in the order in which they end.
//!
//! The kernel ends a guest with the thread that started it, so that nothing is left where this process ends.

use crate::progress::Stop;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

/// How often the user's wish to stop is looked at.
const GLANCE: Duration = Duration::from_millis(100);

/// Does `work` for each item on so many threads, and hands each result with its item's place to `take`, as they come; `None`
/// several times a second where none came. After an error and after the user's wish to stop, no further item is begun, and those under way are told to end.
pub(super) fn each<T: Sync, R: Send, E: Send>(
    items: &[T],
    workers: usize,
    stop: &Stop,
    work: impl Fn(&T, &dyn Fn() -> bool) -> Result<R, E> + Sync,
    mut take: impl FnMut(Option<(usize, Result<R, E>)>),
) {
    let (next, ends) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (sender, results) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..workers.min(items.len()) {
            let sender = sender.clone();
            scope.spawn(|| {
                let sender = sender;
                while !ends.load(Ordering::Relaxed) {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(place) else { break };
                    let result = work(item, &|| ends.load(Ordering::Relaxed));
                    if result.is_err() {
                        ends.store(true, Ordering::Relaxed);
                    }
                    if sender.send((place, result)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        loop {
            match results.recv_timeout(GLANCE) {
                Ok(ended) => take(Some(ended)),
                Err(mpsc::RecvTimeoutError::Timeout) => take(None),
                Err(mpsc::RecvTimeoutError::Disconnected) => return,
            }
            if stop.is_set() {
                ends.store(true, Ordering::Relaxed);
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(items: &[u32], workers: usize, stop: &Stop, fails_at: Option<u32>) -> Vec<(usize, Result<u32, u32>)> {
        let mut all = Vec::new();
        let work = |item: &u32, ends: &dyn Fn() -> bool| match fails_at {
            Some(at) if *item == at => Err(*item),
            _ if ends() => Err(*item),
            _ => Ok(item * 2),
        };
        each(items, workers, stop, work, |ended| all.extend(ended));
        all.sort_by_key(|(place, _)| *place);
        all
    }

    #[test]
    fn every_item_is_done_once_by_any_number_of_workers() {
        let (items, stop) = ((0..20).collect::<Vec<_>>(), Stop::new().unwrap());
        let expected: Vec<_> = items.iter().map(|item| (*item as usize, Ok(item * 2))).collect();
        for workers in [1, 3, 50] {
            assert_eq!(done(&items, workers, &stop, None), expected);
        }
        assert!(done(&[], 2, &stop, None).is_empty());
    }

    #[test]
    fn after_an_error_and_after_the_wish_to_stop_no_item_is_begun() {
        let (items, stop) = ((0..20).collect::<Vec<_>>(), Stop::new().unwrap());
        let all = done(&items, 1, &stop, Some(3));
        assert_eq!((all.len(), all[3].1), (4, Err(3)));
        stop.stop();
        let all = done(&items, 2, &stop, None);
        assert!(all.len() <= items.len());
    }
}
