//! Makes all boots that are missing, a few at a time, and says how long the rest will take.

use super::bench::Bench;
use super::piece::Piece;
use prazo_lab::Emulator;
use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::time::Instant;

/// A boot and its kernel.
pub(super) type Due<'a> = (&'a Bench, Piece);

/// Makes what is missing of `due`, `at_once` (at least one) at a time. The first failure ends it: what was made stays.
pub(super) fn make(due: &[Due<'_>], emulator: &Emulator, at_once: usize) -> Result<(), String> {
    let is_missing = |(bench, piece): &&Due<'_>| bench.made(piece, emulator).is_none();
    let missing: Vec<&Due<'_>> = due.iter().filter(is_missing).collect();
    let progress = Mutex::new(Progress::new(due.len(), missing.len()));
    let next = Mutex::new(missing.iter());
    let failure = Mutex::new(None);
    let take = || if lock(&failure).is_some() { None } else { lock(&next).next() };
    // Each guest is waited for by the thread that started it, since the kernel ends it with that thread.
    let work = || {
        while let Some((bench, piece)) = take() {
            match bench.make(piece, emulator) {
                Ok(()) => lock(&progress).one_more(),
                Err(error) => drop(lock(&failure).get_or_insert(error)),
            }
        }
    };
    std::thread::scope(|scope| (0..at_once.max(1)).for_each(|_| drop(scope.spawn(work))));
    lock(&progress).end();
    failure.into_inner().expect("no holder panics").map_or(Ok(()), Err)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().expect("no holder panics")
}

/// One line that rewrites itself on a terminal; in a log, a line for each twentieth of the way.
struct Progress {
    total: usize,
    missing: usize,
    made: usize,
    start: Instant,
    rewrites: bool,
    reported: usize,
}

impl Progress {
    fn new(total: usize, missing: usize) -> Self {
        let rewrites = std::io::stderr().is_terminal();
        let progress = Self { total, missing, made: 0, start: Instant::now(), rewrites, reported: 0 };
        eprintln!("{total} boots, {} of them made before", total - missing);
        progress
    }

    fn one_more(&mut self) {
        self.made += 1;
        let twentieth = self.made * 20 / self.missing;
        if self.rewrites || twentieth != self.reported {
            self.reported = twentieth;
            let (start, end) = if self.rewrites { ("\r\x1b[K", "") } else { ("", "\n") };
            // Progress is for looking at; a closed standard error is no reason to stop.
            let _ = write!(std::io::stderr(), "{start}{}{end}", self.text());
            let _ = std::io::stderr().flush();
        }
    }

    fn text(&self) -> String {
        let left_s = self.start.elapsed().as_secs_f64() / self.made as f64 * (self.missing - self.made) as f64;
        let done = self.total - self.missing + self.made;
        format!("{done} of {} boots, {} s left", self.total, left_s.ceil())
    }

    fn end(&self) {
        if self.rewrites && self.made > 0 {
            eprintln!();
        }
    }
}
