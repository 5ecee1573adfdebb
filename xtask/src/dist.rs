//! `prazo` as one static program for each processor: stripped, without this machine's paths, the same bytes from any folder.
//!
//! The guests' agents go behind it, so that a copied file boots the lab. A program for a board's processor lies beside it as
//! `prazo-PROCESSOR`, where `--on` looks.

use crate::root::root;
use lzma_rust2::filter::bcj::BcjWriter;
use lzma_rust2::{LzmaOptions, LzmaWriter};
use prazo_lab::Architecture;
use prazo_lab::agent::{self, inside};
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
    /// Then build them again from a clone of the commit in another folder, and compare all bytes
    #[arg(long)]
    twice: bool,
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
        let root = root()?;
        let wanted: Vec<&Target> = TARGETS
            .iter()
            .filter(|one| self.target.is_empty() || self.target.iter().any(|name| name == one.machine))
            .collect();
        // Until the programs are there, nothing says of which commit they are.
        wanted.iter().try_for_each(|target| self.name_commit(target, b""))?;
        let commit = commit(root);
        if self.twice && commit.is_empty() {
            return Err("--twice clones the commit, and these sources have changes: commit them".into());
        }
        let guests = Architecture::VALUES.iter().map(|&one| target(one));
        wanted.iter().copied().chain(guests).try_for_each(has)?;
        make(root, &wanted, &self.output)?;
        // Sources that changed meanwhile may be in some of the programs.
        if !commit.is_empty() && self::commit(root) == commit {
            wanted.iter().try_for_each(|target| self.name_commit(target, &commit))?;
        }
        if self.twice {
            self.compare_with_a_clone(root, &wanted, &commit)?;
        }
        if self.test {
            let programs = wanted.iter().map(|target| program(&self.output, target));
            script(root, "scripts/dist-tests.sh", programs.map(std::path::absolute).filter_map(Result::ok))?;
        }
        Ok(())
    }

    /// Builds the programs from a clone in another folder. Each must have the same bytes.
    fn compare_with_a_clone(&self, root: &Path, wanted: &[&Target], commit: &[u8]) -> Result<(), String> {
        let elsewhere = tempfile::tempdir().map_err(|error| format!("cannot make a folder: {error}"))?;
        let clone = elsewhere.path().join("clone");
        let cloned = Command::new("git").args(["clone", "--quiet"]).args([root, &clone]).status();
        if !cloned.map_err(|error| format!("cannot start git: {error}"))?.success() {
            return Err(format!("git could not clone {} to {}", root.display(), clone.display()));
        }
        if self::commit(&clone) != commit {
            return Err("the sources have another commit since the first build: run this again".into());
        }
        let output = clone.join("target/dist");
        make(&clone, wanted, &output)?;
        for target in wanted {
            let [ours, theirs] = [&self.output, &output].map(|folder| program(folder, target));
            first_difference(&ours, &theirs)?;
            println!("{}: the same bytes from {} and from a clone", ours.display(), root.display());
        }
        Ok(())
    }
    /// Leaves the commit beside the program, for `./run`; without a commit, no file.
    fn name_commit(&self, target: &Target, commit: &[u8]) -> Result<(), String> {
        let place = self.output.join(format!("commit-{}", target.machine));
        let done = match commit {
            [] => std::fs::remove_file(&place),
            _ => std::fs::write(&place, commit),
        };
        match done {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && commit.is_empty() => Ok(()),
            done => done.map_err(|error| format!("cannot change {}: {error}", place.display())),
        }
    }
}

/// Leaves the programs in the folder `output`.
fn make(root: &Path, wanted: &[&Target], output: &Path) -> Result<(), String> {
    let guests = Architecture::VALUES.iter().map(|&one| (one, target(one)));
    let mut agents = Vec::new();
    for (architecture, target) in guests.clone() {
        // One call of cargo builds both, and most crates are in both.
        let is_wanted = wanted.iter().any(|one| one.machine == target.machine);
        build(root, target, if is_wanted { &["prazo-agent", "prazo"] } else { &["prazo-agent"] })?;
        let file = folder(root).join(format!("dist-agent-{architecture}"));
        strip(target, &built(root, target, "prazo-agent"), &file)?;
        let agent = std::fs::read(&file).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
        let packed = pack(&agent, architecture).map_err(|error| format!("cannot pack the agent: {error}"))?;
        let [whole, small] = [&agent, &packed].map(|bytes| megabytes(bytes.len()));
        println!("agent for {architecture}: {whole:.1} MB, packed {small:.1} MB");
        agents.push((architecture, packed));
    }
    std::fs::create_dir_all(output).map_err(|error| format!("cannot make {}: {error}", output.display()))?;
    for target in wanted {
        if guests.clone().all(|(_, guest)| guest.machine != target.machine) {
            build(root, target, &["prazo"])?;
        }
        put(root, target, &agents, &program(output, target))?;
    }
    Ok(())
}

