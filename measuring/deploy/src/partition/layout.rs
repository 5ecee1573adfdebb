//! Which control groups give each cluster a root domain of its own; pure.
//!
//! Version 2 has partitions, and what they leave is a root domain too: n - 1 of them make n clusters of all processors, and the
//! last would find the root without a processor. Version 1 has exclusive cpusets below a root that no longer balances, so there
//! the rest needs one as well. One cluster of all processors needs nothing on either.

use super::error::PartitionError;
use crate::step::SystemChange;
use prazo_core::cpu::CpuSet;
use prazo_platform::root_domain::Mechanism;
use prazo_platform::tunable::{Thread, command_group};

/// What is on the machine, as far as a layout depends on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ground {
    /// How groups are made; or why they cannot be.
    pub way: Result<Mechanism, String>,
    /// Processors that run.
    pub online: CpuSet,
    /// Those of them that no other group has; none where all are taken.
    pub free: Option<CpuSet>,
    /// Who has taken which processors.
    pub owners: Vec<Owned>,
    /// The memory nodes of version 1's root, which each cpuset there wants to be told.
    pub mems: String,
}

/// Processors that another group keeps for itself, or shares so that nobody can.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owned {
    /// Its folder.
    pub group: String,
    /// Its processors.
    pub cpus: CpuSet,
    /// True where it keeps them for itself, false where it merely keeps others from having them alone.
    pub is_alone: bool,
}

/// The groups to be made, and where the members of each cluster go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The mount; none where no groups are needed.
    mount: Option<String>,
    is_v2: bool,
    mems: String,
    groups: Vec<Group>,
    places: Vec<ClusterGroup>,
}

/// A group to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Group {
    folder: String,
    cpus: CpuSet,
}

/// Where the members of a cluster go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterGroup {
    /// The processors.
    pub cpus: CpuSet,
    /// The group's folder; the mount where the cluster is what partitions leave; none where all processors are one cluster.
    pub folder: Option<String>,
    /// True where the cluster is what the partitions leave.
    pub is_rest: bool,
}

impl Layout {
    /// The layout of `clusters`; `stem` begins the groups' names.
    pub fn of(clusters: &[CpuSet], ground: &Ground, stem: &str) -> Result<Self, PartitionError> {
        check(clusters, ground)?;
        let covered = clusters.iter().copied().reduce(CpuSet::union);
        let rest = covered.and_then(|covered| ground.free?.difference(covered));
        if !needs_groups(clusters, ground) {
            let place = |cpus: &CpuSet| ClusterGroup { cpus: *cpus, folder: None, is_rest: true };
            let places = clusters.iter().map(place).collect();
            return Ok(Self { mount: None, is_v2: true, mems: String::new(), groups: Vec::new(), places });
        }
        match ground.way.clone().map_err(|why| PartitionError::NoWay { why })? {
            Mechanism::Partition(mount) => Ok(Self::partitions(clusters, rest, mount, stem)),
            Mechanism::Cpusets(mount) => Ok(Self::cpusets(clusters, rest, mount, stem, &ground.mems)),
        }
    }

    fn partitions(clusters: &[CpuSet], rest: Option<CpuSet>, mount: String, stem: &str) -> Self {
        // The root keeps the largest cluster, the first of several: most of what is not deployed runs there.
        let largest = (0..clusters.len()).max_by_key(|index| (clusters[*index].count(), clusters.len() - index));
        let kept = largest.filter(|_| rest.is_none());
        let place = |(index, cpus): (usize, &CpuSet)| {
            let is_rest = kept == Some(index);
            let folder = if is_rest { mount.clone() } else { format!("{mount}/{stem}-{index}") };
            ClusterGroup { cpus: *cpus, folder: Some(folder), is_rest }
        };
        let places: Vec<ClusterGroup> = clusters.iter().enumerate().map(place).collect();
        let groups = places.iter().filter(|place| !place.is_rest).filter_map(Group::of).collect();
        Self { mount: Some(mount), is_v2: true, mems: String::new(), groups, places }
    }

    fn cpusets(clusters: &[CpuSet], rest: Option<CpuSet>, mount: String, stem: &str, mems: &str) -> Self {
        let folder = |name: String| Some(format!("{mount}/{stem}-{name}"));
        let place = |(index, cpus): (usize, &CpuSet)| ClusterGroup {
            cpus: *cpus,
            folder: folder(index.to_string()),
            is_rest: false,
        };
        let places: Vec<ClusterGroup> = clusters.iter().enumerate().map(place).collect();
        let left = rest.map(|cpus| ClusterGroup { cpus, folder: folder("rest".into()), is_rest: true });
        let groups = places.iter().chain(&left).filter_map(Group::of).collect();
        Self { mount: Some(mount), is_v2: false, mems: mems.to_owned(), groups, places }
    }

    /// Where the members of each cluster go.
    pub fn places(&self) -> &[ClusterGroup] {
        &self.places
    }

    /// The file of a group that takes a thread's number, or a process's with all its threads.
    pub fn file(&self, folder: &str, whole: bool) -> String {
        let name = match (self.is_v2, whole) {
            (_, true) => "cgroup.procs",
            (true, false) => "cgroup.threads",
            (false, false) => "tasks",
        };
        format!("{folder}/{name}")
    }

