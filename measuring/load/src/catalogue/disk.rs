//! Whether a load's folder is on a disk.

use std::io;

use super::super::load_kind::Scene;

/// A folder in memory has no block device behind it.
pub(super) fn reaches_a_disk(scene: &Scene) -> io::Result<()> {
    if prazo_sys::files::is_in_memory(&scene.work)? {
        return Err(io::Error::other(
            "the load's working folder (by default in /var/tmp) is in memory, not on a disk; the load needs a folder \
             on a block device",
        ));
    }
    Ok(())
}
