//! The schedulers that this machine can be set to, simplest first, and those that it cannot be set to, with the reason.

use crate::sched::CpuOrder;
use prazo_core::cpu::CpuSet;
use prazo_deploy::partition::{Ground, Layout};
use prazo_platform::topology::{Cache, Topology};

/// Who shares processors, and who ranks jobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Scheduler {
    /// One word: `partitioned-edf`, `clustered-rm`.
    pub(super) name: String,
    /// The processors of each ready queue.
    pub(super) clusters: Vec<CpuSet>,
    /// True for earliest deadline first (SCHED_DEADLINE), false for rate-monotonic priorities (SCHED_FIFO).
    pub(super) is_edf: bool,
}

/// A scheduler that this machine cannot be set to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unavailable {
    /// Its name.
    pub(super) name: String,
    /// The reason.
    pub(super) why: String,
}

impl Scheduler {
    /// Number of processors of each ready queue.
    pub(super) fn sizes(&self) -> Vec<u32> {
        self.clusters.iter().map(|cpus| cpus.count() as u32).collect()
    }

    /// The processors in the order in which the queues take them.
    pub(super) fn order(&self) -> CpuOrder {
        CpuOrder(self.clusters.iter().flat_map(CpuSet::iter).collect())
    }

    /// True where one queue serves every processor.
    pub(super) fn is_global(&self) -> bool {
        self.clusters.len() == 1
    }
}

/// All of them, for those processors of `ground` that this process may use.
pub(super) fn of(topology: &Topology, ground: &Ground) -> (Vec<Scheduler>, Vec<Unavailable>) {
    let shapes = shapes(topology, usable(topology, ground));
    let by_both_ranks = |(word, clusters): &(&str, Vec<CpuSet>)| {
        [("edf", true), ("rm", false)].map(|(rank, is_edf)| {
            let scheduler = Scheduler { name: format!("{word}-{rank}"), clusters: clusters.clone(), is_edf };
            match Layout::of(clusters, ground, "prazo") {
                // Fixed priorities need no more than affinities.
                Err(error) if is_edf => Err(Unavailable { name: scheduler.name, why: error.to_string() }),
                _ => Ok(scheduler),
            }
        })
    };
    let (mut available, mut unavailable) = (Vec::new(), Vec::new());
    for judged in shapes.iter().flat_map(by_both_ranks) {
        match judged {
            Ok(one) => available.push(one),
            Err(one) => unavailable.push(one),
        }
    }
    (available, unavailable)
}

fn usable(topology: &Topology, ground: &Ground) -> CpuSet {
    topology.allowed.intersection(ground.online).unwrap_or(ground.online)
}

/// Each processor alone, those that share a cache, all together; what is the same as another is left out.
fn shapes(topology: &Topology, online: CpuSet) -> Vec<(&'static str, Vec<CpuSet>)> {
    let single: Vec<CpuSet> = online.iter().map(CpuSet::only).collect();
    let all = vec![online];
    if single.len() == 1 {
        return vec![("partitioned", single)];
    }
    let by_cache = by_last_cache(topology, online);
    let is_another = by_cache.len() > 1 && by_cache != single;
    let clustered = is_another.then_some(("clustered", by_cache));
    [("partitioned", single)].into_iter().chain(clustered).chain([("global", all)]).collect()
}

/// The online processors in groups that share their last data cache; all in one where the kernel tells of none.
fn by_last_cache(topology: &Topology, online: CpuSet) -> Vec<CpuSet> {
    let mut groups: Vec<CpuSet> = Vec::new();
    for place in topology.places.iter().filter(|place| online.contains(place.cpu)) {
        let data = place.caches.iter().filter(|cache: &&Cache| cache.kind != "Instruction");
        let shared = data.max_by_key(|cache| cache.level).map_or(online, |cache| cache.shared);
        let shared = shared.intersection(online).unwrap_or(online);
        if !groups.contains(&shared) {
            groups.push(shared);
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_platform::root_domain::Mechanism as Means;
    use prazo_platform::topology::ProcessorTopology;

    fn cpus(text: &str) -> CpuSet {
        text.parse().unwrap()
    }

    fn ground(online: &str, mechanism: Result<Means, String>) -> Ground {
        Ground { way: mechanism, online: cpus(online), free: Some(cpus(online)), owners: vec![], mems: "0".into() }
    }

    fn topology(online: &str, caches: &[&str]) -> Topology {
        let online = cpus(online);
        let place = |cpu| {
            let shared = caches.iter().map(|text| cpus(text)).filter(|set| set.contains(cpu));
            let cache = |shared| Cache { level: 3, kind: "Unified".into(), size: "8192K".into(), shared };
            ProcessorTopology { cpu, package: None, siblings: CpuSet::only(cpu), caches: shared.map(cache).collect() }
        };
        let places = online.iter().map(place).collect();
        Topology { online, allowed: online, cpuset: None, isolated: None, nohz_full: None, places }
    }

    #[test]
    fn four_processors_in_two_caches_can_be_shared_in_three_ways_by_two_ranks() {
        let (available, unavailable) =
            of(&topology("0-3", &["0-1", "2-3"]), &ground("0-3", Ok(Means::Partition("/c".into()))));
        let names: Vec<&str> = available.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(
            names,
            ["partitioned-edf", "partitioned-rm", "clustered-edf", "clustered-rm", "global-edf", "global-rm"]
        );
        assert_eq!(available[2].sizes(), [2, 2]);
        assert!(unavailable.is_empty(), "{unavailable:?}");
    }

    #[test]
    fn without_control_groups_parted_edf_is_barred_and_says_why() {
        let (available, unavailable) = of(&topology("0-1", &[]), &ground("0-1", Err("no cpuset controller".into())));
        assert!(available.iter().all(|one| one.is_global() || !one.is_edf), "{available:?}");
        assert!(matches!(&unavailable[..], [one] if one.why.contains("no cpuset controller")), "{unavailable:?}");
    }

    #[test]
    fn processors_that_share_a_cache_need_no_consecutive_numbers() {
        let (available, unavailable) =
            of(&topology("0-3", &["0,2", "1,3"]), &ground("0-3", Ok(Means::Partition("/c".into()))));
        let clustered = available.iter().find(|way| way.name == "clustered-edf").unwrap();
        assert_eq!((clustered.sizes(), clustered.order().to_string().as_str()), (vec![2, 2], "0,2,1,3"));
        assert!(unavailable.is_empty(), "{unavailable:?}");
    }

    #[test]
    fn only_processors_that_may_be_used_are_shared() {
        let bound = Topology { allowed: cpus("0,2"), ..topology("0-3", &["0-1", "2-3"]) };
        let (available, unavailable) = of(&bound, &ground("0-3", Ok(Means::Partition("/c".into()))));
        let orders: Vec<(&str, String)> =
            available.iter().map(|one| (one.name.as_str(), one.order().to_string())).collect();
        let names = ["partitioned-edf", "partitioned-rm", "global-edf", "global-rm"];
        assert_eq!(orders, names.map(|name| (name, "0,2".to_owned())), "each has a cache of its own");
        assert!(unavailable.is_empty(), "{unavailable:?}");
    }

    #[test]
    fn one_processor_is_shared_in_one_way() {
        let (available, _) = of(&topology("0", &[]), &ground("0", Ok(Means::Partition("/c".into()))));
        assert_eq!(available.len(), 2);
    }
}
