//! The event probe's way to wait: for the next trigger, with one receive call, whose stamp is when it was due.
//!
//! It is a timer to the measuring loop, one whose instants somebody else sets. What arrives and is no next trigger is counted,
//! never measured, and never passed over in silence.

use super::endpoint::Endpoint;
use super::event_counts::{EventCounts, StationEnd};
use super::frame::{Answerer, Frame, Word};
use super::hardware::Card;
use super::origin::Origin;
use super::sequence::{Arrival, Sequence};
use super::wall_clock::wall_clock;
use prazo_engine::timer::{Broken, Expected, Timer};
use prazo_engine::when_late::{NextActivation, Served};
use prazo_sys::clock;
use prazo_sys::socket::{Inbox, Received};
use std::os::fd::AsFd;

/// A silence shorter than this is never taken for a station's end.
const SILENCE_MIN_NS: u64 = 1_000_000_000;
/// While our own station lives: on a busy machine it may wait long for a processor.
const SILENCE_OF_OURS_NS: u64 = 10 * SILENCE_MIN_NS;
/// So many missing triggers in a row are.
const SILENT_PERIODS: u64 = 20;
/// A station that was never heard is given longer: the word to go leaves an ordinary thread beside the loads, and a station that is a guest
/// starts when its host lets it.
const START_MAX_NS: u64 = 30_000_000_000;
/// "No instant is known": the next trigger is due when it comes.
const UNKNOWN_NS: u64 = u64::MAX - 1;
/// Behind every end, so that the loop ends.
const NEVER_NS: u64 = u64::MAX;

/// Waits for triggers.
#[derive(Debug)]
pub(super) struct Receiver<'e> {
    endpoint: &'e Endpoint,
    inbox: Inbox,
    sequence: Sequence,
    origin: Origin<'e>,
    /// The newest trigger, due by the stamp's own clock.
    arrived: Expected,
    /// Passed over since the last sample: triggers without a stamp, and the gaps before them.
    passed_over: u64,
    outcome: EventCounts,
    number: u64,
    /// When the last trigger was served; `None` before the first.
    heard_ns: Option<u64>,
    start_ns: u64,
    end_ns: u64,
}

impl<'e> Receiver<'e> {
    /// A receiver for triggers from `start_ns` until their end, or `end_ns`.
    pub(super) fn new(endpoint: &'e Endpoint, start_ns: u64, end_ns: u64) -> Self {
        let wall = wall_clock();
        Self {
            endpoint,
            inbox: Inbox::default(),
            sequence: Sequence::default(),
            origin: Origin::of(endpoint, wall),
            arrived: Expected { due_ns: start_ns, skipped: 0 },
            passed_over: 0,
            outcome: EventCounts { wall_before: wall, ..EventCounts::default() },
            number: 0,
            heard_ns: None,
            start_ns,
            end_ns,
        }
    }

    /// Leaves what was counted with the endpoint.
    pub(super) fn finish(mut self) {
        self.outcome.wall_after = wall_clock();
        self.outcome.card = self.endpoint.card().map(Card::end);
        self.endpoint.note(self.outcome);
    }

    /// What a frame means; `Ok` where it is the trigger that the task waited for.
    #[inline]
    fn take(&mut self, frame: Option<Frame>, stamp_ns: Option<u64>) -> Result<u64, Broken> {
        match frame.filter(|frame| frame.session == self.endpoint.session()).map(|frame| frame.word) {
            Some(Word::Trigger(trigger)) => match self.sequence.take(trigger.number) {
                Arrival::New { skipped } => self.take_new(trigger.number, skipped, stamp_ns),
                Arrival::Duplicate => self.count(|outcome| outcome.duplicates += 1),
                Arrival::Overtaken => self.count(|outcome| outcome.overtaken += 1),
            },
            Some(Word::End(end)) => {
                self.outcome.ending = Some(StationEnd::Said(end));
                let missing = self.sequence.missing_at_end(end.sent);
                self.outcome.missing += missing;
                Err(Broken::Over { skipped: self.passed_over + missing })
            }
            Some(Word::Hello(_)) => {
                // A word that could not be sent is asked for again.
                let _ = self.endpoint.go_again();
                Err(Broken::Interrupted)
            }
            _ => self.count(|outcome| outcome.foreign += 1),
        }
    }

    #[inline]
    fn take_new(&mut self, number: u64, skipped: u64, stamp_ns: Option<u64>) -> Result<u64, Broken> {
        self.outcome.missing += skipped;
        let Some(stamp_ns) = stamp_ns else {
            self.passed_over += skipped + 1;
            return self.count(|outcome| outcome.unstamped += 1);
        };
        self.arrived = Expected { due_ns: stamp_ns, skipped: skipped + std::mem::take(&mut self.passed_over) };
        self.number = number;
        Ok(1)
    }

