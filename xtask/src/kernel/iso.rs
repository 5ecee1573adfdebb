//! `cargo xtask kernel iso`: the kernel on a disc image with GRUB, for real machines.
//!
//! GRUB's own tool makes the image. Where it or its parts are missing they are named, and nothing is installed.

use super::build::Shape;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The tools, and the Debian packages that they are in.
const TOOLS: [(&str, &str); 3] = [("grub-mkrescue", "grub-common"), ("xorriso", "xorriso"), ("mformat", "mtools")];
/// GRUB's modules for a PC's firmware, which are in a package of their own.
const MODULES: (&str, &str) = ("/usr/lib/grub/i386-pc", "grub-pc-bin");

/// What to put on the disc.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    shape: Shape,
    /// The kernel's words, as `kernel run` gives them
    #[arg(long, value_name = "TEXT", default_value = "scenario")]
    words: String,
    /// The image
    #[arg(long, short, value_name = "FILE", default_value = "prazo-kernel.iso")]
    out: PathBuf,
}

impl Args {
    /// Builds the kernel and the image.
    pub fn run(self) -> Result<(), String> {
        has_tools()?;
        let kernel = self.shape.build()?;
        let folder = tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
        fill(folder.path(), &kernel, &self.words).map_err(|error| format!("cannot prepare the disc: {error}"))?;
        let mut tool = Command::new("grub-mkrescue");
        let made = tool.arg("-d").arg(MODULES.0).arg("-o").arg(&self.out).arg(folder.path()).output();
        let made = made.map_err(|error| format!("cannot start grub-mkrescue: {error}"))?;
        if !made.status.success() {
            return Err(format!("grub-mkrescue failed: {}", String::from_utf8_lossy(&made.stderr).trim()));
        }
        println!("{}", self.out.display());
        Ok(())
    }
}

fn has_tools() -> Result<(), String> {
    let is_missing = |tool: &&(&str, &str)| Command::new(tool.0).arg("--version").output().is_err();
    let modules = (!Path::new(MODULES.0).exists()).then_some(&MODULES);
    let missing: Vec<_> = TOOLS.iter().filter(is_missing).chain(modules).map(|(_, package)| *package).collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(format!("a disc takes GRUB's tools, and some are missing: apt-get install {}", missing.join(" ")))
}

/// What is on the disc: the kernel, and the one entry that boots it.
fn fill(folder: &Path, kernel: &Path, words: &str) -> std::io::Result<()> {
    let boot = folder.join("boot");
    fs::create_dir_all(boot.join("grub"))?;
    fs::copy(kernel, boot.join("prazo-kernel"))?;
    fs::write(boot.join("grub/grub.cfg"), menu(words))
}

/// The menu is also on the first serial line, where the kernel will speak.
fn menu(words: &str) -> String {
    format!(
        "serial --unit=0 --speed=115200\n\
         terminal_input serial console\n\
         terminal_output serial console\n\
         set timeout=0\n\
         menuentry \"prazo\" {{\n  multiboot2 /boot/prazo-kernel {words}\n  boot\n}}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_disc_holds_the_kernel_and_the_entry_that_boots_it_with_its_words() {
        let folder = tempfile::tempdir().unwrap();
        let kernel = folder.path().join("built");
        fs::write(&kernel, "ELF").unwrap();
        fill(folder.path(), &kernel, "measure threads=125").unwrap();
        assert_eq!(fs::read(folder.path().join("boot/prazo-kernel")).unwrap(), b"ELF");
        let menu = fs::read_to_string(folder.path().join("boot/grub/grub.cfg")).unwrap();
        assert!(menu.contains("multiboot2 /boot/prazo-kernel measure threads=125"), "{menu}");
    }
}
