//! The thread that reads a card's clock four times a second and leaves the newest line where the task can take it.
//!
//! The task never waits for it: it takes the line if nobody writes it at that moment, and keeps its own otherwise.

use super::clock_relation::{ClockRelation, Quality, Track};
use super::reading::{self, ReadingMethod};
use prazo_core::cpu::{Cpu, CpuSet};
use prazo_sys::scheduling;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

const READ_EVERY: Duration = Duration::from_millis(250);

/// Where the newest line is.
#[derive(Clone, Debug, Default)]
pub(super) struct Newest(Arc<Mutex<ClockRelation>>);

impl Newest {
    fn from(line: ClockRelation) -> Self {
        Self(Arc::new(Mutex::new(line)))
    }

    /// The newest line, or `None` where it is being written at this moment.
    #[inline]
    pub(super) fn take(&self) -> Option<ClockRelation> {
        self.0.try_lock().ok().map(|line| *line)
    }

    /// The newest line, waited for: not for the measuring loop.
    pub(super) fn wait(&self) -> ClockRelation {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, line: ClockRelation) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = line;
    }
}

/// Follows a card's clock until it is ended or dropped; by default none.
#[derive(Debug, Default)]
pub(super) struct Follower {
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<Quality>>,
}

impl Follower {
    /// Begins, off the processor that is measured where there is another; gives the place of the newest line as well.
    pub(super) fn start(clock: File, measured: u32) -> io::Result<(Self, Newest)> {
        let (method, first) = reading::find(clock.as_fd())?;
        std::thread::sleep(READ_EVERY);
        let second = reading::read(clock.as_fd(), method)?;
        let track = Track::through(
            first,
            second.ok_or_else(|| io::Error::other("CLOCK_REALTIME was stepped while prazo compared the clocks"))?,
        );
        let newest = Newest::from(track.line());
        let (end, ended) = channel();
        let follow = {
            let newest = newest.clone();
            move || {
                keep_off(measured);
                follow(&clock, method, track, &newest, &ended)
            }
        };
        let thread = std::thread::Builder::new().name("prazo-card-clock".into()).spawn(follow)?;
        Ok((Self { end: Some(end), thread: Some(thread) }, newest))
    }

    /// Reads a last time, so that the last line is judged too, and ends.
    pub(super) fn end(&mut self) -> Quality {
        drop(self.end.take());
        self.thread.take().and_then(|thread| thread.join().ok()).unwrap_or_default()
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.end();
    }
}

/// One processor less to choose from; where there is no other, it stays.
fn keep_off(measured: u32) {
    let others = scheduling::usable_cpus().ok().and_then(|usable| {
        let measured = Cpu::new(measured);
        CpuSet::from_cpus(usable.iter().filter(|cpu| Some(*cpu) != measured))
    });
    // Refused, it reads from where it is.
    let _ = others.map(|others| scheduling::set_affinity(&others));
}

fn follow(clock: &File, method: ReadingMethod, mut track: Track, newest: &Newest, ended: &Receiver<()>) -> Quality {
    loop {
        let is_over = ended.recv_timeout(READ_EVERY) != Err(RecvTimeoutError::Timeout);
        match reading::read(clock.as_fd(), method) {
            Ok(Some(relation)) => track.take(relation),
            _ => track.failed(),
        }
        newest.put(track.line());
        if is_over {
            return track.quality();
        }
    }
}
