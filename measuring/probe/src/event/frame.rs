//! What two stations say to each other: seven kinds of one small frame, over UDP or as raw Ethernet.
//!
//! ```text
//! station  ── hello (period, count, jitter, seed) ─►  measuring side
//!          ◄─ go (start in ..) ─────────────────────
//!          ── trigger 0, 1, 2 .. ──────────────────►  task: t3
//!          ◄─ answer (handler), answer (task) ──────  where asked
//!          ── end (sent, late, latest) ────────────►
//! ```
//! Every field is big-endian, times are nanoseconds of the sender's own CLOCK_MONOTONIC since its first trigger was due, so that
//! no clocks need to agree. Pure: no socket here.

/// Bytes of every frame; more than the smallest Ethernet payload, so that nothing is padded.
pub const BYTES: usize = 48;
/// "PRZO", then the version.
const MAGIC: u32 = 0x5052_5A4F;
const VERSION: u8 = 1;

/// One frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Which meeting of two stations it belongs to; chosen by the triggering one.
    pub session: u64,
    /// Its message.
    pub word: Word,
}

/// What a frame says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// The triggering station offers this series, until it hears `Go`.
    Hello(Offer),
    /// The measuring side is ready: the first trigger is due this long after the frame arrives.
    Go {
        /// From the frame's arrival to the grid's first instant.
        start_in_ns: u64,
        /// The measuring side answers triggers.
        answers: bool,
    },
    /// A trigger.
    Trigger(Trigger),
    /// An answer to a trigger.
    Answer {
        /// The number of the trigger.
        number: u64,
        /// Who answered.
        by: Answerer,
    },
    /// The series is over.
    End(Ending),
}

/// A series of triggers as its station offers it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offer {
    /// Distance of two points of the grid.
    pub period_ns: u64,
    /// How many triggers there will be.
    pub count: u64,
    /// A trigger leaves up to this long after its point.
    pub jitter_ns: u64,
    /// Decides the jitter.
    pub seed: u64,
}

/// One trigger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trigger {
    /// Its number, from 0.
    pub number: u64,
    /// When it should leave.
    pub planned_ns: u64,
    /// When it left, just before the send call.
    pub sent_ns: u64,
}

/// Who answered a trigger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answerer {
    /// The handler: in the kernel, before the task is woken.
    Handler,
    /// The task.
    Task,
}

/// How a series ended, by the station's own count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ending {
    /// Triggers sent.
    pub sent: u64,
    /// Those that left a period or more after they should.
    pub late: u64,
    /// The longest delay of a trigger after its instant.
    pub latest_ns: u64,
}

impl Frame {
    /// As it travels.
    pub fn encode(&self) -> [u8; BYTES] {
        let (kind, flag, numbers) = self.word.numbers();
        let mut bytes = [0; BYTES];
        bytes[0..4].copy_from_slice(&MAGIC.to_be_bytes());
        bytes[4..8].copy_from_slice(&[VERSION, kind, flag, 0]);
        for (place, number) in [self.session].into_iter().chain(numbers).enumerate() {
            let at = 8 + 8 * place;
            bytes[at..at + 8].copy_from_slice(&number.to_be_bytes());
        }
        bytes
    }

    /// The frame in `bytes`; `None` for anything that is not one of ours.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; BYTES] = bytes.get(..BYTES)?.try_into().ok()?;
        let number = |place: usize| {
            let at = 8 + 8 * place;
            u64::from_be_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
        };
        let is_ours = bytes[0..4] == MAGIC.to_be_bytes() && bytes[4] == VERSION;
        let word = Word::of(bytes[5], bytes[6], [number(1), number(2), number(3), number(4)]);
        word.filter(|_| is_ours).map(|word| Self { session: number(0), word })
    }
}

impl Word {
    fn numbers(self) -> (u8, u8, [u64; 4]) {
        match self {
            Self::Hello(offer) => (1, 0, [offer.period_ns, offer.count, offer.jitter_ns, offer.seed]),
            Self::Go { start_in_ns, answers } => (2, answers.into(), [start_in_ns, 0, 0, 0]),
            Self::Trigger(trigger) => (3, 0, [trigger.number, trigger.planned_ns, trigger.sent_ns, 0]),
            Self::Answer { number, by } => (4, by as u8, [number, 0, 0, 0]),
            Self::End(end) => (5, 0, [end.sent, end.late, end.latest_ns, 0]),
        }
    }

    fn of(kind: u8, flag: u8, [a, b, c, d]: [u64; 4]) -> Option<Self> {
        Some(match (kind, flag) {
            (1, 0) => Self::Hello(Offer { period_ns: a, count: b, jitter_ns: c, seed: d }),
            (2, 0 | 1) => Self::Go { start_in_ns: a, answers: flag == 1 },
            (3, 0) => Self::Trigger(Trigger { number: a, planned_ns: b, sent_ns: c }),
            (4, 0) => Self::Answer { number: a, by: Answerer::Handler },
            (4, 1) => Self::Answer { number: a, by: Answerer::Task },
            (5, 0) => Self::End(Ending { sent: a, late: b, latest_ns: c }),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words() -> impl Strategy<Value = Word> {
        let number = any::<u64>;
        prop_oneof![
            (number(), number(), number(), number()).prop_map(|(period_ns, count, jitter_ns, seed)| {
                Word::Hello(Offer { period_ns, count, jitter_ns, seed })
            }),
            (number(), any::<bool>()).prop_map(|(start_in_ns, answers)| Word::Go { start_in_ns, answers }),
            (number(), number(), number()).prop_map(|(number, planned_ns, sent_ns)| Word::Trigger(Trigger {
                number,
                planned_ns,
                sent_ns
            })),
            (number(), prop::sample::select(vec![Answerer::Handler, Answerer::Task]))
                .prop_map(|(number, by)| Word::Answer { number, by }),
            (number(), number(), number()).prop_map(|(sent, late, latest_ns)| Word::End(Ending {
                sent,
                late,
                latest_ns
            })),
        ]
    }

    proptest! {
        #[test]
        fn a_frame_survives_its_bytes(session in any::<u64>(), word in words()) {
            let frame = Frame { session, word };
            prop_assert_eq!(Frame::decode(&frame.encode()), Some(frame));
        }

        #[test]
        fn foreign_bytes_are_no_frame(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            prop_assert_eq!(Frame::decode(&bytes), None);
        }
    }

    #[test]
    fn a_short_frame_another_version_and_an_unknown_kind_are_refused() {
        let frame = Frame { session: 7, word: Word::End(Ending::default()) };
        let whole = frame.encode();
        assert_eq!(Frame::decode(&whole[..BYTES - 1]), None);
        for (place, value) in [(0, 0), (4, 2), (5, 0), (5, 6), (6, 2)] {
            let mut bytes = whole;
            bytes[place] = value;
            assert_eq!(Frame::decode(&bytes), None, "byte {place} = {value}");
        }
    }

    #[test]
    fn an_ethernet_frame_of_it_needs_no_padding() {
        const SMALLEST_ETHERNET_PAYLOAD: usize = 46;
        const { assert!(BYTES >= SMALLEST_ETHERNET_PAYLOAD) };
    }
}