fn program(folder: &Path, target: &Target) -> PathBuf {
    folder.join(format!("prazo-{}", target.machine))
}

/// Leaves the program with the agents behind it.
fn put(root: &Path, target: &Target, agents: &[(Architecture, Vec<u8>)], place: &Path) -> Result<(), String> {
    let failed = |error| format!("cannot write {}: {error}", place.display());
    // Beside it first: whoever starts the old one meanwhile has all of it.
    let new = place.with_extension("new");
    strip(target, &built(root, target, "prazo"), &new)?;
    let program = std::fs::metadata(&new).map_err(failed)?.len();
    agents
        .iter()
        .try_for_each(|(architecture, packed)| inside::append(&new, *architecture, packed))
        .and_then(|()| std::fs::rename(&new, place))
        .map_err(failed)?;
    let packed: usize = agents.iter().map(|(_, packed)| packed.len()).sum();
    let [whole, agents] = [program as usize + packed, packed].map(megabytes);
    println!("{}: {whole:.1} MB, of which {agents:.1} MB are agents", place.display());
    Ok(())
}

/// An error that names the first byte in which two files differ.
fn first_difference(ours: &Path, theirs: &Path) -> Result<(), String> {
    let read = |path: &Path| std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()));
    let (one, other) = (read(ours)?, read(theirs)?);
    if one == other {
        return Ok(());
    }
    let at = one.iter().zip(&other).position(|(a, b)| a != b).unwrap_or(one.len().min(other.len()));
    Err(format!(
        "{} differs from the build in another folder at byte {at}: {} and {} bytes long",
        ours.display(),
        one.len(),
        other.len()
    ))
}

/// The commit of the sources; empty where they differ from it, or git does not say.
fn commit(root: &Path) -> Vec<u8> {
    let git = |words: &[&str]| {
        let output = Command::new("git").args(words).current_dir(root).output().ok()?;
        output.status.success().then_some(output.stdout)
    };
    let changed = git(&["status", "--porcelain", "--untracked-files=no"]);
    let commit = changed.filter(Vec::is_empty).and_then(|_| git(&["rev-parse", "HEAD"]));
    commit.unwrap_or_default()
}

/// A processor that the lab has guests of.
fn target(architecture: Architecture) -> &'static Target {
    TARGETS.iter().find(|target| target.machine == architecture.name()).expect("prazo is built for all guests")
}

/// Features that the bundled SQLite has and no statement of prazo's uses.
const WITHOUT: &str = "-USQLITE_ENABLE_DBSTAT_VTAB -USQLITE_ENABLE_FTS3 -USQLITE_ENABLE_FTS3_PARENTHESIS -USQLITE_ENABLE_FTS5 \
                       -USQLITE_ENABLE_LOAD_EXTENSION -DSQLITE_OMIT_LOAD_EXTENSION -USQLITE_ENABLE_RTREE -USQLITE_ENABLE_STAT4 \
                       -USQLITE_SOUNDEX";

/// Without it SQLite opens no file on a 32-bit board whose clock is beyond January 2038.
const TIMES_OF_64_BITS: &str = " -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64";

const PROFILE: &str = "dist";

/// Processors whose linkers leave out the tables for unwinding (a seventh of the program). With them a panic loses its backtrace, not
/// its message. On 32-bit Arm they are another format.
const WITHOUT_UNWINDING: [&str; 3] = ["x86_64", "aarch64", "riscv64"];

/// The linker's arguments for that, as the C compiler passes them on.
fn without_unwinding(root: &Path) -> [String; 2] {
    let script = root.join("xtask/src/without-unwinding.ld");
    ["-Wl,--no-eh-frame-hdr".into(), format!("-Wl,-T,{}", script.display())]
}