    #[cold]
    fn count(&mut self, note: impl FnOnce(&mut EventCounts)) -> Result<u64, Broken> {
        note(&mut self.outcome);
        Err(Broken::Interrupted)
    }

    /// Nothing came for a while: the station may be gone, or the run over.
    #[cold]
    fn nothing_came(&mut self) -> Broken {
        let now_ns = clock::monotonic_ns();
        let for_ns = now_ns.saturating_sub(self.heard_ns.unwrap_or(self.start_ns));
        let is_silent = for_ns >= self.patience_ns();
        if is_silent {
            self.outcome.ending = Some(StationEnd::Silent { for_ns });
        }
        if is_silent || now_ns >= self.end_ns {
            return Broken::Over { skipped: self.passed_over };
        }
        Broken::Interrupted
    }

    /// How long a silence is no station's end. Nothing at all until the run's end is one.
    fn patience_ns(&self) -> u64 {
        let least_ns = if self.endpoint.station_lives() { SILENCE_OF_OURS_NS } else { SILENCE_MIN_NS };
        let usual_ns = least_ns.max(SILENT_PERIODS.saturating_mul(self.endpoint.offer.period_ns));
        match self.heard_ns {
            Some(_) => usual_ns,
            None => START_MAX_NS.max(usual_ns).min(self.end_ns.saturating_sub(self.start_ns)),
        }
    }

    fn answer(&mut self, delay_ns: u64, noted_ns: u64) {
        while clock::monotonic_ns() < noted_ns + delay_ns {
            std::hint::spin_loop();
        }
        match self.endpoint.say(Word::Answer { number: self.number, by: Answerer::Task }) {
            Ok(()) => self.outcome.answered += 1,
            Err(_) => self.outcome.unanswered += 1,
        }
    }
}

