//! A platform's kernel, built from sources.

use crate::error::Error;
use crate::guest::lab_error;
use crate::progress::Progress;
use prazo_core::text::printable;
use prazo_lab::{BuiltKernel, Cache, Fetch, LabError, Platform, Recipe, build_kernel};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// What is built.
#[derive(Clone, Debug, Default)]
pub struct BuildRequest {
    /// The kernel's recipe: a built-in one's name, or a TOML file.
    pub recipe: String,
    /// Another Debian archive than deb.debian.org.
    pub mirror: Option<String>,
}

/// A kernel that was built for the lab's guests, as `--json` prints it.
#[derive(Serialize, JsonSchema)]
pub struct Built {
    /// Name of the kernel's recipe.
    pub recipe: String,
    /// The kernel's release, as `uname -r` prints it.
    pub release: String,
    /// File of the kernel's image.
    pub image: String,
    /// SHA-256 checksum of the image. Runs state it as the fact `lab.kernel_sha256`.
    pub sha256: String,
    /// The compiler that built the kernel. Another compiler gives another kernel.
    pub compiler: String,
    /// Built-in platforms that boot this kernel.
    pub platforms: Vec<String>,
}

impl fmt::Display for Built {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Linux {} ({})", self.release, printable(&self.image))?;
        writeln!(f, "checksum {}", self.sha256)?;
        write!(f, "built with {}", printable(&self.compiler))?;
        match &self.platforms[..] {
            [] => Ok(()),
            names => write!(
                f,
                "\nplatforms: {}",
                names.iter().map(|name| format!("lab:{name}")).collect::<Vec<_>>().join(", ")
            ),
        }
    }
}

/// Builds a recipe's kernel, unless the cache has it.
///
/// # Errors
/// There is no such recipe, a program is missing, the sources cannot be fetched, or the kernel cannot be compiled.
pub fn build(request: &BuildRequest, progress: &mut dyn Progress) -> Result<Built, Error> {
    build_recipe(request, progress).map_err(lab_error)
}

fn build_recipe(request: &BuildRequest, progress: &mut dyn Progress) -> Result<Built, LabError> {
    let recipe = Recipe::find(&request.recipe)?;
    let platforms: Vec<_> =
        Platform::builtin().into_iter().filter(|one| one.recipe() == Some(&request.recipe)).collect();
    let fetch = Fetch { mirror: request.mirror.clone(), platforms, ..Fetch::new(Cache::of_user()?) };
    let BuiltKernel { image, sha256, compiler } =
        build_kernel(&recipe, &fetch, &request.recipe, &mut |step| progress.fetching(step))?;
    Ok(Built {
        release: recipe.release(),
        recipe: recipe.name,
        image: image.display().to_string(),
        sha256,
        compiler,
        platforms: fetch.platforms.into_iter().map(|platform| platform.name).collect(),
    })
}