/// The C compiler's arguments for linking by LLVM's linker, which Rust's toolchain has. Code for 32-bit Arm is larger than the 16 MB
/// that a branch reaches. GNU ld (2.40) then forgets that glibc's function which chooses a `memcpy` is Thumb code: the program crashes as
/// it starts.
fn llvm_linker() -> Result<[String; 2], String> {
    let asked = Command::new("rustc").args(["--print", "target-libdir"]).output();
    let output = asked.map_err(|error| format!("cannot start rustc: {error}"))?;
    let libraries = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    let folder = libraries.with_file_name("bin").join("gcc-ld");
    if folder.join("ld.lld").is_file() {
        Ok(["-fuse-ld=lld".into(), format!("-B{}", folder.display())])
    } else {
        Err(format!("Rust's toolchain has no linker ld.lld in {}: install it with rustup", folder.display()))
    }
}

fn build(root: &Path, target: &Target, programs: &[&str]) -> Result<(), String> {
    let mut cargo = agent::build::cargo();
    cargo.args(["build", "--locked", "--profile", PROFILE, "--target", target.triple]);
    // Packages that are named together agree on the features of their crates: an agent is the same whatever else is built.
    cargo.arg("--target-dir").arg(folder(root)).args(["--package", "prazo-agent", "--package", "prazo-cli"]);
    cargo.args(programs.iter().flat_map(|program| ["--bin", program]));
    agent::build::from_any_folder(&mut cargo, root, target.triple, target.cross_compiler());
    let times = if target.machine == "armv7l" { TIMES_OF_64_BITS } else { "" };
    cargo.env("LIBSQLITE3_FLAGS", format!("{WITHOUT}{times}")).env("PRAZO_COPIED", "1");
    let linked = match target.machine {
        "armv7l" => Some(llvm_linker()?),
        machine => WITHOUT_UNWINDING.contains(&machine).then(|| without_unwinding(root)),
    };
    if let Some(linked) = linked {
        cargo.env("PRAZO_LINK_ARGUMENTS", linked.join(" "));
    }
    if cargo.status().map_err(|error| format!("cannot start cargo: {error}"))?.success() {
        return Ok(());
    }
    Err(format!("cargo could not build {} for {}", programs.join(" and "), target.machine))
}

/// A copy without symbols and without the build ID, which depends on symbol names and so on the build folder. What cargo built keeps the
/// symbols, for whoever asks what its size is made of (`nm --size-sort`).
fn strip(target: &Target, program: &Path, to: &Path) -> Result<(), String> {
    let strip = target.cross_compiler().map_or("strip".into(), |compiler| compiler.replace("-gcc", "-strip"));
    let without = ["--strip-all", "--remove-section=.note.gnu.build-id", "-o"];
    let status = Command::new(&strip).args(without).arg(to).arg(program).status();
    let status = status.map_err(|error| format!("cannot start {strip}: {error}; install binutils"))?;
    if status.success() { Ok(()) } else { Err(format!("{strip} could not strip {}", program.display())) }
}

/// Shared with the agents that are built for the sources: what runs while building is the same.
fn folder(root: &Path) -> PathBuf {
    root.join("target/guest")
}

fn built(root: &Path, target: &Target, program: &str) -> PathBuf {
    folder(root).join(target.triple).join(PROFILE).join(program)
}

fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}

/// Runs a script of tests to its end.
pub(crate) fn script(root: &Path, script: &str, arguments: impl Iterator<Item = PathBuf>) -> Result<(), String> {
    let status = Command::new(root.join(script)).args(arguments).current_dir(root).status();
    let status = status.map_err(|error| format!("cannot start {script}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{script} failed")) }
}

