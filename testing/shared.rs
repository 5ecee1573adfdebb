//! Where tests find the real measurements that live beside the checkout, not in it.
//!
//! Include with `#[path = "../../../testing/shared.rs"] mod shared;`. A test that gets `None` returns at once: the line that
//! this prints says what was not tested, so that a skip is never silent.

use std::path::{Path, PathBuf};

/// The folder or file `part` of the shared data; `None`, said loudly, where it is absent.
pub fn shared(part: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().find(|folder| folder.join("Cargo.lock").exists())?;
    let path = std::env::var_os("PRAZO_SHARED").map_or_else(|| root.join("../shared"), PathBuf::from).join(part);
    if path.exists() {
        return Some(path);
    }
    eprintln!("SKIPPED: {} is not there, so this test showed nothing", path.display());
    None
}
