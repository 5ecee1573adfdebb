//! `prazo` as one static program for each processor: stripped, without this machine's paths, the same bytes from any folder.
//!
//! The guests' agent goes inside, so that a copied file boots the lab. A program for a board's processor lies beside it as
//! `prazo-PROCESSOR`, where `--on` looks.

use lzma_rust2::{LzmaOptions, LzmaWriter};
use prazo_lab::{Architecture, agent};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What to build.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Processors, as `uname -m` names them [default: all]
    #[arg(long, value_name = "PROCESSOR", value_parser = ["x86_64", "aarch64", "armv7l", "riscv64", "ppc64le"])]
    target: Vec<String>,
    /// Folder of the programs
    #[arg(long, short, default_value = "target/dist")]
    output: PathBuf,
    /// Then try each program, under qemu-user where it is another processor's (scripts/dist-tests.sh)
    #[arg(long)]
    test: bool,
}

/// A processor that prazo is built for.
pub(crate) struct Target {
    /// As `uname -m` has it.
    pub(crate) machine: &'static str,
    /// Rust's name.
    pub(crate) triple: &'static str,
    /// What compiles SQLite and links, from Debian's package of the same name.
    compiler: &'static str,
    /// The Debian package.
    package: &'static str,
}

/// glibc, linked in whole: musl has no mutexes with a priority ceiling, which `sched inversion` measures.
pub(crate) const TARGETS: [Target; 5] = [
    Target { machine: "x86_64", triple: "x86_64-unknown-linux-gnu", compiler: "x86_64-linux-gnu-gcc", package: "gcc" },
    Target {
        machine: "aarch64",
        triple: "aarch64-unknown-linux-gnu",
        compiler: "aarch64-linux-gnu-gcc",
        package: "gcc-aarch64-linux-gnu",
    },
    Target {
        machine: "armv7l",
        triple: "armv7-unknown-linux-gnueabihf",
        compiler: "arm-linux-gnueabihf-gcc",
        package: "gcc-arm-linux-gnueabihf",
    },
    Target {
        machine: "riscv64",
        triple: "riscv64gc-unknown-linux-gnu",
        compiler: "riscv64-linux-gnu-gcc",
        package: "gcc-riscv64-linux-gnu",
    },
    Target {
        machine: "ppc64le",
        triple: "powerpc64le-unknown-linux-gnu",
        compiler: "powerpc64le-linux-gnu-gcc",
        package: "gcc-powerpc64le-linux-gnu",
    },
];

impl Target {
    /// What compiles C and links for another machine than this one.
    pub(crate) fn cross_compiler(&self) -> Option<&'static str> {
        (self.machine != std::env::consts::ARCH).then_some(self.compiler)
    }
}

impl Args {
    /// Builds them.
    pub(crate) fn run(&self) -> Result<(), String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("xtask is not in a workspace")?;
        let wanted: Vec<&Target> = TARGETS
            .iter()
            .filter(|one| self.target.is_empty() || self.target.iter().any(|name| name == one.machine))
            .collect();
        for target in &wanted {
            has(target)?;
        }
        let agents = root.join("target/guest/packed");
        std::fs::create_dir_all(&agents).map_err(|error| format!("cannot make {}: {error}", agents.display()))?;
        for architecture in Architecture::ALL {
            agent::build::build(root, architecture, &mut |line| eprintln!("{line}"))
                .map_err(|error| error.to_string())?;
            let name = agent::file_name(architecture);
            let packed = agents.join(format!("{name}.lzma"));
            pack(&root.join("target/guest").join(&name), &packed)
                .map_err(|error| format!("cannot write {}: {error}", packed.display()))?;
        }
        std::fs::create_dir_all(&self.output)
            .map_err(|error| format!("cannot make {}: {error}", self.output.display()))?;
        wanted.iter().try_for_each(|target| self.build(root, target))?;
        if self.test {
            let programs = wanted.iter().map(|target| self.output.join(format!("prazo-{}", target.machine)));
            script(root, "scripts/dist-tests.sh", programs.map(std::path::absolute).filter_map(Result::ok))?;
        }
        Ok(())
    }

    fn build(&self, root: &Path, target: &Target) -> Result<(), String> {
        // The agents' folder: most crates are built for both.
        let folder = root.join("target/guest");
        let mut cargo = agent::build::cargo();
        cargo.args(["build", "--locked", "--package", "prazo-cli", "--profile", "dist"]);
        cargo.args(["--target", target.triple, "--target-dir"]).arg(&folder);
        cargo.env("PRAZO_AGENTS", folder.join("packed"));
        agent::build::from_any_folder(&mut cargo, root, target.triple, target.cross_compiler());
        if !cargo.status().map_err(|error| format!("cannot start cargo: {error}"))?.success() {
            return Err(format!("cargo could not build prazo for {}", target.machine));
        }
        let (built, place) =
            (folder.join(target.triple).join("dist/prazo"), self.output.join(format!("prazo-{}", target.machine)));
        let size =
            std::fs::copy(&built, &place).map_err(|error| format!("cannot write {}: {error}", place.display()))?;
        println!("{}: {:.1} MB", place.display(), size as f64 / 1e6);
        Ok(())
    }
}

/// Runs a script of tests to its end.
pub(crate) fn script(root: &Path, script: &str, arguments: impl Iterator<Item = PathBuf>) -> Result<(), String> {
    let status = Command::new(root.join(script)).args(arguments).current_dir(root).status();
    let status = status.map_err(|error| format!("cannot start {script}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{script} failed")) }
}

/// Packs an agent. One that is packed already is left alone: cargo builds again what carries it.
fn pack(agent: &Path, place: &Path) -> std::io::Result<()> {
    let agent = std::fs::read(agent)?;
    let options = LzmaOptions::with_preset(9);
    let mut packed = LzmaWriter::new_use_header(Vec::new(), &options, Some(agent.len() as u64))?;
    packed.write_all(&agent)?;
    let packed = packed.finish()?;
    if std::fs::read(place).is_ok_and(|old| old == packed) { Ok(()) } else { std::fs::write(place, packed) }
}

/// A cross compiler that is missing is told before anything is built.
fn has(target: &Target) -> Result<(), String> {
    let Some(compiler) = target.cross_compiler() else { return Ok(()) };
    let found = Command::new(compiler).arg("--version").output();
    let Target { machine, triple, package, .. } = target;
    found.map(drop).map_err(|_| {
        format!("{compiler}, which links for {machine}, is not installed: install {package}, and run `rustup target add {triple}`")
    })
}
