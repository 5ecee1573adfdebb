//! What a guest finds in its memory: the agent, its request, programs for the loads, modules.
//!
//! ```text
//! the user's own (if any) + /prazo/agent, /prazo/order.json, /dev/console, programs with their libraries, modules
//! ```
//! The kernel unpacks archives one behind the other, so that a user's initramfs stays byte for byte what it is.

use crate::cpio::{Archive, pad};
use crate::error::LabError;
use crate::modules::Module;
use crate::programs;
use prazo_abi::guest::{AGENT, MODULES, REQUEST, in_archive};
use std::path::Path;

/// Empty folders that process 1 mounts on, and that programs expect.
const FOLDERS: [&str; 9] = ["dev", "etc", "proc", "root", "run", "sys", "tmp", "usr/bin", "var/tmp"];

/// What comes together in one initramfs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Initramfs<'a> {
    /// The agent's program.
    pub agent: &'a Path,
    /// The request, as JSON.
    pub request: &'a str,
    /// The user's own initramfs, unpacked first.
    pub base: Option<&'a Path>,
    /// Programs of this system's, by name; those that it lacks are left out, and missed by name in the guest.
    pub programs: &'a [String],
    /// Kernel modules, in the order in which the agent loads them.
    pub modules: &'a [Module],
}

impl Initramfs<'_> {
    /// The bytes that the kernel takes.
    pub(crate) fn bytes(&self) -> Result<Vec<u8>, LabError> {
        let mut bytes = self.base.map_or(Ok(Vec::new()), read)?;
        pad(&mut bytes);
        bytes.extend(self.archive()?.bytes());
        Ok(bytes)
    }

    /// What is neither agent nor request nor module: the user's own and the programs. Equal where only the plan, the agent or
    /// the kernel differ, so that two trajectories can be told to differ in nothing else.
    pub(crate) fn image(&self) -> Result<Vec<u8>, LabError> {
        let mut bytes = self.base.map_or(Ok(Vec::new()), read)?;
        pad(&mut bytes);
        let mut archive = Archive::new();
        for name in self.programs {
            programs::pack(&mut archive, name)?;
        }
        bytes.extend(archive.bytes());
        Ok(bytes)
    }

    /// The modules, which come with the kernel.
    pub(crate) fn modules_alone(&self) -> Vec<u8> {
        let mut archive = Archive::new();
        self.modules.iter().enumerate().for_each(|(number, module)| module.pack(number, &mut archive));
        archive.bytes()
    }

    fn archive(&self) -> Result<Archive, LabError> {
        let mut archive = Archive::new();
        FOLDERS.iter().for_each(|folder| archive.folder(folder));
        archive.device("dev/console", 5, 1);
        archive.file(in_archive(AGENT), read(self.agent)?, true);
        archive.file(in_archive(REQUEST), self.request.as_bytes().to_vec(), false);
        for name in self.programs {
            programs::pack(&mut archive, name)?;
        }
        self.modules.iter().enumerate().for_each(|(number, module)| module.pack(number, &mut archive));
        Ok(archive)
    }
}

impl Module {
    fn pack(&self, number: usize, archive: &mut Archive) {
        let stem = format!("{}/{number:02}-{}", in_archive(MODULES), self.name);
        archive.file(&format!("{stem}.ko"), self.bytes.clone(), false);
        if !self.parameters.is_empty() {
            archive.file(&format!("{stem}.parameters"), self.parameters.clone().into_bytes(), false);
        }
    }
}

fn read(file: &Path) -> Result<Vec<u8>, LabError> {
    std::fs::read(file).map_err(LabError::system(format!("read {}", file.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_users_initramfs_comes_first_and_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let (agent, base) = (folder.path().join("agent"), folder.path().join("base"));
        std::fs::write(&agent, "ELF").unwrap();
        std::fs::write(&base, [1, 2, 3, 4, 5]).unwrap();
        let plain = Initramfs { agent: &agent, request: "{}", base: None, programs: &[], modules: &[] };
        let behind = Initramfs { base: Some(&base), ..plain }.bytes().unwrap();
        assert_eq!(behind[..8], [1, 2, 3, 4, 5, 0, 0, 0]);
        assert_eq!(behind[8..], plain.bytes().unwrap());
    }

    #[test]
    fn an_image_is_the_same_whatever_the_order_and_the_agent() {
        let folder = tempfile::tempdir().unwrap();
        let (agent, base) = (folder.path().join("agent"), folder.path().join("base"));
        std::fs::write(&agent, "ELF").unwrap();
        std::fs::write(&base, "base").unwrap();
        let plain = Initramfs { agent: &agent, request: "{}", base: None, programs: &[], modules: &[] };
        let other = Initramfs { request: "{\"seed\":2}", agent: &base, ..plain };
        assert_eq!(plain.image().unwrap(), other.image().unwrap());
        assert_ne!(plain.bytes().unwrap(), other.bytes().unwrap());
        assert_ne!(plain.image().unwrap(), Initramfs { base: Some(&base), ..plain }.image().unwrap());
    }

    #[test]
    fn a_missing_agent_is_named() {
        let error =
            Initramfs { agent: Path::new("/nowhere/agent"), request: "", base: None, programs: &[], modules: &[] }
                .bytes()
                .unwrap_err();
        assert!(error.to_string().contains("/nowhere/agent"), "{error}");
    }
}
