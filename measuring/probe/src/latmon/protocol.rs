//! Latmon's two messages and its histogram, as bytes. Pure.
//!
//! A bulk without samples means that all samples have been told; the histogram follows it. The histogram's last cell holds
//! everything beyond it. The board leaves its first second out of the bulks, as warm-up, and keeps it in the histogram.

use prazo_core::text::counted;
use std::fmt;

/// The port that boards listen at.
pub const PORT: u16 = 2306;
/// The longest period that a board takes.
pub const PERIOD_US_MAX: u32 = 1_000_000;
/// The most cells that a board takes, each of a microsecond.
pub const CELLS_MAX: u32 = 1_000;
/// Bytes of a request.
pub const REQUEST_BYTES: usize = 8;
/// Bytes of a bulk.
pub const BULK_BYTES: usize = 24;

/// What the board is asked; a period of 0 asks it to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Distance of two pulses.
    pub period_us: u32,
    /// Cells of the histogram.
    pub cells: u32,
}

/// What the board measured in about a second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bulk {
    /// Sum of the latencies.
    pub sum_ns: i64,
    /// Smallest.
    pub min_ns: i32,
    /// Largest.
    pub max_ns: i32,
    /// Pulses without an answer in time, and periods that an answer took longer.
    pub overruns: u32,
    /// Answers.
    pub samples: u32,
}

impl Request {
    /// As it travels.
    pub fn encode(self) -> [u8; REQUEST_BYTES] {
        let mut bytes = [0; REQUEST_BYTES];
        bytes[..4].copy_from_slice(&self.period_us.to_be_bytes());
        bytes[4..].copy_from_slice(&self.cells.to_be_bytes());
        bytes
    }

    /// The request in these bytes.
    pub fn decode(bytes: [u8; REQUEST_BYTES]) -> Self {
        let [a, b, c, d, e, f, g, h] = bytes;
        Self { period_us: u32::from_be_bytes([a, b, c, d]), cells: u32::from_be_bytes([e, f, g, h]) }
    }
}

impl Bulk {
    /// As it travels.
    pub fn encode(&self) -> [u8; BULK_BYTES] {
        let mut bytes = [0; BULK_BYTES];
        bytes[..8].copy_from_slice(&self.sum_ns.to_be_bytes());
        let words = [self.min_ns as u32, self.max_ns as u32, self.overruns, self.samples];
        for (place, word) in words.iter().enumerate() {
            bytes[8 + 4 * place..12 + 4 * place].copy_from_slice(&word.to_be_bytes());
        }
        bytes
    }

    /// The bulk in these bytes.
    pub fn decode(bytes: &[u8; BULK_BYTES]) -> Self {
        let word = |place: usize| u32::from_be_bytes(bytes[4 * place..4 * place + 4].try_into().expect("four bytes"));
        Self {
            sum_ns: (u64::from(word(0)) << 32 | u64::from(word(1))) as i64,
            min_ns: word(2) as i32,
            max_ns: word(3) as i32,
            overruns: word(4),
            samples: word(5),
        }
    }

    /// True where no board can have measured this: its own figures contradict each other.
    pub fn is_garbage(&self) -> bool {
        let (count, sum_ns) = (i128::from(self.samples), i128::from(self.sum_ns));
        let (least, most) = (count * i128::from(self.min_ns), count * i128::from(self.max_ns));
        self.samples > 0 && (self.min_ns > self.max_ns || sum_ns < least || sum_ns > most)
    }
}

/// `3 samples: minimum 5 ns, maximum 4 ns, sum 30 ns`.
impl fmt::Display for Bulk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sum_ns, min_ns, max_ns, samples, .. } = self;
        let samples = counted((*samples).into(), "sample");
        write!(f, "{samples}: minimum {min_ns} ns, maximum {max_ns} ns, sum {sum_ns} ns")
    }
}

/// The cells of a histogram.
pub fn cells(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|word| u32::from_be_bytes(word.try_into().expect("four bytes"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn messages_survive_their_bytes(
            numbers in any::<(u32, u32, u32, u32)>(), sum_ns in any::<i64>(), min_ns in any::<i32>(), max_ns in any::<i32>(),
        ) {
            let request = Request { period_us: numbers.0, cells: numbers.1 };
            prop_assert_eq!(Request::decode(request.encode()), request);
            let bulk = Bulk { sum_ns, min_ns, max_ns, overruns: numbers.2, samples: numbers.3 };
            prop_assert_eq!(Bulk::decode(&bulk.encode()), bulk);
        }
    }

    #[test]
    fn the_bytes_are_those_of_the_description() {
        assert_eq!(Request { period_us: 1_000, cells: 200 }.encode(), [0, 0, 3, 0xE8, 0, 0, 0, 200]);
        let bulk = Bulk { sum_ns: (1 << 32) + 2, min_ns: 3, max_ns: 4, overruns: 5, samples: 6 };
        let words: Vec<u32> = cells(&bulk.encode());
        assert_eq!(words, [1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn figures_that_contradict_each_other_are_garbage() {
        let sound = Bulk { sum_ns: 30, min_ns: 5, max_ns: 20, overruns: 0, samples: 3 };
        assert!(!sound.is_garbage());
        let garbage = Bulk { max_ns: 4, ..sound };
        assert!(garbage.is_garbage());
        assert_eq!(garbage.to_string(), "3 samples: minimum 5 ns, maximum 4 ns, sum 30 ns");
        assert!(Bulk { sum_ns: 14, ..sound }.is_garbage());
        assert!(Bulk { sum_ns: 61, ..sound }.is_garbage());
        assert!(!Bulk::default().is_garbage());
    }
}
