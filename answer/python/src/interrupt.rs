//! Work that Ctrl-C ends: the interpreter is asked for signals while the work is done without its lock.

use pyo3::prelude::*;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// How often the interpreter is asked whether a signal came.
pub(crate) const LOOK: Duration = Duration::from_millis(100);

/// Does `work` on another thread. What a signal's handler raises ends the wait; the work goes on alone and its answer is dropped,
/// because a computation of the library cannot be stopped in its middle.
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

/// Lines of a batch that are answered before signals are looked for, at first.
const FEW_LINES: usize = 32;

/// Answers lines by pieces of a batch that take about as long as [`LOOK`], and looks for signals between them.
pub(crate) fn by_pieces(
    python: Python<'_>,
    lines: &str,
    mut answer: impl FnMut(&str, &mut Vec<u8>) -> PyResult<()> + Send,
) -> PyResult<Vec<u8>> {
    let (mut output, mut rest, mut count) = (Vec::new(), lines, FEW_LINES);
    while !rest.is_empty() {
        let end = rest.match_indices('\n').nth(count - 1).map_or(rest.len(), |(at, _)| at + 1);
        let (piece, after) = rest.split_at(end);
        let begun = Instant::now();
        python.detach(|| answer(piece, &mut output))?;
        python.check_signals()?;
        rest = after;
        if begun.elapsed() < LOOK / 2 {
            count = count.saturating_mul(2);
        } else if begun.elapsed() > LOOK * 2 {
            count = (count / 2).max(1);
        }
    }
    Ok(output)
}
