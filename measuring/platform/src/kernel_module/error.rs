//! Why a module could not be built, loaded or removed.

use crate::tunable::JournalError;
use std::io;
use std::path::{Path, PathBuf};

/// Why a module could not be built, loaded or removed.
#[derive(Debug, thiserror::Error)]
pub enum ModuleError {
    /// The kernel's headers are not there.
    #[error("no headers of this kernel at {}; install them (Debian: apt install linux-headers-{release}) or give their \
             folder with --headers", .folder.display())]
    NoHeaders {
        /// Where they were looked for.
        folder: PathBuf,
        /// The kernel's release, as uname(1) has it.
        release: String,
    },
    /// The source is not there.
    #[error("no module source (Kbuild) at {}; give the folder of prazo's kmod/irqlat with --module", .0.display())]
    NoSource(PathBuf),
    /// A program that building takes is missing, or a file could not be copied.
    #[error(
        "building the module needs {what}: {source}; install make and the compiler that the kernel was built with, and \
         check that the build folder is writable"
    )]
    Tool {
        /// What is missing.
        what: String,
        /// What came back.
        source: io::Error,
    },
    /// The build failed.
    #[error("cannot build the module with the headers in {}: {says}", .headers.display())]
    Build {
        /// The headers.
        headers: PathBuf,
        /// The last lines.
        says: String,
    },
    /// The file could not be read.
    #[error("cannot read the module {}: {source}", .file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// What came back.
        source: io::Error,
    },
    /// The kernel refused it.
    #[error("the kernel refused the module {}: {source}; {remedy}", .file.display())]
    Refused {
        /// The file.
        file: PathBuf,
        /// What came back.
        source: io::Error,
        /// What that means and what to do.
        remedy: String,
    },
    /// The journal could not be kept, so nothing was tried.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// It could not be removed.
    #[error(
        "the module {name} could not be removed: {source}; it does nothing while its device is closed; remove it with \
         `rmmod {name}`"
    )]
    NotRemoved {
        /// The module.
        name: String,
        /// What came back.
        source: io::Error,
    },
}

impl ModuleError {
    /// A module's file that finit_module(2) refused, with what that means on this kernel.
    pub fn refused(file: &Path, source: io::Error) -> Self {
        let lockdown = std::fs::read_to_string("/sys/kernel/security/lockdown").ok();
        let remedy = remedy(source.raw_os_error().unwrap_or_default(), lockdown.as_deref());
        Self::Refused { file: file.into(), source, remedy }
    }
}

/// What a refusal by finit_module(2) means; `lockdown` is the kernel's own word for it, where it has one.
fn remedy(errno: i32, lockdown: Option<&str>) -> String {
    let locked = lockdown.filter(|state| !state.contains("[none]"));
    match (errno, locked) {
        (libc::EKEYREJECTED | libc::ENOKEY, _) => {
            "this kernel accepts only modules signed with one of its keys; sign this module with such a key, or boot \
             without module.sig_enforce"
                .into()
        }
        (libc::EPERM, Some(state)) => format!(
            "this kernel is locked down ({}), for example by Secure Boot; sign the module with an enrolled key, or \
             boot without the lockdown",
            state.trim()
        ),
        (libc::EPERM, None) => {
            "run as root (CAP_SYS_MODULE); if kernel.modules_disabled is 1, no module can be loaded until the next boot"
                .into()
        }
        (libc::ENOEXEC, _) => "the file is not a module or was built for another kernel (modinfo shows its vermagic); \
                               build it for this kernel"
            .into(),
        (libc::ENOENT, _) => "the module needs symbols that this kernel lacks (dmesg names them); build it with this \
                              kernel's headers"
            .into(),
        (libc::ENOSYS, _) => {
            "this kernel was built without support for modules; boot a kernel with CONFIG_MODULES".into()
        }
        (libc::EBUSY | libc::EEXIST, _) => "a module of this name is already loaded; remove it with rmmod".into(),
        _ => "the kernel's messages (dmesg) may name the cause".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_says_what_it_means() {
        assert!(remedy(libc::EKEYREJECTED, None).contains("sign"));
        assert!(remedy(libc::EPERM, Some("none [integrity] confidentiality\n")).contains("locked down"));
        assert!(remedy(libc::EPERM, Some("[none] integrity confidentiality")).contains("CAP_SYS_MODULE"));
        assert!(remedy(libc::ENOEXEC, None).contains("another kernel"));
        assert!(remedy(libc::ENOSYS, None).contains("without support for modules"));
    }
}
