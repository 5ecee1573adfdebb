//! `/proc/stat`: what processors have spent their time on since the machine started, in ticks.

use prazo_core::time::Duration;
use std::collections::BTreeMap;

/// What the file counts time in, on every architecture.
pub const TICK: Duration = Duration::from_ms(10);

/// Time of one processor, or of all together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessorTicks {
    /// Nothing ran, with or without a disk that somebody waited for.
    pub idle: u64,
    /// The hypervisor had it; old kernels do not say.
    pub stolen: Option<u64>,
    /// All of it.
    pub all: u64,
}

/// All processors together, from the file's first line.
pub fn of_machine(stat: &str) -> Option<ProcessorTicks> {
    stat.lines().find_map(|line| line.strip_prefix("cpu ")).and_then(ticks)
}

/// Each processor that is online.
pub fn by_processor(stat: &str) -> BTreeMap<u32, ProcessorTicks> {
    let of_line = |line: &str| {
        let (name, figures) = line.split_once(' ')?;
        Some((name.strip_prefix("cpu")?.parse().ok()?, ticks(figures)?))
    };
    stat.lines().filter_map(of_line).collect()
}

/// `user nice system idle iowait irq softirq steal ...`; what stands behind is part of user's time.
fn ticks(figures: &str) -> Option<ProcessorTicks> {
    let numbers: Vec<u64> = figures.split_whitespace().map_while(|word| word.parse().ok()).take(8).collect();
    let idle = numbers.get(3)? + numbers.get(4)?;
    Some(ProcessorTicks { idle, stolen: numbers.get(7).copied(), all: numbers.iter().sum() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_processor_and_all_of_them_are_read_and_a_short_line_is_none() {
        let stat = "cpu  2 4 6 8 10 12 14 160 9 0\ncpu0 1 2 3 4 5 6 7 80 9 0\ncpu1 1 2 3\nintr 5\n";
        let whole = ProcessorTicks { idle: 18, stolen: Some(160), all: 216 };
        assert_eq!(of_machine(stat), Some(whole));
        let first = ProcessorTicks { idle: 9, stolen: Some(80), all: 108 };
        assert_eq!(by_processor(stat), BTreeMap::from([(0, first)]));
        assert_eq!(of_machine("cpu  1 2 3 4 5\n").map(|ticks| (ticks.all, ticks.stolen)), Some((15, None)));
        assert_eq!(of_machine("intr 5\n"), None);
    }
}
