//! Which Xenomai core runs beside or over Linux, from what it shows of itself under a root.
//!
//! Cobalt and EVL schedule their own threads beside Linux. A thread of Linux on such a machine, prazo's own included, is still a
//! thread of Linux; only a tool of the core measures the core.

use crate::root::Root;

/// A Xenomai core, as found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Core {
    /// Xenomai 3 beside Linux.
    Cobalt {
        /// Its version.
        version: String,
        /// By how much its timer is programmed early, in nanoseconds, as it is calibrated for user tasks.
        gravity_ns: Option<u64>,
    },
    /// Xenomai 4 beside Linux.
    Evl {
        /// Version of its interface; `None` where the kernel does not show it.
        abi: Option<String>,
    },
    /// Xenomai 3's interface over Linux itself: its tools are installed, and no co-kernel runs.
    Mercury,
}

/// What EVL shows, the second with the version of its interface.
const EVL: [&str; 2] = ["/dev/evl/control", EVL_ABI];
const EVL_ABI: &str = "/sys/devices/virtual/control/control/abi";
/// What Mercury's user space installs, and Cobalt's.
const USER_SPACE: [&str; 3] =
    ["/usr/xenomai/bin/latency", "/usr/xenomai/bin/xeno-config", "/usr/xenomai/demo/cyclictest"];

/// The core under `root`; `None` where there is no trace of any.
pub fn recognise(root: &Root) -> Option<Core> {
    let text = |path: &str| root.read(path).ok().map(|text| text.trim().to_owned());
    if let Some(version) = text("/proc/xenomai/version") {
        let gravity_ns = text("/proc/xenomai/latency").and_then(|text| text.parse().ok());
        return Some(Core::Cobalt { version, gravity_ns });
    }
    if EVL.iter().any(|path| root.exists(path)) {
        return Some(Core::Evl { abi: text(EVL_ABI) });
    }
    USER_SPACE.iter().any(|path| root.exists(path)).then_some(Core::Mercury)
}

impl Core {
    /// What it is called.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Cobalt { .. } => "Cobalt",
            Self::Evl { .. } => "EVL",
            Self::Mercury => MERCURY,
        }
    }

    /// True where it schedules threads of its own beside Linux.
    pub const fn is_beside_linux(&self) -> bool {
        !matches!(self, Self::Mercury)
    }

    /// Its version, as far as it tells.
    pub fn version(&self) -> Option<String> {
        match self {
            Self::Cobalt { version, .. } => Some(version.clone()),
            Self::Evl { abi } => abi.as_ref().map(|abi| format!("ABI {abi}")),
            Self::Mercury => None,
        }
    }
}

/// The fact that names the core, and those of its version and calibration.
pub const CORE_FACT: &str = "xenomai.core";
pub(crate) const VERSION_FACT: &str = "xenomai.version";
pub(crate) const GRAVITY_FACT: &str = "xenomai.gravity_ns";
/// The core that is none: its threads are Linux's.
pub const MERCURY: &str = "Mercury";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fingerprint::capture;
    use std::fs;

    fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        root
    }

    fn found(files: &[(&str, &str)]) -> Option<Core> {
        recognise(&Root::at(tree(files).path()))
    }

    const COBALT: [(&str, &str); 2] = [("proc/xenomai/version", "3.3.1\n"), ("proc/xenomai/latency", "3350\n")];

    #[test]
    fn each_core_is_known_by_what_it_shows() {
        assert_eq!(found(&COBALT), Some(Core::Cobalt { version: "3.3.1".into(), gravity_ns: Some(3_350) }));
        assert_eq!(found(&[("dev/evl/control", "")]), Some(Core::Evl { abi: None }));
        let evl = found(&[("sys/devices/virtual/control/control/abi", "32\n")]).unwrap();
        assert_eq!((evl.name(), evl.version().as_deref()), ("EVL", Some("ABI 32")));
        assert_eq!(found(&[("usr/xenomai/bin/latency", "")]), Some(Core::Mercury));
        assert_eq!(found(&[("usr/xenomai/demo/cyclictest", "")]), Some(Core::Mercury));
        assert_eq!(found(&[("proc/version", "Linux")]), None);
    }

    #[test]
    fn a_fact_names_the_core_and_its_version_and_there_is_none_without_a_core() {
        let facts = |files: &[(&str, &str)]| capture(&Root::at(tree(files).path()));
        let cobalt = facts(&COBALT);
        assert_eq!(cobalt.get(CORE_FACT), Some("Cobalt"));
        assert_eq!((cobalt.get(VERSION_FACT), cobalt.get(GRAVITY_FACT)), (Some("3.3.1"), Some("3350")));
        assert!(!facts(&[]).facts.keys().any(|name| name.starts_with("xenomai.")));
    }
}
