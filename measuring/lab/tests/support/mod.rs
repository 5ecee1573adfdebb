//! What the tests share: the emulator, fetched where it is missing, and guests assembled on the spot.

use prazo_lab::{Cache, DiscTools, Emulator, Fetch};
use prazo_testing::{Need, OrSkipped, Skipped, program};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// The emulator; a skip where there is none and none can be fetched.
pub(crate) fn emulator() -> Result<Emulator, Skipped> {
    let fetch = || Fetch::new(Cache::of_user()?).emulator(&mut |_| {});
    Emulator::find().or_else(|_| fetch()).or_skipped(Need::Lab)
}

/// What makes discs, in the same way.
#[allow(dead_code)] // Not every test makes one.
pub(crate) fn disc_tools() -> Result<DiscTools, Skipped> {
    let fetch = || Fetch::new(Cache::of_user()?).disc_tools(&mut |_| {});
    DiscTools::find().or_else(|_| fetch()).or_skipped(Need::Lab)
}

/// Guests assembled from `tests/guests/NAME.S`, in a folder that goes with them.
pub(crate) struct Guests {
    folder: TempDir,
}

impl Guests {
    /// An empty folder; a skip where there is no compiler.
    pub(crate) fn new() -> Result<Self, Skipped> {
        program("gcc")?;
        Ok(Self { folder: tempfile::tempdir().expect("a temporary folder") })
    }

    /// One guest's ELF.
    pub(crate) fn assemble(&self, name: &str) -> PathBuf {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().find(|folder| folder.join("Cargo.lock").exists());
        let sources = root.expect("a checkout").join("measuring/lab/tests/guests");
        let elf = self.folder.path().join(name);
        let mut gcc = Command::new("gcc");
        gcc.args(["-m32", "-nostdlib", "-static", "-Wl,-Ttext-segment=0x100000,--build-id=none", "-Wa,-I."]);
        gcc.arg("-o").arg(&elf).arg(format!("{name}.S")).current_dir(sources);
        assert!(gcc.status().expect("gcc starts").success(), "{name}.S does not assemble");
        elf
    }
}
