//! Where `/proc`, `/sys`, `/dev`, `/boot` and `/etc` are read: this machine's own, or a copied tree of another one.
//!
//! Every reading tells three failures apart, because they mean different things to a checker: the file is *absent* (the
//! kernel has no such knob), *denied* (it has one, and we may not look), or it *failed* (it is there and gives no answer).
//! A copied tree's symbolic links are resolved inside the tree and never lead out of it. A copy made without privileges
//! can name what it was not allowed to read in the file [`DENIED_LIST`], one path a line.

use prazo_core::cpu::CpuSet;
use prazo_sys::deadline_bandwidth::wait_before_reading;
use std::collections::BTreeSet;
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Component, Path, PathBuf};

/// In the top folder of a copied tree: the files and folders that were there and could not be read, one a line.
pub const DENIED_LIST: &str = ".prazo-denied";

/// The longest file that is read; a longer one is an error, since nothing under /proc that matters here is that long.
const BYTES_MAX: u64 = 16 << 20;
/// As many links as Linux follows.
const LINKS_MAX: u32 = 40;

/// Why a file of the machine gave no answer, or took none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unavailable {
    /// There is no such file: this kernel or this container has no such knob.
    #[error("{path} does not exist")]
    Absent {
        /// The file, as seen from the root.
        path: String,
    },
    /// It is there and we may not: root or a capability is missing, or a container hides it.
    #[error("{path}: permission denied")]
    Denied {
        /// The file, as seen from the root.
        path: String,
    },
    /// The system refused, by this error number.
    #[error("{path}: {}", io::Error::from_raw_os_error(*errno))]
    Refused {
        /// The file, as seen from the root.
        path: String,
        /// The error number.
        errno: i32,
    },
    /// It is there, we may, and it gave nonsense.
    #[error("{path}: {why}")]
    Failed {
        /// The file, as seen from the root.
        path: String,
        /// What the system or the parser said.
        why: String,
    },
}

impl Unavailable {
    /// True where the file does not exist, as against one that cannot be read.
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Absent { .. })
    }

    pub(crate) fn from_io(path: &str, error: &io::Error) -> Self {
        let path = path.to_owned();
        match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => Self::Absent { path },
            ErrorKind::PermissionDenied => Self::Denied { path },
            // A process that ended between opening its file and reading it.
            _ if error.raw_os_error() == Some(libc::ESRCH) => Self::Absent { path },
            _ => match error.raw_os_error() {
                Some(errno) => Self::Refused { path, errno },
                None => Self::Failed { path, why: error.to_string() },
            },
        }
    }

    /// `path` was read and holds no `wanted`.
    pub(crate) fn nonsense(path: &str, wanted: &str, text: &str) -> Self {
        Self::Failed { path: path.to_owned(), why: format!("'{}' is not {wanted}", text.trim()) }
    }
}

/// What was read, or why not.
pub type Reading<T = String> = Result<T, Unavailable>;

/// The place that all paths start from.
#[derive(Clone, Debug)]
pub struct Root {
    base: PathBuf,
    live: bool,
    denied: BTreeSet<String>,
}

impl Root {
    /// This machine.
    pub fn system() -> Self {
        Self { base: PathBuf::from("/"), live: true, denied: BTreeSet::new() }
    }

    /// A copied tree, in which `proc`, `sys`, `etc` and `boot` are folders. Never live, even if it is `/`.
    pub fn at(base: impl Into<PathBuf>) -> Self {
        let base = base.into();
        let denied = std::fs::read_to_string(base.join(DENIED_LIST)).unwrap_or_default();
        Self { denied: denied.lines().map(|line| line.trim().to_owned()).collect(), base, live: false }
    }

    /// True for the machine that this program runs on: only there can anything be tried.
    pub fn is_live(&self) -> bool {
        self.live
    }

    /// The folder that stands for `/`.
    pub fn base(&self) -> &Path {
        &self.base
    }

    /// A file's text without its last newline; bytes that are not UTF-8 become the replacement character.
    pub fn read(&self, path: &str) -> Reading {
        let bytes = self.read_bytes(path)?;
        Ok(String::from_utf8_lossy(&bytes).trim_end_matches(['\n', '\0']).to_owned())
    }

    /// A file's bytes; at most 16 MiB.
    pub fn read_bytes(&self, path: &str) -> Reading<Vec<u8>> {
        let real = self.resolve(path)?;
        wait_before_reading(&real);
        read_bounded(&real, self.live).map_err(|error| Unavailable::from_io(path, &error))
    }

