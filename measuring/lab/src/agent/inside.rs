//! The agents inside this program, where it was built to be copied.

use crate::architecture::Architecture;
use crate::error::LabError;
use crate::fetch::Cache;
use lzma_rust2::LzmaReader;
use sha2::{Digest, Sha256};
use std::fs::{self, Permissions};
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

include!(concat!(env!("OUT_DIR"), "/agents.rs"));

/// True where this program has an agent inside.
pub fn has(architecture: Architecture) -> bool {
    packed(architecture).is_some()
}

fn packed(architecture: Architecture) -> Option<&'static [u8]> {
    INSIDE.iter().find(|(name, _)| *name == architecture.name()).map(|(_, packed)| *packed)
}

/// The agent as a file of the lab's cache; `None` where there is none inside.
pub(super) fn file(architecture: Architecture) -> Option<Result<PathBuf, LabError>> {
    let packed = packed(architecture)?;
    Some(Cache::of_user().and_then(|cache| unpacked(packed, &cache.folder().join("agents"))))
}

/// Under a name that says what it holds, so that another prazo's agent is another file.
fn unpacked(packed: &[u8], folder: &Path) -> Result<PathBuf, LabError> {
    let digest: String = Sha256::digest(packed).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let place = folder.join(format!("prazo-agent-{digest}"));
    if place.is_file() {
        return Ok(place);
    }
    let failed = |step: &str| LabError::system(format!("{step} {}", place.display()));
    let mut agent = Vec::new();
    LzmaReader::new_mem_limit(packed, u32::MAX, None)
        .and_then(|mut reader| reader.read_to_end(&mut agent))
        .map_err(failed("unpack the agent for"))?;
    fs::create_dir_all(folder).map_err(failed("make the folder of"))?;
    let new = tempfile::NamedTempFile::new_in(folder).map_err(failed("write"))?;
    fs::write(new.path(), agent).map_err(failed("write"))?;
    fs::set_permissions(new.path(), Permissions::from_mode(0o755)).map_err(failed("write"))?;
    new.persist(&place).map_err(|error| failed("write")(error.error))?;
    Ok(place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lzma_rust2::{LzmaOptions, LzmaWriter};
    use std::io::Write;

    #[test]
    fn an_agent_is_unpacked_once_and_can_be_started() {
        let folder = tempfile::tempdir().unwrap();
        let mut packed = LzmaWriter::new_use_header(Vec::new(), &LzmaOptions::with_preset(0), None).unwrap();
        packed.write_all(b"#!/bin/sh\nexit 7\n").unwrap();
        let packed = packed.finish().unwrap();
        let place = unpacked(&packed, &folder.path().join("agents")).unwrap();
        assert_eq!(std::process::Command::new(&place).status().unwrap().code(), Some(7));
        let made = fs::metadata(&place).unwrap().modified().unwrap();
        assert_eq!(unpacked(&packed, &folder.path().join("agents")).unwrap(), place);
        assert_eq!(fs::metadata(&place).unwrap().modified().unwrap(), made);
        assert_eq!(fs::read_dir(place.parent().unwrap()).unwrap().count(), 1);
    }
}