    /// The mount of version 2, where partitions are made in it: threads move between its groups only below one domain.
    pub fn domain(&self) -> Option<&str> {
        self.mount.as_deref().filter(|_| self.is_v2 && !self.groups.is_empty())
    }

    /// What makes the groups, in order.
    pub fn steps(&self) -> Vec<SystemChange> {
        let Some(mount) = &self.mount else { return Vec::new() };
        let mut steps = Vec::new();
        if self.is_v2 {
            steps.push(SystemChange::Offer { file: format!("{mount}/cgroup.subtree_control") });
        }
        for Group { folder, cpus } in &self.groups {
            steps.push(SystemChange::Group { folder: folder.clone() });
            let cpus = cpus.to_string();
            steps.extend(self.files(folder, &cpus));
            let (name, value) =
                if self.is_v2 { ("cpuset.cpus.partition", "root") } else { ("cpuset.cpu_exclusive", "1") };
            steps.push(write(folder, name, value));
        }
        if !self.is_v2 {
            steps.push(SystemChange::Knob { file: format!("{mount}/cpuset.sched_load_balance"), value: "0".into() });
        }
        steps
    }

    /// What puts a started command into a group of its own below its cluster's; nothing where its cluster has none.
    pub fn enclose(&self, place: &ClusterGroup, task: &str, process: Thread) -> Vec<SystemChange> {
        let Some(above) = place.folder.as_deref().filter(|_| !place.is_rest) else { return Vec::new() };
        let folder = command_group(above, process.id);
        let mut steps = vec![SystemChange::Command { folder: folder.clone() }];
        // Below a partition there is nothing to be said of processors: it has those of the group above.
        let described = if self.is_v2 { 1 } else { 2 };
        steps.extend(self.files(&folder, &place.cpus.to_string()).into_iter().take(described));
        steps.push(SystemChange::Enclose { task: task.to_owned(), process, folder });
        steps
    }

    /// What a group has to be told before anybody can go there.
    fn files(&self, folder: &str, cpus: &str) -> [SystemChange; 2] {
        let first = if self.is_v2 { threaded(folder) } else { write(folder, "cpuset.mems", &self.mems) };
        [first, write(folder, "cpuset.cpus", cpus)]
    }
}

fn write(folder: &str, name: &str, value: &str) -> SystemChange {
    SystemChange::Write { file: format!("{folder}/{name}"), value: value.to_owned() }
}

/// So that threads of one process can be members of several clusters.
fn threaded(folder: &str) -> SystemChange {
    write(folder, "cgroup.type", "threaded")
}

impl Group {
    fn of(place: &ClusterGroup) -> Option<Self> {
        Some(Self { folder: place.folder.clone()?, cpus: place.cpus })
    }
}

fn check(clusters: &[CpuSet], ground: &Ground) -> Result<(), PartitionError> {
    for (index, cluster) in clusters.iter().enumerate() {
        if let Some(absent) = cluster.difference(ground.online) {
            let (absent, online) = (absent.to_string(), ground.online.to_string());
            return Err(PartitionError::NotOnline { cluster: index, absent, online });
        }
        if let Some(shared) = clusters[..index].iter().find_map(|other| other.intersection(*cluster)) {
            return Err(PartitionError::Overlap { cluster: index, shared: shared.to_string() });
        }
    }
    let all_alone = needs_groups(clusters, ground);
    clusters.iter().try_for_each(|cluster| unowned(*cluster, ground, all_alone))
}

/// One cluster of all processors is the root domain that the system comes with.
fn needs_groups(clusters: &[CpuSet], ground: &Ground) -> bool {
    clusters.len() > 1 || clusters.first().is_some_and(|only| *only != ground.online)
}

