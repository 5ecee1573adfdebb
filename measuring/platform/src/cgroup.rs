//! Which control groups this process is in, and where their files are.

use crate::root::{Reading, Root, Unavailable};

/// One mounted hierarchy and this process's place in it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Hierarchy {
    /// Controllers of a version 1 hierarchy; empty for version 2.
    controllers: Vec<String>,
    mount: String,
    /// This process's folder, as seen from the mount.
    own: String,
}

/// The hierarchies that are mounted.
#[derive(Clone, Debug, Default)]
pub struct Cgroups {
    hierarchies: Vec<Hierarchy>,
}

/// One line of `/proc/self/mountinfo`, in the parts that matter here.
struct Mount<'a> {
    root: &'a str,
    point: &'a str,
    kind: &'a str,
    options: Vec<&'a str>,
}

impl Cgroups {
    /// Reads them from `/proc/self/cgroup` and `/proc/self/mountinfo`.
    pub fn read(root: &Root) -> Reading<Self> {
        Self::of(root, "/proc/self/cgroup")
    }

    /// The same for the process or thread whose groups `file` lists (`/proc/PID/cgroup`).
    pub fn of(root: &Root, file: &str) -> Reading<Self> {
        let own = root.read(file)?;
        let mounts = root.read("/proc/self/mountinfo")?;
        let mounts: Vec<Mount> = mounts.lines().filter_map(mount).collect();
        Ok(Self { hierarchies: own.lines().filter_map(|line| hierarchy(line, &mounts)).collect() })
    }

    /// `v1`, `v2`, `hybrid` or `none`, by what is mounted.
    pub fn version(&self) -> &'static str {
        let v2 = self.hierarchies.iter().any(|hierarchy| hierarchy.controllers.is_empty());
        let v1 = self.hierarchies.iter().any(|hierarchy| !hierarchy.controllers.is_empty());
        match (v1, v2) {
            (true, true) => "hybrid",
            (true, false) => "v1",
            (false, true) => "v2",
            (false, false) => "none",
        }
    }

    /// The folder of this process's group in the version 1 hierarchy of `controller`.
    pub fn own_v1(&self, controller: &str) -> Option<String> {
        self.v1(controller).map(|hierarchy| join(&hierarchy.mount, &hierarchy.own))
    }

    /// Where the version 1 hierarchy of `controller` is mounted.
    pub fn mount_v1(&self, controller: &str) -> Option<&str> {
        self.v1(controller).map(|hierarchy| hierarchy.mount.as_str())
    }

    /// The folder of this process's group in version 2.
    pub fn own_v2(&self) -> Option<String> {
        self.v2().map(|hierarchy| join(&hierarchy.mount, &hierarchy.own))
    }

    /// Where version 2 is mounted.
    pub fn mount_v2(&self) -> Option<&str> {
        self.v2().map(|hierarchy| hierarchy.mount.as_str())
    }

    /// The folder of this process's group in the hierarchy that `file` lies in.
    pub fn own_beside(&self, file: &str) -> Option<String> {
        let holds = |hierarchy: &&Hierarchy| {
            file.strip_prefix(hierarchy.mount.as_str()).is_some_and(|rest| rest.starts_with('/'))
        };
        // The longest mount is the innermost.
        let found = self.hierarchies.iter().filter(holds).max_by_key(|hierarchy| hierarchy.mount.len())?;
        Some(join(&found.mount, &found.own))
    }

    /// The group's folder and those above it up to the mount, the innermost first: a limit of any of them binds.
    pub fn own_and_above_v2(&self) -> Vec<String> {
        let Some(hierarchy) = self.v2() else { return Vec::new() };
        let mut folders = Vec::new();
        let mut rest = hierarchy.own.trim_matches('/');
        while !rest.is_empty() {
            folders.push(format!("{}/{rest}", hierarchy.mount));
            rest = rest.rsplit_once('/').map_or("", |(above, _)| above);
        }
        folders
    }

    fn v1(&self, controller: &str) -> Option<&Hierarchy> {
        self.hierarchies.iter().find(|hierarchy| hierarchy.controllers.iter().any(|name| name == controller))
    }

    fn v2(&self) -> Option<&Hierarchy> {
        self.hierarchies.iter().find(|hierarchy| hierarchy.controllers.is_empty())
    }
}

