//! Which processors there are, which this process may use, and what they share.

use crate::cgroup::Cgroups;
use crate::root::{Reading, Root, Unavailable};
use prazo_core::cpu::{Cpu, CpuSet};

/// The folder that all processors are under.
pub(crate) const CPUS: &str = "/sys/devices/system/cpu";
/// The list of what isolcpus= isolates.
pub(crate) const ISOLATED: &str = "/sys/devices/system/cpu/isolated";
/// The list of what isolated cpuset partitions hold.
const ISOLATED_BY_PARTITIONS: &str = "/sys/fs/cgroup/cpuset.cpus.isolated";

/// Processors and what they share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    /// Processors that are running.
    pub online: CpuSet,
    /// Those of them that this process's affinity allows (what `taskset` left it).
    pub allowed: CpuSet,
    /// Those of them that this process's cpuset allows, where a cpuset can be read; it bounds any wish for another affinity.
    pub cpuset: Option<CpuSet>,
    /// Processors without load balancing (`isolcpus=` or isolated partitions).
    pub isolated: Option<CpuSet>,
    /// Processors that may stop their tick (`nohz_full=`).
    pub nohz_full: Option<CpuSet>,
    /// What the kernel says of each online processor, in order.
    pub places: Vec<ProcessorTopology>,
}

/// One processor and its neighbours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessorTopology {
    /// The processor.
    pub cpu: Cpu,
    /// Its package (socket); `None` where the kernel does not say.
    pub package: Option<i64>,
    /// The hardware threads of its core, itself included.
    pub siblings: CpuSet,
    /// Its caches, nearest first; empty where the kernel does not say.
    pub caches: Vec<Cache>,
}

/// One cache of a processor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    /// 1, 2, 3.
    pub level: i64,
    /// `Data`, `Instruction`, `Unified`.
    pub kind: String,
    /// As the kernel writes it: `32768K`.
    pub size: String,
    /// The processors that share it.
    pub shared: CpuSet,
}

/// The nearest thing that two processors share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shared {
    /// The core: they are its hardware threads.
    Core,
    /// A cache of this level.
    Cache(i64),
    /// Nothing that the kernel tells of.
    Nothing,
}

impl Shared {
    /// Grows with what is shared.
    fn nearness(self) -> i64 {
        match self {
            Self::Core => i64::MAX,
            Self::Cache(level) => -level,
            Self::Nothing => i64::MIN,
        }
    }
}

/// The processors that isolcpus= isolates, and those of isolated cpuset partitions, which the first list lacks on most kernels.
pub(crate) fn isolated(root: &Root) -> Reading<Option<CpuSet>> {
    let at_boot = root.read_cpus(ISOLATED)?;
    // The second list exists in Linux 6.7 and later.
    let by_partitions = root.read_cpus(ISOLATED_BY_PARTITIONS).ok().flatten();
    Ok(match (at_boot, by_partitions) {
        (Some(one), Some(other)) => Some(one.union(other)),
        (one, other) => one.or(other),
    })
}

impl Topology {
    /// Reads it; fails only where not even the online processors are known.
    pub fn read(root: &Root) -> Reading<Self> {
        let path = format!("{CPUS}/online");
        let online = root.read_cpus(&path)?.ok_or_else(|| Unavailable::nonsense(&path, "a list of processors", ""))?;
        let allowed = allowed_by_affinity(root).and_then(|allowed| allowed.intersection(online)).unwrap_or(online);
        Ok(Self {
            online,
            allowed,
            cpuset: allowed_by_cpuset(root),
            isolated: isolated(root).ok().flatten(),
            nohz_full: root.read_cpus(&format!("{CPUS}/nohz_full")).ok().flatten(),
            places: online.iter().map(|cpu| place(root, cpu)).collect(),
        })
    }

    /// A processor for the threads that record, display and load: allowed, not measured, and sharing as little with the
    /// measured ones as possible. `None` where every allowed processor is measured.
    pub fn choose_housekeeping(&self, measured: CpuSet) -> Option<Cpu> {
        let free = self.allowed.difference(measured)?;
        free.iter().min_by_key(|cpu| (self.is_isolated(*cpu), self.shared_with(*cpu, measured), cpu.number()))
    }

