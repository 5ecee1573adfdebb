//! Where the image of prazo's own kernel is: the one that the environment names, or the one that was built in the sources.

use crate::agent::build::sources;
use crate::error::LabError;
use std::path::{Path, PathBuf};

/// Names an image to be used instead of the built one.
pub const GIVEN: &str = "PRAZO_KERNEL";

/// What it is compiled for.
pub const TARGET: &str = "x86_64-unknown-none";

/// The image of `shape`: the one that the environment names, whatever its shape, or else the one that was built in the sources that
/// this program stands in.
pub fn find(shape: &str) -> Result<PathBuf, LabError> {
    let given = std::env::var_os(GIVEN).map(PathBuf::from);
    there(given.or_else(|| sources().map(|root| place(&root.join("scheduling/kernel"), shape))), shape)
}

/// Where a build of the kernel's folder leaves it. Each shape has a folder of its own: none is taken for another.
pub fn place(kernel: &Path, shape: &str) -> PathBuf {
    kernel.join("target").join(shape).join(TARGET).join("release/prazo-kernel")
}

fn there(file: Option<PathBuf>, shape: &str) -> Result<PathBuf, LabError> {
    match file {
        Some(file) if file.is_file() => Ok(file),
        file => Err(LabError::NoOwnKernel { place: file, shape: shape.to_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_that_is_not_there_is_told_with_the_way_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = place(folder.path(), "single-edf");
        let error = there(Some(file.clone()), "single-edf").unwrap_err().to_string();
        assert!(error.contains(&file.display().to_string()), "{error}");
        assert!(error.contains("kernel build --shape single-edf") && error.contains(GIVEN), "{error}");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, "").unwrap();
        assert_eq!(there(Some(file.clone()), "single-edf").unwrap(), file);
    }

    #[test]
    fn without_its_sources_the_image_must_be_named() {
        let error = there(None, "single-edf").unwrap_err().to_string();
        assert!(error.contains(GIVEN) && !error.contains("not at"), "{error}");
    }
}
