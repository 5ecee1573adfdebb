//! The folder of the workspace, in which every chore works.

use std::path::Path;

/// The folder that xtask's own is in.
pub(crate) fn root() -> Result<&'static Path, String> {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or_else(|| "xtask is not in a workspace".to_owned())
}
