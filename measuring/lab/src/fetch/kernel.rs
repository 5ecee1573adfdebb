//! Kernels as they were unpacked: each image is one that a boot loader knows.

use crate::architecture::Architecture;
use crate::error::LabError;
use crate::image;
use crate::unpacked_packages::Tree;
use std::path::{Path, PathBuf};

/// At least one image, and each of them one for this architecture.
pub(super) fn are_whole(tree: &Tree, architecture: Architecture) -> Result<(), LabError> {
    let images = images(&tree.path("boot"), architecture)?;
    let broken = |program: PathBuf| LabError::Unusable {
        program,
        answer: format!("it contains no Linux kernel image for {architecture}"),
    };
    match images.iter().find(|file| image::architecture(file) != Some(architecture)) {
        Some(image) => Err(broken(image.clone())),
        None if images.is_empty() => Err(broken(tree.path("boot"))),
        None => Ok(()),
    }
}

fn images(folder: &Path, architecture: Architecture) -> Result<Vec<PathBuf>, LabError> {
    let begin = format!("{}-", architecture.image_name());
    let entries = std::fs::read_dir(folder).map_err(LabError::system(format!("read {}", folder.display())))?;
    let is_kernel = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&begin));
    Ok(entries.flatten().map(|entry| entry.path()).filter(is_kernel).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_that_was_cut_off_and_a_folder_without_one_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let tree = Tree::at(folder.path().to_owned());
        let are_whole = |tree: &Tree| are_whole(tree, Architecture::X86_64);
        assert!(are_whole(&tree).is_err());
        std::fs::create_dir(folder.path().join("boot")).unwrap();
        assert!(are_whole(&tree).is_err());
        let image = folder.path().join("boot/vmlinuz-6.1");
        std::fs::write(&image, [0; 600]).unwrap();
        assert!(are_whole(&tree).unwrap_err().to_string().contains("vmlinuz-6.1"));
        let mut bytes = [0; 600];
        bytes[0x202..0x206].copy_from_slice(b"HdrS");
        std::fs::write(&image, bytes).unwrap();
        assert!(are_whole(&tree).is_ok());
        assert!(super::are_whole(&tree, Architecture::Aarch64).unwrap_err().to_string().contains("aarch64"));
        assert!(super::are_whole(&tree, Architecture::Riscv64).is_err(), "no file has the name of its images");
        let mut bytes = [0; 600];
        bytes[0x38..0x3c].copy_from_slice(b"RSC\x05");
        std::fs::write(folder.path().join("boot/vmlinux-6.1"), bytes).unwrap();
        assert!(super::are_whole(&tree, Architecture::Riscv64).is_ok());
    }
}
