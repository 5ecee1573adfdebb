//! Kernel modules that the host packed, loaded in the order of their names: `00-mii.ko`, `01-8139too.ko`.
//!
//! Parameters lie beside a module, as `01-8139too.parameters`.

use prazo_platform::kernel_module::ModuleError;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// Loads them all; one that the kernel has already is no error.
pub(crate) fn load(folder: &Path) -> Result<(), String> {
    let files = files(folder).map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
    files.iter().try_for_each(|file| one(file).map_err(|error| ModuleError::refused(file, error).to_string()))
}

fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        answer => answer?,
    };
    let is_module = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "ko");
    let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).filter(is_module).collect();
    files.sort();
    Ok(files)
}

fn one(file: &Path) -> io::Result<()> {
    let parameters = match std::fs::read_to_string(file.with_extension("parameters")) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        answer => answer?,
    };
    match prazo_sys::kernel_module::load_module(&File::open(file)?, parameters.trim()) {
        Err(error) if error.raw_os_error() == Some(libc::EEXIST) => Ok(()),
        answer => answer,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_come_in_the_order_of_their_names_and_nothing_else_does() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["01-b.ko", "00-a.ko", "01-b.parameters", "10-c.ko"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let names: Vec<_> =
            files(folder.path()).unwrap().iter().map(|file| file.file_stem().unwrap().to_owned()).collect();
        assert_eq!(names, ["00-a", "01-b", "10-c"]);
        assert!(load(&folder.path().join("nowhere")).is_ok());
    }

    #[test]
    fn what_is_no_module_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("00-a.ko"), "not an ELF").unwrap();
        assert!(load(folder.path()).unwrap_err().contains("00-a.ko"));
    }
}
