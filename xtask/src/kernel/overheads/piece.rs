//! One boot of the many that measure the kernel: its words, its name, and which of its samples count.

use prazo_run::run::Quantity;

/// What a boot measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum BootKind {
    /// Timers set for each alarm, as the kernel is meant to run: release, scheduling, switch.
    OneShot,
    /// Timers that tick: what a tick costs where no job is due, and what it costs to release all that became due since the last.
    Tick,
    /// Two threads that take turns on one processor, and what a stamp costs.
    Pair,
    /// Under the host's clock: interrupts between processors, which counted time cannot show.
    FreeRunning,
}

/// One boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// What it measures.
    pub kind: BootKind,
    /// Number of threads.
    pub threads: u32,
    /// Seeds periods and offsets.
    pub seed: u32,
}

impl BootKind {
    /// The word for it in names of files.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::OneShot => "one-shot",
            Self::Tick => "tick",
            Self::Pair => "pair",
            Self::FreeRunning => "free-running",
        }
    }

    /// The kernel's names of the measures that count from such a boot; what else it prints stays on its console.
    pub(super) const fn measures(self) -> &'static [(&'static str, Quantity)] {
        match self {
            Self::OneShot => &[
                ("release", Quantity::ReleaseOverhead),
                ("release_per_job", Quantity::ReleaseOverheadPerJob),
                ("scheduling", Quantity::SchedulingOverhead),
                ("switch", Quantity::ContextSwitchOverhead),
            ],
            Self::Tick => &[("tick", Quantity::TickOverhead), ("release", Quantity::ReleaseOverheadAtTick)],
            Self::Pair => &[("switch_of_pair", Quantity::ContextSwitchOfPair), ("stamp", Quantity::StampCost)],
            Self::FreeRunning => &[("interrupt", Quantity::IpiLatency)],
        }
    }
}

/// How long boots last, in the kernel's time, and how often timers tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lengths {
    /// A run with threads drawn from a seed.
    pub duration_ms: u64,
    /// Distance of two ticks.
    pub tick_us: u64,
}

/// A switch of the pair takes less than a microsecond: this is some ten thousand of them.
const PAIR_MS: u64 = 10;

impl Piece {
    /// All boots for so many threads and seeds. The pair has nothing to be drawn, so that one seed is all.
    pub(super) fn all(threads: u32, seeds: u32, free_running: bool) -> Vec<Self> {
        let piece = |kind: BootKind| move |seed| Self { kind, threads, seed };
        let drawn =
            [BootKind::OneShot, BootKind::Tick].into_iter().chain(free_running.then_some(BootKind::FreeRunning));
        drawn.flat_map(|kind| (1..=seeds).map(piece(kind))).chain([piece(BootKind::Pair)(1)]).collect()
    }

    /// A name of its own among the boots of its shape.
    pub(super) fn name(&self) -> String {
        format!("{}-{}-{}", self.threads, self.kind.name(), self.seed)
    }

    /// The kernel's command line.
    pub(super) fn words(&self, lengths: Lengths) -> String {
        let Lengths { duration_ms, tick_us } = lengths;
        let drawn = format!("threads={} seed={} parts=1 raw=1", self.threads, self.seed);
        match self.kind {
            BootKind::OneShot | BootKind::FreeRunning => format!("measure {drawn} duration_ms={duration_ms}"),
            BootKind::Tick => format!("measure {drawn} tick_us={tick_us} duration_ms={duration_ms}"),
            BootKind::Pair => format!("pair threads={} raw=1 duration_ms={PAIR_MS}", self.threads),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_boot_has_a_name_and_words_of_its_own() {
        let lengths = Lengths { duration_ms: 1_000, tick_us: 1_000 };
        let all = Piece::all(25, 3, true);
        assert_eq!(all.len(), 3 * 3 + 1);
        let mut names: Vec<String> = all.iter().map(Piece::name).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), all.len());
        assert_eq!(all[9].words(lengths), "pair threads=25 raw=1 duration_ms=10");
        assert_eq!(all[3].words(lengths), "measure threads=25 seed=1 parts=1 raw=1 tick_us=1000 duration_ms=1000");
    }
}
