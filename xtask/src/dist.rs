//! `prazo` as one static program for each processor: stripped, without this machine's paths, the same bytes from any folder.
//!
//! The guests' agent goes inside, so that a copied file boots the lab. A program for a board's processor lies beside it as
//! `prazo-PROCESSOR`, where `--on` looks.

use prazo_lab::{Architecture, agent};
use sha2::{Digest, Sha256};
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
struct Target {
    /// As `uname -m` has it.
    machine: &'static str,
    /// Rust's name.
    triple: &'static str,
    /// What compiles SQLite and links, from Debian's package of the same name.
    compiler: &'static str,
    /// The Debian package.
    package: &'static str,
}

/// musl where Rust's standard library is to be had for it here and Debian has its headers; else a static glibc.
const TARGETS: [Target; 5] = [
    Target { machine: "x86_64", triple: "x86_64-unknown-linux-musl", compiler: "musl-gcc", package: "musl-tools" },
    Target {
        machine: "aarch64",
        triple: "aarch64-unknown-linux-musl",
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

/// musl's headers for 64-bit Arm, which Debian has in no package of this machine's architecture.
const MUSL_ARM64: (&str, &str) = (
    "http://deb.debian.org/debian/pool/main/m/musl/musl-dev_1.2.3-1_arm64.deb",
    "55c2ca4bc3041c8ed8ac7dc3ef6080d9551a21650568b2fd7610b59eaf98a4f4",
);

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
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
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
        cargo.env("PRAZO_AGENTS", root.join("target/guest")).env("RUSTFLAGS", flags(root));
        let (lower, upper) = (target.triple.replace('-', "_"), target.triple.replace('-', "_").to_uppercase());
        cargo.env(format!("CARGO_TARGET_{upper}_LINKER"), target.compiler);
        cargo.env(format!("CC_{lower}"), target.compiler).env(format!("CFLAGS_{lower}"), c_flags(root, target)?);
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

/// Static, and without the names of this machine's folders.
fn flags(root: &Path) -> String {
    let cargo = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let cargo = cargo.or_else(|| std::env::home_dir().map(|home| home.join(".cargo"))).unwrap_or_default();
    let map = |from: &Path, to: &str| format!("--remap-path-prefix={}={to}", from.display());
    ["-C target-feature=+crt-static".to_owned(), map(root, "/prazo"), map(&cargo, "/cargo")].join(" ")
}

/// SQLite's flags: no folder of this machine in it, and musl's headers where the compiler has another library's.
fn c_flags(root: &Path, target: &Target) -> Result<String, String> {
    let cargo = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let cargo = cargo.or_else(|| std::env::home_dir().map(|home| home.join(".cargo"))).unwrap_or_default();
    let plain = format!("-ffile-prefix-map={}=/cargo -ffile-prefix-map={}=/prazo", cargo.display(), root.display());
    if target.machine != "aarch64" {
        return Ok(plain);
    }
    let own = Command::new(target.compiler).arg("-print-file-name=include").output();
    let own = own.map_err(|error| format!("cannot start {}: {error}", target.compiler))?;
    let headers = musl_arm64(&root.join("target/dist-build"))?;
    Ok(format!(
        // Outlined atomics take a function of glibc's.
        "{plain} -mno-outline-atomics -nostdinc -isystem {} -isystem {}",
        headers.display(),
        String::from_utf8_lossy(&own.stdout).trim()
    ))
}

/// The headers, fetched once.
fn musl_arm64(folder: &Path) -> Result<PathBuf, String> {
    let headers = folder.join("musl-arm64/usr/include/aarch64-linux-musl");
    if headers.is_dir() {
        return Ok(headers);
    }
    let (url, wanted) = MUSL_ARM64;
    let package = folder.join("musl-dev-arm64.deb");
    std::fs::create_dir_all(folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    run(Command::new("curl").args(["-fsSL", "-o"]).arg(&package).arg(url))?;
    let bytes = std::fs::read(&package).map_err(|error| format!("cannot read {}: {error}", package.display()))?;
    let found: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    if found != wanted {
        return Err(format!("{url} has the checksum {found}, not {wanted}"));
    }
    run(Command::new("dpkg-deb").arg("-x").arg(&package).arg(folder.join("musl-arm64")))?;
    Ok(headers)
}

fn run(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command.status().map_err(|error| format!("cannot start {name}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{name} failed")) }
}
