//! The options that the kernel was built with, from `/proc/config.gz` or `/boot/config-RELEASE`.

use crate::root::{Reading, Root, Unavailable};
use std::collections::BTreeMap;
use std::io::Read;

/// The largest configuration that is unpacked; a real one has 300 KiB.
const BYTES_MAX: u64 = 8 << 20;

/// The kernel's configuration and where it was read.
#[derive(Clone, Debug)]
pub struct KernelConfig {
    options: BTreeMap<String, String>,
    /// The file.
    pub source: String,
}

impl KernelConfig {
    /// Reads the running kernel's own copy, else the file that its package left in /boot.
    pub fn read(root: &Root) -> Reading<Self> {
        let own = read_packed(root);
        if own.is_ok() {
            return own;
        }
        let release = root.read("/proc/sys/kernel/osrelease")?;
        let source = format!("/boot/config-{release}");
        match root.read(&source) {
            Ok(text) => Ok(Self { options: parse(&text), source }),
            Err(_) => own,
        }
    }

    /// An option's value (`y`, `m`, `250`), by its name without `CONFIG_`; `None` where it is not set.
    pub fn value(&self, option: &str) -> Option<&str> {
        self.options.get(option).map(String::as_str)
    }

    /// True for an option built in or as a module.
    pub fn has(&self, option: &str) -> bool {
        self.options.contains_key(option)
    }

    /// True for an option built in.
    pub fn is_on(&self, option: &str) -> bool {
        self.value(option) == Some("y")
    }
}

fn read_packed(root: &Root) -> Reading<KernelConfig> {
    const FILE: &str = "/proc/config.gz";
    let packed = root.read_bytes(FILE)?;
    let mut text = String::new();
    flate2::read::GzDecoder::new(packed.as_slice())
        .take(BYTES_MAX)
        .read_to_string(&mut text)
        .map_err(|error| Unavailable::Failed { path: FILE.into(), why: error.to_string() })?;
    Ok(KernelConfig { options: parse(&text), source: FILE.into() })
}

fn parse(text: &str) -> BTreeMap<String, String> {
    text.lines()
        .filter_map(|line| line.strip_prefix("CONFIG_")?.split_once('='))
        .map(|(option, value)| (option.to_owned(), value.trim_matches('"').to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(path: &str, bytes: &[u8]) -> (tempfile::TempDir, Root) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::create_dir_all(folder.path().join("proc/sys/kernel")).unwrap();
        std::fs::write(folder.path().join("proc/sys/kernel/osrelease"), "6.1.0-rt\n").unwrap();
        std::fs::write(file, bytes).unwrap();
        let root = Root::at(folder.path());
        (folder, root)
    }

    const TEXT: &str = "# CONFIG_PREEMPT is not set\nCONFIG_PREEMPT_RT=y\nCONFIG_HZ=250\nCONFIG_LSM=\"a,b\"\n";

    #[test]
    fn the_packed_copy_is_read() {
        let mut packed = flate2::read::GzEncoder::new(TEXT.as_bytes(), flate2::Compression::fast());
        let mut bytes = Vec::new();
        packed.read_to_end(&mut bytes).unwrap();
        let (_folder, root) = tree("proc/config.gz", &bytes);
        let config = KernelConfig::read(&root).unwrap();
        assert!(config.is_on("PREEMPT_RT") && !config.is_on("PREEMPT"));
        assert_eq!((config.value("HZ"), config.value("LSM")), (Some("250"), Some("a,b")));
        let (_folder, root) = tree("proc/config.gz", &bytes[..bytes.len() / 2]);
        assert!(matches!(KernelConfig::read(&root), Err(Unavailable::Failed { .. })), "cut short is not read as unset");
    }

    #[test]
    fn the_file_in_boot_stands_in() {
        let (_folder, root) = tree("boot/config-6.1.0-rt", TEXT.as_bytes());
        let config = KernelConfig::read(&root).unwrap();
        assert_eq!((config.is_on("PREEMPT_RT"), config.source.as_str()), (true, "/boot/config-6.1.0-rt"));
    }
}
