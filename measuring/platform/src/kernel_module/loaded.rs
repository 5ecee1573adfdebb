//! A module that is loaded, and removed when the value is dropped, or at prazo's next start where this one was killed.

use super::error::ModuleError;
use crate::tunable::Journal;
use prazo_sys::kernel_module as sys;
use std::fs::File;
use std::path::Path;

/// A loaded module; dropped, it is removed if it was loaded by this value.
#[derive(Debug)]
pub struct LoadedModule {
    name: String,
    is_ours: bool,
    /// Where it is written down, and under which number.
    noted: Option<(Journal, u64)>,
}

impl LoadedModule {
    /// Loads a module's file; one of the same name that is there already is used, and left there.
    ///
    /// It is in the journal before it is loaded, so that whoever recovers the journal removes it where this process was
    /// killed. What earlier ones left is removed first, so that it is not taken for somebody else's.
    pub fn load(journal: &Journal, file: &Path, parameters: &str) -> Result<Self, ModuleError> {
        journal.recover()?;
        let name = name_of(file)?;
        if is_loaded(&name) {
            return Ok(Self { name, is_ours: false, noted: None });
        }
        let number = journal.note_module(&name)?;
        let inserted = insert(file, parameters);
        if inserted.is_err() {
            // The kernel's refusal is what the user needs; a line that stays asks for a module that is not there.
            let _ = journal.cross_out(number);
        }
        inserted.map(|()| Self { name, is_ours: true, noted: Some((journal.clone(), number)) })
    }

    /// Removes it, if it was loaded here, and says why that failed.
    pub fn remove(mut self) -> Result<(), ModuleError> {
        self.take_out()
    }

    fn take_out(&mut self) -> Result<(), ModuleError> {
        if !std::mem::take(&mut self.is_ours) {
            return Ok(());
        }
        sys::remove_module(&self.name).map_err(|source| ModuleError::NotRemoved { name: self.name.clone(), source })?;
        match self.noted.take() {
            Some((journal, number)) => Ok(journal.cross_out(number)?),
            None => Ok(()),
        }
    }
}

impl Drop for LoadedModule {
    fn drop(&mut self) {
        // Whoever wants to know calls `remove`.
        let _ = self.take_out();
    }
}

fn insert(file: &Path, parameters: &str) -> Result<(), ModuleError> {
    let opened = File::open(file).map_err(|source| ModuleError::File { file: file.into(), source })?;
    sys::load_module(&opened, parameters).map_err(|source| ModuleError::refused(file, source))
}

/// The kernel's name for it: the one that it states, since a file may be called otherwise; else, of a module of before Linux 4.13, the
/// file's, with underscores for what no name of a module holds.
fn name_of(file: &Path) -> Result<String, ModuleError> {
    let bytes = std::fs::read(file).map_err(|source| ModuleError::File { file: file.into(), source })?;
    let is_name =
        |name: &String| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
    let stated = stated(&bytes, "name").find(is_name);
    let stem = || file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let name = stated.unwrap_or_else(stem);
    let name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    Ok(if name.is_empty() { "_".to_owned() } else { name })
}

/// What the bytes of a module state about it (`.modinfo`): the texts behind `KEY=`.
pub fn stated<'m>(module: &'m [u8], key: &str) -> impl Iterator<Item = String> + use<'m> {
    let key = format!("{key}=").into_bytes();
    let texts = module.split(|byte| *byte == 0).skip(1);
    texts.filter_map(move |text| Some(String::from_utf8_lossy(text.strip_prefix(key.as_slice())?).into_owned()))
}

fn is_loaded(name: &str) -> bool {
    Path::new("/sys/module").join(name).join("refcnt").exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_has_the_name_that_it_states_whatever_its_file_is_called() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("3_irq-lat.ko");
        let name = |bytes: &[u8]| {
            std::fs::write(&file, bytes).unwrap();
            name_of(&file).unwrap()
        };
        assert_eq!(name(b"ELF\0name=%s\0license=GPL\0name=irqlat\0vermagic=6.1\0"), "irqlat");
        assert_eq!(name(b"ELF\0license=GPL\0"), "3_irq_lat");
        assert!(name_of(&folder.path().join("none.ko")).unwrap_err().to_string().contains("none.ko"));
    }
}
