//! The kernel's build: its own workspace, its own target, one feature for policy and shape.

use super::configuration::Configuration;
use crate::root::root;
use prazo_core::hash::fnv1a;
use prazo_lab::own_kernel::{TARGET, place};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Which kernel.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct KernelShape {
    /// Policy and shape: one of the kernel's features
    #[arg(long, value_name = "NAME", default_value = "clustered-edf")]
    pub shape: String,
}

impl KernelShape {
    /// Builds the kernel; its ELF.
    pub(super) fn build(&self) -> Result<PathBuf, String> {
        let folder = folder()?;
        self.check(&folder)?;
        has_target()?;
        let target = folder.join("target").join(&self.shape);
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.args(["build", "--release", "--quiet", "--target", TARGET, "--no-default-features", "--features"]);
        cargo.arg(&self.shape).arg("--target-dir").arg(&target).current_dir(&folder);
        let status = cargo.status().map_err(|error| format!("cannot start cargo: {error}"))?;
        if !status.success() {
            return Err(format!("the kernel does not build as {}: {status}", self.shape));
        }
        Ok(place(&folder, &self.shape))
    }

    /// Policy and shape, as the kernel's sources state them.
    pub(super) fn configuration(&self) -> Result<Configuration, String> {
        let folder = folder()?;
        self.check(&folder)?;
        Configuration::of_shape(&folder, &self.shape)
    }

    fn check(&self, folder: &Path) -> Result<(), String> {
        let manifest = folder.join("Cargo.toml");
        let text = std::fs::read_to_string(&manifest).map_err(|error| format!("{}: {error}", manifest.display()))?;
        let shapes = shapes(&text).map_err(|error| format!("{}: {error}", manifest.display()))?;
        if shapes.contains(&self.shape) {
            return Ok(());
        }
        Err(format!("--shape '{}' is not one of {}", self.shape, shapes.join(", ")))
    }
}

/// FNV-1a of 64 bits of a kernel's ELF file: distinguishes builds, but does not protect against tampering.
pub(super) fn digest(bytes: &[u8]) -> String {
    format!("fnv1a-{:016x}", fnv1a(bytes))
}

/// The kernel's features but for the default one.
fn shapes(manifest: &str) -> Result<Vec<String>, toml::de::Error> {
    let manifest: toml::Table = toml::from_str(manifest)?;
    let features = manifest.get("features").and_then(toml::Value::as_table).cloned().unwrap_or_default();
    Ok(features.into_iter().map(|(name, _)| name).filter(|name| name != "default").collect())
}

/// Where the kernel's sources are.
fn folder() -> Result<PathBuf, String> {
    let root = root()?;
    let folder = root.join("scheduling/kernel");
    if folder.join("Cargo.toml").exists() { Ok(folder) } else { Err(format!("no kernel in {}", folder.display())) }
}

/// A target that is missing is named here; the compiler's own words are a page long.
fn has_target() -> Result<(), String> {
    let printed = Command::new("rustc").args(["--print", "target-libdir", "--target", TARGET]).output();
    let printed = printed.map_err(|error| format!("cannot start rustc: {error}"))?;
    let libraries = String::from_utf8_lossy(&printed.stdout).trim().to_owned();
    if Path::new(&libraries).exists() {
        return Ok(());
    }
    Err(format!("the toolchain lacks the target {TARGET}: rustup target add {TARGET}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_the_features_but_the_default() {
        let text = "[features]\ndefault = [\"b\"]\na-edf = []\nb = []\n";
        assert_eq!(shapes(text).unwrap(), ["a-edf", "b"]);
        assert!(shapes("[package]\nname = \"x\"").unwrap().is_empty());
    }
}