/// The own group in words, as `/proc/self/cgroup` has it, one line joined with `; `. The group's path may carry a user's
/// or a container's name, so only its depth is told.
pub fn place_without_names(root: &Root) -> Reading {
    let text = root.read("/proc/self/cgroup")?;
    let depth = |path: &str| path.split('/').filter(|part| !part.is_empty()).count();
    let places: Vec<String> = text
        .lines()
        .filter_map(|line| {
            let mut parts = line.splitn(3, ':').skip(1);
            let (controllers, path) = (parts.next()?, parts.next()?);
            let controllers = if controllers.is_empty() { "v2" } else { controllers };
            Some(format!("{controllers}: depth {}", depth(path)))
        })
        .collect();
    if places.is_empty() {
        Err(Unavailable::nonsense("/proc/self/cgroup", "a list of control groups", &text))
    } else {
        Ok(places.join("; "))
    }
}

fn mount(line: &str) -> Option<Mount<'_>> {
    let (before, after) = line.split_once(" - ")?;
    let mut before = before.split(' ').skip(3);
    let mut after = after.split(' ');
    let (root, point) = (before.next()?, before.next()?);
    let (kind, _device, options) = (after.next()?, after.next()?, after.next().unwrap_or(""));
    Some(Mount { root, point, kind, options: options.split(',').collect() })
}

fn hierarchy(line: &str, mounts: &[Mount]) -> Option<Hierarchy> {
    let mut parts = line.splitn(3, ':').skip(1);
    let controllers: Vec<String> =
        parts.next()?.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
    let path = parts.next()?;
    let fits = |mount: &&Mount| match controllers.first() {
        None => mount.kind == "cgroup2",
        Some(first) => mount.kind == "cgroup" && mount.options.contains(&first.as_str()),
    };
    let mount = mounts.iter().find(fits)?;
    let own = path.strip_prefix(mount.root.trim_end_matches('/')).unwrap_or(path).to_owned();
    Some(Hierarchy { controllers, mount: mount.point.to_owned(), own })
}

fn join(mount: &str, own: &str) -> String {
    match own.trim_matches('/') {
        "" => mount.to_owned(),
        own => format!("{mount}/{own}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cgroups(own: &str, mountinfo: &str) -> Cgroups {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("proc/self")).unwrap();
        std::fs::write(folder.path().join("proc/self/cgroup"), own).unwrap();
        std::fs::write(folder.path().join("proc/self/mountinfo"), mountinfo).unwrap();
        Cgroups::read(&Root::at(folder.path())).unwrap()
    }

    #[test]
    fn version_2_has_one_place() {
        let found = cgroups(
            "0::/user.slice/a.scope\n",
            "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n",
        );
        assert_eq!(found.version(), "v2");
        assert_eq!(found.own_v2().unwrap(), "/sys/fs/cgroup/user.slice/a.scope");
        let above = found.own_and_above_v2();
        assert_eq!(above, ["/sys/fs/cgroup/user.slice/a.scope", "/sys/fs/cgroup/user.slice"]);
    }

    #[test]
    fn version_1_has_one_place_for_each_controller() {
        let found = cgroups(
            "4:cpu,cpuacct:/box\n0::/\n",
            "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n\
             41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
        );
        assert_eq!(found.version(), "hybrid");
        assert_eq!(found.own_v1("cpu").unwrap(), "/sys/fs/cgroup/cpu,cpuacct/box");
        assert_eq!(found.own_v1("cpuset"), None);
        assert!(found.own_and_above_v2().is_empty());
    }
}