fn unowned(cluster: CpuSet, ground: &Ground, all_alone: bool) -> Result<(), PartitionError> {
    let taken = |owner: &Owned| owner.cpus.intersection(cluster).filter(|_| all_alone || owner.is_alone);
    let found = ground.owners.iter().find_map(|owner| Some((owner, taken(owner)?)));
    let refused =
        |(owner, cpus): (&Owned, CpuSet)| PartitionError::Owned { cpus: cpus.to_string(), by: owner.group.clone() };
    found.map(refused).map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(list: &str) -> CpuSet {
        list.parse().unwrap()
    }

    fn sets(lists: &[&str]) -> Vec<CpuSet> {
        lists.iter().map(|list| set(list)).collect()
    }

    fn ground(way: Mechanism) -> Ground {
        Ground { way: Ok(way), online: set("0-3"), free: Some(set("0-3")), owners: Vec::new(), mems: "0".into() }
    }

    fn v2() -> Ground {
        ground(Mechanism::Partition("/sys/fs/cgroup".into()))
    }

    fn layout(clusters: &[&str], ground: &Ground) -> Result<Layout, PartitionError> {
        Layout::of(&sets(clusters), ground, "prazo-7")
    }

    fn described(layout: &Layout) -> Vec<String> {
        layout.steps().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn two_clusters_of_all_processors_take_one_partition_and_the_root_keeps_the_largest() {
        let found = layout(&["0", "1-3"], &v2()).unwrap();
        let folder = "/sys/fs/cgroup/prazo-7-0";
        assert_eq!(
            described(&found),
            [
                "write '+cpuset' to /sys/fs/cgroup/cgroup.subtree_control".to_owned(),
                format!("make the control group {folder}"),
                format!("write 'threaded' to {folder}/cgroup.type"),
                format!("write '0' to {folder}/cpuset.cpus"),
                format!("write 'root' to {folder}/cpuset.cpus.partition"),
            ]
        );
        let folders: Vec<_> = found.places().iter().map(|place| (place.folder.as_deref(), place.is_rest)).collect();
        assert_eq!(folders, [(Some(folder), false), (Some("/sys/fs/cgroup"), true)]);
    }

    #[test]
    fn clusters_that_leave_processors_take_a_partition_each() {
        let found = layout(&["1", "2-3"], &v2()).unwrap();
        assert!(found.places().iter().all(|place| !place.is_rest));
        assert_eq!(found.steps().len(), 1 + 2 * 4);
    }

    #[test]
    fn one_cluster_of_all_processors_needs_nothing_not_even_control_groups() {
        let without = Ground { way: Err("no control groups are mounted".into()), ..v2() };
        assert_eq!(layout(&["0-3"], &without).unwrap().steps(), []);
        let error = layout(&["0", "1-3"], &without).unwrap_err();
        assert!(error.to_string().contains("no control groups are mounted"), "{error}");
    }

    #[test]
    fn version_1_gives_the_rest_a_cpuset_and_stops_the_root_s_balancing_last() {
        let v1 = ground(Mechanism::Cpusets("/sys/fs/cgroup/cpuset".into()));
        let steps = described(&layout(&["1"], &v1).unwrap());
        assert_eq!(steps.len(), 2 * 4 + 1);
        assert_eq!(steps[4], "make the control group /sys/fs/cgroup/cpuset/prazo-7-rest");
        assert_eq!(steps[6], "write '0,2-3' to /sys/fs/cgroup/cpuset/prazo-7-rest/cpuset.cpus");
        assert_eq!(steps[8], "write '0' to /sys/fs/cgroup/cpuset/cpuset.sched_load_balance");
        assert_eq!(described(&layout(&["0-1", "2-3"], &v1).unwrap()).len(), 2 * 4 + 1, "nothing is left over");
    }

    #[test]
    fn a_command_has_a_group_of_its_own_below_its_clusters_and_none_where_the_cluster_has_none() {
        let command = Thread { id: 31, started_ticks: 5 };
        let steps = |way, cluster: usize| {
            let layout = layout(&["0", "1-3"], &ground(way)).unwrap();
            layout.enclose(&layout.places()[cluster], "a", command).iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let v2 = || Mechanism::Partition("/c".into());
        let enclosed = "task 'a', process 31: move it and all processes that it starts into \
                        /c/prazo-7-0/prazo-command-31";
        assert_eq!(
            steps(v2(), 0),
            [
                "make the control group /c/prazo-7-0/prazo-command-31",
                "write 'threaded' to /c/prazo-7-0/prazo-command-31/cgroup.type",
                enclosed
            ]
        );
        assert_eq!(steps(v2(), 1), Vec::<String>::new());
        let v1 = steps(Mechanism::Cpusets("/c".into()), 0);
        assert_eq!(
            v1[1..3],
            ["mems", "cpus"].map(|name| format!("write '0' to /c/prazo-7-0/prazo-command-31/cpuset.{name}"))
        );
        assert_eq!(v1[3], enclosed);
    }

    #[test]
    fn what_cannot_be_is_refused_by_name() {
        let error = |clusters: &[&str], ground: &Ground| layout(clusters, ground).unwrap_err().to_string();
        assert!(error(&["0-1", "1-2"], &v2()).contains("both contain processors 1"));
        assert!(error(&["0-7"], &v2()).contains("4-7") && error(&["0-7"], &v2()).contains("0-3"));
        let taken = Ground {
            free: Some(set("0-1")),
            owners: vec![Owned { group: "/sys/fs/cgroup/rt".into(), cpus: set("2-3"), is_alone: true }],
            ..v2()
        };
        let message = error(&["0", "1-2"], &taken);
        assert!(message.contains("processors 2") && message.contains("/sys/fs/cgroup/rt"), "{message}");
        assert!(error(&["0-3"], &taken).contains("/sys/fs/cgroup/rt"), "all processors are not one root domain");
        let shared = Ground {
            free: None,
            owners: vec![Owned { group: "/sys/fs/cgroup/cpuset/box".into(), cpus: set("0-3"), is_alone: false }],
            ..v2()
        };
        assert!(error(&["0", "1-3"], &shared).contains("cpuset/box"));
        assert_eq!(layout(&["0-3"], &shared).unwrap().steps(), []);
        assert_eq!(layout(&["0", "1"], &taken).unwrap().places()[0].folder.as_deref(), Some("/sys/fs/cgroup"));
    }
}
