//! Packages from the programs of `cargo xtask dist`: a tree of files for each, packed by dpkg-deb, and by rpmbuild too where it
//! has the program.
//!
//! The same commit gives the same packages: times of files are the commit's.

use crate::dist::{TARGETS, Target, script};
use crate::root::root;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What to pack.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Processors, as `uname -m` names them [default: all that `cargo xtask dist` has built]
    #[arg(long, value_name = "PROCESSOR")]
    target: Vec<String>,
    /// Folder of the packages
    #[arg(long, short, default_value = "target/packages")]
    output: PathBuf,
    /// Then install, use and remove them in fresh trees of Debian and Ubuntu; takes root (scripts/package-tests.sh)
    #[arg(long)]
    test: bool,
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

impl Args {
    /// Packs them.
    pub(crate) fn run(&self) -> Result<(), String> {
        let root = root()?;
        let built = |machine: &str| program_of(root, machine);
        let is_wanted = |target: &&Target| {
            if self.target.is_empty() {
                built(target.machine).is_file()
            } else {
                self.target.iter().any(|name| name == target.machine)
            }
        };
        let wanted: Vec<_> = TARGETS.iter().filter(is_wanted).collect();
        if wanted.is_empty() {
            return Err("there is no program in target/dist; build one with `cargo xtask dist`".into());
        }
        make(&self.output)?;
        stage(root)?;
        for target in &wanted {
            program(root, &self.output, target)?;
        }
        boards(root, &self.output)?;
        setup(root, &self.output)?;
        dkms(root, &self.output)?;
        write(&self.output.join("prazo-crates.inc"), &yocto(root)?)?;
        if self.test { script(root, "scripts/package-tests.sh", std::iter::empty()) } else { Ok(()) }
    }
}

/// What `cargo xtask dist` built for a processor.
fn program_of(root: &Path, machine: &str) -> PathBuf {
    root.join("target/dist").join(format!("prazo-{machine}"))
}

/// Manual pages and completions, by the program for this machine; and Debian's changelog.
fn stage(root: &Path) -> Result<(), String> {
    let stage = root.join("target/packages/stage");
    make(&stage)?;
    let machine = std::env::consts::ARCH;
    let prazo = program_of(root, machine);
    if !prazo.is_file() {
        return Err(format!(
            "target/dist has no program for this machine, which prints the manual pages: `cargo xtask dist --target {machine}`"
        ));
    }
    run(Command::new(&prazo).args(["generate", "man"]).arg(stage.join("man")))?;
    for (shell, file) in [("bash", "prazo"), ("zsh", "_prazo"), ("fish", "prazo.fish")] {
        let output = Command::new(&prazo).args(["generate", "completions", shell]).output();
        let output = output.map_err(|error| format!("cannot start {}: {error}", prazo.display()))?;
        if !output.status.success() {
            return Err(format!("prazo printed no completions for {shell}"));
        }
        make(&stage.join(shell))?;
        fs::write(stage.join(shell).join(file), output.stdout)
            .map_err(|error| format!("cannot write {file}: {error}"))?;
    }
    let date = Command::new("git").args(["log", "-1", "--format=%aD"]).current_dir(root).output();
    let date = date.map_err(|error| format!("cannot start git: {error}"))?;
    let date = String::from_utf8_lossy(&date.stdout).trim().to_owned();
    let text = format!(
        "prazo ({VERSION}-1) unstable; urgency=medium\n\n  * See CHANGELOG.md in the sources.\n\n -- {MAINTAINER}  {date}\n"
    );
    write(&stage.join("changelog"), &text)
}

const MAINTAINER: &str = "prazo's developers <prazo@localhost>";

const SUMMARY: &str = "Will it make the deadline? Measures and proves real-time behaviour";

const DESCRIPTION: [&str; 4] = [
    "prazo answers one question about a Linux machine with evidence: will it make",
    "the deadline? It measures how late the kernel wakes a real-time thread, idle",
    "and under load, and judges the result. It proves or disproves that a task set",
    "meets its deadlines.",
];

/// What runs the foreign loads, and reaches boards.
const RECOMMENDS: &str = "iperf3, iproute2, iputils-ping, openssh-client, rt-tests, stress-ng";