    /// The one of `others` that shares the least with `cpu`, and what that is; `None` there where the kernel tells of no caches.
    pub fn farthest(&self, cpu: Cpu, others: CpuSet) -> Option<(Cpu, Option<Shared>)> {
        let nearness = |other: &Cpu| self.shared(cpu, *other).map(Shared::nearness);
        let farthest = others.iter().filter(|other| *other != cpu).min_by_key(nearness)?;
        Some((farthest, self.shared(cpu, farthest)))
    }

    /// The nearest thing that two processors share; `None` where the kernel tells of no caches.
    fn shared(&self, cpu: Cpu, other: Cpu) -> Option<Shared> {
        let place = self.places.iter().find(|place| place.cpu == cpu)?;
        if place.siblings.contains(other) {
            return Some(Shared::Core);
        }
        let shared = place.caches.iter().filter(|cache| cache.shared.contains(other)).map(|cache| cache.level).min();
        (!place.caches.is_empty()).then(|| shared.map_or(Shared::Nothing, Shared::Cache))
    }

    /// How near to the measured processors: the hardware core weighs most, then the smallest cache level that is shared.
    fn shared_with(&self, cpu: Cpu, measured: CpuSet) -> i64 {
        let Some(place) = self.places.iter().find(|place| place.cpu == cpu) else { return 0 };
        if place.siblings.intersection(measured).is_some() {
            return 100;
        }
        let shares = |cache: &&Cache| cache.shared.intersection(measured).is_some();
        place.caches.iter().filter(shares).map(|cache| 10 - cache.level).max().unwrap_or(0)
    }

    fn is_isolated(&self, cpu: Cpu) -> bool {
        self.isolated.is_some_and(|isolated| isolated.contains(cpu))
    }

    /// The hardware threads beside those of `cpus`, on the same cores.
    pub fn siblings_outside(&self, cpus: CpuSet) -> Option<CpuSet> {
        let beside = self.places.iter().filter(|place| cpus.contains(place.cpu)).map(|place| place.siblings);
        beside.reduce(CpuSet::union)?.difference(cpus)
    }
}

fn place(root: &Root, cpu: Cpu) -> ProcessorTopology {
    let folder = format!("{CPUS}/cpu{cpu}");
    let siblings = root.read_cpus(&format!("{folder}/topology/thread_siblings_list")).ok().flatten();
    let indexes = root.list(&format!("{folder}/cache")).unwrap_or_default();
    let mut caches: Vec<Cache> =
        indexes.iter().filter_map(|name| cache(root, &format!("{folder}/cache/{name}"))).collect();
    caches.sort_by(|a, b| (a.level, &a.kind).cmp(&(b.level, &b.kind)));
    ProcessorTopology {
        cpu,
        package: root.read_number(&format!("{folder}/topology/physical_package_id")).ok(),
        siblings: siblings.unwrap_or(CpuSet::only(cpu)),
        caches,
    }
}

fn cache(root: &Root, folder: &str) -> Option<Cache> {
    Some(Cache {
        level: root.read_number(&format!("{folder}/level")).ok()?,
        kind: root.read(&format!("{folder}/type")).ok()?,
        size: root.read(&format!("{folder}/size")).unwrap_or_default(),
        shared: root.read_cpus(&format!("{folder}/shared_cpu_list")).ok().flatten()?,
    })
}

/// The first thread's affinity. On this machine `/proc/self` says it even where another thread asks.
fn allowed_by_affinity(root: &Root) -> Option<CpuSet> {
    let status = root.read("/proc/self/status").ok()?;
    let from_file = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?.trim().parse().ok();
    match from_file {
        None if root.is_live() => prazo_sys::scheduling::affinity().ok(),
        found => found,
    }
}

