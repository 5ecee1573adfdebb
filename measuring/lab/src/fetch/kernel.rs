//! Kernels as they were unpacked: each image is one that a boot loader knows.

use crate::error::LabError;
use crate::tree::Tree;
use std::path::{Path, PathBuf};

/// Where a bzImage holds its signature (Documentation/arch/x86/boot.rst).
const SIGNATURE_AT: usize = 0x202;
const SIGNATURE: &[u8] = b"HdrS";

/// At least one image, and each of them bootable.
pub(super) fn are_whole(tree: &Tree) -> Result<(), LabError> {
    let images = images(&tree.path("boot"))?;
    let broken = |program: PathBuf| LabError::Unusable { program, answer: "it is no Linux image".into() };
    match images.iter().find(|image| !is_image(image)) {
        Some(image) => Err(broken(image.clone())),
        None if images.is_empty() => Err(broken(tree.path("boot"))),
        None => Ok(()),
    }
}

fn images(folder: &Path) -> Result<Vec<PathBuf>, LabError> {
    let entries = std::fs::read_dir(folder).map_err(LabError::system(format!("read {}", folder.display())))?;
    let is_kernel =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("vmlinuz-"));
    Ok(entries.flatten().map(|entry| entry.path()).filter(is_kernel).collect())
}

fn is_image(image: &Path) -> bool {
    let found = std::fs::read(image).unwrap_or_default();
    found.get(SIGNATURE_AT..SIGNATURE_AT + SIGNATURE.len()) == Some(SIGNATURE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_that_was_cut_off_and_a_folder_without_one_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let tree = Tree::at(folder.path().to_owned());
        assert!(are_whole(&tree).is_err());
        std::fs::create_dir(folder.path().join("boot")).unwrap();
        assert!(are_whole(&tree).is_err());
        let image = folder.path().join("boot/vmlinuz-6.1");
        std::fs::write(&image, [0; 600]).unwrap();
        assert!(are_whole(&tree).unwrap_err().to_string().contains("vmlinuz-6.1"));
        let mut bytes = [0; 600];
        bytes[SIGNATURE_AT..SIGNATURE_AT + 4].copy_from_slice(SIGNATURE);
        std::fs::write(&image, bytes).unwrap();
        assert!(are_whole(&tree).is_ok());
    }
}
