//! A module that is loaded, and removed when the value is dropped.

use super::error::ModuleError;
use crate::sys;
use std::fs::File;
use std::path::Path;

/// A loaded module; dropped, it is removed if it was loaded by this value.
#[derive(Debug)]
pub struct LoadedModule {
    name: String,
    is_ours: bool,
}

impl LoadedModule {
    /// Loads a module's file; one of the same name that is there already is used, and left there.
    pub fn load(file: &Path, parameters: &str) -> Result<Self, ModuleError> {
        let name = name_of(file);
        if is_loaded(&name) {
            return Ok(Self { name, is_ours: false });
        }
        let opened = File::open(file).map_err(|source| ModuleError::File { file: file.into(), source })?;
        sys::load_module(&opened, parameters).map_err(|source| ModuleError::refused(file, source))?;
        Ok(Self { name, is_ours: true })
    }

    /// True where it was there before.
    pub fn was_there(&self) -> bool {
        !self.is_ours
    }

    /// Removes it, if it was loaded here, and says why that failed.
    pub fn remove(mut self) -> Result<(), ModuleError> {
        self.take_out()
    }

    fn take_out(&mut self) -> Result<(), ModuleError> {
        if !std::mem::take(&mut self.is_ours) {
            return Ok(());
        }
        sys::remove_module(&self.name).map_err(|source| ModuleError::NotRemoved { name: self.name.clone(), source })
    }
}

impl Drop for LoadedModule {
    fn drop(&mut self) {
        // Whoever wants to know calls `remove`.
        let _ = self.take_out();
    }
}

/// The kernel's name for it: the file's, with underscores.
fn name_of(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().replace('-', "_")
}

fn is_loaded(name: &str) -> bool {
    Path::new("/sys/module").join(name).join("refcnt").exists()
}
