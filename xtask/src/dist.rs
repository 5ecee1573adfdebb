//! `prazo` as one static program for each processor: stripped, without this machine's paths, the same bytes from any folder.
//!
//! The guests' agent goes inside, so that a copied file boots the lab. A program for a board's processor lies beside it as
//! `prazo-PROCESSOR`, where `--on` looks.

use prazo_lab::{Architecture, agent};
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
        for architecture in Architecture::ALL {
            agent::build::build(root, architecture, &mut |line| eprintln!("{line}"))
                .map_err(|error| error.to_string())?;
        }
        std::fs::create_dir_all(&self.output)
            .map_err(|error| format!("cannot make {}: {error}", self.output.display()))?;
        wanted.into_iter().try_for_each(|target| self.build(root, target))
    }

    fn build(&self, root: &Path, target: &Target) -> Result<(), String> {
        let folder = root.join("target/dist-build");
        let mut cargo = agent::build::cargo();
        cargo.args([
            "build",
            "--locked",
            "--package",
            "prazo-cli",
            "--features",
            "prazo-cli/parquet",
            "--profile",
            "dist",
        ]);
        cargo.args(["--target", target.triple, "--target-dir"]).arg(&folder).current_dir(root);
        cargo.env("PRAZO_AGENTS", root.join("target/guest")).env("RUSTFLAGS", agent::build::flags(root));
        let (lower, upper) = (target.triple.replace('-', "_"), target.triple.replace('-', "_").to_uppercase());
        cargo.env(format!("CARGO_TARGET_{upper}_LINKER"), target.compiler);
        cargo
            .env(format!("CC_{lower}"), target.compiler)
            .env(format!("CFLAGS_{lower}"), agent::build::without_folders(root, "-ffile-prefix-map"));
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

/// A cross compiler that is missing is told before anything is built.
fn has(target: &Target) -> Result<(), String> {
    let found = Command::new(target.compiler).arg("--version").output();
    let Target { machine, triple, compiler, package } = target;
    found.map(drop).map_err(|_| {
        format!("{compiler}, which links for {machine}, is not installed: install {package}, and run `rustup target add {triple}`")
    })
}
