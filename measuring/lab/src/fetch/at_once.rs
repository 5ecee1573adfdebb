//! Several sets at a time: each is fetched by a thread of its own, and one caller hears how far all are together.
//!
//! ```text
//! set ─► thread ─┐
//! set ─► thread ─┼─► news ─► the caller's thread: steps and lines with the set's name, one sum of bytes
//! set ─► waits   ┘
//! ```
//! A set that fails ends no other one: what the others got is kept for the next attempt.

use super::Progress;
use crate::error::LabError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};

/// How many sets are fetched at a time: more would only share the same line.
pub(super) const AT_ONCE: usize = 4;

/// What a thread says of its set.
enum News {
    Step(u32, u32, String),
    Line(String),
    Part(u64, u64),
}

/// What is to be fetched: its name, and about how many bytes it has.
pub(super) struct Item {
    pub name: String,
    pub bytes: u64,
}

/// Does `job` for each item, at most [`AT_ONCE`] at a time; the answers in the order of the items.
pub(super) fn each<T: Send>(
    items: &[Item],
    job: impl Fn(usize, &mut dyn FnMut(Progress<'_>)) -> Result<T, LabError> + Sync,
    say: &mut dyn FnMut(Progress<'_>),
) -> Vec<Result<T, LabError>> {
    let (next, (sender, news)) = (AtomicUsize::new(0), mpsc::channel::<(usize, News)>());
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..AT_ONCE.min(items.len()))
            .map(|_| {
                let (sender, next, job) = (sender.clone(), &next, &job);
                scope.spawn(move || one_after_another(items.len(), next, &sender, job))
            })
            .collect();
        drop(sender);
        let mut parts: Vec<(u64, u64)> = items.iter().map(|item| (0, item.bytes)).collect();
        for (at, news) in news {
            announce(&items[at].name, news, &mut parts, at, say);
        }
        let mut answers: Vec<(usize, Result<T, LabError>)> = Vec::new();
        for thread in threads {
            answers.extend(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        answers.sort_by_key(|(at, _)| *at);
        answers.into_iter().map(|(_, answer)| answer).collect()
    })
}

/// What one thread does: the next item that nobody has taken, until there is none.
fn one_after_another<T>(
    items: usize,
    next: &AtomicUsize,
    sender: &Sender<(usize, News)>,
    job: &(impl Fn(usize, &mut dyn FnMut(Progress<'_>)) -> Result<T, LabError> + Sync),
) -> Vec<(usize, Result<T, LabError>)> {
    let mut answers = Vec::new();
    loop {
        // ORDERING: the number alone matters; the items were there before the threads were.
        let at = next.fetch_add(1, Ordering::Relaxed);
        if at >= items {
            return answers;
        }
        let mut say = |progress: Progress<'_>| {
            let news = match progress {
                Progress::Step(step, of, text) => News::Step(step, of, text.to_owned()),
                Progress::Line(line) | Progress::Built(line) => News::Line(line.to_owned()),
                Progress::Part(done, total) => News::Part(done, total),
            };
            // The caller listens until all threads have ended.
            let _ = sender.send((at, news));
        };
        answers.push((at, job(at, &mut say)));
    }
}

fn announce(name: &str, news: News, parts: &mut [(u64, u64)], at: usize, say: &mut dyn FnMut(Progress<'_>)) {
    match news {
        News::Step(step, of, text) => say(Progress::Step(step, of, &format!("{name}: {text}"))),
        News::Line(line) => say(Progress::Line(&format!("{name}: {line}"))),
        News::Part(done, total) => {
            parts[at] = (done, total);
            let sum = |of: fn(&(u64, u64)) -> u64| parts.iter().map(of).sum();
            say(Progress::Part(sum(|part| part.0), sum(|part| part.1)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;
    use std::time::Duration;

    fn items(count: usize) -> Vec<Item> {
        (0..count).map(|number| Item { name: format!("set-{number}"), bytes: 100 }).collect()
    }

    fn failure(at: usize) -> LabError {
        LabError::Missing { what: format!("set {at}"), remedy: String::new() }
    }

    #[test]
    fn sets_are_fetched_at_the_same_time_and_answered_in_their_order() {
        // Each job waits for the others: one after another, the first would wait forever.
        let together = Barrier::new(AT_ONCE);
        let job = |at: usize, _: &mut dyn FnMut(Progress<'_>)| {
            together.wait();
            std::thread::sleep(Duration::from_millis(20 * (AT_ONCE - at) as u64));
            Ok(at)
        };
        let answers: Vec<usize> = each(&items(AT_ONCE), job, &mut |_| {}).into_iter().map(Result::unwrap).collect();
        assert_eq!(answers, (0..AT_ONCE).collect::<Vec<_>>());
    }

    #[test]
    fn never_more_than_a_few_at_a_time_and_one_that_fails_ends_no_other() {
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let job = |at: usize, _: &mut dyn FnMut(Progress<'_>)| {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            std::thread::sleep(Duration::from_millis(5));
            now.fetch_sub(1, Ordering::SeqCst);
            if at == 1 { Err(failure(at)) } else { Ok(at) }
        };
        let answers = each(&items(11), job, &mut |_| {});
        assert!(most.load(Ordering::SeqCst) <= AT_ONCE);
        let failed: Vec<usize> = (0..11).filter(|at| answers[*at].is_err()).collect();
        assert_eq!((answers.len(), failed), (11, vec![1]));
    }

    #[test]
    fn progress_names_its_set_and_bytes_are_those_of_all_sets() {
        let job = |at: usize, say: &mut dyn FnMut(Progress<'_>)| {
            say(Progress::Step(2, 4, "downloading"));
            say(Progress::Part(40, 80));
            Ok(at)
        };
        let mut heard = Vec::new();
        let _ = each(&items(2), job, &mut |progress| heard.push(format!("{progress:?}")));
        assert!(heard.contains(&"Step(2, 4, \"set-1: downloading\")".to_owned()), "{heard:?}");
        // The first thread that speaks knows only the estimate of the other.
        assert!(
            heard.contains(&"Part(40, 180)".to_owned()) && heard.contains(&"Part(80, 160)".to_owned()),
            "{heard:?}"
        );
    }

    #[test]
    fn nothing_to_fetch_is_no_work() {
        assert!(each(&[], |at, _| Ok(at), &mut |_| {}).is_empty());
    }
}
