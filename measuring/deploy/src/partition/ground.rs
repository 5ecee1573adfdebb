//! What the machine has to say before partitions are made: which processors run, and who keeps some for himself.

use super::layout::{Ground, Owned};
use prazo_core::cpu::CpuSet;
use prazo_platform::root::{Reading, Root};
use prazo_platform::root_domain::{Mechanism, RootDomain, RootDomainError};
use prazo_platform::topology::Topology;

/// How deep groups are looked at; partitions lie near the root, since each needs one above it.
const DEPTH_MAX: u32 = 4;

impl Ground {
    /// Reads it.
    pub fn read(root: &Root) -> Reading<Self> {
        let online = Topology::read(root)?.online;
        let way = RootDomain::mechanism(root).map_err(|error| match error {
            RootDomainError::NoWay { why } => why,
            other => other.to_string(),
        });
        let (owners, mems) = match &way {
            Ok(Mechanism::Partition(mount)) => (partitions(root, mount), String::new()),
            Ok(Mechanism::Cpusets(mount)) => {
                (cpusets(root, mount, online), root.read(&format!("{mount}/cpuset.mems"))?)
            }
            Err(_) => (Vec::new(), String::new()),
        };
        let taken = owners.iter().map(|owner| owner.cpus).reduce(CpuSet::union);
        let free = taken.map_or(Some(online), |taken| online.difference(taken));
        Ok(Self { way, online, free, owners, mems })
    }
}

/// Valid partitions of version 2.
fn partitions(root: &Root, mount: &str) -> Vec<Owned> {
    let is_one = |folder: &str| {
        let kind = root.read(&format!("{folder}/cpuset.cpus.partition")).unwrap_or_default();
        kind != "member" && !kind.is_empty() && !kind.contains("invalid")
    };
    let below = groups(root, mount, DEPTH_MAX).into_iter().filter(|folder| is_one(folder));
    below.filter_map(|group| owned(root, group, "cpuset.cpus.effective", true)).collect()
}

/// Version 1's cpusets below the root that have some of the processors: whoever shares them keeps others from having them
/// alone.
fn cpusets(root: &Root, mount: &str, online: CpuSet) -> Vec<Owned> {
    let is_alone = |group: &str| root.read(&format!("{group}/cpuset.cpu_exclusive")).is_ok_and(|one| one == "1");
    let below = groups(root, mount, 1).into_iter();
    let owners = below.filter_map(|group| {
        let alone = is_alone(&group);
        owned(root, group, "cpuset.cpus", alone)
    });
    owners.filter(|owner| owner.cpus.intersection(online).is_some()).collect()
}

fn owned(root: &Root, group: String, file: &str, is_alone: bool) -> Option<Owned> {
    let cpus = root.read_cpus(&format!("{group}/{file}")).ok().flatten()?;
    Some(Owned { group, cpus, is_alone })
}

/// The groups below one, so many levels deep. Files are told from folders by what only a group has.
fn groups(root: &Root, folder: &str, depth: u32) -> Vec<String> {
    let names = root.list(folder).unwrap_or_default();
    let below = names.iter().map(|name| format!("{folder}/{name}"));
    let is_group = |path: &String| root.exists(&format!("{path}/cgroup.procs"));
    below
        .filter(is_group)
        .flat_map(|path| {
            let deeper = if depth > 1 { groups(root, &path, depth - 1) } else { Vec::new() };
            std::iter::once(path).chain(deeper)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partition::Layout;

    fn tree(files: &[(&str, &str)]) -> (tempfile::TempDir, Root) {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let file = folder.path().join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        let root = Root::at(folder.path());
        (folder, root)
    }

    #[test]
    fn a_partition_of_another_s_takes_its_processors_away_and_an_invalid_one_does_not() {
        let group = |name: &str, kind: &'static str, cpus: &'static str| {
            let place = |file: &str| format!("sys/fs/cgroup/{name}/{file}");
            [
                (place("cgroup.procs"), ""),
                (place("cpuset.cpus.partition"), kind),
                (place("cpuset.cpus.effective"), cpus),
            ]
        };
        let mut files = vec![
            ("sys/devices/system/cpu/online".to_owned(), "0-7\n"),
            ("proc/self/cgroup".into(), "0::/\n"),
            ("proc/self/mountinfo".into(), "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"),
            ("sys/fs/cgroup/cgroup.controllers".into(), "cpuset cpu\n"),
        ];
        files.extend(group("rt", "root", "4-5"));
        files.extend(group("a/b", "isolated", "6"));
        files.extend(group("a", "member", "0-3"));
        files.extend(group("broken", "root invalid (Cpu list is empty)", "7"));
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
        let (_folder, root) = tree(&files);
        let ground = Ground::read(&root).unwrap();
        let owners: Vec<_> = ground.owners.iter().map(|owner| owner.group.as_str()).collect();
        assert_eq!(owners, ["/sys/fs/cgroup/a/b", "/sys/fs/cgroup/rt"]);
        assert_eq!(ground.free.unwrap().to_string(), "0-3,7");
    }
    #[test]
    fn without_groups_or_without_their_cpuset_controller_clusters_cannot_be_made_and_why_is_told() {
        let online = ("sys/devices/system/cpu/online", "0-3\n");
        let own = ("proc/self/cgroup", "0::/\n");
        let mounted = ("proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
        let unmounted = ("proc/self/mountinfo", "23 1 0:22 / /proc rw - proc proc rw\n");
        let controllers = ("sys/fs/cgroup/cgroup.controllers", "cpu memory\n");
        let cases = [
            (vec![online, own, unmounted], "no control-group hierarchy with the cpuset controller is mounted"),
            (vec![online, own, mounted, controllers], "do not offer the cpuset controller"),
        ];
        for (files, expected) in cases {
            let (_folder, root) = tree(&files);
            let ground = Ground::read(&root).unwrap();
            let clusters = ["0".parse().unwrap(), "1-3".parse().unwrap()];
            let message = Layout::of(&clusters, &ground, "prazo").unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
            let whole = Layout::of(&["0-3".parse().unwrap()], &ground, "prazo").unwrap();
            assert_eq!(whole.steps(), [], "one cluster of all needs none");
        }
    }
}
