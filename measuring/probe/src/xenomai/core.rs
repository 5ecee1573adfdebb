//! Which Xenomai core runs here, from what it shows of itself under a root.

use std::path::Path;

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
    Evl,
    /// Xenomai 3's interface over Linux itself: its tools are installed, and no co-kernel runs.
    Mercury,
}

/// The core under `root`; `None` where there is no trace of any.
pub fn recognise(root: &Path) -> Option<Core> {
    let text = |name: &str| std::fs::read_to_string(root.join(name)).ok().map(|text| text.trim().to_owned());
    if let Some(version) = text("proc/xenomai/version") {
        let gravity_ns = text("proc/xenomai/latency").and_then(|text| text.parse().ok());
        return Some(Core::Cobalt { version, gravity_ns });
    }
    let exists = |name: &&str| root.join(name).exists();
    if ["dev/evl/control", "sys/devices/virtual/control/control/abi"].iter().any(exists) {
        return Some(Core::Evl);
    }
    ["usr/xenomai/bin/latency", "usr/xenomai/bin/xeno-config"].iter().any(exists).then_some(Core::Mercury)
}

impl Core {
    /// What it is called.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Cobalt { .. } => "Cobalt",
            Self::Evl => "EVL",
            Self::Mercury => "Mercury",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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

    #[test]
    fn each_core_is_known_by_what_it_shows() {
        let cobalt = tree(&[("proc/xenomai/version", "3.3.1\n"), ("proc/xenomai/latency", "3350\n")]);
        let wanted = Core::Cobalt { version: "3.3.1".into(), gravity_ns: Some(3_350) };
        assert_eq!(recognise(cobalt.path()), Some(wanted));
        assert_eq!(recognise(tree(&[("dev/evl/control", "")]).path()), Some(Core::Evl));
        assert_eq!(recognise(tree(&[("usr/xenomai/bin/latency", "")]).path()), Some(Core::Mercury));
        assert_eq!(recognise(tree(&[("proc/version", "Linux")]).path()), None);
    }
}
