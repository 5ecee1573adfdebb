//! What watching costs inside the kernel, by the kernel's own count of its BPF programs.

use aya::Ebpf;
use aya::sys::{Stats, enable_stats};
use std::ops::Add;
use std::os::fd::OwnedFd;

/// Runs of BPF programs, and the time that they took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelCost {
    /// How often any of them ran.
    pub runs: u64,
    /// For how long in all.
    pub ns: u64,
}

impl KernelCost {
    /// Of the loaded programs so far; zero where the kernel does not count.
    pub(crate) fn of(loaded: &Ebpf) -> Self {
        let infos = loaded.programs().filter_map(|(_, program)| program.info().ok());
        let each = infos.map(|info| Self { runs: info.run_count(), ns: info.run_time().as_nanos() as u64 });
        each.fold(Self::default(), Add::add)
    }
}

impl Add for KernelCost {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { runs: self.runs + other.runs, ns: self.ns + other.ns }
    }
}

/// The kernel counts what BPF programs cost while this lives; counting itself costs two reads of a clock for each run.
pub(super) struct Counting(#[expect(dead_code, reason = "the kernel counts while it is open")] OwnedFd);

impl Counting {
    /// Begins; an error says why the kernel does not count.
    pub(super) fn begin() -> Result<Self, String> {
        enable_stats(Stats::RunTime).map(Self).map_err(|error| error.io_error.to_string())
    }
}
