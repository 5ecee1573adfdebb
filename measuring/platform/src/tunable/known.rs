//! The knobs that prazo knows by name.

use prazo_core::cpu::{Cpu, CpuSet};

/// A knob: one file of the machine whose text is its value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tunable {
    path: String,
}

impl Tunable {
    /// The knob at a path under /proc, /sys or /dev; `None` for any other, since the journal undoes nothing elsewhere.
    pub fn file(path: &str) -> Option<Self> {
        is_knob(path).then(|| Self { path: path.to_owned() })
    }

    fn known(path: impl Into<String>) -> Self {
        Self { path: path.into() }
    }

    /// Its path, as seen from the root.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Processor time that real-time tasks may take in each period, in microseconds; -1 is all of it.
    pub fn rt_runtime_us() -> Self {
        Self::known("/proc/sys/kernel/sched_rt_runtime_us")
    }

    /// Whether timers of idle processors move to busy ones: 0 or 1.
    pub fn timer_migration() -> Self {
        Self::known("/proc/sys/kernel/timer_migration")
    }

    /// Seconds between two foldings of the memory statistics on each processor.
    pub fn stat_interval() -> Self {
        Self::known("/proc/sys/vm/stat_interval")
    }

    /// How readily pages go to swap: 0 to 200.
    pub fn swappiness() -> Self {
        Self::known("/proc/sys/vm/swappiness")
    }

    /// How hard the kernel compacts memory in advance: 0 to 100.
    pub fn compaction_proactiveness() -> Self {
        Self::known("/proc/sys/vm/compaction_proactiveness")
    }

    /// Whether pages follow tasks between nodes.
    pub fn numa_balancing() -> Self {
        Self::known("/proc/sys/kernel/numa_balancing")
    }

    /// Huge pages without being asked: always, madvise, never.
    pub fn huge_pages() -> Self {
        Self::known("/sys/kernel/mm/transparent_hugepage/enabled")
    }

    /// Whether khugepaged compacts memory.
    pub fn khugepaged_defrag() -> Self {
        Self::known("/sys/kernel/mm/transparent_hugepage/khugepaged/defrag")
    }

    /// Merging of equal pages: 0 stops, 1 runs, 2 stops and splits what was merged.
    pub fn same_page_merging() -> Self {
        Self::known("/sys/kernel/mm/ksm/run")
    }

    /// The watchdog that interrupts each processor by a performance counter.
    pub fn nmi_watchdog() -> Self {
        Self::known("/proc/sys/kernel/nmi_watchdog")
    }

    /// Processors with a watchdog thread, as a list.
    pub fn watchdog_cpumask() -> Self {
        Self::known("/proc/sys/kernel/watchdog_cpumask")
    }

    /// Seconds after which a blocked task is complained of; 0 is never.
    pub fn hung_task_timeout() -> Self {
        Self::known("/proc/sys/kernel/hung_task_timeout_secs")
    }

    /// Processors for work that is bound to none, as a mask.
    pub fn workqueue_cpumask() -> Self {
        Self::known("/sys/devices/virtual/workqueue/cpumask")
    }

    /// Processors for writing back files, as a mask.
    pub fn writeback_cpumask() -> Self {
        Self::known("/sys/devices/virtual/workqueue/writeback/cpumask")
    }

    /// Processors for new interrupts, as a mask.
    pub fn default_smp_affinity() -> Self {
        Self::known("/proc/irq/default_smp_affinity")
    }

    /// Processors for one interrupt, as a mask.
    pub fn irq_affinity(irq: u32) -> Self {
        Self::known(format!("/proc/irq/{irq}/smp_affinity"))
    }

    /// Who chooses a processor's frequency.
    pub fn governor(cpu: Cpu) -> Self {
        Self::known(format!("/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor"))
    }

    /// Whether one idle state of a processor is forbidden: 0 or 1.
    pub fn idle_state_disable(cpu: Cpu, state: u32) -> Self {
        Self::known(format!("/sys/devices/system/cpu/cpu{cpu}/cpuidle/state{state}/disable"))
    }

    /// Microseconds that a socket's reader polls before it sleeps.
    pub fn busy_read() -> Self {
        Self::known("/proc/sys/net/core/busy_read")
    }

    /// The value that names `cpus` in the way this knob wants: as a mask or as a list.
    pub fn cpus_value(&self, cpus: &CpuSet) -> String {
        if self.path.ends_with("watchdog_cpumask") { cpus.to_string() } else { crate::cpumask::format(cpus) }
    }
}

/// True for a path that the journal may write to: nothing outside of the three file systems of the kernel.
pub(super) fn is_knob(path: &str) -> bool {
    let inside = ["/proc/", "/sys/", "/dev/"].iter().any(|top| path.starts_with(top));
    inside && !path.split('/').any(|part| part == "..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_kernels_files_are_knobs() {
        assert!(Tunable::file("/proc/sys/vm/swappiness").is_some());
        assert!(Tunable::file("/etc/passwd").is_none());
        assert!(Tunable::file("/proc/../etc/passwd").is_none());
    }

    #[test]
    fn processors_are_written_as_each_knob_wants_them() {
        let cpus = "0-1".parse().unwrap();
        assert_eq!(Tunable::watchdog_cpumask().cpus_value(&cpus), "0-1");
        assert_eq!(Tunable::workqueue_cpumask().cpus_value(&cpus), "3");
    }
}
