//! Frames that trigger, sent by this machine itself from a second card: a guest alone has no other station.
//!
//! ```text
//! real-time sender ─► sending card ── hub ─► receiving card ─► network's receive path: t1, the line is raised
//! ```
//! The sender stands below every interrupt's thread and the measured task, so that it is no part of a sample: it goes on when
//! the task has run. What it costs lies before t1.

use super::error::InterruptError;
use super::setting::OwnFrames;
use crate::event::frame::Offer;
use crate::station::Grid;
use prazo_abi::irqlat::ETHERTYPE;
use prazo_engine::policy;
use prazo_load::{self as load, Cards};
use prazo_run::plan::Policy;
use prazo_sys::clock;
use prazo_sys::socket::{Mac, interface_index, packet_send, packet_socket};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// Above a flood's sender, which is 1, and below all that is measured.
const PRIORITY: u8 = 2;
/// The first frame is due so long after the module was armed.
const LEAD_NS: u64 = 50_000_000;
/// The smallest Ethernet payload: the number, and nothing.
const BYTES: usize = 46;

/// The sender at work.
#[derive(Debug)]
pub struct Sender {
    done: Arc<AtomicBool>,
    thread: JoinHandle<io::Result<()>>,
}

impl OwnFrames {
    /// Frames that come in at `card` from the other one of the pair; `None` where another machine sends, or the card is neither.
    pub fn to_card(card: &str, pair: &Cards, offer: Offer) -> Option<Self> {
        let other = pair.sending.as_deref()?;
        let through = match card {
            card if card == pair.receiving => other,
            card if card == other => &pair.receiving,
            _ => return None,
        };
        Some(Self { through: through.to_owned(), to: card.to_owned(), offer })
    }

    /// Starts the sender, whose priority is set when this returns.
    pub fn start(&self) -> Result<Sender, InterruptError> {
        let to = load::ethernet_address(&self.to).map_err(InterruptError::OwnFrames)?;
        let index = interface_index(&self.through).map_err(InterruptError::OwnFrames)?;
        let socket = packet_socket(index, HEARS_NOTHING).map_err(InterruptError::OwnFrames)?;
        let (done, offer) = (Arc::new(AtomicBool::new(false)), self.offer);
        let reported = Arc::clone(&done);
        let work = move || send(&Wire { socket, index, to }, offer, &reported);
        let thread = std::thread::Builder::new().name("prazo-frames".into()).spawn(work);
        Ok(Sender { done, thread: thread.map_err(InterruptError::OwnFrames)? })
    }
}

const HEARS_NOTHING: u16 = 0;

impl Sender {
    /// Has it send no more, and says what kept it from sending, if anything did.
    pub fn stop(self) -> Result<(), InterruptError> {
        self.done.store(true, Ordering::Release);
        let ended =
            self.thread.join().unwrap_or_else(|_| Err(io::Error::other("the thread that sends the frames panicked")));
        ended.map_err(InterruptError::OwnFrames)
    }
}

struct Wire {
    socket: OwnedFd,
    index: u32,
    to: Mac,
}

/// Sends until it is told to stop; a frame that is late leaves at once, and the grid stays where it is.
fn send(wire: &Wire, offer: Offer, done: &AtomicBool) -> io::Result<()> {
    policy::set(0, Policy::Fifo { priority: PRIORITY }, offer.period_ns).map_err(io::Error::other)?;
    let start_ns = clock::monotonic_ns() + LEAD_NS;
    for (number, instant_ns) in (0..).zip(Grid::of(offer)) {
        clock::sleep_until(start_ns + instant_ns);
        if done.load(Ordering::Acquire) {
            break;
        }
        match packet_send(wire.socket.as_fd(), wire.index, ETHERTYPE, wire.to, &payload(number)) {
            // The card's queue is full: the frame is lost, and the module finds its number missing.
            Err(error) if error.raw_os_error() == Some(libc::ENOBUFS) => {}
            sent => sent?,
        }
    }
    Ok(())
}

/// What the module reads: the frame's number, most significant byte first.
fn payload(number: u64) -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    bytes[..8].copy_from_slice(&number.to_be_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    const OFFER: Offer = Offer { period_ns: 1_000_000, count: 3, jitter_ns: 0, seed: 1 };

    #[test]
    fn frames_leave_through_the_other_card_of_the_pair() {
        let pair = Cards { receiving: "eth0".into(), sending: Some("eth1".into()) };
        let through = |card| OwnFrames::to_card(card, &pair, OFFER).map(|frames| (frames.through, frames.to));
        assert_eq!(through("eth0"), Some(("eth1".into(), "eth0".into())));
        assert_eq!(through("eth1"), Some(("eth0".into(), "eth1".into())));
        assert_eq!(through("eth2"), None);
    }

    #[test]
    fn where_another_machine_sends_there_are_none_of_our_own() {
        let wire = Cards { receiving: "eth1".into(), sending: None };
        assert_eq!(OwnFrames::to_card("eth1", &wire, OFFER), None);
    }

    #[test]
    fn a_frame_begins_with_its_number_as_the_module_reads_it() {
        assert_eq!(payload(0x0102)[..9], [0, 0, 0, 0, 0, 0, 1, 2, 0]);
    }

    #[test]
    fn a_card_that_is_not_there_is_named() {
        let pair = Cards { receiving: "eth76".into(), sending: Some("eth77".into()) };
        let error = OwnFrames::to_card("eth76", &pair, OFFER).unwrap().start().unwrap_err();
        assert!(error.to_string().contains("eth76"), "{error}");
    }
}