fn allowed_by_cpuset(root: &Root) -> Option<CpuSet> {
    let groups = Cgroups::read(root).ok()?;
    let v1 = groups.own_v1("cpuset").map(|folder| format!("{folder}/cpuset.effective_cpus"));
    let v2 = groups.own_v2().map(|folder| format!("{folder}/cpuset.cpus.effective"));
    v1.into_iter().chain(v2).find_map(|file| root.read_cpus(&file).ok().flatten())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(list: &str) -> CpuSet {
        list.parse().unwrap()
    }

    /// Four cores of two hardware threads (n and n + 4); pairs of cores share a level 2 cache.
    fn eight() -> Topology {
        let place = |n: u32| ProcessorTopology {
            cpu: Cpu::new(n).unwrap(),
            package: Some(0),
            siblings: set(&format!("{},{}", n % 4, n % 4 + 4)),
            caches: vec![Cache {
                level: 2,
                kind: "Unified".into(),
                size: "1M".into(),
                shared: if n % 4 < 2 { set("0-1,4-5") } else { set("2-3,6-7") },
            }],
        };
        Topology {
            online: set("0-7"),
            allowed: set("0-7"),
            cpuset: None,
            isolated: None,
            nohz_full: None,
            places: (0..8).map(place).collect(),
        }
    }

    #[test]
    fn a_processor_is_isolated_by_the_boot_or_by_a_partition() {
        let folder = tempfile::tempdir().unwrap();
        let root = Root::at(folder.path());
        let write = |path: &str, text: &str| {
            let path = folder.path().join(&path[1..]);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        assert!(isolated(&root).is_err());
        write(ISOLATED, "\n");
        assert_eq!(isolated(&root).unwrap(), None);
        write(ISOLATED_BY_PARTITIONS, "2-3\n");
        assert_eq!(isolated(&root).unwrap(), Some(set("2-3")));
        write(ISOLATED, "5\n");
        assert_eq!(isolated(&root).unwrap(), Some(set("2-3,5")));
    }

    #[test]
    fn housekeeping_keeps_away_from_the_measured_core_and_its_cache() {
        let topology = eight();
        assert_eq!(
            topology.choose_housekeeping(set("0")).unwrap().number(),
            2,
            "0 shares its core with 4, its cache with 1"
        );
        assert_eq!(
            topology.choose_housekeeping(set("0,2")).unwrap().number(),
            1,
            "a shared cache is better than a shared core"
        );
        assert_eq!(topology.choose_housekeeping(set("0-3")).unwrap().number(), 4, "a shared core is better than none");
        assert_eq!(topology.choose_housekeeping(set("0-7")), None);
        let isolated = Topology { isolated: Some(set("2-3,6-7")), ..eight() };
        assert_eq!(isolated.choose_housekeeping(set("0")).unwrap().number(), 1, "isolated processors are for tasks");
        let bound = Topology { allowed: set("0,4"), ..eight() };
        assert_eq!(bound.choose_housekeeping(set("0")).unwrap().number(), 4);
    }

    #[test]
    fn the_farthest_processor_shares_neither_the_core_nor_where_it_can_be_had_a_cache() {
        let cpu = |number| Cpu::new(number).unwrap();
        let farthest = |others: &str| eight().farthest(cpu(0), set(others));
        assert_eq!(farthest("0-7"), Some((cpu(2), Some(Shared::Nothing))));
        assert_eq!(farthest("0-1,4"), Some((cpu(1), Some(Shared::Cache(2)))));
        assert_eq!(farthest("0,4"), Some((cpu(4), Some(Shared::Core))));
        assert_eq!(farthest("0"), None);
        let mut untold = eight();
        untold.places.iter_mut().for_each(|place| place.caches.clear());
        assert_eq!(untold.farthest(cpu(0), set("0-1")), Some((cpu(1), None)));
    }

    #[test]
    fn siblings_outside_a_set_are_named() {
        assert_eq!(eight().siblings_outside(set("0-1")).unwrap(), set("4-5"));
        assert_eq!(eight().siblings_outside(set("0,4")), None);
    }

    #[test]
    fn this_machine_has_a_topology() {
        let here = Topology::read(&Root::system()).unwrap();
        assert_eq!(here.allowed.difference(here.online), None);
        assert_eq!(here.places.len(), here.online.count());
    }
}
