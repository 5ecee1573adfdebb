//! What a kernel grants threads with deadlines, as far as it is known before they ask.

use prazo_analysis::linux::{self, Bandwidth, Limits, Reservation, Server};
use prazo_core::cpu::{Cpu, CpuSet};
use prazo_deploy::bandwidth::{self, Reserved};
use prazo_lab::Platform;
use prazo_platform::{Root, has_fair_server};

/// What a kernel grants, and what it has granted already; by default what kernels come with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Grants {
    /// The kernel's settings.
    pub(crate) limits: Limits,
    /// The processors in the order in which clusters take them.
    pub(crate) cpus: Vec<Cpu>,
    /// Threads that have deadlines on these processors already.
    pub(crate) others: Vec<Reserved>,
}

impl Grants {
    /// Those of a machine, of which clusters take `cpus` in order.
    pub(crate) fn of_machine(root: &Root, cpus: Vec<Cpu>) -> Self {
        Self { limits: limits(root), cpus, others: bandwidth::reserved(root).unwrap_or_default() }
    }

    /// Those of a guest of `platform`, where nobody else has deadlines.
    pub(crate) fn of_guest(platform: &Platform) -> Self {
        let server = fair_server(platform.release().as_deref());
        Self { limits: Limits { server, ..Limits::default() }, ..Self::default() }
    }

    /// Other threads with deadlines, each in the cluster that it would be counted in.
    pub(crate) fn others(&self, sizes: &[u32]) -> Vec<Reservation> {
        let mut left = self.cpus.iter().copied();
        let cluster = |size: &u32| CpuSet::from_cpus(left.by_ref().take(*size as usize));
        let clusters: Vec<Option<CpuSet>> = sizes.iter().map(cluster).collect();
        let reservation = |one: &Reserved| {
            let is_here = |all: &Option<CpuSet>| all.is_some_and(|all| all.intersection(one.cpus).is_some());
            let domain = clusters.iter().position(is_here)?;
            let (runtime_ns, period_ns) = (one.runtime_ns, one.period_ns);
            Some(Reservation { runtime_ns, deadline_ns: period_ns, period_ns, domain })
        };
        self.others.iter().filter_map(reservation).collect()
    }

    /// The account of each cluster before a task asks.
    pub(crate) fn accounts(&self, sizes: &[u32]) -> Vec<Bandwidth> {
        linux::admission(&self.others(sizes), sizes, &self.limits).domains
    }
}

/// A kernel whose release is not known is taken for a new one: what that grants, every kernel grants.
fn fair_server(release: Option<&str>) -> Option<Server> {
    release.and_then(has_fair_server).unwrap_or(true).then_some(Server::FAIR)
}

/// The machine's settings; what it does not say is what kernels come with.
fn limits(root: &Root) -> Limits {
    let usual = Limits::default();
    let read = |name: &str| root.read_number(&format!("/proc/sys/kernel/{name}")).ok();
    let number = |name: &str, usual: u64| read(name).and_then(|value| u64::try_from(value).ok()).unwrap_or(usual);
    let release = root.read("/proc/sys/kernel/osrelease").ok();
    Limits {
        rt_runtime_us: read("sched_rt_runtime_us").map_or(usual.rt_runtime_us, |us| u64::try_from(us).ok()),
        rt_period_us: number("sched_rt_period_us", usual.rt_period_us).max(1),
        period_us_min: number("sched_deadline_period_min_us", usual.period_us_min),
        period_us_max: number("sched_deadline_period_max_us", usual.period_us_max),
        server: fair_server(release.as_deref()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn throttling_that_is_off_switches_admission_off() {
        let folder = tempfile::tempdir().unwrap();
        let settings = folder.path().join("proc/sys/kernel");
        std::fs::create_dir_all(&settings).unwrap();
        std::fs::write(settings.join("sched_rt_runtime_us"), "-1\n").unwrap();
        std::fs::write(settings.join("osrelease"), "6.1.0-50-rt-amd64\n").unwrap();
        let expected = Limits { rt_runtime_us: None, ..Limits::default() };
        assert_eq!(limits(&Root::at(folder.path())), expected);
    }

    #[test]
    fn a_guest_s_kernel_says_what_it_grants() {
        let server = |platform: &Platform| Grants::of_guest(platform).limits.server;
        assert_eq!(server(&Platform::find("standard-full").unwrap()), None);
        assert_eq!(server(&Platform::find("standard-full-6.12").unwrap()), Some(Server::FAIR));
        assert_eq!(server(&Platform::given("vmlinuz".into(), None)), Some(Server::FAIR), "a release that is not known");
    }

    #[test]
    fn another_thread_counts_in_the_cluster_that_takes_its_processor() {
        let only = |cpu| CpuSet::from_cpus(Cpu::new(cpu)).unwrap();
        let other =
            |thread, cpu| Reserved { thread, name: "other".into(), runtime_ns: 30, period_ns: 100, cpus: only(cpu) };
        let cpus = [3, 1, 0].into_iter().filter_map(Cpu::new).collect();
        let grants = Grants { cpus, others: vec![other(7, 0), other(8, 2), other(9, 3)], ..Grants::default() };
        let domains = |sizes: &[u32]| grants.others(sizes).iter().map(|one| one.domain).collect::<Vec<_>>();
        assert_eq!(domains(&[1, 2]), [1, 0], "nobody takes processor 2");
        assert_eq!(domains(&[1, 1]), [0]);
        assert_eq!(domains(&[4, 1]), [0, 0]);
    }
}
