//! The measuring side's end of a meeting: which station, what it offers, and what became of its triggers.

use super::error::EventError;
use super::event_counts::EventCounts;
use super::frame::{Frame, Offer, Word};
use super::hardware::{Card, NoCardStamps};
use super::link::{Link, Peer};
use super::stage::Stage;
use prazo_core::time::Duration;
use prazo_engine::StopFlag;
use prazo_platform::tunable::TunableRecord;
use prazo_run::source::ReceiveStamp;
use prazo_sys::clock;
use prazo_sys::socket as sys;
use prazo_trace::answerer::Answerer;
use std::os::fd::AsFd;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// How soon a wish to stop, or silence, is seen.
pub(super) const LOOK_US: u32 = 100_000;

/// A station was met; it waits for the word to go.
#[derive(Debug)]
pub struct Endpoint {
    link: Link,
    session: u64,
    /// What the station offers.
    pub offer: Offer,
    /// Who it is.
    pub peer: Peer,
    /// Answer each trigger, this long after it was noted; `None` does not answer.
    pub answer_delay: Option<Duration>,
    /// Answers from the kernel as well, as long as it is here.
    pub answerer: Option<Answerer>,
    /// Why the card's stamps are not taken, where they were wished for.
    pub software_because: Option<String>,
    card: Option<Card>,
    start_ns: AtomicU64,
    outcome: OnceLock<EventCounts>,
    /// Ends with the meeting, where the station is our own.
    stage: Option<Stage>,
}

impl Endpoint {
    /// Waits until a station offers its triggers; `stage` is what makes our own one, which may fail meanwhile.
    pub fn meet(
        mut link: Link,
        mut stage: Option<Stage>,
        patience: Duration,
        stop: &StopFlag,
    ) -> Result<Self, EventError> {
        let set = |what| move |source| EventError::Socket { what, source };
        sys::set_receive_timeout_us(link.as_fd(), LOOK_US).map_err(set("setting the receive timeout for frames"))?;
        sys::stamp_arrivals(link.as_fd()).map_err(set("enabling time stamps of received frames (SO_TIMESTAMPING)"))?;
        let until_ns = clock::monotonic_ns().saturating_add(patience.as_ns());
        let (frame, peer, offer) = loop {
            match link.receive().map_err(set("listening for the triggering station"))? {
                Some((frame, peer)) if let Word::Hello(offer) = frame.word => break (frame, peer, offer),
                _ => {}
            }
            if let Some(words) = stage.as_mut().and_then(Stage::last_words) {
                return Err(EventError::StationFailed { words });
            }
            if stop.is_set() {
                return Err(EventError::Interrupted);
            }
            if clock::monotonic_ns() >= until_ns {
                return Err(EventError::NoStation { patience, local: link.local() });
            }
        };
        link.meet(peer).map_err(set("answering the triggering station"))?;
        let (session, start_ns, outcome) = (frame.session, AtomicU64::new(0), OnceLock::new());
        let (answer_delay, answerer, software_because, card) = (None, None, None, None);
        Ok(Self {
            link,
            session,
            offer,
            peer,
            answer_delay,
            answerer,
            software_because,
            card,
            start_ns,
            outcome,
            stage,
        })
    }

    /// Tells the station that its first trigger is due at `start_ns`.
    pub fn go(&self, start_ns: u64) -> std::io::Result<()> {
        self.start_ns.store(start_ns, Ordering::Relaxed);
        self.go_again()
    }

    /// Says so again to a station that still offers: the word was lost on the way.
    pub(super) fn go_again(&self) -> std::io::Result<()> {
        let start_in_ns = self.start_ns.load(Ordering::Relaxed).saturating_sub(clock::monotonic_ns());
        self.say(Word::Go { start_in_ns, answers: self.answer_delay.is_some() })
    }

    /// Sends one word of this meeting.
    pub(super) fn say(&self, word: Word) -> std::io::Result<()> {
        self.link.send(&Frame { session: self.session, word })
    }

    /// Which meeting it is.
    pub(super) fn session(&self) -> u64 {
        self.session
    }

    /// Where frames come from.
    pub(super) fn link(&self) -> &Link {
        &self.link
    }

    /// Notes what became of the triggers; once.
    pub(super) fn note(&self, outcome: EventCounts) {
        let _ = self.outcome.set(outcome);
    }

    /// What became of the triggers; `None` before the end.
    pub fn outcome(&self) -> Option<&EventCounts> {
        self.outcome.get()
    }

    /// Where the first stamp of each latency comes from.
    pub fn stamp(&self) -> ReceiveStamp {
        if self.card.is_some() { ReceiveStamp::Hardware } else { ReceiveStamp::Software }
    }

    /// Takes the card's stamps from now on, where the card has them; `measured` is the task's processor.
    pub fn stamp_by_card(&mut self, measured: u32) -> Result<(), NoCardStamps> {
        let interface = self.link.interface().ok_or(NoCardStamps::AnyInterface)?;
        self.take_card(Card::open(interface, measured)?);
        Ok(())
    }

    /// Takes this card's stamps.
    pub(super) fn take_card(&mut self, card: Card) {
        self.card = Some(card);
    }

    /// The card whose stamps are taken.
    pub(super) fn card(&self) -> Option<&Card> {
        self.card.as_ref()
    }

    /// Puts back what was set for the meeting, and says what that was.
    pub(super) fn put_back(&self) -> Option<TunableRecord> {
        self.card.as_ref().and_then(Card::release)
    }

    /// The interface that is listened on; `None` is any.
    pub fn interface(&self) -> Option<&str> {
        self.link.interface()
    }

    /// True while a station of our own has not ended; of another's nothing is known.
    pub(super) fn station_lives(&self) -> bool {
        self.stage.as_ref().is_some_and(Stage::lives)
    }

    /// True where the station is our own, on this machine.
    pub fn is_staged(&self) -> bool {
        self.stage.is_some()
    }
}