/// The program's own package, as `.deb` and as `.rpm`.
fn program(root: &Path, output: &Path, target: &Target) -> Result<(), String> {
    let (debian, fedora) = names(target.machine);
    let tree = Tree::new(root, "prazo")?;
    tree.copy(&format!("target/dist/prazo-{}", target.machine), "usr/bin/prazo", 0o755)?;
    let pages = root.join("target/packages/stage/man");
    let pages = fs::read_dir(&pages).map_err(|error| format!("cannot read {}: {error}", pages.display()))?;
    for page in pages.flatten() {
        let name = page.file_name().to_string_lossy().into_owned();
        let to = format!("usr/share/man/man1/{name}");
        tree.copy(&format!("target/packages/stage/man/{name}"), &to, 0o644)?;
        run(Command::new("gzip").arg("-9nf").arg(tree.folder.join(&to)))?;
    }
    for (from, to) in [
        ("bash/prazo", "bash-completion/completions/prazo"),
        ("zsh/_prazo", "zsh/vendor-completions/_prazo"),
        ("fish/prazo.fish", "fish/vendor_completions.d/prazo.fish"),
    ] {
        tree.copy(&format!("target/packages/stage/{from}"), &format!("usr/share/{to}"), 0o644)?;
    }
    let relations = format!("Recommends: {RECOMMENDS}\nSuggests: prazo-boards, prazo-irqlat-dkms, prazo-setup\n");
    tree.control(debian, &relations, SUMMARY, &DESCRIPTION.join("\n "))?;
    tree.pack(output)?;
    rpm(&tree, output, fedora)
}

/// How Debian and Fedora name a processor.
fn names(machine: &str) -> (&'static str, &'static str) {
    match machine {
        "x86_64" => ("amd64", "x86_64"),
        "aarch64" => ("arm64", "aarch64"),
        "armv7l" => ("armhf", "armv7hl"),
        "riscv64" => ("riscv64", "riscv64"),
        _ => ("ppc64el", "ppc64le"),
    }
}

/// The files of the Debian package, without what only Debian reads. Nothing in them is changed on the way.
fn rpm(tree: &Tree, output: &Path, machine: &str) -> Result<(), String> {
    if Command::new("rpmbuild").arg("--version").output().is_err() {
        eprintln!("no .rpm: rpmbuild is not installed (Debian's package rpm)");
        return Ok(());
    }
    let work = tree.root.join("target/packages/stage/rpm");
    let files = "/usr/bin/prazo\n%doc /usr/share/doc/prazo\n/usr/share/man/man1/*\n/usr/share/bash-completion/completions/prazo\n\
                 /usr/share/zsh/site-functions/_prazo\n/usr/share/fish/vendor_completions.d/prazo.fish\n";
    let spec = format!(
        "Name: prazo\nVersion: {VERSION}\nRelease: 1\nSummary: {SUMMARY}\nLicense: (MIT OR Apache-2.0) AND GPL-2.0-only\n\
         AutoReqProv: no\nRecommends: iperf3\nRecommends: stress-ng\n%description\n{}\n%install\nmkdir -p %{{buildroot}}\ncp -a {}/usr %{{buildroot}}\n\
         cd %{{buildroot}}/usr/share\nrm -r lintian doc/prazo/changelog.Debian.gz\nmv zsh/vendor-completions zsh/site-functions\n%files\n{files}",
        DESCRIPTION.join("\n"),
        tree.folder.display(),
    );
    make(&work)?;
    let file = work.join("prazo.spec");
    write(&file, &spec)?;
    let mut build = Command::new("rpmbuild");
    build.args(["-bb", "--target", machine, "--define"]).arg(format!("_topdir {}", work.display()));
    build.arg("--define").arg(format!("_rpmdir {}", std::path::absolute(output).unwrap_or_default().display()));
    for define in [
        "_rpmfilename %%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm",
        "__os_install_post %{nil}",
        "_build_id_links none",
        "debug_package %{nil}",
        "_buildhost localhost",
        "use_source_date_epoch_as_buildtime 1",
        "clamp_mtime_to_source_date_epoch 1",
    ] {
        build.args(["--define", define]);
    }
    run(build.arg("--quiet").env("SOURCE_DATE_EPOCH", epoch(&tree.root)?).arg(&file))
}

