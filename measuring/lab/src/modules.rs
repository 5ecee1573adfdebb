//! Kernel modules in a guest's memory, each behind those that it depends on.
//!
//! What a module depends on stands in the module itself (`depends=a,b` in its `.modinfo`), so that no index of the host's is
//! needed. Compressed modules are unpacked here: not every kernel can do it itself.

use crate::error::LabError;
use crate::unpacked_packages::Tree;
use prazo_platform::{kernel_module, programs};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// All modules of a kernel by name, `-` written `_` as the kernel does.
#[derive(Clone, Debug)]
pub(crate) struct Modules {
    files: BTreeMap<String, PathBuf>,
}

/// A module, unpacked, with what it is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Module {
    pub name: String,
    pub bytes: Vec<u8>,
    pub parameters: String,
}

impl Module {
    /// One that was built for the guest's kernel.
    pub(crate) fn built(file: &Path, parameters: &str) -> Result<Self, LabError> {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { name, bytes: unpacked(file)?, parameters: parameters.to_owned() })
    }
}

impl Modules {
    /// Those of a kernel's release.
    pub(crate) fn of(tree: &Tree, release: &str) -> Result<Self, LabError> {
        let mut files = BTreeMap::new();
        // Debian 13's packages have them in `usr`, into which `lib` leads on an installed system.
        let folders = ["lib", "usr/lib"].map(|lib| tree.path(&format!("{lib}/modules/{release}/kernel")));
        gather(folders.iter().find(|folder| folder.is_dir()).unwrap_or(&folders[0]), &mut files)?;
        Ok(Self { files })
    }

    /// The modules asked for, each once and behind those that it depends on; what follows a name is what the module is told.
    pub(crate) fn closure(&self, wanted: &[String]) -> Result<Vec<Module>, LabError> {
        let mut loaded: Vec<Module> = Vec::new();
        for one in wanted {
            let (name, parameters) = one.split_once(' ').unwrap_or((one, ""));
            self.add(&plain(name), &mut loaded)?;
            let asked_for = loaded.iter_mut().find(|module| module.name == plain(name));
            asked_for.into_iter().for_each(|module| parameters.clone_into(&mut module.parameters));
        }
        Ok(loaded)
    }

    fn add(&self, name: &str, loaded: &mut Vec<Module>) -> Result<(), LabError> {
        if loaded.iter().any(|module| module.name == name) {
            return Ok(());
        }
        let absent = || LabError::NoModule { name: name.to_owned() };
        let bytes = unpacked(self.files.get(name).ok_or_else(absent)?)?;
        // The kernel's build allows no circle of dependencies.
        depends(&bytes).iter().try_for_each(|other| self.add(other, loaded))?;
        loaded.push(Module { name: name.to_owned(), bytes, parameters: String::new() });
        Ok(())
    }
}

fn gather(folder: &Path, files: &mut BTreeMap<String, PathBuf>) -> Result<(), LabError> {
    let entries = std::fs::read_dir(folder).map_err(LabError::system(format!("read {}", folder.display())))?;
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            gather(&path, files)?;
        } else if let Some((name, _)) =
            path.file_name().and_then(|name| name.to_str()).and_then(|name| name.split_once(".ko"))
        {
            files.insert(plain(name), path);
        }
    }
    Ok(())
}

fn plain(name: &str) -> String {
    name.replace('-', "_")
}

fn unpacked(file: &Path) -> Result<Vec<u8>, LabError> {
    if file.extension().is_none_or(|ending| ending != "xz") {
        return std::fs::read(file).map_err(LabError::system(format!("read {}", file.display())));
    }
    let failed = || LabError::system(format!("unpack {} with xz", file.display()));
    let answer = programs::command("xz").args(["--decompress", "--stdout"]).arg(file).output().map_err(failed())?;
    let broken = || std::io::Error::other(String::from_utf8_lossy(&answer.stderr).trim().to_owned());
    if answer.status.success() { Ok(answer.stdout) } else { Err(failed()(broken())) }
}

/// The modules that one needs.
fn depends(module: &[u8]) -> Vec<String> {
    let names = kernel_module::stated(module, "depends").next().unwrap_or_default();
    names.split(',').filter(|name| !name.is_empty()).map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel() -> (tempfile::TempDir, Modules) {
        kernel_in("lib")
    }

    fn kernel_in(lib: &str) -> (tempfile::TempDir, Modules) {
        let folder = tempfile::tempdir().unwrap();
        let drivers = folder.path().join(lib).join("modules/6.1/kernel/drivers");
        std::fs::create_dir_all(&drivers).unwrap();
        let module = |name: &str, depends: &str| {
            std::fs::write(drivers.join(name), format!("ELF\0license=GPL\0depends={depends}\0name=x\0")).unwrap();
        };
        module("8139-too.ko", "mii,crc");
        module("mii.ko", "crc");
        module("crc.ko", "");
        let modules = Modules::of(&Tree::at(folder.path().to_owned()), "6.1").unwrap();
        (folder, modules)
    }

    #[test]
    fn a_module_comes_once_and_behind_those_that_it_depends_on() {
        let (_folder, modules) = kernel();
        let names = |wanted: &[&str]| {
            let wanted: Vec<_> = wanted.iter().map(|name| (*name).to_owned()).collect();
            modules.closure(&wanted).unwrap().into_iter().map(|module| module.name).collect::<Vec<_>>()
        };
        assert_eq!(names(&["8139_too"]), ["crc", "mii", "8139_too"]);
        assert_eq!(names(&["mii", "8139-too", "crc"]), ["crc", "mii", "8139_too"]);
        assert!(names(&[]).is_empty());
    }

    #[test]
    fn modules_are_found_where_debian_13_has_them() {
        let (_folder, modules) = kernel_in("usr/lib");
        assert_eq!(modules.closure(&["mii".to_owned()]).unwrap().len(), 2);
    }

    #[test]
    fn what_follows_a_name_is_what_the_module_is_told() {
        let (_folder, modules) = kernel();
        let closure = modules.closure(&["8139_too media=1 debug=0".to_owned()]).unwrap();
        let closure: Vec<_> = closure.iter().map(|module| (module.name.as_str(), module.parameters.as_str())).collect();
        assert_eq!(closure, [("crc", ""), ("mii", ""), ("8139_too", "media=1 debug=0")]);
    }

    #[test]
    fn a_driver_that_the_kernel_lacks_is_named() {
        let (_folder, modules) = kernel();
        assert!(modules.closure(&["veth".to_owned()]).unwrap_err().to_string().contains("veth"));
    }
}
