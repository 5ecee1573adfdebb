//! A bootable disc: a multiboot 2 kernel, GRUB before it, and the one entry that boots it, as an image for PCs and for QEMU.

use crate::error::LabError;
use crate::fetch::{Cache, Packages};
use crate::unpacked_packages::Tree;
use prazo_sys::child as sys;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// GRUB's tool with its modules, fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiscTools {
    tree: Tree,
}

/// What is to be on a disc.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disc {
    /// The kernel: an ELF with a multiboot 2 header.
    pub kernel: PathBuf,
    /// Its command line.
    pub words: String,
    /// A file that GRUB puts into memory beside it.
    pub file: Option<PathBuf>,
}

impl DiscTools {
    /// Those in the user's cache.
    pub fn find() -> Result<Self, LabError> {
        Self::fetched(&Cache::of_user()?)
    }

    /// Those in a cache.
    pub fn fetched(cache: &Cache) -> Result<Self, LabError> {
        Self::unpacked(cache.tree(&Packages::grub())?)
    }

    /// Those whose packages were unpacked to `tree`; all three programs start.
    pub(crate) fn unpacked(tree: Tree) -> Result<Self, LabError> {
        for name in ["grub-mkrescue", "xorriso", "mformat"] {
            let program = tree.program(name);
            let unusable = |answer: String| LabError::Unusable { program: program.clone(), answer };
            let answer =
                tree.command(&program).arg("--version").output().map_err(|error| unusable(error.to_string()))?;
            if !answer.status.success() {
                return Err(unusable(String::from_utf8_lossy(&answer.stderr).trim().to_owned()));
            }
        }
        Ok(Self { tree })
    }

    /// Makes the image.
    pub fn make(&self, disc: &Disc, image: &Path) -> Result<(), LabError> {
        let folder = tempfile::tempdir().map_err(LabError::system("make a folder for a disc image"))?;
        disc.fill(folder.path())
            .map_err(LabError::system(format!("prepare a disc image with {}", disc.kernel.display())))?;
        let mut tool = self.tree.command(&self.tree.program("grub-mkrescue"));
        tool.arg("--directory").arg(self.tree.path("usr/lib/grub/i386-pc")).arg("-o").arg(image).arg(folder.path());
        sys::tie_to_starter(&mut tool);
        let made = tool.stdin(Stdio::null()).output().map_err(LabError::system("start grub-mkrescue"))?;
        // It ends well even where a step of it failed, and then there is no image.
        if made.status.success() && image.exists() {
            return Ok(());
        }
        let answer = String::from_utf8_lossy(&made.stderr).trim().replace('\n', "; ");
        Err(LabError::Disc { image: image.to_owned(), answer })
    }
}

impl Disc {
    fn fill(&self, folder: &Path) -> std::io::Result<()> {
        let boot = folder.join("boot");
        fs::create_dir_all(boot.join("grub"))?;
        fs::copy(&self.kernel, boot.join("kernel"))?;
        if let Some(file) = &self.file {
            fs::copy(file, boot.join("file"))?;
        }
        fs::write(boot.join("grub/grub.cfg"), self.menu())
    }

    /// The menu is on the first serial line, where the kernel will speak, and on the screen.
    fn menu(&self) -> String {
        let words = &self.words;
        let file = if self.file.is_some() { "  module2 /boot/file\n" } else { "" };
        format!(
            "serial --unit=0 --speed=115200\n\
             terminal_input serial console\n\
             terminal_output serial console\n\
             set timeout=0\n\
             menuentry \"prazo\" {{\n  multiboot2 /boot/kernel {words}\n{file}  boot\n}}\n"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disc_holds_the_kernel_and_the_entry_that_boots_it_with_its_words() {
        let folder = tempfile::tempdir().unwrap();
        let kernel = folder.path().join("built");
        fs::write(&kernel, "ELF").unwrap();
        Disc { file: Some(kernel.clone()), kernel, words: "measure threads=125".into() }.fill(folder.path()).unwrap();
        assert_eq!(fs::read(folder.path().join("boot/kernel")).unwrap(), b"ELF");
        let menu = fs::read_to_string(folder.path().join("boot/grub/grub.cfg")).unwrap();
        assert!(menu.contains("multiboot2 /boot/kernel measure threads=125\n  module2 /boot/file\n"), "{menu}");
    }
}
