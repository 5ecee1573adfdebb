//! What changed between a reading of the machine before a run and one after it: stolen time, a throttled group, the
//! clock source, a suspension.
//!
//! Runs of measuring threads have these caveats from `validity`, which also judges the threads; runs of
//! Xenomai's tools from [`between_readings`]. Watches, costs and boards have none of them.

use super::surroundings::Surroundings;
use prazo_core::text::counted;
use prazo_core::time::Duration;
use prazo_platform::proc_stat::{self, TICK};
use prazo_run::{Caveat, Severity};
use prazo_sys::clock;
use std::collections::BTreeMap;

/// One reading of the machine's counters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reading {
    /// Time taken by the hypervisor, by processor, in ticks of [`TICK`].
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
            steal_ticks: steal_ticks(around),
            clocksource: around.text("sys/devices/system/clocksource/clocksource0/current_clocksource"),
            suspended_ns: clock::suspended_ns(),
            group_throttled: group_throttled(around),
            real_time_share_us: real_time_share(around),
        }
    }

    /// What the machine did from this reading to `after`, to a run of length `elapsed` on `cpus`.
    pub(crate) fn caveats_until(&self, after: &Self, cpus: &[u32], elapsed: Duration) -> Vec<Caveat> {
        let all = [
            self.suspended(after),
            self.clocksource_changed(after),
            self.group_throttled(after),
            self.steal(after, cpus, elapsed),
        ];
        all.into_iter().flatten().collect()
    }

    fn suspended(&self, after: &Self) -> Option<Caveat> {
        let slept = Duration::from_ns(after.suspended_ns.saturating_sub(self.suspended_ns));
        // The two clocks behind it are read one after the other.
        (slept > Duration::from_ms(1)).then(|| {
            Caveat::new(
                "suspended",
                Severity::High,
                format!("the machine was suspended for {:.3} s during the run", slept.as_s_f64()),
                "repeat the run with suspension inhibited (systemd-inhibit --what=sleep)",
            )
        })
    }

    fn clocksource_changed(&self, after: &Self) -> Option<Caveat> {
        let (before, after) = (self.clocksource.as_deref()?, after.clocksource.as_deref()?);
        (before != after).then(|| {
            Caveat::new(
                "clocksource-changed",
                Severity::High,
                format!("the kernel changed its clock source from {before} to {after} during the run"),
                "find out in dmesg why the clock source changed, and repeat the run; latencies before and after the \
                 change are not comparable",
            )
        })
    }

    fn group_throttled(&self, after: &Self) -> Option<Caveat> {
        let times = after.group_throttled?.saturating_sub(self.group_throttled?);
        (times > 0).then(|| {
            Caveat::new(
                "group-throttled",
                Severity::High,
                format!(
                    "this process's control group used up its processor-time quota {} during the run",
                    counted(times, "time")
                ),
                "measure outside this control group, or remove the quota of the group (cpu.max, cpu.cfs_quota_us)",
            )
        })
    }

    fn steal(&self, after: &Self, cpus: &[u32], elapsed: Duration) -> Option<Caveat> {
        let of_cpu = |cpu: &u32| {
            // A processor that came online meanwhile has a count since boot, and none before.
            let ticks = after.steal_ticks.get(cpu)?.saturating_sub(*self.steal_ticks.get(cpu)?);
            (ticks > 0).then_some((*cpu, ticks * TICK.as_ns()))
        };
        let stolen: Vec<(u32, u64)> = cpus.iter().filter_map(of_cpu).collect();
        let most_ns = stolen.iter().map(|(_, ns)| *ns).max()?;
        // A thousandth of the run is enough to be the whole tail.
        let severity = if most_ns > elapsed.as_ns() / 1_000 { Severity::High } else { Severity::Medium };
        let details: Vec<String> =
            stolen.iter().map(|(cpu, ns)| format!("processor {cpu}: {} ms stolen", ns / 1_000_000)).collect();
        Some(Caveat::new(
            "steal",
            severity,
            format!("the hypervisor used measured processors for other work ({})", details.join(", ")),
            "pin the virtual processors to dedicated host processors, or measure on bare metal",
        ))
    }
}

/// Runs `work`, which measures on `cpus`, and says what the machine did to it meanwhile.
pub fn between_readings<T>(around: &Surroundings, cpus: &[u32], work: impl FnOnce() -> T) -> (T, Vec<Caveat>) {
    let (before, start_ns) = (Reading::take(around), clock::monotonic_ns());
    let answer = work();
    let elapsed = Duration::from_ns(clock::monotonic_ns() - start_ns);
    (answer, before.caveats_until(&Reading::take(around), cpus, elapsed))
}

/// Time that the hypervisor has taken from each processor since the machine started.
pub fn stolen_ns(around: &Surroundings) -> BTreeMap<u32, u64> {
    steal_ticks(around).into_iter().map(|(cpu, ticks)| (cpu, ticks * TICK.as_ns())).collect()
}

fn steal_ticks(around: &Surroundings) -> BTreeMap<u32, u64> {
    let by_processor = around.text("proc/stat").as_deref().map(proc_stat::by_processor).unwrap_or_default();
    by_processor.into_iter().filter_map(|(cpu, ticks)| Some((cpu, ticks.stolen?))).collect()
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
    fn more_than_a_thousandth_of_the_run_stolen_weighs_more() {
        let before = Reading { steal_ticks: [(0, 5), (1, 7)].into(), ..Reading::default() };
        // In ten seconds, in which processor 0 is not measured.
        let steal = |ticks: u64| {
            let after = Reading { steal_ticks: [(0, 1_000), (1, 7 + ticks)].into(), ..Reading::default() };
            let found = before.caveats_until(&after, &[1], Duration::from_s(10));
            assert!(found.iter().all(|caveat| caveat.id == "steal" && !caveat.what.contains("processor 0")));
            found.first().map(|caveat| caveat.severity)
        };
        assert_eq!([0, 1, 2].map(steal), [None, Some(Severity::Medium), Some(Severity::High)]);
    }

    #[test]
    fn a_processor_that_came_online_meanwhile_says_nothing_of_its_stolen_time() {
        let after = Reading { steal_ticks: [(1, 900)].into(), ..Reading::default() };
        assert!(Reading::default().caveats_until(&after, &[1], Duration::from_s(1)).is_empty());
    }

    #[test]
    fn each_disturbance_has_its_caveat() {
        let before = Reading { clocksource: Some("tsc".into()), group_throttled: Some(3), ..Reading::default() };
        let after = Reading {
            suspended_ns: 2_000_000,
            clocksource: Some("hpet".into()),
            group_throttled: Some(4),
            ..Reading::default()
        };
        let ids = |before: &Reading, after: &Reading| -> Vec<String> {
            let found = before.caveats_until(after, &[], Duration::from_s(1));
            found.into_iter().map(|caveat| caveat.id).collect()
        };
        assert_eq!(ids(&before, &after), ["suspended", "clocksource-changed", "group-throttled"]);
        assert_eq!(ids(&before, &before), [""; 0]);
        assert_eq!(ids(&before, &Reading::default()), [""; 0], "what cannot be read is not held against the run");
    }

    #[test]
    fn this_machine_can_be_read() {
        let reading = Reading::take(&Surroundings::default());
        assert!(reading.steal_ticks.contains_key(&0));
    }
}
