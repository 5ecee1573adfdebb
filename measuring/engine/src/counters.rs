//! What the machine did to a run, read before and after it: stolen time, throttling, clocksource, suspension.

use super::surroundings::Surroundings;
use prazo_core::time::Duration;
use prazo_sys::clock;
use std::collections::BTreeMap;

/// One reading of the machine's counters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reading {
    /// Time taken by the hypervisor, by processor, in ticks of [`STEAL_TICK`].
    pub steal_ticks: BTreeMap<u32, u64>,
    /// The clocksource behind CLOCK_MONOTONIC.
    pub clocksource: Option<String>,
    /// How long the machine had been suspended since it booted.
    pub suspended_ns: u64,
    /// How often this process's control group was throttled for its quota.
    pub group_throttled: Option<u64>,
    /// The system-wide real-time budget and its period, in microseconds; a budget below zero is none.
    pub real_time_share_us: Option<(i64, i64)>,
}

impl Reading {
    /// Reads them now.
    pub(crate) fn take(around: &Surroundings) -> Self {
        Self {
            steal_ticks: around.text("proc/stat").as_deref().map(steal_ticks).unwrap_or_default(),
            clocksource: around.text("sys/devices/system/clocksource/clocksource0/current_clocksource"),
            suspended_ns: clock::suspended_ns(),
            group_throttled: group_throttled(around),
            real_time_share_us: real_time_share(around),
        }
    }
}

/// What /proc/stat counts stolen time in, on every architecture.
pub(crate) const STEAL_TICK: Duration = Duration::from_ms(10);

/// Time that the hypervisor has taken from each processor since the machine started.
pub fn stolen_ns(around: &Surroundings) -> BTreeMap<u32, u64> {
    let ticks = around.text("proc/stat").as_deref().map(steal_ticks).unwrap_or_default();
    ticks.into_iter().map(|(cpu, ticks)| (cpu, ticks * STEAL_TICK.as_ns())).collect()
}

/// The eighth figure of each processor's line.
fn steal_ticks(stat: &str) -> BTreeMap<u32, u64> {
    let of_line = |line: &str| {
        let (name, figures) = line.split_once(' ')?;
        let cpu = name.strip_prefix("cpu")?.parse().ok()?;
        Some((cpu, figures.split_whitespace().nth(7)?.parse().ok()?))
    };
    stat.lines().filter_map(of_line).collect()
}

fn real_time_share(around: &Surroundings) -> Option<(i64, i64)> {
    let figure = |name: &str| around.text(name)?.parse().ok();
    Some((figure("proc/sys/kernel/sched_rt_runtime_us")?, figure("proc/sys/kernel/sched_rt_period_us")?))
}

/// `nr_throttled` of the group's cpu.stat, under version 2 or else version 1 of the control groups.
fn group_throttled(around: &Surroundings) -> Option<u64> {
    let groups = around.text("proc/self/cgroup")?;
    let files = groups.lines().filter_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?);
        match controllers {
            "" => Some(format!("sys/fs/cgroup{path}/cpu.stat")),
            _ if controllers.split(',').any(|one| one == "cpu") => Some(format!("sys/fs/cgroup/cpu{path}/cpu.stat")),
            _ => None,
        }
    });
    files.filter_map(|file| nr_throttled(&around.text(&file)?)).max()
}

fn nr_throttled(stat: &str) -> Option<u64> {
    stat.lines().find_map(|line| line.strip_prefix("nr_throttled "))?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_come_from_the_tree_they_are_given() {
        let tree = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = tree.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("proc/stat", "cpu  1 2 3 4 5 6 7 8 9 0\ncpu0 1 2 3 4 5 6 7 80 9 0\ncpu1 1 2 3\nintr 5\n");
        write("proc/self/cgroup", "4:cpuacct,cpu:/a\n0::/b\n");
        write("sys/fs/cgroup/cpu/a/cpu.stat", "nr_periods 9\nnr_throttled 4\n");
        write("sys/fs/cgroup/b/cpu.stat", "usage_usec 1\n");
        write("proc/sys/kernel/sched_rt_runtime_us", "-1\n");
        write("proc/sys/kernel/sched_rt_period_us", "1000000\n");
        let reading = Reading::take(&Surroundings::below(tree.path()));
        assert_eq!(reading.steal_ticks, BTreeMap::from([(0, 80)]));
        assert_eq!(reading.group_throttled, Some(4));
        assert_eq!(reading.real_time_share_us, Some((-1, 1_000_000)));
        assert_eq!(reading.clocksource, None);
    }

    #[test]
    fn this_machine_can_be_read() {
        let reading = Reading::take(&Surroundings::default());
        assert!(reading.steal_ticks.contains_key(&0));
    }
}
