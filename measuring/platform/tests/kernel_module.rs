//! Building and loading kernel modules, and what is said where that is refused.

use prazo_platform::Root;
use prazo_platform::kernel_module::{Build, LoadedModule, ModuleError, headers_of_running_kernel};
use prazo_platform::tunable::Journal;
use prazo_testing::{Need, skip};
use std::path::{Path, PathBuf};

/// Folders of headers to build against, behind each other with colons; by default those of this machine's kernels.
const HEADERS: &str = "PRAZO_KERNEL_HEADERS";

#[test]
fn the_module_compiles_against_every_kernels_headers_that_are_here() {
    let all = headers();
    if all.is_empty() {
        skip!(Need::KernelHeaders, "the module was not compiled; {HEADERS} names headers");
    }
    for headers in all {
        let made = build(&headers).unwrap_or_else(|error| panic!("{}: {error}", headers.display()));
        assert!(made > 10_000, "a module of {made} bytes against {}", headers.display());
    }
}

#[test]
fn without_headers_the_kernel_and_the_remedy_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let error = run(folder.path(), &folder.path().join("none")).unwrap_err();
    assert!(matches!(error, ModuleError::NoHeaders { .. }));
    let message = error.to_string();
    assert!(message.contains("linux-headers-9.9.9-test") && message.contains("--headers"), "{message}");
}

#[test]
fn a_failed_build_gives_the_compilers_last_words() {
    let folder = tempfile::tempdir().unwrap();
    let headers = folder.path().join("headers");
    std::fs::create_dir(&headers).unwrap();
    std::fs::write(headers.join("Makefile"), "modules:\n\t@echo 'irqlat.c: error: no such luck'; exit 1\n").unwrap();
    let message = run(folder.path(), &headers).unwrap_err().to_string();
    assert!(message.contains("no such luck"), "{message}");
}

#[test]
fn a_file_that_is_no_module_is_refused_with_a_reason() {
    let file = tempfile::NamedTempFile::with_suffix(".ko").unwrap();
    std::fs::write(file.path(), "no module").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let journal = Journal::open_in(&folder.path().join("state"), &Root::system()).unwrap();
    let message = LoadedModule::load(&journal, file.path(), "").unwrap_err().to_string();
    assert_eq!(journal.entries().unwrap(), [], "nothing is left to be undone");
    assert!(message.contains("refused") && message.contains(&file.path().display().to_string()), "{message}");
    assert!(
        ["built for another", "CAP_SYS_MODULE", "locked down", "without support for modules"]
            .iter()
            .any(|why| message.contains(why)),
        "{message}"
    );
}

fn run(folder: &Path, headers: &Path) -> Result<PathBuf, ModuleError> {
    let source = repository().join("kmod/irqlat");
    let abi = repository().join("measuring/abi/include");
    let variables = [("ABI", abi.as_path())];
    let compiler = Path::new("/usr/bin/gcc-12").exists().then_some("gcc-12");
    Build { source: &source, variables: &variables, headers, compiler, folder }.run("9.9.9-test")
}

/// The size of what was built.
fn build(headers: &Path) -> Result<u64, ModuleError> {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), headers).map(|file| std::fs::metadata(file).unwrap().len())
}

fn headers() -> Vec<PathBuf> {
    match std::env::var_os(HEADERS) {
        Some(given) => std::env::split_paths(&given).collect(),
        None => installed().into_iter().filter(|headers| headers.join("Makefile").is_file()).collect(),
    }
}

/// Those of the system's kernels, and those that the lab has fetched.
fn installed() -> Vec<PathBuf> {
    let kernels = entries(Path::new("/lib/modules"));
    let of_system = kernels.map(|kernel| headers_of_running_kernel(&kernel.file_name().unwrap().to_string_lossy()));
    let fetched = entries(&cache()).flat_map(|tree| entries(&tree.join("usr/src")).collect::<Vec<_>>());
    of_system.chain(fetched.filter(|headers| headers.join("Module.symvers").is_file())).collect()
}

fn cache() -> PathBuf {
    let home = || PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".cache");
    std::env::var_os("XDG_CACHE_HOME").map_or_else(home, PathBuf::from).join("prazo/lab")
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}
