//! The processors' own count of system-management interrupts: firmware takes the processor, and no kernel sees it.

use prazo_engine::Surroundings;
use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::FileExt;

/// The register of Intel's processors since Nehalem.
const MSR_SMI_COUNT: u64 = 0x34;

/// The counts of some processors, or why there are none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Smis {
    counts: BTreeMap<u32, u32>,
    unknown: Option<String>,
}

impl Smis {
    /// Reads them now.
    pub(super) fn read(around: &Surroundings, cpus: &[u32]) -> Self {
        let vendor = around.text("proc/cpuinfo").unwrap_or_default();
        if !vendor.lines().any(|line| line.starts_with("vendor_id") && line.ends_with("GenuineIntel")) {
            let unknown = Some("prazo can count system-management interrupts on Intel processors only".into());
            return Self { unknown, ..Self::default() };
        }
        let mut smis = Self::default();
        for cpu in cpus {
            match count(around, *cpu) {
                Ok(count) => drop(smis.counts.insert(*cpu, count)),
                Err(why) => smis.unknown = Some(why),
            }
        }
        smis
    }

    /// How many there were on a processor since `before`; the register has 32 bits and wraps.
    pub(super) fn since(&self, before: &Self, cpu: u32) -> Option<u64> {
        let (now, then) = (self.counts.get(&cpu)?, before.counts.get(&cpu)?);
        Some(now.wrapping_sub(*then).into())
    }

    /// Why some processor's are not known.
    pub(super) fn unknown(&self) -> Option<String> {
        self.unknown.clone()
    }
}

fn count(around: &Surroundings, cpu: u32) -> Result<u32, String> {
    let path = around.path(&format!("dev/cpu/{cpu}/msr"));
    let mut register = [0; 8];
    let read = File::open(&path).and_then(|file| file.read_exact_at(&mut register, MSR_SMI_COUNT));
    read.map_err(|error| format!("{}: {error}; load the module msr and run as root", path.display()))?;
    Ok(u64::from_le_bytes(register) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(vendor: &str, counts: &[(u32, u64)]) -> (tempfile::TempDir, Surroundings) {
        let tree = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(tree.path().join("proc")).unwrap();
        std::fs::write(tree.path().join("proc/cpuinfo"), format!("processor\t: 0\nvendor_id\t: {vendor}\n")).unwrap();
        for (cpu, count) in counts {
            let folder = tree.path().join(format!("dev/cpu/{cpu}"));
            std::fs::create_dir_all(&folder).unwrap();
            let mut registers = vec![0; MSR_SMI_COUNT as usize];
            registers.extend(count.to_le_bytes());
            std::fs::write(folder.join("msr"), registers).unwrap();
        }
        let around = Surroundings::below(tree.path());
        (tree, around)
    }

    #[test]
    fn the_register_is_read_and_its_wrap_is_no_loss() {
        let (_before, before) = tree("GenuineIntel", &[(0, u64::from(u32::MAX)), (3, 7)]);
        let (_after, after) = tree("GenuineIntel", &[(0, 1), (3, 7)]);
        let (before, after) = (Smis::read(&before, &[0, 3]), Smis::read(&after, &[0, 3]));
        assert_eq!([0, 3].map(|cpu| after.since(&before, cpu)), [Some(2), Some(0)]);
        assert_eq!(after.unknown(), None);
    }

    #[test]
    fn what_cannot_be_read_is_unknown_with_a_reason_and_never_zero() {
        let (_tree, around) = tree("GenuineIntel", &[(0, 5)]);
        let smis = Smis::read(&around, &[0, 1]);
        assert_eq!((smis.since(&smis, 0), smis.since(&smis, 1)), (Some(0), None));
        assert!(smis.unknown().unwrap().contains("dev/cpu/1/msr"));
        let (_tree, around) = tree("AuthenticAMD", &[(0, 5)]);
        let smis = Smis::read(&around, &[0]);
        assert_eq!(smis.since(&smis, 0), None);
        assert!(smis.unknown().unwrap().contains("Intel"));
    }
}