impl Timer for Receiver<'_> {
    fn first_due_ns(&mut self) -> u64 {
        self.start_ns
    }

    #[inline]
    fn wait(&mut self, _due_ns: u64) -> Result<u64, Broken> {
        let (frame, stamp_ns) = match self.inbox.receive(self.endpoint.link().as_fd()) {
            Ok(Received { bytes, software_ns, hardware_ns }) => {
                self.outcome.hardware_stamps += u64::from(hardware_ns.is_some());
                (Frame::decode(bytes), self.origin.choose(software_ns, hardware_ns))
            }
            Err(libc::EAGAIN | libc::ECONNREFUSED) => return Err(self.nothing_came()),
            Err(errno) => return Err(Broken::of(errno)),
        };
        self.take(frame, stamp_ns)
    }

    #[inline]
    fn settle(&self, _expected: Expected, _now_ns: u64) -> Expected {
        // Behind the task's own stamp, so that the conversion is in no latency.
        Expected { due_ns: self.origin.to_monotonic(self.arrived.due_ns), ..self.arrived }
    }

    #[inline]
    fn step(&mut self, served: Served, _expired: u64) -> Result<NextActivation, Broken> {
        self.heard_ns = Some(served.now_ns);
        if let Some(delay) = self.endpoint.answer_delay {
            self.answer(delay.as_ns(), served.now_ns);
        }
        Ok(NextActivation::to(if served.now_ns >= self.end_ns { NEVER_NS } else { UNKNOWN_NS }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::frame::{Ending, Offer, Trigger};
    use super::super::link::{Link, Peer, Wire};
    use super::*;
    use prazo_core::time::Duration;
    use prazo_engine::StopFlag;
    use std::net::{Ipv4Addr, SocketAddr};

    const SESSION: u64 = 7;

    #[test]
    fn a_trigger_without_the_card_s_stamp_is_skipped_and_counted_where_that_is_t1() {
        let (station, mut endpoint) = meeting();
        endpoint.take_card(Card::default());
        let trigger = Word::Trigger(Trigger { number: 0, planned_ns: 0, sent_ns: 0 });
        let end = Word::End(Ending { sent: 1, late: 0, latest_ns: 0 });
        [trigger, end].into_iter().for_each(|word| station.send(&Frame { session: SESSION, word }).unwrap());
        let mut receiver = Receiver::new(&endpoint, clock::monotonic_ns(), u64::MAX);
        assert!(matches!(receiver.wait(0), Err(Broken::Interrupted)), "loopback stamps in software only");
        assert!(matches!(receiver.wait(0), Err(Broken::Over { skipped: 1 })));
        receiver.finish();
        assert_eq!(endpoint.outcome().map(|outcome| (outcome.unstamped, outcome.card.is_some())), Some((1, true)));
    }

    fn on_loopback() -> Link {
        Link::open(&Wire::Udp { local: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), interface: None }).unwrap()
    }

    /// A station that says what the test wants, and the endpoint that has met it.
    fn meeting() -> (Link, Endpoint) {
        let (mut station, link) = (on_loopback(), on_loopback());
        station.meet(Peer::Udp(link.local().unwrap())).unwrap();
        let offer = Offer { period_ns: 1_000_000, count: 8, jitter_ns: 0, seed: 1 };
        station.send(&Frame { session: SESSION, word: Word::Hello(offer) }).unwrap();
        let endpoint = Endpoint::meet(link, None, Duration::from_s(10), &StopFlag::new().unwrap()).unwrap();
        wait_for_stamps(&station, &endpoint);
        (station, endpoint)
    }

    /// The kernel begins to stamp some time after the first socket asked for it, from a work queue: until then nothing is stamped.
    fn wait_for_stamps(station: &Link, endpoint: &Endpoint) {
        let word = Word::Trigger(Trigger { number: 0, planned_ns: 0, sent_ns: 0 });
        let (mut inbox, until_ns) = (Inbox::default(), clock::monotonic_ns() + 10_000_000_000);
        let mut is_stamped = || {
            station.send(&Frame { session: SESSION + 2, word }).unwrap();
            inbox.receive(endpoint.link().as_fd()).is_ok_and(|received| received.software_ns.is_some())
        };
        while !is_stamped() {
            assert!(clock::monotonic_ns() < until_ns, "the kernel stamps nothing");
        }
    }

    /// Ends the wait of a receiver to which nothing came, `ago_ns` after its start and with its end `left_ns` away.
    fn waited(ago_ns: u64, left_ns: u64, heard: bool) -> (Broken, Option<StationEnd>) {
        let (_station, endpoint) = meeting();
        let now_ns = clock::monotonic_ns();
        let mut receiver = Receiver::new(&endpoint, now_ns - ago_ns, now_ns + left_ns);
        receiver.heard_ns = heard.then_some(receiver.start_ns);
        (receiver.nothing_came(), receiver.outcome.ending)
    }

    #[test]
    fn a_station_that_starts_late_is_waited_for_and_one_that_falls_silent_is_not() {
        let (two_s_ns, minute_ns) = (2_000_000_000, 60_000_000_000);
        let is_silent = |(broken, ending): (Broken, Option<StationEnd>)| {
            matches!((broken, ending), (Broken::Over { .. }, Some(StationEnd::Silent { .. })))
        };
        let (broken, ending) = waited(two_s_ns, minute_ns, false);
        assert!(matches!(broken, Broken::Interrupted) && ending.is_none(), "{broken:?} {ending:?}");
        assert!(is_silent(waited(two_s_ns, minute_ns, true)));
        assert!(is_silent(waited(START_MAX_NS, minute_ns, false)));
        assert!(is_silent(waited(two_s_ns, 0, false)), "a run without any trigger says why");
    }

    #[test]
    fn what_is_no_next_trigger_is_counted_and_sent_is_served_and_skipped() {
        let (station, endpoint) = meeting();
        let trigger = |number| Word::Trigger(Trigger { number, planned_ns: 0, sent_ns: 0 });
        let triggers = [trigger(0), trigger(1), trigger(1), trigger(4), trigger(3)];
        triggers.into_iter().for_each(|word| station.send(&Frame { session: SESSION, word }).unwrap());
        station.send(&Frame { session: SESSION + 1, word: trigger(5) }).unwrap();
        let end = Ending { sent: 8, late: 0, latest_ns: 0 };
        station.send(&Frame { session: SESSION, word: Word::End(end) }).unwrap();

        let now_ns = clock::monotonic_ns();
        let mut receiver = Receiver::new(&endpoint, now_ns, u64::MAX);
        let (mut skipped, mut due) = (Vec::new(), Vec::new());
        let missing = loop {
            match receiver.wait(0) {
                Ok(_) => {
                    let arrived = receiver.settle(Expected { due_ns: 0, skipped: 0 }, 0);
                    skipped.push(arrived.skipped);
                    due.push(arrived.due_ns);
                }
                Err(Broken::Interrupted) => {}
                Err(Broken::Over { skipped }) => break skipped,
                Err(Broken::Failed(errno)) => panic!("errno {errno}"),
            }
        };
        receiver.finish();
        assert_eq!((skipped, missing), (vec![0, 0, 2], 3), "3 served and 5 skipped are the 8 sent");
        assert!(due.is_sorted(), "stamps of one socket are in order");
        let outcome = endpoint.outcome().unwrap();
        assert_eq!((outcome.duplicates, outcome.overtaken, outcome.foreign, outcome.missing), (1, 1, 1, 5));
        assert_eq!(outcome.ending, Some(StationEnd::Said(end)));
    }
}
