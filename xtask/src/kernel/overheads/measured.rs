//! What all boots of one kernel with one number of threads have measured, quantity by quantity.

use super::bench::Bench;
use super::piece::{BootKind, Piece};
use crate::kernel::samples::{Kept, Samples};
use prazo_lab::Emulator;
use prazo_lab::own_kernel::Console;
use prazo_run::Histogram;
use prazo_run::run::Quantity;
use std::collections::BTreeMap;

/// The samples of one number of threads.
#[derive(Clone, Debug, Default)]
pub(super) struct MeasuredThreads {
    /// How many threads there were.
    pub threads: u32,
    /// Each quantity that has samples.
    pub costs: BTreeMap<Quantity, Cost>,
    /// Jobs that were due and jobs that were released, over all boots with one-shot timers.
    pub jobs: Jobs,
    /// The same, over all boots in which timers tick: a job that is due after the last tick is not released any more.
    pub jobs_at_tick: Jobs,
}

/// The samples of one quantity.
#[derive(Clone, Debug, Default)]
pub(super) struct Cost {
    /// By repetition, in the order of their coming, in nanoseconds.
    pub repetitions: Vec<Vec<u64>>,
    /// Samples for which the kernel had no place.
    pub lost: u64,
}

/// What became of the jobs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Jobs {
    /// Should have been released.
    pub due: u64,
    /// Were.
    pub released: u64,
}

impl MeasuredThreads {
    /// Reads the consoles of `pieces`, all of one number of threads and all made.
    pub(super) fn read(bench: &Bench, threads: u32, pieces: &[Piece], emulator: &Emulator) -> Result<Self, String> {
        let mut measured = Self { threads, ..Self::default() };
        for piece in pieces {
            let named = |what: String| format!("{} {}: {what}", bench.shape, piece.name());
            let console = bench.made(piece, emulator).ok_or_else(|| named("its console is gone".into()))?;
            measured.take(piece, &console).map_err(named)?;
        }
        Ok(measured)
    }

    fn take(&mut self, piece: &Piece, console: &str) -> Result<(), String> {
        let samples = Samples::read(console)?;
        for (name, quantity) in piece.kind.measures() {
            if let Some(kept) = samples.measures.get(*name) {
                self.costs.entry(*quantity).or_default().add(kept, &samples);
            }
        }
        match piece.kind {
            BootKind::OneShot => self.jobs.add(&Jobs::read(console)?),
            BootKind::Tick => self.jobs_at_tick.add(&Jobs::read(console)?),
            BootKind::Pair | BootKind::FreeRunning => {}
        }
        Ok(())
    }
}

impl Jobs {
    /// Those that the console names; a run without a job is an error, since it showed nothing.
    fn read(console: &str) -> Result<Self, String> {
        let jobs = Console::read(console)?.jobs.ok_or("the run did not come to its end")?;
        let count = |key: &str| {
            let count = jobs.get(key).and_then(serde_json::Value::as_u64);
            count.filter(|count| *count > 0).ok_or_else(|| format!("the console counts no jobs as '{key}'"))
        };
        Ok(Self { due: count("due")?, released: count("arrived")? })
    }

    fn add(&mut self, more: &Self) {
        self.due += more.due;
        self.released += more.released;
    }
}

impl Cost {
    fn add(&mut self, kept: &Kept, samples: &Samples) {
        self.repetitions.push(kept.counts.iter().map(|counts| samples.to_ns_ceil(*counts)).collect());
        self.lost += kept.lost;
    }

    /// All samples by value.
    pub(super) fn histogram(&self) -> Histogram {
        let mut histogram = Histogram::new();
        self.repetitions.iter().flatten().for_each(|ns| histogram.add(*ns as i64, 1));
        histogram
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_that_are_not_counted_are_an_error_and_not_equal() {
        assert_eq!(Jobs::read("jobs due 50 arrived 49\n"), Ok(Jobs { due: 50, released: 49 }));
        for (text, complaint) in [
            ("jobs due 50\n", "'arrived'"),
            ("jobs due 0 arrived 0\n", "'due'"),
            ("jobs due 50 came 50\n", "'arrived'"),
            ("prazo: stopped\n", "did not come to its end"),
        ] {
            assert!(Jobs::read(text).unwrap_err().contains(complaint), "{text}");
        }
    }
}