/// Packs an agent as [`inside::unpack`] takes it.
fn pack(agent: &[u8], architecture: Architecture) -> std::io::Result<Vec<u8>> {
    let mut options = LzmaOptions::with_preset(9);
    match architecture {
        Architecture::X86_64 => {}
        // Of two and four bytes.
        Architecture::Riscv64 => (options.lc, options.lp) = (3, 1),
        // Instructions of four bytes.
        Architecture::Aarch64 | Architecture::Armv7l | Architecture::Ppc64le => (options.lc, options.lp) = (2, 2),
    }
    let packed = LzmaWriter::new_use_header(Vec::new(), &options, Some(agent.len() as u64))?;
    let mut writer = match architecture {
        Architecture::X86_64 => BcjWriter::new_x86(packed, 0),
        Architecture::Aarch64 => BcjWriter::new_arm64(packed, 0),
        Architecture::Armv7l => BcjWriter::new_arm(packed, 0),
        Architecture::Riscv64 => BcjWriter::new_riscv(packed, 0),
        Architecture::Ppc64le => BcjWriter::new_ppc(packed, 0),
    };
    writer.write_all(agent)?;
    writer.finish()?.finish()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")), ignore)]
    fn a_program_without_tables_for_unwinding_says_why_it_panics() {
        assert!(WITHOUT_UNWINDING.contains(&std::env::consts::ARCH));
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let source = "fn main() { std::thread::spawn(|| 1).join().unwrap(); panic!(\"the reason\") }";
        std::fs::write(at("hello.rs"), source).unwrap();
        let root = root().unwrap();
        let link = |name: &str, arguments: &[String]| {
            let mut rustc = Command::new("rustc");
            rustc.args(["-C", "panic=abort", "-C", "target-feature=+crt-static", "-C", "strip=symbols"]);
            rustc.args(arguments.iter().map(|one| format!("-Clink-arg={one}")));
            assert!(rustc.arg("-o").args([at(name), at("hello.rs")]).status().unwrap().success());
            std::fs::metadata(at(name)).unwrap().len()
        };
        let (whole, small) = (link("whole", &[]), link("small", &without_unwinding(root)));
        assert!(small + 50_000 < whole, "{small} bytes instead of {whole}");
        let ended = Command::new(at("small")).env("RUST_BACKTRACE", "1").output().unwrap();
        assert!(String::from_utf8_lossy(&ended.stderr).contains("the reason"), "{ended:?}");
        assert_eq!(std::os::unix::process::ExitStatusExt::signal(&ended.status), Some(6), "{ended:?}");
    }

    #[test]
    fn the_toolchain_has_the_linker_for_32_bit_arm() {
        let [chosen, folder] = llvm_linker().unwrap();
        assert_eq!(chosen, "-fuse-ld=lld");
        assert!(folder.starts_with("-B/"), "{folder}");
    }

    #[test]
    fn a_program_does_not_depend_on_the_names_of_its_symbols() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let program = |name: &str| {
            let source = format!("static int {name}(int i) {{ return i; }} int main(void) {{ return {name}(0); }}");
            std::fs::write(at("one.c"), source).unwrap();
            let mut compiler = Command::new("cc");
            compiler.args(["-O0", "-Wl,--build-id=sha1", "-o"]).args([at("one"), at("one.c")]);
            assert!(compiler.status().unwrap().success());
            let host = TARGETS.iter().find(|target| target.machine == std::env::consts::ARCH);
            strip(host.unwrap_or(&TARGETS[0]), &at("one"), &at("stripped")).unwrap();
            std::fs::read(at("stripped")).unwrap()
        };
        assert_eq!(program("hashed_3613344058626681244"), program("hashed_1334816927783421233"));
    }

    #[test]
    fn programs_that_differ_are_told_with_the_first_byte() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            path
        };
        let (one, same, other, longer) =
            (file("one", b"abc"), file("same", b"abc"), file("other", b"aXc"), file("longer", b"abcd"));
        assert_eq!(first_difference(&one, &same), Ok(()));
        assert!(first_difference(&one, &other).unwrap_err().contains("at byte 1: 3 and 3 bytes"));
        assert!(first_difference(&one, &longer).unwrap_err().contains("at byte 3: 3 and 4 bytes"));
    }

    #[test]
    fn a_packed_program_is_the_same_when_it_is_unpacked() {
        let mut program = std::fs::read("/bin/ls").expect("every system has it");
        program.truncate(50_001);
        for &architecture in Architecture::VALUES {
            let packed = pack(&program, architecture).unwrap();
            assert!(packed.len() < program.len(), "{architecture}: {} bytes of {}", packed.len(), program.len());
            assert_eq!(inside::unpack(&packed, architecture).unwrap(), program, "{architecture}");
        }
    }
}