/// When the commit was made, in seconds.
fn epoch(root: &Path) -> Result<String, String> {
    let output = Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(root).output();
    let output = output.map_err(|error| format!("cannot start git: {error}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The group `realtime`, its limits, and its access to the processors' sleep.
fn setup(root: &Path, output: &Path) -> Result<(), String> {
    let tree = Tree::new(root, "prazo-setup")?;
    tree.copy("packaging/setup/limits.conf", "etc/security/limits.d/90-prazo-realtime.conf", 0o644)?;
    tree.copy("packaging/setup/udev.rules", "usr/lib/udev/rules.d/60-prazo-realtime.rules", 0o644)?;
    tree.copy("packaging/setup/postinst", "DEBIAN/postinst", 0o755)?;
    tree.copy("packaging/setup/postrm", "DEBIAN/postrm", 0o755)?;
    tree.text("DEBIAN/conffiles", "/etc/security/limits.d/90-prazo-realtime.conf\n")?;
    tree.control("all", "Depends: passwd\n", "Real-time rights for a group, as prazo's measurements need them", "Members of the group realtime may use real-time policies, lock memory, and keep\n processors from sleeping deeply. Nobody is a member after the installation.")?;
    tree.pack(output)
}

/// The sources of irqlat, which DKMS builds for each kernel.
fn dkms(root: &Path, output: &Path) -> Result<(), String> {
    let tree = Tree::new(root, "prazo-irqlat-dkms")?;
    let place = format!("usr/src/prazo-irqlat-{VERSION}");
    let sources =
        fs::read_dir(root.join("kmod/irqlat")).map_err(|error| format!("cannot read kmod/irqlat: {error}"))?;
    for entry in sources.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_source = name == "Kbuild" || name.ends_with(".c") || name.ends_with(".h");
        if is_source {
            tree.copy(&format!("kmod/irqlat/{name}"), &format!("{place}/{name}"), 0o644)?;
        }
    }
    tree.copy("measuring/abi/include/irqlat.h", &format!("{place}/irqlat.h"), 0o644)?;
    for (from, to, mode) in [
        ("dkms.conf", format!("{place}/dkms.conf"), 0o644),
        ("postinst", "DEBIAN/postinst".into(), 0o755),
        ("prerm", "DEBIAN/prerm".into(), 0o755),
    ] {
        let text = read(&root.join("packaging/dkms").join(from))?.replace("@VERSION@", VERSION);
        tree.text(&to, &text)?;
        tree.mode(&to, mode)?;
    }
    tree.control("all", "Depends: dkms\n", "Sources of prazo's module that measures interrupt latency", "The module irqlat raises an interrupt line and takes stamps of its handler\n and of the task behind it. DKMS builds it for each kernel that is installed.")?;
    tree.pack(output)
}

/// The programs of other processors, where `--on` finds them.
fn boards(root: &Path, output: &Path) -> Result<(), String> {
    let tree = Tree::new(root, "prazo-boards")?;
    for machine in TARGETS.map(|target| target.machine) {
        let program = format!("target/dist/prazo-{machine}");
        if root.join(&program).is_file() {
            tree.copy(&program, &format!("usr/lib/prazo/boards/prazo-{machine}"), 0o755)?;
        }
    }
    tree.copy("packaging/lintian-overrides-boards", "usr/share/lintian/overrides/prazo-boards", 0o644)?;
    tree.control("all", "Depends: prazo\n", "prazo for boards of other processors, to be copied over SSH", "`prazo --on ssh://root@board` copies the program of the board's processor there\n for as long as a command runs.")?;
    tree.pack(output)
}

/// What a package without a program of this machine's holds.
struct Tree {
    root: PathBuf,
    folder: PathBuf,
    name: &'static str,
}

impl Tree {
    fn new(root: &Path, name: &'static str) -> Result<Self, String> {
        let folder = root.join("target/packages/stage").join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(|error| format!("cannot remove {}: {error}", folder.display()))?;
        }
        let tree = Self { root: root.to_owned(), folder, name };
        let own = format!("usr/share/doc/{name}");
        tree.copy("packaging/copyright", &format!("{own}/copyright"), 0o644)?;
        tree.copy("packaging/lintian-overrides", &format!("usr/share/lintian/overrides/{name}"), 0o644)?;
        let changelog = root.join("target/packages/stage/changelog");
        let text = read(&changelog)?.replacen("prazo (", &format!("{name} ("), 1);
        tree.text(&format!("{own}/changelog.Debian"), &text)?;
        run(Command::new("gzip").args(["-9n"]).arg(tree.folder.join(own).join("changelog.Debian")))?;
        Ok(tree)
    }

    fn control(&self, architecture: &str, relations: &str, title: &str, text: &str) -> Result<(), String> {
        // dpkg(1) checks installed files against these sums, and apt(8) tells the size.
        let sums =
            "find usr -type f | LC_ALL=C sort | xargs md5sum >DEBIAN/md5sums; du -ks --exclude=DEBIAN . | cut -f 1";
        let output = Command::new("sh").args(["-c", sums]).current_dir(&self.folder).output();
        let output = output.map_err(|error| format!("cannot start sh: {error}"))?;
        let size = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        self.text(
            "DEBIAN/control",
            &format!(
                "Package: {}\nVersion: {VERSION}-1\nArchitecture: {architecture}\nMaintainer: {MAINTAINER}\nInstalled-Size: {size}\n{relations}Section: utils\nPriority: optional\nDescription: {title}\n {text}\n",
                self.name
            ),
        )
    }

    fn copy(&self, from: &str, to: &str, mode: u32) -> Result<(), String> {
        self.make_room(to)?;
        let from = self.root.join(from);
        fs::copy(&from, self.folder.join(to)).map_err(|error| format!("cannot copy {}: {error}", from.display()))?;
        self.mode(to, mode)
    }

    fn text(&self, to: &str, text: &str) -> Result<(), String> {
        self.make_room(to)?;
        write(&self.folder.join(to), text)?;
        self.mode(to, 0o644)
    }

    fn mode(&self, file: &str, mode: u32) -> Result<(), String> {
        let file = self.folder.join(file);
        fs::set_permissions(&file, Permissions::from_mode(mode))
            .map_err(|error| format!("cannot set the rights of {}: {error}", file.display()))
    }

    fn make_room(&self, file: &str) -> Result<(), String> {
        self.folder.join(file).parent().map_or(Ok(()), make)
    }

    fn pack(&self, output: &Path) -> Result<(), String> {
        let mut pack = Command::new("dpkg-deb");
        pack.args(["--root-owner-group", "-Zxz", "--build"]).arg(&self.folder).arg(output);
        run(pack.env("SOURCE_DATE_EPOCH", epoch(&self.root)?))
    }
}

/// The crates that Yocto's recipe names, from the lock file.
fn yocto(root: &Path) -> Result<String, String> {
    let lock: toml::Table = read(&root.join("Cargo.lock"))?.parse().map_err(|error| format!("Cargo.lock: {error}"))?;
    let crates = lock.get("package").and_then(toml::Value::as_array).ok_or("Cargo.lock has no packages")?;
    let line = |one: &toml::Value| {
        let field = |name| one.get(name).and_then(toml::Value::as_str);
        let (name, version, checksum) = (field("name")?, field("version")?, field("checksum")?);
        Some((
            format!("    crate://crates.io/{name}/{version} \\\n"),
            format!("SRC_URI[{name}-{version}.sha256sum] = \"{checksum}\"\n"),
        ))
    };
    let (sources, sums): (String, String) = crates.iter().filter_map(line).unzip();
    Ok(format!("# Made from Cargo.lock by `cargo xtask package`.\nSRC_URI += \" \\\n{sources}\"\n\n{sums}"))
}

fn make(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))
}

fn read(file: &Path) -> Result<String, String> {
    fs::read_to_string(file).map_err(|error| format!("cannot read {}: {error}", file.display()))
}

fn write(file: &Path, text: &str) -> Result<(), String> {
    fs::write(file, text).map_err(|error| format!("cannot write {}: {error}", file.display()))
}

fn run(command: &mut Command) -> Result<(), String> {
    let name = format!("{command:?}");
    let status = command.status().map_err(|error| format!("cannot start {name}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{name} failed")) }
}