    /// A file that holds one whole number.
    pub fn read_number(&self, path: &str) -> Reading<i64> {
        let text = self.read(path)?;
        text.trim().parse().map_err(|_| Unavailable::nonsense(path, "a whole number", &text))
    }

    /// A file that holds a list of processors (`0-3,5`); `None` where the list is empty.
    pub fn read_cpus(&self, path: &str) -> Reading<Option<CpuSet>> {
        let text = self.read(path)?;
        match text.trim() {
            "" | "(null)" => Ok(None),
            list => list.parse().map(Some).map_err(|_| Unavailable::nonsense(path, "a list of processors", &text)),
        }
    }

    /// The names in a folder, sorted, numbers by value.
    pub fn list(&self, path: &str) -> Reading<Vec<String>> {
        let real = self.resolve(path)?;
        let mut names = names(&real).map_err(|error| Unavailable::from_io(path, &error))?;
        names.sort_by_key(|name| (name.parse::<u64>().unwrap_or(u64::MAX), name.clone()));
        Ok(names)
    }

    /// True if there is anything at this path.
    pub fn exists(&self, path: &str) -> bool {
        self.resolve(path).is_ok_and(|real| real.symlink_metadata().is_ok())
    }

    /// Where a link points, as text; not followed.
    pub fn link(&self, path: &str) -> Reading {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let real = self.resolve(folder)?.join(name);
        let target = std::fs::read_link(real).map_err(|error| Unavailable::from_io(path, &error))?;
        Ok(target.to_string_lossy().into_owned())
    }

    /// Writes `value` into a file that exists, in one call, as the kernel's knobs want it. A knob takes a value at once or
    /// not at all; so does a file of a copied tree.
    pub fn write(&self, path: &str, value: &str) -> Reading<()> {
        let real = self.resolve(path)?;
        let written = if self.live { write_knob(&real, value) } else { self.replace(&real, value) };
        written.map_err(|error| Unavailable::from_io(path, &error))
    }

    fn replace(&self, real: &Path, value: &str) -> io::Result<()> {
        if !real.metadata()?.is_file() {
            return Err(io::Error::other("is not a regular file"));
        }
        let fresh = self.base.join(format!(".prazo-{}.new", std::process::id()));
        std::fs::write(&fresh, value)?;
        std::fs::rename(fresh, real)
    }

    /// An error if this process may not write the file or change the folder. It writes nothing; the kernel may still
    /// refuse a value.
    pub(crate) fn check_writable(&self, path: &str) -> Reading<()> {
        let real = self.resolve(path)?;
        prazo_sys::files::check_writable(&real).map_err(|error| Unavailable::from_io(path, &error))
    }

    /// Makes one folder; its parent must exist. This is how a control group is made.
    pub(crate) fn make_folder(&self, path: &str) -> Reading<()> {
        let real = self.resolve(path)?;
        std::fs::create_dir(real).map_err(|error| Unavailable::from_io(path, &error))
    }

    /// Removes one folder. A control group counts as empty while it has no task and no child.
    pub(crate) fn remove_folder(&self, path: &str) -> Reading<()> {
        let real = self.resolve(path)?;
        std::fs::remove_dir(real).map_err(|error| Unavailable::from_io(path, &error))
    }

    /// The kernel's log: the ring buffer here, `/var/log/dmesg` in a copied tree. Its beginning may have been overwritten.
    pub fn kernel_log(&self) -> Reading {
        if !self.live {
            return self.read("/var/log/dmesg");
        }
        prazo_sys::machine::kernel_log().map_err(|error| Unavailable::from_io("the kernel's log", &error))
    }

    fn is_denied(&self, path: &str) -> bool {
        Path::new(path).ancestors().any(|above| above.to_str().is_some_and(|above| self.denied.contains(above)))
    }

    /// The real path; in a copied tree each link is followed by hand, so that `..` and absolute links stay inside.
    fn resolve(&self, path: &str) -> Reading<PathBuf> {
        if self.live {
            return Ok(PathBuf::from(path));
        }
        if self.is_denied(path) {
            return Err(Unavailable::Denied { path: path.to_owned() });
        }
        resolve_inside(&self.base, path)
            .ok_or_else(|| Unavailable::Failed { path: path.to_owned(), why: "too many symbolic links".into() })
    }
}

