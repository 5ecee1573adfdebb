//! What the whole machine executed: everything that was not idling, whoever it was for.
//!
//! A command's own account leaves out what kernel threads do on its behalf: interrupt threads, ksoftirqd and writers of dirty
//! pages are nobody's descendants. On a machine that does nothing else the difference of two readings holds them.

use prazo_platform::Root;

const FILE: &str = "/proc/schedstat";

/// Of the numbers behind a processor's name: the time for which tasks ran, interrupts that hit them included.
const RAN: usize = 6;

/// Where it is from, for a figure's source.
pub const SOURCE: &str = "/proc/schedstat";

/// What that leaves out.
pub const LEAVES_OUT: &str = "the time of interrupts on idle processors";

/// Nanoseconds for which tasks ran since the start, on all processors together; `Err` says why nobody knows.
pub fn busy_ns(root: &Root) -> Result<u64, String> {
    let text = root.read(FILE).map_err(|error| error.to_string())?;
    ran(&text).ok_or_else(|| format!("{FILE} has no line for a processor"))
}

/// `cpu0 0 0 0 0 0 0 RAN WAITED DISPATCHES`, a line each.
fn ran(text: &str) -> Option<u64> {
    let of = |line: &str| {
        let (name, numbers) = line.split_once(' ')?;
        name.strip_prefix("cpu")?.parse::<u32>().ok()?;
        numbers.split_whitespace().nth(RAN)?.parse::<u64>().ok()
    };
    let all: Vec<u64> = text.lines().filter_map(of).collect();
    if all.is_empty() { None } else { Some(all.iter().sum()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_testing::{Need, skip};

    #[test]
    fn the_time_of_all_processors_is_added_and_domains_are_none() {
        let text =
            "version 15\ntimestamp 4294937296\ncpu0 0 0 9 9 9 9 700 80 9\ndomain0 3 1 2 3\ncpu1 0 0 9 9 9 9 50 80 9\n";
        assert_eq!(ran(text), Some(750));
        assert_eq!(ran("version 15\ntimestamp 1\n"), None);
    }

    #[test]
    fn this_machine_has_run_something() {
        match busy_ns(&Root::system()) {
            Ok(ns) => assert!(ns > 0),
            Err(reason) => skip!(Need::SchedulerStatistics, "{reason}"),
        }
    }
}
