//! The triggering side's loop: sleep until the instant, stamp, send; and the counts that the measuring side is told.
//!
//! The sender never skips: a trigger that is late leaves at once, and the grid stays where it is.

use super::error::StationError;
use super::grid::Grid;
use super::series_request::SeriesRequest;
use crate::event::frame::{Ending, Frame, Trigger, Word};
use crate::event::link::{self, Link};
use prazo_engine::StopFlag;
use prazo_sys::clock;
use std::io;

/// So many refused frames in a row, and nobody listens any more.
const REFUSED_MAX: u32 = 50;
/// The last word is said this often, since one may be lost.
const LAST_WORDS: u32 = 3;

/// One series on its way.
#[derive(Debug)]
pub(super) struct Sender<'a> {
    request: &'a SeriesRequest,
    link: &'a Link,
    session: u64,
    start_ns: u64,
    ending: Ending,
    /// When each trigger left, where somebody wants to know.
    sent_ns: Vec<u64>,
    refused: u64,
    refused_in_a_row: u32,
}

/// What a sender counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// What the measuring side was told.
    pub ending: Ending,
    /// Frames that the kernel refused to send; they count as sent, since their numbers are used up.
    pub refused: u64,
}

impl<'a> Sender<'a> {
    /// A sender whose first trigger is due at `start_ns`.
    pub(super) fn new(request: &'a SeriesRequest, link: &'a Link, session: u64, start_ns: u64) -> Self {
        Self {
            request,
            link,
            session,
            start_ns,
            ending: Ending::default(),
            sent_ns: marks(request),
            refused: 0,
            refused_in_a_row: 0,
        }
    }

    /// Sends the series, until its end or the user's; with the counts comes when each trigger left, where answers are taken.
    pub(super) fn run(mut self, stop: &StopFlag) -> Result<(Sent, Vec<u64>), StationError> {
        for planned_ns in Grid::of(self.request.offer()) {
            if !sleep_until(self.start_ns + planned_ns, stop) {
                break;
            }
            self.trigger(planned_ns)?;
        }
        for _ in 0..LAST_WORDS {
            // Silence says the same, only later.
            let _ = self.say(Word::End(self.ending));
        }
        Ok((Sent { ending: self.ending, refused: self.refused }, self.sent_ns))
    }

    fn trigger(&mut self, planned_ns: u64) -> Result<(), StationError> {
        let now_ns = clock::monotonic_ns();
        let sent_ns = now_ns.saturating_sub(self.start_ns);
        let trigger = Trigger { number: self.ending.sent, planned_ns, sent_ns };
        let sent = self.say(Word::Trigger(trigger));
        if self.request.takes_answers {
            self.sent_ns.push(now_ns);
        }
        self.ending.sent += 1;
        self.ending.late += u64::from(sent_ns >= planned_ns + self.request.period_ns);
        self.ending.latest_ns = self.ending.latest_ns.max(sent_ns.saturating_sub(planned_ns));
        self.note(sent)
    }

    fn note(&mut self, sent: io::Result<()>) -> Result<(), StationError> {
        match sent {
            Ok(()) => self.refused_in_a_row = 0,
            Err(error) if is_passing(&error) && self.refused_in_a_row < REFUSED_MAX => {
                self.refused += 1;
                self.refused_in_a_row += 1;
            }
            Err(source) => return Err(StationError::Send { sent: self.ending.sent, source }),
        }
        Ok(())
    }

    fn say(&self, word: Word) -> io::Result<()> {
        self.link.send(&Frame { session: self.session, word })
    }
}

fn marks(request: &SeriesRequest) -> Vec<u64> {
    if request.takes_answers { Vec::with_capacity(request.count as usize) } else { Vec::new() }
}

/// True where the next frame may fare better.
fn is_passing(error: &io::Error) -> bool {
    link::is_nothing_yet(error) || matches!(error.raw_os_error(), Some(libc::ENOBUFS | libc::ENETDOWN))
}

/// False where the user wants to stop.
fn sleep_until(instant_ns: u64, stop: &StopFlag) -> bool {
    loop {
        if stop.is_set() {
            return false;
        }
        if clock::sleep_until(instant_ns) != libc::EINTR {
            return true;
        }
    }
}
