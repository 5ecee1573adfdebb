//! Where the programs are that prazo starts: generators of load, workloads, the lab's tools.
//!
//! Root starts only what root has installed: its search path is [`SYSTEM`], whatever PATH says. For others PATH comes first,
//! but only its absolute folders: an empty or relative element would mean the current folder, where anybody may have put a
//! program of the right name. Commands that the user names (`prazo cost -- CMD`) are not looked for here.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folders of the system's own programs.
pub const SYSTEM: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// The search path of this process for programs that it starts, to be handed on as their PATH.
pub fn search_path() -> String {
    search_path_of(prazo_sys::machine::effective_user(), &std::env::var("PATH").unwrap_or_default())
}

fn search_path_of(user: u32, path: &str) -> String {
    let own = path.split(':').filter(|folder| user != 0 && folder.starts_with('/'));
    own.chain([SYSTEM]).collect::<Vec<_>>().join(":")
}

/// The program of this name on [`search_path`].
pub fn find(name: &str) -> Option<PathBuf> {
    find_in(name, &search_path())
}

/// The program of this name in the folders of `path`.
pub fn find_in(name: &str, path: &str) -> Option<PathBuf> {
    std::env::split_paths(path).map(|folder| folder.join(name)).find(|file| is_executable(file))
}

/// Starts the program of this name, and lets it search as [`search_path`] does. One that is not there fails to start with
/// "not found", as a missing program does.
pub fn command(name: &str) -> Command {
    let path = search_path();
    let absent = || Path::new("/usr/bin").join(name);
    let mut command = Command::new(find_in(name, &path).unwrap_or_else(absent));
    command.env("PATH", path);
    command
}

fn is_executable(file: &Path) -> bool {
    file.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};

    /// PATH with an empty element at each place, relative folders, and one of the user's own.
    const PATH: &str = ":.:bin:/home/user/bin::../x:";

    #[test]
    fn root_searches_only_the_systems_folders() {
        assert_eq!(search_path_of(0, PATH), SYSTEM);
        assert_eq!(search_path_of(0, ""), SYSTEM);
    }

    #[test]
    fn nobody_searches_the_current_folder() {
        let path = search_path_of(1000, PATH);
        assert_eq!(path, format!("/home/user/bin:{SYSTEM}"));
        assert_eq!(search_path_of(1000, ""), SYSTEM);
    }

    #[test]
    fn a_file_that_cannot_be_executed_is_no_program() {
        let folder = tempfile::tempdir().unwrap();
        let (file, path) = (folder.path().join("dd"), folder.path().to_str().unwrap());
        fs::write(&file, "text").unwrap();
        assert_eq!(find_in("dd", path), None);
        fs::set_permissions(&file, Permissions::from_mode(0o755)).unwrap();
        assert_eq!(find_in("dd", path), Some(file));
        assert!(find("sh").unwrap().is_absolute());
    }

    #[test]
    fn a_program_that_is_not_there_is_not_found_when_it_is_started() {
        let error = command("no-such-program-anywhere").status().unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
        let printed = command("sh").args(["-c", "echo $PATH"]).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&printed.stdout).trim(), search_path());
    }
}
