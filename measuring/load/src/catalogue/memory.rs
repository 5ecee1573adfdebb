//! Memory mapped, written, checked and unmapped again.

use super::super::generator::Work;
use super::super::load_kind::{Invocation, LoadKind, Measure, PLAIN, Rate, Scene, WORKERS_MAX, Workers};

pub(super) const KIND: LoadKind = LoadKind {
    name: "memory",
    disturbs: "Page faults and unmapping take locks of the memory management and send interrupts between processors; the load occupies \
               caches and memory bandwidth.",
    source: "Marsal 2013: stress, for memory",
    rate: Rate::Workers { default: Workers::PerCpu, most: WORKERS_MAX },
    measure: Measure::PageFaults,
    steps,
    ..PLAIN
};

/// What a worker maps where memory is plentiful, in bytes.
const WORKER_BYTES: u64 = 64 << 20;

fn steps(scene: &Scene) -> Vec<Invocation> {
    let workers = scene.demand.workers;
    vec![Work::Memory { workers, bytes: worker_bytes(workers) }.endless(scene)]
}

/// All workers together take at most an eighth of the memory that is available.
pub(super) fn worker_bytes(workers: u32) -> u64 {
    let available = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| available_bytes(&text));
    WORKER_BYTES.min(available.unwrap_or(WORKER_BYTES) / 8 / u64::from(workers)).max(1 << 20)
}

fn available_bytes(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kb| kb * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn available_memory_is_read_in_bytes() {
        assert_eq!(available_bytes("MemTotal: 9 kB\nMemAvailable:      24 kB\n"), Some(24_576));
        assert_eq!(available_bytes("MemTotal: 9 kB\n"), None);
    }
}