/// `path` below `base` with every link followed inside `base`; `None` after too many links.
fn resolve_inside(base: &Path, path: &str) -> Option<PathBuf> {
    let mut inside = PathBuf::new();
    let mut rest: Vec<PathBuf> = parts(Path::new(path));
    let mut links = 0;
    while let Some(part) = rest.pop() {
        if part.as_os_str() == ".." {
            inside.pop();
            continue;
        }
        let here = inside.join(&part);
        let Ok(target) = std::fs::read_link(base.join(&here)) else {
            inside = here;
            continue;
        };
        links += 1;
        if links > LINKS_MAX {
            return None;
        }
        if target.is_absolute() {
            inside = PathBuf::new();
        }
        rest.extend(parts(&target));
    }
    Some(base.join(inside))
}

/// A path's parts, last one first; the root and `.` are dropped.
fn parts(path: &Path) -> Vec<PathBuf> {
    path.components()
        .rev()
        .filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir))
        .map(|part| PathBuf::from(part.as_os_str()))
        .collect()
}

fn write_knob(path: &Path, value: &str) -> io::Result<()> {
    std::fs::OpenOptions::new().write(true).truncate(true).open(path)?.write_all(value.as_bytes())
}

fn read_bounded(path: &Path, live: bool) -> io::Result<Vec<u8>> {
    if !live && !path.metadata()?.is_file() {
        return Err(io::Error::other("is not a regular file"));
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(BYTES_MAX + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > BYTES_MAX { Err(io::Error::other("is longer than 16 MiB")) } else { Ok(bytes) }
}

fn names(folder: &Path) -> io::Result<Vec<String>> {
    std::fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn tree() -> (tempfile::TempDir, Root) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("proc/sys")).unwrap();
        std::fs::write(folder.path().join("proc/sys/knob"), "7\n").unwrap();
        let root = Root::at(folder.path());
        (folder, root)
    }

    #[test]
    fn a_reading_tells_absent_denied_and_failed_apart() {
        let (folder, _) = tree();
        std::fs::write(folder.path().join(DENIED_LIST), "/proc/secret\n").unwrap();
        let root = Root::at(folder.path());
        assert_eq!(root.read("/proc/sys/knob").unwrap(), "7");
        assert!(root.read("/proc/none").unwrap_err().is_absent());
        assert!(matches!(root.read("/proc/secret"), Err(Unavailable::Denied { .. })));
        assert!(matches!(root.read("/proc/sys"), Err(Unavailable::Failed { .. })));
        let busy = Unavailable::from_io("x", &io::Error::from_raw_os_error(libc::EBUSY));
        assert_eq!(busy, Unavailable::Refused { path: "x".into(), errno: libc::EBUSY });
        std::fs::write(folder.path().join("proc/sys/knob"), "seven").unwrap();
        assert!(root.read_number("/proc/sys/knob").unwrap_err().to_string().contains("'seven' is not a whole number"));
    }

    #[test]
    fn links_of_a_copied_tree_never_lead_out_of_it() {
        let (folder, root) = tree();
        let outside = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(outside.path(), "outside").unwrap();
        symlink(outside.path(), folder.path().join("proc/absolute")).unwrap();
        symlink("../../../../../../../../../../../../etc/passwd", folder.path().join("proc/relative")).unwrap();
        symlink("/proc/sys", folder.path().join("proc/inside")).unwrap();
        symlink("loop", folder.path().join("proc/loop")).unwrap();
        assert!(root.read("/proc/absolute").unwrap_err().is_absent());
        assert!(root.read("/proc/relative").unwrap_err().is_absent());
        assert!(root.read("/../../etc/passwd").unwrap_err().is_absent());
        assert_eq!(root.read("/proc/inside/knob").unwrap(), "7");
        assert!(root.read("/proc/loop").unwrap_err().to_string().contains("too many symbolic links"));
    }

    #[test]
    fn a_write_never_creates_a_file() {
        let (_folder, root) = tree();
        root.write("/proc/sys/knob", "8").unwrap();
        assert_eq!(root.read_number("/proc/sys/knob").unwrap(), 8);
        assert!(root.write("/proc/sys/none", "8").unwrap_err().is_absent());
    }

    #[test]
    fn an_empty_list_of_processors_is_none() {
        let (_folder, root) = tree();
        root.write("/proc/sys/knob", "\n").unwrap();
        assert_eq!(root.read_cpus("/proc/sys/knob").unwrap(), None);
    }
}
