//! Work that Ctrl-C ends: the interpreter is asked for signals while the work is done without its lock.

use crate::error::failed;
use crate::progress::{LOOK, Reported};
use prazo::{Progress, Stop};
use pyo3::prelude::*;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::Instant;

/// Does `work` on another thread. What a signal's handler raises ends the wait; the work goes on alone and its answer is dropped,
/// because an analysis or a rendering of the library cannot be stopped in its middle.
pub(crate) fn awaited<T: Send + 'static>(python: Python<'_>, work: impl FnOnce() -> T + Send + 'static) -> PyResult<T> {
    let (send, mut answer) = mpsc::channel();
    let worker = thread::spawn(move || drop(send.send(work())));
    loop {
        // A receiver cannot be shared between threads, so it goes in and comes back.
        let (kept, received) = python.detach(move || {
            let received = answer.recv_timeout(LOOK);
            (answer, received)
        });
        answer = kept;
        match received {
            Ok(done) => return Ok(done),
            Err(RecvTimeoutError::Timeout) => python.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    // Nothing was sent, so that the work panicked; the caller sees its panic.
    std::panic::resume_unwind(worker.join().expect_err("a thread that ends without an answer has panicked"))
}

/// The same for work that can be stopped: what a signal's handler raises stops it.
pub(crate) fn awaited_or_stopped<T: Send + 'static>(
    python: Python<'_>,
    work: impl FnOnce(Stop) -> T + Send + 'static,
) -> PyResult<T> {
    let stop = Stop::new().map_err(failed)?;
    let of_work = stop.clone();
    awaited(python, move || work(of_work)).inspect_err(|_| stop.stop())
}

/// Hears nothing, and stops as this says.
pub(crate) struct Stoppable(pub(crate) Stop);

impl Progress for Stoppable {
    fn stop(&mut self) -> io::Result<Stop> {
        Ok(self.0.clone())
    }
}

/// Answers lines by pieces of a batch that take about as long as [`LOOK`]; looks for signals and reports progress meanwhile. What a
/// signal's handler raises ends the wait at once; the piece that is under way is answered in the background and dropped.
pub(crate) fn by_pieces(
    python: Python<'_>,
    lines: &str,
    callback: Option<&Py<PyAny>>,
    answer: impl Fn(&str) -> PyResult<Vec<u8>> + Send + Sync + 'static,
) -> PyResult<Vec<u8>> {
    let answer = Arc::new(answer);
    let (mut output, mut rest, mut count) = (Vec::new(), lines, workers());
    let (mut done, total) = (0, lines.lines().count());
    let mut progress = Reported::new(callback);
    while !rest.is_empty() {
        let end = rest.match_indices('\n').nth(count - 1).map_or(rest.len(), |(at, _)| at + 1);
        let (piece, after) = rest.split_at(end);
        let begun = Instant::now();
        let (of_piece, text) = (Arc::clone(&answer), piece.to_owned());
        output.append(&mut awaited(python, move || of_piece(&text))??);
        done += piece.lines().count();
        progress.heard(done, total)?;
        rest = after;
        if begun.elapsed() < LOOK / 2 {
            count = count.saturating_mul(2);
        } else if begun.elapsed() > LOOK * 2 {
            count = (count / 2).max(1);
        }
    }
    Ok(output)
}

fn workers() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Items that a thread takes at a time.
const FEW_ITEMS: usize = 8;

/// Items that threads share. The threads own them, because they may outlive the call that an interrupt ends.
struct Shared<T, F> {
    items: Arc<Vec<T>>,
    answer: F,
    // ORDERING: only the number and the flag are shared; what a thread made goes through the channel.
    next: AtomicUsize,
    is_stopped: AtomicBool,
}

impl<T, F> Shared<T, F> {
    /// Answers pieces of the items until there are no more, or nobody waits for answers.
    fn work<A>(&self, send: &mpsc::Sender<(usize, Vec<A>)>)
    where
        F: Fn(&T) -> A,
    {
        loop {
            let start = self.next.fetch_add(FEW_ITEMS, Ordering::Relaxed);
            let end = self.items.len().min(start + FEW_ITEMS);
            let Some(piece) = self.items.get(start..end).filter(|piece| !piece.is_empty()) else { return };
            let goes_on = |_: &&T| !self.is_stopped.load(Ordering::Relaxed);
            let made: Vec<A> = piece.iter().take_while(goes_on).map(&self.answer).collect();
            if made.len() < piece.len() || send.send((start, made)).is_err() {
                return;
            }
        }
    }
}

/// The answers to `items`, in order, on all processors; looks for signals and reports progress while they are made. What a signal's
/// handler raises ends the wait at once; each thread ends after the item that it has.
pub(crate) fn of_all<T: Send + Sync + 'static, A: Send + 'static>(
    python: Python<'_>,
    items: &Arc<Vec<T>>,
    callback: Option<&Py<PyAny>>,
    answer: impl Fn(&T) -> A + Send + Sync + 'static,
) -> PyResult<Vec<A>> {
    let (next, is_stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
    let shared = Arc::new(Shared { items: Arc::clone(items), answer, next, is_stopped });
    let mut progress = Reported::new(callback);
    let (send, received) = mpsc::channel();
    let start = |_| {
        let (shared, send) = (Arc::clone(&shared), send.clone());
        thread::spawn(move || shared.work(&send))
    };
    let threads: Vec<JoinHandle<()>> = (0..workers()).map(start).collect();
    drop(send);
    let total = items.len();
    let answered = python.detach(move || {
        let mut answers: Vec<Option<A>> = (0..total).map(|_| None).collect();
        let mut done = 0;
        loop {
            match received.recv_timeout(LOOK) {
                Ok((start, made)) => {
                    done += made.len();
                    answers[start..].iter_mut().zip(made).for_each(|(place, one)| *place = Some(one));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(answers),
            }
            progress.heard_if_due(done, total)?;
        }
    });
    let answers = answered.inspect_err(|_: &PyErr| shared.is_stopped.store(true, Ordering::Relaxed))?;
    for thread in threads {
        // One that panicked did not answer; the caller sees its panic.
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    }
    Ok(answers.into_iter().flatten().collect())
}
