//! The guest's agent, built from the sources that this program stands in: small, static, and the same from whatever folder,
//! so that a guest's trajectory only changes with the agent's own code.

use super::inside::SOURCES;
use super::{FOLDER, file_name, this_program};
use crate::architecture::Architecture;
use crate::error::LabError;
use crate::whole;
use prazo_sys::child as sys;
use prazo_sys::machine::effective_user;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What Cargo.toml calls the way in which it is built.
const PROFILE: &str = "guest";

/// How many of a failed build's lines are told.
const LAST_LINES: usize = 8;

/// The sources that this program was built from and stands in; `None` for one that was moved or built to be copied, and where
/// they are another user's: building runs what is in them.
pub fn sources() -> Option<PathBuf> {
    let root = Path::new(SOURCES?).ancestors().nth(2)?;
    let stands_in_it = this_program().ok()?.starts_with(root);
    (stands_in_it && is_own(root) && is_own(&root.join("measuring/agent/Cargo.toml"))).then(|| root.to_owned())
}

fn is_own(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|data| data.uid() == effective_user())
}

/// Builds it and leaves it where the lab looks: `target/guest/prazo-agent`. `say` gets cargo's lines; where all is built
/// already there are none.
pub fn build(root: &Path, architecture: Architecture, say: &mut dyn FnMut(&str)) -> Result<(), LabError> {
    has_tools(architecture)?;
    let (target, guests) = (architecture.target(), root.join("target").join(FOLDER));
    let mut cargo = cargo();
    cargo.args(["build", "--locked", "--package", "prazo-agent", "--profile", PROFILE, "--target", target]);
    cargo.arg("--target-dir").arg(&guests);
    from_any_folder(&mut cargo, root, target, cross_compiler(architecture));
    run(cargo, architecture, say)?;
    put(&guests.join(target).join(PROFILE).join("prazo-agent"), &guests.join(file_name(architecture)))
}

/// What compiles and links for another architecture than this system's.
fn cross_compiler(architecture: Architecture) -> Option<&'static str> {
    (!architecture.is_hosts()).then_some(architecture.cross_compiler().0)
}

/// Where rustup leaves cargo, for shells that began before it was installed.
pub fn cargo() -> Command {
    let named = std::env::var_os("CARGO").map(PathBuf::from);
    let usual = || std::env::home_dir().map(|home| home.join(".cargo/bin/cargo")).filter(|file| file.is_file());
    Command::new(named.or_else(usual).unwrap_or_else(|| "cargo".into()))
}

/// A cross compiler that is missing is told before cargo fails half-way.
fn has_tools(architecture: Architecture) -> Result<(), LabError> {
    let Some(compiler) = cross_compiler(architecture) else { return Ok(()) };
    let found = Command::new(compiler).arg("--version").stdin(Stdio::null()).output();
    let answer = || format!("{compiler} is not installed");
    found.map(drop).map_err(|_| LabError::AgentBuild { architecture, answer: answer(), remedy: remedy(architecture) })
}

fn remedy(architecture: Architecture) -> String {
    if architecture.is_hosts() {
        return "install the toolchain named in rust-toolchain.toml, as `./run` does".into();
    }
    let ((_, packages), target) = (architecture.cross_compiler(), architecture.target());
    format!(
        "install the packages {packages}, and run `rustup target add {target}` in the sources; `./test --long` does both"
    )
}

/// Has cargo make a static program without the names of this machine's folders; `compiler` compiles C and links where it is
/// another than this system's.
pub fn from_any_folder(cargo: &mut Command, root: &Path, target: &str, compiler: Option<&str>) {
    // Relative relocations are packed. Linkers that cannot do that ignore the word.
    let linked = "-C target-feature=+crt-static -C link-arg=-Wl,-z,pack-relative-relocs";
    cargo.current_dir(root).env("RUSTFLAGS", format!("{linked} {}", without_folders(root, "--remap-path-prefix")));
    let lower = target.replace('-', "_");
    // Nothing unwinds through SQLite.
    let c_flags = format!("-fno-asynchronous-unwind-tables {}", without_folders(root, "-ffile-prefix-map"));
    cargo.env(format!("CFLAGS_{lower}"), c_flags);
    if let Some(compiler) = compiler {
        cargo.env(format!("CARGO_TARGET_{}_LINKER", lower.to_uppercase()), compiler);
        cargo.env(format!("CC_{lower}"), compiler);
    }
}

/// A compiler's `option` for each folder of this machine, which puts another name in its place.
fn without_folders(root: &Path, option: &str) -> String {
    let cargo = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let cargo = cargo.or_else(|| std::env::home_dir().map(|home| home.join(".cargo"))).unwrap_or_default();
    [(root, "/prazo"), (&cargo, "/cargo")].map(|(from, to)| format!("{option}={}={to}", from.display())).join(" ")
}

/// Runs cargo to its end; its last lines where it fails.
fn run(mut cargo: Command, architecture: Architecture, say: &mut dyn FnMut(&str)) -> Result<(), LabError> {
    let failed = |answer: String| LabError::AgentBuild { architecture, answer, remedy: remedy(architecture) };
    sys::tie_to_starter(&mut cargo);
    cargo.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = cargo.spawn().map_err(|error| failed(format!("cannot start cargo: {error}")))?;
    let mut lines = Vec::new();
    for line in BufReader::new(child.stderr.take().expect("it is piped")).lines().map_while(Result::ok) {
        if !line.trim_start().starts_with("Finished") {
            say(&line);
            lines.push(line);
        }
    }
    let status = child.wait().map_err(LabError::system("wait for cargo"))?;
    let last = || lines[lines.len().saturating_sub(LAST_LINES)..].join("; ");
    if status.success() { Ok(()) } else { Err(failed(last())) }
}

/// Leaves the program in its place, where a guest that starts just now takes the old one or the new one. One that is the
/// same is left alone.
fn put(built: &Path, place: &Path) -> Result<(), LabError> {
    let failed = LabError::system(format!("make {}", place.display()));
    let new = std::fs::read(built).map_err(LabError::system(format!("read {}", built.display())))?;
    if std::fs::read(place).is_ok_and(|old| old == new) {
        return Ok(());
    }
    whole::write(place, &new, 0o755).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sources_are_those_that_this_program_was_built_from() {
        let root = sources().expect("this test stands in its sources");
        assert!(root.join("measuring/lab/src/agent/build.rs").is_file(), "{root:?}");
    }

    #[test]
    fn what_is_another_users_is_not_built() {
        let folder = tempfile::tempdir().unwrap();
        assert!(is_own(folder.path()) && !is_own(&folder.path().join("not there")));
        if effective_user() != 0 {
            return assert!(!is_own(Path::new("/")));
        }
        std::os::unix::fs::chown(folder.path(), Some(1), None).unwrap();
        assert!(!is_own(folder.path()));
    }
}
