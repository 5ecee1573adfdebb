//! What the tests share: the emulator, fetched where it is missing, and guests assembled on the spot.

use prazo_lab::{Cache, DiscTools, Emulator, Fetch};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// The emulator; `None`, said loudly, where there is none and none can be fetched.
pub fn emulator() -> Option<Emulator> {
    let fetch = || Fetch { cache: Cache::of_user()?, mirror: None }.emulator(&mut |_| {});
    let found = Emulator::find().or_else(|_| fetch());
    found.map_err(|error| eprintln!("SKIPPED: {error}; so this test showed nothing")).ok()
}

/// What makes discs, in the same way.
#[allow(dead_code)] // Not every test makes one.
pub fn disc_tools() -> Option<DiscTools> {
    let fetch = || Fetch { cache: Cache::of_user()?, mirror: None }.disc_tools(&mut |_| {});
    let found = DiscTools::find().or_else(|_| fetch());
    found.map_err(|error| eprintln!("SKIPPED: {error}; so this test showed nothing")).ok()
}

/// Guests assembled from `tests/guests/NAME.S`, in a folder that goes with them.
pub struct Guests {
    folder: TempDir,
}

impl Guests {
    /// An empty folder; `None`, said loudly, where there is no compiler.
    pub fn new() -> Option<Self> {
        let found = Command::new("gcc").arg("--version").output().is_ok();
        if !found {
            eprintln!("SKIPPED: there is no gcc to assemble a guest with, so this test showed nothing");
        }
        found.then(|| Self { folder: tempfile::tempdir().expect("a temporary folder") })
    }

    /// One guest's ELF.
    pub fn assemble(&self, name: &str) -> PathBuf {
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
