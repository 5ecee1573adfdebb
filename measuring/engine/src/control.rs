//! The stop word: one word of shared memory that every measuring thread looks at once an activation.
//!
//! The first reason to stop wins and is never overwritten; all of it fits into one word, so that it is never half written.

use std::sync::atomic::{AtomicU64, Ordering};

/// Words of shared memory that it takes: a cache line of its own, since every thread reads it.
pub(crate) const WORDS: usize = 8;

/// Why all threads shall stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// The user, or an error elsewhere, asked for it.
    Asked,
    /// A latency crossed the threshold.
    Threshold {
        /// The processor that saw it.
        cpu: u32,
        /// The latency, in nanoseconds.
        latency_ns: u64,
    },
    /// A real-time thread ran longer without blocking than it may.
    ProcessorTime,
}

const KIND_BITS: u32 = 2;
const CPU_BITS: u32 = 10;
const LATENCY_MAX: u64 = (1 << (64 - KIND_BITS - CPU_BITS)) - 1;
const _: () = assert!(prazo_core::cpu::CPUS_MAX <= 1 << CPU_BITS);

impl Reason {
    /// Never 0, which means "go on". A latency beyond 52 days is told as 52 days.
    fn to_word(self) -> u64 {
        match self {
            Self::Asked => 1,
            Self::Threshold { cpu, latency_ns } => {
                2 | u64::from(cpu) << KIND_BITS | latency_ns.min(LATENCY_MAX) << (KIND_BITS + CPU_BITS)
            }
            Self::ProcessorTime => 3,
        }
    }

    fn from_word(word: u64) -> Option<Self> {
        Some(match word & 3 {
            0 => return None,
            1 => Self::Asked,
            2 => Self::Threshold {
                cpu: (word >> KIND_BITS) as u32 & ((1 << CPU_BITS) - 1),
                latency_ns: word >> (KIND_BITS + CPU_BITS),
            },
            _ => Self::ProcessorTime,
        })
    }
}

/// A view of the stop word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Control<'m>(&'m AtomicU64);

impl<'m> Control<'m> {
    /// The stop word at the start of zeroed `words`.
    pub(crate) fn over(words: &'m [AtomicU64]) -> Self {
        Self(&words[0])
    }

    /// Asks every thread to stop; without effect where somebody did before.
    pub(crate) fn stop(&self, reason: Reason) {
        // ORDERING: relaxed, since the word carries everything itself and guards nothing else.
        let _ = self.0.compare_exchange(0, reason.to_word(), Ordering::Relaxed, Ordering::Relaxed);
    }

    /// True once anybody asked.
    #[inline]
    pub(crate) fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed) != 0
    }

    /// Why; `None` while nobody asked.
    pub(crate) fn reason(&self) -> Option<Reason> {
        Reason::from_word(self.0.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_first_reason_wins() {
        let words = [const { AtomicU64::new(0) }; WORDS];
        let control = Control::over(&words);
        assert_eq!(control.reason(), None);
        control.stop(Reason::Threshold { cpu: 1023, latency_ns: 7 });
        control.stop(Reason::Asked);
        assert!(control.is_stopped());
        assert_eq!(control.reason(), Some(Reason::Threshold { cpu: 1023, latency_ns: 7 }));
    }

    proptest! {
        #[test]
        fn a_reason_survives_its_word(cpu in 0u32..1024, latency_ns in 0u64..=LATENCY_MAX) {
            for reason in [Reason::Asked, Reason::ProcessorTime, Reason::Threshold { cpu, latency_ns }] {
                prop_assert_eq!(Reason::from_word(reason.to_word()), Some(reason));
            }
        }
    }
}
